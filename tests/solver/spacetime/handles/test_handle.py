# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles: their values on a body of plain vectors, what they say of themselves, and as data."""

from __future__ import annotations

import json

import numpy as np
import pytest

from poise.solver.core.arrays import Array
from poise.solver.core.errors import HandleError
from poise.solver.spacetime.handles.handle import (
    KINDS,
    AxisHandle,
    CenterOfMassHandle,
    DirectionHandle,
    DistanceHandle,
    DotHandle,
    Handle,
    MidpointHandle,
    PointHandle,
    SumHandle,
    handle_from_dict,
)

from ...characters import person
from .some_handles import handles_of

PLACES = {"left_hip": [0.1, 0.9, 0.0], "left_ball": [0.1, 0.0, 0.2], "right_ball": [-0.1, 0.1, -0.2]}
CENTERS = {None: [0.0, 1.0, 0.1], "left_shoulder": [0.4, 1.2, 0.0]}


class PlainAlgebra:
    def dot(self, a: Array, b: Array) -> Array:
        return np.array([a @ b])

    def length(self, v: Array) -> Array:
        return np.array([np.linalg.norm(v)])

    def unit(self, v: Array) -> Array:
        return v / np.linalg.norm(v)


class PlainBody:
    """A body whose values are single vectors."""

    algebra = PlainAlgebra()

    def point(self, name: str) -> Array:
        return np.array(PLACES[name])

    def center_of_mass(self, joint: str | None) -> Array:
        return np.array(CENTERS[joint])

    def axis(self, joint: str, axis: str) -> Array:
        assert joint == "hips"
        return {"left": np.eye(3)[0], "up": np.eye(3)[1], "forward": np.eye(3)[2]}[axis]


LEFT, RIGHT, HIP = PointHandle("left_ball"), PointHandle("right_ball"), PointHandle("left_hip")
UP = AxisHandle("hips", "up")


@pytest.mark.parametrize(
    ("handle", "expected"),
    [
        (LEFT, [0.1, 0.0, 0.2]),
        (CenterOfMassHandle(), [0.0, 1.0, 0.1]),
        (CenterOfMassHandle("left_shoulder"), [0.4, 1.2, 0.0]),
        (AxisHandle("hips", "forward"), [0.0, 0.0, 1.0]),
        (DirectionHandle("left_ball", "left_hip"), np.array([0.0, 0.9, -0.2]) / np.sqrt(0.85)),
        (DistanceHandle("left_ball", HIP), [np.sqrt(0.85)]),
        (MidpointHandle("left_ball", RIGHT), [0.0, 0.05, 0.0]),
        (LEFT + RIGHT, [0.0, 0.1, 0.0]),
        (LEFT - RIGHT, [0.2, -0.1, 0.4]),
        (LEFT * 3, [0.3, 0.0, 0.6]),
        (-2.0 * LEFT, [-0.2, 0.0, -0.4]),
        (-LEFT, [-0.1, 0.0, -0.2]),
        (HIP.dot(UP), [0.9]),
        ((HIP - LEFT).length(), [np.sqrt(0.85)]),
        ((HIP - LEFT).unit(), np.array([0.0, 0.9, -0.2]) / np.sqrt(0.85)),
    ],
)
def test_values(handle: Handle, expected: object) -> None:
    np.testing.assert_allclose(handle.value(PlainBody()), expected, atol=1e-15)
    assert handle.width == len(np.asarray(expected))


@pytest.mark.parametrize(
    ("handle", "label", "is_length", "is_direction"),
    [
        (LEFT, "left ball", True, False),
        (CenterOfMassHandle(), "centre of mass", True, False),
        (CenterOfMassHandle("left_shoulder"), "centre of mass of the left arm", True, False),
        (CenterOfMassHandle("spine"), "centre of mass of the upper body", True, False),
        (CenterOfMassHandle("Spine1"), "centre of mass of everything that Spine1 moves", True, False),
        (UP, "up axis of hips", False, True),
        (DirectionHandle("left_ball", "left_hip"), "direction from left ball to left hip", False, True),
        (DistanceHandle("left_ball", "left_hip"), "distance from left ball to left hip", True, False),
        (
            DistanceHandle(UP, AxisHandle("hips", "left")),
            "distance from up axis of hips to left axis of hips",
            False,
            False,
        ),
        (MidpointHandle("left_ball", "right_ball"), "middle between left ball and right ball", True, False),
        (LEFT - RIGHT, "left ball relative to right ball", True, False),
        (UP * 0.5, "0.5 times up axis of hips", False, False),
        (LEFT.dot(UP), "left ball along up axis of hips", True, False),
        (UP.dot(UP), "up axis of hips along up axis of hips", False, False),
        ((LEFT - HIP).length(), "length of left ball relative to left hip", True, False),
        ((LEFT - HIP).unit(), "direction of left ball relative to left hip", False, True),
    ],
)
def test_what_a_handle_says_of_itself(handle: Handle, label: str, is_length: bool, is_direction: bool) -> None:
    assert (handle.label, handle.is_length, handle.is_direction) == (label, is_length, is_direction)


def test_every_kind_comes_back_from_json() -> None:
    handles = handles_of(person())
    assert {type(part) for handle in handles for part in (handle, *handle.parts)} == set(KINDS.values())
    for handle in handles:
        again = handle_from_dict(json.loads(json.dumps(handle.as_dict())))
        assert again == handle and hash(again) == hash(handle) and again.label == handle.label


def test_users_may_write_points_by_their_names() -> None:
    written = {"kind": "distance", "start": "left_hip", "end": {"kind": "midpoint", "first": "a", "second": "b"}}
    assert handle_from_dict(written) == DistanceHandle("left_hip", MidpointHandle("a", "b"))
    assert handle_from_dict("left_ball") == LEFT
    assert handle_from_dict({"kind": "center_of_mass"}) == CenterOfMassHandle()
    assert CenterOfMassHandle().as_dict() == {"kind": "center_of_mass"}


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ({"kind": "centre"}, "no handle of the kind 'centre'; the kinds are point, center_of_mass, axis"),
        ({"kind": ["point"]}, r"no handle of the kind \['point'\]"),
        ({"point": "left_hip"}, "no handle of the kind None"),
        ({"kind": "point"}, "kind 'point' needs 'point'"),
        ({"kind": "point", "point": "a", "place": 1}, "kind 'point' has no 'place'; it has point"),
        ({"kind": "point", "point": 3}, "names a joint or a landmark in 'point'"),
        ({"kind": "axis", "joint": "hips", "axis": "right"}, "has the axis .*, not 'right'"),
        ({"kind": "scaled", "handle": "a", "factor": "two"}, "finite number in 'factor'"),
        ({"kind": "direction", "start": "a", "end": 2}, "needs a handle or the name of a point in 'end', not 2"),
        ({"kind": "direction", "start": "a", "end": {"kind": "nose"}}, "no handle of the kind 'nose'"),
        (7, "not 7"),
    ],
)
def test_wrong_data_is_refused(written: object, complaint: str) -> None:
    with pytest.raises(HandleError, match=complaint):
        handle_from_dict(written)


def test_operands_that_do_not_fit_are_refused() -> None:
    distance = DistanceHandle("left_ball", "left_hip")
    with pytest.raises(HandleError, match="cannot combine a vector, the left ball, with a number, the distance"):
        distance + LEFT
    with pytest.raises(HandleError, match="cannot combine a length, the left ball, with a pure number, the up axis"):
        UP - LEFT
    with pytest.raises(HandleError, match="cannot multiply two lengths"):
        DotHandle(LEFT, RIGHT)
    with pytest.raises(HandleError, match="needs a vector in 'handle', but the distance"):
        distance.unit()
    with pytest.raises(HandleError, match="needs two handles, not 'left_ball'"):
        SumHandle("left_ball", LEFT)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        LEFT + 1.0  # type: ignore[operator]
    with pytest.raises(TypeError):
        LEFT * LEFT  # type: ignore[operator]

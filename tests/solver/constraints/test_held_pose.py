# SPDX-License-Identifier: GPL-3.0-or-later
"""The constraints of a held pose keep a rotation relative to the parent, or in the world, with smooth eases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise import solver
from poise.solver import Clip, HeldPose, rotations
from poise.solver.constraints.held_pose import ARM
from poise.solver.core.errors import ConstraintError
from poise.solver.synthetic import walk

JOINT = "l_elbow"
BENT = rotations.exp(np.array([0.4, 0.3, 0.0]))


@pytest.fixture(scope="module")
def clip() -> Clip:
    return walk(steps=4, fps=30.0).clip


def test_on_its_parent_a_joint_keeps_the_rotation_over_its_stay(clip: Clip) -> None:
    held = HeldPose({JOINT: 3.0 * BENT}, 20.0, 30.0, ease_in=6.0, ease_out=6.0, name="Held").constraints(clip)
    assert [type(each) for each in held] == [solver.ShapeConstraint] * 2
    result = solver.deform(clip, held).clip
    index = clip.skeleton.index(JOINT)
    assert rotations.angle_between(result.motion.rotations[20:31, index], BENT).max() < 1e-3
    outside = np.r_[0:14, 37 : clip.frames]
    assert np.array_equal(result.motion.rotations[outside], clip.motion.rotations[outside])
    assert {each.recruit for each in held} == {0}, "only the joint itself moves"
    for each in held:
        assert isinstance(each, solver.ShapeConstraint) and isinstance(each.joint, solver.BodyPoint)
        assert np.isclose(np.linalg.norm(each.joint.offset), ARM * clip.skeleton.size)


def test_eases_are_cut_to_the_clip(clip: Clip) -> None:
    for each in HeldPose({JOINT: BENT}, 2.0, 4.0, ease_in=6.0, ease_out=0.0).constraints(clip):
        assert isinstance(each, solver.ShapeConstraint)
        assert (each.begin, each.end) == (0.0, 4.0) and len(tuple(each.points)) == 5


def test_an_ease_may_be_shorter_than_any_number_can_divide_by(clip: Clip) -> None:
    """A minimised case of scripts/fuzz.py."""
    with np.errstate(all="raise"):
        shortest = HeldPose({JOINT: BENT}, 20.0, 30.0, ease_in=5e-324, ease_out=5e-324).constraints(clip)
    without = HeldPose({JOINT: BENT}, 20.0, 30.0, ease_in=0.0, ease_out=0.0).constraints(clip)
    assert len(shortest) == len(without)
    for each, other in zip(shortest, without, strict=True):
        assert isinstance(each, solver.ShapeConstraint) and isinstance(other, solver.ShapeConstraint)
        held, expected = ({point.begin: point.location for point in one.points} for one in (each, other))
        np.testing.assert_allclose([held[time] for time in expected], list(expected.values()))


def test_in_the_world_a_joint_keeps_the_rotation(clip: Clip) -> None:
    (held,) = HeldPose({JOINT: BENT}, 20.0, 30.0, space="world", recruit=1).constraints(clip)
    assert isinstance(held, solver.OrientationConstraint) and held.recruit == 1
    assert (held.begin, held.end) == (12.5, 37.5), "a quarter of a second"
    result = solver.deform(clip, [held]).clip
    assert rotations.angle_between(result.orientation(JOINT)[20:31], BENT).max() < 1e-3


def test_a_root_is_always_held_in_the_world(clip: Clip) -> None:
    (held,) = HeldPose({0: BENT}, 20.0, 30.0).constraints(clip)
    assert isinstance(held, solver.OrientationConstraint)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"rotations": {}}, "it holds no joint"),
        ({"rotations": {"l_elbwo": BENT}}, "Did you mean 'l_elbow'"),
        ({"rotations": {JOINT: (0, 0, 0, 0)}}, "must be a quaternion"),
        ({"space": "root"}, "its space is one of local, world"),
        ({"begin": np.nan}, "its begin must be a finite number of frames"),
        ({"ease_in": "slow"}, "its ease_in must be a finite number of frames"),
        ({"begin": 40.0}, "it begins at frame 40, after its end at 30"),
        ({"weight": 0.0}, "the weight must be"),
    ],
)
def test_what_cannot_be_is_an_error_with_its_name(clip: Clip, wrong: dict[str, Any], sentence: str) -> None:
    good: dict[str, Any] = {"rotations": {JOINT: BENT}, "begin": 20.0, "end": 30.0, "name": "Guard"}
    with pytest.raises(ConstraintError, match=f"^Guard: .*{sentence}"):
        HeldPose(**(good | wrong)).constraints(clip)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The body's axes at rest."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.skeleton import Skeleton, Up
from poise.solver.core import rotations
from poise.solver.spacetime.handles.body_axes import body_axes
from poise.solver.synthetic import human

from ...characters import person


@pytest.mark.parametrize(("up", "forward"), [("y", (0.0, 0.0, 1.0)), ("z", (0.0, -1.0, 0.0))])
def test_a_human_that_faces_forward(up: Up, forward: tuple[float, float, float]) -> None:
    axes = body_axes(human(up))
    np.testing.assert_allclose(axes["left"], (1.0, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(axes["up"], np.eye(3)["xyz".index(up)], atol=1e-12)
    np.testing.assert_allclose(axes["forward"], forward, atol=1e-12)


def test_the_axes_turn_with_a_character_that_rests_turned() -> None:
    turn = rotations.from_axis_angle((0.0, 1.0, 0.0), 0.7)
    skeleton = person()
    offsets, rest = skeleton.offsets.copy(), skeleton.rest_rotations.copy()
    rest[0] = rotations.multiply(turn, rest[0])
    axes = body_axes(skeleton.replace(offsets=offsets, rest_rotations=rest))
    np.testing.assert_allclose(axes["left"], rotations.rotate(turn, np.array([1.0, 0.0, 0.0])), atol=1e-12)
    np.testing.assert_allclose(axes["forward"], rotations.rotate(turn, np.array([0.0, 0.0, 1.0])), atol=1e-12)


def test_a_character_that_leans_to_the_side_has_a_level_left_axis() -> None:
    lean = rotations.from_axis_angle((0.0, 0.0, 1.0), 0.3)
    rest = person().rest_rotations.copy()
    rest[0] = rotations.multiply(lean, rest[0])
    axes = body_axes(person().replace(rest_rotations=rest))
    np.testing.assert_allclose(axes["left"], (1.0, 0.0, 0.0), atol=1e-12)


def test_characters_without_legs_and_without_sides() -> None:
    marks = {f"{side}_hip": None for side in ("left", "right")}
    armed = person().with_landmarks(**marks)
    np.testing.assert_allclose(body_axes(armed)["left"], (1.0, 0.0, 0.0), atol=1e-12)
    stick = Skeleton(("only",), [-1], [[0.0, 0.0, 0.0]], up="z")
    np.testing.assert_array_equal(body_axes(stick)["left"], (1.0, 0.0, 0.0))
    np.testing.assert_array_equal(body_axes(stick)["forward"], (0.0, -1.0, 0.0))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass tensors against closed cases, and that few weighted points stand for all matter of a body."""

from __future__ import annotations

import numpy as np

from poise.solver.body.joints import BodyPoint
from poise.solver.body.mass_tensors import MassPoints, mass_tensors
from poise.solver.body.skeleton import Skeleton

from ..characters import person


def rod(length: float = 2.0) -> Skeleton:
    """One joint with a thin rod of 3 kg along y."""
    return Skeleton(
        ("rod",), [-1], [[0.0, 0.0, 0.0]], tips=(BodyPoint("rod", (0.0, length, 0.0)),), total_mass=3.0, up="y"
    )


def test_the_tensor_of_a_rod() -> None:
    """∫ over a rod from 0 to L with mass m: m L²/3, m L/2 and m."""
    expected = np.zeros((4, 4))
    expected[1, 1], expected[1, 3], expected[3, 1], expected[3, 3] = 3.0 * 4.0 / 3.0, 3.0, 3.0, 3.0
    np.testing.assert_allclose(mass_tensors(rod())[0], expected, rtol=1e-12, atol=1e-12)


def test_a_load_adds_the_tensor_of_a_point() -> None:
    place = np.array([0.5, -1.0, 2.0])
    loaded = rod().with_load(BodyPoint("rod", tuple(place)), 4.0)
    point = np.array([*place, 1.0])
    expected = mass_tensors(rod())[0] + 4.0 * np.outer(point, point)
    np.testing.assert_allclose(mass_tensors(loaded)[0], expected, rtol=1e-12, atol=1e-12)


def test_points_and_directions_have_the_tensors(character: Skeleton) -> None:
    points = MassPoints.of(character)
    found = np.zeros((len(character), 4, 4))
    for joint, offset, weight in zip(points.point_joints, points.offsets, points.weights, strict=True):
        vector = weight * np.array([*offset, 1.0])
        found[joint] += np.outer(vector, vector)
    for joint, direction in zip(points.direction_joints, points.directions, strict=True):
        vector = np.array([*direction, 0.0])
        found[joint] += np.outer(vector, vector)
    expected = mass_tensors(character)
    scale = np.array([character.size] * 3 + [1.0])
    np.testing.assert_allclose(
        found / np.outer(scale, scale), expected / np.outer(scale, scale), atol=1e-9 * character.masses.sum()
    )


def test_what_has_no_mass_and_no_extent_has_no_points() -> None:
    skeleton = person()
    points = MassPoints.of(skeleton)
    np.testing.assert_array_equal(points.point_joints, np.flatnonzero(skeleton.masses))
    assert skeleton.index("Neck") not in points.direction_joints
    thin = MassPoints.of(rod())
    assert len(thin.point_joints) == 1 and len(thin.direction_joints) == 1
    np.testing.assert_allclose(np.abs(thin.directions), [[0.0, 1.0, 0.0]], atol=1e-12)  # √(m L² / 12)


def test_some_joints_can_be_left_out() -> None:
    skeleton = person()
    points = MassPoints.of(skeleton, without=(0,))
    assert 0 not in points.point_joints and 0 not in points.direction_joints
    assert len(points.point_joints) == len(MassPoints.of(skeleton).point_joints) - 1

# SPDX-License-Identifier: GPL-3.0-or-later
"""The axis about which a limb swings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.files.bvh import read_bvh
from poise.solver.spacetime.characters.recipe import BIPED
from poise.solver.spacetime.characters.recipe_joints import RecipeJoints
from poise.solver.spacetime.characters.simplification import simplified
from poise.solver.spacetime.characters.swing_axis import swing_axis

from ..captured import RUN, cut


def swing(axis: Array, limb: Array, amplitude: float, frames: int = 60, noise: float = 0.0, seed: int = 3) -> Array:
    """(frames, 3) a limb that swings about an axis by angles up to `amplitude`."""
    angles = amplitude * np.sin(np.linspace(0.0, 4.0 * np.pi, frames))
    arms = rotations.rotate(rotations.from_axis_angle(axis, angles), limb)
    return np.asarray(arms + noise * np.random.default_rng(seed).standard_normal(arms.shape))


def angle_to(found: Array | None, axis: Array) -> float:
    """Between two lines."""
    assert found is not None
    assert np.linalg.norm(found) == pytest.approx(1.0)
    return float(np.arccos(np.clip(abs(found @ rotations.unit(axis)), -1.0, 1.0)))


def missed_angle(arms: Array, axis: Array) -> float:
    """How far a limb is from a cone about an axis, root mean square."""
    angles = np.arccos(np.clip(rotations.unit(arms) @ axis, -1.0, 1.0))
    return float(angles.std())


@pytest.mark.parametrize(("amplitude", "tolerance"), [(0.8, 0.04), (1.5, 0.01)])
def test_the_axis_of_a_large_swing_is_found_also_where_the_limb_is_not_at_a_right_angle(
    rng: np.random.Generator, amplitude: float, tolerance: float
) -> None:
    """The less its path bends, the more a limb counts as one at a right angle to the axis."""
    for _ in range(20):
        axis, limb = rotations.unit(rng.standard_normal(3)), rng.standard_normal(3)
        between = np.arccos(abs(axis @ rotations.unit(limb)))
        if between < 0.8:
            continue
        assert angle_to(swing_axis(swing(axis, limb, amplitude)), axis) < tolerance


def test_the_axis_of_a_small_swing_is_at_a_right_angle_to_the_limb() -> None:
    axis, limb = np.array([1.0, 0.0, 0.0]), np.array([0.3, -1.0, 0.0])
    found = swing_axis(swing(axis, limb, 0.1))
    # Only the part of an axis across a limb moves it, so a small swing does not show the other part.
    assert angle_to(found, np.array([1.0, 0.3, 0.0])) < 0.01
    # A limb at a right angle has the same axis in small and in large swings.
    for amplitude in (0.1, 0.4, 1.0):
        assert angle_to(swing_axis(swing(axis, np.array([0.0, -1.0, 0.2]), amplitude)), axis) < 1e-6


def test_no_axis_is_nearer_to_a_noisy_swing(rng: np.random.Generator) -> None:
    for seed in range(5):
        arms = swing(np.array([0.9, 0.3, -0.1]), np.array([0.1, -1.0, 0.1]), 0.7, noise=0.05, seed=seed)
        found = swing_axis(arms)
        assert found is not None
        others = rotations.unit(rng.standard_normal((2000, 3)))
        across = others[np.abs(others @ rotations.unit(arms.mean(axis=0))) < 0.9]
        assert missed_angle(arms, found) < 1.05 * min(missed_angle(arms, other) for other in across)


@pytest.mark.parametrize("size", [1.0, 100.0, 1e-3])
def test_the_size_does_not_matter(size: float) -> None:
    arms = swing(np.array([1.0, 0.2, 0.0]), np.array([0.0, -1.0, 0.1]), 0.6, noise=0.02)
    found, other = swing_axis(arms), swing_axis(size * arms)
    assert found is not None and other is not None
    np.testing.assert_allclose(found, other, atol=1e-12)


def test_a_limb_that_rests_or_circles_or_is_nothing_has_no_axis() -> None:
    assert swing_axis(swing(np.array([1.0, 0.0, 0.0]), np.array([0.0, -1.0, 0.0]), 0.02)) is None
    turns = np.linspace(0.0, 2.0 * np.pi, 50)
    circle = np.stack([0.4 * np.cos(turns), np.full(50, -1.0), 0.4 * np.sin(turns)], axis=1)
    assert swing_axis(circle) is None
    assert swing_axis(np.zeros((9, 3))) is None


@pytest.mark.parametrize(("name", "begin", "end"), [RUN, ("09_08", 1, None), ("02_01", 1, None), ("35_29", 1, None)])
def test_arms_of_captured_runs_and_walks_swing_about_axes_that_are_mirror_images(
    mocap: Path, name: str, begin: int, end: int | None
) -> None:
    clip = cut(read_bvh(mocap / f"{name}.bvh"), begin, end)
    character = simplified(clip, BIPED)
    axes = [np.array(character.dofs[character.joint_of[f"{side}_shoulder"][0]].axis) for side in ("left", "right")]
    left, right = (character.axes @ axis for axis in axes)
    # Across the body, more or less, and up on the body's outer side: arms swing across the chest in front.
    assert min(left[0], right[0]) > 0.75
    assert left[1] > 0.1 and right[1] < -0.1
    # The mirror image of an axis of rotation has its left component and opposites of the others.
    assert np.arccos(left @ (right * [1.0, -1.0, -1.0])) < 0.35
    for side, axis in zip(("left", "right"), axes, strict=True):
        arms = seen_from_hips(clip, side)
        across = np.array(character.axes[0])
        assert missed_angle(arms, axis) < 0.05 < missed_angle(arms, across) * 1.4


def seen_from_hips(clip: Clip, side: str) -> Array:
    """(frames, 3) from where a shoulder is on average to the mass of its arm, in the frame of the simplified hips."""
    named = RecipeJoints(clip, BIPED)
    frames = rotations.conjugate(named.frames(named.hips, clip.skeleton.rest[0][named.hips]))
    shoulder, world = named.joint(f"{side}_shoulder"), clip.world
    place = rotations.rotate(frames, world.positions[:, shoulder] - world.positions[:, named.hips]).mean(axis=0)
    away = world.subtree_center_of_mass(shoulder) - world.positions[:, named.hips]
    return np.asarray(rotations.rotate(frames, away) - place)

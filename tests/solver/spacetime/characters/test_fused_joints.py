# SPDX-License-Identifier: GPL-3.0-or-later
"""Constant rotations that least move the centre of mass."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint, Load
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.spacetime.characters.fused_joints import fused_rotations

from ...characters import random_skeleton
from ...made_up import moving_human


def all_rotations(around: Array, angle: float, count: int = 13) -> Array:
    """(count³, 4) rotations up to an angle away from one, on a grid."""
    steps = np.linspace(-angle, angle, count)
    turns = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
    return rotations.multiply(rotations.exp(turns), around)


def best_rotation(centers: Array, places: Array, start: Array) -> Array:
    """(4,) the rotation R with the least mean square of R c - p, for c (frames, 3) and p (frames, 3), by trying."""
    found, angle = start, np.pi
    while angle > 1e-4:
        tried = all_rotations(found, angle)
        shifts = rotations.rotate(tried[:, None], centers) - places
        found, angle = tried[np.argmin((shifts**2).sum(axis=(1, 2)))], angle / 4.0
    return found


def shift(rotation: Array, centers: Array, places: Array) -> float:
    """The root mean square of R c - p."""
    away = rotations.rotate(rotation, centers) - places
    return float(np.sqrt((away**2).sum(axis=1).mean()))


def seen_from(clip: Clip, joint: int, frame: int) -> Array:
    """(frames, 3) from a joint to the mass that it carries, in the frame of another joint."""
    away = clip.world.subtree_center_of_mass(joint) - clip.world.positions[:, joint]
    return rotations.rotate(rotations.conjugate(clip.world.rotations[:, frame]), away)


def with_constant(clip: Clip, constant: Array, joints: Array) -> Clip:
    """The clip in which some joints, a mask, have constant rotations (joints, 4)."""
    turned = np.where(joints[:, None], constant, clip.motion.rotations)
    return clip.with_motion(Motion(turned, clip.motion.translations))


@pytest.mark.parametrize("name", ["l_wrist", "l_elbow", "r_knee", "vt6", "skullbase"])
def test_a_joint_is_turned_where_its_mass_moves_least(rng: np.random.Generator, name: str) -> None:
    """Compared with brute force over all rotations."""
    clip = moving_human(rng, frames=40, bend=0.4)
    found = fused_rotations(clip)
    joint = clip.skeleton.index(name)
    below = clip.skeleton.tree.ancestry[:, joint] & (np.arange(len(clip.skeleton)) != joint)
    centers = seen_from(with_constant(clip, found, below), joint, joint)
    np.testing.assert_allclose(centers, np.tile(centers[0], (40, 1)), atol=1e-12)
    places = seen_from(clip, joint, int(clip.skeleton.parents[joint]))
    mean = rotations.mean(clip.motion.rotations[:, joint])
    best = shift(best_rotation(centers, places, mean), centers, places)
    assert shift(found[joint], centers, places) <= best * (1.0 + 1e-6)
    # The mean rotation is not the best one.
    assert shift(mean, centers, places) > best * (1.0 + 1e-6)


def test_a_whole_fused_arm_has_its_mass_in_the_mean_direction(rng: np.random.Generator) -> None:
    clip = moving_human(rng, frames=40, bend=0.4)
    shoulder = clip.skeleton.index("l_shoulder")
    fused = with_constant(clip, fused_rotations(clip), clip.skeleton.tree.ancestry[:, shoulder])
    parent = int(clip.skeleton.parents[shoulder])
    source, constant = (seen_from(each, shoulder, parent) for each in (clip, fused))
    np.testing.assert_allclose(rotations.unit(constant[7]), rotations.unit(source.mean(axis=0)), atol=1e-9)


def test_joints_that_do_not_move_keep_their_rotation(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    turned = rotations.random(rng, len(skeleton))
    still = Motion(np.tile(turned, (5, 1, 1)), np.tile(skeleton.offsets, (5, 1, 1)))
    found = fused_rotations(Clip(skeleton, still))
    assert rotations.angle_between(found, turned).max() < 1e-7


def test_about_its_own_axis_a_limb_is_turned_as_on_average() -> None:
    offsets, tip = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]], BodyPoint(1, (0.0, 0.5, 0.0))
    skeleton = Skeleton(("root", "rod"), [-1, 0], offsets, tips=(tip,))
    angles = np.linspace(-0.2, 1.0, 31)
    turned = np.tile(rotations.IDENTITY, (31, 2, 1))
    turned[:, 1] = rotations.exp(np.outer(angles, [0.0, 1.0, 0.0]))
    clip = Clip(skeleton, Motion(turned, np.tile(skeleton.offsets, (31, 1, 1))))
    assert rotations.twist_angle(fused_rotations(clip)[1], (0.0, 1.0, 0.0)) == pytest.approx(0.4)


def test_a_joint_whose_mass_is_centred_on_it_is_turned_as_on_average(rng: np.random.Generator) -> None:
    skeleton = Skeleton(("root", "ball"), [-1, 0], [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    loads = (Load(BodyPoint(1, (1e-6, 0.0, 0.0)), 3.0), Load(BodyPoint(0, (0.0, 0.3, 0.0)), 3.0))
    skeleton = skeleton.replace(loads=loads)
    turned = rotations.exp(0.3 * rng.standard_normal((20, 2, 3)))
    clip = Clip(skeleton, Motion(turned, np.tile(skeleton.offsets, (20, 1, 1))))
    mean = rotations.mean(turned[:, 1])
    assert rotations.angle_between(fused_rotations(clip)[1], mean) < 1e-9


def test_joints_that_go_on_moving_do_not_hide_the_mass_below_them(rng: np.random.Generator) -> None:
    """A fused spine with moving arms has its upper body where the source has it on average."""
    clip = moving_human(rng, frames=60, bend=0.3)
    skeleton = clip.skeleton
    spine = skeleton.index("vl5")
    kept = {skeleton.index("l_shoulder"), skeleton.index("r_shoulder")}
    fused = fused_rotations(clip, kept)
    fixed = clip.skeleton.tree.ancestry[:, spine] & ~np.isin(np.arange(len(skeleton)), [*kept])
    root = int(skeleton.parents[spine])
    source, stiff = (seen_from(each, spine, root) for each in (clip, with_constant(clip, fused, fixed)))
    np.testing.assert_allclose(rotations.unit(source.mean(axis=0)), rotations.unit(stiff.mean(axis=0)), atol=1e-6)


def test_signs_of_quaternions_do_not_matter(rng: np.random.Generator) -> None:
    clip = moving_human(rng, frames=20)
    flipped = clip.motion.rotations * rng.choice([-1.0, 1.0], (20, len(clip.skeleton), 1))
    other = fused_rotations(clip.with_motion(Motion(flipped, clip.motion.translations)))
    assert rotations.angle_between(fused_rotations(clip), other).max() < 1e-9

# SPDX-License-Identifier: GPL-3.0-or-later
"""The metric of displacements: how far watched joints move in the world, those that are calm in the source the most."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.deformation.columns import Columns
from poise.solver.deformation.metric import DisplacementMetric

from ..characters import random_motion, random_skeleton
from ..made_up import moving_human
from ..standing import standing_human

STEP = 1e-4
"""Of coordinates, whose squares are then as exact as this."""


def all_columns(clip: Clip) -> Columns:
    return Columns(clip.skeleton, np.ones(len(clip.skeleton), dtype=bool))


def shaking(clip: Clip, joint: str, angle: float) -> Clip:
    """A clip in which one joint is turned to and fro from frame to frame."""
    turned = clip.motion.rotations.copy()
    signs = np.where(np.arange(clip.frames) % 2, angle, -angle)
    at = clip.skeleton.index(joint)
    turned[:, at] = rotations.multiply(turned[:, at], rotations.exp(signs[:, None] * np.array([1.0, 0.0, 0.0])))
    return clip.with_motion(Motion(turned, clip.motion.translations))


def costs(metric: Array, columns: Columns, name: str) -> Array:
    """(frames,) the trace of a metric over the columns of a joint."""
    own = columns.dofs.owners == columns.skeleton.index(name)
    return np.trace(metric[:, own][:, :, own], axis1=1, axis2=2)


def test_the_metric_of_a_still_character_is_the_squared_distance_that_watched_joints_move(
    rng: np.random.Generator,
) -> None:
    """In sizes of the character, by finite differences."""
    clip = standing_human(12)
    columns = all_columns(clip)
    metric = DisplacementMetric(clip, columns)
    world = WorldState.of(clip.skeleton, random_motion(rng, clip.skeleton, 4, on_bones=True))
    found = metric.at(world)
    assert found.shape == (4, columns.count, columns.count)
    np.testing.assert_allclose(found, found.swapaxes(1, 2), atol=1e-12)
    for _ in range(5):
        step = rng.standard_normal((4, columns.count))
        ahead, behind = (
            WorldState.of(clip.skeleton, columns.displaced(world.motion, sign * STEP * step)).positions
            for sign in (1.0, -1.0)
        )
        moved = (ahead - behind)[:, metric.watched] / (2.0 * STEP * clip.skeleton.size)
        np.testing.assert_allclose(np.einsum("fi,fij,fj->f", step, found, step), (moved**2).sum(axis=(1, 2)), rtol=1e-5)


def test_joints_that_move_and_landmarks_are_watched(rng: np.random.Generator) -> None:
    clip = standing_human(12)
    skeleton, marks = clip.skeleton, clip.skeleton.landmarks
    moving = skeleton.mask([skeleton.index("l_elbow")])
    watched = DisplacementMetric(clip, Columns(skeleton, moving)).watched.tolist()
    assert skeleton.index("l_elbow") in watched
    for mark in (marks.left_hip, marks.right_knee, marks.left_ankle, marks.right_wrist, marks.head):
        assert mark is not None and int(skeleton.resolve(mark).joint) in watched
    assert watched == sorted(set(watched)) and len(watched) < len(skeleton)
    unknown = random_skeleton(rng)
    still = Clip(unknown, random_motion(rng, unknown, 3), 30.0)
    watched = DisplacementMetric(still, Columns(unknown, unknown.mask([0]))).watched.tolist()
    assert watched == sorted({0} | set(range(len(unknown))) - set(unknown.parents.tolist()))


def test_a_joint_that_is_calm_in_the_source_costs_more_to_move() -> None:
    """By the square of the accelerations that it has there; the others cost about what they did."""
    clip = standing_human(40)
    restless, wild = (shaking(clip, "l_shoulder", angle) for angle in (0.05, 0.1))
    columns = all_columns(clip)
    metrics = [DisplacementMetric(each, columns).at(clip.world.at(np.array([0]))) for each in (clip, restless, wild)]
    calm, shaken, shaken_more = (costs(metric, columns, "l_elbow")[0] for metric in metrics)
    assert shaken < 0.2 * calm
    assert shaken_more == pytest.approx(0.25 * shaken, rel=0.05)
    others = [costs(metric, columns, "r_elbow")[0] for metric in metrics]
    assert others == pytest.approx([others[0]] * 3, rel=0.3)
    np.testing.assert_array_less(shaken, others[1])


def test_a_calibration_pose_does_not_count() -> None:
    """One jump of all joints: the metric is that of the clip without it."""
    clip = standing_human(40)
    turned, moved = clip.motion.rotations.copy(), clip.motion.translations.copy()
    turned[0, 1:] = rotations.multiply(rotations.exp(np.array([0.5, 0.3, 0.0])), turned[0, 1:])
    moved[0, 0] += 3.0
    columns = all_columns(clip)
    metrics = [
        DisplacementMetric(each, columns).at(clip.world.at(np.array([1])))
        for each in (clip, clip.with_motion(Motion(turned, moved)))
    ]
    np.testing.assert_allclose(*metrics, atol=1e-12)


def test_the_metric_does_not_depend_on_the_size_or_the_place(rng: np.random.Generator) -> None:
    clip = moving_human(rng, 30)
    large = replace(
        clip,
        skeleton=clip.skeleton.scaled(100.0),
        motion=Motion(clip.motion.rotations, 100.0 * clip.motion.translations),
    )
    shifts = np.zeros_like(large.motion.translations)
    shifts[:, 0] = 1000.0
    away = large.with_motion(Motion(large.motion.rotations, large.motion.translations + shifts))
    small, *others = (DisplacementMetric(each, all_columns(each)).at(each.world) for each in (clip, large, away))
    for other in others:
        np.testing.assert_allclose(other, small, atol=1e-9 * np.abs(small).max())


@pytest.mark.parametrize("frames", [1, 2, 6])
def test_a_clip_of_few_frames_has_a_metric(frames: int, rng: np.random.Generator) -> None:
    """That of a still one: nothing is known of its accelerations."""
    clip = moving_human(rng, frames)
    columns = all_columns(clip)
    found = DisplacementMetric(clip, columns).at(clip.world)
    np.testing.assert_allclose(found, DisplacementMetric(standing_human(12), columns).at(clip.world), atol=1e-12)
    assert np.linalg.eigvalsh(found).min() > -1e-9


def test_joints_that_may_not_move_have_no_columns(rng: np.random.Generator) -> None:
    """And the metric of the others is that part of the whole one, over the same watched joints."""
    clip = moving_human(rng, 12)
    whole = all_columns(clip)
    moving = rng.random(len(clip.skeleton)) < 0.5
    part = Columns(clip.skeleton, moving)
    metric = DisplacementMetric(clip, part)
    own = moving[whole.dofs.owners]
    watched_all, found = DisplacementMetric(clip, whole), metric.at(clip.world)
    unwatched = sorted(set(watched_all.watched.tolist()) - set(metric.watched.tolist()))
    assert unwatched
    expected = watched_all.at(clip.world)[:, own][:, :, own]
    # Less is watched, so less is counted.
    assert (np.linalg.eigvalsh(expected - found) > -1e-9).all()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Steady axes: there and back, and steady where a limb turns about itself."""

from __future__ import annotations

import numpy as np

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.deformation.columns import Columns
from poise.solver.deformation.steady_axes import FASTEST, SteadyAxes

from ..made_up import moving_human


def axes_of(clip: Clip) -> tuple[SteadyAxes, Columns, Array]:
    columns = Columns(clip.skeleton, np.ones(len(clip.skeleton), dtype=bool))
    return SteadyAxes(clip, columns), columns, np.arange(0, clip.frames, 3)


def test_there_and_back_is_no_change(rng: np.random.Generator) -> None:
    axes, columns, frames = axes_of(moving_human(rng, 40))
    values = rng.standard_normal((len(frames), columns.count))
    np.testing.assert_allclose(axes.in_parents(axes.from_parents(values, frames), frames), values, atol=1e-12)
    rows = rng.standard_normal((len(frames), 4, columns.count))
    back = axes.rows_from_parents(rows, frames) @ axes.matrices(frames).swapaxes(1, 2)
    np.testing.assert_allclose(back, rows, atol=1e-12)


def test_rows_and_metrics_give_the_same_of_turned_values(rng: np.random.Generator) -> None:
    axes, columns, frames = axes_of(moving_human(rng, 40))
    values, rows = (
        rng.standard_normal((len(frames), columns.count)),
        rng.standard_normal((len(frames), 4, columns.count)),
    )
    turned = axes.from_parents(values, frames)
    found = np.einsum("frc,fc->fr", axes.rows_from_parents(rows, frames), turned)
    np.testing.assert_allclose(found, np.einsum("frc,fc->fr", rows, values), atol=1e-10)
    metric = rows.swapaxes(1, 2) @ rows
    size = np.einsum("fc,fcd,fd->f", turned, axes.metric_from_parents(metric, frames), turned)
    np.testing.assert_allclose(size, np.einsum("fc,fcd,fd->f", values, metric, values), rtol=1e-9)


def test_axes_do_not_turn_with_a_limb_that_turns_about_itself(rng: np.random.Generator) -> None:
    """A thigh turns about itself by a half turn for one frame, and the shank back: no joint moves."""
    clip = moving_human(rng, 20)
    skeleton = clip.skeleton
    hip, knee = skeleton.index("l_hip"), skeleton.index("l_knee")
    turned = clip.motion.rotations.copy()
    bone = skeleton.offsets[knee] / np.linalg.norm(skeleton.offsets[knee])
    half = rotations.from_axis_angle(bone, np.pi)
    turned[10, hip] = rotations.multiply(turned[10, hip], half)
    turned[10, knee] = rotations.multiply(rotations.conjugate(half), turned[10, knee])
    other = clip.with_motion(Motion(turned, clip.motion.translations))
    np.testing.assert_allclose(other.world.positions, clip.world.positions, atol=1e-9)
    frames = np.arange(20)
    found = []
    for each in (clip, other):
        columns = Columns(skeleton, skeleton.mask([knee]))
        constant_in_world = rotations.rotate(
            rotations.conjugate(each.world.rotations[:, hip]), np.tile([0.1, 0.2, 0.3], (20, 1))
        )
        found.append(SteadyAxes(each, columns).from_parents(constant_in_world / columns.scale, frames))
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)


def test_axes_do_not_follow_a_capture_that_breaks(rng: np.random.Generator) -> None:
    """The pelvis is turned by 80° from one frame to the next: what is constant along its axes turns by less."""
    clip = moving_human(rng, 40, fps=120.0)
    turned = clip.motion.rotations.copy()
    turned[20:, 0] = rotations.multiply(rotations.from_axis_angle((0.0, 1.0, 0.0), np.radians(80.0)), turned[20:, 0])
    broken = clip.with_motion(Motion(turned, clip.motion.translations))
    hip = clip.skeleton.index("l_hip")
    largest = []
    for each in (clip, broken):
        axes, columns, _ = axes_of(each)
        own = np.flatnonzero(columns.dofs.owners == hip)
        values = np.zeros((40, columns.count))
        values[:, own[0]] = 1.0
        local = axes.in_parents(values, np.arange(40))[:, own]
        parents = each.world.parent_rotations(np.array([hip]))[:, 0]
        along = rotations.rotate(parents, local)
        largest.append(np.arccos(np.clip(np.einsum("fi,fi->f", along[1:], along[:-1]), -1.0, 1.0)).max())
    assert largest[1] <= FASTEST / 120.0 + 1e-6 < np.radians(80.0)
    assert largest[0] < FASTEST / 120.0, "the motion itself is too fast for this test"

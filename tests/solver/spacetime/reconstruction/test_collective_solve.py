# SPDX-License-Identifier: GPL-3.0-or-later
"""Collective solves: tasks are met, firm ones first, by little and smooth displacements."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.kinematics import WorldState
from poise.solver.core.arrays import Array
from poise.solver.core.progress import finished
from poise.solver.spacetime.handles.full_body import FullBody
from poise.solver.spacetime.handles.handle import CenterOfMassHandle, Handle, PointHandle
from poise.solver.spacetime.handles.handle_task import HandleTask
from poise.solver.spacetime.reconstruction.collective_problem import WeightedTask
from poise.solver.spacetime.reconstruction.collective_solve import solving_collectively
from poise.solver.tasks import PositionTask

from ...made_up import moving_human
from .edits import bump

FRAMES = 41


def solved(clip: Clip, tasks: list[WeightedTask]) -> FullBody:
    motion = finished(solving_collectively(clip, tasks, clip.motion, 0.12))
    return FullBody(WorldState.of(clip.skeleton, motion))


def moved(clip: Clip, handle: Handle, by: Array, firmness: float = 0.0) -> WeightedTask:
    values = handle.value(FullBody(clip.world))
    return WeightedTask(HandleTask(handle, values + by), np.full(clip.frames, firmness))


@pytest.mark.parametrize("fps", [30.0, 100.0])
def test_handles_get_their_values_smoothly(rng: np.random.Generator, fps: float) -> None:
    clip = moving_human(rng, FRAMES, fps=fps)
    by = 0.1 * bump(FRAMES, 1) * np.array([0.3, 1.0, -0.5])
    tasks = [moved(clip, CenterOfMassHandle("left_shoulder"), by), moved(clip, CenterOfMassHandle(), -0.5 * by)]
    body = solved(clip, tasks)
    for each in tasks:
        task = each.task
        assert isinstance(task, HandleTask)
        np.testing.assert_allclose(task.handle.value(body), task.target, atol=1e-3 * clip.skeleton.size)
    added = body._state.positions - clip.world.positions
    assert np.abs(np.diff(added, 2, axis=0)).max() < 3.0 * np.abs(np.diff(by, 2, axis=0)).max()


def test_firm_tasks_win(rng: np.random.Generator) -> None:
    """Both hands cannot be two metres apart from each other and where they are."""
    clip = moving_human(rng, FRAMES)
    far = np.tile([3.0, 0.0, 0.0], (FRAMES, 1))
    left, right = PointHandle("left_wrist"), PointHandle("right_wrist")
    body = solved(clip, [moved(clip, left, far, 1.0), moved(clip, right, -far)])
    off = [
        np.linalg.norm(handle.value(body) - handle.value(FullBody(clip.world)) - by, axis=1)
        for handle, by in ((left, far), (right, -far))
    ]
    assert off[0].max() < 0.1 < 3.0 < off[1].min()


def test_what_is_met_already_stays(rng: np.random.Generator) -> None:
    clip = moving_human(rng, FRAMES)
    none = np.zeros((FRAMES, 3))
    foot = clip.skeleton.landmarks.require("left_ball")
    tasks = [
        moved(clip, CenterOfMassHandle(), none),
        WeightedTask(PositionTask(foot.joint, clip.position(foot), offset=foot.offset), np.ones(FRAMES)),
    ]
    body = solved(clip, tasks)
    np.testing.assert_allclose(body._state.positions, clip.world.positions, atol=1e-9)


def test_the_source_is_displaced_as_little_as_possible(rng: np.random.Generator) -> None:
    """A hand is raised by its arm, and the legs stay as they are."""
    clip = moving_human(rng, FRAMES)
    tasks = [
        moved(clip, PointHandle("left_wrist"), 0.05 * bump(FRAMES, 1) * np.array([0.0, 1.0, 0.0])),
        moved(clip, CenterOfMassHandle(), np.zeros((FRAMES, 3))),
    ]
    added = np.linalg.norm(solved(clip, tasks)._state.positions - clip.world.positions, axis=2).max(axis=0)
    marks = clip.skeleton.landmarks
    assert added[marks.left_wrist] > 0.04 and added[marks.left_elbow] > 0.01
    assert max(added[marks.left_ankle], added[marks.right_ankle], added[marks.right_wrist]) < 0.015


def test_it_yields_a_share_that_rises(rng: np.random.Generator) -> None:
    clip = moving_human(rng, 9)
    tasks = [moved(clip, CenterOfMassHandle("left_shoulder"), np.full((9, 3), 0.05))]
    shares = list(solving_collectively(clip, tasks, clip.motion, 0.12))
    assert len(shares) > 5 and shares == sorted(shares) and 0.0 <= shares[0] <= shares[-1] < 1.0

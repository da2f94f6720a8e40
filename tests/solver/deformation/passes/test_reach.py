# SPDX-License-Identifier: GPL-3.0-or-later
"""Reach: targets that cannot be met are relaxed to where they can be, and all others stay as they are."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.kinematics import WorldState
from poise.solver.constraints import Constraint
from poise.solver.core.arrays import Array
from poise.solver.core.progress import Stage, finished
from poise.solver.deformation.frame_tasks import FrameTasks
from poise.solver.deformation.passes.draft import Draft
from poise.solver.deformation.passes.reach import MARGIN, relax_unreachable_targets
from poise.solver.deformation.settings import Tolerances

from ...standing import displaced, standing_human
from ..drafts import Drafting, drafting

FPS = 60.0
ARM = ["l_shoulder", "l_elbow"]


def reaching(by: tuple[float, float, float], *more: Constraint, recruit: list[str] | None = None) -> Drafting:
    """A standing human whose left hand is moved by some sizes, held in the frames 20 to 40, by its arm alone."""
    clip = standing_human(61, fps=FPS)
    hand = displaced(clip, "l_wrist", by, 5, 20, 40, 55, recruit=ARM if recruit is None else recruit, priority=1)
    return drafting(clip, [hand, *more])


def relaxed(solving: Drafting, threshold: float = Tolerances().close) -> tuple[FrameTasks, Draft, bool]:
    return finished(relax_unreachable_targets(solving.tasks, solving.tasks, solving.work, solving.draft, threshold))


def missed(solving: Drafting, tasks: FrameTasks, draft: Draft, channel: int = 0) -> Array:
    """(knots,) the residuals of a channel to the targets of some tasks at the knots of a draft, in sizes."""
    knots = draft.knots.frames
    motion = draft.columns.displaced(solving.clip.motion.at(knots), draft.values)
    world = WorldState.of(solving.clip.skeleton, motion)
    return tasks.residuals(channel, world, knots) * tasks.timeline.channels[channel].active[knots]


def test_targets_that_a_draft_meets_are_not_relaxed_and_nothing_is_solved() -> None:
    solving = reaching((0.0, 0.0, 0.0))
    steps = relax_unreachable_targets(solving.tasks, solving.tasks, solving.work, solving.draft, Tolerances().close)
    with pytest.raises(StopIteration) as stop:
        next(steps)
    assert stop.value.value == (solving.tasks, solving.draft, False)


def test_targets_that_can_be_reached_are_not_relaxed() -> None:
    """But the draft begins at postures that meet them, at the knots where it was too far."""
    solving = reaching((0.0, 0.1, 0.2))
    assert missed(solving, solving.tasks, solving.draft).max() > 0.2
    tasks, draft, was_missed = relaxed(solving)
    assert was_missed and tasks is solving.tasks
    assert missed(solving, tasks, draft).max() < Tolerances().close
    assert not draft.values[draft.knots.fixed].any()


def test_an_unreachable_target_is_relaxed_to_where_it_can_be_met() -> None:
    """On the line to the shoulder, a little inside the arm's length, and nearly as far as possible."""
    solving = reaching((0.0, 0.0, 2.0))
    tasks, draft, was_missed = relaxed(solving)
    assert was_missed and tasks is not solving.tasks
    clip, size = solving.clip, solving.clip.skeleton.size
    shoulder, elbow, wrist = (clip.position(name)[0] for name in ("l_shoulder", "l_elbow", "l_wrist"))
    longest = np.linalg.norm(elbow - shoulder) + np.linalg.norm(wrist - elbow)
    away = tasks.targets[0] - shoulder
    held = slice(25, 36)
    lengths = np.linalg.norm(away[held], axis=1)
    assert (lengths < longest - 0.5 * MARGIN * size).all() and (lengths > longest - 3.0 * MARGIN * size).all()
    asked = solving.tasks.targets[0][held] - shoulder
    cosines = (away[held] * asked).sum(axis=1) / lengths / np.linalg.norm(asked, axis=1)
    assert (cosines > np.cos(0.1)).all(), "it points elsewhere"
    assert missed(solving, solving.tasks, draft).max() > 0.5
    # All of it can be met: the postures of the knots are near the relaxed targets.
    assert missed(solving, tasks, draft)[(draft.knots.frames >= 25) & (draft.knots.frames <= 35)].max() < 3.0 * MARGIN


def test_targets_are_relaxed_smoothly_and_only_while_they_are_active() -> None:
    solving = reaching((0.0, 0.0, 2.0))
    tasks, _, _ = relaxed(solving)
    by = (tasks.targets[0] - solving.tasks.targets[0]) / solving.clip.skeleton.size
    active = tasks.timeline.channels[0].active
    assert not by[~active].any() and np.linalg.norm(by, axis=1).max() > 0.5
    # As smooth as the path itself, which goes 2 sizes far and back within 15 frames.
    path = (solving.tasks.targets[0] - solving.clip.position("l_wrist")) / solving.clip.skeleton.size
    inner = slice(6, 55)
    smooth = np.abs(np.diff(by[inner], 2, axis=0)).max()
    assert smooth < 2.0 * np.abs(np.diff(path[inner], 2, axis=0)).max()
    # The given tasks are not written to.
    assert np.linalg.norm(path, axis=1).max() == pytest.approx(2.0, abs=1e-9)


def test_more_important_targets_hold_and_the_others_are_relaxed() -> None:
    """The hand pulls at the trunk, which has to stay."""
    clip = standing_human(61, fps=FPS)
    spine = ["vl5", "vt6", "vt1"]
    chest = displaced(clip, "vt1", (0.0, 0.0, 0.0), 0, 0, 60, 60, priority=3, recruit=spine)
    solving = reaching((0.0, 0.1, 1.5), chest, recruit=[*ARM, "l_sternoclavicular", *spine])
    tasks, draft, was_missed = relaxed(solving)
    assert was_missed
    np.testing.assert_array_equal(tasks.targets[1], solving.tasks.targets[1])
    assert missed(solving, tasks, draft, 1).max() < Tolerances().reachable
    assert missed(solving, solving.tasks, draft, 0).max() > 0.1
    assert np.abs(tasks.targets[0] - solving.tasks.targets[0]).max() > 0.1 * clip.skeleton.size


def test_with_the_order_reversed_the_other_one_is_relaxed() -> None:
    clip = standing_human(61, fps=FPS)
    spine = ["vl5", "vt6", "vt1"]
    chest = displaced(clip, "vt1", (0.0, 0.0, 0.0), 0, 0, 60, 60, priority=0, recruit=spine)
    solving = reaching((0.0, 0.0, 0.75), chest, recruit=[*ARM, *spine])
    tasks, draft, _ = relaxed(solving)
    hand_moved, chest_moved = (
        np.linalg.norm(relaxed_to - asked, axis=1).max() / clip.skeleton.size
        for relaxed_to, asked in zip(tasks.targets, solving.tasks.targets, strict=True)
    )
    assert chest_moved > 0.1 and hand_moved < 0.05 * chest_moved
    assert missed(solving, solving.tasks, draft, 0).max() < 0.05 * missed(solving, solving.tasks, draft, 1).max()


def test_joints_that_are_not_recruited_stay() -> None:
    solving = reaching((0.0, 0.0, 2.0))
    _, draft, _ = relaxed(solving)
    owners = draft.columns.dofs.owners
    recruited = [solving.clip.skeleton.index(name) for name in ARM]
    assert not draft.values[:, ~np.isin(owners, recruited)].any()
    assert np.abs(draft.values[:, np.isin(owners, recruited)]).max() > 0.1


def test_progress_is_that_of_conflicts() -> None:
    solving = reaching((0.0, 0.0, 2.0))
    steps = list(
        relax_unreachable_targets(solving.tasks, solving.tasks, solving.work, solving.draft, Tolerances().close)
    )
    assert steps and {step.stage for step in steps} == {Stage.CONFLICTS}

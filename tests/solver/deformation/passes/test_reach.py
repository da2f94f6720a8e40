# SPDX-License-Identifier: GPL-3.0-or-later
"""Reach: targets that cannot be met are relaxed to where they can be, and all others stay as they are."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion
from poise.solver.constraints import Constraint, ConstraintPoint, OrientationConstraint
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.progress import Stage, finished
from poise.solver.deformation.frame_tasks import FrameTasks
from poise.solver.deformation.passes.boundaries import blend_boundaries
from poise.solver.deformation.passes.draft import solve_draft
from poise.solver.deformation.passes.reach import (
    LEAST_RELAXATION,
    Relaxation,
    find_relaxation,
    followed_relaxation,
    missed_knots,
    no_relaxation,
    relaxed,
    spread_knots,
    with_blended_transits,
)
from poise.solver.deformation.settings import Tolerances

from ...standing import displaced, frame_tasks_of, standing_human
from ..drafts import Drafting, drafting

FPS = 60.0
ARM = ["l_shoulder", "l_elbow"]
SPINE = ["vl5", "vt6", "vt1"]


def reaching(by: tuple[float, float, float], *more: Constraint, recruit: list[str] | None = None) -> Drafting:
    """A standing human whose left hand is moved by some sizes, held in the frames 20 to 40, by its arm alone."""
    clip = standing_human(61, fps=FPS)
    hand = displaced(clip, "l_wrist", by, 5, 20, 40, 55, recruit=ARM if recruit is None else recruit, priority=1)
    return drafting(clip, [hand, *more])


def chest(priority: int) -> Constraint:
    """The chest stays where it is."""
    return displaced(standing_human(61), "vt1", (0.0, 0.0, 0.0), 0, 0, 60, 60, priority=priority, recruit=SPINE)


def at_knots(solving: Drafting, tasks: FrameTasks, channel: int = 0) -> Array:
    """(knots,) the residuals of a channel to the targets of some tasks at the knots of a draft, in sizes."""
    knots, columns = solving.draft.knots.frames, solving.draft.columns
    motion = columns.displaced(
        solving.clip.motion.at(knots), solving.draft.axes.in_parents(solving.draft.values, solving.draft.knots.frames)
    )
    world = WorldState.of(solving.clip.skeleton, motion)
    return tasks.residuals(channel, world, knots) * tasks.timeline.channels[channel].active[knots]


def relax(solving: Drafting) -> tuple[Drafting, Relaxation, FrameTasks]:
    """The deformation with its draft of relaxed targets, by how much these are relaxed, and the tasks with them."""
    chosen = spread_knots(solving.tasks, solving.draft.knots)
    relaxation, draft = finished(find_relaxation(solving.tasks, solving.work, solving.draft, chosen))
    tasks = relaxed(solving.tasks, relaxation, solving.draft.knots.frames)
    solved = finished(solve_draft(tasks, solving.work, solving.metric, draft, Stage.COARSE))
    return solving.with_draft(solved), relaxation, tasks


def test_knots_are_missed_where_a_draft_is_farther_from_a_target_than_a_tolerance() -> None:
    near, far = (reaching((0.0, up, 0.08), recruit=[*ARM, *SPINE]) for up in (0.06, 1.5))
    assert not missed_knots(near.solved().draft, Tolerances().close).size
    missed = far.solved().draft
    assert missed.misses is not None
    knots = missed_knots(missed, Tolerances().close)
    residuals = far.residuals(missed.knots.frames).max(axis=1)
    assert knots.size and (residuals[knots] > Tolerances().close).all() and not missed.knots.fixed[knots].any()
    np.testing.assert_allclose(missed.misses, residuals, atol=1e-9)
    everywhere = np.ones((61, 1), dtype=bool)
    tasks = FrameTasks(far.tasks.timeline, far.tasks.targets, far.tasks.movable, everywhere)
    soft = finished(solve_draft(tasks, far.work, far.metric, far.draft, Stage.COARSE))
    assert not missed_knots(soft, Tolerances().close).size


def test_a_relaxed_effector_follows_what_its_target_moves_across() -> None:
    before, across_, outward = (reaching((0.0, 1.5, by), recruit=ARM) for by in (0.0, 0.01, 0.0))
    given = np.zeros((61, 3))
    given[20:40, 1] = 0.5 * before.clip.skeleton.size
    (found,) = followed_relaxation(before.tasks, across_.tasks, [given])
    assert found is not None
    move = across_.tasks.targets[0] - before.tasks.targets[0]
    # Half a size out of reach, a third of the way is left to the target.
    np.testing.assert_allclose(found[20:40] - given[20:40], move[20:40] / 3.0, atol=1e-9)
    assert not found[:20].any() and not found[40:].any()
    (same,) = followed_relaxation(before.tasks, outward.tasks, [given])
    np.testing.assert_allclose(same, given, atol=1e-12)
    assert followed_relaxation(before.tasks, across_.tasks, [None]) == [None]


def test_a_target_that_is_dragged_toward_the_body_is_less_relaxed_but_stays_so() -> None:
    before, nearer, near = (reaching((0.0, up, 0.0), recruit=ARM) for up in (1.5, 1.4, 0.5))
    given, size = np.zeros((61, 3)), before.clip.skeleton.size
    given[25:36, 1] = 0.5 * size
    for after, left in ((nearer, 0.4), (near, LEAST_RELAXATION * 0.5)):
        (found,) = followed_relaxation(before.tasks, after.tasks, [given])
        assert found is not None
        np.testing.assert_allclose(found[25:36, 1], left * size, rtol=1e-6)


def test_knots_to_judge_are_spread_over_the_active_frames_and_include_events() -> None:
    clip = standing_human(121, fps=FPS)
    times = ((6, 16, 40, 50), (75, 85, 100, 110))
    hands = [displaced(clip, "l_wrist", (0.0, 0.1, 0.0), *each) for each in times]
    solving = drafting(clip, [*hands], knots_at_events=True)
    knots = solving.draft.knots
    chosen = spread_knots(solving.tasks, knots)
    frames = knots.frames[chosen]
    assert not knots.fixed[chosen].any() and solving.tasks.timeline.active[frames].all()
    assert np.diff(frames).max() <= 25 and {6, 50, 75, 110} <= set(frames.tolist())
    assert len(chosen) < 0.7 * (~knots.fixed).sum()


def test_targets_that_are_met_are_not_relaxed() -> None:
    solving, relaxation, tasks = relax(reaching((0.0, 0.02, 0.02), chest(3)))
    assert relaxation == no_relaxation(solving.tasks) == [None, None]
    assert not tasks.relaxed.any()
    for after, before in zip(tasks.targets, solving.tasks.targets, strict=True):
        np.testing.assert_array_equal(after, before)


def test_a_target_that_the_source_misses_is_not_relaxed_where_it_can_be_met() -> None:
    solving, relaxation, _ = relax(reaching((0.0, 0.06, 0.08), recruit=[*ARM, *SPINE]))
    assert relaxation == [None]
    assert at_knots(solving, solving.tasks).max() < Tolerances().close


def test_judging_yields_steps() -> None:
    solving = reaching((0.0, 0.0, 2.0))
    chosen = spread_knots(solving.tasks, solving.draft.knots)
    steps = list(find_relaxation(solving.tasks, solving.work, solving.draft, chosen))
    assert steps and all(step.stage is Stage.CONFLICTS for step in steps)


def test_a_half_turn_goes_one_way_at_all_knots() -> None:
    """The chest turns by half a turn about the vertical while it trembles, so that the shorter way differs."""
    clip = standing_human(61, fps=FPS)
    trembling = clip.motion.rotations.copy()
    chest_joint = clip.skeleton.index("vt1")
    angles = 0.1 * np.sin(0.7 * np.arange(61))
    trembling[:, 0] = rotations.multiply(rotations.from_axis_angle((0.0, 1.0, 0.0), angles), trembling[:, 0])
    clip = clip.with_motion(Motion(trembling, clip.motion.translations))
    goal = rotations.multiply(rotations.from_axis_angle((0.0, 1.0, 0.0), np.pi), clip.orientation("vt1")[30])
    turn = OrientationConstraint("vt1", 5, 55, [ConstraintPoint(goal, 20, 40)], mode="condensed")
    solving, _, _ = relax(drafting(clip, [turn]))
    held = np.arange(20, 41)
    displaced_by = solving.draft.columns.displaced(clip.motion.at(held), solving.draft.at(held))
    world = WorldState.of(clip.skeleton, displaced_by)
    assert rotations.angle_between(world.rotations[:, chest_joint], np.tile(goal, (21, 1))).max() < 0.1


def test_an_unreachable_target_is_relaxed_to_where_it_can_be_met() -> None:
    """On the line to the shoulder, at the arm's length."""
    solving, _, tasks = relax(reaching((0.0, 0.0, 2.0)))
    clip, size = solving.clip, solving.clip.skeleton.size
    shoulder, elbow, wrist = (clip.position(name)[0] for name in ("l_shoulder", "l_elbow", "l_wrist"))
    longest = np.linalg.norm(elbow - shoulder) + np.linalg.norm(wrist - elbow)
    held = slice(25, 36)
    away, asked = (each[0][held] - shoulder for each in (tasks.targets, solving.tasks.targets))
    lengths = np.linalg.norm(away, axis=1)
    assert (lengths < longest + 1e-3 * size).all() and (lengths > longest - 0.02 * size).all()
    cosines = (away * asked).sum(axis=1) / lengths / np.linalg.norm(asked, axis=1)
    assert (cosines > np.cos(0.1)).all(), "it points elsewhere"
    assert at_knots(solving, solving.tasks).max() > 0.5
    knots = solving.draft.knots.frames
    assert tasks.relaxed[held, 0].all() and at_knots(solving, tasks)[(knots >= 25) & (knots <= 35)].max() < 0.03
    np.testing.assert_allclose(solving.tasks.targets[0][held, 2] - clip.position("l_wrist")[held, 2], 2.0 * size)


def test_targets_are_relaxed_smoothly_and_only_while_they_are_active() -> None:
    solving, (given,), tasks = relax(reaching((0.0, 0.0, 2.0)))
    size = solving.clip.skeleton.size
    assert given is not None
    active = tasks.timeline.channels[0].active
    assert not given[~active].any() and np.linalg.norm(given, axis=1).max() > 0.5 * size
    np.testing.assert_allclose(solving.tasks.targets[0] - tasks.targets[0], given, atol=1e-9)
    # As smooth as the path itself, which goes 2 sizes far and back within 15 frames.
    path = solving.tasks.targets[0] - solving.clip.position("l_wrist")
    inner = slice(6, 55)
    bends = [np.abs(np.diff(each[inner], 2, axis=0)).max() for each in (given, path)]
    assert bends[0] < 2.0 * bends[1]


@pytest.mark.parametrize("priority", [3, 0])
def test_the_less_important_of_two_is_relaxed(priority: int) -> None:
    """The hand, of priority 1, pulls at the trunk, which has to stay."""
    solving, (hand, trunk), _ = relax(reaching((0.0, 0.0, 0.75), chest(priority), recruit=[*ARM, *SPINE]))
    size = solving.clip.skeleton.size
    lengths = [0.0 if given is None else np.linalg.norm(given, axis=1).max() / size for given in (hand, trunk)]
    weaker, stronger = (lengths[0], lengths[1]) if priority == 3 else (lengths[1], lengths[0])
    assert weaker > 0.05 and stronger < 0.05 * weaker
    missed = [at_knots(solving, solving.tasks, channel).max() for channel in (0, 1)]
    assert (missed[0] > missed[1]) == (priority == 3)


def test_one_constraint_is_not_relaxed_for_another_on_the_same_effector() -> None:
    """The first is in reach and comes right before the second, which is not."""
    clip = standing_human(121, fps=FPS)
    near = displaced(clip, "l_wrist", (0.0, 0.02, 0.0), 2, 6, 20, 30, recruit=ARM, priority=2)
    far = displaced(clip, "l_wrist", (0.0, 0.0, 0.6), 31, 60, 90, 115, recruit=ARM, priority=1)
    solving, (given,), tasks = relax(drafting(clip, [near, far], knots_at_events=True))
    owner = solving.tasks.timeline.channels[0].owner
    assert given is not None and given[owner == 1].any()
    assert not given[owner == 0].any() and not tasks.relaxed[owner == 0].any()


def test_joints_that_are_not_recruited_stay() -> None:
    solving, _, _ = relax(reaching((0.0, 0.0, 2.0)))
    owners, values = solving.draft.columns.dofs.owners, solving.draft.values
    recruited = np.isin(owners, [solving.clip.skeleton.index(name) for name in ARM])
    assert not values[:, ~recruited].any()
    assert np.abs(values[:, recruited]).max() > 0.1


def test_a_blended_transit_is_where_the_result_has_it_and_all_else_is_as_asked() -> None:
    """Two hands, one of which begins and ends away from the source, because the body was moved."""
    clip = standing_human(61, fps=FPS)
    hands = [displaced(clip, f"{side}_wrist", (0.0, 0.1, 0.0), 5, 20, 40, 55) for side in "lr"]
    compiled = frame_tasks_of(clip, [*hands])
    shift = 0.1 * clip.skeleton.size
    moved = clip.motion.translations.copy()
    moved[:, 0, 2] += shift
    world = WorldState.of(clip.skeleton, Motion(clip.motion.rotations, moved))
    blended = blend_boundaries(compiled, world.at)
    displacements = [blended.timeline.channels[0].displacement, compiled.timeline.channels[1].displacement]
    wanted = FrameTasks(compiled.timeline.with_displacements(displacements), None, compiled.movable)
    found = with_blended_transits(wanted, compiled.timeline, world)
    inside = [*range(5, 20), *range(41, 56)]
    assert (displacements[0] != compiled.timeline.channels[0].displacement)[inside].any(axis=1).all()
    np.testing.assert_array_equal(found.targets[0][inside], world.positions[inside, clip.skeleton.index("l_wrist")])
    others = np.setdiff1d(np.arange(61), inside)
    np.testing.assert_array_equal(found.targets[0][others], wanted.targets[0][others])
    np.testing.assert_array_equal(found.targets[1], wanted.targets[1])
    assert found.movable is wanted.movable and found.timeline is wanted.timeline
    np.testing.assert_array_equal(found.targets[0][20:41], np.tile(hands[0].points[0].location, (21, 1)))

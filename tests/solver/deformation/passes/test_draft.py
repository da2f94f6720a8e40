# SPDX-License-Identifier: GPL-3.0-or-later
"""The draft: its knots, what lies between them, and the smoothest displacement that meets the targets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.kinematics import WorldState
from poise.solver.constraints import Balance, Constraint, Footplant
from poise.solver.core.arrays import Array, BoolArray, IntArray
from poise.solver.core.progress import Stage, finished
from poise.solver.deformation.columns import Columns
from poise.solver.deformation.frame_tasks import FrameTasks
from poise.solver.deformation.passes.draft import (
    BODY_SHARE,
    KNOT_RATE,
    Draft,
    Knots,
    body_shares,
    followed_draft,
    refreshed_draft,
    solve_draft,
    transition_times,
)
from poise.solver.deformation.settings import Tolerances
from poise.solver.synthetic import human, walk

from ...made_up import moving_human, plant_of
from ...standing import displaced, standing_human
from ..drafts import Drafting, draft_of, drafting

FPS = 60.0
STRIDE = round(FPS / KNOT_RATE)


# Knots ---------------------------------------------------------------------------------------------------------------


def spans(frames: int, *of_columns: list[tuple[int, int]]) -> BoolArray:
    """(frames, columns) where each column is movable, from lists of first and last frames."""
    movable = np.zeros((frames, len(of_columns)), dtype=bool)
    for column, own in enumerate(of_columns):
        for first, last in own:
            movable[first : last + 1, column] = True
    return movable


def everywhere(frames: int) -> BoolArray:
    return np.ones(frames, dtype=bool)


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
def test_knots_are_spread_evenly_over_a_clip(fps: float) -> None:
    frames = 151
    knots = Knots.of(spans(frames, [(0, frames - 1)]), everywhere(frames), fps)
    assert (knots.frames[0], knots.frames[-1]) == (0, frames - 1)
    gaps = np.diff(knots.frames)
    assert (gaps >= 1).all() and np.ptp(gaps) <= 1
    assert gaps.mean() == pytest.approx(max(1.0, fps / KNOT_RATE), rel=0.4)
    assert not knots.fixed.any() and not len(knots.ends)
    np.testing.assert_array_equal(knots.links, np.arange(1, len(knots.frames) - 1))


def test_a_run_inside_the_clip_has_fixed_knots_right_outside() -> None:
    knots = Knots.of(spans(200, [(20, 60), (100, 130)]), everywhere(200), FPS)
    assert knots.frames[knots.fixed].tolist() == [19, 61, 99, 131]
    assert knots.frames[knots.ends[:, 0]].tolist() == [19, 61, 99, 131]
    for end, neighbour in knots.ends:
        assert abs(end - neighbour) == 1 and not knots.fixed[neighbour]
    # No link has neighbours in both runs.
    linked = np.stack([knots.frames[knots.links - 1], knots.frames[knots.links + 1]], axis=1)
    assert not ((linked[:, 0] <= 61) & (linked[:, 1] >= 99)).any()
    assert len(knots.links) == len(knots.frames) - 4


def test_a_run_at_an_end_of_the_clip_is_free_there() -> None:
    knots = Knots.of(spans(80, [(0, 30)]), everywhere(80), FPS)
    assert knots.frames[0] == 0 and knots.frames[knots.fixed].tolist() == [31]


@pytest.mark.parametrize(("first", "last", "frames"), [(0, 0, 1), (0, 0, 5), (3, 3, 9), (3, 4, 9), (8, 8, 9)])
def test_short_runs_have_a_free_knot(first: int, last: int, frames: int) -> None:
    knots = Knots.of(spans(frames, [(first, last)]), everywhere(frames), FPS)
    free = knots.frames[~knots.fixed]
    assert free.size and ((free >= first) & (free <= last)).all()
    assert (np.diff(knots.frames) > 0).all()


def test_there_are_no_knots_where_nothing_moves() -> None:
    assert not len(Knots.of(spans(50, []), everywhere(50), FPS).frames)


def test_a_column_that_moves_for_some_time_has_knots_right_outside() -> None:
    """So it arrives at the source there, while other columns go on."""
    movable = spans(200, [(10, 180)], [(50, 90)], [(90, 140)])
    knots = Knots.of(movable, everywhere(200), FPS)
    assert {9, 49, 89, 91, 141, 181} <= set(knots.frames.tolist())
    assert (np.diff(knots.frames) > 0).all() and knots.frames[knots.fixed].tolist() == [9, 181]


def test_knots_beside_the_changed_frames_are_fixed() -> None:
    movable, changed = spans(400, [(0, 399)]), np.zeros(400, dtype=bool)
    changed[150:250] = True
    knots = Knots.of(movable, changed, FPS)
    whole = Knots.of(movable, everywhere(400), FPS)
    assert set(knots.frames.tolist()) <= set(whole.frames.tolist())
    np.testing.assert_array_equal(knots.fixed, ~changed[knots.frames])
    assert knots.fixed.tolist() == [True, True, *[False] * (len(knots.frames) - 4), True, True]
    # Every free knot has the links of the whole around it.
    linked = {tuple(whole.frames[link - 1 : link + 2].tolist()) for link in whole.links}
    here = {tuple(knots.frames[link - 1 : link + 2].tolist()) for link in knots.links}
    assert here == {each for each in linked if changed[list(each)].any()}


def test_second_derivatives_of_parabolas_are_exact(rng: np.random.Generator) -> None:
    frames = np.unique(rng.integers(0, 300, 25))
    count = len(frames)
    knots = Knots(frames, np.zeros(count, dtype=bool), np.arange(1, count - 1), np.zeros((0, 2), dtype=np.int64))
    before, here, after = knots.differences()
    values = 3.0 - 0.2 * frames + 0.7 * frames**2
    links = knots.links
    found = before * values[links - 1] + here * values[links] + after * values[links + 1]
    np.testing.assert_allclose(found, 1.4, rtol=1e-9)


# Between the knots ---------------------------------------------------------------------------------------------------


def some_draft(rng: np.random.Generator, movable: Any = None, frames: int = 121) -> Draft:
    skeleton = human("y")
    columns = Columns(skeleton, skeleton.mask([skeleton.index("l_elbow")]))
    movable = np.ones((frames, columns.count), dtype=bool) if movable is None else movable
    knots = Knots.of(movable, everywhere(frames), FPS)
    values = rng.standard_normal((len(knots.frames), columns.count)) * movable[knots.frames]
    metrics = rng.standard_normal((len(knots.frames), columns.count, columns.count))
    return draft_of(standing_human(frames), knots, columns, movable, values, metrics)


def test_a_draft_passes_through_its_knots(rng: np.random.Generator) -> None:
    draft = some_draft(rng)
    np.testing.assert_allclose(
        draft.at(draft.knots.frames), draft.axes.in_parents(draft.values, draft.knots.frames), atol=1e-12
    )
    steps = np.abs(np.diff(draft.at(np.arange(121)), axis=0))
    assert steps.max() < np.abs(np.diff(draft.values, axis=0)).max()


def test_straight_lines_are_kept_between_inner_knots(rng: np.random.Generator) -> None:
    draft = some_draft(rng)
    slopes, start = rng.standard_normal((2, draft.columns.count))
    values = start + draft.knots.frames[:, None] * slopes
    straight = draft_of(standing_human(121), draft.knots, draft.columns, draft.movable, values, draft.metrics)
    inner = np.arange(draft.knots.frames[1], draft.knots.frames[-2] + 1)
    np.testing.assert_allclose(straight.at(inner), start + inner[:, None] * slopes, atol=1e-9)


def test_columns_that_may_not_move_do_not(rng: np.random.Generator) -> None:
    movable = spans(121, [(0, 120)], [(30, 60)], [(50, 90)])
    draft = some_draft(rng, movable)
    found = draft.at(np.arange(121))
    assert not found[~movable].any()
    # They come from the source and go back to it without a jump.
    steps = np.abs(np.diff(found, axis=0))
    for column, first, last in ((1, 30, 60), (2, 50, 90)):
        inside = np.abs(np.diff(draft.values[:, column])).max()
        assert max(steps[first - 1, column], steps[last, column]) < 0.8 * inside


def test_columns_begin_to_move_from_rest(rng: np.random.Generator) -> None:
    """At the last knot at which they may not: while others move, and at a fine frame rate."""
    columns = some_draft(rng).columns
    movable = spans(481, [(0, 480)], [(120, 360)], [(0, 480)])
    knots = Knots.of(movable, everywhere(481), 4.0 * FPS)
    draft = draft_of(standing_human(481), knots, columns, movable, movable[knots.frames].astype(np.float64))
    found = draft.at(np.arange(481))[:, 1]
    first = int(np.searchsorted(knots.frames, 119))
    even = 1.0 / (knots.frames[first + 1] - 119)
    assert knots.frames[first] == 119 and even < 0.2
    assert 0.0 < found[120] < 0.4 * even and 0.0 < found[360] < 0.4 * even


def test_one_knot_is_a_constant(rng: np.random.Generator) -> None:
    draft = some_draft(rng, frames=1)
    assert len(draft.knots.frames) == 1
    np.testing.assert_allclose(
        draft.at(np.array([0])), draft.axes.in_parents(draft.values, draft.knots.frames), atol=1e-15
    )


def test_frames_are_between_two_knots(rng: np.random.Generator) -> None:
    draft = some_draft(rng)
    frames = np.arange(-1, 122)
    before, after, share = draft.between(frames)
    knots = draft.knots.frames
    assert (after == before + 1).all() and share.min() == 0.0 and share.max() == 1.0
    places = (1.0 - share[:, 0]) * knots[before] + share[:, 0] * knots[after]
    np.testing.assert_allclose(places, np.clip(frames, 0, 120), atol=1e-12)
    one = some_draft(rng, frames=1)
    before, after, share = one.between(np.array([0, 5]))
    assert not before.any() and not after.any() and share.shape == (2, 1)


# Solving -------------------------------------------------------------------------------------------------------------


def at_knots(solving: Drafting, draft: Draft) -> Array:
    """(knots, channels) the residuals of a draft at its knots."""
    knots = draft.knots.frames
    motion = draft.columns.displaced(
        solving.clip.motion.at(knots), draft.axes.in_parents(draft.values, draft.knots.frames)
    )
    return solving.residuals(knots, WorldState.of(solving.clip.skeleton, motion))


def shifted_walk(shift: tuple[float, float, float], **rest: Any) -> tuple[Clip, list[Constraint]]:
    """A made-up walk and its plants, moved by some sizes of the character."""
    made = walk(steps=4, fps=FPS, **rest)
    by = np.multiply(shift, made.clip.skeleton.size)
    return made.clip, [plant_of(contact, priority=2).moved(by) for contact in made.contacts]


def test_a_draft_without_displaced_targets_is_zero(rng: np.random.Generator) -> None:
    clip = moving_human(rng, 61, fps=FPS)
    hand = displaced(clip, "l_wrist", (0.0, 0.0, 0.0), 10, 25, 35, 50)
    solved = drafting(clip, [hand]).solved()
    assert np.abs(solved.draft.values).max() < 1e-12
    np.testing.assert_allclose(solved.work.motion.rotations, clip.motion.rotations, atol=1e-12)


@pytest.mark.parametrize("shift", [(0.05, 0.0, 0.05), (0.2, 0.0, 0.0), (0.0, 0.2, 0.0)])
def test_the_targets_are_met_at_the_knots(shift: tuple[float, float, float]) -> None:
    clip, plants = shifted_walk(shift, skate=0.01)
    solving = drafting(clip, [*plants, Balance(priority=1)])
    before = at_knots(solving, solving.draft)
    draft = finished(solve_draft(solving.tasks, solving.work, solving.metric, solving.draft, Stage.COARSE))
    assert before.max() > 0.9 * np.linalg.norm(shift)
    assert at_knots(solving, draft).max() < 0.1 * Tolerances().close
    assert draft.metrics.shape == (len(draft.knots.frames), draft.columns.count, draft.columns.count)


def test_fixed_knots_and_joints_that_may_not_move_stay_as_they_are(rng: np.random.Generator) -> None:
    clip = moving_human(rng, 121, fps=FPS)
    constraints: list[Constraint] = [
        displaced(clip, "l_wrist", (0.0, 0.03, 0.03), 20, 40, 50, 70, recruit=3),
        displaced(clip, "r_wrist", (0.0, 0.05, 0.0), 50, 60, 70, 90, recruit=["r_elbow", "r_shoulder"]),
    ]
    solved = drafting(clip, constraints).solved()
    draft = solved.draft
    assert draft.knots.fixed.any()
    assert not draft.values[draft.knots.fixed].any()
    assert not draft.values[~draft.movable[draft.knots.frames]].any()
    may_move = solved.tasks.movable
    assert may_move.any() and not may_move[solved.frames].all()
    np.testing.assert_array_equal(solved.work.motion.rotations[~may_move], clip.motion.rotations[~may_move])
    assert at_knots(solved, draft).max() < 0.1 * Tolerances().close


def test_a_joint_does_not_move_for_a_task_that_does_not_recruit_it(rng: np.random.Generator) -> None:
    """The shoulder may move for the elbow, which is where it should be, but not for the hand."""
    clip = standing_human(61, fps=FPS)
    constraints: list[Constraint] = [
        displaced(clip, "l_wrist", (0.0, 0.05, 0.1), 10, 25, 35, 50, recruit=["l_elbow"]),
        displaced(clip, "l_elbow", (0.0, 0.0, 0.0), 10, 25, 35, 50, recruit=["l_shoulder"]),
    ]
    draft = drafting(clip, constraints).solved().draft
    of_elbow = draft.columns.dofs.owners == clip.skeleton.index("l_elbow")
    assert np.abs(draft.values[:, of_elbow]).max() > 0.1
    assert np.abs(draft.values[:, ~of_elbow]).max() < 1e-9


def test_plants_that_rise_lift_the_whole_body() -> None:
    clip, plants = shifted_walk((0.0, 0.3, 0.0))
    solved = drafting(clip, [*plants, Balance(priority=1)]).solved()
    risen = (solved.world().positions - clip.world.positions)[:, :, 1].mean(axis=0) / clip.skeleton.size
    hips, head = risen[0], risen[clip.skeleton.index("skullbase")]
    assert hips == pytest.approx(0.3, rel=0.01)
    assert head == pytest.approx(hips, rel=0.1)


def test_feet_that_only_have_to_stop_sliding_are_corrected_by_their_legs() -> None:
    """The hips stay: they move by far less than the feet."""
    clip, plants = shifted_walk((0.0, 0.0, 0.0), skate=0.02, seed=3)
    solved = drafting(clip, plants).solved()
    frames = np.arange(clip.frames)
    slides = solved.residuals(frames, clip.world).max()
    assert slides > 0.02 and not solved.projected().size
    hips = clip.skeleton.landmarks.hips
    moved = np.linalg.norm(solved.world().positions - clip.world.positions, axis=2)[:, hips] / clip.skeleton.size
    assert moved.max() < 0.2 * slides


def test_translations_of_the_body_count_more_where_targets_are_near() -> None:
    clip, plants = shifted_walk((0.0, 0.0, 0.0))
    columns = drafting(clip, plants).draft.columns
    farthest = np.repeat([[0.0], [0.5], [1.0], [3.0]], columns.count, axis=1)
    shares = body_shares(farthest, columns)
    own = shares[:, columns.dofs.translation_columns]
    assert (own[0] == BODY_SHARE).all() and (own[1] < BODY_SHARE).all() and (own[1] > 1.0).all()
    assert (own[2:] == 1.0).all() and (np.delete(shares, np.arange(own.shape[1]), axis=1) == 1.0).all()


def test_a_draft_is_smooth_where_a_target_begins_and_ends() -> None:
    """A foot that stands 0.1 sizes aside: the displacement's accelerations are those of a slow transition, though the
    plant begins and ends from one frame to the next."""
    clip, plants = shifted_walk((0.1, 0.0, 0.0))
    solved = drafting(clip, plants).solved()
    moved = (solved.world().positions - clip.world.positions) / clip.skeleton.size
    accelerations = np.linalg.norm(np.diff(moved, 2, axis=0), axis=2) * FPS**2
    assert moved.max() > 0.09
    # Within a tenth of a second and back, 0.1 sizes would take 40 sizes per second squared.
    assert accelerations.max() < 0.25 * 40.0


def test_a_displacement_appears_from_rest_where_nothing_is_constrained() -> None:
    """On its way to a plant a foot is free. Its displacement begins at the source, and with no velocity: over the first
    two of even steps it grows about fourfold, not twofold."""
    clip = standing_human(121, fps=FPS)
    events = {"heel_strike": 55, "toe_strike": 55, "heel_off": 65, "toe_off": 65}
    plant = Footplant(foot="left", ease_in=40, ease_out=40, shift=(0.1, 0.0, 0.0), **events)
    solved = drafting(clip, [plant]).solved()
    begin, end = np.flatnonzero(solved.timeline.active)[[0, -1]]
    assert (begin, end) == (15, 105)
    ball = clip.skeleton.landmarks.require("left_ball")
    moved = np.linalg.norm(solved.work.clip().position(ball) - clip.position(ball), axis=1)
    assert moved[60] == pytest.approx(0.1, rel=0.01)
    for edge, inward in ((begin - 1, 1), (end + 1, -1)):
        near, far = moved[edge + 4 * inward], moved[edge + 8 * inward]
        assert moved[edge] == 0.0 and far > 1e-4 and near < 0.36 * far


def test_larger_displacements_take_longer() -> None:
    times = transition_times(np.array([0.0, 1e-4, 0.02, 0.05, 0.08, 1.0, 100.0]))
    assert (np.diff(times) >= 0.0).all() and times[1] == times[0] > 0.0 and times[-1] == times[-2]
    assert transition_times(np.array(0.08)) == pytest.approx(2.0 * transition_times(np.array(0.02)), rel=1e-9)


def solved_frames(solving: Drafting) -> IntArray:
    return solving.draft.knots.frames[~solving.draft.knots.fixed]


def test_solving_the_changed_frames_again_agrees_with_solving_all() -> None:
    """One plant is moved; far from it the draft is as it was, and near it as if all had been solved."""
    made = walk(steps=10, fps=FPS)
    clip, size = made.clip, made.clip.skeleton.size
    plants: list[Constraint] = [plant_of(contact).moved((0.02 * size, 0.0, 0.0)) for contact in made.contacts]
    first = drafting(clip, plants).solved()
    number = len(plants) // 2
    moved = plants[number].moved((0.03 * size, 0.0, 0.0))  # type: ignore[attr-defined]
    other = [*plants[:number], moved, *plants[number + 1 :]]
    whole = drafting(clip, other).solved()
    contact = made.contacts[number]
    changed = np.zeros(clip.frames, dtype=bool)
    around = round(1.2 * FPS)
    changed[max(contact.heel_strike - around, 0) : contact.toe_off + around] = True
    assert 0.1 < changed.mean() < 0.9
    again = drafting(clip, other, changed=changed, before=first.work)
    assert len(solved_frames(again)) < len(solved_frames(whole))
    draft = finished(solve_draft(again.tasks, again.work, again.metric, again.draft, Stage.COARSE))
    frames = np.flatnonzero(changed)
    displaced_motion = draft.columns.displaced(clip.motion.at(frames), draft.at(frames))
    found = WorldState.of(clip.skeleton, displaced_motion).positions
    expected = whole.world().positions[frames]
    before = first.world().positions[frames]
    assert np.abs(expected - before).max() > 0.02 * size
    assert np.abs(found - expected).max() < 2e-3 * size


def test_a_draft_with_other_knots_is_the_same_displacement() -> None:
    solving = reaching_draft()
    draft = solving.draft
    finer = drafting(solving.clip, list(solving.timeline.constraints), knots_at_events=True).draft.knots
    refined = draft.refined(finer)
    assert len(finer.frames) > len(draft.knots.frames)
    free = finer.frames[~finer.fixed]
    np.testing.assert_allclose(refined.at(free), draft.at(free), atol=1e-12)


def test_a_draft_through_knots_keeps_columns_that_may_not_move() -> None:
    solving = reaching_draft()
    draft = solving.draft
    movable = draft.movable.copy()
    movable[:, ::2] = False
    held = replace(draft, movable=movable)
    chosen = np.flatnonzero(~draft.knots.fixed)[::2]
    through = held.through(chosen, np.full((len(chosen), draft.columns.count), 0.3))
    np.testing.assert_array_equal(through.values[:, ::2], draft.values[:, ::2])
    assert (through.values[chosen][:, 1::2] != draft.values[chosen][:, 1::2]).any()


def reaching_draft() -> Drafting:
    """A standing human whose hand is moved a little, with its draft solved."""
    clip = standing_human(61, fps=60.0)
    return drafting(clip, [displaced(clip, "l_wrist", (0.0, 0.05, 0.05), 6, 20, 40, 53)]).solved()


# Targets that move a little ------------------------------------------------------------------------------------------


def reaching_up(up: float, **rest: Any) -> Drafting:
    clip = moving_human(np.random.default_rng(3), 91, fps=FPS)
    return drafting(clip, [displaced(clip, "l_wrist", (0.0, up, 0.05), 15, 40, 50, 75, recruit=4, **rest)])


def test_a_draft_follows_targets_that_move_a_little() -> None:
    first, moved = reaching_up(0.05).solved(), reaching_up(0.055)
    followed = followed_draft(moved.tasks, moved.work, moved.metric, first.draft)
    assert followed is not None
    anew = moved.solved().draft
    change = np.abs(anew.values - first.draft.values).max()
    assert change > 5e-3, "the targets must have moved"
    assert np.abs(anew.values - followed.values).max() < 0.4 * change


def test_a_draft_that_is_far_from_rest_follows_only_what_moves() -> None:
    relaxed = np.ones((91, 1), dtype=bool)
    far, moved = reaching_up(1.5), reaching_up(1.51)
    tasks, others = (FrameTasks(e.tasks.timeline, e.tasks.targets, e.tasks.movable, relaxed) for e in (far, moved))
    first = finished(solve_draft(tasks, far.work, far.metric, far.draft, Stage.COARSE, 1))
    stays = followed_draft(tasks, far.work, far.metric, first)
    assert stays is not None and np.abs(stays.values - first.values).max() < 1e-9, "no target has moved"
    follows = followed_draft(others, moved.work, moved.metric, first)
    assert follows is not None and 1e-4 < np.abs(follows.values - first.values).max() < 0.05


def test_a_factor_of_other_rows_is_not_used() -> None:
    first, moved = reaching_up(0.05).solved(), reaching_up(0.055)
    assert followed_draft(moved.tasks, moved.work, moved.metric, moved.draft) is None, "it has no factor"
    relaxed = np.zeros((91, 1), dtype=bool)
    relaxed[40:50] = True
    tasks = FrameTasks(moved.tasks.timeline, moved.tasks.targets, moved.tasks.movable, relaxed)
    assert followed_draft(tasks, moved.work, moved.metric, first.draft) is None, "its targets have other weights"


def test_a_draft_that_has_followed_far_gets_a_factor_of_its_own() -> None:
    first, near, far = reaching_up(0.05).solved(), reaching_up(0.051), reaching_up(0.15)
    for moved, is_new in ((near, False), (far, True)):
        followed = followed_draft(moved.tasks, moved.work, moved.metric, first.draft)
        assert followed is not None and followed.factor is not None and first.draft.factor is not None
        fresh = refreshed_draft(moved.tasks, moved.work, moved.metric, followed)
        assert fresh.factor is not None
        assert (fresh.factor.system is not first.draft.factor.system) == is_new
        np.testing.assert_array_equal(fresh.values, followed.values)
        stays = followed_draft(moved.tasks, moved.work, moved.metric, fresh)
        assert stays is not None and np.abs(stays.values - fresh.values).max() < 1e-9, "no target has moved since"

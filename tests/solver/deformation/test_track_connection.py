# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks of one effector, connected by priority, without jumps (Le Callennec 2006, algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from poise.solver.constraints import (
    ShapeConstraint,
    Source,
)
from poise.solver.constraints.paths import MODES, Mode
from poise.solver.core.arrays import Array
from poise.solver.deformation.continuation import ACCELERATION
from poise.solver.deformation.plant_transitions import transition_frames
from poise.solver.deformation.timeline import Timeline

from ..made_up import Way, point_clip, smooth_way, straight_way
from .time_lines import ALONG_X, SIZE, corner, finely, only, shape, steps, timeline_of

# --- figure 5.8: C1 is active from 30 to 60, C2 from 10 to 40 ------------------------------------------------------

FIRST = {"begin": 30, "end": 60, "point": ((45.0, 10.0, 0.0), 45)}
SECOND = {"begin": 10, "end": 40, "point": ((25.0, 6.0, 0.0), 25)}


def figure_5_8(first_priority: int, second_priority: int, fine: int = 1) -> tuple[Timeline, list[ShapeConstraint]]:
    constraints = [
        finely(shape(given["begin"], given["end"], given["point"], priority=priority), fine)  # type: ignore[arg-type]
        for given, priority in ((FIRST, first_priority), (SECOND, second_priority))
    ]
    places = ALONG_X(np.arange(80 * fine + 1) / fine)
    return Timeline.of(Source(point_clip(places, 30.0 * fine, SIZE)), constraints), constraints


def test_left_alone_the_two_of_the_figure_would_jump() -> None:
    """The example of the thesis: C2 ends on the source, where C1 has gone far away."""
    timeline, (first, _) = figure_5_8(1, 2)
    (track,) = first.tracks(timeline.source)
    assert np.linalg.norm(track.displacement[41 - 30]) > 5.0


@pytest.mark.parametrize(("first", "second"), [(1, 2), (1, 1), (2, 1)], ids=["lower", "equal", "higher"])
def test_the_jump_of_the_figure_is_gone(first: int, second: int) -> None:
    """Both are where they should be at 25 and 45, and between neither place nor velocity jumps."""
    channel, path = only(figure_5_8(first, second)[0])
    np.testing.assert_allclose(path[[25, 45]], [SECOND["point"][0], FIRST["point"][0]], atol=1e-12)  # type: ignore[index]
    assert np.flatnonzero(channel.active).tolist() == list(range(10, 61))
    assert np.flatnonzero(channel.in_hold).tolist() == [25, 45]
    # Each goes up at most 10 in 15 frames on its own; joined to the other within 5 frames, at most three times as fast.
    assert steps(path).max() < 1.0 + 3.0 * 10.0 / 15.0 * 1.5
    coarse, fine = (corner(only(figure_5_8(first, second, n)[0])[1], n) for n in (16, 64))
    assert fine < 0.35 * coarse, "the velocity jumps"


@pytest.mark.parametrize(("first", "second"), [(1, 2), (2, 1)])
def test_the_more_important_of_the_figure_keeps_its_way_to_the_last_bit(first: int, second: int) -> None:
    timeline, constraints = figure_5_8(first, second)
    channel, _ = only(timeline)
    stronger = 0 if first > second else 1
    (track,) = constraints[stronger].tracks(timeline.source)
    np.testing.assert_array_equal(channel.displacement[track.frames], track.displacement)
    assert (channel.owner[track.frames] == stronger).all()
    others = channel.active.copy()
    others[track.frames] = False
    assert (channel.owner[others] == 1 - stronger).all()
    # The other one meets it where it has rejoined the source.
    assert np.linalg.norm(channel.displacement[40 if stronger == 1 else 30]) < 1e-12


def test_equals_of_the_figure_meet_directly() -> None:
    """Neither goes back to the source first, and both keep what is on their own side."""
    timeline, constraints = figure_5_8(1, 1)
    channel, path = only(timeline)
    first, second = (constraint.tracks(timeline.source)[0] for constraint in constraints)
    np.testing.assert_array_equal(channel.displacement[10:26], second.displacement[: 26 - 10])
    np.testing.assert_array_equal(channel.displacement[45:61], first.displacement[45 - 30 :])
    assert (path[25:46, 1] >= 6.0 - 1e-12).all() and (path[25:46, 1] <= 10.0 + 1e-12).all()
    assert (channel.owner[10:35] == 1).all() and (channel.owner[36:61] == 0).all()


def test_the_order_in_which_constraints_are_given_does_not_matter() -> None:
    for priorities in ((1, 2), (1, 1), (2, 1)):
        timeline, constraints = figure_5_8(*priorities)
        swapped = Timeline.of(timeline.source, constraints[::-1])
        np.testing.assert_array_equal(only(swapped)[1], only(timeline)[1])


# --- any constraints on one effector -------------------------------------------------------------------------------


def random_constraint(
    rng: np.random.Generator, last: int, priority: int, modes: Sequence[Mode] = MODES
) -> ShapeConstraint:
    """With stays and points that it passes, in any of some modes, leaving itself the time to come and to go."""
    begin, end = np.sort(rng.choice(np.arange(2, last - 1), 2, replace=False))
    while end - begin < 24:
        begin, end = np.sort(rng.choice(np.arange(2, last - 1), 2, replace=False))
    count = int(rng.integers(1, 4))
    times = np.sort(rng.choice(np.arange(begin + 6, end - 5), 2 * count, replace=False)).reshape(count, 2)
    stays = rng.random(count) < 0.6
    points = [
        (3.0 * rng.standard_normal(3), float(at), float(to if stays_there else at))
        for (at, to), stays_there in zip(times, stays, strict=True)
    ]
    return shape(begin, end, *points, priority=priority, mode=modes[rng.integers(len(modes))])


def random_constraints(
    rng: np.random.Generator, last: int, priorities: tuple[int, ...], modes: Sequence[Mode] = MODES
) -> list[ShapeConstraint]:
    return [random_constraint(rng, last, priority, modes) for priority in priorities]


PRIORITIES = [(1, 2), (1, 1), (1, 2, 3), (1, 1, 1), (2, 1, 2), (1, 2, 1), (4, 1, 3, 1, 2), (1, 1, 1, 1, 1)]


@pytest.mark.parametrize("priorities", PRIORITIES)
def test_neither_place_nor_velocity_ever_jumps(priorities: tuple[int, ...], rng: np.random.Generator) -> None:
    """Seen in finer and finer frames: a smooth change of velocity fades, a jump does not."""
    for _ in range(6):
        way, constraints = smooth_way(rng), random_constraints(rng, 120, priorities)

        def path(fine: int, way: Way = way, constraints: list[ShapeConstraint] = constraints) -> Array:
            places = way(np.arange(120 * fine + 1) / fine)
            source = Source(point_clip(places, 30.0 * fine, SIZE))
            return only(Timeline.of(source, [finely(constraint, fine) for constraint in constraints]))[1]

        coarse, fine = corner(path(16), 16), corner(path(64), 64)
        assert fine < 0.35 * coarse, f"the velocity jumps by {fine:g}: {constraints}"


@pytest.mark.parametrize(("modes", "share"), [(MODES, 0.5), (["relative"], 1.0)], ids=["any mode", "relative"])
@pytest.mark.parametrize("fps", [24.0, 25.0, 29.97, 30.0, 50.0, 60.0, 101.3, 120.0])
def test_between_two_constraints_nothing_is_faster_than_it_must_be(
    fps: float, modes: Sequence[Mode], share: float, rng: np.random.Generator
) -> None:
    """A frame is as a constraint wants it, or on a bridge between two that are. On it a target moves at most 15/8 times
    as fast as it must on the average, besides the velocities that are handed over. And there is the least time for it,
    unless both are passed in a moment, which cannot be shortened. Where displacements change while a target is held,
    the way becomes longer as holds are shortened, and at least half of the time for it is left."""
    for priorities in PRIORITIES:
        last = int(4.0 * fps)
        timeline = timeline_of(random_constraints(rng, last, priorities, modes), smooth_way(rng), last, fps)
        channel, _ = only(timeline)
        as_wanted = ~channel.active
        for number, track in enumerate(channel.tracks):
            same = (channel.displacement[track.frames] == track.displacement).all(axis=1)
            as_wanted[track.frames] |= same & (channel.owner[track.frames] == number)
        own = max(steps(track.displacement).max() for track in channel.tracks)
        moved = steps(channel.displacement)
        for first, second in pairwise(np.flatnonzero(as_wanted)):
            if channel.owner[first] == channel.owner[second] and second == first + 1:
                assert moved[first] <= own
                continue
            way = np.linalg.norm(channel.displacement[second] - channel.displacement[first])
            assert moved[first:second].max() <= 15.0 / 8.0 * way / (second - first) + 2.0 * own
            if second - first < share * transition_frames(float(way) / SIZE, fps) and way > 1e-9:
                for frame, beyond in ((first, first - 1), (second, second + 1)):
                    could_give_way = channel.in_hold[beyond] and channel.owner[beyond] == channel.owner[frame]
                    assert channel.in_hold[frame] and not could_give_way, f"too little time from {first} to {second}"


@pytest.mark.parametrize("fps", [24.0, 25.0, 29.97, 30.0, 60.0, 101.3])
@pytest.mark.parametrize("priorities", [(1, 2), (1, 1), (2, 1)])
def test_two_that_hold_one_place_never_let_it_go(fps: float, priorities: tuple[int, int]) -> None:
    """On a source at rest, stays in one place that follow or overlap each other are one stay, between frames too."""
    still, place = straight_way((1.0, 2.0, 3.0), (0.0, 0.0, 0.0)), (1.0, 12.0, 3.0)
    for shift in (0.0, 0.25, 0.5, 0.7):
        for second in (28.0, 31.0, 33.5, 40.0):
            first = shape(10, 70, (place, 20.0, 30.0 + shift), priority=priorities[0])
            other = shape(5, 75, (place, second + shift, 60.0), priority=priorities[1])
            channel, path = only(timeline_of([first, other], still, fps=fps))
            held = np.flatnonzero(channel.in_hold)
            if priorities[0] == priorities[1]:
                np.testing.assert_allclose(path[20:60], np.tile(place, (40, 1)), atol=1e-12)
                assert (held[0], held[-1]) == (20, 60)
            assert np.isfinite(path).all() and steps(path).max() < 10.0


@pytest.mark.parametrize("priorities", PRIORITIES)
def test_the_most_important_keep_their_ways_to_the_last_bit(
    priorities: tuple[int, ...], rng: np.random.Generator
) -> None:
    for _ in range(6):
        constraints = random_constraints(rng, 120, priorities)
        channel, _ = only(timeline_of(constraints, smooth_way(rng), 120))
        top = [number for number, priority in enumerate(priorities) if priority == max(priorities)]
        if len(top) > 1:
            continue
        track = channel.tracks[top[0]]
        np.testing.assert_array_equal(channel.displacement[track.frames], track.displacement)
        assert (channel.owner[track.frames] == top[0]).all()
        held = np.isin(
            track.frames, [f for begin, end in track.hold_intervals for f in range(int(begin), int(end) + 1)]
        )
        np.testing.assert_array_equal(channel.in_hold[track.frames], held)


@pytest.mark.parametrize("priorities", PRIORITIES)
def test_a_frame_is_on_a_bridge_or_as_its_owner_wants_it(priorities: tuple[int, ...], rng: np.random.Generator) -> None:
    for _ in range(6):
        channel, _ = only(timeline_of(random_constraints(rng, 120, priorities), smooth_way(rng), 120))
        assert not (channel.bridged & (channel.in_hold | ~channel.active)).any()
        for frame in np.flatnonzero(channel.active & ~channel.bridged):
            track = channel.tracks[channel.owner[frame]]
            np.testing.assert_array_equal(channel.displacement[frame], track.displacement[frame - track.begin])


@pytest.mark.parametrize("priorities", PRIORITIES)
def test_what_is_held_is_what_its_owner_asked_for(priorities: tuple[int, ...], rng: np.random.Generator) -> None:
    for _ in range(6):
        channel, _ = only(timeline_of(random_constraints(rng, 120, priorities), smooth_way(rng), 120))
        assert (channel.owner[~channel.active] == -1).all() and (channel.owner[channel.active] >= 0).all()
        assert not channel.displacement[~channel.active].any() and not channel.in_hold[~channel.active].any()
        assert channel.in_hold.any()
        for frame in np.flatnonzero(channel.in_hold):
            track = channel.tracks[channel.owner[frame]]
            assert any(begin <= frame <= end for begin, end in track.hold_intervals)
            np.testing.assert_array_equal(channel.displacement[frame], track.displacement[frame - track.begin])


def test_one_constraint_alone_is_as_it_is(rng: np.random.Generator) -> None:
    for _ in range(10):
        constraint = random_constraint(rng, 80, 1)
        timeline = timeline_of([constraint], smooth_way(rng))
        channel, _ = only(timeline)
        (track,) = constraint.tracks(timeline.source)
        np.testing.assert_array_equal(channel.displacement[track.frames], track.displacement)
        np.testing.assert_array_equal(np.flatnonzero(channel.active), track.frames)
        assert (channel.outranks_partner == 1.0).all()


# --- shortened holds -------------------------------------------------------------------------------------------------


def test_a_more_important_one_inside_another_splits_it() -> None:
    outer = shape(5, 95, ((0.0, 5.0, 0.0), 15, 25), ((0.0, 7.0, 0.0), 75, 85), priority=1)
    inner = shape(40, 60, ((0.0, -4.0, 0.0), 50), priority=2)
    timeline = timeline_of([outer, inner], straight_way((0, 0, 0), (0, 0, 0)), 100)
    channel, path = only(timeline)
    (whole,), (part,) = outer.tracks(timeline.source), inner.tracks(timeline.source)
    np.testing.assert_array_equal(channel.displacement[40:61], part.displacement)
    np.testing.assert_array_equal(channel.displacement[5:26], whole.displacement[:21])
    np.testing.assert_array_equal(channel.displacement[75:96], whole.displacement[70:])
    assert channel.active[5:96].all()
    assert (channel.owner[40:61] == 1).all() and (np.delete(channel.owner[5:96], np.arange(35, 56)) == 0).all()
    assert np.flatnonzero(channel.in_hold).tolist() == [*range(15, 26), 50, *range(75, 86)]
    assert steps(path).max() < 2.0


def test_a_more_important_one_inside_a_stay_is_given_time_to_come_and_go() -> None:
    stay = shape(5, 95, ((0.0, 5.0, 0.0), 15, 85), priority=1)
    inner = shape(40, 60, ((0.0, -4.0, 0.0), 50), priority=2)
    channel, path = only(timeline_of([stay, inner], straight_way((0, 0, 0), (0, 0, 0)), 100))
    # The other one begins and ends on the source at 40 and 60: the way of 5 from there takes 2.5 frames.
    assert 2.0 < transition_frames(5.0 / SIZE, 30.0) < 3.0
    held = np.flatnonzero(channel.in_hold & (channel.owner == 0)).tolist()
    assert held == [*range(15, 38), *range(63, 86)]
    np.testing.assert_allclose(path[held], np.tile([0.0, 5.0, 0.0], (len(held), 1)), atol=1e-12)
    assert (channel.in_hold[50], channel.owner[50]) == (True, 1)


def test_a_stay_wholly_under_a_more_important_one_is_not_asked_for() -> None:
    hidden = shape(35, 65, ((0.0, 5.0, 0.0), 45, 55), priority=1)
    strong = shape(30, 70, ((0.0, -4.0, 0.0), 50), priority=2)
    channel, _ = only(timeline_of([hidden, strong]))
    assert (channel.owner[channel.active] == 1).all()
    # Nor is what is left of its way, where nothing is held.
    longer = shape(10, 90, ((0.0, 5.0, 0.0), 45, 55), priority=1)
    channel, _ = only(timeline_of([longer, strong], last=100))
    assert np.flatnonzero(channel.active).tolist() == list(range(30, 71))


def test_equals_whose_stays_overlap_give_way_alike() -> None:
    left = shape(5, 60, ((0.0, 5.0, 0.0), 15, 45))
    right = shape(20, 75, ((0.0, -5.0, 0.0), 35, 65))
    channel, path = only(timeline_of([left, right], straight_way((0, 0, 0), (0, 0, 0))))
    held = [np.flatnonzero(channel.in_hold & (channel.owner == number)).tolist() for number in (0, 1)]
    # The middle of the overlap is 40; half of the 3.6 frames that a way of 10 takes on either side of it.
    assert 3.0 < transition_frames(10.0 / SIZE, 30.0) < 4.0
    assert held == [list(range(15, 39)), list(range(42, 66))]
    between = path[38:43, 1]
    assert (np.diff(between) < 0.0).all()
    np.testing.assert_allclose(between, -between[::-1], atol=1e-12)
    assert (channel.owner[5:40] == 0).all() and (channel.owner[41:76] == 1).all()


def test_equals_that_follow_each_other_at_once_make_time_for_the_way() -> None:
    left = shape(5, 60, ((0.0, 5.0, 0.0), 15, 40))
    right = shape(20, 75, ((0.0, -5.0, 0.0), 41, 65))
    channel, _ = only(timeline_of([left, right], straight_way((0, 0, 0), (0, 0, 0))))
    held = np.flatnonzero(channel.in_hold)
    gap = int(np.diff(held).max())
    assert gap >= transition_frames(10.0 / SIZE, 30.0) and held[0] == 15 and held[-1] == 65


def test_the_farther_the_way_the_more_time_there_is_for_it() -> None:
    """With the same largest acceleration: four times the way takes twice the time."""
    gaps = []
    for height in (1.25, 5.0, 20.0):
        left = shape(5, 60, ((0.0, height, 0.0), 15, 40))
        right = shape(20, 75, ((0.0, -height, 0.0), 41, 65))
        channel, path = only(timeline_of([left, right], straight_way((0, 0, 0), (0, 0, 0))))
        gaps.append(int(np.diff(np.flatnonzero(channel.in_hold)).max()))
        largest = np.abs(np.diff(path[15:66], 2, axis=0)).max() * 30.0**2 / SIZE
        assert largest < 1.05 * ACCELERATION
    assert gaps == [2, 4, 8]


def test_a_short_stay_inside_that_of_an_equal_is_visited() -> None:
    """A point too, which cannot be shortened at all."""
    still = straight_way((0, 0, 0), (0, 0, 0))
    long = shape(5, 95, ((0.0, 5.0, 0.0), 15, 85))
    for begin, end in ((45.0, 60.0), (50.0, 50.0), (49.0, 52.0)):
        channel, path = only(timeline_of([long, shape(30, 70, ((0.0, -5.0, 0.0), begin, end))], still, 100))
        visited = np.flatnonzero(channel.in_hold & (channel.owner == 1))
        assert visited.size and begin <= visited[0] and visited[-1] <= end
        np.testing.assert_allclose(path[visited, 1], -5.0, atol=1e-12)
        around = np.flatnonzero(channel.in_hold & (channel.owner == 0))
        assert (around[0], around[-1]) == (15, 85)
        for one, next_one in pairwise(sorted([*visited, *around])):
            if channel.owner[one] != channel.owner[next_one]:
                assert next_one - one >= transition_frames(10.0 / SIZE, 30.0), "no time to get there"
        assert steps(path).max() <= 15.0 / 8.0 * 10.0 / 4.0 + 1e-9


def test_two_equals_at_the_same_moment_leave_one() -> None:
    first, second = (shape(10, 50, ((0.0, height, 0.0), 30)) for height in (5.0, -5.0))
    channel, path = only(timeline_of([first, second], straight_way((0, 0, 0), (0, 0, 0))))
    assert np.flatnonzero(channel.in_hold).tolist() == [30]
    assert abs(path[30, 1]) == 5.0 and steps(path).max() < 1.0


def test_a_chain_of_three() -> None:
    """Each joins the next more important one where that has rejoined the source."""
    still = straight_way((0, 0, 0), (0, 0, 0))
    chain = [
        shape(5, 45, ((0.0, 5.0, 0.0), 15, 25), priority=3),
        shape(35, 75, ((0.0, -5.0, 0.0), 50, 60), priority=2),
        shape(65, 95, ((0.0, 8.0, 0.0), 80, 85), priority=1),
    ]
    timeline = timeline_of(chain, still, 100)
    channel, path = only(timeline)
    assert channel.active[5:96].all() and not channel.active[[4, 96]].any()
    assert np.flatnonzero(np.diff(channel.owner)).tolist() == [4, 45, 75, 95]
    tracks = [constraint.tracks(timeline.source)[0] for constraint in chain]
    np.testing.assert_array_equal(channel.displacement[5:46], tracks[0].displacement)
    np.testing.assert_array_equal(channel.displacement[60:76], tracks[1].displacement[60 - 35 :])
    np.testing.assert_array_equal(channel.displacement[85:96], tracks[2].displacement[85 - 65 :])
    np.testing.assert_allclose(path[[45, 75]], np.zeros((2, 3)), atol=1e-12)
    # The fastest is the last one's way, 8 in the 5 frames from 75 to 80.
    assert steps(path).max() <= 15.0 / 8.0 * 8.0 / 5.0


def test_points_between_frames_at_the_ends_of_a_constraint_are_not_lost() -> None:
    still = straight_way((0, 0, 0), (0, 0, 0))
    for begin, end, at in ((4.3, 20, 4.6), (5, 20.7, 20.6), (5, 20, 12.5)):
        channel, _ = only(timeline_of([shape(begin, end, ((0.0, 5.0, 0.0), at))], still))
        assert np.flatnonzero(channel.active).tolist() == list(range(5, 21))
        assert channel.in_hold.sum() == 1
        other = shape(21, 50, ((0.0, 9.0, 0.0), 30, 40))
        channel, path = only(timeline_of([shape(begin, end, ((0.0, 5.0, 0.0), at)), other], still))
        assert np.isfinite(path).all() and channel.in_hold.sum() == 12

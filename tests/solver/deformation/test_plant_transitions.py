# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions between plants of one foot: there is time for the way, and both plants give up the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver.body.motion import Motion
from poise.solver.constraints import Constraint, Footplant, Source, Track
from poise.solver.core import rotations
from poise.solver.core.smooth_steps import smooth_step
from poise.solver.deformation.continuation import ACCELERATION
from poise.solver.deformation.plant_transitions import LARGEST_CUT, transition_frames, with_transitions
from poise.solver.deformation.timeline import Timeline

from ..standing import displaced, standing_human

FPS = 60.0


def plant(begin: float, end: float, foot: str = "left", **rest: Any) -> Footplant:
    """Heel and ball touch the ground and leave it together."""
    events = {"heel_strike": begin, "toe_strike": begin, "heel_off": end, "toe_off": end}
    return Footplant(foot=foot, **{**events, **rest})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def source() -> Source:
    return Source(standing_human(121, fps=FPS))


def shortened(source: Source, *constraints: Constraint) -> list[tuple[Track, Track]]:
    """The tracks of all constraints, each with what becomes of it."""
    tracks = [track for constraint in constraints for track in constraint.compiled(source)]
    return list(zip(tracks, with_transitions(tracks, constraints, source), strict=True))


def holds(pairs: list[tuple[Track, Track]], constraint: Constraint) -> set[tuple[float, float]]:
    """The hold intervals that are left of a constraint's tracks."""
    return {interval for _, after in pairs if after.constraint is constraint for interval in after.hold_intervals}


def sizes(source: Source, distance: float) -> tuple[float, float, float]:
    return (distance * source.clip.skeleton.size, 0.0, 0.0)


def test_a_transition_has_the_largest_acceleration_that_is_allowed() -> None:
    for distance in (0.01, 0.1, 0.8):
        fps = 1000.0
        duration = transition_frames(distance, fps)
        path = distance * smooth_step(np.arange(int(duration) + 2) / duration)
        assert np.abs(np.diff(path, 2)).max() * fps**2 == pytest.approx(ACCELERATION, rel=0.01)
    assert transition_frames(0.4, 30.0) == pytest.approx(2.0 * transition_frames(0.1, 30.0))
    assert transition_frames(0.1, 120.0) == pytest.approx(4.0 * transition_frames(0.1, 30.0))
    assert transition_frames(0.0, 30.0) == 0.0


def test_plants_with_time_between_them_keep_their_holds(source: Source) -> None:
    first, second = plant(10, 40), plant(70, 100).moved(sizes(source, 0.3))
    assert transition_frames(0.3, FPS) < 30.0
    assert all(before is after for before, after in shortened(source, first, second))


def test_a_roll_gives_up_time_alone(source: Source) -> None:
    """A foot that begins to roll before the next plant needs longer for that than heel and ball for their short way."""
    clip = source.clip
    rolled = clip.motion.rotations.copy()
    foot = clip.skeleton.index("l_talocrural")
    angles = np.interp(np.arange(121), [46, 50], [0.0, 0.2])
    rolled[:, foot] = rotations.multiply(rolled[:, foot], rotations.exp(angles[:, None] * [0.0, 0.0, 1.0]))
    rolling = Source(clip.with_motion(Motion(rolled, clip.motion.translations)))
    first, second = plant(10, 50), plant(51, 100)
    found = [after for _, after in shortened(rolling, first, second)]
    ends, begins = (
        {track.effector.is_angular: track.hold_intervals[0][side] for track in found if track.constraint is each}
        for each, side in ((first, 1), (second, 0))
    )
    assert ends[True] < ends[False] < 50 and begins[True] == begins[False] == 51


def test_plants_in_one_place_keep_their_holds_whatever_the_time_between(source: Source) -> None:
    first, second = (each.moved(sizes(source, 0.2)) for each in (plant(10, 50), plant(51, 100)))
    assert all(before is after for before, after in shortened(source, first, second))


def test_two_plants_give_up_the_same_time_for_the_way_between_them(source: Source) -> None:
    first, second = plant(10, 55), plant(56, 110).moved(sizes(source, 0.2))
    pairs = shortened(source, first, second)
    ((begin, leaving),) = holds(pairs, first)
    ((arriving, end),) = holds(pairs, second)
    assert (begin, end) == (10.0, 110.0)
    assert transition_frames(0.2, FPS) <= arriving - leaving < transition_frames(0.2, FPS) + 1.0
    assert abs((55.0 - leaving) - (arriving - 56.0)) <= 1.0 and leaving < 52.0
    for before, after in pairs:
        np.testing.assert_array_equal(after.displacement, before.displacement)
        assert (after.effector, after.begin, after.constraint) == (before.effector, before.begin, before.constraint)
        assert before.hold_intervals in {((10.0, 55.0),), ((56.0, 110.0),)}, "the given track was changed"


def test_heel_and_ball_give_up_the_same_frames(source: Source) -> None:
    """Also where they touch the ground and leave it at other times."""
    first = plant(10, 48, toe_strike=14, toe_off=55)
    second = plant(56, 104, toe_strike=60, toe_off=110).moved(sizes(source, 0.3))
    pairs = shortened(source, first, second)
    ends = {end for _, end in holds(pairs, first)}
    begins = {begin for begin, _ in holds(pairs, second)}
    (end,), (begin,) = ends, begins
    assert end < 48.0 and begin > 60.0
    assert {begin for begin, _ in holds(pairs, first)} == {10.0, 14.0}
    assert {end for _, end in holds(pairs, second)} == {104.0, 110.0}


def test_a_plant_between_two_others_is_shortened_at_both_ends(source: Source) -> None:
    first, last = plant(10, 40), plant(82, 110)
    middle = plant(41, 81).moved(sizes(source, 0.1))
    pairs = shortened(source, last, first, middle)
    ((begin, end),) = holds(pairs, middle)
    assert begin > 41.0 and end < 81.0 and begin - 41.0 == pytest.approx(81.0 - end)
    ((_, end),) = holds(pairs, first)
    ((begin, _),) = holds(pairs, last)
    assert end < 40.0 and begin > 82.0


def test_a_plant_gives_up_a_third_at_most(source: Source) -> None:
    first, short = plant(10, 60), plant(61, 67).moved(sizes(source, 0.5))
    pairs = shortened(source, first, short)
    ((begin, end),) = holds(pairs, short)
    assert (begin, end) == (pytest.approx(61.0 + 6.0 * LARGEST_CUT), 67.0)
    ((_, end),) = holds(pairs, first)
    assert end == 60.0 - np.floor(50.0 * LARGEST_CUT), "the longer plant gives up what the shorter one cannot"


def test_a_plant_that_slides_at_its_end_gives_up_the_frames_in_which_it_slides() -> None:
    """There the foot is away from its place in the source, and only there it has to be brought back."""
    clip = standing_human(121, fps=FPS)
    translations = clip.motion.translations.copy()
    translations[50:70, 0, 0] += 0.05 * clip.skeleton.size * np.minimum(np.arange(20) / 5.0, 1.0)
    translations[70:, 0, 0] += 0.05 * clip.skeleton.size
    source = Source(clip.with_motion(Motion(clip.motion.rotations, translations)))
    first, second = plant(10, 55), plant(56, 110)
    pairs = shortened(source, first, second)
    ((_, leaving),) = holds(pairs, first)
    ((arriving, _),) = holds(pairs, second)
    assert 55.0 - leaving > arriving - 56.0
    assert arriving - leaving < transition_frames(0.05, FPS), "it gave up as much as one that is away all the time"


def test_the_order_in_which_plants_are_given_does_not_matter(source: Source) -> None:
    plants = [plant(10, 40), plant(41, 81).moved(sizes(source, 0.1)), plant(82, 110)]
    found = [shortened(source, *given) for given in (plants, plants[::-1])]
    for each in plants:
        assert holds(found[0], each) == holds(found[1], each)


def test_only_plants_of_one_foot_and_one_priority_make_time_for_each_other(source: Source) -> None:
    first = plant(10, 55)
    moved = sizes(source, 0.2)
    others: list[Constraint] = [
        plant(56, 110, "right").moved(moved),
        plant(56, 110, priority=2).moved(moved),
        displaced(source.clip, "l_talocrural", (0.2, 0.0, 0.0), 50, 60, 80, 100),
    ]
    for other in others:
        assert all(before is after for before, after in shortened(source, first, other))
    assert any(before is not after for before, after in shortened(source, first, plant(56, 110).moved(moved)))


def test_a_plant_inside_another_is_left_to_the_connection_of_tracks(source: Source) -> None:
    outer, inner = plant(10, 110), plant(40, 60).moved(sizes(source, 0.2))
    assert all(before is after for before, after in shortened(source, outer, inner))


def test_a_time_line_has_the_transitions(source: Source) -> None:
    """So neither heel nor ball has a target while the foot is on its way from one place to the other."""
    first, second = plant(10, 55), plant(56, 110).moved(sizes(source, 0.2))
    timeline = Timeline.of(source, [first, second])
    needed = transition_frames(0.2, FPS)
    for channel in timeline.channels:
        held = np.flatnonzero(channel.in_hold)
        gap = np.diff(held).max()
        assert needed <= gap < needed + 2.0
        assert (held[0], held[-1]) == (10, 110)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The constraints of a loop in its copies: what lasts and what goes on is one, and reports are on the loop's own."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.constraints import Balance, Constraint, ConstraintPoint, Footplant, ShapeConstraint, Source
from poise.solver.core.errors import ConstraintError
from poise.solver.deformation.deform import deform
from poise.solver.deformation.loop_constraints import Copy, Repeated
from poise.solver.deformation.loops import Loop
from poise.solver.deformation.report import Cause, Conflict, Report, Residual
from poise.solver.deformation.timeline import Timeline

from ..in_place import walk_in_place
from .test_loops import swaying, travelling


def repeated(clip: Clip, constraints: list[Constraint]) -> Repeated:
    return Repeated.of(Loop.of(clip), Source(clip), constraints)


def plants_of(made: Repeated) -> list[Footplant]:
    return [each for each in made.constraints if isinstance(each, Footplant)]


def lasting(clip: Clip, **rest: Any) -> Footplant:
    last = clip.frames - 1
    return Footplant(foot="left", heel_strike=0, toe_strike=0, heel_off=last, toe_off=last, **rest)


def two_parts(clip: Clip) -> tuple[Footplant, Footplant]:
    """One plant that goes on where the loop begins again: up to the end, and from the first frame on."""
    before = Footplant(foot="left", heel_strike=20, toe_strike=22, heel_off=clip.frames - 1, toe_off=clip.frames - 1)
    after = Footplant(foot="left", heel_strike=0, toe_strike=0, heel_off=4, toe_off=9)
    return before, after


# In the copies --------------------------------------------------------------------------------------------------------


def test_a_plant_is_in_every_copy() -> None:
    clip = walk_in_place().clip
    made = repeated(clip, [Footplant(foot="left", toe_strike=5, toe_off=9)])
    loop = made.loop
    strikes = [plant.toe_strike for plant in plants_of(made)]
    assert strikes == [5 + copy * loop.frames for where in made.belongs for copy in where]
    assert {loop.copies_each_side - 1, loop.copies_each_side, loop.copies_each_side + 1} <= {
        copy for where in made.belongs for copy in where
    }
    assert all(plant.label == "Footplant of the left foot at frame 5" for plant in plants_of(made))


def test_contacts_go_with_their_plants() -> None:
    """To every copy; and where two plants are one, from the contact of the first to that of the second."""
    clip = walk_in_place().clip
    made = repeated(clip, [Footplant(foot="left", toe_strike=5, toe_off=9, contact=(4, 11))])
    assert plants_of(made)
    for plant in plants_of(made):
        assert plant.toe_strike is not None and plant.contact == (plant.toe_strike - 1, plant.toe_strike + 6)
    before, after = two_parts(clip)
    last = clip.frames - 1
    joined = plants_of(repeated(clip, [replace(before, contact=(18, last)), replace(after, contact=(0, 12))]))
    assert any(
        plant.contact == (plant.heel_strike - 2, plant.toe_off + 3)
        for plant in joined
        if plant.heel_strike is not None and plant.toe_off is not None
    )
    (whole,) = plants_of(repeated(clip, [lasting(clip, contact=(0, last))]))
    assert whole.contact == (0.0, whole.toe_off)


@pytest.mark.parametrize("ends", ["again", "before"])
def test_a_foot_that_stands_where_the_loop_begins_again_has_one_plant(ends: Any) -> None:
    clip = walk_in_place(ends=ends).clip
    made = repeated(clip, list(two_parts(clip)))
    loop = made.loop
    middle = [
        plant
        for plant, where in zip(made.constraints, made.belongs, strict=True)
        if where.get(loop.copies_each_side) == 0
    ]
    (plant,) = middle
    assert isinstance(plant, Footplant)
    first, after = loop.first, loop.first + loop.frames
    assert plant.stays == {"heel": (first + 20, after + 4), "toe": (first + 22, after + 9)}
    (before,) = [where for where in made.belongs if where.get(loop.copies_each_side) == 1]
    assert before == {loop.copies_each_side - 1: 0, loop.copies_each_side: 1}


def test_parts_that_stand_in_one_of_them_only_are_kept() -> None:
    clip = walk_in_place().clip
    last = clip.frames - 1
    before = Footplant(foot="left", heel_strike=20, heel_off=26, toe_strike=22, toe_off=last)
    after = Footplant(foot="left", toe_strike=0, toe_off=3)
    made = repeated(clip, [before, after])
    plant = plants_of(made)[made.loop.copies_each_side]
    first, again = made.loop.first, made.loop.first + made.loop.frames
    assert plant.stays == {"heel": (first + 20, first + 26), "toe": (first + 22, again + 3)}


def test_who_moves_one_part_moves_the_whole_plant() -> None:
    clip = walk_in_place().clip
    before, after = two_parts(clip)
    for given in ([before.moved((0.1, 0.0, 0.0)), after], [before, after.moved((0.1, 0.0, 0.0))]):
        made = repeated(clip, list(given))
        assert tuple(plants_of(made)[made.loop.copies_each_side].shift) == (0.1, 0.0, 0.0)


@pytest.mark.parametrize(
    "change",
    [
        {"foot": "right"},
        {"priority": 4},
        {"heading": 1.0},
        {"height": 0.1},
        {"position": (0.0, 0.0, 0.0)},
        {"ground_velocity": (0.0, 0.0, 1.0)},
        {"heel_strike": 2, "toe_strike": 1},
    ],
)
def test_plants_that_differ_are_two(change: dict[str, Any]) -> None:
    clip = walk_in_place().clip
    before, after = two_parts(clip)
    made = repeated(clip, [before, replace(after, **change)])
    assert all(len(where) == 1 for where in made.belongs)
    made = repeated(clip, [before.moved((0.1, 0.0, 0.0)), after.moved((0.0, 0.0, 0.1))])
    assert all(len(where) == 1 for where in made.belongs)


def test_plants_that_are_two_do_not_share_a_frame() -> None:
    clip = walk_in_place().clip
    before, after = two_parts(clip)
    made = repeated(clip, [before, replace(after, height=0.1)])
    spans = sorted(plant.stays["toe"] for plant in plants_of(made))
    assert all(one[1] < other[0] for one, other in pairwise(spans))


def test_what_lasts_as_long_as_the_loop_is_one_in_all_copies() -> None:
    clip = swaying()
    made = repeated(clip, [lasting(clip), Balance(displacement=(0.1, 0.0, 0.0))])
    plant, balance = made.constraints
    frames = made.loop.repeated.frames
    assert isinstance(plant, Footplant) and isinstance(balance, Copy)
    assert plant.stays == {"heel": (0, frames - 1), "toe": (0, frames - 1)}
    (track,) = balance.tracks(Source(made.loop.repeated))
    assert (track.begin, track.end, track.hold_intervals) == (0, frames - 1, ((0.0, frames - 1.0),))
    np.testing.assert_array_equal(track.displacement, np.tile([0.1, 0.0, 0.0], (frames, 1)))


def test_other_constraints_ask_for_the_same_in_every_copy() -> None:
    clip = travelling()
    wrist = clip.skeleton.names[clip.skeleton.landmarks.left_wrist]  # type: ignore[index]
    place = clip.position(wrist)[12] + 0.1
    held = ShapeConstraint(wrist, 5, 20, [ConstraintPoint(place, 11, 13)], mode="condensed", priority=3)
    made = repeated(clip, [held])
    own = held.tracks(Source(clip))[0]
    source = Source(made.loop.repeated)
    Timeline.of(source, made.constraints)
    for copy in made.constraints:
        (track,) = copy.tracks(source)
        assert isinstance(copy, Copy) and copy.number is not None
        assert track.begin == own.begin + copy.number * made.loop.frames
        assert (track.constraint, copy.priority, copy.label, copy.constrains_path) == (copy, 3, held.label, True)
        np.testing.assert_array_equal(track.displacement, own.displacement)


def test_places_travel_with_the_loop() -> None:
    clip = travelling()
    made = repeated(clip, [Footplant(foot="left", toe_strike=5, toe_off=9, position=(1.0, 0.0, 0.0))])
    places = [np.asarray(plant.position) for plant in plants_of(made)]
    np.testing.assert_allclose(np.diff(places, axis=0), np.tile(made.loop.travel, (len(places) - 1, 1)), atol=1e-12)
    (middle,) = [
        place for place, where in zip(places, made.belongs, strict=True) if made.loop.copies_each_side in where
    ]
    np.testing.assert_array_equal(middle, [1.0, 0.0, 0.0])


def test_copies_that_are_far_away_are_left_out() -> None:
    clip = swaying(301)
    made = repeated(clip, [Footplant(foot="left", toe_strike=150, toe_off=160)])
    assert len(made.constraints) == 1
    made = repeated(clip, [Footplant(foot="left", toe_strike=10, toe_off=20)])
    assert len(made.constraints) == 2


def test_times_are_those_of_the_loop() -> None:
    clip = swaying()
    with pytest.raises(ConstraintError, match=r"toe off \(70\) lies outside the clip, whose frames are 0 to 60"):
        repeated(clip, [Footplant(foot="left", toe_strike=5, toe_off=70)])


# Reports --------------------------------------------------------------------------------------------------------------


def test_a_report_is_on_the_loops_own_constraints_and_frames() -> None:
    clip = swaying()
    wrist = clip.skeleton.names[clip.skeleton.landmarks.left_wrist]  # type: ignore[index]
    far = clip.position(wrist)[30] + 3.0 * clip.skeleton.size
    reach = ShapeConstraint(wrist, 20, 40, [ConstraintPoint(far, 28, 32)], mode="condensed", name="reach")
    plant = lasting(clip, priority=5, name="stand")
    deformed = deform(clip, [plant, reach, Balance(priority=3)], cyclic=True)
    report = deformed.report
    assert [residual.constraint for residual in report.residuals] == list(deformed.constraints)
    assert report.residual(plant).worst < 1e-5 * clip.skeleton.size
    np.testing.assert_array_equal(report.residual(plant).frames, np.arange(clip.frames - 1))
    (conflict,) = report.conflicts
    assert conflict.constraint is reach and set(conflict.conflicting) <= {plant, deformed.constraints[2]}
    assert 28 <= conflict.worst_frame <= 32
    assert all(20 <= begin <= end <= 40 for begin, end in conflict.spans)
    assert all(f"at frame {conflict.worst_frame}" in advice.sentence for advice in conflict.advice)
    assert conflict.advice and {advice.frame for advice in conflict.advice} == {conflict.worst_frame}
    assert all(set(advice.lowered) <= {plant, deformed.constraints[2]} for advice in conflict.advice)
    assert all(0 <= begin <= end < clip.frames for limb in report.stretched for begin, end in limb.spans)


def test_a_plant_does_not_conflict_with_its_own_copy() -> None:
    """The one before it takes its effector, and so does another plant of the foot."""
    clip = walk_in_place().clip
    made = repeated(
        clip, [Footplant(foot="left", toe_strike=8, toe_off=12), Footplant(foot="left", toe_strike=20, toe_off=24)]
    )
    middle, first = made.loop.copies_each_side, made.loop.first
    copies = {
        (number, copy): plant
        for plant, where in zip(made.constraints, made.belongs, strict=True)
        for copy, number in where.items()
    }
    spans = ((first + 8, first + 9),)
    causes = tuple(Cause(copies[each], spans, True) for each in ((0, middle - 1), (1, middle - 1)))
    none = np.zeros(0, dtype=np.int64)
    report = made.report(
        Report(
            tuple(
                Residual(each, none, np.zeros(0), np.zeros(0), np.zeros((0, 2)), False, none)
                for each in made.constraints
            ),
            (Conflict(copies[0, middle], causes, np.nan, spans, 1.0, first + 8, ()),),
            (),
        )
    )
    (conflict,) = report.conflicts
    assert conflict.constraint is made.originals[0] and conflict.conflicting == (made.originals[1],)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits as data."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import numpy as np
import pytest

from poise.solver import PoiseError
from poise.solver.core.errors import ConstraintError
from poise.solver.spacetime import (
    Edit,
    FootprintEdit,
    HandleObjective,
    LimbEdit,
    LockedJoint,
    Objectives,
    Obstacle,
    PointHandle,
    edit_from_dict,
)

EVERYTHING = Edit(
    gravity=0.165,
    duration=None,
    flight=2.0,
    footprints=(FootprintEdit(1, (0.1, 0.0, -0.2), 0.3, 0.05, -0.02),),
    limbs=(LimbEdit("right_knee", 0.8, 1.2),),
    locked=(LockedJoint("left_knee", (10.0,)), LockedJoint("right_shoulder")),
    obstacles=(Obstacle((0.0, 0.0, 1.0), 0.3, 0.2),),
    turn=1.5,
    free_end=True,
    keep_heading=True,
    objectives={"friction": 0.5},
    own_objectives=(HandleObjective(PointHandle("left_knee"), 2.0, (0.0, 1.0, 0.0), 0.1, 0.5),),
    deviation=0.1,
)


def test_an_edit_survives_json() -> None:
    read = edit_from_dict(json.loads(json.dumps(EVERYTHING.as_dict())))
    assert read == EVERYTHING


def test_an_edit_that_changes_nothing_is_empty() -> None:
    assert Edit().as_dict() == {}
    assert edit_from_dict({}) == Edit()


def test_the_parts_of_an_edit_lead_from_nothing_to_all_of_it() -> None:
    nothing = EVERYTHING.part(0.0)
    assert nothing.gravity == 1.0 and nothing.flight == 1.0 and nothing.turn == 0.0
    assert nothing.footprints[0].shift == (0.0, 0.0, 0.0) and nothing.limbs[0].length == 1.0
    assert nothing.obstacles[0].height == 0.0
    assert EVERYTHING.part(1.0) == EVERYTHING
    half = EVERYTHING.part(0.5)
    assert np.isclose(half.gravity, np.sqrt(0.165)) and np.isclose(half.footprints[0].turn, 0.15)


def test_weights_of_an_edit_replace_those_of_the_fit() -> None:
    weights = EVERYTHING.objective_weights(Objectives(friction=0.1, power=0.2), 2.0)
    assert (weights.deviation, weights.friction, weights.power) == (0.2, 0.5, 0.2)
    assert weights.own == EVERYTHING.own_objectives


NAN, INFINITE = float("nan"), float("inf")
NO_NUMBERS = (NAN, INFINITE, -INFINITE, "much", None, [1.0], 1e200, 10**400)
"""What no field that holds a number takes."""


@pytest.mark.parametrize("wrong", NO_NUMBERS, ids=lambda wrong: repr(wrong)[:12])
@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda value: Edit(gravity=value), "gravity"),
        (lambda value: Edit(duration=value), "duration"),
        (lambda value: Edit(flight=value), "flight"),
        (lambda value: Edit(turn=value), "turn"),
        (lambda value: Edit(deviation=value), "deviation"),
        (lambda value: Edit(objectives={"friction": value}), "friction"),
        (lambda value: FootprintEdit(value), "stance"),
        (lambda value: FootprintEdit(0, (0.0, value, 0.0)), "shift"),
        (lambda value: FootprintEdit(0, turn=value), "turn"),
        (lambda value: FootprintEdit(0, earlier_strike=value), "earlier_strike"),
        (lambda value: FootprintEdit(0, later_release=value), "later_release"),
        (lambda value: LimbEdit("left_knee", value), "length"),
        (lambda value: LimbEdit("left_knee", 1.0, value), "mass"),
        (lambda value: LockedJoint("left_knee", (value,)), "left_knee"),
        (lambda value: Obstacle((value, 0.0, 0.0), 1.0, 1.0), "place"),
        (lambda value: Obstacle((0.0, 0.0, 0.0), value, 1.0), "height"),
        (lambda value: Obstacle((0.0, 0.0, 0.0), 1.0, value), "radius"),
    ],
)
def test_what_is_no_number_is_refused_when_the_edit_is_made(
    make: Callable[[object], object], name: str, wrong: object
) -> None:
    if (name == "duration" and wrong is None) or (name == "stance" and wrong == 10**400):
        return  # the optimiser chooses the duration; a stance that is not there is refused with the fit
    with pytest.raises(ConstraintError, match=name) as refused:
        make(wrong)
    assert repr(wrong) in str(refused.value) and str(refused.value).endswith(".")


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Edit(gravity=-1e-9), "gravity of an edit must be a finite number, 0 or more"),
        (lambda: Edit(duration=0.0), "duration of an edit, if it is not None, must be a finite number above 0"),
        (lambda: Edit(flight=0.0), "flight of an edit must be a finite number above 0"),
        (lambda: LimbEdit("left_knee", mass=0.0), "mass of the limb below 'left_knee' must be a finite number above 0"),
        (lambda: LimbEdit("left_knee", -1.0), "length of the limb below 'left_knee'"),
        (lambda: LimbEdit(3), "name of a joint"),
        (lambda: LockedJoint(["left_knee"]), "name of a joint"),
        (lambda: LockedJoint("left_knee", 10.0), "must be a list of numbers, not 10.0"),
        (lambda: LockedJoint("left_knee", "10"), "must be a list of numbers"),
        (lambda: FootprintEdit(1.5), "counted from 0, not 1.5"),
        (lambda: FootprintEdit(True), "counted from 0, not True"),
        (lambda: FootprintEdit(0, (1.0, 2.0)), "must be three numbers"),
        (lambda: FootprintEdit(0, "abc"), "must be a list of numbers"),
        (lambda: Obstacle("here", 1.0, 1.0), "place of an obstacle must be a list of numbers"),
        (lambda: Edit(footprints=FootprintEdit(0)), "must be a list of FootprintEdit"),
        (lambda: Edit(footprints=({"stance": 0},)), "must be a list of FootprintEdit"),
        (lambda: Edit(limbs="left_knee"), "must be a list of LimbEdit"),
        (lambda: Edit(locked=("left_knee",)), "must be a list of LockedJoint"),
        (lambda: Edit(obstacles=None), "must be a list of Obstacle"),
        (lambda: Edit(own_objectives=(1.0,)), "must be a list of HandleObjective"),
        (lambda: Edit(objectives="friction"), "must be weights by name"),
        (lambda: Edit(objectives={"friction": -1.0}), "weight friction of an edit"),
        (lambda: Edit(free_end="no"), "free_end of an edit must be True or False"),
        (lambda: Edit(keep_heading=None), "keep_heading of an edit must be True or False"),
        (lambda: edit_from_dict([1]), "An edit has gravity, duration"),
        (lambda: edit_from_dict({"footprints": 3}), "footprints of an edit must be a list of FootprintEdit"),
        (lambda: edit_from_dict({"footprints": [3]}), "A part of footprints has stance"),
        (lambda: edit_from_dict({"obstacles": [{"place": [0, 0, NAN], "height": 1, "radius": 1}]}), "not nan"),
    ],
)
def test_a_field_of_another_kind_is_refused_when_the_edit_is_made(make: Callable[[], object], told: str) -> None:
    with pytest.raises(ConstraintError, match=re.escape(told)):
        make()


def test_lists_and_numbers_of_numpy_are_taken() -> None:
    edit = Edit(
        gravity=np.float32(0.5),  # type: ignore[arg-type]
        footprints=[FootprintEdit(np.int64(1), np.array([1.0, 2.0, 3.0]))],  # type: ignore[arg-type]
        locked=[LockedJoint("left_knee", [5])],  # type: ignore[arg-type]
    )
    assert edit.footprints[0].shift == (1.0, 2.0, 3.0) and edit.locked[0].degrees == (5.0,)
    assert isinstance(edit.footprints, tuple)


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"gravity": -1.0}, "gravity"),
        ({"gravity": float("nan")}, "gravity"),
        ({"duration": 0.0}, "duration"),
        ({"flight": -2.0}, "flight"),
        ({"turn": float("inf")}, "turn"),
        ({"deviation": -0.1}, "deviation"),
        ({"objectives": {"grace": 1.0}}, "grace"),
        ({"limbs": [{"joint": "left_knee", "length": 0.0}]}, "left_knee"),
        ({"obstacles": [{"place": [0, 0, 0], "height": 1.0, "radius": 0.0}]}, "radius"),
        ({"footprints": [{"stanse": 1}]}, "footprints"),
        ({"own_objectives": [{"weight": 1.0}]}, "own_objectives"),
        ({"gravitation": 1.0}, "gravitation"),
        # Minimised cases of scripts/fuzz.py, each of which raised another exception.
        ([], "An edit has gravity"),
        ({"objectives": 1}, "objectives"),
        ({"objectives": {"power": "much"}}, "power"),
        ({"objectives": {"power": -1.0}}, "power"),
        ({"footprints": [{"stance": 1, "shift": 0}]}, "shift"),
        ({"footprints": [{"stance": 1, "shift": ["", 0]}]}, "shift"),
        ({"footprints": [{"stance": "1"}]}, "stance"),
        ({"footprints": [{"stance": 1, "turn": None}]}, "turn"),
        ({"footprints": 1}, "footprints"),
        ({"footprints": [1]}, "footprints"),
        ({"limbs": [{"joint": 1}]}, "limb"),
        ({"limbs": [{"joint": "left_knee", "mass": 10**400}]}, "left_knee"),
        ({"locked": [{"joint": "left_knee", "degrees": "ten"}]}, "degrees"),
        ({"obstacles": [{"place": [[], 0], "height": 1.0, "radius": 1.0}]}, "place"),
        ({"own_objectives": [{"handle": []}]}, "handle"),
        ({"free_end": "yes"}, "free_end"),
        ({"keep_heading": 0}, "keep_heading"),
        ({"turn": 10**400}, "turn"),
    ],
)
def test_a_wrong_edit_is_refused_with_its_name(fields: object, word: str) -> None:
    with pytest.raises(PoiseError, match=word):
        edit_from_dict(fields)


def test_parts_that_are_no_parts_are_refused() -> None:
    with pytest.raises(PoiseError, match="limbs"):
        Edit(limbs=({"joint": "left_knee"},))  # type: ignore[arg-type]

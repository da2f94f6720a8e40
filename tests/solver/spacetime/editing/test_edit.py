# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits as data."""

from __future__ import annotations

import json

import numpy as np
import pytest

from poise.solver import PoiseError
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

# SPDX-License-Identifier: GPL-3.0-or-later
"""Plants near the ground are put on it; others keep their heights and are listed until the animator decides."""

from __future__ import annotations

import bpy
import pytest

from poise import solver
from poise.addon import bridge, translation
from poise.addon.properties import character_of
from poise.addon.workflows import detect, ground_gaps


@pytest.fixture
def planted(armature: bpy.types.Object) -> bpy.types.Object:
    """A walk with footplants on a level ground at its own height."""
    detect.find_footplants(armature)
    detect.accept_all(armature)
    reading = bridge.read(armature)
    character = character_of(armature)
    level = solver.estimate_ground(reading.clip, solver.detect_footplants(reading.clip)).height
    character.use_ground, character.ground_height = True, level
    return armature


def placed(armature: bpy.types.Object) -> ground_gaps.GroundedConstraints:
    reading = bridge.read(armature)
    translated = translation.translate(armature, reading)
    return ground_gaps.place_on_ground(armature, reading.clip, translated.constraints, translated.uids)


def test_without_a_ground_nothing_is_decided(planted: bpy.types.Object) -> None:
    character_of(planted).use_ground = False
    found = placed(planted)
    assert found.ground is None and not found.gaps and found.sentence == ""


def test_plants_near_the_ground_are_put_on_it(planted: bpy.types.Object) -> None:
    found = placed(planted)
    assert not found.gaps and not any(plant.own_height for plant in found.constraints)


@pytest.mark.parametrize(("offset", "side"), [(-0.3, "above"), (0.3, "below")])
def test_plants_far_from_the_ground_are_listed_with_their_distance(
    planted: bpy.types.Object, offset: float, side: str
) -> None:
    character = character_of(planted)
    character.ground_height += offset
    found = placed(planted)
    assert len(found.gaps) == len(character.constraints) and all(plant.own_height for plant in found.constraints)
    assert all(gap == pytest.approx(-offset, abs=0.03) for gap in found.gaps.values())
    assert f" {side})" in found.sentence and f" and {len(found.gaps) - ground_gaps.NAMED} more;" in found.sentence
    ground_gaps.store_gaps(planted, found.gaps)
    assert len(ground_gaps.undecided_plants(planted)) == len(character.constraints)


@pytest.mark.parametrize(("choice", "keeps"), [("OWN", True), ("GROUND", False)])
def test_a_decision_holds_for_all_listed_plants(planted: bpy.types.Object, choice: str, keeps: bool) -> None:
    character_of(planted).ground_height -= 0.3
    ground_gaps.store_gaps(planted, placed(planted).gaps)
    assert ground_gaps.decide_plants(planted, choice) == len(character_of(planted).constraints)
    assert not ground_gaps.undecided_plants(planted)
    found = placed(planted)
    assert not found.gaps and {plant.own_height for plant in found.constraints} == {keeps}
    assert found.moves_plants != keeps


def test_soles_are_stored_for_the_panel(planted: bpy.types.Object) -> None:
    skeleton = bridge.read(planted).clip.skeleton
    ground_gaps.store_soles(planted, skeleton)
    heels = [skeleton.soles["left_heel"], skeleton.soles["right_heel"]]
    assert character_of(planted).found_sole_heel == pytest.approx(sum(heels) / 2.0, abs=1e-6)

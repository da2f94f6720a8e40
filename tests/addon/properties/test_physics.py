# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings and edits of the physics are saved with the armature, and every one says what it does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import pytest

from poise import solver
from poise.addon.properties.physics import EDITS, GRAVITIES, GRAVITY_FACTORS, JOINTS, OBJECTIVES, RECIPES


@pytest.fixture
def other() -> Any:
    armature = bpy.data.objects.new("Other", bpy.data.armatures.new("Other"))
    bpy.context.scene.collection.objects.link(armature)
    return armature


def test_edits_footprints_and_lists_are_saved(other: Any, tmp_path: Path) -> None:
    physics = other.poise.physics
    physics.recipe, physics.gravity, physics.flight = "HOPPER", "MOON", 2.0
    stance = physics.stances.add()
    stance.contact, stance.begin, stance.later_release = "feet", 12.0, 3.0
    physics.limbs.add().joint = "spine"
    physics.locks.add().joint = "left_hip"
    handle = bpy.data.objects.new("Handle", None)
    physics.obstacles.add().object = handle
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    kept = bpy.data.objects["Other"].poise.physics
    assert (kept.recipe, kept.gravity, kept.flight) == ("HOPPER", "MOON", 2.0)
    assert [(each.contact, each.begin, each.later_release) for each in kept.stances] == [("feet", 12.0, 3.0)]
    assert [each.joint for each in kept.limbs] == ["spine"]
    assert [each.joint for each in kept.locks] == ["left_hip"]
    assert [each.object.name for each in kept.obstacles] == ["Handle"]


@pytest.mark.parametrize("recipe", [each[0] for each in RECIPES])
def test_a_recipe_offers_the_joints_that_it_keeps(recipe: str, other: Any) -> None:
    other.poise.physics.recipe = recipe
    lock = other.poise.physics.locks.add()
    kept = {joint.joints[0] for joint in solver.spacetime.RECIPES[recipe.lower()].joints}
    assert {item[0] for item in JOINTS[recipe]} == kept
    assert lock.joint in kept, "a new entry has a joint of the recipe"
    for joint in kept:
        lock.joint = joint
    with pytest.raises(TypeError):
        lock.joint = {"BIPED": "spine", "HOPPER": "left_knee", "JUMPER": "right_knee"}[recipe]


def test_every_gravity_but_the_own_one_has_a_factor(other: Any) -> None:
    assert {each[0] for each in GRAVITIES} == {*GRAVITY_FACTORS, "CUSTOM"}
    physics = other.poise.physics
    assert physics.gravity == "EARTH" and GRAVITY_FACTORS["EARTH"] == 1.0


def test_objectives_and_edits_are_properties_and_known_to_the_solver(other: Any) -> None:
    physics = other.poise.physics
    assert set(OBJECTIVES) <= set(EDITS)
    assert all(hasattr(physics, name) for name in EDITS)
    solver.spacetime.Edit(objectives=OBJECTIVES)


def test_every_setting_has_a_tooltip(other: Any) -> None:
    physics = other.poise.physics
    groups = [physics, *(getattr(physics, name).add() for name in ("stances", "limbs", "locks", "obstacles"))]
    for group in groups:
        for setting in group.bl_rna.properties:
            if setting.identifier not in ("rna_type", "name"):
                assert len(setting.description) > 10 and not setting.description.endswith("."), setting.identifier

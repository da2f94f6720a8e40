# SPDX-License-Identifier: GPL-3.0-or-later
"""The physical method from operators, as a script calls them."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge
from poise.addon.bridge import versions
from poise.addon.properties import character_of

from ..physical import FIRST, LAST, stance_places, strider, without_optimiser
from .test_constraints import refused, run
from .untouched import state

__all__ = ["strider", "without_optimiser"]


def test_a_fit_changes_no_animation_and_says_how_near_it_is(strider: Any) -> None:
    before = state()["actions"]
    assert run("physics_fit") == {"FINISHED"}
    physics = character_of(strider).physics
    assert state()["actions"] == before
    assert "of the leg's length" in physics.fit_sentence
    assert {stance.contact for stance in physics.stances} == {"left foot", "right foot"}
    assert all(FIRST <= stance.begin < stance.end <= LAST for stance in physics.stances)


def test_footprints_become_handles_where_the_feet_stand(strider: Any) -> None:
    run("physics_fit")
    run("physics_footprints_add")
    places = stance_places(strider)
    homes = np.array([stance.home for stance in character_of(strider).physics.stances])
    np.testing.assert_allclose(places, homes, atol=1e-6)


def test_a_longer_motion_is_baked_beside_the_source_and_undone_by_restoring(strider: Any) -> None:
    scene = bpy.context.scene
    source = strider.animation_data.action
    before = state()["actions"][source.name]
    assert run("physics_solve", duration=1.3) == {"FINISHED"}
    found = bridge.animation_of(strider)
    assert found.source == source and found.result is not None and found.result.name == f"{source.name}.poise"
    assert state()["actions"][source.name][0] == before[0]
    physics = character_of(strider).physics
    assert physics.duration == pytest.approx(1.3) and "instead of" in physics.result_sentence
    assert scene.frame_end != LAST, "the scene plays the whole action, which goes on after the part"
    run("source_restore")
    assert strider.animation_data.action == source and physics.solved == "" and physics.result_sentence == ""


def test_the_scene_follows_a_longer_result_only_where_it_ended_with_the_source(strider: Any) -> None:
    scene, physics = bpy.context.scene, character_of(strider).physics
    data = strider.animation_data
    slot, whole = versions.slot_of(data), data.action.copy()
    for curve in versions.curves_of(whole, slot):
        for key in reversed([key for key in curve.keyframe_points if not FIRST <= key.co.x <= LAST]):
            curve.keyframe_points.remove(key)
    versions.assign(data, whole, slot)
    scene.frame_start, scene.frame_end = FIRST, LAST
    physics.use_range = False
    run("physics_solve", duration=1.3)
    longer = LAST + round(0.3 * (LAST - FIRST))
    assert scene.frame_end == pytest.approx(longer, abs=1)
    run("physics_solve", duration=1.0)
    assert scene.frame_end == LAST
    run("physics_solve", duration=1.3)
    run("source_restore")
    assert scene.frame_end == LAST
    scene.frame_end = LAST + 5
    run("physics_solve", duration=1.3)
    assert scene.frame_end == LAST + 5


def test_the_result_can_be_compared_and_applied(strider: Any) -> None:
    run("physics_solve", duration=1.3)
    result = strider.animation_data.action
    run("compare_toggle")
    assert strider.animation_data.action != result
    run("compare_toggle")
    assert strider.animation_data.action == result
    run("result_apply")
    assert bridge.animation_of(strider).source == result and character_of(strider).physics.solved == ""


def test_a_longer_limb_is_baked_as_it_was_solved(strider: Any) -> None:
    run("physics_limb_add", joint="left_knee", length=1.1)
    run("physics_solve")
    pose, size = strider.pose.bones, bridge.read(strider).clip.skeleton.size
    bpy.context.scene.frame_set(FIRST + 10)
    shins = [(pose[f"{side}_talocrural"].head - pose[f"{side}_knee"].head).length for side in "lr"]
    assert shins[0] == pytest.approx(1.1 * shins[1], abs=1e-3 * size)
    run("source_restore")
    bpy.context.scene.frame_set(FIRST + 10)
    shins = [(pose[f"{side}_talocrural"].head - pose[f"{side}_knee"].head).length for side in "lr"]
    assert shins[0] == pytest.approx(shins[1], abs=1e-4 * size)


def test_moved_handles_are_the_edit(strider: Any) -> None:
    run("physics_fit")
    run("physics_spread", amount=0.04)
    moved = stance_places(strider)
    homes = np.array([stance.home for stance in character_of(strider).physics.stances])
    np.testing.assert_allclose(np.linalg.norm(moved - homes, axis=1), 0.04, rtol=1e-4)
    run("physics_spread", amount=0.04, crossed=True)
    np.testing.assert_allclose(stance_places(strider), homes, atol=1e-5)


def test_reset_puts_all_back(strider: Any) -> None:
    run("physics_fit")
    run("physics_spread", amount=0.04)
    run("physics_limb_add", joint="left_knee", length=1.2)
    run("physics_lock_add", joint="right_knee")
    run("physics_obstacle_add", location=(0.0, 0.0, 0.0))
    physics = character_of(strider).physics
    physics.gravity, physics.flight, physics.stances[0].earlier_strike = "MOON", 2.0, 1.0
    assert (len(physics.limbs), len(physics.locks), len(physics.obstacles)) == (1, 1, 1)
    run("physics_reset")
    assert (len(physics.limbs), len(physics.locks), len(physics.obstacles)) == (0, 0, 0)
    assert (physics.gravity, physics.flight, physics.stances[0].earlier_strike) == ("EARTH", 1.0, 0.0)
    homes = np.array([stance.home for stance in physics.stances])
    np.testing.assert_allclose(stance_places(strider), homes, atol=1e-6)
    assert not [held for held in bpy.data.objects if held.name.startswith("Obstacle")]


def test_entries_are_removed_one_by_one(strider: Any) -> None:
    run("physics_limb_add", joint="left_knee")
    run("physics_limb_add", joint="right_knee")
    run("physics_remove", kind="LIMB", index=0)
    assert [limb.joint for limb in character_of(strider).physics.limbs] == ["right_knee"]
    assert "There is no entry number 4" in refused("physics_remove", kind="LIMB", index=4)
    assert "has no spine" in refused("physics_lock_add", joint="spine")


def test_what_cannot_be_changes_nothing(strider: Any) -> None:
    run("physics_fit")
    before = state()
    message = refused("physics_solve", begin=30, end=20)
    assert "There is no frame from 30 to 20" in message
    assert state() == before


def test_without_the_optimiser_buttons_say_how_to_get_it(armature: Any, without_optimiser: None) -> None:
    for name in ("physics_fit", "physics_solve"):
        with pytest.raises(RuntimeError, match="CasADi"):
            getattr(bpy.ops.poise, name)()
    assert solver.spacetime.MISSING

# SPDX-License-Identifier: GPL-3.0-or-later
"""Walks in place with the add-on's defaults: found, accepted, solved and cleaned; and what counts as a loop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge, translation
from poise.addon.properties import character_of
from poise.addon.workflows import detect, loops

from ...solver.in_place import Ends, InPlace
from ..characters import armature, registered
from ..in_place import armature_in_place, shown

__all__ = ["armature", "registered"]

ENDS: tuple[Ends, ...] = ("again", "before", "short")


@pytest.fixture(params=ENDS)
def cycle(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Any, InPlace, Ends]:
    """A walk in place in each of the ways in which loops end."""
    armature, made = armature_in_place(tmp_path, request.param)
    return armature, made, request.param


def run(name: str, **given: Any) -> Any:
    return getattr(bpy.ops.poise, name)(**given)


def assert_stands_and_loops(source: solver.Clip, result: solver.Clip, plants: list[Any], ends: Ends) -> None:
    """Hips hardly move, planted feet stand on the ground, and the ends meet as those of the source do."""
    size, marks = source.skeleton.size, source.skeleton.landmarks
    hips = marks.hips
    moved = np.linalg.norm(result.world.positions[:, hips] - source.world.positions[:, hips], axis=1).max()
    assert moved < 0.03 * size
    before, after = (solver.foot_metrics(clip, plants).largest_slide for clip in (source, result))
    assert before > 0.005 and after < 0.02 * before
    added = (result.world.positions - source.world.positions) / size
    if ends != "before":
        assert np.abs(added[-1] - added[0]).max() < 1e-5
    once = added if ends == "before" else added[:-1]
    bends = np.linalg.norm(np.roll(once, 1, axis=0) - 2.0 * once + np.roll(once, -1, axis=0), axis=-1).max(axis=1)
    assert max(bends[0], bends[-1]) < 2.0 * bends[1:-1].max()


def test_found_accepted_and_solved(cycle: tuple[Any, InPlace, Ends]) -> None:
    armature, made, ends = cycle
    source = bridge.read(armature).clip
    assert run("detect_footplants") == {"FINISHED"}
    speed = np.linalg.norm(made.velocity)
    velocities = np.array([item.ground_velocity for item in character_of(armature).found])
    np.testing.assert_allclose(np.linalg.norm(velocities, axis=1), speed, rtol=0.05)
    assert run("found_accept_all") == {"FINISHED"}
    assert run("solve") == {"FINISHED"}
    character = character_of(armature)
    assert "as a loop: every constraint holds" in character.last_solve
    plants = translation.translate(armature, bridge.read(armature)).constraints
    assert_stands_and_loops(source, shown(armature), list(plants), ends)


@pytest.mark.parametrize("method", ["STRETCH", "RIGID", "PRIORITIZED"])
def test_cleaned(cycle: tuple[Any, InPlace, Ends], method: str) -> None:
    armature, _, ends = cycle
    source = bridge.read(armature).clip
    character = character_of(armature)
    assert run("clean", method=method) == {"FINISHED"}
    assert "footplants cleaned as a loop" in character.last_clean
    assert character.metrics_before.slide > 0.003 * source.skeleton.size
    assert character.metrics_after.slide < 0.02 * character.metrics_before.slide
    assert_stands_and_loops(source, shown(armature), list(solver.detect_footplants(source)), ends)


def test_find_tells_how_fast_the_ground_moves(tmp_path: Path) -> None:
    armature, made = armature_in_place(tmp_path)
    message = detect.find_footplants(armature).ground
    assert message.startswith("This is a cycle in place: the ground moves by ")
    assert f" {np.linalg.norm(made.velocity):.3g} m/s" in message


def test_find_tells_nothing_of_ground_that_is_still(armature: bpy.types.Object) -> None:
    assert detect.find_footplants(armature).ground == ""


def test_a_plant_that_is_added_by_hand_stands_on_the_same_ground_as_those_that_are_found(tmp_path: Path) -> None:
    armature, _ = armature_in_place(tmp_path)
    run("detect_footplants")
    run("constraint_add_footplant", foot="LEFT", begin=8, end=12)
    (added,), (found, *_) = character_of(armature).constraints, character_of(armature).found
    assert tuple(added.ground_velocity) == tuple(found.ground_velocity) != (0.0, 0.0, 0.0)


def test_a_plant_that_is_added_by_hand_to_a_walk_stands_on_still_ground(armature: bpy.types.Object) -> None:
    run("constraint_add_footplant", foot="LEFT", begin=8, end=12)
    assert tuple(character_of(armature).constraints[0].ground_velocity) == (0.0, 0.0, 0.0)


# What is a loop -------------------------------------------------------------------------------------------------------


def is_loop(armature: bpy.types.Object) -> bool:
    reading = bridge.read(armature)
    return loops.is_loop(reading, reading.clip)


def test_the_animator_may_say_what_is_a_loop(armature: bpy.types.Object) -> None:
    character = character_of(armature)
    assert character.loop == "AUTO" and not is_loop(armature)
    character.loop = "ON"
    assert is_loop(armature)
    character.loop = "OFF"
    assert not is_loop(armature)


def test_a_cycle_that_is_not_to_be_a_loop_is_none(tmp_path: Path) -> None:
    armature, _ = armature_in_place(tmp_path)
    assert is_loop(armature)
    character_of(armature).loop = "OFF"
    assert not is_loop(armature)


def test_an_action_that_is_marked_as_cyclic_is_a_loop(armature: bpy.types.Object) -> None:
    action, scene = armature.animation_data.action, bpy.context.scene
    action.use_frame_range = action.use_cyclic = True
    action.frame_start, action.frame_end = scene.frame_start, scene.frame_end
    assert is_loop(armature)


def test_a_part_of_a_cycle_is_no_loop(tmp_path: Path) -> None:
    armature, _ = armature_in_place(tmp_path)
    reading = bridge.read(armature, 1, 15)
    assert not loops.is_loop(reading, reading.clip)

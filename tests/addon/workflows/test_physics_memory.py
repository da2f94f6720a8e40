# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits are found by what they were made of, and what is out of date is known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy
import pytest

from poise import solver
from poise.addon.bridge import versions
from poise.addon.properties import character_of
from poise.addon.workflows import physics_memory
from poise.addon.workflows.physics_memory import State


def made_up(signature: str) -> Any:
    return SimpleNamespace(signature=signature, fit=SimpleNamespace(stances=()), frame_at=lambda seconds: seconds)


def test_the_newest_fits_are_kept_by_their_signatures(armature: Any) -> None:
    for number in range(physics_memory.MOST + 2):
        physics_memory.keep_fit(armature, made_up(f"{number}"))
    assert physics_memory.fit_with(armature, "0") is None
    newest = physics_memory.fit_with(armature, f"{physics_memory.MOST + 1}")
    assert newest is not None
    assert physics_memory.fit_with(armature, "") is None
    character_of(armature).physics.fitted = newest.signature
    assert physics_memory.fit_of(armature) is newest
    physics_memory.forget(armature.name)
    assert physics_memory.fit_of(armature) is None


@pytest.mark.parametrize("change", ["recipe", "quality", "range", "key", "plant"])
def test_what_a_fit_depends_on_is_in_its_signature(change: str, armature: Any) -> None:
    physics, scene = character_of(armature).physics, bpy.context.scene
    before = physics_memory.fit_signature(armature)
    assert physics_memory.fit_signature(armature) == before
    if change == "recipe":
        physics.recipe = "HOPPER"
    elif change == "quality":
        physics.quality = "DRAFT"
    elif change == "range":
        scene.frame_end -= 5
    elif change == "key":
        data = armature.animation_data
        versions.curves_of(data.action, versions.slot_of(data))[0].keyframe_points[3].co.y += 0.1
    else:
        bpy.ops.poise.constraint_add_footplant(foot="LEFT")
    assert physics_memory.fit_signature(armature) != before


def test_edits_and_other_constraints_need_no_new_fit(armature: Any) -> None:
    before = physics_memory.fit_signature(armature)
    character_of(armature).physics.gravity = "MOON"
    bpy.ops.poise.constraint_add_pin(bone="l_wrist", frame=20)
    assert physics_memory.fit_signature(armature) == before


def test_the_range_is_as_much_of_the_action_as_the_scene_plays(armature: Any) -> None:
    scene, physics = bpy.context.scene, character_of(armature).physics
    first, last = scene.frame_start, scene.frame_end
    assert physics_memory.span(armature) == (first, last)
    scene.frame_end = last + 100
    assert physics_memory.span(armature) == (first, last)
    scene.frame_start = first + 5
    assert physics_memory.span(armature) == (first + 5, last)
    physics.use_range, physics.begin, physics.end = True, 3, 9
    assert physics_memory.span(armature) == (3, 9)
    assert physics_memory.span(armature, {"begin": 4}) == (4, 9)


def test_what_is_out_of_date_is_known(armature: Any) -> None:
    character = character_of(armature)
    physics = character.physics
    assert physics_memory.state_of(armature) == State()
    physics.fitted = physics_memory.fit_signature(armature)
    assert physics_memory.state_of(armature) == State()
    bpy.ops.poise.solve()
    fit = made_up(physics.fitted)
    physics_memory.keep_fit(armature, fit)
    physics.solved = physics_memory.result_signature(fit.signature, solver.spacetime.Edit(), "action", 0.0)
    assert physics_memory.state_of(armature) == State()
    physics.flight = 2.0
    assert physics_memory.state_of(armature) == State(is_result_stale=True)
    assert physics_memory.state_of(armature, longest_age=60.0) == State(is_result_stale=True)
    physics.flight, physics.quality = 1.0, "DRAFT"
    assert physics_memory.state_of(armature, longest_age=60.0) == State(is_result_stale=True), "not looked at again"
    assert physics_memory.state_of(armature) == State(is_fit_stale=True, is_result_stale=True)


def test_another_result_is_none_of_the_physics(armature: Any) -> None:
    physics = character_of(armature).physics
    result: Any = SimpleNamespace(signature="one")
    physics_memory.keep_result(armature, result)
    physics.solved = "one"
    assert physics_memory.result_of(armature) is None, "the armature shows its source"
    bpy.ops.poise.solve()
    assert physics.solved == "" and physics_memory.result_of(armature) is None
    physics.solved = "one"
    assert physics_memory.result_of(armature) is result
    bpy.ops.poise.clean()
    assert physics.solved == ""

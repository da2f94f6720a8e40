# SPDX-License-Identifier: GPL-3.0-or-later
"""A range of the scene that leaves out a part of the action is reported, and one click takes all of it."""

from __future__ import annotations

import bpy

from poise.addon.properties import character_of
from poise.addon.workflows import ranges, solve

from ..operators.test_constraints import refused, run


def test_a_range_that_leaves_out_a_part_is_reported_and_one_click_takes_all(armature: bpy.types.Object) -> None:
    scene = bpy.context.scene
    assert ranges.range_warning(armature) == ""
    first, last = scene.frame_start, scene.frame_end
    scene.frame_end = last - 20
    warning = ranges.range_warning(armature)
    assert f"{first} to {last - 20}" in warning and f"{first} to {last}" in warning and "Use Action's Range" in warning
    run("detect_footplants")
    run("found_accept_all")
    assert warning in solve.solve(armature).notes
    assert warning == ranges.range_warning(armature), "the result that is shown is not what is meant"
    assert run("range_from_action") == {"FINISHED"}
    assert (scene.frame_start, scene.frame_end) == (first, last)
    assert not ranges.range_warning(armature) and not solve.solve(armature).notes


def test_a_range_that_was_set_for_solving_is_not_reported(armature: bpy.types.Object) -> None:
    bpy.context.scene.frame_end -= 20
    character_of(armature).use_range = True
    assert ranges.range_warning(armature) == ""


def test_a_longer_range_leaves_nothing_out(armature: bpy.types.Object) -> None:
    bpy.context.scene.frame_end += 100
    assert ranges.range_warning(armature) == ""


def test_without_an_action_there_is_no_range_to_take(armature: bpy.types.Object) -> None:
    armature.animation_data.action = None
    assert ranges.range_warning(armature) == ""
    assert "no action" in refused("range_from_action")

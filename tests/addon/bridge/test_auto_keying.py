# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys by the rules of Blender's auto-keying."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import pytest

from poise.addon import bridge
from poise.addon.bridge import auto_keying, sources, versions

from .rigs import set_action, straight_chain


@pytest.fixture
def armature() -> Iterator[bpy.types.Object]:
    tools, edit = bpy.context.scene.tool_settings, bpy.context.preferences.edit
    tools.use_keyframe_insert_auto = True
    yield straight_chain(("A", "B", "C"))
    edit.use_auto_keyframe_insert_needed, edit.use_keyframe_insert_available = False, False
    tools.use_keyframe_insert_auto, tools.use_keyframe_insert_keyingset = False, False
    tools.auto_keying_mode = "ADD_REPLACE_KEYS"


def keyed(armature: bpy.types.Object) -> set[tuple[str, int]]:
    """The paths and indices with a key at the current frame."""
    found, frame = set(), bpy.context.scene.frame_current
    data = armature.animation_data
    for curve in versions.all_curves_of(data.action) if data is not None and data.action is not None else ():
        if any(key.co[0] == frame for key in curve.keyframe_points):
            found.add((curve.data_path, curve.array_index))
    return found


def changes(armature: bpy.types.Object) -> dict[str, list[str]]:
    first = armature.pose.bones[0].name
    armature.pose.bones[0].rotation_mode = "QUATERNION"
    armature.pose.bones[0].rotation_quaternion = (0.9, 0.1, 0.0, 0.0)
    return {first: ["rotation_quaternion"]}


def test_without_auto_keying_nothing_is_keyed(armature: bpy.types.Object) -> None:
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = False
    assert auto_keying.key_changes(armature, changes(armature)) == 0
    assert keyed(armature) == set()


def test_only_what_was_changed_is_keyed(armature: bpy.types.Object) -> None:
    assert auto_keying.key_changes(armature, changes(armature)) == 1
    path = armature.pose.bones[0].path_from_id("rotation_quaternion")
    assert keyed(armature) == {(path, index) for index in range(4)}


def test_only_available_channels(armature: bpy.types.Object) -> None:
    bpy.context.preferences.edit.use_keyframe_insert_available = True
    set_action(armature)
    assert auto_keying.key_changes(armature, changes(armature)) == 0
    assert keyed(armature) == set()


def test_only_needed_keys(armature: bpy.types.Object) -> None:
    auto_keying.key_changes(armature, changes(armature))
    bpy.context.scene.frame_set(bpy.context.scene.frame_current + 5)
    bpy.context.preferences.edit.use_auto_keyframe_insert_needed = True
    auto_keying.key_changes(armature, changes(armature))
    assert keyed(armature) == set()


def test_replace_adds_no_key(armature: bpy.types.Object) -> None:
    auto_keying.key_changes(armature, changes(armature))
    bpy.context.scene.frame_set(bpy.context.scene.frame_current + 5)
    bpy.context.scene.tool_settings.auto_keying_mode = "REPLACE_KEYS"
    auto_keying.key_changes(armature, changes(armature))
    assert keyed(armature) == set()


def test_the_active_keying_set_says_what_is_keyed(armature: bpy.types.Object) -> None:
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.scene.tool_settings.use_keyframe_insert_keyingset = True
    sets = bpy.context.scene.keying_sets_all
    sets.active = next(found for found in sets if found.bl_idname == "Location")
    window = bpy.context.window_manager.windows[0]
    with bpy.context.temp_override(window=window, area=window.screen.areas[0]):
        assert auto_keying.key_changes(armature, changes(armature)) == 1
    assert {path for path, _ in keyed(armature)} == {armature.pose.bones[0].path_from_id("location")}


def test_a_result_is_not_keyed(armature: bpy.types.Object) -> None:
    set_action(armature)
    auto_keying.check_keyable(armature)
    sources.mark(armature.animation_data.action, None, "", sources.ResultRecord())
    with pytest.raises(bridge.BridgeError, match="which the next solve replaces"):
        auto_keying.check_keyable(armature)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = False
    auto_keying.check_keyable(armature)

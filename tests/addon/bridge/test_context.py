# SPDX-License-Identifier: GPL-3.0-or-later
"""The current scene and view layer are those of Blender, and missing items and properties are None."""

from __future__ import annotations

from pathlib import Path

import bpy

from poise.addon.bridge import context

from .rigs import straight_chain


def test_the_current_scene_and_view_layer_are_blenders() -> None:
    assert context.scene() == bpy.context.scene
    assert context.view_layer() == bpy.context.view_layer


def test_what_is_missing_is_none() -> None:
    armature = straight_chain(["a"])
    armature["size"] = 3
    assert context.get_item(armature.pose.bones, "a") == armature.pose.bones["a"]
    assert context.get_item(armature.pose.bones, "b") is None
    assert (context.custom_property(armature, "size"), context.custom_property(armature, "weight")) == (3, None)


def test_linked_objects_and_overrides_are_distinguished(tmp_path: Path) -> None:
    straight_chain(["a"])
    path = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(str(path), link=True) as (source, target):
        target.objects = list(source.objects)
    linked = bpy.data.objects["Chain"]
    bpy.context.scene.collection.objects.link(linked)
    assert context.is_linked(linked) and not context.is_override(linked)
    override = linked.override_create(remap_local_usages=True)
    assert context.is_override(override) and not context.is_linked(override)

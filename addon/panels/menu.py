# SPDX-License-Identifier: GPL-3.0-or-later
"""The menu "Poise" in object and pose mode. Search (F3) finds only operators that are in a menu."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Menu

ENTRIES: tuple[tuple[str, str] | None, ...] = (
    ("poise.detect_footplants", "TRIA_DOWN_BAR"),
    ("poise.found_accept", "CHECKMARK"),
    ("poise.found_reject", "X"),
    ("poise.found_accept_all", "CHECKMARK"),
    ("poise.found_reject_all", "X"),
    None,
    ("poise.ground_check", "VIEWZOOM"),
    ("poise.ground_keep_heights", "LOCKED"),
    ("poise.ground_put_on", "TRIA_DOWN_BAR"),
    ("poise.range_from_action", "ARROW_LEFTRIGHT"),
    None,
    ("poise.detect_handplants", "VIEW_PAN"),
    ("poise.posture_drag", "VIEW_PAN"),
    ("poise.posture_pin", "PINNED"),
    ("poise.posture_unpin_all", "UNPINNED"),
    ("poise.posture_wall_add", "MESH_PLANE"),
    None,
    ("poise.clean", "BRUSH_DATA"),
    ("poise.solve", "PLAY"),
    ("poise.live_toggle", "REC"),
    ("poise.compare_toggle", "ARROW_LEFTRIGHT"),
    ("poise.source_restore", "LOOP_BACK"),
    ("poise.result_apply", "CHECKMARK"),
    ("poise.advice_show_ignored", "HIDE_OFF"),
    None,
    ("poise.physics_fit", "MOD_PHYSICS"),
    ("poise.physics_solve", "PLAY"),
    ("poise.physics_footprints_add", "EMPTY_ARROWS"),
    ("poise.physics_spread", "ARROW_LEFTRIGHT"),
    ("poise.physics_obstacle_add", "ADD"),
    ("poise.physics_limb_add", "ADD"),
    ("poise.physics_lock_add", "ADD"),
    ("poise.physics_reset", "LOOP_BACK"),
    None,
    ("poise.unpin", "UNPINNED"),
    ("poise.event_move", "ARROW_LEFTRIGHT"),
    ("poise.markers_update", "MARKER_HLT"),
    ("poise.markers_remove", "X"),
    None,
    ("poise.example_character_add", "ARMATURE_DATA"),
    ("poise.bakeable_copy", "DUPLICATE"),
    ("poise.handles_make_own", "EMPTY_AXIS"),
    ("poise.leftovers_remove", "TRASH"),
)
"""Operators with their icons; None is a separator."""

PARENTS = ("VIEW3D_MT_object", "VIEW3D_MT_pose")
ADDING = "VIEW3D_MT_armature_add"
"""Blender's menu Add → Armature of object mode."""


class POISE_MT_poise(Menu):  # noqa: N801
    """Edit motion by constraints"""

    bl_idname = "POISE_MT_poise"
    bl_label = "Poise"

    def draw(self, context: bpy.types.Context) -> None:
        layout: Any = self.layout
        layout.operator("poise.character_recognise", icon="VIEWZOOM")
        layout.operator_menu_enum("poise.landmark_set", "mark")
        layout.operator_menu_enum("poise.landmark_clear", "mark")
        layout.operator("poise.load_add", icon="ADD")
        layout.separator()
        layout.menu("POISE_MT_constraint_add", icon="ADD")
        layout.menu("POISE_MT_constraint_more", text="Constraint")
        layout.menu("POISE_MT_detect")
        layout.separator()
        layout.operator_menu_enum("poise.recruit_step", "direction")
        layout.operator_menu_enum("poise.priority_step", "direction")
        for entry in ENTRIES:
            if entry is None:
                layout.separator()
            else:
                layout.operator(entry[0], icon=entry[1])


def draw_example(menu: Any, context: bpy.types.Context) -> None:
    """Draw the entry in the menu that adds armatures."""
    menu.layout.operator("poise.example_character_add", text="Walking Character (Poise)", icon="ARMATURE_DATA")


def draw_entry(menu: Any, context: bpy.types.Context) -> None:
    """Draw the entry in a menu of the 3D viewport."""
    menu.layout.separator()
    menu.layout.menu("POISE_MT_poise")


def register() -> None:
    """Add the menu to those of the 3D viewport."""
    for parent in PARENTS:
        getattr(bpy.types, parent).append(draw_entry)
    getattr(bpy.types, ADDING).append(draw_example)


def unregister() -> None:
    """Remove the menu from those of the 3D viewport."""
    getattr(bpy.types, ADDING).remove(draw_example)
    for parent in PARENTS:
        getattr(bpy.types, parent).remove(draw_entry)


classes = (POISE_MT_poise,)

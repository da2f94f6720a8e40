# SPDX-License-Identifier: GPL-3.0-or-later
"""The posture tool: click a bone and drag it. Pinned bones have a mark, which is clicked to unpin them."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Gizmo, GizmoGroup, Panel, UILayout, WorkSpaceTool
from mathutils import Matrix

from ..properties import armature_in, character_of
from ..workflows import pins

TOOL = "poise.posture"
GIZMOS = "POISE_GGT_posture"
POPOVER = "POISE_PT_posture_tool"

MARK_SIZE = 0.12
"""The size of a pin's mark, as a share of Blender's own gizmos."""
HANDLE_SIZE = 0.18

AFTER = "builtin.transform"
"""The tool after which this one stands."""


def is_active(context: bpy.types.Context) -> bool:
    """Whether the posture tool is the one of pose mode now."""
    workspace = context.workspace
    tool: Any = workspace.tools.from_space_view3d_mode("POSE") if workspace is not None else None
    return tool is not None and tool.idname == TOOL


def _posing(context: bpy.types.Context) -> bpy.types.Object | None:
    """The armature that is posed; None in other modes."""
    armature = armature_in(context)
    return armature if armature is not None and armature.mode == "POSE" else None


class POISE_GGT_posture(GizmoGroup):  # noqa: N801
    """A handle at the head of the active bone, and a mark on each pinned bone."""

    bl_idname = GIZMOS
    bl_label = "Posture"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}  # noqa: RUF012

    handle: Gizmo
    marks: list[Gizmo]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether an armature is posed with this tool: Blender asks with every tool."""
        return _posing(context) is not None and is_active(context)

    def setup(self, context: bpy.types.Context) -> None:
        """Make the handle; marks are made as pins are."""
        theme = context.preferences.themes[0].view_3d  # type: ignore[union-attr]
        handle: Any = self.gizmos.new("GIZMO_GT_move_3d")
        handle.draw_options = {"ALIGN_VIEW"}
        handle.scale_basis = HANDLE_SIZE
        handle.color, handle.color_highlight = theme.bone_pose_active, theme.bone_pose_active
        handle.alpha, handle.alpha_highlight = 0.7, 1.0
        dragging: Any = handle.target_set_operator("poise.posture_drag")
        dragging.share = 0.0
        self.handle, self.marks = handle, []

    def draw_prepare(self, context: bpy.types.Context) -> None:
        """Put the handle and the marks where the bones are."""
        armature = _posing(context)
        active = context.active_pose_bone
        self.handle.hide = armature is None or active is None
        if armature is None or armature.pose is None:
            return
        if active is not None and active.id_data == armature:
            self.handle.matrix_basis = Matrix.Translation(armature.matrix_world @ active.head)
        pinned = list(pins.pinned_bones(armature))
        while len(self.marks) < len(pinned):
            self.marks.append(self._new_mark(context))
        for number, mark in enumerate(self.marks):
            mark.hide = number >= len(pinned)
            if not mark.hide:
                bone = armature.pose.bones[pinned[number]]
                unpinning: Any = mark.target_set_operator("poise.posture_pin")
                unpinning.bone, unpinning.hold = bone.name, pins.pinned_bones(armature)[bone.name]
                mark.matrix_basis = Matrix.Translation(armature.matrix_world @ bone.head)

    def _new_mark(self, context: bpy.types.Context) -> Gizmo:
        mark: Any = self.gizmos.new("GIZMO_GT_button_2d")
        mark.icon = "PINNED"
        mark.draw_options = {"BACKDROP", "OUTLINE"}
        mark.scale_basis = MARK_SIZE
        theme = context.preferences.themes[0].view_3d  # type: ignore[union-attr]
        mark.color, mark.color_highlight = theme.bone_pose, theme.bone_pose_active
        mark.alpha, mark.alpha_highlight = 0.8, 1.0
        made: Gizmo = mark
        return made


class POISE_PT_posture_tool(Panel):  # noqa: N801
    """Settings of the posture tool that do not fit in its header"""

    bl_idname = POPOVER
    bl_label = "Posture"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_ui_units_x = 14

    def draw(self, context: bpy.types.Context) -> None:
        """Draw pins, walls and what else holds."""
        armature = _posing(context)
        assert self.layout is not None
        if armature is None:
            return
        character, layout = character_of(armature), self.layout
        layout.use_property_split = True
        layout.prop(character.posture, "keep_rotation")
        layout.prop(character.posture, "use_limits")
        layout.prop(character, "use_anatomical_limits")
        layout.prop(character.posture, "use_ground")
        layout.separator()
        layout.label(text="Pinned Bones")
        _draw_pins(layout, armature)
        layout.label(text="Walls")
        for index, wall in enumerate(character.posture.walls):
            row = layout.row(align=True)
            row.use_property_split = False
            row.prop(wall, "object", text="")
            row.operator("poise.posture_wall_remove", text="", icon="X").index = index
        layout.operator("poise.posture_wall_add", icon="ADD")


def _draw_pins(layout: UILayout, armature: bpy.types.Object) -> None:
    for pin in character_of(armature).posture.pins:
        row = layout.row(align=True)
        row.use_property_split = False
        row.label(text=pin.bone, icon="PINNED")
        row.prop(pin, "hold", text="")
        removing: Any = row.operator("poise.posture_pin", text="", icon="X")
        removing.bone, removing.hold = pin.bone, pin.hold
    row = layout.row(align=True)
    row.operator("poise.posture_pin", text="Pin Selected", icon="PINNED")
    row.operator("poise.posture_unpin_all", text="Unpin All")


def _draw_settings(context: bpy.types.Context, layout: UILayout, tool: Any) -> None:
    """The settings in the header; Blender calls this without an object of the tool's class."""
    armature = _posing(context)
    if armature is None:
        return
    settings = character_of(armature).posture
    layout.prop(settings, "use_all")
    if not settings.use_all:
        layout.prop(settings, "recruit_level")
    layout.prop(settings, "feet_stay")
    layout.prop(settings, "balance")
    layout.operator("poise.posture_pin", text="Pin", icon="PINNED")
    layout.popover(POPOVER, text="Pins and Limits")


class PostureTool(WorkSpaceTool):
    """Drag bones with the whole body."""

    bl_space_type = "VIEW_3D"
    bl_context_mode = "POSE"
    bl_idname = TOOL
    bl_label = "Posture"
    bl_description = (
        "Drag any bone, and the body follows.\n"
        "Pinned bones, feet and balance hold. The mouse wheel changes how many bones help.\n"
        "P pins the selected bones; Esc restores while dragging"
    )
    bl_icon = "ops.armature.extrude_cursor"
    bl_widget = GIZMOS
    bl_keymap = (
        ("poise.posture_drag", {"type": "LEFTMOUSE", "value": "CLICK_DRAG"}, None),
        ("view3d.select", {"type": "LEFTMOUSE", "value": "PRESS"}, {"properties": [("deselect_all", True)]}),
        (
            "view3d.select",
            {"type": "LEFTMOUSE", "value": "PRESS", "shift": True},
            {"properties": [("toggle", True)]},
        ),
        ("poise.posture_pin", {"type": "P", "value": "PRESS"}, None),
    )
    draw_settings = staticmethod(_draw_settings)


classes = (POISE_GGT_posture, POISE_PT_posture_tool)


def register() -> None:
    """Add the tool to the toolbar."""
    bpy.utils.register_tool(PostureTool, after={AFTER}, separator=True)


def unregister() -> None:
    """Remove the tool from the toolbar."""
    bpy.utils.unregister_tool(PostureTool)

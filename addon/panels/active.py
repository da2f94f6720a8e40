# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of the active constraint."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Panel, UILayout, UIList

from ..properties import (
    POINT_KINDS,
    active_constraint,
    armature_in,
    backwards_sentence,
    current_name,
    resolve_bone,
)
from ..properties.handles import is_in_scene
from ..workflows.recruiting import recruited_bones
from .base import OfArmature, armature_of, draw_sentence
from .residual import draw_residual


class POISE_UL_points(UIList):  # noqa: N801
    """The points of a constraint with their frames"""

    def draw_item(
        self,
        context: bpy.types.Context,
        layout: UILayout,
        data: Any,
        item: Any,
        icon: int | None,
        active_data: Any,
        active_property: str | None,
        index: int | None = 0,
        flt_flag: int | None = 0,
    ) -> None:
        row = layout.row(align=True)
        if not is_in_scene(item.object):
            row.label(text="Its empty has been deleted", icon="ERROR")
        else:
            row.label(text=item.object.name, icon="EMPTY_AXIS", translate=False)
        frames = row.row(align=True)
        frames.alignment = "RIGHT"
        stays = item.end != item.begin
        frames.alert = item.end < item.begin
        frames.label(text=f"{item.begin:g}–{item.end:g}" if stays else f"{item.begin:g}", translate=False)


class OfConstraint(OfArmature):
    """Mixed into panels that need an active constraint."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is an active constraint."""
        armature = armature_in(context)
        return armature is not None and active_constraint(armature) is not None


class POISE_PT_active(OfConstraint, Panel):  # noqa: N801
    """The settings of the active constraint"""

    bl_idname = "POISE_PT_active"
    bl_label = "Active Constraint"

    def draw(self, context: bpy.types.Context) -> None:
        armature = armature_of(context)
        item: Any = active_constraint(armature)
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        draw_constraint(layout, armature, item)
        draw_residual(layout, context, armature, item)


class POISE_PT_points(OfConstraint, Panel):  # noqa: N801
    """The points of the active constraint and their frames"""

    bl_idname = "POISE_PT_points"
    bl_label = "Points"
    bl_parent_id = "POISE_PT_active"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active constraint has points."""
        armature = armature_in(context)
        item = active_constraint(armature) if armature is not None else None
        return item is not None and item.kind in POINT_KINDS

    def draw(self, context: bpy.types.Context) -> None:
        item: Any = active_constraint(armature_of(context))
        layout = self.layout
        row = layout.row()
        row.template_list("POISE_UL_points", "", item, "points", item, "active_point", rows=3)
        side = row.column(align=True)
        side.operator("poise.point_add", text="", icon="ADD")
        side.operator("poise.point_remove", text="", icon="REMOVE")
        if not 0 <= item.active_point < len(item.points):
            return
        point = item.points[item.active_point]
        column = layout.column(align=True)
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(point, "begin", text="Held from")
        column.prop(point, "end", text="to")
        if point.begin > point.end:
            sentence = backwards_sentence(item.active_point + 1, point)
            draw_sentence(column, context, sentence[0].upper() + sentence[1:], "ERROR")
        column.separator()
        column.prop(point, "tension", slider=True)
        column.prop(point, "continuity", slider=True)
        column.prop(point, "bias", slider=True)


class POISE_PT_recruiting(OfConstraint, Panel):  # noqa: N801
    """Which bones may move for the active constraint"""

    bl_idname = "POISE_PT_recruiting"
    bl_label = "Recruiting"
    bl_parent_id = "POISE_PT_active"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        armature = armature_of(context)
        item: Any = active_constraint(armature)
        layout = self.layout
        layout.row().prop(item, "recruit", expand=True)
        if item.recruit == "LEVEL":
            layout.prop(item, "recruit_level")
        if item.recruit == "BONES":
            draw_bones(layout, armature, item, "recruited", "RECRUITED")
        elif names := recruited_bones(armature, item):
            draw_sentence(layout, context, ", ".join(names), "BONE_DATA")
        layout.operator("poise.recruited_select", icon="RESTRICT_SELECT_OFF")


def draw_constraint(layout: UILayout, armature: bpy.types.Object, item: Any) -> None:
    """Draw the settings of a constraint, without its points and its recruiting."""
    layout.prop(item, "name")
    column = layout.column(align=True)
    column.prop(item, "priority")
    column.prop(item, "weight")
    layout.prop(item, "exact")
    _DRAWN[item.kind](layout, armature, item)


def _draw_path(layout: UILayout, armature: bpy.types.Object, item: Any) -> None:
    _draw_bone(layout, armature, item, "bone", "Bone")
    column = layout.column(align=True)
    column.prop(item, "begin")
    column.prop(item, "end")
    layout.prop(item, "mode")


def _draw_shape(layout: UILayout, armature: bpy.types.Object, item: Any) -> None:
    _draw_path(layout, armature, item)
    layout.prop(item, "offset")
    layout.prop(item, "reference")
    if item.reference == "BONE":
        _draw_bone(layout, armature, item, "reference_bone", "Of")
    elif item.reference == "OBJECT":
        layout.prop(item, "reference_object", text="Of")


def _draw_look_at(layout: UILayout, armature: bpy.types.Object, item: Any) -> None:
    _draw_path(layout, armature, item)
    layout.prop(item, "aim")
    layout.prop(item, "axis")


def _draw_footplant(layout: UILayout, armature: bpy.types.Object, item: Any) -> None:
    layout.prop(item, "foot")
    for part, title in (("heel", "Heel"), ("toe", "Ball")):
        column = layout.column(align=True)
        column.prop(item, f"has_{part}", text=title)
        times = column.column(align=True)
        times.active = getattr(item, f"has_{part}")
        times.prop(item, f"{part}_strike", text="Down")
        times.prop(item, f"{part}_off", text="Up")
    _draw_eases(layout, item)
    column = layout.column(align=True, heading="Set")
    column.prop(item, "use_position", text="Position")
    column.prop(item, "use_heading", text="Heading")
    row = column.row(align=True)
    row.prop(item, "use_height", text="Height")
    height = row.row(align=True)
    height.active = item.use_height
    height.prop(item, "height", text="")
    choice = layout.row()
    choice.active = not item.use_height
    choice.prop(item, "ground_choice")
    layout.prop(item, "ground_velocity", text="Velocity")


def _draw_handplant(layout: UILayout, armature: bpy.types.Object, item: Any) -> None:
    layout.prop(item, "hand")
    column = layout.column(align=True)
    column.prop(item, "begin", text="Down")
    column.prop(item, "end", text="Up")
    _draw_eases(layout, item)
    layout.prop(item, "use_position", text="Own Place")
    layout.prop(item, "reference", text="Stands On")
    if item.reference == "OBJECT":
        layout.prop(item, "reference_object", text="Of")


def _draw_eases(layout: UILayout, item: Any) -> None:
    column = layout.column(align=True)
    column.prop(item, "ease_in")
    column.prop(item, "ease_out", text="Out")
    if min(item.ease_in, item.ease_out) < 0.0:
        column.label(text="−1: a quarter of a second")


def _draw_balance(layout: UILayout, armature: bpy.types.Object, item: Any) -> None:
    layout.prop(item, "is_whole")
    if not item.is_whole:
        column = layout.column(align=True)
        column.prop(item, "begin")
        column.prop(item, "end")
    layout.row(align=True).prop(item, "axes", expand=True)
    layout.prop(item, "displacement")
    layout.prop(item, "support")
    if item.support == "FEET":
        layout.label(text="Stands on" if len(item.bones) else "Stands on the feet")
        draw_bones(layout, armature, item, "bones", "BONE")


def _draw_pose(layout: UILayout, armature: bpy.types.Object, item: Any) -> None:
    column = layout.column(align=True)
    column.prop(item, "begin")
    column.prop(item, "end")
    _draw_eases(layout, item)
    layout.prop(item, "pose_space", expand=True)
    layout.operator("poise.pose_capture", icon="POSE_HLT")
    draw_bones(layout, armature, item, "bones", "BONE")


_DRAWN = {
    "SHAPE": _draw_shape,
    "FOOTPLANT": _draw_footplant,
    "ORIENTATION": _draw_path,
    "LOOK_AT": _draw_look_at,
    "BALANCE": _draw_balance,
    "POSE": _draw_pose,
    "HANDPLANT": _draw_handplant,
}


def _draw_bone(layout: UILayout, armature: bpy.types.Object, item: Any, field: str, title: str) -> None:
    """Draw a button with the name of a bone that opens the choice of another; red where the bone was deleted."""
    name = current_name(armature, item, field)
    row = layout.split(factor=0.4, align=True)
    label = row.row()
    label.alignment = "RIGHT"
    label.label(text=title)
    button = row.row(align=True)
    button.alert = not resolve_bone(armature, name, getattr(item, f"{field}_id"))
    choose: Any = button.operator("poise.bone_choose", text=name or "Choose", icon="BONE_DATA", translate=False)
    choose.field = field


def draw_bones(layout: UILayout, armature: bpy.types.Object, item: Any, listed: str, role: str) -> None:
    """Draw a list of bones, with a button that replaces them by the selected ones."""
    if len(getattr(item, listed)):
        box = layout.box().column(align=True)
        for each in getattr(item, listed):
            _draw_listed(box, armature, each)
    pick: Any = layout.operator("poise.constraint_pick", icon="EYEDROPPER")
    pick.role = role


def _draw_listed(layout: UILayout, armature: bpy.types.Object, each: Any) -> None:
    is_there = bool(resolve_bone(armature, each.bone, each.bone_id))
    name = current_name(armature, each)
    layout.label(
        text=name if is_there else f"{name} (deleted)", icon="BONE_DATA" if is_there else "ERROR", translate=False
    )


classes = (POISE_UL_points, POISE_PT_active, POISE_PT_points, POISE_PT_recruiting)

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
from ..properties.points import default_ease
from ..properties.shown_names import shortened, shown_bone, shown_text
from ..workflows.recruiting import recruited_bones
from .base import OfArmature, armature_of, draw_own_value, draw_sentence, fitting_letters
from .residual import draw_residual

POINT_FRAMES_WIDTH = 6.0
"""Width of the frames of a point, of icons and of buttons beside the list, in units."""
TITLE_WIDTH = 0.4
"""Share of a line that the title of a value takes, as Blender divides it."""


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
            row.label(text="Its handle has been deleted", icon="ERROR")
        else:
            name = shown_text(data.id_data, item.object.name).removesuffix(f" {frames_text(item)}")
            letters = fitting_letters(context, POINT_FRAMES_WIDTH)
            row.label(text=shortened(name, letters), icon="EMPTY_AXIS", translate=False)
        frames = row.row(align=True)
        frames.alignment = "RIGHT"
        frames.alert = item.end < item.begin
        frames.label(text=frames_text(item), translate=False)


def frames_text(point: Any) -> str:
    """The frames at which a bone is held at a point, in few letters."""
    return f"{point.begin:g}–{point.end:g}" if point.end != point.begin else f"{point.begin:g}"


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
        draw_residual(layout, context, armature, item)
        draw_constraint(layout, context, armature, item)


class POISE_PT_details(OfConstraint, Panel):  # noqa: N801
    """What is seldom changed of the active constraint"""

    bl_idname = "POISE_PT_details"
    bl_label = "Details"
    bl_parent_id = "POISE_PT_active"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        armature = armature_of(context)
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        draw_details(layout, context, armature, active_constraint(armature))


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
    bl_label = "Bones That May Move"
    bl_parent_id = "POISE_PT_active"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        armature = armature_of(context)
        item: Any = active_constraint(armature)
        layout = self.layout
        layout.prop(item, "recruit", text="")
        if item.recruit == "LEVEL":
            layout.prop(item, "recruit_level")
        if item.recruit == "BONES":
            draw_bones(layout, armature, item, "recruited", "RECRUITED")
        elif names := recruited_bones(armature, item):
            draw_sentence(layout, context, ", ".join(shown_bone(armature, name) for name in names), "BONE_DATA")
        layout.operator("poise.recruited_select", icon="RESTRICT_SELECT_OFF")


def draw_constraint(layout: UILayout, context: bpy.types.Context, armature: bpy.types.Object, item: Any) -> None:
    """Draw the settings of a constraint that are changed often."""
    layout.prop(item, "name", text="", icon_value=UILayout.enum_item_icon(item, "kind", item.kind))
    _DRAWN[item.kind](layout, context, armature, item)
    layout.prop(item, "priority")


def draw_details(layout: UILayout, context: bpy.types.Context, armature: bpy.types.Object, item: Any) -> None:
    """Draw the settings of a constraint that are seldom changed."""
    layout.prop(item, "weight")
    layout.prop(item, "exact")
    if item.kind in ("SHAPE", "LOOK_AT"):
        layout.prop(item, "offset")
    if item.kind == "SHAPE":
        layout.prop(item, "reference")
        if item.reference == "BONE":
            _draw_bone(layout, context, armature, item, "reference_bone", "Of")
        elif item.reference == "OBJECT":
            layout.prop(item, "reference_object", text="Of")
    elif item.kind == "LOOK_AT":
        layout.prop(item, "axis")
    elif item.kind == "FOOTPLANT":
        layout.prop(item, "ground_velocity", text="Velocity")
    elif item.kind == "BALANCE":
        layout.row(align=True).prop(item, "axes", expand=True)


def _draw_frames(layout: UILayout, item: Any) -> None:
    """Draw the first and the last frame in one line."""
    row = _titled(layout, "Frames")
    row.prop(item, "begin", text="")
    row.prop(item, "end", text="")


def _titled(layout: UILayout, title: str) -> Any:
    """A line with a title, for several values."""
    split: Any = layout.split(factor=TITLE_WIDTH, align=True)
    label = split.row()
    label.alignment = "RIGHT"
    label.label(text=title)
    row = split.row(align=True)
    row.use_property_split = False
    return row


def _draw_path(layout: UILayout, context: bpy.types.Context, armature: bpy.types.Object, item: Any) -> None:
    _draw_bone(layout, context, armature, item, "bone", "Bone")
    _draw_frames(layout, item)
    layout.prop(item, "mode")


def _draw_look_at(layout: UILayout, context: bpy.types.Context, armature: bpy.types.Object, item: Any) -> None:
    _draw_path(layout, context, armature, item)
    layout.prop(item, "aim")


def _draw_footplant(layout: UILayout, context: bpy.types.Context, armature: bpy.types.Object, item: Any) -> None:
    layout.row().prop(item, "foot", expand=True)
    column = layout.column(align=True)
    head = _titled(column, "")
    head.label(text="Down")
    head.label(text="Up")
    for part, title in (("heel", "Heel"), ("toe", "Ball")):
        row = _titled(column, title)
        row.prop(item, f"has_{part}", text="")
        times = row.row(align=True)
        times.active = getattr(item, f"has_{part}")
        times.prop(item, f"{part}_strike", text="")
        times.prop(item, f"{part}_off", text="")
    _draw_eases(layout, item)
    row = _titled(layout, "Lock")
    row.prop(item, "use_position", text="Place", toggle=True)
    row.prop(item, "use_heading", text="Turn", toggle=True)
    row.prop(item, "use_height", text="Height", toggle=True)
    if item.use_height:
        layout.prop(item, "height")
    else:
        layout.prop(item, "ground_choice")


def _draw_handplant(layout: UILayout, context: bpy.types.Context, armature: bpy.types.Object, item: Any) -> None:
    layout.row().prop(item, "hand", expand=True)
    _draw_frames(layout, item)
    _draw_eases(layout, item)
    _titled(layout, "Lock").prop(item, "use_position", text="Place", toggle=True)
    row = _titled(layout, "Stands On")
    for reference in ("WORLD", "OBJECT"):  # a hand that stands on a bone is refused
        row.prop_enum(item, "reference", reference)
    if item.reference == "OBJECT":
        layout.prop(item, "reference_object", text="Of")


def _draw_eases(layout: UILayout, item: Any) -> None:
    column = layout.column(align=True)
    frames = f"{default_ease(item):g} frames (auto)"
    draw_own_value(column, item, "ease_in", "Ease In", frames)
    draw_own_value(column, item, "ease_out", "Ease Out", frames)


def _draw_balance(layout: UILayout, context: bpy.types.Context, armature: bpy.types.Object, item: Any) -> None:
    layout.prop(item, "is_whole")
    if not item.is_whole:
        _draw_frames(layout, item)
    layout.prop(item, "displacement")
    layout.prop(item, "support")
    if item.support == "FEET":
        if len(item.bones):
            layout.label(text="Over these bones instead:")
        draw_bones(layout, armature, item, "bones", "BONE")


def _draw_pose(layout: UILayout, context: bpy.types.Context, armature: bpy.types.Object, item: Any) -> None:
    _draw_frames(layout, item)
    _draw_eases(layout, item)
    layout.row().prop(item, "pose_space", expand=True)
    layout.operator("poise.pose_capture", icon="POSE_HLT")
    draw_bones(layout, armature, item, "bones", "BONE")


_DRAWN = {
    "SHAPE": _draw_path,
    "FOOTPLANT": _draw_footplant,
    "ORIENTATION": _draw_path,
    "LOOK_AT": _draw_look_at,
    "BALANCE": _draw_balance,
    "POSE": _draw_pose,
    "HANDPLANT": _draw_handplant,
}


def _draw_bone(
    layout: UILayout, context: bpy.types.Context, armature: bpy.types.Object, item: Any, field: str, title: str
) -> None:
    """Draw a button with the name of a bone that opens the choice of another; red where the bone was deleted."""
    name = current_name(armature, item, field)
    button = _titled(layout, title)
    button.alert = not resolve_bone(armature, name, getattr(item, f"{field}_id"))
    letters = int((1.0 - TITLE_WIDTH) * fitting_letters(context, beside=1.0))
    shown = shortened(shown_bone(armature, name), letters) or "Choose"
    choose: Any = button.operator("poise.bone_choose", text=shown, icon="BONE_DATA", translate=False)
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
    name = shown_bone(armature, current_name(armature, each))
    layout.label(
        text=name if is_there else f"{name} (deleted)", icon="BONE_DATA" if is_there else "ERROR", translate=False
    )


classes = (POISE_UL_points, POISE_PT_active, POISE_PT_points, POISE_PT_recruiting, POISE_PT_details)

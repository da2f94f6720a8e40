# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding constraints in the motion, by examples and without."""

from __future__ import annotations

import math
from typing import Any

import bpy
from bpy.types import Menu, Panel, UILayout, UIList

from .. import bridge
from ..properties import character_of, current_name
from ..properties.shown_names import shown_bone
from .base import OfArmature, armature_of, draw_sentence

SEARCHING = (
    ("poise.template_add", "ADD"),
    ("poise.template_show", "TIME"),
    ("poise.template_remove", "REMOVE"),
    ("poise.detect_template", "VIEWZOOM"),
    ("poise.detect_stays", "PINNED"),
    ("poise.detect_slides", "ARROW_LEFTRIGHT"),
    ("poise.detect_object", "VIEWZOOM"),
    ("poise.template_add_object", "ADD"),
    ("poise.event_show", "TIME"),
    ("poise.event_hold", "PINNED"),
    ("poise.events_clear", "X"),
)
"""Operators with their icons."""


class POISE_UL_examples(UIList):  # noqa: N801
    """Examples with kind, bone or object, and frames"""

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
        row.label(text="", icon_value=UILayout.enum_item_icon(item, "kind", item.kind))
        name = row.row(align=True)
        name.active = item.enabled
        bone = shown_bone(item.id_data, current_name(item.id_data, item))
        subject = item.object.name if item.object is not None else bone
        name.label(text=subject, translate=False)
        _draw_frames(row, item)
        row.prop(item, "enabled", text="")


class POISE_UL_events(UIList):  # noqa: N801
    """What objects do, with frames"""

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
        row.label(text="", icon_value=UILayout.enum_item_icon(item, "kind", item.kind))
        verb = UILayout.enum_item_name(item, "kind", item.kind)
        row.label(text=f"{item.object.name}: {verb}" if item.object is not None else item.name, translate=False)
        _draw_frames(row, item)


def _draw_frames(row: UILayout, item: Any) -> None:
    frames = row.row(align=True)
    frames.alignment = "RIGHT"
    frames.label(text=f"{item.begin:g}–{item.end:g}", translate=False)


class POISE_MT_detect(Menu):  # noqa: N801
    """Find contacts of bones and objects, by examples and without"""

    bl_idname = "POISE_MT_detect"
    bl_label = "More to Find"

    def draw(self, context: bpy.types.Context) -> None:
        layout: Any = self.layout
        for operator, icon in SEARCHING:
            layout.operator(operator, icon=icon)


class POISE_PT_detect(OfArmature, Panel):  # noqa: N801
    """Find constraints that the motion already satisfies"""

    bl_idname = "POISE_PT_detect"
    bl_label = "Find"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        character: Any = character_of(armature_of(context))
        column = layout.column(align=True)
        column.operator("poise.detect_footplants", icon="TRIA_DOWN_BAR")
        column.prop(character, "least_confidence", slider=True)


class POISE_PT_examples(OfArmature, Panel):  # noqa: N801
    """Examples of what to find, and their settings"""

    bl_idname = "POISE_PT_examples"
    bl_label = "More Than Feet"
    bl_parent_id = "POISE_PT_detect"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        armature = armature_of(context)
        character: Any = character_of(armature)
        detection = character.detection
        row = layout.row(align=True)
        row.prop(character, "template_kind", text="")
        row.operator("poise.template_add", text="Add Example", icon="ADD")
        if not len(detection.templates):
            draw_sentence(
                layout,
                context,
                "Select a bone, set the preview range (P) over an example of a contact, and add it.",
                "INFO",
            )
        else:
            _draw_examples(layout, armature, detection)
        layout.operator("poise.detect_template", icon="VIEWZOOM")
        row = layout.row(align=True)
        row.prop(detection, "show_noise", text="Noise Plot", icon="GRAPH", toggle=True)
        row.prop(detection, "noise_place", text="")
        row = layout.row(align=True)
        row.operator("poise.detect_stays", icon="PINNED")
        row.operator("poise.detect_slides", icon="ARROW_LEFTRIGHT")


def _draw_examples(layout: UILayout, armature: bpy.types.Object, detection: Any) -> None:
    """Draw the list of examples and the settings of the active one."""
    row = layout.row()
    row.template_list("POISE_UL_examples", "", detection, "templates", detection, "active_template", rows=2)
    buttons = row.column(align=True)
    buttons.operator("poise.template_remove", text="", icon="REMOVE")
    buttons.operator("poise.template_show", text="", icon="TIME")
    template = detection.templates[min(detection.active_template, len(detection.templates) - 1)]
    column = _split(layout)
    column.prop(template, "kind")
    frames = column.row(align=True)
    frames.prop(template, "begin", text="Frames")
    frames.prop(template, "end", text="")
    column.prop(template, "tolerance", slider=True)
    draw_reference(column, armature, template)
    if template.distance >= 0.0:
        turn = f"{math.degrees(template.rotation):.2f}°, " if template.rotation >= 0.0 else ""
        column.label(text=f"Counts as still: {turn}{bridge.format_length(template.distance)}", translate=False)


def draw_reference(layout: UILayout, armature: bpy.types.Object, item: Any) -> None:
    """Draw what something is relative to."""
    layout.prop(item, "reference")
    if item.reference == "BONE":
        layout.prop_search(item, "reference_bone", armature.data, "bones", text=" ")
    elif item.reference == "OBJECT":
        layout.prop(item, "reference_object", text=" ")


def _split(layout: UILayout) -> UILayout:
    column = layout.column(align=True)
    column.use_property_split = True
    column.use_property_decorate = False
    return column


class POISE_PT_detection_settings(OfArmature, Panel):  # noqa: N801
    """What counts as the same, how short a contact may be, and the plot of the noise"""

    bl_idname = "POISE_PT_detection_settings"
    bl_label = "Search Settings"
    bl_parent_id = "POISE_PT_examples"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        armature = armature_of(context)
        detection: Any = character_of(armature).detection
        column = _split(layout)
        for name in ("shortest", "bridged"):
            row = column.row(align=True)
            row.prop(detection, name)
            row.label(text=_in_frames(context, detection, name), translate=False)
        column.prop(detection, "distance")
        column.prop(detection, "angle")
        column = _split(layout)
        draw_reference(column, armature, detection)


def _in_frames(context: bpy.types.Context, detection: Any, name: str) -> str:
    """A time of the settings in frames of the scene."""
    assert context.scene is not None
    render = context.scene.render
    return f"s = {round(getattr(detection, name) * render.fps / render.fps_base)} f"


class POISE_PT_objects(OfArmature, Panel):  # noqa: N801
    """When objects rest or turn, and bones that hold on to them"""

    bl_idname = "POISE_PT_objects"
    bl_label = "Objects"
    bl_parent_id = "POISE_PT_detect"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        detection: Any = character_of(armature_of(context)).detection
        layout.prop(detection, "object", text="")
        row = layout.row(align=True)
        row.operator("poise.detect_object", icon="VIEWZOOM")
        row.operator("poise.template_add_object", text="", icon="ADD")
        if not len(detection.events):
            return
        layout.template_list("POISE_UL_events", "", detection, "events", detection, "active_event", rows=3)
        row = layout.row(align=True)
        row.operator("poise.event_hold", icon="PINNED")
        row.operator("poise.event_show", text="", icon="TIME")
        row.operator("poise.events_clear", text="", icon="X")


classes = (
    POISE_UL_examples,
    POISE_UL_events,
    POISE_MT_detect,
    POISE_PT_detect,
    POISE_PT_examples,
    POISE_PT_detection_settings,
    POISE_PT_objects,
)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving the events of constraints in time, as the bars in the timeline do with the mouse, and their markers."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import Operator

from .. import bridge
from ..properties import constraint_list
from ..translation import TranslationError
from ..workflows import events, markers
from .on_armature import OnArmature
from .selection import OnConstraint, OnConstraints
from .settings import NOT_REMEMBERED


class POISE_OT_event_move(OnConstraint, Operator):  # noqa: N801
    """Move an event"""

    bl_idname = "poise.event_move"
    bl_label = "Move Event"
    bl_description = (
        "Move an event of a constraint to another frame, as a heel strike that comes too early, or the whole constraint"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    uid: StringProperty(
        name="Constraint", description="The uid of the constraint; the active one if not set", options=NOT_REMEMBERED
    )
    event: EnumProperty(
        name="Event", description="Which event", items=events.KINDS, default="ALL", options=NOT_REMEMBERED
    )
    point: IntProperty(
        name="Point", description="Which point, counted from 0, for events of points", min=0, options=NOT_REMEMBERED
    )
    frame: FloatProperty(
        name="Frame", description="The frame to move it to; the current one if not set", options=NOT_REMEMBERED
    )

    def chosen_index(self, armature: bpy.types.Object) -> int:
        """The index of the constraint with the uid, where one is given."""
        operator: Any = self
        if not operator.uid:
            return super().chosen_index(armature)
        bridge.check_armature(armature)
        found = constraint_list.find(armature, operator.uid)
        if found is None or found[0] != "constraints":
            raise TranslationError("There is no such constraint any more: choose another.")
        return found[1]

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        operator: Any = self
        scene = context.scene
        assert scene is not None
        is_given = operator.properties.is_property_set("frame")
        frame = float(operator.frame) if is_given else float(scene.frame_current_final)
        item = self.constraint(armature)
        point = operator.point if operator.event.startswith("POINT") else -1
        reached = events.move(armature, item, operator.event, frame, point)
        markers.refresh(armature)
        label = events.Event(operator.event, reached, point).label
        if reached != frame:
            self.level = "WARNING"
            return f"{item.name}: {label} stops at frame {reached:g}, where the next event is."
        return f"{item.name}: {label} at frame {reached:g}."


class POISE_OT_markers_update(OnConstraints, Operator):  # noqa: N801
    """Markers of events"""

    bl_idname = "poise.markers_update"
    bl_label = "Update Event Markers"
    bl_description = (
        "Put a marker on every event of the constraints, to see them in editors that show no bars, such as the Graph "
        "Editor. Markers of yours stay as they are"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        made = markers.update(armature)
        return f"{made} event markers." if made != 1 else "1 event marker."


class POISE_OT_markers_remove(OnArmature, Operator):  # noqa: N801
    """Remove the markers of events"""

    bl_idname = "poise.markers_remove"
    bl_label = "Remove Event Markers"
    bl_description = "Remove the markers that were put on events of constraints; markers of yours stay as they are"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        gone = markers.remove(armature)
        return f"{gone} event markers removed." if gone != 1 else "1 event marker removed."


classes = (POISE_OT_event_move, POISE_OT_markers_update, POISE_OT_markers_remove)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving the events of constraints in time, and going to them. The bars in the timeline do the same with the mouse."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import Operator

from .. import bridge
from ..properties import PoiseConstraint
from ..workflows import events, markers, timeline
from .on_armature import OnArmature
from .selection import OnConstraint, OnConstraints
from .settings import NOT_REMEMBERED


class _ByUid(OnConstraint):
    """Mixed into operators on a constraint that is given by its uid, else by its index, else the active one."""

    uid: StringProperty(
        name="Constraint", description="The uid of the constraint; the active one if not set", options=NOT_REMEMBERED
    )

    def constraint(self, armature: bpy.types.Object) -> PoiseConstraint:
        """The constraint."""
        operator: Any = self
        if not operator.uid:
            return super().constraint(armature)
        bridge.check_armature(armature)
        return timeline.constraint_with(armature, operator.uid)


class POISE_OT_event_move(_ByUid, Operator):  # noqa: N801
    """Move an event"""

    bl_idname = "poise.event_move"
    bl_label = "Move Event"
    bl_description = (
        "Move an event of a constraint to another frame, as a heel strike that comes too early, or the whole constraint"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    event: EnumProperty(
        name="Event", description="Which event", items=events.KINDS, default="ALL", options=NOT_REMEMBERED
    )
    point: IntProperty(
        name="Point", description="Which point, counted from 0, for events of points", min=0, options=NOT_REMEMBERED
    )
    frame: FloatProperty(
        name="Frame", description="The frame to move it to; the current one if not set", options=NOT_REMEMBERED
    )

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


class POISE_OT_constraint_jump(_ByUid, Operator):  # noqa: N801
    """Go to its frame"""

    bl_idname = "poise.constraint_jump"
    bl_label = "Go to Constraint"
    bl_description = "Go to the frame at which the active constraint begins to hold, to see it at work"
    bl_options = {"REGISTER"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        item = self.constraint(armature)
        return f"{item.name} begins to hold at frame {timeline.jump(item)}."


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


classes = (POISE_OT_event_move, POISE_OT_constraint_jump, POISE_OT_markers_update, POISE_OT_markers_remove)

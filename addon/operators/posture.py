# SPDX-License-Identifier: GPL-3.0-or-later
"""The posture tool's drag, which runs while the mouse is down, and its pins and walls."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.props import EnumProperty, FloatProperty, FloatVectorProperty, IntProperty, StringProperty
from bpy.types import Operator
from bpy_extras import view3d_utils
from mathutils import Vector

from ...solver import PoiseError
from .. import bridge
from ..bridge.arrays import Array
from ..properties import armature_in, character_of
from ..properties.posture import BALANCES, HOLDS
from ..workflows import pins, posture
from .on_armature import CANCELLED, FINISHED, OnArmature
from .selection import FromSelection
from .settings import NOT_REMEMBERED, counted

RUNNING = {"RUNNING_MODAL"}
PASSED_ON = {"PASS_THROUGH"}

TICK = 0.02
"""Seconds between timer events, at which a posture that is not at rest takes further steps."""

MORE = ("WHEELUPMOUSE", "PAGE_UP", "NUMPAD_PLUS", "EQUAL")
FEWER = ("WHEELDOWNMOUSE", "PAGE_DOWN", "NUMPAD_MINUS", "MINUS")
"""Events by which more or fewer bones move."""

AXES = ("X", "Y", "Z")

VIEW = ("MIDDLEMOUSE", "NDOF_MOTION", "TRACKPADPAN", "TRACKPADZOOM")
"""Events that turn and move the view, also during a drag."""


class POISE_OT_posture_drag(OnArmature, Operator):  # noqa: N801
    """Drag a bone with the whole body"""

    bl_idname = "poise.posture_drag"
    bl_label = "Drag Posture"
    bl_description = (
        "Drag the bone under the mouse, and the body follows: pinned bones stay, balance and joint limits hold. The "
        "wheel changes how many bones help, X, Y and Z keep to an axis, B changes the balance, Esc restores"
    )
    bl_options = {"REGISTER", "UNDO", "BLOCKING"}  # noqa: RUF012

    bone: StringProperty(name="Bone", description="The dragged bone; the active one if not set", options=NOT_REMEMBERED)
    share: FloatProperty(
        name="Along Bone",
        description="Where the bone is held: 0 at its head, 1 at its tail",
        min=0.0,
        max=1.0,
        options=NOT_REMEMBERED,
    )
    displacement: FloatVectorProperty(
        name="Move",
        description="How far the held point is dragged",
        subtype="XYZ",
        unit="LENGTH",
        options=NOT_REMEMBERED,
    )

    _session: posture.PostureSession | None = None
    _timer: bpy.types.Timer | None = None
    _axis: str = ""

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return "" if armature.mode == "POSE" else "Bones are dragged in pose mode: switch to it first"

    # From a script or the redo panel -------------------------------------------------------------------------------

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        session = posture.begin(armature, self._chosen(armature), self.share)
        try:
            session.move(session.place + np.array(self.displacement))
            return session.finish()
        except PoiseError:
            session.cancel()
            raise

    def _chosen(self, armature: bpy.types.Object) -> str:
        data: Any = armature.data
        active = data.bones.active.name if data.bones.active is not None else ""
        if not (self.bone or active):
            raise bridge.BridgeError("No bone is active: click the bone to drag.")
        return self.bone or active

    # With the mouse ------------------------------------------------------------------------------------------------

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Begin the drag at the place where the mouse was pressed."""
        armature, manager = armature_in(context), context.window_manager
        if armature is None or manager is None or context.region_data is None:
            return self.execute(context)
        pressed = _in_region(context, event.mouse_prev_press_x, event.mouse_prev_press_y)
        try:
            bone = self._chosen(armature)
            if self._is_beside_bones(armature, bone):
                return PASSED_ON
            if not self.properties.is_property_set("share"):
                self.share = _held_share(context, armature, bone, pressed)
            self._session = posture.begin(armature, bone, self.share)
            self.bone, self._axis = bone, ""
            self._start = self._session.place
            self._grabbed = _on_screen_plane(context, self._start, pressed)
            self._show(context)
        except Exception as error:
            return self._failed(context, error)
        self._timer = manager.event_timer_add(TICK, window=context.window)
        manager.modal_handler_add(self)
        return RUNNING

    def _is_beside_bones(self, armature: bpy.types.Object, bone: str) -> bool:
        """Whether no bone was pressed: that deselects all of them, and the active one stays active. The gizmo, which
        says where it holds the active bone, and scripts may drag a bone that is not selected."""
        if self.properties.is_property_set("bone") or self.properties.is_property_set("share"):
            return False
        return armature.pose is not None and not bridge.is_selected(armature.pose.bones[bone])

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Follow the mouse; any error restores the pose and ends the drag with one sentence."""
        session = self._session
        assert session is not None
        try:
            return self._handled(context, event, session)
        except Exception as error:
            return self._failed(context, error)

    def _failed(self, context: bpy.types.Context, error: Exception) -> Any:
        """Restore the pose and end the drag with one sentence."""
        sentence = f"The drag has failed and the pose is as before ({type(error).__name__}: {error})."
        self.report({"ERROR"}, str(error) if isinstance(error, PoiseError) else sentence)
        self.cancel(context)
        return CANCELLED

    def _handled(self, context: bpy.types.Context, event: bpy.types.Event, session: posture.PostureSession) -> Any:
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            self.cancel(context)
            return CANCELLED
        if (event.type == "LEFTMOUSE" and event.value == "RELEASE") or event.type in ("RET", "NUMPAD_ENTER"):
            sentence = session.finish()
            self.displacement = (session.place - self._start).tolist()
            self._end(context)
            self.report({"INFO"}, sentence)
            return FINISHED
        if event.type in VIEW:
            return PASSED_ON
        if event.type == "MOUSEMOVE":
            self._drag(context, event, session)
        elif event.type == "TIMER":
            session.go_on()
        elif event.value == "PRESS" and event.type in MORE + FEWER:
            session.recruit(1 if event.type in MORE else -1)
        elif event.value == "PRESS" and event.type in AXES:
            self._axis = "" if self._axis == event.type else event.type
            self._drag(context, event, session)
        elif event.value == "PRESS" and event.type == "B":
            kinds = [kind for kind, *_ in BALANCES]
            session.settings.balance = kinds[(kinds.index(session.settings.balance) + 1) % len(kinds)]
            session.solve_again()
        else:
            return RUNNING
        self._show(context)
        return RUNNING

    def _drag(self, context: bpy.types.Context, event: bpy.types.Event, session: posture.PostureSession) -> None:
        mouse = _in_region(context, event.mouse_x, event.mouse_y)
        way = _on_screen_plane(context, self._start, mouse) - self._grabbed
        if self._axis:
            way = way * np.eye(3)[AXES.index(self._axis)]
        session.move(self._start + way)

    def _show(self, context: bpy.types.Context) -> None:
        """Tell in the header what moves and holds, and redraw."""
        assert self._session is not None
        if context.area is not None:
            locked = f"  |  along {self._axis}" if self._axis else ""
            context.area.header_text_set(self._session.description + locked)
            context.area.tag_redraw()

    def cancel(self, context: bpy.types.Context) -> None:
        """Restore the pose and the settings; Blender also calls this where the drag is interrupted, as by loading
        another file."""
        session = self._session
        self._end(context)
        if session is not None:
            try:
                session.cancel()
            except PoiseError as error:  # the armature is gone
                self.report({"WARNING"}, str(error))

    def _end(self, context: bpy.types.Context) -> None:
        self._session = None
        if self._timer is not None and context.window_manager is not None:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
        if context.area is not None:
            context.area.header_text_set(None)
            context.area.tag_redraw()


def _in_region(context: bpy.types.Context, x: int, y: int) -> tuple[float, float]:
    """A place in pixels of the window as one in pixels of the region."""
    assert context.region is not None
    return float(x - context.region.x), float(y - context.region.y)


def _on_screen_plane(context: bpy.types.Context, through: Array, mouse: tuple[float, float]) -> Array:
    """(3,) the point under the mouse in the plane parallel to the screen through a point (3,)."""
    assert context.region is not None and context.region_data is not None
    place = view3d_utils.region_2d_to_location_3d(context.region, context.region_data, mouse, Vector(through.tolist()))
    return np.array(place, dtype=np.float64)


def _held_share(context: bpy.types.Context, armature: bpy.types.Object, bone: str, mouse: tuple[float, float]) -> float:
    """Where along a bone the mouse holds it."""
    assert armature.pose is not None and context.region is not None and context.region_data is not None
    held = armature.pose.bones[bone]
    head, tail = (np.array(armature.matrix_world @ end, dtype=np.float64) for end in (held.head, held.tail))
    origin = view3d_utils.region_2d_to_origin_3d(context.region, context.region_data, mouse)
    way = view3d_utils.region_2d_to_vector_3d(context.region, context.region_data, mouse)
    return posture.nearest_share(head, tail, np.array(origin, dtype=np.float64), np.array(way, dtype=np.float64))


class POISE_OT_posture_pin(FromSelection, Operator):  # noqa: N801
    """Pin bones for the posture tool, or unpin them"""

    bl_idname = "poise.posture_pin"
    bl_label = "Pin for Posture"
    bl_description = (
        "Pin the selected bones, so that they stay while the posture tool drags others, as a hand on a table; bones "
        "that are all pinned already are unpinned"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    hold: EnumProperty(name="Holds", description="What of the bones stays", items=HOLDS, default="BOTH")

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        bones = self.chosen(context, armature)
        pinned = pins.pinned_bones(armature)
        if bones and all(pinned.get(bone) == self.hold for bone in bones):
            pins.unpin(armature, bones)
            return f"{counted(len(bones), 'bone')} unpinned."
        pins.pin(armature, bones, self.hold)
        return f"{counted(len(bones), 'bone')} pinned."


class POISE_OT_posture_unpin_all(OnArmature, Operator):  # noqa: N801
    """Unpin all bones of the posture tool"""

    bl_idname = "poise.posture_unpin_all"
    bl_label = "Unpin All"
    bl_description = "Unpin all bones, so that the posture tool may move them again"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return "" if len(character_of(armature).posture.pins) else "No bone is pinned"

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        return f"{counted(pins.unpin(armature), 'bone')} unpinned."


class POISE_OT_posture_wall_add(OnArmature, Operator):  # noqa: N801
    """Let the selected object be a wall for the posture tool"""

    bl_idname = "poise.posture_wall_add"
    bl_label = "Add Wall"
    bl_description = (
        "The posture tool keeps the body on the side of an object that its local Z points to, as before a wall or "
        "above a table: select it beside the armature, or name it"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    object: StringProperty(name="Object", description="The wall; the selected one if not set", options=NOT_REMEMBERED)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        chosen = [bpy.data.objects[self.object]] if self.object in bpy.data.objects else []
        if not self.object:
            chosen = [each for each in context.selected_objects if each != armature]
        if not chosen:
            raise bridge.BridgeError("No wall is selected: select a plane or an empty beside the armature, or name it.")
        for wall in chosen:
            pins.add_wall(armature, wall)
        return f"{counted(len(chosen), 'wall')} added."


class POISE_OT_posture_wall_remove(OnArmature, Operator):  # noqa: N801
    """Remove a wall of the posture tool"""

    bl_idname = "poise.posture_wall_remove"
    bl_label = "Remove Wall"
    bl_description = "The body may pass through this object again; the object stays"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}  # noqa: RUF012

    index: IntProperty(name="Index", description="Which wall", min=0, options=NOT_REMEMBERED)

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return "" if len(character_of(armature).posture.walls) else "There is no wall"

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        walls = character_of(armature).posture.walls
        if self.index >= len(walls):
            raise bridge.BridgeError(f"There is no wall number {self.index}: the list has {len(walls)}.")
        walls.remove(self.index)
        return "1 wall removed."


classes = (
    POISE_OT_posture_drag,
    POISE_OT_posture_pin,
    POISE_OT_posture_unpin_all,
    POISE_OT_posture_wall_add,
    POISE_OT_posture_wall_remove,
)

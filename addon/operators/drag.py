# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging handles of constraints and of the physics in the 3D view, also in pose mode."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

import contextlib
from typing import Any

import bpy
from bpy.props import EnumProperty, IntProperty, StringProperty
from bpy.types import Operator

from ...solver import PoiseError
from .. import bridge
from ..bridge.context import is_linked
from ..bridge.placing import Placer
from ..properties import PATH_KINDS, PoiseConstraint, armature_in, character_of, handles, selecting
from ..translation import TranslationError
from ..workflows import activate, dragging, sliding
from .on_armature import CANCELLED, FINISHED, OnArmature
from .selection import OnConstraints
from .settings import NOT_REMEMBERED

KEYS = "Ctrl: steps    Shift: fine    T: slide in time    Esc: put it back"
PLANT_KEYS = "Ctrl: steps    Shift: fine    Esc: put it back"
TIME_KEYS = "T: move    Esc: put it back"
CONFIRMING = ("LEFTMOUSE", "RET", "NUMPAD_ENTER", "SPACE")
CANCELLING = ("ESC", "RIGHTMOUSE")
RUNNING = {"RUNNING_MODAL"}

AnyDrag = dragging.Drag | sliding.TimeDrag


class DragsHandle(OnArmature):
    """Mixed into operators that drag a handle: from the press of the mouse to its release, or back."""

    part: EnumProperty(
        name="Part", description="How it is moved or turned", items=dragging.PARTS, options=NOT_REMEMBERED
    )

    report: Any
    _drag: AnyDrag | None = None
    _armature: bpy.types.Object

    def _choose(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Find what is dragged, and make it the active one; raises where it is gone."""
        raise NotImplementedError

    def _handle(self) -> bpy.types.Object:
        """The handle that is dragged; raises where there is none."""
        raise NotImplementedError

    def _switch(self, drag: AnyDrag, pixel: tuple[float, float]) -> AnyDrag:
        """What goes on after T was pressed."""
        return drag

    def _keys(self, drag: AnyDrag) -> str:
        """What the header says about keys."""
        return PLANT_KEYS

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Make what is dragged the active one, and begin to drag its handle."""
        armature = armature_in(context)
        region, view = context.region, context.region_data
        assert armature is not None
        try:
            if region is None or view is None:
                raise TranslationError("A handle can only be dragged in a 3D view.")
            bridge.check_armature(armature)
            handles.make_own(armature)
            self._armature = armature
            self._choose(context, armature)
            pixel = float(event.mouse_region_x), float(event.mouse_region_y)
            self._drag = self._begin(self.part, dragging.View.of(region, view), pixel)
        except PoiseError as error:
            self.report({"ERROR"}, str(error))
            return CANCELLED
        assert context.window_manager is not None
        operator: Any = self
        context.window_manager.modal_handler_add(operator)
        return RUNNING

    def _begin(self, part: str, view: dragging.View, pixel: tuple[float, float]) -> AnyDrag:
        """A drag of the handle from a pixel."""
        handle = self._handle()
        if is_linked(handle):
            raise TranslationError(f"{handle.name!r} is linked from another file and cannot be moved here.")
        return dragging.Drag(view, Placer(handle), part, pixel, handles.longest_side(self._armature))

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Follow the mouse until it is released, or put the handle back."""
        drag = self._drag
        assert drag is not None
        try:
            if event.type in CANCELLING and event.value == "PRESS":
                drag.restore()
                return self._end(context, CANCELLED)
            if event.type == "MOUSEMOVE":
                at = (event.mouse_region_x, event.mouse_region_y)
                self._tell(context, drag, drag.to(at, event.ctrl, event.shift))
            elif event.type == "T" and event.value == "PRESS":
                self._drag = self._switch(drag, (event.mouse_region_x, event.mouse_region_y))
                self._tell(context, self._drag, "")
            elif event.type in CONFIRMING and event.value == ("RELEASE" if event.type == "LEFTMOUSE" else "PRESS"):
                return self._confirm(context, drag)
        except ReferenceError:  # the handle was deleted meanwhile, by a script or by loading
            return self._end(context, CANCELLED)
        except Exception as error:
            return self._failed(context, error)
        return RUNNING

    def _failed(self, context: bpy.types.Context, error: Exception) -> Any:
        """Put the handle back and end the drag with one sentence."""
        sentence = f"The drag has failed and the handle is put back ({type(error).__name__}: {error})."
        self.report({"ERROR"}, str(error) if isinstance(error, PoiseError) else sentence)
        self.cancel(context)
        return CANCELLED

    def _tell(self, context: bpy.types.Context, drag: AnyDrag, text: str) -> None:
        """Show in the header what the drag does to which handle, and the keys."""
        _show(context, f"{drag.placer.object.name}: {text}    {self._keys(drag)}")

    def _confirm(self, context: bpy.types.Context, drag: AnyDrag) -> Any:
        if drag.has_moved:
            drag.finish()
        else:  # a click
            drag.restore()
        return self._end(context, FINISHED)

    def cancel(self, context: bpy.types.Context) -> None:
        """Put the handle back where Blender ends the drag: the window is closed, or another file is loaded."""
        if self._drag is not None:
            try:
                with contextlib.suppress(ReferenceError):
                    self._drag.restore()
            finally:
                self._end(context, CANCELLED)

    def _end(self, context: bpy.types.Context, result: Any) -> Any:
        self._drag = None
        _show(context, None)
        return result


class POISE_OT_handle_drag(DragsHandle, OnConstraints, Operator):  # noqa: N801
    """Drag a handle"""

    bl_idname = "poise.handle_drag"
    bl_label = "Drag Handle"
    bl_description = (
        "Move or turn what a constraint holds, in pose mode too. Ctrl goes in steps, Shift is fine, T slides a point "
        "in time, Esc puts it back. A click makes the constraint the active one"
    )
    bl_options = {"UNDO", "BLOCKING", "INTERNAL"}  # noqa: RUF012

    uid: StringProperty(
        name="Constraint", description="The uid of the constraint; the active one if not set", options=NOT_REMEMBERED
    )
    point: IntProperty(
        name="Point",
        description="Which of its points, from 0; -1 for the one that was active last",
        default=-1,
        min=-1,
        options=NOT_REMEMBERED,
    )
    _item: PoiseConstraint

    def _choose(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        self._item = activate.activate(context, armature, self.uid, self.point)

    def _handle(self) -> bpy.types.Object:
        handle = activate.handle_in_scene(self._item)
        if handle is None:
            raise TranslationError(f"{self._item.name}: it has no handle that could be moved.")
        return handle

    def _begin(self, part: str, view: dragging.View, pixel: tuple[float, float]) -> AnyDrag:
        """A drag of the handle from a pixel, in space or in time."""
        if part != "TIME":
            return DragsHandle._begin(self, part, view, pixel)
        item, placer = self._item, Placer(self._handle())
        return sliding.TimeDrag(self._armature, item, item.active_point, view, placer, pixel)

    def _switch(self, drag: AnyDrag, pixel: tuple[float, float]) -> AnyDrag:
        """Slide in time instead of moving, or the other way round; what was done so far is put back."""
        if self._item.kind not in PATH_KINDS:
            return drag
        drag.restore()
        is_sliding = isinstance(drag, sliding.TimeDrag)
        other = ("FREE" if self.part == "TIME" else self.part) if is_sliding else "TIME"
        try:
            return self._begin(other, drag.view, pixel)
        except PoiseError as error:
            self.report({"ERROR"}, str(error))
            return drag

    def _keys(self, drag: AnyDrag) -> str:
        if isinstance(drag, sliding.TimeDrag):
            return TIME_KEYS
        return KEYS if self._item.kind in PATH_KINDS else PLANT_KEYS


class POISE_OT_physics_handle_drag(DragsHandle, Operator):  # noqa: N801
    """Drag a footprint or an obstacle of the physics"""

    bl_idname = "poise.physics_handle_drag"
    bl_label = "Drag Physics Handle"
    bl_description = (
        "Move, turn or raise a footprint, or move an obstacle, in pose mode too. Ctrl goes in steps, Shift is fine, "
        "Esc puts it back"
    )
    bl_options = {"UNDO", "BLOCKING", "INTERNAL"}  # noqa: RUF012

    handle: StringProperty(name="Handle", description="The name of the handle", options=NOT_REMEMBERED)

    def _choose(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        selecting.select_handle(context, self._handle())

    def _handle(self) -> bpy.types.Object:
        physics = character_of(self._armature).physics
        for each in (*physics.stances, *physics.obstacles):
            if handles.is_in_scene(each.object) and each.object.name == self.handle:
                return each.object
        raise TranslationError(f"There is no footprint or obstacle {self.handle!r} any more: choose another.")


def _show(context: bpy.types.Context, text: str | None) -> None:
    """Show a text in the header of the editor, or its own buttons again."""
    if context.area is not None:
        context.area.header_text_set(text)
        context.area.tag_redraw()


classes = (POISE_OT_handle_drag, POISE_OT_physics_handle_drag)

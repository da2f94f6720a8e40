# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging the handle of a constraint in the 3D view, also in pose mode."""

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
from ..properties import armature_in, handles
from ..translation import TranslationError
from ..workflows import activate, dragging
from .on_armature import CANCELLED, FINISHED
from .selection import OnConstraints
from .settings import NOT_REMEMBERED

CLICK = 3
"""Pixels that the mouse may go between press and release of a click."""

KEYS = "Ctrl: steps    Shift: fine    Esc: put it back"
CONFIRMING = ("LEFTMOUSE", "RET", "NUMPAD_ENTER", "SPACE")
CANCELLING = ("ESC", "RIGHTMOUSE")
RUNNING = {"RUNNING_MODAL"}


class POISE_OT_handle_drag(OnConstraints, Operator):  # noqa: N801
    """Drag a handle"""

    bl_idname = "poise.handle_drag"
    bl_label = "Drag Handle"
    bl_description = (
        "Move or turn what a constraint holds, in pose mode too. Ctrl goes in steps, Shift is fine, Esc puts it back. "
        "A click makes the constraint the active one"
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
    part: EnumProperty(
        name="Part", description="How it is moved or turned", items=dragging.PARTS, options=NOT_REMEMBERED
    )

    _drag: dragging.Drag | None = None
    _title = ""

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Make the constraint the active one, and begin to drag its handle."""
        armature = armature_in(context)
        region, view = context.region, context.region_data
        assert armature is not None
        try:
            if region is None or view is None:
                raise TranslationError("A handle can only be dragged in a 3D view.")
            handle = self._handle(context, armature)
        except PoiseError as error:
            self.report({"ERROR"}, str(error))
            return CANCELLED
        self._title = handle.name
        self._drag = dragging.Drag(
            dragging.View.of(region, view),
            Placer(handle),
            self.part,
            (event.mouse_region_x, event.mouse_region_y),
            handles.longest_side(armature),
        )
        assert context.window_manager is not None
        context.window_manager.modal_handler_add(self)
        return RUNNING

    def _handle(self, context: bpy.types.Context, armature: bpy.types.Object) -> bpy.types.Object:
        """The handle, after its constraint was made the active one."""
        bridge.check_armature(armature)
        handles.make_own(armature)
        item = activate.activate(context, armature, self.uid, self.point)
        handle = activate.handle_in_scene(item)
        if handle is None:
            raise TranslationError(f"{item.name}: it has no handle that could be moved.")
        if is_linked(handle):
            raise TranslationError(f"{handle.name!r} is linked from another file and cannot be moved here.")
        return handle

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Follow the mouse until it is released, or put the handle back."""
        drag = self._drag
        assert drag is not None
        try:
            if event.type in CANCELLING and event.value == "PRESS":
                drag.placer.restore()
                return self._end(context, CANCELLED)
            if event.type == "MOUSEMOVE":
                at = (event.mouse_region_x, event.mouse_region_y)
                _show(context, f"{self._title}: {drag.to(at, event.ctrl, event.shift)}    {KEYS}")
            elif event.type in CONFIRMING and event.value == ("RELEASE" if event.type == "LEFTMOUSE" else "PRESS"):
                return self._confirm(context, drag)
        except ReferenceError:  # the handle was deleted meanwhile, by a script or by loading
            return self._end(context, CANCELLED)
        return RUNNING

    def _confirm(self, context: bpy.types.Context, drag: dragging.Drag) -> Any:
        way = max(abs(now - start) for now, start in zip(drag.mouse, drag.start, strict=True))
        if way <= CLICK and not drag.angle:
            drag.placer.restore()
        else:
            drag.placer.shift_animation()
        return self._end(context, FINISHED)

    def cancel(self, context: bpy.types.Context) -> None:
        """Put the handle back where Blender ends the drag: the window is closed, or another file is loaded."""
        if self._drag is not None:
            with contextlib.suppress(ReferenceError):
                self._drag.placer.restore()
            self._end(context, CANCELLED)

    def _end(self, context: bpy.types.Context, result: Any) -> Any:
        self._drag = None
        _show(context, None)
        return result


def _show(context: bpy.types.Context, text: str | None) -> None:
    """Show a text in the header of the editor, or its own buttons again."""
    if context.area is not None:
        context.area.header_text_set(text)
        context.area.tag_redraw()


classes = (POISE_OT_handle_drag,)

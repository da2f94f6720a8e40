# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints as bars over the frames, in the Timeline and the Dope Sheet: to see, to click, and to drag in time."""

from __future__ import annotations

import time
from typing import Any

import bpy
from bpy.types import Gizmo, GizmoGroup

from ...solver import PoiseError
from ..bridge import context as bridge_context
from ..bridge import theme
from ..properties import PoiseConstraint, character_of, constraint_list
from ..workflows import events, markers
from ..workflows.activate import activate
from .bar_view import bar_view, shown_armature, view_of
from .lanes import Hit, hit

PRECISION = 0.1
"""Share of the mouse's way that counts while Shift is held, as in Blender's own tools."""
THRESHOLD = 3.0
"""Pixels that the mouse goes before a click becomes a drag, as in Blender: a click leaves an event between frames."""


class POISE_GT_bars(Gizmo):  # noqa: N801
    """All bars of a character in one editor."""

    bl_idname = "POISE_GT_bars"

    __slots__ = ("clicked", "drag")

    def setup(self) -> None:
        """Called by Blender once."""
        self.drag: Drag | None = None
        self.clicked: tuple[str, float] = ("", 0.0)

    def draw(self, context: bpy.types.Context) -> None:
        """Draw nothing: `bar_view` draws, above what Blender draws."""

    def test_select(self, context: bpy.types.Context, location: Any) -> int:
        """What is at a place of the region: a number for each event, or -1; called by Blender as the mouse moves."""
        found = self.find(context, location[0], location[1])
        if found is None:
            return -1
        kinds = [(event.kind, event.point) for event in bar_view(context.region).bars[found.bar].events]
        own = (found.event.kind, found.event.point)
        return MOST_EVENTS * found.bar + (kinds.index(own) + 1 if own in kinds else 0)

    def find(self, context: bpy.types.Context, x: float, y: float) -> Hit | None:
        """What is at a place of the region."""
        armature = shown_armature(context)
        if armature is None or context.region is None:
            return None
        shown = bar_view(context.region)
        shown.refresh(context, armature)
        shown.hovered = hit(shown.bars, shown.layout, view_of(context.region), x, y, theme.interface_scale())
        return shown.hovered

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Make the constraint under the mouse the active one, and begin to drag it; a second click goes to its
        frame."""
        armature = shown_armature(context)
        found = self.find(context, event.mouse_region_x, event.mouse_region_y)
        if armature is None or found is None:
            return {"CANCELLED"}
        bar = bar_view(context.region).bars[found.bar]
        now = time.monotonic()
        is_second = self.clicked[0] == bar.uid and now - self.clicked[1] < _double_click_seconds(context)
        self.clicked = bar.uid, now
        is_new = not bar.is_active
        try:
            item = activate(context, armature, bar.uid, found.event.point, jump=bar.is_proposal or is_second)
        except PoiseError:  # it is gone since the last redraw
            return {"CANCELLED"}
        is_movable = not bar.is_proposal and bool(bar.events) and not bridge_context.is_linked(armature)
        self.drag = Drag(
            armature=armature.name,
            uid=bar.uid,
            event=found.event,
            start=events.times_of(item),
            frame=events.frame_of(item, found.event.kind, found.event.point) if is_movable else 0.0,
            mouse=event.mouse_region_x,
            is_movable=is_movable,
            is_new=is_new,
        )
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event, tweak: Any) -> Any:
        """Move the event along with the mouse: to whole frames, freely with Ctrl, slowly with Shift."""
        drag = self.drag
        armature = shown_armature(context)
        if drag is None or not drag.is_movable or armature is None or armature.name != drag.armature:
            return {"RUNNING_MODAL"}
        item = item_with(armature, drag.uid)
        if item is None:
            return {"CANCELLED"}
        drag.follow(event.mouse_region_x, view_of(context.region).pixels_per_frame, "PRECISE" in tweak)
        if drag.has_moved:
            events.set_times(item, drag.start)
            goal = drag.goal(is_free="SNAP" in tweak)
            reached = events.move(armature, item, drag.event.kind, goal, drag.event.point)
            label = f"{item.name}: {drag.event.label} at frame {reached:g} ({reached - drag.frame:+g})"
            _show(context, f"{label}   Ctrl: between frames   Shift: slowly   Esc: back")
        return {"RUNNING_MODAL"}

    def exit(self, context: bpy.types.Context, cancel: bool | None) -> None:
        """End a drag: one undo step for it, or everything as before."""
        drag, self.drag = self.drag, None
        if drag is None:
            return
        _show(context, None)
        armature = bridge_context.get_item(bpy.data.objects, drag.armature)
        item = item_with(armature, drag.uid) if armature is not None else None
        if armature is None or item is None:
            return
        if cancel and drag.has_moved:
            events.set_times(item, drag.start)
        elif drag.has_moved and events.times_of(item) != drag.start:
            markers.refresh(armature)
            bpy.ops.ed.undo_push(message="Move Event")
        elif drag.is_new:
            bpy.ops.ed.undo_push(message="Activate Constraint")


class Drag:
    """A drag that is going on."""

    def __init__(
        self,
        armature: str,
        uid: str,
        event: events.Event,
        start: events.Times,
        frame: float,
        mouse: float,
        is_movable: bool,
        is_new: bool,
    ) -> None:
        self.armature = armature
        """The name: undo replaces objects."""
        self.uid = uid
        self.event = event
        self.start = start
        self.frame = frame
        """Where the event was."""
        self.mouse = self.pressed = mouse
        self.is_movable = is_movable
        self.is_new = is_new
        """Whether another constraint was active before."""
        self.way = 0.0
        """Frames that the mouse has gone."""
        self.has_moved = False
        """Whether it is more than a click."""

    def follow(self, mouse: float, pixels_per_frame: float, is_precise: bool) -> None:
        """Add the way of the mouse since the last call."""
        self.way += (mouse - self.mouse) / pixels_per_frame * (PRECISION if is_precise else 1.0)
        self.mouse = mouse
        self.has_moved = self.has_moved or abs(mouse - self.pressed) >= THRESHOLD

    def goal(self, is_free: bool) -> float:
        """The frame to move the event to: a whole one, unless it `is_free`."""
        found = self.frame + self.way
        return found if is_free else float(round(found))


def item_with(armature: bpy.types.Object, uid: str) -> PoiseConstraint | None:
    """The constraint or proposal with a uid; None where it is gone."""
    found = constraint_list.find(armature, uid)
    return getattr(character_of(armature), found[0])[found[1]] if found is not None else None


MOST_EVENTS = 1000
"""More than a bar has events: the numbers of two bars never meet."""


def _double_click_seconds(context: bpy.types.Context) -> float:
    preferences = context.preferences
    assert preferences is not None
    return float(preferences.inputs.mouse_double_click_time) / 1000.0


def _show(context: bpy.types.Context, text: str | None) -> None:
    """Show a text in the header of the editor and in the status bar; None shows the usual ones again."""
    if context.area is not None:
        header: Any = context.area.header_text_set
        header(text)
    if context.workspace is not None:
        status: Any = context.workspace.status_text_set
        status(text)


class POISE_GGT_bars(GizmoGroup):  # noqa: N801
    """Constraints in the Timeline and the Dope Sheet"""

    bl_idname = "POISE_GGT_bars"
    bl_label = "Poise Bars"
    bl_space_type = "DOPESHEET_EDITOR"
    bl_region_type = "WINDOW"
    bl_options = {"PERSISTENT", "SHOW_MODAL_ALL"}  # noqa: RUF012

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there are bars to show."""
        return shown_armature(context) is not None

    def setup(self, context: bpy.types.Context) -> None:
        """Make the gizmo, once an editor."""
        made = self.gizmos.new(POISE_GT_bars.bl_idname)
        made.use_draw_modal = True


classes = (POISE_GT_bars, POISE_GGT_bars)

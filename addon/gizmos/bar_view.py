# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the bars of constraints in the Timeline and the Dope Sheet.

A draw handler draws them and not the gizmo: Blender draws gizmos below the frame numbers, which fill a low Timeline.
What is drawn is kept for each region, and made again only where something has changed.
"""

from __future__ import annotations

import traceback
from typing import Any

import blf
import bpy
import gpu
from bpy.app.handlers import persistent
from gpu_extras.batch import batch_for_shader

from ..bridge import theme, versions
from ..overlay.staleness import is_stale
from ..properties import armature_in, character_of
from ..workflows import bars
from .bar_shapes import BACKDROP_ALPHA, Palette, bar_triangles, lighter, with_alpha
from .lanes import LARGEST_SHARE, Hit, Layout, View, fitting, layout

MODES = ("TIMELINE", "DOPESHEET", "ACTION")
"""The modes of the editor that show bars; the others show no motion of characters."""
NAME_SIZE = 11.0
"""Letters of lane names, in pixels at an interface scale of 1."""
STALE_ALPHA = 0.4
"""Of what was missed by a result that is older than an edit."""
HANDLE = 2.0
"""Half the width of the event under the mouse, in pixels."""
MOST_REGIONS = 32
"""Regions that are kept; there are never so many at once, so older ones are closed."""


def shown_armature(context: bpy.types.Context) -> bpy.types.Object | None:
    """The armature whose bars an editor shows: that of the active object, if it has any and they are switched on."""
    space: Any = context.space_data
    if failure.text or space is None or space.type != "DOPESHEET_EDITOR" or space.mode not in MODES:
        return None
    if not versions.shows_overlays(space):
        return None
    armature = armature_in(context)
    if armature is None:
        return None
    character = character_of(armature)
    has_bars = len(character.constraints) or len(character.found)
    return armature if has_bars and character.timeline.show_bars else None


def palette(stale: bool = False) -> Palette:
    """The colours of bars in the animator's theme; what a stale result has missed is faint."""
    back, text = theme.dope_sheet_colours()
    sides = {
        "LEFT": theme.bone_colours(theme.LEFT_SET),
        "RIGHT": theme.bone_colours(theme.RIGHT_SET),
        "": theme.bone_colours(theme.MIDDLE_SET),
    }
    return Palette(sides, with_alpha(theme.error_colour(), STALE_ALPHA if stale else 1.0), back, text)


def view_of(region: Any) -> View:
    """The frames that a region shows."""
    left, right = (float(region.view2d.region_to_view(x, 0)[0]) for x in (0, region.width))
    return View(left, region.width / max(right - left, 1e-6))


class BarView:
    """The bars in one region."""

    def __init__(self) -> None:
        self.bars: list[bars.Bar] = []
        self.layout = Layout((), (), False)
        self.hovered: Hit | None = None
        """What is under the mouse, or dragged."""
        self._key: tuple[Any, ...] | None = None
        self._drawn: tuple[Any, ...] | None = None
        self._batch: Any = None

    def refresh(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Make bars and lanes again where something that they depend on has changed."""
        region: Any = context.region
        space: Any = context.space_data
        scale = theme.interface_scale()
        share = 1.0 if space.mode == "TIMELINE" else LARGEST_SHARE
        key = (bars.signature(armature), region.height, scale, share)
        if key != self._key:
            self.bars = fitting(bars.bars_of(armature), region.height, scale)
            self.layout = layout(self.bars, region.height, scale, share)
            self._key, self._drawn = key, None
            if self.hovered is not None and self.hovered.bar >= len(self.bars):
                self.hovered = None

    def draw(self, width: float, view: View, scale: float, stale: bool = False) -> None:
        """Draw the bars in a region of this width; what was missed is faint where that is `stale`."""
        if not self.bars:
            return
        colours = palette(stale)
        gpu.state.blend_set("ALPHA")
        if self.layout.is_named:
            lanes = self.layout.lanes
            _draw_rectangle(0.0, width, lanes[-1].low, lanes[0].high, with_alpha(colours.back, BACKDROP_ALPHA))
        shader = gpu.shader.from_builtin("SMOOTH_COLOR")
        drawn = (self._key, view.pixels_per_frame, tuple(colours.sides.items()), colours.error, colours.text)
        if drawn != self._drawn:
            places, shades = bar_triangles(self.bars, self.layout, view.pixels_per_frame, colours, scale)
            content: Any = {"pos": places, "color": shades}
            self._batch = batch_for_shader(shader, "TRIS", content)
            self._drawn = drawn
        gpu.matrix.push()
        gpu.matrix.translate((view.x(0.0), 0.0))
        self._batch.draw(shader)
        gpu.matrix.pop()
        self._draw_handle(view, colours, scale)
        if self.layout.is_named:
            self._draw_names(colours, scale)
        gpu.state.blend_set("NONE")

    def _draw_handle(self, view: View, colours: Palette, scale: float) -> None:
        """The event under the mouse as a bright line."""
        found = self.hovered
        if found is None or found.event.kind == "ALL":
            return
        lane = self.layout.lanes[self.layout.lane_of[found.bar]]
        own = found.event.kind, found.event.point
        low = lane.middle if found.event.kind.startswith("BALL") else lane.low
        high = lane.middle if found.event.kind.startswith("HEEL") else lane.high
        for event in self.bars[found.bar].events:
            if (event.kind, event.point) == own:
                x = view.x(event.frame)
                _draw_rectangle(x - HANDLE * scale, x + HANDLE * scale, low, high, lighter(colours.text, 0.5))

    def _draw_names(self, colours: Palette, scale: float) -> None:
        font = 0
        blf.size(font, NAME_SIZE * scale)
        blf.color(font, *colours.text)
        blf.enable(font, blf.SHADOW)
        blf.shadow(font, 3, *colours.back)
        last = ""
        for lane in self.layout.lanes:
            if lane.name != last:
                blf.position(font, 6.0 * scale, lane.low + 2.5 * scale, 0.0)
                blf.draw(font, lane.name)
            last = lane.name
        blf.disable(font, blf.SHADOW)


def _draw_rectangle(left: float, right: float, low: float, high: float, colour: theme.Colour) -> None:
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    corners = ((left, low), (right, low), (right, high), (left, low), (right, high), (left, high))
    batch = batch_for_shader(shader, "TRIS", {"pos": corners})
    shader.uniform_float("color", colour)
    batch.draw(shader)


class Failure:
    """An error while drawing, which switches the bars off until a file is loaded or the add-on is enabled again: it
    would come back at every redraw."""

    text = ""

    def set(self, error: Exception) -> None:
        """Say it once, in the console."""
        self.text = f"Poise draws no bars in the timeline any more: {error}."
        traceback.print_exc()
        print(self.text)


failure = Failure()
_views: dict[int, BarView] = {}
_handler: Any = None


def bar_view(region: Any) -> BarView:
    """The bars of a region."""
    pointer = region.as_pointer()
    if pointer not in _views and len(_views) >= MOST_REGIONS:
        _views.clear()
    return _views.setdefault(pointer, BarView())


def draw() -> None:
    """Draw the bars of the region that Blender draws."""
    context = bpy.context
    region: Any = context.region
    try:
        armature = shown_armature(context) if region is not None else None
        if armature is not None:
            shown = bar_view(region)
            shown.refresh(context, armature)
            shown.draw(region.width, view_of(region), theme.interface_scale(), is_stale(armature))
    except Exception as error:
        failure.set(error)


@persistent  # type: ignore[untyped-decorator]
def forget(*_: Any) -> None:
    """Drop what was drawn, and try again after an error; called when a file is loaded."""
    _views.clear()
    failure.text = ""


def register() -> None:
    """Draw bars from now on."""
    global _handler
    editor: Any = bpy.types.SpaceDopeSheetEditor
    _handler = editor.draw_handler_add(draw, (), "WINDOW", "POST_PIXEL")
    bpy.app.handlers.load_post.append(forget)
    forget()


def unregister() -> None:
    """Draw nothing any more."""
    global _handler
    editor: Any = bpy.types.SpaceDopeSheetEditor
    bpy.app.handlers.load_post.remove(forget)
    if _handler is not None:
        editor.draw_handler_remove(_handler, "WINDOW")
        _handler = None
    forget()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the noise pattern of the active example into the 3D viewport, or into animation editors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import blf
import bpy
import gpu
import numpy as np
from bpy.app.handlers import persistent
from gpu_extras.batch import batch_for_shader

from .. import bridge
from ..properties import armature_in, character_of
from ..translation import TranslationError
from ..workflows import examples, noise_patterns
from ..workflows.noise_patterns import NoisePattern
from ..workflows.subjects import Subject
from .lanes import BARS, LANE, TITLE, Plot, plot_of

MARGIN, LABELS = 10.0, 62.0
"""Pixels at a scale of 1: around the plot, and for the names of its rows."""
AXIS = 44.0
"""Pixels at a scale of 1 at the left of a Graph Editor that the numbers of its axis take."""
SCROLLER = 20.0
"""Pixels at a scale of 1 at the bottom of an animation editor that its scroll bar takes."""
LEAST_HEIGHT, LEAST_WIDTH = 2.2, 260.0
"""An editor is left free where it is less than so many times as high as the plot, or less than so many pixels wide."""
TEXT = 11.0
"""Points."""

BACKGROUND = (0.08, 0.08, 0.08, 0.78)
LANE_COLOR = (1.0, 1.0, 1.0, 0.06)
MOVING, STILL = (0.62, 0.62, 0.62, 0.75), (0.30, 0.72, 0.42, 0.95)
"""Signals above and below their thresholds. Grey and green differ in lightness too."""
THRESHOLD, EXAMPLE, CURSOR = (1.0, 0.66, 0.16, 1.0), (0.40, 0.66, 0.98, 1.0), (1.0, 1.0, 1.0, 0.85)
WORDS, DIM_WORDS = (0.95, 0.95, 0.95, 1.0), (0.78, 0.78, 0.78, 1.0)

BESIDE = ("TOOLS", "UI", "HUD")
"""Regions that lie over the viewport: the toolbar, the sidebar, and the settings of the last operator."""

SPACES = {"VIEW": ("SpaceView3D",), "EDITORS": ("SpaceGraphEditor", "SpaceDopeSheetEditor")}
"""The editors of each choice of a place."""


@dataclass
class _Kept:
    """The batches of the plot that was drawn last."""

    pattern: NoisePattern | None = None
    plot: Plot | None = None
    batches: dict[str, list[Any]] | None = None


_kept = _Kept()
_handlers: list[tuple[Any, Any]] = []
_problem = ""
"""Why nothing is drawn any more, after an error in drawing; else empty."""


@dataclass(frozen=True)
class Frame:
    """Where in a region a plot is drawn: pixels, and pixels per frame of the scene."""

    left: float
    names: float
    """Where the names of the rows begin."""
    right: float
    bottom: float
    at_zero: float
    """The pixel across at which frame 0 is."""
    per_frame: float
    scale: float
    """Of the interface."""

    def across(self, frame: float) -> float:
        """The pixel across of a frame of the scene."""
        return self.at_zero + frame * self.per_frame


def pattern_shown(context: bpy.types.Context, place: str) -> NoisePattern | None:
    """The noise pattern to draw at a place: that of the active example, if it was searched; else None."""
    armature = armature_in(context)
    if armature is None or armature.type != "ARMATURE":
        return None
    detection: Any = character_of(armature).detection
    if not detection.show_noise or detection.noise_place != place or not len(detection.templates):
        return None
    template = detection.templates[min(detection.active_template, len(detection.templates) - 1)]
    try:
        subject = Subject.of(armature, template)
    except TranslationError:  # an example without a bone, or without its reference
        return None
    return noise_patterns.of(armature, subject)


def frame_in_view(context: Any, pattern: NoisePattern) -> Frame:
    """The strip along the bottom of a 3D viewport, beside regions that lie over it, over a pattern's frames."""
    scale = context.preferences.system.ui_scale
    region, left, right = context.region, 0.0, float(context.region.width)
    for other in context.area.regions if context.preferences.system.use_region_overlap else ():
        if other.type in BESIDE and other.width > 1 and other.height > 1:
            if other.alignment == "RIGHT" or other.x > region.x + 0.5 * region.width:
                right = min(right, float(other.x - region.x))
            else:
                left = max(left, float(other.x + other.width - region.x))
    left, right = left + MARGIN * scale, right - MARGIN * scale
    first, last = float(pattern.signals[0].times[0]), float(pattern.signals[0].times[-1])
    begin = left + LABELS * scale
    per_frame = (right - 0.5 * MARGIN * scale - begin) / max(last - first, 1.0)
    return Frame(left, left, right, MARGIN * scale, begin - first * per_frame, per_frame, scale)


def frame_in_editor(context: Any) -> Frame:
    """The strip along the bottom of an animation editor, at the frames that it shows."""
    scale, view = context.preferences.system.ui_scale, context.region.view2d
    # Pixels are whole: frames that are far from each other give the ratio exactly enough.
    (zero, _), (far, _) = (view.view_to_region(frame, 0.0, clip=False) for frame in (0.0, 10000.0))
    right = float(context.region.width)
    return Frame(0.0, AXIS * scale, right, SCROLLER * scale, float(zero), (far - zero) / 10000.0, scale)


def draw_noise(place: str) -> None:
    """Draw into the region of the context. An error is printed once, and ends drawing until the add-on is registered
    again."""
    global _problem
    if _problem:
        return
    try:
        context: Any = bpy.context
        pattern = pattern_shown(context, place)
        if pattern is None or not pattern.signals:
            return
        if place == "VIEW" and not context.space_data.overlay.show_overlays:
            return
        plot, batches = _made(pattern)
        frame = frame_in_view(context, pattern) if place == "VIEW" else frame_in_editor(context)
        is_low = context.region.height < LEAST_HEIGHT * plot.height * frame.scale
        if is_low or frame.right - frame.left < LEAST_WIDTH * frame.scale:
            return
        draw_plot(pattern, plot, batches, frame, context.scene.frame_current_final)
    except Exception as error:
        _problem = str(error)
        print(f"Poise: the noise pattern is not drawn any more, since drawing it failed: {error}")


def _made(pattern: NoisePattern) -> tuple[Plot, dict[str, list[Any]]]:
    """The geometry of a pattern and its batches, which are kept until another pattern is drawn."""
    if _kept.pattern is not pattern or _kept.plot is None or _kept.batches is None:
        plot = plot_of(pattern)
        flat, line = gpu.shader.from_builtin("UNIFORM_COLOR"), gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")

        def batch(shader: Any, shape: str, places: Any) -> Any:
            return batch_for_shader(shader, shape, {"pos": places}) if len(places) else None

        _kept.batches = {
            "still": [batch(flat, "TRIS", lane.still) for lane in plot.lanes],
            "moving": [batch(flat, "TRIS", lane.moving) for lane in plot.lanes],
            "threshold": [batch(line, "LINE_STRIP", lane.threshold) for lane in plot.lanes],
            "bars": [batch(flat, "TRIS", plot.examples), batch(flat, "TRIS", plot.found)],
        }
        _kept.pattern, _kept.plot = pattern, plot
    return _kept.plot, _kept.batches


def draw_plot(pattern: NoisePattern, plot: Plot, batches: dict[str, list[Any]], frame: Frame, current: float) -> None:
    """Draw a plot with its background, names and the current frame."""
    flat, line = gpu.shader.from_builtin("UNIFORM_COLOR"), gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    scale, bottom, top = frame.scale, frame.bottom, frame.bottom + plot.height * frame.scale
    gpu.state.blend_set("ALPHA")
    try:
        _fill(flat, BACKGROUND, frame.left, bottom - 3.0 * scale, frame.right, top)
        for lane in plot.lanes:
            lower = bottom + lane.bottom * scale
            _fill(flat, LANE_COLOR, frame.left, lower, frame.right, lower + LANE * scale)
        untyped: Any = gpu
        with untyped.matrix.push_pop():
            gpu.matrix.translate((frame.at_zero, bottom))
            gpu.matrix.scale((frame.per_frame, scale))
            example, found = batches["bars"]
            for color, chosen in (
                (MOVING, batches["moving"]),
                (STILL, batches["still"]),
                (EXAMPLE, [example]),
                (STILL, [found]),
            ):
                _draw(flat, color, chosen)
            line.bind()
            line.uniform_float("viewportSize", untyped.state.viewport_get()[2:])
            line.uniform_float("lineWidth", 1.5 * scale)
            _draw(line, THRESHOLD, batches["threshold"])
        now = frame.across(current)
        if frame.left <= now <= frame.right:
            _fill(flat, CURSOR, now - 0.5 * scale, bottom, now + 0.5 * scale, top - TITLE * scale)
        _write_names(pattern, plot, frame, current)
    finally:
        gpu.state.blend_set("NONE")


def _draw(shader: Any, color: tuple[float, ...], batches: list[Any]) -> None:
    shader.bind()
    shader.uniform_float("color", color)
    for batch in batches:
        if batch is not None:
            batch.draw(shader)


def _fill(shader: Any, color: tuple[float, ...], left: float, bottom: float, right: float, top: float) -> None:
    places = [(left, bottom), (right, bottom), (right, top), (left, bottom), (right, top), (left, top)]
    _draw(shader, color, [batch_for_shader(shader, "TRIS", {"pos": places})])


def _write_names(pattern: NoisePattern, plot: Plot, frame: Frame, current: float) -> None:
    """Write the title, the names of the rows, and the thresholds at the current frame."""
    scale, left = frame.scale, frame.names + 6.0 * frame.scale
    top = frame.bottom + (plot.height - TITLE) * scale
    flat = gpu.shader.from_builtin("UNIFORM_COLOR")
    _fill(flat, BACKGROUND, frame.left, frame.bottom - 3.0 * scale, frame.names + (LABELS - 4.0) * scale, top)
    title = f"{pattern.subject.title}: green where it counts as still, below the orange threshold"
    height = frame.bottom + (plot.height - TITLE + 5.0) * scale
    _write(title if frame.right - frame.left > 480.0 * scale else pattern.subject.title, left, height, scale, WORDS)
    for lane in plot.lanes:
        lower = frame.bottom + lane.bottom * scale
        limit = float(np.interp(current, lane.signal.times, lane.signal.thresholds))
        amount = f"{np.degrees(limit):.2g}°" if lane.is_angle else bridge.format_length(limit)
        _write(lane.title, left, lower + 0.62 * LANE * scale, scale, WORDS)
        _write(amount, left, lower + 0.2 * LANE * scale, scale, THRESHOLD)
    for name, lower in plot.rows:
        _write(name, left, frame.bottom + (lower + 0.1 * BARS) * scale, scale, DIM_WORDS, 0.9)


def _write(text: str, left: float, bottom: float, scale: float, color: tuple[float, ...], ratio: float = 1.0) -> None:
    blf.size(0, TEXT * scale * ratio)
    blf.position(0, left, bottom, 0.0)
    blf.color(0, *color)
    blf.draw(0, text)


@persistent  # type: ignore[untyped-decorator]
def _forget(*_: Any) -> None:
    """Drop the patterns of the file that was open."""
    global _kept
    examples.forget()
    _kept = _Kept()


def register() -> None:
    """Draw from now on, until `unregister`."""
    global _problem
    _problem = ""
    bpy.app.handlers.load_post.append(_forget)
    for place, names in SPACES.items():
        for name in names:
            space: Any = getattr(bpy.types, name)
            _handlers.append((space, space.draw_handler_add(draw_noise, (place,), "WINDOW", "POST_PIXEL")))


def unregister() -> None:
    """Draw no more, and keep nothing."""
    for space, handler in _handlers:
        space.draw_handler_remove(handler, "WINDOW")
    _handlers.clear()
    if _forget in bpy.app.handlers.load_post:
        bpy.app.handlers.load_post.remove(_forget)
    _forget()

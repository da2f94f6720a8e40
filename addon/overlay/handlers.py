# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the active character in every 3D viewport, and notices edits.

An error while drawing never repeats: the character is drawn no more until the animator switches it on again, and one
sentence says so.
"""

from __future__ import annotations

import traceback
from typing import Any

import bpy
import numpy as np
from bpy.app.handlers import persistent

from ..bridge.arrays import Array
from ..bridge.context import find_object, redraw_viewports
from ..properties import armature_in, character_of
from . import physics, readings, staleness, subjects
from .canvas import Canvas
from .palette import Palette, palette_of
from .parts import Part, Parts
from .status import status_of
from .texts import draw_labels, draw_status

_draw_handlers: list[Any] = []
_parts: dict[str, Parts] = {}
_canvases: dict[str, Canvas] = {}
"""By the names of armature objects."""
_drawn: dict[str, list[Part]] = {}
"""What was last drawn in world space: Blender draws the texts of a redraw right after it."""
_failures: dict[str, str] = {}
"""Sentences about errors by the names of armatures, until a timer has stored them; nothing of Blender's data may be set
while a viewport is drawn."""

_is_off = False
"""Whether nothing is drawn after an error of which no armature is known, until another file is loaded or the add-on is
enabled again. Blender would crash if a draw handler were removed while it is called."""


def drawn_armature(context: bpy.types.Context) -> bpy.types.Object | None:
    """The armature that is drawn in the viewport of the context; None where there is none, or it is switched off."""
    armature = armature_in(context)
    space: Any = context.space_data
    if armature is None or armature.name in _failures:
        return None
    overlay: Any = getattr(space, "overlay", None)
    if overlay is None or not overlay.show_overlays or not character_of(armature).display.show:
        return None
    return armature if armature.visible_get(viewport=space) else None


def pictures_of(context: bpy.types.Context, armature: bpy.types.Object, palette: Palette) -> list[Part]:
    """The pictures of an armature at the current frame of the context."""
    scene = context.scene
    assert scene is not None
    return _parts.setdefault(armature.name, Parts()).pictures(armature, scene.frame_current_final, palette)


def draw_geometry(
    context: bpy.types.Context, armature: bpy.types.Object, size: tuple[float, float], palette: Palette, scale: float
) -> None:
    """Draw an armature's pictures with the matrices that are set, in a viewport of some width and height."""
    canvas = _canvases.setdefault(armature.name, Canvas())
    parts = _drawn[armature.name] = pictures_of(context, armature, palette)
    canvas.draw(parts, size, scale)


def draw_texts(
    armature: bpy.types.Object,
    perspective: Array,
    size: tuple[float, float],
    palette: Palette,
    scale: float,
) -> None:
    """Draw the texts of what `draw_geometry` has drawn of an armature, in a region of some width and height, in pixels;
    `perspective` is that of its view."""
    if character_of(armature).display.texts:
        parts = _drawn.get(armature.name, [])
        draw_labels((label for _, each in parts for label in each.labels), perspective, size, palette, scale)
    status = status_of(armature, palette)
    if status is not None:
        draw_status(*status, size, palette, scale)


def _draw(is_pixel: bool) -> None:
    """Called by Blender for each viewport: once in world space, and once in pixels."""
    if _is_off:
        return
    context = bpy.context
    armature: bpy.types.Object | None = None
    try:
        armature = drawn_armature(context)
        region, view = context.region, context.region_data
        if armature is None or region is None or view is None:
            return
        preferences: Any = context.preferences
        palette, scale = palette_of(preferences), preferences.system.ui_scale or 1.0
        size = float(region.width), float(region.height)
        if is_pixel:
            perspective = np.array(view.perspective_matrix, dtype=np.float64)
            draw_texts(armature, perspective, size, palette, scale)
        else:
            draw_geometry(context, armature, size, palette, scale)
    except Exception as error:  # whatever it is, it must not come again with every redraw
        fail(armature, error)


def fail(armature: bpy.types.Object | None, error: Exception) -> None:
    """Switch the drawing of an armature off after an error; of all where it is not known whose error it is."""
    global _is_off
    traceback.print_exception(error)
    if armature is None:
        _is_off = True
        return
    _failures[armature.name] = (
        f"Drawing in the viewport is off after an error ({type(error).__name__}: {error}): switch it on to try again."
    )
    if not bpy.app.background and not bpy.app.timers.is_registered(store_failures):
        bpy.app.timers.register(store_failures, first_interval=0.0)


def store_failures() -> None:
    """Store the sentences about errors on their characters, for the panel, and switch their drawing off."""
    for name, sentence in list(_failures.items()):
        armature = find_object(name)
        if armature is not None:
            display: Any = character_of(armature).display
            display.show, display.problem = False, sentence
        del _failures[name]


@persistent  # type: ignore[untyped-decorator]
def _on_edit(*_: Any) -> None:
    """Compare sources with what was read, and forget characters that are gone."""
    readings.suspect_all()
    staleness.note_edit()
    for name in [name for name in _parts if find_object(name) is None]:
        for kept in (_parts, _canvases, _drawn):
            kept.pop(name, None)
        subjects.forget(name)
        staleness.forget(name)


@persistent  # type: ignore[untyped-decorator]
def _on_load(*_: Any) -> None:
    """Forget the characters of the former file."""
    forget()


def forget() -> None:
    """Drop all that is kept between redraws, and draw again after an error."""
    global _is_off
    _is_off = False
    for kept in (_parts, _canvases, _drawn, _failures):
        kept.clear()
    readings.forget()
    subjects.forget()
    staleness.forget()
    physics.forget()


HANDLERS = (
    ("depsgraph_update_post", _on_edit),
    ("undo_post", _on_edit),
    ("redo_post", _on_edit),
    ("load_post", _on_load),
)


def register() -> None:
    """Draw in the 3D viewports, and notice edits."""
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)
    for is_pixel, when in ((False, "POST_VIEW"), (True, "POST_PIXEL")):
        moment: Any = when
        _draw_handlers.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (is_pixel,), "WINDOW", moment))
    redraw_viewports()


def unregister() -> None:
    """Draw no more, and leave nothing behind."""
    while _draw_handlers:
        bpy.types.SpaceView3D.draw_handler_remove(_draw_handlers.pop(), "WINDOW")
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).remove(handler)
    if bpy.app.timers.is_registered(store_failures):
        bpy.app.timers.unregister(store_failures)
    forget()
    redraw_viewports()

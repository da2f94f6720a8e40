# SPDX-License-Identifier: GPL-3.0-or-later
"""The source of characters that are not solved yet, read once and again only when it has changed.

Reading may set the frame of the scene, so it is never done while a viewport is drawn: a redraw asks for it, and a timer
does it, after a moment in which nothing was edited.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ... import solver
from .. import bridge, translation
from ..bridge import versions
from ..bridge.arrays import Array
from ..bridge.context import get_item, redraw_viewports
from ..properties import character_of
from ..workflows import solve
from .marks import numbers_of

QUIET = 0.3
"""Seconds without an edit after which a changed source is read again."""

FARTHEST = 1000
"""Frames before and after the current one that are read: enough for what fits into a view, and read in a tenth of a
second for most characters."""


@dataclass(frozen=True, eq=False)
class Read:
    """The source of a character; without a clip where it cannot be read from its keys alone."""

    signature: Hashable
    clip: solver.Clip | None
    times: Array
    """(frames,) frames of the scene."""
    ground: solver.Ground | None
    """None where the character has none, or where it cannot be made."""


_reads: dict[str, Read] = {}
"""By the name of the armature object."""
_suspects: set[str] = set()
"""Armatures whose source may have changed since it was read."""
_wanted: set[str] = set()
_edited_at = 0.0


def known(armature: bpy.types.Object) -> Read | None:
    """What was read of an armature; None where nothing was, and then reading is asked for."""
    name = armature.name
    if name not in _reads or name in _suspects:
        _wanted.add(name)
        _start_timer()
    return _reads.get(name)


def suspect_all() -> None:
    """Note that something was edited, so that sources are compared with what was read."""
    global _edited_at
    _edited_at = time.monotonic()
    _suspects.update(_reads)


def forget() -> None:
    """Drop everything that was read, and stop the timer."""
    for kept in (_reads, _suspects, _wanted):
        kept.clear()
    if bpy.app.timers.is_registered(_read_wanted):
        bpy.app.timers.unregister(_read_wanted)


def read_now(armature: bpy.types.Object) -> Read:
    """Read an armature where that is not done yet, or its source has changed."""
    name = armature.name
    signature = source_signature(armature)
    before = _reads.get(name)
    if before is None or before.signature != signature:
        _reads[name] = _read(armature, signature)
        redraw_viewports()
    _suspects.discard(name)
    _wanted.discard(name)
    return _reads[name]


def _start_timer() -> None:
    if not bpy.app.background and not bpy.app.timers.is_registered(_read_wanted):
        bpy.app.timers.register(_read_wanted, first_interval=0.0)


def _read_wanted() -> float | None:
    """Called by Blender's timer: read what was asked for, unless something is edited or played just now."""
    waiting = _edited_at + QUIET - time.monotonic()
    if waiting > 0.0:
        return waiting
    if _is_playing():
        return QUIET
    for name in list(_wanted):
        armature = get_item(bpy.data.objects, name)
        if armature is None or armature.mode == "EDIT":
            _wanted.discard(name)
        else:
            read_now(armature)
    return None


def _is_playing() -> bool:
    manager: Any = bpy.context.window_manager
    return any(window.screen.is_animation_playing for window in manager.windows)


def _read(armature: bpy.types.Object, signature: Hashable) -> Read:
    first, last = _span(armature)
    try:
        reading = bridge.read(armature, first, last, method="curves")
        clip = translation.clip_with_settings(armature, reading)
    except solver.PoiseError:
        return Read(signature, None, np.zeros(0), None)
    try:
        ground = translation.ground_of(armature, clip)
    except solver.PoiseError:
        ground = None
    return Read(signature, clip, reading.times, ground)


def _span(armature: bpy.types.Object) -> tuple[int, int]:
    """The first and last frame to read: those of the scene, as far as they are near the current one."""
    first, last = solve.frames(None, None)
    now = min(max(bridge.current_scene().frame_current, first), last)
    return max(first, now - FARTHEST), min(last, now + FARTHEST)


def source_signature(armature: bpy.types.Object) -> Hashable:
    """A value that differs where the source of an armature, or a setting of the character, has changed."""
    scene, character = bridge.current_scene(), character_of(armature)
    try:
        animation = bridge.animation_of(armature)
        source, slot = animation.source, animation.slot
    except solver.PoiseError:
        source, slot = None, ""
    check = 0
    for curve in versions.curves_of(source, slot) if source is not None else ():
        keys = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
        curve.keyframe_points.foreach_get("co", keys)
        check = zlib.crc32(keys.tobytes(), zlib.crc32(f"{curve.data_path}{curve.array_index}".encode(), check))
    render, data = scene.render, armature.data
    assert isinstance(data, bpy.types.Armature)
    landmarks = [(mark.mark, mark.bone, *mark.offset) for mark in character.landmarks]
    settings = character.mass, character.sole_heel, character.sole_ball, *landmarks
    loads = [(load.bone, load.mass, *load.offset) for load in character.loads]
    ground = character.use_ground, character.ground_kind, character.ground_mesh, character.ground_collection
    return (
        (source.name if source is not None else "", slot, check),
        (scene.frame_start, scene.frame_end, render.fps, render.fps_base),
        (data.name, len(data.bones), numbers_of(armature.matrix_world)),
        (settings, tuple(loads), tuple(str(each) for each in ground)),
    )

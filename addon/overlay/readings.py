# SPDX-License-Identifier: GPL-3.0-or-later
"""The source of characters that are not solved yet, read once and again only when it has changed.

Reading may set the frame of the scene, so it is never done while a viewport is drawn: a redraw asks for it, and a timer
does it, after a moment in which nothing was edited.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ... import solver
from .. import bridge, translation
from ..bridge.arrays import Array
from ..bridge.context import get_item, redraw_viewports
from ..workflows import latest, solve

QUIET = 0.3
"""Seconds without an edit after which a changed source is read again."""

FARTHEST = 1000
"""Frames before and after the current one that are read: enough for what fits into a view, and read in a tenth of a
second for most characters."""


@dataclass(frozen=True, eq=False)
class Read:
    """The source of a character; without a clip where it cannot be read from its keys alone."""

    signature: str
    """Empty where the source cannot be read."""
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
    read = _reads.get(name)
    if read is None or name in _suspects or _is_left(read):
        _wanted.add(name)
        _start_timer()
    return read


def _is_left(read: Read) -> bool:
    """Whether the current frame is no longer among those that were read of a long scene."""
    first, last = solve.frames(None, None)
    now = bridge.current_scene().frame_current
    return read.clip is not None and first <= now <= last and not read.times[0] <= now <= read.times[-1]


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
    before, found = _reads.get(name), _signature(armature)
    if before is None or before.signature != found or _is_left(before):
        _reads[name] = _read(armature, found)
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


def _signature(armature: bpy.types.Object) -> str:
    """The signature of the source of an armature and of the settings of the character."""
    try:
        return latest.source_signature(armature, *solve.frames(None, None), "final")
    except solver.PoiseError:
        return ""


def _read(armature: bpy.types.Object, signature: str) -> Read:
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

# SPDX-License-Identifier: GPL-3.0-or-later
"""Live mode as a window plays it, without one: edits are evaluated, and its timer is called."""

from __future__ import annotations

import time
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from poise.addon.live import session, watching
from poise.addon.live.session import Session

LONGEST = 60.0
"""Seconds after which a session that does not settle is a failure."""


def session_of(armature: bpy.types.Object) -> Session:
    return watching.sessions()[armature.name]


def edited() -> None:
    """Let Blender evaluate an edit, which calls the handlers."""
    bpy.context.view_layer.update()


def until_solved(armature: bpy.types.Object) -> None:
    """Let the timer run until the newest edit is shown."""
    until = time.perf_counter() + LONGEST
    watching.on_timer()
    while armature.name in watching.sessions() and session_of(armature).is_working:
        assert time.perf_counter() < until
        watching.on_timer()


def until_settled(armature: bpy.types.Object) -> None:
    """Let the hand rest, and the timer run until the result has keys."""
    until_solved(armature)
    if armature.name in watching.sessions():
        session_of(armature).last_edit -= session.REST
    until_solved(armature)


def head(armature: Any, bone: str, frame: int) -> NDArray[np.float64]:
    """Where the head of a bone is at a frame, as Blender shows it."""
    scene = bpy.context.scene
    current = scene.frame_current
    scene.frame_set(frame)
    found = np.array(armature.matrix_world @ armature.pose.bones[bone].head)
    scene.frame_set(current)
    return found

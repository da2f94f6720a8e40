# SPDX-License-Identifier: GPL-3.0-or-later
"""Live mode: edits of constraints are solved and shown while the animator makes them."""

from __future__ import annotations

from typing import Any

import bpy

from ..workflows import latest
from . import watching
from .toggling import settle, toggle_in_steps
from .watching import drop

__all__ = ["classes", "drop", "register", "settle", "toggle_in_steps", "unregister"]

classes: tuple[Any, ...] = ()


def register() -> None:
    """Watch edits, undo and files."""
    bpy.app.handlers.load_post.append(latest.forget_on_load)
    watching.register()


def unregister() -> None:
    """End live mode everywhere, forget all solves, and watch no more."""
    watching.unregister()
    bpy.app.handlers.load_post.remove(latest.forget_on_load)
    latest.forget()

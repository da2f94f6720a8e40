# SPDX-License-Identifier: GPL-3.0-or-later
"""Live mode: edits of constraints are solved and shown while the animator makes them."""

from __future__ import annotations

from typing import Any

import bpy

from ..workflows import latest

classes: tuple[Any, ...] = ()


def register() -> None:
    """Watch the loading of files."""
    bpy.app.handlers.load_post.append(latest.forget_on_load)


def unregister() -> None:
    """Forget all solves, and watch no more."""
    bpy.app.handlers.load_post.remove(latest.forget_on_load)
    latest.forget()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences in the status bar about what was done outside of an operator, which alone could report."""

from __future__ import annotations

import bpy

SECONDS = 6.0
"""How long a sentence is shown: it is read in about two."""


def show(sentence: str) -> None:
    """Show a sentence in the status bar of all workspaces for some seconds."""
    _set(f"Poise: {sentence}")
    clear_later()


def clear_later() -> None:
    """Give the status bar back to Blender after some seconds, from now on."""
    if bpy.app.timers.is_registered(clear):
        bpy.app.timers.unregister(clear)
    bpy.app.timers.register(clear, first_interval=SECONDS, persistent=True)  # also in the next file


def clear() -> None:
    """Give the status bar back to Blender."""
    _set(None)


def forget() -> None:
    """Clear at once what is shown, if anything is."""
    if bpy.app.timers.is_registered(clear):
        bpy.app.timers.unregister(clear)
        clear()


def _set(text: str | None) -> None:
    for workspace in bpy.data.workspaces:
        workspace.status_text_set(text)

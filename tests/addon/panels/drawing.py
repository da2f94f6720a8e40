# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing panels with a real layout, without a window; what Blender prints meanwhile counts as a failure."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import bpy
import pytest

from poise.addon import panels

MENUS = [found for found in panels.classes if issubclass(found, bpy.types.Menu)]
PANELS = [found for found in panels.classes if issubclass(found, bpy.types.Panel)]

NO_PICTURES = "no icon for icon ID"
"""Blender has no pictures of icons without a window, and says so for each; a wrong name of an icon raises."""


class Complaints:
    """What Blender prints about wrong properties and operators: it raises for neither."""

    def __init__(self, captured: pytest.CaptureFixture[str]) -> None:
        self._captured = captured

    def heard(self) -> str:
        """What was printed since the last time."""
        ctypes.CDLL(None).fflush(None)  # what C has printed waits in a buffer of its own
        out, err = self._captured.readouterr()
        return "\n".join(line for line in (out + err).splitlines() if line.strip() and NO_PICTURES not in line)


def in_sidebar() -> Any:
    """As if the sidebar of the first 3D viewport were drawn: lists need a region."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "UI")
    return bpy.context.temp_override(window=window, screen=window.screen, area=area, region=region)


def drawn(found: Any, complaints: Complaints) -> str:
    """Draw a panel or menu, whatever its poll says; all that it shows, as text."""
    menu = bpy.context.window_manager.popmenu_begin__internal(title="Test")
    complaints.heard()
    found.draw(SimpleNamespace(layout=menu.layout), bpy.context)
    shown = str(menu.layout.introspect())
    complaint = complaints.heard()
    assert not complaint, f"{found.__name__}: Blender complains: {complaint}"
    return shown


def draw_all(complaints: Complaints) -> dict[str, str]:
    """What every panel and menu shows that would be drawn now, by its name."""
    with in_sidebar():
        return {
            found.__name__: drawn(found, complaints)
            for found in (*PANELS, *MENUS)
            if not hasattr(found, "poll") or found.poll(bpy.context)
        }

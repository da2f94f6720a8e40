# SPDX-License-Identifier: GPL-3.0-or-later
"""A sentence is shown in the status bar for some seconds, and goes with the add-on."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise import addon
from poise.addon.workflows import notices


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """What the status bar is set to."""
    found: list[str | None] = []
    monkeypatch.setattr(notices, "_set", found.append)
    return found


def test_it_is_shown_and_cleared_later(texts: list[Any]) -> None:
    notices.show("Pin was deleted.")
    assert texts == ["Poise: Pin was deleted."] and bpy.app.timers.is_registered(notices.clear)
    notices.show("Another.")
    assert texts[-1] == "Poise: Another."
    notices.clear()
    assert texts[-1] is None
    notices.forget()


def test_it_goes_with_the_add_on(texts: list[Any]) -> None:
    notices.show("Pin was deleted.")
    addon.unregister()
    try:
        assert texts[-1] is None and not bpy.app.timers.is_registered(notices.clear)
    finally:
        addon.register()


def test_it_is_cleared_in_the_next_file_too(texts: list[Any]) -> None:
    notices.show("Pin was deleted.")
    bpy.ops.wm.read_homefile(use_empty=True)
    assert bpy.app.timers.is_registered(notices.clear)
    notices.forget()

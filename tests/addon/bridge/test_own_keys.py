# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys are listed as the animator has them, by what they do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from poise.addon.bridge import own_keys


def key(idname: str, text: str, active: bool = True, **properties: Any) -> SimpleNamespace:
    return SimpleNamespace(
        idname=idname,
        name=idname.partition(".")[2],
        active=active,
        properties=SimpleNamespace(**properties),
        to_string=lambda: text,
    )


def test_only_own_keys_that_are_on_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    items = [
        key("wm.call_menu_pie", "Y", name="POISE_MT_pie"),
        key("wm.call_menu_pie", "Z", name="VIEW3D_MT_shading_pie"),
        key("poise.unpin", "Alt Y"),
        key("poise.solve", "F", active=False),
        key("pose.copy", "Ctrl C"),
    ]
    keymaps = {"Pose": SimpleNamespace(keymap_items=items)}
    manager = SimpleNamespace(keyconfigs=SimpleNamespace(user=SimpleNamespace(keymaps=keymaps)))
    monkeypatch.setattr(own_keys, "bpy", SimpleNamespace(context=SimpleNamespace(window_manager=manager)))
    assert own_keys.own_keys() == [("Pie Menu", "Y"), ("unpin", "Alt Y")]
    assert own_keys.own_keys("Object Mode") == []


def test_without_a_window_manager_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_keys, "bpy", SimpleNamespace(context=SimpleNamespace(window_manager=None)))
    assert own_keys.own_keys() == []

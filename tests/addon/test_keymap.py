# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of the add-on are there, collide with none of Blender's own, and are gone without it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import bpy
import pytest

from poise import addon
from poise.addon import keymap

AROUND = (
    "Window",
    "Screen",
    "Screen Editing",
    "User Interface",
    "Frames",
    "Animation",
    "3D View",
    "3D View Generic",
    "Object Non-modal",
    *keymap.KEYMAPS,
)
"""The keymaps of Blender that are in use with the mouse over the 3D view, in pose mode and object mode."""
MODIFIERS = ("ctrl", "shift", "alt")


@pytest.fixture(autouse=True)
def empty_file() -> None:
    bpy.ops.wm.read_homefile(use_empty=True)


def added() -> list[Any]:
    """The items in the add-ons' key configuration."""
    keymaps = bpy.context.window_manager.keyconfigs.addon.keymaps
    return [item for name in keymap.KEYMAPS if name in keymaps for item in keymaps[name].keymap_items]


def blenders_own() -> list[tuple[str, str, dict[str, Any]]]:
    """The default keymap of this Blender: keymap, operator, and event."""
    folder = Path(bpy.utils.preset_paths("keyconfig")[0])
    spec = importlib.util.spec_from_file_location("default_keys", folder / "keymap_data" / "blender_default.py")
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [
        (name, operator, event)
        for name, _, content in module.generate_keymaps(module.Params())
        for operator, event, _ in content["items"]
    ]


def takes(event: dict[str, Any], key: keymap.Key) -> bool:
    """Whether an event of Blender's keymap is caused by a key."""
    if event["type"] != key.type:
        return False
    if event.get("any"):
        return True
    return all(event.get(each, False) in (-1, each in key.modifiers) for each in MODIFIERS)


def test_no_key_is_one_of_blenders_own() -> None:
    own = [(name, operator, event) for name, operator, event in blenders_own() if name in AROUND]
    assert {name for name, _, _ in own} >= {"Pose", "Object Mode", "3D View", "Screen", "Frames"}
    assert any(takes(event, keymap.Key("", "J", ("ctrl",))) for _, _, event in own), "Ctrl J joins objects"
    taken = [
        f"{' '.join((*key.modifiers, key.type))} is {operator} in {name}"
        for key in keymap.KEYS
        for name, operator, event in own
        if takes(event, key)
    ]
    assert not taken


def test_no_key_does_two_things() -> None:
    assert len({(key.type, frozenset(key.modifiers)) for key in keymap.KEYS}) == len(keymap.KEYS)


def test_keys_come_and_go() -> None:
    before = len(added())
    for _ in range(2):
        addon.register()
        assert len(added()) == before + len(keymap.KEYMAPS) * (len(keymap.KEYS) + len(keymap.CLICKS))
        addon.unregister()
        assert len(added()) == before
        assert keymap._made == []


def test_each_key_has_an_operator_that_takes_its_choices() -> None:
    addon.register()
    try:
        for key in (*keymap.KEYS, *keymap.CLICKS):
            room, _, name = key.operator.partition(".")
            known = getattr(getattr(bpy.ops, room), name).get_rna_type().properties
            assert set(key.properties) <= set(known.keys()), key.operator
        for item in added():
            assert item.value == ("CLICK" if item.type == "LEFTMOUSE" else "PRESS")
            if item.idname == "poise.recruit_step":
                assert item.properties.direction == ("MORE" if item.type == "PAGE_UP" else "LESS")
    finally:
        addon.unregister()


def test_without_key_configurations_nothing_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    class Without:
        class context:  # noqa: N801
            window_manager = None

    monkeypatch.setattr(keymap, "bpy", Without)
    keymap.register()
    assert keymap._made == []

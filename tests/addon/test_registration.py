# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on comes and goes without a trace."""

from __future__ import annotations

import importlib
import importlib.util
import types
from collections.abc import Iterator
from typing import Any

import bpy
import pytest

from poise import addon
from poise.addon import operators, panels, properties

State = dict[str, Any]


def registered_state() -> State:
    """All that an add-on can leave behind: classes, properties of types, operators and handlers."""
    held = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
    return {
        "types": set(dir(bpy.types)),
        "properties": {
            name: set(getattr(bpy.types, name).bl_rna.properties.keys())
            for name in ("Object", "Bone", "PoseBone", "Armature", "Scene", "WindowManager", "Action")
        },
        "subclasses": {
            base.__name__: {found.__name__ for found in base.__subclasses__() if getattr(found, "is_registered", False)}
            for base in (bpy.types.PropertyGroup, bpy.types.Operator, bpy.types.Panel, bpy.types.UIList, bpy.types.Menu)
        },
        "operators": set(dir(bpy.ops.poise)),
        "handlers": {name: list(map(id, found)) for name, found in held.items() if isinstance(found, list)},
        "drawers": {name: _drawers(name) for name in ("VIEW3D_MT_pose", "VIEW3D_MT_object", "TOPBAR_MT_file_import")},
    }


def _drawers(menu: str) -> list[str]:
    """What others have added to a menu; its own function becomes a part of the list when the first one is added."""
    draw = getattr(getattr(bpy.types, menu, None), "draw", None)
    added = [found for found in getattr(draw, "_draw_funcs", []) if found.__qualname__ != f"{menu}.draw"]
    return [str(found) for found in added]


@pytest.fixture(autouse=True)
def empty_file() -> Iterator[None]:
    bpy.ops.wm.read_homefile(use_empty=True)
    yield
    bpy.ops.wm.read_homefile(use_empty=True)


def all_classes() -> list[Any]:
    return [found for room in addon.PACKAGES for found in room.classes]


def is_registered(found: Any) -> bool:
    """Whether a class is; Blender does not tell it of gizmos themselves."""
    return bool(getattr(found, "is_registered", "bl_rna" in vars(found)))


def test_it_comes_and_goes_again_and_again() -> None:
    before = registered_state()
    for _ in range(2):
        addon.register()
        assert registered_state() != before
        assert all(is_registered(found) for found in all_classes())
        bpy.data.objects.new("Anything", None).poise.constraints.add()
        addon.unregister()
        assert registered_state() == before
        assert not any(is_registered(found) for found in all_classes())
        assert not hasattr(bpy.data.objects["Anything"], "poise")
        bpy.data.objects.remove(bpy.data.objects["Anything"])


def test_it_is_switched_on_while_data_cannot_be_read() -> None:
    """As Blender enables an extension: with stand-ins for its data and its context."""
    names = ("bpy_restrict_state", "_bpy_restrict_state")  # the latter since Blender 5.0
    (name,) = (name for name in names if importlib.util.find_spec(name) is not None)
    with importlib.import_module(name).RestrictBlend():
        addon.register()
    addon.unregister()


class NameIsRefused(bpy.types.Operator):
    """Operators have a dot in their names."""

    bl_idname = "without a dot"
    bl_label = "Refused"


@pytest.mark.parametrize("room", [operators, panels, properties])
def test_where_registration_fails_nothing_is_left(monkeypatch: pytest.MonkeyPatch, room: types.ModuleType) -> None:
    before = registered_state()
    monkeypatch.setattr(room, "classes", (*room.classes, NameIsRefused))
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        addon.register()
    monkeypatch.undo()
    assert registered_state() == before
    addon.register()
    addon.unregister()
    assert registered_state() == before


def test_data_outlive_the_add_on(tmp_path: Any) -> None:
    """A file that was saved with the add-on, opened without it, saved again and opened with it, holds everything."""
    addon.register()
    armature = bpy.data.objects.new("Other", bpy.data.armatures.new("Other"))
    bpy.context.scene.collection.objects.link(armature)
    armature.poise.constraints.add().name = "Kept"
    armature.poise.mass = 12.0
    first, second = str(tmp_path / "first.blend"), str(tmp_path / "second.blend")
    bpy.ops.wm.save_as_mainfile(filepath=first)
    addon.unregister()
    bpy.ops.wm.open_mainfile(filepath=first)
    bpy.ops.wm.save_as_mainfile(filepath=second)
    addon.register()
    bpy.ops.wm.open_mainfile(filepath=second)
    kept = bpy.data.objects["Other"].poise
    assert kept.mass == 12.0 and [item.name for item in kept.constraints] == ["Kept"]
    addon.unregister()


def test_each_operator_says_what_it_does_and_when_it_cannot() -> None:
    addon.register()
    try:
        for found in operators.classes:
            name = found.bl_idname
            assert name.startswith("poise."), name
            known = getattr(bpy.ops.poise, name.removeprefix("poise.")).get_rna_type()
            assert known.description and not known.description.endswith("."), name
            assert found.bl_label and found.bl_label != name, name
            for argument in known.properties:
                hidden = argument.is_hidden or argument.identifier == "rna_type"
                assert hidden or argument.description, f"{name} does not say what {argument.identifier} is"
            begins = name == "poise.example_character_add"
            assert found.poll(bpy.context) == begins, f"{name} runs in an empty file, or cannot begin there"
            if begins:
                continue
            with pytest.raises(RuntimeError) as message:
                getattr(bpy.ops.poise, name.removeprefix("poise."))()
            sentence = str(message.value).partition("poll() ")[2]
            assert sentence and "failed, context is incorrect" not in sentence, f"{name} does not say why it cannot run"
    finally:
        addon.unregister()

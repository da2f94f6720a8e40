# SPDX-License-Identifier: GPL-3.0-or-later
"""The posture tool in the toolbar: it comes and goes, and its header and popover are drawn."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from bl_ui.space_toolsystem_toolbar import VIEW3D_PT_tools_active

from poise import addon
from poise.addon.tools import posture
from poise.addon.workflows import pins

from ..panels.drawing import Complaints, in_sidebar
from ..walking import select_bones


def tools() -> list[str]:
    """The tools of pose mode."""
    found: list[Any] = []
    for entry in VIEW3D_PT_tools_active._tools["POSE"]:
        found += entry if isinstance(entry, tuple) and not hasattr(entry, "idname") else [entry]
    return [each.idname for each in found if hasattr(each, "idname")]


def keymaps() -> set[str]:
    configs = bpy.context.window_manager.keyconfigs
    return {
        keymap.name for config in (configs.default, configs.addon) if config is not None for keymap in config.keymaps
    }


def test_the_tool_comes_and_goes() -> None:
    assert posture.TOOL in tools()
    addon.unregister()
    without, keys = tools(), keymaps()
    addon.register()
    assert posture.TOOL not in without
    assert posture.TOOL in tools() and not any("Posture" in name for name in keys)


def test_its_drag_and_pin_are_operators() -> None:
    for name, _, _ in posture.PostureTool.bl_keymap:
        module, _, operator = name.partition(".")
        assert getattr(getattr(bpy.ops, module), operator).get_rna_type()
    assert "bl_rna" in posture.POISE_GGT_posture.__dict__ and posture.PostureTool.bl_widget == posture.GIZMOS


@pytest.mark.parametrize(("tool", "has_gizmos"), [(posture.TOOL, True), ("builtin.select_box", False), (None, False)])
def test_its_gizmos_are_shown_with_this_tool_alone(
    armature: bpy.types.Object, tool: str | None, has_gizmos: bool
) -> None:
    found = SimpleNamespace(idname=tool) if tool is not None else None
    tools = {"POSE": found, "OBJECT": SimpleNamespace(idname=posture.TOOL)}
    workspace = SimpleNamespace(tools=SimpleNamespace(from_space_view3d_mode=tools.get))
    now: Any = SimpleNamespace(object=armature, view_layer=bpy.context.view_layer, workspace=workspace)
    assert not posture.POISE_GGT_posture.poll(now), "bones are not posed"
    select_bones(armature, "l_wrist")
    assert posture.POISE_GGT_posture.poll(now) == has_gizmos


@pytest.fixture
def complaints(capfd: pytest.CaptureFixture[str]) -> Complaints:
    return Complaints(capfd)


def drawn(draw: Any, complaints: Complaints) -> str:
    with in_sidebar():
        menu = bpy.context.window_manager.popmenu_begin__internal(title="Test")
        complaints.heard()
        draw(menu.layout)
        assert not complaints.heard()
        return str(menu.layout.introspect())


def test_the_header_shows_the_settings(armature: bpy.types.Object, complaints: Complaints) -> None:
    def header(layout: Any) -> None:
        posture.PostureTool.draw_settings(bpy.context, layout, None)

    assert "posture" not in drawn(header, complaints)
    select_bones(armature, "l_wrist")
    shown = drawn(header, complaints)
    assert "use_all" in shown and "balance" in shown and "recruit_level" not in shown
    armature.poise.posture.use_all = False
    assert "recruit_level" in drawn(header, complaints)


def test_the_popover_lists_pins_and_walls(armature: bpy.types.Object, complaints: Complaints) -> None:
    select_bones(armature, "l_wrist")
    pins.pin(armature, ["r_talocrural"], "PLACE")
    wall = bpy.data.objects.new("Wall", None)
    pins.add_wall(armature, wall)

    def popover(layout: Any) -> None:
        bpy.types.POISE_PT_posture_tool.draw(SimpleNamespace(layout=layout), bpy.context)

    shown = drawn(popover, complaints)
    assert "r_talocrural" in shown and "posture_wall_remove" in shown and "use_ground" in shown

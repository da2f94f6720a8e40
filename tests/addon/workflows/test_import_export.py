# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints are saved and loaded; a file is loaded completely or not at all."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from poise import solver
from poise.addon import translation
from poise.addon.properties import character_of
from poise.addon.workflows import create, import_export


def names(armature: bpy.types.Object) -> list[str]:
    return [item.name for item in character_of(armature).constraints]


def test_loading_adds_or_replaces_and_keeps_names(armature: bpy.types.Object, tmp_path: Path) -> None:
    create.add_pins(armature, ["l_wrist", "r_wrist"], 20.0)
    path = tmp_path / "pins.json"
    assert import_export.save(armature, path) == (2, [])
    assert import_export.load(armature, path) == 2
    assert names(armature) == ["Pin l_wrist", "Pin r_wrist", "Pin l_wrist.001", "Pin r_wrist.001"]
    assert import_export.load(armature, path, replace=True) == 2
    assert names(armature) == ["Pin l_wrist", "Pin r_wrist"]


def test_what_is_left_out_is_reported(armature: bpy.types.Object, tmp_path: Path) -> None:
    pins = create.add_pins(armature, ["l_wrist", "r_wrist"], 20.0)
    pins[0].begin, pins[0].end = 500.0, 520.0
    pins[0].points[0].begin = pins[0].points[0].end = 510.0
    count, left_out = import_export.save(armature, tmp_path / "pins.json")
    assert count == 1 and len(left_out) == 1 and "Pin l_wrist" in left_out[0]


def test_a_file_that_cannot_be_loaded_adds_nothing(armature: bpy.types.Object, tmp_path: Path) -> None:
    create.add_pins(armature, ["l_wrist", "r_wrist"], 20.0)
    path = tmp_path / "pins.json"
    import_export.save(armature, path)
    armature.pose.bones["r_wrist"].constraints.new("COPY_TRANSFORMS").target = armature
    armature.pose.bones["r_wrist"].constraints[0].subtarget = "vt6"
    before, empties = names(armature), len(bpy.data.objects)
    with pytest.raises(solver.PoiseError, match="r_wrist"):
        import_export.load(armature, path, replace=True)
    assert names(armature) == before and len(bpy.data.objects) == empties


def test_nothing_to_save_is_refused(armature: bpy.types.Object, tmp_path: Path) -> None:
    with pytest.raises(translation.TranslationError, match="no enabled constraint"):
        import_export.save(armature, tmp_path / "none.json")

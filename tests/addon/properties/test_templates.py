# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples and their settings are saved, and show the defaults of the solver."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from poise.addon.properties import character_of
from poise.solver import DetectionSettings

from ..bodies import box


def test_the_defaults_are_those_of_the_solver(armature: bpy.types.Object) -> None:
    detection, solver = character_of(armature).detection, DetectionSettings()
    for name in ("shortest", "bridged", "distance", "angle"):
        assert getattr(detection, name) == pytest.approx(getattr(solver, name)), name


def test_examples_are_saved_with_their_references(armature: bpy.types.Object, tmp_path: Path) -> None:
    template = character_of(armature).detection.templates.add()
    template.bone, template.kind, template.begin, template.end, template.tolerance = "l_wrist", "LINE", 5, 12, 2.5
    template.reference, template.reference_object = "OBJECT", box("Tray")
    other = character_of(armature).detection.templates.add()
    other.object = box("Cup")
    event = character_of(armature).detection.events.add()
    event.object, event.kind, event.begin = other.object, "POINT", 7
    name = armature.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "examples.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "examples.blend"))
    detection = character_of(bpy.data.objects[name]).detection
    template, other = detection.templates
    assert (template.bone, template.kind, template.begin, template.end) == ("l_wrist", "LINE", 5, 12)
    assert template.bone_id and template.tolerance == 2.5 and template.reference_object.name == "Tray"
    assert other.object.name == "Cup" and detection.events[0].object.name == "Cup"


def test_the_kind_of_a_file_of_before_is_that_of_new_examples(armature: bpy.types.Object, tmp_path: Path) -> None:
    # Older files have only this setting, stored as a number.
    character_of(armature).template_kind = "POINT"
    name = armature.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kind.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "kind.blend"))
    bpy.context.view_layer.objects.active = bpy.data.objects[name]
    bpy.ops.poise.template_add(bone="l_wrist", begin=5, end=12)
    assert character_of(bpy.data.objects[name]).detection.templates[0].kind == "POINT"

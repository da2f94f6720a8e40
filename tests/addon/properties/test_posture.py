# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of the posture tool are saved with the armature."""

from __future__ import annotations

from pathlib import Path

import bpy


def test_settings_pins_and_walls_are_saved(tmp_path: Path) -> None:
    data = bpy.data.armatures.new("Other")
    armature = bpy.data.objects.new("Other", data)
    wall = bpy.data.objects.new("Wall", None)
    for made in (armature, wall):
        bpy.context.scene.collection.objects.link(made)
    settings = armature.poise.posture
    assert settings.use_all and settings.feet_stay and settings.balance == "KEEP" and settings.use_limits
    settings.use_all, settings.recruit_level, settings.balance = False, 2, "CENTER"
    pin = settings.pins.add()
    pin.bone, pin.hold = "Foot", "PLACE"
    settings.walls.add().object = wall
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    kept = bpy.data.objects["Other"].poise.posture
    assert (kept.use_all, kept.recruit_level, kept.balance) == (False, 2, "CENTER")
    assert [(each.bone, each.hold) for each in kept.pins] == [("Foot", "PLACE")]
    assert [each.object.name for each in kept.walls] == ["Wall"]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars are shown unless they are switched off, and the switch is saved with the character."""

from __future__ import annotations

from pathlib import Path

import bpy

from poise.addon.properties import character_of


def test_bars_are_shown_at_first(armature: bpy.types.Object) -> None:
    assert character_of(armature).timeline.show_bars
    assert len(character_of(armature).timeline.markers) == 0


def test_the_switch_and_the_own_markers_are_saved(armature: bpy.types.Object, tmp_path: Path) -> None:
    timeline = character_of(armature).timeline
    timeline.show_bars = False
    entry = timeline.markers.add()
    entry.name, entry.frame = "L heel strike", 12
    name, path = armature.name, str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    saved = character_of(bpy.data.objects[name]).timeline
    assert not saved.show_bars and [(each.name, each.frame) for each in saved.markers] == [("L heel strike", 12)]

# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of the newest result is saved with the file."""

from __future__ import annotations

from pathlib import Path

import bpy

from poise.addon.properties import character_of


def test_the_state_is_saved(armature: bpy.types.Object, tmp_path: Path) -> None:
    state = character_of(armature).live_state
    assert (state.solved, state.problem) == ("", "")
    state.solved = "0123"
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert character_of(bpy.data.objects["Walker"]).live_state.solved == "0123"

# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn is saved with each character, and every setting says what it does."""

from __future__ import annotations

from typing import Any

import bpy


def test_everything_but_ghosts_is_drawn_by_default(armature: Any) -> None:
    display = armature.poise.display
    parts = ("show", "footprints", "points", "trajectories", "misses", "proposals", "balance", "texts")
    assert all(getattr(display, part) for part in parts) and not display.ghosts


def test_every_setting_has_a_tooltip(armature: Any) -> None:
    for setting in armature.poise.display.bl_rna.properties:
        if setting.identifier not in ("rna_type", "name"):
            assert len(setting.description) > 10 and not setting.description.endswith("."), setting.identifier


def test_switching_it_on_again_forgets_the_problem(armature: Any) -> None:
    display = armature.poise.display
    display.show, display.problem = False, "Something is broken."
    assert display.problem
    display.show = True
    assert not display.problem


def test_settings_are_saved_with_the_file(armature: Any, tmp_path: Any) -> None:
    display = armature.poise.display
    display.ghosts, display.ghost_frames, display.trajectories_of = True, "3, 9", "ACTIVE"
    path = str(tmp_path / "file.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    display = bpy.data.objects["Walker"].poise.display
    assert (display.ghosts, display.ghost_frames, display.trajectories_of) == (True, "3, 9", "ACTIVE")

# SPDX-License-Identifier: GPL-3.0-or-later
"""One operator shows the source, and the result again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon import bridge

from .test_constraints import run
from .test_undo import walker


def shown_pose() -> Any:
    bpy.context.scene.frame_set(20)
    bpy.context.view_layer.update()
    armature = bpy.context.view_layer.objects.active
    return np.array([bone.matrix for bone in armature.pose.bones])


def solved() -> None:
    run("constraint_add_pin", bone="l_wrist", frame=20)
    bpy.context.view_layer.objects.active.poise.constraints[0].points[0].object.location.z += 0.2
    run("solve")


def test_it_waits_for_a_result(armature: bpy.types.Object) -> None:
    assert not bpy.ops.poise.compare_toggle.poll()
    with pytest.raises(RuntimeError, match="solve or clean first"):
        run("compare_toggle")


@pytest.mark.parametrize("target", ["ACTION", "REPLACE", "COMBINE"])
def test_it_goes_to_the_source_and_back(armature: bpy.types.Object, target: str) -> None:
    source = shown_pose()
    armature.poise.target = target
    solved()
    result = shown_pose()
    assert not np.allclose(source, result, atol=1e-3)
    run("compare_toggle")
    assert np.allclose(shown_pose(), source, atol=1e-5) and bridge.is_result_hidden(armature)
    assert len(armature.poise.residuals), "the report stays"
    run("compare_toggle")
    assert np.allclose(shown_pose(), result, atol=1e-5) and not bridge.is_result_hidden(armature)


def test_undo_and_redo_show_what_was_shown(tmp_path: Path) -> None:
    name = walker(tmp_path)
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        solved()
        bpy.ops.ed.undo_push(message="Solved")
        result = shown_pose()
        run("compare_toggle")
        bpy.ops.ed.undo_push(message="Compare")
        source = shown_pose()
        bpy.ops.ed.undo()
        assert not bridge.is_result_hidden(bpy.data.objects[name]) and np.allclose(shown_pose(), result, atol=1e-5)
        bpy.ops.ed.redo()
        assert bridge.is_result_hidden(bpy.data.objects[name]) and np.allclose(shown_pose(), source, atol=1e-5)
        run("compare_toggle")
        assert np.allclose(shown_pose(), result, atol=1e-5)


def test_solving_again_while_the_source_is_shown_shows_the_new_result(armature: bpy.types.Object) -> None:
    solved()
    result = shown_pose()
    run("compare_toggle")
    run("solve")
    assert not bridge.is_result_hidden(armature) and np.allclose(shown_pose(), result, atol=1e-5)
    assert [action.name for action in bpy.data.actions] == ["Walker", "Walker.poise"]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Back to the source, on from the result."""

from __future__ import annotations

import bpy
import pytest

from poise.addon import bridge
from poise.addon.properties import character_of

from .test_constraints import run
from .untouched import state


def test_they_wait_for_a_result(armature: bpy.types.Object) -> None:
    assert not bpy.ops.poise.source_restore.poll()
    assert not bpy.ops.poise.result_apply.poll()
    with pytest.raises(RuntimeError, match="solve or clean first"):
        run("source_restore")


@pytest.mark.parametrize("target", ["ACTION", "REPLACE", "COMBINE"])
def test_restoring_gives_back_all_that_there_was(target: str, armature: bpy.types.Object) -> None:
    armature.animation_data.action.use_fake_user = True  # solving makes sure that the source is kept
    run("character_recognise")  # else the first solve does it
    before = state()
    run("solve", target=target)
    assert bridge.animation_of(armature).result is not None
    run("source_restore")
    after = state()
    for each in (before, after):
        character = each["objects"]["Walker"][-1]
        for message in ("ground_gaps", "found_sole_heel", "found_sole_ball"):
            character.pop(message)
    assert after == before


def test_restoring_clears_the_reports_of_the_result(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone="l_wrist", frame=20)
    character = character_of(armature)
    character.constraints[0].points[0].object.location.z += 9.0
    run("solve")
    run("clean")
    assert character.last_solve and character.last_clean and character.has_metrics
    assert len(character.residuals) and len(character.advice)
    run("source_restore")
    assert not (character.last_solve or character.last_clean or character.has_metrics)
    assert not len(character.residuals) and not len(character.advice)


def test_an_applied_result_is_the_source_of_the_next_solve(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone="l_wrist", frame=20)
    run("solve")
    run("result_apply")
    assert bridge.animation_of(armature).result is None
    assert bridge.animation_of(armature).source.name == "Walker.poise"
    assert not bpy.ops.poise.source_restore.poll()
    run("solve")
    assert bridge.animation_of(armature).source.name == "Walker.poise"


# A copy that can be baked -------------------------------------------------------------------------------------------


def test_no_copy_is_made_of_an_armature_that_can_be_baked(armature: bpy.types.Object) -> None:
    assert not bpy.ops.poise.bakeable_copy.poll()


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
def test_a_bakeable_copy_is_selected_and_the_rig_hidden(mode: str, armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone="l_wrist", frame=20)
    run("landmark_set", mark="left_wrist", bone="l_elbow", mirror=False)
    character_of(armature).mass = 60.0
    armature.pose.bones["r_wrist"].constraints.new("COPY_ROTATION").target = armature
    bpy.ops.object.mode_set(mode=mode)
    before = state()
    assert run("bakeable_copy") == {"FINISHED"}
    copy = bpy.context.view_layer.objects.active
    assert (copy.name, copy.mode, copy.select_get()) == ("Walker.bakeable", mode, True)
    assert armature.hide_get() and not armature.select_get()
    character = character_of(copy)
    assert not character.constraints and character.mass == 60.0
    assert [(mark.mark, mark.bone) for mark in character.landmarks] == [("left_wrist", "l_elbow")]
    after = state()
    *message, was_in, kept = before["objects"]["Walker"]
    assert was_in == mode and after["objects"]["Walker"] == (*message, "OBJECT", kept)
    assert all(after["actions"][name] == keys for name, keys in before["actions"].items())
    assert run("constraint_add_pin", bone="r_wrist", frame=20) == {"FINISHED"}
    assert run("solve") == {"FINISHED"}

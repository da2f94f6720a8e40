# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving: from Python at once, step by step as a window does it, and refused where something is wrong."""

from __future__ import annotations

import math
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.properties import character_of
from poise.addon.workflows import solve

from ..bridge.rigs import blender_pose
from ..workflows.test_bakeable import held_by_ik
from .test_constraints import LEFT, items, refused, run
from .untouched import state

FRAME = 30
LIFT = 0.15
"""Metres by which the hand is lifted at that frame."""


@pytest.fixture
def lifted(armature: bpy.types.Object) -> Any:
    """A walk with a pin that lifts the left hand."""
    run("constraint_add_pin", bone=LEFT, frame=FRAME)
    items(armature)[0].points[0].object.location.z += LIFT
    return armature


def hand(armature: bpy.types.Object, frame: int = FRAME) -> Any:
    """Where Blender shows it."""
    return blender_pose(armature, [LEFT], [frame])[0, 0, :3, 3]


def everything(armature: bpy.types.Object) -> Any:
    """(frames, bones, 4, 4) all that Blender shows."""
    scene = bpy.context.scene
    names = [bone.name for bone in armature.pose.bones]
    return blender_pose(armature, names, range(scene.frame_start, scene.frame_end + 1))


def test_a_deleted_empty_switches_its_constraint_off_and_the_solve_goes_on(lifted: Any) -> None:
    run("constraint_add_pin", bone="r_wrist", frame=FRAME)
    kept = items(lifted)[1]
    kept.points[0].object.location.z += LIFT
    bpy.data.objects.remove(items(lifted)[0].points[0].object)
    result = solve.solve(lifted)
    lost, kept = items(lifted)
    assert not lost.enabled and kept.enabled
    (sentence,) = result.notes
    assert sentence.startswith(f"{lost.name} was switched off: the empty of its point 1 has been deleted;")
    assert sentence in [advice.sentence for advice in character_of(lifted).advice]
    assert [residual.uid for residual in character_of(lifted).residuals] == [kept.uid]
    assert "every constraint holds" in result.sentence
    assert not solve.solve(lifted).notes, "what is off is said once"


# At once ------------------------------------------------------------------------------------------------------------


def test_the_result_does_what_the_constraint_asks_for(lifted: Any) -> None:
    source, before = lifted.animation_data.action, state()
    place = hand(lifted) + np.array([0.0, 0.0, LIFT])
    assert run("solve") == {"FINISHED"}
    assert lifted.animation_data.action.name == "Walker.poise"
    assert hand(lifted) == pytest.approx(place, abs=1e-4)
    assert state()["actions"][source.name][0] == before["actions"][source.name][0], "the source keeps its keys"
    (residual,) = character_of(lifted).residuals
    assert residual.uid == items(lifted)[0].uid
    assert not residual.misses
    assert "every constraint holds" in character_of(lifted).last_solve
    assert not len(character_of(lifted).advice)


def test_without_constraints_the_result_is_the_source(armature: bpy.types.Object) -> None:
    before = everything(armature)
    run("solve")
    assert armature.animation_data.action.name == "Walker.poise"
    np.testing.assert_allclose(everything(armature), before, atol=1e-6)
    assert "there is no constraint" in character_of(armature).last_solve


def test_what_is_switched_off_does_not_count(lifted: Any) -> None:
    items(lifted)[0].enabled = False
    place = hand(lifted)
    run("solve")
    assert hand(lifted) == pytest.approx(place, abs=1e-6)


@pytest.mark.parametrize("target", ["ACTION", "REPLACE", "COMBINE"])
def test_each_target_shows_the_same_and_keeps_what_is_outside_the_range(target: str, lifted: Any) -> None:
    before, place = everything(lifted), hand(lifted) + np.array([0.0, 0.0, LIFT])
    run("solve", target=target, begin=20, end=45)
    assert hand(lifted) == pytest.approx(place, abs=1e-3)
    after = everything(lifted)
    outside = [frame - bpy.context.scene.frame_start for frame in (1, 10, 19, 46, 60)]
    np.testing.assert_allclose(after[outside], before[outside], atol=1e-3 if target == "COMBINE" else 1e-5)
    assert (bridge.animation_of(lifted).layer is None) == (target == "ACTION")


def test_what_is_not_given_is_the_panels(lifted: Any) -> None:
    character = character_of(lifted)
    character.use_range, character.begin, character.end = True, 20, 45
    character.target, character.quality, character.tolerance = "REPLACE", "DRAFT", 0.01
    run("solve")
    strip = bridge.animation_of(lifted).layer.strips[0]
    assert (strip.frame_start, strip.frame_end) == (20, 45)
    thinned = len(_keys(strip.action))
    run("solve", begin=1, end=67, target="ACTION", quality="FINAL", tolerance=0.0)
    assert bridge.animation_of(lifted).layer is None
    assert len(_keys(lifted.animation_data.action)) > thinned
    assert (character.begin, character.target, character.quality) == (20, "REPLACE", "DRAFT")


def _keys(action: bpy.types.Action) -> list[Any]:
    return [key for curves in state()["actions"][action.name][0].values() for keys in curves.values() for key in keys]


def test_a_draft_solves_fewer_frames_of_a_fast_capture_to_much_the_same(lifted: Any) -> None:
    scene = bpy.context.scene
    scene.render.fps = 120
    scene.frame_end = 66  # no multiple of the stride away from the first frame
    items(lifted)[0].points[0].begin = items(lifted)[0].points[0].end = 29  # one of its frames
    final = solve.solve(lifted)
    place = hand(lifted, 29)
    draft = solve.solve(lifted, solve.SolveOptions(quality="draft"))
    assert draft.deformation.clip.frames == math.ceil(65 / 4) + 1
    assert draft.baked.keys < final.baked.keys
    assert draft.reading.times[-1] >= scene.frame_end
    assert hand(lifted, 29) == pytest.approx(place, abs=1e-3)
    scene.render.fps = 30
    assert solve.solve(lifted, solve.SolveOptions(quality="draft")).deformation.clip.frames == 66


def test_solving_again_and_after_opening_the_file_gives_the_same(lifted: Any, tmp_path: Path) -> None:
    run("solve")
    first = everything(lifted)
    run("solve")
    assert np.array_equal(everything(lifted), first)
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    opened = bpy.data.objects["Walker"]
    bpy.context.view_layer.objects.active = opened
    assert np.array_equal(everything(opened), first)
    run("solve")
    assert np.array_equal(everything(opened), first)


def test_a_renamed_bone_is_followed(lifted: Any) -> None:
    place = hand(lifted) + np.array([0.0, 0.0, LIFT])
    lifted.data.bones[LEFT].name = "Renamed"
    run("solve")
    assert blender_pose(lifted, ["Renamed"], [FRAME])[0, 0, :3, 3] == pytest.approx(place, abs=1e-4)
    assert items(lifted)[0].bone == "Renamed"


def test_mode_frame_and_selection_stay(lifted: Any) -> None:
    bpy.ops.object.mode_set(mode="POSE")
    for bone in lifted.pose.bones:
        bridge.select(bone, bone.name == "r_wrist")
    bpy.context.scene.frame_set(7)
    run("solve")
    assert lifted.mode == "POSE"
    assert bpy.context.scene.frame_current == 7
    assert [bone.name for bone in lifted.pose.bones if bridge.is_selected(bone)] == ["r_wrist"]


# What is reported ---------------------------------------------------------------------------------------------------


def test_what_is_out_of_reach_is_reported_in_the_scenes_frames(lifted: Any) -> None:
    items(lifted)[0].points[0].object.location.z += 5.0
    run("solve")
    character = character_of(lifted)
    (residual,) = character.residuals
    assert residual.misses
    assert residual.worst == pytest.approx(np.linalg.norm(_missing(lifted)), rel=1e-3)
    assert residual.worst_frame == FRAME
    assert "1 of 1 constraints is missed" in character.last_solve
    (problem,) = (advice for advice in character.advice if advice.uid == residual.uid)
    assert problem.sentence.startswith("Pin l_wrist: ") and problem.frame == FRAME
    message = [problem.details, *(fix.sentence for fix in problem.fixes)]
    frames = {int(frame) for sentence in message for frame in re.findall(r"at frame (\d+)", sentence)}
    assert frames == {FRAME}, "advice counts frames as the scene does"


def _missing(armature: bpy.types.Object) -> Any:
    return hand(armature) - np.array(items(armature)[0].points[0].object.matrix_world.translation)


def test_a_second_solve_replaces_the_report_of_the_first(lifted: Any) -> None:
    empty = items(lifted)[0].points[0].object
    empty.location.z += 5.0
    run("solve")
    assert len(character_of(lifted).advice)
    empty.location.z -= 5.0
    run("solve")
    assert not len(character_of(lifted).advice)
    assert [residual.misses for residual in character_of(lifted).residuals] == [False]


def test_rotations_are_reported_as_angles_and_parts_of_a_pose_as_one(armature: bpy.types.Object) -> None:
    run("constraint_add_orientation", bone=LEFT, frame=FRAME)
    run("constraint_add_pose", bone="r_wrist,r_elbow", begin=20, end=40)
    run("solve")
    units = [residual.unit for residual in character_of(armature).residuals]
    assert len(units) == 2
    assert units[0] == "ANGLE"


def test_what_lies_outside_the_range_is_reported(lifted: Any) -> None:
    run("solve", begin=50, end=60)
    assert any("outside" in advice.sentence for advice in character_of(lifted).advice)


# Step by step -------------------------------------------------------------------------------------------------------


def test_nothing_changes_before_the_last_step(lifted: Any) -> None:
    before = state()
    steps = solve.solve_in_steps(lifted)
    stages = []
    for stage, share in steps:
        stages.append(stage)
        assert 0.0 <= share <= 1.0
        assert state() == before, f"{stage} has changed something"
        if stage == "baking":
            break
    steps.close()
    assert state() == before
    assert {"coarse", "solving"} & set(stages)


def test_a_reading_that_is_cancelled_shows_the_result_again(lifted: Any) -> None:
    run("solve")
    held = lifted.pose.bones["r_wrist"].constraints.new("LIMIT_ROTATION")
    held.use_limit_x = True  # now Blender must evaluate it, frame by frame, and the source must be shown for that
    before = state()
    steps = solve.solve_in_steps(lifted)
    stage, _ = next(steps)
    assert stage == "reading"
    next(steps)
    steps.close()
    assert state() == before


# Refused ------------------------------------------------------------------------------------------------------------


def _no_action(armature: Any) -> None:
    armature.animation_data.action = None


def _muted_track(armature: Any) -> None:
    track = armature.animation_data.nla_tracks.new()
    track.strips.new("Strip", 1, armature.animation_data.action)
    armature.animation_data.action = None
    track.mute = True


def _deleted_bone(armature: Any) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.remove(armature.data.edit_bones[LEFT])
    bpy.ops.object.mode_set(mode="OBJECT")


def _hidden_bone(armature: Any) -> None:
    bridge.set_hidden(armature.pose.bones[LEFT], True)


def _locked_bone(armature: Any) -> None:
    bone = armature.pose.bones[LEFT]
    bone.lock_location = bone.lock_rotation = (True, True, True)


def _edit_mode(armature: Any) -> None:
    bpy.ops.object.mode_set(mode="EDIT")


@pytest.mark.parametrize(
    ("corrupt", "given", "message"),
    [
        (_no_action, {}, "has no action"),
        (_muted_track, {}, "muted"),
        (_deleted_bone, {}, "has been deleted"),
        (_hidden_bone, {}, "is hidden"),
        (_locked_bone, {}, "is locked"),
        (_edit_mode, {}, "edit mode"),
        (lambda armature: None, {"begin": 30, "end": 29}, "30"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_nothing_changes(
    corrupt: Callable[[Any], None], given: dict[str, int], message: str, lifted: Any
) -> None:
    corrupt(lifted)
    before = state()
    for operator in ("solve", "clean", "detect_footplants"):
        if operator != "solve" and corrupt in (_deleted_bone, _hidden_bone, _locked_bone):
            continue  # only solving asks for the pin
        if operator == "detect_footplants" and given:
            continue
        sentence = refused(operator, **given)
        assert message in sentence
        assert sentence.endswith(".")
        assert "\n" not in sentence
        assert state() == before


def test_without_an_armature_it_cannot_be_asked_for() -> None:
    for operator in ("solve", "clean", "detect_footplants", "detect_template"):
        assert not getattr(bpy.ops.poise, operator).poll()
        with pytest.raises(RuntimeError, match="Select an armature"):
            run(operator)


@pytest.mark.parametrize("is_override", [False, True])
def test_a_linked_armature_is_refused(is_override: bool, lifted: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Walker"]
    linked = wanted.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    if is_override:
        linked = linked.override_create()
        bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.objects.active = linked
    before = state()
    for operator in ("solve", "clean", "detect_footplants"):
        assert ("override" if is_override else "linked") in refused(operator)
        assert state() == before


def test_a_file_that_cannot_be_written_is_solved_but_stays_as_it_is(lifted: Any, tmp_path: Path) -> None:
    path = tmp_path / "read_only.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    path.chmod(stat.S_IRUSR)
    content = path.read_bytes()
    bpy.ops.wm.open_mainfile(filepath=str(path))
    opened = bpy.data.objects["Walker"]
    bpy.context.view_layer.objects.active = opened
    assert run("solve") == {"FINISHED"}
    assert path.read_bytes() == content


# Rigs that others move ----------------------------------------------------------------------------------------------


def test_bones_that_others_move_are_left_alone_and_the_rest_is_solved(lifted: Any) -> None:
    held_by_ik(lifted, "r_wrist")
    place = hand(lifted) + np.array([0.0, 0.0, LIFT])
    outcome = solve.solve(lifted)
    assert outcome.reading.method == "evaluated"
    assert not {"r_wrist", "r_elbow"} & set(outcome.baked.bones)
    assert hand(lifted) == pytest.approx(place, abs=1e-4)


def test_where_others_move_every_bone_it_says_who(lifted: Any) -> None:
    for bone in lifted.pose.bones:
        constraint = bone.constraints.new("COPY_TRANSFORMS")
        constraint.target = items(lifted)[0].points[0].object
    before = state()
    assert "cannot be baked, since its constraint" in refused("solve")
    assert state() == before


def reported(armature: Any, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What Solve reports, each with its level."""
    capsys.readouterr()
    assert run("solve") == {"FINISHED"}
    return [line for line in capsys.readouterr().out.splitlines() if line]


def test_a_plant_that_inverse_kinematics_holds_off_is_reported_first(
    armature: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    constraint = held_by_ik(armature, "l_knee")
    run("constraint_add_footplant", foot="LEFT", begin=15, end=25)
    items(armature)[0].points[0].object.location.x += LIFT
    (report,) = reported(armature, capsys)
    character = character_of(armature)
    assert report == f"Warning: {character.last_solve}"
    assert re.match(r"Bone 'l_\w+' is up to [\d.]+ c?m away from where the result has it, since ", character.last_solve)
    assert f"since constraint {constraint.name!r} of bone 'l_knee' decides where it is; " in character.last_solve
    assert "every constraint holds" not in character.last_solve
    assert "1 of 1 constraints is missed" in character.last_solve
    assert character.advice[0].sentence == character.last_solve.split(";")[0] + "."
    assert "Make Bakeable Copy" in character.advice[1].sentence
    (residual,) = character.residuals
    assert residual.misses
    foot = [armature.pose.bones["l_talocrural"].name]
    off = np.linalg.norm(
        blender_pose(armature, foot, range(15, 26))[:, 0, :3, 3].mean(axis=0)
        - np.array(items(armature)[0].points[0].object.location)
    )
    assert residual.worst > 0.5 * off > 0.0


def test_a_pin_that_inverse_kinematics_keeps_from_holding_says_why_first(
    armature: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    run("constraint_add_pin", bone="l_talocrural", frame=20)
    items(armature)[0].points[0].object.location.z += LIFT
    held_by_ik(armature, "l_knee")
    (report,) = reported(armature, capsys)
    character = character_of(armature)
    assert report == f"Warning: {character.last_solve}"
    assert character.last_solve.startswith("Pin l_talocrural misses by up to ")
    assert "since constraint 'IK' of bone 'l_knee' decides where bone 'l_talocrural' is; " in character.last_solve
    assert character.advice[0].sentence == character.last_solve.split(";")[0] + "."
    assert not any("recruit" in advice.sentence for advice in character.advice), "more bones would not help"


# Recruiting ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0, 2])
def test_recruited_bones_are_selected_and_no_others_move(level: int, lifted: Any) -> None:
    item = items(lifted)[0]
    item.recruit, item.recruit_level = "LEVEL", level
    run("recruited_select")
    chosen = {bone.name for bone in lifted.pose.bones if bridge.is_selected(bone)}
    assert len(chosen) == level + 1
    assert LEFT in chosen
    outcome = solve.solve(lifted)
    assert set(outcome.baked.bones) <= chosen
    assert math.isfinite(outcome.baked.gap)

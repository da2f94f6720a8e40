# SPDX-License-Identifier: GPL-3.0-or-later
"""A solve reads, deforms and bakes; cancelled before its last step it changes nothing."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge, translation
from poise.addon.properties import character_of
from poise.addon.workflows import create, progress, solve

from ..operators.untouched import state


@pytest.fixture
def lifted(armature: bpy.types.Object) -> bpy.types.Object:
    """A walk with a pin that lifts the left hand at frame 20."""
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    pin.points[0].object.location.z += 0.1
    return armature


def test_the_result_has_its_summary_report_and_motion(lifted: bpy.types.Object) -> None:
    result = solve.solve(lifted, solve.SolveOptions(begin=5, end=40))
    assert result.sentence == character_of(lifted).last_solve
    assert result.sentence.startswith("Frames 5 to 40: every constraint holds;")
    assert not result.misses and not result.is_kept_off_by_rig and result.notes == ()
    frame = result.reading.frame_of(20)
    lift = result.deformation.clip.position("l_wrist")[frame] - result.reading.clip.position("l_wrist")[frame]
    assert lift[2] == pytest.approx(0.1, abs=1e-4)
    assert result.baked.action == lifted.animation_data.action.name


def test_constraints_that_break_the_recruiting_rule_are_told(lifted: bpy.types.Object) -> None:
    pin = character_of(lifted).constraints[0]
    pin.priority = 2
    (chest,) = create.add_pins(lifted, ["vt1"], 20.0)
    chest.recruit = "ALL"
    solve.solve(lifted, solve.SolveOptions(begin=5, end=40))
    (told,) = (each for each in character_of(lifted).advice if each.kind == "RANK")
    assert told.sentence.startswith(f"{pin.name} is more important than {chest.name}, but may not move ")
    assert told.details.startswith("At frames ") and told.has_frame and told.uid == pin.uid
    (fix,) = told.fixes
    assert fix.kind == "BONES" and "vt1" in [each.bone for each in fix.bones]


@pytest.mark.parametrize("stop", [progress.READING, progress.BAKING])
def test_a_solve_that_is_closed_has_changed_nothing(lifted: bpy.types.Object, stop: str) -> None:
    before = state()
    steps = solve.solve_in_steps(lifted)
    stages = []
    for stage, _ in steps:
        stages.append(stage)
        if stage == stop or stop == progress.READING:
            break
    steps.close()
    assert stages and state() == before


def test_a_draft_has_at_most_thirty_frames_a_second(lifted: bpy.types.Object) -> None:
    bpy.context.scene.render.fps = 120
    result = solve.solve(lifted, solve.SolveOptions(begin=1, end=50, quality="draft"))
    assert result.reading.times.tolist() == list(range(1, 54, 4)), "it ends at or after the range"


def test_given_frames_come_before_those_of_the_scene(armature: bpy.types.Object) -> None:
    scene = bpy.context.scene
    assert solve.frames(None, None) == (scene.frame_start, scene.frame_end)
    assert solve.frames(3, None) == (3, scene.frame_end) and solve.frames(None, 9) == (scene.frame_start, 9)
    assert solve.read(armature, 3, 9).times.tolist() == list(range(3, 10))


def test_joints_that_cannot_be_baked_are_fixed(armature: bpy.types.Object) -> None:
    armature.pose.bones["l_wrist"].constraints.new("COPY_ROTATION").target = armature
    armature.pose.bones["l_wrist"].constraints[0].subtarget = "vt6"
    character_of(armature).use_anatomical_limits = True
    reading = bridge.read(armature)
    clip = translation.clip_with_settings(armature, reading)
    skeleton = solve.with_unbakeable_joints_fixed(reading, clip).skeleton
    assert clip.skeleton.index("l_wrist") in clip.skeleton.limits
    assert skeleton.index("l_wrist") not in skeleton.limits and skeleton.index("r_wrist") in skeleton.limits
    kinds = dict(zip(skeleton.names, skeleton.kinds, strict=True))
    assert kinds["l_wrist"] is solver.JointKind.FIXED and kinds["r_wrist"] is not solver.JointKind.FIXED


def test_with_anatomical_limits_a_lifted_leg_bends_its_knee_about_one_axis(armature: bpy.types.Object) -> None:
    (pin,) = create.add_pins(armature, ["l_talocrural"], 20.0)
    pin.points[0].object.location.z += 0.3
    pin.recruit, pin.recruit_level = "LEVEL", 2
    residuals = {}
    for use in (True, False):
        character_of(armature).use_anatomical_limits = use
        result = solve.solve(armature, solve.SolveOptions(begin=5, end=40))
        assert not result.misses
        clip = result.deformation.clip
        knee = clip.motion.rotations[:, clip.skeleton.index("l_knee")]
        source = result.reading.clip.motion.rotations[:, clip.skeleton.index("l_knee")]
        change = solver.rotations.log(solver.rotations.multiply(solver.rotations.conjugate(source), knee))
        residuals[use] = sorted(np.linalg.svd(change, compute_uv=False))[1]
        assert np.abs(change).max() > 0.2
    assert residuals[True] < 1e-3 < residuals[False]


# Frames and words --------------------------------------------------------------------------------------------------

PART = solve.SolveOptions(begin=11, end=60)
"""Its first frame is frame 0 of the clip."""


def refusal(armature: bpy.types.Object) -> str:
    with pytest.raises(solver.PoiseError) as caught:
        solve.solve(armature, PART)
    return str(caught.value)


def test_an_impossible_footplant_is_told_in_frames_of_the_scene_and_words_of_the_panel(
    armature: bpy.types.Object,
) -> None:
    plant = create.add_footplant(armature, "left", 20.0, 30.0)
    plant.toe_off = 15.0
    assert "the ball leaves the ground at frame 15, before it strikes at 20." in refusal(armature)
    plant.toe_strike, plant.toe_off = 40.0, 45.0
    told = refusal(armature)
    assert "heel and ball are never on the ground together" in told and "toe" not in told
    for name in ("toe_strike", "toe_off"):
        shown = plant.bl_rna.properties[name]
        assert "toe" not in f"{shown.name} {shown.description}".lower(), "it is the ball of the panel"


def test_points_at_the_same_time_are_told_in_frames_of_the_scene(lifted: bpy.types.Object) -> None:
    pin = character_of(lifted).constraints[0]
    pin.points[0].end = 24.0
    other = pin.points.add()
    other.object, other.begin, other.end = pin.points[0].object, 22.0, 26.0
    assert "two of its points are at the same time (frame 22)" in refusal(lifted)


def test_advice_has_frames_and_units_of_the_scene(lifted: bpy.types.Object) -> None:
    pin = character_of(lifted).constraints[0]
    pin.points[0].object.location.z += 1.0
    pin.recruit, pin.recruit_level = "LEVEL", 1
    result = solve.solve(lifted, PART)
    assert result.misses
    (problem,) = (each for each in character_of(lifted).advice if each.kind == "MISSED")
    assert problem.sentence.startswith(f"{pin.name}: ") and " cm off, " in problem.sentence
    assert (problem.frame, problem.unit, problem.uid) == (20.0, "LENGTH", pin.uid)
    told = [fix.sentence for fix in problem.fixes]
    (move,) = (sentence for sentence in told if sentence.startswith("Move the target"))
    assert move.endswith(" at frame 20.") and " cm " in move
    (more,) = (sentence for sentence in told if sentence.startswith("Let "))
    assert "at frame 20" in more and (" cm at" in more or " mm at" in more or " m at" in more)


def test_bones_that_were_renamed_since_the_last_solve_are_no_edit_meanwhile(lifted: bpy.types.Object) -> None:
    solve.solve(lifted, PART)
    data: Any = lifted.data
    for bone in data.bones:
        bone.name = f"mixamorig:{bone.name}"
    assert not solve.solve(lifted, PART).misses

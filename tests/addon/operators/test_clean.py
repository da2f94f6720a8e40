# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that slide are cleaned with one click."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge
from poise.addon.properties import character_of
from poise.examples.detection.cartwheels import cartwheel
from poise.solver import synthetic

from ..bridge.importing import import_bvh
from ..bridge.rigs import blender_pose
from ..workflows.test_bakeable import held_by_ik, is_safe
from .test_constraints import items, refused, run
from .untouched import state

METHODS = ("STRETCH", "RIGID", "PRIORITIZED")
SKATE = 0.02
"""How far the feet slide, in sizes of the character."""


@pytest.fixture
def skater(tmp_path: Path) -> bpy.types.Object:
    """A character who walks with sliding feet."""
    path = tmp_path / "Skater.bvh"
    solver.write_bvh(synthetic.walk(steps=4, fps=30.0, skate=SKATE, seed=1).clip, path)
    return imported(path)


def imported(path: Path) -> bpy.types.Object:
    """The armature of a file, with the scene's range over its motion."""
    armature = import_bvh(path)
    scene = bpy.context.scene
    scene.render.fps = 30
    scene.frame_start, scene.frame_end = (int(frame) for frame in armature.animation_data.action.frame_range)
    return armature


@pytest.mark.parametrize("method", METHODS)
def test_each_method_lets_planted_feet_stand_in_blender_too(method: str, skater: bpy.types.Object) -> None:
    before = state()
    assert run("clean", method=method) == {"FINISHED"}
    character = character_of(skater)
    size = bridge.read(skater).clip.skeleton.size
    assert character.has_metrics
    assert character.metrics_before.slide > 0.25 * SKATE * size
    assert character.metrics_after.slide < 0.05 * character.metrics_before.slide
    assert "footplants cleaned" in character.last_clean
    run("detect_footplants")
    plant = next(item for item in character.found if item.foot == "LEFT" and item.has_toe and item.has_heel)
    frames = np.arange(plant.toe_strike + 1, plant.heel_off)
    tails = blender_pose(skater, ["l_talocrural"], frames)[:, 0, :3, 3]
    assert np.ptp(tails, axis=0).max() < 0.01 * size
    source = before["actions"]["Skater"]
    assert state()["actions"]["Skater"][0] == source[0], "the source keeps its keys"


def test_set_footplants_come_before_found_ones(skater: bpy.types.Object) -> None:
    run("constraint_add_footplant", foot="LEFT", begin=20, end=28)
    run("clean")
    assert character_of(skater).last_clean.startswith("1 footplant cleaned")
    items(skater)[0].enabled = False
    run("clean")
    assert not character_of(skater).last_clean.startswith("1 footplant ")


def test_the_method_is_the_panels_unless_it_is_given(skater: bpy.types.Object) -> None:
    character_of(skater).clean_method = "RIGID"
    run("clean")
    assert character_of(skater).metrics_after.stretch == pytest.approx(
        character_of(skater).metrics_before.stretch, abs=1e-5
    )


def test_range_and_target_are_the_panels_too(skater: bpy.types.Object) -> None:
    character = character_of(skater)
    character.use_range, character.begin, character.end, character.target = True, 15, 45, "REPLACE"
    run("clean")
    track = bridge.animation_of(skater).layer
    assert track is not None
    assert (track.strips[0].frame_start, track.strips[0].frame_end) == (15, 45)


@pytest.mark.parametrize("method", METHODS)
def test_hands_that_carry_a_cartwheel_stand_still(method: str, tmp_path: Path) -> None:
    path = tmp_path / "Acrobat.bvh"
    clip, carries = cartwheel(slide=0.05)
    solver.write_bvh(clip, path)
    acrobat = imported(path)
    middle = int(np.flatnonzero(carries["left"]).mean()) + bpy.context.scene.frame_start
    frames = np.arange(middle - 2, middle + 3)
    before = blender_pose(acrobat, ["l_wrist"], frames)[:, 0, :3, 3]
    run("clean", method=method, feet=False, hands=True)
    assert "handplants cleaned" in character_of(acrobat).last_clean
    assert not character_of(acrobat).has_metrics, "the figures are those of feet"
    after = blender_pose(acrobat, ["l_wrist"], frames)[:, 0, :3, 3]
    assert np.ptp(after, axis=0).max() < 0.1 * np.ptp(before, axis=0).max()


def test_hands_that_carry_nothing_are_reported(skater: bpy.types.Object) -> None:
    before = state()
    assert "No hand was found to stand" in refused("clean", feet=False, hands=True)
    assert "Neither feet nor hands" in refused("clean", feet=False, hands=False)
    assert state() == before


def test_bad_ranges_change_nothing(skater: bpy.types.Object) -> None:
    before = state()
    refused("clean", begin=30, end=20)
    assert state() == before


# Rigs that others move ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("bone", "first"), [("l_knee", "l_hip"), ("r_elbow", "r_shoulder")])
def test_a_limb_that_inverse_kinematics_moves_is_refused_with_the_reason(
    bone: str, first: str, skater: bpy.types.Object
) -> None:
    held_by_ik(skater, bone)
    before = state()
    message = refused("clean")
    assert message.startswith(f"Bone {first!r} cannot be baked, since constraint 'IK' of bone {bone!r} moves it: ")
    assert is_safe(message)
    assert state() == before


def test_what_another_constraint_holds_off_is_reported_first(
    skater: bpy.types.Object, capsys: pytest.CaptureFixture[str]
) -> None:
    goal = bpy.data.objects.new("Goal", None)
    bpy.context.scene.collection.objects.link(goal)
    skater.pose.bones["l_middle1"].constraints.new("COPY_TRANSFORMS").target = goal
    capsys.readouterr()
    run("clean", method="PRIORITIZED")
    *_, report = (line for line in capsys.readouterr().out.splitlines() if line)
    message = character_of(skater).last_clean
    assert report == f"Warning: {message}"
    assert message.startswith("Bone 'l_middle1' is up to ")
    assert ", since its constraint 'Copy Transforms' decides where it is; " in message


def broken_walk(path: Path) -> solver.Clip:
    """A walk whose left shoulder is turned by 0.4 rad in frame 60 alone, written to a file."""
    clip = synthetic.walk(steps=4, fps=120.0, skate=SKATE, seed=1).clip
    turned, shoulder = clip.motion.rotations.copy(), clip.skeleton.index("l_shoulder")
    turned[60, shoulder] = solver.rotations.multiply(turned[60, shoulder], solver.rotations.exp([0.4, 0.0, 0.0]))
    broken = clip.with_motion(solver.Motion(turned, clip.motion.translations))
    solver.write_bvh(broken, path)
    return broken


@pytest.mark.parametrize("repair", [False, True])
def test_faults_of_a_capture_are_named_and_repaired_on_request(repair: bool, tmp_path: Path) -> None:
    broken_walk(tmp_path / "Broken.bvh")
    armature = imported(tmp_path / "Broken.bvh")
    bpy.context.scene.render.fps = 120
    frame = bpy.context.scene.frame_start + 60
    frames = np.arange(frame - 1, frame + 2)
    before = blender_pose(armature, ["l_elbow"], frames)[:, 0, :3, 3]
    character = character_of(armature)
    character.clean_repair = repair
    run("clean", method="STRETCH")
    assert f"a glitch of l_shoulder at frame {frame}." in character.last_faults
    assert ("interpolated." in character.last_faults) == repair
    after = blender_pose(armature, ["l_elbow"], frames)[:, 0, :3, 3]
    thrown, left = (float(np.linalg.norm(np.diff(each, 2, axis=0))) for each in (before, after))
    assert thrown > 0.1
    assert left < 0.1 * thrown if repair else left > 0.5 * thrown
    assert "jump" not in character.metrics_after.worse


def test_a_clip_without_faults_has_no_sentence_about_them(skater: bpy.types.Object) -> None:
    character_of(skater).last_faults = "from before"
    run("clean")
    assert character_of(skater).last_faults == ""

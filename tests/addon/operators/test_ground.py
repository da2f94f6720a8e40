# SPDX-License-Identifier: GPL-3.0-or-later
"""Plants and the ground: what stands off it is listed and keeps its height, until the animator decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge, translation
from poise.addon.properties import character_of
from poise.addon.workflows import ground_gaps, solve

from ...solver.grounds import climber, largest_hip_move
from ..bridge.importing import import_bvh
from ..bridge.test_solids import mesh_object
from ..shoes import in_shoes
from .test_clean import imported
from .test_constraints import refused, run

STILL = 0.02
"""Sizes of the character by which hips may move where feet already stand."""
ROCKING = {("13_01", 24): 0.03}
"""The same for a clip whose feet rock by several degrees while heel and ball stand: plants hold them flat."""


def found_and_accepted() -> None:
    run("detect_footplants")
    run("found_accept_all")


def hips_moved(armature: bpy.types.Object) -> float:
    """How far solving moves the hips, in sizes of the character."""
    outcome = solve.solve(armature)
    return largest_hip_move(outcome.reading.clip, outcome.deformation.clip)


@pytest.fixture
def stairs(tmp_path: Path) -> tuple[bpy.types.Object, bpy.types.Object]:
    """A character that climbs, and the stairs as an object."""
    clip, _, (vertices, triangles) = climber()
    path = tmp_path / "Climber.bvh"
    solver.write_bvh(clip, path)
    armature = imported(path)
    bpy.context.scene.render.fps = 60
    # Blender's importer turns the file upright: y becomes z, z becomes -y.
    upright = np.stack([vertices[:, 0], -vertices[:, 2], vertices[:, 1]], axis=1)
    return armature, mesh_object("Stairs", upright, triangles)


@pytest.mark.parametrize("name", ["13_35", "13_01", "02_01"])
@pytest.mark.parametrize("fps", [24, 120])
def test_with_the_defaults_hips_stay_where_feet_already_stand(name: str, fps: int, mocap: Path) -> None:
    """Find, accept all, solve: as Blender imports the clip, and at the rate that it was captured with."""
    armature = import_bvh(mocap / f"{name}.bvh")
    bpy.context.scene.render.fps = fps
    found_and_accepted()
    assert hips_moved(armature) < ROCKING.get((name, fps), STILL)


def test_with_the_defaults_there_is_no_ground(armature: bpy.types.Object) -> None:
    armature.location.z = 0.3
    found_and_accepted()
    assert hips_moved(armature) < STILL
    assert not character_of(armature).ground_gaps
    assert "switch it on" in refused("ground_check")


def test_stairs_under_a_climber_are_stood_on(stairs: Any) -> None:
    armature, steps = stairs
    character = character_of(armature)
    character.use_ground, character.ground_kind, character.ground_mesh = True, "MESH", steps
    found_and_accepted()
    run("ground_check")
    assert not ground_gaps.undecided_plants(armature)
    assert hips_moved(armature) < STILL


def test_on_a_level_ground_the_plants_of_a_climber_are_listed_and_keep_their_heights(stairs: Any) -> None:
    armature, _ = stairs
    character = character_of(armature)
    character.use_ground = True
    found_and_accepted()
    outcome = solve.solve(armature)
    assert largest_hip_move(outcome.reading.clip, outcome.deformation.clip) < STILL
    (note,) = outcome.notes
    assert "off the ground" in note and "above" in note and "Put On Ground" in note
    listed = ground_gaps.undecided_plants(armature)
    assert listed and all(gap > 0.02 * outcome.reading.clip.skeleton.size for _, gap in listed)
    assert {item.ground_choice for item, _ in listed} == {"AUTO"}, "nothing is decided"


def test_one_click_keeps_their_heights(stairs: Any) -> None:
    armature, _ = stairs
    character_of(armature).use_ground = True
    found_and_accepted()
    run("ground_check")
    listed = [item.name for item, _ in ground_gaps.undecided_plants(armature)]
    assert run("ground_keep_heights") == {"FINISHED"}
    kept = {item.name: item.ground_choice for item in character_of(armature).constraints}
    assert {name for name, choice in kept.items() if choice == "OWN"} == set(listed)
    assert not ground_gaps.undecided_plants(armature)
    outcome = solve.solve(armature)
    assert not outcome.notes
    assert largest_hip_move(outcome.reading.clip, outcome.deformation.clip) < STILL


def test_another_click_puts_them_on_the_ground(stairs: Any) -> None:
    armature, _ = stairs
    character_of(armature).use_ground = True
    found_and_accepted()
    run("ground_check")
    assert run("ground_put_on") == {"FINISHED"}
    assert hips_moved(armature) > 0.1
    assert "No plant is listed" in refused("ground_put_on")


def test_a_collection_of_objects_is_a_ground_without_the_characters_own_mesh(armature: bpy.types.Object) -> None:
    shoes = in_shoes(armature, 0.02)
    floor = mesh_object("Floor", [(-50, -50, 0.1), (50, -50, 0.1), (50, 50, 0.1), (-50, 50, 0.1)], [(0, 1, 2, 3)])
    held = bpy.data.collections.new("Set")
    for each in (shoes, floor):
        held.objects.link(each)
    character = character_of(armature)
    character.use_ground, character.ground_kind, character.ground_collection = True, "MESH", held
    ground = translation.ground_of(armature, bridge.read(armature).clip)
    assert ground is not None
    np.testing.assert_allclose(ground.heights(np.array([[0.0, 0.0, 0.0], [3.0, 1.0, 1.0]]), 2), 0.1, atol=1e-6)
    held.objects.unlink(floor)
    with pytest.raises(translation.TranslationError, match="none with faces is chosen"):
        translation.ground_of(armature, bridge.read(armature).clip)


def test_an_empty_is_an_oblique_plane_and_the_estimate_finds_it(armature: bpy.types.Object) -> None:
    slope = bpy.data.objects.new("Slope", None)
    bpy.context.scene.collection.objects.link(slope)
    slope.rotation_euler = armature.rotation_euler = (0.1, 0.0, 0.0)
    bpy.context.view_layer.update()
    character = character_of(armature)
    character.use_ground, character.ground_plane = True, slope
    found_and_accepted()
    run("ground_check")
    assert not ground_gaps.undecided_plants(armature)
    assert hips_moved(armature) < STILL
    character.ground_kind = "ESTIMATE"
    assert hips_moved(armature) < STILL
    clip = bridge.read(armature).clip
    ground = translation.ground_of(armature, clip)
    assert ground is not None
    heights = ground.heights(np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), 2)
    assert heights[1] - heights[0] == pytest.approx(np.tan(0.1), abs=0.02)


def test_an_estimate_of_stairs_says_what_to_do(mocap: Path) -> None:
    armature = import_bvh(mocap / "13_35.bvh")
    character = character_of(armature)
    character.use_ground, character.ground_kind = True, "ESTIMATE"
    found_and_accepted()
    assert "do not stand in one plane" in refused("solve")


def test_a_character_in_shoes_stands_on_its_soles(armature: bpy.types.Object) -> None:
    """As a character whose ball joints lie above the floor: it does not sink by their height."""
    bare = bridge.read(armature).clip.skeleton
    size = bare.size
    in_shoes(armature, 0.05 * size)
    armature.location.z = 0.05 * size
    bpy.context.view_layer.update()
    character = character_of(armature)
    character.use_ground = True
    found_and_accepted()
    assert character.found_sole_heel == pytest.approx(0.0, abs=1e-3 * size), "the skin shows where the heel meets it"
    assert character.found_sole_ball == pytest.approx(0.05 * size + bare.soles["left_ball"], rel=0.01)
    run("ground_check")
    assert not ground_gaps.undecided_plants(armature)
    assert hips_moved(armature) < STILL
    character.sole_heel = character.sole_ball = 0.0
    for item in character.constraints:
        item.ground_choice = "GROUND"
    assert hips_moved(armature) > STILL, "with a ball on the floor the feet are turned, and the hips go along"


def test_soles_that_are_set_count(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    character = character_of(armature)
    assert translation.clip_with_settings(armature, reading) is reading.clip
    character.sole_heel, character.sole_ball = 0.04, 0.05
    soles = translation.clip_with_settings(armature, reading).skeleton.soles
    for side in ("left", "right"):
        assert soles[f"{side}_heel"] == pytest.approx(0.04) and soles[f"{side}_ball"] == pytest.approx(0.05)


@pytest.mark.parametrize("method", ["STRETCH", "RIGID", "PRIORITIZED"])
def test_cleaning_moves_nothing_to_a_ground_by_itself(method: str, stairs: Any) -> None:
    armature, _ = stairs
    source = bridge.read(armature).clip
    heights = {}
    for use_ground in (False, True):
        character_of(armature).use_ground = use_ground
        run("clean", method=method)
        character = character_of(armature)
        assert character.has_metrics and np.isfinite(character.metrics_after.height)
        assert character.metrics_after.slide < character.metrics_before.slide + 1e-4
        bones = armature.pose.bones
        bpy.context.scene.frame_set(bpy.context.scene.frame_end)
        heights[use_ground] = (armature.matrix_world @ bones["HumanoidRoot"].head).z
        run("source_restore")
    last = source.position("HumanoidRoot")[-1, 2]
    for height in heights.values():
        assert height == pytest.approx(last, abs=0.05 * source.skeleton.size)

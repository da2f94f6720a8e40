# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints mirrored to the other side of the character."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion, Vector

from poise import solver
from poise.addon import bridge, translation
from poise.addon.bridge.transforms import Transform
from poise.addon.properties import character_of
from poise.addon.workflows import create, mirror

from ..bridge.rigs import key, new_armature, set_action
from ..characters import armature, registered

__all__ = ["armature", "registered"]

SIDES = {"L": 1.0, "R": -1.0}


def standing_character(turned: float, place: tuple[float, float, float]) -> bpy.types.Object:
    """A character that stands still, built alike on both sides as Blender's Symmetrize builds it, somewhere, turned."""

    def build(bones: bpy.types.ArmatureEditBones) -> None:
        hips = bones.new("hips")
        hips.head, hips.tail, hips.roll = (0.0, 0.0, 0.9), (0.0, 0.0, 1.1), 0.3
        chest = bones.new("chest")
        chest.head, chest.tail, chest.parent = hips.tail, (0.0, 0.05, 1.4), hips
        for side, sign in SIDES.items():
            for parent, name, head, tail, roll in (
                (hips, "thigh", (0.1, 0.0, 0.9), (0.12, -0.03, 0.5), 0.4),
                ("thigh", "shin", (0.12, -0.03, 0.5), (0.12, 0.0, 0.1), 0.2),
                ("shin", "foot", (0.12, 0.0, 0.1), (0.13, -0.15, 0.02), -0.3),
                ("foot", "toe", (0.13, -0.15, 0.02), (0.13, -0.22, 0.02), 0.1),
                (chest, "upper_arm", (0.2, 0.0, 1.4), (0.45, 0.02, 1.35), 0.7),
                ("upper_arm", "forearm", (0.45, 0.02, 1.35), (0.7, -0.05, 1.3), -0.5),
                ("forearm", "hand", (0.7, -0.05, 1.3), (0.8, -0.07, 1.28), 0.25),
            ):
                bone = bones.new(f"{name}.{side}")
                bone.head, bone.tail = (sign * head[0], *head[1:]), (sign * tail[0], *tail[1:])
                bone.roll = sign * roll
                bone.parent = bones[f"{parent}.{side}"] if isinstance(parent, str) else parent

    made = new_armature("Stander", build)
    made.matrix_world = Matrix.Translation(place) @ Matrix.Rotation(turned, 4, "Z")
    set_action(made)
    for bone in made.pose.bones:
        bone.rotation_mode = "QUATERNION"
    for index, value in enumerate((1.0, 0.0, 0.0, 0.0)):
        key(made, 'pose.bones["hips"].rotation_quaternion', index, [1, 40], [value, value])
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 40
    bpy.context.view_layer.update()
    return made


@pytest.fixture(params=[(0.0, (0.0, 0.0, 0.0)), (2.2, (3.0, -4.0, 1.0))])
def stander(request: pytest.FixtureRequest) -> bpy.types.Object:
    """Somewhere in the world."""
    return standing_character(*request.param)


def pose_both_sides(stander: bpy.types.Object, seed: int) -> None:
    """Turn the bones of both arms alike: Blender's own mirrored pose keeps w and x and changes the signs of y and z."""
    rng = np.random.default_rng(seed)
    for name in ("upper_arm", "forearm", "hand"):
        turn = rng.normal(size=4)
        for side, sign in SIDES.items():
            w, x, y, z = turn / np.linalg.norm(turn)
            values = (w, x, sign * y, sign * z)
            for index, value in enumerate(values):
                path = f'pose.bones["{name}.{side}"].rotation_quaternion'
                key(stander, path, index, [1, 40], [value, value])
    bpy.context.scene.frame_set(20)


def constraint(armature: bpy.types.Object, index: int = -1) -> Any:
    return list(character_of(armature).constraints)[index]


def shown(armature: bpy.types.Object, name: str) -> Transform:
    return Transform.of(armature.matrix_world @ armature.pose.bones[name].matrix)


@pytest.mark.parametrize("seed", range(3))
def test_what_one_hand_does_the_other_does(stander: bpy.types.Object, seed: int) -> None:
    pose_both_sides(stander, seed)
    create.add_pins(stander, ["hand.L"], 20.0, at_tail=True)
    mirror.mirror(stander, 0)
    pin = constraint(stander)
    assert (pin.bone, pin.name) == ("hand.R", "Pin hand.R")
    bone = stander.pose.bones["hand.R"]
    np.testing.assert_allclose(np.array(pin.points[0].object.location), stander.matrix_world @ bone.tail, atol=1e-5)
    np.testing.assert_allclose(np.array(pin.offset), (0.0, bone.length, 0.0), atol=1e-5)

    create.add_orientations(stander, ["hand.R"], 20.0)
    mirror.mirror(stander, 2)
    orientation = constraint(stander)
    assert orientation.bone == "hand.L"
    turned = np.array(orientation.points[0].object.rotation_quaternion)
    assert abs(turned @ shown(stander, "hand.L").quaternion) > 1.0 - 1e-6

    for space in ("LOCAL", "WORLD"):
        create.add_pose(stander, ["hand.L", "forearm.L", "chest"], 20.0, 10.0, 30.0, space)
        mirror.mirror(stander, len(character_of(stander).constraints) - 1)
        create.add_pose(stander, ["hand.R", "forearm.R", "chest"], 20.0, 10.0, 30.0, space)
        mirrored, own = constraint(stander, -2), constraint(stander)
        for one, other in zip(mirrored.bones, own.bones, strict=True):
            assert one.bone == other.bone
            assert abs(np.dot(list(one.rotation), list(other.rotation))) > 1.0 - 1e-6
            assert abs(np.dot(list(one.world_rotation), list(other.world_rotation))) > 1.0 - 1e-6


def test_a_gaze_to_one_side_becomes_one_to_the_other(stander: bpy.types.Object) -> None:
    create.add_look_at(stander, ["hand.L"], 5.0, 35.0)
    place = stander.matrix_world @ Vector((2.0, -3.0, 1.0))
    constraint(stander).points[0].object.location = place
    mirror.mirror(stander, 0)
    gaze = constraint(stander)
    wanted = stander.matrix_world @ Vector((-2.0, -3.0, 1.0))
    np.testing.assert_allclose(np.array(gaze.points[0].object.location), wanted, atol=1e-5)
    for name in ("hand.L", "hand.R"):
        axis = constraint(stander, ("hand.L", "hand.R").index(name)).axis
        np.testing.assert_allclose(np.linalg.norm(axis), 1.0, atol=1e-5)
    left, right = (shown(stander, name) for name in ("hand.L", "hand.R"))
    across = Transform.of(stander.matrix_world).axes[:, 0]
    one = left.axes @ np.array(constraint(stander, 0).axis)
    other = right.axes @ np.array(gaze.axis)
    np.testing.assert_allclose(other, one - 2.0 * (one @ across) * across, atol=1e-5)


def test_a_moved_plant_moves_the_other_foot_to_the_other_side(stander: bpy.types.Object) -> None:
    create.add_footplant(stander, "left", 10.0, 25.0)
    empty = constraint(stander).points[0].object
    empty.location += stander.matrix_world.to_3x3() @ Vector((0.1, -0.2, 0.05))
    empty.rotation_quaternion = Quaternion((0.0, 0.0, 1.0), 0.3) @ empty.rotation_quaternion
    mirror.mirror(stander, 0)
    left, right = translation.translate(stander, bridge.read(stander)).constraints
    assert isinstance(right, solver.Footplant) and isinstance(left, solver.Footplant)
    assert (right.foot, right.heel_strike, right.toe_off) == ("right", left.heel_strike, left.toe_off)
    wanted = stander.matrix_world.to_3x3() @ Vector((-0.1, -0.2, 0.05))
    np.testing.assert_allclose(right.shift, wanted, atol=1e-5)
    assert abs(right.turn + 0.3) < 1e-5
    assert right.position is None and constraint(stander).name == "Right footplant 10"


def test_balance_is_displaced_to_the_other_side(stander: bpy.types.Object) -> None:
    item = create.add_balance(stander)
    item.displacement = stander.matrix_world.to_3x3() @ Vector((0.1, -0.2, 0.0))
    mirror.mirror(stander, 0)
    wanted = stander.matrix_world.to_3x3() @ Vector((-0.1, -0.2, 0.0))
    np.testing.assert_allclose(np.array(constraint(stander).displacement), wanted, atol=1e-5)


def test_points_of_a_balance_are_displaced_to_the_other_side(stander: bpy.types.Object) -> None:
    item = create.add_balance(stander)
    create.add_point(stander, item, bpy.context.scene.frame_start)
    item.points[0].object.location += stander.matrix_world.to_3x3() @ Vector((0.1, -0.2, 0.0))
    mirror.mirror(stander, 0)
    point = constraint(stander).points[0]
    moved = np.array(point.object.location) - np.array(point.home)
    wanted = stander.matrix_world.to_3x3() @ Vector((-0.1, -0.2, 0.0))
    np.testing.assert_allclose(moved, wanted, atol=1e-5)


def test_mirrored_twice_it_is_what_it_was(armature: bpy.types.Object) -> None:
    create.add_pins(armature, ["l_wrist"], 20.0, hold=3.0)
    create.add_orientations(armature, ["l_wrist"], 20.0)
    create.add_trajectories(armature, ["l_elbow"], 5.0, 45.0, 3)
    create.add_pose(armature, ["l_elbow", "l_shoulder"], 20.0, 20.0, 30.0)
    list_of_recruited = constraint(armature, 0).recruited
    create.list_bones(armature, list_of_recruited, ["l_wrist", "l_elbow"])
    constraint(armature, 0).recruit = "BONES"
    count = len(character_of(armature).constraints)
    for index in range(count):
        mirror.mirror(armature, index)
        mirror.mirror(armature, len(character_of(armature).constraints) - 1)
        once, twice = constraint(armature, -2), constraint(armature)
        first = constraint(armature, index)
        assert once.bone == first.bone.replace("l_", "r_", 1)
        assert twice.bone == first.bone
        assert [listed.bone for listed in once.recruited] == [
            listed.bone.replace("l_", "r_", 1) for listed in first.recruited
        ]
        for one, other in zip(first.points, twice.points, strict=True):
            np.testing.assert_allclose(list(other.object.location), list(one.object.location), atol=1e-5)
            assert abs(np.dot(one.object.rotation_quaternion, other.object.rotation_quaternion)) > 1.0 - 1e-6
        for one, other in zip(first.bones, twice.bones, strict=True):
            assert abs(np.dot(list(one.rotation), list(other.rotation))) > 1.0 - 1e-6
            assert abs(np.dot(list(one.world_rotation), list(other.world_rotation))) > 1.0 - 1e-6


def test_a_bone_without_a_counterpart_is_reported(armature: bpy.types.Object) -> None:
    create.add_pins(armature, ["l_middle1"], 20.0)
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.remove(armature.data.edit_bones["r_middle1"])
    bpy.ops.object.mode_set(mode="OBJECT")
    objects = set(bpy.data.objects)
    with pytest.raises(solver.PoiseError, match="no counterpart"):
        mirror.mirror(armature, 0)
    assert len(character_of(armature).constraints) == 1 and set(bpy.data.objects) == objects


def test_names_that_blender_does_not_flip_are_mirrored_by_landmarks(armature: bpy.types.Object) -> None:
    for bone in armature.data.bones:
        bone.name = f"rig:{bone.name}" if bone.name[1] == "_" else bone.name
    create.add_pins(armature, ["rig:l_wrist"], 20.0)
    mirror.mirror(armature, 0)
    assert constraint(armature).bone == "rig:r_wrist"

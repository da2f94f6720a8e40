# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip is what Blender shows, on every rig and by either way of reading."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from poise.addon import bridge
from poise.addon.bridge import versions

from .importing import import_bvh
from .rigs import (
    MODES,
    animate,
    assert_blender_shows,
    key,
    random_armature,
    set_action,
    straight_chain,
    swing,
)

FRAMES = range(3, 15)


def read_and_compare(armature: bpy.types.Object, method: str, within: float = 1e-5) -> bridge.Reading:
    """Read the whole range; the clip is what Blender shows, and was read in the way that is expected."""
    reading = bridge.read(armature, FRAMES[0], FRAMES[-1])
    assert reading.method == method, reading.reason
    assert bool(reading.reason) == (method == "evaluated")
    assert reading.clip.up == "z"
    assert_blender_shows(reading.clip, armature, reading.times, within)
    return reading


# --- from keys alone ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_every_channel_and_way_to_inherit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    armature = random_armature(rng, bones=20)
    animate(armature, rng, FRAMES)
    read_and_compare(armature, "curves")


@pytest.mark.parametrize("mode", MODES)
def test_every_rotation_mode(mode: str) -> None:
    rng = np.random.default_rng(5)
    armature = random_armature(rng)
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    animate(armature, rng, FRAMES)
    read_and_compare(armature, "curves")


@pytest.mark.parametrize("interpolation", ["CONSTANT", "LINEAR", "BEZIER", "ELASTIC", "BOUNCE", "QUINT"])
def test_sparse_keys(interpolation: str) -> None:
    rng = np.random.default_rng(6)
    armature = random_armature(rng)
    animate(armature, rng, [1, 4.5, 9, 13], interpolation=interpolation)
    read_and_compare(armature, "curves")


@pytest.mark.parametrize(("kind", "seed"), [("CYCLES", 1), ("STEPPED", 2), ("NOISE", 3), ("LIMITS", 4)])
def test_modifiers_of_curves(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    armature = random_armature(rng)
    animate(armature, rng, [1, 3, 6])
    for curve in versions.all_curves_of(armature.animation_data.action):
        modifier = curve.modifiers.new(kind)
        if kind == "LIMITS":
            modifier.use_min_y, modifier.min_y = True, 0.1
    read_and_compare(armature, "curves")


def test_bones_without_keys_stand_as_they_were_left() -> None:
    rng = np.random.default_rng(7)
    armature = random_armature(rng)
    for bone in armature.pose.bones:
        bone.location, bone.rotation_euler = rng.normal(size=3), rng.normal(size=3)
        bone.rotation_quaternion, bone.scale = rng.normal(size=4), (1.2, 1.2, 1.2)
    set_action(armature)
    key(armature, 'pose.bones["bone.0"].location', 1, [3, 14], [0.0, 1.0])
    read_and_compare(armature, "curves")


def test_muted_curves_and_curves_of_other_rotation_modes_do_not_count() -> None:
    armature = straight_chain(["a", "b"])
    swing(armature, FRAMES)
    key(armature, 'pose.bones["a"].rotation_euler', 0, FRAMES, np.linspace(0.0, 2.0, len(FRAMES)))
    curve = key(armature, 'pose.bones["a"].location', 0, FRAMES, np.linspace(0.0, 2.0, len(FRAMES)))
    curve.mute = True
    group = key(armature, 'pose.bones["b"].scale', 1, FRAMES, np.linspace(1.0, 3.0, len(FRAMES)), group="away").group
    group.mute = True
    read_and_compare(armature, "curves")


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (0.01, 0.01, 0.01), (100.0, 100.0, 100.0), (2.0, 1.0, 0.5)])
def test_the_object_is_anywhere_and_of_any_size(scale: tuple[float, float, float]) -> None:
    rng = np.random.default_rng(8)
    armature = random_armature(rng)
    animate(armature, rng, FRAMES)
    armature.location, armature.rotation_euler, armature.scale = (3.0, -2.0, 1.0), (0.5, 1.0, 2.0), scale
    read_and_compare(armature, "curves")


def test_a_mirrored_object() -> None:
    rng = np.random.default_rng(9)
    armature = random_armature(rng)
    animate(armature, rng, FRAMES)
    armature.scale = (-1.0, 1.0, 1.0)
    read_and_compare(armature, "curves")


def test_a_parent_that_stands_still() -> None:
    armature = straight_chain(["a", "b"])
    swing(armature, FRAMES)
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.location, parent.rotation_euler, parent.scale = (1.0, 2.0, 3.0), (0.4, 0.5, 0.6), (2.0, 2.0, 2.0)
    armature.parent, armature.location = parent, (0.5, 0.0, 0.0)
    armature.matrix_parent_inverse = Matrix.Rotation(0.3, 4, "X")
    reading = read_and_compare(armature, "curves")
    assert len(reading.world) == 1


@pytest.mark.parametrize("who", ["armature", "parent", "grandparent", "constraint"])
def test_an_object_that_moves(who: str) -> None:
    armature = straight_chain(["a", "b"])
    swing(armature, FRAMES)
    held = [armature]
    for name in ("Parent", "Grandparent"):
        above = bpy.data.objects.new(name, None)
        bpy.context.scene.collection.objects.link(above)
        held[-1].parent = above
        held.append(above)
    if who == "constraint":
        leader = bpy.data.objects.new("Leader", None)
        bpy.context.scene.collection.objects.link(leader)
        armature.constraints.new("COPY_LOCATION").target = leader
        held.append(leader)
    mover = held[["armature", "parent", "grandparent", "constraint"].index(who)]
    if who != "armature":
        set_action(mover, "Moving")
    key(mover, "location", 0, [3, 14], [0.0, 5.0])
    key(mover, "rotation_euler", 2, [3, 14], [0.0, 2.0])
    reading = read_and_compare(armature, "curves")
    assert np.ptp(reading.clip.world.positions[:, 0, 0]) > 4.0


def test_an_action_shared_by_two_objects() -> None:
    first, second = straight_chain(["a", "b"]), straight_chain(["a", "b"])
    swing(first, FRAMES)
    versions.assign(second.animation_data_create(), first.animation_data.action, versions.slot_of(first.animation_data))
    second.location = (5.0, 0.0, 0.0)
    for armature in (first, second):
        read_and_compare(armature, "curves")


def test_two_slots_of_one_action() -> None:
    if not versions.ACTIONS_HAVE_SLOTS:
        pytest.skip("this Blender has no slots")
    first, second = straight_chain(["a", "b"]), straight_chain(["a", "b"])
    swing(first, FRAMES)
    action = first.animation_data.action
    slot = action.slots.new(id_type="OBJECT", name="Second").identifier
    versions.assign(second.animation_data_create(), action, slot)
    for index in range(4):
        key(second, 'pose.bones["b"].rotation_quaternion', index, [3, 14], [float(index == 0), float(index == 1)])
    for armature in (first, second):
        read_and_compare(armature, "curves")


def test_a_captured_walk(mocap: Path) -> None:
    armature = import_bvh(mocap / "02_01.bvh")
    reading = bridge.read(armature, 1, 344)
    assert reading.method == "curves"
    assert reading.clip.frames == 344
    assert not reading.clip.skeleton.landmarks.missing
    assert_blender_shows(bridge.read(armature, 1, 344, step=49).clip, armature, np.arange(1, 345, 49))


# --- when and how fast --------------------------------------------------------------------------------------------


def test_the_scenes_range_is_read_unless_a_preview_is_on() -> None:
    armature = straight_chain(["a"])
    swing(armature, range(-10, 60))
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 7, 31
    assert bridge.read(armature).times.tolist() == list(range(7, 32))
    scene.use_preview_range = True
    scene.frame_preview_start, scene.frame_preview_end = 10, 12
    assert bridge.read(armature).times.tolist() == [10, 11, 12]
    assert bridge.read(armature, -3, 2).times.tolist() == [-3, -2, -1, 0, 1, 2]


def test_frames_between_frames() -> None:
    armature = straight_chain(["a", "b"])
    swing(armature, [3, 5.3, 8.8, 14])
    reading = bridge.read(armature, 3.25, 9.25, step=0.5)
    assert reading.times.tolist() == np.arange(3.25, 9.5, 0.5).tolist()
    assert reading.clip.fps == 2.0 * bpy.context.scene.render.fps
    assert_blender_shows(reading.clip, armature, reading.times)
    assert reading.frame_of(4.3) == 2


def test_the_frame_rate_has_a_base() -> None:
    armature = straight_chain(["a"])
    swing(armature, FRAMES)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 30, 1.001
    assert bridge.read(armature, 3, 14).clip.fps == pytest.approx(30.0 / 1.001)


@pytest.mark.parametrize("method", ["curves", "evaluated"])
def test_a_scene_whose_time_is_stretched(method: str) -> None:
    armature = straight_chain(["a", "b"])
    swing(armature, range(0, 20))
    bpy.context.scene.render.frame_map_old, bpy.context.scene.render.frame_map_new = 100, 200
    reading = bridge.read(armature, 3, 14, method=method)
    assert_blender_shows(reading.clip, armature, reading.times)


def test_reading_changes_nothing() -> None:
    armature = straight_chain(["a", "b"])
    swing(armature, FRAMES)
    armature.pose.bones["a"].constraints.new("LIMIT_LOCATION").use_min_x = True
    scene = bpy.context.scene
    scene.frame_set(6, subframe=0.5)
    bpy.ops.object.mode_set(mode="POSE")
    assert bridge.read(armature, 3, 14).method == "evaluated"
    assert (scene.frame_current, scene.frame_subframe, armature.mode) == (6, 0.5, "POSE")
    assert [action.name for action in bpy.data.actions] == ["Motion"]


# --- by Blender's own evaluation ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_both_ways_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    armature = random_armature(rng, bones=20)
    animate(armature, rng, FRAMES)
    keyed, evaluated = (bridge.read(armature, 3, 14, method=method) for method in ("curves", "evaluated"))
    np.testing.assert_allclose(evaluated.clip.world.positions, keyed.clip.world.positions, atol=1e-5)
    assert not evaluated.unbakeable


def constrain(armature: bpy.types.Object) -> None:
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (2.0, 1.0, 1.0)
    constraint = armature.pose.bones["c"].constraints.new("IK")
    constraint.target, constraint.chain_count = target, 2


def drive(armature: bpy.types.Object) -> None:
    armature.pose.bones["b"].rotation_mode = "XYZ"
    driver = armature.driver_add('pose.bones["b"].rotation_euler', 0).driver
    driver.expression = "0.1 * frame"
    driver.type = "SUM"
    variable = driver.variables.new()
    variable.type = "TRANSFORMS"
    variable.targets[0].id, variable.targets[0].bone_target = armature, "a"
    variable.targets[0].transform_type, variable.targets[0].transform_space = "ROT_X", "LOCAL_SPACE"


def add_track(armature: bpy.types.Object) -> None:
    action = bpy.data.actions.new("Below")
    slot = versions.ensure_slot(action, armature)
    for index in range(3):
        curve = versions.new_curve(action, slot, 'pose.bones["a"].location', index, "a")
        curve.keyframe_points.add(2)
        curve.keyframe_points.foreach_set("co", [1.0, 0.0, 20.0, 3.0])
        curve.update()
    strip = armature.animation_data.nla_tracks.new().strips.new("Below", 1, action)
    versions.assign(strip, action, slot)


def animate_inheritance(armature: bpy.types.Object) -> None:
    for frame, turns_along in ((1, True), (9, False)):
        armature.data.bones["c"].use_inherit_rotation = turns_along
        armature.data.keyframe_insert('bones["c"].use_inherit_rotation', frame=frame)


def animate_rotation_mode(armature: bpy.types.Object) -> None:
    key(armature, 'pose.bones["b"].rotation_mode', 0, [1, 9], [0.0, 1.0], "CONSTANT")


@pytest.mark.parametrize(
    ("how", "message", "unbakeable"),
    [
        (constrain, "Constraint 'IK' moves bone 'c'.", {"b", "c"}),
        (drive, "A driver moves bone 'b'.", {"b"}),
        (add_track, "NLA strips move its bones.", set()),
        (animate_inheritance, "Its armature data are animated.", {"c"}),
        (animate_rotation_mode, "The rotation mode of bone 'b' is animated.", {"b"}),
    ],
)
def test_what_is_not_in_the_keys(how: Callable[[bpy.types.Object], None], message: str, unbakeable: set[str]) -> None:
    armature = straight_chain(["a", "b", "c", "d"])
    swing(armature, FRAMES)
    how(armature)
    reading = read_and_compare(armature, "evaluated")
    assert reading.reason == message
    assert set(reading.unbakeable) == unbakeable
    with pytest.raises(bridge.BridgeError, match="cannot be read from its keys alone"):
        bridge.read(armature, 3, 14, method="curves")


def test_muted_constraints_and_tracks_do_not_count() -> None:
    armature = straight_chain(["a", "b", "c", "d"])
    swing(armature, FRAMES)
    constrain(armature)
    armature.pose.bones["c"].constraints[0].mute = True
    add_track(armature)
    armature.animation_data.nla_tracks[0].mute = True
    read_and_compare(armature, "curves")


def test_nla_strips_alone() -> None:
    armature = straight_chain(["a", "b"])
    armature.animation_data_create()
    add_track(armature)
    read_and_compare(armature, "evaluated")


def test_a_generated_rigify(rigify: bpy.types.Object) -> None:
    reading = read_and_compare(rigify, "evaluated")
    skeleton = reading.clip.skeleton
    assert all(name.startswith("DEF-") for name in skeleton.names)
    assert [name for name, parent in zip(skeleton.names, skeleton.parents, strict=True) if parent < 0] == ["DEF-spine"]
    marks = skeleton.landmarks
    named = {role: skeleton.names[getattr(marks, role)] for role in ("hips", "left_knee", "left_ankle", "right_wrist")}
    assert named == {
        "hips": "DEF-spine",
        "left_knee": "DEF-shin.L",
        "left_ankle": "DEF-foot.L",
        "right_wrist": "DEF-hand.R",
    }
    assert reading.reason.startswith("Constraint 'Copy Transforms' moves bone 'DEF-")
    assert {"DEF-thigh.L", "DEF-foot.L", "DEF-spine"} <= set(reading.unbakeable)
    assert all(sentence.endswith(".") for sentence in reading.unbakeable.values())


def test_all_bones_of_a_rigify_on_demand(rigify: bpy.types.Object) -> None:
    names = [bone.name for bone in rigify.data.bones]
    reading = bridge.read(rigify, 3, 14, bones=names)
    assert set(reading.clip.skeleton.names) == set(names)
    assert_blender_shows(reading.clip, rigify, reading.times)


# --- the shown pose -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_the_shown_pose_is_read_with_what_has_no_keys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    armature = random_armature(rng, bones=20)
    animate(armature, rng, FRAMES)
    bpy.context.scene.frame_set(FRAMES[3])
    armature.pose.bones[5].location = (0.3, 0.2, 0.1)
    changed = [list(bone.location) for bone in armature.pose.bones]
    reading = bridge.read_shown(armature)
    assert reading.clip.frames == 1 and reading.times.tolist() == [FRAMES[3]]
    assert [list(bone.location) for bone in armature.pose.bones] == changed
    for joint, name in enumerate(reading.clip.skeleton.names):
        shown = armature.matrix_world @ armature.pose.bones[name].head
        np.testing.assert_allclose(reading.clip.position(joint)[0], shown, atol=1e-5)


def test_a_pose_without_an_action_is_read() -> None:
    armature = straight_chain(("A", "B", "C"))
    armature.pose.bones["B"].rotation_mode = "XYZ"
    armature.pose.bones["B"].rotation_euler = (0.5, 0.0, 0.0)
    reading = bridge.read_shown(armature)
    assert reading.source_name == "" and not reading.unbakeable
    np.testing.assert_allclose(reading.clip.position("C")[0], armature.pose.bones["C"].head, atol=1e-6)


def test_movers_of_the_shown_pose_are_named(rigify: bpy.types.Object) -> None:
    reading = bridge.read_shown(rigify)
    assert set(reading.clip.skeleton.names) <= {bone.name for bone in rigify.data.bones if bone.use_deform}
    assert reading.unbakeable

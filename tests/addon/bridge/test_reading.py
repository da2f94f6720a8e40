# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip is what Blender shows, on every rig and by either way of reading."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from pathlib import Path

import addon_utils
import bpy
import numpy as np
import pytest
from mathutils import Matrix

from poise.addon import bridge
from poise.addon.bridge import versions
from poise.solver import solve_posture
from poise.solver.joints import JointKind
from poise.solver.tasks import PositionTask

from .importing import import_bvh
from .rigs import (
    EULER_ORDERS,
    MODES,
    animate,
    assert_blender_shows,
    key,
    new_armature,
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


def animate_rotation_mode(armature: bpy.types.Object) -> None:
    key(armature, 'pose.bones["b"].rotation_mode', 0, [1, 9], [0.0, 1.0], "CONSTANT")


@pytest.mark.parametrize(
    ("how", "told", "unbakeable"),
    [
        (constrain, "Constraint 'IK' moves bone 'c'.", {"b", "c"}),
        (drive, "A driver moves bone 'b'.", {"b"}),
        (add_track, "NLA strips move its bones.", set()),
        (animate_rotation_mode, "The rotation mode of bone 'b' is animated.", {"b"}),
    ],
)
def test_what_is_not_in_the_keys(how: Callable[[bpy.types.Object], None], told: str, unbakeable: set[str]) -> None:
    armature = straight_chain(["a", "b", "c", "d"])
    swing(armature, FRAMES)
    how(armature)
    reading = read_and_compare(armature, "evaluated")
    assert reading.reason == told
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


@pytest.fixture
def rigify() -> bpy.types.Object:
    """A generated control rig that walks on the spot."""
    with contextlib.redirect_stdout(io.StringIO()):
        addon_utils.enable("rigify", default_set=True)
        bpy.ops.object.armature_basic_human_metarig_add()
        bpy.ops.pose.rigify_generate()
    armature = bpy.context.object
    set_action(armature)
    waves = np.sin(np.linspace(0.0, 6.0, len(FRAMES)))
    for name, axis, amount in (("torso", 2, -0.1), ("torso", 0, 0.1), ("foot_ik.L", 1, 0.4), ("hand_ik.R", 0, 0.3)):
        key(armature, f'pose.bones["{name}"].location', axis, FRAMES, amount * waves)
    return armature


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
    assert {"DEF-thigh.L", "DEF-foot.L", "DEF-spine"} <= set(reading.unbakeable)
    assert all(sentence.endswith(".") for sentence in reading.unbakeable.values())


def test_all_bones_of_a_rigify_on_demand(rigify: bpy.types.Object) -> None:
    names = [bone.name for bone in rigify.data.bones]
    reading = bridge.read(rigify, 3, 14, bones=names)
    assert set(reading.clip.skeleton.names) == set(names)
    assert_blender_shows(reading.clip, rigify, reading.times)


# --- what the skeleton is -----------------------------------------------------------------------------------------


def test_tails_that_carry_no_bone_are_tips() -> None:
    armature = straight_chain(["a", "b", "c"])
    armature.scale = (2.0, 2.0, 2.0)
    swing(armature, FRAMES)
    clip = bridge.read(armature, 3, 14).clip
    (tip,) = clip.skeleton.tips
    assert clip.skeleton.names[tip.joint] == "c"
    np.testing.assert_allclose(tip.offset, (0.0, 2.0, 0.0), atol=1e-6)
    bpy.context.scene.frame_set(7)
    tail = armature.matrix_world @ armature.pose.bones["c"].tail
    np.testing.assert_allclose(clip.position(tip)[4], tail, atol=1e-5)


def test_locks_of_rotation_hold_for_the_solver() -> None:
    armature = straight_chain(["a", "b", "c", "d"])
    swing(armature, FRAMES)
    armature.pose.bones["b"].lock_rotation = (False, True, True)
    armature.pose.bones["c"].lock_rotation = (True, True, True)
    skeleton = bridge.read(armature, 3, 14).clip.skeleton
    assert skeleton.kinds == (JointKind.FREE, JointKind.HINGE, JointKind.FIXED, JointKind.BALL)
    assert skeleton.hinge_axes[1].tolist() == [1.0, 0.0, 0.0]


HUMAN = {
    "hips": ((0, 0, 1.0), (0, 0, 1.1), ""),
    "spine": ((0, 0, 1.1), (0, 0, 1.4), "hips"),
    "neck": ((0, 0, 1.4), (0, 0, 1.5), "spine"),
    "head": ((0, 0, 1.5), (0, 0, 1.75), "neck"),
    **{
        f"{part}{side}": tuple(
            (sign * place[0], *place[1:]) if isinstance(place, tuple) else (f"{place}{side}" if limb else place)
            for place in where
        )
        for side, sign in ((".L", 1), (".R", -1))
        for part, limb, where in (
            ("thigh", False, ((0.1, 0, 1.0), (0.1, -0.01, 0.55), "hips")),
            ("shin", True, ((0.1, -0.01, 0.55), (0.1, 0, 0.1), "thigh")),
            ("foot", True, ((0.1, 0, 0.1), (0.1, -0.15, 0.02), "shin")),
            ("toe", True, ((0.1, -0.15, 0.02), (0.1, -0.22, 0.02), "foot")),
            ("upper_arm", False, ((0.2, 0, 1.4), (0.5, 0.01, 1.4), "spine")),
            ("forearm", True, ((0.5, 0.01, 1.4), (0.75, 0, 1.4), "upper_arm")),
            ("hand", True, ((0.75, 0, 1.4), (0.9, 0, 1.4), "forearm")),
        )
    },
}
"""Head, tail and parent of the bones of a human, as Blender names them."""

MIXAMO = {
    "hips": "Hips", "spine": "Spine", "neck": "Neck", "head": "Head", "thigh": "UpLeg", "shin": "Leg", "foot": "Foot",
    "toe": "ToeBase", "upper_arm": "Arm", "forearm": "ForeArm", "hand": "Hand",
}  # fmt: skip


def mixamo_name(name: str) -> str:
    part, _, side = name.partition(".")
    return "mixamorig:" + {"L": "Left", "R": "Right", "": ""}[side] + MIXAMO[part]


def build_human(rename: Callable[[str], str], ground_root: bool) -> bpy.types.Object:
    def build(edit_bones: bpy.types.ArmatureEditBones) -> None:
        if ground_root:
            root = edit_bones.new("root")
            root.head, root.tail = (0.0, 0.0, 0.0), (0.0, 0.3, 0.0)
        for name, (head, tail, parent) in HUMAN.items():
            bone = edit_bones.new(rename(name))
            bone.head, bone.tail = head, tail
            bone.parent = edit_bones[rename(parent)] if parent else (root if ground_root else None)

    return new_armature("Human", build)


@pytest.mark.parametrize("rename", [str, lambda name: f"DEF-{name}", mixamo_name], ids=["blender", "rigify", "mixamo"])
@pytest.mark.parametrize("ground_root", [False, True])
def test_usual_names_are_recognised(rename: Callable[[str], str], ground_root: bool) -> None:
    armature = build_human(rename, ground_root)
    swing(armature, FRAMES)
    skeleton = bridge.read(armature, 3, 14).clip.skeleton
    roles = {
        "hips": "hips", "neck": "neck", "head": "head",
        "left_hip": "thigh.L", "left_knee": "shin.L", "left_ankle": "foot.L", "left_toe": "toe.L",
        "right_hip": "thigh.R", "right_knee": "shin.R", "right_ankle": "foot.R", "right_toe": "toe.R",
        "left_shoulder": "upper_arm.L", "left_elbow": "forearm.L", "left_wrist": "hand.L",
        "right_shoulder": "upper_arm.R", "right_elbow": "forearm.R", "right_wrist": "hand.R",
    }  # fmt: skip
    found = {role: skeleton.names[getattr(skeleton.landmarks, role)] for role in roles}
    assert found == {role: rename(name) for role, name in roles.items()}
    assert skeleton.size == pytest.approx(1.0, abs=0.08)


def test_edits_belong_to_the_hips_and_not_to_a_root_on_the_ground() -> None:
    armature = build_human(str, ground_root=True)
    swing(armature, FRAMES)
    clip = bridge.read(armature, 3, 14).clip
    kinds = dict(zip(clip.skeleton.names, clip.skeleton.kinds, strict=True))
    assert (kinds["root"], kinds["hips"], kinds["spine"]) == (JointKind.FIXED, JointKind.FREE, JointKind.BALL)
    target = clip.position("hips")[4] + (0.2, 0.1, -0.1)
    solved = solve_posture(clip.skeleton, clip.pose(4), [PositionTask("hips", target, priority=1)])
    assert np.linalg.norm(solved.errors[0]) < 1e-6
    assert np.array_equal(solved.pose.translations[0], clip.pose(4).translations[0])


@pytest.mark.parametrize("order", EULER_ORDERS[:2])
def test_a_joint_turns_as_its_bone_does(order: str) -> None:
    """The rest pose is the identity of channels: a bone without rotation has its joint at rest."""
    armature = random_armature(np.random.default_rng(3), varied=False)
    for bone in armature.pose.bones:
        bone.rotation_mode = order
    set_action(armature)
    key(armature, 'pose.bones["bone.0"].location', 0, [3, 14], [0.0, 0.0])
    clip = bridge.read(armature, 3, 14).clip
    np.testing.assert_allclose(
        np.abs(np.einsum("fji,ji->fj", clip.motion.rotations, clip.skeleton.rest_rotations)), 1.0, atol=1e-7
    )
    np.testing.assert_allclose(clip.motion.translations[5], clip.skeleton.offsets, atol=1e-6)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Synthetic armatures and motions for the tests of the bridge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from poise.addon.bridge import posing, versions
from poise.solver import Clip, Motion
from poise.solver.core import rotations

Array = NDArray[np.float64]

EULER_ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
MODES = ("QUATERNION", "AXIS_ANGLE", *EULER_ORDERS)
INHERIT_SCALE = ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY")


def new_armature(name: str, build: Callable[[bpy.types.ArmatureEditBones], None]) -> bpy.types.Object:
    """An armature object in the scene whose edit bones `build` has made."""
    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    build(data.edit_bones)
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def random_armature(
    rng: np.random.Generator, bones: int = 12, varied: bool = True, connected_share: float = 0.4
) -> bpy.types.Object:
    """Bones with rolls and offsets, some of them connected; `varied` ones inherit and turn in every way there is."""

    def build(edit_bones: bpy.types.ArmatureEditBones) -> None:
        made: list[bpy.types.EditBone] = []
        for index in range(bones):
            bone = edit_bones.new(f"bone.{index}")
            parent = made[max(0, index - int(rng.integers(1, 4)))] if made and index != bones - 1 else None
            start = np.array(parent.tail) if parent else rng.normal(size=3)
            connected = parent is not None and rng.random() < connected_share
            bone.head = start if connected else start + 0.3 * rng.normal(size=3)
            bone.tail = np.array(bone.head) + rng.normal(size=3)
            bone.roll = float(rng.uniform(-3.0, 3.0))
            bone.parent = parent
            bone.use_connect = connected
            if varied:
                bone.use_inherit_rotation = bool(rng.random() < 0.7)
                bone.inherit_scale = str(rng.choice(INHERIT_SCALE))
                bone.use_local_location = bool(rng.random() < 0.7)
            made.append(bone)

    armature = new_armature("Made up", build)
    for index, bone in enumerate(armature.pose.bones):
        bone.rotation_mode = MODES[index % len(MODES)] if varied else "QUATERNION"
    return armature


def set_action(armature: bpy.types.Object, name: str = "Motion") -> tuple[bpy.types.Action, str]:
    """A new action, assigned with a slot."""
    action = bpy.data.actions.new(name)
    slot = versions.ensure_slot(action, armature)
    versions.assign(armature.animation_data_create(), action, slot)
    return action, slot


def key(
    armature: bpy.types.Object,
    path: str,
    index: int,
    frames: Sequence[float],
    values: Iterable[float],
    interpolation: str = "LINEAR",
    group: str = "",
) -> bpy.types.FCurve:
    """An f-curve of the assigned action."""
    animation = armature.animation_data
    curve = versions.new_curve(animation.action, versions.slot_of(animation), path, index, group or "Group")
    curve.keyframe_points.add(len(frames))
    for point, frame, value in zip(curve.keyframe_points, frames, values, strict=True):
        point.co = (frame, value)
        point.interpolation = interpolation
        point.handle_left_type = point.handle_right_type = "AUTO_CLAMPED"
    curve.update()
    return curve


def rotation_path(bone: bpy.types.PoseBone) -> tuple[str, int]:
    """The data path of a bone's rotation, and its number of channels."""
    name = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
        bone.rotation_mode, "rotation_euler"
    )
    return f'pose.bones["{bone.name}"].{name}', 3 if name == "rotation_euler" else 4


def animate(
    armature: bpy.types.Object,
    rng: np.random.Generator,
    frames: Sequence[float],
    scale: float = 0.3,
    interpolation: str = "LINEAR",
) -> None:
    """Key the location, rotation and scale of every bone at the given frames, in a new action."""
    set_action(armature)
    for bone in armature.pose.bones:
        path, width = rotation_path(bone)
        start = np.array([1.0, 0.0, 0.0, 0.0]) if bone.rotation_mode == "QUATERNION" else np.zeros(4)
        for index in range(width):
            wave = start[index] + 0.5 * rng.normal() + 0.4 * np.cumsum(rng.normal(size=len(frames)))
            key(armature, path, index, frames, wave, interpolation, bone.name)
        for index in range(3):
            base = f'pose.bones["{bone.name}"]'
            key(armature, f"{base}.location", index, frames, rng.normal(size=len(frames)), interpolation, bone.name)
            if scale:
                sizes = np.exp(scale * rng.normal(size=len(frames)))
                key(armature, f"{base}.scale", index, frames, sizes, interpolation, bone.name)


def blender_pose(armature: bpy.types.Object, names: Sequence[str], frames: Iterable[float]) -> Array:
    """(frames, bones, 4, 4) in world space, as Blender evaluates it."""
    scene = bpy.context.scene
    poses = []
    for frame in frames:
        scene.frame_set(int(np.floor(frame)), subframe=float(frame - np.floor(frame)))
        evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        world = np.array(evaluated.matrix_world)
        poses.append([world @ np.array(evaluated.pose.bones[name].matrix) for name in names])
    return np.array(poses, dtype=np.float64)


def changed(
    clip: Clip, rng: np.random.Generator, turned: Sequence[str], moved: Sequence[str] = (), most: float = 0.5
) -> Clip:
    """The clip with some joints turned and moved, most in its middle and not at all at its ends."""
    turns, shifts = clip.motion.rotations.copy(), clip.motion.translations.copy()
    swell = np.sin(np.linspace(0.0, np.pi, clip.frames))[1:-1, None]
    for name in turned:
        joint = clip.skeleton.index(name)
        turns[1:-1, joint] = rotations.multiply(turns[1:-1, joint], rotations.exp(most * swell * rng.normal(size=3)))
    for name in moved:
        shifts[1:-1, clip.skeleton.index(name)] += 0.3 * most * clip.skeleton.size * swell * rng.normal(size=3)
    return clip.with_motion(Motion(turns, shifts))


def assert_blender_shows(clip: Clip, armature: bpy.types.Object, frames: Sequence[float], within: float = 1e-5) -> None:
    """Every joint is where Blender has its bone, and turned as Blender has it, to a share of the size or a sine."""
    evaluated = blender_pose(armature, clip.skeleton.names, frames)
    apart = np.linalg.norm(clip.world.positions - evaluated[..., :3, 3], axis=-1) / clip.skeleton.size
    frame, joint = np.unravel_index(int(apart.argmax()), apart.shape)
    assert apart.max() < within, (
        f"{clip.skeleton.names[joint]} is {apart.max():.3g} of the size away at frame {frames[frame]}"
    )
    axes, known = posing.orientations(evaluated[..., :3, :3])
    off = np.abs(axes - rotations.to_matrix(clip.world.rotations)).max(axis=(-2, -1)) * known
    frame, joint = np.unravel_index(int(off.argmax()), off.shape)
    assert off.max() < within, f"{clip.skeleton.names[joint]} is turned by {off.max():.3g} at frame {frames[frame]}"


def straight_chain(names: Sequence[str], connected: bool = True) -> bpy.types.Object:
    """Bones on top of each other, each as long as 1."""

    def build(edit_bones: bpy.types.ArmatureEditBones) -> None:
        parent = None
        for height, name in enumerate(names):
            bone = edit_bones.new(name)
            bone.head, bone.tail = (0.0, 0.0, height), (0.0, 0.0, height + 1.0)
            bone.parent, bone.use_connect = parent, connected and parent is not None
            parent = bone

    return new_armature("Chain", build)


def swing(armature: bpy.types.Object, frames: Sequence[float], names: Sequence[str] | None = None) -> None:
    """Key the rotations of bones with smooth waves, in a new action."""
    set_action(armature)
    for place, bone in enumerate(armature.pose.bones):
        if names is not None and bone.name not in names:
            continue
        path, width = rotation_path(bone)
        angles = 0.5 * np.sin(0.3 * np.asarray(frames, dtype=np.float64) + place)
        if width == 3:
            for index in range(3):
                key(armature, path, index, frames, (index + 1) * 0.3 * angles, group=bone.name)
        else:
            for index, values in enumerate((np.cos(angles), np.sin(angles), 0.0 * angles, 0.0 * angles)):
                key(armature, path, index, frames, values, group=bone.name)


def action_values(action: bpy.types.Action, slot: str) -> dict[tuple[str, int], list[tuple[float, float]]]:
    """The keys of every f-curve of a slot."""
    return {
        (curve.data_path, curve.array_index): [tuple(point.co) for point in curve.keyframe_points]
        for curve in versions.curves_of(action, slot)
    }

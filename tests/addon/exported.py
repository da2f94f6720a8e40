# SPDX-License-Identifier: GPL-3.0-or-later
"""A walking human as the exporters of other programs leave it in Blender: scales, turned objects, made-up tails, end
bones, roots, twist bones, feet beside the legs, skinned meshes. Body and walk are the made-up ones of the solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import bpy
import numpy as np
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from poise.solver import BodyPoint, Clip, Skeleton, synthetic
from poise.solver.core import rotations

from .bridge.rigs import key, new_armature, set_action

Array = NDArray[np.float64]

FPS = 30.0

_SIDED = {
    "sternoclavicular": "Shoulder",
    "shoulder": "Arm",
    "elbow": "ForeArm",
    "wrist": "Hand",
    "middle1": "HandMiddle1",
    "hip": "UpLeg",
    "knee": "Leg",
    "talocrural": "Foot",
    "metatarsal": "ToeBase",
}
JOINTS = {
    "HumanoidRoot": "mixamorig:Hips",
    "vl5": "mixamorig:Spine",
    "vt11": "mixamorig:Spine1",
    "vt1": "mixamorig:Spine2",
    "vc4": "mixamorig:Neck",
    "skullbase": "mixamorig:Head",
} | {
    f"{letter}_{joint}": f"mixamorig:{side}{name}"
    for letter, side in (("l", "Left"), ("r", "Right"))
    for joint, name in _SIDED.items()
}
"""The joints of the synthetic human that are kept, and their bones."""

ROOT = "Armature_Root"


@dataclass(frozen=True)
class Traits:
    """How a character was exported."""

    scale: float = 1.0
    """Of the armature object: 0.01 for files in centimetres, 100 for others."""
    lying: bool = False
    """Whether the bones have y up, and the object is turned to stand."""
    tails: float | None = None
    """Metres of the longest made-up tail; None: bones end where their children begin."""
    ends: bool = False
    """Whether toes and head have bones that mark their ends."""
    root: bool = False
    """Whether a bone carries the hips about."""
    twists: bool = False
    """Whether thighs have bones that spread their twist."""
    feet_beside_legs: bool = False
    """Whether feet hang on the root; it needs one."""
    toes: bool = True
    skinned: bool = False
    seed: int = 0


@cache
def walk() -> Clip:
    """The walk, z up."""
    return synthetic.walk(steps=4, fps=FPS, up="z").clip


@dataclass
class Exported:
    """A character in the scene, and where its landmarks are at rest."""

    armature: bpy.types.Object
    truth: dict[str, Array] = field(default_factory=dict)
    """(3,) by landmark, in world space."""
    size: float = 1.0


def exported(traits: Traits) -> Exported:
    """The character, active and alone in an empty scene whose range is that of its walk."""
    clip = walk()
    skeleton = clip.skeleton
    turned, placed = skeleton.rest
    bones = _bones(skeleton, traits)
    to_armature = _object_matrix(traits).inverted()
    tails = _tails(bones, traits)

    def build(edit_bones: bpy.types.ArmatureEditBones) -> None:
        for name, bone in bones.items():
            made = edit_bones.new(name)
            made.head = to_armature @ Vector(bone.place)
            made.tail = to_armature @ Vector(bone.place + tails[name])
            made.parent = edit_bones[bone.parent] if bone.parent else None

    armature = new_armature("Exported", build)
    armature.matrix_world = _object_matrix(traits)
    bpy.context.view_layer.update()
    _animate(armature, clip, bones, turned, placed)
    if traits.skinned:
        _add_skin(armature, skeleton, bones)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = int(FPS), 1.0
    scene.frame_start, scene.frame_end = 1, clip.frames
    scene.frame_set(1)
    marks = skeleton.landmarks
    names = [f"{side}_{part}" for side in ("left", "right") for part in ("heel", "ball", "toe_tip")]
    truth = {name: _place(skeleton, marks.require(name)) for name in (*names, "head_top")}
    truth |= {f"{side}_ankle": placed[getattr(marks, f"{side}_ankle")] for side in ("left", "right")}
    return Exported(armature, truth, skeleton.size)


@dataclass(frozen=True)
class _Bone:
    parent: str
    place: Array
    joint: int
    """Of the walk, with which it moves."""


def _bones(skeleton: Skeleton, traits: Traits) -> dict[str, _Bone]:
    _, placed = skeleton.rest
    bones: dict[str, _Bone] = {}
    if traits.root:
        bones[ROOT] = _Bone("", np.zeros(3), -1)
    for joint, name in enumerate(skeleton.names):
        if name not in JOINTS or (not traits.toes and name.endswith("metatarsal")):
            continue
        above = int(skeleton.parents[joint])
        while above >= 0 and skeleton.names[above] not in JOINTS:
            above = int(skeleton.parents[above])
        parent = JOINTS[skeleton.names[above]] if above >= 0 else (ROOT if traits.root else "")
        if traits.feet_beside_legs and name.endswith("talocrural"):
            parent = ROOT
        bones[JOINTS[name]] = _Bone(parent, placed[joint], joint)
    if traits.twists:
        for side in ("Left", "Right"):
            thigh, shin = bones[f"mixamorig:{side}UpLeg"], bones[f"mixamorig:{side}Leg"]
            middle = 0.5 * (thigh.place + shin.place)
            bones[f"mixamorig:{side}UpLegTwist"] = _Bone(f"mixamorig:{side}UpLeg", middle, thigh.joint)
    if traits.ends:
        marks = skeleton.landmarks
        ends = {"mixamorig:Head": ("HeadTop_End", marks.head_top)}
        for side in ("left", "right"):
            toes = f"mixamorig:{side.title()}{'ToeBase' if traits.toes else 'Foot'}"
            ends[toes] = (f"{side.title()}Toe_End", getattr(marks, f"{side}_toe_tip"))
        for parent, (end, mark) in ends.items():
            bones[f"mixamorig:{end}"] = _Bone(parent, _place(skeleton, mark), bones[parent].joint)
    return bones


def _tails(bones: dict[str, _Bone], traits: Traits) -> dict[str, Array]:
    """From each bone's head to its tail, in world space."""
    rng = np.random.default_rng(traits.seed)
    tails = {}
    for name, bone in bones.items():
        children = [other.place for other in bones.values() if other.parent == name]
        ways = [place - bone.place for place in children if np.linalg.norm(place - bone.place) > 1e-3]
        if traits.tails is not None:
            tail = rotations.rotate(rotations.random(rng), np.array([0.0, 1.0, 0.0])) * rng.uniform(0.02, traits.tails)
        elif ways:
            tail = ways[0]
        else:
            tail = np.array([0.0, 0.0, 0.1])
            if "Toe" in name or "Foot" in name:
                tail = np.array([0.0, -0.07, 0.0])
        tails[name] = tail
    return tails


def _object_matrix(traits: Traits) -> Matrix:
    turn = Matrix.Rotation(np.pi / 2.0, 4, "X") if traits.lying else Matrix.Identity(4)
    return turn @ Matrix.Diagonal((traits.scale, traits.scale, traits.scale, 1.0))


def _place(skeleton: Skeleton, point: BodyPoint) -> Array:
    turned, placed = skeleton.rest
    joint = skeleton.index(point.joint)
    return np.asarray(placed[joint] + rotations.rotate(turned[joint], point.local))


def _animate(armature: bpy.types.Object, clip: Clip, bones: dict[str, _Bone], turned: Array, placed: Array) -> None:
    """Key every bone so that it moves with its joint as if it were fixed to it."""
    set_action(armature, "Walk")
    world = np.array(armature.matrix_world, dtype=np.float64)
    rest = {bone.name: np.array(bone.matrix_local, dtype=np.float64) for bone in armature.data.bones}
    moves = {}
    for name, bone in bones.items():
        change = np.tile(np.eye(4), (clip.frames, 1, 1))
        if bone.joint >= 0:
            turn = rotations.to_matrix(
                rotations.multiply(clip.world.rotations[:, bone.joint], rotations.conjugate(turned[bone.joint]))
            )
            change[:, :3, :3] = turn
            change[:, :3, 3] = clip.world.positions[:, bone.joint] - turn @ placed[bone.joint]
        moves[name] = np.linalg.inv(world) @ change @ world @ rest[name]
    frames = list(range(1, clip.frames + 1))
    for name, bone in bones.items():
        above_rest = rest[bone.parent] if bone.parent else np.eye(4)
        above_pose = moves[bone.parent] if bone.parent else np.eye(4)
        local = np.linalg.inv(above_pose) @ moves[name]
        basis = np.linalg.inv(np.linalg.inv(above_rest) @ rest[name]) @ local
        armature.pose.bones[name].rotation_mode = "QUATERNION"
        turns = rotations.continuous(rotations.from_matrix(basis[:, None, :3, :3]))[:, 0]
        for index in range(3):
            key(armature, f'pose.bones["{name}"].location', index, frames, basis[:, index, 3], group=name)
        for index in range(4):
            key(armature, f'pose.bones["{name}"].rotation_quaternion', index, frames, turns[:, index], group=name)


def _add_skin(armature: bpy.types.Object, skeleton: Skeleton, bones: dict[str, _Bone]) -> None:
    """A mesh with feet and a head, bound to the armature by vertex groups."""
    marks = skeleton.landmarks
    points: list[Array] = []
    groups: dict[str, list[int]] = {}

    def add(bone: str, place: Array) -> None:
        groups.setdefault(bone, []).append(len(points))
        points.append(place)

    for side in ("left", "right"):
        foot, toes = (f"mixamorig:{side.title()}{part}" for part in ("Foot", "ToeBase"))
        heel, ball, tip = (_place(skeleton, marks.require(f"{side}_{part}")) for part in ("heel", "ball", "toe_tip"))
        tip = np.array([tip[0], tip[1], heel[2]])
        ankle = skeleton.rest[1][getattr(marks, f"{side}_ankle")]
        way = tip - heel
        across = np.cross(way, [0.0, 0.0, 1.0]) / np.linalg.norm(way)
        for share in np.linspace(0.0, 1.0, 15):
            for height in np.linspace(0.0, (ankle[2] - heel[2]) * (1.0 - 0.8 * share), 5):
                for aside in (-0.04, 0.0, 0.04):
                    is_toe = toes in bones and (share * way) @ way > (ball - heel) @ way
                    place = heel + share * way + aside * skeleton.size * across + [0.0, 0.0, height]
                    add(toes if is_toe else foot, place)
    crown, head = _place(skeleton, marks.head_top), skeleton.rest[1][marks.head]
    for height in np.linspace(0.0, 1.0, 8):
        for angle in np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False):
            wide = 0.08 * np.sqrt(max(1.0 - height**2, 0.0))
            place = head + height * (crown - head) * [0.0, 0.0, 1.0] + [wide * np.cos(angle), wide * np.sin(angle), 0.0]
            add("mixamorig:Head", place)
    _bind(armature, points, groups)


def _bind(armature: bpy.types.Object, points: Sequence[Array], groups: dict[str, list[int]]) -> None:
    mesh = bpy.data.meshes.new("Body")
    body = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(body)
    # In units of its own, as meshes of exported characters often are.
    body.matrix_world = Matrix.Diagonal((0.1, 0.1, 0.1, 1.0))
    mesh.from_pydata([tuple(10.0 * point) for point in points], [], [])
    for bone, vertices in groups.items():
        body.vertex_groups.new(name=bone).add(vertices, 0.9, "REPLACE")
        body.vertex_groups.new(name=f"{bone}.other").add(vertices, 0.1, "REPLACE")
    modifier = body.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    bpy.context.view_layer.update()

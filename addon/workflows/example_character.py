# SPDX-License-Identifier: GPL-3.0-or-later
"""A character to try everything on: a mannequin whose walk skates as captured ones do."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from ... import solver
from .. import bridge
from ..bridge.arrays import Array
from . import activate

NAME = "Walker"
STEPS = 8
RATE = 30
FIRST_FRAME = 1
SKATE = 0.03
"""Sizes of the character by which feet slide and float: thrice as much as in good captures, so that it is seen."""
SEED = 4
"""Chooses the faults."""

ASIDE = 0.5
"""Metres between the bodies that are in the way and the walk."""
SEEN = 0.3
"""The size that a view centred on the walk is made for, in lengths of the walk: the view is then as near as lets the
whole walk be seen."""

COLORS: dict[str, bridge.Color] = {
    "Body": (0.72, 0.69, 0.65),
    "Left": (0.13, 0.36, 0.74),
    "Right": (0.22, 0.52, 0.17),
    "Face": (0.05, 0.055, 0.065),
    "Left Shoe": (0.04, 0.13, 0.33),
    "Right Shoe": (0.07, 0.21, 0.05),
}
"""Linear colours: sides as in the overlays, left blue and right green."""

_TRUNK_NAMES = {
    "HumanoidRoot": "hips",
    "sacroiliac": "pelvis",
    "vl5": "spine",
    "vl2": "spine.001",
    "vt11": "spine.002",
    "vt6": "spine.003",
    "vt1": "chest",
    "vc4": "neck",
    "skullbase": "head",
}
_LIMB_NAMES = {
    "hip": "thigh",
    "knee": "shin",
    "talocrural": "foot",
    "subtalar": "hindfoot",
    "midtarsal": "midfoot",
    "metatarsal": "toe",
    "sternoclavicular": "clavicle",
    "shoulder": "upper_arm",
    "elbow": "forearm",
    "wrist": "hand",
    "middle1": "fingers",
}
"""Bones are named as animators name them, with the suffixes by which Blender mirrors poses."""


def add() -> bpy.types.Object:
    """Add the character to the scene, selected and active; the scene gets the frame rate and the range of the walk."""
    motion = walk()
    armature = bridge.new_character(motion.clip, NAME, FIRST_FRAME)
    bridge.new_body(armature, motion.clip.skeleton, solver.synthetic.body_mesh(motion.clip.skeleton), COLORS)
    scene: Any = bridge.current_scene()
    scene.render.fps, scene.render.fps_base = RATE, 1.0
    scene.frame_start, scene.frame_end = FIRST_FRAME, FIRST_FRAME + motion.clip.frames - 1
    scene.frame_set(FIRST_FRAME)
    armature.location.x = _free_place(armature, *_bounds_of(motion.clip))
    bridge.update_view_layer()
    return armature


def show(context: bpy.types.Context, armature: bpy.types.Object) -> None:
    """Let the 3D view of a context show the whole walk of a new example."""
    low, high = _bounds_of(walk().clip)
    middle = armature.location + Vector((0.5 * (low + high)).tolist())
    activate.centre_view(context, middle, SEEN * float(np.linalg.norm(high - low)))


def _free_place(armature: bpy.types.Object, low: Array, high: Array) -> float:
    """The x at which a character who walks within bounds meets no other body: right of those that are in its way.

    The startup file of Blender has a cube at the origin.
    """
    place = 0.0
    for bounds in sorted(_bounds_of_meshes(except_of=armature), key=lambda each: float(each[0, 0])):
        shifted = np.array([place, 0.0, 0.0])
        if np.all(bounds[0] < high + shifted) and np.all(bounds[1] > low + shifted):
            place = float(bounds[1, 0] - low[0]) + ASIDE
    return place


def _bounds_of(clip: solver.Clip) -> tuple[Array, Array]:
    """(3,) the least and the largest place of its joints in all frames."""
    places = clip.world.positions.reshape(-1, 3)
    return places.min(axis=0), places.max(axis=0)


def _bounds_of_meshes(except_of: bpy.types.Object) -> list[Array]:
    """(2, 3) the least and the largest place of each visible mesh in the world, but that of one armature."""
    found = []
    for other in bridge.current_scene().objects:
        if other.type == "MESH" and other.visible_get() and other.parent is not except_of:
            corners = np.array([other.matrix_world @ Vector(corner) for corner in other.bound_box])
            found.append(np.array([corners.min(axis=0), corners.max(axis=0)]))
    return found


def walk(steps: int = STEPS) -> solver.synthetic.SyntheticMotion:
    """The walk, with the contacts that its feet had before they were made to slide."""
    human = solver.synthetic.human("z")
    skeleton = human.replace(names=tuple(_bone_name(name) for name in human.names), tips=_renamed_tips(human))
    motion = solver.synthetic.walk(human, steps=steps, fps=RATE, skate=SKATE, seed=SEED)
    return solver.synthetic.SyntheticMotion(solver.Clip(skeleton, motion.clip.motion, motion.clip.fps), motion.contacts)


def _renamed_tips(human: solver.Skeleton) -> tuple[solver.BodyPoint, ...]:
    return tuple(solver.BodyPoint(_bone_name(human.names[human.index(tip.joint)]), tip.offset) for tip in human.tips)


def _bone_name(joint: str) -> str:
    if joint in _TRUNK_NAMES:
        return _TRUNK_NAMES[joint]
    side, _, name = joint.partition("_")
    return f"{_LIMB_NAMES[name]}.{side.upper()}"

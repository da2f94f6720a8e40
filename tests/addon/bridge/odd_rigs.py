# SPDX-License-Identifier: GPL-3.0-or-later
"""Armatures that hypothesis draws: any names, parents in any order, very short bones, extreme rolls, placed objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from hypothesis import strategies as st

from .rigs import INHERIT_SCALE, MODES, new_armature

FRAMES = range(1, 9)
SHORTEST = 1e-3
"""Length of the shortest bones beside others of length 1; Blender removes those without any length."""

# A name has 63 bytes, of which a number that makes it unique takes four.
_NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=14)
_ODD_NAMES = st.sampled_from(
    ["Bone", "bone.L", "ä" * 30, 'a "quoted" name', "back\\slash", "[0]", "🧍", "line\nbreak", " ", "e\u0301", "\u202e"]
)
_ROLLS = st.sampled_from([0.0, np.pi, -np.pi, 0.5 * np.pi, 1e-7, 3.0])


@dataclass(frozen=True)
class OddBone:
    """How one bone is made."""

    name: str
    parent: int | None
    """Its place among the bones that were drawn before it; None for a root."""
    is_connected: bool
    length: float
    roll: float
    inherits_rotation: bool
    inherit_scale: str
    has_local_location: bool
    mode: str


@dataclass(frozen=True)
class OddRig:
    """An armature, as hypothesis draws it."""

    bones: tuple[OddBone, ...]
    reverses: bool
    """Whether bones are made from the last one to the first, so that children come before parents in the list."""
    scale: tuple[float, float, float]
    rotation: tuple[float, float, float]
    location: tuple[float, float, float]
    has_scale_keys: bool
    seed: int
    """Of the places of bones and of their motion."""


@st.composite
def odd_rigs(draw: Any) -> OddRig:
    """Any armature of one to eight bones."""
    count = draw(st.integers(1, 8))
    bones = tuple(
        OddBone(
            name=draw(st.one_of(_NAMES, _ODD_NAMES)),
            parent=draw(st.one_of(st.none(), st.integers(0, index - 1))) if index else None,
            is_connected=draw(st.booleans()),
            length=draw(st.sampled_from([1.0, 1.0, 0.2, SHORTEST])),
            roll=draw(_ROLLS),
            inherits_rotation=draw(st.booleans()) or draw(st.booleans()),
            inherit_scale=draw(st.sampled_from(INHERIT_SCALE)),
            has_local_location=draw(st.booleans()),
            mode=draw(st.sampled_from(MODES)),
        )
        for index in range(count)
    )
    return OddRig(
        bones,
        reverses=draw(st.booleans()),
        scale=draw(st.sampled_from([(1.0, 1.0, 1.0), (0.01, 0.01, 0.01), (2.0, 1.0, 0.5), (-1.0, 1.0, 1.0)])),
        rotation=draw(st.sampled_from([(0.0, 0.0, 0.0), (0.5 * np.pi, 0.0, 0.0), (1.0, 2.0, 3.0)])),
        location=draw(st.sampled_from([(0.0, 0.0, 0.0), (3.0, -2.0, 10.0)])),
        has_scale_keys=draw(st.booleans()),
        seed=draw(st.integers(0, 2**16)),
    )


def build(rig: OddRig) -> bpy.types.Object:
    """The armature in the scene, with an action over `FRAMES`."""
    rng = np.random.default_rng(rig.seed)
    directions = rng.standard_normal((len(rig.bones), 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    gaps = 0.3 * rng.standard_normal((len(rig.bones), 3))

    def make(edit_bones: bpy.types.ArmatureEditBones) -> None:
        numbers = range(len(rig.bones))
        made = {
            number: edit_bones.new(rig.bones[number].name)
            for number in (reversed(numbers) if rig.reverses else numbers)
        }
        for number, given in enumerate(rig.bones):
            bone, parent = made[number], None if given.parent is None else made[given.parent]
            connected = parent is not None and given.is_connected
            bone.head = (np.array(parent.tail) if parent else np.zeros(3)) + (0.0 if connected else gaps[number])
            bone.tail = np.array(bone.head) + given.length * directions[number]
            bone.roll = given.roll
            bone.parent, bone.use_connect = parent, connected
            bone.use_inherit_rotation, bone.inherit_scale = given.inherits_rotation, given.inherit_scale
            bone.use_local_location = given.has_local_location

    armature = new_armature("Odd", make)
    armature.scale, armature.rotation_euler, armature.location = rig.scale, rig.rotation, rig.location
    for bone, given in zip(armature.pose.bones, rig.bones, strict=True):
        bone.rotation_mode = given.mode
        _animate(bone, rng, rig.has_scale_keys)
    return armature


def _animate(bone: Any, rng: np.random.Generator, has_scale_keys: bool) -> None:
    """Key a smooth motion."""
    paths = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
    path = paths.get(bone.rotation_mode, "rotation_euler")
    rest = np.array(getattr(bone, path))
    rates, phases = rng.uniform(0.2, 0.8, 4), rng.uniform(0.0, 6.0, 4)
    sizes = np.exp(0.2 * rng.standard_normal(3))
    for frame in FRAMES:
        wave = np.sin(rates * frame + phases)
        setattr(bone, path, rest + 0.4 * wave[: len(rest)])
        bone.keyframe_insert(path, frame=frame)
        bone.location = 0.2 * wave[:3]
        bone.keyframe_insert("location", frame=frame)
        if has_scale_keys:
            bone.scale = 1.0 + 0.3 * (sizes - 1.0) * wave[:3]
            bone.keyframe_insert("scale", frame=frame)

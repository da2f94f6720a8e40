# SPDX-License-Identifier: GPL-3.0-or-later
"""The character as the animator has set it up: landmarks, mass and ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy

from ...solver import BodyPoint, Clip, Ground, Skeleton
from ..bridge import Reading
from ..properties import POINT_MARKS, character_of, found_bone
from .errors import TranslationError


def clip_of(armature: bpy.types.Object, reading: Reading) -> Clip:
    """What was read, with the landmarks and the mass that the animator has set."""
    skeleton = reading.clip.skeleton
    marks = _set_landmarks(armature, skeleton)
    mass = character_of(armature).mass or skeleton.total_mass
    if mass == skeleton.total_mass and all(
        mark in skeleton.set_landmarks and skeleton.set_landmarks[mark] == place for mark, place in marks.items()
    ):
        return reading.clip  # also where this has been asked for before: who asks again and again should keep it
    return replace(reading.clip, skeleton=skeleton.with_landmarks(**marks).replace(total_mass=mass))


def character_of_reading(armature: bpy.types.Object, reading: Reading) -> Reading:
    """What was read, with `clip_of` as its clip."""
    clip = clip_of(armature, reading)
    return reading if clip is reading.clip else replace(reading, clip=clip)


def _set_landmarks(armature: bpy.types.Object, skeleton: Skeleton) -> dict[str, int | BodyPoint | Sequence[str | int]]:
    """By their names, with joints as indices."""
    marks: dict[str, int | BodyPoint | Sequence[str | int]] = {}
    spine: list[int] = []
    for landmark in character_of(armature).landmarks:
        words = landmark.mark.replace("_", " ")
        name = found_bone(armature, landmark.bone, landmark.bone_id)
        if not name:
            raise TranslationError(
                f"The {words} was set to bone {landmark.bone!r}, which has been deleted: set or clear that landmark."
            )
        if name not in skeleton.names:
            raise TranslationError(
                f"The {words} was set to bone {name!r}, which is none of the bones that move the character: set it to "
                "a deforming bone, or clear that landmark."
            )
        if landmark.mark == "spine":
            spine.append(skeleton.index(name))
        elif landmark.mark in POINT_MARKS:
            x, y, z = landmark.offset
            marks[landmark.mark] = BodyPoint(skeleton.index(name), (x, y, z))
        else:
            marks[landmark.mark] = skeleton.index(name)
    return marks | ({"spine": tuple(spine)} if spine else {})


def ground_of(armature: bpy.types.Object) -> Ground | None:
    """What the feet stand on, if the animator says so."""
    character = character_of(armature)
    return Ground(character.ground_height) if character.use_ground else None

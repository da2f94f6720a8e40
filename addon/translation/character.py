# SPDX-License-Identifier: GPL-3.0-or-later
"""The character with the landmarks, masses, soles, anatomical limits and ground that the animator has set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy

from ...solver import (
    BodyPoint,
    Clip,
    Footplant,
    Ground,
    Load,
    Skeleton,
    detect_footplants,
    estimate_ground,
    with_anatomical_limits,
)
from .. import bridge
from ..bridge import Reading
from ..properties import POINT_MARKS, character_of, resolve_bone
from ..properties.character import SOLID_TYPES
from .errors import TranslationError

HEADROOM = 0.5
"""Sizes of the character: faces farther above a foot than this are a ceiling, not ground that the foot has sunk
into."""


def clip_with_settings(armature: bpy.types.Object, reading: Reading) -> Clip:
    """The clip of a reading with the landmarks, the masses, the soles and the limits that the animator has chosen.

    It is the clip itself where they change nothing, also for a reading to which they were applied before.
    """
    clip, skeleton = reading.clip, reading.clip.skeleton
    marks = _set_landmarks(armature, skeleton)
    if any(
        mark not in skeleton.set_landmarks or skeleton.set_landmarks[mark] != point for mark, point in marks.items()
    ):
        skeleton = skeleton.with_landmarks(**marks)
    mass, soles = character_of(armature).mass or skeleton.total_mass, _set_soles(armature)
    loads = _loads(armature, skeleton)
    if mass != skeleton.total_mass or soles != skeleton.set_soles or loads != skeleton.loads:
        skeleton = skeleton.replace(total_mass=mass, set_soles=soles, loads=loads)
    if character_of(armature).use_anatomical_limits:
        skeleton = with_anatomical_limits(skeleton, clip.motion)
    return clip if skeleton is clip.skeleton else replace(clip, skeleton=skeleton)


def _loads(armature: bpy.types.Object, skeleton: Skeleton) -> tuple[Load, ...]:
    """The masses that bones carry, with joints as indices."""
    loads = []
    for load in character_of(armature).loads:
        name = resolve_bone(armature, load.bone, load.bone_id)
        if name not in skeleton.names:
            what = (
                f"bone {name!r} is none of the bones that move the character"
                if name
                else (f"bone {load.bone!r}, which carries it, has been deleted")
            )
            raise TranslationError(f"A load of {load.mass:g} kg: {what}; remove the load, or add it to another bone.")
        x, y, z = load.offset
        loads.append(Load(BodyPoint(skeleton.index(name), (x, y, z)), load.mass))
    return tuple(loads)


def _set_soles(armature: bpy.types.Object) -> dict[str, float]:
    """The heights of heels and balls above the floor that the animator has set, by landmark."""
    character = character_of(armature)
    given = (("heel", character.sole_heel), ("ball", character.sole_ball))
    return {f"{side}_{point}": height for side in ("left", "right") for point, height in given if height >= 0.0}


def reading_with_settings(armature: bpy.types.Object, reading: Reading) -> Reading:
    """The reading with `clip_with_settings` as its clip."""
    clip = clip_with_settings(armature, reading)
    return reading if clip is reading.clip else replace(reading, clip=clip)


def _set_landmarks(armature: bpy.types.Object, skeleton: Skeleton) -> dict[str, int | BodyPoint | Sequence[str | int]]:
    """The landmarks that the animator has set, by name, with joints as indices."""
    marks: dict[str, int | BodyPoint | Sequence[str | int]] = {}
    spine: list[int] = []
    for landmark in character_of(armature).landmarks:
        title = landmark.mark.replace("_", " ")
        name = resolve_bone(armature, landmark.bone, landmark.bone_id)
        if not name:
            raise TranslationError(
                f"The {title} was set to bone {landmark.bone!r}, which has been deleted: set or clear that landmark."
            )
        if name not in skeleton.names:
            raise TranslationError(
                f"The {title} was set to bone {name!r}, which is none of the bones that move the character: set it to "
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


def ground_of(armature: bpy.types.Object, clip: Clip, plants: Sequence[Footplant] = ()) -> Ground | None:
    """The ground that the animator has chosen; None where it is off.

    An estimated ground is that of the plants, or without any that of the plants detected in the clip.
    """
    character = character_of(armature)
    if not character.use_ground:
        return None
    if character.ground_kind == "ESTIMATE":
        return estimate_ground(clip, plants or detect_footplants(clip))
    if character.ground_kind == "PLANE":
        if character.ground_plane is None:
            return Ground(character.ground_height)
        return Ground.plane(*bridge.plane_of(character.ground_plane))
    chosen = [character.ground_mesh] if character.ground_mesh is not None else []
    if character.ground_collection is not None:
        chosen += list(character.ground_collection.all_objects)
    surfaces = [each for each in chosen if each.type in SOLID_TYPES and not bridge.is_skinned_to(each, armature)]
    if not surfaces:
        raise TranslationError(
            "The ground is made of objects, but none with faces is chosen: choose an object or a collection, or switch "
            "the ground off."
        )
    return Ground.of_mesh(*bridge.triangles_of(surfaces), headroom=HEADROOM * clip.skeleton.size)

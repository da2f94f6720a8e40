# SPDX-License-Identifier: GPL-3.0-or-later
"""Recognises the landmarks of a character, and sets them by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
from mathutils import Vector

from ...solver import BodyPoint, Skeleton
from .. import bridge
from ..properties import MARKS, POINT_MARKS, character_of, name_bone
from ..translation import TranslationError
from . import ground_gaps


def recognise(armature: bpy.types.Object) -> str:
    """Recognise the landmarks and store them for the panels, with what is to say about limits of bones.

    Returns a sentence about missing landmarks, or "".
    """
    scene = bridge.current_scene()
    first, _ = bridge.frame_range(scene)
    return _store(armature, bridge.read(armature, first, first).clip.skeleton)


def recognise_once(armature: bpy.types.Object, skeleton: Skeleton) -> None:
    """Store the landmarks of a skeleton that was read, where none have been stored yet."""
    if not len(character_of(armature).recognised):
        _store(armature, skeleton)


def _store(armature: bpy.types.Object, skeleton: Skeleton) -> str:
    """Store the landmarks of a skeleton; returns a sentence about missing ones, or ""."""
    ground_gaps.store_soles(armature, skeleton)
    character = character_of(armature)
    character.limit_notes = bridge.limit_notes(skeleton, armature)
    character.recognised.clear()
    set_by_hand = {landmark.mark for landmark in character.landmarks}
    missing = []
    for mark in MARKS:
        points = _points(skeleton, mark)
        for point in points:
            _add(armature, character.recognised, mark, skeleton.names[int(point.joint)], point.offset)
        is_toeless = mark.endswith("_toe") and _points(skeleton, mark.replace("_toe", "_ball"))
        if not points and mark not in set_by_hand and not is_toeless:
            missing.append(mark.replace("_", " "))
    character.missing = f"Not found: {', '.join(missing)}." if missing else ""
    return str(character.missing)


def _points(skeleton: Skeleton, mark: str) -> list[BodyPoint]:
    """The points of a landmark, joints as indices; empty where it was not found."""
    found: Any = getattr(skeleton.landmarks, mark)
    if found is None:
        return []
    joints = found if isinstance(found, tuple) else (found,)
    return [joint if isinstance(joint, BodyPoint) else BodyPoint(joint) for joint in joints]


def _add(armature: bpy.types.Object, landmarks: Any, mark: str, bone: str, offset: Sequence[float]) -> None:
    landmark = landmarks.add()
    landmark.mark = mark
    name_bone(armature, landmark, bone)
    landmark.offset = offset


def other_side(mark: str) -> str:
    """The landmark on the other side; empty for one in the middle."""
    for side, opposite in (("left_", "right_"), ("right_", "left_")):
        if mark.startswith(side):
            return opposite + mark.removeprefix(side)
    return ""


def set_landmark(
    armature: bpy.types.Object, mark: str, bones: Sequence[str], offset: Sequence[float], mirror: bool = False
) -> dict[str, list[str]]:
    """Set a landmark by hand: to a bone, to a point on one, or for the spine to several bones.

    With `mirror`, the landmark on the other side is set to the counterparts of the bones, where there are any. Returns
    the bones of the landmarks that were set.
    """
    bridge.check_armature(armature)
    _check_mark(mark)
    if not bones or (len(bones) > 1 and mark != "spine"):
        raise TranslationError(f"Select one bone for the {mark.replace('_', ' ')}, not {len(bones)}.")
    data: Any = armature.data
    for bone in bones:
        if bone not in data.bones:
            raise TranslationError(f"Armature {armature.name!r} has no bone {bone!r}: choose another one.")
    clear_landmark(armature, mark)
    ordered = sorted(bones, key=lambda bone: len(data.bones[bone].parent_recursive))
    for bone in ordered:
        _add(armature, character_of(armature).landmarks, mark, bone, offset if mark in POINT_MARKS else (0.0, 0.0, 0.0))
    opposite = other_side(mark) if mirror else ""
    others = [name for bone in bones if (name := counterpart(armature, bone))] if opposite else []
    if not others:
        return {mark: list(bones)}
    mirrored = mirrored_offset(armature, bones[0], others[0], offset)
    return {mark: list(bones), **set_landmark(armature, opposite, others, mirrored)}


def clear_landmark(armature: bpy.types.Object, mark: str = "") -> int:
    """Remove what was set by hand of one landmark or of all, and return the number of entries."""
    bridge.check_armature(armature)
    if mark:
        _check_mark(mark)
    landmarks = character_of(armature).landmarks
    indices = [index for index, landmark in enumerate(landmarks) if not mark or landmark.mark == mark]
    for index in reversed(indices):
        landmarks.remove(index)
    return len(indices)


def _check_mark(mark: str) -> None:
    if mark not in MARKS:
        raise TranslationError(f"There is no landmark {mark!r}; the landmarks are {', '.join(MARKS)}.")


def counterpart(armature: bpy.types.Object, bone: str) -> str:
    """The bone on the other side by name; empty where there is none."""
    data: Any = armature.data
    flipped = bpy.utils.flip_name(bone)
    return flipped if flipped != bone and flipped in data.bones else ""


def mirrored_offset(armature: bpy.types.Object, bone: str, other: str, offset: Sequence[float]) -> list[float]:
    """An offset on a bone mirrored to its counterpart in the rest pose, for any roll of the two."""
    data: Any = armature.data
    one, two = data.bones[bone], data.bones[other]
    across = (one.head_local - two.head_local).normalized()
    vector = one.matrix_local.to_3x3() @ Vector(offset)
    return list(two.matrix_local.to_3x3().transposed() @ (vector - 2.0 * vector.dot(across) * across))

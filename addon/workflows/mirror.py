# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirrors a constraint to the other side of the character.

The mirror is the vertical plane between left and right through the middle of the hips, at the frame that is mirrored. A
rotation is mirrored as the rotation from the rest pose, so that the counterpart's own axes do not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ... import solver
from .. import bridge, translation
from ..bridge.arrays import Array
from ..bridge.transforms import Transform, transforms_at
from ..properties import PoiseConstraint, character_of, follow_renames, handles, name_bone
from ..properties.constraint_list import duplicate, unique_name
from ..translation import TranslationError
from ..translation.times import nearest_frame, to_clip
from .bakeable import Bakeable
from .landmarks import counterpart


@dataclass(frozen=True, eq=False)
class Mirror:
    """A mirror plane."""

    middle: Array
    """(3,) a point of the plane."""
    across: Array
    """(3,) its unit normal."""

    @property
    def reflection(self) -> Array:
        """The reflection of directions, (3, 3)."""
        return np.eye(3) - 2.0 * np.outer(self.across, self.across)

    def point(self, point: Array) -> Array:
        """The mirrored point, (3,)."""
        return self.middle + self.reflection @ (point - self.middle)


class _Character:
    """The two sides of a character, at rest and in its motion."""

    def __init__(self, armature: bpy.types.Object, reading: bridge.Reading) -> None:
        self.armature = armature
        self.reading = reading
        self.clip = translation.clip_with_settings(armature, reading)
        self.skeleton = self.clip.skeleton
        rotations, positions = self.skeleton.rest
        self.rest_axes = np.stack([Transform.from_quaternion(np.zeros(3), rotation).axes for rotation in rotations])
        self.at_rest = self._plane(positions)

    def at(self, frame: float) -> Mirror:
        """The mirror plane at a frame of the scene."""
        now = nearest_frame(self.reading, to_clip(self.reading, frame))
        return self._plane(self.clip.world.positions[now])

    def _plane(self, positions: Array) -> Mirror:
        """The plane between left and right joints, given the positions of all joints (joints, 3)."""
        marks = self.skeleton.landmarks
        for left, right in (
            (marks.left_hip, marks.right_hip),
            (marks.left_shoulder, marks.right_shoulder),
            (marks.left_ankle, marks.right_ankle),
        ):
            if left is None or right is None:
                continue
            level = (positions[left] - positions[right]) * (1.0, 1.0, 0.0)
            if np.linalg.norm(level) > 0.0:
                middle = 0.5 * (positions[left] + positions[right])
                return Mirror(middle, np.asarray(level / np.linalg.norm(level)))
        raise TranslationError(
            "Left and right of the character are not known: set the landmarks of both hips, then mirror again."
        )

    def other(self, bone: str) -> str:
        """The bone on the other side, by name or by landmark; a bone in the middle is its own counterpart."""
        found = counterpart(self.armature, bone) or self._by_landmark(bone)
        if found:
            return found
        flipped = bpy.utils.flip_name(bone)
        if flipped != bone:
            raise TranslationError(f"Bone {bone!r} has no counterpart {flipped!r} on the other side.")
        return bone

    def _by_landmark(self, bone: str) -> str:
        marks = self.skeleton.landmarks
        if bone not in self.skeleton.names:
            return ""
        joint = self.skeleton.index(bone)
        for side, opposite in (("left", "right"), ("right", "left")):
            for own, others in ((marks.leg(side), marks.leg(opposite)), (marks.arm(side), marks.arm(opposite))):
                if joint in own:
                    opposite_joint = others[own.index(joint)]
                    return "" if opposite_joint is None else self.skeleton.names[opposite_joint]
        return ""

    def between(self, bone: str) -> Array:
        """The matrix (3, 3) from the frame of a bone to that of its counterpart, mirrored in the rest pose."""
        own, other = (self.rest_axes[self.skeleton.index(name)] for name in (bone, self.other(bone)))
        return np.asarray(other.T @ self.at_rest.reflection @ own)

    def mirrored_axes(self, bone: str, axes: Array, mirror: Mirror) -> Array:
        """The world axes (3, 3) of the counterpart of a bone with these world axes."""
        return np.asarray(mirror.reflection @ axes @ self.between(bone).T)


def mirror(armature: bpy.types.Object, index: int) -> PoiseConstraint:
    """Add a copy of a constraint for the other side, with empties of its own."""
    follow_renames(armature)
    item = character_of(armature).constraints[index]
    begin, end = translation.span_of(armature, item)
    character = _Character(armature, bridge.read(armature, begin, end))
    new_bones = _counterparts(character, item)
    requests = [(point.object, point.begin) for point in item.points if handles.is_in_scene(point.object)]
    if len(requests) != len(item.points):
        raise TranslationError(
            f"{item.name}: the empty of one of its points has been deleted; remove that point first."
        )
    transforms = transforms_at(armature, requests)
    if item.reference == "OBJECT" and item.kind in ("SHAPE", "HANDPLANT"):
        raise TranslationError(f"{item.name}: a constraint relative to an object cannot be mirrored.")
    Bakeable(armature, character.reading).check_item(item, new_bones)

    made = duplicate(armature, index)
    original = character_of(armature).constraints[index]
    made.name = _flipped_name(original.name, made.name, new_bones, character_of(armature).constraints)
    _write_bones(character, original, made, new_bones)
    mirrors = [character.at(point.begin) for point in original.points]
    if made.kind in ("FOOTPLANT", "HANDPLANT"):
        _mirror_plant(character, made, transforms)
    else:
        for point, transform, plane in zip(made.points, transforms, mirrors, strict=True):
            axes = transform.axes
            if made.kind == "ORIENTATION":
                axes = character.mirrored_axes(original.bone, axes, plane)
            elif made.kind == "LOOK_AT":
                axes = Transform.pointing(np.zeros(3), plane.reflection @ axes[:, 2]).axes
            home = plane.point(np.array(point.home))
            _replace_empty(armature, made, point, Transform(plane.point(transform.location), axes))
            if made.kind == "BALANCE":
                point.home = home.tolist()  # the displacement is the way from there
    if made.kind == "BALANCE":
        made.displacement = (character.at(made.begin).reflection @ np.array(made.displacement)).tolist()
    return made


def _counterparts(character: _Character, item: PoiseConstraint) -> dict[str, str]:
    """The bones that a constraint refers to, each with the one on the other side."""
    listed = [each.bone for each in (*item.recruited, *item.bones)]
    named = [name for name in (item.bone, item.reference_bone, *listed) if name]
    return {name: character.other(name) for name in named}


def _write_bones(
    character: _Character, original: PoiseConstraint, made: PoiseConstraint, counterparts: dict[str, str]
) -> None:
    """Write the counterparts of the original's bones, with mirrored offsets and rotations, to its copy."""
    armature, skeleton = character.armature, character.skeleton
    for field in ("bone", "reference_bone"):
        if getattr(original, field):
            name_bone(armature, made, counterparts[getattr(original, field)], field)
    if original.bone in skeleton.names:
        across = character.between(original.bone)
        made.offset = (across @ np.array(original.offset)).tolist()
        made.axis = (across @ np.array(original.axis)).tolist()
    if made.kind == "FOOTPLANT":
        made.foot = "RIGHT" if original.foot == "LEFT" else "LEFT"
    if made.kind == "HANDPLANT":
        made.hand = "RIGHT" if original.hand == "LEFT" else "LEFT"
    for one, other in zip(original.recruited, made.recruited, strict=True):
        name_bone(armature, other, counterparts[one.bone])
    plane = character.at(original.begin)
    for one, other in zip(original.bones, made.bones, strict=True):
        name_bone(armature, other, counterparts[one.bone])
        if one.bone not in skeleton.names:
            continue
        other.offset = (character.between(one.bone) @ np.array(one.offset)).tolist()
        in_world = character.mirrored_axes(
            one.bone, Transform.from_quaternion(np.zeros(3), one.world_rotation).axes, plane
        )
        other.world_rotation = Transform(np.zeros(3), in_world).quaternion.tolist()
        parent = int(skeleton.parents[skeleton.index(one.bone)])
        if parent >= 0:
            local = Transform.from_quaternion(np.zeros(3), one.rotation).axes
            mirrored = character.between(skeleton.names[parent]) @ local @ character.between(one.bone).T
            other.rotation = Transform(np.zeros(3), mirrored).quaternion.tolist()
        else:
            other.rotation = other.world_rotation


def _mirror_plant(character: _Character, made: PoiseConstraint, transforms: list[Transform]) -> None:
    """Move the plant of the other foot or hand from where that stands in the source by the mirrored shift and turn."""
    if not len(made.points):
        return
    point, (transform,) = made.points[0], transforms
    plane = character.at(point.begin)
    first = Transform.from_quaternion(point.home, point.home_rotation)
    shift, turn = transform.location - first.location, transform.heading - first.heading
    if made.use_position:
        home = Transform.upright(plane.point(first.location), _mirrored_heading(plane, first.heading))
    elif made.kind == "HANDPLANT":
        begin, end = (to_clip(character.reading, frame) for frame in (made.begin, made.end))
        hand = "left" if made.hand == "LEFT" else "right"
        home = translation.hand_transform(
            character.clip,
            solver.Handplant(hand=hand, begin=begin, end=end),  # type: ignore[arg-type]
        )
    else:
        foot = "left" if made.foot == "LEFT" else "right"
        begin, end = (to_clip(character.reading, frame) for frame in (made.begin, made.end))
        plant: Any = solver.Footplant(
            foot=foot,  # type: ignore[arg-type]
            heel_strike=begin if made.has_heel else None,
            heel_off=end if made.has_heel else None,
            toe_strike=begin if made.has_toe else None,
            toe_off=end if made.has_toe else None,
        )
        home = translation.plant_transform(character.clip, plant)
        if made.use_heading:
            home = Transform.upright(home.location, _mirrored_heading(plane, first.heading))
    now = Transform.upright(home.location + plane.reflection @ shift, home.heading - turn)
    _replace_empty(character.armature, made, point, now)
    handles.store_home(point, home)


def _mirrored_heading(plane: Mirror, heading: float) -> float:
    faces = plane.reflection @ np.array([np.sin(heading), -np.cos(heading), 0.0])
    return float(np.arctan2(faces[0], -faces[1]))


def _replace_empty(armature: bpy.types.Object, made: PoiseConstraint, point: Any, transform: Transform) -> None:
    """Replace the copied empty, which may have a parent or animation, by a static one."""
    handles.remove_empty(armature, point)
    handles.add_empty(armature, made, point, transform)


def _flipped_name(name: str, made: str, counterparts: dict[str, str], constraints: Any) -> str:
    """The name for a mirrored copy that is now called `made`: with the names of its bones or its side flipped."""
    for bone, other in sorted(counterparts.items(), key=lambda pair: -len(pair[0])):
        if bone != other and bone in name:
            flipped = name.replace(bone, other)
            break
    else:
        flipped = bpy.utils.flip_name(name)
    return unique_name(flipped, {item.name for item in constraints if item.name != made})

# SPDX-License-Identifier: GPL-3.0-or-later
"""Saves constraints of the solver, with empties for their points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Literal

import bpy
import numpy as np

from ...solver import (
    Balance,
    BodyPoint,
    Constraint,
    ConstraintPoint,
    DirectionConstraint,
    Footplant,
    Handplant,
    HeldPose,
    LookAtConstraint,
    MovingObject,
    OrientationConstraint,
    PoiseError,
    ShapeConstraint,
    Spline,
    rotations,
)
from .. import bridge
from ..bridge.arrays import Array
from ..bridge.transforms import Transform, transforms_at
from ..properties import PoiseBone, PoiseConstraint, character_of, handles, name_bone
from ..properties.constraint_list import held_pose_name, new_item, remove
from ..properties.copying import copy_properties
from .character import reading_with_settings
from .errors import TranslationError
from .runs import divided, runs
from .standing import hand_transform, plant_transform
from .times import nearest_frame, step_of, to_scene

List = Literal["constraints", "found"]

SAME = 1e-4
"""Sizes of the character, or radians: an object that is as near to what a file says is the one that it names."""


def store_constraint(
    armature: bpy.types.Object,
    reading: bridge.Reading,
    constraint: Constraint | HeldPose,
    into: List = "constraints",
    blender: Mapping[str, Any] = MappingProxyType({}),
) -> PoiseConstraint:
    """Save a constraint of the solver, made for a reading, in one of a character's lists.

    Its points get empties, except in the list of proposals, where the shift of a footplant is lost. `blender` are the
    values that only the add-on knows, as `file_entries` gives them.
    """
    write = _KINDS.get(_kind_of(constraint))
    if write is None:
        raise TranslationError(f"A {type(constraint).__name__} cannot be saved in a .blend.")
    item = new_item(armature, _kind_of(constraint), constraint.name or _default_name(constraint, reading), into)
    try:
        writer = _ConstraintWriter(
            armature, reading_with_settings(armature, reading), item, with_empties=into == "constraints"
        )
        writer.read_blender(blender)
        writer.shared(constraint)
        write(writer, constraint)
    except PoiseError:
        remove(armature, len(getattr(character_of(armature), into)) - 1, into)
        raise
    return item


def accept_proposal(armature: bpy.types.Object, index: int) -> PoiseConstraint:
    """Move a proposal to the list of constraints, and make its empties."""
    character = character_of(armature)
    proposal = character.found[index]
    item = new_item(armature, proposal.kind, proposal.name)
    uid, name = item.uid, item.name
    copy_properties(proposal, item)
    item.uid, item.name = uid, name
    handles.make_empties(armature, item)
    remove(armature, index, "found")
    return item


def _kind_of(constraint: Constraint | HeldPose) -> str:
    for kind, found in (
        ("SHAPE", ShapeConstraint),
        ("FOOTPLANT", Footplant),
        ("HANDPLANT", Handplant),
        ("ORIENTATION", OrientationConstraint),
        ("LOOK_AT", DirectionConstraint),
        ("LOOK_AT", LookAtConstraint),
        ("BALANCE", Balance),
        ("POSE", HeldPose),
    ):
        if isinstance(constraint, found):
            return kind
    return ""


def _default_name(constraint: Constraint | HeldPose, reading: bridge.Reading) -> str:
    """The name for a constraint without a name, with frames of the scene."""
    if isinstance(constraint, HeldPose):
        return held_pose_name([str(joint) for joint in constraint.rotations])
    if isinstance(constraint, Footplant):
        begin = to_scene(reading, min(begin for begin, _ in constraint.stays.values()))
        return f"{constraint.foot.capitalize()} footplant {begin:g}"
    if isinstance(constraint, Handplant):
        return f"{constraint.hand.capitalize()} handplant {to_scene(reading, constraint.begin):g}"
    if isinstance(constraint, Balance):
        return "Balance"
    path: Any = constraint
    joint = path.joint.joint if isinstance(path.joint, BodyPoint) else path.joint
    bone = reading.clip.skeleton.names[reading.clip.skeleton.index(joint)]
    titles = {OrientationConstraint: "Orientation", DirectionConstraint: "Direction", LookAtConstraint: "Look at"}
    title = next((title for kind, title in titles.items() if isinstance(constraint, kind)), None)
    return f"{title or ('Pin' if len(tuple(path.points)) == 1 else 'Trajectory')} {bone}"


class _ConstraintWriter:
    """Writes one constraint of the solver to a saved one."""

    def __init__(
        self, armature: bpy.types.Object, reading: bridge.Reading, item: PoiseConstraint, with_empties: bool
    ) -> None:
        self.armature = armature
        self.reading = reading
        self.clip = reading.clip
        self.item = item
        self.with_empties = with_empties
        self.empties: list[int] | None = None
        """How many points of the constraint each empty has; None: as `runs` finds them."""
        self.objects: list[str] = []
        """The names of the animator's objects that give points, in order of time; empty for others."""
        self.reference_name = ""
        """The name of the animator's object that points move along with."""

    def read_blender(self, blender: Mapping[str, Any]) -> None:
        """Take the values that only the add-on knows; raises where one cannot be."""
        item = self.item
        known: dict[str, Callable[[Any], None]] = {
            "confidence": lambda value: setattr(item, "confidence", float(value)),
            "ground_choice": lambda value: setattr(item, "ground_choice", value),
            "displacement": lambda value: setattr(item, "displacement", [float(number) for number in value]),
            "empties": lambda value: setattr(self, "empties", [int(size) for size in value]),
            "objects": lambda value: setattr(self, "objects", [str(name) for name in value]),
            "reference_object": lambda value: setattr(self, "reference_name", str(value)),
        }
        for name, value in blender.items():
            if name not in known:
                continue  # of a later version
            try:
                known[name](value)
            except (TypeError, ValueError):
                raise TranslationError(
                    f'{item.name}: its "{name}" under "blender" is {value!r}, which it cannot be; correct or remove it.'
                ) from None

    def _runs(self, points: Iterable[ConstraintPoint]) -> list[list[ConstraintPoint]]:
        """The points of each empty."""
        given = tuple(points)
        return (divided(given, self.empties) if self.empties is not None else None) or runs(given)

    def shared(self, constraint: Constraint | HeldPose) -> None:
        item = self.item
        item.priority, item.weight = int(constraint.priority), float(constraint.weight)
        item.exact = bool(constraint.exact)
        item.confidence = float(getattr(constraint, "confidence", item.confidence))
        recruit = constraint.recruit
        if recruit is None:
            return
        if isinstance(recruit, (int, np.integer)):
            item.recruit, item.recruit_level = "LEVEL", int(recruit)
            return
        item.recruit = "BONES"
        for joint in recruit:
            self._list_bone(item.recruited, BodyPoint(joint))

    def _bone(self, joint: str | int) -> str:
        """The name of the bone of a joint."""
        return self.clip.skeleton.names[self.clip.skeleton.index(joint)]

    def _list_bone(self, bones: Any, point: BodyPoint) -> None:
        name = self._bone(point.joint)
        listed: PoiseBone = bones.add()
        name_bone(self.armature, listed, name)
        listed.offset = point.offset

    def _frame(self, time: float) -> float:
        return to_scene(self.reading, time)

    def _add_point(
        self,
        first: Transform,
        begin: float,
        end: float,
        now: Transform | None = None,
        known: bpy.types.Object | None = None,
    ) -> Any:
        """Add a point with its home at `first` and its empty at `now`, or at `first`; times are frames of the clip.

        It is given by a `known` object instead of an empty, where there is one.
        """
        point = self.item.points.add()
        point.begin, point.end = self._frame(begin), self._frame(end)
        if known is not None:
            point.object = known
        elif self.with_empties:
            handles.add_empty(self.armature, self.item, point, now or first)
        handles.store_home(point, first)
        return point

    # The kinds -----------------------------------------------------------------------------------------------------

    def path(self, constraint: Any, transform_of: Callable[[Any, int], Transform]) -> None:
        """Write a path through points; `transform_of` gives the world transform of a location at a frame."""
        item = self.item
        given = constraint.joint
        point = given if isinstance(given, BodyPoint) else BodyPoint(given)
        name_bone(self.armature, item, self._bone(point.joint))
        item.offset = point.offset
        item.begin, item.end = self._frame(constraint.begin), self._frame(constraint.end)
        item.mode = constraint.mode.upper()
        found = self._runs(constraint.points)
        objects = self.objects if len(self.objects) == len(found) else [""] * len(found)
        for run, name in zip(found, objects, strict=True):
            transforms = [transform_of(each.location, nearest_frame(self.reading, each.begin)) for each in run]
            frames = [self._frame(each.begin) for each in run]
            ends = [*zip(transforms, frames, strict=True), (transforms[-1], self._frame(run[-1].stay[1]))]
            known = self._known_object(name, ends, self._means_the_same) if self.with_empties else None
            added = self._add_point(transforms[0], run[0].begin, run[-1].stay[1], known=known)
            added.tension, added.continuity, added.bias = run[0].tension, run[0].continuity, run[0].bias
            if len(run) > 1 and self.with_empties and known is None:
                _key(added.object, transforms, frames)

    def _means_the_same(self, one: Transform, other: Transform) -> bool:
        """Whether two transforms of a point mean the same to the constraint."""
        if self.item.kind == "ORIENTATION":
            return _near(one.axes, other.axes)
        if self.item.kind == "LOOK_AT" and self.item.aim == "DIRECTION":
            return _near(one.axes[:, 2], other.axes[:, 2])
        return _near(one.location, other.location, self.clip.skeleton.size)

    def _known_object(
        self,
        name: str,
        expected: list[tuple[Transform, float]],
        agrees: Callable[[Transform, Transform], bool],
    ) -> bpy.types.Object | None:
        """The object of the scene with a name that has the expected transforms at frames of the scene; else None."""
        found: Any = bpy.data.objects.get(name) if name else None
        if found is None or not handles.is_in_scene(found):
            return None
        shown = transforms_at(self.armature, [(found, frame) for _, frame in expected])
        is_same = all(agrees(wanted, now) for (wanted, _), now in zip(expected, shown, strict=True))
        known: bpy.types.Object | None = found if is_same else None
        return known

    def shape(self, constraint: ShapeConstraint) -> None:
        reference = self._reference(constraint)
        self.path(constraint, lambda location, frame: Transform(reference(frame).to_world(location), np.eye(3)))

    def _reference(self, constraint: ShapeConstraint | Handplant) -> Callable[[int], Transform]:
        """Write the reference, and return its transform by frame of the clip."""
        item, reference = self.item, constraint.reference
        if reference is None:
            return lambda frame: Transform(np.zeros(3), np.eye(3))
        if isinstance(reference, MovingObject):
            moving = reference.checked(constraint.label, self.clip.frames)
            pairs = zip(moving.positions, moving.rotations, strict=True)
            transforms = [Transform.from_quaternion(position, rotation) for position, rotation in pairs]
            expected = [(each, self._frame(frame)) for frame, each in enumerate(transforms)]
            known = self._known_object(self.reference_name, expected, self._is_same)
            item.reference, item.reference_object = "OBJECT", known or self._moving_empty(transforms)
            return lambda frame: transforms[frame]
        name = self._bone(reference)
        item.reference = "BONE"
        name_bone(self.armature, item, name, "reference_bone")
        heads, orientations = self.clip.position(name), self.clip.orientation(name)
        return lambda frame: Transform.from_quaternion(heads[frame], orientations[frame])

    def _is_same(self, one: Transform, other: Transform) -> bool:
        return _near(one.location, other.location, self.clip.skeleton.size) and _near(one.axes, other.axes)

    def _moving_empty(self, transforms: list[Transform]) -> bpy.types.Object:
        """Make an empty with one transform for each frame of the clip; keyed where these differ."""
        empty = handles.new_empty(self.armature, f"{self.item.name} reference")
        is_still = all(each.equals(transforms[0]) for each in transforms)
        frames = [self._frame(frame) for frame in range(len(transforms))]
        _key(empty, transforms[:1] if is_still else transforms, frames)
        return empty

    def orientation(self, constraint: OrientationConstraint) -> None:
        self.path(
            constraint, lambda location, frame: Transform.from_quaternion(self._head(constraint, frame), location)
        )

    def look_at(self, constraint: DirectionConstraint | LookAtConstraint) -> None:
        is_place = isinstance(constraint, LookAtConstraint)
        self.item.aim = "PLACE" if is_place else "DIRECTION"
        self.item.axis = np.array(constraint.axis, dtype=np.float64).tolist()

        def transform_of(location: Any, frame: int) -> Transform:
            if is_place:
                return Transform(np.array(location, dtype=np.float64), np.eye(3))
            return Transform.pointing(self._head(constraint, frame), np.array(location, dtype=np.float64))

        self.path(constraint, transform_of)

    def _head(self, constraint: Any, frame: int) -> Any:
        return self.clip.position(constraint.joint)[frame]

    def balance(self, constraint: Balance) -> None:
        item = self.item
        item.support = constraint.support.upper()
        self._displacement(constraint)
        item.is_whole = constraint.begin is None and constraint.end is None
        last = self.clip.frames - 1.0
        item.begin = self._frame(0.0 if constraint.begin is None else constraint.begin)
        item.end = self._frame(last if constraint.end is None else constraint.end)
        item.axes = set((constraint.axes or self.clip.skeleton.horizontal_axes).upper())
        for point in constraint.points or ():
            self._list_bone(item.bones, point if isinstance(point, BodyPoint) else BodyPoint(point))

    def _displacement(self, constraint: Balance) -> None:
        """Write the displacement of a balance: as a vector or, where it varies over time, as points."""
        given = constraint.displacement
        if isinstance(given, tuple) and given and isinstance(given[0], ConstraintPoint):
            points = list(given)
        elif given is None or (not isinstance(given, Spline) and np.shape(given) == (3,)):
            self.item.displacement = np.zeros(3).tolist() if given is None else np.asarray(given).tolist()
            return
        else:
            frames = np.arange(self.clip.frames)
            curve = given.at(frames) if isinstance(given, Spline) else np.asarray(given)
            points = [ConstraintPoint(value, float(frame)) for frame, value in zip(frames, curve, strict=True)]
        centers, own = self.clip.center_of_mass(), np.array(self.item.displacement)
        for run in self._runs(points):
            home = Transform(centers[nearest_frame(self.reading, run[0].begin)], np.eye(3))
            moved = [Transform(home.location + np.asarray(each.location) - own, np.eye(3)) for each in run]
            added = self._add_point(home, run[0].begin, run[-1].stay[1], moved[0])
            added.tension, added.continuity, added.bias = run[0].tension, run[0].continuity, run[0].bias
            if len(run) > 1 and self.with_empties:
                _key(added.object, moved, [self._frame(each.begin) for each in run])

    def pose(self, constraint: HeldPose) -> None:
        item = self.item
        item.begin, item.end = self._frame(constraint.begin), self._frame(constraint.end)
        item.pose_space = constraint.space.upper()
        self._write_eases(constraint)
        parents = self.clip.skeleton.parents
        frame = nearest_frame(self.reading, constraint.begin)
        for joint, given in constraint.rotations.items():
            index = self.clip.skeleton.index(joint)
            rotation = rotations.normalize(given)
            # The other one of its rotations is that beside the source's pose of the parent, as the pose begins.
            has_parent = parents[index] >= 0
            above = self.clip.orientation(int(parents[index]))[frame] if has_parent else rotations.IDENTITY
            is_local = constraint.space == "local"
            in_world = rotations.multiply(above, rotation) if is_local else rotation
            on_parent = rotation if is_local else rotations.multiply(rotations.conjugate(above), rotation)
            listed = item.bones.add()
            name_bone(self.armature, listed, self._bone(joint))
            listed.rotation, listed.world_rotation = on_parent.tolist(), in_world.tolist()
        if len(item.bones):
            name_bone(self.armature, item, item.bones[0].bone)

    def _write_eases(self, constraint: Footplant | Handplant | HeldPose) -> None:
        for ease in ("ease_in", "ease_out"):
            given = getattr(constraint, ease)
            setattr(self.item, ease, -1.0 if given is None else given * step_of(self.reading))

    def footplant(self, constraint: Footplant) -> None:
        item = self.item
        item.foot = constraint.foot.upper()
        for part in ("heel", "toe"):
            stay = constraint.stays.get(part)
            setattr(item, f"has_{part}", stay is not None)
            if stay is not None:
                setattr(item, f"{part}_strike", self._frame(stay[0]))
                setattr(item, f"{part}_off", self._frame(stay[1]))
        self._write_eases(constraint)
        item.ground_velocity = np.asarray(constraint.ground_velocity, dtype=np.float64).tolist()
        item.use_height = constraint.height is not None
        item.height = constraint.height or 0.0
        if constraint.own_height:
            item.ground_choice = "OWN"
        item.use_position = constraint.position is not None
        item.use_heading = constraint.heading is not None
        ankle = getattr(self.clip.skeleton.landmarks, f"{constraint.foot}_ankle")
        if ankle is not None:
            name_bone(self.armature, item, self.clip.skeleton.names[ankle])
        times = [time for stay in constraint.stays.values() for time in stay]
        home = plant_transform(self.clip, constraint)
        home = Transform.upright(
            home.location if constraint.position is None else constraint.position,
            home.heading if constraint.heading is None else constraint.heading,
        )
        now = Transform.upright(home.location + np.asarray(constraint.shift), home.heading + constraint.turn)
        self._add_point(home, min(times), max(times), now)

    def handplant(self, constraint: Handplant) -> None:
        item = self.item
        item.hand = constraint.hand.upper()
        item.begin, item.end = self._frame(constraint.begin), self._frame(constraint.end)
        self._write_eases(constraint)
        wrist = getattr(self.clip.skeleton.landmarks, f"{constraint.hand}_wrist")
        if wrist is not None:
            name_bone(self.armature, item, self.clip.skeleton.names[wrist])
        item.use_position = constraint.position is not None
        # The home is that of a whole frame, at which the carrier is known.
        first = min(max(int(np.ceil(constraint.begin)), 0), self.clip.frames - 1)
        carrier = self._reference(constraint)(first)
        home = hand_transform(self.clip, constraint)
        shift = carrier.axes @ np.asarray(constraint.shift, dtype=np.float64)
        now = Transform.upright(home.location + shift, home.heading + constraint.turn)
        added = self._add_point(home, first, max(first, constraint.end), now)
        if item.reference == "OBJECT" and added.object is not None:
            bridge.carry(self.armature, added.object, added.begin, item.reference_object, "")


def _near(one: Array, other: Array, unit: float = 1.0) -> bool:
    """Whether arrays agree but for rounding, relative to a unit."""
    return bool(np.abs(one - other).max() <= SAME * unit)


def _key(empty: bpy.types.Object, transforms: list[Transform], frames: list[float]) -> None:
    """Set the transform of an empty, with a key at each of the frames of the scene where there are several."""
    for transform, frame in zip(transforms, frames, strict=False):
        empty.location, empty.rotation_quaternion = transform.location.tolist(), transform.quaternion.tolist()
        if len(transforms) > 1:
            for channel in ("location", "rotation_quaternion"):
                empty.keyframe_insert(channel, frame=frame)


_KINDS: dict[str, Callable[[_ConstraintWriter, Any], None]] = {
    "SHAPE": _ConstraintWriter.shape,
    "FOOTPLANT": _ConstraintWriter.footplant,
    "ORIENTATION": _ConstraintWriter.orientation,
    "LOOK_AT": _ConstraintWriter.look_at,
    "BALANCE": _ConstraintWriter.balance,
    "POSE": _ConstraintWriter.pose,
    "HANDPLANT": _ConstraintWriter.handplant,
}

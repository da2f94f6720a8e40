# SPDX-License-Identifier: GPL-3.0-or-later
"""From saved constraints to the solver's."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
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
    MovingObject,
    OrientationConstraint,
    ShapeConstraint,
)
from .. import bridge
from ..bridge.arrays import Array
from ..bridge.transforms import Transform, is_static, transforms_at
from ..properties import EASE, PoiseConstraint, PoisePoint, character_of, events_of, resolve_bone
from ..properties.handles import is_in_scene
from .character import reading_with_settings
from .errors import TranslationError
from .poses import pose_in_world, pose_on_parent
from .times import nearest_frame, step_of, to_clip, to_scene, within

TURN_ROUNDING = 1e-6
"""Radians by which a rotation differs from itself after it has been an empty's, in single precision."""


@dataclass(frozen=True)
class Translation:
    """The constraints of a character for one reading."""

    constraints: tuple[Constraint, ...]
    uids: tuple[str, ...]
    """For each of them the uid of the saved constraint that it comes from: a held pose gives several."""
    skipped: tuple[str, ...]
    """A sentence for each enabled constraint that lies outside of what was read."""


class _OutOfRangeError(TranslationError):
    """A constraint that has nothing to say about the frames that were read."""


def translate(
    armature: bpy.types.Object, reading: bridge.Reading, items: Iterable[PoiseConstraint] | None = None
) -> Translation:
    """The solver's constraints for what was read; without `items`, of all that are enabled.

    What lies outside of the read frames is cut off. Empties are where they are now; those that move are sampled.
    """
    chosen = [item for item in character_of(armature).constraints if item.enabled] if items is None else list(items)
    set_up = reading_with_settings(armature, reading)
    made: list[Constraint] = []
    uids: list[str] = []
    skipped: list[str] = []
    for item in chosen:
        try:
            parts = _ConstraintTranslator(armature, set_up, item).constraints()
        except _OutOfRangeError as complaint:
            skipped.append(str(complaint))
            continue
        made += parts
        uids += [item.uid] * len(parts)
    return Translation(tuple(made), tuple(uids), tuple(skipped))


def span_of(armature: bpy.types.Object, item: PoiseConstraint) -> tuple[int, int]:
    """The first and last whole frame of the scene that a constraint reaches; the usual range of an endless balance."""
    scene = bridge.current_scene()
    ease = EASE * scene.render.fps / scene.render.fps_base
    before = ease if item.ease_in < 0.0 else item.ease_in
    after = ease if item.ease_out < 0.0 else item.ease_out
    if item.kind == "BALANCE" and item.is_whole:
        return bridge.frame_range(scene)
    begin, end = item.begin, item.end
    if item.kind == "FOOTPLANT":
        begin, end = min(events_of(item), default=begin), max(events_of(item), default=end)
    if item.kind in ("FOOTPLANT", "POSE"):
        begin, end = begin - before, end + after
    return math.floor(begin), math.ceil(end)


class _ConstraintTranslator:
    """One saved constraint on its way to the solver."""

    def __init__(self, armature: bpy.types.Object, reading: bridge.Reading, item: PoiseConstraint) -> None:
        self.armature = armature
        self.reading = reading
        self.clip = reading.clip
        self.item = item

    def constraints(self) -> list[Constraint]:
        kinds: dict[str, Callable[[], list[Constraint]]] = {
            "SHAPE": self._shape,
            "FOOTPLANT": self._footplant,
            "ORIENTATION": self._orientation,
            "LOOK_AT": self._look_at,
            "BALANCE": self._balance,
            "POSE": self._pose,
        }
        return kinds[self.item.kind]()

    # What all kinds share ------------------------------------------------------------------------------------------

    def _error(self, what: str) -> TranslationError:
        return TranslationError(f"{self.item.name}: {what}")

    @property
    def _shared(self) -> dict[str, Any]:
        item = self.item
        recruit: int | tuple[str, ...] | None = None
        if item.recruit == "LEVEL":
            recruit = item.recruit_level
        elif item.recruit == "BONES":
            recruit = tuple(self._joint(listed.bone, listed.bone_id) for listed in item.recruited)
            if not recruit:
                raise self._error("it recruits only listed bones, but none is listed; list some, or recruit all.")
        return {"priority": item.priority, "weight": item.weight, "recruit": recruit, "name": item.name}

    def _joint(self, bone: str, mark: str) -> str:
        """The joint of a bone that is named once; the error says what has become of it."""
        if not bone:
            raise self._error("it has no bone: choose one.")
        name = resolve_bone(self.armature, bone, mark)
        if not name:
            raise self._error(f"bone {bone!r} has been deleted; choose another one, or delete the constraint.")
        if name not in self.clip.skeleton.names:
            raise self._error(
                f"bone {name!r} is none of the bones that move the character: choose a deforming bone instead."
            )
        return name

    def _own_joint(self) -> str:
        name = self._joint(self.item.bone, self.item.bone_id)
        self._check_usable(name)
        return name

    def _check_usable(self, name: str) -> None:
        complaint = bridge.why_unusable(self.armature, name)
        if complaint:
            raise self._error(complaint[0].lower() + complaint[1:])

    def _own_point(self) -> str | BodyPoint:
        name = self._own_joint()
        x, y, z = self.item.offset
        return BodyPoint(name, (x, y, z)) if any((x, y, z)) else name

    def _time(self, frame: float) -> float:
        return to_clip(self.reading, frame)

    def _span(self, begin: float, end: float) -> tuple[float, float]:
        """A span of the scene's frames as what the clip has of it."""
        first, last = self._time(begin), self._time(end)
        if first > last:
            raise self._error(f"it begins at frame {begin:g}, after its end at {end:g}.")
        if last < 0.0 or first > self.clip.frames - 1:
            raise _OutOfRangeError(
                f"{self.item.name} (frames {begin:g} to {end:g}) lies outside the frames that are solved."
            )
        return within(self.reading, first), within(self.reading, last)

    # Points --------------------------------------------------------------------------------------------------------

    def _stays(self) -> list[tuple[PoisePoint, float, float]]:
        """The points with what the clip has of their stays, in the order of their times."""
        item = self.item
        if not len(item.points):
            raise self._error("it has no points, so there is nothing to hold; add one.")
        stays = []
        for number, point in enumerate(item.points, start=1):
            begin, end = self._time(point.begin), self._time(max(point.begin, point.end))
            if not item.begin <= point.begin <= max(point.begin, point.end) <= item.end:
                raise self._error(
                    f"point {number} (frames {point.begin:g} to {point.end:g}) lies outside its constraint (frames "
                    f"{item.begin:g} to {item.end:g}); move the one, or extend the other."
                )
            if end >= 0.0 and begin <= self.clip.frames - 1:
                stays.append((point, within(self.reading, begin), within(self.reading, end)))
        if not stays:
            raise _OutOfRangeError(f"{item.name}: none of its points lies in the frames that are solved.")
        return sorted(stays, key=lambda stay: stay[1:])

    def _empty(self, point: PoisePoint) -> bpy.types.Object:
        if not is_in_scene(point.object):
            number = next((n for n, other in enumerate(self.item.points, start=1) if other == point), 1)
            raise self._error(f"the empty of point {number} has been deleted; remove the point too, or make a new one.")
        empty: bpy.types.Object = point.object
        return empty

    def _transforms(self, points: list[PoisePoint], frames: list[float]) -> list[Transform]:
        """Where points are at frames of the scene."""
        if self._is_proposal():
            return [Transform.from_quaternion(point.home, point.home_rotation) for point in points]
        asked = [(self._empty(point), frame) for point, frame in zip(points, frames, strict=True)]
        return transforms_at(self.armature, asked)

    def _is_proposal(self) -> bool:
        """What detection proposes has no empties yet."""
        return any(item == self.item for item in character_of(self.armature).found)

    def _path_points(self, location: Callable[[Transform, float], Any], follows: bool = False) -> list[ConstraintPoint]:
        """The solver's points; `location` says what it takes from an empty, given the time in frames of the clip.

        Whoever stays at an empty that moves follows it, frame by frame; with `follows` also at one that does not.
        """
        stops: list[tuple[PoisePoint, float, float]] = []
        for point, begin, end in self._stays():
            if begin < end and (follows or (point.object is not None and not is_static(point.object))):
                whole = np.arange(np.ceil(begin), np.floor(end) + 1.0).tolist()
                stops += [(point, time, time) for time in sorted({begin, *whole, end})]
            else:
                stops.append((point, begin, end))
        frames = [to_scene(self.reading, begin) for _, begin, _ in stops]
        places = self._transforms([point for point, _, _ in stops], frames)
        return [
            ConstraintPoint(location(place, begin), begin, end, point.tension, point.continuity, point.bias)
            for place, (point, begin, end) in zip(places, stops, strict=True)
        ]

    def _path(self) -> dict[str, Any]:
        begin, end = self._span(self.item.begin, self.item.end)
        return {"begin": begin, "end": end, "mode": self.item.mode.lower(), **self._shared}

    # The kinds -----------------------------------------------------------------------------------------------------

    def _shape(self) -> list[Constraint]:
        joint, path = self._own_point(), self._path()
        reference, reference_at = self._reference()
        points = self._path_points(lambda place, time: reference_at(time).to_local(place.location))
        return [ShapeConstraint(joint, points=points, reference=reference, **path)]

    def _reference(self) -> tuple[str | MovingObject | None, Callable[[float], Transform]]:
        """What points are relative to, and where that is in the source at a time in frames of the clip."""
        item = self.item
        if item.reference == "BONE":
            name = self._joint(item.reference_bone, item.reference_bone_id)
            heads, turns = self.clip.position(name), self.clip.orientation(name)

            def of_bone(time: float) -> Transform:
                frame = nearest_frame(self.reading, time)
                return Transform.from_quaternion(heads[frame], turns[frame])

            return name, of_bone
        if item.reference == "OBJECT":
            held: bpy.types.Object | None = item.reference_object
            if held is None or not is_in_scene(held):
                raise self._error("the object that its points move along with is missing: choose one.")
            frames = [0.0] if is_static(held) else self.reading.times.tolist()
            places = transforms_at(self.armature, [(held, frame) for frame in frames])
            moving = MovingObject(
                np.array([place.location for place in places]), np.array([place.quaternion for place in places])
            )
            if len(places) == 1:
                moving = MovingObject(moving.positions[0], moving.rotations[0])

            def of_object(time: float) -> Transform:
                return places[nearest_frame(self.reading, time) if len(places) > 1 else 0]

            return moving, of_object
        world = Transform(np.zeros(3), np.eye(3))
        return None, lambda time: world

    def _orientation(self) -> list[Constraint]:
        joint, path = self._own_joint(), self._path()
        points = self._path_points(lambda place, time: place.quaternion)
        return [OrientationConstraint(joint, points=points, **path)]

    def _look_at(self) -> list[Constraint]:
        joint, path = self._own_point(), self._path()
        if not any(self.item.axis):
            raise self._error("the axis that points somewhere has no length.")
        path["axis"] = tuple(self.item.axis)
        name = joint.joint if isinstance(joint, BodyPoint) else joint
        if self.item.aim == "DIRECTION":
            points = self._path_points(lambda place, time: place.axes[:, 2])
        else:
            eyes = self.clip.position(joint)
            points = self._path_points(lambda place, time: self._gaze(place, eyes, time), follows=True)
        return [DirectionConstraint(name, points=points, **path)]

    def _gaze(self, place: Transform, eyes: Array, time: float) -> Array:
        """(3,) from where the bone is in the source (frames, 3) to a place."""
        direction = place.location - eyes[nearest_frame(self.reading, time)]
        if not np.linalg.norm(direction) > 0.0:
            raise self._error("it should look at the place where the bone itself is: move its empty away.")
        return np.asarray(direction)

    def _balance(self) -> list[Constraint]:
        item = self.item
        points = []
        for listed in item.bones:
            x, y, z = listed.offset
            points.append(BodyPoint(self._joint(listed.bone, listed.bone_id), (x, y, z)))
        begin, end = (None, None) if item.is_whole else self._span(item.begin, item.end)
        if not item.axes:
            raise self._error("no axis counts: choose one at least.")
        axes = "".join(sorted(item.axes)).lower()
        return [
            Balance(
                points=points or None,
                displacement=tuple(item.displacement) if any(item.displacement) else None,
                begin=begin,
                end=end,
                axes=None if axes == self.clip.skeleton.horizontal_axes else axes,
                **self._shared,
            )
        ]

    def _footplant(self) -> list[Constraint]:
        item = self.item
        events = events_of(item)
        if not events:
            raise self._error("neither the heel nor the ball stands: choose one of them, or both.")
        self._span(min(events), max(events))
        times: dict[str, Any] = {}
        for part, stands in (("heel", item.has_heel), ("toe", item.has_toe)):
            strike, off = (self._time(getattr(item, f"{part}_{event}")) for event in ("strike", "off"))
            if strike > off or not stands:  # an impossible order is for the solver to tell
                times |= {f"{part}_strike": strike, f"{part}_off": off} if stands else {}
            elif off >= 0.0 and strike <= self.clip.frames - 1:
                times |= {f"{part}_strike": within(self.reading, strike), f"{part}_off": within(self.reading, off)}
        foot: Literal["left", "right"] = "left" if item.foot == "LEFT" else "right"
        return [
            Footplant(
                foot=foot,
                height=item.height if item.use_height else None,
                own_height=item.ground_choice == "OWN",
                ground_velocity=tuple(item.ground_velocity),
                ease_in=None if item.ease_in < 0.0 else item.ease_in / step_of(self.reading),
                ease_out=None if item.ease_out < 0.0 else item.ease_out / step_of(self.reading),
                **times,
                **self._stand(),
                **self._shared,
            )
        ]

    def _stand(self) -> dict[str, Any]:
        """Where a plant stands: as its empty says, which may have been moved from where it was at first."""
        item = self.item
        if not len(item.points):
            return {}
        point = item.points[0]
        home = Transform.from_quaternion(point.home, point.home_rotation)
        (now,) = self._transforms([point], [item.begin])
        turn = (now.heading - home.heading + np.pi) % (2.0 * np.pi) - np.pi
        return {
            "position": tuple(home.location.tolist()) if item.use_position else None,
            "heading": home.heading if item.use_heading else None,
            "shift": tuple((now.location - home.location).tolist()),
            "turn": float(turn) if abs(turn) > TURN_ROUNDING else 0.0,
        }

    def _pose(self) -> list[Constraint]:
        item = self.item
        if not len(item.bones):
            raise self._error("it holds no bone: add one.")
        ease = EASE * self.clip.fps
        before = ease if item.ease_in < 0.0 else item.ease_in / step_of(self.reading)
        after = ease if item.ease_out < 0.0 else item.ease_out / step_of(self.reading)
        stay = self._span(item.begin, item.end)
        activity = within(self.reading, stay[0] - before), within(self.reading, stay[1] + after)
        made: list[Constraint] = []
        for listed in item.bones:
            joint = self._joint(listed.bone, listed.bone_id)
            self._check_usable(joint)
            has_parent = self.clip.skeleton.parents[self.clip.skeleton.index(joint)] >= 0
            if item.pose_space == "LOCAL" and has_parent:
                rotation = np.array(listed.rotation, dtype=np.float64)
                made += pose_on_parent(self.clip, joint, rotation, stay, (before, after), self._shared)
            else:
                rotation = np.array(listed.world_rotation, dtype=np.float64)
                made += pose_in_world(joint, rotation, stay, activity, self._shared)
        return made

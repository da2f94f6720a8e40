# SPDX-License-Identifier: GPL-3.0-or-later
"""Saved constraints as constraints of the solver."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Generic, Literal, TypeVar

import bpy
import numpy as np

from ...solver import (
    Balance,
    BodyPoint,
    Constraint,
    ConstraintEntry,
    ConstraintPoint,
    DirectionConstraint,
    Footplant,
    Handplant,
    HeldPose,
    LookAtConstraint,
    MovingObject,
    OrientationConstraint,
    ShapeConstraint,
)
from .. import bridge
from ..bridge.transforms import Transform, is_static, transforms_at
from ..properties import (
    EASE,
    PATH_KINDS,
    POINT_KINDS,
    PoiseConstraint,
    PoisePoint,
    backwards_sentence,
    character_of,
    events_of,
    resolve_bone,
)
from ..properties.handles import is_in_scene
from .character import reading_with_settings
from .errors import TranslationError
from .runs import points_of, runs
from .times import nearest_frame, step_of, to_clip, to_scene, within

_Made = TypeVar("_Made")

TURN_ROUNDING = 1e-6
"""Radians by which storing a rotation in an empty changes it, in single precision."""


@dataclass(frozen=True)
class Translation:
    """The constraints of a character as the solver takes them, for one reading."""

    constraints: tuple[Constraint, ...]
    uids: tuple[str, ...]
    """For each of them the uid of its saved constraint; a held pose becomes several."""
    skipped: tuple[str, ...]
    """A sentence for each enabled constraint outside of the frames that were read."""
    lost: Mapping[str, str] = field(default_factory=dict)
    """By the uid of each constraint whose empty or reference was deleted: which, and what to do."""


class _OutOfRangeError(TranslationError):
    """A constraint is not active in the frames that were read."""


class _LostObjectError(TranslationError):
    """An object that a constraint needs has been deleted; the message says which, without a full stop."""


def translate(
    armature: bpy.types.Object, reading: bridge.Reading, items: Iterable[PoiseConstraint] | None = None
) -> Translation:
    """The constraints of the solver for saved constraints, by default all that are enabled.

    They are cut to the frames that were read. Empties that move are sampled at every frame. A constraint with a
    deleted empty is left out.
    """
    found = _each(armature, reading, items, _ConstraintTranslator.constraints)
    made = [(constraint, uid) for parts, uid in found.made for constraint in parts]
    return Translation(
        tuple(constraint for constraint, _ in made), tuple(uid for _, uid in made), tuple(found.skipped), found.lost
    )


def file_entries(armature: bpy.types.Object, reading: bridge.Reading) -> tuple[list[ConstraintEntry], list[str]]:
    """The enabled constraints for a file, and a sentence for each that is left out."""
    found = _each(armature, reading, None, _ConstraintTranslator.file_entry)
    names = {item.uid: item.name for item in character_of(armature).constraints}
    lost = [f"{names[uid]} is left out: {reason}." for uid, reason in found.lost.items()]
    return [entry for entry, _ in found.made], [*found.skipped, *lost]


@dataclass
class _Converted(Generic[_Made]):
    """What saved constraints were converted to, each with its uid, and those that were left out."""

    made: list[tuple[_Made, str]] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    lost: dict[str, str] = field(default_factory=dict)


def _each(
    armature: bpy.types.Object,
    reading: bridge.Reading,
    items: Iterable[PoiseConstraint] | None,
    convert: Callable[[_ConstraintTranslator], _Made],
) -> _Converted[_Made]:
    """Convert saved constraints, by default all that are enabled."""
    chosen = [item for item in character_of(armature).constraints if item.enabled] if items is None else list(items)
    reading = reading_with_settings(armature, reading)
    found: _Converted[_Made] = _Converted()
    for item in chosen:
        try:
            with bridge.in_scene_frames(reading.times):
                found.made.append((convert(_ConstraintTranslator(armature, reading, item)), item.uid))
        except _OutOfRangeError as error:
            found.skipped.append(str(error))
        except _LostObjectError as error:
            found.lost[item.uid] = str(error)
    return found


def span_of(armature: bpy.types.Object, item: PoiseConstraint) -> tuple[int, int]:
    """The first and last whole frame of the scene that a constraint affects, with its eases."""
    scene = bridge.current_scene()
    ease = EASE * scene.render.fps / scene.render.fps_base
    before = ease if item.ease_in < 0.0 else item.ease_in
    after = ease if item.ease_out < 0.0 else item.ease_out
    if item.kind == "BALANCE" and item.is_whole:
        return bridge.frame_range(scene)
    begin, end = item.begin, item.end
    if item.kind == "FOOTPLANT":
        begin, end = min(events_of(item), default=begin), max(events_of(item), default=end)
    if item.kind in ("FOOTPLANT", "HANDPLANT", "POSE"):
        begin, end = begin - before, end + after
    return math.floor(begin), math.ceil(end)


class _ConstraintTranslator:
    """Translates one saved constraint."""

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
            "HANDPLANT": self._handplant,
        }
        return kinds[self.item.kind]()

    def file_entry(self) -> ConstraintEntry:
        """The constraint for a file, with the values that only the add-on knows, by their names in `from_solver`."""
        item = self.item
        more: dict[str, Any] = {}
        if item.confidence != 1.0:
            more["confidence"] = item.confidence
        if item.kind == "POSE":
            return ConstraintEntry(self._held_pose(), more)
        (constraint,) = self.constraints()
        if item.kind == "FOOTPLANT" and item.ground_choice == "GROUND":
            more["ground_choice"] = item.ground_choice
        if item.kind == "BALANCE" and len(item.points) and any(item.displacement):
            more["displacement"] = list(item.displacement)
        if item.kind in POINT_KINDS and len(item.points):
            found = [saved for _, saved in self._points_with_items(lambda transform, time: transform.location)]
            by_empty = [list(same) for _, same in groupby(found, key=lambda saved: saved.path_from_id())]
            sizes = [len(same) for same in by_empty]
            if sizes != [len(run) for run in runs(points_of(constraint))]:
                more["empties"] = sizes
            objects = [self._name_of_other(same[0].object) for same in by_empty]
            if any(objects) and item.kind in PATH_KINDS:
                more["objects"] = objects
        if (
            item.kind in ("SHAPE", "HANDPLANT")
            and item.reference == "OBJECT"
            and self._name_of_other(item.reference_object)
        ):
            more["reference_object"] = item.reference_object.name
        return ConstraintEntry(constraint, more)

    def _name_of_other(self, held: bpy.types.Object) -> str:
        """The name of an object that is none of the character's empties; empty for one of these."""
        own = character_of(self.armature).collection
        return "" if own is not None and held in own.objects.values() else held.name

    # Shared by all kinds -------------------------------------------------------------------------------------------

    def _error(self, message: str) -> TranslationError:
        return TranslationError(f"{self.item.name}: {message}")

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
        return {
            "priority": item.priority,
            "weight": item.weight,
            "recruit": recruit,
            "exact": item.exact,
            "name": item.name,
        }

    def _joint(self, bone: str, mark: str) -> str:
        """The joint of a bone given by name and mark; raises where the bone was deleted or is no joint."""
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
        reason = bridge.why_unusable(self.armature, name)
        if reason:
            raise self._error(reason[0].lower() + reason[1:])

    def _own_point(self) -> str | BodyPoint:
        name = self._own_joint()
        x, y, z = self.item.offset
        return BodyPoint(name, (x, y, z)) if any((x, y, z)) else name

    def _ease(self, frames: float) -> float | None:
        """An ease in frames of the clip; None for the default."""
        return None if frames < 0.0 else frames / step_of(self.reading)

    def _time(self, frame: float) -> float:
        return to_clip(self.reading, frame)

    def _span(self, begin: float, end: float) -> tuple[float, float]:
        """A span of frames of the scene as frames of the clip, cut to the clip."""
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
        """The points with the begin and end of their stays in frames of the clip, cut to the clip, in order of time."""
        item = self.item
        if not len(item.points):
            raise self._error("it has no points, so it constrains nothing; add one.")
        stays = []
        for number, point in enumerate(item.points, start=1):
            if point.begin > point.end:
                raise self._error(backwards_sentence(number, point))
            begin, end = self._time(point.begin), self._time(point.end)
            is_inside = item.begin <= point.begin <= point.end <= item.end
            if not is_inside and not (item.kind == "BALANCE" and item.is_whole):
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
            raise _LostObjectError(
                f"the empty of its point {number} has been deleted; add another point instead, or delete the constraint"
            )
        empty: bpy.types.Object = point.object
        return empty

    def _transforms(self, points: list[PoisePoint], frames: list[float]) -> list[Transform]:
        """The transforms of points at frames of the scene."""
        if self._is_proposal():
            return [Transform.from_quaternion(point.home, point.home_rotation) for point in points]
        requests = [(self._empty(point), frame) for point, frame in zip(points, frames, strict=True)]
        return transforms_at(self.armature, requests)

    def _is_proposal(self) -> bool:
        """Whether the constraint is a proposal, which has no empties."""
        return any(item == self.item for item in character_of(self.armature).found)

    def _path_points(self, location: Callable[[Transform, float], Any]) -> list[ConstraintPoint]:
        """The points for the solver; `location` is called with the transform of an empty and the time in the clip."""
        return [point for point, _ in self._points_with_items(location)]

    def _points_with_items(
        self, location: Callable[[Transform, float], Any]
    ) -> list[tuple[ConstraintPoint, PoisePoint]]:
        """As `_path_points`, each with the saved point.

        A stay at an empty that moves becomes a point at every frame.
        """
        stays = self._stays()
        times = [self._sampled(*stay) for stay in stays]
        requests = [(point, time) for (point, _, _), sampled in zip(stays, times, strict=True) for time in sampled]
        transforms = iter(
            self._transforms([point for point, _ in requests], [to_scene(self.reading, time) for _, time in requests])
        )
        made = []
        for (saved, begin, end), sampled in zip(stays, times, strict=True):
            places = [next(transforms) for _ in sampled]
            entries = [(transform, time, time) for transform, time in zip(places, sampled, strict=True)]
            if all(place.equals(places[0]) for place in places):  # it may move, as what is parented may, but does not
                entries = [(places[0], begin, end)]
            shape = saved.tension, saved.continuity, saved.bias
            made += [
                (ConstraintPoint(location(now, first), first, last, *shape), saved) for now, first, last in entries
            ]
        return made

    def _sampled(self, point: PoisePoint, begin: float, end: float) -> list[float]:
        """The times in frames of the clip at which a point is needed: of one that may move, at every frame."""
        if begin == end or point.object is None or is_static(point.object):
            return [begin]
        return sorted({begin, *np.arange(np.ceil(begin), np.floor(end) + 1.0).tolist(), end})

    def _path(self) -> dict[str, Any]:
        begin, end = self._span(self.item.begin, self.item.end)
        return {"begin": begin, "end": end, "mode": self.item.mode.lower(), **self._shared}

    # The kinds -----------------------------------------------------------------------------------------------------

    def _shape(self) -> list[Constraint]:
        joint, path = self._own_point(), self._path()
        reference, reference_at = self._reference()
        points = self._path_points(lambda transform, time: reference_at(time).to_local(transform.location))
        return [ShapeConstraint(joint, points=points, reference=reference, **path)]

    def _reference(self) -> tuple[str | MovingObject | None, Callable[[float], Transform]]:
        """The reference of the points, and its transform in the source by time in frames of the clip."""
        item = self.item
        if item.reference == "BONE":
            name = self._joint(item.reference_bone, item.reference_bone_id)
            heads, orientations = self.clip.position(name), self.clip.orientation(name)

            def of_bone(time: float) -> Transform:
                frame = nearest_frame(self.reading, time)
                return Transform.from_quaternion(heads[frame], orientations[frame])

            return name, of_bone
        if item.reference == "OBJECT":
            target: bpy.types.Object | None = item.reference_object
            if target is None:
                raise self._error("the object that its points move along with is missing: choose one.")
            if not is_in_scene(target):
                raise _LostObjectError(
                    f"the object {target.name!r} that its points move along with has been deleted; choose another one"
                )
            frames = [0.0] if is_static(target) else self.reading.times.tolist()
            transforms = transforms_at(self.armature, [(target, frame) for frame in frames])
            moving = MovingObject(
                np.array([each.location for each in transforms]), np.array([each.quaternion for each in transforms])
            )
            if len(transforms) == 1:
                moving = MovingObject(moving.positions[0], moving.rotations[0])

            def of_object(time: float) -> Transform:
                return transforms[nearest_frame(self.reading, time) if len(transforms) > 1 else 0]

            return moving, of_object
        world = Transform(np.zeros(3), np.eye(3))
        return None, lambda time: world

    def _orientation(self) -> list[Constraint]:
        joint, path = self._own_joint(), self._path()
        points = self._path_points(lambda transform, time: transform.quaternion)
        return [OrientationConstraint(joint, points=points, **path)]

    def _look_at(self) -> list[Constraint]:
        joint, path = self._own_point(), self._path()
        if not any(self.item.axis):
            raise self._error("its axis has no length.")
        path["axis"] = tuple(self.item.axis)
        if self.item.aim == "PLACE":
            points = self._path_points(lambda transform, time: transform.location)
            return [LookAtConstraint(joint, points=points, **path)]
        points = self._path_points(lambda transform, time: transform.axes[:, 2])
        name = joint.joint if isinstance(joint, BodyPoint) else joint
        return [DirectionConstraint(name, points=points, **path)]

    def _balance(self) -> list[Constraint]:
        item = self.item
        points = []
        for listed in item.bones:
            x, y, z = listed.offset
            points.append(BodyPoint(self._joint(listed.bone, listed.bone_id), (x, y, z)))
        begin, end = (None, None) if item.is_whole else self._span(item.begin, item.end)
        if not item.axes:
            raise self._error("no axis is chosen: choose at least one.")
        axes = "".join(sorted(item.axes)).lower()
        return [
            Balance(
                points=points or None if item.support == "FEET" else None,
                support="plants" if item.support == "PLANTS" else "feet",
                displacement=self._displacement(),
                begin=begin,
                end=end,
                axes=None if axes == self.clip.skeleton.horizontal_axes else axes,
                **self._shared,
            )
        ]

    def _displacement(self) -> tuple[float, ...] | list[ConstraintPoint] | None:
        """The displacement of a balance: its own, and by how far the empties of its points were moved."""
        own = np.array(self.item.displacement, dtype=np.float64)
        if not len(self.item.points):
            return tuple(own.tolist()) if own.any() else None
        return [
            replace(point, location=own + point.location - np.array(saved.home))
            for point, saved in self._points_with_items(lambda transform, time: transform.location)
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
            if strike > off or not stands:  # the solver reports an impossible order
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
                ease_in=self._ease(item.ease_in),
                ease_out=self._ease(item.ease_out),
                **times,
                **self._stand(),
                **self._shared,
            )
        ]

    def _stand(self) -> dict[str, Any]:
        """The arguments for where a plant stands: by its home, and by how its empty was moved from there."""
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

    def _handplant(self) -> list[Constraint]:
        item = self.item
        begin, end = self._span(item.begin, item.end)
        if item.reference == "BONE":
            raise self._error("a hand stands in the world or on an object, not on a bone: choose one of them.")
        reference, _ = self._reference()
        assert reference is None or isinstance(reference, MovingObject)
        hand: Literal["left", "right"] = "left" if item.hand == "LEFT" else "right"
        return [
            Handplant(
                hand=hand,
                begin=begin,
                end=end,
                reference=reference,
                ease_in=self._ease(item.ease_in),
                ease_out=self._ease(item.ease_out),
                **self._hand_stand(),
                **self._shared,
            )
        ]

    def _hand_stand(self) -> dict[str, Any]:
        """The arguments for where a hand stands, in the frame of what carries it.

        Home, empty and carrier are compared at the frame at which the home was stored.
        """
        item = self.item
        if not len(item.points):
            return {}
        point = item.points[0]
        home = Transform.from_quaternion(point.home, point.home_rotation)
        (now,) = self._transforms([point], [point.begin])
        carrier = Transform(np.zeros(3), np.eye(3))
        if item.reference == "OBJECT":
            (carrier,) = transforms_at(self.armature, [(item.reference_object, point.begin)])
        turn = (now.heading - home.heading + np.pi) % (2.0 * np.pi) - np.pi
        return {
            "position": tuple(carrier.to_local(home.location).tolist()) if item.use_position else None,
            "shift": tuple((carrier.axes.T @ (now.location - home.location)).tolist()),
            "turn": float(turn) if abs(turn) > TURN_ROUNDING else 0.0,
        }

    def _pose(self) -> list[Constraint]:
        return self._held_pose().constraints(self.clip)

    def _held_pose(self) -> HeldPose:
        item = self.item
        if not len(item.bones):
            raise self._error("it holds no bone: add one.")
        begin, end = self._span(item.begin, item.end)
        rotations: dict[str | int, Any] = {}
        for listed in item.bones:
            joint = self._joint(listed.bone, listed.bone_id)
            self._check_usable(joint)
            has_parent = self.clip.skeleton.parents[self.clip.skeleton.index(joint)] >= 0
            is_local = item.pose_space == "LOCAL" and has_parent
            rotations[joint] = tuple(listed.rotation if is_local else listed.world_rotation)
        return HeldPose(
            rotations,
            begin,
            end,
            space="local" if item.pose_space == "LOCAL" else "world",
            ease_in=self._ease(item.ease_in),
            ease_out=self._ease(item.ease_out),
            **self._shared,
        )

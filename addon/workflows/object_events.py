# SPDX-License-Identifier: GPL-3.0-or-later
"""When objects of the scene, such as a die or a door, rest or turn, and bones that hold on to them meanwhile.

Objects are not changed by a solve. So what is found of one is no constraint of its own: it gives the frames in which
bones of the character are pinned to the object.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

import bpy

from ... import solver
from .. import bridge, translation
from ..properties import EASE, PoiseConstraint, PoiseObjectEvent, character_of
from ..properties.handles import is_in_scene
from . import progress, solve
from .bakeable import Bakeable
from .detected_constraints import VERBS, Carrier, geometry_of
from .subjects import Subject, check_joint, object_in_steps

STILL = 1e-4
"""Radians, and lengths of the object, by which an object may move from frame to frame and count as still without an
example: keys in single precision, as Blender plays them, move it by less, and more cannot be seen."""


def object_size(target: bpy.types.Object) -> float:
    """The longest side of an object's bounding box; 1 where that is empty."""
    return max(float(target.dimensions[side]) for side in range(3)) or 1.0


def scaled_to(settings: solver.DetectionSettings, object_name: str, size: float) -> solver.DetectionSettings:
    """Settings whose distances are relative to an object instead of a character of a size."""
    ratio = object_size(bpy.data.objects[object_name]) / size
    return replace(
        settings,
        reach=settings.reach * ratio,
        distance=settings.distance * ratio,
        rounding_distance=STILL * ratio,
        rounding_turn=STILL,
    )


def find(armature: bpy.types.Object | None, target: bpy.types.Object | None) -> int:
    """List when an object rests or turns, without examples, and return how many times. For motion without noise."""
    return solver.finished(find_in_steps(armature, target))


def find_in_steps(
    armature: bpy.types.Object | None, target: bpy.types.Object | None
) -> Generator[progress.StageShare, None, int]:
    """As `find`, as a generator that yields its progress. Closing it changes nothing."""
    if target is None or not is_in_scene(target):
        raise translation.TranslationError("No object of the scene is chosen: choose the object to look at.")
    name = target.name
    reading = yield from solve.read_in_steps(armature)
    armature = reading.armature
    clip = translation.clip_with_settings(armature, reading)
    motion = yield from object_in_steps(reading, bpy.data.objects[name])
    yield progress.DETECTING, 0.0
    panel: Any = character_of(armature).detection
    settings = solver.DetectionSettings(
        shortest=panel.shortest, bridged=panel.bridged, distance=panel.distance, angle=panel.angle
    )
    found = solver.detect(clip, motion, settings=scaled_to(settings, name, clip.skeleton.size))
    store(armature, reading, Subject(object=name), found, None)
    return len(found)


def store(
    armature: bpy.types.Object,
    reading: bridge.Reading,
    subject: Subject,
    found: Sequence[solver.Detected],
    carrier: Carrier,
) -> None:
    """List what was found of an object, instead of what was found of it before."""
    detection: Any = character_of(armature).detection
    target = bpy.data.objects[subject.object]
    for number in reversed(range(len(detection.events))):
        if detection.events[number].object in (target, None):
            detection.events.remove(number)
    for each in found:
        event = detection.events.add()
        event.object = target
        event.name = f"{subject.title} {VERBS[each.kind]} {reading.times[each.begin]:g}"
        for name, value in geometry_of(each, carrier, reading).items():
            if name in event.bl_rna.properties:
                setattr(event, name, value)
    detection.active_event = 0
    bridge.context.redraw_viewports()


def event_at(armature: bpy.types.Object, index: int) -> PoiseObjectEvent:
    """The entry of the list with an index; raises where there is none."""
    events: Any = character_of(armature).detection.events
    if not 0 <= index < len(events):
        raise translation.TranslationError(f"There is no entry {index}: there are {len(events)}, counted from 0.")
    event: PoiseObjectEvent = events[index]
    return event


def hold_on(armature: bpy.types.Object | None, bones: Sequence[str], index: int) -> list[PoiseConstraint]:
    """Pin bones to an object for the frames of an entry of the list: each to where it is in their middle."""
    armature = bridge.check_armature(armature)
    event = event_at(armature, index)
    target = event.object
    if not is_in_scene(target):
        raise translation.TranslationError("The object of this entry has been deleted: find again.")
    if not bones:
        raise translation.TranslationError("No bone is chosen: select the bones that hold the object in pose mode.")
    name, begin, end = target.name, event.begin, event.end
    reading = bridge.read(armature)
    clip = translation.clip_with_settings(armature, reading)
    Bakeable(armature, reading).check(bones, "position")
    bridge.check_bones(armature, bones)
    for bone in bones:
        check_joint(clip, bone)
    motion = solver.finished(object_in_steps(reading, target))
    first, last = reading.frame_of(begin), reading.frame_of(end)
    ease, middle = max(1, round(EASE * clip.fps)), (first + last) // 2
    made = []
    for bone in bones:
        place = motion.seen_from(clip.position(bone))[middle]
        constraint = solver.ShapeConstraint(
            bone,
            max(0, first - ease),
            min(clip.frames - 1, last + ease),
            points=[solver.ConstraintPoint(place, first, last)],
            mode="condensed",
            reference=motion,
            name=f"{bone} holds {name} {begin:g}",
        )
        made.append(translation.store_constraint(armature, reading, constraint, blender={"reference_object": name}))
    return made

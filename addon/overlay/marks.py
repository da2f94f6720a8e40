# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints and proposals of a character as plain values, as far as they are drawn.

They are read at every redraw, and compared with those of the redraw before: so what is drawn follows handles while they
are dragged, whatever Blender tells or does not tell about the drag.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy
from mathutils import Matrix, Quaternion, Vector

from ..properties import character_of, resolve_bone
from ..properties.handles import objects_in_scene

Numbers = tuple[float, ...]


class Handle(NamedTuple):
    """A point of a constraint: where its empty is now, or its home where it has no empty."""

    point: int
    """In the points of its constraint."""
    begin: float
    end: float
    matrix: Numbers
    """(16,) row by row, in world space."""
    home: Numbers
    """(3,)"""


class Geometry(NamedTuple):
    """What detection has found, in world space."""

    kind: str
    """As `PoiseDetected.kind`."""
    location: Numbers
    """(3,) the place, or a point of the line or plane."""
    direction: Numbers
    """(3,) along the line, or normal to the plane; zero for other kinds."""
    extent: float
    """How long a slide is along its line, or how broad on its plane."""


class Mark(NamedTuple):
    """A constraint or a proposal. Frames are those of the scene."""

    uid: str
    name: str
    kind: str
    is_proposal: bool
    is_enabled: bool
    is_active: bool
    """Whether it is the one whose settings are shown."""
    begin: float
    end: float
    bone: str
    """The current name of its bone; empty where it has none."""
    offset: Numbers
    foot: str
    """"left" or "right" of a footplant."""
    has_heel: bool
    has_ball: bool
    ground_choice: str
    height: float | None
    """The height of the sole where it is set."""
    velocity: Numbers
    """(3,) of the ground that a plant stands on, a second."""
    aim: str
    handles: tuple[Handle, ...]
    detected: Geometry | None = None
    """Of a proposal, where detection has found more than its points show."""

    def is_at(self, frame: float) -> bool:
        """Whether a frame lies between its first and its last one."""
        return self.begin <= frame <= self.end


def marks_of(armature: bpy.types.Object) -> tuple[Mark, ...]:
    """The constraints, then the proposals, of an armature. Nothing is changed or evaluated."""
    character: Any = character_of(armature)
    there = objects_in_scene()
    found = [
        _mark(armature, item, is_proposal=False, is_active=number == character.active_constraint, there=there)
        for number, item in enumerate(character.constraints)
    ]
    found += [
        _mark(armature, item, is_proposal=True, is_active=number == character.active_found, there=there)
        for number, item in enumerate(character.found)
    ]
    return tuple(found)


def _mark(armature: bpy.types.Object, item: Any, is_proposal: bool, is_active: bool, there: frozenset[Any]) -> Mark:
    """The mark of a constraint or a proposal, with those of its handles that are there, in the scene."""
    kind = item.kind
    is_plant = kind == "FOOTPLANT"
    return Mark(
        uid=item.uid,
        name=item.name,
        kind=kind,
        is_proposal=is_proposal,
        is_enabled=item.enabled,
        is_active=is_active,
        begin=item.begin,
        end=item.end,
        bone=resolve_bone(armature, item.bone, item.bone_id) if item.bone and not is_plant else "",
        offset=tuple(item.offset),
        foot=item.foot.lower() if is_plant else "",
        has_heel=item.has_heel,
        has_ball=item.has_toe,
        ground_choice=item.ground_choice,
        height=item.height if item.use_height else None,
        velocity=tuple(item.ground_velocity) if is_plant else (0.0, 0.0, 0.0),
        aim=item.aim,
        handles=tuple(_handles(item, is_proposal, there)),
        detected=_geometry(item.detected) if is_proposal else None,
    )


def _geometry(detected: Any) -> Geometry | None:
    if detected.kind == "NONE":
        return None
    return Geometry(detected.kind, tuple(detected.location), tuple(detected.direction), detected.extent)


def _handles(item: Any, is_proposal: bool, there: frozenset[Any]) -> list[Handle]:
    found = []
    for index, point in enumerate(item.points):
        empty = point.object
        if is_proposal:
            matrix: Any = Matrix.LocRotScale(Vector(point.home), Quaternion(point.home_rotation), None)
        elif empty in there:
            matrix = empty.matrix_world
        else:
            continue  # the empty has been deleted
        numbers = tuple(number for row in matrix for number in row)
        found.append(Handle(index, point.begin, point.end, numbers, tuple(point.home)))
    return found

# SPDX-License-Identifier: GPL-3.0-or-later
"""The handles of a motion's physics: an empty for each footprint and for each obstacle, in the character's
collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ... import solver
from .. import bridge
from ..bridge.arrays import Array
from ..bridge.transforms import Transform
from ..properties import PoiseObstacle, PoiseStance, character_of, handles
from ..properties.physics import EDITS
from . import physics_edit
from .physics_memory import Fitted

OBSTACLE_HEIGHT, OBSTACLE_RADIUS = 0.1, 0.08
"""Height and radius of a new obstacle, as shares of the armature's longest side: as high as a shin is long."""


@dataclass(frozen=True)
class _Kept:
    """What the animator has done to a stance, to be kept when the motion is fitted again."""

    contact: str
    begin: float
    end: float
    home: Array
    heading: float
    handle: bpy.types.Object | None
    earlier_strike: float
    later_release: float


def store_stances(armature: bpy.types.Object, fitted: Fitted) -> None:
    """Store the stances of a fit.

    Where a stance of the fit before is the same one, its handle and its edits stay, moved along with its home; handles
    of others are deleted.
    """
    stances = character_of(armature).physics.stances
    before = [
        _Kept(
            each.contact,
            each.begin,
            each.end,
            np.array(each.home, dtype=np.float64),
            each.heading,
            each.object,
            each.earlier_strike,
            each.later_release,
        )
        for each in stances
    ]
    found = fitted.fit.stances
    spans = [(each.contact, fitted.frame_at(each.begin), fitted.frame_at(each.end)) for each in found]
    same: dict[int, _Kept] = {}
    for number, index in enumerate(physics_edit.matches(before, spans)):
        if index is None:
            handles.remove_empty(armature, stances[number])
        else:
            same[index] = before[number]
    stances.clear()
    for index, (stance, (contact, begin, end)) in enumerate(zip(found, spans, strict=True)):
        item = stances.add()
        item.contact, item.begin, item.end = contact, begin, end
        item.home, item.heading = stance.place.tolist(), heading(fitted.read.clip, stance)
        former = same.get(index)
        if former is not None:
            item.object = former.handle
            item.earlier_strike, item.later_release = former.earlier_strike, former.later_release
            if former.handle is not None:
                _move(former.handle, np.array(item.home, dtype=np.float64) - former.home)
    handles.remove_collection_if_unused(armature)


def heading(clip: solver.Clip, stance: solver.spacetime.Stance) -> float:
    """The mean heading of the feet of a stance in the middle of it, in radians: 0 is along -y, as characters face."""
    middle = min(round(0.5 * (stance.begin + stance.end) * clip.fps), clip.frames - 1)
    along = np.zeros(3)
    for side in {name.partition("_")[0] for name in stance.points}:
        ball, ankle = (getattr(clip.skeleton.landmarks, f"{side}_{mark}") for mark in ("ball", "ankle"))
        if ball is not None and ankle is not None:
            along += clip.position(ball)[middle] - clip.position(ankle)[middle]
    return float(np.arctan2(along[0], -along[1])) if along[:2].any() else 0.0


def _move(handle: bpy.types.Object, shift: Array) -> None:
    """Move a handle by a shift in the world."""
    if shift.any():
        bridge.update_view_layer()
        matrix = handle.matrix_world.copy()
        matrix.translation += type(matrix.translation)(shift.tolist())
        handle.matrix_world = matrix


def side_of(contact: str) -> int:
    """1 for a contact of the left side, -1 for one of the right side, 0 for others."""
    return 1 if "left" in contact.lower() else -1 if "right" in contact.lower() else 0


def add_footprints(armature: bpy.types.Object) -> int:
    """Make a handle for each stance that has none; returns how many were made."""
    physics = character_of(armature).physics
    if not len(physics.stances):
        raise bridge.BridgeError("No footprints are known yet: fit the motion first.")
    made = 0
    for stance in physics.stances:
        if not handles.is_in_scene(stance.object):
            _add_footprint(armature, stance)
            made += 1
    return made


def _add_footprint(armature: bpy.types.Object, stance: PoiseStance) -> None:
    name = f"{stance.contact.title()} Print {stance.begin:g}\N{EN DASH}{stance.end:g}"
    empty = handles.new_empty(armature, name)
    display: Any = "ARROWS"
    empty.empty_display_type = display
    side = "right" if side_of(stance.contact) < 0 else "left"
    empty.empty_display_size = 0.5 * handles.foot_length(armature, side)
    stance.object = empty
    _put_home(stance)


def _put_home(stance: PoiseStance) -> None:
    home = Transform.upright(stance.home, stance.heading)
    empty: Any = stance.object
    empty.parent = None
    empty.location, empty.rotation_mode = home.location.tolist(), "QUATERNION"
    empty.rotation_quaternion = home.quaternion.tolist()
    empty.scale = (1.0, 1.0, 1.0)


def spread_steps(armature: bpy.types.Object, amount: float) -> int:
    """Move the handles of left footprints to the left of the way by an amount and those of right ones to the right, a
    negative amount the other way; handles are made where there are none. Returns how many were moved."""
    stances = list(character_of(armature).physics.stances)
    sided = [stance for stance in stances if side_of(stance.contact)]
    if not sided:
        raise bridge.BridgeError(
            "There are no footprints of a left and a right foot: fit a walk or a run, whose feet stand one by one."
            if stances
            else "No footprints are known yet: fit the motion first."
        )
    add_footprints(armature)
    bridge.update_view_layer()
    headings = [stance.heading for stance in sided]
    for index, stance in enumerate(sided):
        way = _mean_heading(headings[max(index - 1, 0) : index + 2])
        # The way is along (sin, -cos), so its left is along (cos, sin).
        left = np.array([np.cos(way), np.sin(way), 0.0])
        _move(stance.object, side_of(stance.contact) * amount * left)
    return len(sided)


def _mean_heading(headings: Sequence[float]) -> float:
    """The mean of angles; feet that point outward cancel each other."""
    return float(np.arctan2(np.sin(headings).mean(), np.cos(headings).mean()))


def add_obstacle(armature: bpy.types.Object, place: Sequence[float]) -> PoiseObstacle:
    """A new obstacle with its handle at a place (3,) of the world."""
    size = handles.longest_side(armature)
    item: PoiseObstacle = character_of(armature).physics.obstacles.add()
    item.height, item.radius = OBSTACLE_HEIGHT * size, OBSTACLE_RADIUS * size
    empty = handles.new_empty(armature, "Obstacle")
    display: Any = "SINGLE_ARROW"
    empty.empty_display_type, empty.empty_display_size = display, item.height
    empty.location = list(place)
    item.object = empty
    return item


def remove_obstacle(armature: bpy.types.Object, index: int) -> None:
    """Remove an obstacle with its handle."""
    obstacles = character_of(armature).physics.obstacles
    handles.remove_empty(armature, obstacles[index])
    obstacles.remove(index)
    handles.remove_collection_if_unused(armature)


def reset(armature: bpy.types.Object) -> None:
    """Undo all edits: values have their defaults, handles of footprints are at home, and lists are empty."""
    physics = character_of(armature).physics
    for name in EDITS:
        physics.property_unset(name)
    for stance in physics.stances:
        stance.earlier_strike = stance.later_release = 0.0
        if handles.is_in_scene(stance.object):
            _put_home(stance)
    physics.limbs.clear()
    physics.locks.clear()
    for index in reversed(range(len(physics.obstacles))):
        remove_obstacle(armature, index)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of constraints and proposals: adding, removing, duplicating, and changing priorities."""

from __future__ import annotations

import itertools
import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Literal

import bpy

from . import PoiseConstraint, character_of, handles, selecting
from .copying import copy_properties
from .handle_names import handle_name

List = Literal["constraints", "found"]
ACTIVE = {"constraints": "active_constraint", "found": "active_found"}
"""The lists, each with the property that holds the index of its active item."""

DEFAULT_PRIORITIES = {"FOOTPLANT": 3, "HANDPLANT": 3, "BALANCE": 2}
"""Feet and hands that stand come before balance, and balance before everything else, so that a hand target out of reach
does not make the character fall."""


def new_item(armature: bpy.types.Object, kind: str, name: str, into: List = "constraints") -> PoiseConstraint:
    """Add a constraint at the end of a list, with a unique name, and make it the active one."""
    character = character_of(armature)
    items = getattr(character, into)
    taken = {item.name for item in items}
    item: PoiseConstraint = items.add()
    item.uid = secrets.token_hex(8)
    item.kind = kind
    item.name = unique_name(name, taken)
    item.priority = DEFAULT_PRIORITIES.get(kind, 1)
    item.ground_choice = "AUTO"  # stored, unlike in older files (see `upgrading`)
    activate(armature, into, len(items) - 1)
    return item


def listed_order(items: Sequence[PoiseConstraint]) -> list[int]:
    """For each constraint its place in the list as it is shown: most important first, then by frame."""
    keys = [(-item.priority, item.begin) for item in items]
    order = [0] * len(keys)
    for place, number in enumerate(sorted(range(len(keys)), key=keys.__getitem__)):
        order[number] = place
    return order


def find(armature: bpy.types.Object, uid: str) -> tuple[List, int] | None:
    """The list and the index of the constraint or proposal with a uid; None where there is none."""
    character = character_of(armature)
    lists: tuple[List, ...] = ("constraints", "found")
    for name in lists:
        for index, item in enumerate(getattr(character, name)):
            if item.uid == uid:
                return name, index
    return None


def activate(armature: bpy.types.Object, name: List, index: int) -> None:
    """Make a constraint or a proposal the active one of its list; the selection stays."""
    character = character_of(armature)
    if getattr(character, ACTIVE[name]) != index:
        with selecting.paused():
            setattr(character, ACTIVE[name], index)


def held_pose_name(bones: Sequence[str]) -> str:
    """The name of a new held pose."""
    return f"Hold {bones[0]}" if len(bones) == 1 else f"Hold {len(bones)} bones"


def unique_name(name: str, taken: set[str]) -> str:
    """The name, or where it is taken the name with the first free number."""
    stem = re.sub(r"\.\d{3}$", "", name)
    numbered = (f"{stem}.{number:03d}" for number in itertools.count(1))
    return next(found for found in itertools.chain((name,), numbered) if found not in taken)


def remove(armature: bpy.types.Object, index: int, from_: List = "constraints") -> None:
    """Remove a constraint with its empties; the active one stays active, or else its neighbour becomes active."""
    character = character_of(armature)
    items = getattr(character, from_)
    handles.remove_empties(armature, items[index])
    items.remove(index)
    active = getattr(character, ACTIVE[from_])
    if active > index or active >= len(items):
        activate(armature, from_, max(active - 1, 0))
    handles.remove_collection_if_unused(armature)


def switch_off(armature: bpy.types.Object, reasons: Mapping[str, str]) -> tuple[str, ...]:
    """Disable constraints, given by uid with the reasons, and return a sentence about each."""
    chosen = [item for item in character_of(armature).constraints if item.uid in reasons]
    for item in chosen:
        item.enabled = False
    return tuple(f"{item.name} was switched off: {reasons[item.uid]}." for item in chosen)


def duplicate(armature: bpy.types.Object, index: int) -> PoiseConstraint:
    """Add a copy of a constraint, with copies of its empties and their animation."""
    character = character_of(armature)
    first = character.constraints[index]
    item = new_item(armature, first.kind, first.name)
    first = character.constraints[index]  # adding an item may invalidate references to others
    uid, name = item.uid, item.name
    copy_properties(first, item)
    item.uid, item.name, item.selected = uid, name, False
    for point in item.points:
        if point.object is not None:
            point.object = handles.copied_empty(armature, point.object, handle_name(item, point))
    return item


def move(armature: bpy.types.Object, index: int, is_up: bool) -> bool:
    """Raise or lower the priority of a constraint by one step; returns whether that was possible.

    A constraint that shares its priority gets a priority of its own; one that is alone joins the next priority.
    """
    items = list(character_of(armature).constraints)
    item = items.pop(index)
    sign = 1 if is_up else -1
    beyond = [other for other in items if sign * (other.priority - item.priority) > 0]
    if any(other.priority == item.priority for other in items):
        free = item.priority + sign
        if any(other.priority == free for other in beyond):
            for other in beyond:
                other.priority += sign
        item.priority = free
        return True
    if not beyond:
        return False
    item.priority = min((other.priority for other in beyond), key=lambda priority: sign * priority)
    return True

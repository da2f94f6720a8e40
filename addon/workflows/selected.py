# SPDX-License-Identifier: GPL-3.0-or-later
"""Several constraints at once: which are selected, and changes of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import bpy

from ..properties import PoiseConstraint, active_constraint, character_of, current_name
from ..properties.constraint_list import listed_order, remove
from ..translation import TranslationError

By = Literal["ALL", "NONE", "INVERT", "KIND", "BONE", "SIMILAR", "MISSED", "DISABLED"]

EASED_KINDS = ("FOOTPLANT", "POSE")
"""The kinds that have eases."""


def of(armature: bpy.types.Object) -> list[PoiseConstraint]:
    """The selected constraints."""
    return [item for item in character_of(armature).constraints if item.selected]


def select(armature: bpy.types.Object, by: By) -> int:
    """Select constraints, all others are deselected; returns how many are selected."""
    test = _TESTS[by](armature)
    for item in character_of(armature).constraints:
        item.selected = test(item)
    return len(of(armature))


def select_one(armature: bpy.types.Object, index: int, extend: bool = False, only: bool = False) -> None:
    """Select a constraint, or deselect it where it was selected, and make it the active one.

    With `extend` all between the active one and this one, in the order of the list, are selected too; with `only` all
    others are deselected.
    """
    character = character_of(armature)
    items = character.constraints
    if not 0 <= index < len(items):
        raise TranslationError(f"There is no constraint number {index}: the list has {len(items)}, counted from 0.")
    if extend and 0 <= character.active_constraint < len(items):
        order = listed_order(items)
        first, last = sorted((order[character.active_constraint], order[index]))
        for number, item in enumerate(items):
            item.selected = item.selected or first <= order[number] <= last
    elif only:
        for number, item in enumerate(items):
            item.selected = number == index
    else:
        items[index].selected = not items[index].selected
    character.active_constraint = index


def edit(armature: bpy.types.Object, changes: Mapping[str, Any]) -> int:
    """Set properties of all selected constraints, eases of those that have any; returns how many have changed."""
    count = 0
    for item in of(armature):
        own = {
            name: value for name, value in changes.items() if not name.startswith("ease_") or item.kind in EASED_KINDS
        }
        for name, value in own.items():
            setattr(item, name, value)
        count += bool(own)
    return count


def remove_all(armature: bpy.types.Object) -> int:
    """Remove all selected constraints with their empties, and return how many there were."""
    indices = [index for index, item in enumerate(character_of(armature).constraints) if item.selected]
    for index in reversed(indices):
        remove(armature, index)
    return len(indices)


Test = Callable[[Any], bool]


def _like_active(armature: bpy.types.Object, what: Callable[[Any], Any]) -> Test:
    """Whether a constraint is as the active one in some respect."""
    active = active_constraint(armature)
    if active is None:
        raise TranslationError("There is no active constraint that others could be like: click one in the list.")
    sought = what(active)
    return lambda item: bool(what(item) == sought)


def _bone(armature: bpy.types.Object) -> Callable[[Any], Any]:
    """What a constraint constrains: its bone, its foot, or the bones that it holds."""

    def constrained(item: Any) -> Any:
        if item.kind == "FOOTPLANT":
            return item.foot
        return current_name(armature, item) or tuple(current_name(armature, each) for each in item.bones)

    return constrained


def _missed(armature: bpy.types.Object) -> Test:
    missed = {residual.uid for residual in character_of(armature).residuals if residual.misses}
    return lambda item: item.uid in missed


def _similar(armature: bpy.types.Object) -> Test:
    bone = _bone(armature)
    return _like_active(armature, lambda item: (item.kind, bone(item)))


_TESTS: dict[str, Callable[[bpy.types.Object], Test]] = {
    "ALL": lambda armature: lambda item: True,
    "NONE": lambda armature: lambda item: False,
    "INVERT": lambda armature: lambda item: not item.selected,
    "KIND": lambda armature: _like_active(armature, lambda item: item.kind),
    "BONE": lambda armature: _like_active(armature, _bone(armature)),
    "SIMILAR": _similar,
    "MISSED": _missed,
    "DISABLED": lambda armature: lambda item: not item.enabled,
}

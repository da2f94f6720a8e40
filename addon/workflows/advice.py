# SPDX-License-Identifier: GPL-3.0-or-later
"""Follows the advice of the last solve: moves a target, lowers priorities, or lets more bones move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
from mathutils import Vector

from .. import bridge
from ..bridge.transforms import is_static
from ..properties import PoiseAdvice, PoiseConstraint, character_of, current_name
from ..properties.handles import is_in_scene
from ..translation import TranslationError
from .recruiting import recruited_bones

SHOWN = 5
"""How many problems the panel shows; the others are counted."""


def shown(armature: bpy.types.Object) -> tuple[list[tuple[int, PoiseAdvice]], int, int]:
    """The problems that the panel shows with their indices, worst first; how many more there are, and how many are
    ignored."""
    entries = list(enumerate(character_of(armature).advice))
    seen = [(index, entry) for index, entry in entries if not entry.is_ignored]
    return seen[:SHOWN], max(len(seen) - SHOWN, 0), len(entries) - len(seen)


def problem(armature: bpy.types.Object, index: int) -> PoiseAdvice:
    """A problem by its index; raises where there is none."""
    advice = character_of(armature).advice
    if not 0 <= index < len(advice):
        raise TranslationError("This problem is not listed any more: solve again.")
    found: PoiseAdvice = advice[index]
    return found


def constraint_of(armature: bpy.types.Object, entry: PoiseAdvice) -> tuple[int, PoiseConstraint] | None:
    """The constraint that a problem is about, with its index; None where there is none."""
    for index, item in enumerate(character_of(armature).constraints):
        if entry.uid and item.uid == entry.uid:
            return index, item
    return None


def apply(armature: bpy.types.Object, index: int, number: int) -> str:
    """Make a change that a problem proposes, given by its number, and take the problem off the list.

    Returns a sentence about it. Nothing is solved: the result is older than the constraints afterwards.
    """
    entry = problem(armature, index)
    found = constraint_of(armature, entry)
    if found is None:
        raise TranslationError("The constraint of this problem has been deleted: solve again.")
    if not 0 <= number < len(entry.fixes):
        raise TranslationError("This change is not proposed any more: solve again.")
    _, item = found
    fix = entry.fixes[number]
    sentence = _APPLIED[fix.kind](armature, item, entry, fix)
    character_of(armature).advice.remove(index)
    return sentence


def _move_target(armature: bpy.types.Object, item: Any, entry: Any, fix: Any) -> str:
    if item.kind == "BALANCE" and not len(item.points):
        item.displacement = Vector(item.displacement) + Vector(fix.move)
        return f"The shift of {item.name} was changed."
    handles = [point.object for point in points_at(item, fix.frame)]
    for handle in handles:
        if not is_in_scene(handle):
            raise TranslationError(f"{item.name}: its handle has been deleted, so it cannot be moved.")
        if not is_static(handle):
            raise TranslationError(
                f"{item.name}: its handle {handle.name!r} is animated or follows another object: move that instead."
            )
    if not handles:
        raise TranslationError(f"{item.name}: it has no handle that could be moved.")
    for handle in dict.fromkeys(handles):
        handle.location = Vector(handle.location) + Vector(fix.move)
    far = bridge.format_length(Vector(fix.move).length)
    return f"The target of {item.name} was moved by {far}."


def points_at(item: PoiseConstraint, frame: float) -> list[Any]:
    """The points of a constraint that decide where its target is at a frame: the one at which it is held, else the ones
    before and after."""
    points: list[Any] = sorted(item.points, key=lambda point: point.begin)
    if item.kind == "FOOTPLANT":
        return points[:1]
    held = [point for point in points if point.begin <= frame <= point.end]
    if held:
        return held[:1]
    before = [point for point in points if point.end < frame]
    after = [point for point in points if point.begin > frame]
    return before[-1:] + after[:1]


def _put_first(armature: bpy.types.Object, item: Any, entry: Any, fix: Any) -> str:
    uids = set(fix.lowered.split())
    others = [other for other in character_of(armature).constraints if other.uid in uids]
    if not others:
        raise TranslationError(f"What stands in the way of {item.name} has been deleted: solve again.")
    for other in others:
        other.priority = min(other.priority, item.priority - 1)
    return f"{', '.join(other.name for other in others)} now comes after {item.name}."


def _let_bones_move(armature: bpy.types.Object, item: Any, entry: Any, fix: Any) -> str:
    if item.recruit == "LEVEL" and fix.levels:
        item.recruit_level += fix.levels
        return f"{fix.levels} more bones up the chain may move for {item.name}."
    names = _with(recruited_bones(armature, item), [current_name(armature, each) for each in fix.bones])
    item.recruit = "BONES"
    item.recruited.clear()
    for name in names:
        item.recruited.add().bone = name
    return f"{', '.join(current_name(armature, each) for each in fix.bones)} may move for {item.name} too."


def _with(names: Sequence[str], more: Sequence[str]) -> list[str]:
    """Names and others, each once."""
    return list(dict.fromkeys((*names, *more)))


_APPLIED = {"MOVE": _move_target, "RANK": _put_first, "BONES": _let_bones_move}

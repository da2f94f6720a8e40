# SPDX-License-Identifier: GPL-3.0-or-later
"""Which constraints an animator means who presses a key: those of the selected bones, or the active one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

import bpy

from ...solver import PoiseError
from ..properties import PoiseConstraint, character_of, current_name
from . import create

OF_ONE_LIMB = ("SHAPE", "FOOTPLANT", "HANDPLANT", "ORIENTATION", "LOOK_AT")
"""Kinds that hold one bone, foot or hand, and so are meant by its selection; a held pose and a balance concern many."""


def constraints_of(armature: bpy.types.Object, bones: Sequence[str], frame: float) -> list[int]:
    """The indices of the constraints that hold any of some bones at a frame, and of plants of their feet and hands."""
    found = []
    planted: dict[str, set[str]] = {}
    for index, item in enumerate(character_of(armature).constraints):
        if item.kind not in OF_ONE_LIMB or not item.begin <= frame <= item.end:
            continue
        if item.kind in ("FOOTPLANT", "HANDPLANT"):
            if item.kind not in planted:
                side_of = create.foot_of if item.kind == "FOOTPLANT" else create.hand_of
                planted[item.kind] = _planted(armature, bones, side_of)
            if (item.foot if item.kind == "FOOTPLANT" else item.hand) in planted[item.kind]:
                found.append(index)
        elif current_name(armature, item) in bones:
            found.append(index)
    return found


def _planted(
    armature: bpy.types.Object, bones: Sequence[str], side_of: Callable[[bpy.types.Object, Sequence[str]], str]
) -> set[str]:
    """The feet or hands that bones belong to, as "LEFT" and "RIGHT"."""
    sides: set[str] = set()
    for bone in bones:
        with suppress(PoiseError):  # a bone of no leg, or of no arm
            sides.add(side_of(armature, [bone]).upper())
    return sides


def meant(armature: bpy.types.Object, bones: Sequence[str], frame: float) -> list[int]:
    """The indices of the constraints that are meant: of the selected bones at a frame, or else the active one.

    The active one alone is meant where it is among those of the bones and others are too.
    """
    character = character_of(armature)
    found = constraints_of(armature, bones, frame) if bones else []
    active = character.active_constraint
    if active in found or not found:
        return [active] if active < len(character.constraints) else []
    return found


def items_at(armature: bpy.types.Object, indices: Sequence[int]) -> list[PoiseConstraint]:
    """The constraints with some indices."""
    constraints = character_of(armature).constraints
    return [constraints[index] for index in indices]

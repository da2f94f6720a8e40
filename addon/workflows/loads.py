# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses that bones carry: they count in the centre of mass, and so in the balance."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from .. import bridge
from ..properties import character_of, name_bone
from ..translation import TranslationError


def add(armature: bpy.types.Object, bones: Sequence[str], mass: float) -> int:
    """Let each of some bones carry a mass in kilograms, at its head; returns how many carry one more."""
    bridge.check_armature(armature)
    bridge.check_bones(armature, bones)
    if not bones:
        raise TranslationError("Select the bones that carry a load.")
    for bone in bones:
        load = character_of(armature).loads.add()
        name_bone(armature, load, bone)
        load.mass = mass
    return len(bones)


def remove(armature: bpy.types.Object, index: int) -> None:
    """Remove a load, counted from 0."""
    loads = character_of(armature).loads
    if not 0 <= index < len(loads):
        raise TranslationError("There is no such load to remove.")
    loads.remove(index)

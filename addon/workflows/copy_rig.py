# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a bakeable copy of a rig whose own bones cannot be baked."""

from __future__ import annotations

import bpy

from .. import bridge
from ..properties import character_of
from ..properties.copying import copy_properties


def make_bakeable_copy(armature: bpy.types.Object) -> bpy.types.Object:
    """Make a copy of an armature that is animated by keys alone, and select it; the armature is hidden.

    The copy has the settings of the character and those landmarks whose bones it has, but no constraints.
    """
    bridge.check_armature(armature)
    if not bridge.has_movers(armature):
        raise bridge.BridgeError(
            f"The bones of {armature.name!r} are moved by their keys alone, so it can be baked as it is."
        )
    was_posing = armature.mode == "POSE"
    copy = bridge.plain_copy(armature)
    _copy_character(armature, copy)
    armature.hide_set(True)
    if was_posing:
        bpy.ops.object.mode_set(mode="POSE")
    return copy


def _copy_character(armature: bpy.types.Object, copy: bpy.types.Object) -> None:
    """Copy the settings and the landmarks of a character, without its constraints and results."""
    character = character_of(copy)
    copy_properties(character_of(armature), character)
    # The empties of constraints, and the results, belong to the armature that they were made for.
    for entries in (character.constraints, character.found, character.residuals, character.advice):
        entries.clear()
    character.collection = None
    character.last_solve = character.last_clean = character.last_faults = ""
    character.has_metrics = False
    assert isinstance(copy.data, bpy.types.Armature)
    for landmarks in (character.landmarks, character.recognised):
        for index in reversed(range(len(landmarks))):
            if landmarks[index].bone not in copy.data.bones:
                landmarks.remove(index)

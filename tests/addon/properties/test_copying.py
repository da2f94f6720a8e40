# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of a property group has the same values, lists and pointers."""

from __future__ import annotations

import bpy

from poise.addon.properties import character_of
from poise.addon.properties.copying import copy_properties

from ..bridge.rigs import straight_chain
from ..property_values import property_values


def test_a_copied_character_equals_the_original(armature: bpy.types.Object) -> None:
    bpy.ops.poise.constraint_add_pin(bone="l_wrist", hold=3)
    bpy.ops.poise.character_recognise()
    character = character_of(armature)
    character.metrics_after.slide = 0.25
    character.ground_plane = armature
    other = character_of(straight_chain(["a"]))
    other.constraints.add().name = "to be replaced"
    copy_properties(character, other)
    found, expected = property_values(other), property_values(character)
    for values in (found, expected):
        for listed in (*values["constraints"], *values["recognised"], *values["landmarks"]):
            listed.pop("bone_id")  # bones of another armature have marks of their own
    assert found == expected
    assert other.constraints[0].points[0].object == character.constraints[0].points[0].object

# SPDX-License-Identifier: GPL-3.0-or-later
"""Selected bones mean the constraints that hold them at the frame; else the active one is meant."""

from __future__ import annotations

import bpy

from poise.addon.properties import character_of
from poise.addon.workflows import chosen, create


def test_constraints_of_bones_are_those_that_hold_them_at_the_frame(armature: bpy.types.Object) -> None:
    create.add_pins(armature, ["l_wrist"], 20.0)
    create.add_pins(armature, ["l_wrist"], 60.0)
    create.add_orientations(armature, ["l_wrist"], 20.0)
    create.add_pins(armature, ["r_wrist"], 20.0)
    create.add_footplant(armature, "left", 10.0, 30.0)
    create.add_balance(armature)
    assert chosen.constraints_of(armature, ["l_wrist"], 20.0) == [0, 2]
    assert chosen.constraints_of(armature, ["l_wrist", "r_wrist"], 20.0) == [0, 2, 3]
    assert chosen.constraints_of(armature, ["l_talocrural"], 20.0) == [4]
    assert chosen.constraints_of(armature, ["r_talocrural", "skullbase"], 20.0) == []
    create.add_handplant(armature, "right", 10.0, 30.0)
    assert chosen.constraints_of(armature, ["r_wrist"], 20.0) == [3, 6]
    assert chosen.constraints_of(armature, ["r_elbow"], 20.0) == [6]


def test_the_active_one_is_meant_alone_where_it_can_be(armature: bpy.types.Object) -> None:
    assert chosen.meant(armature, [], 20.0) == []
    create.add_pins(armature, ["l_wrist"], 20.0)
    create.add_orientations(armature, ["l_wrist"], 20.0)
    create.add_pins(armature, ["r_wrist"], 20.0)
    character = character_of(armature)
    assert character.active_constraint == 2
    assert chosen.meant(armature, [], 20.0) == [2]
    assert chosen.meant(armature, ["skullbase"], 20.0) == [2]
    assert chosen.meant(armature, ["l_wrist"], 20.0) == [0, 1]
    character.active_constraint = 1
    assert chosen.meant(armature, ["l_wrist"], 20.0) == [1]
    assert [item.kind for item in chosen.items_at(armature, [1, 2])] == ["ORIENTATION", "SHAPE"]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints are added with unique names, removed with their empties, duplicated, and moved between priorities."""

from __future__ import annotations

import bpy
import pytest

from poise.addon.properties import character_of, constraint_list


def priorities(armature: bpy.types.Object) -> list[int]:
    return [item.priority for item in character_of(armature).constraints]


def test_a_new_constraint_has_a_unique_name_and_uid_and_is_active(armature: bpy.types.Object) -> None:
    for kind in ("FOOTPLANT", "BALANCE", "SHAPE"):
        constraint_list.new_item(armature, kind, "Same")
    character = character_of(armature)
    assert [item.name for item in character.constraints] == ["Same", "Same.001", "Same.002"]
    assert len({item.uid for item in character.constraints}) == 3
    assert priorities(armature) == [3, 2, 1]
    assert character.active_constraint == 2 and not len(character.found)


@pytest.mark.parametrize(("active", "removed", "expected"), [(0, 2, 0), (2, 0, 1), (2, 2, 1), (0, 0, 0)])
def test_the_active_one_stays_active(armature: bpy.types.Object, active: int, removed: int, expected: int) -> None:
    for _ in range(3):
        constraint_list.new_item(armature, "SHAPE", "Pin")
    character = character_of(armature)
    character.active_constraint = active
    constraint_list.remove(armature, removed)
    assert (len(character.constraints), character.active_constraint) == (2, expected)


def test_a_duplicate_has_empties_of_its_own(armature: bpy.types.Object) -> None:
    bpy.ops.poise.constraint_add_pin(bone="l_wrist")
    item = constraint_list.duplicate(armature, 0)
    first = character_of(armature).constraints[0]
    assert item.name != first.name and item.uid != first.uid
    assert item.points[0].object != first.points[0].object
    assert item.points[0].object.location == first.points[0].object.location
    constraint_list.remove(armature, 1)
    assert first.points[0].object is not None


def test_priorities_are_left_and_joined_in_turn(armature: bpy.types.Object) -> None:
    for _ in range(3):
        constraint_list.new_item(armature, "SHAPE", "Pin")
    assert constraint_list.move(armature, 0, is_up=True) and priorities(armature) == [2, 1, 1]
    assert not constraint_list.move(armature, 0, is_up=True), "it is the highest already"
    assert constraint_list.move(armature, 1, is_up=True) and priorities(armature) == [3, 2, 1]
    assert constraint_list.move(armature, 2, is_up=True) and priorities(armature) == [3, 2, 2]
    assert constraint_list.move(armature, 2, is_up=False) and priorities(armature) == [3, 2, 1]


def test_a_number_is_added_to_a_taken_name() -> None:
    assert constraint_list.unique_name("Pin", set()) == "Pin"
    assert constraint_list.unique_name("Pin.002", {"Pin.002", "Pin.001"}) == "Pin.003"

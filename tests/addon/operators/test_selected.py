# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators on several constraints, and that each is one undo step."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise.addon.properties import character_of

from ..property_values import property_values


@pytest.fixture
def plants(armature: bpy.types.Object) -> Any:
    for begin in (5, 15, 25):
        bpy.ops.poise.constraint_add_footplant(foot="LEFT", begin=begin, end=begin + 8)
    return character_of(armature)


def test_nothing_can_be_changed_while_nothing_is_selected(plants: Any) -> None:
    for operator in ("selected_edit", "selected_enable", "selected_remove"):
        assert not getattr(bpy.ops.poise, operator).poll()
    bpy.ops.poise.constraint_select(index=1)
    assert bpy.ops.poise.selected_edit.poll()


def test_only_what_is_switched_on_is_changed(plants: Any) -> None:
    bpy.ops.poise.constraints_select(by="ALL")
    bpy.ops.poise.selected_edit(use_priority=True, priority=8, weight=3.0)
    assert [(item.priority, item.weight) for item in plants.constraints] == [(8, 1.0)] * 3
    bpy.ops.poise.selected_edit(use_ease_in=True, ease_in=4.0, use_ease_out=True, ease_out=2.0)
    assert [(item.ease_in, item.ease_out) for item in plants.constraints] == [(4.0, 2.0)] * 3


def test_selected_constraints_are_switched_off_and_removed(plants: Any) -> None:
    bpy.ops.poise.constraint_select(index=0)
    bpy.ops.poise.constraint_select(index=2)
    bpy.ops.poise.selected_enable(enabled=False)
    assert [item.enabled for item in plants.constraints] == [False, True, False]
    bpy.ops.poise.selected_enable(enabled=True)
    assert all(item.enabled for item in plants.constraints)
    bpy.ops.poise.selected_remove()
    assert [item.begin for item in plants.constraints] == [15.0]


@pytest.mark.parametrize("change", ["edit", "enable", "remove"])
def test_a_change_of_several_is_one_undo_step(change: str, plants: Any) -> None:
    name = plants.id_data.name
    bpy.ops.poise.constraints_select(by="ALL")
    bpy.ops.ed.undo_push(message="Before")
    before = property_values(plants)
    given = {"use_priority": True, "priority": 9} if change == "edit" else {}
    getattr(bpy.ops.poise, f"selected_{change}")(**({"enabled": False} if change == "enable" else given))
    bpy.ops.ed.undo_push(message="After")
    assert property_values(character_of(bpy.data.objects[name])) != before
    bpy.ops.ed.undo()
    assert property_values(character_of(bpy.data.objects[name])) == before

# SPDX-License-Identifier: GPL-3.0-or-later
"""Several constraints at once: which are selected, and that all of them change."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise.addon.properties import character_of
from poise.addon.translation import TranslationError
from poise.addon.workflows import create, selected


@pytest.fixture
def several(armature: bpy.types.Object) -> Any:
    """Two plants of the left foot, one of the right, and two pins of one wrist; the first plant is active."""
    for foot, begin in (("left", 5.0), ("right", 15.0), ("left", 25.0)):
        create.add_footplant(armature, foot, begin, begin + 8.0)
    for frame in (10.0, 30.0):
        create.add_pins(armature, ["l_wrist"], frame)
    character: Any = character_of(armature)
    character.active_constraint = 0
    return character


def chosen(character: Any) -> list[int]:
    return [number for number, item in enumerate(character.constraints) if item.selected]


@pytest.mark.parametrize(
    ("by", "active", "expected"),
    [
        ("ALL", 0, [0, 1, 2, 3, 4]),
        ("NONE", 0, []),
        ("KIND", 0, [0, 1, 2]),
        ("KIND", 3, [3, 4]),
        ("BONE", 0, [0, 2]),
        ("SIMILAR", 0, [0, 2]),
        ("SIMILAR", 4, [3, 4]),
    ],
)
def test_constraints_are_selected_by_what_they_share(by: Any, active: int, expected: list[int], several: Any) -> None:
    several.active_constraint = active
    several.constraints[1].selected = True
    assert selected.select(several.id_data, by) == len(expected)
    assert chosen(several) == expected


def test_a_selection_is_inverted(several: Any) -> None:
    several.constraints[1].selected = several.constraints[3].selected = True
    selected.select(several.id_data, "INVERT")
    assert chosen(several) == [0, 2, 4]


def test_those_that_were_missed_or_are_off_are_selected(several: Any) -> None:
    residual = several.residuals.add()
    residual.uid, residual.misses = several.constraints[2].uid, True
    several.residuals.add().uid = several.constraints[0].uid
    selected.select(several.id_data, "MISSED")
    assert chosen(several) == [2]
    several.constraints[4].enabled = False
    selected.select(several.id_data, "DISABLED")
    assert chosen(several) == [4]


def test_a_click_adds_and_removes_one(several: Any) -> None:
    armature = several.id_data
    selected.select_one(armature, 1)
    selected.select_one(armature, 3)
    assert chosen(several) == [1, 3] and several.active_constraint == 3
    selected.select_one(armature, 1)
    assert chosen(several) == [3]
    selected.select_one(armature, 2, only=True)
    assert chosen(several) == [2]


def test_a_range_is_in_the_order_of_the_list(several: Any) -> None:
    armature = several.id_data
    several.constraints[4].priority = 9  # listed first, before the plants
    several.active_constraint = 4
    selected.select_one(armature, 1, extend=True)
    assert chosen(several) == [0, 1, 4], "the plant at frame 25 and the other pin come later"


def test_there_is_no_constraint_beyond_the_list(several: Any) -> None:
    with pytest.raises(TranslationError, match="no constraint number 9"):
        selected.select_one(several.id_data, 9)


def test_all_selected_are_changed_and_no_others(several: Any) -> None:
    armature = several.id_data
    several.constraints[0].selected = several.constraints[3].selected = True
    assert selected.edit(armature, {"priority": 7, "weight": 2.5, "enabled": False}) == 2
    changed = [(item.priority, item.weight, item.enabled) == (7, 2.5, False) for item in several.constraints]
    assert changed == [True, False, False, True, False]


def test_eases_are_set_where_there_are_any(several: Any) -> None:
    armature = several.id_data
    selected.select(armature, "ALL")
    assert selected.edit(armature, {"ease_in": 4.0}) == 3
    assert [item.ease_in for item in several.constraints] == [4.0, 4.0, 4.0, -1.0, -1.0]


def test_all_selected_are_removed_with_their_handles(several: Any) -> None:
    armature = several.id_data
    kept = [several.constraints[number].name for number in (1, 4)]
    for number in (0, 2, 3):
        several.constraints[number].selected = True
    handles = len(several.collection.objects)
    assert selected.remove_all(armature) == 3
    assert [item.name for item in several.constraints] == kept
    assert len(several.collection.objects) == handles - 3

# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of an operator that are not given come from the panel, and the operator shows them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy
import pytest

from poise.addon.operators.settings import counted, fill_from_panel
from poise.addon.properties import character_of


def operator_with(**given: Any) -> Any:
    """The properties of an operator, of which some were given."""
    is_set = SimpleNamespace(is_property_set=lambda name: name in given)
    return SimpleNamespace(**{"begin": 0, "end": 0, "target": "", "tolerance": 0.0, **given}, properties=is_set)


def test_what_is_not_given_comes_from_the_panel_or_the_scene(armature: bpy.types.Object) -> None:
    character, scene = character_of(armature), bpy.context.scene
    character.target, character.tolerance, character.quality = "REPLACE", 0.25, "DRAFT"
    operator = operator_with()
    fill_from_panel(operator, armature)
    assert (operator.begin, operator.end) == (scene.frame_start, scene.frame_end)
    assert (operator.target, operator.tolerance) == ("REPLACE", 0.25)
    assert not hasattr(operator, "quality"), "an operator without this property gets none"
    character.use_range, character.begin, character.end = True, 7, 9
    operator = operator_with()
    operator.quality = "FINAL"
    fill_from_panel(operator, armature)
    assert (operator.begin, operator.end, operator.quality) == (7, 9, "DRAFT")


def test_what_is_given_stays(armature: bpy.types.Object) -> None:
    character_of(armature).use_range = True
    operator = operator_with(begin=3, end=5, target="COMBINE", tolerance=0.5)
    fill_from_panel(operator, armature)
    assert (operator.begin, operator.end, operator.target, operator.tolerance) == (3, 5, "COMBINE", 0.5)


@pytest.mark.parametrize(("count", "text"), [(0, "0 bones"), (1, "1 bone"), (2, "2 bones")])
def test_a_noun_has_the_number_of_its_count(count: int, text: str) -> None:
    assert counted(count, "bone") == text

# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons beside a problem: go to its frame, apply a change, ignore it; each is one undo step."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise.addon.operators import advice
from poise.addon.properties import character_of

from ..property_values import property_values


@pytest.fixture
def missed(armature: bpy.types.Object) -> Any:
    bpy.ops.poise.constraint_add_pin(bone="l_wrist", frame=20)
    bpy.ops.poise.constraint_add_pin(bone="r_wrist", frame=25)
    character: Any = character_of(armature)
    character.constraints[0].points[0].object.location.z += 3.0
    bpy.ops.poise.solve(begin=10, end=30)
    assert character.advice[0].kind == "MISSED"
    return character


def test_a_problem_is_gone_to(missed: Any) -> None:
    bpy.context.scene.frame_set(1)
    assert missed.active_constraint == 1
    bpy.ops.poise.advice_go(index=0)
    assert bpy.context.scene.frame_current == 20 and missed.active_constraint == 0


def test_a_problem_is_ignored_and_shown_again(missed: Any) -> None:
    assert not bpy.ops.poise.advice_show_ignored.poll()
    bpy.ops.poise.advice_ignore(index=0)
    assert missed.advice[0].is_ignored
    bpy.ops.poise.advice_show_ignored()
    assert not missed.advice[0].is_ignored


def test_an_advice_is_applied_and_undone_in_one_step(missed: Any) -> None:
    name = missed.id_data.name
    handle = missed.constraints[0].points[0].object.name
    bpy.ops.ed.undo_push(message="Before")
    before, place = property_values(missed), list(bpy.data.objects[handle].location)
    number = next(number for number, fix in enumerate(missed.advice[0].fixes) if fix.kind == "MOVE")
    bpy.ops.poise.advice_apply(index=0, number=number)
    bpy.ops.ed.undo_push(message="After")
    assert list(bpy.data.objects[handle].location) != place
    bpy.ops.ed.undo()
    assert property_values(character_of(bpy.data.objects[name])) == before
    assert list(bpy.data.objects[handle].location) == place


def test_a_problem_that_is_gone_is_one_sentence(missed: Any) -> None:
    for operator in ("advice_go", "advice_apply", "advice_ignore"):
        with pytest.raises(RuntimeError, match="This problem is not listed any more"):
            getattr(bpy.ops.poise, operator)(index=99)


def test_tooltips_say_what_would_be_done(missed: Any) -> None:
    class Given:
        index, number = 0, 0

    told = advice.POISE_OT_advice_apply.description(bpy.context, Given)
    assert told == missed.advice[0].fixes[0].sentence.removesuffix(".")
    assert "out of reach" in advice.POISE_OT_advice_go.description(bpy.context, Given)
    Given.index = 99
    assert advice.POISE_OT_advice_apply.description(bpy.context, Given).startswith("Make the change")

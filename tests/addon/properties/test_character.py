# SPDX-License-Identifier: GPL-3.0-or-later
"""The choices of a character are those of the solver and the workflows, and indices that files store stay."""

from __future__ import annotations

import typing
from pathlib import Path

import bpy

from poise import solver
from poise.addon import bridge
from poise.addon.properties import LIMB_MARKS, MARKS, POINT_MARKS, TRUNK_MARKS, character_of
from poise.addon.properties.character import CLEAN_METHODS, QUALITIES, TARGETS, TEMPLATE_KINDS
from poise.addon.workflows import examples, solve


def identifiers(items: tuple[tuple[str, ...], ...]) -> set[str]:
    return {item[0].lower() for item in items}


def test_choices_are_those_of_the_solver_and_the_workflows() -> None:
    assert identifiers(CLEAN_METHODS) == set(typing.get_args(solver.CleanMethod))
    assert identifiers(TARGETS) == set(typing.get_args(bridge.Target))
    assert identifiers(QUALITIES) == set(typing.get_args(solve.Quality))
    assert identifiers(TEMPLATE_KINDS) == set(typing.get_args(examples.Kind))


def test_landmarks_are_complete_and_new_ones_are_last() -> None:
    assert set(MARKS) == {*TRUNK_MARKS, *(f"{side}_{mark}" for side in ("left", "right") for mark in LIMB_MARKS)}
    assert MARKS[-2:] == ("left_ball", "right_ball"), "files store indices of this list"
    assert set(POINT_MARKS) < set(MARKS)


def test_the_choice_of_limits_is_saved(armature: bpy.types.Object, tmp_path: Path) -> None:
    assert not character_of(armature).use_anatomical_limits
    character_of(armature).use_anatomical_limits = True
    name = armature.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "limits.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "limits.blend"))
    assert character_of(bpy.data.objects[name]).use_anatomical_limits


def test_another_ground_clears_the_list_of_plants_off_it(armature: bpy.types.Object) -> None:
    character = character_of(armature)
    for change in ({"use_ground": True}, {"ground_height": 0.5}, {"sole_heel": 0.01}, {"ground_kind": "ESTIMATE"}):
        character.ground_gaps.add().uid = "x"
        for name, value in change.items():
            setattr(character, name, value)
        assert not len(character.ground_gaps), change

# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems stay ignored until their constraint changes."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise.addon.properties import character_of
from poise.addon.workflows import create, ignoring, solve


@pytest.fixture
def missed(armature: bpy.types.Object) -> Any:
    """A pin that was solved and is out of reach."""
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    pin.points[0].object.location.z += 3.0
    solve.solve(armature, solve.SolveOptions(begin=10, end=30))
    return character_of(armature)


def problem(character: Any) -> Any:
    return next(entry for entry in character.advice if entry.kind == "MISSED")


def again(character: Any) -> None:
    solve.solve(character.id_data, solve.SolveOptions(begin=10, end=30))


def test_a_problem_stays_ignored_in_the_next_solve(missed: Any) -> None:
    ignoring.ignore(missed, problem(missed))
    again(missed)
    assert problem(missed).is_ignored and len(missed.ignored) == 1


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        (lambda pin: setattr(pin, "priority", 5), True),
        (lambda pin: setattr(pin.points[0].object, "location", (0.0, 0.0, 9.0)), True),
        (lambda pin: setattr(pin.points[0], "end", 22.0), True),
        (lambda pin: setattr(pin, "name", "Another"), False),
        (lambda pin: setattr(pin, "selected", True), False),
    ],
    ids=["priority", "handle", "hold", "name", "selection"],
)
def test_a_change_of_the_constraint_shows_its_problem_again(change: Any, shown: bool, missed: Any) -> None:
    ignoring.ignore(missed, problem(missed))
    change(missed.constraints[0])
    bpy.context.view_layer.update()
    again(missed)
    assert problem(missed).is_ignored != shown
    assert len(missed.ignored) == (0 if shown else 1)


def test_a_problem_that_is_gone_for_a_while_stays_ignored(missed: Any) -> None:
    ignoring.ignore(missed, problem(missed))
    missed.constraints[0].enabled = False
    again(missed)
    assert len(missed.ignored) == 1
    missed.constraints[0].enabled = True
    again(missed)
    assert problem(missed).is_ignored


def test_a_note_without_a_constraint_is_ignored_as_long_as_it_reads_the_same(missed: Any) -> None:
    entry = missed.advice.add()
    entry.sentence = "A note."
    ignoring.ignore(missed, entry)
    missed.advice.clear()
    for sentence in ("A note.", "Another."):
        missed.advice.add().sentence = sentence
    ignoring.mark_ignored(missed)
    assert [entry.is_ignored for entry in missed.advice] == [True, False]


def test_all_are_shown_again(missed: Any) -> None:
    ignoring.ignore(missed, problem(missed))
    assert ignoring.show_all(missed) == 1
    assert not problem(missed).is_ignored and not len(missed.ignored)

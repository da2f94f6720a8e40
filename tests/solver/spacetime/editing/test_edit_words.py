# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits in an animator's words."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.spacetime import Edit, FootprintEdit, LimbEdit, LockedJoint, Obstacle
from poise.solver.spacetime.editing.edit_words import changes_in_words
from poise.solver.spacetime.problem.stances import Stance

STANCES = [
    Stance(f"{side} foot", (), 0.0, 1.0, np.zeros(3), (), seconds=seconds)
    for side, seconds in (("left", 0.0), ("right", 0.5), ("left", 1.25))
]


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (Edit(gravity=0.0), "0 times the gravity"),
        (Edit(duration=0.01), "0.01 times the duration"),
        (Edit(flight=3.0), "3 times the time in the air"),
        (Edit(turn=4.0 * np.pi), "a turn by 720°"),
        (
            Edit(footprints=(FootprintEdit(2, (3.0, 4.0, 0.0), turn=np.pi),)),
            "the stance of the left foot at 1.25 s moved by 5 and turned by 180°",
        ),
        (
            Edit(footprints=(FootprintEdit(1, earlier_strike=0.1),)),
            "the stance of the right foot at 0.50 s at other times",
        ),
        (Edit(limbs=(LimbEdit("left_knee", 0.05, 2.0),)), "below the left knee with 0.05 times its length and 2 times"),
        (Edit(locked=(LockedJoint("left_knee", (10.0,)),)), "a locked left knee"),
        (Edit(obstacles=(Obstacle((0.0, 0.0, 0.0), 1.2, 0.3),)), "obstacle 1 of height 1.2"),
        (Edit(objectives={"friction": 1.0}), "weights"),
    ],
)
def test_every_change_is_named_with_its_figures(edit: Edit, words: str) -> None:
    (found,) = changes_in_words(edit, STANCES)
    assert words in found


def test_several_changes_are_listed_and_many_footprints_are_counted() -> None:
    moved = tuple(FootprintEdit(index, (1.0, 0.0, 0.0)) for index in range(3))
    found = changes_in_words(Edit(gravity=0.5, footprints=moved), STANCES)
    assert found == ["0.5 times the gravity", "3 changed footprints"]
    assert len(changes_in_words(Edit(footprints=moved[:2]), STANCES)) == 2

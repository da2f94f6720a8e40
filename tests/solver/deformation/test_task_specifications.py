# SPDX-License-Identifier: GPL-3.0-or-later
"""Wishes: each frame has that of its owner, and those that are alike are one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver.constraints import Balance, Source, Track
from poise.solver.deformation.task_specifications import Wish, Wishes

from ..made_up import moving_human

ALIKE: list[dict[str, Any]] = [{"priority": 2}, {"priority": 2, "name": "other"}]
DIFFERENT: list[dict[str, Any]] = [
    {"priority": 3},
    {"priority": 2, "weight": 4.0},
    {"priority": 2, "recruit": ("l_hip",)},
]


@pytest.fixture
def tracks(rng: np.random.Generator) -> list[Track]:
    source = Source(moving_human(rng, 6))
    return [Balance(**given).tracks(source)[0] for given in ALIKE + DIFFERENT]


def test_each_frame_has_the_wish_of_its_owner(tracks: list[Track], rng: np.random.Generator) -> None:
    owner = rng.integers(-1, len(tracks), 300)
    leads = rng.choice([0.0, 0.3, 0.5, 1.0], 300)
    wishes = Wishes.of(tracks, owner, leads)
    assert len(set(wishes.distinct)) == len(wishes.distinct) == len(wishes.names) == 2 * (1 + len(DIFFERENT))
    for frame, code in enumerate(wishes.codes):
        if owner[frame] < 0:
            assert code == -1 and wishes.hashes[frame] == 0
            continue
        asked = tracks[owner[frame]].constraint
        expected = Wish(asked.priority, bool(leads[frame] >= 0.5), asked.weight, asked.recruit)
        assert wishes.distinct[code] == expected and wishes.hashes[frame] == hash(repr(expected))
        assert expected.rank == (asked.priority, bool(leads[frame] >= 0.5))


def test_without_order_only_weight_and_recruited_joints_tell_wishes_apart(tracks: list[Track]) -> None:
    owner = np.repeat(np.arange(len(tracks)), 2)
    wishes = Wishes.of(tracks, owner, np.tile([0.0, 1.0], len(tracks)))
    kept = wishes.unordered[wishes.codes]
    for one, first in zip(wishes.codes, kept, strict=True):
        for other, second in zip(wishes.codes, kept, strict=True):
            a, b = wishes.distinct[one], wishes.distinct[other]
            assert (first == second) == ((a.weight, a.recruit) == (b.weight, b.recruit))
    assert wishes.unordered[-1] == -1


def test_nobody_wishes_nothing(tracks: list[Track]) -> None:
    wishes = Wishes.of(tracks, np.full(5, -1), np.ones(5))
    assert wishes.distinct == [] and (wishes.codes == -1).all() and (wishes.hashes == 0).all()


def test_minus_one_and_minus_two_are_not_the_same_priority() -> None:
    """Python's own hash says they are."""
    one, two = (Wishes(np.array([0]), [Wish(priority, True, 1.0, None)], ["somebody"]).hashes for priority in (-1, -2))
    assert one[0] != two[0]

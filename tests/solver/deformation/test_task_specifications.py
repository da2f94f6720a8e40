# SPDX-License-Identifier: GPL-3.0-or-later
"""Task specifications: each frame has that of the track that owns it, and equal ones are shared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver.constraints import Balance, Source, Track
from poise.solver.deformation.task_specifications import TaskSpecification, TaskSpecifications

from ..made_up import moving_human

EQUAL: list[dict[str, Any]] = [{"priority": 2}, {"priority": 2, "name": "other"}]
DIFFERENT: list[dict[str, Any]] = [
    {"priority": 3},
    {"priority": 2, "weight": 4.0},
    {"priority": 2, "recruit": ("l_hip",)},
]


@pytest.fixture
def tracks(rng: np.random.Generator) -> list[Track]:
    source = Source(moving_human(rng, 6))
    return [Balance(**given).tracks(source)[0] for given in EQUAL + DIFFERENT]


def test_each_frame_has_the_specification_of_its_owner(tracks: list[Track], rng: np.random.Generator) -> None:
    owner = rng.integers(-1, len(tracks), 300)
    leads = rng.choice([-1.0, 0.0, 0.3, 0.5, 1.0], 300)
    found = TaskSpecifications.of(tracks, owner, leads)
    assert len(set(found.distinct)) == len(found.distinct) == len(found.labels) == 3 * (1 + len(DIFFERENT))
    for frame, code in enumerate(found.codes):
        if owner[frame] < 0:
            assert code == -1
            continue
        constraint = tracks[owner[frame]].constraint
        leading = -1 if leads[frame] < 0.0 else int(leads[frame] >= 0.5)
        expected = TaskSpecification(constraint.priority, leading, constraint.weight, constraint.recruit)
        assert found.distinct[code] == expected
        assert expected.rank == (constraint.priority, leading)


def test_without_rank_specifications_differ_by_weight_and_recruited_joints(tracks: list[Track]) -> None:
    owner = np.repeat(np.arange(len(tracks)), 2)
    found = TaskSpecifications.of(tracks, owner, np.tile([0.0, 1.0], len(tracks)))
    kept = found.ignoring_rank[found.codes]
    for one, first in zip(found.codes, kept, strict=True):
        for other, second in zip(found.codes, kept, strict=True):
            a, b = found.distinct[one], found.distinct[other]
            assert (first == second) == ((a.weight, a.recruit) == (b.weight, b.recruit))
    assert found.ignoring_rank[-1] == -1


def test_frames_without_an_owner_have_no_specification(tracks: list[Track]) -> None:
    found = TaskSpecifications.of(tracks, np.full(5, -1), np.ones(5))
    assert found.distinct == [] and (found.codes == -1).all()
    assert not found.differs_from(found).any()


def test_specifications_of_two_channels_are_compared_frame_by_frame(
    tracks: list[Track], rng: np.random.Generator
) -> None:
    """Whatever the order of their tracks: the codes of two channels say nothing about each other."""
    first, second = rng.integers(-1, len(tracks), (2, 400))
    leads, others = rng.choice([0.0, 1.0], (2, 400))
    one = TaskSpecifications.of(tracks, first, leads)
    other = TaskSpecifications.of(tracks[::-1], np.where(second < 0, -1, len(tracks) - 1 - second), others)

    def specification(owner: int, lead: float) -> TaskSpecification | None:
        given = tracks[owner].constraint
        return None if owner < 0 else TaskSpecification(given.priority, lead >= 0.5, given.weight, given.recruit)

    expected = [
        specification(*mine) != specification(*theirs)
        for mine, theirs in zip(zip(first, leads, strict=True), zip(second, others, strict=True), strict=True)
    ]
    np.testing.assert_array_equal(one.differs_from(other), expected)
    np.testing.assert_array_equal(other.differs_from(one), expected)
    assert 0 < sum(expected) < 400


def test_minus_one_and_minus_two_are_not_the_same_priority() -> None:
    """Python's own hash says they are."""
    one, two = (
        TaskSpecifications(np.array([0]), [TaskSpecification(priority, True, 1.0, None)], ["balance"])
        for priority in (-1, -2)
    )
    assert one.differs_from(two).tolist() == [True]

# SPDX-License-Identifier: GPL-3.0-or-later
"""What must hold of every deformation, on random clips with random constraints.

`scripts/evaluate_random_cases.py` runs the same checks on as many cases as there is time for.
"""

from __future__ import annotations

from functools import cache

import pytest

from poise.examples.deformation.checks import CHECKS, Judged
from poise.examples.deformation.random_cases import random_case

TIMELESS = [name for name in CHECKS if name != "quick"]
"""The checks that do not depend on how busy the machine is."""

SEEDS = range(40)
MORE_SEEDS = range(1000, 1060)

MOST_VIOLATIONS = 0.2
"""Share of the cases that may violate a check, on any processor: the goal is none. Seeds 7, 15, 19, 22 and 38 are known
to: a case solved again ends at another posture of an unreachable target, frames do not come to rest, a joint jumps to
the source where it may not move for a single frame, a target of the highest priority is missed by a hundredth."""


@cache
def judged_case(seed: int) -> Judged:
    """The case of a seed with its solution, which all tests share."""
    return Judged(random_case(seed))


def violating(seeds: range) -> dict[int, list[str]]:
    """For each case that violates a check, a sentence for each way in which it does."""
    found = {}
    for seed in seeds:
        judged = judged_case(seed)
        sentences = [f"{name}: {each}" for name in TIMELESS for each in CHECKS[name](judged)]
        if sentences:
            found[seed] = sentences
    return found


def test_what_must_hold_of_every_deformation_holds_of_most() -> None:
    found = violating(SEEDS)
    assert len(found) <= MOST_VIOLATIONS * len(SEEDS), found


@pytest.mark.slow
def test_it_holds_of_most_of_many_others() -> None:
    found = violating(MORE_SEEDS)
    assert len(found) <= MOST_VIOLATIONS * len(MORE_SEEDS), found


@pytest.mark.parametrize("check", ["finite", "without_warnings", "within_limits", "truthful"])
def test_some_checks_hold_of_all(check: str) -> None:
    for seed in SEEDS:
        assert not CHECKS[check](judged_case(seed)), random_case(seed)

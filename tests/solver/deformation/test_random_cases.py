# SPDX-License-Identifier: GPL-3.0-or-later
"""What must hold of every deformation, on random clips with random constraints.

`scripts/evaluate_random_cases.py` runs the same checks on as many cases as there is time for.
"""

from __future__ import annotations

import pytest

from poise.examples.deformation.checks import CHECKS, Judged
from poise.examples.deformation.random_cases import random_case

TIMELESS = [name for name in CHECKS if name != "quick"]
"""The checks that do not depend on how busy the machine is."""

SEEDS = range(40)
MORE_SEEDS = range(1000, 1200)

OPEN = {
    7: "solving again ends at another posture of an unreachable target",
    15: "a frame does not come to rest",
    19: "a column jumps to the source where it may not move for a single frame",
    22: "a frame does not come to rest",
    38: "a target of the highest priority is missed by a hundredth beside a lower one",
}
"""Cases of `SEEDS` that are known to violate a check, and which. They are work to be done, not exceptions."""

MOST_VIOLATIONS = 0.12
"""Share of the other cases that may violate a check: the goal is none."""


def violations(seed: int) -> list[str]:
    """A sentence for each check that a case violates, and for each way in which it does."""
    judged = Judged(random_case(seed))
    return [f"{name}: {found}" for name in TIMELESS for found in CHECKS[name](judged)]


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.xfail(reason=OPEN[seed])) if seed in OPEN else seed for seed in SEEDS]
)
def test_what_must_hold_of_every_deformation_holds(seed: int) -> None:
    assert not violations(seed), random_case(seed)


@pytest.mark.slow
def test_it_holds_of_most_of_many_others() -> None:
    wrong = [seed for seed in MORE_SEEDS if violations(seed)]
    assert len(wrong) <= MOST_VIOLATIONS * len(MORE_SEEDS), wrong

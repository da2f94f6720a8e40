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


def violations(seed: int) -> list[str]:
    """A sentence for each check that a case violates, and for each way in which it does."""
    judged = Judged(random_case(seed))
    return [f"{name}: {found}" for name in TIMELESS for found in CHECKS[name](judged)]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_must_hold_of_every_deformation_holds(seed: int) -> None:
    assert not violations(seed), random_case(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", MORE_SEEDS)
def test_it_holds_of_more_of_them(seed: int) -> None:
    assert not violations(seed), random_case(seed)

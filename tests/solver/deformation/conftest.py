# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of the tests of the report: a standing human, and a hand that its trunk holds back."""

from __future__ import annotations

import pytest

from poise.solver.body.clip import Clip
from poise.solver.constraints import Constraint
from poise.solver.deformation.deform import Deformation

from ..standing import standing_human
from .standing_conflicts import FRAMES, held_back_hand


@pytest.fixture(scope="package")
def clip() -> Clip:
    """A human that stands still for a few frames."""
    return standing_human(FRAMES, fps=15.0)


@pytest.fixture(scope="package")
def held_back(clip: Clip) -> tuple[Deformation, dict[str, Constraint]]:
    """A hand that would reach its goal if the trunk did not have to stay."""
    return held_back_hand(clip)

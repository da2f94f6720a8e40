# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings that no solve can use are refused."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.core.errors import TaskError
from poise.solver.posture.settings import SolveSettings


def test_the_defaults_are_accepted() -> None:
    settings = SolveSettings()
    assert settings.iterations == 200


def test_no_iterations_are_allowed_and_fewer_are_not() -> None:
    assert SolveSettings(iterations=0).iterations == 0
    with pytest.raises(TaskError, match="iterations must be a whole number"):
        SolveSettings(iterations=-1)
    with pytest.raises(TaskError, match="iterations must be a whole number"):
        SolveSettings(iterations=2.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["tolerance", "goal_length", "goal_angle", "largest_turn"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_lengths_and_angles_are_positive(name: str, value: float) -> None:
    with pytest.raises(TaskError, match=f"setting {name} must be a finite, positive number"):
        SolveSettings(**{name: value})

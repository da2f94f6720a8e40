# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings refuse what no solve can use."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.core.errors import TaskError
from poise.solver.posture.settings import SolveSettings


def test_the_defaults_are_accepted() -> None:
    settings = SolveSettings()
    assert settings.method == "priority" and settings.damping is None and settings.integration_step is None


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


@pytest.mark.parametrize("name", ["damping", "integration_step"])
@pytest.mark.parametrize("value", [-0.1, np.nan, np.inf, "much"])
def test_fixed_factors_are_not_negative(name: str, value: float) -> None:
    assert getattr(SolveSettings(**{name: 0.0}), name) == 0.0
    with pytest.raises(TaskError, match=f"setting {name} must be a finite number"):
        SolveSettings(**{name: value})


def test_there_are_two_methods() -> None:
    with pytest.raises(TaskError, match="no method 'magic'"):
        SolveSettings(method="magic")  # type: ignore[arg-type]

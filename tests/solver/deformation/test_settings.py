# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of a deformation: those of the posture solver that they lead to, and the values that they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from poise.solver.core.errors import PoiseError
from poise.solver.deformation.settings import DeformSettings, Tolerances


def test_iterations_and_tolerance_are_those_of_the_posture_solver() -> None:
    solving = DeformSettings(iterations=17, tolerance=1e-4).solving()
    assert (solving.iterations, solving.tolerance, solving.feasibility_tolerance) == (17, 1e-4, Tolerances().corrected)


def test_a_smaller_tolerance_makes_every_threshold_smaller() -> None:
    """In the order of their meaning: what is corrected is met, and what is met can be reached."""
    names = ("corrected", "met", "reachable", "close", "far")
    usual, strict = (
        [getattr(each, name) for name in names] for each in (Tolerances(), Tolerances(0.1 * Tolerances().corrected))
    )
    assert usual == sorted(set(usual)) and strict == sorted(set(strict))
    assert strict == pytest.approx([0.1 * each for each in usual])
    assert DeformSettings(tolerances=Tolerances(1e-8)).solving().feasibility_tolerance == 1e-8


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"coherence": "random"}, "There is no coherence 'random'"),
        ({"iterations": -1}, "iterations"),
        ({"tolerance": -1.0}, "tolerance"),
    ],
)
def test_invalid_settings_are_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PoiseError, match=sentence):
        DeformSettings(**wrong)

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


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"coherence": "random"}, "There is no coherence 'random'"),
        ({"smoothing_passes": -1}, "smoothing passes must be a whole number"),
        ({"smoothing_passes": 1.5}, "smoothing passes must be a whole number"),
        ({"iterations": -1}, "iterations"),
        ({"tolerance": -1.0}, "tolerance"),
    ],
)
def test_invalid_settings_are_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PoiseError, match=sentence):
        DeformSettings(**wrong)

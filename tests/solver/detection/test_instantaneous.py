# SPDX-License-Identifier: GPL-3.0-or-later
"""Instantaneous constraints: the dimension by what turns, the decision by the residual."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.detection.instantaneous import Thresholds, instantaneous
from poise.solver.detection.sigma_epsilon import SigmaEpsilon


def at(sigma: float, space: float, line: float) -> SigmaEpsilon:
    direction = np.array([[1.0, 0.0, 0.0]])
    return SigmaEpsilon(np.array([sigma]), np.array([space]), np.array([line]), direction, 0.0 * direction)


@pytest.mark.parametrize(
    ("sigma", "space", "line", "kind"),
    [
        (0.0, 0.0, 0.0, "space"),
        (0.1, 0.2, 0.2, "space"),
        (0.1, 0.2001, 0.0, "none"),
        (0.1001, 0.2, 0.0, "line"),
        (0.5, 9.0, 0.3, "line"),
        (0.5, 0.0, 0.3001, "none"),
    ],
)
def test_each_threshold_decides_its_own_constraint(sigma: float, space: float, line: float, kind: str) -> None:
    found = instantaneous(at(sigma, space, line), Thresholds(np.array([0.1]), np.array([0.2]), np.array([0.3])))
    assert (bool(found.space[0]), bool(found.line[0])) == (kind == "space", kind == "line")


def test_a_displacement_without_rotation_has_no_line() -> None:
    nothing = Thresholds(np.array([-1.0]), np.array([-1.0]), np.array([1.0]))
    assert not instantaneous(at(0.0, 0.5, 0.5), nothing).line[0]
    assert instantaneous(at(1e-6, 0.5, 0.5), nothing).line[0]


def test_negative_thresholds_allow_nothing() -> None:
    nothing = Thresholds(*(np.array([-1.0]),) * 3)
    found = instantaneous(at(0.0, 0.0, 0.0), nothing)
    assert not found.space[0] and not found.line[0]

# SPDX-License-Identifier: GPL-3.0-or-later
"""What counts as one finite real number."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.core.numbers import LARGEST_WEIGHT, SMALLEST_WEIGHT, is_number, is_weight


@pytest.mark.parametrize("value", [0, -3, 2.5, 1e308, np.int64(7), np.float32(0.5), np.float64(-1.0)])
def test_finite_real_numbers_are_numbers(value: object) -> None:
    assert is_number(value) is True


@pytest.mark.parametrize(
    "value",
    [np.nan, np.inf, -np.inf, np.float32("nan"), "1", None, [1.0], (1.0,), np.array([1.0]), 1j, object(), 10**400],
)
def test_everything_else_is_none(value: object) -> None:
    assert is_number(value) is False


def test_weights_are_positive_numbers_that_can_be_balanced_with_others() -> None:
    assert is_weight(1) and is_weight(SMALLEST_WEIGHT) and is_weight(LARGEST_WEIGHT)
    for value in (0.0, -1.0, 0.5 * SMALLEST_WEIGHT, 2.0 * LARGEST_WEIGHT, np.nan, np.inf, "1", None, 10**400):
        assert not is_weight(value)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of numbers that users give."""

from __future__ import annotations

import math

import numpy as np

LARGEST_NUMBER = 1e50
"""Larger numbers in files are refused: the squares of their products would leave the range of floating-point
numbers."""


def is_number(value: object) -> bool:
    """Whether a value is one finite real number."""
    if not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the range of floating-point numbers
        return False


SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-9, 1e9
"""Weights of tasks of one priority. Beyond them the squares of weighted errors leave the range in which rounding and
the solver's tolerances mean something: what matters more has a higher priority."""
WEIGHTS_TOLD = f"a positive number between {SMALLEST_WEIGHT:g} and {LARGEST_WEIGHT:g}"


def is_weight(value: object) -> bool:
    """Whether a value is a weight that the solver can balance with others."""
    return is_number(value) and SMALLEST_WEIGHT <= value <= LARGEST_WEIGHT  # type: ignore[operator]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of numbers that users give."""

from __future__ import annotations

import numpy as np

LARGEST_NUMBER = 1e100
"""Larger numbers in files are refused: their squares would leave the range of floating-point numbers."""


def is_number(value: object) -> bool:
    """Whether a value is one finite real number."""
    if not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    try:
        return bool(np.isfinite(float(value)))
    except OverflowError:  # whole numbers of Python have no largest one
        return False

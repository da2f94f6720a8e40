# SPDX-License-Identifier: GPL-3.0-or-later
"""The array types that every floor of the solver speaks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
"""Real numbers, double precision: everything the solver computes with."""

IntArray = NDArray[np.int64]
"""Indices of joints, frames or columns."""

BoolArray = NDArray[np.bool_]
"""Masks."""

TINY = float(np.finfo(np.float64).tiny)
"""The least that a length is divided by, where a vector may have none."""

__all__ = ["TINY", "Array", "ArrayLike", "BoolArray", "IntArray"]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparison of results that were computed in two ways.

A matrix product is rounded otherwise by another BLAS kernel, or in a batch of another size. So equal bits are asked
only of what was copied, and of what was computed twice in the same way in one process.
"""

from __future__ import annotations

import numpy as np

from poise.solver.core.arrays import ArrayLike

ROUNDING = 1e-12
"""Thousands of times the rounding of a sum of a few products, and far below anything that a viewer could see."""


def assert_equal_to_rounding(found: ArrayLike, expected: ArrayLike, scale: float = 1.0) -> None:
    """Fail unless two arrays differ by rounding only; `scale` is the size of their numbers, as `skeleton.size`."""
    np.testing.assert_allclose(found, expected, rtol=ROUNDING, atol=ROUNDING * scale)

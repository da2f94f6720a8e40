# SPDX-License-Identifier: GPL-3.0-or-later
"""Duals against finite differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from poise.solver.core.arrays import Array
from poise.solver.spacetime.handles.duals import ArrayAlgebra, Dual, DualAlgebra

FRAMES, COLUMNS = 3, 4
DUALS, ARRAYS = DualAlgebra(), ArrayAlgebra()


@pytest.mark.parametrize(
    ("of_duals", "of_arrays"),
    [
        (lambda a, b: a + b, lambda a, b: a + b),
        (lambda a, b: a - b, lambda a, b: a - b),
        (lambda a, b: (a - b) * 0.7, lambda a, b: (a - b) * 0.7),
        (DUALS.dot, ARRAYS.dot),
        (lambda a, b: DUALS.length(a - b), lambda a, b: ARRAYS.length(a - b)),
        (lambda a, b: DUALS.unit(a + b), lambda a, b: ARRAYS.unit(a + b)),
    ],
)
def test_derivatives(
    rng: np.random.Generator,
    of_duals: Callable[[Dual, Dual], Dual],
    of_arrays: Callable[[Array, Array], Array],
) -> None:
    base = rng.standard_normal((2, FRAMES, 3))
    slopes = rng.standard_normal((2, FRAMES, 3, COLUMNS))
    found = of_duals(*(Dual(value, slope) for value, slope in zip(base, slopes, strict=True)))
    np.testing.assert_allclose(found.value, of_arrays(*base), atol=1e-14)
    step = 1e-6
    for column in range(COLUMNS):
        ahead, behind = (of_arrays(*(base + sign * step * slopes[..., column])) for sign in (1.0, -1.0))
        np.testing.assert_allclose(found.jacobian[:, :, column], (ahead - behind) / (2.0 * step), atol=1e-7)


def test_a_zero_vector_has_no_derivative_but_is_finite(rng: np.random.Generator) -> None:
    zero = Dual(np.zeros((FRAMES, 3)), rng.standard_normal((FRAMES, 3, COLUMNS)))
    for found in (DUALS.length(zero), DUALS.unit(zero)):
        assert not found.value.any() and not found.jacobian.any()
    assert not ARRAYS.unit(zero.value).any()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors as tuples, against NumPy."""

from __future__ import annotations

import numpy as np

from poise.solver.detection.small_vectors import cross, dot, length, minus, mixed, plus, scaled


def test_they_agree_with_numpy(rng: np.random.Generator) -> None:
    for _ in range(20):
        one, other = rng.standard_normal((2, 3))
        a, b = tuple(one.tolist()), tuple(other.tolist())
        np.testing.assert_allclose(dot(a, b), one @ other, atol=1e-14)
        np.testing.assert_allclose(length(a), np.linalg.norm(one), rtol=1e-14)
        np.testing.assert_allclose(cross(a, b), np.cross(one, other), atol=1e-14)
        np.testing.assert_allclose(minus(a, b), one - other, atol=1e-14)
        np.testing.assert_allclose(plus(a, b, 0.3), one + 0.3 * other, atol=1e-14)
        np.testing.assert_allclose(scaled(a, -2.0), -2.0 * one, atol=1e-14)
        np.testing.assert_allclose(mixed(a, b, 0.25), 0.75 * one + 0.25 * other, atol=1e-14)

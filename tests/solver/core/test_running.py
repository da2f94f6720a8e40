# SPDX-License-Identifier: GPL-3.0-or-later
"""Statistics of sliding windows."""

from __future__ import annotations

import numpy as np

from poise.solver.core.running import running_maximum, running_mean, running_median


def test_running_values_agree_with_their_definitions(rng: np.random.Generator) -> None:
    values = rng.standard_normal(60)
    for reach in (0, 1, 4, 17, 80):
        expected = [values[max(i - reach, 0) : i + reach + 1].max() for i in range(60)]
        np.testing.assert_array_equal(running_maximum(values, reach), expected)
    for reach in (0, 2, 5):
        mean = running_mean(values[:, None] + 1e6, reach)[:, 0]
        expected = [1e6 + np.mean(np.pad(values, reach, mode="edge")[i : i + 2 * reach + 1]) for i in range(60)]
        np.testing.assert_allclose(mean, expected, rtol=1e-13)
    median = running_median(values, 5)
    np.testing.assert_array_equal(median[2:-2], [np.median(values[i - 2 : i + 3]) for i in range(2, 58)])

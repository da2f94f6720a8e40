# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth steps from 0 to 1: the shape of every ease and blend."""

from __future__ import annotations

import numpy as np

from .arrays import Array, ArrayLike


def smooth_step(share: ArrayLike) -> Array:
    """The quintic from 0 to 1 over a share of 0 to 1, with zero velocity and acceleration at both ends."""
    x = within_unit(np.asarray(share, dtype=np.float64))
    return np.asarray(x * x * x * (10.0 + x * (6.0 * x - 15.0)))


def cubic_step(share: ArrayLike) -> Array:
    """The cubic from 0 to 1 over a share of 0 to 1, with zero velocity at both ends."""
    x = within_unit(np.asarray(share, dtype=np.float64))
    return np.asarray(x * x * (3.0 - 2.0 * x))


def within_unit(share: Array) -> Array:
    """A share clipped to 0 to 1; `np.clip` takes three times as long for few numbers."""
    return np.asarray(np.minimum(np.maximum(share, 0.0), 1.0))

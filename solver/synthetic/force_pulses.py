# SPDX-License-Identifier: GPL-3.0-or-later
"""Pulses of force that begin and end smoothly at zero, with the speed and the distance that they cause."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.arrays import Array, ArrayLike


@dataclass(frozen=True, eq=False)
class Pulse:
    """An acceleration over shares of 0 to 1 of a time, a polynomial; before and after it is 0.

    The time is the unit here: over `seconds`, speeds grow in proportion to it and distances to its square.
    """

    coefficients: Array
    """(degree + 1,) from the constant upward."""

    def acceleration(self, shares: ArrayLike) -> Array:
        """(...) the acceleration at these shares (...) of the time."""
        shares = np.asarray(shares, dtype=np.float64)
        return np.where((shares >= 0.0) & (shares <= 1.0), _value(self.coefficients, shares), 0.0)

    def speed(self, shares: ArrayLike) -> Array:
        """(...) the speed gained since the pulse began."""
        return _value(self._speed, np.asarray(shares, dtype=np.float64))

    def distance(self, shares: ArrayLike) -> Array:
        """(...) the distance gained since it began: after the pulse it grows at the final speed."""
        shares = np.asarray(shares, dtype=np.float64)
        return _value(_integral(self._speed), shares) + np.maximum(shares - 1.0, 0.0) * self._speed.sum()

    @cached_property
    def _speed(self) -> Array:
        return _integral(self.coefficients)


def _value(coefficients: Array, shares: Array) -> Array:
    """(...) the polynomial at shares (...), clipped to 0 to 1."""
    return np.asarray(np.clip(shares, 0.0, 1.0)[..., None] ** np.arange(len(coefficients)) @ coefficients)


def _integral(coefficients: Array) -> Array:
    """The coefficients of the integral that is 0 at 0."""
    return np.concatenate([[0.0], coefficients / np.arange(1, len(coefficients) + 1)])


_BUMP = 30.0 * np.array([0.0, 0.0, 1.0, -2.0, 1.0])
"""30 u² (1 - u)²."""

PUSH = Pulse(_BUMP)
"""One bump, zero with its slope at both ends and 15/8 at its middle; the speed gained is 1."""

BRAKE_AND_PUSH = Pulse(np.convolve(_BUMP, [-1.0, 2.0]))
"""The bump times a factor from -1 to 1: first backward, then as much forward, so that no speed is gained in the end."""

FADE = Pulse(np.array([1.0, *-_integral(_BUMP)[1:]]))
"""From 1 to 0, with zero slope at both ends: what is left of a constant acceleration that ends smoothly."""

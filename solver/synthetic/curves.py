# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth curves through given values, of which made-up motions consist."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.arrays import Array, ArrayLike
from ..core.errors import MotionError
from ..core.smooth_steps import smooth_step

DEGREE = 5
"""Degree of the pieces: quintics can have a given value, velocity and acceleration at both ends."""


@dataclass(frozen=True, eq=False)
class SmoothCurve:
    """A curve through `values` (knots, ...) at the times `knots`, four times continuously differentiable in between.

    Speed and acceleration at either end are given as (2, ...); None is rest. Before and after, it keeps its first and
    last value.
    """

    knots: Array
    values: Array
    begin: ArrayLike | None = None
    end: ArrayLike | None = None

    def __post_init__(self) -> None:
        knots, values = np.asarray(self.knots, dtype=np.float64), np.asarray(self.values, dtype=np.float64)
        if knots.ndim != 1 or len(knots) < 2 or len(values) != len(knots) or not (np.diff(knots) > 0.0).all():
            raise MotionError("A curve needs two or more knots at rising times, and one value for each.")
        object.__setattr__(self, "knots", knots)
        object.__setattr__(self, "values", values)

    def __call__(self, times: ArrayLike) -> Array:
        """The values (times, ...) at these times."""
        times = np.asarray(times, dtype=np.float64)
        inside = np.tensordot(self._basis(self._shares(times), 0), self._coefficients, axes=1)
        # Beyond the ends the value is constant to the last bit, so that a foot at rest is exactly at rest.
        inside[times <= self.knots[0]] = self.values[0]
        inside[times >= self.knots[-1]] = self.values[-1]
        return inside

    def derivative(self, times: ArrayLike, order: int = 1) -> Array:
        """The speed (times, ...), or with `order` 2 the acceleration; none outside the knots."""
        times = np.asarray(times, dtype=np.float64)
        inside = np.tensordot(self._basis(self._shares(times), order), self._coefficients, axes=1) / self._span**order
        inside[(times < self.knots[0]) | (times > self.knots[-1])] = 0.0
        return inside

    @cached_property
    def _coefficients(self) -> Array:
        """(knots + 4, ...) of the basis."""
        rest = np.zeros((2, *self.values.shape[1:]))
        in_shares = np.array([self._span, self._span**2]).reshape(2, *[1] * (self.values.ndim - 1))
        ends = [in_shares * (rest if given is None else np.asarray(given)) for given in (self.begin, self.end)]
        wanted = np.concatenate([self.values, *ends])
        at_ends = [self._basis(np.array([share]), order) for share in (0.0, 1.0) for order in (1, 2)]
        rows = np.concatenate([self._basis(self._shares(self.knots), 0), *at_ends])
        return np.linalg.solve(rows, wanted.reshape(len(rows), -1)).reshape(wanted.shape)

    @property
    def _span(self) -> float:
        return float(self.knots[-1] - self.knots[0])

    def _shares(self, times: Array) -> Array:
        """Times as shares of the whole span, which keeps their powers near 1."""
        return np.clip((times - self.knots[0]) / self._span, 0.0, 1.0)

    def _basis(self, shares: Array, order: int) -> Array:
        """(..., knots + 4) derivatives of the powers up to the degree and of a truncated power for each inner knot."""
        powers = np.arange(DEGREE + 1)
        factors = np.ones(DEGREE + 1)
        for lost in range(order):
            factors *= np.maximum(powers - lost, 0)
        plain = factors * shares[..., None] ** np.maximum(powers - order, 0)
        late = np.maximum(shares[..., None] - self._shares(self.knots[1:-1]), 0.0)
        return np.concatenate([plain, factors[-1] * late ** (DEGREE - order)], axis=-1)


def curve(*knots: tuple[float, float]) -> SmoothCurve:
    """A curve of numbers through (time, value) pairs that is at rest at both ends."""
    return SmoothCurve(np.array([time for time, _ in knots]), np.array([value for _, value in knots]))


@dataclass(frozen=True, eq=False)
class EasedCurve:
    """A curve of quintic eases from key to key: no overshoot, two continuous derivatives, at rest at both ends.

    `values` (keys, ...) belong to rising times `keys`. With an `overlap`, each ease begins by so much before its
    first key and ends by so much after its second one: neighbouring eases blend, and inner keys are nearly met.
    """

    keys: Array
    values: Array
    overlap: float = 0.0

    def __call__(self, times: ArrayLike) -> Array:
        """The values (times, ...) at these times."""
        times = np.asarray(times, dtype=np.float64)
        begins, ends = self.keys[:-1] - self.overlap, self.keys[1:] + self.overlap
        begins[0], ends[-1] = self.keys[0], self.keys[-1]
        eased = smooth_step((times[..., None] - begins) / (ends - begins))
        return np.asarray(self.values[0] + np.tensordot(eased, np.diff(self.values, axis=0), axes=1))


def eased(*keys: tuple[float, float], overlap: float = 0.0) -> EasedCurve:
    """An eased curve of numbers through (time, value) pairs."""
    return EasedCurve(np.array([time for time, _ in keys]), np.array([value for _, value in keys]), overlap)


def wave(cycles: ArrayLike, phase: float, times: int = 1) -> Array:
    """(...) a cosine of times in cycles (...), with `times` periods a cycle, that is 1 at `phase`."""
    return np.asarray(np.cos(2.0 * np.pi * times * (np.asarray(cycles, dtype=np.float64) - phase)))

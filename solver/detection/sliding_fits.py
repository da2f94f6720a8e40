# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines and planes fitted to places, and measures of how well the places determine them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import TINY, Array, BoolArray, IntArray
from ..core.robust import outlier_distance
from .settings import DEFAULT_SLIDING, SlideKind

EVEN_SPREAD = float(np.sqrt(12.0))
"""How long a line is, in standard deviations of places that are spread evenly along it."""

ROUNDS = 10
"""The most rounds of fitting without outliers."""

CONVERGED = 0.95
"""The iteration ends where a round leaves more than this share of the outlier distance."""


@dataclass(frozen=True, eq=False)
class SlideFit:
    """A line, or a plane, fitted to places."""

    kind: SlideKind
    place: Array
    """(3,) the mean of the places."""
    axes: Array
    """(3, 3) columns: the principal axes of the places, in the order of increasing spread."""
    spreads: Array
    """(3,) their standard deviations along these axes."""

    @property
    def direction(self) -> Array:
        """(3,) unit: along the line, or normal to the plane."""
        return self.axes[:, 2] if self.kind == "line" else self.axes[:, 0]

    @property
    def extent(self) -> float:
        """The extent of the places along the line, or along the shorter axis of the plane."""
        return EVEN_SPREAD * float(self.spreads[2 if self.kind == "line" else 1])

    def distances(self, places: Array) -> Array:
        """(n,) the distances of places (n, 3) from the line or the plane."""
        away = (places - self.place) @ self.axes[:, : 2 if self.kind == "line" else 1]
        return np.asarray(np.sqrt(np.einsum("ni,ni->n", away, away)))


def fitted(kind: SlideKind, places: Array, used: BoolArray, least: float) -> SlideFit:
    """The line or plane through the used ones (n,) of places (n, 3) without outliers, which are always further than
    `least` from it."""
    given = places[used]
    chosen, before = given, np.inf
    for _ in range(ROUNDS):
        fit = through(kind, chosen)
        distances = fit.distances(given)
        limit = max(outlier_distance(distances), least)
        if limit > CONVERGED * before:
            break
        chosen, before = given[distances <= limit], limit
    return fit


def through(kind: SlideKind, places: Array) -> SlideFit:
    """The line or plane of least squares through all of the places (n, 3)."""
    middle = np.add.reduce(places) / len(places)
    away = places - middle
    variances, axes = np.linalg.eigh(away.T @ away / len(places))
    return SlideFit(kind, middle, axes, np.sqrt(np.maximum(variances, 0.0)))


def bends(
    kind: SlideKind,
    covariance: Array,
    stepping: Array,
    counts: IntArray,
    errors: float = DEFAULT_SLIDING.bend_errors,
) -> tuple[Array, Array]:
    """The bend of each stretch of places, which is its systematic deviation from its line or plane, and its spread
    along the line, or along the shorter axis of the plane: (n,) standard deviations each.

    `covariance` (n, 3, 3) is that of the places, `stepping` (n, 3, 3) the mean of s sᵀ over their steps s, `counts`
    (n,) their number; `errors` standard errors are added to the bend. Noise changes from place to place, a bend does
    not: the variance of the steps is twice that of the noise, and nearly zero for a bend.
    """
    variances, axes = np.linalg.eigh(covariance)
    across, along = (2, 2) if kind == "line" else (1, 1)
    step_variances = np.einsum("nji,njk,nki->ni", axes[:, :, :across], stepping, axes[:, :, :across])
    noise = np.maximum(0.5 * step_variances.sum(axis=1), 0.0)
    systematic = np.maximum(variances[:, :across].sum(axis=1) - noise, 0.0)
    error = noise / np.sqrt(across * counts)
    return np.sqrt(systematic + errors * error), np.sqrt(np.maximum(variances[:, along], 0.0))


def bend_of(kind: SlideKind, places: Array, errors: float = DEFAULT_SLIDING.bend_errors) -> tuple[float, float]:
    """The bend and the spread of one stretch of places (n, 3), as `bends` has them."""
    away, steps = places - np.add.reduce(places) / len(places), np.diff(places, axis=0)
    covariance, stepping = away.T @ away / len(away), steps.T @ steps / len(steps)
    bend, along = bends(kind, covariance[None], stepping[None], np.array([len(places)]), errors)
    return float(bend[0]), float(along[0])


def breadth(places: Array) -> float:
    """The second largest extent of places (n, 3) along a principal axis."""
    return EVEN_SPREAD * float(through("plane", places).spreads[1])


def off_conic(fit: SlideFit, places: Array) -> float:
    """The root mean square distance of places (n, 3) in a plane from the conic fitted to them.

    A short arc of any free motion is nearly part of an ellipse, and lies in a plane for that reason alone.
    """
    unit = max(float(fit.spreads[2]), TINY)
    away = (places - fit.place) @ fit.axes[:, 1:] / unit
    second, first = away[:, 0], away[:, 1]
    terms = np.stack([np.ones(len(first)), first, second, first * first, first * second, second * second], axis=1)
    _, vectors = np.linalg.eigh(terms.T @ terms)
    _, b, c, d, e, f = vectors[:, 0]
    value = terms @ vectors[:, 0]
    # Sampson's distance: the value over its slope is the distance from the curve, to first order.
    slope_squared = (b + 2.0 * d * first + e * second) ** 2 + (c + e * first + 2.0 * f * second) ** 2
    return unit * float(np.sqrt((value @ value) / max(float(slope_squared.sum()), TINY)))


def total_turning(fit: SlideFit, places: Array) -> float:
    """The sum of the changes of direction, in radians, along a path of places (n, 3) in a plane."""
    steps = np.diff((places - fit.place) @ fit.axes[:, 1:], axis=0)
    changes = np.diff(np.arctan2(steps[:, 1], steps[:, 0]))
    return float(np.abs((changes + np.pi) % (2.0 * np.pi) - np.pi).sum())

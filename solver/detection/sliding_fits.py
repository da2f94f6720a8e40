# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines and planes through places, and whether the places really speak for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import TINY, Array, BoolArray, IntArray
from ..core.robust import NORMAL_SPREAD, OUTLYING
from .pivots import median
from .sliding_moments import Slide

EVEN_SPREAD = float(np.sqrt(12.0))
"""How long a line is, in standard deviations of places that are spread evenly along it."""

ROUNDS = 10
"""Of fitting without what lies far off, at the most."""

SETTLED = 0.95
"""A round that lowers what is far off by less than this changes nothing any more."""

CHANCE = 2.0
"""Standard errors that a bend may be larger than it seems."""


@dataclass(frozen=True, eq=False)
class SlideFit:
    """A line, or a plane, through places."""

    kind: Slide
    place: Array
    """(3,) the middle of the places."""
    axes: Array
    """(3, 3) columns: the principal axes of the places, the one with the least spread first."""
    spreads: Array
    """(3,) their standard deviations along these axes."""

    @property
    def direction(self) -> Array:
        """(3,) along the line, or out of the plane."""
        return self.axes[:, 2] if self.kind == "line" else self.axes[:, 0]

    @property
    def extent(self) -> float:
        """How far the places extend along the line, or along the shorter axis of the plane."""
        return EVEN_SPREAD * float(self.spreads[2 if self.kind == "line" else 1])

    def distances(self, places: Array) -> Array:
        """(n,) of places (n, 3) from the line or the plane."""
        away = (places - self.place) @ self.axes[:, : 2 if self.kind == "line" else 1]
        return np.asarray(np.sqrt(np.einsum("ni,ni->n", away, away)))


def fitted(kind: Slide, places: Array, used: BoolArray, least: float) -> SlideFit:
    """Through those places (n, 3) that are used (n,) and do not lie far off from the others; nearer than `least` is
    never far off."""
    given = places[used]
    chosen, before = given, np.inf
    for _ in range(ROUNDS):
        fit = through(kind, chosen)
        distances = fit.distances(given)
        limit = max(OUTLYING * NORMAL_SPREAD * median(distances), least)
        if limit > SETTLED * before:
            break
        chosen, before = given[distances <= limit], limit
    return fit


def through(kind: Slide, places: Array) -> SlideFit:
    """Through all of the places (n, 3)."""
    middle = np.add.reduce(places) / len(places)
    away = places - middle
    variances, axes = np.linalg.eigh(away.T @ away / len(places))
    return SlideFit(kind, middle, axes, np.sqrt(np.maximum(variances, 0.0)))


def bends(kind: Slide, covariance: Array, stepping: Array, counts: IntArray) -> tuple[Array, Array]:
    """By how much the places of stretches leave their line, or their plane, in an orderly way at the most, and how far
    they spread along the line, or along the shorter axis of the plane: (n,) standard deviations.

    `covariance` (n, 3, 3) is that of the places, `stepping` (n, 3, 3) the mean of s sᵀ over their steps s, `counts`
    (n,) how many there are. Noise differs from place to place, a bend does not: the variance of the steps is twice that
    of noise, and next to nothing for a bend.
    """
    variances, axes = np.linalg.eigh(covariance)
    across, along = (2, 2) if kind == "line" else (1, 1)
    turned_steps = np.einsum("nji,njk,nki->ni", axes[:, :, :across], stepping, axes[:, :, :across])
    noise = np.maximum(0.5 * turned_steps.sum(axis=1), 0.0)
    orderly = np.maximum(variances[:, :across].sum(axis=1) - noise, 0.0)
    error = noise / np.sqrt(across * counts)
    return np.sqrt(orderly + CHANCE * error), np.sqrt(np.maximum(variances[:, along], 0.0))


def bend_of(kind: Slide, places: Array) -> tuple[float, float]:
    """The same for one stretch of places (n, 3)."""
    away, steps = places - np.add.reduce(places) / len(places), np.diff(places, axis=0)
    covariance, stepping = away.T @ away / len(away), steps.T @ steps / len(steps)
    bend, along = bends(kind, covariance[None], stepping[None], np.array([len(places)]))
    return float(bend[0]), float(along[0])


def breadth(places: Array) -> float:
    """How far places (n, 3) extend in the direction in which they extend second most."""
    return EVEN_SPREAD * float(through("plane", places).spreads[1])


def off_conic(fit: SlideFit, places: Array) -> float:
    """How far places in a plane lie off the conic that is nearest to them all, the root of the mean square.

    An arc of a free motion is, for a while, part of an ellipse, and lies in a plane for that reason alone.
    """
    unit = max(float(fit.spreads[2]), TINY)
    away = (places - fit.place) @ fit.axes[:, 1:] / unit
    second, first = away[:, 0], away[:, 1]
    terms = np.stack([np.ones(len(first)), first, second, first * first, first * second, second * second], axis=1)
    _, vectors = np.linalg.eigh(terms.T @ terms)
    _, b, c, d, e, f = vectors[:, 0]
    value = terms @ vectors[:, 0]
    # Sampson's distance: the value over its slope is the way to the curve, to first order.
    slope_squared = (b + 2.0 * d * first + e * second) ** 2 + (c + e * first + 2.0 * f * second) ** 2
    return unit * float(np.sqrt((value @ value) / max(float(slope_squared.sum()), TINY)))


def turned(fit: SlideFit, places: Array) -> float:
    """Radians by which a path of places (n, 3) in a plane changes its direction in all."""
    steps = np.diff((places - fit.place) @ fit.axes[:, 1:], axis=0)
    changes = np.diff(np.arctan2(steps[:, 1], steps[:, 0]))
    return float(np.abs((changes + np.pi) % (2.0 * np.pi) - np.pi).sum())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches of a path: their moments, and the longest ones that keep to a line or to a plane."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.core.arrays import Array
from poise.solver.detection.settings import SlideKind
from poise.solver.detection.sliding_moments import Stretches

KINDS: tuple[SlideKind, ...] = ("line", "plane")


def strays(places: Array, kind: SlideKind) -> float:
    """How far places stray from the line, or the plane, that is nearest to all: the root of the mean square."""
    variances = np.linalg.eigvalsh(np.cov(places.T, bias=True))
    return float(np.sqrt(max(variances[: 2 if kind == "line" else 1].sum(), 0.0)))


def wandering(rng: np.random.Generator, count: int) -> Array:
    return np.cumsum(rng.standard_normal((count, 3)) * [1.0, 0.7, 0.3], axis=0)


@pytest.mark.parametrize("origin", [0.0, 1e6])
def test_moments_are_those_of_the_places_wherever_they_are(rng: np.random.Generator, origin: float) -> None:
    places = wandering(rng, 37) + origin
    stretches = Stretches.of(places)
    assert [len(table) for table in stretches.tables] == [37, 36, 34, 30, 22, 6]
    for power, table in enumerate(stretches.tables):
        for begin in (0, len(table) - 1):
            covered = places[begin : begin + 2**power]
            assert table.count[begin] == len(covered)
            spread = np.cov(covered.T, bias=True) if power else np.zeros((3, 3))
            np.testing.assert_allclose(table.covariance[begin], spread, atol=1e-8 if origin else 1e-12)


def test_steps_are_summed_over_any_stretch(rng: np.random.Generator) -> None:
    places = wandering(rng, 20)
    begins, counts = np.array([0, 3, 18]), np.array([20, 5, 2])
    found = Stretches.of(places).stepping(begins, counts)
    for begin, count, each in zip(begins, counts, found, strict=True):
        steps = np.diff(places[begin : begin + count], axis=0)
        np.testing.assert_allclose(each, steps.T @ steps / len(steps), atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_lying_on_a_line_or_a_plane_agrees_with_the_eigenvalues(rng: np.random.Generator, kind: SlideKind) -> None:
    stretches = Stretches.of(wandering(rng, 300))
    for power, table in enumerate(stretches.tables[2:], start=2):
        variances = np.linalg.eigvalsh(table.covariance)
        away = np.sqrt(np.maximum(variances[:, : 2 if kind == "line" else 1].sum(axis=1), 0.0))
        # Scatter without a direction is a special case: there the line is accepted, and has no extent.
        flat = variances.sum(axis=1)
        for tolerance in np.quantile(away, [0.1, 0.5, 0.9]):
            expected = away <= tolerance
            if kind == "line":
                expected |= flat <= 2.0 * tolerance**2
            clear = np.abs(away - tolerance) > 1e-9
            np.testing.assert_array_equal(table.lies_on(kind, float(tolerance))[clear], expected[clear], str(power))


@pytest.mark.parametrize("kind", KINDS)
def test_the_longest_stretch_lies_on_it_and_one_place_more_does_not(rng: np.random.Generator, kind: SlideKind) -> None:
    # Exact lines and planes with kinks between them: how far each reaches is known.
    parts, lengths = [], [7, 16, 33, 5, 20]
    for length in lengths:
        axes = np.linalg.qr(rng.standard_normal((3, 3)))[0]
        along = np.linspace(0.0, 1.0, length)[:, None] * axes[0]
        across = 0.0 if kind == "line" else rng.uniform(-0.5, 0.5, (length, 1)) * axes[1]
        parts.append(10.0 * rng.standard_normal(3) + along + across)
    places = np.concatenate(parts)
    limits = np.full(len(places), len(places))
    found = Stretches.of(places).longest(kind, 1e-6, limits)
    begins = np.cumsum([0, *lengths[:-1]])
    np.testing.assert_array_equal(found.count[begins], lengths)
    for begin in range(len(places)):
        end = begin + found.count[begin]
        if end - begin > 3:
            assert strays(places[begin:end], kind) < 2e-6
    halfway = begins + np.array(lengths) // 2
    np.testing.assert_array_equal(
        Stretches.of(places).longest(kind, 1e-6, limits).count[halfway], begins + lengths - halfway
    )


@pytest.mark.parametrize("kind", KINDS)
def test_no_stretch_passes_its_limit(rng: np.random.Generator, kind: SlideKind) -> None:
    places = np.linspace(0.0, 1.0, 50)[:, None] * np.array([1.0, 2.0, 3.0])
    limits = np.where(np.arange(50) < 20, 20, 50)
    stretches = Stretches.of(places)
    found = stretches.longest(kind, 1e-3, limits)
    np.testing.assert_array_equal(np.arange(50) + found.count, limits)
    begins = np.array([25, 45])
    back = stretches.lengthened(kind, 1e-3, begins, found.at(begins), np.array([20, 0]), backward=True)
    np.testing.assert_array_equal(back.count, [30, 50])


def test_a_single_place_is_a_stretch() -> None:
    stretches = Stretches.of(np.ones((1, 3)))
    assert stretches.longest("line", 1.0, np.array([1])).count.tolist() == [1]

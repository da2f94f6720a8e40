# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines and planes fitted to places, and how well they are determined."""

from __future__ import annotations

import numpy as np
import pytest

from poise.examples.detection.slides import pendulum, wiped_table
from poise.examples.detection.tracks import unit
from poise.solver.core.arrays import Array
from poise.solver.detection.sliding_fits import bend_of, breadth, fitted, off_conic, total_turning


def on_a_line(rng: np.random.Generator, noise: float, count: int = 60) -> tuple[Array, Array, Array]:
    place, along = rng.standard_normal(3), unit(rng.standard_normal(3))
    ways = np.sort(rng.uniform(-0.3, 0.3, count))[:, None]
    return place + ways * along + noise * rng.standard_normal((count, 3)), place, along


def test_a_line_and_a_plane_are_found_through_noise_and_outliers(rng: np.random.Generator) -> None:
    for _ in range(10):
        places, place, along = on_a_line(rng, 1e-3)
        places[::9] += 0.3 * rng.standard_normal((7, 3))
        fit = fitted("line", places, np.ones(len(places), dtype=bool), 1e-6)
        assert np.degrees(np.arccos(min(1.0, abs(float(fit.direction @ along))))) < 0.5
        assert np.linalg.norm(np.cross(fit.place - place, along)) < 2e-3
        assert fit.extent == pytest.approx(0.6, rel=0.2)

        out, across = unit(rng.standard_normal(3)), rng.uniform(-0.3, 0.3, (60, 3))
        places = place + across - (across @ out)[:, None] * out + 1e-3 * rng.standard_normal((60, 3))
        places[::9] += 0.3 * rng.standard_normal((7, 3))
        fit = fitted("plane", places, np.ones(60, dtype=bool), 1e-6)
        assert np.degrees(np.arccos(min(1.0, abs(float(fit.direction @ out))))) < 0.5
        assert abs(float((fit.place - place) @ out)) < 2e-3


def test_places_that_are_not_used_do_not_count(rng: np.random.Generator) -> None:
    places, _, along = on_a_line(rng, 0.0)
    used = np.ones(len(places), dtype=bool)
    used[40:] = False
    places[40:] = rng.standard_normal((20, 3))
    fit = fitted("line", places, used, 1e-9)
    np.testing.assert_allclose(np.abs(fit.direction @ along), 1.0, atol=1e-12)
    np.testing.assert_allclose(fit.distances(places[:40]), 0.0, atol=1e-12)


def test_noise_does_not_bend_a_line_but_an_arc_does(rng: np.random.Generator) -> None:
    bends = []
    for _ in range(20):
        places, _, _ = on_a_line(rng, 1e-3)
        bend, along = bend_of("line", places)
        bends.append(bend)
        assert along == pytest.approx(0.6 / np.sqrt(12.0), rel=0.2)
    assert max(bends) < 1.2e-3
    angle = np.linspace(-0.25, 0.25, 60)
    arc = np.stack([0.6 * np.sin(angle), 0.6 * np.cos(angle), 0.0 * angle], axis=1)
    # The root of the mean square about the chord's mean is 0.298 of the sagitta.
    bend, _ = bend_of("line", arc)
    assert bend == pytest.approx(0.298 * 0.6 * (1.0 - np.cos(0.25)), rel=0.05)
    trembling, _ = bend_of("line", arc + 1e-3 * rng.standard_normal(arc.shape))
    assert trembling == pytest.approx(bend, rel=0.2)


def test_an_arc_is_on_a_conic_and_a_wiped_table_is_not() -> None:
    arc, wiped = pendulum(100).places, wiped_table().places[30:175]
    for places, on_one in ((arc, True), (wiped, False)):
        fit = fitted("plane", places, np.ones(len(places), dtype=bool), 1e-9)
        assert (off_conic(fit, places) < 2e-3) == on_one
    angle = np.linspace(0.0, 4.0 * np.pi, 200)
    ellipse = np.stack([0.3 * np.cos(angle), 0.1 * np.sin(angle), 0.05 * np.cos(angle)], axis=1)
    fit = fitted("plane", ellipse, np.ones(200, dtype=bool), 1e-9)
    assert off_conic(fit, ellipse) < 1e-6
    assert total_turning(fit, ellipse) == pytest.approx(4.0 * np.pi, rel=0.03)
    # Half an axis of an ellipse is 2^½ standard deviations of its places.
    assert breadth(ellipse) == pytest.approx(np.sqrt(12.0) * 0.1 / np.sqrt(2.0), rel=0.05)

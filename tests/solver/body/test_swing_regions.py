# SPDX-License-Identifier: GPL-3.0-or-later
"""Regions of directions: their extents enclose what they say, widened or merged, and their polygons are the regions."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.limits import BallLimit
from poise.solver.body.swing_regions import CORNERS, Star, Strip, widened_range
from poise.solver.core import rotations
from poise.solver.core.arrays import Array

MARGIN = 0.01


def frame(rng: np.random.Generator, *, mirrored: bool = False) -> Array:
    axes = rotations.to_matrix(rotations.random(rng))
    return axes * (1.0, -1.0, 1.0) if mirrored else axes


def excess(region: Star | Strip, extents: Array, directions: Array) -> Array:
    polygon = region.polygon(extents)
    assert polygon is not None
    limit = BallLimit(region.frame[2], swing=polygon)
    return limit.excess(rotations.between(region.frame[2], directions))[:, 0]


def star_direction(region: Star, azimuth: float, angle: float) -> Array:
    across = np.cos(azimuth) * region.frame[0] + np.sin(azimuth) * region.frame[1]
    return np.asarray(np.cos(angle) * region.frame[2] + np.sin(angle) * across)


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_star_ends_at_its_quarters(rng: np.random.Generator, mirrored: bool) -> None:
    region = Star(frame(rng, mirrored=mirrored), (2.0, 0.7, 0.5, 0.3))
    for quarter, angle in enumerate(region.quarters):
        ends = np.stack([star_direction(region, quarter * np.pi / 2, angle + step) for step in (-1e-6, 1e-6)])
        inside, outside = excess(region, region.extents(), ends)
        assert inside < 0.0 < outside


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("widest", [0.5, 1.5, 2.8])
def test_a_widened_star_encloses_every_direction_with_its_margin(
    rng: np.random.Generator, widest: float, mirrored: bool
) -> None:
    region = Star(frame(rng, mirrored=mirrored), (0.4, 0.3, 0.2, 0.3))
    for _ in range(20):
        count = int(rng.integers(1, 30))
        angles = rng.uniform(0.0, widest, count)
        directions = np.stack([star_direction(region, rng.uniform(0.0, 7.0), angle) for angle in angles])
        extents = np.maximum(region.extents(), region.extents_for(directions, MARGIN))
        assert (excess(region, extents, directions) < -0.1 * MARGIN).all()


def test_a_star_has_no_dents(rng: np.random.Generator) -> None:
    region = Star(frame(rng), (0.2, 0.2, 0.2, 0.2))
    far = np.stack([star_direction(region, azimuth, 1.0) for azimuth in (0.0, 0.5 * np.pi)])
    extents = np.maximum(region.extents(), region.extents_for(far, MARGIN))
    between = star_direction(region, 0.25 * np.pi, np.sqrt(0.5))[None]
    assert excess(region, extents, between)[0] < 0.0, "a posture between two allowed ones is refused"
    assert excess(region, extents, star_direction(region, 1.25 * np.pi, 0.3)[None])[0] > 0.0, "and no more is allowed"


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_strip_encloses_what_bends_along_its_plane(rng: np.random.Generator, mirrored: bool) -> None:
    region = Strip(frame(rng, mirrored=mirrored), (0.0, 2.4), 0.1)

    def direction(bend: float, side: float) -> Array:
        along = np.cos(bend) * region.frame[0] + np.sin(bend) * region.frame[1]
        return np.asarray(np.cos(side) * along + np.sin(side) * region.frame[2])

    def is_inside(extents: Array, bend: float, side: float) -> bool:
        polygon = region.polygon(extents)
        assert polygon is not None
        axis = region.frame[0]
        limit = BallLimit(axis, swing=polygon)
        return bool(limit.excess(rotations.between(axis, direction(bend, side)))[0] < 0.0)

    for bend, side, inside in [(1.2, 0.0, True), (1.2, 0.09, True), (1.2, 0.12, False), (2.39, 0.0, True),
                               (2.45, 0.0, False), (-0.05, 0.0, False)]:  # fmt: skip
        assert is_inside(region.extents(), bend, side) == inside, (bend, side)
    extents = np.maximum(region.extents(), region.extents_for(direction(-0.5, 0.3)[None], MARGIN))
    for bend, side, inside in [(-0.5, 0.3, True), (1.2, 0.3, True), (1.2, -0.12, False), (-0.6, 0.0, False)]:
        assert is_inside(extents, bend, side) == inside, (bend, side)


def test_a_region_that_is_nearly_everything_limits_nothing(rng: np.random.Generator) -> None:
    star = Star(frame(rng), (1.0, 1.0, 1.0, 1.0))
    assert star.polygon(np.full(CORNERS, 3.1)) is None
    strip = Strip(frame(rng), (0.0, 1.0), 0.1)
    assert strip.polygon(np.array([0.0, 1.0, 1.5, 0.1])) is None
    assert strip.polygon(np.array([3.0, 3.0, 0.1, 0.1])) is None


def test_a_range_is_widened_to_angles_up_to_whole_turns(rng: np.random.Generator) -> None:
    assert widened_range((-0.5, 1.0), np.array([0.0, 0.9])) == pytest.approx((-0.5, 1.0))
    low, high = widened_range((-0.5, 1.0), np.array([1.4, -0.6 + 2.0 * np.pi]))
    assert -0.63 < low < -0.6 and 1.4 < high < 1.43
    low, high = widened_range((0.0, 0.5), np.array([3.0]))
    assert low == pytest.approx(0.0, abs=1e-9) and 3.0 < high < 3.03, "the shorter way round"
    low, high = widened_range((0.0, 0.5), np.array([-2.0]))
    assert -2.03 < low < -2.0 and high == pytest.approx(0.5)
    assert widened_range((0.0, 0.5), np.linspace(-np.pi, np.pi, 500)) is None
    for _ in range(50):
        angles = rng.uniform(-9.0, 9.0, int(rng.integers(1, 6)))
        found = widened_range((-0.2, 0.3), angles)
        assert found is not None
        middle, half = 0.5 * (found[0] + found[1]), 0.5 * (found[1] - found[0])
        assert (np.abs(np.mod(angles - middle + np.pi, 2.0 * np.pi) - np.pi) < half).all()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Bases of B-splines."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.core.arrays import Array
from poise.solver.core.bsplines import basis, cyclic_basis, open_knots
from poise.solver.core.errors import ConstraintError

KINDS = [(1, 1), (2, 1), (3, 1), (3, 2), (4, 1), (4, 2), (4, 4)]
"""Degrees and multiplicities."""

STEP = 1e-5


def uneven_breaks(rng: np.random.Generator, intervals: int = 7) -> Array:
    return np.cumsum(rng.uniform(0.3, 1.2, intervals + 1)) - 2.0


def inner_times(rng: np.random.Generator, breaks: Array, count: int = 40) -> Array:
    """Times away from the breaks, at which every spline is a polynomial."""
    times = rng.uniform(breaks[0], breaks[-1], count)
    return times[np.abs(times[:, None] - breaks).min(axis=1) > 2.0 * STEP]


@pytest.mark.parametrize(("degree", "multiplicity"), KINDS)
def test_values_of_all_splines_add_up_to_one_and_none_is_negative(
    rng: np.random.Generator, degree: int, multiplicity: int
) -> None:
    breaks = uneven_breaks(rng)
    times = np.linspace(breaks[0], breaks[-1], 101)
    for table in (
        basis(open_knots(breaks, degree, multiplicity), degree, times),
        cyclic_basis(breaks, degree, times, multiplicity=multiplicity),
    ):
        np.testing.assert_allclose(table.sum(axis=1), 1.0, atol=1e-13)
        assert table.min() >= -1e-15


@pytest.mark.parametrize(("degree", "multiplicity"), KINDS)
def test_there_are_as_many_coefficients_as_freedoms(degree: int, multiplicity: int) -> None:
    breaks = np.arange(6.0)
    # Degree + 1 for the first interval, and one more for each derivative that may jump at each inner break.
    expected = degree + 1 + 4 * multiplicity
    assert basis(open_knots(breaks, degree, multiplicity), degree, [0.5]).shape == (1, expected)
    assert cyclic_basis(breaks, degree, [0.5], multiplicity=multiplicity).shape == (1, 5 * multiplicity)


@pytest.mark.parametrize(("degree", "multiplicity"), KINDS)
@pytest.mark.parametrize("derivative", [1, 2, 3, 4])
def test_derivatives_are_those_of_finite_differences(
    rng: np.random.Generator, degree: int, multiplicity: int, derivative: int
) -> None:
    breaks = uneven_breaks(rng)
    times = inner_times(rng, breaks)
    knots = open_knots(breaks, degree, multiplicity)
    ahead, behind = (basis(knots, degree, times + by, derivative - 1) for by in (STEP, -STEP))
    found = basis(knots, degree, times, derivative)
    np.testing.assert_allclose(found, (ahead - behind) / (2.0 * STEP), atol=1e-5)
    assert found.any() == (derivative <= degree)
    ahead, behind = (
        cyclic_basis(breaks, degree, times + by, derivative - 1, multiplicity=multiplicity) for by in (STEP, -STEP)
    )
    found = cyclic_basis(breaks, degree, times, derivative, multiplicity=multiplicity)
    np.testing.assert_allclose(found, (ahead - behind) / (2.0 * STEP), atol=1e-5)


@pytest.mark.parametrize(("degree", "multiplicity"), KINDS)
def test_polynomials_up_to_the_degree_are_reproduced_and_no_others(
    rng: np.random.Generator, degree: int, multiplicity: int
) -> None:
    breaks = uneven_breaks(rng)
    times = np.linspace(breaks[0], breaks[-1], 200)
    knots = open_knots(breaks, degree, multiplicity)
    for power in range(degree + 2):
        wanted = (times / 3.0) ** power
        coefficients, *_ = np.linalg.lstsq(basis(knots, degree, times), wanted, rcond=None)
        error = np.abs(basis(knots, degree, times) @ coefficients - wanted).max()
        assert (error < 1e-11) == (power <= degree)
        if power <= degree:
            slopes = power * (times / 3.0) ** max(power - 1, 0) / 3.0
            np.testing.assert_allclose(basis(knots, degree, times, 1) @ coefficients, slopes, atol=1e-9)


@pytest.mark.parametrize(("degree", "multiplicity"), KINDS)
def test_as_many_derivatives_are_continuous_at_breaks_as_the_multiplicity_leaves(
    rng: np.random.Generator, degree: int, multiplicity: int
) -> None:
    breaks = uneven_breaks(rng)
    knots = open_knots(breaks, degree, multiplicity)
    coefficients = rng.standard_normal(len(knots) - degree - 1)
    for derivative in range(degree + 1):
        for number in range(1, len(breaks) - 1):
            before, after = _one_sided(knots, degree, breaks, number, derivative, coefficients)
            is_continuous = abs(before - after) < 1e-9 * max(abs(before), abs(after), 1.0)
            assert is_continuous == (derivative <= degree - multiplicity), (derivative, number)


def _one_sided(
    knots: Array, degree: int, breaks: Array, number: int, derivative: int, coefficients: Array
) -> tuple[float, float]:
    """A derivative at a break from below, by the Taylor series at the middle of the interval before, and from above."""
    middle = (breaks[number - 1] + breaks[number]) / 2.0
    way, before, term = breaks[number] - middle, 0.0, 1.0
    for order in range(derivative, degree + 1):
        before += term * float(basis(knots, degree, [middle], order)[0] @ coefficients)
        term *= way / (order - derivative + 1)
    return before, float(basis(knots, degree, [breaks[number]], derivative)[0] @ coefficients)


@pytest.mark.parametrize(("degree", "multiplicity"), KINDS)
def test_cyclic_splines_agree_at_both_ends_with_their_continuous_derivatives(
    rng: np.random.Generator, degree: int, multiplicity: int
) -> None:
    breaks = uneven_breaks(rng)
    period = breaks[-1] - breaks[0]
    coefficients = rng.standard_normal(multiplicity * (len(breaks) - 1))

    def value(time: float, derivative: int) -> float:
        return float(cyclic_basis(breaks, degree, [time], derivative, multiplicity)[0] @ coefficients)

    for derivative in range(degree + 1):
        assert np.isclose(value(breaks[0], derivative), value(breaks[-1], derivative), atol=1e-12)
        assert np.isclose(value(breaks[0] + 0.4, derivative), value(breaks[0] + 0.4 - 2.0 * period, derivative))
        below, above = (value(breaks[0] + by, derivative) for by in (-1e-9, 1e-9))
        assert (abs(below - above) < 1e-5) == (derivative <= degree - multiplicity), derivative


def test_each_cyclic_spline_begins_at_the_knot_of_its_number(rng: np.random.Generator) -> None:
    breaks = uneven_breaks(rng)
    tables = cyclic_basis(breaks, 3, (breaks[1:] + breaks[:-1]) / 2.0)
    for interval, table in enumerate(tables):
        assert set(np.flatnonzero(table)) == {(interval - back) % 7 for back in range(4)}


@pytest.mark.parametrize("intervals", [1, 2, 3])
def test_a_cycle_shorter_than_the_degree_is_still_one(rng: np.random.Generator, intervals: int) -> None:
    breaks = uneven_breaks(rng, intervals)
    times = np.linspace(breaks[0], breaks[-1], 31)
    table = cyclic_basis(breaks, 3, times)
    assert table.shape == (31, intervals)
    np.testing.assert_allclose(table.sum(axis=1), 1.0, atol=1e-13)
    np.testing.assert_allclose(table[0], table[-1], atol=1e-13)
    np.testing.assert_allclose(cyclic_basis(breaks, 3, times, 2)[0], cyclic_basis(breaks, 3, times, 2)[-1], atol=1e-12)


def test_times_outside_have_the_polynomial_of_the_nearest_interval(rng: np.random.Generator) -> None:
    breaks = uneven_breaks(rng)
    knots = open_knots(breaks, 3)
    times = np.linspace(breaks[0] - 1.0, breaks[-1] + 1.0, 60)
    within = np.linspace(breaks[0], breaks[-1], 200)
    coefficients, *_ = np.linalg.lstsq(basis(knots, 3, within), within**3, rcond=None)
    np.testing.assert_allclose(basis(knots, 3, times) @ coefficients, times**3, atol=1e-10)


@pytest.mark.parametrize(
    ("breaks", "degree", "multiplicity"),
    [([0.0], 3, 1), ([0.0, 0.0, 1.0], 3, 1), ([1.0, 0.0], 3, 1), ([0.0, np.nan], 3, 1), ([0, 1], 0, 1), ([0, 1], 2, 3)],
)
def test_what_makes_no_spline_is_refused(breaks: list[float], degree: int, multiplicity: int) -> None:
    with pytest.raises(ConstraintError, match="spline"):
        open_knots(breaks, degree, multiplicity)
    with pytest.raises(ConstraintError, match="spline"):
        cyclic_basis(breaks, degree, [0.5], multiplicity=multiplicity)

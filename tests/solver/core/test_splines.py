# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves through points, by what every such curve must satisfy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError
from poise.solver.core.splines import Spline

from ..rounding import assert_equal_to_rounding

RUNS = 25


def random_points(rng: np.random.Generator, points: int | None = None, width: int = 3) -> tuple[Array, Array]:
    """Times whose gaps differ up to tenfold, and values."""
    points = int(rng.integers(2, 9)) if points is None else points
    return np.cumsum(rng.uniform(0.3, 3.0, points)) - 4.0, rng.standard_normal((points, width))


def random_parameters(rng: np.random.Generator, points: int) -> dict[str, Array]:
    return {name: rng.uniform(-1.0, 1.0, points) for name in ("tension", "continuity", "bias")}


def random_spline(rng: np.random.Generator, **given: Any) -> Spline:
    times, values = random_points(rng)
    ends = {"first_tangent": rng.standard_normal(3), "last_tangent": rng.standard_normal(3)}
    return Spline(times, values, **(random_parameters(rng, len(times)) | ends | given))


def inside(spline: Spline, rng: np.random.Generator, count: int = 40) -> Array:
    """Random times on the curve, away from its points by more than a difference quotient reaches."""
    u = rng.uniform(0.01, 0.99, (count, len(spline.times) - 1))
    return np.ravel(spline.times[:-1] + u * np.diff(spline.times))


# --- through the points -------------------------------------------------------------------------------------------


def test_the_curve_meets_its_points_to_the_last_bit(rng: np.random.Generator) -> None:
    for _ in range(RUNS):
        spline = random_spline(rng)
        np.testing.assert_array_equal(spline.at(spline.times), spline.values)


def test_the_curve_is_continuous_at_its_points(rng: np.random.Generator) -> None:
    step = 1e-9
    for _ in range(RUNS):
        spline = random_spline(rng)
        speed = np.abs([spline.incoming, spline.outgoing]).max()
        for side in (-step, step):
            gap = np.abs(spline.at(spline.times + side) - spline.values).max()
            assert gap <= 2.0 * step * speed + 1e-14


def test_the_curve_stays_at_its_ends_beyond_them(rng: np.random.Generator) -> None:
    spline = random_spline(rng)
    before, after = spline.times[0] - [np.inf, 7.0, 1e-3], spline.times[-1] + [1e-3, 7.0, np.inf]
    np.testing.assert_array_equal(spline.at(before), np.tile(spline.values[0], (3, 1)))
    np.testing.assert_array_equal(spline.at(after), np.tile(spline.values[-1], (3, 1)))
    assert not spline.velocity(np.concatenate([before, after])).any()


def test_one_point_is_a_constant(rng: np.random.Generator) -> None:
    spline = Spline([3.0], [[1.0, -2.0]], tension=0.3, first_tangent=[5.0, 6.0])
    asked = rng.uniform(-9.0, 9.0, 6)
    np.testing.assert_array_equal(spline.at(asked), np.tile([1.0, -2.0], (6, 1)))
    np.testing.assert_array_equal(spline.velocity(asked), np.zeros((6, 2)))


def test_equal_neighbours_under_full_tension_stay_to_the_last_bit(rng: np.random.Generator) -> None:
    times, values = random_points(rng, 6)
    values[3] = values[2]
    spline = Spline(times, values, tension=[0.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    stay = np.linspace(times[2], times[3], 50)
    np.testing.assert_array_equal(spline.at(stay), np.tile(values[2], (50, 1)))
    assert not spline.velocity(stay[:-1]).any()


def test_many_times_at_once_are_each_time_alone(rng: np.random.Generator) -> None:
    spline = random_spline(rng)
    asked = rng.uniform(spline.times[0] - 1.0, spline.times[-1] + 1.0, (7, 5))
    for of_times in (spline.at, spline.velocity):
        together = of_times(asked)
        assert together.shape == (7, 5, 3)
        alone = np.array([[of_times(time) for time in row] for row in asked])
        assert_equal_to_rounding(together, alone)
    assert spline.at([]).shape == (0, 3)


# --- velocities ---------------------------------------------------------------------------------------------------


def test_the_velocity_is_the_derivative(rng: np.random.Generator) -> None:
    step = 1e-5
    for _ in range(RUNS):
        spline = random_spline(rng)
        asked = inside(spline, rng)
        differences = (spline.at(asked + step) - spline.at(asked - step)) / (2.0 * step)
        np.testing.assert_allclose(spline.velocity(asked), differences, atol=1e-7)


def test_the_velocity_at_a_point_is_the_one_that_leaves_it(rng: np.random.Generator) -> None:
    step = 1e-7
    for _ in range(RUNS):
        spline = random_spline(rng)
        np.testing.assert_allclose(spline.velocity(spline.times), spline.outgoing, atol=1e-12)
        leaving = (spline.at(spline.times + step) - spline.values)[:-1] / step
        arriving = (spline.values - spline.at(spline.times - step))[1:] / step
        np.testing.assert_allclose(leaving, spline.outgoing[:-1], atol=1e-4)
        np.testing.assert_allclose(arriving, spline.incoming[1:], atol=1e-4)


def test_the_velocity_is_continuous_at_unequal_times(rng: np.random.Generator) -> None:
    step = 1e-10
    for _ in range(RUNS):
        spline = random_spline(rng, continuity=0.0)
        inner = spline.times[1:-1]
        np.testing.assert_allclose(spline.velocity(inner - step), spline.velocity(inner), atol=1e-7)


def test_a_break_in_continuity_breaks_the_velocity(rng: np.random.Generator) -> None:
    times, values = random_points(rng, 5)
    spline = Spline(times, values, continuity=0.5)
    inner = times[1:-1]
    jump = spline.velocity(inner) - spline.velocity(inner - 1e-8)
    assert (np.linalg.norm(jump, axis=1) > 1e-2).all()


def test_full_tension_brings_the_curve_to_rest(rng: np.random.Generator) -> None:
    for _ in range(RUNS):
        times, values = random_points(rng)
        spline = Spline(times, values, **(random_parameters(rng, len(times)) | {"tension": np.ones(len(times))}))
        assert not spline.incoming.any() and not spline.outgoing.any()
        # Between points at rest there is only one cubic: straight in space, slow at both ends.
        asked = inside(spline, rng)
        segment = np.searchsorted(times, asked) - 1
        u = ((asked - times[segment]) / np.diff(times)[segment])[:, None]
        straight = values[segment] + (3.0 * u**2 - 2.0 * u**3) * np.diff(values, axis=0)[segment]
        np.testing.assert_allclose(spline.at(asked), straight, atol=1e-13)


def test_given_end_tangents_are_kept(rng: np.random.Generator) -> None:
    step = 1e-7
    for _ in range(RUNS):
        first, last = rng.standard_normal((2, 3))
        spline = random_spline(rng, first_tangent=first, last_tangent=last)
        begin, end = spline.times[[0, -1]]
        np.testing.assert_allclose(spline.velocity([begin, end]), [first, last], atol=1e-13)
        np.testing.assert_allclose((spline.at(begin + step) - spline.at(begin)) / step, first, atol=1e-4)
        np.testing.assert_allclose((spline.at(end) - spline.at(end - step)) / step, last, atol=1e-4)


# --- what the parameters mean -------------------------------------------------------------------------------------


def test_evenly_spaced_points_have_the_printed_tangents(rng: np.random.Generator) -> None:
    """Equations 4.2 and 4.3, which count time in intervals, and 4.1 with the Hermite basis."""
    points, gap = 7, 2.5
    values = rng.standard_normal((points, 3))
    given = random_parameters(rng, points)
    ends = rng.standard_normal((2, 3))
    spline = Spline(
        gap * np.arange(points) + 1.0, values, first_tangent=ends[0] / gap, last_tangent=ends[1] / gap, **given
    )
    source, destination = np.tile(ends[0], (points, 1)), np.tile(ends[1], (points, 1))
    destination[0], source[-1] = ends
    for i in range(1, points - 1):
        t, c, b = (given[name][i] for name in ("tension", "continuity", "bias"))
        before, after = values[i] - values[i - 1], values[i + 1] - values[i]
        source[i] = (1 - t) * (1 - c) * (1 + b) / 2 * before + (1 - t) * (1 + c) * (1 - b) / 2 * after
        destination[i] = (1 - t) * (1 + c) * (1 + b) / 2 * before + (1 - t) * (1 - c) * (1 - b) / 2 * after
    np.testing.assert_allclose(gap * spline.incoming[1:], source[1:], atol=1e-13)
    np.testing.assert_allclose(gap * spline.outgoing[:-1], destination[:-1], atol=1e-13)

    u = np.linspace(0.0, 1.0, 21)[:, None]
    basis = np.hstack([2 * u**3 - 3 * u**2 + 1, 3 * u**2 - 2 * u**3, u**3 - 2 * u**2 + u, u**3 - u**2])
    for i in range(points - 1):
        curve = basis @ np.array([values[i], values[i + 1], destination[i], source[i + 1]])
        np.testing.assert_allclose(spline.at(spline.times[i] + gap * u[:, 0]), curve, atol=1e-12)


def test_without_parameters_the_velocity_is_the_mean_over_both_intervals(rng: np.random.Generator) -> None:
    for _ in range(RUNS):
        times, values = random_points(rng)
        mean = (values[2:] - values[:-2]) / (times[2:] - times[:-2])[:, None]
        np.testing.assert_allclose(Spline(times, values).velocity(times[1:-1]), mean, atol=1e-13)


def test_a_straight_and_even_motion_is_reproduced_at_any_times(rng: np.random.Generator) -> None:
    for points in range(2, 9):
        times, _ = random_points(rng, points)
        origin, direction = rng.standard_normal((2, 3))
        spline = Spline(times, origin + times[:, None] * direction)
        asked = rng.uniform(times[0], times[-1], 50)
        np.testing.assert_allclose(spline.at(asked), origin + asked[:, None] * direction, atol=1e-13)
        np.testing.assert_allclose(spline.velocity(asked), np.tile(direction, (50, 1)), atol=1e-13)


def test_a_parabola_is_reproduced_between_inner_points_at_even_times(rng: np.random.Generator) -> None:
    """The mean velocity over two equal intervals is a parabola's velocity in the middle."""
    times = 1.5 * np.arange(6)
    a, b, c = rng.standard_normal((3, 2))

    def parabola(t: Array) -> Array:
        return a + b * t[:, None] + c * t[:, None] ** 2

    asked = rng.uniform(times[1], times[-2], 50)
    np.testing.assert_allclose(Spline(times, parabola(times)).at(asked), parabola(asked), atol=1e-12)


def test_a_positive_bias_leans_toward_where_the_curve_came_from() -> None:
    times, corner = [0.0, 1.0, 3.0], [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]
    came, goes = (Spline(times, corner, bias=bias).velocity([1.0])[0] for bias in (1.0, -1.0))
    assert came[0] > 0.0 and came[1] == 0.0
    assert goes[0] == 0.0 and goes[1] > 0.0


# --- what must not matter -----------------------------------------------------------------------------------------


def test_time_run_backward_gives_the_same_curve_with_the_bias_turned(rng: np.random.Generator) -> None:
    for _ in range(RUNS):
        times, values = random_points(rng)
        given = random_parameters(rng, len(times))
        backward = {name: parameter[::-1] for name, parameter in given.items()}
        backward["bias"] = -backward["bias"]
        ends = [None, None] if rng.random() < 0.5 else list(rng.standard_normal((2, 3)))
        turned = [None if end is None else -end for end in ends]
        one = Spline(times, values, first_tangent=ends[0], last_tangent=ends[1], **given)
        other = Spline(-times[::-1], values[::-1], first_tangent=turned[1], last_tangent=turned[0], **backward)
        asked = inside(one, rng)
        np.testing.assert_allclose(one.at(asked), other.at(-asked), atol=1e-12)
        np.testing.assert_allclose(one.velocity(asked), -other.velocity(-asked), atol=1e-12)


def test_an_affine_map_of_the_points_maps_the_curve(rng: np.random.Generator) -> None:
    for _ in range(RUNS):
        times, values = random_points(rng)
        given = random_parameters(rng, len(times))
        matrix, shift = rng.standard_normal((3, 3)), 10.0 * rng.standard_normal(3)
        ends = rng.standard_normal((2, 3))
        one = Spline(times, values, first_tangent=ends[0], last_tangent=ends[1], **given)
        other = Spline(
            times, values @ matrix + shift, first_tangent=ends[0] @ matrix, last_tangent=ends[1] @ matrix, **given
        )
        asked = rng.uniform(times[0] - 1.0, times[-1] + 1.0, 50)
        np.testing.assert_allclose(other.at(asked), one.at(asked) @ matrix + shift, atol=1e-11)


def test_the_unit_and_the_origin_of_time_do_not_matter(rng: np.random.Generator) -> None:
    for _ in range(RUNS):
        times, values = random_points(rng)
        given = random_parameters(rng, len(times))
        ends = rng.standard_normal((2, 3))
        one = Spline(times, values, first_tangent=ends[0], last_tangent=ends[1], **given)
        slow = Spline(24.0 * times + 100.0, values, first_tangent=ends[0] / 24.0, last_tangent=ends[1] / 24.0, **given)
        asked = inside(one, rng)
        np.testing.assert_allclose(slow.at(24.0 * asked + 100.0), one.at(asked), atol=1e-11)
        np.testing.assert_allclose(24.0 * slow.velocity(24.0 * asked + 100.0), one.velocity(asked), atol=1e-10)


def test_a_far_place_costs_no_more_than_its_own_rounding(rng: np.random.Generator) -> None:
    times, values = random_points(rng, 6)
    far = 1e6
    asked = rng.uniform(times[0], times[-1], 50)
    near, away = Spline(times, values).at(asked), Spline(times, values + far).at(asked)
    np.testing.assert_allclose(away - far, near, atol=8.0 * far * np.finfo(np.float64).eps)


def test_a_point_moves_the_curve_only_two_intervals_away(rng: np.random.Generator) -> None:
    times, values = random_points(rng, 9)
    moved = values.copy()
    moved[4] += 1.0
    asked = np.concatenate([np.linspace(times[0], times[2], 20), np.linspace(times[6], times[8], 20)])
    np.testing.assert_array_equal(Spline(times, values).at(asked), Spline(times, moved).at(asked))


# --- what cannot be -----------------------------------------------------------------------------------------------


def test_a_spline_keeps_its_points_when_the_caller_changes_theirs(rng: np.random.Generator) -> None:
    times, values = random_points(rng, 4)
    kept = times.copy(), values.copy()
    spline = Spline(times, values)
    times += 1.0
    values += 1.0
    np.testing.assert_array_equal(spline.times, kept[0])
    np.testing.assert_array_equal(spline.values, kept[1])
    with pytest.raises(ValueError, match="read-only"):
        spline.values[0] = 0.0


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"times": [], "values": np.zeros((0, 3))}, "needs the times of its points"),
        ({"times": [[0.0, 1.0]]}, "needs the times of its points"),
        ({"values": [0.0, 1.0, 2.0]}, r"must have the shape \(3, width\), not \(3,\)"),
        ({"values": [[0.0], [1.0]]}, r"must have the shape \(3, width\), not \(2, 1\)"),
        ({"times": [0.0, 2.0, 2.0]}, "point 2 at 2 does not come after point 1 at 2"),
        ({"times": [0.0, 2.0, 1.0]}, "point 2 at 1 does not come after point 1 at 2"),
        ({"times": [0.0, np.nan, 2.0]}, "Point 1 .* not finite"),
        ({"times": [0.0, 1.0, np.inf]}, "Point 2 .* not finite"),
        ({"values": [[np.nan], [1.0], [2.0]]}, "Point 0 .* not finite"),
        ({"tension": [0.0, 1.0]}, r"The tension .* shape \(3,\), not \(2,\)"),
        ({"continuity": np.nan}, "The continuity .* must be finite"),
        ({"bias": [0.0, np.inf, 0.0]}, "The bias .* must be finite"),
        ({"first_tangent": [1.0, 2.0]}, "The first tangent .* 1 finite numbers"),
        ({"last_tangent": [np.nan]}, "The last tangent .* 1 finite numbers"),
        ({"times": [0.0, 5e-324, 1e-323]}, "Point 0 .* too close in time"),
    ],
)
def test_a_spline_that_cannot_be_is_refused_with_a_sentence(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ConstraintError, match=told):
        Spline(**({"times": [0.0, 1.0, 2.0], "values": [[0.0], [1.0], [5.0]]} | given))


def test_a_time_that_is_no_number_is_refused() -> None:
    spline = Spline([0.0, 1.0], [[0.0], [1.0]])
    for of_times in (spline.at, spline.velocity):
        with pytest.raises(ConstraintError, match="not a number"):
            of_times([0.5, np.nan])

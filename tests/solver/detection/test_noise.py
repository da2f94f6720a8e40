# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise patterns: thresholds from examples without their outliers, over time."""

from __future__ import annotations

import numpy as np
import pytest

from poise.examples.detection.tracks import at_rest, eased, noisy, turning
from poise.solver import MovingObject, PoiseError
from poise.solver.core import rotations
from poise.solver.detection.displacements import local_displacements
from poise.solver.detection.noise import (
    CANDIDATES,
    NoiseCurve,
    NoisePattern,
    largest,
    noise_pattern,
    noise_threshold,
    without_outliers,
)
from poise.solver.detection.settings import DetectionSettings
from poise.solver.detection.sigma_epsilon import sigma_epsilon
from poise.solver.detection.templates import Template


@pytest.mark.parametrize("outliers", [1, 5, 9])
def test_outliers_are_left_out_and_the_rest_is_kept(rng: np.random.Generator, outliers: int) -> None:
    for _ in range(30):
        good = rng.uniform(1.0, 2.0, 20)
        bad = rng.uniform(20.0, 90.0, outliers)
        kept = without_outliers(np.concatenate([bad, good]))
        assert kept.max() < 3.0 and len(kept) >= 12


def test_a_normal_sample_is_kept_nearly_whole(rng: np.random.Generator) -> None:
    kept = without_outliers(rng.standard_normal(400))
    assert len(kept) > 0.9 * 400


def test_it_is_the_least_median_of_squares(rng: np.random.Generator) -> None:
    # Written out for each candidate as Le Callennec 2006 has it, with the median of an odd sample.
    for _ in range(20):
        sample = rng.gamma(2.0, 1.0, 15)
        medians = [np.median((sample - middle) ** 2) for middle in sample]
        middle = sample[int(np.argmin(medians))]
        spread = 1.4826 * (1.0 + 5.0 / 14.0) * np.sqrt(min(medians))
        expected = np.sort(sample[(sample - middle) ** 2 < (2.5 * spread) ** 2])
        np.testing.assert_array_equal(without_outliers(sample), expected)


def test_equal_values_keep_themselves() -> None:
    # With more than half of them equal the spread is zero, and the printed rule would reject even the middle.
    np.testing.assert_array_equal(without_outliers([3.0, 3.0, 3.0, 7.0]), [3.0, 3.0, 3.0])
    assert largest([0.0, 0.0, 0.0, 0.0, 1.0]) == 0.0
    assert largest([4.0]) == 4.0


def test_long_samples_are_read_as_short_ones_are(rng: np.random.Generator) -> None:
    good = rng.uniform(1.0, 2.0, 5 * CANDIDATES)
    kept = without_outliers(np.concatenate([good, np.full(CANDIDATES, 50.0)]))
    assert kept.max() < 3.0 and len(kept) > 0.9 * len(good)


def test_the_naive_maximum_starts_at_zero_and_takes_all() -> None:
    assert largest([1.0, 9.0, 2.0], "naive") == 9.0
    assert largest([], "naive") == 0.0
    assert largest([]) == 0.0


def test_a_curve_passes_through_its_examples_and_stays_in_their_range(rng: np.random.Generator) -> None:
    for _ in range(30):
        edges = np.sort(rng.choice(300, 10, replace=False)).reshape(5, 2)
        values = rng.uniform(0.0, 1.0, 5) ** 4
        curve = NoiseCurve.through([(*edge, value) for edge, value in zip(edges, values, strict=True)], 0.0)
        for (begin, end), value in zip(edges, values, strict=True):
            np.testing.assert_allclose(curve.at(np.arange(begin, end + 1)), value, atol=1e-15)
        everywhere = curve.at(np.arange(-50.0, 350.0, 0.5))
        assert everywhere.min() >= values.min() - 1e-15 and everywhere.max() <= values.max() + 1e-15
        np.testing.assert_allclose(curve.at([-50.0, 400.0]), values[[0, -1]])
        for one in range(4):
            between = curve.at(np.linspace(edges[one, 1], edges[one + 1, 0], 20))
            assert (np.diff(between) * np.sign(values[one + 1] - values[one]) >= -1e-15).all()
        smooth = np.abs(np.diff(curve.at(np.arange(0.0, 300.0, 0.01)), 2)).max()
        assert smooth < 1e-3, "the curve has a corner"


def test_where_examples_meet_the_larger_counts() -> None:
    curve = NoiseCurve.through([(0, 10, 1.0), (10, 20, 3.0)], 0.0)
    np.testing.assert_array_equal(curve.at([0, 10, 20]), [1.0, 3.0, 3.0])
    other = NoiseCurve.through([(0, 10, 3.0), (10, 20, 1.0)], 0.0)
    np.testing.assert_array_equal(other.at([0, 10, 20]), [3.0, 3.0, 1.0])


def test_without_examples_a_curve_is_its_floor() -> None:
    np.testing.assert_array_equal(NoiseCurve.through([], 0.25).at([0, 5]), 0.25)
    np.testing.assert_array_equal(NoiseCurve().at([[0.0, 1.0]]), [[-1.0, -1.0]])
    np.testing.assert_array_equal(NoiseCurve.through([(0, 3, 0.1)], 0.25).at([0, 5]), 0.25)


def pattern_of(body: MovingObject, *templates: Template, method: str = "lmeds") -> NoisePattern:
    settings = DetectionSettings(method=method)  # type: ignore[arg-type]
    return noise_pattern(body, sigma_epsilon(local_displacements(body)), templates, 1.0, settings)


def test_a_space_template_measures_rotation_and_translation(rng: np.random.Generator) -> None:
    body = noisy(at_rest((3.0, 2.0, 1.0), rotations.random(rng), 200), rng, 1e-3, 2e-3)
    points = sigma_epsilon(local_displacements(body))
    pattern = pattern_of(body, Template(20, 180), method="naive")
    assert float(pattern.sigma.at(0)) == pytest.approx(points.sigma[20:180].max(), rel=1e-12)
    assert float(pattern.space_residual.at(0)) == pytest.approx(points.space_residual[20:180].max(), rel=1e-12)
    assert float(pattern.line_residual.at(0)) < 0.0, "no example of a line was given"
    robust = pattern_of(body, Template(20, 180))
    # Of 160 displacements the largest that belong together, and the share by which others like them may be larger.
    for curve, values in ((robust.sigma, points.sigma), (robust.space_residual, points.space_residual)):
        more = 1.0 + 0.5 * np.log(DetectionSettings().noise_excess) / np.log(160.0)
        assert float(curve.at(0)) == pytest.approx(largest(values[20:180]) * more, rel=1e-12)
    assert 0.6 < float(robust.sigma.at(0)) / float(pattern.sigma.at(0)) <= more


@pytest.mark.parametrize("count", [5, 13, 60])
def test_the_noise_threshold_is_exceeded_less_often_than_the_largest_value(
    rng: np.random.Generator, count: int
) -> None:
    # Displacements of noise have the lengths of three normal numbers; four times less often is meant, to first order.
    samples = np.linalg.norm(rng.standard_normal((600, count + 100, 3)), axis=2)
    shown, others = samples[:, :count], samples[:, count:]
    exceeded = [
        float(np.mean(others > np.array([threshold(each) for each in shown])[:, None]))
        for threshold in (largest, noise_threshold)
    ]
    assert 2.0 < exceeded[0] / exceeded[1] < 8.0
    assert noise_threshold(shown[0], DetectionSettings(method="naive")) == shown[0].max()


def test_a_line_template_measures_translation_along_its_axis_drift_and_tilt(rng: np.random.Generator) -> None:
    turns = rotations.from_axis_angle([0.0, 1.0, 0.0], eased(0.0, 2.0, 80))
    still = turning((1.0, 0.0, 0.0), turns, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    exact = pattern_of(still, Template(0, 79, "line"))
    assert float(exact.sigma.at(0)) < 0.0, "no example of a space constraint was given"
    for curve in (exact.line_residual, exact.drift):
        assert float(curve.at(0)) == 1e-6
    assert float(exact.tilt.at(0)) == DetectionSettings().rounding_turn
    levels = []
    for scale in (1e-4, 1e-3):
        found = pattern_of(noisy(still, np.random.default_rng(5), scale, scale), Template(0, 79, "line"))
        levels.append([float(curve.at(0)) for curve in (found.line_residual, found.drift, found.tilt)])
    np.testing.assert_allclose(np.divide(levels[1], levels[0]), 10.0, rtol=0.15)
    assert all(2.0 < level / 1e-3 < 15.0 for level in levels[1])


def test_each_template_counts_where_it_is(rng: np.random.Generator) -> None:
    quiet, loud = (at_rest((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), 100) for _ in range(2))
    parts = noisy(quiet, rng, 1e-4, 1e-4), noisy(loud, rng, 1e-2, 1e-2)
    body = MovingObject(
        np.concatenate([part.positions for part in parts]), np.concatenate([part.rotations for part in parts])
    )
    pattern = pattern_of(body, Template(110, 190), Template(5, 90))
    thresholds = pattern.thresholds(199, 1)
    assert thresholds.sigma[50] < 2e-3 and thresholds.sigma[150] > 2e-2
    assert 2.0 * thresholds.sigma[50] < thresholds.sigma[100] < 0.9 * thresholds.sigma[150]


def test_a_displacement_is_in_the_middle_of_its_frames() -> None:
    curve = NoiseCurve.through([(0, 4, 1.0), (8, 12, 3.0)], 0.0)
    thresholds = NoisePattern(curve, curve, curve).thresholds(9, 4)
    assert thresholds.sigma[4] == pytest.approx(2.0), "from frame 4 to 8, midway between both"


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Template(0, 5, "plane"), "no kind of constraint 'plane'"),  # type: ignore[arg-type]
        (lambda: Template(0.5, 5), "begin of a template must be a whole frame, not 0.5"),  # type: ignore[arg-type]
        (lambda: Template(True, 5), "begin of a template must be a whole frame"),
        (lambda: Template(-1, 5).check(100, 1), "from frame -1 to 5 does not lie within the clip, whose frames are"),
        (lambda: Template(90, 100).check(100, 1), "from frame 90 to 100 does not lie within the clip"),
        (lambda: Template(5, 4).check(100, 1), "from frame 5 to 4 does not lie within"),
        (lambda: Template(5, 6).check(100, 1), "is too short to learn from: at this frame rate it needs 3 frames"),
        (lambda: Template(5, 9).check(100, 4), "needs 6 frames or more"),
    ],
)
def test_impossible_templates_are_refused(make: object, told: str) -> None:
    with pytest.raises(PoiseError, match=told):
        make()  # type: ignore[operator]


def test_templates_that_just_fit_are_taken() -> None:
    Template(5, 7).check(100, 1)
    Template(97, 99).check(100, 1)
    Template(0, 5).check(6, 4)

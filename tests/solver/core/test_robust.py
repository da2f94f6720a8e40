# SPDX-License-Identifier: GPL-3.0-or-later
"""The robust mean does not change with outliers."""

from __future__ import annotations

import numpy as np

from poise.solver.core import rotations
from poise.solver.core.robust import geometric_median, geometric_medians, outlier_distance, robust_mean

RUNS = 20


def test_frames_that_agree_have_their_plain_mean(rng: np.random.Generator) -> None:
    for frames in (1, 2, 3, 10):
        values = np.array([3.0, -2.0, 5.0]) + rng.uniform(-0.1, 0.1, (frames, 3))
        spread = np.linalg.norm(values - np.median(values, axis=0), axis=1)
        if spread.max() <= 2.5 * 1.4826 * np.median(spread):
            np.testing.assert_allclose(robust_mean(values), values.mean(axis=0), rtol=1e-14)
    ring = np.stack([np.cos(np.arange(12)), np.sin(np.arange(12)), np.zeros(12)], axis=1)
    np.testing.assert_allclose(robust_mean(ring), ring.mean(axis=0), rtol=1e-12, atol=1e-15)


def test_a_few_wild_frames_do_not_count_at_all(rng: np.random.Generator) -> None:
    for _ in range(RUNS):
        calm = rng.uniform(-0.01, 0.01, (12, 3))
        wild = rng.standard_normal((4, 3))
        wild *= rng.uniform(1.0, 100.0, (4, 1)) / np.linalg.norm(wild, axis=1, keepdims=True)
        mixed = rng.permutation(np.concatenate([calm, wild]))
        farther = rng.permutation(np.concatenate([calm, 1000.0 * wild]))
        assert np.linalg.norm(robust_mean(mixed)) < 0.01
        np.testing.assert_allclose(robust_mean(mixed), robust_mean(farther), atol=1e-15)


def test_frames_in_one_place_outvote_the_rest() -> None:
    values = np.zeros((9, 3))
    values[:4] = 1.0
    np.testing.assert_array_equal(robust_mean(values), np.zeros(3))


def test_it_goes_along_with_scale_and_place(rng: np.random.Generator) -> None:
    values = rng.standard_normal((15, 3)) ** 3
    moved = robust_mean(100.0 * values + np.array([5.0, 6.0, 7.0]))
    np.testing.assert_allclose(moved, 100.0 * robust_mean(values) + np.array([5.0, 6.0, 7.0]), rtol=1e-12)


def test_a_frame_counts_up_to_two_and_a_half_standard_deviations() -> None:
    """Around a median of 0 with a median deviation of 1, as a normal distribution of 1.4826 has it: up to 3.7065."""
    calm = np.array([-1.0] * 5 + [0.0] + [1.0] * 4)
    for last, counts in ((3.70, True), (3.71, False)):
        values = np.append(calm, last)
        expected = values.mean() if counts else calm.mean()
        np.testing.assert_allclose(robust_mean(values[:, None]), [expected])


def test_geometric_medians_ignore_outliers_and_rotate_with_the_places(rng: np.random.Generator) -> None:
    places = np.concatenate([0.01 * rng.standard_normal((20, 3)) + 1.0, 3.0 * rng.standard_normal((12, 3))])
    turn = rotations.random(rng)
    counted = np.ones((3, 32), dtype=bool)
    counted[2, 20:] = False
    found, turned, few = geometric_medians(np.stack([places, rotations.rotate(turn, places), places]), counted)
    np.testing.assert_allclose(found, 1.0, atol=0.05)
    np.testing.assert_allclose(turned, rotations.rotate(turn, found), atol=1e-12)
    np.testing.assert_allclose(few, 1.0, atol=0.01)
    total = np.linalg.norm(places - found, axis=1).sum()
    for other in found + 0.02 * rng.standard_normal((20, 3)):
        assert np.linalg.norm(places - other, axis=1).sum() > total - 1e-6
    np.testing.assert_allclose(geometric_medians(np.ones((1, 5, 3)), np.ones((1, 5), dtype=bool)), 1.0, rtol=1e-15)


def test_a_geometric_median_and_a_robust_mean_rotate_with_their_values(rng: np.random.Generator) -> None:
    places = np.concatenate([0.01 * rng.standard_normal((20, 3)) * [1.0, 5.0, 0.2] + 1.0, rng.standard_normal((9, 3))])
    median, mean = geometric_median(places), robust_mean(places)
    for _ in range(RUNS):
        turn = rotations.random(rng)
        moved = rotations.rotate(turn, places)
        np.testing.assert_allclose(geometric_median(moved), rotations.rotate(turn, median), atol=1e-12)
        np.testing.assert_allclose(robust_mean(moved), rotations.rotate(turn, mean), atol=1e-12)
    same = geometric_medians(places[None], np.ones((1, 29), dtype=bool))[0]
    np.testing.assert_allclose(median, same, atol=2e-3)
    np.testing.assert_allclose(geometric_median(np.ones((5, 3))), 1.0, rtol=1e-15)


def test_normal_distances_are_hardly_ever_outliers(rng: np.random.Generator) -> None:
    distances = np.abs(rng.standard_normal(4000))
    assert np.mean(distances > outlier_distance(distances)) < 0.03
    assert outlier_distance(np.append(distances, np.full(400, 1e6))) < 1.3 * outlier_distance(distances)

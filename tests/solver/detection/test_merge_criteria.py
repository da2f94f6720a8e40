# SPDX-License-Identifier: GPL-3.0-or-later
"""The frame tolerance, and runs of stationary displacements that are merged by it."""

from __future__ import annotations

import numpy as np

from poise.solver.detection.merge_criteria import MergeCriteria, are_mergeable, frame_tolerance, merged_runs

CRITERIA = MergeCriteria(most_frames=10, merge_distance=0.1, angle=0.1, distance=0.03, shortest=3)


def test_the_frame_tolerance_falls_from_all_frames_to_one() -> None:
    assert frame_tolerance(0.0, 10, 0.1) == 10
    assert frame_tolerance(0.1, 10, 0.1) == 1
    assert frame_tolerance(0.1001, 10, 0.1) == 0
    # Le Callennec 2006, figure 6.10: floor(10 exp(-d log 10 / 10 cm)) at each centimetre.
    centimetres = [frame_tolerance(0.01 * d, 10, 0.1) for d in range(12)]
    assert centimetres == [10, 7, 6, 5, 3, 3, 2, 1, 1, 1, 1, 0]
    for most in range(2, 40):
        assert frame_tolerance(0.1, most, 0.1) == 1
        falls = np.diff([frame_tolerance(d, most, 0.1) for d in np.linspace(0.0, 0.12, 50)])
        assert (falls <= 0).all()
    assert frame_tolerance(0.0, 0, 0.1) == 0
    assert frame_tolerance(0.05, 1, 0.1) == 1
    assert frame_tolerance(0.11, 1, 0.1) == 0


def test_constraints_are_merged_by_their_gap_and_their_distance() -> None:
    assert are_mergeable(-1, 5.0, CRITERIA), "they share a frame"
    assert are_mergeable(0, 0.1, CRITERIA) and not are_mergeable(0, 0.11, CRITERIA)
    assert are_mergeable(9, 0.0, CRITERIA) and not are_mergeable(10, 0.0, CRITERIA)
    assert are_mergeable(2, 0.04, CRITERIA) and not are_mergeable(3, 0.04, CRITERIA)


def test_merged_runs_include_all_frames_that_their_displacements_span() -> None:
    flags = np.array([0, 1, 1, 0, 0, 0, 0, 0, 1], dtype=bool)
    spans = merged_runs(flags, np.arange(36.0).reshape(12, 3), 3, CRITERIA)
    assert spans == [(1, 5), (8, 11)]


def test_a_run_is_compared_with_the_mean_place_of_all_merged_runs() -> None:
    # Three runs, each near the mean of those before it but not near the first.
    positions = np.zeros((30, 3))
    positions[10:20, 0], positions[20:, 0] = 0.06, 0.12
    flags = np.ones(29, dtype=bool)
    flags[[9, 19]] = False
    loose = MergeCriteria(most_frames=3, merge_distance=0.1, angle=0.1, distance=0.1, shortest=3)
    assert merged_runs(flags, positions, 1, loose) == [(0, 29)]
    positions[20:, 0] = 0.14
    assert merged_runs(flags, positions, 1, loose) == [(0, 19), (20, 29)]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines and points of displacements, merged in time and in space."""

from __future__ import annotations

import numpy as np

from poise.solver.detection.merge_criteria import MergeCriteria
from poise.solver.detection.segments import (
    Segment,
    are_separated,
    line_segments,
    merged_lines,
    merged_points,
    separate_in_time,
    without_short_spaces,
)
from poise.solver.detection.small_vectors import Vector

CRITERIA = MergeCriteria(most_frames=5, merge_distance=0.1, angle=0.1, distance=0.03, shortest=3)
UP: Vector = (0.0, 1.0, 0.0)


def segment(
    begin: int, end: int, place: Vector = (0.0, 0.0, 0.0), direction: Vector | None = UP, weight: float = 1.0
) -> Segment:
    return Segment(begin, end, weight, place, direction, turn=0.1, drift=1e-6, tilt=1e-6)


def spans(segments: list[Segment]) -> list[tuple[int, int]]:
    return [(each.begin, each.end) for each in segments]


def test_each_displacement_outside_the_spaces_is_a_segment() -> None:
    flags = np.array([True, True, True, False, True])
    values = np.arange(15.0).reshape(5, 3)
    found = line_segments(flags, [(0, 2)], (values, -values), np.full(5, 0.2), (np.full(5, 0.3), np.full(5, 0.4)), 1)
    assert spans(found) == [(2, 3), (4, 5)]
    assert (found[1].place, found[1].direction) == ((12.0, 13.0, 14.0), (-12.0, -13.0, -14.0))
    assert (found[1].turn, found[1].drift, found[1].tilt) == (0.2, 0.3, 0.4)
    assert found[1].weight == 0.2 * 0.2


def test_lines_are_merged_to_their_weighted_mean() -> None:
    (found,) = merged_lines([segment(0, 4), segment(4, 8, (0.02, 5.0, 0.0), (0.0, -1.0, 0.0), 3.0)], [], CRITERIA)
    assert (found.begin, found.end, found.weight) == (0, 8, 4.0)
    np.testing.assert_allclose(found.place, [0.015, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(found.direction, UP, atol=1e-12)


def test_lines_apart_in_space_angle_or_time_are_not_merged() -> None:
    leaning = (np.sin(0.2), np.cos(0.2), 0.0)
    for other in (segment(4, 8, (0.5, 0.0, 0.0)), segment(4, 8, direction=leaning), segment(12, 16)):
        assert len(merged_lines([segment(0, 4), other], [], CRITERIA)) == 2
    loud = segment(4, 8, (0.5, 0.0, 0.0))
    loud.drift = 0.1
    assert len(merged_lines([segment(0, 4), loud], [], CRITERIA)) == 1, "noise explains the distance"


def test_short_outliers_between_parts_of_a_line_are_skipped() -> None:
    outlier = segment(5, 6, (3.0, 0.0, 0.0))
    assert spans(merged_lines([segment(0, 4), outlier, segment(6, 12)], [], CRITERIA)) == [(0, 12)]
    lasting = segment(4, 8, (3.0, 0.0, 0.0))
    assert len(merged_lines([segment(0, 4), lasting, segment(8, 12)], [], CRITERIA)) == 3


def test_a_long_space_separates_lines() -> None:
    lines = [segment(0, 4), segment(8, 12)]
    assert len(merged_lines(lines, [(5, 7)], CRITERIA)) == 2
    assert len(merged_lines(lines, [(5, 6)], CRITERIA)) == 1
    assert are_separated(lines[0], lines[1], [(5, 7)]) and not are_separated(lines[0], lines[1], [(20, 30)])


def test_lines_that_intersect_are_a_point() -> None:
    lines = [segment(0, 4, (0.0, -3.0, 0.0)), segment(4, 8, (2.0, 0.01, 0.0), (1.0, 0.0, 0.0))]
    (found,) = merged_points([*lines, segment(8, 12, (0.0, 0.0, 7.0), (0.0, 0.0, 1.0))], [], CRITERIA)
    assert found.direction is None and (found.begin, found.end) == (0, 12)
    np.testing.assert_allclose(found.place, [0.0, 0.01, 0.0], atol=0.011)
    apart = [segment(0, 4), segment(4, 8, (0.0, 0.0, 0.5), (1.0, 0.0, 0.0))]
    assert len(merged_points(apart, [], CRITERIA)) == 2


def test_a_space_that_is_too_short_extends_its_line() -> None:
    spaces, lines = without_short_spaces([(5, 6), (20, 30)], [segment(0, 4), segment(31, 40)], CRITERIA)
    assert spaces == [(20, 30)] and spans(lines) == [(0, 6), (31, 40)]
    spaces, _ = without_short_spaces([(12, 13)], [segment(0, 4)], CRITERIA)
    assert spaces == [(12, 13)], "no line is beside it"


def test_segments_end_where_spaces_begin_and_meet_halfway() -> None:
    lines = [segment(0, 12), segment(18, 30), segment(26, 40)]
    separate_in_time(lines, [(10, 20)])
    assert spans(lines) == [(0, 10), (20, 28), (28, 40)]

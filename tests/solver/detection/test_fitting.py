# SPDX-License-Identifier: GPL-3.0-or-later
"""Segments fitted to the frames of a body."""

from __future__ import annotations

import numpy as np
import pytest

from poise.examples.detection.tracks import eased, turning
from poise.solver import MovingObject
from poise.solver.core import rotations
from poise.solver.detection.fitting import SegmentFitting
from poise.solver.detection.merge_criteria import MergeCriteria
from poise.solver.detection.segments import Segment, Span
from poise.solver.detection.settings import KINDS, Kind

CRITERIA = MergeCriteria(most_frames=6, merge_distance=0.1, angle=0.1, distance=0.03, shortest=3)
HINGE = np.array([0.9, 0.0, 0.2])


def door(frames: int = 60) -> MovingObject:
    turns = rotations.from_axis_angle([0.0, 1.0, 0.0], eased(0.0, 1.2, frames))
    return turning(HINGE, turns, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))


def ball(rng: np.random.Generator, frames: int = 60) -> MovingObject:
    turns = rotations.exp(np.cumsum(0.1 * rng.standard_normal((frames, 3)), axis=0))
    return turning(HINGE, turns, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))


def fitting(body: MovingObject, kinds: tuple[Kind, ...] = KINDS, barriers: list[Span] | None = None) -> SegmentFitting:
    return SegmentFitting(rotations.to_matrix(body.rotations), body.positions, kinds, barriers or [], CRITERIA)


def segment(begin: int, end: int) -> Segment:
    return Segment(begin, end, 1.0, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.1, drift=1e-6, tilt=1e-6)


def test_a_line_is_preferred_to_a_point(rng: np.random.Generator) -> None:
    (found,) = fitting(door()).fitted([segment(0, 59)])
    assert found.kind == "line" and found.is_of_all_frames
    constraint = found.detected()
    assert constraint.direction is not None and abs(constraint.direction[1]) > 1.0 - 1e-9
    np.testing.assert_allclose(constraint.position[[0, 2]], HINGE[[0, 2]], atol=1e-6)
    (found,) = fitting(ball(rng)).fitted([segment(0, 59)])
    assert found.kind == "point" and found.detected().direction is None
    np.testing.assert_allclose(found.detected().position, HINGE, atol=1e-6)


def test_only_the_given_kinds_are_fitted(rng: np.random.Generator) -> None:
    assert fitting(ball(rng), ("space", "line")).fitted([segment(0, 59)]) == []
    (found,) = fitting(door(), ("point",)).fitted([segment(0, 59)])
    assert found.kind == "point"


def test_parts_with_a_common_pivot_are_joined_with_the_frames_between() -> None:
    body = door()
    (found,) = fitting(body).fitted([segment(0, 20), segment(24, 40), segment(43, 59)])
    assert (found.segment.begin, found.segment.end) == (0, 59) and found.is_of_all_frames
    assert len(fitting(body).fitted([segment(0, 20), segment(30, 59)])) == 2, "too far apart in time"
    assert len(fitting(body, barriers=[(21, 23)]).fitted([segment(0, 20), segment(24, 59)])) == 2, "a rest between"


def test_parts_with_different_pivots_are_not_joined() -> None:
    first = door(30)
    second = turning(
        (-2.0, 0.0, 0.0),
        rotations.from_axis_angle([0.0, 1.0, 0.0], eased(0.0, 1.0, 30)),
        first.positions[-1],
        first.rotations[-1],
    )
    both = MovingObject(
        np.concatenate([first.positions, second.positions]), np.concatenate([first.rotations, second.rotations])
    )
    found = fitting(both).fitted([segment(0, 29), segment(30, 59)])
    assert [(each.segment.begin, each.segment.end) for each in found] == [(0, 29), (30, 59)]


@pytest.mark.parametrize(("frames", "count"), [(2, 0), (11, 0), (12, 1)])
def test_points_must_last_longer_than_lines(rng: np.random.Generator, frames: int, count: int) -> None:
    # Four times the shortest constraint, of three frames.
    assert len(fitting(ball(rng)).fitted([segment(0, frames - 1)])) == count


def test_a_segment_without_a_pivot_is_dropped(rng: np.random.Generator) -> None:
    body = ball(rng)
    drifting = MovingObject(body.positions + np.linspace(0.0, 1.0, 60)[:, None] ** 2, body.rotations)
    assert fitting(drifting).fitted([segment(0, 59)]) == []

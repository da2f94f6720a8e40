# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints over intervals: merged in time and in space, with none lost at the end."""

from __future__ import annotations

import numpy as np
import pytest

from poise.examples.detection.bodies import about_line, last, part
from poise.examples.detection.tracks import at_rest, body_clip, carried, joined, turning
from poise.solver import MovingObject
from poise.solver.core import rotations
from poise.solver.detection import DetectionSettings, Template, detect
from poise.solver.detection.merging import space_constraints


@pytest.mark.parametrize(("outliers", "pieces"), [(3, 1), (5, 1), (6, 2)])
def test_the_tolerance_bridges_outlying_frames(outliers: int, pieces: int) -> None:
    # Le Callennec 2006, figure 6.9: a particle at rest that is elsewhere for three frames.
    body = at_rest((1.0, 1.0, 1.0), (1.0, 0.0, 0.0, 0.0), 40)
    body.positions[15 : 15 + outliers] += np.random.default_rng(1).standard_normal((outliers, 3))
    found = detect(body_clip(body), "body", [Template(0, 10)])
    assert [each.kind for each in found] == ["space"] * pieces
    assert found[0].begin == 0 and found[-1].end == 39
    if pieces == 1:
        np.testing.assert_allclose(found[0].position, 1.0, atol=1e-12)
        assert found[0].residual > 0.1


def test_a_rest_in_another_place_is_another_constraint() -> None:
    first = at_rest((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), 20)
    second = at_rest((0.06, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), 20)
    jump = carried((0.5, 0.5, 0.0), (0.2, 0.1, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0, 0.1, 0.0), 2)
    clip = body_clip(joined(first, jump, second))
    assert [(each.begin, each.end) for each in detect(clip, "body", [Template(0, 10)])] == [(0, 19), (22, 41)]
    near = DetectionSettings(reach=1.0)
    assert [(each.begin, each.end) for each in detect(clip, "body", [Template(0, 10)], settings=near)] == [(0, 41)]


def test_the_last_constraint_is_not_lost(rng: np.random.Generator) -> None:
    turned = rotations.random(rng)
    start = at_rest((0.0, 0.0, 0.0), turned, 10)
    axis, place = np.array([0.0, 1.0, 0.0]), np.array([0.5, 0.0, 0.5])
    line = joined(start, about_line(start, place, axis, 1.0, 20))
    found = detect(body_clip(line), "body")
    assert [(each.kind, each.begin, each.end) for each in found] == [("space", 0, 9), ("line", 9, 29)]
    turns = rotations.exp(np.cumsum(0.1 * rng.standard_normal((20, 3)), axis=0))
    point = joined(line, turning(last(line)[0] + 0.3, turns, *last(line)))
    found = detect(body_clip(point), "body")
    assert [each.kind for each in found] == ["space", "line", "point"] and found[-1].end == 49


def test_short_constraints_are_dropped() -> None:
    clip = body_clip(
        joined(
            *(at_rest((float(place), 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), count) for place, count in enumerate((2, 3, 9)))
        )
    )
    assert [(each.begin, each.end) for each in detect(clip, "body")] == [(2, 4), (5, 13)]
    long = DetectionSettings(shortest=0.3)
    assert [(each.begin, each.end) for each in detect(clip, "body", settings=long)] == [(5, 13)]


def test_a_stop_that_is_too_short_belongs_to_its_line() -> None:
    start = at_rest((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), 10)
    axis, place = np.array([0.0, 1.0, 0.0]), np.array([0.5, 0.0, 0.5])
    half = joined(start, about_line(start, place, axis, 0.6, 15))
    stopped = joined(half, at_rest(*last(half), 2))
    whole = joined(stopped, about_line(stopped, place, axis, 0.6, 15))
    found = detect(body_clip(whole), "body", settings=DetectionSettings(shortest=0.2))
    assert [(each.kind, each.begin, each.end) for each in found] == [("space", 0, 9), ("line", 9, 41)]
    for frames, settings in ((12, DetectionSettings(shortest=0.2)), (4, DetectionSettings())):
        longer = joined(half, at_rest(*last(half), frames))
        whole = joined(longer, about_line(longer, place, axis, 0.6, 15))
        found = detect(body_clip(whole), "body", settings=settings)
        assert [each.kind for each in found] == ["space", "line", "space", "line"]


def test_a_stop_that_is_too_short_makes_its_line_longer() -> None:
    start = at_rest((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), 10)
    axis, place = np.array([0.0, 1.0, 0.0]), np.array([0.5, 0.0, 0.5])
    turned = joined(start, about_line(start, place, axis, 0.6, 15))
    stopped = joined(turned, at_rest(*last(turned), 3))
    leaving = carried(last(stopped)[0], (2.0, 1.0, 0.5), last(stopped)[1], (0.4, 0.3, -0.5), 20)
    whole = joined(stopped, part(leaving, 1))
    found = detect(body_clip(whole), "body", settings=DetectionSettings(shortest=0.2, kinds=("space", "line")))
    assert [(each.kind, each.begin, each.end) for each in found] == [("space", 0, 9), ("line", 9, 27)]


def test_a_door_that_swings_back_turns_about_one_line() -> None:
    angles = 0.8 * np.sin(np.linspace(0.3, 8.0, 90))
    body = turning((0.9, 0.0, 0.0), rotations.from_axis_angle([0.0, 1.0, 0.0], angles), (0.0, 0.0, 0.0), (1, 0, 0, 0))
    (found,) = detect(body_clip(body), "body")
    assert (found.kind, found.begin, found.end) == ("line", 0, 89)
    assert found.direction is not None and abs(found.direction[1]) > 1.0 - 1e-9


def test_lines_are_trimmed_to_the_ends_of_spaces() -> None:
    # At 120 frames a second a displacement spans four frames: some turn in one part of it and stay in the other.
    start = at_rest((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), 40)
    axis, place = np.array([0.0, 1.0, 0.0]), np.array([0.5, 0.0, 0.5])
    turned = joined(start, about_line(start, place, axis, 0.9, 60))
    whole = joined(turned, at_rest(*last(turned), 40))
    found = detect(body_clip(whole, fps=120.0), "body")
    assert [(each.kind, each.begin, each.end) for each in found] == [
        ("space", 0, 39),
        ("line", 39, 99),
        ("space", 99, 139),
    ]


def test_orientations_are_averaged_in_the_tangent_space(rng: np.random.Generator) -> None:
    turned, places = rotations.random(rng), 1e-4 * rng.standard_normal((40, 3))
    trembling = rotations.multiply(turned, rotations.exp(0.02 * rng.standard_normal((40, 3))))
    trembling[7] = rotations.random(rng)
    places[7] = 1.0
    (found,) = space_constraints(MovingObject(places, trembling), [(0, 39)])
    assert found.rotation is not None
    expected = rotations.mean(np.delete(trembling, 7, axis=0))
    assert float(rotations.angle_between(found.rotation, expected)) < 2e-3
    assert np.linalg.norm(found.position) < 1e-3, "an outlier does not count"


def test_orientations_are_averaged_whatever_the_signs_of_their_quaternions(rng: np.random.Generator) -> None:
    turned = rotations.random(rng)
    body = MovingObject(np.zeros((20, 3)), np.tile(turned, (20, 1)) * rng.choice([-1.0, 1.0], (20, 1)))
    (found,) = detect(body_clip(body), "body")
    assert found.rotation is not None
    assert float(rotations.angle_between(found.rotation, turned)) < 1e-9

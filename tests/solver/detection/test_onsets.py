# SPDX-License-Identifier: GPL-3.0-or-later
"""Departures and arrivals of a point at rest."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.core.arrays import Array
from poise.solver.detection.onsets import Onsets, broken_lines
from poise.solver.detection.settings import RestSettings

STAYS = 1.0
"""Seconds for which the points are at rest."""


def leaving(fps: float, gains: float = 20.0, slides: float = 0.0, begins: float = STAYS) -> Array:
    """(frames, 3) of a point that slides at an even speed, and from a moment on gains speed, for half a second."""
    times = np.arange(round((STAYS + 0.5) * fps)) / fps
    leaves = 0.5 * gains * np.maximum(times - begins, 0.0) ** 2
    return np.outer(leaves, [0.6, 0.0, 0.8]) + np.outer(slides * times, [0.0, 1.0, 0.0])


@pytest.mark.parametrize(("fps", "stride"), [(24.0, 1), (30.0, 1), (60.0, 2), (120.0, 4), (240.0, 8)])
@pytest.mark.parametrize("slides", [0.0, 0.3])
@pytest.mark.parametrize("late", [-0.07, 0.0, 0.07])
def test_an_even_acceleration_is_found_from_any_first_guess(
    fps: float, stride: int, slides: float, late: float
) -> None:
    last = round(STAYS * fps)
    found = Onsets(leaving(fps, slides=slides), stride, fps).departure(last + round(late * fps), last // 2)
    assert abs(found - last) <= max(1, round(fps / 60.0))


def test_noise_does_not_make_it_late(rng: np.random.Generator) -> None:
    path = leaving(120.0, slides=0.1)
    found = [
        Onsets(path + 5e-4 * rng.standard_normal(path.shape), 4, 120.0).departure(126, 60) - 120 for _ in range(50)
    ]
    assert abs(np.mean(found)) < 3.0 and np.max(np.abs(found)) <= 6


def test_a_step_of_the_speed_is_found() -> None:
    path = np.outer(np.maximum(np.arange(45) - 30, 0.0), [0.05, 0.0, 0.0])
    for about in (28, 30, 32):
        assert Onsets(path, 1, 30.0).departure(about, 10) == 30


def test_a_departure_between_two_frames_is_after_the_first() -> None:
    for begins in (1.0, 1.008, 1.016, 1.024):
        path = leaving(30.0, gains=60.0, begins=begins)
        assert Onsets(path, 1, 30.0).departure(30, 15) in (30, 31)
        assert Onsets(path[::-1], 1, 30.0).arrival(14, 29) in (13, 14)


def test_arrivals_are_departures_in_reverse(rng: np.random.Generator) -> None:
    path = leaving(60.0) + 1e-3 * rng.standard_normal((90, 3))
    onsets, reverse = Onsets(path, 2, 60.0), Onsets(path[::-1], 2, 60.0)
    for about in (56, 60, 64):
        assert reverse.arrival(89 - about, 89 - 30) == 89 - onsets.departure(about, 30)


def test_a_first_guess_is_kept_where_there_are_too_few_frames(rng: np.random.Generator) -> None:
    path = leaving(30.0)
    assert Onsets(path[:31], 1, 30.0).departure(30, 15) == 30, "the motion ends"
    assert Onsets(path, 1, 30.0).departure(30, 29) == 30, "it has hardly stood"
    assert Onsets(path[:2], 1, 30.0).departure(1, 0) == 1


def test_each_breakpoint_reduces_the_squared_error_as_least_squares_has_it(rng: np.random.Generator) -> None:
    breaks, lines = broken_lines(9, 1, 5, 3)
    assert len(breaks) == len(lines) and (np.abs(breaks) <= 3.0).all()
    np.testing.assert_allclose(lines.sum(axis=1), 0.0, atol=1e-12)
    speeds = rng.uniform(size=9)
    level = ((speeds - speeds.mean()) ** 2).sum()
    times = np.arange(9) + 0.5 - 5
    for moment, line in zip(breaks[:25], lines[:25], strict=True):
        columns = np.stack([np.ones(9), np.maximum(times - moment, 0.0)], axis=1)
        left = np.linalg.lstsq(columns, speeds, rcond=None)[1]
        np.testing.assert_allclose(level - (line @ speeds) ** 2, left[0], rtol=1e-9)


CHANGES = [{"onset_search": 0.02}, {"onset_before": 0.4}, {"onset_after": 0.05}]


@pytest.mark.parametrize("change", CHANGES)
def test_an_arrival_is_a_departure_in_reversed_time(change: dict[str, float]) -> None:
    path = leaving(120.0, gains=6.0, slides=0.3) + 2e-4 * np.random.default_rng(2).standard_normal((180, 3))
    end = len(path) - 1
    changed = RestSettings(**change)  # type: ignore[arg-type]
    differs = False
    for last in range(100, 150, 2):
        departure = Onsets(path, 4, 120.0, changed).departure(last, 40)
        assert end - Onsets(path[::-1], 4, 120.0, changed).arrival(end - last, end - 40) == departure
        differs |= Onsets(path, 4, 120.0).departure(last, 40) != departure
    assert differs, "the setting has an effect here"

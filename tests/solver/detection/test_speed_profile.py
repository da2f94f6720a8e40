# SPDX-License-Identifier: GPL-3.0-or-later
"""The speeds of a point, and the thresholds that the clip itself gives."""

from __future__ import annotations

import numpy as np

from poise.solver import BodyPoint
from poise.solver.detection.settings import RestSettings
from poise.solver.detection.speed_profile import PointTrack, SpeedProfile, allowed_speeds, without_jumps

from ..made_up import point_clip

DEFAULT = RestSettings()


def stepping_speeds() -> np.ndarray:
    """(200,) at 30 a second: three rests with a little noise, and two swings between."""
    return np.concatenate([np.full(50, 0.05), np.full(20, 4.0), np.full(60, 0.02), np.full(20, 4.0), np.full(50, 0.05)])


def test_allowed_speeds_are_learnt_in_slow_intervals() -> None:
    speeds = np.concatenate([np.full(30, 0.01), np.full(20, 4.0), np.full(30, 0.1), np.full(20, 4.0)])
    allowed = allowed_speeds(speeds, np.full(100, 0.6), 1, 18.0)
    np.testing.assert_allclose(allowed[:29], 0.01 * DEFAULT.noise_margin)
    np.testing.assert_allclose(allowed[51:79], 0.1 * DEFAULT.noise_margin)
    assert (allowed <= 0.6).all()


def test_rest_and_motion_are_on_either_side_of_the_thresholds() -> None:
    speeds = stepping_speeds()
    profile = SpeedProfile.of(speeds, 1, 30.0)
    at_rest = speeds < 1.0
    assert (speeds[at_rest] <= profile.allowed[at_rest]).all() and (speeds[~at_rest] > profile.slow[~at_rest]).all()
    assert (profile.rolling >= profile.allowed).all()
    assert profile.rest == DEFAULT.largest_rest_speed * 0.8, "a twentieth of the fastest speed"
    assert profile.local_maximum.min() < 1.0 < profile.local_maximum[30], "only within the window"


def test_confidence_grows_the_slower_a_point_is() -> None:
    speeds = stepping_speeds()
    profile = SpeedProfile.of(speeds, 1, 30.0)
    quiet = SpeedProfile.of(np.where(speeds < 1.0, 0.2 * speeds, speeds), 1, 30.0)
    wide = RestSettings(noise_margin=3.0)
    assert 0.0 < profile.confidence(0, 50) < SpeedProfile.of(speeds, 1, 30.0, wide).confidence(0, 50) < 1.0
    assert quiet.slow_share(0, 50) < profile.slow_share(0, 50) < DEFAULT.reversal_share
    assert profile.is_noisy(10) and profile.is_noisy(10**6)
    assert not SpeedProfile.of(np.where(speeds < 1.0, 0.0, speeds), 1, 30.0).is_noisy(10)


def test_a_rest_is_never_shorter_than_a_displacement() -> None:
    speeds = stepping_speeds()
    assert SpeedProfile.of(speeds, 1, 30.0).shortest_rest(30.0) == 2
    assert SpeedProfile.of(speeds, 8, 30.0).shortest_rest(30.0) == 9
    assert SpeedProfile.of(speeds, 4, 120.0, RestSettings(shortest=0.5)).shortest_rest(120.0) == 60


def test_single_frames_that_jump_are_moved_between_their_neighbours() -> None:
    path = np.outer(np.arange(30.0), [0.01, 0.02, 0.0])
    jumping = path.copy()
    jumping[[0, 9, 20, 29]] += 0.5
    repaired, outliers = without_jumps(jumping, 0.1)
    assert np.flatnonzero(outliers).tolist() == [0, 9, 20, 29]
    np.testing.assert_allclose(repaired[1:-1], path[1:-1], atol=1e-12)
    np.testing.assert_array_equal(repaired[[0, -1]], path[[1, -2]])
    np.testing.assert_array_equal(without_jumps(jumping, 9.0)[0], jumping)


def test_a_track_has_speeds_in_sizes_of_the_character_a_second() -> None:
    path = np.outer(np.arange(60.0) / 30.0, [0.5, 0.0, 0.0])
    clip = point_clip(path)
    track = PointTrack.of(clip, BodyPoint("point"))
    assert track is not None and not track.outliers.any()
    np.testing.assert_allclose(track.positions, path, atol=1e-12)
    np.testing.assert_allclose(track.profile.speeds, 0.5 / clip.skeleton.size, rtol=1e-9)
    assert PointTrack.of(point_clip(path[:2]), BodyPoint("point")) is None

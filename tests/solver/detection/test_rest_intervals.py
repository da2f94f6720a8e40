# SPDX-License-Identifier: GPL-3.0-or-later
"""When a single point stands, by the noise that the clip itself shows."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from poise.solver import BodyPoint, PoiseError, read_bvh
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.detection.stays import (
    MARGIN,
    allowed_speeds,
    detect_stays,
    geometric_medians,
    running_maximum,
    running_mean,
    running_median,
    settled,
    stays,
    without_jumps,
)

from ..made_up import point_clip

POINT = BodyPoint("point")


def hopping(rng: np.random.Generator, noise: float = 0.0, stands: int = 18, swings: int = 12) -> Array:
    """(frames, 3) of a point that stands six times, and moves by its size between."""
    places: list[Array] = []
    for number in range(6):
        places.append(np.tile([float(number), 0.0, 0.0], (stands, 1)))
        share = np.arange(1, swings + 1)[:, None] / (swings + 1)
        eased = share * share * (3.0 - 2.0 * share)
        places.append(np.concatenate([number + eased, 0.2 * np.sin(np.pi * share), 0.0 * share], axis=1))
    path = np.concatenate(places)
    return path + noise * rng.standard_normal(path.shape)


def test_without_noise_stays_are_exact(rng: np.random.Generator) -> None:
    found = stays(point_clip(hopping(rng)), POINT)
    assert [(stay.begin, stay.end) for stay in found] == [(30 * number, 30 * number + 17) for number in range(6)]
    np.testing.assert_allclose([stay.place for stay in found], [[n, 0.0, 0.0] for n in range(6)], atol=1e-12)
    assert all(stay.confidence > 0.9 for stay in found)


@pytest.mark.parametrize("noise", [1e-3, 3e-3])
def test_noise_moves_their_ends_by_a_frame_or_two(noise: float) -> None:
    for seed in range(5):
        found = stays(point_clip(hopping(np.random.default_rng(seed), noise)), POINT)
        assert len(found) == 6
        for number, stay in enumerate(found):
            assert abs(stay.begin - 30 * number) <= 2 and abs(stay.end - 30 * number - 17) <= 2
            np.testing.assert_allclose(stay.place, [number, 0.0, 0.0], atol=3.0 * noise)


def test_stays_of_any_point_are_point_constraints(rng: np.random.Generator) -> None:
    clip = point_clip(hopping(rng, 1e-3))
    found = detect_stays(clip, BodyPoint("point", (0.0, 0.5, 0.0)))
    assert [each.kind for each in found] == ["point"] * 6
    for number, each in enumerate(found):
        np.testing.assert_allclose(each.position, [number, 0.5, 0.0], atol=3e-3)
        np.testing.assert_array_equal(each.offset, [0.0, 0.5, 0.0])
        assert 5e-4 < each.residual < 5e-3
    with pytest.raises(PoiseError, match="hand"):
        detect_stays(clip, "hand")


def test_hands_on_a_ladder_go_up_and_come_down(mocap: Path) -> None:
    clip = read_bvh(mocap / "13_33.bvh")
    for side in ("left", "right"):
        rungs = [
            float(each.position[1]) / clip.skeleton.size
            for each in detect_stays(clip, getattr(clip.skeleton.landmarks, f"{side}_wrist"))
            if each.position[1] > 1.1 * clip.skeleton.size
        ]
        top = int(np.argmax(rungs))
        assert len(rungs) >= 4 and 0 < top < len(rungs) - 1
        assert (np.diff(rungs[: top + 1]) > 0.0).all() and (np.diff(rungs[top:]) < 0.0).all()


def test_the_noisier_the_less_sure() -> None:
    sure = [stays(point_clip(hopping(np.random.default_rng(1), noise)), POINT)[2].confidence for noise in (0, 3e-3)]
    assert 0.3 < sure[1] < sure[0] <= 1.0


def test_each_part_of_a_motion_has_its_own_noise(rng: np.random.Generator) -> None:
    quiet, loud = hopping(rng, 1e-4), hopping(rng, 3e-3) + np.array([6.0, 0.0, 0.0])
    found = stays(point_clip(np.concatenate([quiet, loud])), POINT)
    assert len(found) == 12
    assert [stay.begin for stay in found[:6]] == [30 * number for number in range(6)], "the quiet part stays exact"


def test_an_aberrant_frame_does_not_cut_a_stay(rng: np.random.Generator) -> None:
    path = hopping(rng, 1e-3)
    path[[7, 70, 100]] += 0.5
    found = stays(point_clip(path), POINT)
    assert len(found) == 6
    assert all(abs(stay.begin - 30 * number) <= 2 for number, stay in enumerate(found))


def test_who_stands_all_the_time_stands_all_the_time(rng: np.random.Generator) -> None:
    for noise in (0.0, 3e-4):
        (found,) = stays(point_clip(np.full((90, 3), 0.5) + noise * rng.standard_normal((90, 3))), POINT)
        assert found.begin <= 2 and found.end >= 87


@pytest.mark.parametrize("speed", [0.1, 0.3, 2.0])
def test_what_glides_never_stands(speed: float) -> None:
    times = np.arange(150) / 30.0
    assert stays(point_clip(np.outer(times * speed, [1.0, 0.0, 0.5])), POINT) == []


def test_who_stands_for_long_may_stand_less_still_at_last() -> None:
    # Two still seconds, and half a second in which the point slides slowly before it leaves.
    steps = np.concatenate([np.zeros(60), np.full(18, 0.004), np.full(12, 0.15)])
    path = np.outer(np.cumsum(steps), [1.0, 0.0, 0.0])
    (found,) = stays(point_clip(path), POINT)
    assert found.begin == 0 and 66 <= found.end <= 79


def test_what_wanders_away_slowly_does_not_stand() -> None:
    path = np.outer(np.cumsum(np.full(300, 0.06 / 30.0)), [1.0, 0.0, 0.0])
    assert stays(point_clip(path), POINT) == []
    (found,) = stays(point_clip(0.05 * path), POINT)
    assert found.begin <= 3 and found.end >= 296


def test_a_stay_takes_in_how_the_foot_rolls(rng: np.random.Generator) -> None:
    path = hopping(rng, 1e-3)
    for number in range(6):
        slides = np.outer(0.007 * np.arange(1, 5), [0.0, 0.0, 1.0])
        path[30 * number + 14 : 30 * number + 18] += slides
        path[30 * number + 18 : 30 * number + 30] += slides[-1]
    clip = point_clip(path)
    plain, last, first = (stays(clip, POINT, rolls) for rolls in (None, "last", "first"))  # type: ignore[arg-type]
    assert len(plain) == len(last) == len(first) == 6
    assert sum(b.end - a.end for a, b in zip(plain, last, strict=True)) > 0
    assert all(13 <= b.end - 30 * n <= a.end - 30 * n for n, (a, b) in enumerate(zip(plain, first, strict=True)))
    assert [a.begin for a in plain] == [b.begin for b in last]


def test_stays_never_overlap_and_are_one_where_the_point_never_left(rng: np.random.Generator) -> None:
    # It stands, slides on for 0.2 seconds by a fortieth of its size or by a third, and stands again.
    for way, count in ((0.025, 1), (0.3, 2)):
        steps = np.concatenate([np.zeros(40), np.full(6, way / 6.0), np.zeros(40), np.full(12, 0.15), np.zeros(20)])
        path = np.outer(np.cumsum(steps), [1.0, 0.0, 0.0]) + 3e-4 * rng.standard_normal((len(steps), 3))
        for rolls in (None, "first", "last"):
            found = stays(point_clip(path), POINT, rolls)  # type: ignore[arg-type]
            assert len(found) == count + 1
            assert all(one.end < other.begin for one, other in itertools.pairwise(found))


def test_a_swing_that_slows_down_does_not_stand() -> None:
    times = np.arange(120) / 30.0
    path = np.stack([2.0 * times + 0.2 * np.sin(6.0 * times), 0.1 * np.cos(6.0 * times), 0.0 * times], axis=1)
    assert stays(point_clip(path), POINT) == []


@pytest.mark.parametrize("frames", [1, 2])
def test_a_frame_or_two_are_no_stay(frames: int) -> None:
    assert stays(point_clip(np.zeros((frames, 3))), POINT) == []


def test_thresholds_are_learnt_where_it_is_slow() -> None:
    speeds = np.concatenate([np.full(30, 0.01), np.full(20, 4.0), np.full(30, 0.1), np.full(20, 4.0)])
    allowed = allowed_speeds(speeds, np.full(100, 0.6), 1, 18.0)
    np.testing.assert_allclose(allowed[:29], 0.01 * MARGIN)
    np.testing.assert_allclose(allowed[51:79], 0.1 * MARGIN)
    assert (allowed <= 0.6).all()


def test_running_values(rng: np.random.Generator) -> None:
    values = rng.standard_normal(60)
    for reach in (0, 1, 4, 17, 80):
        expected = [values[max(i - reach, 0) : i + reach + 1].max() for i in range(60)]
        np.testing.assert_array_equal(running_maximum(values, reach), expected)
    for reach in (0, 2, 5):
        mean = running_mean(values[:, None] + 1e6, reach)[:, 0]
        expected = [1e6 + np.mean(np.pad(values, reach, mode="edge")[i : i + 2 * reach + 1]) for i in range(60)]
        np.testing.assert_allclose(mean, expected, rtol=1e-13)
    median = running_median(values, 5)
    np.testing.assert_array_equal(median[2:-2], [np.median(values[i - 2 : i + 3]) for i in range(2, 58)])


def test_a_median_in_space_is_where_most_are_whatever_the_axes(rng: np.random.Generator) -> None:
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


def test_single_frames_that_jump_are_put_between_their_neighbours(rng: np.random.Generator) -> None:
    path = np.outer(np.arange(30.0), [0.01, 0.02, 0.0])
    jumping = path.copy()
    jumping[[0, 9, 20, 29]] += 0.5
    repaired, aberrant = without_jumps(jumping, 0.1)
    assert np.flatnonzero(aberrant).tolist() == [0, 9, 20, 29]
    np.testing.assert_allclose(repaired[1:-1], path[1:-1], atol=1e-12)
    np.testing.assert_array_equal(repaired[[0, -1]], path[[1, -2]])
    np.testing.assert_array_equal(without_jumps(jumping, 9.0)[0], jumping)


def test_a_pose_of_calibration_is_no_part_of_a_stay(rng: np.random.Generator) -> None:
    path = np.repeat(hopping(rng), 4, axis=0)[:-100]
    path[0] = 3.0
    first = stays(point_clip(path, fps=120.0), POINT)[0]
    assert first.begin == 1
    np.testing.assert_allclose(first.place, 0.0, atol=1e-3)


def test_what_has_not_arrived_is_cut_off() -> None:
    path = np.zeros((40, 3))
    path[:5, 0], path[37:, 1] = np.linspace(0.5, 0.1, 5), [0.1, 0.2, 0.3]
    spans = np.array([[0, 39]] * 3 + [[10, 12], [20, 20]])
    nearby = np.array([[0.05, 0.05], [0.25, 0.15], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    assert settled(path, spans, nearby, 20) == [(5, 36), (3, 37), (0, 39), (10, 12), (20, 20)]
    assert settled(path, spans[:0], nearby[:0], 20) == []

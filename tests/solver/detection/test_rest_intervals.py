# SPDX-License-Identifier: GPL-3.0-or-later
"""Rest intervals of single points, by the noise of the clip itself."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from poise.solver import BodyPoint, PoiseError, read_bvh
from poise.solver.core.arrays import Array
from poise.solver.detection.rest_intervals import detect_stays, is_at_apex, rest_intervals, trimmed_to_place

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


def test_without_noise_rest_intervals_are_exact(rng: np.random.Generator) -> None:
    found = rest_intervals(point_clip(hopping(rng)), POINT)
    assert [(rest.begin, rest.end) for rest in found] == [(30 * number, 30 * number + 17) for number in range(6)]
    np.testing.assert_allclose([rest.place for rest in found], [[n, 0.0, 0.0] for n in range(6)], atol=1e-12)
    assert all(rest.confidence > 0.9 for rest in found)


@pytest.mark.parametrize("noise", [1e-3, 3e-3])
def test_noise_moves_their_ends_by_at_most_two_frames(noise: float) -> None:
    for seed in range(5):
        found = rest_intervals(point_clip(hopping(np.random.default_rng(seed), noise)), POINT)
        assert len(found) == 6
        for number, rest in enumerate(found):
            assert abs(rest.begin - 30 * number) <= 2 and abs(rest.end - 30 * number - 17) <= 2
            np.testing.assert_allclose(rest.place, [number, 0.0, 0.0], atol=3.0 * noise)


def test_a_point_that_only_trembles_is_at_rest(rng: np.random.Generator) -> None:
    """Where nothing around it moves, it cannot be a reversal, however near its speeds are to the slow one."""
    sway = 0.02 * np.sin(np.arange(90)[:, None] * [0.16, 0.0, 0.11]) + 1e-4 * rng.standard_normal((90, 3))
    (rest,) = rest_intervals(point_clip(sway), POINT)
    assert rest.begin <= 2 and rest.end >= 87


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


def test_confidence_falls_with_noise() -> None:
    sure = [
        rest_intervals(point_clip(hopping(np.random.default_rng(1), noise)), POINT)[2].confidence for noise in (0, 3e-3)
    ]
    assert 0.3 < sure[1] < sure[0] <= 1.0


def test_each_part_of_a_motion_has_its_own_noise(rng: np.random.Generator) -> None:
    quiet, loud = hopping(rng, 1e-4), hopping(rng, 3e-3) + np.array([6.0, 0.0, 0.0])
    found = rest_intervals(point_clip(np.concatenate([quiet, loud])), POINT)
    assert len(found) == 12
    assert [rest.begin for rest in found[:6]] == [30 * number for number in range(6)], "the quiet part stays exact"


def test_an_outlying_frame_does_not_cut_a_rest(rng: np.random.Generator) -> None:
    path = hopping(rng, 1e-3)
    path[[7, 70, 100]] += 0.5
    found = rest_intervals(point_clip(path), POINT)
    assert len(found) == 6
    assert all(abs(rest.begin - 30 * number) <= 2 for number, rest in enumerate(found))


def test_a_point_that_never_moves_rests_in_all_frames(rng: np.random.Generator) -> None:
    for noise in (0.0, 3e-4):
        (found,) = rest_intervals(point_clip(np.full((90, 3), 0.5) + noise * rng.standard_normal((90, 3))), POINT)
        assert found.begin <= 2 and found.end >= 87


@pytest.mark.parametrize("speed", [0.1, 0.3, 2.0])
def test_a_point_at_constant_speed_is_never_at_rest(speed: float) -> None:
    times = np.arange(150) / 30.0
    assert rest_intervals(point_clip(np.outer(times * speed, [1.0, 0.0, 0.5])), POINT) == []


def test_a_long_rest_may_end_with_more_noise() -> None:
    # Two still seconds, and half a second in which the point slides slowly before it leaves.
    steps = np.concatenate([np.zeros(60), np.full(18, 0.004), np.full(12, 0.15)])
    path = np.outer(np.cumsum(steps), [1.0, 0.0, 0.0])
    (found,) = rest_intervals(point_clip(path), POINT)
    assert found.begin == 0 and 66 <= found.end <= 79


def test_a_point_that_drifts_slowly_is_not_at_rest() -> None:
    path = np.outer(np.cumsum(np.full(300, 0.06 / 30.0)), [1.0, 0.0, 0.0])
    assert rest_intervals(point_clip(path), POINT) == []
    (found,) = rest_intervals(point_clip(0.05 * path), POINT)
    assert found.begin <= 3 and found.end >= 296


def test_a_rest_is_extended_where_the_foot_rolls(rng: np.random.Generator) -> None:
    path = hopping(rng, 1e-3)
    for number in range(6):
        slides = np.outer(0.007 * np.arange(1, 5), [0.0, 0.0, 1.0])
        path[30 * number + 14 : 30 * number + 18] += slides
        path[30 * number + 18 : 30 * number + 30] += slides[-1]
    clip = point_clip(path)
    plain, last, first = (rest_intervals(clip, POINT, rolls) for rolls in (None, "last", "first"))  # type: ignore[arg-type]
    assert len(plain) == len(last) == len(first) == 6
    assert sum(b.end - a.end for a, b in zip(plain, last, strict=True)) > 0
    assert all(13 <= b.end - 30 * n <= a.end - 30 * n for n, (a, b) in enumerate(zip(plain, first, strict=True)))
    assert [a.begin for a in plain] == [b.begin for b in last]


def test_rests_never_overlap_and_are_one_where_the_point_never_left(rng: np.random.Generator) -> None:
    # It stands, slides on for 0.2 seconds by a fortieth of its size or by a third, and stands again.
    for way, count in ((0.025, 1), (0.3, 2)):
        steps = np.concatenate([np.zeros(40), np.full(6, way / 6.0), np.zeros(40), np.full(12, 0.15), np.zeros(20)])
        path = np.outer(np.cumsum(steps), [1.0, 0.0, 0.0]) + 3e-4 * rng.standard_normal((len(steps), 3))
        for rolls in (None, "first", "last"):
            found = rest_intervals(point_clip(path), POINT, rolls)  # type: ignore[arg-type]
            assert len(found) == count + 1
            assert all(one.end < other.begin for one, other in itertools.pairwise(found))


def test_a_swing_that_slows_down_is_not_at_rest() -> None:
    times = np.arange(120) / 30.0
    path = np.stack([2.0 * times + 0.2 * np.sin(6.0 * times), 0.1 * np.cos(6.0 * times), 0.0 * times], axis=1)
    assert rest_intervals(point_clip(path), POINT) == []


@pytest.mark.parametrize("frames", [1, 2])
def test_one_or_two_frames_have_no_rest(frames: int) -> None:
    assert rest_intervals(point_clip(np.zeros((frames, 3))), POINT) == []


def test_a_calibration_pose_is_no_part_of_a_rest(rng: np.random.Generator) -> None:
    path = np.repeat(hopping(rng), 4, axis=0)[:-100]
    path[0] = 3.0
    first = rest_intervals(point_clip(path, fps=120.0), POINT)[0]
    assert first.begin == 1
    np.testing.assert_allclose(first.place, 0.0, atol=1e-3)


def test_frames_away_from_the_place_are_trimmed() -> None:
    path = np.zeros((40, 3))
    path[:5, 0], path[37:, 1] = np.linspace(0.5, 0.1, 5), [0.1, 0.2, 0.3]
    spans = np.array([[0, 39]] * 3 + [[10, 12], [20, 20]])
    nearby = np.array([[0.05, 0.05], [0.25, 0.15], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    assert trimmed_to_place(path, spans, nearby, 20) == [(5, 36), (3, 37), (0, 39), (10, 12), (20, 20)]
    assert trimmed_to_place(path, spans[:0], nearby[:0], 20) == []


def test_a_point_at_the_apex_of_a_hop_is_lower_before_and_after() -> None:
    heights = 0.3 * np.sin(np.linspace(0.0, np.pi, 31)) ** 2
    assert is_at_apex(heights, (13, 17), 30.0, 1.0)
    assert not is_at_apex(heights, (13, 17), 30.0, 10.0), "too low for so large a character"
    assert not is_at_apex(-heights, (13, 17), 30.0, 1.0)
    step = np.minimum(heights, 0.3) * (np.arange(31) < 15) + 0.3 * (np.arange(31) >= 15)
    assert not is_at_apex(step, (15, 20), 30.0, 1.0), "it stays up"

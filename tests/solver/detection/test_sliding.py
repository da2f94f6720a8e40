# SPDX-License-Identifier: GPL-3.0-or-later
"""Slides with a known truth at several levels of noise, and motions in which nothing slides."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from poise import solver
from poise.examples.detection.scores import f1
from poise.examples.detection.slides import (
    SlideExample,
    SlideTruth,
    disturbed,
    drawer,
    ice,
    pendulum,
    rail_on_a_cart,
    reach,
    reaching,
    stay,
    swinging_arm,
    wiped_table,
)
from poise.examples.detection.tracks import body_clip, unit
from poise.solver import BodyPoint, MovingObject, PoiseError, synthetic
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.detection import DetectedSlide, SlidingSettings, detect_sliding

CART, RAIL = rail_on_a_cart()
SLIDING: dict[str, tuple[SlideExample, MovingObject | None]] = {
    "drawer": (drawer(), None),
    "table": (wiped_table(), None),
    "ice": (ice(), None),
    "rail": (RAIL, CART),
}
NOISES = [(3e-4, 0.0), (1e-3, 0.0), (1e-3, 0.05), (1e-3, 0.2), (2e-3, 0.0)]
"""Standard deviations, in sizes, of noise and of outliers: 1e-3 is the noise of captures before any cleanup."""


def slide_flags(slides: list[DetectedSlide] | tuple[SlideTruth, ...], frames: int) -> Array:
    """(2 frames,) 1.0 where the point slides along a line, then where it slides on a plane."""
    flags = np.zeros((2, frames))
    for slide in slides:
        flags[("line", "plane").index(slide.kind), slide.begin : slide.end + 1] = 1.0
    return flags.ravel()


def check_parameters(found: list[DetectedSlide], truths: tuple[SlideTruth, ...]) -> None:
    """Every slide is where it is: directions within 2 degrees, points within 1 % of the size; there are no others."""
    assert [slide.kind for slide in found] == [truth.kind for truth in truths]
    for slide, truth in zip(found, truths, strict=True):
        assert np.degrees(np.arccos(min(1.0, abs(float(slide.direction @ truth.direction))))) < 2.0
        off = slide.position - truth.place
        along = float(off @ truth.direction)
        distance = abs(along) if truth.kind == "plane" else np.linalg.norm(off - along * truth.direction)
        assert distance < 0.01


@pytest.mark.parametrize("name", SLIDING)
def test_without_noise_slides_are_exact(name: str) -> None:
    example, reference = SLIDING[name]
    found = detect_sliding(body_clip(example.body), "body", reference)
    assert f1(slide_flags(found, len(example.places)), slide_flags(example.truths, len(example.places))) > 0.97
    check_parameters(found, example.truths)
    for slide, truth in zip(found, example.truths, strict=True):
        assert abs(slide.begin - truth.begin) <= 2 and abs(slide.end - truth.end) <= 2
        assert slide.residual < 1e-3
        if truth.kind == "line":
            way = np.ptp(example.places[truth.begin : truth.end + 1] @ truth.direction)
            assert name == "rail" or slide.extent == pytest.approx(way, rel=0.2)


@pytest.mark.parametrize(("noise", "outliers"), NOISES)
@pytest.mark.parametrize("name", SLIDING)
def test_noise_and_outliers_move_them_little(name: str, noise: float, outliers: float) -> None:
    example, reference = SLIDING[name]
    for seed in range(3):
        found = detect_sliding(body_clip(disturbed(example.places, seed, noise, outliers)), "body", reference)
        assert f1(slide_flags(found, len(example.places)), slide_flags(example.truths, len(example.places))) > 0.93
        check_parameters(found, example.truths)


@pytest.mark.parametrize(("noise", "outliers"), [(0.0, 0.0), *NOISES, (3e-3, 0.2), (5e-3, 0.0)])
@pytest.mark.parametrize(
    "free",
    [swinging_arm(), pendulum(), reaching(0), reaching(1), reaching(2)],
    ids=["arm", "pendulum", "one", "two", "three"],
)
def test_a_point_that_moves_freely_does_not_slide(free: SlideExample, noise: float, outliers: float) -> None:
    assert detect_sliding(body_clip(disturbed(free.places, 0, noise, outliers)), "body") == []


@pytest.mark.parametrize("radius", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("noise", [0.0, 3e-4, 1e-3, 3e-3])
def test_no_part_of_a_smooth_curve_is_a_line(radius: float, noise: float) -> None:
    # An arc, a wave with its inflexions, and a helix, fast and slow.
    turn = np.linspace(0.0, 3.0, 150)
    arc = radius * np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
    wave = radius * np.stack([1.5 * turn, 0.3 * np.sin(3.0 * turn), 0.0 * turn], axis=1)
    helix = radius * np.stack([np.cos(2.0 * turn), 0.3 * turn, np.sin(2.0 * turn)], axis=1)
    for curve in (arc, wave, helix):
        assert detect_sliding(body_clip(disturbed(curve, 1, noise, 0.0)), "body", kinds=("line",)) == []


@pytest.mark.parametrize("noise", [0.0, 1e-3, 5e-3])
def test_a_point_at_rest_does_not_slide(noise: float) -> None:
    body = disturbed(stay((1.0, 2.0, 3.0), 200), 0, noise, 0.0)
    assert detect_sliding(body_clip(body), "body") == []


def test_wrists_of_a_walk_do_not_slide() -> None:
    clip = synthetic.walk(steps=10, fps=30.0).clip
    for wrist in (clip.skeleton.landmarks.left_wrist, clip.skeleton.landmarks.right_wrist):
        assert detect_sliding(clip, wrist) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["02_01", "09_01", "10_01", "16_17", "63_01"])
def test_captured_hands_and_feet_that_are_free_do_not_slide(mocap: Path, name: str) -> None:
    clip = solver.read_bvh(mocap / f"{name}.bvh")
    marks = clip.skeleton.landmarks
    for joint in (marks.left_wrist, marks.right_wrist, marks.left_ankle, marks.right_ankle, marks.head):
        assert detect_sliding(clip, joint) == []  # type: ignore[arg-type]


def test_only_from_the_cart_the_rail_is_a_line() -> None:
    assert detect_sliding(body_clip(RAIL.body), "body") == []


def test_the_kinds_that_are_asked_for_come_back() -> None:
    clip = body_clip(wiped_table().body)
    assert detect_sliding(clip, "body", kinds=("line",)) == []
    assert [slide.kind for slide in detect_sliding(clip, "body", kinds=("plane",))] == ["plane"]
    clip = body_clip(drawer().body)
    assert detect_sliding(clip, "body", kinds=("plane",)) == []


@pytest.mark.parametrize(("pause", "slides"), [(5, 1), (10, 1), (25, 2)])
def test_a_short_rest_is_part_of_a_slide(pause: int, slides: int) -> None:
    along = unit([1.0, 0.5, 0.0])
    first = np.linspace(0.0, 0.4, 30)[:, None] * along
    second = first + first[-1]
    places = np.concatenate([stay(first[0], 10), first, stay(first[-1], pause), second, stay(second[-1], 20)])
    found = detect_sliding(body_clip(disturbed(places, 0, 1e-3, 0.0)), "body")
    assert [slide.kind for slide in found] == ["line"] * slides
    assert abs(found[0].begin - 10) <= 1 and abs(found[-1].end - (69 + pause)) <= 1


@pytest.mark.parametrize("outliers", [1, 2, 3, 5])
def test_consecutive_outliers_are_bridged(outliers: int) -> None:
    along = unit([1.0, 0.5, 0.2])
    places = np.concatenate([stay((0.0, 0.0, 0.0), 20), np.linspace(0.0, 0.8, 61)[1:, None] * along])
    places = np.concatenate([places, stay(places[-1], 20)])
    body = disturbed(places, 1, 5e-4, 0.0)
    body.positions[45 : 45 + outliers] += 0.2 * np.random.default_rng(3).standard_normal((outliers, 3))
    (found,) = detect_sliding(body_clip(body), "body")
    assert abs(found.begin - 19) <= 2 and abs(found.end - 79) <= 2


def test_a_hand_lifted_between_two_wipes_makes_two_planes_of_one() -> None:
    wiped = wiped_table().places
    up = 0.3 * unit([0.1, 1.0, -0.2])
    lifted = np.concatenate([reach(wiped[178], wiped[178] + up, (0.1, 0.0, 0.0), 25)])
    back = reach(lifted[-1], wiped[29], (0.0, 0.0, 0.1), 25)
    places = np.concatenate([wiped[:179], lifted, back, wiped[30:]])
    found = detect_sliding(body_clip(disturbed(places, 0, 1e-3, 0.0)), "body")
    assert [slide.kind for slide in found] == ["plane", "plane"]
    assert abs(found[0].end - 178) <= 6 and abs(found[1].begin - 228) <= 6


# What always holds ---------------------------------------------------------------------------------------------------


def test_scale_place_and_heading_change_nothing() -> None:
    body = disturbed(drawer().places, 0, 1e-3, 0.1)
    turn = rotations.exp([0.2, 1.0, -0.4])
    expected = detect_sliding(body_clip(body), "body")
    moved = MovingObject(rotations.rotate(turn, body.positions) + np.array([3e3, -20.0, 1e3]), body.rotations)
    found = detect_sliding(body_clip(moved), "body")
    assert [(each.begin, each.end) for each in found] == [(each.begin, each.end) for each in expected]
    for one, other in zip(expected, found, strict=True):
        back = rotations.rotate(rotations.conjugate(turn), other.position - np.array([3e3, -20.0, 1e3]))
        np.testing.assert_allclose(back, one.position, atol=1e-9)
        assert abs(float(rotations.rotate(turn, one.direction) @ other.direction)) > 1.0 - 1e-9


@pytest.mark.parametrize("factor", [0.01, 100.0])
def test_the_size_of_the_character_is_the_unit(factor: float) -> None:
    # The same hand beside a small and a large character: only beside its own it slides as far as is asked.
    places = drawer().places
    frames = len(places)
    skeleton = synthetic.human()
    scaled = skeleton.scaled(factor / skeleton.size)
    motion = Motion(np.tile(scaled.rest_rotations, (frames, 1, 1)), np.tile(scaled.offsets, (frames, 1, 1)))
    clip = Clip(scaled, motion, 30.0)
    still = np.tile([1.0, 0.0, 0.0, 0.0], (frames, 1))
    found = detect_sliding(clip, MovingObject(factor * places, still))
    expected = detect_sliding(body_clip(drawer().body), "body")
    assert [(each.begin, each.end) for each in found] == [(each.begin, each.end) for each in expected]
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_allclose(other.position / factor, one.position, atol=1e-9)
        assert other.extent / factor == pytest.approx(one.extent, rel=1e-9)
    assert detect_sliding(clip, MovingObject(0.1 * factor * places, still)) == []


@pytest.mark.parametrize("factor", [2, 4, 8])
def test_a_faster_capture_shows_the_same(factor: int) -> None:
    for example in (drawer(), wiped_table()):
        slow = example.places
        times = np.arange(0, factor * (len(slow) - 1) + 1) / factor
        places = np.stack([np.interp(times, np.arange(len(slow)), slow[:, axis]) for axis in range(3)], axis=1)
        found = detect_sliding(body_clip(disturbed(places, 0, 1e-3, 0.0), fps=30.0 * factor), "body")
        assert [slide.kind for slide in found] == [truth.kind for truth in example.truths]
        for slide, truth in zip(found, example.truths, strict=True):
            assert abs(slide.begin / factor - truth.begin) <= 4 and abs(slide.end / factor - truth.end) <= 4


def test_a_point_on_a_joint_slides_where_the_joint_does_not() -> None:
    # The tip of a rod keeps to a line while the rod turns about it in all directions.
    share = np.linspace(0.0, 1.0, 60)[:, None]
    turns = rotations.exp(np.concatenate([2.0 * share, np.sin(5.0 * share), 1.0 - np.cos(7.0 * share)], axis=1))
    tip = share * np.array([0.5, 0.1, 0.0])
    body = MovingObject(tip - rotations.rotate(turns, np.array([0.4, 0.0, 0.0])), np.asarray(turns))
    clip = body_clip(body)
    (found,) = detect_sliding(clip, BodyPoint("body", (0.4, 0.0, 0.0)))
    assert (found.kind, found.begin, found.end, found.frames) == ("line", 0, 59, 60)
    assert detect_sliding(clip, "body") == []


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5])
def test_a_few_frames_hold_no_slide(frames: int) -> None:
    places = np.linspace(0.0, 1.0, frames)[:, None] * np.ones(3)
    assert detect_sliding(body_clip(SlideExample(places).body), "body") == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda clip: detect_sliding(clip, "hand"), "hand"),
        (lambda clip: detect_sliding(clip, "body", reference="cart"), "cart"),
        (lambda clip: detect_sliding(clip, "body", kinds=("point",)), "no kind of slide 'point'"),
        (lambda clip: SlidingSettings(extent=-1.0), "extent of a detection must be a finite number"),
        (lambda clip: SlidingSettings(pause=float("nan")), "pause of a detection must be a finite number"),
        (
            lambda clip: detect_sliding(clip, MovingObject(np.full((30, 3), np.nan), np.tile([1.0, 0, 0, 0], (30, 1)))),
            "not all finite",
        ),
    ],
)
def test_bad_input_is_refused_in_a_sentence(change: Callable[[Clip], object], told: str) -> None:
    with pytest.raises(PoiseError, match=told):
        change(body_clip(SlideExample(stay((0.0, 0.0, 0.0), 30)).body))

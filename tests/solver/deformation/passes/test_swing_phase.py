# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet in the air: when they are, and that legs go smoothly from where one plant leaves them to where the next is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.constraints import Footplant, Source
from poise.solver.core import rotations
from poise.solver.core.arrays import Array, runs
from poise.solver.deformation.displacement import displacement
from poise.solver.deformation.passes.swing_phase import (
    LONGEST_SWING,
    SwingPhase,
    interpolate_swings,
    slope_span,
    swing_frames,
    swing_phases,
)
from poise.solver.deformation.timeline import Timeline
from poise.solver.synthetic import walk as made_up_walk

from ...made_up import moving_human, plant_of
from ...standing import displaced, standing_human


def standing_frames(frames: int, plants: list[Footplant], foot: str) -> Array:
    """(frames,) where heel or ball of a foot stands."""
    stands = np.zeros(frames, dtype=bool)
    for plant in plants:
        for begin, end in plant.stays.values():
            if plant.foot == foot:
                stands[int(begin) : int(end) + 1] = True
    return stands


@pytest.fixture(scope="module")
def strolling() -> tuple[Timeline, list[Footplant]]:
    motion = made_up_walk(steps=4)
    plants = [plant_of(contact) for contact in motion.contacts]
    return Timeline.of(Source(motion.clip), plants), plants


def side(timeline: Timeline, swing: SwingPhase) -> str:
    return "left" if timeline.source.clip.skeleton.landmarks.left_hip in swing.joints else "right"


# When ----------------------------------------------------------------------------------------------------------------


def test_a_walk_swings_between_its_plants(strolling: tuple[Timeline, list[Footplant]]) -> None:
    timeline, plants = strolling
    found = list(swing_phases(timeline))
    between = 0
    for foot in ("left", "right"):
        stands = standing_frames(timeline.frames, plants, foot)
        active = np.zeros(timeline.frames, dtype=bool)
        for plant in plants:
            for track in plant.compiled(timeline.source):
                active[track.frames] |= plant.foot == foot
        own = [swing for swing in found if side(timeline, swing) == foot]
        assert [(swing.first, swing.last) for swing in own] == runs(active & ~stands)
        for swing in own:
            assert swing.joints.tolist() == sorted(swing.joints) and len(swing.joints) == 6
            assert (swing.before, swing.after) == (max(swing.first - 1, 0), min(swing.last + 1, timeline.frames - 1))
            between += int(stands[swing.before] and stands[swing.after])
            assert swing.end_frames(3) == (swing.before - 3, swing.before, swing.after, swing.after + 3)
    assert between >= 3


def test_the_body_flies_where_a_foot_does(strolling: tuple[Timeline, list[Footplant]]) -> None:
    timeline, plants = strolling
    both = standing_frames(timeline.frames, plants, "left") & standing_frames(timeline.frames, plants, "right")
    in_swing = swing_frames(timeline)
    assert both.any() and not in_swing[both].any()
    in_the_air = np.zeros(timeline.frames, dtype=bool)
    for swing in swing_phases(timeline):
        in_the_air[swing.first : swing.last + 1] = True
    np.testing.assert_array_equal(in_swing, in_the_air)


def test_a_leg_that_is_constrained_in_the_air_has_no_swing_phase(strolling: tuple[Timeline, list[Footplant]]) -> None:
    timeline, plants = strolling
    knee = displaced(timeline.source.clip, "l_knee", (0.0, 0.1, 0.0), 0, 20, 20, timeline.frames - 1)
    held = Timeline.of(timeline.source, [*plants, knee])
    assert {side(held, swing) for swing in swing_phases(held)} == {"right"}
    before = [(s.first, s.last) for s in swing_phases(timeline) if side(timeline, s) == "right"]
    assert [(swing.first, swing.last) for swing in swing_phases(held)] == before


def running(rng: np.random.Generator) -> tuple[Clip, list[Footplant]]:
    """Plants by turns with no time at which both feet stand."""
    clip = moving_human(rng, 121)
    plants = []
    for number, strike in enumerate(range(10, 101, 10)):
        times = {"heel_strike": strike, "toe_strike": strike, "heel_off": strike + 5, "toe_off": strike + 5}
        plants.append(Footplant(foot="left" if number % 2 else "right", **times))  # type: ignore[arg-type]
    return clip, plants


def test_in_a_run_the_middles_of_stances_are_firm(rng: np.random.Generator) -> None:
    clip, plants = running(rng)
    timeline = Timeline.of(Source(clip), plants)
    in_swing = swing_frames(timeline)
    (first, last), *more = runs(timeline.active)
    assert not more and last - first > LONGEST_SWING * clip.fps
    # Before the first and after the last stance the other foot is not in the air yet, or no longer.
    inner = plants[1:-1]
    begin, end = int(inner[0].heel_strike) - 1, int(inner[-1].heel_off) + 1  # type: ignore[arg-type]
    middles = [int(plant.heel_strike) + 2 for plant in inner]  # type: ignore[arg-type]
    assert (begin + np.flatnonzero(~in_swing[begin : end + 1])).tolist() == middles


def test_a_single_step_is_one_swing(rng: np.random.Generator) -> None:
    """Shorter than the longest flight, nothing in it counts as firm."""
    clip, plants = running(rng)
    timeline = Timeline.of(Source(clip), [replace(plants[0], ease_in=3, ease_out=3), *plants[1:1]])
    assert np.flatnonzero(swing_frames(timeline)).tolist() == [7, 8, 9, 16, 17, 18]
    pair = [replace(plant, ease_in=3, ease_out=3) for plant in plants[:2]]
    timeline = Timeline.of(Source(clip), pair)
    in_the_air = np.flatnonzero(swing_frames(timeline)).tolist()
    assert in_the_air == [7, 8, 9, 16, 17, 18, 19, 26, 27, 28]


# How -----------------------------------------------------------------------------------------------------------------


def displaced_leg(fine: int) -> tuple[Clip, Motion, SwingPhase]:
    """A human at rest with a left leg that turns at one speed before a swing, at another one after it, wildly between.

    All other joints are displaced too.
    """
    rng = np.random.default_rng(5)
    clip = standing_human(60 * fine + 1, fps=30.0 * fine)
    skeleton = clip.skeleton
    joints = np.array([skeleton.index(f"l_{name}") for name in ("hip", "knee", "talocrural")])
    swing = SwingPhase(joints, 20 * fine + 1, 40 * fine - 1, 20 * fine, 40 * fine)
    times = np.arange(clip.frames)[:, None, None] / fine
    speeds = 0.01 * rng.standard_normal((2, 3, 3))
    places = 0.3 * rng.standard_normal((2, 3, 3))
    turns = np.where(times < 30.0, places[0] + (times - 20.0) * speeds[0], places[1] + (times - 40.0) * speeds[1])
    turns[swing.first : swing.last + 1] += rng.standard_normal((swing.last - swing.first + 1, 3, 3))
    turned = rotations.multiply(rotations.exp(0.2 * rng.standard_normal((1, len(skeleton), 3))), clip.motion.rotations)
    turned[:, joints] = rotations.multiply(rotations.exp(turns), clip.motion.rotations[:, joints])
    moved = clip.motion.translations + 0.1 * rng.standard_normal(clip.motion.translations.shape)
    return clip, Motion(turned, moved), swing


def test_only_the_leg_in_the_air_is_moved() -> None:
    clip, motion, swing = displaced_leg(1)
    result = interpolate_swings(Source(clip), [swing], motion)
    inside = np.zeros(motion.rotations.shape[:2], dtype=bool)
    inside[np.ix_(np.arange(swing.first, swing.last + 1), swing.joints)] = True
    np.testing.assert_array_equal(result.rotations[~inside], motion.rotations[~inside])
    np.testing.assert_array_equal(result.translations, motion.translations)
    assert (result.rotations[inside] != motion.rotations[inside]).any(axis=-1).all()


def test_what_was_between_does_not_matter_and_the_given_motion_stays() -> None:
    clip, motion, swing = displaced_leg(1)
    kept = motion.rotations.copy()
    other = Motion(kept.copy(), motion.translations)
    other.rotations[swing.first : swing.last + 1, swing.joints] = clip.motion.rotations[0, swing.joints]
    results = [interpolate_swings(Source(clip), [swing], given).rotations for given in (motion, other)]
    np.testing.assert_array_equal(*results)
    np.testing.assert_array_equal(motion.rotations, kept)


def test_a_swung_leg_goes_on_with_place_and_velocity_at_both_ends() -> None:
    """In the limit of fine frames: the first step in the air is as long as the one before was, and so is the last."""
    corners, jumps = [], []
    for fine in (4, 16):
        clip, motion, swing = displaced_leg(fine)
        turns = displacement(clip.motion, interpolate_swings(Source(clip), [swing], motion)).rotation_vectors[
            :, swing.joints
        ]
        steps = np.diff(turns, axis=0) * fine
        ends = np.array([swing.before, swing.after])
        corners.append(float(np.abs(steps[ends] - steps[ends - 1]).max()))
        jumps.append(float(np.abs(np.diff(turns[swing.before : swing.after + 1], axis=0)).max()))
    assert corners[1] < 0.35 * corners[0], "the velocity jumps"
    assert jumps[1] < 0.35 * jumps[0], "the leg jumps"


def test_a_leg_that_is_displaced_alike_before_and_after_stays_so() -> None:
    clip, motion, swing = displaced_leg(2)
    turned = motion.rotations.copy()
    turned[:, swing.joints] = turned[swing.before, swing.joints]
    turned[swing.first : swing.last + 1, swing.joints] = clip.motion.rotations[0, swing.joints]
    result = interpolate_swings(Source(clip), [swing], Motion(turned, motion.translations))
    np.testing.assert_allclose(result.rotations[:, swing.joints], turned[:1, swing.joints].repeat(121, 0), atol=1e-12)


def test_swings_at_the_ends_of_a_clip_go_on_as_they_begin(rng: np.random.Generator) -> None:
    """Where a clip begins in the air the leg starts with what that frame has, and it ends with what the last has."""
    clip, motion, swing = displaced_leg(1)
    last = clip.frames - 1
    for edge in (replace(swing, first=0, before=0), replace(swing, last=last, after=last)):
        result = interpolate_swings(Source(clip), [edge], motion)
        kept = 0 if edge.before == 0 else last
        np.testing.assert_allclose(result.rotations[kept], motion.rotations[kept], atol=1e-12)
        assert np.isfinite(result.rotations).all()


def test_a_slope_is_taken_over_a_frame_at_least() -> None:
    assert [slope_span(fps) for fps in (10.0, 30.0, 60.0, 120.0, 240.0)] == [1, 1, 1, 2, 4]

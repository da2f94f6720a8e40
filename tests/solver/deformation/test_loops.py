# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops: which clips are some, how long they last, and what they are repeated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from poise import solver
from poise.examples.detection.gaits import jittered
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.body.moving_ground import ground_velocity, over_ground
from poise.solver.core import rotations
from poise.solver.core.errors import MotionError
from poise.solver.deformation.loops import APART, Loop, is_cyclic
from poise.solver.synthetic import human, walk

from ..body.test_moving_ground import STILL
from ..in_place import Ends, run_in_place, walk_in_place
from ..made_up import moving_human


def swaying(frames: int = 61, drift: float = 0.0, rest: bool = False) -> Clip:
    """Stands and sways once, so that the last frame is the first one again, but for a drift in sizes; or gives one
    sign with an arm from rest to rest."""
    skeleton = human()
    share = np.arange(frames) / (frames - 1)
    phase = 2.0 * np.pi * share
    bend = 0.4 * np.sin(0.5 * phase) ** 4 if rest else 0.1 * np.sin(phase + 0.4)
    turned = np.tile(skeleton.rest_rotations, (frames, 1, 1))
    for joint in (skeleton.landmarks.spine[0], skeleton.landmarks.left_shoulder):
        turned[:, joint] = rotations.multiply(turned[:, joint], rotations.exp(bend[:, None] * [1.0, 0.0, 0.3]))
    moved = np.tile(skeleton.offsets, (frames, 1, 1))
    moved[:, 0, 0] += drift * skeleton.size * share
    return Clip(skeleton, Motion(turned, moved))


def travelling() -> Clip:
    """One cycle of a walk that goes its way; the last frame is the first one again, further on."""
    frames = 33
    clip = walk(steps=6, step_length=0.72, speed=2.0 * 0.72 * 30.0 / frames).clip
    chosen = np.arange(20, 20 + frames + 1)
    return clip.with_motion(clip.motion.at(chosen))


# Which are loops ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
@pytest.mark.parametrize("ends", ["again", "before", "short"])
def test_walks_in_place_are_loops_and_their_length_is_known(fps: float, ends: Ends) -> None:
    for first in (0.0, 0.3, 0.6, 0.9):
        made = walk_in_place(fps, ends=ends, first=first)
        assert is_cyclic(made.clip)
        loop = Loop.of(made.clip)
        assert loop.closes == (ends != "before")
        assert loop.frames == made.frames
        assert loop.period == pytest.approx(made.period, abs=0.03)
        assert not loop.travel.any()


@pytest.mark.parametrize("ends", ["again", "before"])
def test_runs_in_place_are_loops(ends: Ends) -> None:
    made = run_in_place(ends)
    assert is_cyclic(made.clip)
    assert Loop.of(made.clip).closes == (ends == "again")


def test_feet_that_tremble_do_not_hide_a_loop() -> None:
    for seed in range(5):
        made = walk_in_place(60.0)
        assert is_cyclic(jittered(made.clip, np.random.default_rng(seed)))


def test_a_part_of_a_walk_in_place_is_no_loop() -> None:
    clip = walk_in_place().clip
    for frames in (10, 17, 26, 30):
        assert not is_cyclic(clip.with_motion(clip.motion.at(np.arange(frames))))


def test_a_motion_that_flows_on_is_a_loop_where_it_began() -> None:
    assert is_cyclic(swaying())
    assert not is_cyclic(swaying(drift=0.01))


def test_what_begins_and_ends_at_rest_is_no_loop() -> None:
    assert not is_cyclic(swaying(rest=True))


def respaced(clip: Clip, phases: np.ndarray) -> Clip:
    """A loop whose last frame is the first one again, at other phases (frames,) from 0 to 1."""
    times = phases * (clip.frames - 1)
    before = np.minimum(np.floor(times).astype(int), clip.frames - 2)
    share = times - before
    turned = rotations.slerp(clip.motion.rotations[before], clip.motion.rotations[before + 1], share[:, None])
    moved = clip.motion.translations
    placed = (1.0 - share)[:, None, None] * moved[before] + share[:, None, None] * moved[before + 1]
    return clip.with_motion(Motion(turned, placed))


def test_a_walk_in_place_with_uneven_spacing_is_a_loop_even_if_it_rests_between() -> None:
    for heading in (0.0, 0.8):
        clip = walk_in_place(120.0, heading=heading).clip
        share = np.linspace(0.0, 1.0, 25)
        eased = respaced(clip, share - np.sin(2.0 * np.pi * share) / (2.0 * np.pi))
        assert not ground_velocity(eased).any()
        assert is_cyclic(eased)


def test_a_stride_and_back_is_no_loop() -> None:
    clip = walk_in_place(120.0, first=0.0).clip
    feet = [clip.position(getattr(clip.skeleton.landmarks, f"{side}_ball")) for side in ("left", "right")]
    ahead = (feet[0] - feet[1])[:, 2]
    together, apart = int(np.argmin(np.abs(ahead))), int(np.argmax(np.abs(ahead)))
    share = (together + (apart - together) * np.sin(np.pi * np.linspace(0.0, 1.0, 31)) ** 2) / (clip.frames - 1)
    assert not is_cyclic(respaced(clip, share))


def test_a_gesture_that_comes_back_the_way_it_went_is_no_loop() -> None:
    clip = swaying()
    there = np.arange(20)
    assert not is_cyclic(clip.with_motion(clip.motion.at(np.concatenate([there, there[-2::-1]]))))


@pytest.mark.parametrize("name", STILL)
def test_other_motions_are_no_loops(name: str) -> None:
    assert not is_cyclic(STILL[name]())


def test_random_and_captured_motions_are_no_loops(rng: np.random.Generator, mocap: Path) -> None:
    assert not any(is_cyclic(moving_human(rng)) for _ in range(20))
    for path in sorted(mocap.glob("*.bvh")):
        assert not is_cyclic(solver.read_bvh(path)), path.name


def test_too_few_frames_are_no_loop() -> None:
    clip = swaying()
    short = clip.with_motion(clip.motion.at(np.arange(3)))
    assert not is_cyclic(short)
    with pytest.raises(MotionError, match="4 frames or more, not 3"):
        Loop.of(short)


# Repeated -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [lambda: walk_in_place().clip, lambda: walk_in_place(ends="before").clip, swaying])
def test_copies_follow_each_other_and_the_middle_one_is_the_clip(make: Callable[[], Clip]) -> None:
    clip = make()
    loop = Loop.of(clip)
    repeated = loop.repeated
    assert loop.copies_each_side * loop.frames >= APART * clip.fps
    assert repeated.frames == (2 * loop.copies_each_side + 1) * loop.frames + int(loop.closes)
    motion = loop.motion_of_the_clip(repeated.motion)
    np.testing.assert_array_equal(motion.rotations, clip.motion.rotations)
    np.testing.assert_array_equal(motion.translations, clip.motion.translations)
    steps = np.linalg.norm(np.diff(repeated.world.positions, axis=0), axis=-1).max(axis=1)
    assert steps.max() <= 1.5 * np.linalg.norm(np.diff(clip.world.positions, axis=0), axis=-1).max()


def test_copies_of_a_walk_go_on_where_the_one_before_ends() -> None:
    clip = travelling()
    loop = Loop.of(clip)
    size = clip.skeleton.size
    assert loop.closes
    np.testing.assert_allclose(loop.travel, [0.0, 0.0, 2.0 * 0.72 * size], atol=1e-6 * size)
    steps = np.diff(loop.repeated.motion.root_translation, axis=0)
    assert np.linalg.norm(np.diff(steps, axis=0), axis=1).max() < 0.01 * size


@pytest.mark.parametrize("ends", ["again", "before", "short"])
def test_times_of_the_copies(ends: Ends) -> None:
    made = walk_in_place(ends=ends)
    loop = Loop.of(made.clip)
    seconds = loop.seconds
    assert len(seconds) == loop.repeated.frames
    assert seconds[loop.first] == 0.0
    np.testing.assert_allclose(np.diff(seconds[loop.first :][: loop.frames]), 1.0 / made.clip.fps)
    assert seconds[loop.first + loop.frames] == pytest.approx(made.period / made.clip.fps, abs=0.001)
    # Feet stand still on the ground also where one copy follows the other.
    seen = over_ground(loop.repeated, made.velocity, seconds)
    for (foot, part), spans in made.stands.items():
        mark = getattr(made.clip.skeleton.landmarks, f"{foot}_{part}")
        places = seen.position(mark)
        for begin, end in spans:
            during = places[loop.first + begin : loop.first + end + 1]
            assert np.ptp(during, axis=0).max() < 0.01 * made.clip.skeleton.size


def test_the_last_frame_is_displaced_as_the_first_one_where_they_differ() -> None:
    clip = swaying(drift=0.0005)
    loop = Loop.of(clip)
    changed = loop.repeated.motion
    turned, moved = changed.rotations.copy(), changed.translations.copy()
    turned[loop.first, 5] = rotations.multiply(rotations.exp([0.1, 0.2, 0.0]), turned[loop.first, 5])
    moved[loop.first, 0] += [0.0, 0.1, 0.0]
    motion = loop.motion_of_the_clip(Motion(turned, moved))
    source = clip.motion
    np.testing.assert_allclose(motion.translations[-1, 0] - source.translations[-1, 0], [0.0, 0.1, 0.0], atol=1e-12)
    for frame in (0, -1):
        turn = rotations.multiply(motion.rotations[frame, 5], rotations.conjugate(source.rotations[frame, 5]))
        np.testing.assert_allclose(rotations.log(turn), [0.1, 0.2, 0.0], atol=1e-12)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Gait cycles: found at strikes, closed with their velocities, repeated along straight and curved paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise import solver
from poise.solver import synthetic
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import MotionError
from poise.solver.spacetime.gait_cycle import (
    BLEND,
    STRAIGHT,
    Advance,
    GaitCycle,
    cycle_advance,
    find_gait_cycle,
    make_cyclic,
    repeat,
)

CAPTURED = ["09_01", "02_01"]
FRAMES = 60
"""Of a cycle of `steady_walk`."""


def steady_walk(skeleton: Skeleton | None = None, **arguments: Any) -> Clip:
    """A made-up walk with a whole number of frames in each cycle."""
    return synthetic.walk(skeleton, step_length=0.65, speed=1.3, fps=60.0, steps=6, **arguments).clip


def drifting(clip: Clip, size: float = 0.03) -> Clip:
    """The clip with slow errors of all joints that differ from cycle to cycle, in value and in velocity."""
    rng = np.random.default_rng(5)
    times = np.arange(clip.frames) / clip.fps
    waves = [
        np.sin(rng.uniform(0.5, 2.5, (len(clip.skeleton), 3)) * times[:, None, None] + rng.uniform(0.0, 6.0, 3))
        for _ in range(2)
    ]
    rotated = rotations.multiply(rotations.exp(size * waves[0]), clip.motion.rotations)
    moved = clip.motion.translations.copy()
    moved[:, 0] += size * clip.skeleton.size * waves[1][:, 0]
    return clip.with_motion(Motion(rotated, moved))


def curved(clip: Clip, per_frame: float) -> Clip:
    """A clip that goes straight ahead from the origin, bent to a circle: turned by so many radians in each frame."""
    skeleton, frames = clip.skeleton, np.arange(clip.frames)
    turns = rotations.exp(per_frame * frames[:, None] * np.eye(3)[skeleton.up_axis])
    path = clip.motion.root_translation
    mean = (path[-1] - path[0]) / (clip.frames - 1)
    mean[skeleton.up_axis] = 0.0
    along = np.concatenate([np.zeros((1, 3)), np.cumsum(rotations.rotate(turns, mean)[:-1], axis=0)])
    rotated, moved = clip.motion.rotations.copy(), clip.motion.translations.copy()
    rotated[:, 0] = rotations.multiply(turns, rotated[:, 0])
    moved[:, 0] = rotations.rotate(turns, path - frames[:, None] * mean) + along
    return clip.with_motion(Motion(rotated, moved))


def captured(mocap: Path, name: str) -> tuple[Clip, list[solver.DetectedFootplant], GaitCycle]:
    clip = solver.read_bvh(mocap / f"{name}.bvh")
    plants = solver.detect_footplants(clip)
    return clip, plants, find_gait_cycle(clip, plants)


def velocity_gap(clip: Clip, frame: int) -> float:
    """The largest difference between the velocities of a joint from either side of a frame, radians or units a second.

    Each is extrapolated linearly from two differences of frames.
    """
    q, places = clip.motion.rotations[frame - 2 : frame + 3], clip.motion.translations[frame - 2 : frame + 3]
    gaps = []
    for steps in (rotations.log(rotations.quotient(q[1:], q[:-1])), np.diff(places, axis=0)):
        before, after = 1.5 * steps[1] - 0.5 * steps[0], 1.5 * steps[2] - 0.5 * steps[3]
        gaps.append(np.abs(after - before).max() * clip.fps)
    return float(max(gaps))


def second_differences(positions: Array) -> Array:
    """(frames - 2, joints) lengths."""
    return np.asarray(np.linalg.norm(np.diff(positions, 2, axis=0), axis=-1))


# Finding -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("make", "frames"), [(synthetic.run, 40), (synthetic.hop, 24)])
def test_a_cycle_of_a_made_up_gait_is_found_to_the_frame(make: Any, frames: int) -> None:
    motion = make(fps=60.0)
    cycle = find_gait_cycle(motion.clip, solver.detect_footplants(motion.clip))
    assert cycle.end - cycle.begin == frames
    assert cycle.mismatch < 1e-9
    strikes = [contact.heel_strike for contact in motion.contacts if contact.foot == cycle.foot]
    assert min(abs(cycle.begin - strike) for strike in strikes) <= 2


def test_of_several_cycles_the_one_that_matches_best_is_taken() -> None:
    clip = steady_walk()
    times = np.arange(clip.frames)
    bent = clip.motion.rotations.copy()
    spine = clip.skeleton.index("vl2")
    # The trunk bends by ever more, but not in the third cycle.
    amount = 0.01 * np.where(times < 100, 100 - times, np.where(times > 165, times - 165, 0))
    bent[:, spine] = rotations.multiply(rotations.exp(amount[:, None] * np.array([1.0, 0.0, 0.0])), bent[:, spine])
    plants = solver.detect_footplants(clip)
    cycle = find_gait_cycle(clip.with_motion(Motion(bent, clip.motion.translations)), plants)
    assert cycle.begin >= 100 and cycle.end <= 167


def test_the_end_is_moved_to_where_it_matches_best() -> None:
    """A strike that was detected two frames late does not make the cycle longer."""
    clip = steady_walk()
    plants = [solver.Footplant(foot="left", toe_strike=begin, toe_off=begin + 20) for begin in (50.0, 112.0)]
    cycle = find_gait_cycle(clip, plants)
    assert (cycle.begin, cycle.end, cycle.foot) == (50, 110, "left")


def test_a_plant_that_begins_with_the_clip_has_no_strike() -> None:
    clip = steady_walk()
    begins = (0.0, 1.0, 60.0)
    plants = [solver.Footplant(foot="left", toe_strike=begin, toe_off=begin + 9) for begin in begins]
    with pytest.raises(MotionError, match="strikes the ground twice"):
        find_gait_cycle(clip, plants)
    with pytest.raises(MotionError, match="strikes the ground twice"):
        find_gait_cycle(clip, [])


@pytest.mark.parametrize(("name", "frames"), [("09_01", (88, 92)), ("02_01", (128, 136))])
def test_captured_cycles_are_found(mocap: Path, name: str, frames: tuple[int, int]) -> None:
    """The cycle of the run lasts 0.73 to 0.77 s, that of the walk 1.1 s, at 120 frames a second."""
    _, _, cycle = captured(mocap, name)
    assert frames[0] <= cycle.end - cycle.begin <= frames[1]
    assert cycle.mismatch < 0.06


# Closing -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("blend", [0.05, BLEND, 10.0])
@pytest.mark.parametrize("up", ["y", "z"])
def test_a_cycle_closes_in_value_and_velocity(up: Any, blend: float) -> None:
    """Finely sampled, so that differences at both ends are velocities."""
    fine = drifting(synthetic.walk(up=up, step_length=0.65, speed=1.3, fps=2400.0, steps=4).clip)
    cycle = make_cyclic(fine, 1000, 3400, blend=blend)
    assert cycle.frames == 2401
    advance = cycle_advance(cycle)
    moved = advance.of(cycle.motion, cycle.skeleton)
    turned = rotations.log(rotations.quotient(moved.rotations[0], cycle.motion.rotations[-1]))
    assert np.abs(turned).max() < 1e-12
    assert np.abs(moved.translations[0] - cycle.motion.translations[-1]).max() < 1e-12
    assert velocity_gap(repeat(cycle, 2), 2400) < 3e-3, "velocities are measured over a thirtieth of a second"
    source = advance.of(fine.motion, fine.skeleton)
    frames = np.arange(1000, 1010)
    joined = Motion(
        np.concatenate([fine.motion.rotations[3390:3400], source.rotations[frames]]),
        np.concatenate([fine.motion.translations[3390:3400], source.translations[frames]]),
    )
    assert velocity_gap(fine.with_motion(joined), 10) > 0.05, "the source does not close"


def test_frames_away_from_the_ends_keep_their_detail() -> None:
    clip = drifting(steady_walk())
    cycle = make_cyclic(clip, 50, 110, blend=0.15)
    kept = slice(10, 51)
    assert np.allclose(cycle.world.positions[kept], clip.world.positions[50:111][kept], atol=1e-12)
    changed = np.linalg.norm(cycle.world.positions - clip.world.positions[50:111], axis=-1).max(axis=1)
    assert changed[0] > 1e-3 and changed[-1] > 1e-3


def test_a_cycle_that_closes_already_stays_as_it_is() -> None:
    clip = steady_walk()
    cycle = make_cyclic(clip, 50, 110)
    assert np.allclose(cycle.world.positions, clip.world.positions[50:111], atol=1e-12)
    again = make_cyclic(cycle, 0, 60)
    moved = np.linalg.norm(again.world.positions - cycle.world.positions, axis=-1).max()
    assert moved < 2e-3 * clip.skeleton.size, "velocities are estimated from one side, where the clip ends"


def test_both_ends_meet_halfway() -> None:
    clip = drifting(steady_walk())
    cycle = make_cyclic(clip, 50, 110)
    elbow = clip.skeleton.index("l_elbow")
    ends = clip.motion.rotations[[50, 110], elbow]
    halfway = rotations.slerp(ends[0], ends[1], 0.5)
    assert np.allclose(rotations.align(cycle.motion.rotations[0, elbow], halfway), halfway, atol=1e-12)


@pytest.mark.parametrize("factor", [0.01, 100.0])
def test_scale_place_and_heading_change_nothing(factor: float) -> None:
    usual = make_cyclic(drifting(steady_walk()), 50, 110)
    clip = drifting(steady_walk(synthetic.human().scaled(factor)))
    moved = Advance(2.0, factor * np.array([500.0, 0.0, -300.0]), 1)
    there = make_cyclic(clip.with_motion(moved.of(clip.motion, clip.skeleton)), 50, 110)
    back = moved.inverse.of(there.motion, there.skeleton)
    assert np.allclose(np.abs(back.rotations), np.abs(usual.motion.rotations), atol=1e-8)
    assert np.allclose(back.translations / factor, usual.motion.translations, atol=1e-8)


# Captured ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CAPTURED)
def test_captured_cycles_do_not_jump_when_they_are_repeated(mocap: Path, name: str) -> None:
    clip, _, found = captured(mocap, name)
    cycle = make_cyclic(clip, found.begin, found.end)
    size, frames = clip.skeleton.size, cycle.frames - 1
    before = second_differences(clip.world.positions[found.begin : found.end + 1] / size).max(axis=0)
    after = second_differences(repeat(cycle, 3).world.positions / size)
    still = 2e-4  # sizes a frame squared at 120 frames a second: no movement to be seen
    assert (after[frames - 3 : frames + 3] / np.maximum(before, still)).max() < 1.0, "at the boundary"
    assert (after[frames // 2 :][:frames] / np.maximum(before, still)).max() < 1.15, "in the blends"


@pytest.mark.parametrize("name", CAPTURED)
def test_blends_add_little_slide_to_captured_feet(mocap: Path, name: str) -> None:
    clip, plants, found = captured(mocap, name)
    cycle = make_cyclic(clip, found.begin, found.end)
    added = []
    for plant in plants:
        for part, (strike, off) in plant.stays.items():
            frames = np.arange(max(int(np.ceil(strike)), found.begin), min(int(off), found.end) + 1)
            if len(frames) > 3:
                point = clip.skeleton.landmarks.require(f"{plant.foot}_{part}")
                paths = (clip.position(point)[frames], cycle.position(point)[frames - found.begin])
                slides = [np.linalg.norm(np.diff(path[:, [0, 2]], axis=0), axis=1).sum() for path in paths]
                added.append((slides[1] - slides[0]) / clip.skeleton.size)
    assert len(added) >= 4
    assert max(added) < 0.005, "half a hundredth of the size, 5 mm"


# Repeating -----------------------------------------------------------------------------------------------------------


def test_a_repeated_run_goes_on_as_the_run_does() -> None:
    clip = synthetic.run(steps=8, fps=60.0).clip
    cycle = make_cyclic(clip, 20, 60)
    long = repeat(cycle, 3)
    assert long.frames == 3 * 40 + 1
    assert np.allclose(long.world.positions, clip.world.positions[20:141], atol=1e-9)


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("degrees", [30.0, -12.0])
def test_a_curved_walk_goes_around_in_a_circle(up: Any, degrees: float) -> None:
    clip = curved(steady_walk(up=up), np.deg2rad(degrees) / FRAMES)
    cycle = make_cyclic(clip, 40, 40 + FRAMES)
    advance = cycle_advance(cycle)
    assert advance.turn == pytest.approx(np.deg2rad(degrees), abs=1e-6)
    around = repeat(cycle, round(360.0 / abs(degrees)))
    first, last = around.world.positions[[0, -1]]
    assert np.abs(first - last).max() < 1e-4 * clip.skeleton.size, "once around"
    assert np.allclose(repeat(cycle, 2).world.positions[:121], clip.world.positions[40:161], atol=1e-6)


def test_a_straight_walk_stays_straight() -> None:
    """Ends that are turned against each other by less than `STRAIGHT` are blended."""
    clip = steady_walk()
    turns = np.linspace(0.0, 0.6 * STRAIGHT * (clip.frames - 1) / FRAMES, clip.frames)
    rotated = clip.motion.rotations.copy()
    rotated[:, 0] = rotations.multiply(rotations.exp(turns[:, None] * np.array([0.0, 1.0, 0.0])), rotated[:, 0])
    cycle = make_cyclic(clip.with_motion(Motion(rotated, clip.motion.translations)), 50, 110)
    assert cycle_advance(cycle).turn == pytest.approx(0.0, abs=1e-12)


def test_displacements_follow_each_other() -> None:
    one, other = Advance(0.4, np.array([1.0, 0.0, 2.0]), 1), Advance(-1.1, np.array([0.5, 0.0, 0.1]), 1)
    clip = steady_walk()
    both = one.then(other).of(clip.motion, clip.skeleton)
    steps = other.of(one.of(clip.motion, clip.skeleton), clip.skeleton)
    assert np.allclose(both.rotations, steps.rotations) and np.allclose(both.translations, steps.translations)
    back = one.then(one.inverse)
    assert back.turn == 0.0 and np.abs(back.displacement).max() < 1e-12


# Errors --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"begin": -1, "end": 60},
        {"begin": 60, "end": 20},
        {"begin": 10, "end": 10_000},
        {"begin": 10, "end": 14},
        {"begin": 10, "end": 70, "blend": 0.0},
        {"begin": 10, "end": 70, "blend": np.nan},
    ],
)
def test_impossible_cycles_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(MotionError):
        make_cyclic(steady_walk(), **wrong)


def test_what_is_no_cycle_is_not_repeated() -> None:
    with pytest.raises(MotionError, match="no cycle: joint"):
        repeat(drifting(steady_walk()), 2)
    cycle = make_cyclic(steady_walk(), 50, 110)
    for times in (0, 1.5, True):
        with pytest.raises(MotionError, match="once or more"):
            repeat(cycle, times)  # type: ignore[arg-type]

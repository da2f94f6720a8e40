# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of a capture: those that are put into clean motions are found, nothing else is, and repair takes them out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.solver import CaptureFault, Clip, Motion, faulty_joints, find_faults, read_bvh, repair
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError
from poise.solver.detection.faults import IMPOSSIBLE, LONGEST, VISIBLE
from poise.solver.synthetic import walk

from ..cleanup.gaits import gait
from ..made_up import point_clip

RATES = (24.0, 30.0, 60.0, 120.0, 240.0)
JOINTS = {"l_hip": "l_knee", "r_knee": "r_talocrural", "l_shoulder": "l_elbow", "r_elbow": "r_wrist", "vt6": "vt1"}
"""Joints that are turned, each with the one that this displaces."""
NOISE = 2e-4
"""Radians by which the joints of a clean capture are off."""


def noisy_walk(fps: float, seed: int = 0) -> Clip:
    clip = walk(steps=5, fps=fps).clip
    noise = NOISE * np.random.default_rng(seed).standard_normal((*clip.motion.rotations.shape[:2], 3))
    turned = rotations.multiply(clip.motion.rotations, rotations.exp(noise))
    return clip.with_motion(Motion(turned, clip.motion.translations))


def least(fps: float) -> float:
    """Sizes of the character by which a fault has to displace a joint to be found at a frame rate."""
    return max(VISIBLE, IMPOSSIBLE / fps**2)


def angle_for(clip: Clip, joint: str, amount: float) -> float:
    """Radians by which a joint turns the one below it by an amount, in sizes."""
    lever = float(np.linalg.norm(clip.skeleton.offsets[clip.skeleton.index(JOINTS[joint])])) / clip.skeleton.size
    return amount / lever


def with_glitch(clip: Clip, joint: str, begin: int, end: int, vector: Array) -> Clip:
    """The clip with a joint turned by a rotation vector (3,) in some frames."""
    turned = clip.motion.rotations.copy()
    index = clip.skeleton.index(joint)
    turned[begin : end + 1, index] = rotations.multiply(turned[begin : end + 1, index], rotations.exp(vector))
    return clip.with_motion(Motion(turned, clip.motion.translations))


def across(clip: Clip, joint: str, rng: np.random.Generator) -> Array:
    """(3,) a random unit vector perpendicular to the bone below a joint."""
    bone = clip.skeleton.offsets[clip.skeleton.index(JOINTS[joint])]
    return rotations.unit(np.cross(bone, rng.standard_normal(3)))


@pytest.mark.parametrize("fps", RATES)
@pytest.mark.parametrize("name", ["walk", "run", "turn", "jump", "stairs"])
def test_made_up_motions_have_no_faults(name: str, fps: float) -> None:
    assert find_faults(gait(name, fps=fps, skate=0.02).clip) == []


@settings(max_examples=60, deadline=None)
@given(
    fps=st.sampled_from(RATES), joint=st.sampled_from(sorted(JOINTS)), seed=st.integers(0, 10**6), share=st.floats(0, 1)
)
def test_a_glitch_is_found_in_its_frames_and_nothing_else(fps: float, joint: str, seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    clean = noisy_walk(fps, seed)
    length = 1 + int(share * (round(LONGEST * fps) - 1))
    begin = int(rng.integers(4, clean.frames - length - 4))
    amount = (1.5 + rng.random()) * least(fps)
    vector = angle_for(clean, joint, amount) * across(clean, joint, rng)
    faulty = with_glitch(clean, joint, begin, begin + length - 1, vector)
    faults = find_faults(faulty)
    assert [(fault.kind, fault.begin, fault.end) for fault in faults] == [("glitch", begin, begin + length - 1)]
    assert faulty_joints(faulty, faults)[begin, faulty.skeleton.index(joint)]


@pytest.mark.parametrize("fps", RATES)
def test_a_root_that_is_somewhere_else_for_a_frame_is_a_fault(fps: float) -> None:
    clean = noisy_walk(fps)
    places = clean.motion.translations.copy()
    places[20, 0] += 2.0 * least(fps) * clean.skeleton.size
    faults = find_faults(clean.with_motion(Motion(clean.motion.rotations, places)))
    assert [(fault.begin, fault.end, fault.joints) for fault in faults] == [(20, 20, clean.skeleton.names[:1])]


def test_two_glitches_beside_each_other_are_both_found() -> None:
    clean = noisy_walk(120.0)
    vector = np.array([0.3, 0.0, 0.0])
    clip = with_glitch(with_glitch(clean, "l_hip", 50, 50, vector), "l_hip", 54, 54, -vector)
    found = faulty_joints(clip)[:, clip.skeleton.index("l_knee")]
    assert np.array_equal(np.flatnonzero(found), [50, 54])


@settings(max_examples=30, deadline=None)
@given(fps=st.sampled_from(RATES), joint=st.sampled_from(sorted(JOINTS)), seed=st.integers(0, 10**6))
def test_repair_takes_a_glitch_out_and_leaves_everything_else_bit_for_bit(fps: float, joint: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    clean = noisy_walk(fps, seed)
    begin = int(rng.integers(4, clean.frames - 6))
    vector = angle_for(clean, joint, 2.0 * least(fps)) * across(clean, joint, rng)
    faulty = with_glitch(clean, joint, begin, begin, vector)
    repaired = repair(faulty)
    others = np.arange(clean.frames) != begin
    assert np.array_equal(repaired.motion.rotations[others], clean.motion.rotations[others])
    assert np.array_equal(repaired.motion.translations, clean.motion.translations)
    before, after = (
        np.linalg.norm(each.world.positions - clean.world.positions, axis=2).max() for each in (faulty, repaired)
    )
    assert after < 0.2 * before
    assert find_faults(repaired) == []


def test_a_clip_without_faults_is_not_copied() -> None:
    clip = noisy_walk(60.0)
    assert repair(clip) is clip


# What is sharp and no fault -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fps", RATES)
@pytest.mark.parametrize("speed", [1.0, 4.0, 10.0])
def test_an_impact_is_no_fault(fps: float, speed: float) -> None:
    """A point hits something at so many sizes a second, and rests or rebounds at any speed."""
    times = (np.arange(80) - 40) / fps
    for rebound in (0.0, 0.5, 1.0):
        away = np.where(times < 0.0, times, -rebound * times) * speed
        assert find_faults(point_clip(away[:, None] * [0.6, 0.8, 0.0], fps)) == []


@pytest.mark.parametrize("fps", RATES)
@pytest.mark.parametrize("frames", [3, 5, 8, 16])
def test_a_short_contact_between_two_impacts_is_no_fault(fps: float, frames: int) -> None:
    times = np.arange(80.0)
    away = (np.maximum(40.0 - times, 0.0) + np.maximum(times - 40.0 - frames, 0.0)) * 3.0 / fps
    assert find_faults(point_clip(away[:, None] * [0.0, 1.0, 0.0], fps)) == []


@pytest.mark.parametrize("fps", RATES)
def test_a_place_that_is_left_for_good_is_no_glitch(fps: float) -> None:
    """There is no telling on which side of such a step the fault would be."""
    away = np.where(np.arange(80) < 40, 0.0, 0.5)
    assert find_faults(point_clip(away[:, None] * [0.0, 0.0, 1.0], fps)) == []


@pytest.mark.parametrize("fps", RATES)
@pytest.mark.parametrize("rate", [1.0, 2.0, 4.0, 6.0])
def test_fast_swings_are_no_faults(fps: float, rate: float) -> None:
    """A point swings to and fro, so often a second, by half a size."""
    away = 0.5 * np.sin(2.0 * np.pi * rate * np.arange(120) / fps)
    assert find_faults(point_clip(away[:, None] * [1.0, 0.0, 0.0], fps)) == []


@pytest.mark.parametrize("fps", RATES)
def test_jitter_of_many_frames_is_no_fault(fps: float) -> None:
    rng = np.random.default_rng(4)
    assert find_faults(point_clip(2.0 * least(fps) * rng.standard_normal((200, 3)), fps)) == []


# A calibration pose ---------------------------------------------------------------------------------------------------


def with_rest_pose(clip: Clip, frames: int) -> Clip:
    """The clip with some frames of its rest pose before it."""
    skeleton = clip.skeleton
    turns = np.concatenate([np.tile(skeleton.rest_rotations, (frames, 1, 1)), clip.motion.rotations])
    steps = np.concatenate([np.tile(skeleton.offsets, (frames, 1, 1)), clip.motion.translations])
    turns[:frames, [skeleton.index(f"{side}_shoulder") for side in "lr"]] = rotations.exp([[0, 0, 1.5], [0, 0, -1.5]])
    return clip.with_motion(Motion(turns, steps))


@pytest.mark.parametrize("fps", RATES)
def test_a_calibration_pose_at_the_begin_is_found_and_replaced(fps: float) -> None:
    for frames in {1, max(round(LONGEST * fps), 1)}:
        clip = with_rest_pose(noisy_walk(fps), frames)
        assert find_faults(clip) == [CaptureFault("calibration", 0, frames - 1, clip.skeleton.names[:1])]
        repaired = repair(clip)
        assert np.array_equal(repaired.motion.rotations[frames:], clip.motion.rotations[frames:])
        assert np.array_equal(repaired.motion.translations[frames:], clip.motion.translations[frames:])
        accelerations = np.abs(np.diff(repaired.world.positions, 2, axis=0)).max(axis=(1, 2))
        assert accelerations[:frames].max() < 1.5 * accelerations[frames:].max()
        assert find_faults(repaired) == []


@pytest.mark.parametrize("fps", RATES)
def test_a_motion_has_no_calibration_pose_wherever_it_begins(fps: float) -> None:
    whole = gait("run", fps=fps).clip
    for begin in range(0, whole.frames // 2, max(round(fps / 12), 1)):
        part = Motion(whole.motion.rotations[begin:], whole.motion.translations[begin:])
        assert find_faults(whole.with_motion(part)) == []


# Frames and joints ----------------------------------------------------------------------------------------------------


def test_joints_below_a_faulty_one_are_faulty() -> None:
    clip = noisy_walk(60.0)
    faulty = faulty_joints(clip, [CaptureFault("glitch", 3, 4, ("l_knee",))])
    named = {name for name in clip.skeleton.names if faulty[3, clip.skeleton.index(name)]}
    assert np.array_equal(np.flatnonzero(faulty.any(axis=1)), [3, 4])
    assert {"l_knee", "l_talocrural", "l_metatarsal"} <= named
    assert "l_hip" not in named and "r_knee" not in named


def test_faults_outside_the_clip_are_refused() -> None:
    clip = noisy_walk(60.0)
    with pytest.raises(ConstraintError, match="lies outside the clip"):
        repair(clip, [CaptureFault("glitch", clip.frames - 1, clip.frames, ("l_hip",))])


@pytest.mark.parametrize("frames", range(8))
def test_short_clips_have_no_faults(frames: int) -> None:
    assert find_faults(point_clip(np.zeros((frames, 3)))) == []


def test_a_fault_is_a_sentence() -> None:
    assert str(CaptureFault("calibration", 0, 0, ("Hips",))) == "frame 0: a calibration pose"
    assert str(CaptureFault("glitch", 4, 5, ("A", "B"))) == "frames 4 to 5: a glitch of A and B"


# Captured clips -------------------------------------------------------------------------------------------------------

SMOOTH = ("02_01", "09_01", "13_01", "13_11", "135_04", "27_01", "32_02")
"""Walks, a run, a jump, karate and dances without visible faults: nothing is found after the calibration pose."""
KNOWN = {"16_17": {475, 478, 485}, "23_08": {140}, "05_01": {499}}
"""Frames that are faulty to the eye."""


@pytest.mark.parametrize("name", [*SMOOTH, *KNOWN])
def test_faults_of_captured_clips(mocap: Path, name: str) -> None:
    clip = read_bvh(mocap / f"{name}.bvh")
    faults = find_faults(clip)
    assert faults[0] == CaptureFault("calibration", 0, 0, ("Hips",))
    glitches = {frame for fault in faults[1:] for frame in range(fault.begin, fault.end + 1)}
    assert KNOWN.get(name, set()) <= glitches
    assert len(glitches) <= (20 if name in KNOWN else 0)


def test_faults_do_not_depend_on_heading_place_scale_and_up(mocap: Path) -> None:
    clip = read_bvh(mocap / "16_17.bvh")
    heading = rotations.exp([0.0, 0.9, 0.0])
    turned, moved = clip.motion.rotations.copy(), 7.0 * clip.motion.translations
    turned[:, 0] = rotations.multiply(heading, turned[:, 0])
    moved[:, 0] = rotations.rotate(heading, moved[:, 0]) + np.array([500.0, -30.0, 20.0])
    larger = Skeleton(clip.skeleton.names, clip.skeleton.parents, 7.0 * clip.skeleton.offsets)
    assert find_faults(Clip(larger, Motion(turned, moved), clip.fps)) == find_faults(clip)

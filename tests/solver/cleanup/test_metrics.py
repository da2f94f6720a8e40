# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of feet: known slides are measured, whatever scale, position, heading and frame rate are."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise.solver import (
    Clip,
    Footplant,
    Ground,
    JointJump,
    Motion,
    clean,
    detect_footplants,
    find_faults,
    foot_metrics,
    joint_jumps,
    read_bvh,
)
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError
from poise.solver.synthetic import human

from .gaits import NAMES, footplants, gait

FRAMES = 40


def standing(shift: Array | None = None, *, fps: float = 30.0, up: str = "y", stature: float = 1.75) -> Clip:
    """A human at rest whose root is shifted by (frames, 3)."""
    skeleton = human(up, stature=stature)  # type: ignore[arg-type]
    frames = FRAMES if shift is None else len(shift)
    root = np.tile(skeleton.offsets[0], (frames, 1)) + (0.0 if shift is None else shift)
    return Clip(
        skeleton, Motion.from_root(skeleton, np.tile(rotations.IDENTITY, (frames, len(skeleton), 1)), root), fps
    )


def plant(begin: int = 0, end: int = FRAMES - 1, foot: str = "left") -> Footplant:
    return Footplant(foot=foot, heel_strike=begin, heel_off=end, toe_strike=begin, toe_off=end)  # type: ignore[arg-type]


def test_a_slide_of_known_length_is_measured() -> None:
    shift = np.zeros((FRAMES, 3))
    shift[:, 2] = np.linspace(0.0, 0.39, FRAMES)  # 1 cm a frame
    clip = standing(shift)
    size = clip.skeleton.size
    metrics = foot_metrics(clip, [plant(10, 30)], ground=Ground(0.0))
    (measured,) = metrics.plants
    assert measured.begin == 10 and measured.end == 30
    assert measured.slide == pytest.approx(0.20 / size, rel=1e-9)
    assert measured.extent == pytest.approx(0.10 / size, rel=1e-9)
    assert measured.speed == pytest.approx(0.3 / size, rel=1e-9)
    assert metrics.speed == pytest.approx(0.3 / size, rel=1e-9)
    assert (metrics.slide, metrics.largest_slide) == pytest.approx((measured.slide, measured.slide), rel=1e-9)


@pytest.mark.parametrize("height", [-0.03, 0.0, 0.05])
def test_heights_are_above_the_ground_that_is_given(height: float) -> None:
    clip = standing(np.tile([0.0, height, 0.0], (FRAMES, 1)))
    metrics = foot_metrics(clip, [plant()], ground=Ground(0.0))
    assert metrics.plants[0].height == pytest.approx(height / clip.skeleton.size, abs=1e-12)
    assert metrics.penetration == pytest.approx(max(-height, 0.0) / clip.skeleton.size, abs=1e-12)
    own = foot_metrics(clip, [plant()])
    assert abs(own.plants[0].height) < 1e-12, "without a ground a plant stands on its own"


def test_toes_that_point_into_the_ground_penetrate_it() -> None:
    clip = standing()
    turned = clip.motion.rotations.copy()
    turned[:, clip.skeleton.index("l_metatarsal")] = rotations.exp([0.5, 0.0, 0.0])
    bent = clip.with_motion(Motion(turned, clip.motion.translations))
    reach = clip.position(clip.skeleton.landmarks.left_toe_tip) - clip.position("l_metatarsal")
    lowest = (clip.position("l_metatarsal") + rotations.rotate(rotations.exp([0.5, 0.0, 0.0]), reach))[0, 1]
    assert foot_metrics(clip, [plant()], ground=Ground(0.0)).penetration < 1e-12
    found = foot_metrics(bent, [plant()], ground=Ground(0.0)).penetration
    assert found == pytest.approx(-lowest / clip.skeleton.size, rel=1e-9) and found > 0.01


@pytest.mark.parametrize("speed", [0.4, 0.6])
@pytest.mark.parametrize("height", [0.0, 0.3])
def test_a_planted_ball_that_is_fast_skates_at_any_height(speed: float, height: float) -> None:
    """In metres a second for legs of 0.9 m; the made-up human's are a little longer."""
    shift = np.zeros((FRAMES, 3))
    size = standing().skeleton.size
    shift[:, 0] = np.arange(FRAMES) * speed / 30.0 * size / 0.9
    shift[:, 1] = height
    ratio = foot_metrics(standing(shift), [plant()], ground=Ground(0.0)).skating_ratio
    if speed > 0.5:
        assert ratio > 0.85  # at the plant's ends the mean over five frames is too low
    else:
        assert ratio == 0.0


def test_a_foot_that_swings_low_or_is_lifted_off_its_plant_does_not_skate() -> None:
    shift = np.zeros((FRAMES, 3))
    shift[25:, 0] = 0.05 * np.arange(FRAMES - 25)
    assert foot_metrics(standing(shift), [plant(0, 24)]).skating_ratio == 0.0, "it is not planted any more"
    assert foot_metrics(standing(shift), [plant(0, 39)]).skating_ratio > 0.3
    shift[25:, 1] = 0.1
    assert foot_metrics(standing(shift), [plant(0, 39)]).skating_ratio == 0.0, "it is off its plant's own height"


@pytest.mark.parametrize("level", [None, -0.3, 0.05])
def test_feet_that_stand_still_do_not_skate_whatever_ground_is_assumed(mocap: Path, level: float | None) -> None:
    """A run over an uneven floor skated in half of its frames after a cleanup that had left no slide."""
    clip = read_bvh(mocap / "16_17.bvh")
    plants = detect_footplants(clip)
    ground = None if level is None else Ground(level * clip.skeleton.size)
    before = foot_metrics(clip, plants, ground=ground)
    after = foot_metrics(clean(clip, plants), plants, source=clip, ground=ground)
    assert before.skating_ratio > 0.0 == after.skating_ratio
    assert "skating_ratio" not in after.worse_than(before)


def test_one_fast_frame_is_no_skating() -> None:
    shift = np.zeros((FRAMES, 3))
    shift[20:, 0] = 0.06  # 1.8 m/s for one frame, 0.36 m/s on the mean
    assert foot_metrics(standing(shift), [plant()], ground=Ground(0.0)).skating_ratio == 0.0


def test_a_knee_that_jumps_pops_and_a_smooth_one_does_not() -> None:
    motion = gait("walk")
    clip, plants = motion.clip, footplants(motion)
    calm = foot_metrics(clip, plants)
    assert calm.knee_pops == 0 and calm.knee_ratio == 1.0
    turned = clip.motion.rotations.copy()
    knee = clip.skeleton.landmarks.left_knee
    turned[60, knee] = rotations.multiply(turned[60, knee], rotations.exp([0.3, 0.0, 0.0]))
    popped = clip.with_motion(Motion(turned, clip.motion.translations))
    metrics = foot_metrics(popped, plants, source=clip)
    # One frame that is off by 0.3 rad accelerates by -2 times that between its neighbours.
    assert metrics.knee_acceleration == pytest.approx(0.6 * clip.fps**2, rel=0.15)
    assert metrics.knee_pops == 3
    assert metrics.knee_ratio > 4.0


def test_the_joint_that_jumps_is_named_with_its_frame() -> None:
    clip = gait("walk").clip
    assert joint_jumps(clip, clip).ratio == 1.0
    leg = sum(
        np.linalg.norm(clip.skeleton.offsets[clip.skeleton.index(f"l_{joint}")]) for joint in ("knee", "talocrural")
    )
    jumped = clip.motion.translations.copy()
    crown = clip.skeleton.index("skullbase")
    jumped[60, crown, 1] += 0.05 * leg
    found = joint_jumps(clip, clip.with_motion(Motion(clip.motion.rotations, jumped)))
    # One frame that is off accelerates by -2 times its distance.
    assert (found.joint, found.frame) == ("skullbase", 60)
    assert found.legs == pytest.approx(0.1, rel=0.1) and found.ratio > 5.0


def test_the_largest_jump_and_the_faults_of_the_source_are_figures_of_feet() -> None:
    motion = gait("walk", fps=120.0)
    clip, plants = motion.clip, footplants(motion)
    turned = clip.motion.rotations.copy()
    hip = clip.skeleton.index("l_hip")
    turned[60, hip] = rotations.multiply(turned[60, hip], rotations.exp([0.3, 0.0, 0.0]))
    broken = clip.with_motion(Motion(turned, clip.motion.translations))
    found = foot_metrics(broken, plants, source=clip)
    assert found.jump == joint_jumps(clip, broken) and found.jump.ratio > 2.0 and found.jump.frame == 60
    assert found.faults == () and "jump" in found.worse_than(foot_metrics(clip, plants))
    kept = foot_metrics(broken, plants, source=broken)
    assert [(fault.begin, fault.end) for fault in kept.faults] == [(60, 60)]
    assert "frame 60: a glitch of l_hip" in str(kept)
    assert json.loads(json.dumps(kept.as_dict()))["faults"][0]["begin"] == 60


def test_a_fault_of_the_source_neither_is_a_jump_nor_hides_one() -> None:
    """A foot is thrown for a frame in the source; the result throws it half as far elsewhere."""
    clip = gait("walk", fps=120.0).clip
    turned, again = clip.motion.rotations.copy(), clip.motion.rotations.copy()
    hip = clip.skeleton.index("l_hip")
    turned[60, hip] = rotations.multiply(turned[60, hip], rotations.exp([0.4, 0.0, 0.0]))
    again[90, hip] = rotations.multiply(again[90, hip], rotations.exp([0.2, 0.0, 0.0]))
    source, result = (clip.with_motion(Motion(each, clip.motion.translations)) for each in (turned, again))
    assert joint_jumps(source, result).ratio < 1.5, "hidden"
    faults = find_faults(source)
    found = joint_jumps(source, result, faults=faults)
    assert found.ratio > 3.0 and found.frame == 90
    assert joint_jumps(clip, source, faults=faults).ratio == 1.0


def test_figures_that_rise_are_named() -> None:
    motion = gait("walk")
    calm = foot_metrics(motion.clip, footplants(motion))
    assert calm.worse_than(calm) == ()
    assert replace(calm, knee_pops=3).worse_than(calm) == ("knee_pops",)
    assert replace(calm, skating_ratio=0.01).worse_than(calm) == ("skating_ratio",)
    worse = replace(calm, knee_pops=3, skating_ratio=0.01, jump=JointJump(2.96, 0.1, "l_hip", 7))
    assert worse.warnings(calm) == [
        "Feet skate in 1.0% of their planted frames, 0.0% before.",
        "Knees pop in 3 frames, 0 before; try another method.",
        "'l_hip' jumps at frame 7: it accelerates 3.0 times as much as in the source.",
    ]
    assert "at frame 17:" in worse.warnings(calm, range(10, 100))[-1]
    assert calm.warnings(calm) == []


def test_calibration_frames_do_not_jump_and_still_joints_have_a_floor() -> None:
    shift = np.zeros((FRAMES, 3))
    still, leg = standing(shift), standing().skeleton.size
    shift[1] = 1.0
    assert joint_jumps(still, standing(shift)).ratio == 0.0
    shift[20, 1] = 1e-4 * leg
    assert 0.0 < joint_jumps(still, standing(shift)).ratio < 0.2
    assert joint_jumps(standing(shift[:5]), standing(shift[:5])).ratio == 0.0, "too short to accelerate"


def test_stretched_bones_are_measured() -> None:
    clip = standing()
    moved = clip.motion.translations.copy()
    moved[7, clip.skeleton.index("r_talocrural")] *= 1.03
    metrics = foot_metrics(clip.with_motion(Motion(clip.motion.rotations, moved)), [plant()])
    assert metrics.stretch == pytest.approx(0.03, rel=1e-9)
    bones = 10  # knee, ankle and three joints of the foot on each side
    assert metrics.mean_stretch == pytest.approx(0.03 / (bones * FRAMES), rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_made_up_gaits_stand_still_on_the_floor(name: str) -> None:
    motion = gait(name)
    metrics = foot_metrics(motion.clip, footplants(motion))
    assert metrics.extent < 1e-12 and metrics.penetration < 1e-12 and metrics.stretch < 1e-12
    skated = foot_metrics(gait(name, skate=0.01).clip, footplants(motion))
    assert skated.extent > 5e-3 and skated.speed > 0.05


@pytest.mark.parametrize("change", ["scale", "move", "turn", "rate"])
def test_metrics_do_not_depend_on_scale_position_heading_and_frame_rate(change: str) -> None:
    clip = gait("stairs", skate=0.01).clip
    plants = footplants(gait("stairs"))
    before = foot_metrics(clip, plants)
    turned, moved = clip.motion.rotations.copy(), clip.motion.translations.copy()
    skeleton, fps = clip.skeleton, clip.fps
    if change == "scale":
        skeleton = human(stature=175.0)
        moved = moved * 100.0
    elif change == "move":
        moved[:, 0] += (1000.0, 50.0, -300.0)
    elif change == "turn":
        turn = rotations.exp([0.0, 2.0, 0.0])
        turned[:, 0], moved[:, 0] = rotations.multiply(turn, turned[:, 0]), rotations.rotate(turn, moved[:, 0])
    else:
        fine = gait("stairs", skate=0.01, fps=240.0)
        after = foot_metrics(fine.clip, footplants(fine)).as_dict()
        assert after["skating_ratio"] == pytest.approx(before.skating_ratio, abs=0.01)
        for name in ("slide", "extent", "speed", "knee_acceleration"):
            # Events lie on frames, so that plants of a finer clip are a little longer.
            assert after[name] == pytest.approx(getattr(before, name), rel=0.2), name
        return
    after = foot_metrics(Clip(skeleton, Motion(turned, moved), fps), plants).as_dict()
    for name, value in before.as_dict().items():
        if name not in ("plants", "jump"):
            assert after[name] == pytest.approx(value, rel=1e-6, abs=1e-9), name


def test_metrics_are_printed_and_written_as_json() -> None:
    motion = gait("walk", skate=0.01)
    metrics = foot_metrics(motion.clip, footplants(motion))
    text = str(metrics)
    assert "5 plants" in text and "skating ratio" in text and text.count("\n") == 7 + 5
    read = json.loads(json.dumps(metrics.as_dict()))
    assert read["plants"][2]["foot"] == "right" and read["slide"] == metrics.slide


def test_a_clip_without_plants_has_metrics() -> None:
    metrics = foot_metrics(standing(), [])
    assert metrics.plants == () and metrics.slide == 0.0 and metrics.penetration == 0.0


def test_plants_that_do_not_fit_are_refused() -> None:
    clip = standing()
    with pytest.raises(ConstraintError, match="lies outside the clip, whose frames are 0 to 39"):
        foot_metrics(clip, [plant(10, 50)])
    with pytest.raises(ConstraintError, match="not in 'left'"):
        foot_metrics(clip, ["left"])  # type: ignore[list-item]
    with pytest.raises(ConstraintError, match="as many frames"):
        foot_metrics(clip, [plant()], source=standing(np.zeros((3, 3))))
    footless = clip.skeleton.with_landmarks(left_heel=None)
    with pytest.raises(ConstraintError, match="heel or the ball of the left foot"):
        foot_metrics(Clip(footless, clip.motion), [plant()])


def test_lengths_below_a_tenth_of_a_millimetre_are_printed_as_0() -> None:
    shift = np.zeros((FRAMES, 3))
    shift[:, 0] = 3e-6 * np.arange(FRAMES)  # 75 micrometres in all
    plant = Footplant(foot="left", heel_strike=5, toe_strike=5, heel_off=30, toe_off=30)
    assert "slide 0 %" in str(foot_metrics(standing(shift), [plant]))
    assert "slide 0 %" not in str(foot_metrics(standing(2.0 * shift), [plant]))
    shown = foot_metrics(standing(shift), [plant]).shown
    assert (shown.slide, shown.largest_slide, shown.plants[0].slide) == (0.0, 0.0, 0.0)
    assert foot_metrics(standing(2.0 * shift), [plant]).shown.slide > 0.0

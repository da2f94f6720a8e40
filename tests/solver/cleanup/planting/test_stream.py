# SPDX-License-Identifier: GPL-3.0-or-later
"""Streams: their delay, what they keep, what they refuse, and that they do not look further ahead than they say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.solver import Ground, cleaned
from poise.solver.body.motion import Motion, Pose
from poise.solver.cleanup.limbs import TOE_TIP, limbs_of
from poise.solver.cleanup.planting.stream import BLOCK
from poise.solver.cleanup.plants import PlantedPoint, planted_points
from poise.solver.cleanup.rigid.stream import RigidStream
from poise.solver.cleanup.settings import CleanSettings
from poise.solver.cleanup.stretch.stream import CleanStream
from poise.solver.core.errors import ConstraintError, MotionError

from ..gaits import footplants, gait
from ..streams import ROUNDING, assert_same, streamed


def test_the_delay_is_the_look_ahead_and_a_block():
    skeleton = gait("walk", fps=30.0).clip.skeleton
    settings = CleanSettings(averaging=0.25, turning=0.25, carrying=0.25, smoothing=0.0, blending=0.25)
    block = round(120.0 * BLOCK) - 1
    assert CleanStream(skeleton, 120.0, settings).delay == 120 + block
    assert CleanStream(skeleton, 120.0, CleanSettings()).delay == 155 + block
    assert CleanStream(skeleton, 120.0, CleanSettings(ground=Ground(0.0))).delay == 167 + block
    assert RigidStream(skeleton, 120.0, CleanSettings()).delay == 198 + block
    assert CleanStream(skeleton, 5.0, CleanSettings()).delay == CleanStream(skeleton, 5.0).method.look_ahead


def test_a_stream_keeps_no_more_than_its_buffer():
    clip = gait("walk", fps=30.0).clip
    stream = CleanStream(clip.skeleton, clip.fps, CleanSettings(averaging=0.1, turning=0.1, carrying=0.1, blending=0.1))
    plants = [PlantedPoint("left leg", "heel", 5, 1000, location=(2.0, 0.0, 0.0))]
    plants += [PlantedPoint("right leg", "ball", begin, begin + 8) for begin in range(2, 380, 11)]
    kept = []
    for frame in range(400):
        stream.announce(*(plant for plant in plants if plant.begin == frame))
        stream.push(clip.pose(frame % clip.frames))
        kept.append((len(stream._poses), len(stream._plants), len(stream._locations), len(stream._ready)))
    most = np.max(kept[100:200], axis=0)
    assert (np.max(kept[200:], axis=0) <= most).all(), "what is kept does not grow"
    assert most[0] <= stream.method.look_back + stream.delay + 1 and most[1] <= 8


@pytest.mark.parametrize("stream_type", [CleanStream, RigidStream])
def test_a_cleaned_frame_does_not_depend_on_frames_beyond_the_delay(stream_type):
    motion = gait("walk", skate=0.01, fps=30.0)
    clip, plants, cut = motion.clip, footplants(motion)[:3], 45
    limbs = limbs_of(clip.skeleton, clip.motion)
    points = planted_points(clip, plants, limbs)
    short = CleanSettings(averaging=0.1, turning=0.1, carrying=0.1, blending=0.1)
    out = streamed(stream_type(clip.skeleton, clip.fps, short, limbs), clip, points)
    other = gait("walk", skate=0.01, fps=30.0, seed=5).clip.motion
    mixed = Motion(
        np.concatenate([clip.motion.rotations[:cut], other.rotations[cut:]]),
        np.concatenate([clip.motion.translations[:cut], other.translations[cut:]]),
    )
    stream = stream_type(clip.skeleton, clip.fps, short, limbs)
    assert cut > stream.method.look_ahead
    again = streamed(stream, clip.with_motion(mixed), points)
    for one, two in zip(out[: cut - stream.method.look_ahead], again, strict=False):
        assert np.abs(one.pose.rotations - two.pose.rotations).max() < ROUNDING
    assert np.abs(out[cut].pose.rotations - again[cut].pose.rotations).max() > 1e-6


def test_a_plant_that_begins_long_before_the_buffer_keeps_its_location():
    clip = gait("walk", fps=30.0, skate=0.02).clip
    settings = CleanSettings(averaging=0.1, turning=0.0, carrying=0.0, smoothing=0.0, blending=0.0, most_stretch=0.9)
    (leg,) = limbs_of(clip.skeleton, clip.motion, only=["left leg"])
    plant = PlantedPoint("left leg", "ball", 4, clip.frames - 5)
    out = streamed(CleanStream(clip.skeleton, clip.fps, settings, [leg]), clip, [plant])
    cleaned = clip.with_motion(Motion.from_poses([each.pose for each in out]))
    ball = cleaned.position(leg.points["ball"])[plant.begin : plant.end + 1]
    wanted = clip.position(leg.points["ball"])[4:7].mean(axis=0)
    reached = np.array([each.residual for each in out])[plant.begin : plant.end + 1] < 1e-9
    assert reached[:20].all()
    assert np.abs(ball[reached] - wanted).max() < 0.02 * clip.skeleton.size
    assert np.abs(np.diff(ball[reached], axis=0)).max() < 1e-9


def test_a_plant_is_announced_before_it_begins_and_once():
    clip = gait("walk", fps=30.0).clip
    stream = CleanStream(clip.skeleton, clip.fps)
    stream.push(clip.pose(0))
    with pytest.raises(ConstraintError, match=r"begins at frame 0, but 1 frames have come in"):
        stream.announce(PlantedPoint("left leg", "heel", 0, 4))
    stream.announce(PlantedPoint("left leg", "heel", 3, 6))
    with pytest.raises(ConstraintError, match="leave no frame between"):
        stream.announce(PlantedPoint("left leg", "heel", 7, 9))
    with pytest.raises(ConstraintError, match="twice; end the first one before the second"):
        stream.announce(PlantedPoint("left leg", "heel", 5, 9))
    with pytest.raises(ConstraintError, match="no limb 'tail'"):
        stream.announce(PlantedPoint("tail", "tip", 7, 9))
    stream.announce(PlantedPoint("left leg", "heel", 8, 9), PlantedPoint("left leg", "ball", 3, 9))


def test_a_bad_pose_is_refused_and_a_nearly_good_one_is_normalised():
    clip = gait("walk", fps=30.0).clip
    stream = CleanStream(clip.skeleton, clip.fps)
    pose = clip.pose(0)
    broken = Pose(pose.rotations.copy(), pose.translations.copy())
    broken.translations[3, 1] = np.nan
    with pytest.raises(MotionError, match="not finite"):
        stream.push(broken)
    with pytest.raises(MotionError, match="one pose at a time"):
        stream.push(clip.motion)
    with pytest.raises(MotionError, match="shape"):
        stream.push(Pose(pose.rotations[1:], pose.translations))
    assert stream.push(Pose((1.0 + 1e-5) * pose.rotations, pose.translations.astype(np.float32))) is None
    (nearly,) = stream.finish()
    assert np.abs(np.linalg.norm(nearly.pose.rotations, axis=1) - 1.0).max() < 1e-14
    assert nearly.pose.translations.dtype == np.float64
    with pytest.raises(MotionError, match="finished"):
        stream.push(pose)
    for rate in (0.0, float("nan"), "fast"):
        with pytest.raises(MotionError, match="frame rate"):
            CleanStream(clip.skeleton, rate)


def test_a_plant_that_outlasts_the_stream_ends_with_it():
    clip = gait("walk", fps=30.0).clip
    stream = CleanStream(clip.skeleton, clip.fps)
    stream.announce(PlantedPoint("left leg", "ball", clip.frames - 3, clip.frames + 50))
    done = [stream.push(clip.pose(frame)) for frame in range(clip.frames)]
    rest = list(stream.finish())
    assert len([each for each in done if each is not None]) + len(rest) == clip.frames


def test_a_stream_copies_the_poses_that_it_is_given():
    clip = gait("walk", fps=30.0).clip
    stream, pose = CleanStream(clip.skeleton, clip.fps), clip.pose(0)
    stream.push(pose)
    pose.translations[:] = 7.0
    (first,) = stream.finish()
    assert np.array_equal(first.pose.translations, clip.motion.translations[0])


@pytest.mark.parametrize("ground", [None, Ground(0.0)])
@pytest.mark.parametrize(("stream_type", "method"), [(CleanStream, "stretch"), (RigidStream, "rigid")])
def test_toe_tips_stand_as_in_a_clip(stream_type, method, ground):
    """Also those whose balls the stream has forgotten."""
    motion = gait("run", skate=0.01, fps=60.0)
    clip = motion.clip
    limbs = limbs_of(clip.skeleton, clip.motion)
    plants = [replace(plant, contact=(0.0, plant.toe_off + 8)) for plant in footplants(motion)]
    points = planted_points(clip, plants, limbs, ground)
    assert len([plant for plant in points if plant.point == TOE_TIP and plant.frames > 2]) >= 5
    short = CleanSettings(averaging=0.05, turning=0.05, carrying=0.05, smoothing=0.02, blending=0.05, ground=ground)
    stream = stream_type(clip.skeleton, clip.fps, short, limbs)
    assert stream.method.look_back < clip.frames // 2
    assert_same(streamed(stream, clip, points), cleaned(clip, points, method, settings=short, limbs=limbs))


def test_a_toe_tip_without_its_ball_is_refused():
    stream = CleanStream(gait("walk", fps=30.0).clip.skeleton, 30.0)
    with pytest.raises(ConstraintError, match="when its ball has left the ground"):
        stream.announce(PlantedPoint("left leg", TOE_TIP, 7, 9))
    stream.announce(PlantedPoint("left leg", "ball", 3, 6), PlantedPoint("left leg", TOE_TIP, 7, 9))

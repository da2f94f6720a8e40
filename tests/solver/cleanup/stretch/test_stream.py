# SPDX-License-Identifier: GPL-3.0-or-later
"""A stream gives what a clip gives, bit for bit, one frame at a time, after a fixed delay."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from poise.solver import Ground
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Pose
from poise.solver.cleanup.limbs import limbs_of
from poise.solver.cleanup.planting.stream import CleanedFrame
from poise.solver.cleanup.plants import PlantedPoint, planted_points
from poise.solver.cleanup.settings import CleanSettings
from poise.solver.cleanup.stretch.batch import clean_stretching
from poise.solver.cleanup.stretch.stream import CleanStream
from poise.solver.constraints import Footplant
from poise.solver.core.errors import ConstraintError, MotionError

from ..captures import captured, floor_of
from ..gaits import footplants, gait
from ..hands import CARTWHEEL


def streamed(stream: CleanStream, clip: Clip, plants: Sequence[PlantedPoint]) -> list[CleanedFrame]:
    """All frames of a clip through a stream, each plant announced just before it begins."""
    waiting = sorted(plants, key=lambda plant: plant.begin)
    done: list[CleanedFrame] = []
    for frame in range(clip.frames):
        begun = [plant for plant in waiting if plant.begin == frame]
        stream.announce(*begun)
        cleaned = stream.push(clip.pose(frame))
        assert (cleaned is None) == (frame < stream.delay), "the delay is fixed"
        if cleaned is not None:
            assert cleaned.frame == frame - stream.delay
            done.append(cleaned)
    return done + list(stream.finish())


def same(clip: Clip, plants: Sequence[Footplant | PlantedPoint], settings: CleanSettings) -> list[CleanedFrame]:
    """Clean as a clip and as a stream, and compare."""
    limbs = limbs_of(clip.skeleton, clip.motion)
    whole = clean_stretching(clip, plants, settings, limbs)
    stream = CleanStream(clip.skeleton, clip.fps, settings, limbs)
    done = streamed(stream, clip, planted_points(clip, plants, limbs, settings.ground))
    assert [each.frame for each in done] == list(range(clip.frames))
    for each in done:
        frame = each.frame
        assert np.array_equal(each.pose.rotations, whole.clip.motion.rotations[frame]), f"rotations at frame {frame}"
        assert np.array_equal(each.pose.translations, whole.clip.motion.translations[frame]), f"frame {frame}"
        assert np.array_equal(each.root, whole.root[frame])
        assert all(each.stretch[limb] == stretch[frame] for limb, stretch in whole.stretch.items())
    return done


@pytest.mark.parametrize("name", ["walk", "run", "turn", "jump", "stairs"])
def test_a_stream_gives_what_a_clip_gives_bit_for_bit(name):
    motion = gait(name, skate=0.02, fps=30.0, seed=5)
    same(motion.clip, footplants(motion), CleanSettings(ground=None if name == "stairs" else Ground(0.0)))


@pytest.mark.parametrize(
    "settings",
    [
        CleanSettings(stretch=False),
        CleanSettings(damping=None, swivel=1.0),
        CleanSettings(averaging=0.0, turning=0.0, carrying=0.0, smoothing=0.0, blending=0.0),
        CleanSettings(averaging=0.1, turning=0.02, carrying=0.4, smoothing=0.2, blending=0.05),
        CleanSettings(averaging=0.8, turning=0.3, carrying=0.05, blending=0.5),
        CleanSettings(ground=Ground(lambda x, z: 0.02 * np.abs(x) + 0.01 * np.abs(z))),
        CleanSettings(ground=Ground(0.03), lifting=0.5, blending=0.03),
        CleanSettings(ground=Ground(0.03), lifting=0.0, blending=0.0),
    ],
    ids=["rigid", "undamped", "no windows", "other windows", "long windows", "uneven", "lifted far", "lifted at once"],
)
def test_it_does_so_with_all_settings(settings):
    motion = gait("walk", skate=0.05, fps=30.0, seed=6)
    done = same(motion.clip, footplants(motion), settings)
    if not settings.stretch:
        whole = clean_stretching(motion.clip, footplants(motion), settings)
        assert np.isclose(max(each.residual for each in done), max(r.max() for r in whole.residuals), rtol=1e-6)


def test_captured_clips_give_the_same_too(mocap: Path):
    clip, plants = captured(mocap, "02_01")
    same(clip, plants, CleanSettings(ground=floor_of(clip, plants)))


def test_and_so_do_hands(mocap: Path):
    clip, plants = captured(mocap, "49_06")
    same(clip, [*plants, *CARTWHEEL], CleanSettings())


def test_plants_out_of_reach_give_the_same_and_tell_the_residual():
    motion = gait("walk", fps=30.0)
    far = [
        PlantedPoint("left leg", "heel", 10, 30, location=(2.0, 0.0, 1.0)),
        PlantedPoint("right leg", "heel", 10, 30, location=(-2.0, 0.0, 1.0)),
        PlantedPoint("left arm", "wrist", 20, 30, location=(0.0, 4.0, 1.0)),
        PlantedPoint("right arm", "wrist", 20, 30, location=(0.0, -4.0, 1.0)),
    ]
    done = same(motion.clip, far, CleanSettings())
    assert max(each.residual for each in done) > 0.5
    assert done[0].residual == 0.0


def test_a_plant_may_follow_another_at_once_where_a_place_is_given():
    clip = gait("walk", fps=30.0).clip
    (leg,) = limbs_of(clip.skeleton, only=["left leg"])
    heel = clip.position(leg.points["heel"])[30]
    plants = [
        PlantedPoint("left leg", "heel", 25, 31, location=tuple(heel)),
        PlantedPoint("left leg", "heel", 32, 38, location=tuple(heel + np.array([0.0, 0.0, 0.02]))),
        PlantedPoint("left leg", "heel", 39, 41),
    ]
    same(clip, plants, CleanSettings())


def test_places_that_do_not_fit_the_foot_are_told():
    clip = gait("walk", fps=30.0).clip
    (leg,) = limbs_of(clip.skeleton, only=["left leg"])
    heel, ball = (clip.position(point)[30] for point in leg.points.values())
    plants = [
        PlantedPoint("left leg", "heel", 25, 40, location=tuple(heel)),
        PlantedPoint("left leg", "ball", 25, 40, location=tuple(heel + 1.2 * (ball - heel))),
    ]
    done = same(clip, plants, CleanSettings())
    told = max(each.residual for each in done)
    assert np.isclose(told, 0.2 * np.linalg.norm(ball - heel), rtol=1e-6)


def test_a_stream_holds_no_more_frames_than_its_buffers():
    motion = gait("walk", fps=30.0)
    clip = motion.clip
    stream = CleanStream(clip.skeleton, clip.fps, CleanSettings(averaging=0.1, turning=0.1, carrying=0.1, blending=0.1))
    far = (2.0, 0.0, 0.0)
    stream.announce(PlantedPoint("left leg", "heel", 5, 1000, location=far), PlantedPoint("right leg", "ball", 2, 300))
    held = []
    for frame in range(400):
        stream.push(clip.pose(frame % clip.frames))
        others = [len(each) for each in (stream._missing, stream._alone, stream._moved, *stream._held, *stream._deep)]
        held.append(max(len(stream.frames), *others))
    assert max(held) == held[100] <= 2 * stream.delay + 8


def test_the_delay_is_that_of_the_buffers():
    skeleton = gait("walk", fps=30.0).clip.skeleton
    settings = CleanSettings(averaging=0.25, turning=0.25, carrying=0.25, smoothing=0.0, blending=0.25)
    assert CleanStream(skeleton, 120.0, settings).delay == 120
    assert CleanStream(skeleton, 120.0, CleanSettings()).delay == 127
    assert CleanStream(skeleton, 120.0, CleanSettings(ground=Ground(0.0))).delay == 139


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


def test_what_is_no_pose_is_refused_and_what_is_nearly_one_put_right():
    clip = gait("walk", fps=30.0).clip
    stream = CleanStream(
        clip.skeleton, clip.fps, CleanSettings(averaging=0, turning=0, carrying=0, smoothing=0, blending=0)
    )
    pose = clip.pose(0)
    broken = Pose(pose.rotations.copy(), pose.translations.copy())
    broken.translations[3, 1] = np.nan
    with pytest.raises(MotionError, match="not finite"):
        stream.push(broken)
    with pytest.raises(MotionError, match="one pose at a time"):
        stream.push(clip.motion)
    with pytest.raises(MotionError, match="shape"):
        stream.push(Pose(pose.rotations[1:], pose.translations))
    rough = stream.push(Pose((1.0 + 1e-5) * pose.rotations, pose.translations.astype(np.float32)))
    assert rough is not None
    assert np.abs(np.linalg.norm(rough.pose.rotations, axis=1) - 1.0).max() < 1e-14
    stream.finish()
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

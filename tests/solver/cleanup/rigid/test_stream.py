# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames in one by one: the same bits as offline, after a fixed delay."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise.solver import Clip, Footplant, Ground, Motion
from poise.solver.cleanup.limbs import limbs_of
from poise.solver.cleanup.planting.stream import CleanedFrame
from poise.solver.cleanup.plants import PlantedPoint, planted_points
from poise.solver.cleanup.rigid.batch import clean_rigidly
from poise.solver.cleanup.rigid.stream import RigidStream
from poise.solver.cleanup.settings import CleanSettings

from ..captures import captured
from ..gaits import NAMES, footplants, gait


def streamed(clip: Clip, plants: list[Footplant], settings: CleanSettings) -> tuple[list[CleanedFrame], int]:
    """All frames that come out, and how many came in before the first of them."""
    limbs = limbs_of(clip.skeleton, clip.motion)
    stream = RigidStream(clip.skeleton, clip.fps, settings, limbs)
    stream.announce(*planted_points(clip, plants, limbs, settings.ground))
    out, waited = [], -1
    for frame in range(clip.frames):
        done = stream.push(clip.pose(frame))
        if done is not None:
            waited = frame if waited < 0 else waited
            out.append(done)
    assert waited == stream.delay
    return [*out, *stream.finish()], waited


def same_as_offline(clip: Clip, plants: list[Footplant], settings: CleanSettings) -> None:
    limbs = limbs_of(clip.skeleton, clip.motion)
    offline = clean_rigidly(clip, plants, settings, limbs)
    out, _ = streamed(clip, plants, settings)
    assert [frame.frame for frame in out] == list(range(clip.frames))
    assert np.array_equal(np.stack([frame.pose.rotations for frame in out]), offline.clip.motion.rotations)
    assert np.array_equal(np.stack([frame.pose.translations for frame in out]), offline.clip.motion.translations)
    assert np.array_equal(np.array([frame.root for frame in out]), offline.root)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ground", [None, Ground(0.0)])
def test_a_stream_gives_the_same_bits(name: str, ground: Ground | None) -> None:
    motion = gait(name, skate=0.01, fps=30.0)
    same_as_offline(motion.clip, footplants(motion), CleanSettings(ground=None if name == "stairs" else ground))


def test_a_captured_stream_gives_the_same_bits(mocap: Path) -> None:
    clip, plants = captured(mocap, "09_01")
    same_as_offline(clip, plants, CleanSettings())


def test_root_that_must_be_put_within_reach_gives_the_same_bits() -> None:
    """Plants so far apart that the guarantee of reach acts."""
    motion = gait("walk", skate=0.01, fps=30.0)
    plants = [plant.moved((0.0, 0.0, 0.2 * (-1.0) ** number)) for number, plant in enumerate(footplants(motion))]
    same_as_offline(motion.clip, plants, CleanSettings())


def test_what_comes_out_does_not_depend_on_what_is_still_to_come() -> None:
    """Frames that have come out stay what they are, whatever follows."""
    motion = gait("walk", skate=0.01, fps=30.0)
    clip, plants = motion.clip, footplants(motion)[:3]
    out, delay = streamed(clip, plants, CleanSettings())
    cut = 45
    other = gait("walk", skate=0.01, fps=30.0, seed=5).clip.motion
    mixed = clip.with_motion(
        Motion(
            np.concatenate([clip.motion.rotations[:cut], other.rotations[cut:]]),
            np.concatenate([clip.motion.translations[:cut], other.translations[cut:]]),
        )
    )
    limbs = limbs_of(clip.skeleton, clip.motion)
    stream = RigidStream(clip.skeleton, clip.fps, CleanSettings(), limbs)
    stream.announce(*planted_points(clip, plants, limbs))
    again = [done for frame in range(mixed.frames) if (done := stream.push(mixed.pose(frame))) is not None]
    for one, two in zip(out[: cut - delay], again[: cut - delay], strict=True):
        assert np.array_equal(one.pose.rotations, two.pose.rotations)


def test_a_stream_is_told_what_it_misses() -> None:
    motion = gait("walk", skate=0.01, fps=30.0)
    plants = footplants(motion)
    apart = [plants[1].moved((3.0, 0.0, 0.0)), plants[2].moved((-3.0, 0.0, 0.0))]
    out, _ = streamed(motion.clip, apart, CleanSettings())
    assert max(frame.residual for frame in out) > 0.5 * motion.clip.skeleton.size
    assert all(stretch == 0.0 for frame in out for stretch in frame.stretch.values())


def test_places_that_do_not_fit_the_foot_are_told() -> None:
    """Heel and ball planted farther apart than they are: one of them is missed, in the stream as offline."""
    motion = gait("walk", skate=0.01, fps=30.0)
    clip = motion.clip
    limbs = limbs_of(clip.skeleton, clip.motion)
    heel, ball = (clip.position(limbs[0].points[point])[30] for point in ("heel", "ball"))
    farther = ball + 0.2 * (ball - heel)
    plants = [
        PlantedPoint("left leg", "heel", 25, 40, tuple(heel.tolist())),
        PlantedPoint("left leg", "ball", 25, 40, tuple(farther.tolist())),
    ]
    offline = clean_rigidly(clip, plants, None, limbs)
    stream = RigidStream(clip.skeleton, clip.fps, None, limbs)
    stream.announce(*plants)
    out = [done for frame in range(clip.frames) if (done := stream.push(clip.pose(frame))) is not None]
    out += list(stream.finish())
    missed = max(frame.residual for frame in out) / clip.skeleton.size
    assert missed == pytest.approx(offline.residual, rel=1e-6) and missed > 0.01

# SPDX-License-Identifier: GPL-3.0-or-later
"""A stream gives what `clean_rigidly` gives for the whole clip."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from poise.solver import Clip, Footplant, Ground
from poise.solver.cleanup.limbs import limbs_of
from poise.solver.cleanup.planting.stream import CleanedFrame
from poise.solver.cleanup.plants import PlantedPoint, planted_points
from poise.solver.cleanup.rigid.batch import clean_rigidly
from poise.solver.cleanup.rigid.stream import RigidStream
from poise.solver.cleanup.settings import CleanSettings

from ..captures import captured
from ..gaits import NAMES, footplants, gait
from ..streams import assert_same, streamed


def same(clip: Clip, plants: Sequence[Footplant | PlantedPoint], settings: CleanSettings) -> list[CleanedFrame]:
    """Clean as a clip and as a stream, and compare."""
    limbs = limbs_of(clip.skeleton, clip.motion)
    stream = RigidStream(clip.skeleton, clip.fps, settings, limbs)
    done = streamed(stream, clip, planted_points(clip, plants, limbs, settings.ground))
    assert_same(done, clean_rigidly(clip, plants, settings, limbs))
    return done


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ground", [None, Ground(0.0)])
def test_a_stream_gives_the_same(name: str, ground: Ground | None) -> None:
    motion = gait(name, skate=0.01, fps=30.0)
    same(motion.clip, footplants(motion), CleanSettings(ground=None if name == "stairs" else ground))


def test_a_captured_stream_gives_the_same(mocap: Path) -> None:
    clip, plants = captured(mocap, "09_01")
    same(clip, plants, CleanSettings())


def test_a_root_that_must_be_corrected_to_reach_gives_the_same() -> None:
    """Plants so far apart that the guarantee of reach acts."""
    motion = gait("walk", skate=0.01, fps=30.0)
    plants = [plant.moved((0.0, 0.0, 0.2 * (-1.0) ** number)) for number, plant in enumerate(footplants(motion))]
    same(motion.clip, plants, CleanSettings())


def test_unreachable_plants_have_a_residual() -> None:
    motion = gait("walk", skate=0.01, fps=30.0)
    plants = footplants(motion)
    apart = [plants[1].moved((3.0, 0.0, 0.0)), plants[2].moved((-3.0, 0.0, 0.0))]
    out = same(motion.clip, apart, CleanSettings())
    assert max(frame.residual for frame in out) > 0.5 * motion.clip.skeleton.size
    assert all(stretch == 0.0 for frame in out for stretch in frame.stretch.values())


def test_locations_that_do_not_fit_the_foot_have_a_residual() -> None:
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
    out = same(clip, plants, CleanSettings())
    missed = max(frame.residual for frame in out) / clip.skeleton.size
    assert missed > 0.01

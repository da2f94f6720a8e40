# SPDX-License-Identifier: GPL-3.0-or-later
"""A stream gives what `clean_stretching` gives for the whole clip."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from poise.solver import Ground
from poise.solver.body.clip import Clip
from poise.solver.cleanup.limbs import limbs_of
from poise.solver.cleanup.planting.stream import CleanedFrame
from poise.solver.cleanup.plants import PlantedPoint, planted_points
from poise.solver.cleanup.settings import CleanSettings
from poise.solver.cleanup.stretch.batch import clean_stretching
from poise.solver.cleanup.stretch.stream import CleanStream
from poise.solver.constraints import Footplant

from ..captures import captured, floor_of
from ..gaits import footplants, gait
from ..hands import CARTWHEEL
from ..streams import assert_same, streamed


def same(clip: Clip, plants: Sequence[Footplant | PlantedPoint], settings: CleanSettings) -> list[CleanedFrame]:
    """Clean as a clip and as a stream, and compare."""
    limbs = limbs_of(clip.skeleton, clip.motion)
    stream = CleanStream(clip.skeleton, clip.fps, settings, limbs)
    done = streamed(stream, clip, planted_points(clip, plants, limbs, settings.ground))
    assert_same(done, clean_stretching(clip, plants, settings, limbs))
    return done


@pytest.mark.parametrize("name", ["walk", "run", "turn", "jump", "stairs"])
def test_a_stream_gives_what_a_clip_gives(name):
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
def test_a_stream_gives_what_a_clip_gives_with_all_settings(settings):
    motion = gait("walk", skate=0.05, fps=30.0, seed=6)
    done = same(motion.clip, footplants(motion), settings)
    if not settings.stretch:
        whole = clean_stretching(motion.clip, footplants(motion), settings)
        assert np.isclose(max(each.residual for each in done), max(r.max() for r in whole.residuals), rtol=1e-6)


def test_a_captured_stream_gives_what_a_clip_gives(mocap: Path):
    clip, plants = captured(mocap, "02_01")
    same(clip, plants, CleanSettings(ground=floor_of(clip, plants)))


def test_a_stream_of_hands_gives_what_a_clip_gives(mocap: Path):
    clip, plants = captured(mocap, "49_06")
    same(clip, [*plants, *CARTWHEEL], CleanSettings())


def test_unreachable_plants_have_the_residual_of_the_clip():
    motion = gait("walk", fps=30.0)
    far = [
        PlantedPoint("left leg", "heel", 10, 30, location=(2.0, 0.0, 1.0)),
        PlantedPoint("right leg", "heel", 10, 30, location=(-2.0, 0.0, 1.0)),
        PlantedPoint("left arm", "wrist", 20, 30, location=(0.0, 4.0, 1.0)),
        PlantedPoint("right arm", "wrist", 20, 30, location=(0.0, -4.0, 1.0)),
    ]
    done = same(motion.clip, far, CleanSettings())
    assert max(each.residual for each in done) > 0.5
    assert done[0].residual == 0.0, "nothing is planted there"


def test_a_plant_may_follow_another_without_a_frame_between_where_a_location_is_given():
    clip = gait("walk", fps=30.0).clip
    (leg,) = limbs_of(clip.skeleton, only=["left leg"])
    heel = clip.position(leg.points["heel"])[30]
    plants = [
        PlantedPoint("left leg", "heel", 25, 31, location=tuple(heel)),
        PlantedPoint("left leg", "heel", 32, 38, location=tuple(heel + np.array([0.0, 0.0, 0.02]))),
        PlantedPoint("left leg", "heel", 39, 41),
    ]
    same(clip, plants, CleanSettings())


def test_locations_that_do_not_fit_the_foot_have_a_residual():
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

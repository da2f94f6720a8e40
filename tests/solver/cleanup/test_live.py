# SPDX-License-Identifier: GPL-3.0-or-later
"""A live capture: plants are found in the frames that come in, and hold in those that come out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise import solver
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.cleanup.limbs import limbs_of
from poise.solver.cleanup.live import LiveStream
from poise.solver.cleanup.metrics import joint_jumps
from poise.solver.cleanup.planting.stream import PlantingStream
from poise.solver.core.errors import MotionError
from poise.solver.detection.online import FootplantStream
from poise.solver.synthetic import walk

ROUNDING = 1e-12
"""Sizes of the character."""


def stream_for(clip: Clip, kind: type[PlantingStream]) -> PlantingStream:
    legs = [limb for limb in limbs_of(clip.skeleton, clip.motion) if limb.name.endswith("leg")]
    return kind(clip.skeleton, clip.fps, limbs=legs)  # type: ignore[call-arg, arg-type]


def lived(clip: Clip, kind: type[PlantingStream]) -> Clip:
    """A clip, cleaned frame by frame; checks that each frame comes out after the same delay."""
    live = LiveStream(stream_for(clip, kind))
    done = []
    for frame in range(clip.frames):
        cleaned = live.push(clip.pose(frame))
        assert (cleaned is None) == (frame < live.delay)
        if cleaned is not None:
            assert cleaned.frame == frame - live.delay
            done.append(cleaned)
    done += live.finish()
    assert [each.frame for each in done] == list(range(clip.frames))
    assert max(each.residual for each in done) < ROUNDING * clip.skeleton.size
    return clip.with_motion(Motion.from_poses([each.pose for each in done]))


def slides(clip: Clip, source: Clip) -> list[float]:
    """How far each plant that a stream finds in the source moves in a clip, in sizes of the character."""
    feet = FootplantStream(source.skeleton, source.fps)
    found = []
    for plant in [*feet.push(source.motion), *feet.finish()]:
        if plant.end is not None:
            mark = clip.skeleton.landmarks.require(f"{plant.foot}_{plant.part}")
            places = clip.position(mark)[plant.begin : plant.end + 1]
            found.append(float(np.linalg.norm(places - places[0], axis=1).max()) / clip.skeleton.size)
    return found


@pytest.mark.parametrize("kind", [solver.CleanStream, solver.RigidStream])
@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_feet_of_a_walk_that_skates_stand(kind: type[PlantingStream], fps: float) -> None:
    clip = walk(fps=fps, skate=0.02, seed=4, steps=5).clip
    before, after = slides(clip, clip), slides(lived(clip, kind), clip)
    assert len(before) >= 10 and np.median(before) > 5e-3
    assert max(after) < ROUNDING


@pytest.mark.parametrize("kind", [solver.CleanStream, solver.RigidStream])
def test_feet_of_a_capture_stand_without_new_jumps(mocap: Path, kind: type[PlantingStream]) -> None:
    whole = solver.read_bvh(mocap / "02_01.bvh")
    # The first frame is a calibration pose.
    clip = whole.with_motion(whole.motion.at(np.arange(1, whole.frames)))
    cleaned = lived(clip, kind)
    assert max(slides(cleaned, clip)) < ROUNDING
    method = "stretch" if kind is solver.CleanStream else "rigid"
    offline = solver.clean(clip, solver.detect_footplants(clip), method=method)
    assert joint_jumps(clip, cleaned).ratio < max(1.5, 1.05 * joint_jumps(clip, offline).ratio)


def test_what_comes_out_does_not_depend_on_later_frames() -> None:
    clip = walk(fps=30.0, skate=0.02, steps=8).clip
    whole, part = (LiveStream(stream_for(clip, solver.CleanStream)) for _ in range(2))
    all_frames = [whole.push(clip.pose(frame)) for frame in range(clip.frames)]
    frames = [part.push(clip.pose(frame)) for frame in range(clip.frames - 20)]
    assert sum(each is not None for each in frames) > 20
    for one, other in zip(frames, all_frames[: len(frames)], strict=True):
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            np.testing.assert_allclose(one.pose.rotations, other.pose.rotations, atol=ROUNDING)
            np.testing.assert_allclose(one.pose.translations, other.pose.translations, atol=ROUNDING)


def test_a_limb_that_is_not_cleaned_is_left_alone() -> None:
    clip = walk(fps=30.0, skate=0.02, steps=4).clip
    left = [limb for limb in limbs_of(clip.skeleton, clip.motion) if limb.name == "left leg"]
    live = LiveStream(solver.CleanStream(clip.skeleton, clip.fps, limbs=left))
    done = [each for frame in range(clip.frames) if (each := live.push(clip.pose(frame))) is not None]
    done += live.finish()
    right = clip.skeleton.landmarks.right_knee
    assert right is not None
    for each in done:
        np.testing.assert_array_equal(each.pose.rotations[right], clip.motion.rotations[each.frame, right])


def test_wrong_use_is_refused() -> None:
    clip = walk(fps=30.0, steps=2).clip
    used = stream_for(clip, solver.CleanStream)
    used.push(clip.pose(0))
    with pytest.raises(MotionError, match="needs a new stream"):
        LiveStream(used)
    live = LiveStream(stream_for(clip, solver.CleanStream))
    with pytest.raises(MotionError, match="one pose at a time"):
        live.push(clip.motion)  # type: ignore[arg-type]
    assert list(live.finish()) == []
    with pytest.raises(MotionError, match="is finished"):
        live.push(clip.pose(0))

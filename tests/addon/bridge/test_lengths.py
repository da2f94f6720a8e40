# SPDX-License-Identifier: GPL-3.0-or-later
"""What is baked of a result that is shorter or longer than its source."""

from __future__ import annotations

import numpy as np
import pytest

from poise import solver
from poise.addon import bridge
from poise.addon.bridge.lengths import held

from .rigs import straight_chain, swing


@pytest.fixture
def reading() -> bridge.Reading:
    """Of a chain that swings for 24 frames."""
    armature = straight_chain(("a", "b", "c"))
    swing(armature, range(1, 25))
    return bridge.read(armature)


def test_a_shorter_result_holds_its_last_pose(reading: bridge.Reading) -> None:
    clip = reading.clip
    longer = held(clip, 4)
    assert longer.frames == clip.frames + 4
    np.testing.assert_array_equal(longer.motion.rotations[:-4], clip.motion.rotations)
    assert (longer.motion.rotations[-4:] == clip.motion.rotations[-1]).all()
    assert (longer.motion.translations[-4:] == clip.motion.translations[-1]).all()
    assert held(clip, 0) is clip
    short = solver.Clip(clip.skeleton, clip.motion.at(np.arange(clip.frames - 3)), clip.fps)
    same, filled = solver.finished(bridge.frames_to_bake(reading, short))
    assert same is reading and filled.frames == clip.frames


def test_for_a_longer_result_the_source_is_read_beyond_its_end(reading: bridge.Reading) -> None:
    result = held(reading.clip, 5)
    longer, baked = solver.finished(bridge.frames_to_bake(reading, result))
    assert baked is result and len(longer.times) == result.frames
    np.testing.assert_array_equal(longer.times[: len(reading.times)], reading.times)
    np.testing.assert_allclose(
        longer.clip.world.positions[: reading.clip.frames], reading.clip.world.positions, atol=1e-5
    )

# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip through a stream, and the comparison with the same clip cleaned as a whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.solver.body.clip import Clip
from poise.solver.cleanup.cleaned import Cleaned
from poise.solver.cleanup.planting.stream import CleanedFrame, PlantingStream
from poise.solver.cleanup.plants import PlantedPoint

ROUNDING = 1e-12
"""Sizes of the character, and for unit quaternions, by which a stream may differ from a clip."""


def streamed(stream: PlantingStream, clip: Clip, plants: Sequence[PlantedPoint]) -> list[CleanedFrame]:
    """All frames of a clip through a stream, each plant announced just before it begins."""
    done: list[CleanedFrame] = []
    for frame in range(clip.frames):
        stream.announce(*(plant for plant in plants if plant.begin == frame))
        cleaned = stream.push(clip.pose(frame))
        assert (cleaned is None) == (frame < stream.delay), "the delay is fixed"
        if cleaned is not None:
            assert cleaned.frame == frame - stream.delay
            done.append(cleaned)
    done += stream.finish()
    assert [each.frame for each in done] == list(range(clip.frames))
    return done


def assert_same(done: Sequence[CleanedFrame], whole: Cleaned) -> None:
    """Fail unless the frames of a stream are those of the clip, to rounding."""
    motion, size = whole.clip.motion, whole.clip.skeleton.size
    off = np.abs(np.stack([each.pose.rotations for each in done]) - motion.rotations)
    assert off.max() < ROUNDING, f"rotations at {np.unravel_index(off.argmax(), off.shape)}"
    off = np.abs(np.stack([each.pose.translations for each in done]) - motion.translations)
    assert off.max() < ROUNDING * size, f"translations at {np.unravel_index(off.argmax(), off.shape)}"
    assert np.abs(np.array([each.root for each in done]) - whole.root).max() < ROUNDING * size
    for limb, stretch in whole.stretch.items():
        assert np.abs(np.array([each.stretch[limb] for each in done]) - stretch).max() < ROUNDING
    residuals = np.zeros(len(done))
    for plant, each in zip(whole.plants, whole.residuals, strict=True):
        during = slice(plant.begin, plant.end + 1)
        residuals[during] = np.maximum(residuals[during], each)
    assert np.abs(np.array([each.residual for each in done]) - residuals).max() < ROUNDING * size

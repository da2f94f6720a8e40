# SPDX-License-Identifier: GPL-3.0-or-later
"""Results that have other frames than their source: what is baked beside it."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from ... import solver
from .reading import Reading, read_in_steps


def frames_to_bake(reading: Reading, result: solver.Clip) -> Generator[float, None, tuple[Reading, solver.Clip]]:
    """A reading of the source over the frames of a result, and the result over these frames; yields the share done.

    A result that is shorter than the source holds its last pose until the source ends; for a longer one the source is
    read beyond its end.
    """
    missing = len(reading.times) - result.frames
    if missing >= 0:
        return reading, held(result, missing)
    first = float(reading.times[0])
    longer = yield from read_in_steps(reading.armature, first, first + result.frames - 1)
    return longer, result


def held(clip: solver.Clip, frames: int) -> solver.Clip:
    """A clip whose last pose is held for some more frames."""
    if frames == 0:
        return clip
    motion = clip.motion
    return clip.with_motion(
        solver.Motion(
            np.concatenate([motion.rotations, np.repeat(motion.rotations[-1:], frames, axis=0)]),
            np.concatenate([motion.translations, np.repeat(motion.translations[-1:], frames, axis=0)]),
        )
    )

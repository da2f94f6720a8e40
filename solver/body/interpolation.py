# SPDX-License-Identifier: GPL-3.0-or-later
"""Interpolating joints across frames of a motion that are not to be believed."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray, runs
from ..core.errors import MotionError
from ..core.smooth_steps import cubic_step
from .motion import Motion


def interpolated(motion: Motion, replaced: BoolArray) -> Motion:
    """The motion with new transforms where the mask `replaced` (frames, joints) is true; all others stay bit for bit.

    Across frames inside the clip, a joint follows the cubic that meets place and velocity on both sides, in the tangent
    space of its rotation before them. Before the first frame that stays, and after the last one, it keeps the velocity
    that it has there.
    """
    local, places = motion.rotations.copy(), motion.translations.copy()
    spans: defaultdict[tuple[int, int, int, tuple[int, ...]], list[int]] = defaultdict(list)
    for joint in np.flatnonzero(replaced.any(axis=0)):
        kept = np.flatnonzero(~replaced[:, joint])
        if not len(kept):
            raise MotionError(f"All frames of joint {joint} are to be replaced, so there is nothing to interpolate.")
        for begin, end in runs(replaced[:, joint]):
            after = int(np.searchsorted(kept, begin))
            near = tuple(int(frame) for frame in kept[max(after - 2, 0) : after + 2])
            spans[begin, end, min(after, 2), near].append(int(joint))
    for (begin, end, before, near), joints in spans.items():
        frames, around = np.arange(begin, end + 1), np.array(near)
        turns, steps = motion.rotations[around][:, joints], motion.translations[around][:, joints]
        local[begin : end + 1, joints] = _rotations(turns, around, before, frames)
        places[begin : end + 1, joints] = _curve(steps - steps[0], around, before, frames) + steps[0]
    return Motion(local, places)


def _rotations(turns: Array, around: IntArray, before: int, frames: IntArray) -> Array:
    """(frames, joints, 4) the rotations of `interpolated`, given those (n, joints, 4) of the frames around."""
    base = turns[max(before - 1, 0)]
    vectors = rotations.log(rotations.quotient(turns, base))
    if before and before + 2 == len(around):
        # The velocity behind, seen in the tangent space of the base: differences of vectors there are none of it.
        velocity = rotations.log(rotations.quotient(turns[before + 1], turns[before]))
        vectors[before + 1] = vectors[before] + np.einsum(
            "jab,jb->ja", rotations.exp_jacobian_inverse(vectors[before]), velocity
        )
    return rotations.multiply(rotations.exp(_curve(vectors, around, before, frames)), base)


def _curve(values: Array, around: IntArray, before: int, frames: IntArray) -> Array:
    """(frames, joints, width) the cubic through values (n, joints, width) of up to two frames before and two behind."""

    def velocity(one: int, other: int) -> Array:
        return np.asarray((values[other] - values[one]) / max(around[other] - around[one], 1))

    last = len(around) - 1
    if before == 0:
        return values[0] + (frames - around[0])[:, None, None] * velocity(0, min(1, last))
    if before > last:
        return values[last] + (frames - around[last])[:, None, None] * velocity(max(last - 1, 0), last)
    length = around[before] - around[before - 1]
    share = ((frames - around[before - 1]) / length)[:, None, None]
    begin = velocity(max(before - 2, 0), before - 1 if before > 1 else before)
    end = velocity(before if before < last else before - 1, min(before + 1, last))
    return np.asarray(
        values[before - 1]
        + (values[before] - values[before - 1]) * cubic_step(share)
        + length * share * (1.0 - share) * ((1.0 - share) * begin - share * end)
    )

# SPDX-License-Identifier: GPL-3.0-or-later
"""Blending an adjustment to nothing over the frames around those that need it.

Frames without an adjustment of their own take those of the nearest frames that have one, ahead and behind, each with
a weight that falls with the distance by the ease of Kovar 2004, equation 3.5. It falls over the window or, where the
gap between the two frames is shorter, over the gap: the two weights then add up to one, so an adjustment that is the
same on both sides is kept between them. (Kovar blends both over the window and mixes them, equations 3.7 to 3.9; as
printed the mix is the wrong way round, and it jumps where the farther frame comes within the window.)

Distances to the nearest frames are in frames, `NO_FRAME` where there is none within the window.
"""

from __future__ import annotations

import numpy as np

from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray

NO_FRAME = 0
"""The distance to the nearest frame where there is none in the window."""

Weights = tuple[Array, Array]
"""(frames,) each: the weights of the adjustments ahead and behind."""


def ease(share: Array) -> Array:
    """(...) a smooth step from 1, at 0, to 0, at 1, flat at both ends (Kovar 2004, equation 3.5)."""
    return (2.0 * share - 3.0) * share * share + 1.0


def blend_weights(ahead: IntArray, behind: IntArray, window: int) -> Weights:
    """The weights of adjustments so many frames ahead and behind; 0 where there is none."""
    is_ahead, is_behind = ahead != NO_FRAME, behind != NO_FRAME
    gap = np.where(is_ahead & is_behind, np.minimum(window + 1.0, ahead + behind), window + 1.0)
    return (
        np.where(is_ahead, ease(np.minimum(ahead / gap, 1.0)), 0.0),
        np.where(is_behind, ease(np.minimum(behind / gap, 1.0)), 0.0),
    )


def blended_values(ahead: Array, behind: Array, weights: Weights) -> Array:
    """The weighted sum of values (frames,) or (frames, n)."""
    first, second = (each.reshape(-1, *[1] * (ahead.ndim - 1)) for each in weights)
    return np.asarray(first * ahead + second * behind)


def blended_rotations(ahead: Array, behind: Array, weights: Weights) -> Array:
    """(frames, ..., 4) the product of two rotations of that shape, each with its angle multiplied by its weight."""
    return rotations.multiply(_share(ahead, weights[0]), _share(behind, weights[1]))


def _share(turn: Array, share: Array) -> Array:
    factors = np.broadcast_to(share.reshape(-1, *[1] * (turn.ndim - 2)), turn.shape[:-1])
    return rotations.exp(rotations.scaled(rotations.log(turn), factors))


def nearest_frames(mask: BoolArray, window: int) -> tuple[IntArray, IntArray]:
    """(frames,) each: the distances to the next frame of the mask ahead and behind, 1 to `window`, or `NO_FRAME`."""
    frames = np.arange(len(mask))
    far = len(mask) + window + 1
    after = np.minimum.accumulate(np.where(mask, frames, far)[::-1])[::-1]
    before = np.maximum.accumulate(np.where(mask, frames, -far))
    ahead = np.append(after[1:], far) - frames
    behind = frames - np.append(-far, before[:-1])
    return np.where(ahead <= window, ahead, NO_FRAME), np.where(behind <= window, behind, NO_FRAME)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Continuing an adjustment into the frames around those that need it, where it is blended to nothing.

Frames without an adjustment of their own take those of the nearest frames that have one, ahead and behind: the values
there and, along their slopes, what they would have become. Each has a weight that falls with the distance by the ease
of Kovar 2004, equation 3.5, so an adjustment goes on as it was and vanishes. The weight falls over the window or, where
the gap between the two frames is shorter, over the gap: the two weights then add up to one, so an adjustment that is
the same on both sides is kept between them. (Kovar blends both over the window and mixes them, equations 3.7 to 3.9; as
printed the mix is the wrong way round, and it jumps where the farther frame comes within the window.)

Distances to the nearest frames are in frames, `NO_FRAME` where there is none within the window.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Array, BoolArray, IntArray

NO_FRAME = 0
"""The distance to the nearest frame where there is none in the window."""


def ease(share: Array) -> Array:
    """(...) a smooth step from 1, at 0, to 0, at 1, flat at both ends (Kovar 2004, equation 3.5)."""
    return (2.0 * share - 3.0) * share * share + 1.0


def blend_weights(ahead: IntArray, behind: IntArray, window: int) -> tuple[Array, Array]:
    """(frames,) each: the weights of adjustments so many frames ahead and behind; 0 where there is none."""
    is_ahead, is_behind = ahead != NO_FRAME, behind != NO_FRAME
    gap = np.where(is_ahead & is_behind, np.minimum(window + 1.0, ahead + behind), window + 1.0)
    return (
        np.where(is_ahead, ease(np.minimum(ahead / gap, 1.0)), 0.0),
        np.where(is_behind, ease(np.minimum(behind / gap, 1.0)), 0.0),
    )


class Continuation:
    """The frames into which adjustments are blended, and what they take from where."""

    def __init__(self, mask: BoolArray, distances: tuple[IntArray, IntArray], window: int) -> None:
        """Take the mask of frames with an adjustment of their own, and the distances (frames,) to those, as
        `nearest_frames` gives them."""
        ahead, behind = distances
        self.frames = np.flatnonzero(~mask & ((ahead != NO_FRAME) | (behind != NO_FRAME)))
        """(n,) those without an adjustment of their own that get one."""
        self._ahead, self._behind = ahead[self.frames, None], behind[self.frames, None]
        self._weights = blend_weights(self._ahead, self._behind, window)

    def values(self, known: Array, slopes: Array) -> Array:
        """(n, m) the values in `frames`, given values and slopes per frame (all frames, m), known where the mask is."""
        after, before = self.frames + self._ahead[:, 0], self.frames - self._behind[:, 0]
        return np.asarray(
            self._weights[0] * (known[after] - self._ahead * slopes[after])
            + self._weights[1] * (known[before] + self._behind * slopes[before])
        )


def nearest_frames(mask: BoolArray, window: int) -> tuple[IntArray, IntArray]:
    """(frames,) each: the distances to the next frame of the mask ahead and behind, 1 to `window`, or `NO_FRAME`."""
    frames = np.arange(len(mask))
    far = len(mask) + window + 1
    after = np.minimum.accumulate(np.where(mask, frames, far)[::-1])[::-1]
    before = np.maximum.accumulate(np.where(mask, frames, -far))
    ahead = np.append(after[1:], far) - frames
    behind = frames - np.append(-far, before[:-1])
    return np.where(ahead <= window, ahead, NO_FRAME), np.where(behind <= window, behind, NO_FRAME)

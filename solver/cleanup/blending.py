# SPDX-License-Identifier: GPL-3.0-or-later
"""Letting an adjustment fade where nothing asks for it, smoothly.

Frames without an adjustment of their own take those of the nearest frames that have one, ahead and behind, each faded
by the ease of document 000, 3.5. An adjustment fades over the window or, where the gap between the two is shorter, over
the gap: the two shares then add up to one, and what is adjusted alike on both sides stays adjusted between. (The
document fades both over the window and mixes them, 3.7 to 3.9; as it is printed the mix is the wrong way round, and it
jumps where the farther of the two comes within the window.)

Numbers and rotations are `components`; how far away the nearest frames are is told in frames, 0 for none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.arrays import BoolArray, IntArray
from .components import Number, Quaternion, multiply, powered, smaller, where

NONE = 0
"""How far away the nearest frame is where there is none in the window."""


def ease(share: Number) -> Number:
    """From 1, at 0, to 0, at 1, flat at both ends (document 000, 3.5)."""
    return (2.0 * share - 3.0) * share * share + 1.0


def fades(ahead: Any, behind: Any, window: int) -> tuple[Number, Number]:
    """How much is left of what lies so many frames ahead, and of what lies so many behind; of nothing, nothing."""
    is_ahead, is_behind = ahead != NONE, behind != NONE
    whole = window + 1.0
    gap = where(is_ahead & is_behind, smaller(whole, 1.0 * (ahead + behind)), whole)
    return (
        where(is_ahead, ease(smaller(ahead / gap, 1.0)), 0.0),
        where(is_behind, ease(smaller(behind / gap, 1.0)), 0.0),
    )


def blended_number(ahead: Number, behind: Number, shares: tuple[Number, Number]) -> Number:
    """An adjustment that is added, with shares of what it is ahead and behind."""
    return shares[0] * ahead + shares[1] * behind


def blended_turn(ahead: Quaternion, behind: Quaternion, shares: tuple[Number, Number]) -> Quaternion:
    """An adjustment that is a turn, with shares of what it is ahead and behind."""
    return multiply(powered(ahead, shares[0]), powered(behind, shares[1]))


def nearest(stops: BoolArray, window: int) -> tuple[IntArray, IntArray]:
    """How many frames ahead, and behind, the next stop is, (frames,) each: 1 to `window`, or 0 for none."""
    frames = np.arange(len(stops))
    far = len(stops) + window + 1
    after = np.minimum.accumulate(np.where(stops, frames, far)[::-1])[::-1]
    before = np.maximum.accumulate(np.where(stops, frames, -far))
    ahead = np.append(after[1:], far) - frames
    behind = frames - np.append(-far, before[:-1])
    return np.where(ahead <= window, ahead, NONE), np.where(behind <= window, behind, NONE)

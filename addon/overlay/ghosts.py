# SPDX-License-Identifier: GPL-3.0-or-later
"""Stick figures of a motion at other frames."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ... import solver
from .shapes import Color, Pen, Picture, shade

TIPS = ("head_top", "left_fingertip", "right_fingertip", "left_toe_tip", "right_toe_tip", "left_heel", "right_heel")
"""Landmarks at the ends of the body, which no joint marks."""

NEAREST, FARTHEST = 0.9, 0.35
"""The alpha of the ghosts that are nearest to the current frame and farthest from it."""


def sticks_of(clip: solver.Clip) -> NDArray[np.float32]:
    """(frames, sticks, 2, 3) the ends of sticks: each joint with its parent, and the tips of head, hands and feet."""
    skeleton, world = clip.skeleton, clip.world
    parents = np.asarray(skeleton.parents)
    children = np.flatnonzero(parents >= 0)
    sticks = [world.positions[:, np.stack([parents[children], children], axis=1)]]
    for tip in TIPS:
        point = getattr(skeleton.landmarks, tip)
        if point is not None:
            resolved = skeleton.resolve(point)
            ends = np.stack([world.positions[:, int(resolved.joint)], world.point(resolved)], axis=1)
            sticks.append(ends[:, None])
    return np.concatenate(sticks, axis=1).astype(np.float32)


def frames_around(frame: float, count: int, step: int) -> list[float]:
    """The frames of ghosts around the current one, without it; only the current one for a count of 0."""
    if count == 0:
        return [frame]
    return [frame + step * number for number in range(-count, count + 1) if number]


def frames_listed(text: str) -> list[float]:
    """The frames of a list such as "1, 20, 35"; what is no number is ignored."""
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text)]


def ghost_picture(sticks: NDArray[np.float32], frames: Sequence[int], now: int | None, color: Color) -> Picture:
    """Stick figures at frames of a clip, with the sticks of all its frames (frames, sticks, 2, 3); those near the frame
    `now` are the clearest."""
    pen = Pen()
    away = [abs(frame - now) if now is not None else 0 for frame in frames]
    farthest = max(away, default=0)
    for frame, distance in zip(frames, away, strict=True):
        share = distance / farthest if farthest else 0.0
        pen.put("thin", sticks[frame], shade(color, NEAREST + share * (FARTHEST - NEAREST)))
    return pen.picture()

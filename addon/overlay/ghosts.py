# SPDX-License-Identifier: GPL-3.0-or-later
"""Stick figures of a motion at other frames."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ... import solver
from ..bridge.arrays import Array
from .shapes import Color, Pen, Picture, shade

TIPS = ("head_top", "left_fingertip", "right_fingertip", "left_toe_tip", "right_toe_tip", "left_heel", "right_heel")
"""Landmarks at the ends of the body, which no joint marks."""

NEAREST, FARTHEST = 0.9, 0.35
"""The alpha of the ghosts that are nearest to the current frame and farthest from it."""


def stick_indices(skeleton: solver.Skeleton) -> Array:
    """(sticks, 2) the joints that sticks connect: each joint with its parent."""
    parents = np.asarray(skeleton.parents)
    children = np.flatnonzero(parents >= 0)
    return np.stack([parents[children], children], axis=1)


def sticks_at(clip: solver.Clip, frame: int) -> Array:
    """(sticks, 2, 3) the ends of the sticks of a frame: the bones, and the tips of head, hands and feet."""
    skeleton, world = clip.skeleton, clip.world
    sticks = [world.positions[frame][stick_indices(skeleton)]]
    for tip in TIPS:
        point = getattr(skeleton.landmarks, tip)
        if point is not None:
            resolved, places = skeleton.resolve(point), world.positions[frame]
            tip_place = resolved.place(world.rotations[frame], places)
            sticks.append(np.stack([places[int(resolved.joint)], tip_place])[None])
    return np.concatenate(sticks)


def frames_around(frame: float, count: int, step: int) -> list[float]:
    """The frames of ghosts around the current one, without it; only the current one for a count of 0."""
    if count == 0:
        return [frame]
    return [frame + step * number for number in range(-count, count + 1) if number]


def frames_listed(text: str) -> list[float]:
    """The frames of a list such as "1, 20, 35"; what is no number is ignored."""
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text)]


def ghost_picture(clip: solver.Clip, frames: Sequence[int], now: int | None, color: Color) -> Picture:
    """Stick figures at frames of the clip; those near the frame `now` are the clearest."""
    pen = Pen()
    away = [abs(frame - now) if now is not None else 0 for frame in frames]
    farthest = max(away, default=0)
    for frame, distance in zip(frames, away, strict=True):
        share = distance / farthest if farthest else 0.0
        pen.put("thin", sticks_at(clip, frame), shade(color, NEAREST + share * (FARTHEST - NEAREST)))
    return pen.picture()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines from points of the body to the targets that they miss in a frame."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import solver
from ..bridge.arrays import Array
from .palette import Palette
from .shapes import Pen, Picture, shade

DASHES = 8
"""How many dashes a line has: it is told apart from bones and paths."""

LEAST = 1e-3
"""Sizes of the character: a point that is nearer to its target meets it."""


@dataclass(frozen=True, eq=False)
class Miss:
    """A constraint that is not satisfied in some frames."""

    uid: str
    frames: frozenset[int]
    """Frames of the clip in which it is missed."""
    targets: tuple[solver.PointTargets, ...]
    """Of its points; none where it is missed by an angle."""
    joint: int | None
    """The joint that is missed by an angle."""
    angles: dict[int, float]
    """Radians, by frame."""


def misses_of(
    deformation: solver.Deformation, shown: solver.Clip, residuals: Sequence[solver.Residual], uids: Sequence[str]
) -> list[Miss]:
    """The constraints of a solve that are not satisfied in the clip that is shown."""
    found = []
    for residual, uid in zip(residuals, uids, strict=True):
        frames = residual.frames[residual.misses]
        if not frames.size:
            continue
        angles: dict[int, float] = {}
        targets: tuple[solver.PointTargets, ...] = ()
        if residual.is_angular:
            angles = dict(zip(frames.tolist(), residual.amounts[residual.misses].tolist(), strict=True))
        else:
            targets = tuple(solver.point_targets(deformation, residual.constraint, shown))
        found.append(Miss(uid, frozenset(frames.tolist()), targets, _joint_of(residual.constraint, shown), angles))
    return found


def _joint_of(constraint: solver.Constraint, clip: solver.Clip) -> int | None:
    """The joint of a constraint; of a footplant the ankle; None for a balance."""
    if isinstance(constraint, solver.Footplant):
        ankle: int | None = getattr(clip.skeleton.landmarks, f"{constraint.foot}_ankle")
        return ankle
    joint: Any = getattr(constraint, "joint", None)
    return None if joint is None else int(clip.skeleton.resolve(joint).joint)


def missed_lines(miss: Miss, shown: solver.Clip, frame: int) -> list[tuple[Array, Array, float]]:
    """The places, the targets and the distances of the points that miss a target in a frame of the clip."""
    lines = []
    for each in miss.targets if frame in miss.frames else ():
        at = np.flatnonzero(each.frames == frame)
        if at.size:
            place = each.point.place(shown.world.rotations[frame], shown.world.positions[frame])
            target = each.positions[int(at[0])]
            distance = float(np.linalg.norm(target - place))
            if distance > LEAST * shown.skeleton.size:
                lines.append((place, target, distance))
    return lines


def miss_picture(
    misses: Sequence[Miss],
    shown: solver.Clip,
    frame: int,
    palette: Palette,
    format_length: Callable[[float], str],
    strength: float = 1.0,
    with_texts: bool = True,
) -> Picture:
    """Dashed lines to the targets that are missed in a frame of the clip, with the distances in units of the scene."""
    pen = Pen()
    color = shade(palette.missed, strength)
    shares = np.linspace(0.0, 1.0, 2 * DASHES)[:, None]
    for miss in misses:
        for place, target, distance in missed_lines(miss, shown, frame):
            pen.put("bold", place + shares * (target - place), color)
            pen.put("dots", target, color)
            if with_texts:
                pen.text(format_length(distance), target, color, rank=0, away_from=place)
        if frame in miss.angles and miss.joint is not None:
            place = shown.world.positions[frame, miss.joint]
            pen.put("dots", place, color)
            if with_texts:
                pen.text(f"{math.degrees(miss.angles[frame]):.2g}\N{DEGREE SIGN} off", place, color, rank=0)
    return pen.picture()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Time lines of shape-constraints on one point, for the tests of time lines, channels and their connection."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.solver.constraints import (
    ConstraintPoint,
    ShapeConstraint,
    Source,
)
from poise.solver.core.arrays import Array
from poise.solver.deformation.channel import Channel
from poise.solver.deformation.timeline import Timeline

from ..made_up import Way, point_clip, straight_way

ALONG_X = straight_way((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
"""The point of figure 5.8."""

SIZE = 200.0
"""Of the point's character: the displacements of these tests, of about ten, are those of a step."""


def shape(begin: float, end: float, *points: tuple[Any, ...], **rest: Any) -> ShapeConstraint:
    """A constraint on the point through (location, begin[, end])."""
    return ShapeConstraint("point", begin, end, [ConstraintPoint(*point) for point in points], **rest)


def finely(constraint: ShapeConstraint, fine: int) -> ShapeConstraint:
    """The same with so many frames for one."""
    points = [(point.location, point.begin * fine, point.stay[1] * fine) for point in constraint.points]
    return shape(
        constraint.begin * fine, constraint.end * fine, *points, mode=constraint.mode, priority=constraint.priority
    )


def timeline_of(constraints: list[Any], way: Way = ALONG_X, last: int = 80, fps: float = 30.0) -> Timeline:
    return Timeline.of(Source(point_clip(way(np.arange(last + 1)), fps, SIZE)), constraints)


def only(timeline: Timeline) -> tuple[Channel, Array]:
    """The one channel and its targets."""
    (channel,), (targets,) = timeline.channels, timeline.targets()
    return channel, targets


def steps(path: Array) -> Array:
    """(frames - 1,) how far it moves from each frame to the next."""
    return np.linalg.norm(np.diff(path, axis=0), axis=1)


def corner(path: Array, fine: int) -> float:
    """The greatest change of velocity, in lengths a frame, from one fine frame to the next."""
    return float(np.abs(np.diff(path, 2, axis=0)).max() * fine)

# SPDX-License-Identifier: GPL-3.0-or-later
"""One handle of every kind, on any character."""

from __future__ import annotations

from poise.solver.body.skeleton import Skeleton
from poise.solver.spacetime.handles.handle import (
    AxisHandle,
    CenterOfMassHandle,
    DirectionHandle,
    DistanceHandle,
    Handle,
    MidpointHandle,
    PointHandle,
)


def handles_of(skeleton: Skeleton) -> list[Handle]:
    """Handles of every kind, of the first, the middle and the last joint of a skeleton."""
    first, middle, last = skeleton.names[0], skeleton.names[len(skeleton) // 2], skeleton.names[-1]
    point, carried = PointHandle(last), CenterOfMassHandle(middle)
    return [
        point,
        carried,
        CenterOfMassHandle(),
        CenterOfMassHandle(first),
        AxisHandle(last, "left"),
        AxisHandle(middle, "forward"),
        DirectionHandle(CenterOfMassHandle(), last),
        DistanceHandle(carried, CenterOfMassHandle(last)),
        MidpointHandle(last, carried),
        point + carried,
        PointHandle(first) - carried,
        carried * 0.3,
        2.0 * AxisHandle(first, "up") - AxisHandle(last, "up"),
        point.dot(AxisHandle(middle, "up")),
        AxisHandle(first, "left").dot(AxisHandle(last, "left")),
        (AxisHandle(first, "left") + AxisHandle(last, "up")).length(),
        (CenterOfMassHandle() - CenterOfMassHandle(last) * 0.5).unit(),
    ]

# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints and points of a character that handles name."""

from __future__ import annotations

from ...body.joints import BodyPoint
from ...body.landmarks.landmarks import JOINT_NAMES, NAMES
from ...body.skeleton import Skeleton
from ...core.errors import HandleError


def named_point(skeleton: Skeleton, name: str) -> BodyPoint:
    """The point that a handle names, with its joint as an index: a landmark (of the spine, its lowest joint), else a
    joint of that name. Where neither is there, a `LandmarkError` or an `UnknownJointError` says so."""
    mark = getattr(skeleton.landmarks, name) if name in NAMES else None
    if isinstance(mark, tuple):
        mark = mark[0] if mark else None
    if mark is None:
        if name in NAMES and name not in skeleton.names:
            skeleton.landmarks.require(name)
        mark = name
    return skeleton.resolve(mark)


def named_joint(skeleton: Skeleton, name: str) -> int:
    """The joint that a handle names, as `named_point`; a landmark that is a point is refused."""
    if name in NAMES and name not in JOINT_NAMES and name not in skeleton.names:
        raise HandleError(f"{name!r} is a point on a joint: name the joint itself, such as {JOINT_NAMES[0]!r}.")
    return int(named_point(skeleton, name).joint)

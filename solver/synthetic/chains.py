# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain chains on a fixed base, without limits (Le Callennec 2006, figures 3.7, 3.8 and 5.10)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..body.joints import BodyPoint, JointKind
from ..body.motion import Pose
from ..body.skeleton import Skeleton, Up
from ..core import rotations
from ..core.errors import SkeletonError
from .axes import from_y_up

ChainKind = Literal["ball", "hinge", "hinge_triple"]
"""The joints of a chain: balls, hinges of one plane, or three hinges in each place."""

_IN_PLANE_AXIS = (0.0, 0.0, 1.0)
"""The axis of a planar chain's hinges: the chain stands upright and bends sideways, seen from z."""


def chain(joints: int, length: float = 1.0, kind: ChainKind = "ball", up: Up = "y") -> Skeleton:
    """A straight upright chain of equal bones, its base fixed at the origin, named `joint 1` to `joint <joints>`.

    `length` is that of the whole chain. "ball" has three degrees of freedom a joint; "hinge" has one, all in the plane
    of x and up; "hinge_triple" replaces each ball by hinges about x, y and z in one place, named `joint 1 x` and so
    on. The end is the skeleton's only tip, on the last joint.
    """
    if joints < 1:
        raise SkeletonError("A chain needs at least one joint.")
    if not (np.isfinite(length) and length > 0.0):
        raise SkeletonError("A chain's length must be a finite, positive number.")
    bone = from_y_up((0.0, length / joints, 0.0), up)
    suffixes: tuple[str, ...] = ("",)
    axes = from_y_up([_IN_PLANE_AXIS], up)
    if kind == "hinge_triple":
        suffixes, axes = (" x", " y", " z"), np.eye(3)
    elif kind not in ("ball", "hinge"):
        raise SkeletonError(f"A chain is of kind 'ball', 'hinge' or 'hinge_triple', not {kind!r}.")
    names = tuple(f"joint {number}{suffix}" for number in range(1, joints + 1) for suffix in suffixes)
    count = len(names)
    offsets = np.zeros((count, 3))
    offsets[len(suffixes) :: len(suffixes)] = bone
    x, y, z = (float(value) for value in bone)
    return Skeleton(
        names=names,
        parents=np.arange(-1, count - 1),
        offsets=offsets,
        kinds=(JointKind.BALL if kind == "ball" else JointKind.HINGE,) * count,
        hinge_axes=np.tile(axes, (joints, 1)),
        tips=(BodyPoint(names[-1], (x, y, z)),),
        up=up,
    )


def bent(skeleton: Skeleton, turn: float) -> Pose:
    """The pose of a chain bent sideways, toward -x, by `turn` radians in all and equally at every joint.

    Solves start from it, because the Jacobian of a straight chain is singular.
    """
    axis = from_y_up(_IN_PLANE_AXIS, skeleton.up)
    bends = np.array([kind is JointKind.BALL for kind in skeleton.kinds])
    bends |= np.abs(skeleton.hinge_axes @ axis) > 0.5
    local = np.array(skeleton.rest_rotations)
    local[bends] = rotations.from_axis_angle(axis, turn / max(int(bends.sum()), 1))
    return Pose(local, np.array(skeleton.offsets))

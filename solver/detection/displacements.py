# SPDX-License-Identifier: GPL-3.0-or-later
"""How a body moves between frames, as rigid displacements (document 003, 6.4.1; 004, section 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint
from ..constraints import MovingObject
from ..core import rotations
from ..core.arrays import Array
from ..core.errors import ConstraintError

Body = str | int | BodyPoint | MovingObject
"""What is watched: a joint, a point on one (the frame of the joint with its origin there), or an object of its own."""


@dataclass(frozen=True, eq=False)
class Displacements:
    """Where the body's points go from one frame to a later one: x becomes rotation · x + translation.

    Displacement i leads from frame i to frame i + stride.
    """

    rotations: Array
    """(frames − stride, 4)"""
    translations: Array
    """(frames − stride, 3)"""
    stride: int = 1

    def __len__(self) -> int:
        return len(self.rotations)


def track(clip: Clip, body: Body, reference: Body | None = None) -> MovingObject:
    """The transform of a body for every frame, in the world or, where a reference is given, in the reference's frame.

    What is stationary for the reference is stationary in its frame: a hand on a bottle that is carried about.
    """
    moving = _in_world(clip, body)
    return moving if reference is None else _seen_from(_in_world(clip, reference), moving)


def local_displacements(body: MovingObject, stride: int = 1) -> Displacements:
    """W(i)⁻¹ W(i + stride): in the body's own frame at frame i, and so the same wherever in the world it moves."""
    before, after, moved = _pairs(body, stride)
    back = rotations.conjugate(before)
    return Displacements(rotations.multiply(back, after), rotations.rotate(back, moved), stride)


def global_displacements(body: MovingObject, stride: int = 1) -> Displacements:
    """W(i + stride) W(i)⁻¹: in the world. Its translations grow with the distance from the origin wherever the body
    turns at all, which noise always makes it do: it is here to be compared with."""
    before, after, _ = _pairs(body, stride)
    turned = rotations.multiply(after, rotations.conjugate(before))
    count = len(before)
    moved = body.positions[len(body.positions) - count :] - rotations.rotate(turned, body.positions[:count])
    return Displacements(turned, moved, stride)


def _pairs(body: MovingObject, stride: int) -> tuple[Array, Array, Array]:
    """Rotations at the begin and at the end of each displacement, (n, 4), and the way between them in the world."""
    if stride < 1:
        raise ConstraintError(f"A displacement leads at least one frame on, not {stride}.")
    count = max(len(body.positions) - stride, 0)
    last = len(body.positions) - count
    return body.rotations[:count], body.rotations[last:], body.positions[last:] - body.positions[:count]


def _in_world(clip: Clip, body: Body) -> MovingObject:
    if isinstance(body, MovingObject):
        return body.checked("Detection", clip.frames)
    point = clip.skeleton.resolve(body)
    joint = clip.skeleton.index(point.joint)
    return MovingObject(clip.world.point(point), clip.world.rotations[:, joint])


def _seen_from(reference: MovingObject, body: MovingObject) -> MovingObject:
    turned = rotations.multiply(rotations.conjugate(reference.rotations), body.rotations)
    return MovingObject(reference.seen_from(body.positions), np.asarray(turned))

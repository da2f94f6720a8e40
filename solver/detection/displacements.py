# SPDX-License-Identifier: GPL-3.0-or-later
"""The rigid displacements of a body between frames (Le Callennec 2006, section 6.4.1; Le Callennec and Boulic 2006,
section 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint
from ..constraints import MovingObject
from ..core import rotations
from ..core.arrays import Array
from ..core.errors import ConstraintError

TrackedBody = str | int | BodyPoint | MovingObject
"""A body whose constraints are detected: a joint, a point on one (the joint's frame with its origin there), or an
object that is given by its own transforms."""


@dataclass(frozen=True, eq=False)
class Displacements:
    """Rigid displacements of a body's points from one frame to a later one: x becomes rotation · x + translation.

    Displacement i leads from frame i to frame i + stride.
    """

    rotations: Array
    """(frames − stride, 4)"""
    translations: Array
    """(frames − stride, 3)"""
    stride: int = 1

    def __len__(self) -> int:
        return len(self.rotations)


def stride_of(clip: Clip, rate: float) -> int:
    """The number of frames that a displacement spans, at least one, for displacements of `rate` a second."""
    return stride_at(clip.fps, rate)


def stride_at(fps: float, rate: float) -> int:
    """As `stride_of`, of a clip with `fps` frames a second."""
    return max(1, round(fps / rate))


def track(clip: Clip, body: TrackedBody, reference: TrackedBody | None = None) -> MovingObject:
    """The transform of a body in every frame, in the world or, where a reference is given, in the reference's frame.

    In the reference's frame a body is stationary that is stationary relative to it: a hand on a bottle that is carried.
    """
    moving = _in_world(clip, body)
    return moving if reference is None else _relative_to(_in_world(clip, reference), moving)


def local_displacements(body: MovingObject, stride: int = 1) -> Displacements:
    """W(i)⁻¹ W(i + stride): in the body's own frame at frame i, and so independent of its place in the world."""
    before, after, translations = _pairs(body, stride)
    back = rotations.conjugate(before)
    return Displacements(rotations.multiply(back, after), rotations.rotate(back, translations), stride)


def global_displacements(body: MovingObject, stride: int = 1) -> Displacements:
    """W(i + stride) W(i)⁻¹: in the world, for comparison only. Wherever the body rotates, and with noise it always
    does, the translations grow with its distance from the origin."""
    before, after, _ = _pairs(body, stride)
    quaternions = rotations.multiply(after, rotations.conjugate(before))
    count = len(before)
    translations = body.positions[len(body.positions) - count :] - rotations.rotate(quaternions, body.positions[:count])
    return Displacements(quaternions, translations, stride)


def _pairs(body: MovingObject, stride: int) -> tuple[Array, Array, Array]:
    """Rotations (n, 4) at the begin and at the end of each displacement, and the translations (n, 3) in the world."""
    if stride < 1:
        raise ConstraintError(f"A displacement leads at least one frame on, not {stride}.")
    count = max(len(body.positions) - stride, 0)
    last = len(body.positions) - count
    return body.rotations[:count], body.rotations[last:], body.positions[last:] - body.positions[:count]


def _in_world(clip: Clip, body: TrackedBody) -> MovingObject:
    if isinstance(body, MovingObject):
        return body.checked("Detection", clip.frames)
    point = clip.skeleton.resolve(body)
    joint = clip.skeleton.index(point.joint)
    return MovingObject(clip.world.point(point), clip.world.rotations[:, joint])


def _relative_to(reference: MovingObject, body: MovingObject) -> MovingObject:
    relative = rotations.multiply(rotations.conjugate(reference.rotations), body.rotations)
    return MovingObject(reference.seen_from(body.positions), np.asarray(relative))

# SPDX-License-Identifier: GPL-3.0-or-later
"""The metric of displacements: how far, and how visibly, a displacement moves the joints of the body in the world.

Among all displacements that meet the constraints the one with the least metric is taken. An angle says little: a small
one at a straight knee lets the foot keep its place while the knee shakes. So watched joints are measured where they are
in the world, each relative to the largest acceleration that it has in the source: a joint that is calm in the source is
moved calmly. Derivation: docs/derivations.md.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint
from ..body.kinematics import WorldState
from ..core.arrays import Array, IntArray
from .columns import Columns

CALMEST = 2e-3
"""Sizes of the character per frame squared: accelerations of the source below this are not visible, and count as
this."""

LEFT_OUT = 4
"""The largest accelerations of each joint that are not counted: captured clips may begin with a calibration pose, whose
jump is not motion."""

WATCHED = ("hip", "knee", "ankle", "ball", "wrist")
"""The landmarks of each side whose joints are watched, beside the head and all joints that may move."""


class DisplacementMetric:
    """The metric of a clip's displacements in some coordinates."""

    def __init__(self, clip: Clip, columns: Columns) -> None:
        self._clip = clip
        self._columns = columns
        self._known: tuple[IntArray, Array] | None = None
        """The last frames of the source, and the metric in them: a source is solved many times."""

    @cached_property
    def watched(self) -> IntArray:
        """(watched,) the joints that are watched."""
        skeleton = self._columns.skeleton
        marks = [f"{side}_{name}" for side in ("left", "right") for name in WATCHED] + ["head"]
        points = [getattr(skeleton.landmarks, mark, None) for mark in marks]
        known = [int(skeleton.resolve(point).joint) for point in points if point is not None]
        is_leaf = skeleton.tree.ancestry.sum(axis=0) == 1
        others = [] if known else np.flatnonzero(is_leaf).tolist()
        return np.unique([*known, *others, *self._columns.dofs.moving.tolist()])

    @cached_property
    def _weights(self) -> Array:
        """(watched,) the weight of each watched joint's displacement, per unit of length; over all joints of the
        character their mean square is that of one size."""
        weights = 1.0 / largest_accelerations(self._clip.world.positions, self._clip)
        size = self._columns.skeleton.size
        return np.asarray(weights[self.watched] / (np.sqrt(np.mean(weights**2)) * size))

    def in_source(self, frames: IntArray) -> Array:
        """(frames, columns, columns) the metric in some frames of the source; not to be written to."""
        if self._known is None or not np.array_equal(self._known[0], frames):
            self._known = frames, self.at(self._clip.world.at(frames))
        return self._known[1]

    def at(self, world: WorldState) -> Array:
        """(frames, columns, columns) the metric in the frames of a state."""
        rows = [
            weight * world.point_jacobian(BodyPoint(int(joint)), self._columns.dofs)
            for joint, weight in zip(self.watched, self._weights, strict=True)
        ]
        watched = self._columns.in_parents(np.concatenate(rows, axis=1), world)
        return watched.swapaxes(1, 2) @ watched


def largest_accelerations(places: Array, clip: Clip) -> Array:
    """(points,) the largest acceleration of points at places (frames, points, 3), per frame squared, in the clip's
    units; `CALMEST` at least, and without those that are left out."""
    calmest = CALMEST * clip.skeleton.size
    if len(places) <= 2 + LEFT_OUT:
        return np.full(places.shape[1], calmest)
    lengths = np.linalg.norm(np.diff(places, 2, axis=0), axis=2)
    kept = len(lengths) - LEFT_OUT
    return np.asarray(np.maximum(np.partition(lengths, kept - 1, axis=0)[kept - 1], calmest))


def with_least_levers(metric: Array, least: float) -> Array:
    """A metric (frames, columns, columns), in which a radian of every coordinate counts as if it moved a watched joint
    by `least` sizes at least. Else the smallest joints, those of the toes, would turn most."""
    diagonal = np.einsum("fcc->fc", metric)
    np.maximum(diagonal, least**2, out=diagonal)
    return metric

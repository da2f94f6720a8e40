# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates of the displacement from a source to a result: the columns of the joints that may move.

A joint's coordinates are those of its parent's frame: they stay the same while the character turns, so they can be
compared, filtered and interpolated over frames. They are scaled as in `posture.problem`: pure numbers, lengths by the
character's size and all by the square root of the joint's stiffness.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..body.degrees_of_freedom import Dofs
from ..body.kinematics import WorldState
from ..body.motion import Motion
from ..body.skeleton import Skeleton
from ..core import rotations
from ..core.arrays import TINY, Array, BoolArray, IntArray


class Columns:
    """The coordinates of the joints that may move."""

    def __init__(self, skeleton: Skeleton, moving: BoolArray) -> None:
        """`moving` (joints,) are the joints that may move."""
        self.skeleton = skeleton
        self.dofs = Dofs(skeleton.kinds, moving)
        self.scale = self.dofs.spread(1.0 / np.sqrt(skeleton.stiffness))
        """(columns,) what one unit of each coordinate is, in the skeleton's units or in radians."""
        self.scale[self.dofs.translation_columns] *= skeleton.size

    @property
    def count(self) -> int:
        """How many there are."""
        return self.dofs.count

    def movable(self, joints: BoolArray) -> BoolArray:
        """(frames, columns) whether a column's joint may move, given (frames, joints)."""
        return self.dofs.spread(joints)

    def in_parents(self, jacobian: Array, world: WorldState) -> Array:
        """(frames, rows, columns) a Jacobian over the world-frame velocities of `dofs`, over these coordinates."""
        joints = np.concatenate([self.dofs.translating, self.dofs.rotating])
        return (jacobian * self.scale) @ self.turning(rotations.to_matrix(world.parent_rotations(joints)))

    def turning(self, matrices: Array) -> Array:
        """(frames, columns, columns) what turns the columns of each joint by a matrix of its own, given those of the
        joints with three columns (frames, joints, 3, 3)."""
        frames, joints = matrices.shape[:2]
        turning = np.zeros((frames, self.count, self.count))
        np.einsum("fcc->fc", turning)[:, 3 * joints :] = 1.0
        each = np.arange(joints)
        own = turning[:, : 3 * joints, : 3 * joints].reshape(frames, joints, 3, joints, 3)
        own[:, each, :, each] = matrices.swapaxes(0, 1)
        return turning

    def over_displacement(self, jacobian: Array, values: Array) -> Array:
        """(frames, rows, columns) a Jacobian over small moves, over changes of the displacement that leads to them, at
        a displacement (frames, columns): a rotation vector does not grow by the rotation that is added to it."""
        turns = values[:, self.dofs.rotation_columns]
        if not turns.any():
            return jacobian
        turning = len(self.dofs.rotating)
        vectors = (turns * self.scale[self.dofs.rotation_columns]).reshape(len(values), turning, 3)
        changed = jacobian.copy()
        own = jacobian[:, :, self.dofs.rotation_columns].reshape(*jacobian.shape[:2], turning, 3).swapaxes(1, 2)
        own = (own @ rotations.exp_jacobian(vectors)).swapaxes(1, 2)
        changed[:, :, self.dofs.rotation_columns] = own.reshape(*jacobian.shape[:2], 3 * turning)
        return changed

    def displacement(self, source: Motion, result: Motion) -> Array:
        """(frames, columns) the coordinates of a result, given its source."""
        dofs, frames = self.dofs, source.frames
        shifts = result.translations[:, dofs.translating] - source.translations[:, dofs.translating]
        before, after = source.rotations[:, dofs.rotating], result.rotations[:, dofs.rotating]
        turns = rotations.log(rotations.quotient(after, before))
        before, after = source.rotations[:, dofs.hinged], result.rotations[:, dofs.hinged]
        # So written, the coordinates of hinges that have not moved are exactly zero.
        bends = rotations.log(rotations.quotient(rotations.conjugate(before), rotations.conjugate(after)))
        angles = np.einsum("fjk,jk->fj", bends, self.skeleton.hinge_axes[dofs.hinged])
        parts = (each.reshape(frames, 3 * each.shape[1]) for each in (shifts, turns))
        return np.concatenate([*parts, angles], axis=1) / self.scale

    def unwrapped(self, values: Array) -> Array:
        """Coordinates (knots, columns) in which each rotation goes on from that of the knot before, and may so exceed
        half a turn: of the two vectors of one rotation, the one that is nearer to the vector before."""
        scale, part = self.scale[self.dofs.rotation_columns], self.dofs.rotation_columns
        turns = (values[:, part] * scale).reshape(len(values), len(self.dofs.rotating), 3)
        for before, here in pairwise(turns):
            others = here - 2.0 * np.pi * here / np.maximum(rotations.lengths(here), TINY)[:, None]
            is_nearer = rotations.lengths(others - before) < rotations.lengths(here - before)
            here[is_nearer] = others[is_nearer]
        unwrapped = values.copy()
        unwrapped[:, part] = turns.reshape(len(values), len(scale)) / scale
        return unwrapped

    def displaced(self, motion: Motion, step: Array) -> Motion:
        """A motion moved by coordinates (frames, columns); joints whose coordinates are all zero come back bit for
        bit."""
        dofs, frames = self.dofs, motion.frames
        velocities = step * self.scale
        local_rotations, translations = motion.rotations.copy(), motion.translations.copy()
        shifts = velocities[:, dofs.translation_columns].reshape(frames, len(dofs.translating), 3)
        translations[:, dofs.translating] += shifts
        turns = velocities[:, dofs.rotation_columns].reshape(frames, len(dofs.rotating), 3)
        turned = rotations.multiply(rotations.exp(turns), local_rotations.take(dofs.rotating, axis=1))
        _write(local_rotations, dofs.rotating, turned, turns)
        if dofs.hinged.size:
            bends = velocities[:, dofs.hinge_columns, None] * self.skeleton.hinge_axes[dofs.hinged]
            bent = rotations.multiply(local_rotations[:, dofs.hinged], rotations.exp(bends))
            _write(local_rotations, dofs.hinged, bent, bends)
        return Motion(local_rotations, translations)


def _write(local_rotations: Array, joints: IntArray, turned: Array, steps: Array) -> None:
    """Write rotations (frames, joints given, 4), normalized, where steps (frames, joints given, 3) are not zero."""
    normal = rotations.normalize(turned)
    if not steps.all():
        normal = np.where(steps.any(axis=2)[..., None], normal, local_rotations[:, joints])
    local_rotations[:, joints] = normal

# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometric stiffness: the curvature that forces give to a body, which Gauss and Newton leave out.

A foot that pulls at a straight leg resists any bend of its knee, although to first order a bend moves no foot. Without
this curvature steps bend the leg and straighten it again without end. Derivation: docs/derivations.md.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...body.degrees_of_freedom import Dofs
from ...body.joints import JointKind
from ...body.kinematics import WorldState
from ...body.skeleton import Skeleton
from ...core.arrays import Array

NEGLIGIBLE = 1e-3
"""Entries below this, in the units of the matrix, are left out: no step depends on them."""


def turning_dofs(skeleton: Skeleton, dofs: Dofs) -> Dofs:
    """Columns of the same joints in which hinges turn about all three world axes."""
    kinds = [JointKind.BALL if kind is JointKind.HINGE else kind for kind in skeleton.kinds]
    return Dofs(kinds, skeleton.mask(dofs.moving.tolist()))


def geometric_stiffness(state: WorldState, dofs: Dofs, pulls: Iterable[tuple[Array, Array]]) -> Array:
    """(frames, columns, columns) the positive part of minus the second derivatives of Σ force · value.

    `pulls` are pairs of a Jacobian (frames, 3, turning columns) over `turning_dofs`, of a vector that moves rigidly
    with each joint (a point, a centre of mass, an axis, or a sum of such), and of the force (frames, 3) on it.
    """
    turning = turning_dofs(state.skeleton, dofs)
    joints, frames = turning.rotating, state.frames
    blocks = np.zeros((frames, len(joints), 3, 3))
    for jacobian, force in pulls:
        arms = _arms(jacobian[:, :, turning.rotation_columns])
        along = np.einsum("fjk,fk->fj", arms, force)
        blocks += along[:, :, None, None] * np.eye(3) - arms[..., None] * force[:, None, None]
    stiff = np.abs(blocks).max(axis=(1, 2, 3), initial=0.0) > NEGLIGIBLE
    whole = np.zeros((frames, dofs.count, dofs.count))
    if stiff.any():
        whole[stiff] = _positive_part(_in_columns(state.at(np.flatnonzero(stiff)), dofs, turning, blocks[stiff]))
    return whole


def _arms(jacobian: Array) -> Array:
    """(frames, joints, 3) the arms of a Jacobian (frames, 3, 3 joints), whose columns are the world axes crossed with
    them."""
    frames = len(jacobian)
    by_joint = jacobian.reshape(frames, 3, -1, 3)
    return np.stack([by_joint[:, 1, :, 2], by_joint[:, 2, :, 0], by_joint[:, 0, :, 1]], axis=-1)


def _in_columns(state: WorldState, dofs: Dofs, turning: Dofs, blocks: Array) -> Array:
    """(frames, columns, columns) the second derivatives, given the block (frames, joints, 3, 3) of each joint with
    those above it: the same for all of them, since turning a joint above turns the arm as a whole."""
    joints, frames = turning.rotating, len(blocks)
    carries = state.skeleton.tree.ancestry[np.ix_(joints, joints)]
    below, above = np.nonzero(carries)
    whole = np.zeros((frames, len(joints), 3, len(joints), 3))
    whole[:, above, :, below] = blocks[:, below].swapaxes(0, 1)
    whole[:, below, :, above] = blocks[:, below].swapaxes(0, 1).swapaxes(2, 3)
    own = np.arange(len(joints))
    whole[:, own, :, own] = 0.5 * (blocks + blocks.swapaxes(2, 3)).swapaxes(0, 1)
    flat, turns = whole.reshape(frames, 3 * len(joints), 3 * len(joints)), dofs.rotation_columns
    if not dofs.hinged.size:
        columns = np.zeros((frames, dofs.count, dofs.count))
        columns[:, turns, turns] = flat
        return columns
    axes = np.zeros((frames, len(joints), 3, dofs.count))
    for number, place in enumerate(np.searchsorted(joints, dofs.rotating)):
        axes[:, place, :, turns.start + 3 * number : turns.start + 3 * number + 3] = np.eye(3)
    places = np.searchsorted(joints, dofs.hinged)
    axes[:, places, :, np.arange(dofs.hinge_columns.start, dofs.count)] = state.hinge_axes(dofs.hinged).swapaxes(0, 1)
    spread = axes.reshape(frames, 3 * len(joints), dofs.count)
    return spread.swapaxes(1, 2) @ flat @ spread


def _positive_part(matrices: Array) -> Array:
    """(…, n, n) symmetric matrices without their negative eigenvalues: forces that push would make a step unbounded."""
    values, vectors = np.linalg.eigh(matrices)
    return np.asarray((vectors * np.maximum(values, 0.0)[..., None, :]) @ vectors.swapaxes(-1, -2))

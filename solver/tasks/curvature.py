# SPDX-License-Identifier: GPL-3.0-or-later
"""Second derivatives of positions and rotations with respect to the joints.

A Gauss-Newton step ignores them, which is right while targets are within reach. Where one is not, the body ends in a
posture that is singular to first order: bending a straight arm does not move the hand, and only the second derivative
shows that it does. Derivation: docs/derivations.md.
"""

from __future__ import annotations

import numpy as np

from ..body.degrees_of_freedom import Dofs
from ..body.kinematics import WorldState
from ..core.arrays import Array


def point_curvature(state: WorldState, dofs: Dofs, pull: Array, turn_arms: Array, hinge_arms: Array) -> Array:
    """(frames, columns, columns): minus the second derivative of pull · position.

    `pull` is (frames, 3); arms reach from each rotating and each hinged joint of `dofs` to the point, or to the centre
    of the mass it carries times that mass's share, (frames, joints, 3), and are zero from joints that do not carry it.

    To second order a point moves by the sum over joints a above or at b of wa × (wb × arm of b), half of it where a is
    b, so the block of (a, b) is (pull · arm) - arm pullᵀ. The rotation of a free joint's translation with the joints
    above it is neglected: a free joint is nearly always a root.
    """
    arms = np.concatenate([turn_arms, hinge_arms], axis=1)
    along = np.einsum("fk,fjk->fj", pull, arms)
    blocks = along[:, :, None, None] * np.eye(3) - arms[..., :, None] * pull[:, None, None]
    return _assembled(state, dofs, blocks, 0.5 * (blocks + blocks.swapaxes(2, 3)))


def spin_curvature(state: WorldState, dofs: Dofs, pull: Array, joint: int) -> Array:
    """(frames, columns, columns): minus the second derivative of pull · rotation vector of a joint, pull (frames, 3).

    Turns compose to wa + wb + (wa × wb) / 2 for a above b.
    """
    carries = state.skeleton.tree.carriers(joint)[np.concatenate([dofs.rotating, dofs.hinged])]
    x, y, z = 0.5 * pull.T
    zero = np.zeros_like(x)
    cross = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(-1, 1, 3, 3)
    blocks = cross * carries[:, None, None]
    return _assembled(state, dofs, blocks, np.zeros_like(blocks))


def _assembled(state: WorldState, dofs: Dofs, above: Array, own: Array) -> Array:
    """Blocks (frames, joints, 3, 3) of each joint with those above it, and with itself, as a symmetric matrix."""
    joints = np.concatenate([dofs.rotating, dofs.hinged])
    frames, count = len(above), len(joints)
    is_above = state.skeleton.tree.ancestry[np.ix_(joints, joints)].T & ~np.eye(count, dtype=bool)
    whole = np.einsum("ab,fbij->faibj", is_above.astype(np.float64), above)
    whole += whole.transpose(0, 3, 4, 1, 2)
    diagonal = np.arange(count)
    whole[:, diagonal, :, diagonal, :] += own.swapaxes(0, 1)
    return _on_columns(state, dofs, whole.reshape(frames, 3 * count, 3 * count))


def _on_columns(state: WorldState, dofs: Dofs, turns: Array) -> Array:
    """From rotation vectors of rotating and hinged joints, (frames, 3 joints, 3 joints), to the columns of `dofs`."""
    rotating = 3 * len(dofs.rotating)
    curvature = np.zeros((len(turns), dofs.count, dofs.count))
    ball = dofs.rotation_columns
    curvature[:, ball, ball] = turns[:, :rotating, :rotating]
    if dofs.hinged.size:
        hinge = dofs.hinge_columns
        axes = state.hinge_axes(dofs.hinged)
        count = len(dofs.hinged)
        mixed = turns[:, :rotating, rotating:].reshape(len(turns), rotating, count, 3)
        curvature[:, ball, hinge] = np.einsum("frhk,fhk->frh", mixed, axes)
        curvature[:, hinge, ball] = curvature[:, ball, hinge].swapaxes(1, 2)
        own = turns[:, rotating:, rotating:].reshape(len(turns), count, 3, count, 3)
        curvature[:, hinge, hinge] = np.einsum("fgk,fgkhl,fhl->fgh", axes, own, axes)
    return curvature

# SPDX-License-Identifier: GPL-3.0-or-later
"""Constant rotations for joints that a simplified character does not keep (Popović 1999, section 4.1.1)."""

from __future__ import annotations

import numpy as np

from ..body.clip import Clip
from ..core import rotations
from ..core.arrays import TINY, Array


def fused_rotations(clip: Clip) -> Array:
    """(joints, 4) for each joint the constant local rotation that least moves the centre of mass of its subtree.

    Relative to its parent a joint's subtree has its centre of mass at R(t) c(t). The constant rotation R with the least
    mean square of R c - R(t) c(t), c the mean of c(t), takes c to the direction of the mean of R(t) c(t); about that
    direction it is turned as the mean of all R(t).
    """
    world, skeleton = clip.world, clip.skeleton
    local = clip.motion.rotations
    masses = skeleton.masses @ skeleton.tree.ancestry
    # First moments of subtrees are relative to joint 0; take them to each joint.
    places = world.positions - world.positions[:, :1]
    own = np.where(masses > 0.0, masses, 1.0)
    centers = subtree_moments(clip) / own[:, None] - places
    in_joints = rotations.rotate(rotations.conjugate(world.rotations), centers)
    in_parents = rotations.rotate(local, in_joints)
    mean = rotations.mean(local)
    start = rotations.rotate(mean, in_joints.mean(axis=0))
    end = in_parents.mean(axis=0)
    # A joint that carries no mass, or whose mass is centred on it, keeps the mean rotation.
    aligned = (np.linalg.norm(start, axis=-1) > TINY) & (np.linalg.norm(end, axis=-1) > TINY) & (masses > 0.0)
    turn = rotations.between(np.where(aligned[:, None], start, 1.0), np.where(aligned[:, None], end, 1.0))
    return rotations.multiply(turn, mean)


def subtree_moments(clip: Clip) -> Array:
    """(frames, joints, 3) first moments, relative to joint 0, of the masses of each joint's subtree."""
    ancestry = clip.skeleton.tree.ancestry_matrix
    return np.einsum("ja,fjk->fak", ancestry, clip.world.moments)

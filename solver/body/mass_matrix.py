# SPDX-License-Identifier: GPL-3.0-or-later
"""The inertia of a whole body in a posture, and the mass matrix of its degrees of freedom.

With velocities v in the coordinates of `dofs` the kinetic energy is ½ vᵀ M v. Bodies enter by their mass and by their
first and second moments alone, summed over what each joint carries. Derivation: docs/derivations.md.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..core import rotations
from ..core.arrays import Array, IntArray
from .degrees_of_freedom import Dofs
from .inertia import inertia_of, second_moments_of
from .kinematics import WorldState
from .tree import Tree

CACHED_PAIRS = 32
"""Pairs of joints of different columns that are cached: a solve needs the same ones in every step."""


def own_spreads(state: WorldState) -> Array:
    """(frames, joints, 3, 3) second moments of each joint's own mass about its centre, in world axes."""

    def turned() -> Array:
        turns = rotations.to_matrix(state.rotations)
        return np.asarray(turns @ second_moments_of(state.skeleton.inertias) @ turns.swapaxes(2, 3))

    return state.cached("own spreads", turned)


def own_centers(state: WorldState) -> Array:
    """(frames, joints, 3) the centre of each joint's own mass, relative to joint 0, in world axes."""

    def placed() -> Array:
        return state.positions - state.positions[:, :1] + rotations.rotate(state.rotations, state.skeleton.mass_centers)

    return state.cached("own centers", placed)


def whole_inertia(state: WorldState) -> Array:
    """(frames, 3, 3) inertia tensor of the whole body about its centre of mass, in world axes."""
    masses, centers = state.skeleton.masses, own_centers(state)
    arms = centers - (masses @ centers / state.skeleton.mass_unit)[:, None]
    spreads = own_spreads(state).sum(axis=1) + np.einsum("j,fjk,fjl->fkl", masses, arms, arms)
    return inertia_of(spreads)


def carrying(tree: Tree, relative: bool) -> Array:
    """(joints, joints): entry [j, a] is 1 where moving joint `a` moves joint `j`; relative to joint 0, what joint 0
    carries does not move with it, and all else moves against it (-1)."""
    if not relative:
        return tree.ancestry_matrix
    carried = tree.ancestry_matrix.copy()
    carried[:, 0] -= 1.0
    return carried


def mass_matrix(state: WorldState, dofs: Dofs, relative: bool = False) -> Array:
    """(frames, columns, columns) the mass matrix; `relative`: of velocities relative to the frame of joint 0.

    Masses times squared lengths for rotations, masses for translations.
    """
    joints = np.concatenate([dofs.translating, dofs.rotating, dofs.hinged])
    is_turn = np.arange(len(joints)) >= len(dofs.translating)
    firsts, seconds, shares = _pairs(state.skeleton.tree, joints.tobytes(), relative)
    masses, moments, spreads = _pair_moments(state, shares)
    places = (state.positions - state.positions[:, :1])[:, joints]
    blocks = np.zeros((state.frames, len(joints), 3, len(joints), 3))

    chosen = is_turn[firsts] & is_turn[seconds]
    first, second = firsts[chosen], seconds[chosen]
    # ∫ (p - b) (p - a)ᵀ dm, with a and b the places of the two joints.
    arms = moments[:, chosen] - masses[chosen, None] * places[:, first]
    mixed = spreads[:, chosen] - moments[:, chosen, :, None] * places[:, first, None]
    mixed -= places[:, second, :, None] * arms[:, :, None]
    blocks[:, first, :, second] = inertia_of(mixed).swapaxes(0, 1)

    chosen = is_turn[firsts] & ~is_turn[seconds]
    first, second = firsts[chosen], seconds[chosen]
    crossed = _cross_matrices(moments[:, chosen] - masses[chosen, None] * places[:, first]).swapaxes(0, 1)
    blocks[:, first, :, second], blocks[:, second, :, first] = crossed, -crossed

    chosen = ~is_turn[firsts] & ~is_turn[seconds]
    blocks[:, firsts[chosen], :, seconds[chosen]] = masses[chosen, None, None, None] * np.eye(3)
    return _in_columns(blocks, state.hinge_axes(dofs.hinged))


@lru_cache(maxsize=CACHED_PAIRS)
def _pairs(tree: Tree, joints: bytes, relative: bool) -> tuple[IntArray, IntArray, Array]:
    """The pairs of joints, by their positions (pairs,) among those given, that carry a body in common, and their shares
    (pairs, bodies) in each: the product of both entries of `carrying`."""
    carried = carrying(tree, relative)[:, np.frombuffer(joints, dtype=np.int64)]
    firsts, seconds = np.nonzero(np.abs(carried.T) @ np.abs(carried))
    return firsts, seconds, np.ascontiguousarray((carried[:, firsts] * carried[:, seconds]).T)


def _pair_moments(state: WorldState, shares: Array) -> tuple[Array, Array, Array]:
    """Masses (pairs,), first moments (frames, pairs, 3) and second moments (frames, pairs, 3, 3) about joint 0 of what
    pairs of joints carry, with shares (pairs, bodies)."""
    masses, centers = state.skeleton.masses, own_centers(state)
    weighted = masses[:, None] * centers
    spreads = own_spreads(state) + weighted[..., None] * centers[..., None, :]
    stacked = np.concatenate([weighted[..., None], spreads], axis=-1)
    # One large product instead of one for each frame.
    bodies = stacked.swapaxes(0, 1).reshape(len(masses), 12 * state.frames)
    summed = (shares @ bodies).reshape(len(shares), state.frames, 3, 4).swapaxes(0, 1)
    return shares @ masses, summed[..., 0], summed[..., 1:]


def _in_columns(blocks: Array, hinge_axes: Array) -> Array:
    """Blocks (frames, joints, 3, joints, 3), the last of which are those of hinges, as a matrix (frames, columns,
    columns), given the hinges' axes (frames, hinges, 3)."""
    frames, joints, hinges = blocks.shape[0], blocks.shape[1], hinge_axes.shape[1]
    whole = blocks.reshape(frames, 3 * joints, 3 * joints)
    if not hinges:
        return whole
    others = 3 * (joints - hinges)
    columns = np.einsum("frjk,fjk->frj", whole[:, :, others:].reshape(frames, 3 * joints, hinges, 3), hinge_axes)
    matrix = np.empty((frames, others + hinges, others + hinges))
    matrix[:, :others, :others] = whole[:, :others, :others]
    matrix[:, :others, others:] = columns[:, :others]
    matrix[:, others:, :others] = columns[:, :others].swapaxes(1, 2)
    own = columns[:, others:].reshape(frames, hinges, 3, hinges)
    matrix[:, others:, others:] = np.einsum("fjk,fjkl->fjl", hinge_axes, own)
    return matrix


def _cross_matrices(vectors: Array) -> Array:
    """(…, 3, 3) the matrices that multiply from the left as the cross product with vectors (…, 3)."""
    matrices = np.zeros((*vectors.shape, 3))
    x, y, z = np.moveaxis(vectors, -1, 0)
    matrices[..., 0, 1], matrices[..., 0, 2], matrices[..., 1, 2] = -z, y, -x
    matrices[..., 1, 0], matrices[..., 2, 0], matrices[..., 2, 1] = z, -y, x
    return matrices

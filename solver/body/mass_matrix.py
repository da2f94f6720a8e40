# SPDX-License-Identifier: GPL-3.0-or-later
"""The inertia of a whole body in a posture, and the mass matrix of its degrees of freedom.

With velocities v in the coordinates of `dofs` the kinetic energy is ½ vᵀ M v. Bodies enter by their mass and by their
first and second moments alone, summed over what each joint carries. Derivation: docs/derivations.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray
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
    pairs = _pairs(state.skeleton.tree, joints.tobytes(), len(dofs.translating), relative)
    masses, moments, spreads = _pair_moments(state, pairs.shares)
    places = (state.positions - state.positions[:, :1])[:, joints]
    # ∫ (p - a) dm and ∫ (p - b) (p - a)ᵀ dm, with a and b the places of the two joints.
    arms = moments - masses[:, None] * places[:, pairs.firsts]
    mixed = spreads - moments[..., None] * places[:, pairs.firsts, None]
    mixed -= places[:, pairs.seconds, :, None] * arms[:, :, None]
    blocks = np.empty((state.frames, len(masses), 3, 3))
    blocks[:, pairs.turns] = inertia_of(mixed[:, pairs.turns])
    # Translations come first in the order of joints, so the turning joint of a mixed pair is the second one.
    shifted = moments[:, pairs.mixed] - masses[pairs.mixed, None] * places[:, pairs.seconds[pairs.mixed]]
    blocks[:, pairs.mixed] = -_cross_matrices(shifted)
    blocks[:, pairs.shifts] = masses[pairs.shifts, None, None] * np.eye(3)
    matrix = np.zeros((state.frames, (3 * len(joints)) ** 2))
    matrix[:, pairs.entries] = matrix[:, pairs.mirrored] = blocks.reshape(state.frames, 9 * len(masses))
    return _in_columns(matrix.reshape(state.frames, 3 * len(joints), 3 * len(joints)), state.hinge_axes(dofs.hinged))


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of moving joints that carry a body in common, by their positions among the moving joints: the first of a
    pair is not after the second."""

    firsts: IntArray
    """(pairs,)"""
    seconds: IntArray
    """(pairs,)"""
    shares: Array
    """(pairs, bodies) what a pair has in common: the product of both entries of `carrying`."""
    shifts: BoolArray
    """(pairs,) where both translate."""
    mixed: BoolArray
    """(pairs,) where the first translates and the second turns."""
    turns: BoolArray
    """(pairs,) where both turn."""
    entries: IntArray
    """(9 · pairs,) where the block of each pair is in a matrix of all joints, three rows and columns for each."""
    mirrored: IntArray
    """(9 · pairs,) where its transpose is."""


@lru_cache(maxsize=CACHED_PAIRS)
def _pairs(tree: Tree, joints: bytes, translating: int, relative: bool) -> _Pairs:
    """The pairs of the joints given, of which the first ones translate."""
    carried = carrying(tree, relative)[:, np.frombuffer(joints, dtype=np.int64)]
    firsts, seconds = np.nonzero(np.triu(np.abs(carried.T) @ np.abs(carried)))
    first_shifts, second_shifts = firsts < translating, seconds < translating
    width, axes = 3 * carried.shape[1], np.arange(3)
    rows, columns = (3 * each[:, None, None] + axes for each in (firsts, seconds))
    rows = rows.swapaxes(1, 2)
    return _Pairs(
        firsts,
        seconds,
        np.ascontiguousarray((carried[:, firsts] * carried[:, seconds]).T),
        first_shifts & second_shifts,
        first_shifts & ~second_shifts,
        ~first_shifts,
        (width * rows + columns).ravel(),
        (width * columns + rows).ravel(),
    )


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


def _in_columns(whole: Array, hinge_axes: Array) -> Array:
    """A matrix (frames, 3 · joints, 3 · joints), the last of which are hinges, as one of columns (frames, columns,
    columns), given the hinges' axes (frames, hinges, 3)."""
    frames, size, hinges = whole.shape[0], whole.shape[1], hinge_axes.shape[1]
    if not hinges:
        return whole
    others = size - 3 * hinges
    columns = np.einsum("frjk,fjk->frj", whole[:, :, others:].reshape(frames, size, hinges, 3), hinge_axes)
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

# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the first optimisation starts: the mapped motion, with the forces and muscles that come nearest to causing it.

A start without forces and torques needs many times as many iterations, and ends in a worse local minimum.
"""

from __future__ import annotations

import numpy as np

from ...core.arrays import Array
from ..characters.character import ROOT_DOFS
from .layout import Layout
from .muscles import Muscles, muscles_for
from .spacetime_problem import CharacterFunctions, Problem, energy

SMOOTHING = 1e-5
"""Weight of squared third derivatives of the splines through the mapped values, per unit of time."""

LARGEST_PUSH, SMALLEST_PUSH = 4.0, 0.05
"""Body weights: forces at the start are within these."""

FRICTION = 0.5
"""Forces along the ground at the start, at most, as a share of those into it."""

LARGEST_TORQUE = 0.8
"""Body weights times size, of muscles at the start."""


def spline_start(layout: Layout, times: Array, values: Array) -> Array:
    """(unknowns,) smooth splines through values (frames, dofs) at times (frames,); everything else is zero."""
    start = np.zeros(layout.unknowns)
    start[layout.duration] = 1.0
    length = float(layout.grid.points[-1] - layout.grid.points[0])
    if layout.drift is not None:
        values = values.copy()
        values[:, :3] -= np.outer((times - layout.grid.points[0]) / length, layout.drift)
    for dof in range(len(layout.character)):
        space = layout.space_of(dof)
        table = space.basis(times)
        normal = table.T @ table + SMOOTHING * len(times) / length * energy(space, 3, layout.grid.points)
        # The smallest multiple of the identity: a coefficient near which no frame lies would be undetermined.
        normal += 1e-9 * len(times) / space.count * np.eye(space.count)
        start[layout.dof_slices[dof]] = np.linalg.solve(normal, table.T @ values[:, dof])
    return start


def with_forces(layout: Layout, start: Array, gravity: Array) -> Array:
    """(unknowns,) the start with forces that share what the centre of mass's acceleration needs."""
    points, up, count = layout.grid.points, layout.character.up, len(layout.character)
    needed = _states(layout, start, points)[:, 2 * count : 2 * count + 3] - gravity
    sharing = np.zeros(len(points))
    for track in layout.tracks:
        sharing[track.nodes] += 1.0
    found = start.copy()
    for track, own in zip(layout.tracks, layout.force_slices, strict=True):
        share = needed[track.nodes] / sharing[track.nodes, None]
        push = np.clip(share @ up, SMALLEST_PUSH, LARGEST_PUSH)
        along = share - np.outer(share @ up, up)
        size = np.abs(along).sum(axis=1)
        along *= np.minimum(1.0, FRICTION * push / np.maximum(size, 1e-9))[:, None]
        found[own] = (along + push[:, None] * up).ravel()
    return found


def torques_needed(problem: Problem, functions: CharacterFunctions, start: Array) -> Array:
    """(points, joints) the torques that the motion and forces of a start need."""
    layout = problem.layout
    points = layout.grid.points
    relaxed = np.zeros((2 * layout.joints, len(points)))
    parameters = np.concatenate([problem.ground(points), relaxed])
    states = _states(layout, start, points)
    rows = functions.equations.value.map(len(points))(states.T, parameters)
    return np.asarray(rows)[ROOT_DOFS:].T


def muscles_of(torques: Array) -> Muscles:
    """Muscles for the torques of a start, whose peaks may be errors of the start."""
    return muscles_for(np.clip(torques, -LARGEST_TORQUE, LARGEST_TORQUE))


def with_muscles(layout: Layout, start: Array, muscles: Muscles, torques: Array) -> Array:
    """(unknowns,) the start with rest values of muscles that come nearest to torques (points, joints)."""
    points, count = layout.grid.points, len(layout.character)
    tables = [layout.cubic.basis(points, derivative) for derivative in range(3)]
    states = _states(layout, start, points)
    found = start.copy()
    for joint, own in enumerate(layout.muscle_slices):
        spring, damper = muscles.stiffness[joint], muscles.damping[joint]
        matrix = spring * tables[0] + damper * tables[1]
        values, rates = states[:, ROOT_DOFS + joint], states[:, count + ROOT_DOFS + joint]
        goal = np.clip(torques[:, joint], -LARGEST_TORQUE, LARGEST_TORQUE) + spring * values + damper * rates
        normal = matrix.T @ matrix + spring**2 * (1e-6 * tables[2].T @ tables[2] + 1e-9 * np.eye(matrix.shape[1]))
        found[own] = np.linalg.solve(normal, matrix.T @ goal)
    return found


def _states(layout: Layout, unknowns: Array, times: Array) -> Array:
    matrix, constant = layout.states(times)
    return np.asarray(matrix @ unknowns).reshape(len(times), layout.width) + constant.T

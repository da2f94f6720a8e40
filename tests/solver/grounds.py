# SPDX-License-Identifier: GPL-3.0-or-later
"""Stairs and terrain as meshes, and a character that climbs them, with known heights."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from poise import solver
from poise.solver.body.skeleton import Up
from poise.solver.core.arrays import Array, IntArray
from poise.solver.synthetic import walk

from .made_up import plant_of

RISE = 0.12
"""Sizes of the character: the height of a step of the stairs."""


def terrain(
    height: Callable[[Array, Array], Array],
    low: tuple[float, float],
    high: tuple[float, float],
    cells: int,
    up: Up = "y",
) -> tuple[Array, IntArray]:
    """Vertices and triangles of a square grid whose vertices lie on a height function of two coordinates."""
    first, second = np.meshgrid(
        np.linspace(low[0], high[0], cells + 1), np.linspace(low[1], high[1], cells + 1), indexing="ij"
    )
    flat = [first.ravel(), second.ravel()]
    vertices = np.insert(np.stack(flat, axis=1), 1 if up == "y" else 2, height(*flat), axis=1)
    corner = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    triangles = np.concatenate(
        [
            np.stack([corner, corner + cells + 1, corner + 1], axis=1),
            np.stack([corner + 1, corner + cells + 1, corner + cells + 2], axis=1),
        ]
    )
    return vertices, triangles


def box(low: Array, high: Array) -> tuple[Array, IntArray]:
    """Vertices and triangles of a closed box."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [(a, b, c) for a, b, c, _ in quads] + [(a, c, d) for a, _, c, d in quads]
    return low + corners * (high - low), np.array(triangles)


def joined(*meshes: tuple[Array, IntArray]) -> tuple[Array, IntArray]:
    """Several meshes as one."""
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in meshes)])
    return (
        np.concatenate([vertices for vertices, _ in meshes]),
        np.concatenate([triangles + start for (_, triangles), start in zip(meshes, starts[:-1], strict=True)]),
    )


@cache
def climber(up: Up = "y") -> tuple[solver.Clip, tuple[solver.Footplant, ...], tuple[Array, IntArray]]:
    """A walk upstairs, its plants, and the stairs as closed boxes, one under each plant."""
    made = walk(steps=5, fps=60.0, up=up)
    size, axis = made.clip.skeleton.size, made.clip.skeleton.up_axis
    plants = [plant_of(contact) for contact in made.contacts]
    order = np.argsort([plant.heel_strike if plant.heel_strike is not None else -1.0 for plant in plants])
    raised, stairs = [], []
    for step, number in enumerate(order):
        lift = np.zeros(3)
        lift[axis] = RISE * size * step
        raised.append(plants[number].moved(lift))
        contact = made.contacts[number]
        ends = np.stack([contact.heel, contact.toe])
        low, high = ends.min(axis=0) - 0.12 * size, ends.max(axis=0) + 0.12 * size
        low[axis], high[axis] = -0.1 * size, RISE * size * step
        stairs.append(box(low, high))
    clip = solver.deform(made.clip, raised).clip
    return clip, tuple(plants), joined(*stairs)


def largest_hip_move(before: solver.Clip, after: solver.Clip) -> float:
    """How far the hips are, at most, from where they were, in sizes of the character."""
    hips = before.skeleton.landmarks.hips
    assert hips is not None
    apart = np.linalg.norm(after.position(hips) - before.position(hips), axis=1)
    return float(apart.max()) / before.skeleton.size

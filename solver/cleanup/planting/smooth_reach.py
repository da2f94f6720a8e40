# SPDX-License-Identifier: GPL-3.0-or-later
"""A smooth displacement of the root with which limbs reach their targets in every frame.

In each frame the displacement has to lie in the sphere of each planted limb (`spheres`). Limbs are planted and released
from one frame to the next, and targets tremble, so the nearest displacement that does jumps. Instead every frame first
gets a displacement that lies in the spheres of all frames around it; the result is the mean of those, with smooth
weights over no more frames. Spheres are convex: a mean of displacements that lie in a frame's spheres lies in them too.

Where the frames around have no displacement in common, some limbs are out of reach afterwards; what they miss is
corrected in the same manner over fewer frames.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...core.arrays import Array, IntArray
from ...core.rotations import lengths
from .averages import hann, smoothed, split_window
from .spheres import Sphere

ROUNDS = 40
"""How often a displacement is moved toward the sphere from which it is farthest. Most need one or two rounds."""
WHOLE_ROUNDS = 10
"""The rounds in which it is moved into that sphere. In later ones it is moved by falling shares of the way: between
spheres that have no point in common it comes to rest where it is equally far from the farthest of them."""

BLOCK = 2048
"""Frames that are moved at once: so much memory stays in a processor's cache."""


def smooth_displacement(wanted: Array, spheres: Sequence[Sphere], window: int) -> Array:
    """(frames, 3) a displacement near a wanted one (frames, 3), which is smooth, that lies in the spheres of its frame.

    It depends on `window` frames to either side.
    """
    reach, rest = split_window(window)
    common = _in_all_around(wanted, spheres, reach)
    if common is wanted:
        return wanted
    return np.asarray(wanted + smoothed(common - wanted, hann(rest)))


def _in_all_around(wanted: Array, spheres: Sequence[Sphere], window: int) -> Array:
    """(frames, 3) displacements in the spheres of all frames so many frames around, or nearly; `wanted` if it is."""
    near = _near_a_sphere(wanted, spheres, window)
    if not near.size:
        return wanted
    centers = np.stack([sphere.center for sphere in spheres], axis=2)
    radii = np.stack([_radius(sphere) for sphere in spheres], axis=1)
    centers = _around(np.pad(centers, ((window, window), (0, 0), (0, 0))), window)
    radii = _around(np.pad(radii, ((window, window), (0, 0)), constant_values=np.inf), window)
    found = wanted.copy()
    for first in range(0, len(near), BLOCK):
        rows = near[first : first + BLOCK]
        found[rows] = _moved_into(wanted[rows], centers[rows], radii[rows])
    return found


def _moved_into(points: Array, centers: Array, radii: Array) -> Array:
    """(n, 3) points that are moved into all of their spheres, given centres (n, 3, …) and radii (n, …), or nearly."""
    points = points.copy()
    centers, radii = centers.reshape(len(points), 3, -1), radii.reshape(len(points), -1)
    rows = np.arange(len(points))
    for turn in range(ROUNDS):
        ways = points[rows, :, None] - centers[rows]
        apart = np.sqrt((ways * ways).sum(axis=1))
        excess = apart - radii[rows]
        each, worst = np.arange(len(rows)), excess.argmax(axis=1)
        outside = excess[each, worst] > 0.0
        if not outside.any():
            break
        rows, each, worst = rows[outside], each[outside], worst[outside]
        share = excess[each, worst] / apart[each, worst] / max(turn + 2 - WHOLE_ROUNDS, 1)
        points[rows] -= share[:, None] * ways[each, :, worst]
    return points


def _near_a_sphere(wanted: Array, spheres: Sequence[Sphere], window: int) -> IntArray:
    """The frames whose wanted displacement may be outside a sphere of some frame around."""
    excess = np.max([lengths(wanted - sphere.center) - _radius(sphere) for sphere in spheres], axis=0)
    around = _around(np.pad(wanted, ((window, window), (0, 0)), "edge"), window)
    change = lengths(around.max(axis=-1) - around.min(axis=-1))
    farthest = _around(np.pad(excess, window, constant_values=-np.inf), window).max(axis=-1)
    return np.flatnonzero(farthest + change > 0.0)


def _around(padded: Array, window: int) -> Array:
    """(frames, …, 2 window + 1) the values of the frames around each, given values (frames + 2 window, …)."""
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * window + 1, axis=0)


def _radius(sphere: Sphere) -> Array:
    return np.where(sphere.is_active, sphere.radius, np.inf)

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
    count, size = len(spheres), 2 * window + 1
    centers = np.stack([sphere.center for sphere in spheres], axis=1)
    radii = np.stack([_radius(sphere) for sphere in spheres], axis=1)
    centers = _around(np.pad(centers, ((window, window), (0, 0), (0, 0))), window)
    radii = _around(np.pad(radii, ((window, window), (0, 0)), constant_values=np.inf), window)
    found, rows = wanted, _near_a_sphere(wanted, spheres, window)
    point = wanted[rows]
    for turn in range(ROUNDS):
        ways = point[:, :, None] - centers[rows].transpose(0, 2, 1, 3).reshape(len(rows), 3, count * size)
        apart = np.sqrt((ways * ways).sum(axis=1))
        excess = apart - radii[rows].reshape(len(rows), count * size)
        worst = excess.argmax(axis=1)
        each = np.arange(len(rows))
        outside = excess[each, worst] > 0.0
        if not outside.any():
            break
        if found is wanted:
            found = wanted.copy()
        rows, each, worst = rows[outside], each[outside], worst[outside]
        share = excess[each, worst] / apart[each, worst] / max(turn + 2 - WHOLE_ROUNDS, 1)
        point = point[outside] - share[:, None] * ways[each, :, worst]
        found[rows] = point
    return found


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

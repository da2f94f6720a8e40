# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of a rotation through rotations at given times: the absolute mode of `paths` for rotations.

Rotation vectors relative to one common rotation would do for small angles, but over a full turn they jump. So each
segment is relative to its begin: a product of three rotations that leads to its end (a cubic Bézier curve of
rotations), of which the first and the last give the velocities at its ends.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core import rotations
from ..core.arrays import Array, IntArray
from ..core.splines import Spline
from .paths import Knot, TimeCurve, with_ends
from .sampling import velocity


def rotation_path(source: Array, begin: float, end: float, knots: Sequence[Knot], frames: IntArray) -> Array:
    """(active frames, 4) the path through knots whose locations are quaternions, at the given frames of [begin, end].

    It begins and ends on the source (frames, 4) with the source's velocity, is at rest during stays, and takes the
    shortest rotation from one knot to the next.
    """
    all_knots = with_ends(begin, end, knots, lambda time: _interpolated(source, time))
    locations = np.stack([knot.location for knot in all_knots])
    if len(all_knots) == 1:
        return np.tile(locations[0], (len(frames), 1))
    curve = TimeCurve(begin, end, knots)
    times = np.array([float(curve.at(knot.begin)) for knot in all_knots])
    arriving, leaving = _velocities(all_knots, locations, times, source, begin, end)

    parameters = curve.at(frames)
    part = np.clip(np.searchsorted(times, parameters, side="right") - 1, 0, len(times) - 2)
    duration = np.diff(times)[:, None]
    out, into = leaving[:-1] * duration / 3.0, arriving[1:] * duration / 3.0
    rest = rotations.multiply(
        locations[1:], rotations.conjugate(rotations.multiply(rotations.exp(out), locations[:-1]))
    )
    across = rotations.log(rotations.multiply(rotations.exp(-into), rest))
    share = np.clip((parameters - times[part]) / duration[part, 0], 0.0, 1.0)[:, None]
    rotated = rotations.multiply(rotations.exp((1.0 - (1.0 - share) ** 3) * out[part]), locations[part])
    rotated = rotations.multiply(rotations.exp(share**2 * (3.0 - 2.0 * share) * across[part]), rotated)
    return rotations.normalize(rotations.multiply(rotations.exp(share**3 * into[part]), rotated))


def _velocities(
    all_knots: Sequence[Knot], locations: Array, times: Array, source: Array, begin: float, end: float
) -> tuple[Array, Array]:
    """(knots, 3) each: the angular velocities, in world space and per frame, at which knots are reached and left."""
    arriving, leaving = np.zeros((2, len(all_knots), 3))
    for number in range(1, len(all_knots) - 1):
        near = slice(number - 1, number + 2)
        relative = rotations.log(rotations.multiply(locations[near], rotations.conjugate(locations[number])))
        knot = all_knots[number]
        spline = Spline(times[near], relative, 1.0 if knot.stays else knot.tension, knot.continuity, knot.bias)
        arriving[number], leaving[number] = spline.incoming[1], spline.outgoing[1]
    for number, time in ((0, begin), (-1, end)):
        if not all_knots[number].stays:
            relative = rotations.log(rotations.multiply(source, rotations.conjugate(_interpolated(source, time))))
            arriving[number] = leaving[number] = velocity(relative, time)
    return arriving, leaving


def _interpolated(source: Array, time: float) -> Array:
    """(4,) the source rotations (frames, 4) interpolated at a time between frames."""
    before = int(np.clip(np.floor(time), 0, len(source) - 1))
    after = min(before + 1, len(source) - 1)
    return rotations.slerp(source[before], source[after], time - before)

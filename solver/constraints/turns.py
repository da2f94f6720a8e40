# SPDX-License-Identifier: GPL-3.0-or-later
"""The way of a rotation through rotations at given times: what `paths` does in absolute mode, where there is no space.

Rotation vectors from a common middle would do for small turns; over a whole turn no such space is without a jump. So
each part of the way is seen from where it begins: three turns in a row that together lead to where it ends (a cubic
Bézier curve of rotations), and whose first and last have the velocities there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core import rotations
from ..core.arrays import Array, IntArray
from ..core.splines import Spline
from .paths import Knot, TimeCurve, with_ends
from .sampling import velocity


def turning(source: Array, begin: float, end: float, knots: Sequence[Knot], frames: IntArray) -> Array:
    """(active frames, 4) through knots whose locations are quaternions, at given frames of [begin, end].

    It begins and ends on the source (frames, 4) with the source's velocity, comes to rest where it stays, and takes
    the shortest way from one knot to the next.
    """
    stops = with_ends(begin, end, knots, lambda time: _at(source, time))
    places = np.stack([stop.location for stop in stops])
    if len(stops) == 1:
        return np.tile(places[0], (len(frames), 1))
    curve = TimeCurve(begin, end, knots)
    times = np.array([float(curve.at(stop.begin)) for stop in stops])
    arriving, leaving = _velocities(stops, places, times, source, begin, end)

    asked = curve.at(frames)
    part = np.clip(np.searchsorted(times, asked, side="right") - 1, 0, len(times) - 2)
    duration = np.diff(times)[:, None]
    out, into = leaving[:-1] * duration / 3.0, arriving[1:] * duration / 3.0
    rest = rotations.multiply(places[1:], rotations.conjugate(rotations.multiply(rotations.exp(out), places[:-1])))
    across = rotations.log(rotations.multiply(rotations.exp(-into), rest))
    share = np.clip((asked - times[part]) / duration[part, 0], 0.0, 1.0)[:, None]
    turned = rotations.multiply(rotations.exp((1.0 - (1.0 - share) ** 3) * out[part]), places[part])
    turned = rotations.multiply(rotations.exp(share**2 * (3.0 - 2.0 * share) * across[part]), turned)
    return rotations.normalize(rotations.multiply(rotations.exp(share**3 * into[part]), turned))


def _velocities(
    stops: Sequence[Knot], places: Array, times: Array, source: Array, begin: float, end: float
) -> tuple[Array, Array]:
    """(stops, 3) each: angular velocities, in the world and per frame, with which stops are reached and left."""
    arriving, leaving = np.zeros((2, len(stops), 3))
    for number in range(1, len(stops) - 1):
        near = slice(number - 1, number + 2)
        seen = rotations.log(rotations.multiply(places[near], rotations.conjugate(places[number])))
        stop = stops[number]
        spline = Spline(times[near], seen, 1.0 if stop.stays else stop.tension, stop.continuity, stop.bias)
        arriving[number], leaving[number] = spline.incoming[1], spline.outgoing[1]
    for number, time in ((0, begin), (-1, end)):
        if not stops[number].stays:
            seen = rotations.log(rotations.multiply(source, rotations.conjugate(_at(source, time))))
            arriving[number] = leaving[number] = velocity(seen, time)
    return arriving, leaving


def _at(source: Array, time: float) -> Array:
    """(4,) of rotations (frames, 4) at a time between frames."""
    before = int(np.clip(np.floor(time), 0, len(source) - 1))
    after = min(before + 1, len(source) - 1)
    return rotations.slerp(source[before], source[after], time - before)

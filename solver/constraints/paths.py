# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of an effector through its constraint points, in the three modes of Le Callennec 2006, section 4.2.

Paths lie in a vector space with one vector (3,) for each frame: `source` (frames, 3) are the effector's values in the
source, and knots lie in the same space. Times are in frames; the path begins and ends on the source with the source's
velocity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from ..core.arrays import Array, IntArray, span
from ..core.smooth_steps import cubic_step
from ..core.splines import Spline
from .eases import velocity_blend
from .sampling import interpolated, velocity

Mode = Literal["absolute", "relative", "condensed"]
MODES: tuple[Mode, ...] = ("absolute", "relative", "condensed")


@dataclass(frozen=True)
class Knot:
    """A location on an effector's path, and the interval during which the effector stays there."""

    location: Array
    """(3,)"""
    begin: float
    """The time at which it is reached, in frames."""
    end: float
    """The time at which it is left, in frames."""
    tension: float = 0.0
    continuity: float = 0.0
    bias: float = 0.0

    @property
    def stays(self) -> bool:
        """Whether the effector stays at it for longer than a moment."""
        return self.end > self.begin


class TimeCurve:
    """T(t): the parameter u of the trajectory at a time (Le Callennec 2006, figure 4.2).

    It increases with time between constraint points and is constant while the effector stays at one.
    """

    def __init__(self, begin: float, end: float, knots: Sequence[Knot]) -> None:
        times, parameters, stayed = [begin], [begin], 0.0
        for knot in knots:
            times += [knot.begin, knot.end]
            parameters += [knot.begin - stayed] * 2
            stayed += knot.end - knot.begin
        self._times, self._parameters = np.array([*times, end]), np.array([*parameters, end - stayed])

    def at(self, times: Array | IntArray | float) -> Array:
        """u at some times, of their shape."""
        return np.asarray(np.interp(times, self._times, self._parameters))


def path_through(
    mode: Mode, source: Array, begin: float, end: float, knots: Sequence[Knot], frames: IntArray, ease: float
) -> Array:
    """(active frames, 3) the path of an effector at the given frames of [begin, end].

    `ease` is the most frames in which an effector that stays at a knot takes up the source's velocity when it leaves.
    """
    return _PATHS[mode](source, begin, end, knots, frames, ease)


def _absolute(source: Array, begin: float, end: float, knots: Sequence[Knot], frames: IntArray, _: float) -> Array:
    all_knots = with_ends(begin, end, knots, lambda time: interpolated(source, time))
    curve = TimeCurve(begin, end, knots)
    trajectory = _spline(all_knots, [float(curve.at(knot.begin)) for knot in all_knots], source, begin, end)
    return trajectory.at(curve.at(frames))


def _relative(source: Array, begin: float, end: float, knots: Sequence[Knot], frames: IntArray, _: float) -> Array:
    displaced = [replace(knot, location=knot.location - interpolated(source, knot.begin)) for knot in knots]
    all_knots = with_ends(begin, end, displaced, lambda _: np.zeros(3))
    curve = TimeCurve(begin, end, knots)
    offsets = _spline(all_knots, [float(curve.at(knot.begin)) for knot in all_knots], np.zeros_like(source), begin, end)
    return source[frames] + offsets.at(curve.at(frames))


def _condensed(source: Array, begin: float, end: float, knots: Sequence[Knot], frames: IntArray, ease: float) -> Array:
    """The displacement cancels the source's motion during stays; between them it is a spline over time, not over u."""
    offsets = np.zeros((len(frames), 3))
    all_knots = with_ends(begin, end, knots, lambda time: interpolated(source, time))
    run: list[Knot] = [all_knots[0]]
    for knot in all_knots[1:]:
        run.append(knot)
        if knot.stays or knot is all_knots[-1]:
            inside = span(frames, run[0].end, run[-1].begin)
            offsets[inside] = _between_stays(run, source, frames[inside], ease)
            run = [knot]
    values = source[frames]
    for knot in all_knots:
        staying = span(frames, knot.begin, knot.end)
        offsets[staying] = knot.location - values[staying]
    return values + offsets


def _between_stays(run: Sequence[Knot], source: Array, frames: IntArray, ease: float) -> Array:
    """(frames, 3) displacements from the first knot of a run to its last one.

    Where the run begins or ends at a stay, the effector is at rest there and takes up the source's velocity within
    `ease` frames.
    """
    first, last = run[0], run[-1]
    times = [first.end, *(knot.begin for knot in run[1:])]
    values = [knot.location - interpolated(source, time) for knot, time in zip(run, times, strict=True)]
    if len(run) == 2:
        # A spline with zero velocity at both of two points is this cubic.
        share = (frames - times[0]) / (times[1] - times[0])
        offsets = values[0] + cubic_step(share)[:, None] * (values[1] - values[0])
    else:
        offsets = Spline(
            np.array(times),
            np.array(values),
            np.array([1.0 if knot.stays else knot.tension for knot in run]),
            np.array([knot.continuity for knot in run]),
            np.array([knot.bias for knot in run]),
            np.zeros(3),
            np.zeros(3),
        ).at(frames)
    # The velocity is blended out before the next knot, which would be missed otherwise.
    if first.stays:
        offsets -= velocity_blend(frames - times[0], min(ease, times[1] - times[0])) * velocity(source, first.end, -1)
    if last.stays:
        offsets += velocity_blend(times[-1] - frames, min(ease, times[-1] - times[-2])) * velocity(
            source, last.begin, 1
        )
    return offsets


_PATHS: dict[Mode, Callable[[Array, float, float, Sequence[Knot], IntArray, float], Array]] = {
    "absolute": _absolute,
    "relative": _relative,
    "condensed": _condensed,
}


def with_ends(begin: float, end: float, knots: Sequence[Knot], on_source: Callable[[float], Array]) -> list[Knot]:
    """The knots, with one on the source at the begin and at the end where there is none already."""
    first = [] if knots and knots[0].begin <= begin else [Knot(on_source(begin), begin, begin)]
    last = [] if knots and knots[-1].end >= end else [Knot(on_source(end), end, end)]
    return [*first, *knots, *last]


def nearest_knots(knots: Sequence[Knot], frames: int) -> IntArray:
    """(frames,) the index of the knot that is nearest in time to each frame; knots are in order of time."""
    bounds = [0.5 * (before.end + after.begin) for before, after in pairwise(knots)]
    return np.searchsorted(bounds, np.arange(frames))


def _spline(all_knots: Sequence[Knot], parameters: list[float], source: Array, begin: float, end: float) -> Spline:
    """The spline through all knots; at rest where the effector stays, with the source's velocity at both ends."""

    def end_tangent(knot: Knot, time: float) -> Array:
        return np.zeros(3) if knot.stays else velocity(source, time)

    return Spline(
        np.array(parameters),
        np.array([knot.location for knot in all_knots]),
        np.array([1.0 if knot.stays else knot.tension for knot in all_knots]),
        np.array([knot.continuity for knot in all_knots]),
        np.array([knot.bias for knot in all_knots]),
        end_tangent(all_knots[0], begin),
        end_tangent(all_knots[-1], end),
    )

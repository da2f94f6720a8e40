# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves through points at given times: Kochanek-Bartels splines (Le Callennec 2006, section 4.2.2,
equations 4.1 to 4.3).

The published tangents hold for points that are evenly spaced in time. Here tangents are velocities, which are the
published ones for even spacing and keep the velocity continuous otherwise; docs/derivations.md has the derivation.
"""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field

import numpy as np

from .arrays import Array, ArrayLike, IntArray
from .errors import ConstraintError


@dataclass(frozen=True, eq=False)
class Spline:
    """A cubic curve through `values` at `times`, constant before the first and after the last; one point is a constant.

    Tension, continuity and bias are one number for all points or (points,), one for each. Tension 1 brings the curve
    to rest at a point, so that it may turn sharply in space without a jump in velocity. Continuity other than 0 breaks
    the velocity at a point; a positive bias leans the tangents toward where the curve came from. At the two ends
    only the tension counts, and only where no tangent is given.

    `first_tangent` and `last_tangent` (width,) are the velocities at the ends, per unit of time. Where they are not
    given, the curve leaves, or arrives, with the mean velocity of its first, or last, interval (times 1 - tension).
    """

    times: Array
    """(points,) strictly increasing, in any unit; frames, usually."""
    values: Array
    """(points, width) where the curve is at these times."""
    tension: InitVar[ArrayLike] = 0.0
    continuity: InitVar[ArrayLike] = 0.0
    bias: InitVar[ArrayLike] = 0.0
    first_tangent: InitVar[ArrayLike | None] = None
    last_tangent: InitVar[ArrayLike | None] = None
    incoming: Array = field(init=False)
    """(points, width) the velocity with which the curve arrives at each point: the source derivative DS as a velocity.
    That of the first point is its outgoing one."""
    outgoing: Array = field(init=False)
    """(points, width) the velocity with which the curve leaves each point: the destination derivative DD as a velocity.
    That of the last point is its incoming one."""

    def __post_init__(
        self,
        tension: ArrayLike,
        continuity: ArrayLike,
        bias: ArrayLike,
        first_tangent: ArrayLike | None,
        last_tangent: ArrayLike | None,
    ) -> None:
        times, values = _checked_points(self.times, self.values)
        points, width = values.shape
        t = _checked_parameter(tension, points, "tension")
        c = _checked_parameter(continuity, points, "continuity")
        b = _checked_parameter(bias, points, "bias")
        first = None if first_tangent is None else _checked_tangent(first_tangent, width, "first")
        last = None if last_tangent is None else _checked_tangent(last_tangent, width, "last")

        incoming, outgoing = np.zeros((2, points, width))
        if points > 1:
            with np.errstate(over="ignore", invalid="ignore"):
                way, duration = np.diff(values, axis=0), np.diff(times)
                both = (times[2:] - times[:-2])[:, None]
                loose, c, b = (parameter[1:-1, None] for parameter in (1.0 - t, c, b))
                before, after = way[:-1] / both, way[1:] / both
                incoming[1:-1] = loose * ((1.0 - c) * (1.0 + b) * before + (1.0 + c) * (1.0 - b) * after)
                outgoing[1:-1] = loose * ((1.0 + c) * (1.0 + b) * before + (1.0 - c) * (1.0 - b) * after)
                leaving, arriving = (1.0 - t[0]) * way[0] / duration[0], (1.0 - t[-1]) * way[-1] / duration[-1]
            incoming[0] = outgoing[0] = leaving if first is None else first
            incoming[-1] = outgoing[-1] = arriving if last is None else last
            endless = ~(np.isfinite(incoming) & np.isfinite(outgoing)).all(axis=1)
            if endless.any():
                raise ConstraintError(
                    f"Point {int(np.argmax(endless))} of the spline is too close in time to its neighbours for "
                    "how far away they are: move the points apart in time."
                )
        for name, array in (("times", times), ("values", values), ("incoming", incoming), ("outgoing", outgoing)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def at(self, times: ArrayLike) -> Array:
        """Where the curve is: (..., width) for times (...). At its own points it has their values to the last bit."""
        queried = _checked_times(times)
        if len(self.times) == 1:
            return np.tile(self.values[0], (*queried.shape, 1))
        segment, u, duration = self._segments(queried)
        rest = 1.0 - u
        start, end = self.values[segment], self.values[segment + 1]
        way = end - start
        bulge = (u * rest) * duration * (rest * self.outgoing[segment] - u * self.incoming[segment + 1])
        # The nearer end is the base: both ends are met exactly, and a curve that stays somewhere does so exactly.
        from_start = start + u * u * (3.0 - 2.0 * u) * way
        from_end = end - rest * rest * (1.0 + 2.0 * u) * way
        return np.where(u <= 0.5, from_start, from_end) + bulge

    def velocity(self, times: ArrayLike) -> Array:
        """How the curve moves, per unit of time: (..., width) for times (...).

        At a point it is the outgoing side, at the last point the incoming one; before and after the curve it is zero.
        """
        queried = _checked_times(times)
        if len(self.times) == 1:
            return np.zeros((*queried.shape, self.values.shape[1]))
        segment, u, duration = self._segments(queried)
        rest = 1.0 - u
        slope = (self.values[segment + 1] - self.values[segment]) / duration
        moving = (
            6.0 * u * rest * slope
            + rest * (1.0 - 3.0 * u) * self.outgoing[segment]
            + u * (3.0 * u - 2.0) * self.incoming[segment + 1]
        )
        inside = (queried >= self.times[0]) & (queried <= self.times[-1])
        return np.where(inside[..., None], moving, 0.0)

    def _segments(self, queried: Array) -> tuple[IntArray, Array, Array]:
        """The interval (...) of each time, the fraction (..., 1) of it that has passed, and its duration (..., 1)."""
        segment = np.clip(np.searchsorted(self.times, queried, side="right") - 1, 0, len(self.times) - 2)
        begin = self.times[segment]
        duration = self.times[segment + 1] - begin
        fraction = np.clip((queried - begin) / duration, 0.0, 1.0)
        return segment, fraction[..., None], duration[..., None]


def _checked_points(times: ArrayLike, values: ArrayLike) -> tuple[Array, Array]:
    """Copies of both in double precision."""
    when, where = np.array(times, dtype=np.float64), np.array(values, dtype=np.float64)
    if when.ndim != 1 or len(when) == 0:
        raise ConstraintError(f"A spline needs the times of its points as one row (points,), not {when.shape}.")
    if where.ndim != 2 or len(where) != len(when):
        raise ConstraintError(
            f"The values of a spline with {len(when)} times must have the shape ({len(when)}, width), "
            f"not {where.shape}."
        )
    finite = np.isfinite(when) & np.isfinite(where).all(axis=1)
    if not finite.all():
        raise ConstraintError(f"Point {int(np.argmin(finite))} of the spline has a time or a value that is not finite.")
    late = np.flatnonzero(np.diff(when) <= 0.0)
    if len(late):
        point = int(late[0]) + 1
        raise ConstraintError(
            f"The times of a spline must increase: point {point} at {when[point]:g} does not come after "
            f"point {point - 1} at {when[point - 1]:g}."
        )
    return when, where


def _checked_parameter(given: ArrayLike, points: int, name: str) -> Array:
    parameter = np.asarray(given, dtype=np.float64)
    if parameter.shape not in ((), (points,)):
        raise ConstraintError(
            f"The {name} of a spline with {points} points must be one number or have the shape ({points},), "
            f"not {parameter.shape}."
        )
    if not np.isfinite(parameter).all():
        raise ConstraintError(f"The {name} of a spline must be finite.")
    return np.broadcast_to(parameter, (points,))


def _checked_tangent(given: ArrayLike, width: int, name: str) -> Array:
    tangent = np.asarray(given, dtype=np.float64)
    if tangent.shape != (width,) or not np.isfinite(tangent).all():
        raise ConstraintError(f"The {name} tangent of this spline must be {width} finite numbers.")
    return tangent


def _checked_times(times: ArrayLike) -> Array:
    queried = np.asarray(times, dtype=np.float64)
    if np.isnan(queried).any():
        raise ConstraintError("A spline cannot be evaluated at a time that is not a number.")
    return queried

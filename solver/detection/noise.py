# SPDX-License-Identifier: GPL-3.0-or-later
"""The noise pattern: what must be taken for zero, learnt from examples (document 003, 6.4.2; 004, section 6)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..constraints import MovingObject
from ..core import rotations
from ..core.arrays import Array, ArrayLike
from ..core.robust import NORMAL_SPREAD, OUTLYING
from ..core.splines import Spline
from .instantaneous import Thresholds
from .kinds import Template
from .pivots import pivot
from .sigma_epsilon import SigmaEpsilon

Method = Literal["lmeds", "naive"]
"""The largest value of an example without its outliers, or of all of it."""

SMALL_SAMPLE = 5.0
"""Rousseeuw and Leroy's factor for few values: 1 + 5 / (n − 1)."""

BEYOND = 4.0
"""How many times less often values like those of an example are to be larger than what is taken for zero than they
are larger than the largest of it: each of them cuts the constraint that it is part of."""

CANDIDATES = 512
"""Values of a sample that are tried as its middle: of long ones so many, evenly spread over their ranks."""

ROUNDING_TURN = 1e-6
"""Radians that are always taken for zero."""

ROUNDING_WAY = 1e-6
"""The same for ways, in sizes of the character: what remains in motion without noise."""

NOTHING = -1.0
"""A threshold that no value is below."""


def without_outliers(values: ArrayLike) -> Array:
    """(m,) those of values (n,) that belong together, by the least median of squares.

    The middle is the value with the smallest median of squared distances to all; those further from it than 2.5 robust
    standard deviations are aberrant. Up to half of them may be.
    """
    sample = np.sort(np.asarray(values, dtype=np.float64))
    count = len(sample)
    if count < 2:
        return sample
    tried = sample if count <= CANDIDATES else sample[np.linspace(0, count - 1, CANDIDATES).astype(int)]
    distances = np.abs(sample - tried[:, None])
    half = count // 2
    medians = np.partition(distances, half, axis=1)[:, half]
    best = int(np.argmin(medians))
    spread = NORMAL_SPREAD * (1.0 + SMALL_SAMPLE / (count - 1)) * medians[best]
    return np.asarray(sample[(distances[best] < OUTLYING * spread) | (distances[best] <= medians[best])])


def largest(values: ArrayLike, method: Method = "lmeds") -> float:
    """The largest of values that are not negative, all or only those that belong together; of none it is zero."""
    sample = np.asarray(values, dtype=np.float64)
    return float(np.max(without_outliers(sample) if method == "lmeds" else sample, initial=0.0))


def taken_for_zero(values: Array, method: Method) -> float:
    """The threshold that an example with these values (n,) needs: a little more than its largest, since others like it
    may be larger; the naive one is as it is printed.

    The largest of n normal values is about (2 ln n)^½ standard deviations; f times that is exceeded n^(f² − 1) times
    less often, and f = 1 + ln(times) / (2 ln n) to first order.
    """
    if method == "naive":
        return largest(values, method)
    return largest(values, method) * (1.0 + 0.5 * math.log(BEYOND) / math.log(max(len(values), 2)))


@dataclass(frozen=True, eq=False)
class NoiseCurve:
    """A threshold over time: a cubic spline through what the examples need, at the first and last frame of each.

    The spline comes to rest at each of these points: it never leaves the range of its neighbours, so that it is never
    negative, and it is constant within an example, and before the first and after the last one.
    """

    spline: Spline | None = None
    floor: float = NOTHING
    """Never below this; where there is no spline it is everything."""

    @staticmethod
    def through(examples: Iterable[tuple[float, float, float]], floor: float) -> NoiseCurve:
        """From (begin, end, threshold) of each example. Where examples meet in a frame, the larger one counts."""
        points: dict[float, float] = {}
        for begin, end, value in examples:
            for time in (begin, end):
                points[time] = max(points.get(time, 0.0), value)
        levels = set(points.values())
        if len(levels) < 2:
            # One example, or several alike: a spline would say the same everywhere, and take its time.
            return NoiseCurve(None, max([floor, *levels]))
        times = sorted(points)
        return NoiseCurve(Spline(np.array(times), np.array([[points[time]] for time in times]), tension=1.0), floor)

    def at(self, times: ArrayLike) -> Array:
        """(…) for times (…), in frames."""
        asked = np.asarray(times, dtype=np.float64)
        if self.spline is None:
            return np.full(asked.shape, self.floor)
        return np.maximum(self.spline.at(asked)[..., 0], self.floor)


@dataclass(frozen=True, eq=False)
class NoisePattern:
    """What must be taken for zero over the whole motion: radians and the clip's units, for each displacement."""

    sigma: NoiseCurve = NoiseCurve()
    space_residual: NoiseCurve = NoiseCurve()
    line_residual: NoiseCurve = NoiseCurve()
    drift: NoiseCurve = NoiseCurve()
    """How far a displacement moves a point that is really a pivot."""
    twist: NoiseCurve = NoiseCurve()
    """By how much the turn of a displacement leans out of an axis that is really kept."""

    def thresholds(self, displacements: int, stride: int) -> Thresholds:
        """For instantaneous constraints; a displacement is at the middle of the frames that it spans."""
        times = np.arange(displacements) + 0.5 * stride
        return Thresholds(self.sigma.at(times), self.space_residual.at(times), self.line_residual.at(times))


def noise_pattern(
    body: MovingObject,
    points: SigmaEpsilon,
    templates: Sequence[Template],
    size: float,
    method: Method = "lmeds",
) -> NoisePattern:
    """What the templates need. Without any, only rounding is taken for zero, and every kind is looked for."""
    everything = not templates
    moves = [template for template in templates if template.kind != "space"]
    stays = [template for template in templates if template.kind == "space"]
    way = ROUNDING_WAY * size

    def curve(given: list[Template], needed: Callable[[Template], Array], floor: float) -> NoiseCurve:
        examples = [(float(each.begin), float(each.end), taken_for_zero(needed(each), method)) for each in given]
        return NoiseCurve.through(examples, floor if given or everything else NOTHING)

    def within(values: Array) -> Callable[[Template], Array]:
        return lambda template: values[template.begin : template.end - points.stride + 1]

    moved = dict(zip(moves, _moved_pivots(body, points, moves), strict=True))
    return NoisePattern(
        sigma=curve(stays, within(points.sigma), ROUNDING_TURN),
        space_residual=curve(stays, within(points.space_residual), way),
        line_residual=curve(moves, within(points.line_residual), way),
        drift=curve(moves, lambda template: moved[template][0], way),
        twist=curve(
            [each for each in moves if each.kind == "line"], lambda template: moved[template][1], ROUNDING_TURN
        ),
    )


def _moved_pivots(
    body: MovingObject, points: SigmaEpsilon, templates: Sequence[Template]
) -> Iterator[tuple[Array, Array]]:
    """For each example, how far its displacements move its pivot across their own axes, and by how much they lean out
    of its axis, in radians: (n,) each."""
    places, directions = points.lines(body) if templates else (points.particular, points.axis)
    for template in templates:
        shown = slice(template.begin, template.end + 1)
        turned, placed = rotations.to_matrix(body.rotations[shown]), body.positions[shown]
        found = pivot(turned, placed, about_line=template.kind == "line")
        chosen = slice(template.begin, template.end - points.stride + 1)
        across = rotations.lengths(rotations.cross(found.position - places[chosen], directions[chosen]))
        lean = rotations.lengths(rotations.cross(directions[chosen], found.direction))
        yield points.sigma[chosen] * across, points.sigma[chosen] * lean

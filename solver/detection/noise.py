# SPDX-License-Identifier: GPL-3.0-or-later
"""The noise pattern: thresholds below which displacements count as zero, learnt from templates.

After Le Callennec 2006, section 6.4.2, and Le Callennec and Boulic 2006, section 6.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..constraints import MovingObject
from ..core import rotations
from ..core.arrays import Array, ArrayLike
from ..core.robust import NORMAL_SPREAD, OUTLYING
from ..core.splines import Spline
from .instantaneous import Thresholds
from .pivots import pivot
from .settings import DEFAULT_DETECTION, DetectionSettings, NoiseMethod
from .sigma_epsilon import SigmaEpsilon
from .templates import Template

SMALL_SAMPLE = 5.0
"""The correction of a standard deviation for small samples is 1 + 5 / (n − 1) (Rousseeuw and Leroy 1987)."""

CANDIDATES = 512
"""The most values of a sample that are tried as its centre, evenly spread over their ranks."""

NEVER = -1.0
"""A threshold that no value is below."""


def without_outliers(values: ArrayLike) -> Array:
    """(m,) the values (n,) without outliers, by the least median of squares.

    The centre is the value with the smallest median of squared distances to all; values further from it than 2.5 robust
    standard deviations are outliers. Up to half of the values may be.
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


def largest(values: ArrayLike, method: NoiseMethod = "lmeds") -> float:
    """The largest of values (n,) that are not negative, with outliers ("naive") or without; 0 where there are none."""
    sample = np.asarray(values, dtype=np.float64)
    return float(np.max(without_outliers(sample) if method == "lmeds" else sample, initial=0.0))


def noise_threshold(values: Array, settings: DetectionSettings = DEFAULT_DETECTION) -> float:
    """The threshold for the values (n,) of a template: a little more than the largest one, since further values of the
    same noise may be larger. The naive method takes the largest value itself, as it is published.

    The largest of n normal values is about (2 ln n)^½ standard deviations; f times that is exceeded n^(f² − 1) times
    less often, and f = 1 + ln(excess) / (2 ln n) to first order.
    """
    if settings.method == "naive":
        return largest(values, settings.method)
    return largest(values, settings.method) * (
        1.0 + 0.5 * math.log(settings.noise_excess) / math.log(max(len(values), 2))
    )


@dataclass(frozen=True, eq=False)
class NoiseCurve:
    """A threshold over time: a cubic spline through those of the examples, at the first and the last frame of each.

    The spline has zero slope at these points: it stays within the range of two neighbours, so that it is never
    negative, and it is constant within an example, before the first one and after the last one.
    """

    spline: Spline | None = None
    floor: float = NEVER
    """The least threshold; where there is no spline, the only one."""

    @staticmethod
    def through(examples: Iterable[tuple[float, float, float]], floor: float) -> NoiseCurve:
        """The curve through the examples (begin, end, threshold). In a common frame of two the larger one counts."""
        points: dict[float, float] = {}
        for begin, end, value in examples:
            for time in (begin, end):
                points[time] = max(points.get(time, 0.0), value)
        levels = set(points.values())
        if len(levels) < 2:
            # A spline through equal thresholds is a constant: save its evaluation.
            return NoiseCurve(None, max([floor, *levels]))
        times = sorted(points)
        return NoiseCurve(Spline(np.array(times), np.array([[points[time]] for time in times]), tension=1.0), floor)

    def at(self, times: ArrayLike) -> Array:
        """Thresholds (…) at times (…), in frames."""
        frames = np.asarray(times, dtype=np.float64)
        if self.spline is None:
            return np.full(frames.shape, self.floor)
        return np.maximum(self.spline.at(frames)[..., 0], self.floor)


@dataclass(frozen=True, eq=False)
class NoisePattern:
    """The thresholds over the whole motion, in radians and in the clip's units for each displacement."""

    sigma: NoiseCurve = NoiseCurve()
    space_residual: NoiseCurve = NoiseCurve()
    line_residual: NoiseCurve = NoiseCurve()
    drift: NoiseCurve = NoiseCurve()
    """How far noise makes a displacement move a true pivot."""
    tilt: NoiseCurve = NoiseCurve()
    """The part of a displacement's rotation, in radians, that noise makes perpendicular to a true axis."""

    def thresholds(self, displacements: int, stride: int) -> Thresholds:
        """The thresholds of instantaneous constraints; a displacement is in the middle of the frames that it spans."""
        times = np.arange(displacements) + 0.5 * stride
        return Thresholds(self.sigma.at(times), self.space_residual.at(times), self.line_residual.at(times))


def noise_pattern(
    body: MovingObject,
    points: SigmaEpsilon,
    templates: Sequence[Template],
    size: float,
    settings: DetectionSettings = DEFAULT_DETECTION,
) -> NoisePattern:
    """The noise pattern of the templates. Without templates the thresholds of all kinds are those of rounding; with
    templates, kinds that have none get thresholds that no value is below."""
    rotating = [template for template in templates if template.kind != "space"]
    resting = [template for template in templates if template.kind == "space"]
    distance = settings.rounding_distance * size

    def curve(given: list[Template], values: Callable[[Template], Array], floor: float) -> NoiseCurve:
        examples = [
            (float(each.begin), float(each.end), each.tolerance * noise_threshold(values(each), settings))
            for each in given
        ]
        return NoiseCurve.through(examples, floor if given or not templates else NEVER)

    def within(values: Array) -> Callable[[Template], Array]:
        return lambda template: values[template.begin : template.end - points.stride + 1]

    pivot_noise = dict(zip(rotating, _pivot_noise(body, points, rotating), strict=True))
    about_lines = [template for template in rotating if template.kind == "line"]
    return NoisePattern(
        sigma=curve(resting, within(points.sigma), settings.rounding_turn),
        space_residual=curve(resting, within(points.space_residual), distance),
        line_residual=curve(rotating, within(points.line_residual), distance),
        drift=curve(rotating, lambda template: pivot_noise[template][0], distance),
        tilt=curve(about_lines, lambda template: pivot_noise[template][1], settings.rounding_turn),
    )


def _pivot_noise(
    body: MovingObject, points: SigmaEpsilon, templates: Sequence[Template]
) -> Iterator[tuple[Array, Array]]:
    """For each template, the distances (n,) by which its displacements move its pivot perpendicularly to their axes,
    and the parts (n,) of their rotations that are perpendicular to its axis, in radians."""
    places, directions = points.lines(body) if templates else (points.nearest_point, points.axis)
    for template in templates:
        shown = slice(template.begin, template.end + 1)
        matrices, positions = rotations.to_matrix(body.rotations[shown]), body.positions[shown]
        found = pivot(matrices, positions, about_line=template.kind == "line")
        chosen = slice(template.begin, template.end - points.stride + 1)
        drifts = rotations.lengths(rotations.cross(found.position - places[chosen], directions[chosen]))
        tilts = rotations.lengths(rotations.cross(directions[chosen], found.direction))
        yield points.sigma[chosen] * drifts, points.sigma[chosen] * tilts

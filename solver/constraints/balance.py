# SPDX-License-Identifier: GPL-3.0-or-later
"""Balance: the centre of mass keeps its place over the feet (Le Callennec 2006, section 4.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..body.joints import BodyPoint
from ..core.arrays import Array
from ..core.errors import ConstraintError, LandmarkError
from ..core.sentences import Frame
from ..core.smooth_steps import smooth_step
from ..core.splines import Spline
from ..tasks.base import axis_indices
from .base import Constraint, Track, three_numbers
from .effectors import BalanceEffector, CenterOfMassEffector, Effector
from .footplant import Footplant
from .sampling import active_frames
from .shape import ConstraintPoint
from .source import Source

PASSING = 0.15
"""Seconds, to either side of an event, over which the barycentre passes from one set of planted points to the next:
while one foot of a walk stands, for 0.4 seconds, it comes to rest there."""

STANDING_ON = ("left_heel", "left_ball", "right_heel", "right_ball")
"""The landmarks whose barycentre the centre of mass is tied to by default."""


Support = Literal["feet", "plants"]
SUPPORTS: tuple[Support, ...] = ("feet", "plants")


@dataclass(frozen=True, eq=False, kw_only=True)
class Balance(Constraint):
    """The vector from the barycentre of the support to the centre of mass is that of the source (equation 4.5)."""

    points: Iterable[str | int | BodyPoint] | None = None
    """The points whose barycentre counts; None: those of `support`."""
    support: Support = "feet"
    """"feet": both heels and both balls, whether they stand or not. "plants": the heels and balls that footplants of
    the same deformation hold in each frame, where these put them; from one set to the next the barycentre moves
    smoothly. Without any footplant it is the feet."""
    displacement: Any = None
    """Added to the target of the centre of mass: (3,); (frames, 3); a `Spline` over frames; or `ConstraintPoint`s,
    whose locations are displacements, with a smooth curve between them."""
    begin: float | None = None
    """The first frame of its activity; None: of the clip."""
    end: float | None = None
    """The last frame of its activity; None: of the clip."""
    axes: str | None = None
    """The world axes that count; None: the two horizontal ones."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.points is not None:
            object.__setattr__(self, "points", tuple(self.points))
            if not self.points:
                raise ConstraintError(f"{self.label}: it needs at least one point to stand on.")
        if self.axes is not None:
            axis_indices(self.label, self.axes)
        if self.support not in SUPPORTS:
            raise ConstraintError(f"{self.label}: its support is one of {', '.join(SUPPORTS)}, not {self.support!r}.")
        if self.support == "plants" and self.points is not None:
            raise ConstraintError(f"{self.label}: it stands on plants or on given points, not on both.")
        if isinstance(self.displacement, Iterable) and not isinstance(self.displacement, (str, np.ndarray)):
            object.__setattr__(self, "displacement", tuple(self.displacement))

    @property
    def label(self) -> str:
        return self.name or "Balance"

    def tracks(self, source: Source) -> list[Track]:
        begin, end = self._span(source)
        frames = active_frames(begin, end)
        # Where it begins or ends within the clip, it is blended in and out as the others are.
        full_from = begin if begin == 0 else min(begin + source.ease, 0.5 * (begin + end))
        full_until = end if end == source.frames - 1 else max(end - source.ease, 0.5 * (begin + end))
        envelope = np.ones(len(frames))
        if full_from > begin:
            envelope *= smooth_step((frames - begin) / (full_from - begin))
        if full_until < end:
            envelope *= smooth_step((end - frames) / (end - full_until))
        curve, effector = self._displacement(source), self._effector(source)
        if isinstance(effector, CenterOfMassEffector):
            curve = curve + self._displacement_of_support(source)
        holds = ((full_from, full_until),)
        return [Track(self, effector, int(frames[0]), curve[frames] * envelope[:, None], holds)]

    def depends_on(self, source: Source) -> tuple[Constraint, ...]:
        return self._plants(source)

    def _plants(self, source: Source) -> tuple[Footplant, ...]:
        """The footplants that it stands on."""
        if self.support != "plants":
            return ()
        return tuple(each for each in source.constraints if isinstance(each, Footplant))

    def _displacement_of_support(self, source: Source) -> Array:
        """(frames, 3) by how much plants displace the barycentre of the points that they hold, from where these are in
        the source; in flight it is interpolated, and it is smooth where points touch down or leave the ground."""
        total, count = np.zeros((source.frames, 3)), np.zeros(source.frames)
        for plant in self._plants(source):
            for track in plant.point_tracks(source):
                held = track.hold_frames
                total[held] += track.displacement[held - track.begin]
                count[held] += 1.0
        standing = np.flatnonzero(count)
        if not standing.size:
            return total
        mean = total[standing] / count[standing, None]
        frames = np.arange(source.frames)
        curve = np.stack([np.interp(frames, standing, component) for component in mean.T], axis=1)
        radius = source.frames_in(PASSING)
        window = np.hanning(2 * radius + 3)[1:-1]
        padded = np.pad(curve, ((radius, radius), (0, 0)), mode="edge")
        return np.stack([np.convolve(each, window / window.sum(), mode="valid") for each in padded.T], axis=1)

    def _span(self, source: Source) -> tuple[float, float]:
        begin = 0.0 if self.begin is None else self.begin
        end = source.frames - 1.0 if self.end is None else self.end
        self.check_time(source, "its begin", begin)
        self.check_time(source, "its end", end)
        if begin > end:
            raise ConstraintError(
                f"{self.label}: it begins at frame ", Frame(begin), ", after its end at ", Frame(end), "."
            )
        if not active_frames(begin, end).size:
            raise ConstraintError(
                f"{self.label}: there is no frame between its begin ", Frame(begin), " and its end ", Frame(end), "."
            )
        return begin, end

    def _effector(self, source: Source) -> Effector:
        skeleton = source.clip.skeleton
        if self._plants(source):
            return CenterOfMassEffector(self.axes or skeleton.horizontal_axes)
        points: list[str | int | BodyPoint] = []
        if self.points is None:
            try:
                points = [skeleton.landmarks.require(name) for name in STANDING_ON]
            except LandmarkError as error:
                raise ConstraintError(f"{self.label}: {error}") from None
        else:
            points = list(self.points)
        return BalanceEffector(
            tuple(self.resolved(source, point) for point in points), self.axes or skeleton.horizontal_axes
        )

    def _displacement(self, source: Source) -> Array:
        """(frames, 3) the displacement in every frame of the clip, checked."""
        if self.displacement is None:
            return np.zeros((source.frames, 3))
        given = self.displacement
        if isinstance(given, tuple) and given and isinstance(given[0], ConstraintPoint):
            given = self._spline(given)
        if isinstance(given, Spline):
            curve = given.at(np.arange(source.frames))
        else:
            try:
                curve = np.array(given, dtype=np.float64)
            except (TypeError, ValueError):
                raise ConstraintError(f"{self.label}: its displacement must be numbers.") from None
        if curve.shape == (3,):
            curve = np.tile(curve, (source.frames, 1))
        if curve.shape != (source.frames, 3):
            raise ConstraintError(
                f"{self.label}: its displacement must be three numbers, or three for each of the {source.frames} "
                f"frames, not shape {curve.shape}."
            )
        if not np.isfinite(curve).all():
            raise ConstraintError(f"{self.label}: its displacement is not finite.")
        return np.asarray(curve)

    def _spline(self, points: tuple[ConstraintPoint, ...]) -> Spline:
        """The curve through displacements at given times; it is at rest where it stays at one."""
        times: list[float] = []
        values: list[Array] = []
        shapes: list[tuple[float, float, float]] = []
        for point in sorted(points, key=lambda point: point.stay):
            begin, end = point.stay
            value = three_numbers(self.label, "a displacement", point.location)
            for time in (begin, end) if end > begin else (begin,):
                times.append(time)
                values.append(value)
                shapes.append((1.0 if end > begin else point.tension, point.continuity, point.bias))
        tension, continuity, bias = np.array(shapes).T
        try:
            return Spline(np.array(times), np.array(values), tension, continuity, bias)
        except ConstraintError as error:
            raise ConstraintError(f"{self.label}: its displacements must be at different times. {error}") from None

# SPDX-License-Identifier: GPL-3.0-or-later
"""Balance: the centre of mass keeps its place over the feet (Le Callennec 2006, section 4.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..body.joints import BodyPoint
from ..core.arrays import Array
from ..core.errors import ConstraintError, LandmarkError
from ..core.smooth_steps import smooth_step
from ..core.splines import Spline
from ..tasks.base import axis_indices
from .base import Constraint, Track
from .effectors import BalanceEffector
from .sampling import active_frames
from .source import Source

STANDING_ON = ("left_heel", "left_ball", "right_heel", "right_ball")
"""The landmarks whose barycentre the centre of mass is tied to by default."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Balance(Constraint):
    """The vector from the barycentre of `points` to the centre of mass is that of the source (equation 4.5)."""

    points: Iterable[str | int | BodyPoint] | None = None
    """The points whose barycentre counts; None: both heels and both balls of the feet."""
    displacement: Any = None
    """Added to the target of the centre of mass: (3,), (frames, 3), or a `Spline` over frames."""
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
        displacement = self._displacement(source)[frames] * envelope[:, None]
        return [Track(self, self._effector(source), int(frames[0]), displacement, ((full_from, full_until),))]

    def _span(self, source: Source) -> tuple[float, float]:
        begin = 0.0 if self.begin is None else self.begin
        end = source.frames - 1.0 if self.end is None else self.end
        self.check_time(source, "its begin", begin)
        self.check_time(source, "its end", end)
        if begin > end:
            raise ConstraintError(f"{self.label}: it begins at frame {begin:g}, after its end at {end:g}.")
        if not active_frames(begin, end).size:
            raise ConstraintError(f"{self.label}: there is no frame between its begin {begin:g} and its end {end:g}.")
        return begin, end

    def _effector(self, source: Source) -> BalanceEffector:
        skeleton = source.clip.skeleton
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
        if isinstance(self.displacement, Spline):
            curve = self.displacement.at(np.arange(source.frames))
        else:
            try:
                curve = np.array(self.displacement, dtype=np.float64)
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

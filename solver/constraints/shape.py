# SPDX-License-Identifier: GPL-3.0-or-later
"""Shape-constraints: an effector passes through given points at given times (Le Callennec 2006, section 4.2)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..body.joints import BodyPoint
from ..body.moving_object import MovingObject
from ..core.arrays import Array
from ..core.errors import ConstraintError
from ..core.numbers import is_number
from ..core.sentences import Frame
from .base import FARTHEST_POINT, Constraint, Track, three_numbers
from .effectors import AttachedEffector, Effector, PointEffector
from .paths import MODES, Knot, Mode, path_through
from .sampling import active_frames
from .source import Source


@dataclass(frozen=True, eq=False)
class ConstraintPoint:
    """A location on an effector's path, and the interval during which the effector stays there."""

    location: Any
    """(3,) in the world, or in the frame of the constraint's reference."""
    begin: float
    """The frame at which it is reached."""
    end: float | None = None
    """The frame at which it is left; None: as soon as it is reached."""
    tension: float = 0.0
    continuity: float = 0.0
    bias: float = 0.0

    def __post_init__(self) -> None:
        begin, end = self.stay
        if is_number(begin) and is_number(end) and begin > end:
            raise ConstraintError(
                "A point begins at frame ", Frame(begin), ", after its end at ", Frame(end), "; end it later."
            )

    @property
    def stay(self) -> tuple[float, float]:
        """The frames at which it is reached and at which it is left."""
        return self.begin, self.begin if self.end is None else self.end


@dataclass(frozen=True, eq=False)
class PathConstraint(Constraint):
    """An effector passes through points over [begin, end], leaving and rejoining the source's path smoothly."""

    joint: str | int | BodyPoint
    begin: float
    """The first frame of its activity."""
    end: float
    """The last frame of its activity."""
    points: Iterable[ConstraintPoint] = ()
    mode: Mode = "absolute"
    """"absolute": the path is the spline through the points. "relative": the points displace the source's path, which
    keeps its own motion. "condensed": as relative, but the effector is at rest while it stays at a point."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "points", tuple(self.points))
        if self.mode not in MODES:
            raise ConstraintError(f"{self.label}: there is no mode {self.mode!r}; it is one of {', '.join(MODES)}.")

    def knots(self, source: Source) -> list[Knot]:
        """The points as knots in the order of their times; raises a `ConstraintError` where one is invalid."""
        points = list(self.points)
        if not points:
            raise ConstraintError(f"{self.label}: it has no points, so there is nothing to hold.")
        for what, time in (("its begin", self.begin), ("its end", self.end)):
            self.check_time(source, what, time)
        if self.begin > self.end:
            raise ConstraintError(
                f"{self.label}: it begins at frame ", Frame(self.begin), ", after its end at ", Frame(self.end), "."
            )
        for number, point in enumerate(points, start=1):
            self._check_point(number, point)
        ordered = sorted(points, key=lambda point: point.stay)
        for before, after in pairwise(ordered):
            if after.begin <= before.stay[1]:
                raise ConstraintError(
                    f"{self.label}: two of its points are at the same time (frame ",
                    Frame(after.begin),
                    "); move one, or end the earlier stay before the later begins.",
                )
        return [
            Knot(self.location(point), *point.stay, point.tension, point.continuity, point.bias) for point in ordered
        ]

    def _check_point(self, number: int, point: ConstraintPoint) -> None:
        begin, end = point.stay
        for what, value in (
            ("begin", begin),
            ("end", end),
            ("tension", point.tension),
            ("continuity", point.continuity),
            ("bias", point.bias),
        ):
            if not is_number(value):
                raise ConstraintError(f"{self.label}: the {what} of point {number} is not a finite number.")
        if begin < self.begin or end > self.end:
            raise ConstraintError(
                f"{self.label}: point {number} (frames ",
                *(Frame(begin), " to ", Frame(end)),
                ") lies outside its constraint (frames ",
                *(Frame(self.begin), " to ", Frame(self.end)),
                ").",
            )

    def location(self, point: ConstraintPoint) -> Array:
        """(3,) the location of a point; raises a `ConstraintError` where it is invalid."""
        return three_numbers(self.label, "the location of a point", point.location)

    @abstractmethod
    def effector(self, source: Source) -> Effector:
        """The effector that it moves."""

    def tracks(self, source: Source) -> list[Track]:
        knots = self.knots(source)
        effector = self.effector(source)
        frames = active_frames(self.begin, self.end)
        displacement = self.displacements(source, effector, knots)
        holds = tuple((knot.begin, knot.end) for knot in knots)
        return [Track(self, effector, int(frames[0]), displacement, holds)] if frames.size else []

    def displacements(self, source: Source, effector: Effector, knots: list[Knot]) -> Array:
        """(active frames, 3) from the source's values to the path through the knots."""
        values = source.values(effector)
        frames = active_frames(self.begin, self.end)
        return path_through(self.mode, values, self.begin, self.end, knots, frames, source.ease) - values[frames]


@dataclass(frozen=True, eq=False)
class ShapeConstraint(PathConstraint):
    """A joint, or a point on one, passes through locations."""

    reference: str | int | MovingObject | None = None
    """The frame of the points' locations: None is the world; another joint of the character, which this one follows; or
    an object with a transform for every frame."""

    @property
    def label(self) -> str:
        joint = self.joint.joint if isinstance(self.joint, BodyPoint) else self.joint
        return self.name or f"Shape-constraint of {joint}"

    def effector(self, source: Source) -> Effector:
        point = self.resolved(source, self.joint)
        if self.reference is None or isinstance(self.reference, MovingObject):
            return PointEffector(point)
        reference = int(self.resolved(source, self.reference).joint)
        if reference == point.joint:
            raise ConstraintError(f"{self.label}: a joint cannot be held relative to itself.")
        skeleton = source.clip.skeleton
        if any(not np.linalg.norm(each.location) <= FARTHEST_POINT * skeleton.size for each in self.points):
            raise ConstraintError(
                f"{self.label}: a location is more than {FARTHEST_POINT:g} times the size of the character away from "
                f"the joint {skeleton.names[reference]!r}, in whose frame it is; give it in the clip's units."
            )
        return AttachedEffector(point, reference)

    def displacements(self, source: Source, effector: Effector, knots: list[Knot]) -> Array:
        if not isinstance(self.reference, MovingObject):
            return super().displacements(source, effector, knots)
        # In the object's frame the source moves and the points are at rest.
        moving = self.reference.checked(self.label, source.frames)
        values = source.values(effector)
        frames = active_frames(self.begin, self.end)
        relative = moving.seen_from(values)
        path = path_through(self.mode, relative, self.begin, self.end, knots, frames, source.ease)
        return moving.part(int(frames[0]), int(frames[-1]) + 1).in_world(path) - values[frames] if frames.size else path

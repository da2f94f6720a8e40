# SPDX-License-Identifier: GPL-3.0-or-later
"""Handplants: a wrist stands still while the hand supports the body, or holds on to an object."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from ..body.joints import BodyPoint
from ..body.moving_object import MovingObject
from ..core.arrays import Array, IntArray
from ..core.errors import ConstraintError, LandmarkError
from ..core.numbers import is_number
from ..core.robust import robust_mean
from ..core.smooth_steps import cubic_step
from .base import Constraint, Track, three_numbers
from .effectors import OrientationEffector
from .sampling import active_frames
from .shape import ConstraintPoint, ShapeConstraint
from .source import Source


@dataclass(frozen=True, eq=False, kw_only=True)
class Handplant(Constraint):
    """A hand stands from frame `begin` to frame `end`: its wrist stays in one place, and the hand may be turned.

    By default the wrist stands at its robust mean place in the source, and the hand keeps the orientations that it has
    there.
    """

    hand: Literal["left", "right"]
    begin: float
    end: float
    position: Any = None
    """(3,) of the wrist, in the world or in the frame of its `reference`; None: as in the source."""
    shift: Any = (0.0, 0.0, 0.0)
    """(3,) added to its position, in the same frame."""
    turn: float = 0.0
    """Radians by which the hand is turned about the up axis, counter-clockwise seen from above."""
    reference: MovingObject | None = None
    """The object that it stands on and moves with; None: the world."""
    ease_in: float | None = None
    """Frames before its begin over which it is blended in; None: a quarter of a second."""
    ease_out: float | None = None
    """Frames after its end over which it is blended out; None: a quarter of a second."""

    constrains_path: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.hand not in ("left", "right"):
            raise ConstraintError(f"{self.name or 'Handplant'}: the hand is 'left' or 'right', not {self.hand!r}.")
        for what in ("begin", "end", "turn", "ease_in", "ease_out"):
            value = getattr(self, what)
            if not is_number(value) and not (value is None and what.startswith("ease")):
                raise ConstraintError(f"{self.label}: its {what} must be a finite number, not {value!r}.")
            if what.startswith("ease") and value is not None and value < 0:
                raise ConstraintError(f"{self.label}: its {what} cannot be negative.")
        if self.begin > self.end:
            raise ConstraintError(f"{self.label}: it ends at frame {self.end:g}, before it begins at {self.begin:g}.")
        three_numbers(self.label, "its shift", self.shift)
        if self.position is not None:
            three_numbers(self.label, "its position", self.position)
        if self.reference is not None and not isinstance(self.reference, MovingObject):
            raise ConstraintError(f"{self.label}: its reference is a MovingObject or None, not {self.reference!r}.")

    @property
    def label(self) -> str:
        if self.name:
            return self.name
        at = f" at frame {self.begin:g}" if is_number(self.begin) else ""
        return f"Handplant of the {self.hand} hand{at}"

    def moved(self, by: Any) -> Handplant:
        """The same plant with three numbers added to its shift."""
        return replace(self, shift=tuple(np.add(self.shift, by).tolist()))

    def turned(self, angle: float) -> Handplant:
        """The same plant with an angle in radians added to its turn about the up axis."""
        return replace(self, turn=self.turn + angle)

    # On a motion ---------------------------------------------------------------------------------------------------

    def wrist(self, source: Source) -> BodyPoint:
        """The wrist of its hand."""
        skeleton = source.clip.skeleton
        try:
            return skeleton.resolve(skeleton.landmarks.require(f"{self.hand}_wrist"))
        except LandmarkError as error:
            raise ConstraintError(f"{self.label}: {error}") from None

    def place(self, source: Source) -> Array:
        """(3,) where its wrist stands: in the world, or in the frame of its reference."""
        if self.position is not None:
            return three_numbers(self.label, "its position", self.position) + np.asarray(self.shift, dtype=np.float64)
        points = source.clip.world.point(self.wrist(source))
        if self.reference is not None:
            points = self.reference.checked(self.label, source.frames).seen_from(points)
        return np.asarray(robust_mean(points[self.frames_of(source)]) + np.asarray(self.shift, dtype=np.float64))

    def frames_of(self, source: Source) -> IntArray:
        """Its frames; the nearest one where there is none between its begin and its end."""
        self.check_time(source, "its begin", self.begin)
        self.check_time(source, "its end", self.end)
        found = active_frames(self.begin, self.end)
        return found if found.size else np.array([min(round(self.begin), source.frames - 1)])

    def tracks(self, source: Source) -> list[Track]:
        self.frames_of(source)
        begin = max(self.begin - (source.ease if self.ease_in is None else self.ease_in), 0.0)
        end = min(self.end + (source.ease if self.ease_out is None else self.ease_out), source.frames - 1.0)
        wrist = self.wrist(source)
        stand = ConstraintPoint(self.place(source), self.begin, self.end)
        path = ShapeConstraint(wrist, begin, end, [stand], "condensed", reference=self.reference, name=self.label)
        tracks = [replace(track, constraint=self) for track in path.tracks(source)]
        if self.turn and tracks:
            frames = tracks[0].frames
            ways = np.stack([self.begin - frames, frames - self.end])
            widths = np.maximum([self.begin - begin, end - self.end], 1.0)[:, None]
            share = 1.0 - np.maximum(ways / widths, 0.0).max(axis=0)
            turns = cubic_step(share)[:, None] * self.turn * np.eye(3)[source.clip.skeleton.up_axis]
            hand = OrientationEffector(int(wrist.joint))
            tracks.append(Track(self, hand, tracks[0].begin, turns, ((self.begin, self.end),)))
        return tracks

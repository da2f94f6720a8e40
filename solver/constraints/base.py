# SPDX-License-Identifier: GPL-3.0-or-later
"""The base class of all constraints, and the tracks that they are compiled to: one for each effector, with its
displacement in every frame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..body.joints import BodyPoint
from ..core.arrays import Array, IntArray
from ..core.errors import ConstraintError, PoiseError
from ..core.numbers import WEIGHTS_TOLD, is_number, is_weight
from ..core.sentences import Frame
from .effectors import Effector
from .source import Source

Recruit = int | Iterable[str | int] | None
"""The joints that may move for a constraint: see `tasks.Task.recruit`."""


FARTHEST_POINT = 1e4
"""Sizes of the character from a joint to a point on it. A farther one would move by more than the solver's numbers hold
when its joint turns by the least that they hold."""


@dataclass(frozen=True, eq=False)
class Track:
    """The displacements that one constraint requires of one effector, over the frames of its activity."""

    constraint: Constraint
    effector: Effector
    begin: int
    """The first active frame."""
    displacement: Array
    """(active frames, 3) from the source's values to the targets."""
    hold_intervals: tuple[tuple[float, float], ...]
    """First and last times, in frames, of the intervals in which the target is exactly what the user asked for; between
    them it is interpolated."""
    outranks_partner: Array | None = None
    """(active frames,) 1.0 where this track ranks above that of its partner, else 0.0: heel and ball of a footplant are
    partners. The roll of the foot, which ranks below both, has -1.0. None, for all other constraints: always 1.0."""

    @property
    def end(self) -> int:
        """The last active frame."""
        return self.begin + len(self.displacement) - 1

    @property
    def frames(self) -> IntArray:
        """(active frames,)"""
        return np.arange(self.begin, self.end + 1)

    @property
    def hold_frames(self) -> IntArray:
        """The frames within its hold intervals."""
        frames = self.frames
        inside = np.zeros(len(frames), dtype=bool)
        for begin, end in self.hold_intervals:
            inside |= (frames >= begin) & (frames <= end)
        return frames[inside]

    def part(self, first: int, last: int) -> Array:
        """(frames, 3) the displacements from one active frame to another, both included."""
        return self.displacement[first - self.begin : last + 1 - self.begin]


@dataclass(frozen=True, eq=False, kw_only=True)
class Constraint(ABC):
    """A requirement on a part of a motion. Frames are the clip's own, counted from 0."""

    priority: int = 1
    """The larger is the more important; only the order counts."""
    weight: float = 1.0
    """Share among constraints of the same priority."""
    recruit: Recruit = None
    """The joints that may move for it: a number of joints above the effector's own (0 is that joint alone), an explicit
    set of joints, or None for all that can serve it."""
    exact: bool = True
    """Whether its hold intervals are met exactly; else the result is as smooth as the source, and they are met as far
    as that allows (Le Callennec 2006, section 5.3.1)."""
    name: str = ""
    """The user's name for it, used in messages and in the report."""

    constrains_path: ClassVar[bool] = True
    """Whether the path of the effector between its hold intervals is constrained too, or the hold intervals alone."""

    def __post_init__(self) -> None:
        if isinstance(self.priority, bool) or not isinstance(self.priority, (int, np.integer)):
            raise ConstraintError(f"{self.label}: the priority must be a whole number, not {self.priority!r}.")
        if not is_weight(self.weight):
            raise ConstraintError(f"{self.label}: the weight must be {WEIGHTS_TOLD}; to switch it off, leave it out.")
        if isinstance(self.recruit, str) or (self.recruit is not None and not _is_recruit(self.recruit)):
            raise ConstraintError(
                f"{self.label}: recruit a number of joints (0 is the joint itself), a list of them, or None for all, "
                f"not {self.recruit!r}."
            )
        if not isinstance(self.exact, (bool, np.bool_)):
            raise ConstraintError(f"{self.label}: exact must be true or false, not {self.exact!r}.")
        if isinstance(self.recruit, Iterable):
            object.__setattr__(self, "recruit", tuple(self.recruit))

    @property
    @abstractmethod
    def label(self) -> str:
        """The name of this constraint in messages and reports."""

    @abstractmethod
    def tracks(self, source: Source) -> list[Track]:
        """One track for each effector, compiled on a source; a `ConstraintError` with its label where it cannot be."""

    def depends_on(self, source: Source) -> tuple[Constraint, ...]:
        """The other constraints of a source's compilation that its tracks depend on."""
        return ()

    def compiled(self, source: Source) -> list[Track]:
        """As `tracks`, computed once for a source: while one constraint is edited, those of the others are reused."""
        return source.cached((self, *self.depends_on(source)), lambda: self.tracks(source))

    # Shared by the kinds ------------------------------------------------------------------------------------------

    def resolved(self, source: Source, point: str | int | BodyPoint) -> BodyPoint:
        """A joint, or a point on one, with the joint as an index; the error for an unknown joint has the label."""
        skeleton = source.clip.skeleton
        try:
            found = skeleton.resolve(point)
        except PoiseError as error:
            raise ConstraintError(f"{self.label}: {error}") from None
        if not np.linalg.norm(found.offset) <= FARTHEST_POINT * skeleton.size:
            raise ConstraintError(
                f"{self.label}: the point is more than {FARTHEST_POINT:g} times the size of the character away from "
                f"its joint {skeleton.names[int(found.joint)]!r}; give its offset in the clip's units."
            )
        return found

    def check_time(self, source: Source, what: str, time: float) -> None:
        """Raise unless a time, in frames, is a number within the clip."""
        if not is_number(time):
            raise ConstraintError(f"{self.label}: {what} must be a finite number of frames, not {time!r}.")
        if not 0 <= time <= source.frames - 1:
            raise ConstraintError(
                f"{self.label}: {what} (",
                Frame(time),
                ") lies outside the clip, whose frames are ",
                Frame(0),
                " to ",
                Frame(source.frames - 1),
                ".",
            )


def three_numbers(label: str, what: str, given: object) -> Array:
    """(3,) the given numbers; raises a `ConstraintError` unless they are three and finite."""
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ConstraintError(f"{label}: {what} must be three numbers.") from None
    if array.shape != (3,):
        raise ConstraintError(f"{label}: {what} must be three numbers, not shape {array.shape}.")
    if not np.isfinite(array).all():
        raise ConstraintError(f"{label}: {what} is not finite.")
    return array


def _is_recruit(recruit: object) -> bool:
    if isinstance(recruit, (int, np.integer)):
        return not isinstance(recruit, bool) and bool(recruit >= 0)
    return isinstance(recruit, Iterable)

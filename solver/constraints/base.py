# SPDX-License-Identifier: GPL-3.0-or-later
"""What every constraint is: something that holds over a time, compiled to tracks of single effectors."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, TypeVar

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint, JointKind
from ..body.skeleton import Skeleton
from ..core.arrays import Array, IntArray
from ..core.errors import ConstraintError, PoiseError
from ..core.numbers import is_number
from .effectors import Effector, Recruit
from .ground import Ground

_Remembered = TypeVar("_Remembered")


class Source:
    """The motion as it was, with what constraints ask of it, each computed once."""

    def __init__(self, clip: Clip, ground: Ground | None = None, seconds: Array | None = None) -> None:
        """A clip over a ground; `seconds` (frames,) are the times of its frames where they are not as far apart as its
        rate says."""
        self.clip = clip
        self.ground = ground
        self.seconds: Array = np.arange(clip.frames) / clip.fps if seconds is None else seconds
        """(frames,) the time of each frame."""
        self._values: dict[Effector, Array] = {}
        self._tracks: dict[Constraint, list[Track]] = {}
        self._memory: dict[Hashable, tuple[int, Any]] = {}
        """What is remembered, and in which round it was last asked for."""
        self._round = 0

    @property
    def frames(self) -> int:
        """How many frames there are."""
        return self.clip.frames

    @cached_property
    def ease(self) -> float:
        """Frames that a constraint takes by default to come and to go."""
        return EASE * self.clip.fps

    def tracks(self, constraint: Constraint) -> list[Track]:
        """What a constraint asks of this motion, compiled once: while one is edited the others stay as they are."""
        if constraint not in self._tracks:
            self._tracks[constraint] = constraint.tracks(self)
        return self._tracks[constraint]

    def remembered(self, key: Hashable, compute: Callable[[], _Remembered]) -> _Remembered:
        """What `compute` gives, computed once for a key as long as it is asked for; not to be written to."""
        known = self._memory.get(key)
        remembered: _Remembered = compute() if known is None else known[1]
        self._memory[key] = self._round, remembered
        return remembered

    def forget_others(self, constraints: Iterable[Constraint]) -> None:
        """Where much is known, keep only what is known of these constraints, and what was asked for lately."""
        kept = tuple(constraints)
        self._round += 1
        oldest = self._round - ROUNDS_KEPT
        self._memory = {key: known for key, known in self._memory.items() if known[0] >= oldest}
        if len(self._tracks) > 2 * len(kept) + TRACKS_KEPT:
            self._tracks = {each: self._tracks[each] for each in kept if each in self._tracks}

    def frames_in(self, seconds: float) -> int:
        """How many frames a time takes, at least one."""
        return max(1, round(seconds * self.clip.fps))

    @property
    def calm_skeleton(self) -> Skeleton:
        """The character with free joints so stiff that small corrections are made by limbs, not by the whole body.

        Feet that stand still in the world no longer tremble as they did in the capture: their legs have to.
        """
        return _calmed(self.clip.skeleton)

    def values(self, effector: Effector) -> Array:
        """(frames, width) where an effector is in the source; not to be written to."""
        if effector not in self._values:
            self._values[effector] = effector.value(self.clip.world)
        return self._values[effector]


CALM = 20.0
"""How much stiffer the whole body is than usual where frames are only put right. With 10 the captured walk's pelvis
trembles 1.24 times as much as it did, with 30 1.18 times; with 100 the knees begin to shake."""

TRACKS_KEPT = 100
"""Constraints whose compiled form is remembered beside those in use: while one is dragged, the last ones come back."""

ROUNDS_KEPT = 8
"""For so many compilations what nobody asks for is remembered: while one thing is edited, then another, each comes back
to what it was."""

EASE = 0.25
"""Seconds that a constraint takes by default to come and to go: half a step of a walk."""


SKELETONS_KEPT = 4
"""Characters whose calm form is remembered: recognising its landmarks takes as long as solving a second of motion."""


@lru_cache(maxsize=SKELETONS_KEPT)
def _calmed(skeleton: Skeleton) -> Skeleton:
    """See `Source.calm_skeleton`."""
    free = [joint for joint, kind in enumerate(skeleton.kinds) if kind is JointKind.FREE]
    return skeleton.with_stiffness({joint: CALM * float(skeleton.stiffness[joint]) for joint in free})


@dataclass(frozen=True, eq=False)
class Track:
    """One effector of one constraint over the frames of its activity."""

    constraint: Constraint
    effector: Effector
    begin: int
    """The first active frame."""
    displacement: Array
    """(active frames, 3) from the source's values to the targets."""
    held: tuple[tuple[float, float], ...]
    """Times, in frames, at which the target is what the user asked for; between them it is on its way."""
    leads: Array | None = None
    """(active frames,) 1.0 where this track is the more important one of its constraint, else 0.0; None: always."""

    @property
    def end(self) -> int:
        """The last active frame."""
        return self.begin + len(self.displacement) - 1

    @property
    def frames(self) -> IntArray:
        """(active frames,)"""
        return np.arange(self.begin, self.end + 1)

    def part(self, first: int, last: int) -> Array:
        """(frames, 3) the displacement from one active frame to another, both included."""
        return self.displacement[first - self.begin : last + 1 - self.begin]


@dataclass(frozen=True, eq=False, kw_only=True)
class Constraint(ABC):
    """Something that should hold over a part of a motion. Frames are the clip's own, counted from 0."""

    priority: int = 1
    """The larger is the more important; only the order counts."""
    weight: float = 1.0
    """Share among constraints of the same priority."""
    recruit: Recruit = None
    """Who may move for it: a number of joints above the effector's own (0 is that joint alone), an explicit set of
    joints, or None for all that can serve it."""
    name: str = ""
    """What the user calls it; used in messages and in the report."""

    holds_its_way: ClassVar[bool] = True
    """Whether the way to and between the times at which it is held matters too, or only these."""

    def __post_init__(self) -> None:
        if isinstance(self.priority, bool) or not isinstance(self.priority, (int, np.integer)):
            raise ConstraintError(f"{self.label}: the priority must be a whole number, not {self.priority!r}.")
        if not is_number(self.weight) or not self.weight > 0.0:
            raise ConstraintError(
                f"{self.label}: the weight must be a finite, positive number; to switch it off, leave it out."
            )
        if isinstance(self.recruit, str) or (self.recruit is not None and not _is_recruit(self.recruit)):
            raise ConstraintError(
                f"{self.label}: recruit a number of joints (0 is the joint itself), a list of them, or None for all, "
                f"not {self.recruit!r}."
            )
        if isinstance(self.recruit, Iterable):
            object.__setattr__(self, "recruit", tuple(self.recruit))

    @property
    @abstractmethod
    def label(self) -> str:
        """How messages and reports call this constraint."""

    @abstractmethod
    def tracks(self, source: Source) -> list[Track]:
        """What it asks of each effector, on this motion; a `ConstraintError` with its name if that cannot be."""

    # What the kinds share ------------------------------------------------------------------------------------------

    def resolved(self, source: Source, point: str | int | BodyPoint) -> BodyPoint:
        """A joint or a point on one with the joint as an index; the error for an unknown joint names the constraint."""
        try:
            return source.clip.skeleton.resolve(point)
        except PoiseError as error:
            raise ConstraintError(f"{self.label}: {error}") from None

    def check_time(self, source: Source, what: str, time: float) -> None:
        """Raise unless a time, in frames, is a number within the clip."""
        if not is_number(time):
            raise ConstraintError(f"{self.label}: {what} must be a finite number of frames, not {time!r}.")
        if not 0 <= time <= source.frames - 1:
            raise ConstraintError(
                f"{self.label}: {what} ({time:g}) lies outside the clip, whose frames are 0 to {source.frames - 1}."
            )


@dataclass(frozen=True)
class Knot:
    """A place on an effector's way and the stay there, as `paths` interpolates it."""

    location: Array
    """(3,)"""
    begin: float
    end: float
    tension: float = 0.0
    continuity: float = 0.0
    bias: float = 0.0

    @property
    def stays(self) -> bool:
        return self.end > self.begin


def active_frames(begin: float, end: float) -> IntArray:
    """The frames within a span of times."""
    return np.arange(int(np.ceil(begin)), int(np.floor(end)) + 1)


def interpolated(values: Array, time: float) -> Array:
    """(width,) of an array over frames at a time between them."""
    before = min(max(math.floor(time), 0), len(values) - 1)
    after = min(before + 1, len(values) - 1)
    share = time - before
    if share == 0.0:
        return np.asarray(values[before])
    return np.asarray((1.0 - share) * values[before] + share * values[after])


def velocity(values: Array, time: float, side: int = 0) -> Array:
    """(width,) change per frame of an array over frames: by central differences, one-sided at its ends.

    With `side` -1 or 1 only the frame before or after counts: where an effector stays, the source's velocity during the
    stay, whatever it does outside.
    """
    last = len(values) - 1
    if last == 0:
        return np.zeros(values.shape[1:])
    before = max(time - 1.0, 0.0) if side <= 0 else time
    after = min(time + 1.0, float(last)) if side >= 0 else time
    if after <= before:
        return velocity(values, time)
    return np.asarray((interpolated(values, after) - interpolated(values, before)) / (after - before))


def three_numbers(label: str, what: str, given: object) -> Array:
    """(3,) finite numbers, or the error that says what is wrong."""
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

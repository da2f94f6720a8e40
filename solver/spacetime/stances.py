# SPDX-License-Identifier: GPL-3.0-or-later
"""Stances: when and where a simplified character stands on the ground, and where the ground pushes it.

The point at the end of its leg rests at the ball of the foot, as on the full character (Popović 1999, section 4.2.1).
The ground pushes at the ball and, while the heel is down, at the heel as well, so that the centre of pressure may
travel along the sole. Forces may begin when any part of the foot touches the ground, before the ball has come to rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..body.clip import Clip
from ..constraints.footplant import Footplant
from ..core.arrays import Array
from ..core.errors import ConstraintError
from .named_points import named_point
from .recipe import Contact, Recipe

EARLY = 0.02
"""Seconds before and after a contact in which the ground may push already, or still: detected contacts are off by 10 ms
in the median. Without it the jump 13_11 is fitted with feet up to 9 % of the leg away, with it 5 %."""


@dataclass(frozen=True, eq=False)
class Push:
    """A place where the ground may push, and when."""

    name: str
    """The landmark of the foot, such as "left_heel"."""
    place: Array
    """(3,) in world space."""
    begin: float
    end: float
    """The force is zero at both, unless the clip begins or ends there."""


@dataclass(frozen=True, eq=False)
class Stance:
    """One contact with the ground, in seconds of the clip."""

    contact: str
    """The name of the recipe's contact."""
    points: tuple[str, ...]
    """The points of the simplified character whose mean rests."""
    begin: float
    end: float
    """When the mean of the points rests."""
    place: Array
    """(3,) where it rests, in world space."""
    pushes: tuple[Push, ...]
    plants: tuple[int, ...] = ()
    """The footplants of the full character that it stands for."""
    heading: float = 0.0
    """Where the body faces meanwhile, in radians about the vertical: the pyramid of friction is turned along."""
    seconds: float = 0.0
    """When it begins in the source, in seconds; a retimed stance keeps it, so that its name stays the same."""

    @property
    def label(self) -> str:
        """Its name in messages."""
        return f"the stance of the {self.contact} at {self.seconds:.2f} s"

    @property
    def touch(self) -> float:
        """When the ground begins to push."""
        return min([self.begin, *(push.begin for push in self.pushes)])

    @property
    def release(self) -> float:
        """When the ground ceases to push."""
        return max([self.end, *(push.end for push in self.pushes)])

    @property
    def events(self) -> tuple[float, ...]:
        """All times at which something begins or ends."""
        return tuple(sorted({self.begin, self.end, *(time for push in self.pushes for time in (push.begin, push.end))}))

    def changed(self, when: Callable[[float], float], where: Callable[[Array], Array]) -> Stance:
        """The stance at other times and places, given as functions of these."""
        pushes = tuple(Push(each.name, where(each.place), when(each.begin), when(each.end)) for each in self.pushes)
        return replace(self, begin=when(self.begin), end=when(self.end), place=where(self.place), pushes=pushes)


def stances_of(clip: Clip, plants: Sequence[Footplant], recipe: Recipe) -> tuple[Stance, ...]:
    """The stances of a clip with these footplants, in the order of time.

    Plants whose ball never rests have none: the simplified character has no other point that could.
    """
    found = [stance for contact in recipe.contacts for stance in _of_contact(clip, plants, contact)]
    return tuple(sorted(found, key=lambda stance: stance.begin))


def _of_contact(clip: Clip, plants: Sequence[Footplant], contact: Contact) -> list[Stance]:
    own: list[list[tuple[int, Footplant]]] = [
        [
            (index, plant)
            for index, plant in enumerate(plants)
            if plant.foot == foot and plant.toe_strike is not None and plant.toe_off is not None
        ]
        for foot in contact.feet
    ]
    if len(contact.feet) == 1:
        groups = [(each,) for each in own[0]]
    else:
        groups = [(first, second) for first in own[0] for second in own[1] if _overlap(first[1], second[1]) > 0.0]
    return [_stance(clip, contact, group) for group in groups]


def _overlap(first: Footplant, second: Footplant) -> float:
    """How long both balls rest at once, in frames."""
    assert first.toe_strike is not None and second.toe_strike is not None
    assert first.toe_off is not None and second.toe_off is not None
    return min(first.toe_off, second.toe_off) - max(first.toe_strike, second.toe_strike)


def _stance(clip: Clip, contact: Contact, group: Sequence[tuple[int, Footplant]]) -> Stance:
    plants = [plant for _, plant in group]
    begin = max(_time(plant.toe_strike) for plant in plants) / clip.fps
    end = min(_time(plant.toe_off) for plant in plants) / clip.fps
    pushes = tuple(push for plant in plants for push in _pushes(clip, plant))
    balls = [push.place for push in pushes if push.name.endswith("ball")]
    return Stance(
        contact.name,
        tuple(f"{foot}_ball" for foot in contact.feet),
        begin,
        end,
        np.mean(balls, axis=0),
        pushes,
        tuple(index for index, _ in group),
        seconds=begin,
    )


def _pushes(clip: Clip, plant: Footplant) -> list[Push]:
    """The ball pushes from when it touches the ground, or from when the heel is down, the heel while it is down."""
    strike, off = _time(plant.toe_strike), _time(plant.toe_off)
    touch, release = plant.contact or (strike, off)
    touch, release = min(touch, strike), max(release, off)
    found = []
    if plant.heel_strike is not None and plant.heel_off is not None and plant.heel_off > plant.heel_strike:
        heel = min(plant.heel_strike, touch) if plant.heel_strike <= strike else plant.heel_strike
        found.append(_push(clip, f"{plant.foot}_heel", plant.heel_strike, plant.heel_off, heel, plant.heel_off))
        if plant.heel_strike < strike:
            touch = max(touch, min(plant.heel_strike, strike))
    return [_push(clip, f"{plant.foot}_ball", strike, off, touch, release), *found]


def _push(clip: Clip, name: str, rests: float, until: float, begin: float, end: float) -> Push:
    place = resting_place(clip, name, rests, until)
    return Push(name, place, begin / clip.fps - EARLY, end / clip.fps + EARLY)


def _time(event: float | None) -> float:
    if event is None:
        raise ConstraintError("A stance needs both events of the ball of its foot.")
    return float(event)


def resting_place(clip: Clip, point: str, begin: float, end: float) -> Array:
    """(3,) the median place of a point between two frames."""
    places = clip.position(named_point(clip.skeleton, point))
    first = int(np.clip(np.ceil(begin), 0, clip.frames - 1))
    last = int(np.clip(np.floor(end), first, clip.frames - 1))
    return np.median(places[first : last + 1], axis=0)

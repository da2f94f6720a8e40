# SPDX-License-Identifier: GPL-3.0-or-later
"""Stances: when and where a simplified character stands on the ground, and where the ground pushes it.

The point at the end of its leg rests at the ball of the foot, as on the full character (Popović 1999, section 4.2.1).
The ground pushes at the ball, at the tip of the toes and, while the heel is down, at the heel as well, so that the
centre of pressure may travel along the whole sole: bodies leave the ground over their toes, and pushed at the balls
alone, the centre of mass of the jump 13_11 would have to be 4 to 6 % of the leg farther back. Forces may begin when any
part of the foot touches the ground, before the ball has come to rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np

from ...body.clip import Clip
from ...constraints.footplant import Footplant
from ...core.arrays import Array
from ...core.errors import ConstraintError
from ..characters.recipe import Contact, Recipe
from ..handles.named_points import named_point

EARLY = 0.02
"""Seconds before and after a contact in which the ground may push already, or still: detected contacts are off by 10 ms
in the median. Without it the jump 13_11 was fitted with feet up to 9 % of the leg away, with it 5 %."""


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

    Plants whose ball never rests have none: the simplified character has no other point that could. Raises a
    ConstraintError for plants on moving ground.
    """
    for plant in plants:
        if plant.is_carried:
            raise ConstraintError(
                f"{plant.label}: its ground moves, but physics needs a ground at rest. Take a motion that travels."
            )
    found = [stance for contact in recipe.contacts for stance in _of_contact(clip, plants, contact)]
    return tuple(sorted(found, key=lambda stance: stance.begin))


@dataclass(frozen=True, eq=False)
class _Rest:
    """A footplant whose ball rests; times in frames."""

    index: int
    plant: Footplant
    begin: float
    end: float


def _of_contact(clip: Clip, plants: Sequence[Footplant], contact: Contact) -> list[Stance]:
    """The stances of a contact; with two feet, one for each time in which both balls rest."""
    groups = product(*(_rests(plants, foot) for foot in contact.feet))
    found = [_stance(clip, contact, group) for group in groups if _common(group)[0] < _common(group)[1]]
    return _without_overlaps(sorted(found, key=lambda stance: stance.begin))


def _rests(plants: Sequence[Footplant], foot: str) -> list[_Rest]:
    return [
        _Rest(index, plant, *plant.stays["toe"])
        for index, plant in enumerate(plants)
        if plant.foot == foot and "toe" in plant.stays
    ]


def _common(group: Sequence[_Rest]) -> tuple[float, float]:
    """The times in frames from which and until which all balls rest."""
    return max(rest.begin for rest in group), min(rest.end for rest in group)


def _stance(clip: Clip, contact: Contact, group: Sequence[_Rest]) -> Stance:
    begin, end = (time / clip.fps for time in _common(group))
    balls = [f"{rest.plant.foot}_ball" for rest in group]
    pushes = tuple(push for rest in group for push in _pushes(clip, rest.plant))
    return Stance(
        contact.name,
        tuple(balls),
        begin,
        end,
        np.mean([push.place for push in pushes if push.name in balls], axis=0),
        pushes,
        tuple(rest.index for rest in group),
        seconds=begin,
    )


def _pushes(clip: Clip, plant: Footplant) -> list[Push]:
    """Where the ground pushes a foot, and when: at the ball, at the tip of the toes where the character has one and, if
    it rests too, at the heel.

    The part that rests first pushes from when any part of the foot touches the ground, the other one from when its own
    rest begins; the ball already from when the heel rests, since a foot then rolls onto it. So it is with their ends.
    The toes push with the ball, but a foot does not roll onto them before the ball rests.
    """
    stays = plant.stays
    heel, ball = stays.get("heel"), stays["toe"]
    times = [time for part in (*stays.values(), plant.contact or ball) for time in part]
    touch, release = min(times) / clip.fps - EARLY, max(times) / clip.fps + EARLY
    found = {"ball": (touch, release), "toe_tip": (touch, release)}
    if heel is not None and heel[0] < heel[1]:
        begin, end = heel[0] / clip.fps - EARLY, heel[1] / clip.fps + EARLY
        is_first, is_last = ball[0] <= heel[0], ball[1] >= heel[1]
        found = {
            "ball": (touch if is_first else begin, release if is_last else end),
            # Exactly while the ball rests: times of their own would be points of the grid close to those of the ball.
            "toe_tip": (touch if is_first else ball[0] / clip.fps, release if is_last else ball[1] / clip.fps),
            "heel": (touch if heel[0] <= ball[0] else begin, release if heel[1] >= ball[1] else end),
        }
    if getattr(clip.skeleton.landmarks, f"{plant.foot}_toe_tip") is None:
        del found["toe_tip"]
    rests = {"heel": heel or ball, "ball": ball, "toe_tip": ball}
    names = {part: f"{plant.foot}_{part}" for part in found}
    return [Push(names[part], resting_place(clip, names[part], *rests[part]), *found[part]) for part in found]


def _without_overlaps(stances: Sequence[Stance]) -> list[Stance]:
    """The stances of one contact, in the order of time, such that the ground pushes no point for two of them at once.

    A foot that stands while the other one steps is in two stances of both feet: its push is divided halfway.
    """
    found = list(stances)
    for number, (before, after) in enumerate(pairwise(stances)):
        halfway = (before.end + after.begin) / 2.0
        for earlier, later in product(before.pushes, after.pushes):
            if earlier.name == later.name and earlier.end > later.begin:
                found[number] = _cut(found[number], earlier.name, -np.inf, halfway)
                found[number + 1] = _cut(found[number + 1], later.name, halfway, np.inf)
    return found


def _cut(stance: Stance, name: str, begin: float, end: float) -> Stance:
    """The stance with the push of one point only between two times; without it where nothing is left."""
    pushes = [
        replace(push, begin=max(push.begin, begin), end=min(push.end, end)) if push.name == name else push
        for push in stance.pushes
    ]
    return replace(stance, pushes=tuple(push for push in pushes if push.begin < push.end))


def resting_place(clip: Clip, point: str, begin: float, end: float) -> Array:
    """(3,) the median place of a point between two times in frames, as far as they are within the clip."""
    places = clip.position(named_point(clip.skeleton, point))
    first = int(np.clip(np.ceil(begin), 0, clip.frames - 1))
    last = int(np.clip(np.floor(end), first, clip.frames - 1))
    return np.median(places[first : last + 1], axis=0)

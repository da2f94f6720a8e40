# SPDX-License-Identifier: GPL-3.0-or-later
"""Stances: when and where a simplified character stands on the ground, and where the ground pushes it.

The point at the end of its leg rests at the ball of the foot, as on the full character (Popović 1999, section 4.2.1).
The ground pushes at the ball and, while the heel is down, at the heel as well, so that the centre of pressure may
travel along the sole. Forces may begin when any part of the foot touches the ground, before the ball has come to rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..body.clip import Clip
from ..constraints.footplant import Footplant
from ..core.arrays import Array
from ..core.errors import ConstraintError
from .named_points import named_point
from .recipe import Contact, Recipe


@dataclass(frozen=True, eq=False)
class Stance:
    """One contact with the ground, in seconds of the clip."""

    contact: str
    """The name of the recipe's contact."""
    points: tuple[str, ...]
    """The points of the simplified character whose mean rests."""
    begin: float
    end: float
    """The mean of the points rests."""
    touch: float
    release: float
    """The ground may push."""
    place: Array
    """(3,) where it rests, in world space."""
    heel: Array | None = None
    """(3,) where the ground pushes at the heel; None: the heel is never down."""
    heel_begin: float = 0.0
    heel_end: float = 0.0
    plants: tuple[int, ...] = ()
    """The footplants of the full character that it stands for."""

    @property
    def label(self) -> str:
        """Its name in messages."""
        return f"the stance of the {self.contact} at {self.begin:.2f} s"


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
    points = tuple(f"{foot}_ball" for foot in contact.feet)
    begin = max(_time(plant.toe_strike) for plant in plants)
    end = min(_time(plant.toe_off) for plant in plants)
    touch = min(plant.contact[0] if plant.contact else begin for plant in plants)
    release = max(plant.contact[1] if plant.contact else end for plant in plants)
    place = np.mean([_resting(clip, f"{plant.foot}_ball", begin, end) for plant in plants], axis=0)
    heel, heel_begin, heel_end = None, begin, begin
    if all(plant.heel_strike is not None and plant.heel_off is not None for plant in plants):
        heel_begin = max(_time(plant.heel_strike) for plant in plants)
        heel_end = min(_time(plant.heel_off) for plant in plants)
        if heel_end > heel_begin:
            heel = np.mean([_resting(clip, f"{plant.foot}_heel", heel_begin, heel_end) for plant in plants], axis=0)
    fps = clip.fps
    return Stance(
        contact.name,
        points,
        begin / fps,
        end / fps,
        min(touch, begin, heel_begin if heel is not None else begin) / fps,
        max(release, end) / fps,
        place,
        heel,
        heel_begin / fps,
        heel_end / fps,
        tuple(index for index, _ in group),
    )


def _time(event: float | None) -> float:
    if event is None:
        raise ConstraintError("A stance needs both events of the ball of its foot.")
    return float(event)


def _resting(clip: Clip, point: str, begin: float, end: float) -> Array:
    """(3,) the median place of a point between two frames."""
    places = clip.position(named_point(clip.skeleton, point))
    first = int(np.clip(np.ceil(begin), 0, clip.frames - 1))
    last = int(np.clip(np.floor(end), first, clip.frames - 1))
    return np.median(places[first : last + 1], axis=0)

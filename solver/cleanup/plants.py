# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of hands and feet that stand still for a while: which, when and where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..body.clip import Clip
from ..constraints import Footplant, Ground, Source
from ..constraints.base import active_frames, three_numbers
from ..core import rotations
from ..core.arrays import Array, IntArray
from ..core.errors import ConstraintError
from ..core.numbers import is_number
from .limbs import LIMB_NAMES, Limb, limbs_of

POINT_OF_PART = {"heel": "heel", "toe": "ball"}
"""What limbs call the parts of a footplant."""

NO_PLANT = -1
"""Stands in a table of plants where there is none."""

MOST_POINTS = 2
"""Points of one limb: heel and ball, wrist and fingertips."""


@dataclass(frozen=True)
class PlantedPoint:
    """A point of a limb stands still from frame `begin` to frame `end`, both included."""

    limb: str
    """Its name, such as "left leg"."""
    point: str
    """Its name on that limb, such as "heel"."""
    begin: int
    end: int
    location: tuple[float, float, float] | None = None
    """Where, in the world; None: where it is on the average."""
    floor: float | Literal["ground", "own"] | None = None
    """The height of the floor that it stands on, if it is to be on one: a number, or that of the ground under it. The
    point itself lies its clearance above. With "own" it stands as high as it does, also below the ground; without any,
    never below. A given location is as it is."""
    name: str = ""
    """What the user calls it."""

    def __post_init__(self) -> None:
        for what in ("begin", "end"):
            value = getattr(self, what)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
                raise ConstraintError(f"{self.label}: its {what} must be a frame, a whole number, not {value!r}.")
            object.__setattr__(self, what, int(value))
        if self.begin > self.end:
            raise ConstraintError(f"{self.label}: it ends at frame {self.end}, before it begins at {self.begin}.")
        if self.location is not None:
            x, y, z = three_numbers(self.label, "its location", self.location).tolist()
            object.__setattr__(self, "location", (x, y, z))
        if self.floor not in (None, "ground", "own") and not is_number(self.floor):
            raise ConstraintError(f"{self.label}: its floor is a height, 'ground', 'own' or None, not {self.floor!r}.")

    @property
    def label(self) -> str:
        """How messages and reports call it."""
        return self.name or f"Plant of the {self.limb}'s {self.point} at frame {self.begin}"

    @property
    def frames(self) -> int:
        """How many frames it lasts."""
        return self.end - self.begin + 1


def planted_points(
    clip: Clip, plants: Iterable[Footplant | PlantedPoint], limbs: Sequence[Limb], ground: Ground | None = None
) -> tuple[PlantedPoint, ...]:
    """The points that footplants and others plant on a clip, in the order in which they begin, checked.

    A footplant plants the heel from `heel_strike` to `heel_off` and the ball from `toe_strike` to `toe_off`, where it
    says or else where they are on the average; with `ground`, on it. Where one point stands through from one plant to
    the next, in no given place, that is one plant.
    """
    source = Source(clip, ground)
    found: list[PlantedPoint] = []
    for plant in plants:
        found += _of_footplant(plant, source) if isinstance(plant, Footplant) else [plant]
    checked = check_plants(merged(found), limbs)
    for plant in checked:
        if plant.begin < 0 or plant.end >= clip.frames:
            raise ConstraintError(
                f"{plant.label}: frames {plant.begin} to {plant.end} lie outside the clip, whose frames are 0 to "
                f"{clip.frames - 1}."
            )
    return checked


def on_floors(
    clip: Clip, plants: Iterable[Footplant | PlantedPoint], limbs: Sequence[Limb], ground: Ground
) -> tuple[PlantedPoint, ...]:
    """As `planted_points`, with the height of the floor under each plant that stands on the ground, as a number."""
    by_name = {limb.name: limb for limb in limbs}
    up = clip.skeleton.up_axis
    found = []
    for plant in planted_points(clip, plants, limbs, ground):
        if plant.floor == "ground" and plant.location is None:
            point = by_name[plant.limb].points[plant.point]
            place = clip.world.point(point)[plant.begin : plant.end + 1].mean(axis=0)
            height = float(ground.heights(place[None], up)[0])
            plant = replace(plant, floor="own" if np.isnan(height) else height)
        found.append(plant)
    return tuple(found)


def limbs_for(clip: Clip, plants: Iterable[Footplant | PlantedPoint], ground: Ground | None = None) -> tuple[Limb, ...]:
    """The limbs of the landmarks that plants are on, with the axes of their hinges as the motion shows them.

    With a ground come all others that the landmarks tell: none may go below.
    """
    names = {f"{plant.foot} leg" if isinstance(plant, Footplant) else plant.limb for plant in plants}
    needed = limbs_of(clip.skeleton, clip.motion, [name for name in LIMB_NAMES if name in names])
    if ground is None:
        return needed
    known = {limb.name for limb in needed}
    return (*needed, *(limb for limb in limbs_of(clip.skeleton, clip.motion) if limb.name not in known))


def check_plants(plants: Iterable[PlantedPoint], limbs: Sequence[Limb]) -> tuple[PlantedPoint, ...]:
    """The plants in the order in which they begin; an error where one has no limb, or where two of a point overlap."""
    by_name = {limb.name: limb for limb in limbs}
    ordered = sorted(plants, key=lambda plant: (plant.begin, plant.limb, plant.point))
    last: dict[tuple[str, str], PlantedPoint] = {}
    for plant in ordered:
        limb = by_name.get(plant.limb)
        if limb is None:
            there = f"there are {', '.join(by_name)}" if by_name else "there is none at all"
            raise ConstraintError(f"{plant.label}: there is no limb {plant.limb!r}; {there}.")
        if plant.point not in limb.points:
            raise ConstraintError(
                f"{plant.label}: the {limb.name} has no {plant.point!r}; it has {', '.join(limb.points)}."
            )
        before = last.get((plant.limb, plant.point))
        if before is not None and before.end >= plant.begin:
            raise ConstraintError(
                f"{before.label} (frames {before.begin} to {before.end}) and {plant.label} (frames {plant.begin} to "
                f"{plant.end}) plant the {plant.point} of the {plant.limb} twice; end the first one before the second."
            )
        last[plant.limb, plant.point] = plant
    return tuple(ordered)


def plant_table(plants: Sequence[PlantedPoint], limbs: Sequence[Limb], frames: int, first: int = 0) -> IntArray:
    """(frames, limbs, 2) the index of the plant of each point of each limb, in the limb's order; -1 where none is.

    The frames of the table are counted from `first`; plants may begin before or end after them.
    """
    table = np.full((frames, len(limbs), MOST_POINTS), NO_PLANT, dtype=np.int64)
    slots = {
        (limb.name, point): (row, column) for row, limb in enumerate(limbs) for column, point in enumerate(limb.points)
    }
    for number, plant in enumerate(plants):
        row, column = slots[plant.limb, plant.point]
        table[max(plant.begin - first, 0) : max(plant.end + 1 - first, 0), row, column] = number
    return table


def planted_counts(table: IntArray) -> IntArray:
    """(frames, limbs) how many points of each limb are planted: 0, 1 or 2 (free, singly, doubly constrained)."""
    return np.asarray((table != NO_PLANT).sum(axis=-1))


def mean_orientation(orientations: Array) -> Array:
    """(..., 4) the mean of orientations (n, ..., 4), all in the hemisphere of the first (Kovar 2004, equation 3.1)."""
    return rotations.normalize(rotations.align(orientations, orientations[:1]).sum(axis=0))


def _of_footplant(plant: Footplant, source: Source) -> list[PlantedPoint]:
    says_where = any(wish is not None for wish in (plant.position, plant.heading, plant.height))
    moved = plant.turn != 0.0 or bool(np.any(np.asarray(plant.shift, dtype=np.float64) != 0.0))
    given = _stands(plant, source) if says_where or moved else {}
    found = []
    for part, (begin, end) in plant.stays.items():
        frames = active_frames(begin, end)
        if not frames.size:
            continue
        found.append(
            PlantedPoint(
                f"{plant.foot} leg",
                POINT_OF_PART[part],
                int(frames[0]),
                int(frames[-1]),
                location=given.get(part),
                floor=None if source.ground is None else "own" if plant.own_height else "ground",
                name=f"{plant.label}: {part}" if plant.name else "",
            )
        )
    return found


def _stands(plant: Footplant, source: Source) -> dict[str, tuple[float, float, float]]:
    """Where a footplant that says so wants heel and ball: where its tracks lead while they are held."""
    found = {}
    for part, track in zip(plant.stays, plant.tracks(source), strict=True):
        held = active_frames(*track.held[0])
        if held.size:
            place = source.values(track.effector)[held[0]] + track.displacement[held[0] - track.begin]
            x, y, z = place.tolist()
            found[part] = (x, y, z)
    return found


def merged(plants: Sequence[PlantedPoint]) -> list[PlantedPoint]:
    """Plants of one point that follow each other without a frame between, in no given place, as one."""
    found: list[PlantedPoint] = []
    for plant in sorted(plants, key=lambda plant: (plant.limb, plant.point, plant.begin)):
        before = found[-1] if found else plant
        is_same = (before.limb, before.point, before.floor) == (plant.limb, plant.point, plant.floor)
        is_free = before.location is None and plant.location is None
        if is_same and is_free and before.end + 1 == plant.begin:
            found[-1] = replace(before, end=plant.end)
        else:
            found.append(plant)
    return found

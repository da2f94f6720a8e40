# SPDX-License-Identifier: GPL-3.0-or-later
"""Planted points: points of hands and feet that stand still in a range of frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal

import numpy as np

from ..body.clip import Clip
from ..body.moving_object import MovingObject
from ..constraints import Footplant, Ground, Handplant, Plane, Source
from ..constraints.base import three_numbers
from ..constraints.sampling import active_frames
from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray
from ..core.errors import ConstraintError
from ..core.numbers import is_number
from ..core.sentences import Frame
from ..deformation.plant_transitions import ALWAYS, Window, hold_windows, transition_frames
from ..detection.rest_intervals import leading
from .limbs import LIMB_NAMES, MOST_POINTS, TOE_TIP, Limb, limbs_of

POINT_OF_PART = {"heel": "heel", "toe": "ball"}
"""The names of a limb's points by those of a footplant's parts."""

CARRIED, RISEN = 0.25, 0.1
"""A foot rolls over its toe tip while, in the source, the joint of the toes is carried to the tip's place or away from
it, and the tip rises, by no more than these shares of the toes' length: beyond them it is dragged, or in the air."""

NO_PLANT = -1
"""The entry of a plant table where no plant is."""


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
    """In the world, or in the frame of its `reference`; None: the mean of its positions in the source there."""
    floor: float | Plane | Literal["ground", "own"] | None = None
    """The floor that it stands on: a height, a plane of any slope, also a wall, or "ground" for the ground under it;
    the point lies its clearance above, on the side that the plane's normal points to. With "own" it keeps its height,
    also below the ground; with None it keeps its height above the ground and is lifted from below it. It does not
    change a given location."""
    name: str = ""
    """The user's name for it."""
    reference: MovingObject | None = None
    """The object that it stands on and moves with, such as a box that is carried; None: the world."""
    turn: float = 0.0
    """Radians about the up axis by which a point is turned that has no location and stands beside the limb's other
    point, about that one."""

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
        is_word = self.floor is None or (isinstance(self.floor, str) and self.floor in ("ground", "own"))
        if not is_word and not isinstance(self.floor, Plane) and not is_number(self.floor):
            raise ConstraintError(
                f"{self.label}: its floor is a height, a Plane, 'ground', 'own' or None, not {self.floor!r}."
            )
        if not is_number(self.turn):
            raise ConstraintError(f"{self.label}: its turn must be a finite number, not {self.turn!r}.")
        if self.reference is not None and not isinstance(self.reference, MovingObject):
            raise ConstraintError(f"{self.label}: its reference is a MovingObject or None, not {self.reference!r}.")
        if self.reference is not None and self.floor is not None:
            raise ConstraintError(f"{self.label}: it stands on an object that moves, so it has no floor: leave it out.")

    @property
    def label(self) -> str:
        """Its name in messages and reports."""
        return self.name or f"Plant of the {self.limb}'s {self.point} at frame {self.begin}"

    @property
    def frames(self) -> int:
        """The number of its frames."""
        return self.end - self.begin + 1

    def shares_reference(self, other: PlantedPoint) -> bool:
        """Whether another plant stands on the same object, or both in the world."""
        if self.reference is None or other.reference is None:
            return self.reference is other.reference
        return self.reference.is_like(other.reference)

    def located(self, location: Array) -> PlantedPoint:
        """The same plant with a location (3,)."""
        return replace(self, location=_three(location))

    def world_places(self, location: Array, begin: int, end: int) -> Array:
        """(end - begin, 3) where its location (3,) is in the world, from frame `begin` to the one before `end`."""
        if self.reference is None:
            return np.tile(location, (end - begin, 1))
        return self.reference.part(begin, end).in_world(location)

    def seen_from_reference(self, points: Array, orientations: Array) -> tuple[Array, Array]:
        """World positions (n, 3) and orientations (n, 4) from its begin on, in the frame of what it stands on."""
        if self.reference is None:
            return points, orientations
        moving = self.reference.part(self.begin, self.begin + len(points))
        return moving.seen_from(points), rotations.multiply(rotations.conjugate(moving.rotations), orientations)


Plant = Footplant | Handplant | PlantedPoint
"""What hands and feet are cleaned with."""


def planted_points(
    clip: Clip, plants: Iterable[Plant], limbs: Sequence[Limb], ground: Ground | None = None
) -> tuple[PlantedPoint, ...]:
    """The planted points of footplants and handplants, and planted points as they are, in the order of their begins,
    checked.

    A footplant plants the heel from `heel_strike` to `heel_off` and the ball from `toe_strike` to `toe_off`, at the
    locations that it gives or else at the mean of their positions; with `ground`, on it. A handplant plants the wrist,
    and the fingertips as well where it is turned. Footplants of one foot leave
    time for the way between their places (`hold_windows`). Plants of one point without a given location and without a
    frame between them become one. Where a footplant says how long the foot touches the ground, its `contact`, the toe
    tip is planted when the ball has left the ground, for as long as it can stand.
    """
    source = Source(clip, ground)
    given = points_of_hands(plants, source)
    footplants = [plant for plant in given if isinstance(plant, Footplant)]

    def points(windows: dict[int, Window]) -> tuple[PlantedPoint, ...]:
        found: list[PlantedPoint] = []
        for plant in given:
            window = windows.get(id(plant), ALWAYS)
            found += _points_of(plant, source, window) if isinstance(plant, Footplant) else [on_object(plant, clip)]
        return check_plants(merged(found), limbs)

    checked = points({})
    for plant in checked:
        if plant.begin < 0 or plant.end >= clip.frames:
            raise ConstraintError(
                f"{plant.label}: frames ",
                *(Frame(plant.begin), " to ", Frame(plant.end)),
                " lie outside the clip, whose frames are ",
                *(Frame(0), " to ", Frame(clip.frames - 1), "."),
            )
    windows = {id(plant): window for plant, window in hold_windows(footplants, source)}
    checked = points(windows) if windows else checked
    checked = check_plants([*checked, *_toe_tips(footplants, checked, source, limbs)], limbs)
    check_toe_tips(checked, checked)
    return checked


def on_floors(clip: Clip, plants: Iterable[Plant], limbs: Sequence[Limb], ground: Ground) -> tuple[PlantedPoint, ...]:
    """As `planted_points`, with the floor of each plant that stands on the ground as a plane."""
    by_name = {limb.name: limb for limb in limbs}
    up = clip.skeleton.up_axis
    found = []
    for plant in planted_points(clip, plants, limbs, ground):
        if plant.floor == "ground" and plant.location is None:
            point = by_name[plant.limb].point(plant.point)
            place = clip.world.point(point)[plant.begin : plant.end + 1].mean(axis=0)
            place[up] = ground.heights(place[None], up)[0]
            normal = ground.normals(place[None], up)[0]
            plant = replace(plant, floor="own" if np.isnan(place[up]) else Plane(_three(place), _three(normal)))
        found.append(plant)
    return tuple(found)


def limbs_for(clip: Clip, plants: Iterable[Plant], ground: Ground | None = None) -> tuple[Limb, ...]:
    """The limbs of the landmarks that have plants, with hinge axes measured in the motion.

    With a ground, all other limbs of the landmarks as well: they have to stay above it.
    """
    names = {_limb_of(plant) for plant in plants}
    needed = limbs_of(clip.skeleton, clip.motion, [name for name in LIMB_NAMES if name in names])
    if ground is None:
        return needed
    known = {limb.name for limb in needed}
    return (*needed, *(limb for limb in limbs_of(clip.skeleton, clip.motion) if limb.name not in known))


def _limb_of(plant: Plant) -> str:
    """The name of a plant's limb."""
    if isinstance(plant, Footplant):
        return f"{plant.foot} leg"
    return f"{plant.hand} arm" if isinstance(plant, Handplant) else plant.limb


def points_of_hands(plants: Iterable[Plant], source: Source) -> list[Footplant | PlantedPoint]:
    """The plants, with the planted points of handplants instead of these."""
    found: list[Footplant | PlantedPoint] = []
    for plant in plants:
        found += points_of_hand(plant, source) if isinstance(plant, Handplant) else [plant]
    return found


def points_of_hand(plant: Handplant, source: Source) -> list[PlantedPoint]:
    """The wrist of a handplant and, where it is turned, the fingertips beside it.

    The wrist has a location where the handplant gives or moves it.
    """
    frames, name, limb = plant.frames_of(source), plant.label, _limb_of(plant)
    begin, end = int(frames[0]), int(frames[-1])
    reference = None if plant.reference is None else plant.reference.checked(plant.label, source.frames)
    is_located = plant.position is not None or bool(np.any(np.asarray(plant.shift, dtype=np.float64) != 0.0))
    location = _three(plant.place(source)) if is_located else None
    found = [PlantedPoint(limb, "wrist", begin, end, location, name=name, reference=reference)]
    if plant.turn:
        found.append(PlantedPoint(limb, "fingertips", begin, end, name=name, reference=reference, turn=plant.turn))
    return found


def check_plants(plants: Iterable[PlantedPoint], limbs: Sequence[Limb]) -> tuple[PlantedPoint, ...]:
    """The plants in the order of their begins; an error for one without a limb, and for two of a point that overlap."""
    by_name = {limb.name: limb for limb in limbs}
    ordered = sorted(plants, key=lambda plant: (plant.begin, plant.limb, plant.point))
    last: dict[tuple[str, int], PlantedPoint] = {}
    for plant in ordered:
        limb = by_name.get(plant.limb)
        if limb is None:
            there = f"there are {', '.join(by_name)}" if by_name else "there is none at all"
            raise ConstraintError(f"{plant.label}: there is no limb {plant.limb!r}; {there}.")
        columns = limb.columns
        if plant.point not in columns:
            there = ", ".join(columns)
            raise ConstraintError(f"{plant.label}: the {limb.name} has no {plant.point!r}; it has {there}.")
        before = last.get((plant.limb, columns[plant.point]))
        if before is not None and before.end >= plant.begin:
            both = f"{before.point} and the {plant.point}"
            what = f"{plant.point} of the {plant.limb} twice" if before.point == plant.point else f"{both} at once"
            raise ConstraintError(
                f"{before.label} (frames ",
                *(Frame(before.begin), " to ", Frame(before.end)),
                f") and {plant.label} (frames ",
                *(Frame(plant.begin), " to ", Frame(plant.end)),
                f") plant the {what}; end the first one before the second.",
            )
        last[plant.limb, columns[plant.point]] = plant
        for other in last.values():
            if other.limb == plant.limb and other.end >= plant.begin and not other.shares_reference(plant):
                raise ConstraintError(
                    f"{other.label} and {plant.label} hold the {plant.limb} on different objects at frame "
                    f"{plant.begin}; end the first one before the second."
                )
    return tuple(ordered)


def check_toe_tips(plants: Iterable[PlantedPoint], others: Iterable[PlantedPoint]) -> None:
    """Refuse a toe tip among `plants` that does not follow its ball, by which it is located, among `others`."""
    balls = {(plant.limb, plant.end + 1) for plant in others if plant.point == "ball"}
    for plant in plants:
        if plant.point == TOE_TIP and plant.reference is not None:
            raise ConstraintError(f"{plant.label}: a toe tip stands in the world, not on an object; leave it out.")
        if plant.point == TOE_TIP and (plant.limb, plant.begin) not in balls:
            raise ConstraintError(
                f"{plant.label}: a toe tip stands when its ball has left the ground; let it begin in the frame after "
                "the last one of the ball's plant."
            )


def plant_table(plants: Sequence[PlantedPoint], limbs: Sequence[Limb], frames: int, first: int = 0) -> IntArray:
    """(frames, limbs, 2) the index of the plant of each point of each limb, in the limb's order; -1 where none is.

    The frames of the table are counted from `first`; plants may begin before or end after them.
    """
    table = np.full((frames, len(limbs), MOST_POINTS), NO_PLANT, dtype=np.int64)
    slots = {
        (limb.name, point): (row, column) for row, limb in enumerate(limbs) for point, column in limb.columns.items()
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


def located_points(plant: Footplant, source: Source) -> list[PlantedPoint]:
    """Heel and ball of a footplant, those that are planted, with the locations at which its tracks keep them."""
    found = []
    for part, track in zip(plant.stays, plant.point_tracks(source), strict=True):
        frames = active_frames(*track.hold_intervals[0])
        if frames.size:
            location = source.values(track.effector)[frames[0]] + track.displacement[frames[0] - track.begin]
            x, y, z = location.tolist()
            found.append(_point_of(plant, part, frames, location=(x, y, z)))
    return found


def on_object(plant: PlantedPoint, clip: Clip) -> PlantedPoint:
    """A planted point whose reference, if it has one, has a transform for each frame of the clip."""
    if plant.reference is None:
        return plant
    return replace(plant, reference=plant.reference.checked(plant.label, clip.frames))


def _points_of(plant: Footplant, source: Source, window: Window) -> list[PlantedPoint]:
    """Heel and ball of a footplant, those that are planted within a window; with locations where the footplant gives or
    moves them."""
    is_given = any(value is not None for value in (plant.position, plant.heading, plant.height))
    is_moved = plant.turn != 0.0 or bool(np.any(np.asarray(plant.shift, dtype=np.float64) != 0.0))
    located = located_points(plant, source) if is_given or is_moved else ()
    locations = {each.point: each.location for each in located}
    floor: Literal["ground", "own"] | None = None
    if source.ground is not None:
        floor = "own" if plant.own_height else "ground"
    found = []
    for part, (begin, end) in plant.stays.items():
        frames = active_frames(max(begin, window[0]), min(end, window[1]))
        if frames.size:
            found.append(_point_of(plant, part, frames, locations.get(POINT_OF_PART[part]), floor))
    return found


def _toe_tips(
    plants: Sequence[Footplant], points: Sequence[PlantedPoint], source: Source, limbs: Sequence[Limb]
) -> list[PlantedPoint]:
    """The toe tips that stand when the ball of a footplant has left the ground, until the contact of the foot ends.

    `points` are the planted points without them. There is none where the heel stands longer than the ball. A tip stands
    shorter where the next plant of the foot needs time for the way to it, and where it cannot stand in the source.
    """
    found = []
    for limb in (limb for limb in limbs if TOE_TIP in limb.columns):
        own = [each for each in points if each.limb == limb.name]
        feet = sorted((each for each in plants if f"{each.foot} leg" == limb.name), key=_begin)
        for plant, after in zip_longest(feet, feet[1:]):
            if plant.toe_off is None or plant.contact is None:
                continue
            ball = next((each for each in own if each.point == "ball" and each.end == int(plant.toe_off)), None)
            if ball is None:
                continue
            others = [each.begin - 1 for each in own if each.end > ball.end]
            frames = active_frames(ball.end + 1, min([plant.contact[1], source.frames - 1, *others]))
            stands = _can_stand(limb, ball.end, frames, source.clip)
            if after is not None:
                stands &= _leaves_time(plant, after, limb, frames, source)
            frames = frames[: leading(stands)]
            if frames.size:
                name = f"{plant.label}: {TOE_TIP}" if plant.name else ""
                found.append(PlantedPoint(limb.name, TOE_TIP, int(frames[0]), int(frames[-1]), None, ball.floor, name))
    return found


def _begin(plant: Footplant) -> float:
    return min(begin for begin, _ in plant.stays.values())


def _can_stand(limb: Limb, last: int, frames: IntArray, clip: Clip) -> BoolArray:
    """(frames,) whether a toe tip can stand where it is in the frame `last`: the foot rolls over it, and the toes do
    not point elsewhere."""
    assert limb.toes is not None
    tip, joint = clip.world.point(limb.toes.tip), clip.world.positions[frames, limb.toes.joint]
    length = float(np.linalg.norm(limb.toes.tip.local))
    carried = np.abs(rotations.lengths(joint - tip[last]) - length)
    moved = tip[frames] - tip[last]
    is_up = moved[:, clip.skeleton.up_axis] > RISEN * length
    return (carried <= CARRIED * length) & (rotations.lengths(moved) <= length) & ~is_up


def _leaves_time(plant: Footplant, after: Footplant, limb: Limb, frames: IntArray, source: Source) -> BoolArray:
    """(frames,) whether a toe tip that stands after a plant until this frame leaves time for the way to the next plant,
    as far as it is longer or shorter than in the source."""
    assert limb.toes is not None and plant.toe_off is not None
    world, last = source.clip.world, int(plant.toe_off)
    tip = world.point(limb.toes.tip)
    displacement = plant.stand(source)["toe"] - world.point(limb.points["ball"])[last] + tip[last] - tip[frames]
    needed = np.zeros(len(frames))
    for part, place in after.stand(source).items():
        begin = min(int(np.ceil(after.stays[part][0])), source.frames - 1)
        ways = place - world.point(limb.points[POINT_OF_PART[part]])[begin] - displacement
        distances = rotations.lengths(ways) / source.clip.skeleton.size
        needed = np.maximum(needed, transition_frames(distances, source.clip.fps))
    return np.asarray(_begin(after) - frames >= needed)


def _three(values: Array) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z


def _point_of(
    plant: Footplant,
    part: str,
    frames: IntArray,
    location: tuple[float, float, float] | None = None,
    floor: Literal["ground", "own"] | None = None,
) -> PlantedPoint:
    """The planted point of one part of a footplant, heel or ball, in consecutive frames."""
    name = f"{plant.label}: {part}" if plant.name else ""
    begin, end = int(frames[0]), int(frames[-1])
    return PlantedPoint(f"{plant.foot} leg", POINT_OF_PART[part], begin, end, location, floor, name)


def merged(plants: Sequence[PlantedPoint]) -> list[PlantedPoint]:
    """The plants, with those of one point that have no given location and no frame between them joined to one."""
    found: list[PlantedPoint] = []
    for plant in sorted(plants, key=lambda plant: (plant.limb, plant.point, plant.begin)):
        before = found[-1] if found else plant
        is_same = all(getattr(before, what) == getattr(plant, what) for what in ("limb", "point", "floor", "turn"))
        is_free = before.location is None and plant.location is None
        if is_same and is_free and before.end + 1 == plant.begin and before.shares_reference(plant):
            found[-1] = replace(before, end=plant.end)
        else:
            found.append(plant)
    return found

# SPDX-License-Identifier: GPL-3.0-or-later
"""Footplants: heel and ball of a foot stand still between four events (Le Callennec 2006, section 4.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Literal

import numpy as np

from ..body.landmarks.proportions import implausible_landmarks
from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray, median
from ..core.errors import ConstraintError, LandmarkError
from ..core.numbers import is_number
from ..core.robust import robust_mean
from ..core.sentences import Frame
from .base import Constraint, Track, three_numbers
from .eases import velocity_blend
from .effectors import Effector, PointEffector
from .foot_roll import ground_roll, roll_effector, standing_roll
from .ground import NEAR, Ground
from .headings import heading_direction, horizontal_unit, turned_about
from .paths import Knot, path_through
from .sampling import active_frames, interpolated, velocity
from .source import Source

SLOPES, SLOPE_ROUNDS = 33, 8
"""The slope of a foot on uneven ground determines where its ends are, and these determine the slope. So many slopes are
tried at once, so many times, each time between the two nearest ones of the time before: the error falls to 32⁻⁸ of the
range, a millionth of a millionth."""


WORDS = {"heel": "heel", "toe": "ball"}
"""The parts of a foot in messages, by their names in `Footplant.stays`."""


@dataclass(frozen=True)
class Foot:
    """Heel and ball of a foot as effectors, and the height of each above the sole."""

    heel: PointEffector
    ball: PointEffector
    heel_clearance: float
    """The height of the heel above the floor when the foot stands flat, in the clip's units: see `Skeleton.soles`."""
    ball_clearance: float
    """The same for the ball."""
    roll: Effector
    """What heel and ball leave free of the foot's orientation: see `roll_effector`."""

    @property
    def ends(self) -> dict[str, PointEffector]:
        """The effectors of heel ("heel") and ball ("toe")."""
        return {"heel": self.heel, "toe": self.ball}

    @property
    def rise(self) -> float:
        """The height of the ball above the heel when the foot stands flat."""
        return self.ball_clearance - self.heel_clearance


@dataclass(frozen=True, eq=False, kw_only=True)
class Footplant(Constraint):
    """A foot stands: the heel from `heel_strike` to `heel_off`, the ball from `toe_strike` to `toe_off`. While both do,
    it does not roll about the line between them.

    Events are times in frames, in any order in which a foot can stand (heel first, ball first, flat). Both events of
    the heel, or both of the ball ("toe"), may be None: a foot that stands on its toes alone has no heel events. By
    default the foot stands at its robust mean place in the source.
    """

    foot: Literal["left", "right"]
    heel_strike: float | None = None
    toe_strike: float | None = None
    heel_off: float | None = None
    toe_off: float | None = None
    position: Any = None
    """(3,) the middle between heel and ball (the planted one, where only one stands); None: as in the source."""
    heading: float | None = None
    """The direction of the foot: radians about the up axis, counter-clockwise seen from above, from the direction that
    characters face at rest (z where y is up, -y where z is up); None: as in the source."""
    height: float | None = None
    """The height of the sole; None: that of the ground, else that of `position`, else as in the source."""
    own_height: bool = False
    """Whether the ground is ignored: without a `height`, the plant stands as high as it would without ground."""
    shift: Any = (0.0, 0.0, 0.0)
    """(3,) added to its place: to move it to the side, to raise it onto a step."""
    turn: float = 0.0
    """Radians added to its heading."""
    ease_in: float | None = None
    """Frames before the first event over which it is blended in; None: a quarter of a second."""
    ease_out: float | None = None
    """Frames after the last event over which it is blended out; None: a quarter of a second."""
    ground_velocity: Any = (0.0, 0.0, 0.0)
    """(3,) the velocity of the ground that it stands on, in the clip's units a second: under a character that walks in
    place the ground moves, and planted feet move with it. `position` is that at the time halfway between the first
    event and the last."""

    contact: tuple[float, float] | None = None
    """The first and the last time at which any part of the foot, toes included, touches the ground, as detection finds
    it; None: not known."""

    constrains_path: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.foot not in ("left", "right"):
            raise ConstraintError(f"{self.name or 'Footplant'}: the foot is 'left' or 'right', not {self.foot!r}.")
        self._check_events()
        for what in ("heading", "height", "turn", "ease_in", "ease_out"):
            value = getattr(self, what)
            if value is not None and not is_number(value):
                raise ConstraintError(f"{self.label}: its {what} must be a finite number, not {value!r}.")
        for what in ("ease_in", "ease_out"):
            if getattr(self, what) is not None and getattr(self, what) < 0:
                raise ConstraintError(f"{self.label}: its {what} cannot be negative.")
        if not isinstance(self.own_height, (bool, np.bool_)):
            raise ConstraintError(f"{self.label}: its own_height is True or False, not {self.own_height!r}.")
        three_numbers(self.label, "its shift", self.shift)
        three_numbers(self.label, "its ground velocity", self.ground_velocity)
        if self.position is not None:
            three_numbers(self.label, "its position", self.position)
        if self.contact is not None:
            times = tuple(self.contact) if isinstance(self.contact, (tuple, list)) else ()
            if len(times) != 2 or not all(is_number(time) for time in times) or times[0] > times[1]:
                raise ConstraintError(
                    f"{self.label}: its contact must be the first and the last time at which the foot touches the "
                    f"ground, not {self.contact!r}."
                )

    @property
    def label(self) -> str:
        if self.name:
            return self.name
        times = [time for time in (self.heel_strike, self.toe_strike) if time is not None]
        at = f" at frame {min(times):g}" if times and all(is_number(time) for time in times) else ""
        return f"Footplant of the {self.foot} foot{at}"

    def _check_events(self) -> None:
        for end, strike, off in (("heel", self.heel_strike, self.heel_off), ("toe", self.toe_strike, self.toe_off)):
            if (strike is None) != (off is None):
                given, missing = ("strike", "off") if off is None else ("off", "strike")
                raise ConstraintError(
                    f"{self.label}: it has a {end} {given} but no {end} {missing}; give both or none."
                )
            if strike is None or off is None:
                continue
            for what, time in ((f"{end} strike", strike), (f"{end} off", off)):
                if not is_number(time):
                    raise ConstraintError(f"{self.label}: its {what} must be a finite number of frames, not {time!r}.")
            if strike > off:
                raise ConstraintError(
                    f"{self.label}: an impossible order of events: the {WORDS[end]} leaves the ground at frame ",
                    Frame(off),
                    ", before it strikes at ",
                    Frame(strike),
                    ".",
                )
        stays = self.stays
        if not stays:
            raise ConstraintError(f"{self.label}: it needs the events of the heel, of the ball, or of both.")
        if len(stays) == 2 and max(begin for begin, _ in stays.values()) > min(end for _, end in stays.values()):
            raise ConstraintError(
                f"{self.label}: an impossible order of events: heel and ball are never on the ground together; make "
                "two plants of it."
            )

    @property
    def stays(self) -> dict[str, tuple[float, float]]:
        """The times at which the "heel" and the ball ("toe"), those that are planted, touch the ground and leave it."""
        both = {"heel": (self.heel_strike, self.heel_off), "toe": (self.toe_strike, self.toe_off)}
        return {part: (begin, end) for part, (begin, end) in both.items() if begin is not None and end is not None}

    @property
    def flat(self) -> tuple[float, float] | None:
        """The times from which and until which heel and ball both touch the ground; None where only one of them is
        planted."""
        begins, ends = zip(*self.stays.values(), strict=True)
        return (max(begins), min(ends)) if len(begins) == 2 else None

    def moved(self, by: Any) -> Footplant:
        """The same plant with three numbers added to its shift."""
        return replace(self, shift=tuple(np.add(self.shift, by).tolist()))

    def later(self, frames: float) -> Footplant:
        """The same plant with all events so many frames later."""
        changed: dict[str, Any] = {}
        for part, (begin, end) in self.stays.items():
            changed |= {f"{part}_strike": begin + frames, f"{part}_off": end + frames}
        if self.contact is not None:
            changed["contact"] = (self.contact[0] + frames, self.contact[1] + frames)
        return replace(self, **changed)

    def turned(self, angle: float) -> Footplant:
        """The same plant with an angle in radians added to its turn about the up axis."""
        return replace(self, turn=self.turn + angle)

    @property
    def is_carried(self) -> bool:
        """Whether the ground that it stands on moves."""
        return bool(np.any(np.asarray(self.ground_velocity, dtype=np.float64) != 0.0))

    def carried(self, seconds: Array) -> Array:
        """(frames, 3) the displacement of the ground from the time halfway between the first event and the last.

        `seconds` (frames,) are the times of the clip's frames.
        """
        times = [time for stay in self.stays.values() for time in stay]
        halfway = np.interp(0.5 * (min(times) + max(times)), np.arange(len(seconds)), seconds)
        return np.asarray((seconds - halfway)[:, None] * np.asarray(self.ground_velocity, dtype=np.float64))

    # On a motion ---------------------------------------------------------------------------------------------------

    def tracks(self, source: Source) -> list[Track]:
        for part, (begin, end) in self.stays.items():
            self.check_time(source, f"its {WORDS[part]} strike", begin)
            self.check_time(source, f"its {WORDS[part]} off", end)
        foot = self._foot(source)
        stand = self._stand(source, foot)
        times = [time for stay in self.stays.values() for time in stay]
        wanted_begin = min(times) - (source.ease if self.ease_in is None else self.ease_in)
        wanted_end = max(times) + (source.ease if self.ease_out is None else self.ease_out)
        begin, end = max(wanted_begin, 0.0), min(wanted_end, source.frames - 1.0)
        frames = active_frames(begin, end)
        if not frames.size:
            raise ConstraintError(
                f"{self.label}: there is no frame between its begin ", Frame(begin), " and its end ", Frame(end), "."
            )

        def standing(effector: Effector, values: Array, place: Array, stay: tuple[float, float], rank: Array) -> Track:
            path = partial(_displacements, values, (wanted_begin, wanted_end), (begin, end), place, stay, source.ease)
            return _Standing(self, effector, frames, values, place, stay, rank, path)

        heel_outranks_ball = self._heel_outranks_ball(frames)
        tracks: list[Track] = []
        for part, outranks_partner in (("heel", heel_outranks_ball), ("toe", 1.0 - heel_outranks_ball)):
            if part in self.stays:
                values = self._values(source, foot.ends[part])
                tracks.append(standing(foot.ends[part], values, stand[part], self.stays[part], outranks_partner))
        if self.flat is not None:
            away = -foot.roll.displacement(source.values(foot.roll), self._roll(source, foot, stand))
            tracks.append(standing(foot.roll, away, np.zeros(3), self.flat, np.full(len(frames), -1.0)))
        return tracks

    def point_tracks(self, source: Source) -> list[Track]:
        """The compiled tracks of heel and ball, those that are planted, without that of the roll."""
        return self.compiled(source)[: len(self.stays)]

    def roll_tracks(self, source: Source) -> list[Track]:
        """The compiled track of the roll; none where only heel or ball is planted."""
        return self.compiled(source)[len(self.stays) :]

    def _values(self, source: Source, effector: PointEffector) -> Array:
        """(frames, 3) the effector's values in the source in a frame that moves with the ground and equals the world
        halfway between the first event and the last; not to be written to."""
        values = source.values(effector)
        return values - self.carried(source.seconds) if self.is_carried else values

    def pair(self, source: Source) -> tuple[PointEffector, PointEffector] | None:
        """Heel and ball where both are planted, else None."""
        foot = self._foot(source)
        return (foot.heel, foot.ball) if len(self.stays) == 2 else None

    def _heel_outranks_ball(self, frames: IntArray) -> Array:
        """(active frames,) 1.0 where the heel ranks above the ball, 0.0 where below: the one that stands alone ranks
        above the other.

        While both stand both are met, so that the change of ranks at the first "off" disturbs nothing (Le Callennec
        2006, section 4.3.2).
        """
        stays = self.stays
        if len(stays) == 1:
            return np.full(len(frames), float("heel" in stays))
        (heel_strike, heel_off), (toe_strike, toe_off) = stays["heel"], stays["toe"]
        comes_first, goes_last = heel_strike <= toe_strike, heel_off > toe_off
        return np.where(frames <= min(heel_off, toe_off), float(comes_first), float(goes_last))

    def _foot(self, source: Source) -> Foot:
        return source.cached(("foot", self.foot), lambda: self._recognised(source))

    def _recognised(self, source: Source) -> Foot:
        skeleton = source.clip.skeleton
        try:
            heel = skeleton.landmarks.require(f"{self.foot}_heel")
            ball = skeleton.landmarks.require(f"{self.foot}_ball")
        except LandmarkError as error:
            raise ConstraintError(f"{self.label}: {error}") from None
        heel, ball = skeleton.resolve(heel), skeleton.resolve(ball)
        wrong = implausible_landmarks(skeleton.landmarks, *skeleton.rest, self.foot)
        if wrong:
            raise ConstraintError(f"{self.label}: {wrong[0]}")
        soles = skeleton.soles
        clearances = soles[f"{self.foot}_heel"], soles[f"{self.foot}_ball"]
        return Foot(PointEffector(heel), PointEffector(ball), *clearances, roll_effector(source, heel, ball))

    def stand(self, source: Source) -> dict[str, Array]:
        """The places of heel ("heel") and ball ("toe"), those that are planted: (3,) each, in world space."""
        return self._stand(source, self._foot(source))

    def soles(self, source: Source) -> dict[str, float]:
        """The heights of the sole under heel ("heel") and ball ("toe"), those that are planted, along the up axis."""
        up, under = source.clip.skeleton.up_axis, self.clearances(source)
        return {part: float(place[up]) - under[part] for part, place in self.stand(source).items()}

    def clearances(self, source: Source) -> dict[str, float]:
        """The heights of heel ("heel") and ball ("toe"), those that are planted, above the floor that they stand on."""
        foot = self._foot(source)
        both = {"heel": foot.heel_clearance, "toe": foot.ball_clearance}
        return {part: both[part] for part in self.stays}

    def _stand(self, source: Source, foot: Foot) -> dict[str, Array]:
        """The places of heel and ball, (3,) each, as far apart as on the character; see `stand`."""
        up = source.clip.skeleton.up_axis
        means = self._means(source, foot)
        if len(means) == 1:
            return {part: self._placed_alone(source, part, mean, foot, up) for part, mean in means.items()}

        assert self.flat is not None
        during = _frames_of(self.flat, source.frames)
        apart = source.values(foot.ball)[during] - source.values(foot.heel)[during]
        length = float(median(rotations.lengths(apart)))
        along = means["toe"] - means["heel"]
        direction = heading_direction(self.heading, up) if self.heading is not None else horizontal_unit(along, up)
        if self.turn:
            direction = turned_about(direction, self.turn, up)
        shift = three_numbers(self.label, "its shift", self.shift)
        middle = 0.5 * (means["heel"] + means["toe"])
        if self.position is not None:
            middle = three_numbers(self.label, "its position", self.position)
        middle = middle + shift
        rise = float(along[up]) if self.position is None else foot.rise
        if self.height is not None:
            ends = _on_the_level(middle, direction, length, np.array(foot.rise), up)
            ends[:, up] += self.height + foot.heel_clearance + shift[up] - ends[0, up]
        else:
            ends = _on_the_level(middle, direction, length, np.array(rise), up)
            if source.ground is not None and not self.own_height:
                ends = _on_ground(source.ground, ends, middle, direction, length, foot, float(shift[up]), up)
        return {"heel": ends[0], "toe": ends[1]}

    def _means(self, source: Source, foot: Foot) -> dict[str, Array]:
        """The robust mean places of heel and ball in the source, (3,) each, those that are planted."""

        def found() -> dict[str, Array]:
            return {part: _mean(self._values(source, foot.ends[part]), stay) for part, stay in self.stays.items()}

        return source.cached(("means", self), found)

    def _roll(self, source: Source, foot: Foot, stand: dict[str, Array]) -> Array:
        """(width,) the value of the foot's roll while it stands flat, given the places of heel and ball there."""
        assert self.flat is not None
        up, ground = source.clip.skeleton.up_axis, source.ground
        values = source.values(foot.roll)[_frames_of(self.flat, source.frames)]
        before, after = (np.stack([places["heel"], places["toe"]]) for places in (self._means(source, foot), stand))
        tilt = 0.0
        if ground is not None and ground.level is None and not self.own_height and self.height is None:
            tilt = ground_roll(ground, after, up)
            gaps = before[:, up] - ground.heights(before, up, np.array([foot.heel_clearance, foot.ball_clearance]))
            if (np.abs(gaps) <= NEAR * source.clip.skeleton.size).all():
                # The source stands on this ground already, and slopes with it.
                tilt -= ground_roll(ground, before, up)
        return standing_roll(foot.roll, values, before, after, tilt, up)

    def _placed_alone(self, source: Source, part: str, mean: Array, foot: Foot, up: int) -> Array:
        """The place (3,) of a part that is planted alone, given its mean place in the source."""
        shift = three_numbers(self.label, "its shift", self.shift)
        place = (mean if self.position is None else three_numbers(self.label, "its position", self.position)) + shift
        clearance = foot.ball_clearance if part == "toe" else foot.heel_clearance
        if self.height is not None:
            place[up] = self.height + shift[up] + clearance
        elif source.ground is not None and not self.own_height:
            height = float(source.ground.heights(place[None], up, clearance)[0])
            if not np.isnan(height):
                place[up] = height + shift[up]
        return place


class _Standing(Track):
    """A track that stands in one place. Its path before and after the stay is computed only when it is needed: between
    two plants of a foot, which are connected directly, it is not."""

    _frames: IntArray
    _values: Array
    _stand: Array
    _path: Callable[[IntArray], Array]

    def __init__(
        self,
        constraint: Constraint,
        effector: Effector,
        frames: IntArray,
        values: Array,
        stand: Array,
        stay: tuple[float, float],
        outranks_partner: Array,
        path: Callable[[IntArray], Array],
    ) -> None:
        """The place `stand` (3,) during a stay, of an effector with source values `values` (frames of the clip, 3).

        `path` gives the displacements at some frames (n,), also during the stay.
        """
        for name, value in (
            ("constraint", constraint),
            ("effector", effector),
            ("begin", int(frames[0])),
            ("hold_intervals", (stay,)),
            ("outranks_partner", outranks_partner),
            ("_frames", frames),
            ("_values", values),
            ("_stand", stand),
            ("_path", path),
        ):
            object.__setattr__(self, name, value)

    @cached_property
    def displacement(self) -> Array:
        return self._path(self._frames)

    @property
    def end(self) -> int:
        return int(self._frames[-1])

    def part(self, first: int, last: int) -> Array:
        ((begin, end),) = self.hold_intervals
        if begin <= first and last <= end:
            return self._stand - self._values[first : last + 1]
        return super().part(first, last)


def _displacements(
    values: Array,
    wanted: tuple[float, float],
    activity: tuple[float, float],
    stand: Array,
    stay: tuple[float, float],
    ease: float,
    frames: IntArray,
) -> Array:
    """(frames, 3) the displacements of an effector before, during and after its stay.

    `activity` is the part of the interval `wanted` that lies within the clip.
    """
    displacement = path_through("condensed", values, *activity, [Knot(stand, *stay)], frames, ease) - values[frames]
    # Where the clip begins or ends before the plant is blended in or out, there is no source to blend with.
    if wanted[0] < activity[0]:
        _keep_displacement(displacement, values, stand, stay[0], frames, ease, frames < stay[0])
    if wanted[1] > activity[1]:
        _keep_displacement(displacement, values, stand, stay[1], frames, ease, frames > stay[1])
    return displacement


def _keep_displacement(
    displacement: Array, values: Array, stand: Array, time: float, frames: IntArray, ease: float, where: BoolArray
) -> None:
    """Write the displacement that a standing effector has at a time to the frames marked in `where` too.

    There the effector moves as the source does; the source's velocity is blended in or out within `ease` frames.
    """
    elapsed = frames[where] - time
    inside = -1 if elapsed.max(initial=-1.0) > 0 else 1
    taken_up = np.sign(elapsed)[:, None] * velocity_blend(np.abs(elapsed), ease) * velocity(values, time, inside)
    displacement[where] = stand - interpolated(values, time) - taken_up


def _mean(values: Array, stay: tuple[float, float]) -> Array:
    return robust_mean(values[_frames_of(stay, len(values))])


def _frames_of(stay: tuple[float, float], frames: int) -> IntArray:
    """The frames of a stay; the nearest frame where it has none."""
    during = active_frames(*stay)
    return during if during.size else np.array([min(round(stay[0]), frames - 1)])


def _on_the_level(middle: Array, direction: Array, length: float, rise: Array, up: int) -> Array:
    """(2, …, 3) two ends at a distance `length` around a middle, the second one `rise` (…) higher."""
    rise = np.clip(rise, -length, length)[..., None]
    half = 0.5 * (np.sqrt(length**2 - rise**2) * direction + rise * np.eye(3)[up])
    return np.stack([middle - half, middle + half])


def _on_ground(
    ground: Ground, free: Array, middle: Array, direction: Array, length: float, foot: Foot, lift: float, up: int
) -> Array:
    """(2, 3) the places of heel and ball on the ground, `lift` above it, given those without ground, `free` (2, 3).

    Where only one of them has ground under it, or where there is an edge between them, the foot is as steep as without
    ground, and the one that is nearer to its ground stands on it. Where neither has ground, the result is `free`.
    """
    rise = _rise_on(ground, middle, direction, length, foot, up)
    ends = _on_the_level(middle, direction, length, np.array(foot.rise if rise is None else rise), up)
    if rise is not None and not ground.has_edge(ends, length, up):
        ends[:, up] += ground.heights(ends[:1], up, foot.heel_clearance)[0] + lift - ends[0, up]
        return ends
    gaps = ground.heights(free, up, np.array([foot.heel_clearance, foot.ball_clearance])) + lift - free[:, up]
    if np.isnan(gaps).all():
        return free
    ends = free.copy()
    ends[:, up] += gaps[np.nanargmin(np.abs(gaps))]
    return ends


def _rise_on(ground: Ground, middle: Array, direction: Array, length: float, foot: Foot, up: int) -> float | None:
    """The height of the ball above the heel where both stand on the ground; of several solutions the most level one.

    A foot that points straight up has its ball above the ground, one that points straight down below it: the solution
    lies between. None where the ground ends under the foot.
    """
    if ground.level is not None:
        return foot.rise
    lowest, highest = -length, length
    for _ in range(SLOPE_ROUNDS):
        rises = np.linspace(lowest, highest, SLOPES)
        ends = _on_the_level(middle, direction, length, rises, up)
        heel = ground.heights(ends[0], up, foot.heel_clearance)
        ball = ground.heights(ends[1], up, foot.ball_clearance)
        is_below = rises <= ball - heel
        stands = np.flatnonzero(
            is_below[:-1] & ~is_below[1:] & ~np.isnan(ball - heel)[:-1] & ~np.isnan(ball - heel)[1:]
        )
        if not stands.size:
            if np.isnan(ball - heel).any():
                return None
            break
        stand = stands[np.argmin(np.abs(rises[stands] - foot.rise))]
        lowest, highest = rises[stand], rises[stand + 1]
    return 0.5 * float(lowest + highest)

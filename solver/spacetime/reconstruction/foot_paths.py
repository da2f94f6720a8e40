# SPDX-License-Identifier: GPL-3.0-or-later
"""The paths of feet after an edit: exactly in their places while they stand, with their handles while they swing.

A foot is displaced as a rigid body: every point of it keeps its place relative to the source's foot. While it stands,
the displacement is that of its plant. While it swings, it is that of the foot's handle, corrected by what the handle is
off in the plants before and after; the correction leads smoothly from one to the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...body.clip import Clip
from ...body.joints import SIDES, BodyPoint
from ...constraints.eases import bridge, velocity_blend
from ...constraints.footplant import Footplant
from ...constraints.sampling import active_frames
from ...core import rotations
from ...core.arrays import Array, BoolArray, IntArray
from ...core.errors import ConstraintError
from ...core.numbers import is_number
from ...core.sentences import Frame
from ...core.smooth_steps import smooth_step
from ..handles.full_body import FullBody
from ..handles.handle import Handle, MidpointHandle, PointHandle
from ..handles.handle_tracks import HandleTrack
from .time_warp import sampled_spline

PARTS = ("ball", "heel", "ankle", "toe_tip", "toe")
"""Landmarks of a foot whose handles say where it swings, the best ones first."""

EASE = 0.1
"""Seconds before and after a stance within which a foot becomes firm, and is no longer."""

SAME_TIME = 1e-6
"""Frames: times that are nearer are the same, but for rounding."""

BLENDED = 0.25
"""Seconds within which the velocity that a correction has at the end of a stance vanishes."""


@dataclass(frozen=True, kw_only=True)
class PlantedFoot:
    """A foot of the full character stands in the result: its heel, its ball, or both, each in its own time."""

    foot: Literal["left", "right"]
    heel: tuple[float, float] | None = None
    """The times, in frames of the result, from which and until which the heel stands; None: it does not."""
    ball: tuple[float, float] | None = None
    """The same of the ball."""
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """How far its place is displaced from that in the source, in the clip's units."""
    turn: float = 0.0
    """Radians by which it is turned about the vertical, counter-clockwise seen from above, about its own place."""
    name: str = ""
    """Its name in messages."""

    def __post_init__(self) -> None:
        if self.foot not in SIDES:
            raise ConstraintError(f"A planted foot is the 'left' or the 'right' one, not {self.foot!r}.")
        if not self.stays:
            raise ConstraintError(f"{self.label}: it needs the times of the heel, of the ball, or of both.")
        for part, stay in self.stays.items():
            times = tuple(stay) if isinstance(stay, (tuple, list)) else ()
            if len(times) != 2 or not all(is_number(time) for time in times) or times[0] > times[1]:
                raise ConstraintError(f"{self.label}: the {part} stands from one time until a later one, not {stay!r}.")
        shift = np.asarray(self.shift, dtype=np.float64)
        if shift.shape != (3,) or not np.isfinite(shift).all():
            raise ConstraintError(f"{self.label}: its shift must be three finite numbers, not {self.shift!r}.")
        object.__setattr__(self, "shift", tuple(shift.tolist()))
        if not is_number(self.turn):
            raise ConstraintError(f"{self.label}: its turn must be a finite number, not {self.turn!r}.")

    @staticmethod
    def of(plant: Footplant, shift: Any = (0.0, 0.0, 0.0), turn: float = 0.0) -> PlantedFoot:
        """The foot of a footplant, with times in frames of the result, displaced from the source."""
        stays = plant.stays
        return PlantedFoot(
            foot=plant.foot, heel=stays.get("heel"), ball=stays.get("toe"), shift=shift, turn=turn, name=plant.name
        )

    @property
    def stays(self) -> dict[str, tuple[float, float]]:
        """The times of "heel" and "ball", of those that stand."""
        both = {"heel": self.heel, "ball": self.ball}
        return {part: stay for part, stay in both.items() if stay is not None}

    @property
    def begin(self) -> float:
        """When the first part begins to stand."""
        return min(begin for begin, _ in self.stays.values())

    @property
    def end(self) -> float:
        """When the last part ends to stand."""
        return max(end for _, end in self.stays.values())

    @property
    def label(self) -> str:
        """Its name in messages."""
        return self.name or f"The planted {self.foot} foot"

    @property
    def is_still(self) -> bool:
        """Whether it stands where the source does."""
        return not any(self.shift) and self.turn == 0.0

    def frames(self, part: str, frames: int) -> IntArray:
        """The frames of a clip of so many in which a part stands; the nearest one where it is too short for any."""
        return _frames_of(self.stays[part], frames)

    def check(self, frames: int) -> None:
        """Raise unless its times lie within a result of so many frames."""
        for time in (time for stay in self.stays.values() for time in stay):
            if not 0 <= time <= frames - 1:
                raise ConstraintError(
                    f"{self.label}: its time ", Frame(time), " lies outside the result, whose frames are ",
                    Frame(0), " to ", Frame(frames - 1), ".",
                )  # fmt: skip


@dataclass(frozen=True, eq=False)
class SourceFeet:
    """Where the feet of a source are in every frame of the result."""

    clip: Clip
    """The source with the frames of the result, and with feet where they were before limbs got other lengths."""
    heels: Mapping[str, Array]
    """(frames, 3) by side, of the sides that the source has; so are `balls`."""
    balls: Mapping[str, Array]

    @staticmethod
    def of(clip: Clip) -> SourceFeet:
        """The feet as a clip has them."""
        heels, balls = (
            {side: clip.world.point(point) for side in SIDES if (point := _landmark(clip, side, part)) is not None}
            for part in ("heel", "ball")
        )
        return SourceFeet(clip, heels, balls)

    @staticmethod
    def sampled(source: Clip, times: Array, sampled: Clip, plants: Sequence[PlantedFoot]) -> SourceFeet:
        """The feet of a source that is sampled at times (frames,), in its own frames.

        Between two frames rotations are interpolated joint by joint, so that a foot which stands exactly still in
        every frame wanders a little in the sampled clip: by 3e-4 of the size at 30 frames a second. While a part
        stands, its place is therefore interpolated between the places that it has in the frames of its stance.
        """
        feet = SourceFeet.of(sampled)
        if np.array_equal(times, np.round(times)):
            return feet
        known = SourceFeet.of(source)
        heels = {
            side: _still(places, known.heels[side], times, plants, side, "heel", source.fps)
            for side, places in feet.heels.items()
        }
        balls = {
            side: _still(places, known.balls[side], times, plants, side, "ball", source.fps)
            for side, places in feet.balls.items()
        }
        for side in {*heels, *balls}:
            if side in heels and side in balls and _is_rigid(sampled, side):
                # As far from each other as they are: between frames straight ways would shorten a foot that turns.
                apart = rotations.lengths(feet.heels[side] - feet.balls[side])[:, None]
                heels[side] = balls[side] + apart * rotations.unit(heels[side] - balls[side])
        return SourceFeet(sampled, heels, balls)


@dataclass(frozen=True, eq=False)
class FootPath:
    """Where one foot is to be in every frame."""

    foot: Literal["left", "right"]
    heel: BodyPoint
    """With its joint as an index; so is `ball`."""
    ball: BodyPoint
    heel_places: Array
    """(frames, 3) in the world; so are `ball_places`."""
    ball_places: Array
    turns: Array
    """(frames, 4) the rotation from the source's foot, in the world."""
    orientations: Array
    """(frames, 4) of the heel's joint, in the world."""
    heel_firmness: Array
    """(frames,) 1 while the heel stands, 0 while it swings, between them around a stance; so is `ball_firmness`."""
    ball_firmness: Array

    @property
    def points(self) -> tuple[tuple[BodyPoint, Array], tuple[BodyPoint, Array]]:
        """Heel and ball, each with its places (frames, 3)."""
        return (self.heel, self.heel_places), (self.ball, self.ball_places)

    def place(self, source: Array, values: Array) -> Array:
        """(frames, 3) where a point of the foot is to be, given its places (frames, 3), and those of the ball (frames,
        3), in the source."""
        return self.ball_places + rotations.rotate(self.turns, values - source)


def foot_paths(
    feet: SourceFeet, tracks: Sequence[HandleTrack], plants: Sequence[PlantedFoot], headings: Array
) -> dict[str, FootPath]:
    """The path of each foot that is planted or has a handle, by its side.

    `headings` (frames, 4) are the rotations of the body about the vertical.
    """
    paths = {}
    for side in SIDES:
        own = sorted((plant for plant in plants if plant.foot == side), key=lambda plant: plant.begin)
        swings = _handle_displacement(feet.clip, tracks, side, headings)
        if own or swings is not None:
            paths[side] = _path(feet, side, own, swings, headings)
    return paths


def is_foot_handle(handle: Handle) -> bool:
    """Whether a handle only says where feet are: a point of a foot, or the middle between those of both."""
    return _foot_part(handle) is not None


def _foot_part(handle: Handle) -> tuple[tuple[str, ...], str] | None:
    """The sides and the part that a foot's handle is about; None for other handles."""
    if isinstance(handle, MidpointHandle):
        first, second = (_foot_part(each) for each in handle.parts)
        if first is None or second is None or first[1] != second[1] or {*first[0], *second[0]} != set(SIDES):
            return None
        return SIDES, first[1]
    if isinstance(handle, PointHandle):
        side, _, part = handle.point.partition("_")
        if side in SIDES and part in PARTS:
            return (side,), part
    return None


def _handle_displacement(source: Clip, tracks: Sequence[HandleTrack], side: str, headings: Array) -> Array | None:
    """(frames, 3) the displacement of a foot's ball by its handle; None where it has none. Both feet turn about the
    middle between them, where that is the handle (Popović 1999, section 6.5.3)."""
    found = [(track, _foot_part(track.handle)) for track in tracks]
    own = [(PARTS.index(part[1]), track) for track, part in found if part is not None and side in part[0]]
    if not own:
        return None
    track = min(own, key=lambda each: each[0])[1]
    body = FullBody(source.world)
    ball, values = body.point(f"{side}_ball"), track.handle.value(body)
    moved = track.displaced(values, headings, headings)
    return np.asarray(moved + rotations.rotate(headings, ball - values) - ball)


def _path(
    feet: SourceFeet, side: str, plants: Sequence[PlantedFoot], swings: Array | None, headings: Array
) -> FootPath:
    source, skeleton, frames = feet.clip, feet.clip.skeleton, feet.clip.frames
    heel, ball = (skeleton.resolve(skeleton.landmarks.require(f"{side}_{part}")) for part in ("heel", "ball"))
    heels, balls = feet.heels[side], feet.balls[side]
    turned = headings if swings is not None else np.tile(rotations.IDENTITY, (frames, 1))
    moved = np.zeros((frames, 3)) if swings is None else swings
    stances: list[IntArray] = []
    offs, turn_offs = [], []
    for plant in plants:
        during = _frames_of((plant.begin, plant.end), frames)
        if stances and during[0] <= stances[-1][-1]:
            raise ConstraintError(
                f"{plant.label}: it begins at frame ", Frame(plant.begin), ", before the one before it has ended; a "
                "foot stands in one place at a time.",
            )  # fmt: skip
        turn = rotations.exp(plant.turn * np.eye(3)[skeleton.up_axis])
        pivot = _pivot(plant, heels, balls)
        stand = pivot + rotations.rotate(turn, balls[during] - pivot) + np.asarray(plant.shift) - balls[during]
        stances.append(during)
        offs.append(stand - moved[during])
        turn_offs.append(rotations.log(rotations.quotient(np.tile(turn, (len(during), 1)), turned[during])))
    correction = _continued(stances, offs, frames, BLENDED * source.fps)
    turning = _continued(stances, turn_offs, frames, BLENDED * source.fps)
    turns = np.where(turning.any(axis=1)[:, None], rotations.multiply(rotations.exp(turning), turned), turned)
    places = balls + (moved + correction)
    joint = int(heel.joint)
    return FootPath(
        side,  # type: ignore[arg-type]
        heel,
        ball,
        places + rotations.rotate(turns, heels - balls),
        places,
        turns,
        rotations.multiply(turns, source.world.rotations[:, joint]),
        _firmness(plants, "heel", frames, source.fps),
        _firmness(plants, "ball", frames, source.fps),
    )


def _landmark(clip: Clip, side: str, part: str) -> BodyPoint | None:
    """The heel or the ball of a foot, with its joint as an index; None where the character has none."""
    found = getattr(clip.skeleton.landmarks, f"{side}_{part}")
    return None if found is None else clip.skeleton.resolve(found)


def _is_rigid(clip: Clip, side: str) -> bool:
    heel, ball = _landmark(clip, side, "heel"), _landmark(clip, side, "ball")
    return heel is not None and ball is not None and clip.skeleton.is_rigid(heel, ball)


def _still(
    sampled: Array, places: Array, times: Array, plants: Sequence[PlantedFoot], side: str, part: str, fps: float
) -> Array:
    """(frames, 3) places of a part of a foot in a clip that was sampled at times (frames,), given those that it has in
    the sampled clip (frames, 3), and those of the source (frames of the source, 3), which it has while it stands."""
    own = [plant for plant in plants if plant.foot == side and part in plant.stays]
    own.sort(key=lambda plant: plant.stays[part][0])
    stances = [plant.frames(part, len(times)) for plant in own]
    offs = []
    for plant, during in zip(own, stances, strict=True):
        begin, end = np.interp(plant.stays[part], np.arange(len(times)), times)
        first = min(int(np.ceil(begin - SAME_TIME)), len(places) - 1)
        last = max(int(np.floor(end + SAME_TIME)), first)
        inside = np.clip(times[during] - first, 0.0, float(last - first))
        # A spline through the frames of the stance alone: the swing before and after does not reach in.
        offs.append(sampled_spline(places[first : last + 1], inside) - sampled[during])
    return sampled + _continued(stances, offs, len(times), BLENDED * fps)


def _pivot(plant: PlantedFoot, heels: Array, balls: Array) -> Array:
    """(3,) the place in the source about which a plant is turned: the mean middle between heel and ball while both
    stand, else that of the part that stands."""
    places = {"heel": heels, "ball": balls}
    if len(plant.stays) == 1:
        (part,) = plant.stays
        return np.asarray(places[part][plant.frames(part, len(heels))].mean(axis=0))
    begins, ends = zip(*plant.stays.values(), strict=True)
    during = _frames_of((max(begins), max(min(ends), max(begins))), len(heels))
    return np.asarray(0.5 * (heels + balls)[during].mean(axis=0))


def _continued(stances: Sequence[IntArray], values: Sequence[Array], frames: int, ease: float) -> Array:
    """(frames, 3) values that are given in stances, each (frames of it, 3), and lead smoothly from one to the next;
    before the first and after the last one they stay."""
    whole = np.zeros((frames, 3))
    if not stances:
        return whole
    slopes = [(own[1] - own[0], own[-1] - own[-2]) if len(own) > 1 else (np.zeros(3), np.zeros(3)) for own in values]
    for during, own in zip(stances, values, strict=True):
        whole[during] = own
    first, last = int(stances[0][0]), int(stances[-1][-1])
    before, after = np.arange(first), np.arange(last + 1, frames)
    whole[before] = values[0][0] - velocity_blend(first - before, ease) * slopes[0][0]
    whole[after] = values[-1][-1] + velocity_blend(after - last, ease) * slopes[-1][1]
    for number in range(len(stances) - 1):
        begin, end = int(stances[number][-1]), int(stances[number + 1][0])
        between = np.arange(begin + 1, end)
        whole[between] = bridge(
            between, begin, end, values[number][-1], values[number + 1][0], slopes[number][1], slopes[number + 1][0],
            min(ease, 0.5 * (end - begin)),
        )  # fmt: skip
    return whole


def _firmness(plants: Sequence[PlantedFoot], part: str, frames: int, fps: float) -> Array:
    """(frames,) 1 while a part stands, falling to 0 within `EASE` before and after."""
    firmness, times = np.zeros(frames), np.arange(frames)
    for plant in plants:
        if part in plant.stays:
            during = plant.frames(part, frames)
            away = np.maximum(np.maximum(during[0] - times, times - during[-1]), 0)
            firmness = np.maximum(firmness, 1.0 - smooth_step(away / (EASE * fps)))
    return firmness


def standing(plants: Sequence[PlantedFoot], side: str, part: str, frames: int) -> BoolArray:
    """(frames,) where a part of a foot stands."""
    mask = np.zeros(frames, dtype=bool)
    for plant in plants:
        if plant.foot == side and part in plant.stays:
            mask[plant.frames(part, frames)] = True
    return mask


def _frames_of(stay: tuple[float, float], frames: int) -> IntArray:
    during = active_frames(*stay)
    return during if during.size else np.array([min(round(stay[0]), frames - 1)])

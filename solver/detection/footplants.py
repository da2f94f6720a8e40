# SPDX-License-Identifier: GPL-3.0-or-later
"""The footplants of a motion, found without templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint
from ..body.landmarks.proportions import implausible_landmarks
from ..body.moving_ground import ground_velocity, over_ground
from ..body.skeleton import Skeleton
from ..constraints import Footplant, Source
from ..core import rotations
from ..core.arrays import Array, IntArray, median
from ..core.errors import LandmarkError
from ..deformation.loops import Loop, is_cyclic
from ..deformation.metric import largest_accelerations
from ..deformation.plant_transitions import LARGEST_CUT, hold_windows
from .contact import with_contact
from .rest_intervals import RestInterval, is_at_apex, leading, rest_intervals
from .settings import DEFAULT_FOOTPLANTS, FootplantSettings
from .stances import Stance, stances_of_foot

SomeFootplant = TypeVar("SomeFootplant", bound=Footplant)

STOPPED_SHARE = 0.7
"""Share of its largest acceleration with which a heel, or a ball, may come to rest within a frame. Feet of a capture
slide as they land; without a limit 5 more of 100 clips jump by more than 1.5 (public CMU library, subjects 1 to 60).
With 0.5, 2 fewer of 60 clips jump, but plants of the labelled run 09_01 are cut too short (F1 0.90 instead of 0.94)."""

LONGEST_STOP = 1.0 / 30.0
"""Seconds by which an event is moved at most: about what events that are placed by eye are sure to."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DetectedFootplant(Footplant):
    """A footplant that was found in a motion, with the confidence of its detection."""

    confidence: float = 1.0
    """From 0, a guess, to 1."""


def detect_footplants(clip: Clip, settings: FootplantSettings = DEFAULT_FOOTPLANTS) -> list[DetectedFootplant]:
    """The footplants of a motion, in the order in which they begin, ready to be used as constraints.

    Heel and ball of each foot are at rest where they are slow for the noise of the clip itself; a foot that hovers
    while the other one rests lower is not planted. A heel, or a ball, that is never at rest has no events. A character
    whose feet are not known has no footplants; landmarks that no foot can have raise an error. The `contact` of a plant
    is from the first to the last frame in which any part of its foot touches the ground, toes included: it encloses the
    events, and the foot still rolls over its toes after `toe_off`.

    Under a character that walks in place the ground moves (see `ground_velocity`), and feet rest on it. Where the clip
    is a loop, a foot that rests while it starts again has two plants: one up to the end, one from the first frame on.

    Plants begin and end where a foot can come to rest and leave it without a jolt (`without_fast_ends`), and those of
    one foot leave time for the way between their places (`with_time_between`).
    """
    return with_time_between(without_fast_ends(resting_footplants(clip, settings), clip), clip)


def resting_footplants(clip: Clip, settings: FootplantSettings = DEFAULT_FOOTPLANTS) -> list[DetectedFootplant]:
    """As `detect_footplants`, with all frames in which a foot rests: plants of one foot may follow each other at once,
    where its ball rests while the heel is put down elsewhere."""
    velocity = ground_velocity(clip)
    if not velocity.any():
        return [_footplant(stance) for stance in _in_order(_stances(clip, settings))]
    velocity_tuple = (float(velocity[0]), float(velocity[1]), float(velocity[2]))
    if is_cyclic(clip):
        found = _in_loop(Loop.of(clip), settings)
    else:
        found = [_footplant(stance) for stance in _in_order(_stances(over_ground(clip, velocity), settings))]
    return [replace(plant, ground_velocity=velocity_tuple) for plant in found]


def without_fast_ends(plants: Sequence[SomeFootplant], clip: Clip) -> list[SomeFootplant]:
    """The plants without the first and the last frames in which heel, or ball, still slides too fast: to stand there it
    would have to stop within a frame by more than `STOPPED_SHARE` of the largest acceleration that it has in the clip.
    At most `LONGEST_STOP`, and a third of the stay, is left out at either end."""
    limits: dict[tuple[str, str], tuple[Array, float]] = {}
    found = []
    for plant in plants:
        events: dict[str, Any] = {}
        for part, (strike, off) in plant.stays.items():
            if (plant.foot, part) not in limits:
                limits[plant.foot, part] = _steps_and_limit(plant, part, clip)
            steps, limit = limits[plant.foot, part]
            most = min(int(LARGEST_CUT * (off - strike)), round(LONGEST_STOP * clip.fps))
            inside = steps[int(np.ceil(strike)) : int(off)] > limit
            events[f"{part}_strike"] = strike + leading(inside[:most])
            events[f"{part}_off"] = off - leading(inside[::-1][:most])
        begin = max(events[f"{part}_strike"] for part in plant.stays)
        found.append(replace(plant, **events) if begin <= min(events[f"{part}_off"] for part in plant.stays) else plant)
    return found


def _steps_and_limit(plant: Footplant, part: str, clip: Clip) -> tuple[Array, float]:
    """(frames - 1,) how far heel or ball moves over its ground from each frame to the next, and the longest step from
    which it can stop within a frame."""
    name = "heel" if part == "heel" else "ball"
    places = clip.position(clip.skeleton.landmarks.require(f"{plant.foot}_{name}"))
    velocities = np.diff(places, axis=0) - np.asarray(plant.ground_velocity) / clip.fps
    return rotations.lengths(velocities), STOPPED_SHARE * float(largest_accelerations(places[:, None], clip)[0])


def with_time_between(plants: Sequence[SomeFootplant], clip: Clip) -> list[SomeFootplant]:
    """The plants with time for the way from each to the next one of the same foot: both end, or begin, where the foot
    is nearest to its place, so that it can be held there in all of their frames without a jolt (`hold_windows`).

    A plant that is shorter stands elsewhere, so this is repeated until no plant gives up a frame.
    """
    source, found = Source(clip), list(plants)
    while windows := {id(plant): window for plant, window in hold_windows(found, source)}:
        found = [_within(plant, *windows[id(plant)]) if id(plant) in windows else plant for plant in found]
    return found


def _within(plant: SomeFootplant, begin: float, end: float) -> SomeFootplant:
    """A plant whose events lie within a window, without a part that lies outside."""
    events: dict[str, Any] = {}
    for part, (strike, off) in plant.stays.items():
        is_inside = strike <= end and off >= begin
        events[f"{part}_strike"] = max(strike, begin) if is_inside else None
        events[f"{part}_off"] = min(off, end) if is_inside else None
    return replace(plant, **events)


def _in_order(stances: Sequence[Stance]) -> list[Stance]:
    return sorted(stances, key=lambda stance: (stance.begin, stance.foot))


def _footplant(stance: Stance) -> DetectedFootplant:
    heel, ball = stance.heel, stance.ball
    return DetectedFootplant(
        foot=stance.foot,
        heel_strike=None if heel is None else heel.begin,
        heel_off=None if heel is None else heel.end,
        toe_strike=None if ball is None else ball.begin,
        toe_off=None if ball is None else ball.end,
        contact=stance.contact,
        confidence=max(part.confidence for part in stance.parts),
    )


# Loops on moving ground ----------------------------------------------------------------------------------------------


def _in_loop(loop: Loop, settings: FootplantSettings) -> list[DetectedFootplant]:
    """The footplants of a loop on moving ground, found in the repeated loop, so that its ends cut no plant."""
    repeated = over_ground(loop.repeated, loop.ground_velocity, loop.seconds)
    first, after = loop.first, loop.first + loop.frames
    found = []
    for stance in _stances(repeated, settings):
        if first <= stance.begin < after:
            found += [_part_in_copy(loop, stance, copy) for copy in (0, 1) if copy == 0 or stance.end >= after]
    plants = [_footplant(stance) for stance in _in_order([stance for stance in found if stance is not None])]
    return [_until_the_end(plant, loop) for plant in plants] if loop.closes else plants


def _until_the_end(plant: DetectedFootplant, loop: Loop) -> DetectedFootplant:
    """A plant of a loop whose last frame repeats the first one; where the foot still rests in the frame before, its
    events are moved to the last frame, or to the time before it at which the loop starts again."""
    last = min(loop.period, loop.clip.frames - 1.0)
    events: dict[str, Any] = {f"{part}_off": last for part, (_, off) in plant.stays.items() if off >= loop.frames - 1}
    if plant.contact is not None and plant.contact[1] >= loop.frames - 1:
        events["contact"] = (plant.contact[0], last)
    return replace(plant, **events)


def _part_in_copy(loop: Loop, stance: Stance, copy: int) -> Stance | None:
    """The part of a stance of the repeated loop that lies in its middle copy (0) or in the one after it (1), in frames
    of the loop; None where it has none."""
    first, last = loop.first + copy * loop.frames, loop.first + (copy + 1) * loop.frames - 1
    heel, ball = (
        replace(part, begin=max(part.begin, first) - first, end=min(part.end, last) - first)
        if part is not None and part.begin <= last and part.end >= first
        else None
        for part in (stance.heel, stance.ball)
    )
    if heel is None and ball is None:
        return None
    begin, end = stance.contact or (stance.begin, stance.end)
    return Stance(stance.foot, heel, ball, (max(begin, first) - first, min(end, last) - first))


# Stances over ground that does not move ------------------------------------------------------------------------------


def _stances(clip: Clip, settings: FootplantSettings) -> list[Stance]:
    """The stances of both feet that support the body, with their contacts, over ground that does not move."""
    return with_contact(supporting_stances(clip, settings), clip, settings)


def supporting_stances(clip: Clip, settings: FootplantSettings = DEFAULT_FOOTPLANTS) -> list[Stance]:
    """The stances of both feet that support the body, over ground that does not move."""
    found: list[Stance] = []
    marks, size, up = clip.skeleton.landmarks, clip.skeleton.size, clip.skeleton.up_axis
    shortest = round(settings.rest.shortest * clip.fps)
    for foot in ("left", "right"):
        heel, ball = getattr(marks, f"{foot}_heel"), getattr(marks, f"{foot}_ball")
        if heel is None or ball is None:
            continue
        _check_proportions(clip.skeleton, foot)
        heels = rest_intervals(clip, _point(heel), "first", settings.rest)
        balls = rest_intervals(clip, _point(ball), "last", settings.rest)
        heel_heights, ball_heights = (clip.position(part)[:, up] for part in (heel, ball))
        lift = settings.lift_height * size
        heels, balls = without_lifts(heels, heel_heights, balls, lift), without_lifts(balls, ball_heights, heels, lift)
        rises = heel_rises(clip, foot)
        heels = [each for each in heels if _median(rises, each) < settings.heel_rise * size]
        heels, balls = (
            [each for each in part if not _is_short_apex(each, heights, clip, settings)]
            for part, heights in ((heels, heel_heights), (balls, ball_heights))
        )
        stances = stances_of_foot(foot, heels, balls, up, lift, shortest)
        found += [stance for stance in stances if can_support(stance, clip, rises, settings)]
    return without_hovering(found, clip, settings)


def _check_proportions(skeleton: Skeleton, foot: str) -> None:
    """Raise where a landmark of a foot lies where no foot has it: its rest would mean nothing."""
    rest_rotations, rest_positions = skeleton.rest
    wrong = implausible_landmarks(skeleton.landmarks, rest_rotations, rest_positions, foot)
    if wrong:
        raise LandmarkError(wrong[0])


def _is_short_apex(interval: RestInterval, heights: Array, clip: Clip, settings: FootplantSettings) -> bool:
    """Whether a heel, or a ball, at heights (frames,) only reverses at the apex of a hop in a short interval."""
    span = interval.begin, interval.end
    short = interval.frames < settings.hover_time * clip.fps
    return short and is_at_apex(heights, span, clip.fps, clip.skeleton.size, settings.rest)


def without_lifts(
    intervals: Sequence[RestInterval], heights: Array, others: Sequence[RestInterval], lift: float
) -> list[RestInterval]:
    """The rest intervals of heel or ball, trimmed at both ends where it is lifted while the other one is at rest.

    `heights` (frames,) are its own; it is lifted where it is more than `lift` above its median in the interval. While
    the other one is not at rest the foot rolls over this one, which is not trimmed.
    """
    other_rests = np.zeros(len(heights), dtype=bool)
    for interval in others:
        other_rests[interval.begin : interval.end + 1] = True
    kept = []
    for interval in intervals:
        within = slice(interval.begin, interval.end + 1)
        planted = np.flatnonzero((heights[within] <= median(heights[within]) + lift) | ~other_rests[within])
        kept.append(replace(interval, begin=interval.begin + int(planted[0]), end=interval.begin + int(planted[-1])))
    return kept


def can_support(stance: Stance, clip: Clip, rises: Array, settings: FootplantSettings = DEFAULT_FOOTPLANTS) -> bool:
    """Whether a stance can support the body: it is below the hips, and a ball that rests alone is not above its heel.

    `rises` (frames,) are the `heel_rises` of the foot.
    """
    skeleton, up = clip.skeleton, clip.skeleton.up_axis
    hips = skeleton.landmarks.hips
    if hips is not None:
        heights = clip.world.positions[stance.begin : stance.end + 1, hips, up]
        if float(median(heights)) < stance.height(up) + settings.hover_height * skeleton.size:
            return False
    if stance.heel is not None or stance.ball is None:
        return True
    return _median(rises, stance.ball) > -settings.heel_rise * skeleton.size


def heel_rises(clip: Clip, foot: str) -> Array:
    """(frames,) how much higher above the ball the heel is than in a flat foot, in the clip's units."""
    skeleton, up = clip.skeleton, clip.skeleton.up_axis
    rest_rotations, rest_positions = skeleton.rest
    rises = []
    for part in ("heel", "ball"):
        point = skeleton.resolve(getattr(skeleton.landmarks, f"{foot}_{part}"))
        joint = skeleton.index(point.joint)
        flat = rest_positions[joint] + rotations.rotate(rest_rotations[joint], point.local)
        rises.append(clip.world.point(point)[:, up] - flat[up])
    return rises[0] - rises[1]


def _point(mark: int | BodyPoint) -> BodyPoint:
    return mark if isinstance(mark, BodyPoint) else BodyPoint(mark)


def _median(values: Array, interval: RestInterval) -> float:
    return float(median(values[interval.begin : interval.end + 1]))


def without_hovering(
    stances: Sequence[Stance], clip: Clip, settings: FootplantSettings = DEFAULT_FOOTPLANTS
) -> list[Stance]:
    """The stances without those in which a foot hovers: a lower one covers nearly all of its frames, or it is short and
    all stances shortly before and after are lower."""
    if not stances:
        return []
    up, margin = clip.skeleton.up_axis, settings.hover_height * clip.skeleton.size
    window = settings.hover_window * clip.fps
    begins, ends = (np.array([getattr(stance, name) for stance in stances]) for name in ("begin", "end"))
    heights = np.array([stance.height(up) for stance in stances])
    kept = []
    for number, stance in enumerate(stances):
        lower = heights < heights[number] - margin
        meanwhile = lower & (begins <= stance.end) & (ends >= stance.begin)
        if meanwhile.any() and _covered_share(stance, begins[meanwhile], ends[meanwhile]) >= settings.covered_share:
            continue
        near = np.abs(begins - stance.end) <= window, np.abs(ends - stance.begin) <= window
        is_short = stance.frames < settings.hover_time * clip.fps
        neighbours = (near[0] | near[1]) & (np.arange(len(stances)) != number)
        if is_short and all((lower & each).any() for each in near) and lower[neighbours].all():
            continue
        kept.append(stance)
    return kept


def _covered_share(stance: Stance, begins: IntArray, ends: IntArray) -> float:
    """The share of a stance's frames that lie within at least one of the intervals from `begins` to `ends` (n,)."""
    frames = np.arange(stance.begin, stance.end + 1)[:, None]
    return float(((frames >= begins) & (frames <= ends)).any(axis=1).mean())

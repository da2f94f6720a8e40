# SPDX-License-Identifier: GPL-3.0-or-later
"""The footplants of a motion, found without any example."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint
from ..body.landmarks.proportions import implausible_landmarks
from ..body.moving_ground import ground_velocity, over_ground
from ..body.skeleton import Skeleton
from ..constraints import Footplant
from ..core import rotations
from ..core.arrays import Array, median
from ..core.errors import LandmarkError
from ..deformation.loops import Loop, is_cyclic
from .stays import SHORTEST, Stay, stays

IN_THE_AIR = 0.08
"""Sizes of the character by which a foot is above another that stands meanwhile, or before and after, to hover."""

RAISED = 0.02
"""Sizes of the character by which a heel, or a ball, is higher than it stands to be lifted while the foot stands: as
far as captured heels rise and sink in one plant."""

TIPPED = 0.04
"""Sizes of the character by which a heel is above the floor of the ball to be raised, even if it is still: runners hold
it so. It is a slope of 11 degrees; on steeper ones, downhill, heels are not seen to stand."""

COVERED = 0.95
"""The share of its time for which another foot must stand lower: on stairs the higher foot remains alone, sooner or
later, and carries the body."""

HOVERS = 0.25
"""Seconds: a foot at the height of a jump seems to stand for less."""

HOP, HOP_HEIGHT = 0.3, 0.04
"""Seconds before and after within which what seems to stand at the top of a hop is lower, and by how many sizes of the
character."""

BETWEEN = 0.6
"""Seconds before and after within which a foot that hovers between two plants stands lower."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DetectedFootplant(Footplant):
    """A footplant that was found in a motion: a footplant like any other, which says how sure it is."""

    confidence: float = 1.0
    """From 0, a guess, to 1."""


@dataclass(frozen=True)
class Plant:
    """Heel and ball of one foot, those that stand, while they stand together."""

    foot: Literal["left", "right"]
    heel: Stay | None
    toe: Stay | None

    @property
    def parts(self) -> list[Stay]:
        return [part for part in (self.heel, self.toe) if part is not None]

    @property
    def begin(self) -> int:
        return min(part.begin for part in self.parts)

    @property
    def end(self) -> int:
        return max(part.end for part in self.parts)

    @property
    def frames(self) -> int:
        return self.end - self.begin + 1

    def height(self, up: int) -> float:
        """How high its lower part stands."""
        return min(part.place[up] for part in self.parts)


def detect_footplants(clip: Clip) -> list[DetectedFootplant]:
    """The footplants of a motion, in the order in which they begin, ready to be constraints.

    Heel and ball of each foot stand where they are still for the noise that the clip itself shows; a foot that only
    hovers while the other stands lower does not count. A heel, or a ball, that never stands has no events. A character
    whose feet are not known has no footplants; one whose feet cannot be where they are said to be is an error.

    Under a character that walks in place the ground moves (see `ground_velocity`), and feet stand on it. Where the clip
    is a loop, a foot that stands while it begins again has two plants: one up to the end, one from the first frame on.
    """
    velocity = ground_velocity(clip)
    if not velocity.any():
        return [_footplant(plant) for plant in _in_order(_plants(clip))]
    carried = (float(velocity[0]), float(velocity[1]), float(velocity[2]))
    if is_cyclic(clip):
        found = _in_loop(Loop.of(clip))
    else:
        found = [_footplant(plant) for plant in _in_order(_plants(over_ground(clip, velocity)))]
    return [replace(plant, ground_velocity=carried) for plant in found]


def _in_order(plants: Sequence[Plant]) -> list[Plant]:
    return sorted(plants, key=lambda plant: (plant.begin, plant.foot))


def _in_loop(loop: Loop) -> list[DetectedFootplant]:
    """The footplants of a loop on moving ground, found in its copies: nothing begins or ends where they meet."""
    repeated = over_ground(loop.repeated, loop.ground_velocity, loop.seconds)
    first, after = loop.first, loop.first + loop.frames
    found = []
    for plant in _plants(repeated):
        if first <= plant.begin < after:
            found += [_shown_in(loop, plant, copy) for copy in (0, 1) if copy == 0 or plant.end >= after]
    shown = [_footplant(plant) for plant in _in_order([plant for plant in found if plant is not None])]
    return [_until_the_end(plant, loop) for plant in shown] if loop.closes else shown


def _until_the_end(plant: DetectedFootplant, loop: Loop) -> DetectedFootplant:
    """A plant of a loop whose last frame is the first one again; if the foot stands on then, up to that frame, or to
    the time before it at which the loop begins again."""
    last = min(loop.period, loop.clip.frames - 1.0)
    offs: dict[str, Any] = {f"{part}_off": last for part, (_, off) in plant.stays.items() if off >= loop.frames - 1}
    return replace(plant, **offs)


def _shown_in(loop: Loop, plant: Plant, copy: int) -> Plant | None:
    """What a plant of a repeated loop has in the copy in the middle (0), or in the one after it (1); in the loop's
    frames."""
    first, last = loop.first + copy * loop.frames, loop.first + (copy + 1) * loop.frames - 1
    heel, toe = (
        replace(stay, begin=max(stay.begin, first) - first, end=min(stay.end, last) - first)
        if stay is not None and stay.begin <= last and stay.end >= first
        else None
        for stay in (plant.heel, plant.toe)
    )
    return Plant(plant.foot, heel, toe) if heel is not None or toe is not None else None


def _plants(clip: Clip) -> list[Plant]:
    """The plants of a motion over ground that is still."""
    plants: list[Plant] = []
    marks, size, up = clip.skeleton.landmarks, clip.skeleton.size, clip.skeleton.up_axis
    for foot in ("left", "right"):
        heel, toe = getattr(marks, f"{foot}_heel"), getattr(marks, f"{foot}_ball")
        if heel is None or toe is None:
            continue
        _check_proportions(clip.skeleton, foot)
        heels, toes = stays(clip, _point(heel), "first"), stays(clip, _point(toe), "last")
        heel_heights, toe_heights = (clip.position(part)[:, up] for part in (heel, toe))
        heels, toes = (
            lowered(heels, heel_heights, toes, RAISED * size),
            lowered(toes, toe_heights, heels, RAISED * size),
        )
        rises = heel_rises(clip, foot)
        heels = [stay for stay in heels if _median(rises, stay) < TIPPED * size]
        heels, toes = (
            [stay for stay in part if not _passes_by(stay, heights, clip)]
            for part, heights in ((heels, heel_heights), (toes, toe_heights))
        )
        found = paired(foot, heels, toes, up, RAISED * size, round(SHORTEST * clip.fps))
        plants += [plant for plant in found if carries(plant, clip, rises)]
    return grounded(plants, clip)


def _check_proportions(skeleton: Skeleton, foot: str) -> None:
    """Raise where a point of a foot is where no body has it: what stands there means nothing."""
    rest_rotations, rest_positions = skeleton.rest
    wrong = implausible_landmarks(skeleton.landmarks, rest_rotations, rest_positions, foot)
    if wrong:
        raise LandmarkError(wrong[0])


def _passes_by(stay: Stay, heights: Array, clip: Clip) -> bool:
    """Whether a heel, or a ball, at these heights (frames,) only turns round in the air."""
    short = stay.end - stay.begin + 1 < HOVERS * clip.fps
    return short and tops_a_hop(heights, (stay.begin, stay.end), clip.fps, clip.skeleton.size)


def tops_a_hop(heights: Array, span: tuple[int, int], fps: float, size: float) -> bool:
    """Whether what has these heights (frames,) comes up to where it is from the first to the last frame of a span, and
    goes down again."""
    (begin, end), around = span, round(HOP * fps)
    beside = heights[max(begin - around, 0) : begin + 1], heights[end : end + around + 1]
    return max(float(each.min()) for each in beside) < float(median(heights[begin : end + 1])) - HOP_HEIGHT * size


def lowered(standing: Sequence[Stay], heights: Array, others: Sequence[Stay], raised: float) -> list[Stay]:
    """Stays of heel or ball without their begins and ends in which it is `raised` while the other one stands.

    `heights` (frames,) are its own. It comes down on, and is lifted over, the other one, however slowly; where the
    other one does not stand, it is what the foot rolls over itself.
    """
    carried = np.zeros(len(heights), dtype=bool)
    for stay in others:
        carried[stay.begin : stay.end + 1] = True
    kept = []
    for stay in standing:
        within = slice(stay.begin, stay.end + 1)
        stands = np.flatnonzero((heights[within] <= median(heights[within]) + raised) | ~carried[within])
        kept.append(replace(stay, begin=stay.begin + int(stands[0]), end=stay.begin + int(stands[-1])))
    return kept


def paired(
    foot: Literal["left", "right"],
    heels: Sequence[Stay],
    toes: Sequence[Stay],
    up: int,
    raised: float,
    shortest: int = 1,
) -> list[Plant]:
    """The plants of a foot from when its heel and its ball stand; in a plant both stand together, where both do.

    Where one of them stands through while the other is lifted and put down, that is two plants, cut midway; what is cut
    to less than `shortest` frames is dropped. What is held still higher than it stands before or after, by more than
    `raised` along the axis `up`, does not stand.
    """
    events = sorted([(stay, True) for stay in heels] + [(stay, False) for stay in toes], key=lambda each: each[0].begin)
    plants: list[Plant] = []
    group: list[tuple[Stay, bool]] = []
    for stay, is_heel in events:
        if group and stay.begin > max(each.end for each, _ in group):
            plants += _separated(foot, _lowest(group, up, raised), shortest)
            group = []
        group.append((stay, is_heel))
    return plants + (_separated(foot, _lowest(group, up, raised), shortest) if group else [])


def _lowest(group: list[tuple[Stay, bool]], up: int, raised: float) -> list[tuple[Stay, bool]]:
    """Without the stays of heel or ball in which it is higher than in its longest one: the foot stands on one floor."""
    longest = {
        part: max((stay for stay, is_heel in group if is_heel is part), key=lambda stay: stay.end - stay.begin)
        for part in {is_heel for _, is_heel in group}
    }
    return [(stay, is_heel) for stay, is_heel in group if stay.place[up] <= longest[is_heel].place[up] + raised]


def _separated(foot: Literal["left", "right"], group: list[tuple[Stay, bool]], shortest: int) -> list[Plant]:
    """The plants of stays that follow each other without a pause: cut midway between any two stays of the same part."""
    heels, toes = ([stay for stay, is_heel in group if is_heel is wanted] for wanted in (True, False))
    more, fewer = (heels, toes) if len(heels) >= len(toes) else (toes, heels)
    cuts = [(one.end + other.begin) // 2 for one, other in itertools.pairwise(more)]
    for one, other in itertools.pairwise(fewer):
        if not any(one.end <= cut < other.begin for cut in cuts):
            cuts.append((one.end + other.begin) // 2)
    cuts.sort()
    begins = [min(stay.begin for stay, _ in group), *(cut + 1 for cut in cuts)]
    ends = [*cuts, max(stay.end for stay, _ in group)]
    plants = []
    for begin, end in zip(begins, ends, strict=True):
        heel, toe = (_within(part, begin, end, shortest) for part in (heels, toes))
        # What does not stand together is two plants.
        if heel is not None and toe is not None and heel.begin <= toe.end and toe.begin <= heel.end:
            plants.append(Plant(foot, heel, toe))
            continue
        plants += [Plant(foot, heel, None)] if heel is not None else []
        plants += [Plant(foot, None, toe)] if toe is not None else []
    return plants


def _within(standing: list[Stay], begin: int, end: int, shortest: int) -> Stay | None:
    """The longest of some stays, as far as it lies between two frames, and whole or not too short."""
    clipped = [
        (stay, replace(stay, begin=max(stay.begin, begin), end=min(stay.end, end)))
        for stay in standing
        if stay.end >= begin and stay.begin <= end
    ]
    kept = [cut for whole, cut in clipped if cut == whole or cut.end - cut.begin + 1 >= shortest]
    return max(kept, key=lambda stay: stay.end - stay.begin, default=None)


def carries(plant: Plant, clip: Clip, rises: Array) -> bool:
    """Whether the character may stand on it: it is below the hips, and a ball that stands alone is below its heel.

    `rises` (frames,) are those of the heel of this foot.
    """
    skeleton, up = clip.skeleton, clip.skeleton.up_axis
    hips = skeleton.landmarks.hips
    if hips is not None:
        heights = clip.world.positions[plant.begin : plant.end + 1, hips, up]
        if float(median(heights)) < plant.height(up) + IN_THE_AIR * skeleton.size:
            return False
    if plant.heel is not None or plant.toe is None:
        return True
    return _median(rises, plant.toe) > -TIPPED * skeleton.size


def heel_rises(clip: Clip, foot: str) -> Array:
    """(frames,) how much higher above the ball the heel is than in a flat foot."""
    skeleton, up = clip.skeleton, clip.skeleton.up_axis
    turned, placed = skeleton.rest
    rises = []
    for part in ("heel", "ball"):
        point = skeleton.resolve(getattr(skeleton.landmarks, f"{foot}_{part}"))
        joint = skeleton.index(point.joint)
        flat = placed[joint] + rotations.rotate(turned[joint], point.local)
        rises.append(clip.world.point(point)[:, up] - flat[up])
    return rises[0] - rises[1]


def _point(mark: int | BodyPoint) -> BodyPoint:
    return mark if isinstance(mark, BodyPoint) else BodyPoint(mark)


def _median(values: Array, stay: Stay) -> float:
    return float(median(values[stay.begin : stay.end + 1]))


def grounded(plants: Sequence[Plant], clip: Clip) -> list[Plant]:
    """Those on which the character stands, without feet that only hold still in the air."""
    up, margin = clip.skeleton.up_axis, IN_THE_AIR * clip.skeleton.size
    if not plants:
        return []
    begins, ends = (np.array([getattr(plant, name) for plant in plants]) for name in ("begin", "end"))
    heights = np.array([plant.height(up) for plant in plants])
    kept = []
    for number, plant in enumerate(plants):
        lower = heights < heights[number] - margin
        meanwhile = lower & (begins <= plant.end) & (ends >= plant.begin)
        if meanwhile.any() and _covered(plant, begins[meanwhile], ends[meanwhile]) >= COVERED:
            continue
        near = np.abs(begins - plant.end) <= BETWEEN * clip.fps, np.abs(ends - plant.begin) <= BETWEEN * clip.fps
        hovers = plant.frames < HOVERS * clip.fps and all((lower & each).any() for each in near)
        if hovers and lower[(near[0] | near[1]) & (np.arange(len(plants)) != number)].all():
            continue
        kept.append(plant)
    return kept


def _covered(plant: Plant, begins: Array, ends: Array) -> float:
    """The share of a plant's frames in which at least one of others, from their begins to their ends, stands too."""
    frames = np.arange(plant.begin, plant.end + 1)[:, None]
    return float(((frames >= begins) & (frames <= ends)).any(axis=1).mean())


def _footplant(plant: Plant) -> DetectedFootplant:
    heel, toe = plant.heel, plant.toe
    return DetectedFootplant(
        foot=plant.foot,
        heel_strike=None if heel is None else heel.begin,
        heel_off=None if heel is None else heel.end,
        toe_strike=None if toe is None else toe.begin,
        toe_off=None if toe is None else toe.end,
        confidence=max(part.confidence for part in plant.parts),
    )

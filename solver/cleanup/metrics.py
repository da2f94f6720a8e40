# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of planted feet and of the legs between plants, by which cleaning methods are compared.

All lengths are in sizes of the character and all times in seconds, so that the metrics do not depend on scale,
position, heading and frame rate of a clip. Frames before the first plant do not count: a captured clip may begin with a
calibration pose. Faults of the capture do not count as jumps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint
from ..body.skeleton import Skeleton
from ..constraints import Footplant, Ground
from ..constraints.sampling import active_frames
from ..core import rotations
from ..core.arrays import Array, IntArray, dilated
from ..core.errors import ConstraintError
from ..core.sentences import Frame
from ..detection import CaptureFault, faulty_joints, find_faults

LEG_IN_METRES = 0.9
"""Hip to heel of the people on whom skating is measured in metres."""
LOW = 0.05 / LEG_IN_METRES
"""Sizes of the character that the ball of a planted foot may be off its plant's own height and still skate (5 cm)."""
SKATES = 0.5 / LEG_IN_METRES
"""Horizontal speed in sizes a second above which it then counts as skating (0.5 m/s)."""
SKATING_MEAN = 5
"""Frames over which the mean speed must exceed that as well: a single frame is no skating."""

POP_PERCENTILE, POP_TIMES = 99.0, 2.0
"""A knee pops where its angular acceleration exceeds so many times this percentile of the source's: smooth motion of a
knee stays well below, a jump by a few degrees does not."""

INVISIBLE = 1e-4 / LEG_IN_METRES
"""Sizes of the character: smaller lengths, below a tenth of a millimetre, are shown as 0."""

SPEED_PERCENTILE = 95.0
"""Of the speeds within a plant: the largest is often that of a single frame at its begin or end."""

CALIBRATION_FRAMES = 3
"""Frames at the begin of a clip in which jumps do not count: a captured clip may begin with a calibration pose."""
JUMPS = 1.5
"""A joint that accelerates more than this many times as much as in the source jumps to the eye."""
STILL = 2e-3
"""Legs a frame squared: jumps of joints that the source accelerates by less are relative to this, because an invisible
movement of a still joint would have any ratio."""


@dataclass(frozen=True)
class PlantMetrics:
    """Metrics of one footplant: of heel and ball, if both are planted, those of the worse one."""

    foot: str
    begin: int
    """The first frame in which heel or ball is planted."""
    end: int
    """The last one."""
    slide: float
    """The length of the point's path while it is planted, in sizes."""
    extent: float
    """The largest distance of the point from the mean of that path, in sizes."""
    speed: float
    """The 95th percentile of its speed, in sizes a second."""
    height: float
    """The mean height of the sole above the ground, in sizes; negative below it."""
    penetration: float
    """The largest depth of heel, ball or toe tip below the ground, in sizes."""


@dataclass(frozen=True)
class JointJump:
    """The largest jump of any joint's place."""

    ratio: float
    """The largest second difference of the joint's place over frames, divided by the source's; 0 in a short clip."""
    legs: float
    """That second difference in legs, from hip to ankle."""
    joint: str
    frame: int

    def __str__(self) -> str:
        return f"{self.joint} at frame {self.frame}: {self.ratio:.2f} times the source's acceleration"


@dataclass(frozen=True)
class FootMetrics:
    """Metrics of all plants of a clip, and of its legs."""

    plants: tuple[PlantMetrics, ...]
    slide: float
    """Mean over the plants, in sizes."""
    largest_slide: float
    extent: float
    """The largest, in sizes."""
    speed: float
    """The 95th percentile over all frames in which a heel or ball is planted, in sizes a second."""
    height: float
    """The largest of the plants' mean heights, without its sign, in sizes."""
    penetration: float
    """The largest depth of heels, balls and toe tips in any frame, in sizes."""
    skating_ratio: float
    """The share of the frames with planted balls in which a ball skates: near its plant's own height, now and in the
    next frame, and fast. Its speed and the mean of five speeds exceed the limit."""
    knee_acceleration: float
    """The largest angular acceleration of a knee, in radians a second squared."""
    knee_ratio: float
    """The same divided by the source's; 1 without a source."""
    knee_pops: int
    """The number of frames in which a knee pops."""
    stretch: float
    """The largest change of length of a leg's bone from the skeleton's, as a share of the bone."""
    mean_stretch: float
    """The mean of these changes over frames and bones."""
    jump: JointJump
    """The largest jump of a joint, compared with the source, and the joint and frame of it."""
    faults: tuple[CaptureFault, ...]
    """Faults of the source's capture: in their frames the faulty joints do not jump."""

    def worse_than(self, before: FootMetrics) -> tuple[str, ...]:
        """The names of figures that warn of what cleaning has made worse: `skating_ratio`, `knee_pops`, `jump`."""
        rises = {
            "skating_ratio": round(self.skating_ratio, 3) > round(before.skating_ratio, 3),
            "knee_pops": self.knee_pops > before.knee_pops,
            "jump": self.jump.ratio > JUMPS,
        }
        return tuple(name for name, rose in rises.items() if rose)

    def warnings(self, before: FootMetrics, times: Sequence[float] | None = None) -> list[str]:
        """A sentence for each figure of `worse_than`, with frames as `times` (frames,) has them."""
        jump = self.jump
        frame = jump.frame if times is None else times[jump.frame]
        sentences = {
            "skating_ratio": f"Feet skate in {self.skating_ratio:.1%} of their planted frames, "
            f"{before.skating_ratio:.1%} before.",
            "knee_pops": f"Knees pop in {self.knee_pops} frames, {before.knee_pops} before; try another method.",
            "jump": f"{jump.joint!r} jumps at frame {frame:g}: it accelerates {jump.ratio:.1f} times as much as in the "
            "source.",
        }
        return [sentences[name] for name in self.worse_than(before)]

    @property
    def shown(self) -> FootMetrics:
        """These metrics with 0 for lengths and speeds too small to be seen: a tenth of a millimetre (a second)."""
        return replace(_shown(self, LENGTHS), plants=tuple(_shown(plant, PLANT_LENGTHS) for plant in self.plants))

    def as_dict(self) -> dict[str, Any]:
        """The metrics as numbers, lists and dictionaries, for JSON."""
        return asdict(self) | {"plants": [asdict(plant) for plant in self.plants]}

    def __str__(self) -> str:
        lines = [
            f"{len(self.plants)} plants: they slide {_percent(self.slide)} of the leg's length on average, "
            f"{_percent(self.largest_slide)} at most",
            f"  off their middle   {_percent(self.extent)} at most",
            f"  speed              {_percent(self.speed)} a second (95th percentile)",
            f"  off the ground     {_percent(self.height)} at most, {_percent(self.penetration)} below it",
            f"  skating ratio      {100.0 * self.skating_ratio:.1f} % of the planted frames",
            f"  knees              {self.knee_acceleration:.1f} rad/s² at most, {self.knee_ratio:.2f} times the "
            f"source's, {self.knee_pops} pops",
            f"  stretch            {_percent(self.stretch)} at most, {_percent(self.mean_stretch)} on average",
            f"  jumps              {self.jump}",
        ]
        lines += [f"  fault of the capture, {fault}" for fault in self.faults]
        lines += [
            f"  {plant.foot:<5} {plant.begin:>5} to {plant.end:<5} slides {_percent(plant.slide)}, "
            f"{_percent(plant.speed)} a second, {_percent(plant.height)} high"
            for plant in self.plants
        ]
        return "\n".join(lines)


PLANT_LENGTHS = ("slide", "extent", "speed", "height", "penetration")
LENGTHS = (*PLANT_LENGTHS, "largest_slide")
"""Figures in sizes of the character, or in sizes a second."""

_Metrics = TypeVar("_Metrics", PlantMetrics, FootMetrics)


def _shown(metrics: _Metrics, lengths: Iterable[str]) -> _Metrics:
    invisible: dict[str, Any] = {name: 0.0 for name in lengths if abs(getattr(metrics, name)) < INVISIBLE}
    return replace(metrics, **invisible)


def foot_metrics(
    clip: Clip,
    plants: Iterable[Footplant],
    *,
    source: Clip | None = None,
    ground: Ground | None = None,
    faults: Iterable[CaptureFault] | None = None,
) -> FootMetrics:
    """The metrics of a clip's feet in these plants.

    Knees and jumps are compared with those of `source`, the clip before cleaning; without it, with themselves. Heights
    are above `ground`; without one, each plant has a ground of its own, at the median height of its sole, and the
    ground between two plants is the lower one of theirs. Paths and speeds in plants with a ground velocity are relative
    to that ground. `faults` are those of the source's capture; without them they are found (`find_faults`).
    """
    kept = tuple(plants)
    _check(clip, kept, source)
    feet = [_Foot.of(clip, side, kept, ground) for side in ("left", "right") if _has_foot(clip.skeleton, side)]
    by_side = {foot.side: foot for foot in feet}
    measured = tuple(_measured(plant, by_side[plant.foot], clip) for plant in kept)
    first = min((plant.begin for plant in measured), default=0)
    speeds = [speed for plant in kept for speed in _speeds(plant, by_side[plant.foot], clip)]
    accelerations = _knee_accelerations(clip, first)
    before = accelerations if source is None else _knee_accelerations(source, first)
    stretches = _stretches(clip, first)
    known = tuple(find_faults(source or clip) if faults is None else faults)
    return FootMetrics(
        plants=measured,
        slide=_mean(plant.slide for plant in measured),
        largest_slide=_largest(plant.slide for plant in measured),
        extent=_largest(plant.extent for plant in measured),
        speed=float(np.percentile(np.concatenate(speeds), SPEED_PERCENTILE)) if speeds else 0.0,
        height=_largest(abs(plant.height) for plant in measured),
        penetration=_largest(float(np.max(foot.depths[first:], initial=0.0)) for foot in feet),
        skating_ratio=_skating_ratio(kept, by_side, clip),
        knee_acceleration=float(accelerations.max(initial=0.0)),
        knee_ratio=_ratio(float(accelerations.max(initial=0.0)), float(before.max(initial=0.0))),
        knee_pops=_pops(accelerations, before),
        stretch=float(stretches.max(initial=0.0)),
        mean_stretch=float(stretches.mean()) if stretches.size else 0.0,
        jump=joint_jumps(source or clip, clip, faults=known),
        faults=known,
    )


def joint_jumps(source: Clip, result: Clip, *, faults: Iterable[CaptureFault] = ()) -> JointJump:
    """The joint that a result accelerates most, relative to the same joint in the source.

    For each joint, the largest second difference of its world position over frames, along any axis, is divided by that
    of the source, which counts as 0.2 % of the leg's length, from hip to ankle, at least. The first three frames do not
    count, nor do those of the source's `faults` for the faulty joints.
    """
    _check(result, (), source)
    if result.frames < CALIBRATION_FRAMES + 3:
        return JointJump(0.0, 0.0, result.skeleton.names[0], 0)
    before, after = (
        np.abs(np.diff(each.world.positions[CALIBRATION_FRAMES:], 2, axis=0)).max(axis=2) for each in (source, result)
    )
    counted = ~dilated(faulty_joints(source, faults), 1)[CALIBRATION_FRAMES + 1 : -1]
    leg = _hip_to_ankle(source.skeleton)
    after *= counted
    ratios = after.max(axis=0) / np.maximum((before * counted).max(axis=0), STILL * leg)
    joint = int(ratios.argmax())
    worst = int(after[:, joint].argmax())
    amount = float(after[worst, joint]) / leg
    return JointJump(float(ratios[joint]), amount, result.skeleton.names[joint], worst + CALIBRATION_FRAMES + 1)


# Feet ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Foot:
    """The points of one foot in every frame, in sizes of the character."""

    side: str
    points: dict[str, Array]
    """(frames, 3) positions of "heel" and "toe", which is the ball, by the names of a footplant's stays."""
    heights: dict[str, Array]
    """(frames,) heights above the ground of the sole under each of them."""
    depths: Array
    """(frames,) depth below the ground of the lowest of heel, ball and toe tip; 0 above it."""

    @staticmethod
    def of(clip: Clip, side: str, plants: Sequence[Footplant], ground: Ground | None) -> _Foot:
        skeleton, size, up = clip.skeleton, clip.skeleton.size, clip.skeleton.up_axis
        named = {"heel": f"{side}_heel", "toe": f"{side}_ball", "toe_tip": f"{side}_toe_tip"}
        marks = {part: _mark(skeleton, name) for part, name in named.items()}
        places = {part: clip.position(mark) for part, mark in marks.items() if mark is not None}
        clearance = {part: skeleton.soles[named[part]] / size for part in places}
        floors = _floors(clip, side, plants, places, clearance, ground)
        heights = {part: places[part][:, up] / size - clearance[part] - floors[part] for part in places}
        lowest = np.min([heights[part] for part in places], axis=0)
        return _Foot(
            side,
            points={part: places[part] / size for part in ("heel", "toe")},
            heights=heights,
            depths=np.maximum(-lowest, 0.0),
        )


def _floors(
    clip: Clip,
    side: str,
    plants: Sequence[Footplant],
    places: dict[str, Array],
    clearance: dict[str, float],
    ground: Ground | None,
) -> dict[str, Array]:
    """(frames,) the height at which each point stands on the ground, without its clearance, in sizes; where there is no
    ground, that of the plants."""
    size, up = clip.skeleton.size, clip.skeleton.up_axis
    if ground is not None:
        heights = {
            part: ground.heights(place, up, clearance[part] * size) / size - clearance[part]
            for part, place in places.items()
        }
        if not any(np.isnan(each).any() for each in heights.values()):
            return heights
        own = _floors(clip, side, plants, places, clearance, None)
        return {part: np.where(np.isnan(each), own[part], each) for part, each in heights.items()}
    standing = []
    for plant in plants:
        if plant.foot != side:
            continue
        soles = [
            places[part][_during(stay, clip.frames), up] / size - clearance[part] for part, stay in plant.stays.items()
        ]
        standing.append((*_span(plant, clip.frames), float(np.median(np.concatenate(soles)))))
    if not standing:
        lowest = min(float(place[:, up].min()) / size - clearance[part] for part, place in places.items())
        return {part: np.full(clip.frames, lowest) for part in places}
    return dict.fromkeys(places, _lower_of_neighbours(sorted(standing), clip.frames))


def _lower_of_neighbours(standing: Sequence[tuple[int, int, float]], frames: int) -> Array:
    """(frames,) the level of each plant (begin, end, level) in its frames, and between two plants the lower one."""
    begins, ends, levels = (np.array(values) for values in zip(*standing, strict=True))
    before = np.searchsorted(begins, np.arange(frames), side="right") - 1
    after = np.searchsorted(ends, np.arange(frames), side="left")
    inner = np.minimum(levels[np.maximum(before, 0)], levels[np.minimum(after, len(levels) - 1)])
    return np.where(before < 0, levels[0], np.where(after >= len(levels), levels[-1], inner))


def _measured(plant: Footplant, foot: _Foot, clip: Clip) -> PlantMetrics:
    begin, end = _span(plant, clip.frames)
    paths = _paths(plant, foot, clip)
    heights = [foot.heights[part][_during(stay, clip.frames)] for part, stay in plant.stays.items()]
    return PlantMetrics(
        foot=plant.foot,
        begin=begin,
        end=end,
        slide=_largest(float(rotations.lengths(np.diff(path, axis=0)).sum()) for path in paths.values()),
        extent=_largest(float(rotations.lengths(path - path.mean(axis=0)).max()) for path in paths.values()),
        speed=_largest(float(np.percentile(speeds, SPEED_PERCENTILE)) for speeds in _speeds(plant, foot, clip)),
        height=float(np.concatenate(heights).mean()),
        penetration=float(foot.depths[begin : end + 1].max()),
    )


def _speeds(plant: Footplant, foot: _Foot, clip: Clip) -> list[Array]:
    """(frames - 1,) each: the speeds of heel and ball, if planted for two frames or more, in sizes a second."""
    paths = _paths(plant, foot, clip).values()
    return [rotations.lengths(np.diff(path, axis=0)) * clip.fps for path in paths if len(path) > 1]


def _paths(plant: Footplant, foot: _Foot, clip: Clip) -> dict[str, Array]:
    """(frames of its stay, 3) each: the paths of heel and ball, those that are planted, relative to the ground."""
    points = {part: foot.points[part] for part in plant.stays}
    if plant.is_carried:
        ground = plant.carried(np.arange(clip.frames) / clip.fps) / clip.skeleton.size
        points = {part: places - ground for part, places in points.items()}
    return {part: points[part][_during(stay, clip.frames)] for part, stay in plant.stays.items()}


def _skating_ratio(plants: Sequence[Footplant], feet: dict[str, _Foot], clip: Clip) -> float:
    """See `FootMetrics.skating_ratio`."""
    up = clip.skeleton.up_axis
    skating = planted = 0
    for plant in plants:
        ball = _paths(plant, feet[plant.foot], clip).get("toe")
        if ball is None or len(ball) < 2:
            continue
        low = np.abs(ball[:, up] - np.median(ball[:, up])) < LOW
        speeds = np.hypot(*np.delete(np.diff(ball, axis=0), up, axis=1).T) * clip.fps
        means = np.convolve(speeds, np.full(SKATING_MEAN, 1.0 / SKATING_MEAN), mode="full")
        # Centred; speeds beyond the ends of the plant count as 0.
        means = means[SKATING_MEAN // 2 :][: len(speeds)]
        skating += int((low[:-1] & low[1:] & (speeds > SKATES) & (means > SKATES)).sum())
        planted += len(speeds)
    return skating / planted if planted else 0.0


# Legs ---------------------------------------------------------------------------------------------------------------


def _knee_accelerations(clip: Clip, first: int) -> Array:
    """(frames - 2, knees) angular accelerations from frame `first` on, in radians a second squared."""
    marks = clip.skeleton.landmarks
    knees = [knee for knee in (marks.left_knee, marks.right_knee) if knee is not None]
    local = clip.motion.rotations[first:, knees]
    if len(local) < 3:
        return np.zeros((0, len(knees)))
    velocities = rotations.log(rotations.quotient(local[1:], local[:-1]))
    return rotations.lengths(np.diff(velocities, axis=0)) * clip.fps**2


def _pops(accelerations: Array, before: Array) -> int:
    """The number of frames whose accelerations (frames, knees) exceed `POP_TIMES` the percentile of those before."""
    if not before.size:
        return 0
    usual = np.percentile(before, POP_PERCENTILE, axis=0)
    return int((accelerations > POP_TIMES * usual).any(axis=1).sum())


def _stretches(clip: Clip, first: int) -> Array:
    """(frames, bones) the share by which each bone from hip to ball is longer or shorter than the skeleton's."""
    joints = _leg_bones(clip.skeleton)
    lengths = rotations.lengths(clip.skeleton.offsets[joints])
    joints, lengths = joints[lengths > 0.0], lengths[lengths > 0.0]
    return np.abs(rotations.lengths(clip.motion.translations[first:, joints]) / lengths - 1.0)


def _hip_to_ankle(skeleton: Skeleton) -> float:
    """The mean length of thigh and shank together, in the clip's units; the size of a character without legs."""
    lengths = []
    for side in ("left", "right"):
        hip, knee, ankle, _ = skeleton.landmarks.leg(side)
        if hip is not None and knee is not None and ankle is not None:
            lengths.append(float(rotations.lengths(np.diff(skeleton.rest[1][[hip, knee, ankle]], axis=0)).sum()))
    return _mean(lengths) or skeleton.size


def _leg_bones(skeleton: Skeleton) -> IntArray:
    """The joints below the hips down to the balls, whose translations are the bones of the legs."""
    bones: list[int] = []
    for side in ("left", "right"):
        hip, _, ankle, toe = skeleton.landmarks.leg(side)
        last = ankle if toe is None else toe
        if hip is None or last is None:
            continue
        chain = skeleton.tree.chain(last)
        bones += chain[: chain.index(hip)] if hip in chain else ()
    return np.array(sorted(bones), dtype=np.int64)


# Checks and frames of plants ------------------------------------------------------------------------------------------


def _check(clip: Clip, plants: Sequence[Footplant], source: Clip | None) -> None:
    for plant in plants:
        if not isinstance(plant, Footplant):
            raise ConstraintError(f"Feet are measured in footplants, not in {plant!r}.")
        if not _has_foot(clip.skeleton, plant.foot):
            raise ConstraintError(
                f"{plant.label}: the heel or the ball of the {plant.foot} foot of this character was not found; "
                "set the landmarks by hand."
            )
        for time in (time for stay in plant.stays.values() for time in stay):
            if not 0 <= time <= clip.frames - 1:
                raise ConstraintError(
                    f"{plant.label}: its time ",
                    Frame(time),
                    " lies outside the clip, whose frames are ",
                    *(Frame(0), " to ", Frame(clip.frames - 1), "."),
                )
    if source is not None and (source.frames != clip.frames or source.skeleton.names != clip.skeleton.names):
        raise ConstraintError("The source of a clip has the same joints and as many frames: give the clip as it was.")


def _has_foot(skeleton: Skeleton, side: str) -> bool:
    return all(_mark(skeleton, f"{side}_{part}") is not None for part in ("heel", "ball"))


def _mark(skeleton: Skeleton, name: str) -> BodyPoint | None:
    mark = getattr(skeleton.landmarks, name)
    return None if mark is None else skeleton.resolve(mark)


def _during(stay: tuple[float, float], frames: int) -> IntArray:
    """The frames of a stay; the nearest one where it lies between two."""
    during = active_frames(*stay)
    return during if during.size else np.array([min(round(stay[0]), frames - 1)])


def _span(plant: Footplant, frames: int) -> tuple[int, int]:
    """The first and the last frame in which heel or ball is planted."""
    during = np.concatenate([_during(stay, frames) for stay in plant.stays.values()])
    return int(during.min()), int(during.max())


def _largest(values: Iterable[float]) -> float:
    return max(values, default=0.0)


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return float(np.mean(known)) if known else 0.0


def _ratio(after: float, before: float) -> float:
    if before == 0.0:
        return 1.0 if after == 0.0 else float("inf")
    return after / before


def _percent(share: float) -> str:
    """A length in sizes as a share of the leg."""
    return f"{100.0 * share:.3g} %" if abs(share) >= INVISIBLE else "0 %"

# SPDX-License-Identifier: GPL-3.0-or-later
"""Cleaning a segment of a motion, each step in all frames at once: a whole clip, or the buffer of a stream."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...body.clip import Clip
from ...body.motion import Motion
from ...constraints import Footplant
from ...core.arrays import Array, BoolArray, IntArray, runs
from .. import blending
from ..cleaned import Cleaned
from ..limbs import Limb
from ..plants import PlantedPoint, limbs_for, mean_orientation, plant_table, planted_counts, planted_points
from ..settings import CleanSettings
from .averages import largest, smoothed
from .frames import identities, put, taken
from .method import Method
from .observing import Adjustment, LimbState
from .targets import Target, locating_order, rotation_of_two, target_at


@dataclass(frozen=True, eq=False)
class Segment:
    """Consecutive frames of a motion, and the plants that concern them."""

    motion: Motion
    plants: tuple[PlantedPoint, ...]
    """Checked. Their frames are those of the whole motion; they may begin before the segment or end after it."""
    first: int = 0
    """The frame of the whole motion with which the segment begins."""
    locations: Mapping[PlantedPoint, Array] = field(default_factory=dict)
    """(3,) of every plant that begins before the segment."""
    extremities: tuple[Array, ...] = ()
    """For each limb (rigid joints, 4): the local rotations in the segment's first frame, if it begins later than the
    motion and the limb is planted there."""


@dataclass(frozen=True, eq=False)
class CleanedSegment:
    """A segment after cleaning."""

    motion: Motion
    locations: Mapping[PlantedPoint, Array]
    """(3,) of every plant."""
    extremities: tuple[Array, ...]
    """For each limb (frames, rigid joints, 4): the local rotations in the frames in which the limb is planted."""
    stretch: Mapping[str, Array]
    """By limb, (frames,): by what share its bones are longer, or shorter, than in the source."""
    root: Array
    """(frames, 3) the displacement of the root."""


def clean_segment(method: Method, segment: Segment) -> CleanedSegment:
    """Clean a segment by a method."""
    return _Cleaning(method, segment).run()


def clean_clip(
    method: type[Method],
    clip: Clip,
    plants: Iterable[Footplant | PlantedPoint],
    settings: CleanSettings,
    limbs: Sequence[Limb] | None,
) -> Cleaned:
    """Clean a clip by a method; without `limbs`, those of the landmarks that the plants are on."""
    given = list(plants)
    if limbs is None:
        limbs = limbs_for(clip, given, settings.ground)
    points = planted_points(clip, given, limbs, settings.ground)
    if not limbs:
        return Cleaned(clip, points, (), {}, np.zeros((clip.frames, 3)))
    chosen = method(clip.skeleton, tuple(limbs), settings, clip.fps)
    found = clean_segment(chosen, Segment(clip.motion, points))
    located = tuple(replace(plant, location=tuple(found.locations[plant].tolist())) for plant in points)
    residuals = chosen.residuals(found.motion, points, found.locations)
    return Cleaned(clip.with_motion(found.motion), located, residuals, found.stretch, found.root)


class _Cleaning:
    """The steps of cleaning one segment."""

    def __init__(self, method: Method, segment: Segment) -> None:
        self.method, self.segment = method, segment
        self.frames = segment.motion.frames
        self.table = plant_table(segment.plants, method.limbs, self.frames, segment.first)
        self.counts = planted_counts(self.table)
        self.planted = [self.counts[:, limb] > 0 for limb in range(len(method.limbs))]
        self.order = locating_order(segment.plants, method.limbs)
        source = method.observer.states(segment.motion)
        self.extremities = tuple(self._rigid_extremity(limb, state) for limb, state in enumerate(source))
        self.extremity_changes = [
            self._extremity_change(limb, state, self.extremities[limb]) for limb, state in enumerate(source)
        ]
        self.states = [
            self._with_rigid_extremity(limb, state, self.extremities[limb]) for limb, state in enumerate(source)
        ]

    def run(self) -> CleanedSegment:
        """Locate plants, aim the ends of limbs, displace the root, adjust the limbs and keep them above the ground."""
        locations = self._locations()
        targets = [self._targets(limb, locations) for limb in range(len(self.states))]
        root = self.method.root_displacement(self.states, targets, self.planted)
        source = self.segment.motion
        result = Motion(source.rotations.copy(), source.translations.copy())
        result.translations[:, self.method.observer.root] += root
        stretch = {}
        for limb, target in enumerate(targets):
            by, is_adjusted = self._adjustments(limb, root, target)
            shown = None
            if self.method.settings.ground is not None:
                by, is_adjusted, shown = self._above_ground(limb, root, by, is_adjusted)
            self._write(limb, by, is_adjusted, shown, result)
            stretch[self.method.limbs[limb].name] = by.scale - 1.0
        return CleanedSegment(result, locations, self.extremities, stretch, root)

    # Extremities are rigid while they are planted --------------------------------------------------------------------

    def _rigid_extremity(self, limb: int, source: LimbState) -> Array:
        """(frames, rigid joints, 4) the mean local rotations from the begin of each run of planted frames, kept."""
        count = self.method.rigid_joints(limb)
        kept = source.extremity_rotations[:, :count].copy()
        for begin, end in runs(self.planted[limb]) if count else ():
            if begin == 0 and self.segment.first > 0:
                kept[: end + 1] = self.segment.extremities[limb]
            else:
                last = min(end + 1, begin + max(self.method.windows.averaging, 1))
                kept[begin : end + 1] = mean_orientation(source.extremity_rotations[begin:last, :count])
        return kept

    def _extremity_change(self, limb: int, source: LimbState, kept: Array) -> Array:
        """(frames, rigid joints, 4) the rotations from the source to the rigid extremity, where it is planted."""
        change = Adjustment.none(self.frames, kept.shape[1]).extremity_rotations
        frames = np.flatnonzero(self.planted[limb])
        change[frames] = self.method.extremity_change(limb, taken(source, frames), kept[frames])
        return change

    def _with_rigid_extremity(self, limb: int, source: LimbState, kept: Array) -> LimbState:
        """The state of a limb whose extremity is rigid in planted frames."""
        frames = np.flatnonzero(self.planted[limb])
        if not kept.shape[1] or not frames.size:
            return source
        posed = self.method.posed(limb, taken(source, frames), kept[frames])
        points = source.points[0].copy(), source.points[1].copy()
        toes, toes_rotation = source.toes.copy(), source.toes_rotation.copy()
        put((points, toes, toes_rotation), frames, (posed.points, posed.toes, posed.toes_rotation))
        return source._replace(points=points, toes=toes, toes_rotation=toes_rotation)

    # Locations and targets -------------------------------------------------------------------------------------------

    def _locations(self) -> dict[PlantedPoint, Array]:
        """(3,) for each plant: its location."""
        found = dict(self.segment.locations)
        plants, first = self.segment.plants, self.segment.first
        for plant in (plants[number] for number in self.order):
            if plant in found:
                continue
            limb, own = self.method.slot(plant)
            state, begin = self.states[limb], plant.begin - first
            beside = plants[other] if (other := int(self.table[begin, limb, 1 - own])) >= 0 else None
            found[plant] = self.method.location(
                plant,
                None if beside is None or beside not in found else (beside, found[beside]),
                state.points[own][begin:],
                state.points[1 - own][begin:],
                state.end_rotation[begin:],
            )
        return {plant: found[plant] for plant in plants}

    def _targets(self, limb: int, locations: Mapping[PlantedPoint, Array]) -> Target:
        """The target of a limb's end in the frames in which it is planted.

        Where both points are planted, the line through them gives the rotation; where only one is, that rotation is
        blended to none over the frames around.
        """
        state, count = self.states[limb], self.counts[:, limb]
        is_first, places = self._leading(limb, locations)
        rotation, target = identities(self.frames), Target(np.zeros((self.frames, 3)), identities(self.frames))
        both = np.flatnonzero(count == 2)
        if both.size:
            rotation[both] = rotation_of_two(*taken((state, places), both))
            put(target, both, target_at(*taken((state, rotation, is_first, places), both)))
        alone = np.flatnonzero(count == 1)
        if alone.size:
            ahead, behind = (each[alone] for each in self._distances_to_both(count))
            weights = blending.blend_weights(ahead, behind, self.method.windows.turning)
            rotation[alone] = blending.blended_rotations(rotation[alone + ahead], rotation[alone - behind], weights)
            put(target, alone, self.method.target_of_one(limb, *taken((state, rotation, is_first, places), alone)))
        return target

    def _leading(self, limb: int, locations: Mapping[PlantedPoint, Array]) -> tuple[BoolArray, tuple[Array, Array]]:
        """(frames,) whether the limb's first point was located first, and (frames, 3) the locations of both."""
        plants = self.segment.plants
        rank = np.full(len(plants) + 1, len(plants) + 1)
        rank[self.order] = np.arange(len(plants))
        known = np.array([*(locations[plant] for plant in plants), np.zeros(3)])
        one, other = self.table[:, limb, 0], self.table[:, limb, 1]
        return rank[one] <= rank[other], (known[one], known[other])

    def _distances_to_both(self, count: IntArray) -> tuple[IntArray, IntArray]:
        """(frames,) each: the distances ahead and behind to a frame with two planted points, past frames with one."""
        frames = np.arange(self.frames)
        ahead, behind = blending.nearest_frames(count != 1, self.method.windows.turning)
        is_both = count == 2
        ahead = np.where(is_both[np.minimum(frames + ahead, self.frames - 1)], ahead, blending.NO_FRAME)
        return ahead, np.where(is_both[frames - behind], behind, blending.NO_FRAME)

    # Adjustments -----------------------------------------------------------------------------------------------------

    def _adjustments(self, limb: int, root: Array, target: Target) -> tuple[Adjustment, BoolArray]:
        """The adjustment of a limb, and the frames that have one: planted ones and those into which it is blended."""
        by, planted = Adjustment.none(self.frames, self.method.rigid_joints(limb)), self.planted[limb]
        frames = np.flatnonzero(planted)
        if not frames.size:
            return by, planted
        state, displaced, aim = taken((self.states[limb], root, target), frames)
        bend = np.zeros(self.frames)
        bend[frames] = self.method.bend(state, displaced, aim)
        bend = smoothed(bend, self.method.bend_kernel, planted)
        change = self.extremity_changes[limb][frames]
        put(by, frames, self.method.solved(state, displaced, aim, bend[frames], change))
        ahead, behind = blending.nearest_frames(planted, self.method.windows.blending)
        free = np.flatnonzero(~planted & ((ahead > 0) | (behind > 0)))
        if free.size:
            before, after = taken(by, free - behind[free]), taken(by, free + ahead[free])
            put(by, free, self.method.blended(after, before, (ahead[free], behind[free])))
        is_adjusted = planted.copy()
        is_adjusted[free] = True
        frames = np.flatnonzero(is_adjusted)
        put(by, frames, self.method.allowed(limb, *taken((self.states[limb], root, by), frames)))
        return by, is_adjusted

    def _above_ground(
        self, limb: int, root: Array, by: Adjustment, is_adjusted: BoolArray
    ) -> tuple[Adjustment, BoolArray, LimbState]:
        """The adjustment with a free limb lifted out of the ground, its frames, and the state that it gives."""
        method, state = self.method, self.states[limb]
        shown = method.adjusted(limb, state, root, by)
        rise = self._rise(limb, shown)
        frames = np.flatnonzero(rise > 0.0)
        if not frames.size:
            return by, is_adjusted, shown
        put(by, frames, method.lifted(limb, *taken((state, shown, root, by, rise), frames)))
        shown = method.adjusted(limb, state, root, by)
        return by, is_adjusted | (rise > 0.0), shown

    def _rise(self, limb: int, shown: LimbState) -> Array:
        """(frames,) how far a limb is lifted out of the ground."""
        method, planted = self.method, self.planted[limb]
        deep = np.where(planted, 0.0, np.maximum(method.depth(limb, shown), 0.0))
        if not deep.any():
            return deep
        smooth = smoothed(largest(deep, method.lift_reach), method.lift_kernel)
        distances = blending.nearest_frames(planted, method.lift_rim)
        return np.where(planted, 0.0, method.rise(deep, smooth, distances))

    def _write(
        self, limb: int, by: Adjustment, is_adjusted: BoolArray, shown: LimbState | None, result: Motion
    ) -> None:
        """Write the local transforms of a limb to a motion; `shown` is its state where there is a ground."""
        method, part = self.method, self.method.limbs[limb]
        frames = np.flatnonzero(is_adjusted)
        if frames.size:
            state, some = taken((self.states[limb], by), frames)
            joints = method.adjusted_joints(limb)
            result.rotations[frames[:, None], joints] = method.local_rotations(limb, state, some)
            if method.settings.stretch:
                chain = list(part.chain(method.skeleton))
                result.translations[frames[:, None], chain] = some.scale[:, None, None] * state.bones
        if part.toes is not None and shown is not None:
            bend = method.toes_bend(limb, shown)
            frames = np.flatnonzero(bend > 0.0)
            local = result.rotations[frames, part.toes.joint]
            result.rotations[frames, part.toes.joint] = method.toes_rotation(limb, local, bend[frames])

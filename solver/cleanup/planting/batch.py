# SPDX-License-Identifier: GPL-3.0-or-later
"""Cleaning a segment of a motion, each step in all frames at once: a whole clip, or the buffer of a stream."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...body.clip import Clip
from ...body.motion import Motion
from ...core.arrays import Array, BoolArray, IntArray, runs
from ...core.rotations import between, conjugate, exp, log, multiply, normalize, rotate
from ...detection.faults import CaptureFault, faulty_joints
from .. import blending
from ..cleaned import Cleaned
from ..limbs import TOE_TIP, Limb
from ..plants import Plant, PlantedPoint, limbs_for, mean_orientation, plant_table, planted_counts, planted_points
from ..settings import CleanSettings
from .averages import believed, largest, local_lines, smoothed
from .frames import identities, put, taken
from .method import Method
from .observing import Adjustment, LimbState, turned_arm
from .targets import Target, held_orientation, locating_order, near_paths, target_at


@dataclass(frozen=True, eq=False)
class Segment:
    """Consecutive frames of a motion, and the plants that concern them."""

    motion: Motion
    plants: tuple[PlantedPoint, ...]
    """Checked. Their frames are those of the whole motion; they may begin before the segment or end after it."""
    first: int = 0
    """The frame of the whole motion with which the segment begins."""
    locations: Mapping[PlantedPoint, Array] = field(default_factory=dict)
    """(3,) of every plant that begins before the segment, and of others that are located already, in the frame of its
    reference."""
    extremities: tuple[Array, ...] = ()
    """For each limb (rigid joints, 4): the local rotations in the segment's first frame, if it begins later than the
    motion and the limb is planted there."""
    held: tuple[Array, ...] = ()
    """For each limb (4,): the orientation in which its extremity is held in that frame, if both points are planted."""
    faulty: tuple[BoolArray, ...] = ()
    """For each limb (frames,): where the capture is not to be believed. Without any it is everywhere."""


@dataclass(frozen=True, eq=False)
class CleanedSegment:
    """A segment after cleaning."""

    motion: Motion
    locations: Mapping[PlantedPoint, Array]
    """(3,) of every plant, in the frame of its reference."""
    extremities: tuple[Array, ...]
    """For each limb (frames, rigid joints, 4): the local rotations in the frames in which the limb is planted."""
    held: tuple[Array, ...]
    """For each limb (frames, 4): the orientations of its extremity in the frames in which both points are planted."""
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
    plants: Iterable[Plant],
    settings: CleanSettings,
    limbs: Sequence[Limb] | None,
    faults: Sequence[CaptureFault] = (),
) -> Cleaned:
    """Clean a clip by a method; without `limbs`, those of the landmarks that the plants are on.

    Frames of `faults` do not count in means.
    """
    given = list(plants)
    if limbs is None:
        limbs = limbs_for(clip, given, settings.ground)
    points = planted_points(clip, given, limbs, settings.ground)
    if not limbs:
        return Cleaned(clip, points, (), {}, np.zeros((clip.frames, 3)))
    chosen = method(clip.skeleton, tuple(limbs), settings, clip.fps)
    found = clean_segment(chosen, Segment(clip.motion, points, faulty=_faulty(clip, limbs, faults)))
    located = tuple(plant.located(found.locations[plant]) for plant in points)
    residuals = chosen.residuals(found.motion, points, found.locations)
    return Cleaned(clip.with_motion(found.motion), located, residuals, found.stretch, found.root)


def _faulty(clip: Clip, limbs: Sequence[Limb], faults: Sequence[CaptureFault]) -> tuple[BoolArray, ...]:
    """For each limb (frames,): where one of its joints is faulty."""
    if not faults:
        return ()
    joints = faulty_joints(clip, faults)
    ancestry = clip.skeleton.tree.ancestry
    return tuple(joints[:, ancestry[:, limb.ball]].any(axis=1) for limb in limbs)


class _Cleaning:
    """The steps of cleaning one segment."""

    def __init__(self, method: Method, segment: Segment) -> None:
        self.method, self.segment = method, segment
        self.frames = segment.motion.frames
        self.table = plant_table(segment.plants, method.limbs, self.frames, segment.first)
        self.counts = planted_counts(self.table)
        self.planted = [self.counts[:, limb] > 0 for limb in range(len(method.limbs))]
        nowhere = np.zeros(self.frames, dtype=bool)
        self.faulty = segment.faulty or tuple(nowhere for _ in method.limbs)
        self.order = locating_order(segment.plants, method.limbs)
        self.held = tuple(identities(self.frames) for _ in method.limbs)
        source = method.observer.states(segment.motion)
        self.extremities = tuple(self._rigid_extremity(limb, state) for limb, state in enumerate(source))
        self.extremity_changes = [
            self._extremity_change(limb, state, self.extremities[limb]) for limb, state in enumerate(source)
        ]
        self.states = [
            self._with_rigid_extremity(limb, state, self.extremities[limb]) for limb, state in enumerate(source)
        ]
        self.is_tip = self._tip_frames()
        self.states = [
            method.on_toes(state, is_tip) if is_tip.any() else state
            for state, is_tip in zip(self.states, self.is_tip, strict=True)
        ]

    def run(self) -> CleanedSegment:
        """Locate plants, aim the ends of limbs, displace the root, adjust the limbs and keep them above the ground."""
        locations = self._locations()
        targets = [self._targets(limb, locations) for limb in range(len(self.states))]
        root, turn = self.method.carriage(self.states, targets, self.planted)
        source = self.segment.motion
        result = Motion(source.rotations.copy(), source.translations.copy())
        result.translations[:, self.method.observer.root] += root
        stretch = {}
        for limb, target in enumerate(targets):
            carried = root + turned_arm(self.states[limb], turn)
            by, is_adjusted = self._adjustments(limb, carried, target)
            shown = None
            if self.method.settings.ground is not None:
                by, is_adjusted, shown = self._above_ground(limb, carried, by, is_adjusted)
            elif self.is_tip[limb].any():
                shown = self.method.adjusted(limb, self.states[limb], carried, by)
            self._write(limb, by, is_adjusted, shown, locations, result)
            stretch[self.method.limbs[limb].name] = by.scale - 1.0
        self.method.observer.pelvis.turn(source, turn, result)
        return CleanedSegment(result, locations, self.extremities, self.held, stretch, root)

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
                rows = begin + believed(self.faulty[limb][begin:last])
                kept[begin : end + 1] = mean_orientation(source.extremity_rotations[rows, :count])
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
        """(3,) for each plant: its location, in the frame of its reference."""
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
                self.faulty[limb][begin:],
            )
        return {plant: found[plant] for plant in plants}

    def _tip_frames(self) -> list[BoolArray]:
        """For each limb (frames,): whether its toe tip is planted."""
        is_tip = np.array([*(plant.point == TOE_TIP for plant in self.segment.plants), False])
        return [is_tip[self.table[:, limb, 1]] for limb in range(len(self.method.limbs))]

    def _targets(self, limb: int, locations: dict[PlantedPoint, Array]) -> Target:
        """The target of a limb's end in the frames in which it is planted.

        A toe tip, which stands when the ball has left the ground, is located on the way: where it is in the frame
        before.
        """
        count, is_tip, state = self.counts[:, limb], self.is_tip[limb], self.states[limb]
        is_first, places = self._leading(limb, locations)
        if (count == 2).any():
            self.held[limb][count == 2] = self._held_orientations(limb, places)[count == 2]
        if not is_tip.any():
            return self._targets_of(limb, count, is_first, places)
        others = np.where(is_tip, 0, count)
        before = self._targets_of(limb, others, is_first, places)
        new = [
            plant
            for plant in self.segment.plants
            if plant.point == TOE_TIP
            and self.method.slot(plant)[0] == limb
            and plant.location is None
            and plant not in self.segment.locations
        ]
        last = np.array([plant.begin - self.segment.first - 1 for plant in new], dtype=np.int64)
        locations |= zip(new, self.method.tip_at(limb, *taken((state, before), last)), strict=True)
        is_first, places = self._leading(limb, locations)
        path = self._continued_toes(limb, before, others > 0)
        places[1][is_tip] = self.method.toes_near(limb, *taken((state, path, places[1]), np.flatnonzero(is_tip)))
        return self._targets_of(limb, count, is_first, places)

    def _continued_toes(self, limb: int, target: Target, planted: BoolArray) -> Array:
        """(frames, 3) the path of the joint that bends the toes: its targets in the planted frames, continued."""
        method, state = self.method, self.states[limb]
        wanted = target.position + rotate(target.rotation, state.toes - state.end)
        displacement = np.where(planted[:, None], wanted - state.toes, 0.0)
        into = self._after(planted)
        displacement[into.frames] = into.values(displacement, method.slopes(displacement, planted))
        return np.asarray(state.toes + displacement)

    def _after(self, planted: BoolArray) -> blending.Continuation:
        """The continuation into the frames after planted ones."""
        window = self.method.windows.blending
        _, behind = blending.nearest_frames(planted, window)
        return blending.Continuation(planted, (np.full(self.frames, blending.NO_FRAME), behind), window)

    def _targets_of(self, limb: int, count: IntArray, is_first: BoolArray, places: tuple[Array, Array]) -> Target:
        """The target of a limb's end in the frames in which it is planted, given the number of its planted points
        (frames,), whether the first one leads, and their locations.

        Where both points are planted, the extremity has the orientation in which it is held; where only one is, the
        rotation is continued from there, and the extremity rotates about the point so that nothing else trembles.
        """
        method, state = self.method, self.states[limb]
        target, turn = Target(np.zeros((self.frames, 3)), identities(self.frames)), np.zeros((self.frames, 3))
        both, alone, planted = count == 2, np.flatnonzero(count == 1), np.flatnonzero(count > 0)
        distances = self._distances_to_both(count)
        if both.any():
            turn[both] = log(multiply(self.held[limb][both], conjugate(state.end_rotation[both])))
            into = blending.Continuation(both, distances, method.windows.turning)
            turn[into.frames] = into.values(turn, local_lines(turn, method.kernel, both)[1])
        rotation = exp(turn)
        if planted.size:
            put(target, planted, target_at(*taken((state, rotation, is_first, places), planted)))
        if alone.size:
            paths = [
                self._smoothly_displaced(state, target, part, count, distances) for part in (state.end, *state.points)
            ]
            other = np.where(is_first[:, None], paths[2], paths[1])
            put(target, alone, near_paths(*taken((state, target, is_first, paths[0], other), alone)))
            if method.settings.ground is not None:
                put(target, alone, method.above_ground(limb, *taken((state, target.rotation, is_first, places), alone)))
        return target

    def _smoothly_displaced(
        self,
        state: LimbState,
        target: Target,
        part: Array,
        count: IntArray,
        distances: tuple[IntArray, IntArray],
    ) -> Array:
        """(frames, 3) the path of a part of an extremity, smoothly displaced from the source, near that to its target.

        An extremity of which one point is planted may rotate about it. Where its orientation trembles in the source,
        its end need not tremble.
        """
        both, planted = count == 2, count > 0
        wanted = target.position + rotate(target.rotation, part - state.end)
        displacement = np.where(planted[:, None], wanted - part, 0.0)
        smooth, _ = local_lines(displacement, self.method.kernel, planted)
        into = blending.Continuation(both, distances, self.method.windows.smoothing)
        rest = displacement - smooth
        smooth[into.frames] += into.values(rest, np.zeros(rest.shape))
        return part + smooth

    def _held_orientations(self, limb: int, places: tuple[Array, Array]) -> Array:
        """(frames, 4) the orientations of an extremity in the frames in which both points are planted."""
        state, pairs = self.states[limb], self.table[:, limb]
        held = identities(self.frames)
        new = np.flatnonzero(np.append(True, (pairs[1:] != pairs[:-1]).any(axis=1)))
        for begin, end in zip(new, np.append(new[1:], self.frames), strict=True):
            if (pairs[begin] < 0).any():
                continue
            carried = self._carried(self.segment.plants[pairs[begin, 0]], begin, end)
            if begin == 0 and self.segment.first > 0:
                held[begin:end] = multiply(carried, self.segment.held[limb])
                continue
            last = min(end, begin + max(self.method.windows.averaging, 1))
            rows = believed(self.faulty[limb][begin:last])
            mean = mean_orientation(multiply(conjugate(carried[rows]), state.end_rotation[begin + rows]))
            line = rotate(
                multiply(mean, conjugate(state.end_rotation[begin])), (state.points[1] - state.points[0])[begin]
            )
            first = held_orientation(mean, line, (places[1] - places[0])[begin], self.method.up)
            held[begin:end] = multiply(carried, first)
        return held

    def _carried(self, plant: PlantedPoint, begin: int, end: int) -> Array:
        """(end - begin, 4) the rotations, since frame `begin` of the segment, of the object that a plant stands on."""
        if plant.reference is None:
            return identities(end - begin)
        turned = plant.reference.rotations[self.segment.first + begin : self.segment.first + end]
        return multiply(turned, conjugate(turned[0]))

    def _leading(self, limb: int, locations: Mapping[PlantedPoint, Array]) -> tuple[BoolArray, tuple[Array, Array]]:
        """(frames,) whether the limb's first point was located first, and (frames, 3) the locations of both."""
        plants = self.segment.plants
        rank = np.full(len(plants) + 1, len(plants) + 1)
        rank[self.order] = np.arange(len(plants))
        known = np.array([*(locations[plant] for plant in plants), np.zeros(3)])
        one, other = self.table[:, limb, 0], self.table[:, limb, 1]
        places = known[one], known[other]
        first = self.segment.first
        for number, plant in enumerate(plants):
            if plant.reference is not None:
                for column, place in zip((one, other), places, strict=True):
                    frames = np.flatnonzero(column == number)
                    if frames.size:
                        during = int(frames[0]) + first, int(frames[-1]) + first + 1
                        place[frames] = plant.world_places(locations[plant], *during)
        return rank[one] <= rank[other], places

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
        method, planted = self.method, self.planted[limb]
        by = Adjustment.none(self.frames, method.rigid_joints(limb))
        if not planted.any():
            return by, planted
        aim, inside, into = self._continued(limb, root, target)
        is_adjusted = planted.copy()
        is_adjusted[into.frames] = True
        frames = np.flatnonzero(is_adjusted)
        state, displaced, wanted = taken((self.states[limb], root, aim), frames)
        swivel = np.zeros(self.frames)
        bend = method.bends(self.states[limb], root, aim, planted, into)
        swivel[frames] = method.swivel(state, displaced, wanted, bend[frames])
        swivel, _ = local_lines(swivel, method.kernel, is_adjusted)
        put(by, frames, method.solved(state, displaced, wanted, bend[frames], swivel[frames], inside[frames]))
        # A free limb need not reach its target, so its bones stretch no more than they do where it is planted.
        by.scale[into.frames] = 1.0 + into.values(by.scale[:, None] - 1.0, np.zeros((self.frames, 1)))[:, 0]
        put(by, frames, self.method.allowed(limb, *taken((self.states[limb], root, by), frames)))
        return by, is_adjusted

    def _continued(self, limb: int, root: Array, target: Target) -> tuple[Target, Array, blending.Continuation]:
        """The target of a limb's end, the rotations inside its extremity, and the frames into which they are continued.

        They vanish there, relative to where the root (frames, 3) carries the limb.
        """
        method, planted, state = self.method, self.planted[limb], self.states[limb]
        inside = self.extremity_changes[limb]
        way = np.where(planted[:, None], target.position - (state.end + root), 0.0)
        vectors = np.concatenate(
            [way, log(target.rotation), log(inside).reshape(self.frames, 3 * inside.shape[1])], axis=1
        )
        window = method.windows.blending
        into = blending.Continuation(planted, blending.nearest_frames(planted, window), window)
        vectors[into.frames] = into.values(vectors, method.slopes(vectors, planted))
        inside, rotation = inside.copy(), target.rotation.copy()
        rotation[into.frames] = exp(vectors[into.frames, 3:6])
        inside[into.frames] = exp(vectors[into.frames, 6:].reshape(len(into.frames), inside.shape[1], 3))
        return Target(state.end + root + vectors[:, :3], rotation), inside, into

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
        self,
        limb: int,
        by: Adjustment,
        is_adjusted: BoolArray,
        shown: LimbState | None,
        locations: Mapping[PlantedPoint, Array],
        result: Motion,
    ) -> None:
        """Write the local transforms of a limb to a motion; `shown` is its state where its toes may rotate."""
        method, part = self.method, self.method.limbs[limb]
        frames = np.flatnonzero(is_adjusted)
        if frames.size:
            state, some = taken((self.states[limb], by), frames)
            joints = method.adjusted_joints(limb)
            result.rotations[frames[:, None], joints] = method.local_rotations(limb, state, some)
            if method.settings.stretch:
                chain = list(part.chain(method.skeleton))
                result.translations[frames[:, None], chain] = some.scale[:, None, None] * state.bones
        if part.toes is None or shown is None:
            return
        if self.is_tip[limb].any():
            turn = self._toe_turns(limb, shown, locations)
            shown = shown._replace(toes_rotation=multiply(shown.toes_rotation, exp(turn)))
            frames = np.flatnonzero(turn.any(axis=1))
            local = result.rotations[frames, part.toes.joint]
            result.rotations[frames, part.toes.joint] = normalize(multiply(local, exp(turn[frames])))
        if method.settings.ground is not None:
            bend = method.toes_bend(limb, shown)
            frames = np.flatnonzero(bend > 0.0)
            local = result.rotations[frames, part.toes.joint]
            result.rotations[frames, part.toes.joint] = method.toes_rotation(limb, local, bend[frames])

    def _toe_turns(self, limb: int, shown: LimbState, locations: Mapping[PlantedPoint, Array]) -> Array:
        """(frames, 3) the rotation vectors of toes, in their own frame, that point to the locations of their tips, and
        are blended to none over the frames after."""
        method, planted = self.method, self.planted[limb]
        _, (_, places) = self._leading(limb, locations)
        frames, turn = np.flatnonzero(self.is_tip[limb]), np.zeros((self.frames, 3))
        tips, toes, rotation = taken((method.toe_tip(limb, shown), shown.toes, shown.toes_rotation), frames)
        turn[frames] = rotate(conjugate(rotation), log(between(tips - toes, places[frames] - toes)))
        into = self._after(planted)
        turn[into.frames] = into.values(turn, method.slopes(turn, planted))
        return turn

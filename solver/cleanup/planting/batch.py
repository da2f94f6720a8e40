# SPDX-License-Identifier: GPL-3.0-or-later
"""Planting a whole clip: each step in all frames that it concerns at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from ...body.clip import Clip
from ...body.motion import Motion
from ...constraints import Footplant
from ...core import rotations
from ...core.arrays import Array, BoolArray, IntArray, runs
from .. import blending
from ..cleaned import Cleaned
from ..components import Quaternion, Vector, joined, split
from ..limbs import Limb
from ..plants import PlantedPoint, holds_of, limbs_for, planted_points, table_of
from ..settings import CleanSettings
from .averages import largest, smoothed
from .frames import identities, put, taken, zeros
from .method import Method
from .observing import UNADJUSTED, Adjustment, LimbState
from .targets import Target, locating_order, turn_of_two

AnyMethod = TypeVar("AnyMethod", bound=Method)


@dataclass(eq=False)
class _Held:
    """Who holds one limb, when and where."""

    count: IntArray
    """(frames,) of points that are planted."""
    is_first: BoolArray
    """(frames,) whether the first point leads."""
    places: tuple[Vector, Vector]
    """Of both points, where they are planted."""


class ClipPlanting(ABC, Generic[AnyMethod]):
    """A clip on its way through a method; what one method has for itself is where the root goes."""

    def __init__(self, method: AnyMethod, clip: Clip, plants: tuple[PlantedPoint, ...]) -> None:
        """Take a clip and plants on the limbs of the method, checked."""
        self.method, self.clip, self.plants = method, clip, plants
        self.frames = clip.frames
        self.table = table_of(plants, method.limbs, clip.frames)
        self.counts = holds_of(self.table)
        self.states = method.observer.of_motion(clip.motion)
        self.inside = tuple(self._stiffen(limb) for limb in range(len(self.states)))
        self.order = locating_order(plants, method.limbs)

    @abstractmethod
    def root(self, targets: list[Target]) -> Vector:
        """Where the root goes in all frames, given where the ends of limbs go in those in which they are held."""

    def cleaned(self) -> Cleaned:
        """The clip with all of its plants."""
        places = self._places()
        targets = [self._targets(limb, self._held(limb, places)) for limb in range(len(self.states))]
        root = self.root(targets)
        turned, moved = self.clip.motion.rotations.copy(), self.clip.motion.translations.copy()
        carrier = self.method.observer.root
        moved[:, carrier] = moved[:, carrier] + joined(root)
        stretch = {}
        for limb, target in enumerate(targets):
            by = self._finish(limb, root, *self._adjusted(limb, root, target), turned, moved)
            stretch[self.method.limbs[limb].name] = by.scale - 1.0
        result = self.clip.with_motion(Motion(turned, moved))
        standing = tuple(
            replace(plant, location=tuple(place.tolist())) for plant, place in zip(self.plants, places, strict=True)
        )
        return Cleaned(result, standing, self._residuals(result.motion, places), stretch, joined(root))

    def _residuals(self, motion: Motion, places: list[Array]) -> tuple[Array, ...]:
        """How far each plant's point is from its place, in its frames; only the limbs are looked at."""
        points = [[joined(point) for point in state.points] for state in self.method.observer.of_motion(motion)]
        found = []
        for plant, place in zip(self.plants, places, strict=True):
            limb, own = self.method.slot(plant)
            found.append(rotations.lengths(points[limb][own][plant.begin : plant.end + 1] - place))
        return tuple(found)

    # 0: hands and feet are stiff while they are held ---------------------------------------------------------------

    def _stiffen(self, limb: int) -> tuple[Quaternion, ...]:
        """Stiffen a hand or foot while it is held; what turns its joints from the source to that, in all frames."""
        state, held = self.states[limb], self.counts[:, limb] > 0
        inside = tuple(identities(self.frames) for _ in state.inside.turned)
        if not inside:
            return ()
        kept = np.tile(rotations.IDENTITY, (self.frames, len(inside), 1))
        source_turns = np.stack([joined(turn) for turn in state.inside.turned], axis=1)
        for begin, end in runs(held):
            last = min(end + 1, begin + max(self.method.windows.averaging, 1))
            kept[begin : end + 1] = self.method.stiff(source_turns[begin:last])
        frames = np.flatnonzero(held)
        if frames.size:
            source, turned = taken(state, frames), tuple(split(kept[frames, joint]) for joint in range(len(inside)))
            put(inside, frames, self.method.stiffening(source, turned))
            stiff = self.method.stiffened(limb, source, turned)
            put((state.points, state.toes, state.toes_turned), frames, (stiff.points, stiff.toes, stiff.toes_turned))
        return inside

    # 1 and 2: where plants stand, and where that puts hand or foot -------------------------------------------------

    def _places(self) -> list[Array]:
        """(3,) for each plant: where it stands."""
        # Joined once: plants are many, and each needs a few frames.
        points = [[joined(point) for point in state.points] for state in self.states]
        turned = [joined(state.turned) for state in self.states]
        places: dict[int, Array] = {}
        for number in self.order:
            plant = self.plants[number]
            limb, own = self.method.slot(plant)
            other = int(self.table[plant.begin, limb, 1 - own])

            def seen(
                count: int, limb: int = limb, own: int = own, begin: int = plant.begin
            ) -> tuple[Array, Array, Array]:
                some = slice(begin, begin + count)
                return points[limb][own][some], points[limb][1 - own][some], turned[limb][some]

            known = None if other not in places else (self.plants[other], places[other])
            places[number] = self.method.located(plant, known, seen)
        return [places[number] for number in range(len(self.plants))]

    def _held(self, limb: int, places: list[Array]) -> _Held:
        one, other = self.table[:, limb, 0], self.table[:, limb, 1]
        rank = np.full(len(self.plants) + 1, len(self.plants) + 1)
        rank[self.order] = np.arange(len(self.plants))
        known = np.array([*places, np.zeros(3)])
        return _Held(self.counts[:, limb], rank[one] <= rank[other], (split(known[one]), split(known[other])))

    def _targets(self, limb: int, held: _Held) -> Target:
        """Where the end of a limb goes in the frames in which it is held."""
        state, method = self.states[limb], self.method
        turn, target = identities(self.frames), Target(zeros(self.frames), identities(self.frames))
        both = np.flatnonzero(held.count == 2)
        if both.size:
            put(turn, both, turn_of_two(taken(state, both), taken(held.places, both)))
            put(target, both, method.target_of_two(*taken((state, turn, held.is_first, held.places), both)))
        alone = np.flatnonzero(held.count == 1)
        if alone.size:
            ahead, behind = blending.nearest(held.count != 1, method.windows.turning)
            frames = np.arange(self.frames)
            ahead = np.where((ahead > 0) & (held.count[_within(frames + ahead, self.frames)] == 2), ahead, 0)[alone]
            behind = np.where((behind > 0) & (held.count[_within(frames - behind, self.frames)] == 2), behind, 0)[alone]
            shares = blending.fades(ahead, behind, method.windows.turning)
            put(turn, alone, blending.blended_turn(taken(turn, alone + ahead), taken(turn, alone - behind), shares))
            put(target, alone, method.target_of_one(limb, *taken((state, turn, held.is_first, held.places), alone)))
        return target

    # 3: what the limbs do ------------------------------------------------------------------------------------------

    def _adjusted(self, limb: int, root: Vector, target: Target) -> tuple[Adjustment, BoolArray]:
        """What a limb does, and in which frames it does anything."""
        by = _unadjusted(self.frames, len(self.inside[limb]))
        holds = self.counts[:, limb] > 0
        frames = np.flatnonzero(holds)
        if not frames.size:
            return by, holds
        state, moved, aim = taken((self.states[limb], root, target), frames)
        bend = np.zeros(self.frames)
        bend[frames] = self.method.bend(state, moved, aim)
        (bend,) = smoothed((bend,), self.method.bend_kernel, holds)
        put(by, frames, self.method.solved(state, moved, aim, bend[frames], taken(self.inside[limb], frames)))
        ahead, behind = blending.nearest(holds, self.method.windows.blending)
        free = np.flatnonzero(~holds & ((ahead > 0) | (behind > 0)))
        if free.size:
            before, after = taken(by, free - behind[free]), taken(by, free + ahead[free])
            put(by, free, self.method.faded(after, before, (ahead[free], behind[free])))
        touched = holds.copy()
        touched[free] = True
        frames = np.flatnonzero(touched)
        put(by, frames, self.method.allowed(limb, *taken((self.states[limb], root, by), frames)))
        return by, touched

    def _finish(
        self, limb: int, root: Vector, by: Adjustment, touched: BoolArray, turned: Array, moved: Array
    ) -> Adjustment:
        """Keep a limb above the floor and write it to the motion."""
        method, state, part = self.method, self.states[limb], self.method.limbs[limb]
        seen: LimbState | None = None
        if method.settings.ground is not None:
            seen = method.adjusted(limb, state, root, by)
            rise = self._rise(limb, seen)
            lifts = np.flatnonzero(rise > 0.0)
            if lifts.size:
                touched = touched.copy()
                touched[lifts] = True
                put(by, lifts, method.lifted(limb, *taken((state, seen, root, by, rise), lifts)))
                put(seen, lifts, method.adjusted(limb, *taken((state, root, by), lifts)))
        frames = np.flatnonzero(touched)
        if frames.size:
            own, some = taken((state, by), frames)
            for joint, turn in zip(method.turning[limb], method.written(limb, own, some), strict=True):
                turned[frames, joint] = joined(turn)
            if method.settings.stretch:
                for joint, bone in zip(method.chains[limb], method.stretched(own, some), strict=True):
                    moved[frames, joint] = joined(bone)
        if part.toes is not None and seen is not None:
            bend = method.toes_bend(limb, seen)
            bends = np.flatnonzero(bend > 0.0)
            toes = split(turned[bends, part.toes.joint])
            turned[bends, part.toes.joint] = joined(method.toes_turned(limb, toes, bend[bends]))
        return by

    def _rise(self, limb: int, seen: LimbState) -> Array:
        """(frames,) how far a limb that looks so is lifted out of the floor."""
        method, held = self.method, self.counts[:, limb] > 0
        deep = np.where(held, 0.0, np.maximum(method.depth(limb, seen), 0.0))
        if not deep.any():
            return deep
        (smooth,) = smoothed(largest((deep,), method.lift_reach), method.lift_kernel)
        far = blending.nearest(held, method.lift_rim)
        return np.where(held, 0.0, method.rise(deep, smooth, far))


def plant_clip(
    planting: type[ClipPlanting[AnyMethod]],
    method: type[AnyMethod],
    clip: Clip,
    plants: Iterable[Footplant | PlantedPoint],
    settings: CleanSettings,
    limbs: Sequence[Limb] | None,
) -> Cleaned:
    """A clip cleaned by a method; `limbs` are those that plants are on where nothing else is said."""
    asked = list(plants)
    if limbs is None:
        limbs = limbs_for(clip, asked, settings.ground)
    standing = planted_points(clip, asked, limbs, settings.ground)
    if not limbs:
        return Cleaned(clip, standing, (), {}, np.zeros((clip.frames, 3)))
    return planting(method(clip.skeleton, tuple(limbs), settings, clip.fps), clip, standing).cleaned()


def _unadjusted(frames: int, inside: int) -> Adjustment:
    return Adjustment(
        identities(frames),
        np.zeros(frames),
        np.full(frames, UNADJUSTED.scale),
        identities(frames),
        tuple(identities(frames) for _ in range(inside)),
    )


def _within(frames: IntArray, count: int) -> IntArray:
    return np.clip(frames, 0, count - 1)

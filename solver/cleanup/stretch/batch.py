# SPDX-License-Identifier: GPL-3.0-or-later
"""The method on a whole clip: each step in all frames that it concerns at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import rotations
from ...arrays import Array, BoolArray, IntArray, runs
from ...clip import Clip
from ...constraints import Footplant
from ...motion import Motion
from .. import blending
from ..cleaned import Cleaned
from ..components import Quaternion, Vector, joined, split
from ..limbs import LIMB_NAMES, Limb, limbs_of
from ..plants import PlantedPoint, holds_of, planted_points, table_of
from ..settings import CleanSettings
from .carrying import displacement, misses
from .method import Method, Windows
from .observing import UNADJUSTED, Adjustment, LimbState, taken
from .targets import Target, locating_order, turn_of_two


def clean_stretching(
    clip: Clip,
    plants: Iterable[Footplant | PlantedPoint],
    settings: CleanSettings | None = None,
    limbs: Sequence[Limb] | None = None,
) -> Cleaned:
    """Plant hands and feet exactly: limbs turn, bend and, by what is left, stretch (document 000).

    `limbs` are those of the landmarks that plants are on where nothing else is said, with the axes of their hinges as
    the motion shows them. Frames that no plant reaches, and joints of limbs that have none, come back bit for bit.
    """
    settings = settings or CleanSettings()
    asked = list(plants)
    if limbs is None:
        limbs = _limbs_for(clip, asked, settings)
    standing = planted_points(clip, asked, limbs, settings.ground)
    if not limbs:
        return Cleaned(clip, standing, (), {}, np.zeros((clip.frames, 3)))
    method = Method(clip.skeleton, tuple(limbs), settings, Windows.of(settings, clip.fps))
    return _Run(method, clip, standing).cleaned()


def _limbs_for(clip: Clip, plants: Sequence[Footplant | PlantedPoint], settings: CleanSettings) -> tuple[Limb, ...]:
    """The limbs that plants are on; with a ground all that landmarks tell, for none may go below."""
    names = {f"{plant.foot} leg" if isinstance(plant, Footplant) else plant.limb for plant in plants}
    needed = limbs_of(clip.skeleton, clip.motion, [name for name in LIMB_NAMES if name in names])
    if settings.ground is None:
        return needed
    known = {limb.name for limb in needed}
    return (*needed, *(limb for limb in limbs_of(clip.skeleton, clip.motion) if limb.name not in known))


@dataclass(eq=False)
class _Held:
    """Who holds one limb, when and where."""

    count: IntArray
    """(frames,) of points that are planted."""
    is_first: BoolArray
    """(frames,) whether the first point leads."""
    places: tuple[Vector, Vector]
    """Of both points, where they are planted."""


class _Run:
    """One clip on its way."""

    def __init__(self, method: Method, clip: Clip, plants: tuple[PlantedPoint, ...]) -> None:
        self.method, self.clip, self.plants = method, clip, plants
        self.frames = clip.frames
        self.table = table_of(plants, method.limbs, clip.frames)
        self.counts = holds_of(self.table)
        self.states = method.observer.of_motion(clip.motion)
        self.inside = tuple(self._stiffen(limb) for limb in range(len(self.states)))
        self.order = locating_order(plants, method.limbs)

    def cleaned(self) -> Cleaned:
        places = self._places()
        targets = [self._targets(limb, self._held(limb, places)) for limb in range(len(self.states))]
        root = self._root(targets)
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
        states = self.method.observer.of_motion(motion)
        found = []
        for plant, place in zip(self.plants, places, strict=True):
            limb, own = self.method.slot(plant)
            point = joined(taken(states[limb].points[own], slice(plant.begin, plant.end + 1)))
            found.append(rotations.lengths(point - place))
        return tuple(found)

    # 0: hands and feet are stiff while they are held ---------------------------------------------------------------

    def _stiffen(self, limb: int) -> tuple[Quaternion, ...]:
        """Stiffen a hand or foot while it is held; what turns its joints from the source to that, in all frames."""
        state, held = self.states[limb], self.counts[:, limb] > 0
        inside = tuple(_identities(self.frames) for _ in state.inside.turned)
        if not inside:
            return ()
        kept = tuple(_identities(self.frames) for _ in inside)
        for begin, end in runs(held):
            some = slice(begin, min(end + 1, begin + max(self.method.windows.averaging, 1)))
            mean = self.method.stiff([joined(taken(turn, some)) for turn in state.inside.turned])
            _put(kept, np.arange(begin, end + 1), mean)
        frames = np.flatnonzero(held)
        if frames.size:
            source, turned = taken((state, kept), frames)
            _put(inside, frames, self.method.stiffening(source, turned))
            stiff = self.method.stiffened(limb, source, turned)
            _put((state.points, state.toes, state.toes_turned), frames, (stiff.points, stiff.toes, stiff.toes_turned))
        return inside

    # 1 and 2: where plants stand, and where that puts hand or foot -------------------------------------------------

    def _places(self) -> list[Array]:
        places: dict[int, Array] = {}
        for number in self.order:
            plant = self.plants[number]
            limb, own = self.method.slot(plant)
            other = int(self.table[plant.begin, limb, 1 - own])
            state = self.states[limb]

            def seen(
                count: int, state: LimbState = state, own: int = own, begin: int = plant.begin
            ) -> tuple[Array, Array, Array]:
                frames = slice(begin, begin + count)
                points = [joined(taken(state.points[which], frames)) for which in (own, 1 - own)]
                return points[0], points[1], joined(taken(state.turned, frames))

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
        turn, target = _identities(self.frames), Target(_zeros(self.frames, 3), _identities(self.frames))
        both = np.flatnonzero(held.count == 2)
        if both.size:
            _put(turn, both, turn_of_two(taken(state, both), taken(held.places, both)))
            _put(target, both, method.target_of_two(*taken((state, turn, held.is_first, held.places), both)))
        alone = np.flatnonzero(held.count == 1)
        if alone.size:
            ahead, behind = blending.nearest(held.count != 1, method.windows.turning)
            frames = np.arange(self.frames)
            ahead = np.where((ahead > 0) & (held.count[_within(frames + ahead, self.frames)] == 2), ahead, 0)[alone]
            behind = np.where((behind > 0) & (held.count[_within(frames - behind, self.frames)] == 2), behind, 0)[alone]
            shares = blending.fades(ahead, behind, method.windows.turning)
            _put(turn, alone, blending.blended_turn(taken(turn, alone + ahead), taken(turn, alone - behind), shares))
            _put(target, alone, method.target_of_one(limb, *taken((state, turn, held.is_first, held.places), alone)))
        return target

    # 3: where the root goes ----------------------------------------------------------------------------------------

    def _root(self, targets: list[Target]) -> Vector:
        alone = _zeros(self.frames, 3)
        spheres = [
            self.method.sphere(state, target, self.counts[:, limb] > 0)
            for limb, (state, target) in enumerate(zip(self.states, targets, strict=True))
        ]
        missing = np.flatnonzero(misses(spheres))
        if not missing.size:
            return alone
        _put(alone, missing, displacement(taken(tuple(spheres), missing)))
        window = self.method.windows.carrying
        x, y, z = _smoothed(_largest(alone, window // 2), self.method.kernel, np.ones(self.frames, dtype=bool))
        return x, y, z

    # 4: what the limbs do ------------------------------------------------------------------------------------------

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
        (bend,) = _smoothed((bend,), self.method.bend_kernel, holds)
        _put(by, frames, self.method.solved(state, moved, aim, bend[frames], taken(self.inside[limb], frames)))
        ahead, behind = blending.nearest(holds, self.method.windows.blending)
        free = np.flatnonzero(~holds & ((ahead > 0) | (behind > 0)))
        if free.size:
            before, after = taken(by, free - behind[free]), taken(by, free + ahead[free])
            _put(by, free, self.method.faded(after, before, (ahead[free], behind[free])))
        touched = holds.copy()
        touched[free] = True
        return by, touched

    def _finish(
        self, limb: int, root: Vector, by: Adjustment, touched: BoolArray, turned: Array, moved: Array
    ) -> Adjustment:
        """Keep a limb above the floor and write it to the motion."""
        method, state, part = self.method, self.states[limb], self.method.limbs[limb]
        seen: LimbState | None = None
        if method.settings.ground is not None:
            seen = method.adjusted(limb, state, root, by)
            deep = np.where(self.counts[:, limb] == 0, method.depth(limb, seen), 0.0)
            below = np.flatnonzero(deep > 0.0)
            if below.size:
                touched = touched.copy()
                touched[below] = True
                _put(by, below, method.lifted(*taken((seen, by, deep), below)))
                _put(seen, below, method.adjusted(limb, *taken((state, root, by), below)))
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


def _largest(values: tuple[Array, ...], window: int) -> tuple[Array, ...]:
    """In each frame the largest of the vectors so many frames around; of equals, the earliest."""
    frames = len(values[0])
    sizes = values[0] * values[0] + values[1] * values[1] + values[2] * values[2]
    largest, found = np.full(frames, -1.0), tuple(np.zeros(frames) for _ in values)
    for shift in range(-window, window + 1):
        begin, end = max(0, -shift), min(frames, frames - shift)
        if begin >= end:
            continue
        here, there = slice(begin, end), slice(begin + shift, end + shift)
        better = sizes[there] > largest[here]
        largest[here] = np.where(better, sizes[there], largest[here])
        for kept, value in zip(found, values, strict=True):
            kept[here] = np.where(better, value[there], kept[here])
    return found


def _smoothed(values: tuple[Array, ...], weights: list[float], counts: BoolArray) -> tuple[Array, ...]:
    """The weighted means of values (frames,) over the frames around that count; 0 where none does."""
    frames, window = len(counts), len(weights) // 2
    summed, total = tuple(np.zeros(frames) for _ in values), np.zeros(frames)
    for shift, weight in zip(range(-window, window + 1), weights, strict=True):
        begin, end = max(0, -shift), min(frames, frames - shift)
        if begin >= end:
            continue
        here, there = slice(begin, end), slice(begin + shift, end + shift)
        weighs = np.where(counts[there], weight, 0.0)
        total[here] += weighs
        for sums, value in zip(summed, values, strict=True):
            sums[here] += weighs * value[there]
    total = np.where(total > 0.0, total, 1.0)
    return tuple(sums / total for sums in summed)


def _zeros(frames: int, count: int) -> Any:
    return tuple(np.zeros(frames) for _ in range(count))


def _identities(frames: int) -> Quaternion:
    return np.ones(frames), np.zeros(frames), np.zeros(frames), np.zeros(frames)


def _unadjusted(frames: int, inside: int) -> Adjustment:
    return Adjustment(
        _identities(frames),
        np.zeros(frames),
        np.full(frames, UNADJUSTED.scale),
        _identities(frames),
        tuple(_identities(frames) for _ in range(inside)),
    )


def _put(into: Any, frames: IntArray, values: Any) -> None:
    """Write some frames of components, however they are nested."""
    if isinstance(into, np.ndarray):
        into[frames] = values
    else:
        for inner, value in zip(into, values, strict=True):
            _put(inner, frames, value)


def _within(frames: IntArray, count: int) -> IntArray:
    return np.clip(frames, 0, count - 1)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Planting a motion while it comes in: one frame in, one frame out, later by the length of the buffers.

The steps are those of a clip, and so are the results, bit for bit. Each step waits for the frames ahead that it needs
(document 000, figure 3.10): the first for those over which a plant's place is averaged, the second for those from which
a turn fades, then those of the root, which each method has for itself, then one for those around which a bend is
smoothed, one for those from which adjustments fade, and the last for those around which a limb is lifted off the floor.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

import numpy as np

from ...body.motion import Motion, Pose
from ...body.skeleton import Skeleton
from ...core.arrays import Array
from ...core.errors import ConstraintError, MotionError
from ...core.numbers import is_number
from .. import blending
from ..components import IDENTITY, ZERO, Number, Quaternion, Vector, length, minus
from ..limbs import Limb, limbs_of
from ..plants import MOST_POINTS, PlantedPoint, check_plants, merged
from .method import Method
from .observing import Adjustment, LimbState
from .targets import Target, turn_of_two

_UNIT = 4.0 * float(np.finfo(np.float64).eps)
"""Quaternions whose squared length is so near to 1 are taken as they are, without asking whether the pose is sound."""

_FITS = 1e-9
"""Sizes of the character by which the places of a limb's two points may be nearer or farther than these."""

_NOWHERE = Target(ZERO, IDENTITY)

Step = Callable[[int], None]
"""What is done to a frame, given its number."""


@dataclass(frozen=True, eq=False)
class CleanedFrame:
    """One cleaned frame of a stream."""

    frame: int
    """Counted from 0."""
    pose: Pose
    stretch: Mapping[str, float]
    """By limb: by which share its bones are longer, or shorter, than in the source."""
    root: tuple[float, float, float]
    """By how much the root was moved."""
    residual: float
    """How far the farthest planted point is from its place, in the motion's units; 0 where nothing but rounding can
    keep it from there."""


class Frame:
    """A frame on its way through the buffers; of each limb in the order of the limbs."""

    __slots__ = (
        "adjustments",
        "bends",
        "counts",
        "depths",
        "faded",
        "plants",
        "pose",
        "root",
        "seen",
        "states",
        "stiff",
        "targets",
        "turns",
    )

    def __init__(
        self, pose: Pose, states: tuple[LimbState, ...], plants: list[tuple[AnnouncedPlant | None, ...]]
    ) -> None:
        self.pose, self.plants = pose, plants
        self.states = list(states)
        self.stiff: list[tuple[Quaternion, ...]] = [()] * len(states)
        """The local rotations that the joints inside a hand or foot keep while it is held."""
        self.counts = [(one is not None) + (other is not None) for one, other in plants]
        """How many plants hold each limb."""
        self.turns: list[Quaternion] = [IDENTITY] * len(states)
        self.targets: list[Target] = []
        self.root: Vector = ZERO
        self.bends: list[Number] = []
        self.adjustments: list[Adjustment] = []
        """What limbs do that are held: others fade from that."""
        self.faded: list[Adjustment | None] = []
        """What all limbs do; None for nothing."""
        self.seen: list[LimbState] = []
        """How limbs look then; only where there is a floor."""
        self.depths: list[float] = [0.0] * len(states)
        """How deep each free limb is in the floor; 0 where it is not."""


class AnnouncedPlant:
    """An announced plant and, once that is known, where it stands."""

    __slots__ = ("place", "plant", "rank")

    def __init__(self, plant: PlantedPoint, point: int) -> None:
        self.plant = plant
        self.rank = (plant.begin, plant.location is None, point)
        self.place: tuple[float, float, float] | None = None


AnyMethod = TypeVar("AnyMethod", bound=Method)


class StreamPlanting(ABC, Generic[AnyMethod]):
    """A motion on its way through a method; what one method has for itself is where the root goes.

    Announce plants before the frames in which they begin come in, push frames, and take what comes out; `finish` gives
    the rest.
    """

    def __init__(self, method: AnyMethod) -> None:
        """Take a method for the limbs of a character that may be planted."""
        self.method = method
        self.frames: dict[int, Frame] = {}
        """Those that still matter, by number."""
        self.count = 0
        """How many have come in."""
        self._finished = False
        windows = method.windows
        self._steps: tuple[tuple[int, Step], ...] = (
            (windows.averaging, self._locate),
            (windows.turning, self._aim),
            *self.root_steps(),
            (0, self._bend),
            (windows.smoothing, self._solve),
            (windows.blending, self._fade),
            (windows.lifting, self._complete),
        )
        self._done = [0] * len(self._steps)
        self._kept = max(ahead for ahead, _ in self._steps) + 1
        """How many frames that are done still matter: steps look back no farther than ahead."""
        self._announced: list[list[list[AnnouncedPlant]]] = [[[] for _ in range(MOST_POINTS)] for _ in method.limbs]
        self._out: list[CleanedFrame] = []
        self._held: list[deque[list[int]]] = [deque() for _ in method.limbs]
        """For each limb the first and the last frame of the times in which it is held, those that still matter."""
        self._deep: list[deque[int]] = [deque() for _ in method.limbs]
        """For each limb the frames in which it is below the floor, those that still matter."""

    @abstractmethod
    def root_steps(self) -> Iterable[tuple[int, Step]]:
        """The steps that find where the root goes, each with how many frames ahead it needs of the step before."""

    @property
    def delay(self) -> int:
        """How many frames later than it came in a frame comes out."""
        return sum(ahead for ahead, _ in self._steps)

    def announce(self, *plants: PlantedPoint) -> None:
        """Say which points will be planted, before the first of their frames comes in."""
        for plant in check_plants(plants, self.method.limbs):
            if plant.begin < self.count:
                raise ConstraintError(
                    f"{plant.label}: it begins at frame {plant.begin}, but {self.count} frames have come in already; "
                    "announce it before."
                )
            limb, point = self.method.slot(plant)
            waiting = self._announced[limb][point]
            if waiting:
                last, _ = check_plants((waiting[-1].plant, plant), self.method.limbs)
                # Of two that follow at once, in no given place, a clip makes one plant: so must whoever announces them.
                if len(merged((last, plant))) == 1:
                    raise ConstraintError(
                        f"{last.label} (to frame {last.end}) and {plant.label} (from frame {plant.begin}) leave no "
                        "frame between them; announce them as one plant."
                    )
            waiting.append(AnnouncedPlant(plant, point))

    def push(self, pose: Pose) -> CleanedFrame | None:
        """Put in the next frame; take out the one that is ready, None while the buffers are filling."""
        if self._finished:
            raise MotionError("The stream is finished: begin a new one.")
        if not isinstance(pose, Pose):
            raise MotionError(f"A stream takes one pose at a time, not {pose!r}.")
        pose = self._checked(pose)
        states = self.method.observer.of_frame(pose.rotations, pose.translations)
        current = Frame(pose, states, [self._holding(limb) for limb in range(len(states))])
        for held, count in zip(self._held, current.counts, strict=True):
            if count and held and held[-1][1] == self.count - 1:
                held[-1][1] = self.count
            elif count:
                held.append([self.count, self.count])
        self.frames[self.count] = current
        self.count += 1
        self._advance()
        return self._out.pop() if self._out else None

    def finish(self) -> Iterator[CleanedFrame]:
        """The frames that are still in the buffers; nothing can be put in after."""
        self._finished = True
        self._advance()
        rest, self._out = self._out, []
        return iter(rest)

    # The buffers -----------------------------------------------------------------------------------------------------

    def _advance(self) -> None:
        """Let each step do the frames for which the step before has come far enough."""
        before = self.count
        for number, (ahead, step) in enumerate(self._steps):
            ready = before if self._finished else before - ahead
            while self._done[number] < ready:
                step(self._done[number])
                self._done[number] += 1
            before = self._done[number]
        oldest = before - self._kept
        for frame in range(oldest - 1, -1, -1):
            if self.frames.pop(frame, None) is None:
                break
        for held in self._held:
            while held and held[0][1] < oldest:
                held.popleft()

    def _holding(self, limb: int) -> tuple[AnnouncedPlant | None, ...]:
        """Which plants hold the points of a limb in the frame that comes in."""
        found: list[AnnouncedPlant | None] = []
        for waiting in self._announced[limb]:
            while len(waiting) > 1 and waiting[0].plant.end < self.count:
                waiting.pop(0)
            holds = bool(waiting) and waiting[0].plant.begin <= self.count <= waiting[0].plant.end
            found.append(waiting[0] if holds else None)
        return tuple(found)

    def _checked(self, pose: Pose) -> Pose:
        """The pose, put right as a clip would."""
        turned, moved = pose.rotations, pose.translations
        skeleton = self.method.skeleton
        joints = len(skeleton)
        if turned.shape == (joints, 4) and moved.shape == (joints, 3) and turned.dtype == moved.dtype == np.float64:
            off = np.abs((turned * turned).sum(axis=1) - 1.0).max()
            if off <= _UNIT and math.isfinite(moved.sum()):
                return Pose(turned.copy(), moved.copy())
        motion = Motion(turned[None], moved[None]).checked(skeleton)
        return Pose(motion.rotations[0], motion.translations[0])

    # The steps -------------------------------------------------------------------------------------------------------

    def _locate(self, frame: int) -> None:
        """Where plants stand that begin in this frame, and how that turns hands and feet that two of them hold."""
        current = self.frames[frame]
        for limb, plants in enumerate(current.plants):
            self._stiffen(frame, limb)
            begun = [plant for plant in plants if plant is not None and plant.place is None]
            for plant in sorted(begun, key=lambda plant: plant.rank):
                self._place(limb, plant, plants)
            if plants[0] is not None and plants[1] is not None:
                current.turns[limb] = turn_of_two(current.states[limb], _places(plants))

    def _stiffen(self, frame: int, limb: int) -> None:
        """Keep a hand or foot as stiff as it has been since it was planted, or as it is in the frames from now on."""
        current = self.frames[frame]
        if not current.counts[limb] or not current.states[limb].inside.turned:
            return
        before = self.frames.get(frame - 1)
        if before is not None and before.counts[limb]:
            current.stiff[limb] = before.stiff[limb]
        else:
            states: list[LimbState] = []
            for near in range(frame, min(frame + max(self.method.windows.averaging, 1), self.count)):
                if not self.frames[near].counts[limb]:
                    break
                states.append(self.frames[near].states[limb])
            current.stiff[limb] = self.method.stiff(np.array([state.inside.turned for state in states]))
        current.states[limb] = self.method.stiffened(limb, current.states[limb], current.stiff[limb])

    def _place(self, limb: int, plant: AnnouncedPlant, plants: tuple[AnnouncedPlant | None, ...]) -> None:
        own = plants.index(plant)
        other, stiff = plants[1 - own], self.frames[plant.plant.begin].stiff[limb]

        def seen(count: int) -> tuple[Array, Array, Array]:
            begin = plant.plant.begin
            states = [self.frames[frame].states[limb] for frame in range(begin, min(begin + count, self.count))]
            if stiff:
                states = [self.method.stiffened(limb, state, stiff) for state in states]
            return (
                np.array([state.points[own] for state in states]),
                np.array([state.points[1 - own] for state in states]),
                np.array([state.turned for state in states]),
            )

        known = None
        if other is not None and other.place is not None:
            known = other.plant, np.array(other.place)
        x, y, z = self.method.located(plant.plant, known, seen).tolist()
        plant.place = (x, y, z)

    def _aim(self, frame: int) -> None:
        """Where hands and feet go."""
        current, method = self.frames[frame], self.method
        for limb, (state, plants) in enumerate(zip(current.states, current.plants, strict=True)):
            count = current.counts[limb]
            if count == 0:
                current.targets.append(_NOWHERE)
                continue
            places, is_first = _places(plants), _is_first(plants)
            if count == 2:
                current.targets.append(method.target_of_two(state, current.turns[limb], is_first, places))
                continue
            ahead, behind = self._turn_from(frame, limb, 1), self._turn_from(frame, limb, -1)
            shares = blending.fades(ahead, behind, method.windows.turning)
            turns = self.frames[frame + ahead].turns[limb], self.frames[frame - behind].turns[limb]
            # The turn of a limb that one plant holds is not kept: it is not for others to fade from.
            turn = blending.blended_turn(turns[0] if ahead else IDENTITY, turns[1] if behind else IDENTITY, shares)
            current.targets.append(method.target_of_one(limb, state, turn, is_first, places))

    def _turn_from(self, frame: int, limb: int, way: int) -> int:
        """How far ahead, or behind, the next frame is in which two plants hold a limb that one holds until then."""
        for far in range(1, self.method.windows.turning + 1):
            there = self.frames.get(frame + way * far)
            if there is None:
                return blending.NONE
            count = there.counts[limb]
            if count != 1:
                return far if count == 2 else blending.NONE
        return blending.NONE

    def _bend(self, frame: int) -> None:
        """What the root asks of each limb's bend."""
        current, method = self.frames[frame], self.method
        for state, target, count in zip(current.states, current.targets, current.counts, strict=True):
            current.bends.append(method.bend(state, current.root, target) if count else 0.0)

    def _solve(self, frame: int) -> None:
        """What limbs do that are held."""
        current, method = self.frames[frame], self.method
        for limb, (state, target) in enumerate(zip(current.states, current.targets, strict=True)):
            if not current.counts[limb]:
                current.adjustments.append(method.unadjusted[limb])
                continue
            (bend,) = self.smoothed(frame, method.bend_kernel, partial(self._bend_of, limb))
            inside = method.stiffening(state, current.stiff[limb])
            current.adjustments.append(method.solved(state, current.root, target, bend, inside))

    def _bend_of(self, limb: int, frame: int) -> tuple[float] | None:
        """What is added to the bend of a limb; None where it is not held."""
        there = self.frames[frame]
        return (there.bends[limb],) if there.counts[limb] else None

    def _fade(self, frame: int) -> None:
        """What free limbs do, and how deep that leaves them in the floor."""
        current, method = self.frames[frame], self.method
        has_floor = method.settings.ground is not None
        for limb, state in enumerate(current.states):
            by = self._faded(frame, limb)
            current.faded.append(by)
            if has_floor:
                seen = method.adjusted(limb, state, current.root, by or method.unadjusted[limb])
                current.seen.append(seen)
                deep = 0.0 if current.counts[limb] else method.depth(limb, seen)
                if deep > 0.0:
                    current.depths[limb] = deep
                    self._deep[limb].append(frame)

    def _faded(self, frame: int, limb: int) -> Adjustment | None:
        """What a limb does; None where it does nothing."""
        current, method = self.frames[frame], self.method
        by = current.adjustments[limb]
        if not current.counts[limb]:
            ahead, behind = self.held_around(frame, limb, method.windows.blending)
            if not ahead and not behind:
                return None
            nothing = method.unadjusted[limb]
            to = self.frames[frame + ahead].adjustments[limb] if ahead else nothing
            since = self.frames[frame - behind].adjustments[limb] if behind else nothing
            by = method.faded(to, since, (ahead, behind))
        return method.allowed(limb, current.states[limb], current.root, by)

    def held_around(self, frame: int, limb: int, window: int) -> tuple[int, int]:
        """How far ahead, and behind, the next frames are in which a free limb is held; 0 for none in the window."""
        ahead = behind = blending.NONE
        for first, last in self._held[limb]:
            if last < frame and frame - last <= window:
                behind = frame - last
            if first > frame:
                if first - frame <= window:
                    ahead = first - frame
                break
        return ahead, behind

    def _complete(self, frame: int) -> None:
        """Nothing goes below the floor; and the frame is done."""
        current, method = self.frames[frame], self.method
        turned, moved = current.pose.rotations.copy(), current.pose.translations.copy()
        moved[method.observer.root] += current.root
        stretch, residual = {}, 0.0
        for limb, part in enumerate(method.limbs):
            by, toes = self._above_floor(frame, limb)
            stretch[part.name] = 0.0 if by is None else by.scale - 1.0
            if by is not None:
                self._write(current, limb, by, turned, moved)
            if toes > 0.0 and part.toes is not None:
                joint = part.toes.joint
                turned[joint] = method.toes_turned(limb, turned[joint].tolist(), toes)
            if by is not None and current.counts[limb]:
                residual = max(residual, self._missed(current, limb, by))
        self._out.append(CleanedFrame(frame, Pose(turned, moved), stretch, current.root, residual))

    def _above_floor(self, frame: int, limb: int) -> tuple[Adjustment | None, Number]:
        """What a limb does above the floor, None for nothing, and by how much its toes have to bend."""
        current, method = self.frames[frame], self.method
        by = current.faded[limb]
        if method.settings.ground is None:
            return by, 0.0
        state, seen = current.states[limb], current.seen[limb]
        rise = self._rise(frame, limb)
        if rise > 0.0:
            by = method.lifted(limb, state, seen, current.root, by or method.unadjusted[limb], rise)
            seen = method.adjusted(limb, state, current.root, by)
        return by, 0.0 if method.limbs[limb].toes is None else method.toes_bend(limb, seen)

    def _rise(self, frame: int, limb: int) -> Number:
        """How far a limb is lifted out of the floor."""
        method, deep = self.method, self._deep[limb]
        forget(deep, frame - method.windows.lifting)
        if not deep or self.frames[frame].counts[limb]:
            return 0.0
        (smooth,) = self.smoothed(frame, method.lift_kernel, partial(self._deepest, limb))
        far = self.held_around(frame, limb, method.lift_rim)
        return method.rise(self.frames[frame].depths[limb], smooth, far)

    def _deepest(self, limb: int, frame: int) -> tuple[float]:
        """How deep a limb is in the floor at most in the frames around."""
        near = around(self._deep[limb], frame, self.method.lift_reach)
        (deepest,) = largest_of(((self.frames[each].depths[limb],) for each in near), (0.0,))
        return (deepest,)

    # What steps look at ----------------------------------------------------------------------------------------------

    def smoothed(
        self, frame: int, weights: list[float], value: Callable[[int], tuple[float, ...] | None]
    ) -> tuple[float, ...]:
        """The weighted mean of a value over the frames around, or those that have one, as a clip's is taken."""
        window = len(weights) // 2
        summed: list[float] = []
        total = 0.0
        for shift, weight in zip(range(-window, window + 1), weights, strict=True):
            parts = value(frame + shift) if 0 <= frame + shift < self.count else None
            if parts is None:
                continue
            total += weight
            if not summed:
                summed = [0.0] * len(parts)
            for number, part in enumerate(parts):
                summed[number] += weight * part
        return tuple(part / total for part in summed)

    # What comes out --------------------------------------------------------------------------------------------------

    def _write(self, current: Frame, limb: int, by: Adjustment, turned: Array, moved: Array) -> None:
        """Write a limb to a pose."""
        method, state = self.method, current.states[limb]
        turned[method.turning[limb]] = method.written(limb, state, by)
        if method.settings.stretch:
            moved[method.chains[limb]] = method.stretched(state, by)

    def _missed(self, current: Frame, limb: int, by: Adjustment) -> float:
        """How far the planted points of a limb are from their places; 0, at once, where nothing can be missing."""
        state, plants, root = current.states[limb], current.plants[limb], current.root
        if self.method.is_reached(limb, state, root, current.targets[limb], by) and self._fits(state, plants):
            return 0.0
        seen = self.method.adjusted(limb, state, root, by)
        return max(
            length(minus(point, plant.place))
            for point, plant in zip(seen.points, plants, strict=True)
            if plant is not None and plant.place is not None
        )

    def _fits(self, state: LimbState, plants: tuple[AnnouncedPlant | None, ...]) -> bool:
        """Whether one point of a limb is held, or two whose places lie as far apart as they do."""
        one, other = plants
        if one is None or other is None or one.place is None or other.place is None:
            return True
        apart = length(minus(*state.points))
        return bool(abs(length(minus(one.place, other.place)) - apart) <= _FITS * self.method.skeleton.size)


def limbs_to_plant(skeleton: Skeleton, fps: float, limbs: Sequence[Limb] | None) -> tuple[Limb, ...]:
    """The limbs of a stream: those that landmarks tell where nothing else is said. The frame rate is checked too."""
    if not is_number(fps) or fps <= 0.0:
        raise MotionError(f"The frame rate must be a finite, positive number, not {fps!r}.")
    return tuple(limbs_of(skeleton) if limbs is None else limbs)


def forget(frames: deque[int], before: int) -> None:
    """Drop frames that lie before one."""
    while frames and frames[0] < before:
        frames.popleft()


def around(frames: Iterable[int], frame: int, reach: int) -> Iterator[int]:
    """Those of some frames, in their order, that lie around one."""
    for each in frames:
        if each > frame + reach:
            break
        if each >= frame - reach:
            yield each


def largest_of(vectors: Iterable[tuple[float, ...]], nothing: tuple[float, ...]) -> tuple[float, ...]:
    """The largest of some vectors, of equals the earliest, as in a clip; `nothing` where there are none."""
    most, found = -1.0, nothing
    for vector in vectors:
        size = 0.0
        for part in vector:
            size += part * part
        if size > most:
            most, found = size, vector
    return found


def _places(plants: tuple[AnnouncedPlant | None, ...]) -> tuple[Vector, Vector]:
    one, other = ((ZERO if plant is None or plant.place is None else plant.place) for plant in plants)
    return one, other


def _is_first(plants: tuple[AnnouncedPlant | None, ...]) -> bool:
    """Whether the first of a limb's points leads."""
    one, other = plants
    return one is not None and (other is None or one.rank <= other.rank)

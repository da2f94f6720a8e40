# SPDX-License-Identifier: GPL-3.0-or-later
"""Cleaning a motion while it comes in: one frame in, one frame out, later by the length of the buffers.

The steps are those of `stretch`, and so are the results, bit for bit. Each step waits for the frames ahead that it
needs (document 000, figure 3.10): the first for those over which a plant's place is averaged, the second for those from
which a turn fades, the third for those around which the root's displacement is smoothed, the fourth for those around
which a bend is, the last for those from which adjustments fade.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..errors import ConstraintError, MotionError
from ..motion import Motion, Pose
from ..skeleton import Skeleton
from . import blending
from .components import IDENTITY, ZERO, Number, Quaternion, Vector, length, minus
from .limbs import Limb, limbs_of
from .plants import MOST_POINTS, PlantedPoint, check_plants
from .settings import CleanSettings
from .stretch.carrying import displacement, misses
from .stretch.method import Method, Windows
from .stretch.observing import Adjustment, LimbState
from .stretch.solving import scales
from .stretch.targets import Target, turn_of_two

_UNIT = 4.0 * float(np.finfo(np.float64).eps)
"""Quaternions whose squared length is so near to 1 are taken as they are, without asking whether the pose is sound."""

_NOWHERE = Target(ZERO, IDENTITY)


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
    """How far the farthest planted point is from its place, in the motion's units, where limbs would have to stretch by
    more than they may; 0 where they need not."""


class _Frame:
    """A frame on its way through the buffers; of each limb in the order of the limbs."""

    __slots__ = (
        "adjustments",
        "bends",
        "counts",
        "largest",
        "plants",
        "pose",
        "raw",
        "root",
        "states",
        "stiff",
        "targets",
        "turns",
    )

    def __init__(self, pose: Pose, states: tuple[LimbState, ...], plants: list[tuple[_Plant | None, ...]]) -> None:
        self.pose, self.plants = pose, plants
        self.states = list(states)
        self.stiff: list[tuple[Quaternion, ...]] = [()] * len(states)
        """The local rotations that the joints inside a hand or foot keep while it is held."""
        self.counts = [(one is not None) + (other is not None) for one, other in plants]
        """How many plants hold each limb."""
        self.turns: list[Quaternion] = [IDENTITY] * len(states)
        self.targets: list[Target] = []
        self.raw: Vector = ZERO
        self.largest: Vector = ZERO
        self.root: Vector = ZERO
        self.bends: list[Number] = []
        self.adjustments: list[Adjustment] = []


class _Plant:
    """An announced plant and, once that is known, where it stands."""

    __slots__ = ("place", "plant", "rank")

    def __init__(self, plant: PlantedPoint, point: int) -> None:
        self.plant = plant
        self.rank = (plant.begin, plant.location is None, point)
        self.place: tuple[float, float, float] | None = None


class CleanStream:
    """Plants hands and feet in a motion that comes in frame by frame, as `clean_stretching` does in a clip.

    Announce plants before the frames in which they begin come in, push frames, and take what comes out; `finish` gives
    the rest.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        fps: float,
        settings: CleanSettings | None = None,
        limbs: Sequence[Limb] | None = None,
    ) -> None:
        """Take a character, a frame rate, and the limbs that may be planted: None for those that landmarks tell.

        The axes of hinges are not seen in a motion that is still to come: where the skeleton does not tell them, give
        limbs that know them from another clip.
        """
        if not (np.isfinite(fps) and fps > 0.0):
            raise MotionError(f"The frame rate must be a finite, positive number, not {fps!r}.")
        settings = settings or CleanSettings()
        limbs = tuple(limbs_of(skeleton) if limbs is None else limbs)
        self._skeleton = skeleton
        self._method = Method(skeleton, limbs, settings, Windows.of(settings, fps))
        self._frames: dict[int, _Frame] = {}
        self._count = 0
        self._finished = False
        windows = self._method.windows
        reach = windows.carrying // 2
        self._steps = (
            (windows.averaging, self._locate),
            (windows.turning, self._aim),
            (reach, self._widen),
            (windows.carrying - reach, self._carry),
            (windows.smoothing, self._solve),
            (windows.blending, self._fade),
        )
        self._done = [0] * len(self._steps)
        self._kept = max(windows.turning, windows.carrying, windows.smoothing, windows.blending) + 1
        self._announced: list[list[list[_Plant]]] = [[[] for _ in range(MOST_POINTS)] for _ in limbs]
        self._out: list[CleanedFrame] = []
        self._missing: deque[int] = deque(maxlen=2 * (windows.delay + 1))
        """Frames in which some limb does not reach its target."""
        self._moved: deque[int] = deque()
        """Frames around which there are such."""
        self._held: list[deque[list[int]]] = [deque() for _ in limbs]
        """For each limb the first and the last frame of the times in which it is held, those that still matter."""

    @property
    def delay(self) -> int:
        """How many frames later than it came in a frame comes out."""
        return self._method.windows.delay

    def announce(self, *plants: PlantedPoint) -> None:
        """Say which points will be planted, before the first of their frames comes in."""
        for plant in check_plants(plants, self._method.limbs):
            if plant.begin < self._count:
                raise ConstraintError(
                    f"{plant.label}: it begins at frame {plant.begin}, but {self._count} frames have come in already; "
                    "announce it before."
                )
            limb, point = self._method.slot(plant)
            waiting = self._announced[limb][point]
            if waiting and waiting[-1].plant.end >= plant.begin - 1:
                raise ConstraintError(
                    f"{waiting[-1].plant.label} (to frame {waiting[-1].plant.end}) and {plant.label} (from frame "
                    f"{plant.begin}) leave no frame between them; announce them as one plant."
                )
            waiting.append(_Plant(plant, point))

    def push(self, pose: Pose) -> CleanedFrame | None:
        """Put in the next frame; take out the one that is ready, None while the buffers are filling."""
        if self._finished:
            raise MotionError("The stream is finished: begin a new one.")
        pose = self._checked(pose)
        states = self._method.observer.of_frame(pose.rotations, pose.translations)
        current = _Frame(pose, states, [self._holding(limb) for limb in range(len(states))])
        for held, count in zip(self._held, current.counts, strict=True):
            if count and held and held[-1][1] == self._count - 1:
                held[-1][1] = self._count
            elif count:
                held.append([self._count, self._count])
        self._frames[self._count] = current
        self._count += 1
        self._advance()
        return self._out.pop() if self._out else None

    def finish(self) -> Iterator[CleanedFrame]:
        """The frames that are still in the buffers; nothing can be put in after."""
        self._finished = True
        self._advance()
        yield from self._out
        self._out = []

    # The buffers -----------------------------------------------------------------------------------------------------

    def _advance(self) -> None:
        """Let each step do the frames for which the step before has come far enough."""
        before = self._count
        for number, (ahead, step) in enumerate(self._steps):
            ready = before if self._finished else before - ahead
            while self._done[number] < ready:
                step(self._done[number])
                self._done[number] += 1
            before = self._done[number]
        for frame in range(before - self._kept - 1, -1, -1):
            if self._frames.pop(frame, None) is None:
                break

    def _holding(self, limb: int) -> tuple[_Plant | None, ...]:
        """Which plants hold the points of a limb in the frame that comes in."""
        found: list[_Plant | None] = []
        for waiting in self._announced[limb]:
            while len(waiting) > 1 and waiting[0].plant.end < self._count:
                waiting.pop(0)
            holds = bool(waiting) and waiting[0].plant.begin <= self._count <= waiting[0].plant.end
            found.append(waiting[0] if holds else None)
        return tuple(found)

    def _checked(self, pose: Pose) -> Pose:
        """The pose, put right as a clip would."""
        turned, moved = pose.rotations, pose.translations
        joints = len(self._skeleton)
        if turned.shape == (joints, 4) and moved.shape == (joints, 3) and turned.dtype == moved.dtype == np.float64:
            off = np.abs((turned * turned).sum(axis=1) - 1.0).max()
            if off <= _UNIT and math.isfinite(moved.sum()):
                return Pose(turned.copy(), moved.copy())
        motion = Motion(turned[None], moved[None]).checked(self._skeleton)
        return Pose(motion.rotations[0], motion.translations[0])

    # The steps -------------------------------------------------------------------------------------------------------

    def _locate(self, frame: int) -> None:
        """Where plants stand that begin in this frame, and how that turns hands and feet that two of them hold."""
        current = self._frames[frame]
        for limb, plants in enumerate(current.plants):
            self._stiffen(frame, limb)
            begun = [plant for plant in plants if plant is not None and plant.place is None]
            for plant in sorted(begun, key=lambda plant: plant.rank):
                self._place(limb, plant, plants)
            if plants[0] is not None and plants[1] is not None:
                current.turns[limb] = turn_of_two(current.states[limb], _places(plants))

    def _stiffen(self, frame: int, limb: int) -> None:
        """Keep a hand or foot as stiff as it has been since it was planted, or as it is in the frames from now on."""
        current = self._frames[frame]
        if not current.counts[limb] or not current.states[limb].inside.turned:
            return
        before = self._frames.get(frame - 1)
        if before is not None and before.counts[limb]:
            current.stiff[limb] = before.stiff[limb]
        else:
            states: list[LimbState] = []
            for near in range(frame, min(frame + max(self._method.windows.averaging, 1), self._count)):
                if not self._frames[near].counts[limb]:
                    break
                states.append(self._frames[near].states[limb])
            turned = [np.array(turns) for turns in zip(*(state.inside.turned for state in states), strict=True)]
            current.stiff[limb] = self._method.stiff(turned)
        current.states[limb] = self._method.stiffened(limb, current.states[limb], current.stiff[limb])

    def _place(self, limb: int, plant: _Plant, plants: tuple[_Plant | None, ...]) -> None:
        own = plants.index(plant)
        other, stiff = plants[1 - own], self._frames[plant.plant.begin].stiff[limb]

        def seen(count: int) -> tuple[Array, Array, Array]:
            begin = plant.plant.begin
            states = [self._frames[frame].states[limb] for frame in range(begin, min(begin + count, self._count))]
            if stiff:
                states = [self._method.stiffened(limb, state, stiff) for state in states]
            return (
                np.array([state.points[own] for state in states]),
                np.array([state.points[1 - own] for state in states]),
                np.array([state.turned for state in states]),
            )

        known = None
        if other is not None and other.place is not None:
            known = other.plant, np.array(other.place)
        x, y, z = self._method.located(plant.plant, known, seen).tolist()
        plant.place = (x, y, z)

    def _aim(self, frame: int) -> None:
        """Where hands and feet go, and the root by itself."""
        current, method = self._frames[frame], self._method
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
            turns = self._frames[frame + ahead].turns[limb], self._frames[frame - behind].turns[limb]
            # The turn of a limb that one plant holds is not kept: it is not for others to fade from.
            turn = blending.blended_turn(turns[0] if ahead else IDENTITY, turns[1] if behind else IDENTITY, shares)
            current.targets.append(method.target_of_one(limb, state, turn, is_first, places))
        self._measure(frame)

    def _measure(self, frame: int) -> None:
        """Where the root would have to go for this frame alone."""
        current, method = self._frames[frame], self._method
        holds = [count > 0 for count in current.counts]
        if any(holds):
            spheres = list(map(method.sphere, current.states, current.targets, holds))
            if misses(spheres):
                current.raw = displacement(spheres)
                self._missing.append(frame)

    def _turn_from(self, frame: int, limb: int, way: int) -> int:
        """How far ahead, or behind, the next frame is in which two plants hold a limb that one holds until then."""
        for far in range(1, self._method.windows.turning + 1):
            there = self._frames.get(frame + way * far)
            if there is None:
                return blending.NONE
            count = there.counts[limb]
            if count != 1:
                return far if count == 2 else blending.NONE
        return blending.NONE

    def _widen(self, frame: int) -> None:
        """The largest displacement of the root around."""
        reach = self._method.windows.carrying // 2
        _forget(self._missing, frame - reach)
        largest = -1.0
        for near in self._missing:
            if near > frame + reach:
                break
            x, y, z = raw = self._frames[near].raw
            size = x * x + y * y + z * z
            if size > largest:
                largest, self._frames[frame].largest = size, raw
        if largest >= 0.0:
            self._moved.append(frame)

    def _carry(self, frame: int) -> None:
        """Where the root goes, and what that asks of each limb's bend."""
        current, method = self._frames[frame], self._method
        window = len(method.kernel) // 2
        _forget(self._moved, frame - window)
        if self._moved:
            x = y = z = total = 0.0
            for shift, weight in zip(range(-window, window + 1), method.kernel, strict=True):
                if 0 <= frame + shift < self._count:
                    near = self._frames[frame + shift].largest
                    total += weight
                    x += weight * near[0]
                    y += weight * near[1]
                    z += weight * near[2]
            current.root = (x / total, y / total, z / total)
        for state, target, count in zip(current.states, current.targets, current.counts, strict=True):
            current.bends.append(method.bend(state, current.root, target) if count else 0.0)

    def _solve(self, frame: int) -> None:
        """What limbs do that are held."""
        current, method = self._frames[frame], self._method
        window = method.windows.smoothing
        begin, end = max(frame - window, 0), min(frame + window + 1, self._count)
        near = [self._frames[each] for each in range(begin, end)]
        weights = method.bend_kernel[begin - frame + window :]
        for limb, (state, target) in enumerate(zip(current.states, current.targets, strict=True)):
            if not current.counts[limb]:
                current.adjustments.append(method.unadjusted[limb])
                continue
            bend = total = 0.0
            for each, weight in zip(near, weights, strict=False):
                if each.counts[limb]:
                    total += weight
                    bend += weight * each.bends[limb]
            inside = method.stiffening(state, current.stiff[limb])
            current.adjustments.append(method.solved(state, current.root, target, bend / total, inside))

    def _fade(self, frame: int) -> None:
        """What free limbs do; nothing goes below the floor; and the frame is done."""
        current, method = self._frames[frame], self._method
        turned, moved = current.pose.rotations.copy(), current.pose.translations.copy()
        moved[method.observer.root] += current.root
        stretch, residual = {}, 0.0
        for limb, part in enumerate(method.limbs):
            by, touched = self._faded(frame, limb)
            by, touched, toes = self._above_floor(current, limb, by, touched)
            stretch[part.name] = by.scale - 1.0
            if touched:
                self._write(current, limb, by, turned, moved)
            if toes > 0.0 and part.toes is not None:
                joint = part.toes.joint
                turned[joint] = method.toes_turned(limb, turned[joint].tolist(), toes)
            least, most = scales(method.settings)
            if current.counts[limb] and not least < by.scale < most:
                residual = max(residual, self._missed(current, limb, by))
        self._out.append(CleanedFrame(frame, Pose(turned, moved), stretch, current.root, residual))

    def _faded(self, frame: int, limb: int) -> tuple[Adjustment, bool]:
        """What a limb does, and whether it does anything."""
        own = self._frames[frame].adjustments[limb]
        if self._frames[frame].counts[limb]:
            return own, True
        ahead, behind = self._held_around(frame, limb)
        if not ahead and not behind:
            return own, False
        nothing = self._method.unadjusted[limb]
        to = self._frames[frame + ahead].adjustments[limb] if ahead else nothing
        since = self._frames[frame - behind].adjustments[limb] if behind else nothing
        return self._method.faded(to, since, (ahead, behind)), True

    def _held_around(self, frame: int, limb: int) -> tuple[int, int]:
        """How far ahead, and behind, the next frames are in which a free limb is held."""
        held, window = self._held[limb], self._method.windows.blending
        while len(held) > 1 and held[1][0] < frame:
            held.popleft()
        ahead = behind = blending.NONE
        for first, last in itertools.islice(held, 2):
            if last < frame and frame - last <= window:
                behind = frame - last
            if first > frame and first - frame <= window:
                ahead = first - frame
                break
        return ahead, behind

    def _above_floor(
        self, current: _Frame, limb: int, by: Adjustment, touched: bool
    ) -> tuple[Adjustment, bool, Number]:
        """The same above the floor, and by how much the toes have to bend."""
        method, state = self._method, current.states[limb]
        if method.settings.ground is None:
            return by, touched, 0.0
        seen = method.adjusted(limb, state, current.root, by)
        deep = 0.0 if current.counts[limb] else method.depth(limb, seen)
        if deep > 0.0:
            by, touched = method.lifted(seen, by, deep), True
            seen = method.adjusted(limb, state, current.root, by)
        return by, touched, 0.0 if method.limbs[limb].toes is None else method.toes_bend(limb, seen)

    def _write(self, current: _Frame, limb: int, by: Adjustment, turned: Array, moved: Array) -> None:
        """Write a limb to a pose."""
        method, state = self._method, current.states[limb]
        turned[method.turning[limb]] = method.written(limb, state, by)
        if method.settings.stretch:
            moved[method.chains[limb]] = method.stretched(state, by)

    def _missed(self, current: _Frame, limb: int, by: Adjustment) -> float:
        """How far the planted points of a limb are from their places."""
        seen = self._method.adjusted(limb, current.states[limb], current.root, by)
        return max(
            length(minus(point, plant.place))
            for point, plant in zip(seen.points, current.plants[limb], strict=True)
            if plant is not None and plant.place is not None
        )


def _forget(frames: deque[int], before: int) -> None:
    """Drop frames that lie before one."""
    while frames and frames[0] < before:
        frames.popleft()


def _places(plants: tuple[_Plant | None, ...]) -> tuple[Vector, Vector]:
    one, other = ((ZERO if plant is None or plant.place is None else plant.place) for plant in plants)
    return one, other


def _is_first(plants: tuple[_Plant | None, ...]) -> bool:
    """Whether the first of a limb's points leads."""
    one, other = plants
    return one is not None and (other is None or one.rank <= other.rank)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Cleaning with rigid limbs while a motion comes in: the same as `clean_rigidly` does in a clip, bit for bit."""

from __future__ import annotations

from collections.abc import Sequence

from ..arrays import Array
from ..skeleton import Skeleton
from . import blending
from .components import ZERO, Number, Vector, length, minus, plus
from .limbs import Limb
from .rigid import RigidMethod, rigid_settings
from .rigid_hinges import kept_on_hinge
from .rigid_root import NO_CHANGE, Pull, easy_displacement, reachable
from .settings import CleanSettings
from .stream import CleanStream, _Frame
from .stretch.method import Windows
from .stretch.observing import Adjustment
from .two_bones import reach_of


class RigidStream(CleanStream):
    """Plants feet, and hands, in a motion that comes in frame by frame, without stretching any bone.

    It differs from its kind in the root: that waits for the frames in which other limbs will be held, and for those
    around which its displacement is smoothed.
    """

    _method: RigidMethod

    def __init__(
        self,
        skeleton: Skeleton,
        fps: float,
        settings: CleanSettings | None = None,
        limbs: Sequence[Limb] | None = None,
    ) -> None:
        """Take a character, a frame rate, and the limbs that may be planted: None for those that landmarks tell."""
        settings = rigid_settings(settings or CleanSettings())
        super().__init__(skeleton, fps, settings, limbs)
        self._method = RigidMethod(skeleton, self._method.limbs, settings, Windows.of(settings, fps), fps=fps)
        self._pulls: dict[int, list[Pull]] = {}
        windows, calm = self._method.windows, len(self._method.calm) // 2
        self._steps = (
            (windows.averaging, self._locate),
            (windows.turning, self._aim),
            (windows.carrying, self._ask),
            (calm, self._carry),
            (0, self._solve),
            (windows.blending, self._fade),
        )
        self._done = [0] * len(self._steps)
        self._kept = max(windows.turning, windows.carrying, calm, windows.blending) + 1

    @property
    def delay(self) -> int:
        """How many frames later than it came in a frame comes out."""
        return sum(ahead for ahead, _ in self._steps)

    def _ask(self, frame: int) -> None:
        """What limbs ask of the root, and the displacement that is easy for all of them."""
        current = self._frames[frame]
        pulls = []
        for limb, state in enumerate(current.states):
            easy, weight = self._easy(frame, limb)
            pulls.append(self._method.pull(state, easy, weight))
        self._pulls[frame] = pulls
        current.largest = easy_displacement(pulls)

    def _easy(self, frame: int, limb: int) -> tuple[Vector, Number]:
        """What would carry a limb to its place, and how much that counts."""
        if self._frames[frame].counts[limb]:
            return self._displaced(frame, limb), 1.0
        window = self._method.windows.carrying
        far = self._held_within(frame, limb, 1, window), self._held_within(frame, limb, -1, window)
        if far == (blending.NONE, blending.NONE):
            return ZERO, 0.0
        ahead = self._displaced(frame + far[0], limb) if far[0] else ZERO
        behind = self._displaced(frame - far[1], limb) if far[1] else ZERO
        return self._method.expected(ahead, behind, far)

    def _displaced(self, frame: int, limb: int) -> Vector:
        there = self._frames[frame]
        return minus(there.targets[limb].place, there.states[limb].end)

    def _held_within(self, frame: int, limb: int, way: int, window: int) -> int:
        """How far ahead, or behind, the next frame is in which a limb is held."""
        for far in range(1, window + 1):
            there = self._frames.get(frame + way * far)
            if there is None:
                return blending.NONE
            if there.counts[limb]:
                return far
        return blending.NONE

    def _faded(self, frame: int, limb: int) -> tuple[Adjustment, bool]:
        by, touched = super()._faded(frame, limb)
        if touched and self._method.ankles[limb] is not None:
            current = self._frames[frame]
            by = self._method.on_hinges(limb, current.states[limb], current.root, by)
        return by, touched

    def _write(self, current: _Frame, limb: int, by: Adjustment, turned: Array, moved: Array) -> None:
        super()._write(current, limb, by, turned, moved)
        ankle, end = self._method.ankles[limb], self._method.limbs[limb].end
        if ankle is not None and (turned[end] != current.pose.rotations[end]).any():
            turned[end] = kept_on_hinge(ankle.first, turned[end].tolist())

    def _missed(self, current: _Frame, limb: int, by: Adjustment) -> float:
        """How far the planted points of a limb are from their places; 0, at once, where nothing can be missing.

        That is where the place of the end is within reach, its joint is a ball, and places of two points lie as far
        apart as these.
        """
        state, target = current.states[limb], current.targets[limb]
        reach = reach_of(minus(state.hinge, state.ball), minus(state.end, state.hinge), state.axis)
        distance = length(minus(target.place, plus(state.ball, current.root)))
        is_reached = self._method.ankles[limb] is None and reach.shortest <= distance <= reach.longest
        if is_reached and self._fits(current, limb):
            return 0.0
        return super()._missed(current, limb, by)

    def _fits(self, current: _Frame, limb: int) -> bool:
        """Whether one point of a limb is held, or two whose places lie as far apart as they do."""
        one, other = current.plants[limb]
        if one is None or other is None or one.place is None or other.place is None:
            return True
        apart = length(minus(*current.states[limb].points))
        return bool(abs(length(minus(one.place, other.place)) - apart) <= NO_CHANGE * self._method.size)

    def _carry(self, frame: int) -> None:
        """Where the root goes, and what that asks of each limb's bend."""
        current, method = self._frames[frame], self._method
        radius = len(method.calm) // 2
        x = y = z = total = 0.0
        for shift, weight in zip(range(-radius, radius + 1), method.calm, strict=True):
            if 0 <= frame + shift < self._count:
                near = self._frames[frame + shift].largest
                total += weight
                x += weight * near[0]
                y += weight * near[1]
                z += weight * near[2]
        current.root = reachable((x / total, y / total, z / total), self._pulls.pop(frame), method.size)
        for state, target, count in zip(current.states, current.targets, current.counts, strict=True):
            current.bends.append(method.bend(state, current.root, target) if count else 0.0)

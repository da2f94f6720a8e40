# SPDX-License-Identifier: GPL-3.0-or-later
"""The method with limbs of fixed length on a motion that comes in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...body.skeleton import Skeleton
from .. import blending
from ..components import ZERO, Number, Vector, minus
from ..limbs import Limb
from ..planting.stream import Step, StreamPlanting, limbs_to_plant
from ..settings import CleanSettings
from .method import RigidMethod, rigid_settings
from .root import Pull, easy_displacement, reachable


class RigidStream(StreamPlanting[RigidMethod]):
    """Plants feet, and hands, in a motion that comes in frame by frame, as `clean_rigidly` does in a clip.

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
        """Take a character, a frame rate, and the limbs that may be planted, as `CleanStream` does."""
        limbs = limbs_to_plant(skeleton, fps, limbs)
        super().__init__(RigidMethod(skeleton, limbs, rigid_settings(settings), fps))
        self._pulls: dict[int, list[Pull]] = {}
        """What limbs ask of the root, of the frames whose root is not known yet."""
        self._easy: dict[int, Vector] = {}
        """The displacement of the root that is easy for all of them, of the frames that still matter."""

    def root_steps(self) -> Iterable[tuple[int, Step]]:
        """What limbs ask, now and in the frames in which they will be held; and that smoothed, and within reach."""
        return (self.method.windows.carrying, self._ask), (len(self.method.calm) // 2, self._carry)

    def _ask(self, frame: int) -> None:
        """What limbs ask of the root, and the displacement that is easy for all of them."""
        pulls = [
            self.method.pull(state, *self._asked(frame, limb)) for limb, state in enumerate(self.frames[frame].states)
        ]
        self._pulls[frame] = pulls
        self._easy[frame] = easy_displacement(pulls)

    def _asked(self, frame: int, limb: int) -> tuple[Vector, Number]:
        """What would carry a limb to its place, and how much that counts."""
        if self.frames[frame].counts[limb]:
            return self._displaced(frame, limb), 1.0
        far = self.held_around(frame, limb, self.method.windows.carrying)
        if far == (blending.NONE, blending.NONE):
            return ZERO, 0.0
        ahead = self._displaced(frame + far[0], limb) if far[0] else ZERO
        behind = self._displaced(frame - far[1], limb) if far[1] else ZERO
        return self.method.expected(ahead, behind, far)

    def _displaced(self, frame: int, limb: int) -> Vector:
        there = self.frames[frame]
        return minus(there.targets[limb].place, there.states[limb].end)

    def _carry(self, frame: int) -> None:
        """Where the root goes."""
        calm = self.method.calm
        self._easy.pop(frame - len(calm) // 2 - 1, None)
        x, y, z = self.smoothed(frame, calm, self._easy.__getitem__)
        self.frames[frame].root = reachable((x, y, z), self._pulls.pop(frame), self.method.size)

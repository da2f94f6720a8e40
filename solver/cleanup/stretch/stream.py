# SPDX-License-Identifier: GPL-3.0-or-later
"""The method that stretches limbs on a motion that comes in."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from ...body.skeleton import Skeleton
from ..components import ZERO, Vector
from ..limbs import Limb
from ..planting.spheres import displacement, misses
from ..planting.stream import Step, StreamPlanting, around, largest_of, limbs_to_plant
from ..settings import CleanSettings
from .method import StretchMethod


class CleanStream(StreamPlanting[StretchMethod]):
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
        limbs = limbs_to_plant(skeleton, fps, limbs)
        super().__init__(StretchMethod(skeleton, limbs, settings or CleanSettings(), fps))
        self._alone: dict[int, Vector] = {}
        """Where the root would have to go for each frame alone, of the frames in which some limb does not reach."""
        self._missing: deque[int] = deque()
        """Those frames, that still matter."""
        self._moved: dict[int, Vector] = {}
        """The largest displacement around each frame around which there are such."""

    def root_steps(self) -> Iterable[tuple[int, Step]]:
        """What each frame needs, the largest around it, and that smoothed."""
        return (0, self._measure), (self.method.reach, self._widen), (len(self.method.kernel) // 2, self._carry)

    def _measure(self, frame: int) -> None:
        """Where the root would have to go for this frame alone."""
        current, method = self.frames[frame], self.method
        holds = [count > 0 for count in current.counts]
        if any(holds):
            spheres = list(map(method.sphere, current.states, current.targets, holds))
            if misses(spheres):
                self._alone[frame] = displacement(spheres)
                self._missing.append(frame)

    def _widen(self, frame: int) -> None:
        """The largest displacement of the root around."""
        reach = self.method.reach
        while self._missing and self._missing[0] < frame - reach:
            del self._alone[self._missing.popleft()]
        near = [self._alone[each] for each in around(self._missing, frame, reach)]
        if near:
            x, y, z = largest_of(near, ZERO)
            self._moved[frame] = (x, y, z)

    def _carry(self, frame: int) -> None:
        """Where the root goes."""
        self._moved.pop(frame - len(self.method.kernel) // 2 - 1, None)
        if self._moved:
            x, y, z = self.smoothed(frame, self.method.kernel, lambda near: self._moved.get(near, ZERO))
            self.frames[frame].root = (x, y, z)

# SPDX-License-Identifier: GPL-3.0-or-later
"""What a solve leaves for the next one with nearly the same targets, as while a handle is dragged."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..body.motion import Motion
from ..core.arrays import IntArray
from .frame_tasks import FrameTasks
from .passes.draft import Draft
from .passes.projection import Systems
from .passes.reach import Relaxation

MOST_PARTS = 4
"""Those of two independent parts, each for the frames near a focus and for all frames."""

LEAST_SHARE = 0.5
"""Of the frames that are to be solved, the share that a preview shows at least."""


@dataclass(eq=False)
class KeptPart:
    """What is kept of an independent part."""

    frames: IntArray
    """(frames,) those that were solved."""
    base: Motion
    """The result before, which all other frames have."""
    draft: Draft | None = None
    """The newest one; None where there is none."""
    wanted: FrameTasks | None = None
    """The tasks for which it was made, before their targets were relaxed."""
    relaxation: Relaxation | None = None
    """By how much these are relaxed; None where none is."""
    systems: Systems = field(default_factory=Systems)
    """Those of its projection."""


class Kept:
    """What is kept between solves of the same source; it changes when the next one shows something, not its result."""

    def __init__(self) -> None:
        self._parts: list[tuple[bytes, KeptPart]] = []
        """With the joints that each moves, the newest first."""
        self.shown: Motion | None = None
        """What the last preview has shown, or the last result; None before the first one."""

    def unseen(self) -> Kept:
        """Another one with the same parts, for a solve of which nothing is shown."""
        other = Kept()
        other._parts = self._parts
        return other

    def part(self, joints: IntArray, frames: IntArray, base: Motion) -> KeptPart:
        """What is kept of the part that moves some joints in some frames, beside a result before."""
        key = joints.tobytes()
        for number, (moved, each) in enumerate(self._parts):
            if moved == key and each.base is base and np.array_equal(each.frames, frames):
                self._parts.insert(0, self._parts.pop(number))
                return each
        self._parts[:] = [(key, KeptPart(frames, base)), *self._parts[: MOST_PARTS - 1]]
        return self._parts[0][1]

    def solved_before(self, joints: IntArray, frames: IntArray, base: Motion) -> KeptPart | None:
        """The newest part with a draft that moves some joints in these frames, or in most of them: a target that is
        dragged reaches more and more; None where there is none."""
        for moved, each in self._parts:
            if moved == joints.tobytes() and each.base is base and each.draft is not None:
                share = float(np.isin(frames, each.frames).mean())
                if share >= LEAST_SHARE and np.isin(each.frames, frames).all():
                    return each
        return None

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the method with limbs of fixed length has for itself (document 002, "Easy Foot Plant").

Plants are located, and feet turned, as in the method that stretches limbs: algorithms 1 and 2 of this document are what
that one does. What differs is the root, which is carried so that every limb reaches its place, and the limb, which has
nothing to stretch. See docs/derivations.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from .. import blending
from ..components import Number, Quaternion, Vector, length, minus, plus, where
from ..planting.averages import hann
from ..planting.method import Method
from ..planting.observing import Adjustment, LimbState
from ..planting.targets import Target
from ..settings import CleanSettings, frames_in
from ..two_bones import reach_of
from .hinges import HingedAnkle, hinged_ankle, kept_on_hinge, on_hinges
from .root import Pull

CALM = 0.05
"""Seconds, to either side, over which the root's displacement is smoothed: the tremor of a captured foot belongs into
its leg, while what is slower is the whole body's (requirement four of document 002)."""


def rigid_settings(settings: CleanSettings | None) -> CleanSettings:
    """The settings with which a limb bends as far as it must, is pointed by the smallest turn, and keeps its length."""
    return replace(settings or CleanSettings(), swivel=0.0, damping=None, stretch=False)


@dataclass(frozen=True, eq=False)
class RigidMethod(Method):
    """The method for a character's limbs, whose bones keep their lengths."""

    @cached_property
    def calm(self) -> list[float]:
        """What smooths the root's displacement."""
        return hann(frames_in(CALM, self.fps))

    @property
    def size(self) -> float:
        return self.skeleton.size

    @cached_property
    def ankles(self) -> tuple[HingedAnkle | None, ...]:
        """For each limb the hinges of its end; None where that is a ball joint."""
        hands = self.observer.hands
        return tuple(
            hinged_ankle(self.skeleton, limb, hand.joints) for limb, hand in zip(self.limbs, hands, strict=True)
        )

    # Where the root goes ---------------------------------------------------------------------------------------------

    def pull(self, state: LimbState, easy: Vector, weight: Number) -> Pull:
        """What a limb asks of the root."""
        reach = reach_of(minus(state.hinge, state.ball), minus(state.end, state.hinge), state.axis)
        return Pull(easy, weight, minus(state.ball, state.end), reach)

    def expected(self, ahead: Vector, behind: Vector, far: tuple[Any, Any]) -> tuple[Vector, Number]:
        """What would carry a free limb to its places, so far ahead and behind (0: none), and how much that counts."""
        shares = blending.fades(*far, self.windows.carrying)
        total = shares[0] + shares[1]
        known = total > 0.0
        scale = where(known, 1.0, 0.0) / where(known, total, 1.0)
        x, y, z = (
            scale * blending.blended_number(one, other, shares) for one, other in zip(ahead, behind, strict=True)
        )
        return (x, y, z), total

    # What the limb does ----------------------------------------------------------------------------------------------

    def allowed(self, limb: int, state: LimbState, root: Vector, by: Adjustment) -> Adjustment:
        """The same on the hinges of an ankle that is no ball joint."""
        ankle = self.ankles[limb]
        if ankle is None:
            return by
        return on_hinges(ankle, state, self.adjusted(limb, state, root, by), root, by, self.settings)

    def is_reached(self, limb: int, state: LimbState, root: Vector, target: Target, by: Adjustment) -> bool:
        """Whether the place of a limb's end is within reach, and its end can be turned as it should."""
        reach = reach_of(minus(state.hinge, state.ball), minus(state.end, state.hinge), state.axis)
        distance = length(minus(target.place, plus(state.ball, root)))
        return bool(self.ankles[limb] is None and reach.shortest <= distance <= reach.longest)

    def written(self, limb: int, state: LimbState, by: Adjustment) -> tuple[Quaternion, ...]:
        """The local rotations of the joints that `turning` names; hinges of ankles stay hinges to the last bit."""
        ball, hinge, end, *inside = super().written(limb, state, by)
        ankle = self.ankles[limb]
        return (ball, hinge, end if ankle is None else kept_on_hinge(ankle.first, end), *inside)

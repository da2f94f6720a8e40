# SPDX-License-Identifier: GPL-3.0-or-later
"""The method with limbs of fixed length (Li and Hao 2006, "Easy Foot Plant"; see docs/derivations.md).

Plants are located, and feet rotated, as in the method that stretches limbs: it includes their algorithms 1 and 2. What
differs is the displacement of the root, with which every limb reaches its target, and the limb, which cannot stretch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...body.two_bones import reach_of
from ...core.arrays import Array, BoolArray
from .. import blending
from ..planting.averages import hann, smoothed
from ..planting.method import Method
from ..planting.observing import Adjustment, LimbState
from ..planting.targets import Target
from ..settings import CleanSettings
from .hinges import HingedAnkle, hinged_ankle, nearest_on_hinge, on_hinges
from .root import RootTerm, mean_displacement, reachable_displacement

ROOT_SMOOTHING = 0.05
"""Seconds, to either side, over which the root's displacement is smoothed: fast noise of a captured foot is corrected
by its leg, slower motion by the whole body (Li and Hao 2006, their fourth requirement)."""


def rigid_settings(settings: CleanSettings | None) -> CleanSettings:
    """The settings without damping, swivel and stretch: limbs bend as far as the target needs and keep their length."""
    return replace(settings or CleanSettings(), swivel=0.0, damping=None, stretch=False)


@dataclass(frozen=True, eq=False)
class RigidMethod(Method):
    """The method whose limbs keep the lengths of their bones."""

    @property
    def root_window(self) -> int:
        """The number of frames, ahead and back, on whose targets the displacement of the root depends."""
        return self.windows.carrying + self._root_smoothing

    @property
    def _root_smoothing(self) -> int:
        return round(ROOT_SMOOTHING * self.fps)

    @cached_property
    def ankles(self) -> tuple[HingedAnkle | None, ...]:
        """For each limb the hinges of its end; None where the end is a ball joint."""
        extremities = self.observer.extremities
        return tuple(
            hinged_ankle(self.skeleton, limb, extremity.rigid_joints)
            for limb, extremity in zip(self.limbs, extremities, strict=True)
        )

    # The root --------------------------------------------------------------------------------------------------------

    def root_displacement(
        self, states: Sequence[LimbState], targets: Sequence[Target], planted: Sequence[BoolArray]
    ) -> Array:
        """(frames, 3) the mean displacement of the limbs to their targets, smoothed, and corrected to be reachable."""
        terms = [self._root_term(*each) for each in zip(states, targets, planted, strict=True)]
        smooth = smoothed(mean_displacement(terms), hann(self._root_smoothing))
        return reachable_displacement(smooth, terms, self.skeleton.size)

    def _root_term(self, state: LimbState, target: Target, planted: BoolArray) -> RootTerm:
        """What a limb contributes: the way to its target while it is planted, with a falling weight around that."""
        way, weight = np.where(planted[:, None], target.position - state.end, 0.0), planted.astype(np.float64)
        ahead, behind = blending.nearest_frames(planted, self.windows.carrying)
        free = np.flatnonzero(~planted & ((ahead > 0) | (behind > 0)))
        if free.size:
            distances = ahead[free], behind[free]
            shares = blending.blend_weights(*distances, self.windows.carrying)
            total = shares[0] + shares[1]
            mean = tuple(share / np.where(total > 0.0, total, 1.0) for share in shares)
            way[free] = blending.blended_values(way[free + distances[0]], way[free - distances[1]], (mean[0], mean[1]))
            weight[free] = total
        reach = reach_of(state.hinge - state.ball, state.end - state.hinge, state.axis)
        return RootTerm(way, weight, state.ball - state.end, reach)

    # The limb --------------------------------------------------------------------------------------------------------

    def allowed(self, limb: int, state: LimbState, root: Array, by: Adjustment) -> Adjustment:
        """The adjustment with which the hinges of an ankle that is no ball joint do the same."""
        ankle = self.ankles[limb]
        if ankle is None:
            return by
        return on_hinges(ankle, state, self.adjusted(limb, state, root, by), root, by, self.settings)

    def local_rotations(self, limb: int, state: LimbState, by: Adjustment) -> Array:
        """(frames, joints, 4) those of the `adjusted_joints`; a hinge of an ankle rotates about its axis only."""
        found = super().local_rotations(limb, state, by)
        ankle = self.ankles[limb]
        if ankle is not None:
            found[:, 2] = nearest_on_hinge(ankle.first, found[:, 2])
        return found

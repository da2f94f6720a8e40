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
from ..planting.averages import hann, local_lines, smoothed
from ..planting.frames import taken
from ..planting.method import Method
from ..planting.observing import Adjustment, LimbState, turned_arm
from ..planting.smooth_reach import smooth_displacement
from ..planting.solving import bend_toward
from ..planting.spheres import displacement
from ..planting.targets import Target
from ..settings import CleanSettings
from .hinges import HingedAnkle, hinged_ankle, nearest_on_hinge, on_hinges
from .root import SHORT_OF_REACH, RootTerm, mean_displacement, reduce_hinge_rotation, steadied

BENT = 0.998
"""The share of its greatest length that a planted limb may have, where the root can be displaced so: a hinge of seven
degrees. The straighter a limb is, the farther its hinge is thrown by any tremble of hip or foot. Between 0.995 and
0.9995 clips of the CMU library jump as little; runs are best at 0.998."""

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
        return 2 * self.windows.carrying + self._root_smoothing + self.windows.smoothing

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

    def carriage(
        self, states: Sequence[LimbState], targets: Sequence[Target], planted: Sequence[BoolArray]
    ) -> tuple[Array, Array]:
        """(frames, 3) each: the displacement of the root, and the rotation vectors of the pelvis.

        The mean displacement of the limbs to their targets, corrected to spare the hinges, is smoothed and brought
        within reach of all targets. What is too fast for that is left to pelvis, root and hinges, in equal parts.
        """
        terms = [self._root_term(*each) for each in zip(states, targets, planted, strict=True)]
        size = self.skeleton.size
        spared = smoothed(reduce_hinge_rotation(mean_displacement(terms), terms, size), hann(self._root_smoothing))
        smooth = smooth_displacement(
            spared, [term.sphere(BENT, on) for term, on in zip(terms, planted, strict=True)], self.windows.carrying
        )
        fast, turn = steadied(smooth, terms, [state.arm for state in states], planted, self.kernel, size)
        found = smooth + fast
        exact = []
        for term, state, on in zip(terms, states, planted, strict=True):
            sphere = term.sphere(1.0 - SHORT_OF_REACH, on)
            exact.append(sphere._replace(center=sphere.center - turned_arm(state, turn) - found))
        return found + displacement(exact), turn

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
            way[free] = mean[0][:, None] * way[free + distances[0]] + mean[1][:, None] * way[free - distances[1]]
            weight[free] = total
        reach = reach_of(state.hinge - state.ball, state.end - state.hinge, state.axis)
        return RootTerm(way, weight, state.ball - state.end, reach)

    # The limb --------------------------------------------------------------------------------------------------------

    def bends(
        self, state: LimbState, root: Array, target: Target, planted: BoolArray, into: blending.Continuation
    ) -> Array:
        """(frames,) what the target takes where the limb is planted, and what is left of that around.

        Around, the limb need not reach its target: if it did, a straight one would pop.
        """
        frames = np.flatnonzero(planted)
        bend = np.zeros((len(planted), 1))
        some, displaced, position = taken((state, root, target.position), frames)
        bend[frames, 0] = bend_toward(some, displaced, position, self.settings)
        bend[into.frames] = into.values(bend, local_lines(bend, self.kernel, planted)[1])
        return bend[:, 0]

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

# SPDX-License-Identifier: GPL-3.0-or-later
"""Planting feet with limbs of fixed length: the root goes where they reach (document 002, "Easy Foot Plant").

Plants are located, and feet turned, as in the method that stretches limbs: algorithms 1 and 2 of this document are what
that one does. What differs is the root, which is carried so that every limb reaches its place, and the limb, which has
nothing to stretch. See docs/derivations.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import Array, BoolArray
from ..clip import Clip
from ..constraints import Footplant
from . import blending
from .cleaned import Cleaned
from .components import ZERO, Number, Truth, Vector, joined, minus, split, where
from .limbs import LIMB_NAMES, Limb, limbs_of
from .plants import PlantedPoint, planted_points
from .rigid_hinges import HingedAnkle, hinged_ankle, kept_on_hinge, on_hinges
from .rigid_root import Pull, easy_displacement, reachable
from .settings import CleanSettings, frames_in
from .stretch.batch import _put, _Run, _smoothed
from .stretch.carrying import Sphere
from .stretch.method import Method, Windows
from .stretch.observing import Adjustment, LimbState, taken
from .stretch.targets import Target
from .two_bones import reach_of

CALM = 0.05
"""Seconds, to either side, over which the root's displacement is smoothed: the tremor of a captured foot belongs into
its leg, while what is slower is the whole body's (requirement four of document 002)."""


LOOKED_AT = 500
"""Frames of a clip in which the axes of hinges are seen: more show nothing new, and in long clips take longer than all
the rest."""


def rigid_settings(settings: CleanSettings) -> CleanSettings:
    """The settings with which a limb bends as far as it must, is pointed by the smallest turn, and keeps its length."""
    return replace(settings, swivel=0.0, damping=None, stretch=False)


@dataclass(frozen=True, eq=False)
class RigidMethod(Method):
    """The method for a character's limbs, whose bones keep their lengths."""

    fps: float = 30.0

    @cached_property
    def calm(self) -> list[float]:
        """What smooths the root's displacement: weights of a Hann window, from the earliest to the latest frame."""
        radius = frames_in(CALM, self.fps)
        weights = [1.0 + math.cos(math.pi * shift / (radius + 1)) for shift in range(-radius, radius + 1)]
        return [weight / sum(weights) for weight in weights]

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

    def sphere(self, state: LimbState, target: Target, holds: Truth) -> Sphere:
        """Nothing: what limbs ask of the root is their pull."""
        return Sphere(ZERO, 0.0, False)

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

    def on_hinges(self, limb: int, state: LimbState, root: Vector, by: Adjustment) -> Adjustment:
        """An adjustment that does the same to a foot with the hinges of its ankle, of which it must have some."""
        ankle = self.ankles[limb]
        assert ankle is not None
        return on_hinges(ankle, state, self.adjusted(limb, state, root, by), root, by, self.settings)


def clean_rigidly(
    clip: Clip,
    plants: Iterable[Footplant | PlantedPoint],
    settings: CleanSettings | None = None,
    limbs: Sequence[Limb] | None = None,
) -> Cleaned:
    """Plant feet, and hands, without stretching any bone: the root goes where all of them reach (document 002).

    `limbs` are those of the landmarks that plants are on where nothing else is said, with the axes of their hinges as
    the motion shows them. Of the settings, those of the swivel, of damping and of stretching do not count. Frames that
    no plant reaches, and joints of limbs that have none, come back bit for bit. Where no root serves all plants, the
    residuals say how far they are missed.
    """
    settings = rigid_settings(settings or CleanSettings())
    asked = list(plants)
    if limbs is None:
        limbs = needed_limbs(clip, asked, settings)
    standing = planted_points(clip, asked, limbs, settings.ground)
    if not limbs:
        return Cleaned(clip, standing, (), {}, np.zeros((clip.frames, 3)))
    method = RigidMethod(clip.skeleton, tuple(limbs), settings, Windows.of(settings, clip.fps), fps=clip.fps)
    return RigidRun(method, clip, standing).cleaned()


def needed_limbs(clip: Clip, plants: Iterable[Footplant | PlantedPoint], settings: CleanSettings) -> tuple[Limb, ...]:
    """The limbs that plants are on; with a ground all that there are, for none may go below."""
    frames = np.unique(np.linspace(0, clip.frames - 1, LOOKED_AT).round().astype(np.int64))
    names = {f"{plant.foot} leg" if isinstance(plant, Footplant) else plant.limb for plant in plants}
    only = None if settings.ground is not None else [name for name in LIMB_NAMES if name in names]
    return limbs_of(clip.skeleton, clip.motion.at(frames), only)


class RigidRun(_Run):
    """One clip on its way."""

    method: RigidMethod

    def _root(self, targets: list[Target]) -> Vector:
        pulls = [self._pull(limb, target) for limb, target in enumerate(targets)]
        x, y, z = _smoothed(easy_displacement(pulls), self.method.calm, np.ones(self.frames, dtype=bool))
        return reachable((x, y, z), pulls, self.method.size)

    def _adjusted(self, limb: int, root: Vector, target: Target) -> tuple[Adjustment, BoolArray]:
        by, touched = super()._adjusted(limb, root, target)
        frames = np.flatnonzero(touched)
        if self.method.ankles[limb] is not None and frames.size:
            _put(by, frames, self.method.on_hinges(limb, *taken((self.states[limb], root, by), frames)))
        return by, touched

    def _finish(
        self, limb: int, root: Vector, by: Adjustment, touched: BoolArray, turned: Array, moved: Array
    ) -> Adjustment:
        by = super()._finish(limb, root, by, touched, turned, moved)
        ankle, end = self.method.ankles[limb], self.method.limbs[limb].end
        if ankle is not None:
            changed = np.flatnonzero((turned[:, end] != self.clip.motion.rotations[:, end]).any(axis=1))
            turned[changed, end] = joined(kept_on_hinge(ankle.first, split(turned[changed, end])))
        return by

    def _pull(self, limb: int, target: Target) -> Pull:
        """What a limb asks of the root in all frames."""
        state, holds = self.states[limb], self.counts[:, limb] > 0
        easy = tuple(np.where(holds, part, 0.0) for part in minus(target.place, state.end))
        weight = np.where(holds, 1.0, 0.0)
        ahead, behind = blending.nearest(holds, self.method.windows.carrying)
        free = np.flatnonzero(~holds & ((ahead > 0) | (behind > 0)))
        if free.size:
            far = ahead[free], behind[free]
            expected, share = self.method.expected(taken(easy, free + far[0]), taken(easy, free - far[1]), far)
            _put((easy, weight), free, (expected, share))
        return self.method.pull(state, easy, weight)  # type: ignore[arg-type]

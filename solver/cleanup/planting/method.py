# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of a method, each on one limb in one frame or in many: what a clip and a stream have in common.

Methods differ in where the root goes, and in what their limbs may do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...body.skeleton import Skeleton
from ...core.arrays import Array
from .. import blending
from ..components import (
    IDENTITY,
    Number,
    Quaternion,
    Truth,
    Vector,
    about,
    conjugate,
    larger,
    multiply,
    normalized,
    times,
)
from ..limbs import Limb
from ..plants import PlantedPoint, mean_orientation
from ..settings import CleanSettings, frames_in
from .averages import gaussian, halves
from .floor import depth, lifted, toes_bend
from .observing import UNADJUSTED, Adjustment, LimbState, Observer, adjusted, combined
from .solving import bend_toward, not_backward, scales, solved
from .targets import Target, ground_height, held, held_above, place_alone, place_beside


@dataclass(frozen=True, eq=False)
class Windows:
    """How many frames each buffer looks ahead and, but for the first, back (document 000, figure 3.10)."""

    averaging: int
    turning: int
    carrying: int
    smoothing: int
    blending: int
    lifting: int

    @staticmethod
    def of(settings: CleanSettings, fps: float) -> Windows:
        """The windows of some settings at a frame rate."""
        smoothing = settings.smoothing if settings.stretch else 0.0
        lifting = 0.0 if settings.ground is None else settings.lifting
        times_of = (settings.averaging, settings.turning, settings.carrying, smoothing, settings.blending, lifting)
        return Windows(*(frames_in(seconds, fps) for seconds in times_of))


@dataclass(frozen=True, eq=False)
class Method:
    """A method for a character's limbs."""

    skeleton: Skeleton
    limbs: tuple[Limb, ...]
    settings: CleanSettings
    fps: float

    @cached_property
    def windows(self) -> Windows:
        """How many frames each step looks around."""
        return Windows.of(self.settings, self.fps)

    @cached_property
    def observer(self) -> Observer:
        """Sees the limbs."""
        return Observer(self.skeleton, self.limbs)

    @cached_property
    def bend_kernel(self) -> list[float]:
        """What smooths the bends of limbs while they are held."""
        return gaussian(self.windows.smoothing)

    @cached_property
    def lift_reach(self) -> int:
        """How many frames around are looked through for the greatest depth of a limb in the floor."""
        return halves(self.windows.lifting)[0]

    @cached_property
    def lift_kernel(self) -> list[float]:
        """What smooths that."""
        return gaussian(self.lift_rim)

    @property
    def lift_rim(self) -> int:
        """Over how many frames, from those in which a limb is held, that begins to count."""
        return halves(self.windows.lifting)[1]

    @cached_property
    def chains(self) -> tuple[list[int], ...]:
        """For each limb the joints whose translations are its bones."""
        return tuple(list(limb.chain(self.skeleton)) for limb in self.limbs)

    @cached_property
    def turning(self) -> tuple[list[int], ...]:
        """For each limb the joints that its adjustment turns: ball joint, hinge, end, and those of hand or foot."""
        each = zip(self.limbs, self.observer.hands, strict=True)
        return tuple([limb.ball, limb.hinge, limb.end, *hand.joints] for limb, hand in each)

    @cached_property
    def clearances(self) -> tuple[tuple[float, float], ...]:
        """For each limb how high its two points lie above a floor that they stand on."""
        each = [[limb.clearance(point) for point in limb.points] for limb in self.limbs]
        return tuple((heights[0], heights[-1]) for heights in each)

    @cached_property
    def unadjusted(self) -> tuple[Adjustment, ...]:
        """For each limb what it does where nothing is asked of it."""
        return tuple(
            UNADJUSTED._replace(inside=(IDENTITY,) * len(hand.joints)) if hand.joints else UNADJUSTED
            for hand in self.observer.hands
        )

    @cached_property
    def _slots(self) -> dict[tuple[str, str], tuple[int, int]]:
        return {
            (limb.name, point): (row, column)
            for row, limb in enumerate(self.limbs)
            for column, point in enumerate(limb.points)
        }

    def slot(self, plant: PlantedPoint) -> tuple[int, int]:
        """Which limb a plant is on, and which of its points it holds."""
        return self._slots[plant.limb, plant.point]

    @property
    def up(self) -> int:
        return self.skeleton.up_axis

    # 0: hands and feet are stiff while they are held ---------------------------------------------------------------

    def stiff(self, turned: Array) -> tuple[Quaternion, ...]:
        """The local rotations that joints inside a hand or foot keep, given theirs since it is held, (n, joints, 4)."""
        return tuple((w, x, y, z) for w, x, y, z in mean_orientation(turned).tolist())

    # 1: where plants stand -----------------------------------------------------------------------------------------

    def located(
        self,
        plant: PlantedPoint,
        other: tuple[PlantedPoint, Array] | None,
        seen: Callable[[int], tuple[Array, Array, Array]],
    ) -> Array:
        """(3,) where a plant stands, given the plant of the other point that holds by then, with its place.

        `seen` gives for a number of frames from the plant's begin, as far as there are so many, the places of its
        point and of the other one (n, 3) and the orientations of hand or foot (n, 4).
        """
        if plant.location is not None:
            return np.array(plant.location)
        wanted = max(self.windows.averaging, 1)
        if other is None:
            points, _, _ = seen(min(wanted, plant.frames))
            return self._on_floor(plant, points, lambda floor: place_alone(points, floor, self.up))
        beside, place = other
        points, others, turned = seen(min(wanted, min(plant.end, beside.end) - plant.begin + 1))
        return self._on_floor(plant, points, lambda floor: place_beside(place, points, others, turned, floor, self.up))

    def _on_floor(self, plant: PlantedPoint, points: Array, placed: Callable[[float | None], Array]) -> Array:
        """Where a plant stands, given where that is with its point at a height, or at none in particular.

        It is on the floor that it asks for; if it asks for none, not below the ground.
        """
        limb, own = self.slot(plant)
        clearance = self.clearances[limb][own]
        if plant.floor == "own":
            return placed(None)
        if plant.floor is not None and plant.floor != "ground":
            return placed(float(plant.floor) + clearance)
        if self.settings.ground is None:
            return placed(None)
        x, y, z = place_alone(points, None, self.up).tolist()
        lowest = ground_height(self.settings.ground, (x, y, z), self.up) + clearance
        free = placed(None)
        if lowest == -np.inf:
            return free
        return placed(lowest) if plant.floor == "ground" or free[self.up] < lowest else free

    # 2: where that puts hand or foot -------------------------------------------------------------------------------

    def target_of_one(
        self, limb: int, state: LimbState, turn: Quaternion, is_first: Truth, places: tuple[Vector, Vector]
    ) -> Target:
        """Where hand or foot goes that is held by one point."""
        return held_above(state, turn, is_first, places, self.settings.ground, self.clearances[limb], self.up)

    def target_of_two(
        self, state: LimbState, turn: Quaternion, is_first: Truth, places: tuple[Vector, Vector]
    ) -> Target:
        """Where hand or foot goes that is held by both points, one of which leads."""
        return held(state, turn, is_first, places)

    # 3: what the limb does, wherever the root goes ------------------------------------------------------------------

    def stiffened(self, limb: int, state: LimbState, turned: Sequence[Quaternion]) -> LimbState:
        """A limb whose joints inside hand or foot have these local rotations."""
        return self.observer.hands[limb].stiffened(state, turned)

    def stiffening(self, state: LimbState, turned: Sequence[Quaternion]) -> tuple[Quaternion, ...]:
        """What turns the joints inside a hand or foot from the source to these local rotations."""
        return tuple(
            normalized(multiply(wanted, conjugate(own)))
            for wanted, own in zip(turned, state.inside.turned, strict=True)
        )

    def bend(self, state: LimbState, root: Vector, target: Target) -> Number:
        """What is added to the bend of a limb that is held, if nobody looks at the frames around."""
        return bend_toward(state, root, target.place, self.settings)

    def solved(
        self, state: LimbState, root: Vector, target: Target, bend: Number, inside: tuple[Quaternion, ...]
    ) -> Adjustment:
        """What a limb that is held does when so much is added to its bend, and its hand or foot turns so inside."""
        by = solved(state, root, target.place, target.turn, not_backward(state, bend), self.settings)
        return by._replace(inside=inside) if inside else by

    def faded(self, ahead: Adjustment, behind: Adjustment, far: tuple[Any, Any]) -> Adjustment:
        """What a free limb does between frames in which it is held, so far ahead and behind (0: none)."""
        shares = blending.fades(*far, self.windows.blending)
        return Adjustment(
            blending.blended_turn(ahead.hip, behind.hip, shares),
            blending.blended_number(ahead.bend, behind.bend, shares),
            1.0 + blending.blended_number(ahead.scale - 1.0, behind.scale - 1.0, shares),
            blending.blended_turn(ahead.ankle, behind.ankle, shares),
            tuple(
                blending.blended_turn(one, other, shares)
                for one, other in zip(ahead.inside, behind.inside, strict=True)
            ),
        )

    def adjusted(self, limb: int, state: LimbState, root: Vector, by: Adjustment) -> LimbState:
        """How a limb looks with its adjustment."""
        if by.inside:
            state = self.stiffened(limb, state, list(map(multiply, by.inside, state.inside.turned)))
        return adjusted(state, root, by)

    def allowed(self, limb: int, state: LimbState, root: Vector, by: Adjustment) -> Adjustment:
        """An adjustment that does the same to a limb's points, as far as its joints allow."""
        return by

    def is_reached(self, limb: int, state: LimbState, root: Vector, target: Target, by: Adjustment) -> bool:
        """Whether a limb that is held is sure to be where it should: in one frame, and told at once."""
        least, most = scales(self.settings)
        return bool(least < by.scale < most)

    # 4: nothing goes below the floor; there must be one --------------------------------------------------------------

    def depth(self, limb: int, state: LimbState) -> Number:
        """How deep a limb is in the floor; 0 or less where it is not."""
        assert self.settings.ground is not None
        return depth(state, self.limbs[limb], self.settings.ground, self.up)

    def rise(self, deep: Number, smooth: Number, far: tuple[Any, Any]) -> Number:
        """How far a free limb is lifted, given its depth, 0 or more, a smooth curve over the depths around, and how far
        ahead and behind it is held (0: farther than `lift_rim`).

        A held limb is not lifted, so toward it the curve gives way to the depth itself.
        """
        ahead, behind = blending.fades(*far, self.lift_rim)
        return deep + (1.0 - (ahead + behind)) * larger(smooth - deep, 0.0 * deep)

    def lifted(
        self, limb: int, state: LimbState, seen: LimbState, root: Vector, by: Adjustment, rise: Number
    ) -> Adjustment:
        """An adjustment of a limb, which looks like `seen` with it, that lifts its end straight up as well."""
        return self.allowed(limb, state, root, combined(by, lifted(seen, rise, self.up, self.settings)))

    def toes_bend(self, limb: int, state: LimbState) -> Number:
        """By how much the toes of a limb have to bend; it must have some."""
        toes, ground = self.limbs[limb].toes, self.settings.ground
        assert toes is not None and ground is not None
        return toes_bend(state, toes, ground, self.up)

    # 5: what that makes of the motion ------------------------------------------------------------------------------

    def written(self, limb: int, state: LimbState, by: Adjustment) -> tuple[Quaternion, ...]:
        """The local rotations of the joints that `turning` names."""
        ball, hinge, end = state.local
        bent = about(self.limbs[limb].axis, by.bend)
        inside = [normalized(multiply(turn, own)) for turn, own in zip(by.inside, state.inside.turned, strict=True)]
        return (
            normalized(multiply(by.hip, ball)),
            normalized(multiply(hinge, bent)),
            normalized(multiply(by.ankle, end)),
            *inside,
        )

    def stretched(self, state: LimbState, by: Adjustment) -> tuple[Vector, ...]:
        """The local translations of the joints of a limb's chain."""
        return tuple(times(by.scale, bone) for bone in state.bones)

    def toes_turned(self, limb: int, local: Quaternion, bend: Number) -> Quaternion:
        """The local rotation of bent toes, given that of others."""
        toes = self.limbs[limb].toes
        assert toes is not None
        return normalized(multiply(local, about(toes.axis, bend)))

# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of a cleaning method for one limb; methods differ in the displacement of the root and in what limbs may do.

All arrays lead with the frame axis. A limb is planted in the frames in which one or both of its points are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...body.motion import Motion
from ...body.skeleton import Skeleton
from ...core.arrays import Array, BoolArray, IntArray
from ...core.rotations import conjugate, from_axis_angle, lengths, multiply, normalize, rotate, scaled, unit
from .. import blending
from ..floors import Floor, floor_of
from ..limbs import TOE_TIP, Limb
from ..plants import PlantedPoint
from ..settings import CleanSettings
from .averages import believed, gaussian, local_lines, split_window
from .floor import depth, toes_bend
from .observing import Adjustment, LimbState, Observer, adjusted, combined
from .solving import lift, not_backward, solve_limb, swivel_toward
from .targets import Target, location_next_to, location_of_single_point, raised, target_above

SLOPES = 0.4
"""The share of the smoothing over which slopes are taken where a plant begins or ends."""


@dataclass(frozen=True, eq=False)
class Windows:
    """The number of frames that each step looks ahead and, but for the first, back (Kovar 2004, figure 3.10)."""

    averaging: int
    turning: int
    carrying: int
    smoothing: int
    slopes: int
    blending: int
    lifting: int

    @staticmethod
    def of(settings: CleanSettings, fps: float) -> Windows:
        """The windows of some settings at a frame rate."""
        lifting = 0.0 if settings.ground is None else settings.lifting
        slopes = SLOPES * settings.smoothing
        around = (
            settings.averaging,
            settings.turning,
            settings.carrying,
            settings.smoothing,
            slopes,
            settings.blending,
        )
        seconds = (*around, lifting)
        return Windows(*(round(each * fps) for each in seconds))


@dataclass(frozen=True, eq=False)
class Method(ABC):
    """A cleaning method for some limbs of a character."""

    skeleton: Skeleton
    limbs: tuple[Limb, ...]
    settings: CleanSettings
    fps: float

    @cached_property
    def windows(self) -> Windows:
        """The number of frames that each step looks around."""
        return Windows.of(self.settings, self.fps)

    @property
    def root_window(self) -> int:
        """The number of frames, ahead and back, on whose targets the displacement of the root depends."""
        return self.windows.carrying

    @property
    def _reach(self) -> int:
        """The number of frames, ahead and back, on which a cleaned frame without toe tips depends."""
        windows = self.windows
        target = windows.turning + 3 * windows.smoothing
        limb = windows.blending + 2 * windows.smoothing
        return target + self.root_window + limb + windows.lifting

    @property
    def look_back(self) -> int:
        """The number of earlier frames on which a cleaned frame depends, but for the locations of plants.

        A toe tip continues the target of the ball before it, and its toes are blended out after it.
        """
        return self._reach + 2 * (self.windows.blending + self.windows.slopes) + 3 * self.windows.smoothing

    @property
    def look_ahead(self) -> int:
        """The number of later frames on which a cleaned frame depends."""
        return self.windows.averaging + self._reach

    @cached_property
    def observer(self) -> Observer:
        """Gives the states of the limbs."""
        return Observer(self.skeleton, self.limbs)

    @cached_property
    def clearances(self) -> tuple[tuple[float, float], ...]:
        """For each limb the heights of its two points above a floor that they stand on."""
        each = [[limb.clearance(point) for point in limb.points] for limb in self.limbs]
        return tuple((heights[0], heights[-1]) for heights in each)

    @cached_property
    def _slots(self) -> dict[tuple[str, str], tuple[int, int]]:
        return {
            (limb.name, point): (row, column)
            for row, limb in enumerate(self.limbs)
            for point, column in limb.columns.items()
        }

    def slot(self, plant: PlantedPoint) -> tuple[int, int]:
        """The index of a plant's limb, and that of its point on the limb."""
        return self._slots[plant.limb, plant.point]

    @property
    def up(self) -> int:
        """The index of the vertical axis."""
        return self.skeleton.up_axis

    # Locations of plants ---------------------------------------------------------------------------------------------

    def location(
        self,
        plant: PlantedPoint,
        beside: tuple[PlantedPoint, Array] | None,
        points: Array,
        other_points: Array,
        orientations: Array,
        faulty: BoolArray,
    ) -> Array:
        """(3,) the location of a plant, in the frame of its reference.

        `beside` is the plant of the limb's other point in the plant's first frame, with its location, if that was
        located before. The arrays are the positions of the plant's point and of the other one (n, 3) and the
        orientations of the extremity (n, 4) from the plant's begin on; where they are `faulty` (n,) they do not count.
        """
        if plant.location is not None:
            return np.array(plant.location)
        other_points, _ = plant.seen_from_reference(other_points, orientations)
        points, orientations = plant.seen_from_reference(points, orientations)
        count = min(max(self.windows.averaging, 1), plant.frames)
        if beside is None:
            own = points[:count][believed(faulty[:count])]
            return self._on_floor(plant, own, lambda floor: location_of_single_point(own, floor))
        if plant.turn:
            axis = np.eye(3)[self.up]
            if plant.reference is not None:
                axis = rotate(conjugate(plant.reference.rotations[plant.begin]), axis)
            turn = from_axis_angle(axis, plant.turn)
            points, other_points = rotate(turn, points), rotate(turn, other_points)
            orientations = multiply(turn, orientations)
        other, location = beside
        count = min(count, other.end - plant.begin + 1)
        rows = believed(faulty[:count])
        own, others, averaged = points[:count][rows], other_points[:count][rows], orientations[:count][rows]
        return self._on_floor(plant, own, lambda floor: location_next_to(location, own, others, averaged, floor))

    def _on_floor(self, plant: PlantedPoint, points: Array, located: Callable[[Floor | None], Array]) -> Array:
        """(3,) the location of a plant on the floor that it names; where it names none, not below the ground.

        `located` gives the location for the floor of the point, or for None where the point is.
        """
        limb, own = self.slot(plant)
        floor = floor_of(plant, points.mean(axis=0), self.clearances[limb][own], self.settings.ground, self.up)
        free = located(None)
        if floor is None or (plant.floor is None and floor.above(free) <= 0.0):
            return free
        return located(floor)

    def tip_at(self, limb: int, state: LimbState, target: Target) -> Array:
        """(frames, 3) the positions of the tip of a limb's toes, which it must have, with its end at a target."""
        toes = target.position + rotate(target.rotation, state.toes - state.end)
        shown = state._replace(toes=toes, toes_rotation=multiply(target.rotation, state.toes_rotation))
        if self.settings.ground is not None:
            bent = self.toes_rotation(limb, shown.toes_rotation, self.toes_bend(limb, shown))
            shown = shown._replace(toes_rotation=bent)
        return self.toe_tip(limb, shown)

    def toes_near(self, limb: int, state: LimbState, path: Array, tips: Array) -> Array:
        """(frames, 3) the positions of the joint that bends the toes of a limb, which must have some, nearest to a path
        (frames, 3): as far from toe tips (frames, 3) as the toes are long, and above the ground."""
        away = scaled(unit(path - tips), lengths(self.toe_tip(limb, state) - state.toes))
        if self.settings.ground is not None:
            _, clearance = self.clearances[limb]
            lowest = self.settings.ground.lowest_allowed(tips + away, self.up) + clearance - tips[:, self.up]
            below = np.flatnonzero(away[:, self.up] < lowest)
            away[below] = raised(away[below], lowest[below], np.eye(3)[self.up])
        return np.asarray(tips + away)

    def residuals(
        self, motion: Motion, plants: Sequence[PlantedPoint], locations: Mapping[PlantedPoint, Array], first: int = 0
    ) -> tuple[Array, ...]:
        """For each plant, (its frames in the motion,): the distance of its point from its location.

        The frames of plants are counted from 0, those of the motion from `first`.
        """
        states = self.observer.states(motion)
        found = []
        for plant in plants:
            limb, own = self.slot(plant)
            points = self.toe_tip(limb, states[limb]) if plant.point == TOE_TIP else states[limb].points[own]
            points = points[max(plant.begin - first, 0) : max(plant.end + 1 - first, 0)]
            begin = max(plant.begin, first)
            found.append(lengths(points - plant.world_places(locations[plant], begin, begin + len(points))))
        return tuple(found)

    # Targets of the ends of limbs ------------------------------------------------------------------------------------

    def above_ground(
        self, limb: int, state: LimbState, rotation: Array, is_first: BoolArray, locations: tuple[Array, Array]
    ) -> Target:
        """The target of an extremity of which one point is planted, with the other one above the ground, which the
        settings must have."""
        assert self.settings.ground is not None
        return target_above(state, rotation, is_first, locations, self.settings.ground, self.clearances[limb], self.up)

    # The root --------------------------------------------------------------------------------------------------------

    @abstractmethod
    def carriage(
        self, states: Sequence[LimbState], targets: Sequence[Target], planted: Sequence[BoolArray]
    ) -> tuple[Array, Array]:
        """(frames, 3) each: the displacement of the root, and the rotation vectors of the pelvis in the world, given
        the targets of the limbs in the frames of their plants."""

    # Adjustments of a limb -------------------------------------------------------------------------------------------

    @cached_property
    def kernel(self) -> Array:
        """The weights that smooth what planted limbs do over the frames around."""
        return gaussian(self.windows.smoothing)

    def posed(self, limb: int, state: LimbState, local_rotations: Array) -> LimbState:
        """The state of a limb whose extremity has other local rotations (frames, rigid joints, 4)."""
        return self.observer.extremities[limb].posed(state, local_rotations)

    def toe_tip(self, limb: int, state: LimbState) -> Array:
        """(frames, 3) the positions of the tip of a limb's toes, which it must have."""
        return self.observer.extremities[limb].toe_tip(state)

    def on_toes(self, state: LimbState, is_tip: BoolArray) -> LimbState:
        """The state of a limb whose second point is, in some frames, the joint that bends the toes."""
        second = np.where(is_tip[:, None], state.toes, state.points[1])
        return state._replace(points=(state.points[0], second), is_on_toes=is_tip)

    def rigid_joints(self, limb: int) -> int:
        """The number of joints inside the limb's extremity that are fixed while it is planted."""
        return len(self.observer.extremities[limb].rigid_joints)

    @abstractmethod
    def bends(
        self, state: LimbState, root: Array, target: Target, planted: BoolArray, into: blending.Continuation
    ) -> Array:
        """(frames,) what is added to the bend of a limb where it is planted, and in the frames around into which its
        target is continued."""

    def slopes(self, values: Array, mask: BoolArray) -> Array:
        """The slopes per frame of values (frames,) or (frames, n) that are known in the frames of a mask."""
        return local_lines(values, gaussian(self.windows.slopes), mask)[1]

    def swivel(self, state: LimbState, root: Array, target: Target, bend: Array) -> Array:
        """(frames,) the angle by which a planted limb swivels, before it is smoothed over frames."""
        return swivel_toward(state, root, target, not_backward(state, bend), self.settings)

    def solved(
        self, state: LimbState, root: Array, target: Target, bend: Array, swivel: Array, extremity_rotations: Array
    ) -> Adjustment:
        """The adjustment of a planted limb, given what is added to its bend, its swivel, and the rotations inside its
        extremity."""
        by = solve_limb(state, root, target, not_backward(state, bend), self.settings, swivel)
        return by._replace(extremity_rotations=extremity_rotations)

    def adjusted(self, limb: int, state: LimbState, root: Array, by: Adjustment) -> LimbState:
        """The state of a limb after a displacement of the root and an adjustment."""
        count = self.rigid_joints(limb)
        if count:
            state = self.posed(limb, state, multiply(by.extremity_rotations, state.extremity_rotations[:, :count]))
        return adjusted(state, root, by)

    def allowed(self, limb: int, state: LimbState, root: Array, by: Adjustment) -> Adjustment:
        """The adjustment that puts the limb's points where `by` does, as far as its joints allow."""
        return by

    # Above the ground, which the settings must have ------------------------------------------------------------------

    @property
    def lift_reach(self) -> int:
        """The number of frames around over which the largest depth is taken."""
        return split_window(self.windows.lifting)[0]

    @property
    def lift_rim(self) -> int:
        """The number of frames, from those in which a limb is planted, over which smoothed depths begin to count."""
        return split_window(self.windows.lifting)[1]

    @cached_property
    def lift_kernel(self) -> Array:
        """The weights that smooth the largest depths."""
        return gaussian(self.lift_rim)

    def depth(self, limb: int, state: LimbState) -> Array:
        """(frames,) how deep a limb is in the ground; 0 or less where it is above it."""
        assert self.settings.ground is not None
        return depth(state, self.clearances[limb], self.settings.ground, self.up)

    def rise(self, deep: Array, smooth: Array, distances: tuple[IntArray, IntArray]) -> Array:
        """(frames,) how far a free limb is lifted, given its depth, 0 or more, and a smooth curve over the depths.

        `distances` are those to frames in which the limb is planted. It is not lifted there, so toward them the curve
        is blended to the depth itself.
        """
        ahead, behind = blending.blend_weights(*distances, self.lift_rim)
        return np.asarray(deep + (1.0 - (ahead + behind)) * np.maximum(smooth - deep, 0.0))

    def lifted(
        self, limb: int, state: LimbState, shown: LimbState, root: Array, by: Adjustment, rise: Array
    ) -> Adjustment:
        """The adjustment `by`, which gives the state `shown`, with the end of the limb lifted straight up as well."""
        return self.allowed(limb, state, root, combined(by, lift(shown, rise, self.up, self.settings)))

    def toes_bend(self, limb: int, state: LimbState) -> Array:
        """(frames,) the angle by which the toes of a limb, which must have some, bend out of the ground."""
        toes, ground = self.limbs[limb].toes, self.settings.ground
        assert toes is not None and ground is not None
        return toes_bend(state, toes, ground, self.up)

    # The local transforms of the result ------------------------------------------------------------------------------

    def adjusted_joints(self, limb: int) -> list[int]:
        """The joints that the adjustment of a limb rotates: ball joint, hinge, end, and those of the extremity."""
        part = self.limbs[limb]
        return [part.ball, part.hinge, part.end, *self.observer.extremities[limb].rigid_joints]

    def local_rotations(self, limb: int, state: LimbState, by: Adjustment) -> Array:
        """(frames, joints, 4) the local rotations of the `adjusted_joints`."""
        ball, hinge, end = state.local_rotations
        inside = multiply(by.extremity_rotations, state.extremity_rotations[:, : self.rigid_joints(limb)])
        three = [
            multiply(by.ball_rotation, ball),
            multiply(hinge, from_axis_angle(self.limbs[limb].axis, by.bend)),
            multiply(by.end_rotation, end),
        ]
        return normalize(np.concatenate([np.stack(three, axis=1), inside], axis=1))

    def extremity_change(self, limb: int, state: LimbState, local_rotations: Array) -> Array:
        """(frames, rigid joints, 4) what rotates the extremity of a limb from the source to local rotations."""
        source = state.extremity_rotations[:, : self.rigid_joints(limb)]
        return normalize(multiply(local_rotations, conjugate(source)))

    def toes_rotation(self, limb: int, local: Array, bend: Array) -> Array:
        """(frames, 4) the local rotation of toes after they bend, given that before."""
        toes = self.limbs[limb].toes
        assert toes is not None
        return normalize(multiply(local, from_axis_angle(toes.axis, bend)))

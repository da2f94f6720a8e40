# SPDX-License-Identifier: GPL-3.0-or-later
"""Small spacetime problems whose answers are known: a bouncing ball, a hopping leg, pendulums, an arm on a base.

Gravity, size and mass are 1. The ground is at height 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from poise.solver.core.arrays import Array, ArrayLike
from poise.solver.spacetime.characters.character import ROOT_DOFS, DegreeOfFreedom, Place, SimplifiedCharacter
from poise.solver.spacetime.handles.handle import CenterOfMassHandle
from poise.solver.spacetime.problem.initial_guess import spline_start, with_forces
from poise.solver.spacetime.problem.layout import Layout, force_tracks
from poise.solver.spacetime.problem.muscles import Muscles
from poise.solver.spacetime.problem.objectives import Objectives
from poise.solver.spacetime.problem.optimiser import Optimum, Start, optimise
from poise.solver.spacetime.problem.simplified_motion import SimplifiedMotion
from poise.solver.spacetime.problem.spacetime_problem import CharacterFunctions, HeldPose, Problem
from poise.solver.spacetime.problem.stances import Push, Stance
from poise.solver.spacetime.problem.time_grid import time_grid
from poise.solver.spacetime.problem.units import Units

from .simplified_characters import character_of, root_dofs

GRAVITY = np.array([0.0, -1.0, 0.0])
ALWAYS = 1.0
"""Time by which a push begins before the motion and ends after it, where it lasts all the time."""


@dataclass(frozen=True, eq=False)
class SmallProblem:
    """A problem with what is needed to solve it."""

    problem: Problem
    pushed: tuple[int, ...]
    """The body of each slot."""
    start: Array
    """(unknowns,)"""

    @property
    def layout(self) -> Layout:
        return self.problem.layout

    def solved(self) -> Optimum:
        """The optimum, which must be one."""
        optimum = optimise(
            self.problem.program(CharacterFunctions(self.problem.character, self.pushed)), Start(self.start)
        )
        assert optimum.status == "Solve_Succeeded", (optimum.status, optimum.violation, optimum.iterations)
        assert optimum.violation < 1e-7
        return optimum

    def motion(self, optimum: Optimum) -> SimplifiedMotion:
        """The motion of an optimum."""
        problem = self.problem
        return SimplifiedMotion(
            problem.layout,
            Units(1.0, 1.0, 1.0),
            optimum.unknowns,
            problem.stances,
            problem.muscles,
            dict(problem.slots),
            problem.gravity,
        )

    def forces(self, optimum: Optimum, track: int = 0) -> Array:
        """(nodes, 3) the force of the ground at the points at which it is unknown."""
        return optimum.unknowns[self.layout.force_slices[track]].reshape(-1, 3)

    def impulse(self, optimum: Optimum) -> Array:
        """(3,) the integral of all forces of the ground, which are linear between points."""
        weights = self.layout.grid.weights.copy()
        if self.layout.is_cyclic:
            weights[0] += weights[-1]
        return sum(
            (weights[track.nodes] @ self.forces(optimum, index) for index, track in enumerate(self.layout.tracks)),
            np.zeros(3),
        )


@dataclass(frozen=True, eq=False)
class _Setting:
    """What the problems below differ in."""

    character: SimplifiedCharacter
    stance: Stance
    body: int
    """The body that the ground pushes."""
    duration: float
    intervals: int
    objectives: Objectives
    muscles: Muscles = field(default_factory=lambda: Muscles(np.zeros(0), np.zeros(0), np.zeros(0)))
    friction: float = 1.0
    is_cyclic: bool = False
    poses: tuple[HeldPose, ...] = ()
    events: tuple[float, ...] = ()
    locked: Mapping[int, float] = field(default_factory=dict)

    def problem(self, values: ArrayLike) -> SmallProblem:
        """The problem; `values` (instants, dofs) are evenly spaced over the time, and the start goes through them."""
        grid = time_grid(0.0, self.duration, self.events, self.intervals / self.duration)
        slots = {push.name: slot for slot, push in enumerate(self.stance.pushes)}
        tracks = force_tracks((self.stance,), grid, slots, self.is_cyclic)
        drift = np.zeros(3) if self.is_cyclic else None
        layout = Layout(self.character, grid, tracks, len(slots), drift)
        problem = Problem(
            layout,
            (self.stance,),
            self.muscles,
            GRAVITY,
            self.friction,
            (CenterOfMassHandle(),),
            np.ones(1),
            np.zeros((3, len(grid.points))),
            self.objectives.replace(deviation=0.0),
            poses=self.poses,
            locked=dict(self.locked),
            slots=slots,
        )
        values = np.asarray(values, dtype=np.float64)
        times = np.linspace(0.0, self.duration, len(values))
        start = with_forces(layout, spline_start(layout, times, values), GRAVITY)
        for joint, own in enumerate(layout.muscle_slices):
            start[own] = values[:, ROOT_DOFS + joint].mean()
        return SmallProblem(problem, (self.body,) * len(slots), start)


def _bodies(count: int, masses: Mapping[int, float], inertias: Mapping[int, float]) -> tuple[Array, Array, Array]:
    """Masses, centres at the origins, and inertias that are the same about every axis."""
    tensors = np.zeros((count, 3, 3))
    for body, inertia in inertias.items():
        tensors[body] = inertia * np.eye(3)
    return np.array([masses.get(body, 0.0) for body in range(count)]), np.zeros((count, 3)), tensors


def bouncing_ball(period: float, contact: float, intervals: int, middle: float | None = None) -> SmallProblem:
    """A ball that the ground pushes from below for a part of each period, with the smallest sum of squared forces.

    `middle` is the middle of the contact; None: of the period.
    """
    character = character_of(root_dofs(), *_bodies(6, {5: 1.0}, {5: 0.1}), {"ball": Place(5, (0.0, 0.0, 0.0))})
    middle = period / 2.0 if middle is None else middle
    begin, end = middle - contact / 2.0, middle + contact / 2.0
    # No point of the ball rests: the instant at which the stance would is between two points.
    never = begin + 0.3 * period / intervals
    stance = Stance("ground", (), never, never, np.zeros(3), (Push("ball", np.zeros(3), begin, end),))
    high = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    return _Setting(
        character,
        stance,
        5,
        period,
        intervals,
        Objectives(impact=1.0, impact_smoothness=0.0),
        is_cyclic=True,
        poses=(HeldPose((middle + period / 2.0) % period, high, "the highest pose"),),
        events=(begin % period, end % period),
    ).problem(np.tile(high, (4 * intervals, 1)))


FOOT = 0.15
"""The mass of the hopping leg's foot."""


def hopping_leg(period: float, contact: float, intervals: int) -> SmallProblem:
    """A body on a telescope whose end rests on the ground for a part of each period, with the smallest torques."""
    leg = DegreeOfFreedom("leg length", "translation", 5, (0.0, -1.0, 0.0), (0.0, 0.0, 0.0), 0.3, 1.6)
    bodies = _bodies(7, {5: 1.0 - FOOT, 6: FOOT}, {5: 0.1})
    character = character_of([*root_dofs(), leg], *bodies, {"foot": Place(6, (0.0, 0.0, 0.0))})
    begin, end = (period - contact) / 2.0, (period + contact) / 2.0
    stance = Stance("foot", ("foot",), begin, end, np.zeros(3), (Push("foot", np.zeros(3), begin, end),))
    standing = np.array([0.0, 1.0 - FOOT, 0.0, 0.0, 0.0, 0.0, 1.0])
    return _Setting(
        character,
        stance,
        6,
        period,
        intervals,
        Objectives(power=1.0),
        Muscles(np.array([5.0]), np.array([0.5]), np.array([20.0])),
        is_cyclic=True,
        events=(begin, end),
    ).problem(np.tile(standing, (4 * intervals, 1)))


@dataclass(frozen=True)
class Pendulum:
    """A rigid pendulum, and what is known of it."""

    length: float
    """From the pivot to the centre of mass."""
    inertia: float
    """About the pivot; the mass is 1."""
    amplitude: float

    @property
    def period(self) -> float:
        """By the arithmetic-geometric mean."""
        one, other = 1.0, float(np.cos(self.amplitude / 2.0))
        for _ in range(20):
            one, other = (one + other) / 2.0, float(np.sqrt(one * other))
        return 2.0 * np.pi * float(np.sqrt(self.inertia / self.length)) / one

    def speed(self, angle: ArrayLike) -> Array:
        """The angular speed at an angle, from the energy."""
        fallen = np.cos(angle) - np.cos(self.amplitude)
        return np.sqrt(np.maximum(2.0 * self.length * fallen / self.inertia, 0.0))

    def angles(self, times: ArrayLike) -> Array:
        """The angles at times after it was let go, by integrating with steps of a thousandth of the period."""
        times = np.asarray(times, dtype=np.float64)
        step, found = self.period / 1000.0, []
        for time in times:
            count = max(int(np.ceil(time / step)), 1)
            state = np.array([self.amplitude, 0.0])
            for _ in range(count):
                state = runge_kutta(self._rate, state, time / count)
            found.append(state[0])
        return np.array(found)

    def _rate(self, state: Array) -> Array:
        return np.array([state[1], -self.length / self.inertia * np.sin(state[0])])


HANGING = Pendulum(length=0.8, inertia=0.05 + 0.8**2, amplitude=1.0)


def hanging_body(intervals: int) -> SmallProblem:
    """`HANGING`: one rigid body that hangs from a pinned point, from its amplitude to the lowest point in a quarter of
    its period."""
    pendulum = HANGING
    bodies = _bodies(6, {5: 1.0}, {5: pendulum.inertia - pendulum.length**2})
    character = character_of(root_dofs(), *bodies, {"pivot": Place(5, (0.0, pendulum.length, 0.0))})
    duration = pendulum.period / 4.0
    push = Push("pivot", np.zeros(3), -ALWAYS, duration + ALWAYS)
    stance = Stance("pivot", ("pivot",), 0.0, duration, np.zeros(3), (push,))

    def pose(angle: float) -> Array:
        return np.array([0.0, -pendulum.length * np.cos(angle), -pendulum.length * np.sin(angle), 0.0, 0.0, angle])

    return _Setting(
        character,
        stance,
        5,
        duration,
        intervals,
        Objectives(),
        friction=20.0,
        poses=(HeldPose(0.0, pose(pendulum.amplitude), "the begin"), HeldPose(duration, pose(0.0), "the end")),
    ).problem([pose(angle) for angle in np.linspace(pendulum.amplitude, 0.0, 2 * intervals)])


@dataclass(frozen=True)
class DoublePendulum:
    """Two rods in a plane, the second one hanging from the end of the first, let go at rest."""

    masses: tuple[float, float]
    lengths: tuple[float, float]
    """From the pivot to the hinge, and from the hinge to the second mass."""
    center: float
    """From the pivot to the centre of the first mass."""
    inertias: tuple[float, float]
    """About the centres of the masses."""
    angles: tuple[float, float]
    """Where they are let go, from the vertical."""

    def rate(self, state: Array) -> Array:
        """(4,) the rate of angles and angular velocities, by Lagrange's equations."""
        (m, n), (length, reach), center = self.masses, self.lengths, self.center
        first, second, slow, fast = state
        bend = first - second
        coupling = n * length * reach
        matrix = np.array(
            [
                [self.inertias[0] + m * center**2 + n * length**2, coupling * np.cos(bend)],
                [coupling * np.cos(bend), self.inertias[1] + n * reach**2],
            ]
        )
        pulls = np.array(
            [
                -coupling * np.sin(bend) * fast**2 - (m * center + n * length) * np.sin(first),
                coupling * np.sin(bend) * slow**2 - n * reach * np.sin(second),
            ]
        )
        return np.concatenate([state[2:], np.linalg.solve(matrix, pulls)])

    def states(self, duration: float, count: int) -> Array:
        """(count, 4) angles and angular velocities at evenly spaced times."""
        state, found, steps = np.array([*self.angles, 0.0, 0.0]), [], 20
        found.append(state)
        for _ in range(count - 1):
            for _ in range(steps):
                state = runge_kutta(self.rate, state, duration / (count - 1) / steps)
            found.append(state)
        return np.array(found)


def runge_kutta(rate: Callable[[Array], Array], state: Array, step: float) -> Array:
    """The state a step later."""
    first = rate(state)
    second = rate(state + step / 2.0 * first)
    third = rate(state + step / 2.0 * second)
    fourth = rate(state + step * third)
    return state + step / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)


CHAIN = DoublePendulum((0.7, 0.3), (0.9, 0.5), 0.4, (0.05, 0.02), (0.8, 0.2))
CHAIN_DURATION = 1.5


def hanging_chain(intervals: int) -> SmallProblem:
    """`CHAIN`: a body that hangs from a pinned point, and an arm on a hinge without torque below it. Its first and its
    last pose are given."""
    (heavy, light), (length, reach) = CHAIN.masses, CHAIN.lengths
    # The root's origin is at the centre of its mass.
    hinge = DegreeOfFreedom("arm", "rotation", 5, (1.0, 0.0, 0.0), (0.0, CHAIN.center - length, 0.0))
    masses, centers, inertias = _bodies(7, {5: heavy, 6: light}, {5: CHAIN.inertias[0], 6: CHAIN.inertias[1]})
    centers[6] = 0.0, -reach, 0.0
    points = {"pivot": Place(5, (0.0, CHAIN.center, 0.0))}
    character = character_of([*root_dofs(), hinge], masses, centers, inertias, points)
    push = Push("pivot", np.zeros(3), -ALWAYS, CHAIN_DURATION + ALWAYS)
    stance = Stance("pivot", ("pivot",), 0.0, CHAIN_DURATION, np.zeros(3), (push,))

    def pose(first: float, second: float) -> Array:
        down, further = (np.array([0.0, -np.cos(angle), -np.sin(angle)]) for angle in (first, second))
        center = heavy * CHAIN.center * down + light * (length * down + reach * further)
        return np.array([*center, 0.0, 0.0, first, second - first])

    ends = CHAIN.states(CHAIN_DURATION, intervals + 1)[[0, -1], :2]
    between = ends[0] + np.linspace(0.0, 1.0, 2 * intervals)[:, None] * (ends[1] - ends[0])
    return _Setting(
        character,
        stance,
        5,
        CHAIN_DURATION,
        intervals,
        Objectives(),
        Muscles(np.array([1.0]), np.array([0.1]), np.array([0.0])),
        friction=20.0,
        poses=(HeldPose(0.0, pose(*ends[0]), "the begin"), HeldPose(CHAIN_DURATION, pose(*ends[1]), "the end")),
    ).problem([pose(*angles) for angles in between])


FEET = {"left": (0.4, 0.0, 0.0), "right": (-0.4, 0.0, 0.0), "front": (0.0, 0.0, 0.4), "back": (0.0, 0.0, -0.4)}
"""Where the base stands, from its origin."""

TURNTABLE = 0.3
"""The inertia of the arm that turns on it."""


def turning_arm(angle: float, half: float, intervals: int) -> SmallProblem:
    """An arm on a standing base that turns about the vertical to an angle and back, each in the time `half`, with the
    smallest torques."""
    hinge = DegreeOfFreedom("arm", "rotation", 5, (0.0, 1.0, 0.0), (0.0, 1.0, 0.0))
    bodies = _bodies(7, {5: 0.8, 6: 0.2}, {5: 0.1, 6: TURNTABLE})
    character = character_of([*root_dofs(), hinge], *bodies, {name: Place(5, place) for name, place in FEET.items()})
    duration = 2.0 * half
    pushes = tuple(Push(name, np.array(place), -ALWAYS, duration + ALWAYS) for name, place in FEET.items())
    stance = Stance("base", ("left", "right"), 0.0, duration, np.zeros(3), pushes)

    def pose(turned: float) -> Array:
        return np.array([0.0, 0.2, 0.0, 0.0, 0.0, 0.0, turned])

    held = {0.0: 0.0, half: angle, duration: 0.0}
    times = np.linspace(0.0, duration, 2 * intervals)
    return _Setting(
        character,
        stance,
        5,
        duration,
        intervals,
        Objectives(power=1.0, muscle_smoothness=1e-12, jerk=0.0, impact=1e-6, impact_smoothness=0.0),
        Muscles(np.array([1.0]), np.array([0.1]), np.array([10.0])),
        friction=2.0,
        poses=tuple(HeldPose(time, pose(turned), f"the angle at {time}") for time, turned in held.items()),
        events=(half,),
        # The moments between points leave nothing for rotations that are locked: they hold here because the
        # arm's acceleration, like the forces, is linear between points.
        locked={3: 0.0, 4: 0.0, 5: 0.0},
    ).problem([pose(angle * (1.0 - abs(time - half) / half)) for time in times])

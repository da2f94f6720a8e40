# SPDX-License-Identifier: GPL-3.0-or-later
"""The linear program of the path of a centre of mass between footprints.

Whatever the limbs do, the sum of forces moves the centre of mass. In stances it is within reach of the footprint, the
ground pushes within the friction pyramid and no harder than `HARDEST_PUSH`, and in flight nothing pushes: these are
linear conditions on the path and the forces. The limits of lean, leap and speed are judgements.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from ...core.arrays import Array
from ..checks.plausibility import HARDEST_PUSH
from ..motion_fit import LOWEST
from ..optimiser_package import require
from ..problem.optimiser import Limits, LinearRows, Optimum, Program, Start, optimise
from ..problem.spacetime_problem import Problem
from ..problem.time_budget import TimeBudget

REACH = 0.01
"""Sizes of the character: a footprint that is out of reach by more is reported."""

HIGHEST_LEAP = 1.5
"""Sizes of the character that a body rises at most after it has left the ground: the best jumpers rise by 1.2."""

FASTEST_RUN = 4.5
"""Sizes of the character per √(size / gravity): sprinters reach 4.2."""

FARTHEST_LEAN = 1.5
"""The largest horizontal distance of the centre of mass from a footprint, as a multiple of its height above it."""

WEIGHT_OF_FORCES = 1e-6
"""Of squared forces, so that the program has one solution."""

LONGEST = 10.0
"""Seconds of one program; it takes a fraction of one."""

Reaches = Mapping[tuple[str, ...], float]
"""The largest distance of the centre of mass from the mean of points, for the points of each contact."""


class MassPath:
    """Places, velocities and forces at the points of a problem's grid, and a slack for each stance and for the speed,
    of which the sum is minimised: the reach of as few footprints as possible is violated.

    With `ways` (stances, 3), by which footprints have been moved, no slack exceeds `REACH`, and the share of the ways
    is maximised instead.
    """

    def __init__(self, problem: Problem, reaches: Reaches, ways: Array | None = None) -> None:
        self.problem, self.reaches, self.ways = problem, reaches, ways
        self.gravity = float(np.linalg.norm(problem.gravity))
        self.points = problem.layout.grid.points
        count = len(self.points)
        self.places, self.rates, self.forces = (9 * np.arange(count) + 3 * part for part in range(3))
        self.slacks = slice(9 * count, 9 * count + len(problem.stances) + 1)
        self.share = self.slacks.stop
        self.unknowns = self.share + 1
        self.pushed = np.zeros(count, dtype=bool)
        for track in problem.layout.tracks:
            self.pushed[track.nodes] = True
        if problem.layout.is_cyclic:
            self.pushed[-1] = self.pushed[0]

    def optimum(self, budget: TimeBudget) -> Optimum | None:
        """The optimum, or None where it was not found within `LONGEST` or the budget."""
        if budget.is_spent:
            return None
        limits = Limits(iterations=200, seconds=min(budget.left, LONGEST), acceptable=1e-4, clock=budget.clock)
        optimum = optimise(self.program(), Start(self.start()), limits)
        return None if optimum.violation > REACH else optimum

    def start(self) -> Array:
        """(unknowns,) at rest above the mean footprint."""
        found = np.zeros(self.unknowns)
        middle = np.mean([stance.place for stance in self.problem.stances], axis=0) + self.problem.character.up
        for axis in range(3):
            found[self.places + axis] = middle[axis]
        found[self.slacks] = 1.0
        return found

    def program(self) -> Program:
        """The program, with a tiny quadratic form on forces."""
        ca = require()
        unknowns = self.unknowns
        rows = SparseRows(unknowns)
        self._motion(rows)
        self._reach(rows)
        self._forces(rows)
        self._speeds(rows)
        quadratic = ca.DM(unknowns, unknowns)
        for force in self.forces:
            for axis in range(3):
                quadratic[int(force) + axis, int(force) + axis] = WEIGHT_OF_FORCES
        linear = ca.DM.zeros(unknowns)
        lower, upper = np.full(unknowns, -np.inf), np.full(unknowns, np.inf)
        lower[self.slacks] = 0.0
        if self.ways is None:
            linear[self.slacks.start : self.slacks.stop] = 1.0
            lower[self.share] = upper[self.share] = 1.0
        else:
            linear[self.share] = -1.0
            upper[self.slacks] = REACH
            lower[self.share], upper[self.share] = 0.0, 1.0
        for index in np.flatnonzero(~self.pushed):
            own = slice(int(self.forces[index]), int(self.forces[index]) + 3)
            lower[own] = upper[own] = 0.0
        return Program(unknowns, [], quadratic, linear, [], [rows.named("centre of mass")], lower, upper)

    def _motion(self, rows: SparseRows) -> None:
        """Forces are linear between points: positions and velocities follow exactly."""
        gravity, drift = self.problem.gravity, self.problem.layout.drift
        for index, step in enumerate(np.diff(self.points)):
            for axis in range(3):
                c, v, f = (int(each[index]) + axis for each in (self.places, self.rates, self.forces))
                rows.add({v + 9: 1.0, v: -1.0, f: -step / 2.0, f + 9: -step / 2.0}, step * float(gravity[axis]))
                fall = step**2 / 2.0 * float(gravity[axis])
                rows.add({c + 9: 1.0, c: -1.0, v: -step, f: -(step**2) / 3.0, f + 9: -(step**2) / 6.0}, fall)
        if drift is not None:
            last = 9 * (len(self.points) - 1)
            for axis in range(9):
                rows.add({last + axis: 1.0, axis: -1.0}, float(drift[axis]) if axis < 3 else 0.0)

    def _reach(self, rows: SparseRows) -> None:
        """In a stance the centre of mass is within reach of the footprint, and above it."""
        character = self.problem.character
        left, up, forward = character.axes
        points = self.points[:-1] if self.problem.layout.is_cyclic else self.points
        around = [np.cos(angle) * left + np.sin(angle) * forward for angle in np.arange(8) * np.pi / 4.0]
        for number, stance in enumerate(self.problem.stances):
            reach, slack = self.reaches[stance.points], self.slacks.start + number
            way = np.zeros(3) if self.ways is None else self.ways[number]
            for index, shift in self.problem.pinned_times(stance, points):
                # The footprint is at `place` plus the share of its way.
                place = stance.place - shift - way
                for direction in DIRECTIONS:
                    entries = {int(self.places[index]) + axis: float(direction[axis]) for axis in range(3)}
                    entries[self.share] = -float(direction @ way)
                    rows.add({**entries, slack: -1.0}, -np.inf, reach + float(direction @ place))
                for direction, height in ((up, LOWEST), *((FARTHEST_LEAN * up - each, 0.0) for each in around)):
                    entries = {int(self.places[index]) + axis: float(direction[axis]) for axis in range(3)}
                    entries[self.share] = -float(direction @ way)
                    rows.add({**entries, slack: 1.0}, height + float(direction @ place), np.inf)

    def _forces(self, rows: SparseRows) -> None:
        left, up, forward = self.problem.character.axes
        # Forces are those on the unit of mass.
        hardest = HARDEST_PUSH * max(1.0, self.gravity) / self.problem.character.mass
        for index in np.flatnonzero(self.pushed):
            force = int(self.forces[index])
            for one, other in product((1.0, -1.0), repeat=2):
                normal = self.problem.friction * up + one * left + other * forward
                rows.add({force + axis: float(normal[axis]) for axis in range(3)}, 0.0, np.inf)
            rows.add({force + axis: float(up[axis]) for axis in range(3)}, -np.inf, hardest)

    def _speeds(self, rows: SparseRows) -> None:
        left, up, forward = self.problem.character.axes
        slack = self.slacks.stop - 1
        fastest = FASTEST_RUN * np.sqrt(max(1.0, self.gravity))
        leaping = np.sqrt(2.0 * HIGHEST_LEAP * max(1.0, self.gravity))
        around = [np.cos(angle) * left + np.sin(angle) * forward for angle in np.arange(8) * np.pi / 4.0]
        for rate in self.rates:
            for direction, most in [*((each, fastest) for each in around), (up, leaping)]:
                entries = {int(rate) + axis: float(direction[axis]) for axis in range(3)}
                rows.add({**entries, slack: -1.0}, -np.inf, most)


class SparseRows:
    """Linear rows that are added one by one."""

    def __init__(self, unknowns: int) -> None:
        self.unknowns = unknowns
        self.rows: list[int] = []
        self.columns: list[int] = []
        self.values: list[float] = []
        self.lower: list[float] = []
        self.upper: list[float] = []

    def add(self, entries: dict[int, float], lower: float, upper: float | None = None) -> None:
        """A row between two bounds; without an upper one, equal to the lower one."""
        self.rows += [len(self.lower)] * len(entries)
        self.columns += entries.keys()
        self.values += entries.values()
        self.lower.append(lower)
        self.upper.append(lower if upper is None else upper)

    def named(self, name: str) -> LinearRows:
        ca = require()
        matrix = ca.DM.triplet(self.rows, self.columns, ca.DM(self.values), len(self.lower), self.unknowns)
        return LinearRows(name, matrix, np.array(self.lower), np.array(self.upper))


DIRECTIONS = np.array([each for each in product((-1.0, 0.0, 1.0), repeat=3) if any(each)])
DIRECTIONS /= np.linalg.norm(DIRECTIONS, axis=1, keepdims=True)
"""(26, 3) unit vectors: a point is within reach of another if it is along each of them. The polyhedron contains the
ball."""

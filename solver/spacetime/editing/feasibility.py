# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions that every motion of an edit must meet, checked in less than a second before the edit is solved.

What passes may still have no physical motion. The limits of lean, leap and speed are judgements, and the reach
is that of sampled postures: an acrobat might exceed them. All but those about obstacles concern
the centre of mass alone, since the sum of forces moves it whatever the limbs do. In stances it is within reach of the
footprint, the ground pushes within the friction pyramid and no harder than `HARDEST_PUSH`, and in flight nothing
pushes. These are linear conditions on the path and the forces. A linear program finds the path that violates the reach
of the fewest footprints, so that the footprints that are out of reach can be named.
"""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np

from ...core.arrays import Array
from ..characters.character import ROOT_DOFS, SimplifiedCharacter
from ..checks.plausibility import HARDEST_PUSH
from ..handles.handle import PointHandle
from ..motion_fit import LOWEST
from ..optimiser_package import require
from ..problem.mapping import HandleValues
from ..problem.optimiser import Limits, LinearRows, Program, Start, optimise
from ..problem.spacetime_problem import Problem
from ..problem.units import Units

REACH = 0.01
"""Sizes of the character: a footprint that is out of reach by more is reported."""

HIGHEST_LEAP = 1.5
"""Sizes of the character that a body rises at most after it has left the ground: the best jumpers rise by 1.2."""

FASTEST_RUN = 4.5
"""Sizes of the character per √(size / gravity): sprinters reach 4.2."""

FARTHEST_LEAN = 1.5
"""The largest horizontal distance of the centre of mass from a footprint, as a multiple of its height above it."""

POSTURES = 2000
"""Random postures in which the reach is measured."""

WEIGHT_OF_FORCES = 1e-6
"""Of squared forces, so that the program has one solution."""


def why_impossible(problem: Problem, units: Units) -> list[str]:
    """The reasons for which a problem has no solution, each a part of a sentence; empty where none is found."""
    reasons = [*_too_far_apart(problem, units), *_blocked(problem, units)]
    if reasons or problem.duration[0] != problem.duration[1]:
        return reasons  # where the time is unknown, the conditions on the path are not linear
    return _out_of_reach(problem, units)


def reach_of_points(character: SimplifiedCharacter, names: tuple[str, ...]) -> float:
    """The largest distance of the mean of points from the origin of the root body, with all joints straight."""
    found = []
    for name in names:
        place = character.points[name]
        length, body = float(np.linalg.norm(place.offset)), place.body
        while body >= ROOT_DOFS:
            dof = character.dofs[body]
            length += float(np.linalg.norm(dof.offset))
            if dof.kind == "translation":
                length += max(abs(dof.lower), abs(dof.upper))
            body = dof.parent
        found.append(length)
    return float(np.mean(found))


def reach_of_mass(character: SimplifiedCharacter, names: tuple[str, ...]) -> float:
    """The largest distance of the mean of points from the centre of mass, over postures within the joints' ranges.

    It is that of many random postures, in which each joint is at either end of its range or anywhere within it.
    """
    lower, upper = character.bounds
    random = np.random.default_rng(0)
    postures = np.zeros((POSTURES, len(character)))
    for dof in range(ROOT_DOFS, len(character)):
        low, high = (float(bound) if np.isfinite(bound) else 0.0 for bound in (lower[dof], upper[dof]))
        share = np.clip(random.uniform(-0.5, 1.5, POSTURES), 0.0, 1.0)
        postures[:, dof] = low + share * (high - low)
    handles = tuple(PointHandle(name) for name in names)
    places = HandleValues(character, handles).values(postures).reshape(POSTURES, len(names), 3).mean(axis=1)
    return float(np.linalg.norm(places, axis=1).max())


def _too_far_apart(problem: Problem, units: Units) -> list[str]:
    """Stances at the same time whose places no two legs connect."""
    reasons = []
    for index, one in enumerate(problem.stances):
        for other in problem.stances[index + 1 :]:
            if min(one.end, other.end) <= max(one.begin, other.begin):
                continue
            longest = sum(reach_of_points(problem.character, stance.points) for stance in (one, other))
            apart = float(np.linalg.norm(one.place - other.place))
            if apart > longest + REACH:
                reasons.append(
                    f"{one.label} and {other.label} are at the same time and {units.length * apart:.3g} apart, farther "
                    f"than two legs reach, {units.length * longest:.3g}"
                )
    return reasons


def _blocked(problem: Problem, units: Units) -> list[str]:
    """Obstacles that feet cannot be lifted over, or that stand on a footprint."""
    up, gravity = problem.character.up, float(np.linalg.norm(problem.gravity))
    reasons: dict[str, None] = {}
    for bound in problem.heights:
        if bound.bump is None:
            continue
        place, height, radius = np.array(bound.bump[0]), bound.bump[1], bound.bump[2]
        own = sorted((each for each in problem.stances if each.points == bound.points), key=lambda each: each.begin)
        name = bound.label.partition(" under ")[0]
        for stance in own:
            over = _bump_height(stance.place[None], place, height, radius, up)[0] - float(stance.place @ up)
            if over > LOWEST:
                reasons[f"{name} stands on {stance.label}"] = None
        for before, after in pairwise(own):
            flight = max(0.0, after.touch - before.release)
            floor = max(float(before.place @ up), float(after.place @ up))
            # Feet are never lifted above the highest place of the centre of mass.
            highest = floor + reach_of_mass(problem.character, bound.points) + gravity * flight**2 / 8.0
            way = before.place + np.linspace(0.0, 1.0, 65)[:, None] * (after.place - before.place)
            top = float(_bump_height(way, place, height, radius, up).max())
            if top > highest:
                reasons[
                    f"{name} is {units.length * (top - highest):.3g} higher than the feet can be lifted between "
                    f"{before.label} and {after.label}: lower it, or move it out of the way"
                ] = None
    return list(reasons)


def _bump_height(points: Array, place: Array, height: float, radius: float, up: Array) -> Array:
    """(points,) the height of an obstacle at points (points, 3)."""
    away = points - place
    across = away - np.outer(away @ up, up)
    squared = (across**2).sum(axis=1) / radius**2
    return np.asarray(float(place @ up) + height * np.exp(-(squared**2)))


def _out_of_reach(problem: Problem, units: Units) -> list[str]:
    """Footprints that no path of the centre of mass reaches in time."""
    path = _Path(problem)
    optimum = optimise(path.program(), Start(path.start()), Limits(iterations=200, seconds=10.0, acceptable=1e-4))
    if optimum.violation > REACH:
        return []  # the linear program was not solved: the edit itself will show
    missed = optimum.unknowns[path.slacks]
    reasons = [
        f"{stance.label} is out of reach by {units.length * float(missed[index]):.3g}: in the time between contacts "
        "the body cannot get there and away"
        for index, stance in sorted(enumerate(problem.stances), key=lambda item: -float(missed[item[0]]))
        if missed[index] > REACH
    ]
    if missed[-1] > REACH:
        rates = optimum.unknowns[path.rates[:, None] + np.arange(3)]
        fastest = float(path.points[int(np.argmax(np.linalg.norm(rates, axis=1)))])
        after = min((each for each in problem.stances if each.end >= fastest), key=lambda each: each.begin)
        reasons.append(f"to reach {after.label} the body would have to be faster than any runner or jumper")
    return reasons


class _Path:
    """The linear program of the centre of mass: places, velocities and forces at the points, and a slack for each
    stance and for the speed, of which the sum is minimised."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.points = problem.layout.grid.points
        count = len(self.points)
        self.places, self.rates, self.forces = (9 * np.arange(count) + 3 * part for part in range(3))
        self.slacks = slice(9 * count, 9 * count + len(problem.stances) + 1)
        self.pushed = np.zeros(count, dtype=bool)
        for track in problem.layout.tracks:
            self.pushed[track.nodes] = True
        if problem.layout.is_cyclic:
            self.pushed[-1] = self.pushed[0]

    def start(self) -> Array:
        """(unknowns,) at rest above the mean footprint."""
        found = np.zeros(self.slacks.stop)
        middle = np.mean([stance.place for stance in self.problem.stances], axis=0) + self.problem.character.up
        for axis in range(3):
            found[self.places + axis] = middle[axis]
        found[self.slacks] = 1.0
        return found

    def program(self) -> Program:
        """The program, with a tiny quadratic form on forces."""
        ca = require()
        unknowns = self.slacks.stop
        rows = _SparseRows(unknowns)
        self._motion(rows)
        self._reach(rows)
        self._forces(rows)
        self._speeds(rows)
        quadratic = ca.DM(unknowns, unknowns)
        for force in self.forces:
            for axis in range(3):
                quadratic[int(force) + axis, int(force) + axis] = WEIGHT_OF_FORCES
        linear = ca.DM.zeros(unknowns)
        linear[self.slacks.start : self.slacks.stop] = 1.0
        lower, upper = np.full(unknowns, -np.inf), np.full(unknowns, np.inf)
        lower[self.slacks] = 0.0
        for index in np.flatnonzero(~self.pushed):
            own = slice(int(self.forces[index]), int(self.forces[index]) + 3)
            lower[own] = upper[own] = 0.0
        return Program(unknowns, [], quadratic, linear, [], [rows.named("centre of mass")], lower, upper)

    def _motion(self, rows: _SparseRows) -> None:
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

    def _reach(self, rows: _SparseRows) -> None:
        """In a stance the centre of mass is within reach of the footprint, and above it."""
        character = self.problem.character
        left, up, forward = character.axes
        points = self.points[:-1] if self.problem.layout.is_cyclic else self.points
        reaches = {names: reach_of_mass(character, names) for names in {each.points for each in self.problem.stances}}
        around = [np.cos(angle) * left + np.sin(angle) * forward for angle in np.arange(8) * np.pi / 4.0]
        for number, stance in enumerate(self.problem.stances):
            reach, slack = reaches[stance.points], self.slacks.start + number
            for index, shift in self.problem.pinned_times(stance, points):
                place = stance.place - shift
                for direction in DIRECTIONS:
                    entries = {int(self.places[index]) + axis: float(direction[axis]) for axis in range(3)}
                    rows.add({**entries, slack: -1.0}, -np.inf, reach + float(direction @ place))
                for direction, height in ((up, LOWEST), *((FARTHEST_LEAN * up - each, 0.0) for each in around)):
                    entries = {int(self.places[index]) + axis: float(direction[axis]) for axis in range(3)}
                    rows.add({**entries, slack: 1.0}, height + float(direction @ place), np.inf)

    def _forces(self, rows: _SparseRows) -> None:
        left, up, forward = self.problem.character.axes
        hardest = HARDEST_PUSH * max(1.0, float(np.linalg.norm(self.problem.gravity)))
        for index in np.flatnonzero(self.pushed):
            force = int(self.forces[index])
            for one, other in product((1.0, -1.0), repeat=2):
                normal = self.problem.friction * up + one * left + other * forward
                rows.add({force + axis: float(normal[axis]) for axis in range(3)}, 0.0, np.inf)
            rows.add({force + axis: float(up[axis]) for axis in range(3)}, -np.inf, hardest)

    def _speeds(self, rows: _SparseRows) -> None:
        left, up, forward = self.problem.character.axes
        gravity, slack = float(np.linalg.norm(self.problem.gravity)), self.slacks.stop - 1
        fastest = FASTEST_RUN * np.sqrt(max(1.0, gravity))
        leaping = np.sqrt(2.0 * HIGHEST_LEAP * max(1.0, gravity))
        around = [np.cos(angle) * left + np.sin(angle) * forward for angle in np.arange(8) * np.pi / 4.0]
        for rate in self.rates:
            for direction, most in [*((each, fastest) for each in around), (up, leaping)]:
                entries = {int(rate) + axis: float(direction[axis]) for axis in range(3)}
                rows.add({**entries, slack: -1.0}, -np.inf, most)


class _SparseRows:
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

# SPDX-License-Identifier: GPL-3.0-or-later
"""The spacetime problem as a sparse nonlinear program (Popović 1999, chapter 3; docs/derivations.md).

Everything here is in units of the character: its size, its mass, and √(size / gravity of the earth) as the unit of
time. So body weight on the earth is 1, and all unknowns are of the order of 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...core.arrays import Array
from ..characters.character import ROOT_DOFS, ROOT_TRANSLATIONS, SimplifiedCharacter
from ..handles.handle import Handle
from ..optimiser_package import require
from .layout import SAME_TIME, Layout, SplineSpace
from .muscles import Muscles
from .objectives import Objectives
from .optimiser import Block, LinearRows, PointFunction, Program
from .stances import Push, Stance
from .symbolic_body import SymbolicBody

ANY = np.inf

SMOOTH_CHANGE = 3e-4
"""Weight of the squared second derivative over time of what an edit changes. Without it the hopper lowers its upper
body and lifts its hips within a fifth of a second, which costs nothing else, and the full character's knees jump."""

NEAR = 0.03
"""Sizes of the character: moving a handle by less costs an edit the square of the distance, by more a multiple."""

EQUATIONS, SPIN, TORQUES = "equations of motion", "moments between points", "torques"
FRICTION, OBJECTIVE = "friction", "objective"
"""Names of constraints; stances, obstacles and held poses have their own."""

UNDER = " under the "
"""Between what a foot stays above, and the foot, in the name of a height bound."""


@dataclass(frozen=True, eq=False)
class HeightBound:
    """A point stays above a height at some instants: the floor, or an obstacle."""

    points: tuple[str, ...]
    """The mean of these points."""
    times: Array
    """(times,)"""
    heights: Array
    """(times,) above this along the up axis; or, with bumps, above their sum as well."""
    label: str
    bump: tuple[tuple[float, float, float], float, float] | None = None
    """Of an obstacle: its place on the ground, its height and its radius."""


@dataclass(frozen=True, eq=False)
class HeldPose:
    """Values of degrees of freedom at one instant."""

    time: float
    values: Array
    """(dofs,) not a number where a value is free."""
    label: str


@dataclass(frozen=True, eq=False)
class Problem:
    """A motion of a simplified character that obeys its equations of motion, with what it minimises."""

    layout: Layout
    stances: tuple[Stance, ...]
    muscles: Muscles
    gravity: Array
    """(3,) the acceleration."""
    friction: float
    """The largest ratio of forces along the ground to that into it."""
    handles: tuple[Handle, ...]
    weights: Array
    """(handles,)"""
    targets: Array
    """(values of all handles, points)"""
    objectives: Objectives
    heights: tuple[HeightBound, ...] = ()
    poses: tuple[HeldPose, ...] = ()
    pulls: Array | None = None
    """(values of all handles, points) of an edit: how far the fit is from the source. The deviation is then measured
    from the fit, whose pull toward the source goes on, and grows less than with the square of large distances."""
    anchor: Array | None = None
    """(unknowns,) of an edit: the fit. The change of values from there is smooth over time."""
    change_smoothness: float = SMOOTH_CHANGE
    """The weight of that."""
    attraction: Array | None = None
    """(points,) the share of the deviation's weight at each point; None: all of it everywhere."""
    locked: dict[int, float] = field(default_factory=dict)
    """Values of degrees of freedom that are constant."""
    slots: Mapping[str, int] = field(default_factory=dict)
    """The slot of each landmark that the ground pushes."""
    lowest: float = -ANY
    """The least height of the centre of mass."""
    duration: tuple[float, float] = (1.0, 1.0)
    """The range of the factor by which all time is stretched."""

    @property
    def character(self) -> SimplifiedCharacter:
        """The simplified character."""
        return self.layout.character

    def program(self, functions: CharacterFunctions) -> Program:
        """The nonlinear program; `functions` are kept from one problem to the next."""
        layout = self.layout
        points, between = layout.grid.points, layout.grid.between
        if layout.is_cyclic:
            points = points[:-1]
        at_points, constant = layout.states(points)
        at_between, constant_between = layout.states(between)
        constraints = [
            _equal(
                EQUATIONS,
                functions.equations,
                at_points,
                constant,
                np.concatenate([self.ground(points), np.repeat(self.muscles.parameters[:, None], len(points), axis=1)]),
            ),
            _equal(SPIN, functions.spin, at_between, constant_between, self.ground(between)),
        ]
        if layout.joints:
            constraints.append(self._torques(functions, at_points, constant, len(points)))
        constraints += self._pins(functions, points)
        constraints += self._height_blocks(functions)
        quadratic, linear = self._quadratic()
        lower, upper = self._bounds()
        return Program(
            layout.unknowns,
            [self._objective(functions, at_points, constant, points)],
            quadratic,
            linear,
            constraints,
            [self._friction_rows(), *self._pose_rows()],
            lower,
            upper,
        )

    def ground(self, times: Array) -> Array:
        """(3 + 3 · slots, times) gravity, and where the ground pushes."""
        found = np.zeros((3 + 3 * self.layout.slots, len(times)))
        found[:3] = self.gravity[:, None]
        for track in self.layout.tracks:
            push = self.pushes[track.stance, track.slot]
            middle = (push.begin + push.end) / 2.0
            for index in np.flatnonzero(self.layout.pushes_at(track, times)):
                # Of the images of a cyclic motion, the one in which the push is nearest in time.
                _, drift = min(self._images(), key=lambda image: abs(float(times[index]) + image[0] - middle))
                found[3 + 3 * track.slot : 6 + 3 * track.slot, index] = push.place - drift
        return found

    @cached_property
    def pushes(self) -> dict[tuple[int, int], Push]:
        """The pushes by the index of their stance and their slot."""
        slots = self.slots
        return {(index, slots[push.name]): push for index, stance in enumerate(self.stances) for push in stance.pushes}

    def _images(self) -> list[tuple[float, Array]]:
        """Shifts of time, and of place, under which a cyclic motion repeats itself."""
        if self.layout.drift is None:
            return [(0.0, np.zeros(3))]
        period = float(self.layout.grid.points[-1] - self.layout.grid.points[0])
        return [(turn * period, turn * self.layout.drift) for turn in (-1.0, 0.0, 1.0)]

    def _torques(self, functions: CharacterFunctions, matrix: Any, constant: Array, count: int) -> Block:
        limit = np.repeat(self.muscles.limit[:, None], count, axis=1)
        stiffness = np.repeat(self.muscles.parameters[:, None], count, axis=1)
        return Block(TORQUES, functions.torques, matrix, constant, stiffness, -limit, limit)

    def pinned_times(self, stance: Stance, points: Array) -> list[tuple[int, Array]]:
        """The points of the grid at which a stance rests, each with the drift of the cycle it is seen in."""
        held = {self.layout.grid.nearest(pose.time) for pose in self.poses}
        found = []
        for shift, drift in self._images():
            inside = (points + shift >= stance.begin - SAME_TIME) & (points + shift <= stance.end + SAME_TIME)
            # A held pose says where the foot is: both at once contradict each other by rounding.
            found += [(int(index), drift) for index in np.flatnonzero(inside) if int(index) not in held]
        return found

    def _pins(self, functions: CharacterFunctions, points: Array) -> list[Block]:
        blocks = []
        for stance in self.stances:
            pinned = self.pinned_times(stance, points)
            if not pinned:
                continue
            times = points[[index for index, _ in pinned]]
            matrix, constant = self.layout.states(times)
            places = np.stack([stance.place - drift for _, drift in pinned], axis=1)
            none = np.zeros((0, len(times)))
            point = functions.mean_point(stance.points)
            blocks.append(Block(stance.label, point, matrix, constant, none, places, places))
        return blocks

    def _height_blocks(self, functions: CharacterFunctions) -> list[Block]:
        blocks = []
        for bound in self.heights:
            if not len(bound.times):
                continue
            matrix, constant = self.layout.states(bound.times)
            count = len(bound.times)
            if bound.bump is None:
                function, parameters = functions.height(bound.points), np.zeros((0, count))
            else:
                place, height, radius = bound.bump
                function = functions.height_over_bump(bound.points)
                parameters = np.repeat(np.array([*place, height, radius])[:, None], count, axis=1)
            lower = bound.heights[None]
            blocks.append(Block(bound.label, function, matrix, constant, parameters, lower, np.full((1, count), ANY)))
        return blocks

    def _objective(self, functions: CharacterFunctions, matrix: Any, constant: Array, points: Array) -> Block:
        weights = self.objectives
        goals = self.targets if self.pulls is None else np.concatenate([self.targets, self.pulls])
        grid = self.layout.grid
        share = grid.weights[: len(points)].copy()
        if self.layout.is_cyclic:
            share[0] += grid.weights[-1]
        count = len(points)
        support, stands = self._support(points)
        scales = np.stack(
            [
                weights.deviation * share * (1.0 if self.attraction is None else self.attraction[:count]),
                weights.power * share,
                weights.balance * share * stands,
                weights.impact * share,
                weights.friction * share,
            ]
        )
        own = np.zeros((weights.own_parameters, count))
        row = 0
        for objective in weights.own:
            begin = -ANY if objective.begin is None else objective.begin
            end = ANY if objective.end is None else objective.end
            now = (grid.source[:count] >= begin) & (grid.source[:count] <= end)
            own[row] = objective.weight * share * now
            if objective.target is not None:
                own[row + 1 : row + 1 + objective.handle.width] = np.array(objective.target)[:, None]
            row += 1 + objective.handle.width
        parameters = np.concatenate(
            [
                goals[:, :count],
                np.repeat(self.weights[:, None], count, axis=1),
                scales,
                support,
                np.repeat(self.muscles.parameters[:, None], count, axis=1),
                own,
            ]
        )
        none = np.zeros((1, count))
        return Block(
            OBJECTIVE,
            functions.objective(self.handles, weights, self.pulls is not None),
            matrix,
            constant,
            parameters,
            none,
            none,
        )

    def _support(self, points: Array) -> tuple[Array, Array]:
        """(3, points) the middle of the places that the character stands on, and (points,) whether it does."""
        total, count = np.zeros((3, len(points))), np.zeros(len(points))
        for stance in self.stances:
            for index, drift in self.pinned_times(stance, points):
                total[:, index] += stance.place - drift
                count[index] += 1.0
        return total / np.maximum(count, 1.0), (count > 0.0).astype(np.float64)

    def _quadratic(self) -> tuple[Any, Any]:
        """The sub-objectives that are squares of derivatives of splines, as Q of ½ xᵀ Q x."""
        ca, layout, weights = require(), self.layout, self.objectives
        entries: list[tuple[Array, Array, Array]] = []

        def add(columns: slice, form: Array) -> None:
            r, c = np.nonzero(form)
            entries.append((columns.start + r, columns.start + c, form[r, c]))

        muscle = energy(layout.cubic, 2, layout.grid.points) * (2.0 * weights.muscle_smoothness)
        for own in layout.muscle_slices:
            add(own, muscle)
        for dof in range(ROOT_TRANSLATIONS.stop, len(layout.character)):
            space = layout.space_of(dof)
            form = energy(space, 3, layout.grid.points) * (2.0 * weights.jerk)
            form = form + energy(space, 2, layout.grid.points) * (2.0 * weights.kinematic_smoothness)
            add(layout.dof_slices[dof], form)
        for track, own in zip(layout.tracks, layout.force_slices, strict=True):
            bend = _bending(layout.grid.points, len(track.nodes)) * (2.0 * weights.impact_smoothness)
            for axis in range(3):
                r, c = np.nonzero(bend)
                entries.append((own.start + 3 * r + axis, own.start + 3 * c + axis, bend[r, c]))
        rows, columns, values = (np.concatenate(each) for each in zip(*entries, strict=True))
        count = layout.unknowns
        quadratic = ca.DM.triplet(rows.tolist(), columns.tolist(), ca.DM(values), count, count)
        linear = np.zeros(count)
        if self.anchor is not None:
            change = self._change_form()
            quadratic, linear = quadratic + change, -np.asarray(change @ self.anchor).ravel()
        return quadratic, ca.DM(linear)

    def _change_form(self) -> Any:
        """Sparse (unknowns, unknowns): squared second derivatives of the change of values, but the centre of mass's."""
        ca, layout = require(), self.layout
        rows, columns, values = [], [], []
        for dof in range(ROOT_TRANSLATIONS.stop, len(layout.character)):
            form = 2.0 * self.change_smoothness * energy(layout.space_of(dof), 2, layout.grid.points)
            r, c = np.nonzero(form)
            rows.append(layout.dof_slices[dof].start + r)
            columns.append(layout.dof_slices[dof].start + c)
            values.append(form[r, c])
        count = layout.unknowns
        entries = np.concatenate(rows).tolist(), np.concatenate(columns).tolist(), ca.DM(np.concatenate(values))
        return ca.DM.triplet(*entries, count, count)

    def _friction_rows(self) -> LinearRows:
        """|f_left| + |f_forward| <= friction · f_up for every force: a pyramid inside the cone of friction.

        The cone itself has no gradient at its tip, where every force begins and ends.
        """
        rows = _Rows(self.layout.unknowns)
        for track, own in zip(self.layout.tracks, self.layout.force_slices, strict=True):
            for normal in self._friction_sides(self.stances[track.stance].heading):
                for node in range(own.start, own.stop, 3):
                    rows.add({node + axis: float(normal[axis]) for axis in range(3) if normal[axis]}, 0.0, ANY)
        return rows.named(FRICTION)

    def _friction_sides(self, heading: float) -> list[Array]:
        """The inward normals of the four sides of the pyramid, for a body that faces along a heading."""
        left, up, forward = self.character.axes
        cosine, sine = np.cos(heading), np.sin(heading)
        left, forward = cosine * left + sine * np.cross(up, left), cosine * forward + sine * np.cross(up, forward)
        return [self.friction * up + one * left + other * forward for one in (1.0, -1.0) for other in (1.0, -1.0)]

    def _pose_rows(self) -> list[LinearRows]:
        """Held poses."""
        layout, found = self.layout, []
        for pose in self.poses:
            tables = {space: space.basis([pose.time])[0] for space in (layout.cubic, layout.quintic)}
            rows = _Rows(layout.unknowns)
            for dof in map(int, np.flatnonzero(np.isfinite(pose.values))):
                if dof not in self.locked:
                    begin, table = layout.dof_slices[dof].start, tables[layout.space_of(dof)]
                    value = float(pose.values[dof])
                    rows.add({begin + int(c): float(table[c]) for c in np.flatnonzero(table)}, value, value)
            found.append(rows.named(pose.label))
        return found

    def _bounds(self) -> tuple[Array, Array]:
        """Ranges of joints, as those of their coefficients: a B-spline stays within the range of its coefficients."""
        layout = self.layout
        lower, upper = np.full(layout.unknowns, -ANY), np.full(layout.unknowns, ANY)
        low, high = self.character.bounds
        for dof in range(ROOT_DOFS, len(self.character)):
            own = layout.dof_slices[dof]
            lower[own], upper[own] = low[dof], high[dof]
        for dof, value in self.locked.items():
            lower[layout.dof_slices[dof]] = upper[layout.dof_slices[dof]] = value
        up = int(np.argmax(np.abs(self.character.up)))
        for own in layout.force_slices:
            lower[own.start + up : own.stop : 3] = 0.0
        lower[layout.dof_slices[up]] = self.lowest
        lower[layout.duration], upper[layout.duration] = self.duration
        return lower, upper


def _equal(name: str, function: PointFunction, matrix: Any, constant: Array, parameters: Array) -> Block:
    """Rows that are zero."""
    none = np.zeros((function.rows, constant.shape[1]))
    return Block(name, function, matrix, constant, parameters, none, none)


class _Rows:
    """Linear rows that are added one by one."""

    def __init__(self, unknowns: int) -> None:
        self.unknowns = unknowns
        self.rows: list[int] = []
        self.columns: list[int] = []
        self.values: list[float] = []
        self.lower: list[float] = []
        self.upper: list[float] = []

    def add(self, entries: Mapping[int, float], lower: float, upper: float) -> None:
        self.rows += [len(self.lower)] * len(entries)
        self.columns += entries.keys()
        self.values += entries.values()
        self.lower.append(lower)
        self.upper.append(upper)

    def named(self, name: str) -> LinearRows:
        ca = require()
        matrix = ca.DM.triplet(self.rows, self.columns, ca.DM(self.values), len(self.lower), self.unknowns)
        return LinearRows(name, matrix, np.array(self.lower), np.array(self.upper))


_NODES = np.array([-0.8611363115940526, -0.3399810435848563, 0.3399810435848563, 0.8611363115940526])
_WEIGHTS = np.array([0.3478548451374538, 0.6521451548625461, 0.6521451548625461, 0.3478548451374538])
"""Of Gauss and Legendre's quadrature with four nodes on -1 to 1: exact for the products of splines below."""


def energy(space: SplineSpace, derivative: int, points: Array) -> Array:
    """(coefficients, coefficients) the integral over time of the product of two splines' derivatives."""
    half = np.diff(points) / 2.0
    times = (points[:-1, None] + half[:, None] * (1.0 + _NODES)).ravel()
    table = space.basis(times, derivative)
    return np.asarray(table.T @ (table * (half[:, None] * _WEIGHTS).ravel()[:, None]))


def _bending(points: Array, count: int) -> Array:
    """(count, count) the integral of the squared second derivative of a force with so many nodes.

    The corners at its two ends are left out: a force begins and ends with a corner.
    """
    second = np.diff(np.eye(count), 2, axis=0)
    return np.asarray(second.T @ second) / float(np.mean(np.diff(points))) ** 3


class CharacterFunctions:
    """The functions of an instant of one simplified character, compiled once."""

    def __init__(self, character: SimplifiedCharacter, pushed: tuple[int, ...]):
        """`pushed` are the bodies that the ground pushes, one for each slot."""
        self.casadi = require()
        self.character, self.pushed = character, pushed
        ca, count = self.casadi, len(character)
        self.joints = count - ROOT_DOFS
        self.width = 3 * count + 2 * self.joints + 3 * len(pushed) + 1
        self.y = ca.SX.sym("y", self.width)
        stretch = self.y[self.width - 1]
        self.values = self.y[:count]
        self.velocities = self.y[count : 2 * count] / stretch
        self.accelerations = self.y[2 * count : 3 * count] / stretch**2
        at = 3 * count
        self.rests = self.y[at : at + self.joints]
        self.rest_rates = self.y[at + self.joints : at + 2 * self.joints] / stretch
        at += 2 * self.joints
        self.forces = [self.y[at + 3 * slot : at + 3 * slot + 3] for slot in range(len(pushed))]
        self._cache: dict[object, PointFunction] = {}
        self._body: SymbolicBody | None = None

    @property
    def body(self) -> SymbolicBody:
        if self._body is None:
            self._body = SymbolicBody(self.character, self.values, self.velocities, self.accelerations)
        return self._body

    def _function(self, key: object, parameters: Any, expression: Any) -> PointFunction:
        self._cache[key] = PointFunction(self.y, parameters, expression)
        return self._cache[key]

    def _dynamics(self) -> tuple[Any, Any, Any, Any]:
        """Parameters (gravity, places of forces), sums of forces, moments about the centre, and those of joints."""
        ca = self.casadi
        ground = ca.SX.sym("ground", 3 + 3 * len(self.pushed))
        gravity, total = ground[:3], ca.SX.zeros(3)
        pushes = []
        for slot, (body, force) in enumerate(zip(self.pushed, self.forces, strict=True)):
            pushes.append((body, ground[3 + 3 * slot : 6 + 3 * slot], force))
            total = total + force
        spin, needed = self.body.required_moments(gravity, pushes)
        forces = self.accelerations[ROOT_TRANSLATIONS] - gravity - total / self.character.mass
        return ground, forces, spin, needed

    def _mean(self, names: tuple[str, ...]) -> Any:
        return sum(self.body.point(name) for name in names) / len(names)

    @property
    def equations(self) -> PointFunction:
        """All equations of motion: sums of forces, moments about the centre of mass, and torques of joints."""
        if "equations" not in self._cache:
            ca = self.casadi
            ground, forces, spin, needed = self._dynamics()
            stiffness = ca.SX.sym("muscles", 2 * self.joints)
            parameters = ca.vertcat(ground, stiffness)
            self._function("equations", parameters, ca.vertcat(forces, spin, needed - self._torque(stiffness)))
        return self._cache["equations"]

    @property
    def spin(self) -> PointFunction:
        """The moments about the centre of mass alone."""
        if "spin" not in self._cache:
            ground, _, spin, _ = self._dynamics()
            self._function("spin", ground, spin)
        return self._cache["spin"]

    def _torque(self, stiffness: Any) -> Any:
        springs, dampers = stiffness[: self.joints], stiffness[self.joints :]
        stretched = self.rests - self.values[ROOT_DOFS:]
        return springs * stretched + dampers * (self.rest_rates - self.velocities[ROOT_DOFS:])

    @property
    def torques(self) -> PointFunction:
        """The torques of muscles."""
        if "torques" not in self._cache:
            stiffness = self.casadi.SX.sym("muscles", 2 * self.joints)
            self._function("torques", stiffness, self._torque(stiffness))
        return self._cache["torques"]

    def mean_point(self, names: tuple[str, ...]) -> PointFunction:
        """The mean place of some points."""
        if ("place", names) not in self._cache:
            self._function(("place", names), self.casadi.SX.sym("none", 0), self._mean(names))
        return self._cache["place", names]

    def height(self, names: tuple[str, ...]) -> PointFunction:
        """The height of the mean of some points."""
        if ("height", names) not in self._cache:
            up = self.casadi.DM(self.character.up)
            self._function(("height", names), self.casadi.SX.sym("none", 0), self.casadi.dot(up, self._mean(names)))
        return self._cache["height", names]

    def height_over_bump(self, names: tuple[str, ...]) -> PointFunction:
        """The height of the mean of some points above a smooth bump: h exp(-(d / r)⁴), d the horizontal distance."""
        if ("bump", names) not in self._cache:
            ca = self.casadi
            bump = ca.SX.sym("bump", 5)
            up = ca.DM(self.character.up)
            place = self._mean(names)
            away = place - bump[:3]
            across = away - up * ca.dot(up, away)
            squared = ca.dot(across, across) / bump[4] ** 2
            self._function(("bump", names), bump, ca.dot(up, place) - bump[3] * ca.exp(-(squared**2)))
        return self._cache["bump", names]

    def handle_values(self, handles: tuple[Handle, ...]) -> Any:
        """The values of handles, one below the other, as an expression."""
        return self.casadi.vertcat(*(handle.value(self.body) for handle in handles))

    def objective(self, handles: tuple[Handle, ...], weights: Objectives, is_edit: bool) -> PointFunction:
        """The weighted sub-objectives of an instant that do not contain derivatives of splines."""
        key = ("objective", handles, weights.own, is_edit)
        if key in self._cache:
            return self._cache[key]
        ca = self.casadi
        values = self.handle_values(handles)
        goals = ca.SX.sym("goals", (2 if is_edit else 1) * values.shape[0])
        own = ca.SX.sym("weights", len(handles))
        scales = ca.SX.sym("scales", 5)
        support = ca.SX.sym("support", 3)
        stiffness = ca.SX.sym("muscles", 2 * self.joints)
        extra = ca.SX.sym("own", weights.own_parameters)
        up = ca.DM(self.character.up)
        row, total = 0, 0
        for index, handle in enumerate(handles):
            away = values[row : row + handle.width] - goals[row : row + handle.width]
            if is_edit:
                begin = values.shape[0] + row
                pull = 2.0 * ca.dot(goals[begin : begin + handle.width], away)
                distance = pull + 2.0 * NEAR**2 * (ca.sqrt(1.0 + ca.sumsqr(away) / NEAR**2) - 1.0)
            else:
                distance = ca.sumsqr(away)
            total = total + scales[0] * own[index] * distance
            row += handle.width
        if self.joints:
            total = total + scales[1] * ca.sumsqr(self._torque(stiffness))
        away = self.values[ROOT_TRANSLATIONS] - support
        total = total + scales[2] * ca.sumsqr(away - up * ca.dot(up, away))
        for body in dict.fromkeys(self.pushed):
            # Of all that pushes a body at once: shared among many places, the same push would otherwise cost less.
            force = sum(force for owner, force in zip(self.pushed, self.forces, strict=True) if owner == body)
            total = total + scales[3] * ca.sumsqr(force)
            total = total + scales[4] * ca.sumsqr(force - up * ca.dot(up, force))
        row = 0
        for objective in weights.own:
            value = objective.handle.value(self.body)
            width = objective.handle.width
            goal = extra[row + 1 : row + 1 + width]
            total = total + extra[row] * (value if objective.target is None else ca.sumsqr(value - goal))
            row += 1 + width
        return self._function(key, ca.vertcat(goals, own, scales, support, stiffness, extra), total)

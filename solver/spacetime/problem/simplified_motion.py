# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion of a simplified character with the forces of the ground, in the clip's units and seconds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...core.arrays import Array, ArrayLike, triple
from ..characters.character import ROOT_DOFS, SimplifiedCharacter
from ..handles.handle import Handle
from ..optimiser_package import require
from .layout import Layout
from .mapping import HandleValues
from .muscles import Muscles
from .optimiser import Optimum
from .spacetime_problem import Problem
from .stances import Stance
from .symbolic_body import SymbolicBody
from .units import Units


@dataclass(frozen=True, eq=False)
class GroundForce:
    """A push of the ground over time."""

    name: str
    """The landmark of the foot that it pushes, such as "left_ball"."""
    place: Array
    """(3,) in world space."""
    forces: Array
    """(times, 3) in body weights."""


@dataclass(frozen=True, eq=False)
class SimplifiedMotion:
    """Values of the degrees of freedom, muscles and forces over time, as an optimisation has found them."""

    layout: Layout
    units: Units
    unknowns: Array
    """(unknowns,) in units of the character."""
    stances: tuple[Stance, ...]
    """In units of the character."""
    muscles: Muscles
    slots: dict[str, int]
    """The slot of each landmark that the ground pushes."""
    gravity: Array
    """(3,) in units of the character."""

    @classmethod
    def solved(cls, problem: Problem, optimum: Optimum, units: Units) -> SimplifiedMotion:
        """The motion that an optimiser has found for a problem."""
        return cls(
            problem.layout,
            units,
            optimum.unknowns,
            problem.stances,
            problem.muscles,
            dict(problem.slots),
            problem.gravity,
        )

    @property
    def character(self) -> SimplifiedCharacter:
        """The simplified character, in units of its own."""
        return self.layout.character

    @property
    def stretch(self) -> float:
        """The factor by which the optimiser has stretched all time."""
        return float(self.unknowns[self.layout.duration])

    @property
    def _second(self) -> float:
        """The times of the grid in a second."""
        return 1.0 / (self.units.time * self.stretch)

    @property
    def duration(self) -> float:
        """Seconds."""
        points = self.layout.grid.points
        return float(points[-1] - points[0]) / self._second

    @property
    def points(self) -> Array:
        """(points,) the seconds at which the equations of motion hold."""
        return self.layout.grid.points / self._second

    def in_source(self, seconds: ArrayLike) -> Array:
        """The seconds of the source that correspond to seconds of this motion."""
        times = self._times(seconds)
        points, source = self.layout.grid.points, self.layout.grid.source
        if self.layout.is_cyclic:
            period, source_period = points[-1] - points[0], source[-1] - source[0]
            turns = np.floor((times - points[0]) / period)
            return (np.interp(times - turns * period, points, source) + turns * source_period) * self.units.time
        return np.interp(times, points, source) * self.units.time

    def from_source(self, seconds: ArrayLike) -> Array:
        """The seconds of this motion that correspond to seconds of the source; beyond its ends time runs on evenly."""
        given = np.asarray(seconds, dtype=np.float64) / self.units.time
        points, source = self.layout.grid.points, self.layout.grid.source
        inside = np.clip(given, source[0], source[-1])
        return (np.interp(inside, source, points) + (given - inside)) / self._second

    def _times(self, seconds: ArrayLike) -> Array:
        return np.atleast_1d(np.asarray(seconds, dtype=np.float64)) * self._second

    def states(self, seconds: ArrayLike) -> Array:
        """(times, width) the states of the layout at any times, in units of the character; rates are not stretched."""
        times = self._times(seconds)
        matrix, constant = self.layout.states(times)
        return np.asarray(matrix @ self.unknowns).reshape(len(times), self.layout.width) + constant.T

    def values(self, seconds: ArrayLike) -> Array:
        """(times, dofs) values in units of the character; the first three are the centre of mass."""
        return self.states(seconds)[:, : len(self.character)]

    def motion(self, seconds: ArrayLike) -> tuple[Array, Array, Array]:
        """Values, velocities and accelerations, each (times, dofs), in units of the character and of its time."""
        states, count = self.states(seconds), len(self.character)
        stretch = self.stretch
        return (
            states[:, :count],
            states[:, count : 2 * count] / stretch,
            states[:, 2 * count : 3 * count] / stretch**2,
        )

    def center_of_mass(self, seconds: ArrayLike) -> Array:
        """(times, 3) world positions in the clip's units."""
        return self.values(seconds)[:, :3] * self.units.length

    def handle_values(self, handles: tuple[Handle, ...], seconds: ArrayLike) -> Array:
        """(times, values of all handles) in the clip's units."""
        return HandleValues(self.character, handles).values(self.values(seconds)) * self.units.of_handles(handles)

    def torques(self, seconds: ArrayLike) -> Array:
        """(times, joints) torques of the muscles, in body weights times the character's size."""
        states, count, joints = self.states(seconds), len(self.character), self.layout.joints
        rests = states[:, 3 * count : 3 * count + joints]
        rates = states[:, 3 * count + joints : 3 * count + 2 * joints] / self.stretch
        return self.muscles.torques(
            states[:, ROOT_DOFS:count], states[:, count + ROOT_DOFS : 2 * count] / self.stretch, rests, rates
        )

    def ground_forces(self, seconds: ArrayLike) -> list[GroundForce]:
        """All pushes of the ground; of one foot several, one for each stance."""
        times = self._times(seconds)
        states = self.states(seconds)
        found = []
        names = {slot: name for name, slot in self.slots.items()}
        begin = 3 * len(self.character) + 2 * self.layout.joints
        for track in self.layout.tracks:
            name = names[track.slot]
            push = next(each for each in self.stances[track.stance].pushes if each.name == name)
            acts = self.layout.pushes_at(track, times)
            forces = states[:, begin + 3 * track.slot : begin + 3 * track.slot + 3] * acts[:, None]
            found.append(GroundForce(name, push.place * self.units.length, forces))
        return found

    @cached_property
    def _joint_places(self) -> tuple[object, tuple[tuple[int, int], ...]]:
        """The function from values to places of bodies, and which of them are joined."""
        ca = require()
        values = ca.SX.sym("values", len(self.character))
        body = SymbolicBody(self.character, values)
        places = [body.place(index, (0.0, 0.0, 0.0)) for index in body.bodies]
        bones = []
        order = list(body.bodies)
        for index in order:
            parent = self.character.dofs[index].parent
            if parent in body.bodies and (any(self.character.dofs[index].offset) or index in self._sliding):
                bones.append((order.index(parent), order.index(index)))
        centers = {index: triple(self.character.centers[index]) for index in order}
        for index in order:
            if self.character.masses[index] > 0.0 and any(centers[index]):
                places.append(body.place(index, centers[index]))
                bones.append((order.index(index), len(places) - 1))
        for place in self.character.points.values():
            if any(place.offset):
                places.append(body.place(place.body, place.offset))
                bones.append((order.index(place.body), len(places) - 1))
        return ca.Function("places", [values], [ca.vertcat(*places)]), tuple(bones)

    @property
    def _sliding(self) -> set[int]:
        return {
            index for index, dof in enumerate(self.character.dofs) if index >= ROOT_DOFS and dof.kind == "translation"
        }

    def bones(self, seconds: ArrayLike) -> Array:
        """(times, bones, 2, 3) world positions of the ends of lines that show the character, in the clip's units."""
        function, bones = self._joint_places
        values = self.values(seconds)
        flat = np.asarray(function.map(len(values))(values.T)).T  # type: ignore[attr-defined]
        places = flat.reshape(len(values), -1, 3) * self.units.length
        return np.asarray(places[:, np.array(bones).reshape(-1, 2)])

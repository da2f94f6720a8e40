# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a motion obeys the equations of motion, judged by inverse dynamics alone and not by the optimiser.

The optimiser solves the equations at the points of its grid, and the moments at two instants between them. Here they
are evaluated by other code (`inverse_dynamics`), at the points and at more instants between.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ...core.arrays import TINY, Array, runs
from ...core.errors import MotionError
from ..characters.character import ROOT_DOFS, SimplifiedCharacter
from ..problem.layout import ForceTrack
from ..problem.simplified_motion import SimplifiedMotion
from ..problem.stances import Push
from .inverse_dynamics import CharacterState, ExternalForce, GeneralisedForces

BETWEEN = 8
"""Instants between two neighbouring points of the grid; with this number none is one at which the optimiser has
solved an equation."""

AT_POINTS = 1e-3
"""The largest residual of forces (body weights), moments and torques (body weights times size) at the points."""

BETWEEN_POINTS = 1e-2
"""The same of forces and moments between the points."""

PARABOLA = 1e-2
"""The largest distance of the centre of mass from its parabola in flight, as a share of the rise."""

SPIN = 1e-3
"""The largest change of angular momentum in flight, as a share of the largest angular momentum of the motion."""

LEAST_SPIN = 1e-3
"""Angular momentum in mass · size · √(gravity of the earth · size): changes are shares of this where the whole motion
has less. Runs have 0.05; below, the rounding of the optimiser would count."""

CONTACT = 1e-6
"""Body weights by which forces of the ground may leave the cone of friction, or pull: rounding of the optimiser."""


@dataclass(frozen=True)
class Worst:
    """The largest of some figures, and where it is."""

    value: float
    seconds: float = 0.0
    """When it is reached, in the motion."""
    what: str = ""
    """Of which joint or force, where there are several."""

    def __str__(self) -> str:
        return f"{self.value:.2g} at {self.seconds:.3f} s{f' ({self.what})' if self.what else ''}"


NONE = Worst(0.0)
"""Where there is nothing to measure."""


@dataclass(frozen=True)
class FlightCheck:
    """How well an interval without forces obeys what is known of flight."""

    begin: float
    end: float
    """Seconds."""
    parabola: float
    """The largest distance of the centre of mass from the parabola on which it leaves at the begin, divided by the rise
    of a parabola of this duration above its chord, gravity · duration² / 8."""
    spin: float
    """The largest distance of the angular momentum about the centre of mass from its mean over the flight, divided by
    the largest angular momentum of the whole motion, or by `LEAST_SPIN` where that is larger."""


@dataclass(frozen=True)
class PhysicsCheck:
    """Residuals of the equations of motion: forces in body weights, moments and torques in body weights times size."""

    force_at_points: Worst
    """Length of the sum of forces less mass times acceleration."""
    force_between: Worst
    moment_at_points: Worst
    """Length of the sum of moments about the centre of mass less the rate of change of angular momentum."""
    moment_between: Worst
    torque_at_points: Worst
    """The torque that the motion needs at a joint less that of its muscle. Between points the muscle is taken to give
    what is needed."""
    torque_beyond_limit: Worst
    """By how much the needed torque of a joint exceeds what its muscle can give, at all instants."""
    friction: Worst
    """How far a force of the ground is outside the cone of friction, at all instants."""
    pull: Worst
    """The largest force with which the ground pulls, at all instants."""
    flights: tuple[FlightCheck, ...]

    @property
    def parabola(self) -> Worst:
        """Of all flights."""
        return _worst_flight(self.flights, [flight.parabola for flight in self.flights])

    @property
    def spin(self) -> Worst:
        """Of all flights."""
        return _worst_flight(self.flights, [flight.spin for flight in self.flights])

    @property
    def failures(self) -> tuple[str, ...]:
        """The figures that are too large, each in words. The torques that muscles cannot give are not among them:
        between points nothing holds them."""
        figures = (
            ("the sum of forces at a point", self.force_at_points, AT_POINTS),
            ("the sum of forces between two points", self.force_between, BETWEEN_POINTS),
            ("the sum of moments at a point", self.moment_at_points, AT_POINTS),
            ("the sum of moments between two points", self.moment_between, BETWEEN_POINTS),
            ("the torque at a point", self.torque_at_points, AT_POINTS),
            ("friction", self.friction, CONTACT),
            ("a pull of the ground", self.pull, CONTACT),
            ("the parabola of a flight", self.parabola, PARABOLA),
            ("the angular momentum of a flight", self.spin, SPIN),
        )
        return tuple(f"{name}: {worst}, at most {most:g}" for name, worst, most in figures if not worst.value <= most)


def check_physics(motion: SimplifiedMotion, friction: float, between: int = BETWEEN) -> PhysicsCheck:
    """The residuals of a motion at the points of its grid and at `between` instants between each two of them.

    `friction` is the largest ratio of forces along the ground to those into it.
    """
    if between < 1:
        raise MotionError("The physics is checked at one instant or more between two points.")
    return _Check(motion, friction, between).result()


class _Check:
    def __init__(self, motion: SimplifiedMotion, friction: float, between: int) -> None:
        self.motion, self.friction = motion, friction
        points = motion.points
        inside = np.arange(between + 1) / (between + 1)
        self.seconds = np.append((points[:-1, None] + np.diff(points)[:, None] * inside).ravel(), points[-1])
        self.is_point = np.zeros(len(self.seconds), dtype=bool)
        self.is_point[:: between + 1] = True
        self.per_interval = between + 1

    @property
    def character(self) -> SimplifiedCharacter:
        return self.motion.character

    @cached_property
    def state(self) -> CharacterState:
        return CharacterState(self.character, *self.motion.motion(self.seconds))

    @cached_property
    def pushes(self) -> tuple[tuple[Push, ExternalForce], ...]:
        """The forces of the ground, each with what it is called."""
        return tuple(self._push(index) for index in range(len(self.motion.layout.tracks)))

    def _push(self, index: int) -> tuple[Push, ExternalForce]:
        motion = self.motion
        track, own = motion.layout.tracks[index], motion.layout.force_slices[index]
        push = _push_of(motion, track)
        grid = motion.layout.grid.points
        # The times of the grid are those of the motion before the optimiser stretched them.
        times = np.interp(self.seconds, motion.points, grid)
        known = np.zeros((len(grid), 3))
        known[track.nodes] = motion.unknowns[own].reshape(-1, 3)
        if motion.layout.is_cyclic:
            known[-1] = known[0]
        forces = np.stack([np.interp(times, grid, known[:, axis]) for axis in range(3)], axis=1)
        places = np.tile(push.place, (len(times), 1))
        if motion.layout.drift is not None:
            # In a cycle a push is seen in the cycle in which it is nearest in time.
            turns = np.round((times - (push.begin + push.end) / 2.0) / (grid[-1] - grid[0]))
            places = places + turns[:, None] * motion.layout.drift
        return push, ExternalForce(_pushed_body(self.character, push.name), places, forces)

    @cached_property
    def needed(self) -> GeneralisedForces:
        return self.state.generalised_forces(self.motion.gravity, [force for _, force in self.pushes])

    def result(self) -> PhysicsCheck:
        weight, names = self.character.mass, self.character.names[ROOT_DOFS:]
        force = np.linalg.norm(self.needed.force, axis=1) / weight
        moment = np.linalg.norm(self.needed.moment, axis=1) / weight
        joints = self.needed.joints / weight
        off = np.abs(joints - self.motion.torques(self.seconds) / weight)[self.is_point]
        beyond = np.maximum(np.abs(joints) - self.motion.muscles.limit / weight, 0.0)
        friction, pull = self._contacts(weight)
        return PhysicsCheck(
            _worst(force[self.is_point], self.seconds[self.is_point]),
            _worst(force[~self.is_point], self.seconds[~self.is_point]),
            _worst(moment[self.is_point], self.seconds[self.is_point]),
            _worst(moment[~self.is_point], self.seconds[~self.is_point]),
            _worst(off, self.seconds[self.is_point], names),
            _worst(beyond, self.seconds, names),
            friction,
            pull,
            tuple(self._flight(first, last) for first, last in self._flights()),
        )

    def _contacts(self, weight: float) -> tuple[Worst, Worst]:
        """By how much forces of the ground leave the cone of friction, and pull."""
        names = tuple(push.name for push, _ in self.pushes)
        if not names:
            return NONE, NONE
        forces = np.stack([force.forces for _, force in self.pushes], axis=1) / weight
        into = forces @ self.character.up
        along = np.linalg.norm(forces - into[..., None] * self.character.up, axis=-1)
        outside = np.maximum(along - self.friction * np.maximum(into, 0.0), 0.0)
        return _worst(outside, self.seconds, names), _worst(np.maximum(-into, 0.0), self.seconds, names)

    def _flights(self) -> list[tuple[int, int]]:
        """The first and the last sample of every flight: at neither end of its intervals is there a force."""
        layout = self.motion.layout
        stands = np.zeros(len(layout.grid.points), dtype=bool)
        for track in layout.tracks:
            stands[track.nodes] = True
        if layout.is_cyclic:
            stands[-1] = stands[0]
        flies = np.array([not (before or after) for before, after in pairwise(stands)])
        return [(first * self.per_interval, (last + 1) * self.per_interval) for first, last in runs(flies)]

    def _flight(self, first: int, last: int) -> FlightCheck:
        own, gravity = slice(first, last + 1), self.motion.gravity
        seconds = self.seconds[own]
        # Velocities count in the character's unit of time.
        times = (seconds - seconds[0]) / self.motion.units.time
        begin, speed = self.state.values[first, :3], self.state.velocities[first, :3]
        parabola = begin + times[:, None] * speed + 0.5 * (times**2)[:, None] * gravity
        away = np.linalg.norm(self.state.values[own, :3] - parabola, axis=1).max()
        rise = float(np.linalg.norm(gravity)) * times[-1] ** 2 / 8.0
        spins = self.state.angular_momentum[own]
        changed = np.linalg.norm(spins - spins.mean(axis=0), axis=1).max()
        return FlightCheck(
            float(seconds[0]), float(seconds[-1]), float(away) / max(rise, TINY), float(changed) / self.largest_spin
        )

    @cached_property
    def largest_spin(self) -> float:
        """The angular momentum that changes in flight are divided by."""
        largest = float(np.linalg.norm(self.state.angular_momentum, axis=1).max())
        return max(largest, LEAST_SPIN * self.character.mass)


def _push_of(motion: SimplifiedMotion, track: ForceTrack) -> Push:
    """The push whose force a track has."""
    names = {slot: name for name, slot in motion.slots.items()}
    return next(push for push in motion.stances[track.stance].pushes if push.name == names[track.slot])


def _pushed_body(character: SimplifiedCharacter, name: str) -> int:
    """The body that carries a landmark of a foot: that of the ball of the same foot, which carries the whole foot."""
    side, _, _ = name.partition("_")
    place = character.points.get(f"{side}_ball") or character.points.get(name)
    if place is None:
        raise MotionError(f"The simplified character has no point for the force on {name!r}; give it one.")
    return place.body


def _worst(figures: Array, seconds: Array, names: tuple[str, ...] = ()) -> Worst:
    """The largest of figures (instants,) or, with names, (instants, names)."""
    if not figures.size:
        return NONE
    if not names:
        index = int(np.argmax(figures))
        return Worst(float(figures[index]), float(seconds[index]))
    instant, column = np.unravel_index(int(np.argmax(figures)), figures.shape)
    return Worst(float(figures[instant, column]), float(seconds[instant]), names[int(column)])


def _worst_flight(flights: tuple[FlightCheck, ...], figures: list[float]) -> Worst:
    if not flights:
        return NONE
    index = int(np.argmax(figures))
    return Worst(figures[index], flights[index].begin, f"flight until {flights[index].end:.3f} s")

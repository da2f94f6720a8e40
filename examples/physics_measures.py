# SPDX-License-Identifier: GPL-3.0-or-later
"""What the transformations of Popović 1999 are judged by: flights, sway, momentum and pushes of a simplified motion.

Lengths are shares of the character's size, times are seconds, forces are body weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..solver.core.arrays import Array
from ..solver.spacetime import MidpointHandle, PointHandle, SimplifiedMotion, Stance

SAMPLES = 400
"""Instants at which a motion is measured."""


def stances(motion: SimplifiedMotion) -> tuple[Stance, ...]:
    """The stances of a motion, in its own seconds, and in sizes of the character."""
    second = motion.units.time * motion.stretch
    return tuple(stance.changed(lambda time: time * second, lambda place: place) for stance in motion.stances)


def times(motion: SimplifiedMotion, begin: float = 0.0, end: float | None = None) -> Array:
    """(samples,) evenly spaced instants of a motion, or between two instants."""
    return np.linspace(begin, motion.duration if end is None else end, SAMPLES)


@dataclass(frozen=True)
class Flight:
    """A time without contacts."""

    begin: float
    end: float
    rise: float
    """How far the centre of mass is above the straight line from take-off to landing, at most."""
    expected: float
    """The same by g t² / 8, the height of a parabola."""

    @property
    def seconds(self) -> float:
        """How long it takes."""
        return self.end - self.begin


def measured_flights(motion: SimplifiedMotion) -> list[Flight]:
    """All flights of a motion."""
    found = []
    gravity = float(np.linalg.norm(motion.gravity)) / motion.units.time**2
    for begin, end in _intervals(motion):
        heights = heights_of_mass(motion, times(motion, begin, end))
        chord = np.linspace(heights[0], heights[-1], SAMPLES)
        found.append(Flight(begin, end, float((heights - chord).max()), gravity * (end - begin) ** 2 / 8.0))
    return found


def _intervals(motion: SimplifiedMotion) -> list[tuple[float, float]]:
    """The begin and the end of each time between two forces in which none acts, by the points of the grid."""
    points = motion.points
    pushed = np.zeros(len(points), dtype=bool)
    for track in motion.layout.tracks:
        pushed[track.nodes] = True
    nodes = np.flatnonzero(pushed)
    # A force fades between its last node and the next point.
    gaps = np.flatnonzero(np.diff(nodes) > 2)
    return [(float(points[nodes[gap] + 1]), float(points[nodes[gap + 1] - 1])) for gap in gaps]


def path(motion: SimplifiedMotion, seconds: Array) -> Array:
    """(times, 3) the centre of mass."""
    return motion.center_of_mass(seconds) / motion.units.length


def heights_of_mass(motion: SimplifiedMotion, seconds: Array) -> Array:
    """(times,) the height of the centre of mass."""
    return np.asarray(path(motion, seconds) @ motion.character.up)


def feet(motion: SimplifiedMotion, seconds: Array, side: str) -> Array:
    """(times, 3) the ball of the "left" or "right" foot, or the middle "between" both."""
    balls = ("left_ball", "right_ball")
    handle = MidpointHandle(*balls) if side == "between" else PointHandle(f"{side}_ball")
    return motion.handle_values((handle,), seconds) / motion.units.length


def values(motion: SimplifiedMotion, seconds: Array, name: str) -> Array:
    """(times,) a degree of freedom by its name, such as "left knee flexion"."""
    return motion.values(seconds)[:, motion.character.index(name)]


def push(motion: SimplifiedMotion, seconds: Array) -> Array:
    """(times, 3) the sum of all forces of the ground."""
    return np.asarray(sum((force.forces for force in motion.ground_forces(seconds)), np.zeros((len(seconds), 3))))


def gained_spin(motion: SimplifiedMotion, seconds: Array) -> Array:
    """(times,) the angular momentum about the vertical through the centre of mass, gained since the first instant.

    It is the integral of the moment of the ground's forces: nothing else changes it.
    """
    centers = path(motion, seconds)
    moment = np.zeros((len(seconds), 3))
    for force in motion.ground_forces(seconds):
        moment += np.cross(force.place / motion.units.length - centers, force.forces)
    upright = moment @ motion.character.up
    steps = np.diff(seconds) * (upright[1:] + upright[:-1]) / 2.0
    return np.concatenate([[0.0], np.cumsum(steps)])

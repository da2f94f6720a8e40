# SPDX-License-Identifier: GPL-3.0-or-later
"""Cleaning what stands on moving ground, and loops: as a longer clip, seen from the ground."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..body.clip import Clip
from ..body.moving_ground import over_ground
from ..constraints import Footplant, Ground, Source
from ..core.arrays import Array
from ..core.errors import ConstraintError
from ..deformation.loop_constraints import Repeated
from ..deformation.loops import Loop
from .cleaned import Cleaned
from .plants import PlantedPoint

Plant = Footplant | PlantedPoint


@dataclass(frozen=True, eq=False)
class Carried:
    """A clip as its feet's ground sees it, repeated where it is a loop, with its plants there."""

    clip: Clip
    """The clip itself."""
    loop: Loop | None
    velocity: Array
    """(3,) of the ground, in the clip's units a second."""
    seen: Clip
    """From the ground, repeated."""
    plants: tuple[Plant, ...]
    """Of that one: all of them stand still."""

    @staticmethod
    def of(clip: Clip, plants: Sequence[Plant], cyclic: bool, ground: Ground | None = None) -> Carried | None:
        """None where there is nothing to do: the ground is still, and the clip is not to be a loop."""
        velocity = shared_velocity(plants)
        if not cyclic and not velocity.any():
            return None
        if velocity.any() and ground is not None and callable(ground.height):
            raise ConstraintError("Feet on moving ground are cleaned on a level one: give the ground as one height.")
        loop = Loop.of(clip) if cyclic else None
        whole, seconds = (clip, np.arange(clip.frames) / clip.fps) if loop is None else (loop.repeated, loop.seconds)
        asked = list(plants) if loop is None else _repeated(clip, plants, loop)
        still = tuple(_stilled(plant, seconds) for plant in asked)
        return Carried(clip, loop, velocity, over_ground(whole, velocity, seconds), still)

    def cleaned(self, clean: Callable[[Clip, Iterable[Plant]], Cleaned]) -> Cleaned:
        """What a method that plants feet on still ground gives, as it is in the world and in the clip's own frames."""
        seen = clean(self.seen, self.plants)
        whole = over_ground(seen.clip, -self.velocity, self._seconds)
        kept = [(each, found) for each, found in zip(seen.plants, seen.residuals, strict=True) if self._has(each)]
        plants = tuple(self._shown(plant) for plant, _ in kept)
        residuals = tuple(self._during(plant, residual) for plant, residual in kept)
        if self.loop is None:
            return replace(seen, clip=self.clip.with_motion(whole.motion), plants=plants, residuals=residuals)
        return Cleaned(
            self.clip.with_motion(self.loop.motion_of_the_clip(whole.motion)),
            plants,
            residuals,
            {name: self.loop.of_the_clip(each) for name, each in seen.stretch.items()},
            self.loop.of_the_clip(seen.root),
        )

    @property
    def _seconds(self) -> Array:
        """(frames of what is seen,) their times."""
        return np.arange(self.clip.frames) / self.clip.fps if self.loop is None else self.loop.seconds

    @property
    def _span(self) -> tuple[int, int]:
        """First and last frame, of what is seen, of the clip itself."""
        return (
            (0, self.clip.frames - 1)
            if self.loop is None
            else (self.loop.first, self.loop.first + self.loop.frames - 1)
        )

    def _has(self, plant: PlantedPoint) -> bool:
        first, last = self._span
        return plant.begin <= last and plant.end >= first

    def _shown(self, plant: PlantedPoint) -> PlantedPoint:
        """A plant of what is seen as the clip has it; where it is in the first frame of that."""
        first, last = self._span
        begin, end = max(plant.begin, first), min(plant.end, last)
        x, y, z = (np.asarray(plant.location) + self._seconds[begin] * self.velocity).tolist()
        return replace(plant, begin=begin - first, end=end - first, location=(x, y, z))

    def _during(self, plant: PlantedPoint, residual: Array) -> Array:
        first, last = self._span
        return residual[max(first - plant.begin, 0) : last + 1 - plant.begin]


def shared_velocity(plants: Iterable[Plant]) -> Array:
    """(3,) the velocity of the ground that all of some plants stand on; an error where it is not the same."""
    asked = list(plants)
    velocities = {
        tuple(np.asarray(plant.ground_velocity, dtype=np.float64).tolist()): plant
        for plant in asked
        if isinstance(plant, Footplant)
    }
    if len(velocities) > 1:
        one, another, *_ = (plant.label for plant in velocities.values())
        raise ConstraintError(
            f"{one} and {another} stand on ground that moves differently: give all plants the same ground velocity."
        )
    velocity = np.array(next(iter(velocities), (0.0, 0.0, 0.0)))
    points = [plant for plant in asked if isinstance(plant, PlantedPoint)]
    if velocity.any() and points:
        raise ConstraintError(
            f"{points[0].label} stands still, but the ground under the feet moves: clean hands and feet one by one."
        )
    return velocity


def _repeated(clip: Clip, plants: Sequence[Plant], loop: Loop) -> list[Plant]:
    """The plants of a loop, repeated with it; what stands on where it begins again is one plant."""
    feet = [plant for plant in plants if isinstance(plant, Footplant)]
    repeated: list[Plant] = []
    for each in Repeated.of(loop, Source(clip), feet).constraints:
        assert isinstance(each, Footplant)
        repeated.append(each)
    for plant in (plant for plant in plants if isinstance(plant, PlantedPoint)):
        repeated += _copies(plant, loop)
    return repeated


def _copies(plant: PlantedPoint, loop: Loop) -> list[PlantedPoint]:
    """A planted point in each copy of a loop, cut where the next copy begins."""
    copies = []
    for copy in range(2 * loop.reach + 1):
        first = copy * loop.frames
        begin, end = plant.begin + first, min(plant.end, loop.frames - 1) + first
        if begin > end:
            continue  # it stands in the last frame only, which is the first one again
        changed: dict[str, Any] = {"begin": begin, "end": end, "name": plant.label}
        if plant.location is not None:
            x, y, z = (np.asarray(plant.location) + (copy - loop.reach) * loop.travel).tolist()
            changed["location"] = (x, y, z)
        copies.append(replace(plant, **changed))
    return copies


def _stilled(plant: Plant, seconds: Array) -> Plant:
    """A plant as it is seen from the ground that it stands on, which is where it is in the world at the time 0."""
    if isinstance(plant, PlantedPoint) or not plant.is_carried:
        return plant
    changed: dict[str, Any] = {"ground_velocity": (0.0, 0.0, 0.0)}
    if plant.position is not None:
        changed["position"] = (
            np.asarray(plant.position, dtype=np.float64)
            + plant.carried(seconds)[0]
            - (seconds[0] * np.asarray(plant.ground_velocity, dtype=np.float64))
        )
    return replace(plant, **changed)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Cleaning on moving ground, and of loops: as a longer clip whose positions are relative to the ground."""

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
from .plants import Plant, PlantedPoint, points_of_hands


@dataclass(frozen=True, eq=False)
class RelativeClip:
    """A clip relative to the moving ground, repeated if it is a loop, with its plants."""

    clip: Clip
    """The clip in the world."""
    loop: Loop | None
    velocity: Array
    """(3,) of the ground, in the clip's units a second."""
    on_still_ground: Clip
    """The clip relative to the ground, which so stands still, with all copies of a loop."""
    plants: tuple[Footplant | PlantedPoint, ...]
    """Of `on_still_ground`, in which they do not move."""

    @staticmethod
    def of(clip: Clip, plants: Sequence[Plant], cyclic: bool, ground: Ground | None = None) -> RelativeClip | None:
        """The relative clip; None if the ground does not move and the clip is no loop."""
        given = points_of_hands(plants, Source(clip))
        velocity = shared_velocity(given)
        carried = [plant for plant in given if isinstance(plant, PlantedPoint) and plant.reference is not None]
        if cyclic and carried:
            raise ConstraintError(
                f"{carried[0].label}: it stands on an object that moves, which is not known before and after the loop: "
                "clean the clip as one that is no loop."
            )
        if not cyclic and not velocity.any():
            return None
        if velocity.any() and ground is not None and ground.level is None:
            raise ConstraintError("Feet on moving ground are cleaned on a level one: give the ground as one height.")
        loop = Loop.of(clip) if cyclic else None
        whole, seconds = (clip, np.arange(clip.frames) / clip.fps) if loop is None else (loop.repeated, loop.seconds)
        given = given if loop is None else _repeated(clip, given, loop)
        relative = tuple(_relative(plant, seconds) for plant in given)
        return RelativeClip(clip, loop, velocity, over_ground(whole, velocity, seconds), relative)

    def cleaned(self, clean: Callable[[Clip, Iterable[Plant]], Cleaned]) -> Cleaned:
        """The result of a method for still ground, converted to the world and to the frames of the clip."""
        found = clean(self.on_still_ground, self.plants)
        whole = over_ground(found.clip, -self.velocity, self._seconds)
        kept = [each for each in zip(found.plants, found.residuals, strict=True) if self._is_in_clip(each[0])]
        plants = tuple(self._in_clip(plant) for plant, _ in kept)
        residuals = tuple(self._during(plant, residual) for plant, residual in kept)
        if self.loop is None:
            return replace(found, clip=self.clip.with_motion(whole.motion), plants=plants, residuals=residuals)
        return Cleaned(
            self.clip.with_motion(self.loop.motion_of_the_clip(whole.motion)),
            plants,
            residuals,
            {name: self.loop.of_the_clip(each) for name, each in found.stretch.items()},
            self.loop.of_the_clip(found.root),
        )

    @property
    def _seconds(self) -> Array:
        """(frames,) the times of the frames of `on_still_ground`."""
        return np.arange(self.clip.frames) / self.clip.fps if self.loop is None else self.loop.seconds

    @property
    def _span(self) -> tuple[int, int]:
        """The frames of `on_still_ground` that are the first and the last frame of the clip."""
        return (
            (0, self.clip.frames - 1)
            if self.loop is None
            else (self.loop.first, self.loop.first + self.loop.frames - 1)
        )

    def _is_in_clip(self, plant: PlantedPoint) -> bool:
        """Whether a plant of `on_still_ground` has a frame of the clip."""
        first, last = self._span
        return plant.begin <= last and plant.end >= first

    def _in_clip(self, plant: PlantedPoint) -> PlantedPoint:
        """A plant of `on_still_ground` in the frames of the clip, with its location in the first of its frames."""
        first, last = self._span
        begin, end = max(plant.begin, first), min(plant.end, last)
        x, y, z = (np.asarray(plant.location) + self._seconds[begin] * self.velocity).tolist()
        return replace(plant, begin=begin - first, end=end - first, location=(x, y, z))

    def _during(self, plant: PlantedPoint, residual: Array) -> Array:
        """The residuals of a plant of `on_still_ground` in the frames of the clip."""
        first, last = self._span
        return residual[max(first - plant.begin, 0) : last + 1 - plant.begin]


def shared_velocity(plants: Iterable[Footplant | PlantedPoint]) -> Array:
    """(3,) the ground velocity of all plants; an error if they do not have the same one."""
    given = list(plants)
    velocities = {
        tuple(np.asarray(plant.ground_velocity, dtype=np.float64).tolist()): plant
        for plant in given
        if isinstance(plant, Footplant)
    }
    if len(velocities) > 1:
        one, another, *_ = (plant.label for plant in velocities.values())
        raise ConstraintError(
            f"{one} and {another} stand on ground that moves differently: give all plants the same ground velocity."
        )
    velocity = np.array(next(iter(velocities), (0.0, 0.0, 0.0)))
    points = [plant for plant in given if isinstance(plant, PlantedPoint)]
    if velocity.any() and points:
        raise ConstraintError(
            f"{points[0].label} stands still, but the ground under the feet moves: clean hands and feet one by one."
        )
    return velocity


def _repeated(clip: Clip, plants: Sequence[Footplant | PlantedPoint], loop: Loop) -> list[Footplant | PlantedPoint]:
    """The plants of a loop in all of its copies; one that goes on from one copy to the next is one plant."""
    feet = [plant for plant in plants if isinstance(plant, Footplant)]
    repeated: list[Footplant | PlantedPoint] = []
    for each in Repeated.of(loop, Source(clip), feet).constraints:
        assert isinstance(each, Footplant)
        repeated.append(each)
    for plant in (plant for plant in plants if isinstance(plant, PlantedPoint)):
        repeated += _copies(plant, loop)
    return repeated


def _copies(plant: PlantedPoint, loop: Loop) -> list[PlantedPoint]:
    """A planted point in each copy of a loop, cut where the next copy begins."""
    copies = []
    for copy in range(2 * loop.copies_each_side + 1):
        first = copy * loop.frames
        begin, end = plant.begin + first, min(plant.end, loop.frames - 1) + first
        if begin > end:
            continue  # it is planted in the last frame only, which is the first one of the next copy
        changed: dict[str, Any] = {"begin": begin, "end": end, "name": plant.label}
        if plant.location is not None:
            x, y, z = (np.asarray(plant.location) + (copy - loop.copies_each_side) * loop.travel).tolist()
            changed["location"] = (x, y, z)
        copies.append(replace(plant, **changed))
    return copies


def _relative(plant: Footplant | PlantedPoint, seconds: Array) -> Footplant | PlantedPoint:
    """A plant relative to its ground, whose position at the time 0 is that in the world."""
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

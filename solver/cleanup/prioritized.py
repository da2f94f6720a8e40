# SPDX-License-Identifier: GPL-3.0-or-later
"""Planting feet with the prioritized solver, so that it can be compared with the analytic methods and chosen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint
from ..constraints import Balance, Constraint, ConstraintPoint, Footplant, ShapeConstraint, Source
from ..constraints.base import active_frames
from ..core.arrays import Array
from ..deformation.deform import deform
from .cleaned import Cleaned, residuals_of
from .limbs import Limb, limbs_of
from .plants import POINT_OF_PART, PlantedPoint, check_plants, planted_points
from .settings import CleanSettings


def clean_prioritized(
    clip: Clip,
    plants: Iterable[Footplant | PlantedPoint],
    settings: CleanSettings | None = None,
    limbs: Sequence[Limb] | None = None,
) -> Cleaned:
    """The clip deformed so that all plants hold and the body keeps its balance over the feet, if it has any.

    Balance gives way to every plant. Of the settings, only the ground counts: the solver has its own.
    """
    settings = settings or CleanSettings()
    known = tuple(limbs) if limbs is not None else limbs_of(clip.skeleton, clip.motion)
    asked = tuple(plants)
    planted_points(clip, asked, known, settings.ground)  # for what is wrong with them
    source = Source(clip, settings.ground)
    located: list[PlantedPoint] = []
    constraints: list[Constraint] = []
    for plant in asked:
        if isinstance(plant, Footplant):
            constraints.append(plant)
            located += _standing(plant, source)
        else:
            place, held = _held(plant, source, known)
            constraints.append(held)
            located.append(place)
    if not constraints:
        return Cleaned(clip, (), (), _unstretched(clip, known), np.zeros((clip.frames, 3)))
    if _has_feet(clip):
        constraints.append(Balance(priority=min(constraint.priority for constraint in constraints) - 1))
    result = deform(clip, constraints, ground=settings.ground).clip
    ordered = check_plants(located, known)
    moved = result.motion.translations[:, 0] - clip.motion.translations[:, 0]
    return Cleaned(result, ordered, residuals_of(result, ordered, known), _unstretched(clip, known), moved)


def _standing(plant: Footplant, source: Source) -> list[PlantedPoint]:
    """Heel and ball of a footplant, those that are planted, where its tracks hold them."""
    found = []
    for part, track in zip(plant.stays, source.tracks(plant), strict=True):
        frames = active_frames(*track.held[0])
        if frames.size:
            place = source.values(track.effector)[frames[0]] + track.displacement[frames[0] - track.begin]
            x, y, z = place.tolist()
            name = f"{plant.label}: {part}" if plant.name else ""
            found.append(
                PlantedPoint(
                    f"{plant.foot} leg", POINT_OF_PART[part], int(frames[0]), int(frames[-1]), (x, y, z), name=name
                )
            )
    return found


def _held(plant: PlantedPoint, source: Source, limbs: Sequence[Limb]) -> tuple[PlantedPoint, ShapeConstraint]:
    """A plant of any limb with its place, and the constraint that holds its point there."""
    limb = next(limb for limb in limbs if limb.name == plant.limb)
    point = limb.points[plant.point]
    place = _place(plant, point, limb.clearance(plant.point), source)
    x, y, z = place.tolist()
    stays = ConstraintPoint((x, y, z), plant.begin, plant.end)
    begin, end = max(plant.begin - source.ease, 0.0), min(plant.end + source.ease, source.frames - 1.0)
    held = ShapeConstraint(point, begin, end, [stays], mode="condensed", name=plant.label)
    return replace(plant, location=(x, y, z)), held


def _place(plant: PlantedPoint, point: BodyPoint, clearance: float, source: Source) -> Array:
    """(3,) where a plant stands: where it says, else on the average, on its floor if it has one."""
    if plant.location is not None:
        return np.array(plant.location)
    place = source.clip.world.point(point)[plant.begin : plant.end + 1].mean(axis=0)
    up = source.clip.skeleton.up_axis
    if plant.floor == "ground":
        height = np.nan if source.ground is None else source.ground.heights(place[None], up)[0]
        if not np.isnan(height):
            place[up] = height + clearance
    elif plant.floor is not None and plant.floor != "own":
        place[up] = plant.floor + clearance
    return place


def _has_feet(clip: Clip) -> bool:
    marks = clip.skeleton.landmarks
    return all(getattr(marks, f"{side}_{part}") is not None for side in ("left", "right") for part in ("heel", "ball"))


def _unstretched(clip: Clip, limbs: Sequence[Limb]) -> dict[str, Array]:
    return {limb.name: np.zeros(clip.frames) for limb in limbs}

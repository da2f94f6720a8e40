# SPDX-License-Identifier: GPL-3.0-or-later
"""Planting feet with the prioritized solver, as an alternative to the analytic methods."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint
from ..constraints import Constraint, ConstraintPoint, Footplant, Handplant, ShapeConstraint, Source
from ..core.arrays import Array
from ..core.errors import ConstraintError
from ..deformation.deform import deform
from ..detection.faults import CaptureFault
from .cleaned import Cleaned, residuals_of
from .floors import floor_of
from .limbs import Limb, limbs_of
from .plants import Plant, PlantedPoint, check_plants, located_points, on_object, planted_points, points_of_hand
from .settings import CleanSettings


def clean_prioritized(
    clip: Clip,
    plants: Iterable[Plant],
    settings: CleanSettings | None = None,
    limbs: Sequence[Limb] | None = None,
    faults: Sequence[CaptureFault] = (),
) -> Cleaned:
    """Deform the clip with all plants as constraints.

    Of the settings only the ground is used, and faults count as other frames do. The body stays where it was as far as
    the plants allow, and so does its balance.
    """
    settings = settings or CleanSettings()
    known = tuple(limbs) if limbs is not None else limbs_of(clip.skeleton, clip.motion)
    given = tuple(plants)
    planted_points(clip, given, known, settings.ground)  # raises what is wrong with them
    source = Source(clip, settings.ground)
    located: list[PlantedPoint] = []
    constraints: list[Constraint] = []
    for plant in given:
        if isinstance(plant, Footplant):
            constraints.append(plant)
            located += located_points(plant, source)
        elif isinstance(plant, Handplant):
            constraints.append(plant)
            located.append(points_of_hand(plant, source)[0].located(plant.place(source)))
        else:
            point, constraint = _constraint(on_object(plant, clip), source, known)
            constraints.append(constraint)
            located.append(point)
    if not constraints:
        return Cleaned(clip, (), (), _unstretched(clip, known), np.zeros((clip.frames, 3)))
    result = deform(clip, constraints, ground=settings.ground).clip
    ordered = check_plants(located, known)
    root = result.motion.translations[:, 0] - clip.motion.translations[:, 0]
    return Cleaned(result, ordered, residuals_of(result, ordered, known), _unstretched(clip, known), root)


def _constraint(plant: PlantedPoint, source: Source, limbs: Sequence[Limb]) -> tuple[PlantedPoint, ShapeConstraint]:
    """A planted point with its location, and the constraint that keeps the point there."""
    if plant.turn:
        raise ConstraintError(f"{plant.label}: it cannot be turned here; give a handplant, or choose another method.")
    limb = next(limb for limb in limbs if limb.name == plant.limb)
    point = limb.point(plant.point)
    located = plant.located(_location(plant, point, limb.clearance(plant.point), source))
    target = ConstraintPoint(located.location, plant.begin, plant.end)
    begin, end = max(plant.begin - source.ease, 0.0), min(plant.end + source.ease, source.frames - 1.0)
    constraint = ShapeConstraint(
        point, begin, end, [target], mode="condensed", name=plant.label, reference=plant.reference
    )
    return located, constraint


def _location(plant: PlantedPoint, point: BodyPoint, clearance: float, source: Source) -> Array:
    """(3,) the location of a plant: the given one, else the mean of its positions, on its floor if it has one."""
    if plant.location is not None:
        return np.array(plant.location)
    places = source.clip.world.point(point)[plant.begin : plant.end + 1]
    if plant.reference is not None:
        places = plant.reference.part(plant.begin, plant.end + 1).seen_from(places)
    location = places.mean(axis=0)
    floor = floor_of(plant, location, clearance, source.ground, source.clip.skeleton.up_axis)
    return np.asarray(location if floor is None or plant.floor is None else floor.nearest(location))


def _unstretched(clip: Clip, limbs: Sequence[Limb]) -> dict[str, Array]:
    return {limb.name: np.zeros(clip.frames) for limb in limbs}

# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done to one clip, and what is told about it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from poise import solver

from .files import Job
from .order import Order

EVENTS = ("heel_strike", "toe_strike", "heel_off", "toe_off")


@dataclass(frozen=True)
class Edited:
    """A clip after all that was asked for."""

    clip: solver.Clip
    told: dict[str, Any]
    """For the report."""


def edited(clip: solver.Clip, order: Order, job: Job, armature: str = "") -> Edited:
    """Do to a clip what is asked for. `armature` tells the clips of a file apart where there are several."""
    told: dict[str, Any] = {"name": armature or job.clip, "frames": clip.frames, "fps": clip.fps, "up": clip.up}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = _edited(clip, order, job, armature, told)
    told["notes"] = list(dict.fromkeys(str(warning.message) for warning in caught))
    return Edited(result, told)


def _edited(clip: solver.Clip, order: Order, job: Job, armature: str, told: dict[str, Any]) -> solver.Clip:
    ground = None if order.ground is None else solver.Ground(order.ground)
    cyclic = solver.is_cyclic(clip)
    asked = _asked(order.constraints, clip, job, armature)
    plants = _plants(clip, order, job, armature, asked)
    told["footplants"] = [_plant_told(plant) for plant in plants]
    if order.detect:
        path = job.constraints(armature)
        path.parent.mkdir(parents=True, exist_ok=True)
        solver.write_constraints(plants, path, clip)
        told["constraints_file"] = str(path)
    result = clip
    if order.clean is not None:
        done = solver.cleaned(clip, plants, order.clean, ground=ground, cyclic=cyclic)
        result = done.clip
        told["clean"] = {
            "method": order.clean,
            "residual": done.residual,
            "largest_stretch": done.largest_stretch,
            "unmet": list(done.unmet),
        }
        _check_plausible(clip, result, plants, ground)
    if order.constraints is not None:
        wished = [*_kept(plants, asked, order), *asked]
        deformation = solver.correct_and_deform(result, wished, ground=ground, cyclic=cyclic)
        result = deformation.clip
        told["deform"] = _deformation_told(deformation)
        _check_plausible(clip, result, wished, ground)
    if plants:
        told["metrics"] = {
            "before": solver.foot_metrics(clip, plants, ground=ground).as_dict(),
            "after": solver.foot_metrics(result, plants, source=clip, ground=ground).as_dict(),
        }
    return result


def _check_plausible(
    clip: solver.Clip, result: solver.Clip, constraints: Sequence[solver.Constraint], ground: solver.Ground | None
) -> None:
    """Fail where a result cannot be what was meant: such a clip is not written."""
    why = solver.why_implausible(clip, result, constraints, ground)
    if why:
        raise solver.PoiseError(why)


def _asked(place: str | None, clip: solver.Clip, job: Job, armature: str) -> list[solver.Constraint]:
    """The constraints for this clip: of a file, or of that file in a folder which is called as the clip is."""
    if place is None:
        return []
    return solver.read_constraints(job.constraints_in(Path(place), armature), clip)


def _plants(
    clip: solver.Clip, order: Order, job: Job, armature: str, asked: Sequence[solver.Constraint]
) -> list[solver.Footplant]:
    """The footplants to work with, or only to measure with: given ones, those of the constraints, or found ones."""
    if order.plants is not None:
        given = [each for each in _asked(order.plants, clip, job, armature) if isinstance(each, solver.Footplant)]
        if not given:
            raise solver.PoiseError(f"In {order.plants} there is no footplant for {job.clip}.")
        return given
    if order.detect or order.clean is not None:
        return list(solver.detect_footplants(clip))
    own = [each for each in asked if isinstance(each, solver.Footplant)]
    if own or not order.constraints:
        return own
    try:
        return list(solver.detect_footplants(clip))
    except solver.PoiseError:  # a character without legs: nobody asked for its feet
        return []


def _kept(
    plants: Sequence[solver.Footplant], asked: Sequence[solver.Constraint], order: Order
) -> list[solver.Footplant]:
    """The plants that hold while other constraints are enforced, more important than any of them."""
    are_asked_for = order.detect or order.clean is not None or order.plants is not None
    if not are_asked_for or any(isinstance(each, solver.Footplant) for each in asked):
        return []
    highest = max((each.priority for each in asked), default=0)
    return [replace(plant, priority=highest + 1) for plant in plants]


def _plant_told(plant: solver.Footplant) -> dict[str, Any]:
    events = {name: getattr(plant, name) for name in EVENTS}
    confidence = plant.confidence if isinstance(plant, solver.DetectedFootplant) else None
    return {"name": plant.label, "foot": plant.foot, **events, "confidence": confidence}


def _deformation_told(deformation: solver.Deformation) -> dict[str, Any]:
    report = deformation.report
    is_angle = (solver.OrientationConstraint, solver.DirectionConstraint)
    return {
        "residuals": [
            {
                "constraint": residual.constraint.label,
                "worst": residual.worst,
                "worst_frame": residual.worst_frame,
                "mean": float(np.mean(residual.distances)) if residual.distances.size else 0.0,
                "unit": "radians" if isinstance(residual.constraint, is_angle) else "length",
                "holds": not bool(residual.misses.any()),
            }
            for residual in report.residuals
        ],
        "conflicts": [str(conflict) for conflict in report.conflicts],
        "advice": [advice.sentence for conflict in report.conflicts for advice in conflict.advice],
        "stretched_limbs": [asdict(limb) for limb in report.stretched],
        "frames_at_rest": int(deformation.converged.sum()),
    }

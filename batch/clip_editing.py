# SPDX-License-Identifier: GPL-3.0-or-later
"""Detects footplants, cleans, deforms and transforms one clip, and reports what was done."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import solver
from .command_line import BatchOptions
from .failures import failure
from .jobs import Job
from .physics_editing import transformed
from .staging import Stage
from .thumbnails import thumbnail

EVENTS = ("heel_strike", "toe_strike", "heel_off", "toe_off", "contact")


@dataclass(frozen=True)
class EditedClip:
    """An edited clip and its part of the report."""

    clip: solver.Clip | None
    """None if it could not be edited: the report says why."""
    report: dict[str, Any]


def edit_clip(clip: solver.Clip, options: BatchOptions, job: Job, stage: Stage, part: str = "") -> EditedClip:
    """Edit a clip by the options. `part` names the clip where a file has several.

    What goes wrong with this clip is in its report, so that other clips of the file are edited all the same.
    """
    begin = time.perf_counter()
    report = _empty_report(part or job.clip) | {"frames": clip.frames, "fps": clip.fps, "up": clip.up}
    result = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = _edit(clip, options, job, stage, part, report)
            report["succeeded"] = True
        except Exception as error:
            report |= failure(error)
    report["notes"] = list(dict.fromkeys(str(warning.message) for warning in caught))
    report["thumbnail"] = thumbnail(clip, result)
    report["seconds"] = round(time.perf_counter() - begin, 3)
    return EditedClip(result, report)


def failed_clip(name: str, error: Exception) -> dict[str, Any]:
    """The report of a clip that could not even be read, or could not be baked."""
    return _empty_report(name) | failure(error)


def _empty_report(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "succeeded": False,
        "error": None,
        "frames": None,
        "faults": [],
        "warnings": [],
        "notes": [],
        "footplants": [],
    }


def _edit(
    clip: solver.Clip, options: BatchOptions, job: Job, stage: Stage, part: str, report: dict[str, Any]
) -> solver.Clip:
    """Detect, clean, deform and transform a clip by the options, and add what was done to its report."""
    whole, faults = clip, solver.find_faults(clip)
    report["faults"] = [asdict(fault) for fault in faults]
    if options.repair:
        clip = solver.repair(clip, faults)
    ground = None if options.ground is None else solver.Ground(options.ground)
    cyclic = solver.is_cyclic(clip)
    requested = _requested(options.constraints, clip, job, part)
    plants = _plants(clip, options, job, part, requested)
    report["footplants"] = [_plant_report(plant) for plant in plants]
    if options.detect:
        path = job.constraints(part)
        solver.write_constraints(plants, stage.place_for(path), clip)
        report["constraints_file"] = str(path)
    result = clip
    if options.clean is not None:
        cleaning = solver.cleaned(clip, plants, options.clean, ground=ground, cyclic=cyclic)
        result = cleaning.clip
        report["clean"] = {
            "method": options.clean,
            "residual": cleaning.residual,
            "largest_stretch": cleaning.largest_stretch,
            "unmet": list(cleaning.unmet),
        }
        _check_plausible(clip, result, plants, ground)
    if options.constraints is not None:
        constraints = [*_kept(plants, requested, options), *requested]
        deformation = solver.deform(result, constraints, ground=ground, cyclic=cyclic)
        result = deformation.clip
        report["deform"] = _deformation_report(deformation)
        _check_plausible(clip, result, constraints, ground)
    if options.physics is not None:
        done, report["physics"] = transformed(result, plants, options.physics, options.recipe)
        return done
    if plants:
        left = [] if options.repair else faults
        before = solver.foot_metrics(whole, plants, ground=ground, faults=faults)
        after = solver.foot_metrics(result, plants, source=clip, ground=ground, faults=left)
        report["metrics"] = {"before": before.shown.as_dict(), "after": after.shown.as_dict()}
        report["warnings"] = after.warnings(before)
    return result


def _check_plausible(
    clip: solver.Clip, result: solver.Clip, constraints: Sequence[solver.Constraint], ground: solver.Ground | None
) -> None:
    """Raise an error for an implausible result, so that it is not written."""
    why = solver.why_implausible(clip, result, constraints, ground)
    if why:
        raise solver.PoiseError(why)


def _requested(place: str | None, clip: solver.Clip, job: Job, part: str) -> list[solver.Constraint]:
    """The constraints of this clip, from a file or from the clip's file in a folder."""
    if place is None:
        return []
    return solver.read_constraints(job.constraints_in(Path(place), part), clip)


def _plants(
    clip: solver.Clip, options: BatchOptions, job: Job, part: str, requested: Sequence[solver.Constraint]
) -> list[solver.Footplant]:
    """The footplants to enforce or to measure: given ones, those of the constraints, or detected ones."""
    if options.plants is not None:
        given = [each for each in _requested(options.plants, clip, job, part) if isinstance(each, solver.Footplant)]
        if not given:
            raise solver.PoiseError(f"In {options.plants} there is no footplant for {job.clip}.")
        return given
    if options.detect or options.clean is not None or options.physics is not None:
        return list(solver.detect_footplants(clip))
    own = [each for each in requested if isinstance(each, solver.Footplant)]
    if own or not options.constraints:
        return own
    try:
        return list(solver.detect_footplants(clip))
    except solver.PoiseError:  # a character without legs has no footplants to measure
        return []


def _kept(
    plants: Sequence[solver.Footplant], requested: Sequence[solver.Constraint], options: BatchOptions
) -> list[solver.Footplant]:
    """The plants to keep while the requested constraints are enforced, with a higher priority than any of them."""
    are_requested = options.detect or options.clean is not None or options.plants is not None
    if not are_requested or any(isinstance(each, solver.Footplant) for each in requested):
        return []
    highest = max((each.priority for each in requested), default=0)
    return [replace(plant, priority=highest + 1) for plant in plants]


def _plant_report(plant: solver.Footplant) -> dict[str, Any]:
    events = {name: getattr(plant, name) for name in EVENTS}
    confidence = plant.confidence if isinstance(plant, solver.DetectedFootplant) else None
    return {"name": plant.label, "foot": plant.foot, **events, "confidence": confidence}


def _deformation_report(deformation: solver.Deformation) -> dict[str, Any]:
    report = deformation.report
    return {
        "residuals": [
            {
                "constraint": residual.constraint.label,
                "worst": residual.worst,
                "worst_frame": residual.worst_frame,
                "mean": float(np.mean(residual.amounts)) if residual.amounts.size else 0.0,
                "unit": "radians" if residual.is_angular else "length",
                "holds": not bool(residual.misses.any()),
            }
            for residual in report.residuals
        ],
        "conflicts": [str(conflict) for conflict in report.conflicts],
        "advice": [advice.sentence for conflict in report.conflicts for advice in conflict.advice],
        "breaches": [str(breach) for breach in report.breaches],
        "stretched_limbs": [asdict(limb) for limb in report.stretched],
        "frames_at_rest": int(deformation.converged.sum()),
    }

# SPDX-License-Identifier: GPL-3.0-or-later
"""Transforms one clip by its physics, as an edit in a JSON file says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import solver
from ..solver import spacetime
from ..solver.files.json_text import parse_json


def transformed(
    clip: solver.Clip, plants: Sequence[solver.Footplant], edit: str, recipe: str
) -> tuple[solver.Clip, dict[str, Any]]:
    """The clip as the edit of a file changes it, and its part of the report."""
    changes = spacetime.edit_from_dict(_read(edit, "edit"))
    simplified = recipe if recipe in spacetime.RECIPES else spacetime.recipe_from_dict(_read(recipe, "recipe"))
    if not spacetime.is_available():
        raise solver.PoiseError(spacetime.MISSING)
    fit = spacetime.fit(clip, plants, simplified)
    done = spacetime.transform(fit, changes)
    return done.clip, {
        "edit": changes.as_dict(),
        "recipe": fit.recipe.name,
        "quality": fit.quality,
        "handles": [{"handle": each.handle.label, "rms": each.rms, "largest": each.largest} for each in fit.handles],
        "stances": [
            {"contact": stance.contact, "begin": stance.begin, "end": stance.end, "place": stance.place.tolist()}
            for stance in fit.stances
        ],
        "frames": done.clip.frames,
        "iterations": done.optimum.iterations,
        "violation": done.optimum.violation,
    }


def _read(path: str, kind: str) -> dict[str, Any]:
    """The object of a JSON file."""
    if not Path(path).is_file():
        known = f"; known recipes are {', '.join(spacetime.RECIPES)}" if kind == "recipe" else ""
        raise solver.PoiseError(f"There is no {kind} {path}{known}.")
    data = parse_json(Path(path).read_bytes(), f"The {kind} {path}")
    if not isinstance(data, dict):
        raise solver.PoiseError(f"The {kind} {path} must be a JSON object.")
    return data

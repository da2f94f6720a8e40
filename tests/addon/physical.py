# SPDX-License-Identifier: GPL-3.0-or-later
"""A part of a walk for tests of its physics. A fit takes seconds, so equal ones are made once for all tests."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon.properties import character_of

from .walking import walking_armature

FIRST, LAST = 11, 40
"""Two steps and a half of the walk."""

_fits: dict[Any, Any] = {}
_results: dict[Any, Any] = {}


@pytest.fixture
def strider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bpy.types.Object:
    """A walking character whose frames 11 to 40 are to be fitted, coarsely."""
    pytest.importorskip("casadi")
    fitting, transforming = solver.spacetime.fitting, solver.spacetime.transforming

    def fitting_once(clip: Any, plants: Any, recipe: str, settings: Any) -> Generator[Any, None, Any]:
        key = clip.motion.rotations.tobytes(), clip.motion.translations.tobytes(), repr(plants), recipe, repr(settings)
        if key not in _fits:
            _fits[key] = yield from fitting(clip, plants, recipe=recipe, settings=settings)
        yield solver.spacetime.PhysicsProgress("Fitting", 1.0)
        return _fits[key]

    def transforming_once(fit: Any, edit: Any) -> Generator[Any, None, Any]:
        key = id(fit), repr(edit)
        if key not in _results:
            _results[key] = yield from transforming(fit, edit)
        yield solver.spacetime.PhysicsProgress("Solving", 1.0)
        return _results[key]

    monkeypatch.setattr(solver.spacetime, "fitting", fitting_once)
    monkeypatch.setattr(solver.spacetime, "transforming", transforming_once)
    armature = walking_armature(tmp_path)
    physics = character_of(armature).physics
    physics.use_range, physics.begin, physics.end, physics.quality = True, FIRST, LAST, "DRAFT"
    return armature


@pytest.fixture
def without_optimiser(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where CasADi is not installed."""
    monkeypatch.setattr(solver.spacetime, "is_available", lambda: False)


def stance_places(armature: bpy.types.Object) -> np.ndarray:
    """(stances, 3) where the handles of the footprints are."""
    bpy.context.view_layer.update()
    return np.array([stance.object.matrix_world.translation for stance in character_of(armature).physics.stances])

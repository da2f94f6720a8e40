# SPDX-License-Identifier: GPL-3.0-or-later
"""The newest fits and physical results of each armature, kept in memory, and whether they are older than an edit.

A fit has the signature of its source, its plants and its settings; the result that of its fit and its edit. The
character stores both, so undo and files keep them, while the fits themselves are never saved.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ... import solver
from .. import bridge
from ..properties import character_of
from . import latest, physics_edit, ranges

MOST = 3
"""Fits, and results, that are kept of an armature: each has the matrices of its optimisation."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fit with the source that it was made of."""

    read: latest.SourceRead
    fit: solver.spacetime.Fit
    signature: str
    """Of the source, the plants, the recipe and the quality."""

    @property
    def first(self) -> float:
        """The scene's frame at which the clip begins."""
        return float(self.read.reading.times[0])

    def frame_at(self, seconds: float) -> float:
        """The scene's frame at seconds of the clip."""
        return self.first + seconds * self.read.clip.fps


@dataclass(frozen=True, eq=False)
class Transformed:
    """An edit that was solved, and baked."""

    fitted: Fitted
    transformation: solver.spacetime.Transformation
    signature: str
    """Of the fit and the edit."""


_fits: dict[str, list[Fitted]] = {}
_results: dict[str, list[Transformed]] = {}
"""The newest last, by the name of the armature object: undo and loading replace objects."""


@dataclass(frozen=True)
class State:
    """What is out of date on a character."""

    is_fit_stale: bool = False
    """Whether the fit that the character has stored is not that of its motion as it is now."""
    is_result_stale: bool = False
    """Whether the physical result that it shows is older than an edit."""


_checked: dict[str, tuple[float, State]] = {}
"""When `state_of` was last found for an armature, and what."""


def fit_with(armature: bpy.types.Object, signature: str) -> Fitted | None:
    """The kept fit with this signature."""
    kept = _fits.get(armature.name, [])
    return next((each for each in reversed(kept) if signature and each.signature == signature), None)


def fit_of(armature: bpy.types.Object) -> Fitted | None:
    """The fit that a character has stored; None where it is not in memory."""
    return fit_with(armature, character_of(armature).physics.fitted)


def result_of(armature: bpy.types.Object) -> Transformed | None:
    """The physical result that an armature has; None where it has another one, or where it is not in memory."""
    signature = character_of(armature).physics.solved
    if not signature or not bridge.has_result(armature):
        return None
    kept = _results.get(armature.name, [])
    return next((each for each in reversed(kept) if each.signature == signature), None)


def keep_fit(armature: bpy.types.Object, fitted: Fitted) -> None:
    """Keep a fit as the newest one."""
    _keep(_fits, armature.name, fitted)


def keep_result(armature: bpy.types.Object, result: Transformed) -> None:
    """Keep a result as the newest one."""
    _keep(_results, armature.name, result)


def _keep(kept: dict[str, Any], name: str, new: Fitted | Transformed) -> None:
    others = [each for each in kept.get(name, []) if each.signature != new.signature]
    kept[name] = [*others, new][-MOST:]
    _checked.pop(name, None)


def forget(name: str | None = None) -> None:
    """Drop what is kept of the armature with this name, or of all."""
    for kept in (_fits, _results, _checked):
        if name is None:
            kept.clear()
        else:
            kept.pop(name, None)


@persistent  # type: ignore[untyped-decorator]
def forget_on_load(*_: Any) -> None:
    """Forget the fits of the file before."""
    forget()


# Signatures -------------------------------------------------------------------------------------------------------


def span(armature: bpy.types.Object, given: Mapping[str, Any] | None = None) -> tuple[int, int]:
    """The first and the last frame to fit: those that are given or set, else as much of the source action as the scene
    plays."""
    physics, given = character_of(armature).physics, given or {}
    scene = bridge.current_scene()
    first, last = scene.frame_start, scene.frame_end
    keyed = ranges.action_range(armature)
    if keyed is not None and keyed[0] < last and first < keyed[1]:
        first, last = max(first, keyed[0]), min(last, keyed[1])
    if physics.use_range:
        first, last = physics.begin, physics.end
    return given.get("begin", first), given.get("end", last)


def fit_signature(armature: bpy.types.Object, given: Mapping[str, Any] | None = None) -> str:
    """The signature of the fit with the panel's settings, and with what is given instead of them."""
    signature, given = bridge.Signature(), given or {}
    physics = character_of(armature).physics
    signature.add(latest.source_signature(armature, *span(armature, given), "final"))
    signature.add(latest.constraint_signature(armature, ("FOOTPLANT",)))
    signature.add(*(given.get(name, getattr(physics, name)) for name in ("recipe", "quality")))
    return signature.text


def result_signature(fit: str, edit: solver.spacetime.Edit, target: str, tolerance: float) -> str:
    """The signature of a result: of its fit, its edit and how it is baked."""
    signature = bridge.Signature()
    signature.add(fit, repr(edit), target, tolerance)
    return signature.text


def state_of(armature: bpy.types.Object, longest_age: float = 0.0) -> State:
    """What is out of date. What was found within the last `longest_age` seconds is not checked again: for what is drawn
    often."""
    checked = _checked.get(armature.name)
    if checked is not None and time.perf_counter() - checked[0] < longest_age:
        return checked[1]
    found = State()
    with suppress(solver.PoiseError):  # a lost source is reported when it is read
        found = _state(armature)
    _checked[armature.name] = time.perf_counter(), found
    return found


def _state(armature: bpy.types.Object) -> State:
    character = character_of(armature)
    physics = character.physics
    if not physics.fitted:
        return State()
    now = fit_signature(armature)
    is_fit_stale = now != physics.fitted
    if not physics.solved or not bridge.has_result(armature):
        return State(is_fit_stale)
    fitted = fit_with(armature, now)
    if fitted is None:
        return State(is_fit_stale, is_fit_stale)
    edit = physics_edit.taken(armature).edit_for(fitted.fit, fitted.frame_at)
    wanted = result_signature(now, edit, character.target.lower(), character.tolerance)
    return State(is_fit_stale, wanted != physics.solved)

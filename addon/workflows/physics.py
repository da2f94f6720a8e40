# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits the motion of an armature by its physics, solves an edit of it and bakes the result.

Nothing is changed before the last step.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import bpy

from ... import solver
from .. import bridge
from ..properties import character_of, follow_renames
from . import clean, landmarks, messages, physics_edit, physics_handles, physics_memory, progress, ranges, solve
from .physics_memory import Fitted, Transformed
from .progress import StageShare

DRAFT_RATE, DRAFT_STAGES = 20.0, (1.0,)
"""Settings of a draft: half as many instants a second, and one stage of the fit."""


@dataclass(frozen=True)
class PhysicsOptions:
    """How to solve an edit."""

    given: Mapping[str, Any] = field(default_factory=dict)
    """Values instead of those of the panel, by the names of properties of the physics, with `begin` and `end`. They are
    stored in the panel with the result."""
    target: bridge.Target = "action"
    tolerance: float = 0.0


@dataclass(frozen=True)
class PhysicsResult:
    """The result of a solve."""

    sentence: str
    """A summary in one sentence."""
    transformed: Transformed
    baked: bridge.Baked
    notes: tuple[str, ...] = ()
    """Sentences to report first."""


def fit(armature: bpy.types.Object | None, given: Mapping[str, Any] | None = None) -> Fitted:
    """Fit the motion of an armature, and store the fit with its footprints."""
    return solver.finished(fit_in_steps(armature, given))


def fit_in_steps(
    armature: bpy.types.Object | None, given: Mapping[str, Any] | None = None
) -> Generator[StageShare, None, Fitted]:
    """As `fit`, as a generator that yields its progress. Closing it stops the fit, and nothing has changed."""
    given = dict(given or {})
    fitted = yield from _fitting(armature, given)
    _store_fit(fitted, given)
    return fitted


def solve_physics(armature: bpy.types.Object | None, options: PhysicsOptions | None = None) -> PhysicsResult:
    """Fit the motion of an armature where that is not done, solve the edit of its physics, and bake the result."""
    return solver.finished(solve_in_steps(armature, options))


def solve_in_steps(
    armature: bpy.types.Object | None, options: PhysicsOptions | None = None
) -> Generator[StageShare, None, PhysicsResult]:
    """As `solve_physics`, as a generator that yields its progress. Closing it stops it, and nothing has changed."""
    options = options or PhysicsOptions()
    armature = bridge.check_armature(armature)
    bridge.update_view_layer()  # a script may just have moved a handle
    taken = physics_edit.taken(armature, options.given)
    fitted = yield from _fitting(armature, options.given)
    edit = taken.edit_for(fitted.fit, fitted.frame_at)
    yield progress.TRANSFORMING, 0.0
    with bridge.in_scene_frames(fitted.read.reading.times):
        steps = solver.spacetime.transforming(fitted.fit, edit)
        found = yield from solver.converted(steps, lambda step: (progress.TRANSFORMING, step.fraction))
    signature = physics_memory.result_signature(fitted.signature, edit, options.target, options.tolerance)
    transformed = Transformed(fitted, found, signature)
    to_bake = bridge.frames_to_bake(fitted.read.reading, found.clip)
    reading, clip = yield from solver.converted(to_bake, lambda share: (progress.READING, share))
    yield progress.BAKING, 0.0
    _check_unchanged(fitted, options.given)
    baked = bridge.bake(reading, clip, target=options.target, tolerance=options.tolerance)
    return _store_result(transformed, reading, baked, options)


# Fitting ------------------------------------------------------------------------------------------------------------


def _fitting(armature: bpy.types.Object | None, given: Mapping[str, Any]) -> Generator[StageShare, None, Fitted]:
    """The fit of an armature: from memory where nothing has changed since, else made now."""
    if not solver.spacetime.is_available():
        raise bridge.BridgeError(solver.spacetime.MISSING)
    armature = bridge.check_armature(armature)
    bridge.check_animation(armature)
    bridge.update_view_layer()
    physics = character_of(armature).physics
    recipe = given.get("recipe", physics.recipe).lower()
    is_draft = given.get("quality", physics.quality) == "DRAFT"
    settings = solver.spacetime.PhysicsSettings()
    if is_draft:
        settings = replace(settings, rate=DRAFT_RATE, stages=DRAFT_STAGES)
    first, last = physics_memory.span(armature, given)
    signature = physics_memory.fit_signature(armature, given)
    kept = physics_memory.fit_with(armature, signature)
    if kept is not None:
        return kept
    read = yield from solve.source_in_steps(armature, solve.SolveOptions(first, last))
    reading = read.reading
    yield progress.DETECTING, 0.0
    plants, _ = clean.footplants(clean.saved_plants(reading.armature, reading, "FOOTPLANT"), reading, read.clip)
    with bridge.in_scene_frames(reading.times):
        steps = solver.spacetime.fitting(read.clip, plants, recipe=recipe, settings=settings)
        found = yield from solver.converted(steps, lambda step: (progress.FITTING, step.fraction))
    fitted = Fitted(read, found, signature)
    _check_unchanged(fitted, given)
    return fitted


def _check_unchanged(fitted: Fitted, given: Mapping[str, Any]) -> None:
    """Raise where the motion, the plants or the settings have changed since they were read."""
    armature = fitted.read.reading.armature
    if physics_memory.fit_signature(armature, given) != fitted.signature:
        raise bridge.SourceChangedError(
            f"The motion, the plants or the settings of {armature.name!r} were changed meanwhile, so the result would "
            "be out of date: begin again."
        )


def _store_fit(fitted: Fitted, given: Mapping[str, Any]) -> None:
    """Store a fit on its character: settings, footprints and sentence."""
    armature = fitted.read.reading.armature
    follow_renames(armature)
    physics_memory.keep_fit(armature, fitted)
    landmarks.recognise_once(armature, fitted.read.reading.clip.skeleton)
    _store_given(armature, given)
    physics = character_of(armature).physics
    if physics.fitted != fitted.signature:
        physics.fitted = fitted.signature
        physics_handles.store_stances(armature, fitted)
    physics.fit_sentence = fitted.fit.quality


def _store_given(armature: bpy.types.Object, given: Mapping[str, Any]) -> None:
    """Let the panel have the values that a script has given."""
    physics = character_of(armature).physics
    if "begin" in given or "end" in given:
        first, last = physics_memory.span(armature, given)
        physics.use_range, physics.begin, physics.end = True, first, last
    for name, value in given.items():
        if name not in ("begin", "end"):
            setattr(physics, name, value)


# Baking -------------------------------------------------------------------------------------------------------------


def _store_result(
    transformed: Transformed, reading: bridge.Reading, baked: bridge.Baked, options: PhysicsOptions
) -> PhysicsResult:
    """Store the report of a solve on its character, and return it."""
    armature = reading.armature
    _store_fit(transformed.fitted, options.given)
    character = character_of(armature)
    messages.clear_reports(character)
    physics_memory.keep_result(armature, transformed)
    character.physics.solved = transformed.signature
    ending = _scene_end_sentence(armature, transformed)
    problems = [baked.rig_conflict] if baked.rig_conflict else []
    sentence = messages.prefixed(problems, summary(transformed))
    character.physics.result_sentence = sentence
    notes = (*(note for note in baked.notes if note not in problems), ending)
    return PhysicsResult(sentence, transformed, baked, tuple(filter(None, notes)))


def _scene_end_sentence(armature: bpy.types.Object, transformed: Transformed) -> str:
    """Let the scene play to the end of a longer result, where it ended with the source; a sentence about it, or ""."""
    physics, scene = character_of(armature).physics, bridge.current_scene()
    times = transformed.fitted.read.reading.times
    last, end = round(float(times[-1])), round(float(times[0])) + transformed.transformation.clip.frames - 1
    give_back_scene_end(armature)
    keyed = ranges.action_range(armature)
    if end <= scene.frame_end:
        return ""
    if scene.frame_end != last or keyed is None or keyed[1] > last:
        return f"The result ends at frame {end}, beyond the scene's last frame {scene.frame_end}: set it to see all."
    physics.scene_end, physics.moved_scene_end = scene.frame_end, end
    scene.frame_end = end
    return f"The result is longer than the source, so the scene plays to frame {end} now."


def give_back_scene_end(armature: bpy.types.Object) -> None:
    """Let the scene end where it did before a longer result moved its end, unless the animator has moved it since."""
    physics, scene = character_of(armature).physics, bridge.current_scene()
    if physics.moved_scene_end and scene.frame_end == physics.moved_scene_end:
        scene.frame_end = physics.scene_end
    physics.scene_end = physics.moved_scene_end = 0


def accept_result(armature: bpy.types.Object) -> None:
    """Forget the report of the last solve, whose result has become the source; the scene's end stays."""
    character = character_of(armature)
    character.physics.scene_end = character.physics.moved_scene_end = 0
    messages.clear_physics(character)


# What is said -------------------------------------------------------------------------------------------------------

WORTH_SAYING = 0.005
"""Seconds, or sizes of the character, by which a result must differ from the source to be said."""


def summary(transformed: Transformed) -> str:
    """How long the result takes, how high its centre of mass rises, and what it misses, in one sentence."""
    found, size = transformed.transformation, transformed.fitted.read.clip.skeleton.size
    seconds, before = found.motion.duration, found.fit.motion.duration
    parts = [f"{seconds:.2f} s"]
    if abs(seconds - before) > WORTH_SAYING:
        parts[0] += f" instead of {before:.2f} s"
    higher = _highest(found.motion) - _highest(found.fit.motion)
    if abs(higher) > WORTH_SAYING * size:
        words = "higher" if higher > 0.0 else "lower"
        parts.append(f"the centre of mass rises {bridge.format_length(abs(higher))} {words}")
    missed = [each for each in found.reconstruction.plants if each.amount > solver.VISIBLE_ERROR]
    if missed:
        worst = max(missed, key=lambda each: float(each.amount))
        frame = transformed.fitted.first + worst.frame
        parts.append(f"{worst.label} is {bridge.format_length(worst.amount * size)} off at frame {frame:g}")
    return f"{'; '.join(parts)}."


def _highest(motion: solver.spacetime.SimplifiedMotion) -> float:
    return float(motion.center_of_mass(motion.points)[:, 2].max())

# SPDX-License-Identifier: GPL-3.0-or-later
"""From an armature and its constraints to a baked result, step by step. Nothing is changed before the last step."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Literal

import bpy

from .. import solver
from . import bridge, telling, translation
from .properties import character_of, follow_renames

Target = Literal["action", "replace", "combine"]
Quality = Literal["draft", "final"]

QUALITIES: dict[Quality, solver.DeformSettings] = {
    "draft": solver.DeformSettings(iterations=30, tolerance=1e-3, smoothing_passes=0),
    "final": solver.DeformSettings(),
}
"""A draft comes to rest within a thousandth of the size and is not smoothed: enough to see where things go."""


@dataclass(frozen=True)
class Options:
    """How to solve. Frames are the scene's, both included; None: the scene's own first or last."""

    begin: int | None = None
    end: int | None = None
    target: Target = "action"
    tolerance: float = 0.0
    quality: Quality = "final"


@dataclass(frozen=True)
class Outcome:
    """What a solve came to."""

    sentence: str
    """How it went, in one sentence."""
    misses: bool
    """Whether a constraint does not hold."""
    deformation: solver.Deformation
    baked: bridge.Baked
    reading: bridge.Reading


def solve(armature: bpy.types.Object | None, options: Options | None = None) -> Outcome:
    """Solve an armature's source with its enabled constraints, bake the result and keep what is to be told."""
    steps = solving(armature, options)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            outcome: Outcome = stop.value
            return outcome


def solving(
    armature: bpy.types.Object | None, options: Options | None = None
) -> Generator[solver.Progress, None, Outcome]:
    """As `solve`, step by step: yields its progress; to cancel, stop asking, and nothing has been changed.

    Whatever is wrong with the armature or its constraints is raised before the first step.
    """
    asked = options or Options()
    reading = read(armature, asked.begin, asked.end)
    held = reading.armature
    clip = bakeable(reading, translation.clip_of(held, reading))
    translated = translation.translated(held, reading)
    # What the solver warns of is advice to the animator, not a line on a terminal.
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", solver.RecruitingWarning)
        steps = solver.deforming(
            clip, translated.constraints, ground=translation.ground_of(held), settings=QUALITIES[asked.quality]
        )
    hints = tuple(str(warning.message) for warning in caught)
    return _baking(reading, steps, asked, translated, hints)


def read(armature: bpy.types.Object | None, begin: int | None = None, end: int | None = None) -> bridge.Reading:
    """Read an armature's source over the frames of the scene, or a part of them."""
    scene = bpy.context.scene
    assert scene is not None
    first, last = scene.frame_start if begin is None else begin, scene.frame_end if end is None else end
    return bridge.read(armature, first, last)


def bakeable(reading: bridge.Reading, clip: solver.Clip) -> solver.Clip:
    """The clip with every joint fixed that could not be baked, so that the others do what there is to do."""
    if not reading.unbakeable:
        return clip
    skeleton = clip.skeleton.with_kinds(dict.fromkeys(reading.unbakeable, solver.JointKind.FIXED))
    if all(kind is solver.JointKind.FIXED for kind in skeleton.kinds):
        raise bridge.BridgeError(next(iter(reading.unbakeable.values())))
    return replace(clip, skeleton=skeleton)


def _baking(
    reading: bridge.Reading,
    steps: Generator[solver.Progress, None, solver.Deformation],
    options: Options,
    translated: translation.Translated,
    hints: tuple[str, ...],
) -> Generator[solver.Progress, None, Outcome]:
    deformation = yield from steps
    report = deformation.report
    armature = reading.armature
    baked = bridge.bake(reading, deformation.clip, target=options.target, tolerance=options.tolerance)
    follow_renames(armature)
    sentence = _sentence(reading, report, baked, bool(translated.constraints))
    character = character_of(armature)
    character.last_solve = sentence
    telling.write_residuals(character, report, translated.uids, reading.times)
    telling.write_advice(character, report, translated, reading.times, (*hints, *baked.notes))
    return Outcome(sentence, bool(report.conflicts), deformation, baked, reading)


def _sentence(reading: bridge.Reading, report: solver.Report, baked: bridge.Baked, has_constraints: bool) -> str:
    span = f"Frames {reading.times[0]:g} to {reading.times[-1]:g}"
    if not has_constraints:
        return f"{span}: no constraint asks for anything, so {baked.action!r} is as the source."
    missed = len({id(conflict.loser) for conflict in report.conflicts})
    given = len(report.residuals)
    held = "every constraint holds" if not missed else f"{missed} of {given} constraints cannot hold wholly"
    bones = "bone" if len(baked.bones) == 1 else "bones"
    return f"{span}: {held}; {len(baked.bones)} {bones} changed in {baked.action!r}."

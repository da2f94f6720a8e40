# SPDX-License-Identifier: GPL-3.0-or-later
"""Solves an armature with its constraints and bakes the result. Nothing is changed before the last step."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import bpy

from ... import solver
from .. import bridge, translation
from ..bridge.sources import follow_renames as follow_source_renames
from ..properties import character_of, follow_renames
from ..properties.constraint_list import switch_off
from . import ground_gaps, landmarks, latest, loops, messages, progress, ranges, strains
from .latest import Solved
from .progress import StageShare

Quality = Literal["draft", "final"]

DRAFT_RATE = 30.0
"""Frames a second of a draft: enough to judge a result, and a quarter of the rate of many captures."""


@dataclass(frozen=True)
class SolveOptions:
    """How to solve. Frames of the scene, both included; None for the scene's first or last."""

    begin: int | None = None
    end: int | None = None
    target: bridge.Target = "action"
    tolerance: float = 0.0
    quality: Quality = "final"


@dataclass(frozen=True)
class SolveResult:
    """The result of a solve."""

    sentence: str
    """A summary in one sentence."""
    misses: bool
    """Whether a constraint is not satisfied."""
    is_kept_off_by_rig: bool
    """Whether constraints of the rig keep bones from the result; the sentence then begins with that."""
    deformation: solver.Deformation
    baked: bridge.Baked
    reading: bridge.Reading
    notes: tuple[str, ...] = ()
    """Sentences to report first: constraints that were switched off, plants off the ground, and a range that leaves out
    a part of the action."""


def solve(armature: bpy.types.Object | None, options: SolveOptions | None = None) -> SolveResult:
    """Solve the source of an armature with its enabled constraints, bake the result and store the report."""
    return solver.finished(solve_in_steps(armature, options))


def solve_in_steps(
    armature: bpy.types.Object | None, options: SolveOptions | None = None
) -> Generator[StageShare, None, SolveResult]:
    """As `solve`, as a generator that yields its progress. Closing it cancels the solve, and nothing has changed."""
    options = options or SolveOptions()
    read = yield from source_in_steps(armature, options)
    reading, clip = read.reading, read.clip
    armature = reading.armature
    signature = latest.constraint_signature(armature)
    translated = translation.translate(armature, reading)
    grounded = ground_gaps.place_on_ground(armature, clip, translated.constraints, translated.uids)
    translated = replace(translated, constraints=grounded.constraints)
    shown = latest.of(armature)
    if shown is not None and shown.solved.read is read and shown.solved.signature == signature:
        deformation = shown.solved.deformation
        translated = replace(shown.solved.translated, lost=translated.lost)
        grounded = shown.solved.grounded
    else:
        with bridge.in_scene_frames(reading.times):
            steps = solver.deforming(
                clip,
                translated.constraints,
                ground=grounded.ground,
                cyclic=read.cyclic,
                keep_ends=read.keep_ends,
                focus=current_frame(reading),
            )
            deformation = yield from solver.converted(steps, lambda step: (step.stage.value, step.share))
    return (yield from bake_in_steps(Solved(read, translated, grounded, deformation, signature), options))


def bake_in_steps(solved: Solved, options: SolveOptions) -> Generator[StageShare, None, SolveResult]:
    """Bake a solve, unless it is implausible or its source has changed since, and store its report."""
    deformation = solved.deformation
    yield progress.BAKING, 0.0
    check_plausible(solved.reading, solved.source, deformation.clip, solved.grounded)
    report = deformation.report  # computed on demand: it takes a while, and so belongs before the bake
    yield progress.BAKING, 0.5
    check_unchanged(solved.read, options)
    strain = strains.of_constraints(deformation, report.residuals, options.tolerance)
    baked = bridge.bake(
        solved.reading, deformation.clip, target=options.target, tolerance=options.tolerance, strain=strain
    )
    return _store_report(solved, baked)


def source_in_steps(
    armature: bpy.types.Object | None, options: SolveOptions
) -> Generator[StageShare, None, latest.SourceRead]:
    """The source of an armature: as it was read for a solve before, where nothing has changed since, else read now."""
    armature = bridge.check_armature(armature)
    bridge.check_animation(armature)
    bridge.update_view_layer()  # a script may just have moved something
    follow_source_renames(armature)
    begin, end = frames(options.begin, options.end)
    signature = latest.source_signature(armature, begin, end, options.quality)
    kept = latest.source_read(armature, signature)
    if kept is not None:
        return kept
    reading = yield from read_in_steps(armature, begin, end, options.quality)
    armature = reading.armature
    clip = with_unbakeable_joints_fixed(reading, translation.clip_with_settings(armature, reading))
    cyclic = loops.is_loop(reading, clip)
    return latest.SourceRead(signature, reading, clip, cyclic, not cyclic and ranges.is_part_of_action(armature))


def check_unchanged(read: latest.SourceRead, options: SolveOptions) -> None:
    """Raise where the source or the settings of a character have changed since they were read."""
    armature = read.reading.armature
    now = latest.source_signature(armature, *frames(options.begin, options.end), options.quality)
    if now != read.signature:
        raise bridge.SourceChangedError(_changed_meanwhile(armature))


def _changed_meanwhile(armature: bpy.types.Object) -> str:
    return (
        f"The motion, the rig or the settings of {armature.name!r} were changed meanwhile, so the result would be out "
        "of date: begin again."
    )


def current_frame(reading: bridge.Reading) -> int:
    """The frame of the clip that the animator looks at."""
    return reading.frame_of(bridge.current_scene().frame_current_final)


def _store_report(solved: Solved, baked: bridge.Baked) -> SolveResult:
    """Store the report of a solve on the character, for the panels, and return it."""
    reading, translated, report = solved.reading, solved.translated, solved.deformation.report
    armature, skeleton = reading.armature, solved.source.skeleton
    follow_renames(armature)
    residuals = solved.deformation.residuals_in(baked.clip)
    signature = latest.result_signature(armature, solved.read.signature, solved.signature)
    latest.keep(armature, latest.Latest(solved, baked.clip, residuals, signature))
    problems = [*filter(None, [baked.rig_conflict]), *messages.rig_conflicts(report, skeleton, reading)]
    summary = _summary(solved, baked, residuals)
    character = character_of(armature)
    character.live_state.solved = signature
    messages.clear_physics(character)
    character.last_solve = messages.prefixed(problems, summary)
    ground_gaps.store_gaps(armature, solved.grounded.gaps)
    ground_gaps.store_soles(armature, skeleton)
    landmarks.recognise_once(armature, reading.clip.skeleton)
    messages.store_residuals(character, residuals, translated.uids, reading.times)
    switched_off = switch_off(armature, translated.lost)
    first = (*problems, bridge.COPY_SENTENCE) if problems else ()
    missed = messages.missed_as_baked(report, residuals, reading.times) if not problems else []
    more = (*switched_off, *missed, *baked.notes)
    messages.store_advice(character, report, translated, reading.times, more=more, first=first)
    return SolveResult(
        sentence=messages.prefixed(problems, summary),
        misses=any(residual.misses.any() for residual in residuals),
        is_kept_off_by_rig=bool(problems),
        deformation=solved.deformation,
        baked=baked,
        reading=reading,
        notes=(*switched_off, *filter(None, (solved.grounded.sentence, ranges.range_warning(armature)))),
    )


def check_plausible(
    reading: bridge.Reading,
    source: solver.Clip,
    result: solver.Clip,
    grounded: ground_gaps.GroundedConstraints,
) -> None:
    """Raise where a result, made from the clip `source`, is implausible, before it is baked."""
    why = solver.why_implausible(
        source, result, grounded.constraints, grounded.ground, reading.times, grounded.moves_plants
    )
    if why:
        raise translation.TranslationError(why)


def read_in_steps(
    armature: bpy.types.Object | None, begin: int | None = None, end: int | None = None, quality: Quality = "final"
) -> Generator[StageShare, None, bridge.Reading]:
    """Read the source of an armature over the scene's frames, or a part of them; a draft takes some of the frames."""
    first, last = frames(begin, end)
    stride = _stride() if quality == "draft" and last > first else 1
    # The last frame of a draft is at or after the end of the range.
    last = first + stride * math.ceil((last - first) / stride)
    steps = bridge.read_in_steps(armature, first, last, step=stride)
    follow_source_renames(bridge.check_armature(armature))  # reading does so too, which must not count as an edit
    before = bridge.source_signature(bridge.check_armature(armature))
    reading = yield from solver.converted(steps, lambda share: (progress.READING, share))
    if bridge.source_signature(reading.armature) != before:
        raise bridge.SourceChangedError(_changed_meanwhile(reading.armature))
    return reading


def _stride() -> int:
    """The number of frames of the scene for each frame of a draft."""
    scene = bridge.current_scene()
    return max(1, round(scene.render.fps / scene.render.fps_base / DRAFT_RATE))


def read(armature: bpy.types.Object | None, begin: int | None = None, end: int | None = None) -> bridge.Reading:
    """As `read_in_steps`, at once."""
    return solver.finished(read_in_steps(armature, begin, end))


def frames(begin: int | None, end: int | None) -> tuple[int, int]:
    """The given first and last frame, or those of the scene for None."""
    scene = bridge.current_scene()
    return scene.frame_start if begin is None else begin, scene.frame_end if end is None else end


def with_unbakeable_joints_fixed(reading: bridge.Reading, clip: solver.Clip) -> solver.Clip:
    """The clip with every joint fixed that cannot be baked, so that only the others are moved."""
    if not reading.unbakeable:
        return clip
    movable = clip.skeleton
    fixed = {movable.index(joint) for joint in reading.unbakeable}
    limits = {joint: limit for joint, limit in movable.limits.items() if movable.index(joint) not in fixed}
    skeleton = movable.replace(limits=limits).with_kinds(dict.fromkeys(reading.unbakeable, solver.JointKind.FIXED))
    if all(kind is solver.JointKind.FIXED for kind in skeleton.kinds):
        raise bridge.BridgeError(next(iter(reading.unbakeable.values())))
    return replace(clip, skeleton=skeleton)


def _summary(solved: Solved, baked: bridge.Baked, residuals: Sequence[solver.Residual]) -> str:
    times = solved.reading.times
    span = f"Frames {times[0]:g} to {times[-1]:g}"
    if not solved.translated.constraints:
        return f"{span}: there is no constraint, so {baked.action!r} is as the source."
    missed = sum(bool(residual.misses.any()) for residual in residuals)
    span += " as a loop" if solved.cyclic else ""
    all_hold, count = "every constraint holds", len(residuals)
    outcome = all_hold if not missed else f"{missed} of {count} constraints {'is' if missed == 1 else 'are'} missed"
    bones = "bone" if len(baked.bones) == 1 else "bones"
    return f"{span}: {outcome}; {len(baked.bones)} {bones} changed in {baked.action!r}."

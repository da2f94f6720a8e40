# SPDX-License-Identifier: GPL-3.0-or-later
"""From an armature and its constraints to a baked result, step by step. Nothing is changed before the last step."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import bpy

from ... import solver
from .. import bridge, translation
from ..properties import character_of, follow_renames
from . import ground_gaps, loops, messages, ranges

Quality = Literal["draft", "final"]

_Yielded = TypeVar("_Yielded")
_Returned = TypeVar("_Returned")

StageShare = tuple[str, float]
"""What is being done, in a word, and how much of that is done, from 0 to 1."""

DRAFT_RATE = 30.0
"""Frames a second of a draft: enough to see where things go, and a quarter of what captures often have."""


@dataclass(frozen=True)
class SolveOptions:
    """How to solve. Frames are the scene's, both included; None: the scene's own first or last."""

    begin: int | None = None
    end: int | None = None
    target: bridge.Target = "action"
    tolerance: float = 0.0
    quality: Quality = "final"


@dataclass(frozen=True)
class SolveResult:
    """What a solve came to."""

    sentence: str
    """How it went, in one sentence."""
    misses: bool
    """Whether a constraint does not hold."""
    is_kept_off_by_rig: bool
    """Whether the rig's own constraints keep bones from where the result has them: the sentence begins with that."""
    deformation: solver.Deformation
    baked: bridge.Baked
    reading: bridge.Reading
    notes: tuple[str, ...] = ()
    """What is said first: plants that stand off the ground, and a range that leaves out a part of the action."""


def solve(armature: bpy.types.Object | None, options: SolveOptions | None = None) -> SolveResult:
    """Solve an armature's source with its enabled constraints, bake the result and keep what is to be told."""
    return solver.finished(solve_in_steps(armature, options))


def solve_in_steps(
    armature: bpy.types.Object | None, options: SolveOptions | None = None
) -> Generator[StageShare, None, SolveResult]:
    """As `solve`, step by step: yields its progress. To cancel, close it, and nothing has been changed."""
    asked = options or SolveOptions()
    reading = yield from _reading(armature, asked)
    held = reading.armature
    clip = with_unbakeable_joints_fixed(reading, translation.clip_with_settings(held, reading))
    translated = translation.translate(held, reading)
    grounded = ground_gaps.place_on_ground(held, clip, translated.constraints, translated.uids)
    translated = replace(translated, constraints=grounded.constraints)
    # What the solver warns of is advice to the animator, not a line on a terminal.
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", solver.RecruitingWarning)
        cyclic = loops.is_loop(reading, clip)
        steps = solver.correcting_and_deforming(clip, translated.constraints, ground=grounded.ground, cyclic=cyclic)
    deformation = yield from _told(steps, lambda progress: (progress.stage.value, progress.share))
    yield "telling", 0.0
    report = deformation.report
    check_plausible(reading, clip, deformation.clip, grounded)
    yield "baking", 0.0
    baked = bridge.bake(reading, deformation.clip, target=asked.target, tolerance=asked.tolerance)

    held = reading.armature
    follow_renames(held)
    off = messages.constraints_off_by_rig(report, clip.skeleton, baked)
    wrong = [*filter(None, [baked.rig_conflict]), *messages.rig_conflicts(report, clip.skeleton, reading)]
    told = _sentence(reading, report, baked, bool(translated.constraints), off, cyclic)
    sentence = messages.prefixed(wrong, told)
    notes = tuple(filter(None, (grounded.sentence, ranges.range_warning(held))))
    character = character_of(held)
    ground_gaps.store_gaps(held, grounded.gaps)
    ground_gaps.store_soles(held, clip.skeleton)
    character.last_solve = sentence
    messages.store_residuals(character, report, translated.uids, reading.times, off)
    hints = tuple(str(warning.message) for warning in caught)
    first = (*wrong, bridge.COPY_SENTENCE) if wrong else ()
    messages.store_advice(character, report, translated, reading.times, (*hints, *baked.notes), first)
    return SolveResult(sentence, bool(report.conflicts or off), bool(wrong), deformation, baked, reading, notes)


def check_plausible(
    reading: bridge.Reading,
    source: solver.Clip,
    result: solver.Clip,
    grounded: ground_gaps.GroundedConstraints,
) -> None:
    """Raise where a result cannot be what was meant, before anything is baked; `source` is what it was made from."""
    why = solver.why_implausible(
        source, result, grounded.constraints, grounded.ground, reading.times, grounded.moves_plants
    )
    if why:
        raise translation.TranslationError(why)


def _reading(armature: bpy.types.Object | None, options: SolveOptions) -> Generator[StageShare, None, bridge.Reading]:
    first, last = frames(options.begin, options.end)
    stride = _stride() if options.quality == "draft" and last > first else 1
    # A draft must not end before the range does.
    last = first + stride * math.ceil((last - first) / stride)
    steps = bridge.read_in_steps(armature, first, last, step=stride)
    return (yield from _told(steps, lambda share: ("reading", share)))


def _stride() -> int:
    """From how many frames of the scene a draft takes one."""
    scene = bridge.current_scene()
    return max(1, round(scene.render.fps / scene.render.fps_base / DRAFT_RATE))


def _told(
    steps: Generator[_Yielded, None, _Returned], tell: Callable[[_Yielded], StageShare]
) -> Generator[StageShare, None, _Returned]:
    """Steps of others in words of our own; who closes these closes those."""
    try:
        while True:
            try:
                step = next(steps)
            except StopIteration as stop:
                returned: _Returned = stop.value
                return returned
            yield tell(step)
    finally:
        steps.close()


def read(armature: bpy.types.Object | None, begin: int | None = None, end: int | None = None) -> bridge.Reading:
    """Read an armature's source over the frames of the scene, or a part of them."""
    return bridge.read(armature, *frames(begin, end))


def frames(begin: int | None, end: int | None) -> tuple[int, int]:
    """The first and last frame that are meant: given ones, else the scene's."""
    scene = bridge.current_scene()
    return scene.frame_start if begin is None else begin, scene.frame_end if end is None else end


def with_unbakeable_joints_fixed(reading: bridge.Reading, clip: solver.Clip) -> solver.Clip:
    """The clip with every joint fixed that could not be baked, so that the others do what there is to do."""
    if not reading.unbakeable:
        return clip
    skeleton = clip.skeleton.with_kinds(dict.fromkeys(reading.unbakeable, solver.JointKind.FIXED))
    if all(kind is solver.JointKind.FIXED for kind in skeleton.kinds):
        raise bridge.BridgeError(next(iter(reading.unbakeable.values())))
    return replace(clip, skeleton=skeleton)


def _sentence(
    reading: bridge.Reading,
    report: solver.Report,
    baked: bridge.Baked,
    has_constraints: bool,
    off: messages.RigErrors,
    cyclic: bool,
) -> str:
    span = f"Frames {reading.times[0]:g} to {reading.times[-1]:g}"
    if not has_constraints:
        return f"{span}: no constraint asks for anything, so {baked.action!r} is as the source."
    missed = len({id(conflict.constraint) for conflict in report.conflicts} | set(off))
    given = len(report.residuals)
    span += " as a loop" if cyclic else ""
    held = "every constraint holds" if not missed else f"{missed} of {given} constraints cannot hold wholly"
    bones = "bone" if len(baked.bones) == 1 else "bones"
    return f"{span}: {held}; {len(baked.bones)} {bones} changed in {baked.action!r}."

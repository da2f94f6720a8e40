# SPDX-License-Identifier: GPL-3.0-or-later
"""Transforming a motion: an edit of its fit is solved, and the full character follows (Popović 1999, chapter 5)."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from ..body.clip import Clip
from ..core.arrays import Array
from ..core.errors import ConstraintError
from ..core.progress import finished
from .edit import Edit
from .edited_problem import EditedProblem, edited_problem
from .feasibility import why_impossible
from .fit import Fit, solve_limits, solving
from .limb_changes import clip_with_limb
from .optimiser import Optimum, Start
from .plausibility import why_not_physical
from .progress import PhysicsProgress
from .reconstruction import HandleTrack, PlantedFoot, Reconstruction, reconstructing
from .simplified_motion import SimplifiedMotion
from .time_warp import warped

STEPS = (0.5, 1.0)
"""Shares of an edit that are solved one after the other where it cannot be solved at once."""

SOLVING, REBUILDING = "Solving the edit", "Moving the full character"


@dataclass(frozen=True, eq=False)
class Transformation:
    """An edited motion."""

    clip: Clip
    """The full character."""
    motion: SimplifiedMotion
    """The simplified character, with the forces of the ground."""
    edit: Edit
    fit: Fit
    reconstruction: Reconstruction
    source_times: Array
    """(frames,) the time in the source, in frames, that each frame of the clip corresponds to."""
    optimum: Optimum
    problem: EditedProblem


def transform(fit: Fit, edit: Edit) -> Transformation:
    """The clip of a fit as an edit changes it; see `transforming`."""
    return finished(transforming(fit, edit))


def transforming(fit: Fit, edit: Edit) -> Generator[PhysicsProgress, None, Transformation]:
    """As `transform`, a generator that yields progress; closing it cancels.

    Raises a ConstraintError that names what cannot be where the edit has no physical motion.
    """
    yield PhysicsProgress(SOLVING, 0.0)
    problem, optimum, motion = yield from _solved_edit(fit, edit)
    yield PhysicsProgress(REBUILDING, 0.7)
    clip = fit.source
    for limb in edit.limbs:
        clip = clip_with_limb(clip, limb)
    seconds, frames = _frames(motion, clip)
    source = warped(clip, frames)
    steps = reconstructing(source, *_targets(fit, problem, motion, seconds, frames))
    try:
        while True:
            yield PhysicsProgress(REBUILDING, 0.7 + 0.3 * float(next(steps)))
    except StopIteration as stop:
        rebuilt: Reconstruction = stop.value
    finally:
        steps.close()
    return Transformation(rebuilt.clip, motion, edit, fit, rebuilt, frames, optimum, problem)


def _solved_edit(
    fit: Fit, edit: Edit
) -> Generator[PhysicsProgress, None, tuple[EditedProblem, Optimum, SimplifiedMotion]]:
    """Solve an edit at once or, where that finds no physical motion, in steps."""
    problem = edited_problem(fit, edit)
    reasons = why_impossible(problem.problem, fit.units)
    if reasons:
        raise ConstraintError(f"The edit is impossible: {'; '.join(reasons[:3])}.")
    start = problem.start
    for attempt, shares in enumerate(((1.0,), STEPS)):
        for share in shares:
            problem = edited_problem(fit, edit if share == 1.0 else edit.part(share))
            if attempt == 0 or share == STEPS[0]:
                start = problem.start
            optimum = yield from _solving(fit, problem, start, 0.35 * attempt)
            start = Start(optimum.unknowns, optimum.multipliers, optimum.bound_multipliers)
        motion = SimplifiedMotion(
            problem.problem.layout,
            fit.units,
            optimum.unknowns,
            problem.problem.stances,
            problem.problem.muscles,
            dict(problem.problem.slots),
            problem.problem.gravity,
        )
        reasons = why_not_physical(motion, problem.problem, optimum)
        if not reasons:
            return problem, optimum, motion
    raise ConstraintError(f"The edit has no physical motion: {'; '.join(reasons[:3])}.")


def _solving(fit: Fit, problem: EditedProblem, start: Start, begin: float) -> Generator[PhysicsProgress, None, Optimum]:
    return (
        yield from solving(problem.problem, problem.functions, start, solve_limits(fit.settings), SOLVING, begin, 0.35)
    )


def _frames(motion: SimplifiedMotion, clip: Clip) -> tuple[Array, Array]:
    """(frames,) the times of the result's frames, in its own seconds and in frames of the source."""
    count = max(2, round(motion.duration * clip.fps) + (0 if motion.layout.is_cyclic else 1))
    seconds = np.arange(count) / clip.fps
    frames = np.clip(motion.in_source(seconds) * clip.fps, 0.0, clip.frames - 1.0)
    # Times that were not stretched are those of the source, but for rounding.
    whole = np.round(frames)
    return seconds, np.where(np.abs(frames - whole) < 1e-6, whole, frames)


def _targets(
    fit: Fit, problem: EditedProblem, motion: SimplifiedMotion, seconds: Array, frames: Array
) -> tuple[list[HandleTrack], list[PlantedFoot]]:
    """What the full character follows: its handles by the difference between edit and fit, its feet exactly."""
    handles = fit.problem.handles
    edited = motion.handle_values(handles, seconds)
    fitted = fit.motion.handle_values(handles, frames / fit.source.fps)
    tracks, row = [], 0
    for handle, weight in zip(handles, fit.problem.weights, strict=True):
        rows = slice(row, row + handle.width)
        tracks.append(HandleTrack(handle, fitted[:, rows], edited[:, rows], float(weight)))
        row += handle.width
    return tracks, []

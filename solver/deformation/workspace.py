# SPDX-License-Identifier: GPL-3.0-or-later
"""The workspace of a deformation: arrays over all frames that the passes read and write."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..body.clip import Clip
from ..body.motion import Motion
from ..constraints import Source
from ..core.arrays import Array, BoolArray, IntArray
from ..core.memory import keep_freed_memory
from ..core.progress import Stage
from ..core.splines import Spline
from ..posture.solve import BATCH
from .acceleration_baseline import AccelerationBaseline
from .displacement import Displacement, displacement
from .frame_tasks import COARSE_TOLERANCE, FrameTasks, SolvedFrames
from .progress import Progress, Steps
from .settings import DeformSettings

CORRECTION_BATCH = 2 * BATCH
"""Frames that are corrected together: fewer joints move than in a solve, so more frames fit into the processor's
caches."""

EARLY_STOP = 0.015
"""`SolveSettings.early_stop` for coarse frames: within a degree of convergence. The frames between coarse ones are
farther from theirs."""


class Workspace:
    """The result so far, the reference that it is attracted to, and the state of each frame."""

    def __init__(self, source: Source, settings: DeformSettings, before: Workspace | None = None) -> None:
        """Begin with the source, or with the workspace of a solve `before`."""
        keep_freed_memory()
        self.source = source
        self.settings = settings
        motion = before.motion if before else source.clip.motion
        reference = before.reference if before else source.clip.motion
        self.motion: Motion = Motion(motion.rotations.copy(), motion.translations.copy())
        self.reference: Motion = Motion(reference.rotations.copy(), reference.translations.copy())
        """The attractor of every frame: the source, or the source with a displacement that is smooth over time."""
        self.met: BoolArray = before.met.copy() if before else np.ones(source.frames, dtype=bool)
        """(frames,) where all targets are met."""
        self.converged: BoolArray = before.converged.copy() if before else np.ones(source.frames, dtype=bool)
        """(frames,) where the iterations have converged."""
        self.baseline: AccelerationBaseline = before.baseline if before else AccelerationBaseline(source.clip.motion)

    # Frames --------------------------------------------------------------------------------------------------------

    def clip(self) -> Clip:
        """The result so far."""
        return self.source.clip.with_motion(Motion(self.motion.rotations.copy(), self.motion.translations.copy()))

    def progress(self, stage: Stage, share: float) -> Progress:
        """The progress of a stage, of which a share is done."""
        return Progress(stage, min(share, 1.0), self.clip)

    def at(self, frames: IntArray) -> Motion:
        """Some frames of the result."""
        return self.motion.at(frames)

    def write(self, frames: IntArray, motion: Motion) -> None:
        """Write a motion of some frames into the result."""
        self.motion.rotations[frames], self.motion.translations[frames] = motion.rotations, motion.translations

    def write_reference(self, frames: IntArray, motion: Motion) -> None:
        """Write a motion of some frames into the reference."""
        self.reference.rotations[frames], self.reference.translations[frames] = motion.rotations, motion.translations

    def write_solved(self, solved: SolvedFrames) -> None:
        """Write solved frames into the result, with their state."""
        self.write(solved.frames, solved.motion)
        self.met[solved.frames] = solved.met
        self.converged[solved.frames] = solved.converged

    def restore_source(self, frames: IntArray) -> None:
        """Write the source into some frames of the result and of the reference."""
        original = self.source.clip.motion.at(frames)
        self.write(frames, original)
        self.write_reference(frames, original)
        self.converged[frames] = self.met[frames] = True

    def restore_reference(self, frames: IntArray) -> None:
        """Write the reference into some frames of the result."""
        self.write(frames, self.reference.at(frames))

    def interpolated(self, known: IntArray, frames: IntArray) -> Motion:
        """Some frames, with the displacement from the source interpolated between those of known frames."""
        source = self.source.clip.motion
        at_known = displacement(source.at(known), self.at(known))
        between = Displacement(
            _cubic(known, at_known.rotation_vectors, frames), _cubic(known, at_known.translations, frames)
        )
        return between.applied(source.at(frames))

    # Solving -------------------------------------------------------------------------------------------------------

    def solve(self, frame_tasks: FrameTasks, frames: IntArray, stage: Stage, coarse: bool = False) -> Steps:
        """Solve some frames from their present postures, attracted to their reference, a batch at a time.

        They are solved in a single level first; those that miss a target, once more in strict priority. If `coarse`, a
        frame stops early: it is met within `COARSE_TOLERANCE` and `EARLY_STOP` of convergence, and corrected later.
        """
        frames = frame_tasks.with_tasks(frames)
        solving = self.settings.solving()
        first_try = (
            replace(solving, early_stop=EARLY_STOP, feasibility_tolerance=COARSE_TOLERANCE) if coarse else solving
        )
        missed = [frames[:0]]
        for first in range(0, len(frames), BATCH):
            batch = frames[first : first + BATCH]
            solved = frame_tasks.solve_single_level(batch, self.motion, self.reference, first_try)
            missed.append(batch[~solved.met])
            self.write_solved(solved.at(np.flatnonzero(solved.met)))
            yield self.progress(stage, (first + len(batch)) / len(frames))
        for group in frame_tasks.groups(np.concatenate(missed)):
            self.write_solved(frame_tasks.solve_prioritized(group, self.motion, self.reference, solving))
            yield self.progress(stage, 1.0)

    def solve_sequentially(self, frame_tasks: FrameTasks, frames: IntArray, stage: Stage) -> Steps:
        """Solve frame after frame, each from the result of the one before (Le Callennec 2006, equation 5.1)."""
        solving = self.settings.solving()
        for number, frame in enumerate(frame_tasks.with_tasks(frames)):
            (group,) = frame_tasks.groups(np.array([frame]))
            self.write(group.frames, self.at(np.maximum(group.frames - 1, 0)))
            self.write_solved(frame_tasks.solve_prioritized(group, self.motion, self.reference, solving))
            yield self.progress(stage, (number + 1) / len(frames))

    def correct(self, frame_tasks: FrameTasks, frames: IntArray, stage: Stage) -> Steps:
        """Remove the residuals of some frames, whose postures are otherwise kept."""
        frames = frame_tasks.with_tasks(frames)
        for first in range(0, len(frames), CORRECTION_BATCH):
            self.write_solved(frame_tasks.correct(frames[first : first + CORRECTION_BATCH], self.motion))
            yield self.progress(stage, (first + CORRECTION_BATCH) / len(frames))

    def correct_or_solve(self, frame_tasks: FrameTasks, frames: IntArray, stage: Stage) -> Steps:
        """Correct some frames, and solve those that the correction does not bring to their targets."""
        yield from self.correct(frame_tasks, frames, stage)
        yield from self.solve(frame_tasks, frames[~self.met[frames]], stage)

    def interpolate_unconverged(self, frame_tasks: FrameTasks, frames: IntArray, stage: Stage) -> Steps:
        """Replace some frames by the corrected interpolation of all others, where that meets all targets."""
        known = np.setdiff1d(np.arange(len(self.met)), frames)
        if not frames.size or not known.size:
            return
        original = self.at(frames)
        self.write(frames, self.interpolated(known, frames))
        yield from self.correct(frame_tasks, frames, stage)
        unmet = np.flatnonzero(~self.met[frames])
        self.write(frames[unmet], original.at(unmet))


def _cubic(known: IntArray, values: Array, frames: IntArray) -> Array:
    """(frames, joints, 3) values (known, joints, 3) interpolated between known frames, with continuous velocity."""
    flat = values.reshape(len(values), -1)
    between = np.zeros((len(frames), flat.shape[1]))
    moving = np.flatnonzero(flat.any(axis=0))
    if moving.size:
        between[:, moving] = Spline(known.astype(np.float64), flat[:, moving]).at(frames)
    return between.reshape(len(frames), *values.shape[1:])


def neighbours(frames: Iterable[int] | IntArray, count: int) -> IntArray:
    """The frames right before and after each run of some frames, of `count` frames in all."""
    inside = np.asarray(frames, dtype=np.int64)
    outside = np.setdiff1d(np.concatenate([inside - 1, inside + 1]), inside)
    return outside[(outside >= 0) & (outside < count)]


def neighbours_met(met: BoolArray, known: IntArray, frames: IntArray) -> BoolArray:
    """(frames,) where the nearest known frames before and after a frame are both met."""
    after = np.clip(np.searchsorted(known, frames), min(1, len(known) - 1), len(known) - 1)
    return np.asarray(met[known[np.maximum(after - 1, 0)]] & met[known[after]])

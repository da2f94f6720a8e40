# SPDX-License-Identifier: GPL-3.0-or-later
"""The workspace of a deformation: arrays over all frames that the passes read and write."""

from __future__ import annotations

import numpy as np

from ..body.clip import Clip
from ..body.motion import Motion
from ..constraints import Source
from ..core.arrays import BoolArray, IntArray
from ..core.memory import keep_freed_memory
from ..core.progress import Stage
from .frame_tasks import FrameTasks, SolvedFrames
from .progress import Progress, Steps
from .settings import DeformSettings


class Workspace:
    """The result so far, the draft that it comes from, and the state of each frame."""

    def __init__(self, source: Source, settings: DeformSettings, before: Workspace | None = None) -> None:
        """Begin with the source, or with the workspace of a solve `before`."""
        keep_freed_memory()
        self.source = source
        self.settings = settings
        motion = before.motion if before else source.clip.motion
        reference = before.reference if before else source.clip.motion
        self.motion: Motion = Motion(motion.rotations.copy(), motion.translations.copy())
        self.reference: Motion = Motion(reference.rotations.copy(), reference.translations.copy())
        """The draft: the source with a displacement that is smooth over time."""
        self.met: BoolArray = before.met.copy() if before else np.ones(source.frames, dtype=bool)
        """(frames,) where all targets are met, relaxed ones as they are relaxed."""
        self.converged: BoolArray = before.converged.copy() if before else np.ones(source.frames, dtype=bool)
        """(frames,) where the iterations have converged."""

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

    def write_draft(self, frames: IntArray, motion: Motion) -> None:
        """Write a motion of some frames into the draft and into the result."""
        self.reference.rotations[frames], self.reference.translations[frames] = motion.rotations, motion.translations
        self.write(frames, motion)

    def restore_source(self, frames: IntArray) -> None:
        """Write the source into some frames of the result and of the draft."""
        self.write_draft(frames, self.source.clip.motion.at(frames))
        self.converged[frames] = self.met[frames] = True

    def solve_strictly(self, frame_tasks: FrameTasks, frames: IntArray, stage: Stage) -> Steps:
        """Solve some frames in strict priority from their present postures, which they stay near."""
        solving, met = self.settings.solving(), self.settings.tolerances.met
        for group in frame_tasks.groups(frames):
            self._write_solved(frame_tasks.solve_prioritized(group, self.motion, self.motion, solving, met))
            yield self.progress(stage, 1.0)

    def solve_sequentially(self, frame_tasks: FrameTasks, frames: IntArray, stage: Stage) -> Steps:
        """Solve frame after frame, each from the result of the one before (Le Callennec 2006, equation 5.1)."""
        solving, met = self.settings.solving(), self.settings.tolerances.met
        for number, frame in enumerate(frame_tasks.with_tasks(frames)):
            (group,) = frame_tasks.groups(np.array([frame]))
            self.write(group.frames, self.at(np.maximum(group.frames - 1, 0)))
            self._write_solved(frame_tasks.solve_prioritized(group, self.motion, self.source.clip.motion, solving, met))
            yield self.progress(stage, (number + 1) / len(frames))

    def _write_solved(self, solved: SolvedFrames) -> None:
        """Write solved frames into the result, with their state."""
        self.write(solved.frames, solved.motion)
        self.met[solved.frames] = solved.met
        self.converged[solved.frames] = solved.converged

# SPDX-License-Identifier: GPL-3.0-or-later
"""The workspace of a deformation: arrays over all frames that the passes read and write."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from functools import cached_property

import numpy as np

from ..body.clip import Clip
from ..body.kinematics import WorldState
from ..body.motion import Motion
from ..constraints import Source
from ..core.arrays import BoolArray, IntArray
from ..core.memory import keep_freed_memory
from ..core.progress import Stage
from ..posture.solve import Postures
from .frame_tasks import FrameTasks
from .progress import Preview, Progress, Steps
from .settings import DeformSettings

STRICT_BATCH = 40
"""Frames that are solved together in strict priority: few, since each of them takes long, and a user who cancels must
not wait."""


DEFENCES = 3
"""How often frames are solved again, at first without what is less important than a target that is missed: once for
each level that others may pull at."""


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
        """(frames,) where all targets that are not relaxed are met."""
        self.converged: BoolArray = before.converged.copy() if before else np.ones(source.frames, dtype=bool)
        """(frames,) where the iterations have converged."""
        self.before = motion
        """The result of the solve before; the source, if there is none."""
        self._is_solved = np.zeros((source.frames, len(source.clip.skeleton)), dtype=bool)
        """(frames, joints) those of the result that are worth showing."""

    def clip(self) -> Clip:
        """The result so far."""
        return self.source.clip.with_motion(Motion(self.motion.rotations.copy(), self.motion.translations.copy()))

    def progress(self, stage: Stage, share: float) -> Progress:
        """The progress of a stage, of which a share is done."""
        return Progress(stage, min(share, 1.0), self.clip)

    def preview(self, stage: Stage, share: float, frames: IntArray, joints: BoolArray) -> Progress:
        """The same with a preview, in which some more frames show some joints (joints,) of the result so far."""
        self._is_solved[frames] |= joints
        some = np.ix_(frames, np.flatnonzero(joints))
        self.shown.rotations[some] = self.motion.rotations[some]
        self.shown.translations[some] = self.motion.translations[some]
        preview = Preview(self._is_solved.any(axis=1), lambda: self.source.clip.with_motion(self.shown))
        return Progress(stage, min(share, 1.0), self.clip, preview)

    @cached_property
    def shown(self) -> Motion:
        """What previews show: the result of the solve before, or what was shown last, and what is solved so far."""
        return Motion(self.before.rotations.copy(), self.before.translations.copy())

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

    def keep_other_joints(self, before: Workspace, joints: BoolArray) -> None:
        """Take all joints but some (joints,) from the workspace as it was before these were solved."""
        if before is self:
            return
        for mine, theirs in ((self.motion, before.motion), (self.reference, before.reference)):
            mine.rotations[:, ~joints] = theirs.rotations[:, ~joints]
            mine.translations[:, ~joints] = theirs.translations[:, ~joints]
        self.met &= before.met
        self.converged &= before.converged

    def solve_strictly(
        self,
        frame_tasks: FrameTasks,
        frames: IntArray,
        stage: Stage,
        joints: IntArray | None = None,
        iterations: int | None = None,
        tolerance: float | None = None,
    ) -> Steps:
        """Solve some frames in strict priority from their present postures, which they stay near. `joints` are those
        that may move, None: all that are recruited; `iterations` are the most, and a target with a residual within the
        tolerance is met, None: as in the settings."""
        settings = replace(self.settings, iterations=iterations) if iterations else self.settings
        tolerance = self.settings.tolerances.met if tolerance is None else tolerance
        moving = None if joints is None else frame_tasks.skeleton.mask(joints)
        for first in range(0, len(frames), STRICT_BATCH):
            some = frames[first : first + STRICT_BATCH]
            at = stage, (first + STRICT_BATCH) / len(frames)
            yield from self._solve_strictly(frame_tasks, some, self.motion, settings, tolerance, at, moving)
            # A less important target may still pull at a more important one, or hold it in a posture from which no step
            # leads nearer. Then the more important ones are solved first, and all again from there.
            for _ in range(DEFENCES):
                some = some[~self.met[some]]
                world = WorldState.of(frame_tasks.skeleton, self.at(some))
                upper, some = frame_tasks.without_less_important(some, world, tolerance)
                if not some.size:
                    break
                before = self.at(some)
                yield from self._solve_strictly(upper, some, self.motion, settings, tolerance, at, moving)
                helped = self.met[some]
                self.write(some[~helped], before.at(np.flatnonzero(~helped)))
                self.met[some[~helped]] = False
                some = some[helped]
                met = self.at(some)
                yield from self._solve_strictly(frame_tasks, some, self.motion, settings, tolerance, at, moving)
                lost = ~upper.met(some, WorldState.of(frame_tasks.skeleton, self.at(some)), tolerance)
                self.write(some[lost], met.at(np.flatnonzero(lost)))
                yield self.progress(*at)

    def solve_sequentially(self, frame_tasks: FrameTasks, frames: IntArray, stage: Stage) -> Steps:
        """Solve frame after frame, each from the result of the one before (Le Callennec 2006, equation 5.1)."""
        for number, frame in enumerate(frame_tasks.with_tasks(frames)):
            one = np.array([frame])
            self.write(one, self.at(np.maximum(one - 1, 0)))
            at = stage, (number + 1) / len(frames)
            source, tolerance = self.source.clip.motion, self.settings.tolerances.met
            yield from self._solve_strictly(frame_tasks, one, source, self.settings, tolerance, at)

    def _solve_strictly(
        self,
        frame_tasks: FrameTasks,
        frames: IntArray,
        reference: Motion,
        settings: DeformSettings,
        tolerance: float,
        at: tuple[Stage, float],
        moving: BoolArray | None = None,
    ) -> Steps:
        """Solve some frames in strict priority, attracted to a reference of the whole clip, and write them; together
        those in which the same joints may move. `at` are the stage and its share that each step yields."""
        patterns, which = np.unique(frame_tasks.movable[frames], axis=0, return_inverse=True)
        for number in range(len(patterns)):
            some = frames[which.reshape(-1) == number]
            steps = frame_tasks.solve_prioritized(some, self.motion, reference, settings.solving(), moving)
            solved = yield from self._with_progress(steps, at)
            self.write(some, solved.motion)
            world = WorldState.of(frame_tasks.skeleton, solved.motion)
            self.met[some] = frame_tasks.met(some, world, tolerance)
            self.converged[some] = solved.converged | self.met[some]
            yield self.progress(*at)

    def _with_progress(
        self, steps: Generator[None, None, Postures], at: tuple[Stage, float]
    ) -> Generator[Progress, None, Postures]:
        """Yield the progress of a stage at every step of a solve; returns its postures."""
        while True:
            try:
                next(steps)
            except StopIteration as stop:
                solved: Postures = stop.value
                return solved
            yield self.progress(*at)

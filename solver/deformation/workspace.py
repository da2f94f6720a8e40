# SPDX-License-Identifier: GPL-3.0-or-later
"""A solve of a clip under way: arrays over all frames that are filled pass by pass."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from ..body.clip import Clip
from ..body.motion import Motion
from ..constraints import Source
from ..core.arrays import Array, BoolArray, IntArray
from ..core.errors import ConstraintError
from ..core.memory import keep_freed_memory
from ..core.splines import Spline
from ..posture.settings import SolveSettings
from ..posture.solve import BATCH
from .displacement_filter import Liveliness, displacement
from .frame_tasks import POLISHED, ROUGHLY_HOLDS, Enforced, Enforcement

POLISHED_TOGETHER = 2 * BATCH
"""Frames that are put right together: fewer joints move than in a solve, so more frames fit into the caches."""

SKETCHED = 0.015
"""See `SolveSettings`: within a degree of rest. The frames between coarse ones are farther from their own."""

Coherence = Literal["batch", "sequential"]


@dataclass(frozen=True)
class DeformSettings:
    """How a clip is deformed."""

    coherence: Coherence = "batch"
    """All frames together, or each from the result of the one before, with feet that follow paths in the air too (the
    document's own order, for comparison)."""
    iterations: int = 200
    """The most steps a frame may take in a pass."""
    tolerance: float = 1e-5
    """When a frame has come to rest: see `SolveSettings`. Where everything can be met, frames are put right together,
    each within a degree of rest."""
    smoothing_passes: int = 2
    """How often, at most, the displacement is filtered where it needs it and the constraints are enforced again."""

    def __post_init__(self) -> None:
        if self.coherence not in ("batch", "sequential"):
            raise ConstraintError(f"There is no coherence {self.coherence!r}: it is 'batch' or 'sequential'.")
        if not isinstance(self.smoothing_passes, (int, np.integer)) or self.smoothing_passes < 0:
            raise ConstraintError("The number of smoothing passes must be a whole number, 0 or more.")
        self.solving()

    def solving(self) -> SolveSettings:
        """For each frame."""
        return SolveSettings(iterations=self.iterations, tolerance=self.tolerance, feasibility_tolerance=POLISHED)


@dataclass(frozen=True, eq=False)
class Progress:
    """How far a solve has come."""

    stage: str
    """What is being done, in words."""
    share: float
    """Of that stage, from 0 to 1."""
    _clip: Callable[[], Clip]

    @cached_property
    def clip(self) -> Clip:
        """The result as it is by now; to be asked for before the next step."""
        return self._clip()


Steps = Generator[Progress, None, None]
"""A pass that tells its progress; to cancel, stop asking."""


class Workspace:
    """The result so far, what it is attracted to, and where it is in order."""

    def __init__(self, source: Source, settings: DeformSettings, before: Workspace | None = None) -> None:
        """Begin with the source, or with what was solved before."""
        keep_freed_memory()
        self.source = source
        self.settings = settings
        begin = before.motion if before else source.clip.motion
        attracting = before.reference if before else source.clip.motion
        self.motion: Motion = Motion(begin.rotations.copy(), begin.translations.copy())
        self.reference: Motion = Motion(attracting.rotations.copy(), attracting.translations.copy())
        """What every frame is attracted to: the source, or the source displaced by what is smooth over time."""
        self.met: BoolArray = before.met.copy() if before else np.ones(source.frames, dtype=bool)
        """(frames,) where everything that is enforced holds."""
        self.converged: BoolArray = before.converged.copy() if before else np.ones(source.frames, dtype=bool)
        """(frames,) which have come to rest."""
        self.liveliness: Liveliness = before.liveliness if before else Liveliness(source.clip.motion)

    # What is there -------------------------------------------------------------------------------------------------

    def clip(self) -> Clip:
        """The result as it is by now."""
        return self.source.clip.with_motion(Motion(self.motion.rotations.copy(), self.motion.translations.copy()))

    def progress(self, stage: str, share: float) -> Progress:
        """How far it has come."""
        return Progress(stage, min(share, 1.0), self.clip)

    def at(self, frames: IntArray) -> Motion:
        """Some frames of the result."""
        return self.motion.at(frames)

    def put(self, frames: IntArray, motion: Motion) -> None:
        """Write some frames of the result."""
        self.motion.rotations[frames], self.motion.translations[frames] = motion.rotations, motion.translations

    def refer(self, frames: IntArray, motion: Motion) -> None:
        """Let some frames be attracted to a motion of these frames."""
        self.reference.rotations[frames], self.reference.translations[frames] = motion.rotations, motion.translations

    def restore(self, frames: IntArray) -> None:
        """Put some frames back to the source."""
        source = self.source.clip.motion
        original = source.at(frames)
        self.put(frames, original)
        self.refer(frames, original)
        self.converged[frames] = self.met[frames] = True

    def reset(self, frames: IntArray) -> None:
        """Put some frames back to what they are attracted to."""
        self.put(frames, self.reference.at(frames))

    def between(self, known: IntArray, frames: IntArray) -> Motion:
        """Some frames, their displacement from the source interpolated between those of known ones."""
        source = self.source.clip.motion
        original = source.at(known)
        moved = displacement(original, self.at(known))
        mixed = replace(moved, turns=_cubic(known, moved.turns, frames), moves=_cubic(known, moved.moves, frames))
        return mixed.applied(source.at(frames))

    # Solving -------------------------------------------------------------------------------------------------------

    def solve(self, enforcement: Enforcement, frames: IntArray, stage: str, roughly: bool = False) -> Steps:
        """Solve some frames from where they are, attracted to their reference, a batch at a time.

        They are solved without order first; those in which something is missed, once more with it. If `roughly`, those
        that are met miss up to `ROUGHLY_HOLDS`, within `SKETCHED` of rest, to be put right together with others.
        """
        frames = enforcement.enforced_among(frames)
        solving = self.settings.solving()
        first_try = replace(solving, early_stop=SKETCHED, feasibility_tolerance=ROUGHLY_HOLDS) if roughly else solving
        missed = [frames[:0]]
        for first in range(0, len(frames), BATCH):
            batch = frames[first : first + BATCH]
            enforced = enforcement.solved_unordered(batch, self.motion, self.reference, first_try)
            missed.append(batch[~enforced.met])
            self.take(enforced.at(np.flatnonzero(enforced.met)))
            yield self.progress(stage, (first + len(batch)) / len(frames))
        for group in enforcement.groups(np.concatenate(missed)):
            self.take(enforcement.solved(group, self.motion, self.reference, solving))
            yield self.progress(stage, 1.0)

    def solve_in_turn(self, enforcement: Enforcement, frames: IntArray, stage: str) -> Steps:
        """Solve frame after frame, each from the result of the one before (document 003, equation 5.1)."""
        solving = self.settings.solving()
        for number, frame in enumerate(enforcement.enforced_among(frames)):
            (group,) = enforcement.groups(np.array([frame]))
            self.put(group.frames, self.at(np.maximum(group.frames - 1, 0)))
            self.take(enforcement.solved(group, self.motion, self.reference, solving))
            yield self.progress(stage, (number + 1) / len(frames))

    def polish(self, enforcement: Enforcement, frames: IntArray, stage: str) -> Steps:
        """Put some frames right that are good but for what they miss."""
        frames = enforcement.enforced_among(frames)
        for first in range(0, len(frames), POLISHED_TOGETHER):
            self.take(enforcement.polished(frames[first : first + POLISHED_TOGETHER], self.motion))
            yield self.progress(stage, (first + POLISHED_TOGETHER) / len(frames))

    def polish_or_solve(self, enforcement: Enforcement, frames: IntArray, stage: str) -> Steps:
        """Put some frames right; those for which that is not enough are solved."""
        yield from self.polish(enforcement, frames, stage)
        yield from self.solve(enforcement, frames[~self.met[frames]], stage)

    def settle(self, enforcement: Enforcement, frames: IntArray, stage: str) -> Steps:
        """Give frames that have not come to rest what their neighbours have, put right, where that can be."""
        known = np.setdiff1d(np.arange(len(self.met)), frames)
        if not frames.size or not known.size:
            return
        kept = self.at(frames)
        self.put(frames, self.between(known, frames))
        yield from self.polish(enforcement, frames, stage)
        worse = np.flatnonzero(~self.met[frames])
        self.put(frames[worse], kept.at(worse))

    def take(self, enforced: Enforced) -> None:
        """Write solved frames."""
        self.put(enforced.frames, enforced.motion)
        self.met[enforced.frames] = enforced.met
        self.converged[enforced.frames] = enforced.converged


def _cubic(known: IntArray, values: Array, frames: IntArray) -> Array:
    """(frames, joints, 3) values (known, joints, 3) between known frames, with continuous velocity."""
    flat = values.reshape(len(values), -1)
    between = np.zeros((len(frames), flat.shape[1]))
    moving = np.flatnonzero(flat.any(axis=0))
    if moving.size:
        between[:, moving] = Spline(known.astype(np.float64), flat[:, moving]).at(frames)
    return between.reshape(len(frames), *values.shape[1:])


def neighbours(frames: Iterable[int] | IntArray, count: int) -> IntArray:
    """The frames right before and after the runs of some frames, of a number of frames in all."""
    inside = np.asarray(frames, dtype=np.int64)
    outside = np.setdiff1d(np.concatenate([inside - 1, inside + 1]), inside)
    return outside[(outside >= 0) & (outside < count)]


def are_met(met: BoolArray, known: IntArray, frames: IntArray) -> BoolArray:
    """(frames,) where both known neighbours are met."""
    after = np.clip(np.searchsorted(known, frames), min(1, len(known) - 1), len(known) - 1)
    return np.asarray(met[known[np.maximum(after - 1, 0)]] & met[known[after]])

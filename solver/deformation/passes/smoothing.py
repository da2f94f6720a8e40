# SPDX-License-Identifier: GPL-3.0-or-later
"""Smoothing: the displacement is filtered where it exceeds the acceleration baseline, and the constraints are enforced
again."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from ...core.arrays import BoolArray, dilated, runs
from ...core.progress import Stage
from ..frame_tasks import FrameTasks
from ..progress import Progress
from ..smoothing_filter import smoothed
from ..workspace import Workspace

SMOOTHING_RADIUS = 0.06
"""Seconds, to either side, over which a displacement is smoothed."""

TOLERANCE = 0.6
"""The share by which a joint may exceed its acceleration baseline. The baseline leaves out the roughest frames of the
source, which exceed it by about half: so the result stays within 1.1 times these. Filtering with a smaller tolerance
only moves noise from joint to joint."""

NEIGHBOURHOOD = 2
"""Frames beside those that have changed whose accelerations have changed with them."""


def smooth_displacement(
    frame_tasks: FrameTasks, work: Workspace, changed: BoolArray, movable: BoolArray
) -> Generator[Progress, None, BoolArray]:
    """Filter the displacement and correct the frames, until the acceleration baseline is not exceeded near the frames
    that have `changed` (frames,), or until `DeformSettings.smoothing_passes` are done.

    `movable` (frames, joints) marks the joints that may be displaced. Returns (frames,) those that were filtered.
    """
    source = work.source.clip.motion
    active = movable.any(axis=1)
    filtered = np.zeros(len(active), dtype=bool)
    radius = work.source.frames_in(SMOOTHING_RADIUS)
    near = dilated(changed, NEIGHBOURHOOD) & active
    for _ in range(work.settings.smoothing_passes):
        rough = np.zeros_like(movable)
        for first, last in runs(near):
            rough[first : last + 1] = work.baseline.exceeded(work.motion, slice(first, last + 1), TOLERANCE)
        if not rough.any():
            break
        smooth = smoothed(source, work.motion, rough, radius, frozen=~active)
        smooth.rotations[~movable] = source.rotations[~movable]
        smooth.translations[~movable] = source.translations[~movable]
        frames = np.flatnonzero(
            (smooth.rotations != work.motion.rotations).any(axis=(1, 2))
            | (smooth.translations != work.motion.translations).any(axis=(1, 2))
        )
        filtered[frames] = True
        work.motion = smooth
        work.write_reference(frames, work.at(frames))
        yield from work.correct_or_solve(frame_tasks, frames, Stage.SMOOTHING)
    return filtered

# SPDX-License-Identifier: GPL-3.0-or-later
"""Filtering the displacement where it adds frequencies that the source lacks, and enforcing the constraints again."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from ...core.arrays import BoolArray, runs
from ..displacement_filter import smoothed
from ..frame_tasks import Enforcement
from ..workspace import Progress, Workspace

REACH = 0.06
"""Seconds, to either side, over which a displacement is smoothed."""

TOLERANCE = 0.6
"""How much more than the source usually does a joint may accelerate. What is usual leaves out the roughest frames,
which do about half as much again: so the result stays within 1.1 times these. Filtering less only moves noise about."""

NEIGHBOURHOOD = 2
"""Frames beside those that have changed whose accelerations have changed with them."""


def smoothing(
    enforcement: Enforcement, work: Workspace, changed: BoolArray, movable: BoolArray
) -> Generator[Progress, None, BoolArray]:
    """Filter and enforce until nothing is spoilt near the frames that have `changed` (frames,), or passes run out.

    `movable` (frames, joints) says who may be displaced when. Returns (frames,) those that were touched.
    """
    source = work.source.clip.motion
    active = movable.any(axis=1)
    touched = np.zeros(len(active), dtype=bool)
    radius = work.source.frames_in(REACH)
    near = _dilated(changed, NEIGHBOURHOOD) & active
    for _ in range(work.settings.smoothing_passes):
        rough = np.zeros_like(movable)
        for first, last in runs(near):
            rough[first : last + 1] = work.liveliness.spoilt(work.motion, slice(first, last + 1), TOLERANCE)
        if not rough.any():
            break
        smooth = smoothed(source, work.motion, rough, radius, frozen=~active)
        smooth.rotations[~movable] = source.rotations[~movable]
        smooth.translations[~movable] = source.translations[~movable]
        frames = np.flatnonzero(
            (smooth.rotations != work.motion.rotations).any(axis=(1, 2))
            | (smooth.translations != work.motion.translations).any(axis=(1, 2))
        )
        touched[frames] = True
        work.motion = smooth
        work.refer(frames, work.at(frames))
        yield from work.polish_or_solve(enforcement, frames, "smoothing")
    return touched


def _dilated(mask: BoolArray, reach: int) -> BoolArray:
    """True also within a number of frames of true values."""
    counts = np.concatenate([[0], np.cumsum(mask)])
    positions = np.arange(len(mask))
    return np.asarray(counts[np.minimum(positions + reach + 1, len(mask))] > counts[np.maximum(positions - reach, 0)])

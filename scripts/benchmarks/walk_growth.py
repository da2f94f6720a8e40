# SPDX-License-Identifier: GPL-3.0-or-later
"""How the time to enforce a walk grows with its length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from poise import solver

from .figures import Figure
from .planted_walk import PlantedWalk, made_up_walk
from .timing import Job, take_turns

LENGTHS = (100, 1000, 10_000)
ROUNDS = 2
LARGEST_GROWTH = 1.3
"""Largest ratio of the time for one frame in the longest clip to that in the second longest: 1 is linear growth."""

SMALLEST_JOB = 2000
"""Smallest number of frames in a round: a short clip is repeated, so that its time is not too short to measure."""


def walk_growth(
    lengths: Sequence[int] = LENGTHS, rounds: int = ROUNDS, smallest_job: int = SMALLEST_JOB
) -> Iterator[Figure]:
    """Time for one frame of an enforced walk, by the length of the clip: plants, balance, posture."""
    walks = {length: made_up_walk(length) for length in lengths}
    jobs: dict[str, Job] = {growth_name(length): _deforming(walk, smallest_job) for length, walk in walks.items()}
    timings = take_turns(jobs, rounds)
    for length, walk in walks.items():
        note = f"{walk.name}, {walk.clip.frames} frames, {len(walk.plants)} plants"
        yield Figure(growth_name(length), 1e3 * timings.fastest(growth_name(length)), "ms / frame", note=note)
    for shorter, longer in pairwise(lengths):
        grown = timings.fastest(growth_name(longer)) / timings.fastest(growth_name(shorter))
        bound = LARGEST_GROWTH if longer == lengths[-1] else None
        yield Figure(f"time for a frame: {longer} frames : {shorter} frames", grown, "ratio", bound)


def growth_name(length: int) -> str:
    """The figure's name for a clip length."""
    return f"enforced walk of {length} frames"


def _deforming(walk: PlantedWalk, smallest_job: int) -> Job:
    times = -(-smallest_job // walk.clip.frames)

    def deform() -> int:
        for _ in range(times):
            solver.deform(walk.clip, walk.constraints)
        return times * walk.clip.frames

    return deform

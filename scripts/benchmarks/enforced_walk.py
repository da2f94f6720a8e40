# SPDX-License-Identifier: GPL-3.0-or-later
"""All plants of a walk enforced, with balance and pose attraction: Poise in batch, frame by frame, and its peers."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from poise import solver

from . import peers
from .figures import Figure
from .planted_walk import AccelerationRatios, PlantedWalk, WalkTargets, planted_walk
from .timing import Job, take_turns

ROUNDS = 5
LARGEST_SHARE = {"pink": 0.1, "placo": 1.0 / 6.0}
"""Largest ratio of Poise's time in batch to a peer's time."""
LARGEST_POPPING = 1.3

BATCH = "enforced walk: Poise, batch"
SEQUENTIAL = "enforced walk: Poise, sequential"


@dataclass(frozen=True)
class Standard:
    """When the iterations of a peer's frame stop."""

    to_rest: bool
    name: str


HOLD = Standard(False, "feet hold")
REST = Standard(True, "at rest")


def enforced_walk(
    walk: PlantedWalk | None = None,
    peer_names: Sequence[str] = peers.WALKING,
    rounds: int = ROUNDS,
) -> Iterator[Figure]:
    """A whole walk: every plant, balance and posture, against the same tasks frame by frame in other libraries.

    Poise compiles the constraints, blends their boundaries, solves, and smooths. The peers have tasks but no
    constraints over time: Poise compiles these for them (see `peers.Walker`), which counts as their time too. Each peer
    runs with the feet as equality constraints and as the tasks with the largest weight. The bounds are for the faster
    of the two, with frames that end as soon as the feet hold; the time until convergence is a figure too.
    """
    walk = walk or planted_walk()
    targets = WalkTargets.of(walk)
    results: dict[str, solver.Motion] = {}

    def deform() -> int:
        results[BATCH] = solver.deform(walk.clip, walk.constraints).clip.motion
        return 1

    jobs: dict[str, Job] = {BATCH: deform}
    walkers: dict[str, peers.Walker] = {}
    for name in peer_names:
        for standard in (HOLD, REST):
            for constrained in (True, False):
                job_name = walker_name(name, constrained, standard)
                walkers[job_name] = peers.open_walker(name, targets, constrained, standard.to_rest)
                jobs[job_name] = _walking(walk, walkers[job_name])
    timings = take_turns(jobs, rounds)
    seconds, results[SEQUENTIAL] = _sequential(walk)

    about = f"{walk.name}, {walk.clip.frames} frames, {len(walk.clip.skeleton)} joints, {len(walk.plants)} plants"
    yield Figure(BATCH, 1e3 * timings.median(BATCH), "ms", note=about)
    yield Figure(SEQUENTIAL, 1e3 * seconds, "ms", note="one run")
    yield Figure("enforced walk: batch : sequential", timings.median(BATCH) / seconds, "ratio")
    for name, walker in walkers.items():
        each = walker.iterations / walker.targets.frames
        yield Figure(name, 1e3 * timings.median(name), "ms", note=f"{walker.version}, {each:.1f} iterations a frame")
    for peer in peer_names:
        for standard in (HOLD, REST):
            variants = [walker_name(peer, constrained, standard) for constrained in (True, False)]
            fastest = min(variants, key=timings.median)
            share = timings.ratio(BATCH, fastest)
            bound = LARGEST_SHARE[peer] if standard is HOLD else None
            yield Figure(f"{BATCH} : {peer}, {standard.name}", share, "ratio", bound, note=fastest)

    results |= {name: walker.motion for name, walker in walkers.items()}
    misses = {name: targets.largest_miss(motion) for name, motion in results.items()}
    smallest = min((misses[name] for name, walker in walkers.items() if not walker.to_rest), default=None)
    for name, miss in misses.items():
        note = "bound: the smallest of the peers, until their feet hold" if name == BATCH else ""
        yield Figure(f"{name}: planted points miss", miss, "sizes", smallest if name == BATCH else None, note=note)
    for name, motion in results.items():
        popping, bound = AccelerationRatios.of(walk, motion), LARGEST_POPPING if name == BATCH else None
        if name == BATCH:
            yield Figure(f"{name}: largest acceleration : source", popping.whole, "ratio", bound)
        yield Figure(f"{name}: any joint's acceleration : source", popping.joint, "ratio", bound)


def walker_name(peer: str, feet_are_constraints: bool, standard: Standard) -> str:
    """The figure's name for a peer."""
    feet = "feet as constraints" if feet_are_constraints else "weighted"
    return f"enforced walk: {peer}, {feet}, {standard.name}"


def _walking(walk: PlantedWalk, walker: peers.Walker) -> Job:
    def compile_and_walk() -> int:
        WalkTargets.of(walk)
        walker.walk()
        return 1

    return compile_and_walk


def _sequential(walk: PlantedWalk) -> tuple[float, solver.Motion]:
    """Seconds and result of one run that solves each frame from the last result, as in Le Callennec 2006."""
    begin = time.perf_counter()
    deformed = solver.deform(walk.clip, walk.constraints, settings=solver.DeformSettings(coherence="sequential"))
    return time.perf_counter() - begin, deformed.clip.motion

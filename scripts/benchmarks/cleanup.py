# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that slide, cleaned by each of the three methods: how fast, as a clip and as a stream, and how well."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import get_args

from poise import solver
from poise.examples.edits import plant
from poise.solver import synthetic

from .figures import Figure
from .planted_walk import SKATE, PlantedWalk
from .timing import Job

RATE, SPARSE = 120.0, 30.0
"""Frames a second of captures and of films. At the lower rate there are more plants for each frame."""
STEPS, SPARSE_STEPS, STREAMED = 60, 240, 8
"""Steps of the walks that are cleaned as clips, and of the walk that is cleaned as a stream and evaluated."""
ROUNDS = 5
LEAST_BATCH, LEAST_STREAM = 20_000.0, 1_000.0
"""Smallest frames a second of clips and of streams, two legs, on one core."""
LARGEST_SLIDE = 1e-4
"""Largest path of a planted point during a plant, in sizes of the character: a millionth in each frame."""
LARGEST_KNEE = 1.5
"""Largest angular acceleration of a knee over that of the source."""

STREAMS: dict[str, type[solver.CleanStream] | type[solver.RigidStream]] = {
    "stretch": solver.CleanStream,
    "rigid": solver.RigidStream,
}


def cleanup(
    whole: PlantedWalk | None = None,
    sparse: PlantedWalk | None = None,
    short: PlantedWalk | None = None,
    rounds: int = ROUNDS,
) -> Iterator[Figure]:
    """Cleanup of a walk whose feet slide, by the methods stretch, rigid and prioritized."""
    whole, short = whole or skating_walk(STEPS), short or skating_walk(STREAMED)
    sparse = sparse or skating_walk(SPARSE_STEPS, SPARSE)
    jobs: dict[str, Job] = {batch_name(method): _batch(whole, method) for method in STREAMS}
    jobs |= {sparse_name(method): _batch(sparse, method) for method in STREAMS}
    jobs |= {stream_name(method): _stream(short, method) for method in STREAMS}
    speeds = _speeds(jobs, rounds)
    about = f"{whole.name}, {whole.clip.frames} frames, {len(whole.plants)} plants, two legs"
    for method in STREAMS:
        yield Figure(batch_name(method), speeds[batch_name(method)], "frames/s", LEAST_BATCH, "at least", about)
    about = f"{sparse.name}, {sparse.clip.frames} frames, {len(sparse.plants)} plants, two legs"
    for method in STREAMS:
        yield Figure(sparse_name(method), speeds[sparse_name(method)], "frames/s", LEAST_BATCH, "at least", about)
    about = f"{short.name}, {short.clip.frames} frames"
    for method in STREAMS:
        yield Figure(stream_name(method), speeds[stream_name(method)], "frames/s", LEAST_STREAM, "at least", about)

    before = solver.foot_metrics(short.clip, short.plants)
    yield from _judged("source", before, bounds=False)
    for method in get_args(solver.CleanMethod):
        clip = solver.clean(short.clip, short.plants, method)
        after = solver.foot_metrics(clip, short.plants, source=short.clip)
        yield from _judged(method, after, bounds=True)


def _speeds(jobs: Mapping[str, Job], rounds: int) -> dict[str, float]:
    """Frames for a second of the processor's time, each job in its best round.

    What is promised is for one core, so what else the machine does must not count.
    """
    best = dict.fromkeys(jobs, 0.0)
    for _ in range(rounds):
        for name, job in jobs.items():
            begin = time.process_time()
            frames = job()
            best[name] = max(best[name], frames / (time.process_time() - begin))
    return best


def skating_walk(steps: int, rate: float = RATE) -> PlantedWalk:
    """A made-up walk whose feet slide, with its plants."""
    walk = synthetic.walk(steps=steps, fps=rate, skate=SKATE)
    plants = tuple(plant(contact) for contact in walk.contacts)
    return PlantedWalk(walk.clip, plants, f"synthetic walk, {rate:g} frames/s")


def batch_name(method: str) -> str:
    """The figure's name for a cleaned clip."""
    return f"cleanup: {method}, a clip"


def sparse_name(method: str) -> str:
    """The figure's name for a cleaned clip of few frames a second."""
    return f"cleanup: {method}, a clip of {SPARSE:g} frames/s"


def stream_name(method: str) -> str:
    """The figure's name for a cleaned stream."""
    return f"cleanup: {method}, a stream"


def _batch(walk: PlantedWalk, method: str) -> Job:
    def clean() -> int:
        solver.clean(walk.clip, walk.plants, method)  # type: ignore[arg-type]
        return walk.clip.frames

    return clean


def _stream(walk: PlantedWalk, method: str) -> Job:
    limbs = solver.limbs_of(walk.clip.skeleton, walk.clip.motion, ["left leg", "right leg"])
    plants = solver.planted_points(walk.clip, walk.plants, limbs)
    poses = [walk.clip.pose(frame) for frame in range(walk.clip.frames)]

    def clean() -> int:
        stream = STREAMS[method](walk.clip.skeleton, walk.clip.fps, limbs=limbs)
        stream.announce(*plants)
        for pose in poses:
            stream.push(pose)
        return walk.clip.frames - stream.delay + sum(1 for _ in stream.finish())

    return clean


def _judged(name: str, metrics: solver.FootMetrics, bounds: bool) -> Iterator[Figure]:
    slide, knee = (LARGEST_SLIDE, LARGEST_KNEE) if bounds else (None, None)
    yield Figure(f"cleanup: {name}: largest slide of a plant", metrics.largest_slide, "sizes", slide)
    yield Figure(f"cleanup: {name}: 95th percentile of plant speed", metrics.speed, "sizes/s")
    yield Figure(
        f"cleanup: {name}: skating ratio", metrics.skating_ratio, "share", note="of the frames with planted balls"
    )
    yield Figure(f"cleanup: {name}: knee's acceleration : source", metrics.knee_ratio, "ratio", knee)
    yield Figure(f"cleanup: {name}: largest stretch of a bone", metrics.stretch, "share")

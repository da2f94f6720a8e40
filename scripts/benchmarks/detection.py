# SPDX-License-Identifier: GPL-3.0-or-later
"""Time to detect the constraints of a motion, beside simple detectors, and its growth with the clip's length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from poise import solver
from poise.solver.core.arrays import Array

from . import detection_workload as workload
from .figures import Figure
from .planted_walk import PlantedWalk, made_up_walk, planted_walk
from .timing import Job, take_turns

FRAMES = 400
ROUNDS = 40
"""The fastest round counts: it is disturbed least by other processes."""
LONGEST = 10.0
"""Largest milliseconds for one body part in all, so that results follow a dragged threshold at once."""

REAL_TIME = 0.5
"""Largest share of the time that a motion lasts in which its plants are found while it comes in."""

FOOT = "a foot, all kinds"
TUMBLING = "an object that rests and turns, all kinds"
SLIDING = "a point that slides"
PLANTS = "footplants, no examples"
STREAM = "footplants, frame by frame"
VOTED_SPEED = "baseline: speed, by votes"
SQUARED = "baseline: squared displacement"

LENGTHS = (2000, 20_000)
GROWTH_ROUNDS = 2
LONGEST_CLIP = 10.0
"""Largest seconds for the longest clip."""
LARGEST_GROWTH = 1.3
"""Largest ratio of the time for one frame in the longer clip to that in the shorter one: 1 is linear growth."""

SMALLEST_JOB = 6000
"""Smallest number of frames in a round: a short clip is repeated, so that its time is not too short to measure."""

EVERY_JOINT = "every joint, where it stays"

LEAST_F1 = 0.9


def detection(walk: PlantedWalk | None = None, frames: int = FRAMES, rounds: int = ROUNDS) -> Iterator[Figure]:
    """Detection of the constraints of one body part, from the clip to the list."""
    walk = walk or planted_walk()
    foot = workload.foot(walk, frames)
    tumbling, sliding = workload.tumbling(foot.clip), workload.sliding(foot.clip)
    found: dict[str, int] = {}

    def job(name: str, find: Callable[[], Sequence[object]]) -> Job:
        def run() -> int:
            found[name] = len(find())
            return 1

        return run

    jobs = {
        FOOT: job(FOOT, lambda: solver.detect(foot.fresh(), foot.body, foot.templates)),
        TUMBLING: job(TUMBLING, lambda: solver.detect(tumbling.clip, tumbling.body, tumbling.templates)),
        SLIDING: job(SLIDING, lambda: solver.detect_sliding(sliding.clip, sliding.body)),
        PLANTS: job(PLANTS, lambda: solver.detect_footplants(foot.fresh())),
        VOTED_SPEED: job(VOTED_SPEED, lambda: solver.detect_by_speed_and_height(foot.fresh(), foot.body)),
        SQUARED: job(SQUARED, lambda: solver.detect_by_squared_displacement(foot.fresh(), foot.body)),
    }
    timings = take_turns(jobs, rounds)
    for name in jobs:
        bound = LONGEST if name in (FOOT, TUMBLING, SLIDING) else None
        about = walk.name if name in (FOOT, PLANTS, VOTED_SPEED, SQUARED) else "made up, with noise"
        note = f"{about}, {frames} frames, {found[name]} found"
        yield Figure(f"detect: {name}", 1e3 * timings.fastest(name), "ms", bound, note=note)
    for baseline in (VOTED_SPEED, SQUARED):
        yield Figure(f"detect: {FOOT} : {baseline}", timings.ratio(FOOT, baseline), "ratio")
    played, streamed = foot.clip.frames / foot.clip.fps, job(STREAM, lambda: _streamed(foot.fresh()))
    share = take_turns({STREAM: streamed}, 1 + rounds // 20).fastest(STREAM) / played
    yield Figure(f"detect: {STREAM}", share, "of real time", REAL_TIME, note=f"{walk.name}, {frames} frames")
    yield from _agreement(walk)


def _agreement(walk: PlantedWalk) -> Iterator[Figure]:
    """Precision of detected plants where the true ones are known."""
    clip, marks = walk.clip, walk.clip.skeleton.landmarks
    points = [
        (foot, part, getattr(marks, f"{foot}_{mark}"))
        for foot in ("left", "right")
        for part, mark in (("heel", "heel"), ("toe", "ball"))
    ]
    truth = _held(
        clip.frames,
        [[plant.stays.get(part) for plant in walk.plants if plant.foot == foot] for foot, part, _ in points],
    )
    plants = solver.detect_footplants(clip)
    ours = _held(
        clip.frames, [[plant.stays.get(part) for plant in plants if plant.foot == foot] for foot, part, _ in points]
    )
    yield Figure(f"detect: F1 of {PLANTS}", _f1(ours, truth), "share", LEAST_F1, "at least", walk.name)
    streamed = _streamed(clip)
    live = _held(
        clip.frames,
        [
            [
                (plant.begin, plant.end)
                for plant in streamed
                if (plant.foot, plant.part) == (foot, "heel" if part == "heel" else "ball") and plant.end is not None
            ]
            for foot, part, _ in points
        ],
    )
    yield Figure(f"detect: F1 of {STREAM}", _f1(live, truth), "share", LEAST_F1, "at least", walk.name)
    for name, detector in (
        (VOTED_SPEED, solver.detect_by_speed_and_height),
        (SQUARED, solver.detect_by_squared_displacement),
    ):
        theirs = _held(
            clip.frames, [[(each.begin, each.end) for each in detector(clip, point)] for *_, point in points]
        )
        yield Figure(f"detect: F1 of {name}", _f1(theirs, truth), "share", note=f"{walk.name}, in sizes")


def _streamed(clip: solver.Clip) -> list[solver.StreamedPlant]:
    """The plants that a stream of a clip's frames finds."""
    stream = solver.FootplantStream(clip.skeleton, clip.fps)
    found = [plant for frame in range(clip.frames) for plant in stream.push(clip.pose(frame))]
    return found + stream.finish()


def _held(frames: int, spans: Sequence[Sequence[tuple[float, float] | None]]) -> Array:
    """(points, frames) 1.0 from the begin to the end of every span of each point."""
    flags = np.zeros((len(spans), frames))
    for row, of_point in zip(flags, spans, strict=True):
        for span in of_point:
            if span is not None:
                row[int(span[0]) : int(span[1]) + 1] = 1.0
    return flags


def _f1(found: Array, truth: Array) -> float:
    return 2.0 * float((found * truth).sum()) / max(float(found.sum() + truth.sum()), 1.0)


def detection_growth(
    lengths: Sequence[int] = LENGTHS, rounds: int = GROWTH_ROUNDS, smallest_job: int = SMALLEST_JOB
) -> Iterator[Figure]:
    """Time for one frame of detection, by the length of the clip."""
    walks = {length: made_up_walk(length) for length in lengths}
    jobs: dict[str, Job] = {}
    for length, walk in walks.items():
        foot = workload.foot(walk, walk.clip.frames)
        for what, find in _findings(foot, workload.sliding(walk.clip)).items():
            jobs[growth_name(what, length)] = _repeated(find, walk.clip.frames, smallest_job)
    timings = take_turns(jobs, rounds)
    shortest, longest = lengths[0], lengths[-1]
    for what in (PLANTS, FOOT, EVERY_JOINT, SLIDING):
        for length, walk in walks.items():
            seconds = timings.fastest(growth_name(what, length)) * walk.clip.frames
            note = f"{walk.name}, {walk.clip.frames} frames, {len(walk.clip.skeleton)} joints"
            yield Figure(
                growth_name(what, length), seconds, "s", LONGEST_CLIP if length == longest else None, note=note
            )
        grown = timings.fastest(growth_name(what, longest)) / timings.fastest(growth_name(what, shortest))
        yield Figure(f"time for a frame, {what}: {longest} : {shortest} frames", grown, "ratio", LARGEST_GROWTH)


def growth_name(what: str, length: int) -> str:
    """The figure's name for a job."""
    return f"detect: {what}, {length} frames"


def _findings(foot: workload.DetectionWorkload, sliding: workload.DetectionWorkload) -> dict[str, Callable[[], object]]:
    return {
        PLANTS: lambda: solver.detect_footplants(foot.fresh()),
        FOOT: lambda: solver.detect(foot.fresh(), foot.body, foot.templates),
        EVERY_JOINT: lambda: _every_joint(foot),
        SLIDING: lambda: solver.detect_sliding(sliding.clip, sliding.body),
    }


def _every_joint(foot: workload.DetectionWorkload) -> None:
    clip = foot.fresh()
    for joint in clip.skeleton.names:
        solver.detect(clip, joint, foot.templates[:1])


def _repeated(find: Callable[[], object], frames: int, smallest_job: int) -> Job:
    times = -(-smallest_job // frames)

    def run() -> int:
        for _ in range(times):
            find()
        return times * frames

    return run

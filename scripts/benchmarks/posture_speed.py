# SPDX-License-Identifier: GPL-3.0-or-later
"""Time for one iteration of one posture: Poise in batches, and the same work in its peers, in the same run."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from poise import solver

from . import peers
from .character import Character, walking
from .figures import Figure
from .timing import Job, take_turns
from .workload import Workload, reach

BATCHES = (1, 50, 1000)
LARGEST_SHARE_OF_PLACO = 0.5
LARGEST_SHARE_OF_PINK = 0.1
LARGEST_ALONE = 1.5
"""Largest ratio of the time of an iteration of a single posture to the faster variant of placo."""
LONGEST_TO_REST = 10.0
"""Largest milliseconds until a single posture is at rest, in the median."""

ITERATIONS = 20
ROUNDS = 7
PEER_FRAMES = 20
"""Number of postures that each peer solves in a round, one after the other."""

SMALLEST_JOB = 5
"""Smallest number of postures in a round, so that its time is not too short to measure."""


def posture_speed(
    character: Character | None = None,
    batches: Sequence[int] = BATCHES,
    peer_names: Sequence[str] = peers.NAMES,
    iterations: int = ITERATIONS,
    rounds: int = ROUNDS,
    peer_frames: int = PEER_FRAMES,
) -> Iterator[Figure]:
    """Time per posture and iteration: both feet, centre of mass, a hand within reach, posture."""
    character = character or walking()
    clip = character.clip
    jobs: dict[str, Job] = {poise_name(batch): poise_job(reach(clip, batch), iterations) for batch in batches}
    versions: dict[str, str] = {}
    for name in peer_names:
        for constrained in (False, True):
            peer = peers.open_peer(name, reach(clip, peer_frames), constrained)
            job_name = peer_job_name(name, constrained)
            jobs[job_name], versions[job_name] = peer_job(peer, iterations), peer.version
    timings = take_turns(jobs, rounds)

    dofs = clip.skeleton.dofs.count
    for name in jobs:
        note = versions.get(name, f"{character.name}, {dofs} degrees of freedom, NumPy {np.__version__}")
        yield Figure(name, 1e3 * timings.median(name), "ms / posture / iteration", note=note)
    largest = poise_name(max(batches))
    for name in versions:
        yield Figure(f"{largest} : {name}", timings.ratio(largest, name), "ratio", bound_beside(name))
    alone, placo = poise_name(1), [name for name in versions if name.startswith("placo")]
    if placo and alone in jobs:
        fastest = min(placo, key=timings.median)
        yield Figure(f"{alone} : placo", timings.ratio(alone, fastest), "ratio", LARGEST_ALONE, note=fastest)
    waits = _to_rest(reach(clip, peer_frames))
    about = f"{peer_frames} postures, one after the other"
    yield Figure("Poise, one posture to rest: median", float(np.median(waits)), "ms", LONGEST_TO_REST, note=about)
    yield Figure("Poise, one posture to rest: longest", max(waits), "ms")


def _to_rest(workload: Workload) -> list[float]:
    """Milliseconds until each posture of the workload is at rest, solved alone."""
    waits = []
    for frame in range(workload.frames):
        work = workload.at(np.array([frame]))
        tasks = work.tasks()
        begin = time.perf_counter()
        solver.solve_postures(work.skeleton, work.start, tasks)
        waits.append(1e3 * (time.perf_counter() - begin))
    return waits


def bound_beside(job_name: str) -> float | None:
    """The largest share of this peer's time that Poise may need in its largest batch."""
    if job_name == peer_job_name("pink", True):
        return LARGEST_SHARE_OF_PINK
    if job_name in (peer_job_name("placo", False), peer_job_name("placo", True)):
        return LARGEST_SHARE_OF_PLACO
    return None


def poise_name(batch: int) -> str:
    """The figure's name for a batch."""
    return f"Poise, batch of {batch}"


def peer_job_name(name: str, feet_are_constraints: bool) -> str:
    """The figure's name for a peer."""
    return f"{name}, {'feet as constraints' if feet_are_constraints else 'weighted'}"


def poise_job(workload: Workload, iterations: int) -> Job:
    """Solve the whole workload at once, a small one several times."""
    settings = solver.SolveSettings(iterations=iterations)
    tasks = workload.tasks()
    times = -(-SMALLEST_JOB // workload.frames)

    def solve() -> int:
        done = 0
        for _ in range(times):
            solved = solver.solve_postures(workload.skeleton, workload.start, tasks, settings)
            done += int(solved.iterations.sum())
        return done

    return solve


def peer_job(peer: peers.Peer, iterations: int) -> Job:
    """Solve the workload's postures one after the other."""

    def solve() -> int:
        for frame in range(peer.workload.frames):
            peer.solve(frame, iterations)
        return peer.workload.frames * iterations

    return solve

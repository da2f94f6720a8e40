# SPDX-License-Identifier: GPL-3.0-or-later
"""Time for one iteration of one posture: Poise in batches, and the same work in its peers, in the same run."""

from __future__ import annotations

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

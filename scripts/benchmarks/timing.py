# SPDX-License-Identifier: GPL-3.0-or-later
"""Timing on a busy machine: the jobs take turns, and what counts is the median over the rounds.

A neighbour that slows one round down slows all jobs of that round: ratios are taken within rounds.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Job = Callable[[], int]
"""Does some work and returns how many units of work that was: postures times iterations, files, …"""


@dataclass(frozen=True, eq=False)
class Timings:
    """Seconds for one unit of each job's work, round by round."""

    rounds: Mapping[str, NDArray[np.float64]]

    def median(self, job: str) -> float:
        """Seconds for one unit of a job's work."""
        return float(np.median(self.rounds[job]))

    def fastest(self, job: str) -> float:
        """Seconds for one unit in the fastest round, which is disturbed least by other processes: for smooth curves."""
        return float(self.rounds[job].min())

    def ratio(self, job: str, other: str) -> float:
        """How many times as long one unit of a job takes as one of another."""
        return float(np.median(self.rounds[job] / self.rounds[other]))


def take_turns(jobs: Mapping[str, Job], rounds: int) -> Timings:
    """Run every job once in each round, after a round that does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    collecting = gc.isenabled()
    gc.disable()
    try:
        for counted in [False] + [True] * rounds:
            for name, job in jobs.items():
                begin = time.perf_counter()
                units = job()
                taken = time.perf_counter() - begin
                if counted:
                    seconds[name].append(taken / units)
            gc.collect()
    finally:
        if collecting:
            gc.enable()
    return Timings({name: np.array(values) for name, values in seconds.items()})

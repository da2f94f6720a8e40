# SPDX-License-Identifier: GPL-3.0-or-later
"""Time until ordinary postures converge, including the pose attraction at the lowest priority."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from poise import solver

from .character import Character, walking
from .figures import Figure
from .workload import reach

POSTURES = 344
"""As many as the captured walk has frames."""


def coming_to_rest(character: Character | None = None, postures: int = POSTURES) -> Iterator[Figure]:
    """Solving to rest with the default settings: both feet, centre of mass, a hand within reach, posture."""
    character = character or walking()
    work = reach(character.clip, postures)
    settings = solver.SolveSettings()
    begin = time.perf_counter()
    solved = solver.solve_postures(work.skeleton, work.start, work.tasks(), settings)
    seconds = time.perf_counter() - begin
    about = f"{character.name}, {postures} postures, at most {settings.iterations} iterations"
    yield Figure("postures at rest", 100.0 * float(solved.converged.mean()), "%", note=about)
    yield Figure("iterations to rest: mean", float(solved.iterations.mean()), "iterations")
    yield Figure("iterations to rest: 95th percentile", float(np.percentile(solved.iterations, 95.0)), "iterations")
    yield Figure("time to rest", 1e3 * seconds / postures, "ms / posture")

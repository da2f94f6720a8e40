# SPDX-License-Identifier: GPL-3.0-or-later
"""Time to solve a walk again after one of its plants was moved."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from poise import solver
from poise.solver.core.arrays import Array

from .figures import Figure
from .planted_walk import PlantedWalk, planted_walk

MOVES = 50
RUNS = 2
"""Rounds of each move, in processor time; the fastest counts, which is disturbed least by other processes."""
FARTHEST = 0.03
"""Sizes of the character by which a plant is moved at most, horizontally."""
LARGEST_TURN = 0.1
"""Radians by which it is turned at most."""
LARGEST_WAIT = 50.0
"""Largest milliseconds of 95 % of the moves, so that the result follows a dragged handle at once."""

SEED = 20


def solving_again(walk: PlantedWalk | None = None, moves: int = MOVES, runs: int = RUNS) -> Iterator[Figure]:
    """One random plant of an enforced walk is moved and turned, and the walk is solved again."""
    walk = walk or planted_walk()
    rng = np.random.default_rng(SEED)
    base = solver.deform(walk.clip, walk.constraints)
    balance = base.constraints[len(walk.plants) :]
    waits, solved, misses = [], [], []
    for _ in range(moves):
        chosen = int(rng.integers(len(walk.plants)))
        shift, turn = _shift(rng, walk.clip.skeleton), float(rng.uniform(-LARGEST_TURN, LARGEST_TURN))
        taken = []
        for _ in range(runs):
            plants = list(walk.plants)
            plants[chosen] = plants[chosen].moved(shift).turned(turn)  # a new object: nothing is cached
            begin = time.process_time()
            again = base.again([*plants, *balance])
            taken.append(time.process_time() - begin)
        waits.append(1e3 * min(taken))
        solved.append(int(again.solved.sum()))
        misses.append(max(again.report.residual(plant).worst for plant in plants))
    about = f"{walk.name}, {walk.clip.frames} frames, {moves} moves"
    late = float(np.percentile(waits, 95.0))
    yield Figure("one plant moved: 95th percentile", late, "ms", LARGEST_WAIT, note=about)
    yield Figure("one plant moved: median", float(np.median(waits)), "ms")
    yield Figure("one plant moved: longest", max(waits), "ms")
    yield Figure("one plant moved: frames solved, median", float(np.median(solved)), "frames")
    yield Figure("one plant moved: frames solved, most", float(max(solved)), "frames")
    yield Figure("one plant moved: largest miss of a plant", max(misses), "sizes")


def _shift(rng: np.random.Generator, skeleton: solver.Skeleton) -> Array:
    """(3,) a horizontal move, evenly spread over directions and distances."""
    angle, distance = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.0, FARTHEST) * skeleton.size
    first, second = ("xyz".index(axis) for axis in skeleton.horizontal_axes)
    shift = np.zeros(3)
    shift[first], shift[second] = distance * np.cos(angle), distance * np.sin(angle)
    return shift

# SPDX-License-Identifier: GPL-3.0-or-later
"""Le Callennec 2006, figure 3.7: ball joints (exponential map) against triples of hinges (Euler angles)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Picture

from poise import solver
from poise.solver import synthetic
from poise.solver.core.arrays import Array

from . import pictures
from .chain import Chain, octants
from .figures import Figure
from .timing import Job, take_turns

JOINTS = (2, 4, 8, 12, 16, 20)
"""Ball joints of the chains, which all are one metre long; three times as many hinges stand in for them."""

COPIES = 32
"""How often the eight goals are solved at once when time is measured, so that it is not all overhead."""
TIMED_ITERATIONS = 20
ROUNDS = 5

NEVER = 1e-300
"""A tolerance that no posture meets, so that all run every iteration."""

KINDS: dict[synthetic.ChainKind, str] = {"ball": "ball joints", "hinge_triple": "three hinges each"}


def parameterization(
    joints: Sequence[int] = JOINTS, copies: int = COPIES, rounds: int = ROUNDS, folder: Path = pictures.FOLDER
) -> Iterator[Figure]:
    """Ball joints against chains of hinges (figure 3.7): eight goals averaged."""
    chains = {(kind, count): Chain.bent(count, kind) for kind in KINDS for count in joints}
    iterations = {key: _iterations(chain) for key, chain in chains.items()}
    timings = take_turns({_job_name(*key): _job(chain, copies) for key, chain in chains.items()}, rounds)
    costs = {key: 1e6 * timings.fastest(_job_name(*key)) for key in chains}
    _draw(joints, iterations, costs, folder)

    largest = max(joints)
    note = f"{3 * largest} degrees of freedom, batch of {8 * copies}"
    for kind, name in KINDS.items():
        yield Figure(f"{name}: mean iterations", iterations[kind, largest], "iterations", note=note)
        yield Figure(f"{name}: cost", costs[kind, largest], "µs / posture / iteration", note=note)
    ratio = timings.ratio(_job_name("ball", largest), _job_name("hinge_triple", largest))
    yield Figure("cost of ball joints : three hinges each", ratio, "ratio", note=note)


def _iterations(chain: Chain) -> float:
    goals = octants()
    solved = solver.solve_postures(chain.skeleton, chain.starts(len(goals)), [chain.reach_for(goals)])
    if not solved.converged.all():
        raise RuntimeError(f"A chain of {len(chain.skeleton)} joints has not reached all of the eight goals.")
    return float(solved.iterations.mean())


def _job_name(kind: synthetic.ChainKind, count: int) -> str:
    return f"{KINDS[kind]} × {count}"


def _job(chain: Chain, copies: int) -> Job:
    goals: Array = np.tile(octants(), (copies, 1))
    starts, task = chain.starts(len(goals)), chain.reach_for(goals)
    settings = solver.SolveSettings(iterations=TIMED_ITERATIONS, tolerance=NEVER)

    def solve() -> int:
        return int(solver.solve_postures(chain.skeleton, starts, [task], settings).iterations.sum())

    return solve


def _draw(
    joints: Sequence[int],
    iterations: dict[tuple[synthetic.ChainKind, int], float],
    costs: dict[tuple[synthetic.ChainKind, int], float],
    folder: Path,
) -> None:
    picture = Picture(figsize=(11.0, 4.6), layout="constrained")
    left, right = picture.subplots(1, 2)
    for axes, values, title, label in (
        (left, iterations, "Iterations to reach a goal", "iterations"),
        (right, costs, "Cost of an iteration", "µs per posture and iteration"),
    ):
        for (kind, name), color, marker in zip(KINDS.items(), (pictures.BLUE, pictures.RED), "os", strict=True):
            axes.plot(
                [3 * count for count in joints],
                [values[kind, count] for count in joints],
                color=color,
                marker=marker,
                label=name,
            )
        axes.set_title(title)
        axes.set_xlabel("degrees of freedom")
        axes.set_ylabel(label)
        axes.set_ylim(0.0, 1.25 * max(values.values()))
        axes.set_xticks([3 * count for count in joints])
        axes.grid(alpha=0.3)
        axes.legend(loc="upper left")
    picture.suptitle("Exponential map against chains of hinges: mean of eight goals (after figure 3.7)")
    pictures.save(picture, folder, "figure_3_7.png")

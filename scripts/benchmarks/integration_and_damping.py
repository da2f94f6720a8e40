# SPDX-License-Identifier: GPL-3.0-or-later
"""Le Callennec 2006, figure 3.9: iterations until convergence over integration step and damping factor.

A chain of sixty degrees of freedom reaches for a thousand targets, all at once. The figure of a pair of fixed
parameters is the mean number of iterations until the chain rests as near to its target as possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure as Picture

from poise import solver
from poise.examples import comparison_methods
from poise.solver.core.arrays import Array, BoolArray

from . import pictures
from .chain import VOXELS, Chain, cube, shortest_distances
from .figures import Figure

STEPS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0)
DAMPINGS = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.5)
SMALL_DAMPINGS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4)
"""In lengths of the chain: the singular values of its Jacobian are between 0 and about 2.5 of these."""

MOST_ITERATIONS = 200
"""Le Callennec 2006 allows a thousand. Targets that are not reached count with this number."""

AT_REST = 1e-5
"""Tolerance of convergence, in chain lengths and radians (`SolveSettings.tolerance`)."""

ARRIVED = 1e-3
"""Largest distance from the nearest reachable point, in chain lengths: farther away it has stopped too early."""


@dataclass(frozen=True, eq=False)
class Convergence:
    """How a batch of targets was reached."""

    iterations: Array
    """(targets,) those that did not arrive count with the most that were allowed."""
    arrived: BoolArray
    """(targets,)"""


def integration_and_damping(
    steps: Sequence[float] = STEPS,
    dampings: Sequence[float] = DAMPINGS,
    small_dampings: Sequence[float] = SMALL_DAMPINGS,
    voxels: int = VOXELS,
    most_iterations: int = MOST_ITERATIONS,
    folder: Path = pictures.FOLDER,
) -> Iterator[Figure]:
    """Iterations over integration step and damping factor (figure 3.9): a chain of 60 degrees of freedom."""
    targets = cube(voxels)
    reachable = shortest_distances(targets) == 0.0
    unreachable_targets = targets[~reachable]
    over_reachable, over_unreachable = _Grid(), _Grid()
    for step in steps:
        for damping in dampings:
            iterations = fixed(targets, step, damping, most_iterations).iterations
            over_reachable[step, damping] = float(iterations[reachable].mean())
            over_unreachable[step, damping] = float(iterations[~reachable].mean())
        for damping in set(small_dampings) - set(dampings):
            iterations = fixed(unreachable_targets, step, damping, most_iterations).iterations
            over_unreachable[step, damping] = float(iterations.mean())
    _draw(
        [
            (f"{reachable.sum()} reachable goals", over_reachable.table(steps, dampings), dampings),
            (f"{(~reachable).sum()} unreachable goals", over_unreachable.table(steps, dampings), dampings),
            ("unreachable goals, small damping", over_unreachable.table(steps, small_dampings), small_dampings),
        ],
        steps,
        most_iterations,
        folder,
    )
    adaptive = converge(targets, most_iterations)
    for name, some, grid in (("reachable", reachable, over_reachable), ("unreachable", ~reachable, over_unreachable)):
        arrived = f"{adaptive.arrived[some].sum()} of {some.sum()} goals, at most {most_iterations} iterations"
        mean = float(adaptive.iterations[some].mean())
        yield Figure(f"adaptive, {name}: mean iterations", mean, "iterations", note=arrived)
        step, damping = min(grid, key=grid.__getitem__)
        pair = f"integration step {step:g}, damping {damping:g} of the chain's length"
        yield Figure(f"best fixed pair, {name}: mean iterations", grid[step, damping], "iterations", note=pair)


class _Grid(dict[tuple[float, float], float]):
    """Mean iterations by integration step and damping factor."""

    def table(self, steps: Sequence[float], dampings: Sequence[float]) -> Array:
        """(dampings, steps)"""
        return np.array([[self[step, damping] for step in steps] for damping in dampings])


def fixed(targets: Array, step: float, damping: float, most_iterations: int) -> Convergence:
    """Reach for all targets with fixed parameters."""
    return converge(targets, most_iterations, comparison_methods.damped_least_squares(step, damping))


def converge(targets: Array, most_iterations: int, method: comparison_methods.Method | None = None) -> Convergence:
    """Reach for all targets (targets, 3), each from the same start, by a method; None is the solver's own."""
    chain = Chain.bent()
    settings = solver.SolveSettings(iterations=most_iterations, tolerance=AT_REST)
    starts, tasks = chain.starts(len(targets)), [chain.reach_for(targets)]
    if method is None:
        solved = solver.solve_postures(chain.skeleton, starts, tasks, settings)
    else:
        solved = comparison_methods.iterate(chain.skeleton, starts, tasks, method, settings)
    missed = np.linalg.norm(solved.errors[0], axis=1) - shortest_distances(targets)
    arrived = solved.converged & (missed < ARRIVED)
    return Convergence(np.where(arrived, solved.iterations, settings.iterations).astype(np.float64), arrived)


def _draw(
    panels: Sequence[tuple[str, Array, Sequence[float]]], steps: Sequence[float], most_iterations: int, folder: Path
) -> None:
    picture = Picture(figsize=(16.0, 5.6), layout="constrained")
    norm = LogNorm(5.0, most_iterations)
    for axes, (title, table, dampings) in zip(picture.subplots(1, len(panels)), panels, strict=True):
        image = axes.imshow(table, origin="lower", aspect="auto", cmap="turbo", norm=norm)
        axes.set_title(title)
        axes.set_xticks(range(len(steps)), [f"{step:g}" for step in steps])
        axes.set_yticks(range(len(dampings)), [f"{damping:g}" for damping in dampings])
        axes.set_xlabel("integration step")
        axes.set_ylabel("damping factor (lengths of the chain)")
        for (row, column), value in np.ndenumerate(table):
            color = "black" if 10.0 < value < 0.5 * most_iterations else "white"  # readable on the scale's two ends
            axes.text(column, row, f"{value:.0f}", ha="center", va="center", fontsize=9, color=color)
    bar = picture.colorbar(image, ax=picture.axes, pad=0.01)
    bar.set_label(f"mean iterations until at rest, as near as can be (at most {most_iterations})")
    ticks = [tick for tick in (5, 10, 20, 50, 100, 200, 500, 1000) if tick <= most_iterations]
    bar.set_ticks(ticks, labels=[str(tick) for tick in ticks])
    bar.minorticks_off()
    picture.suptitle("Integration step and damping factor: chain of 20 ball joints, 1 m (after figure 3.9)")
    pictures.save(picture, folder, "figure_3_9.png")

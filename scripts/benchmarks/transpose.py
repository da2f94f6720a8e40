# SPDX-License-Identifier: GPL-3.0-or-later
"""Le Callennec 2006, figure 3.12: the end effector's path to a goal by damped least squares and by the transpose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from poise import solver
from poise.examples import comparison_methods
from poise.solver.body.kinematics import WorldState
from poise.solver.core.arrays import Array, IntArray

from . import pictures
from .chain import Chain
from .figures import Figure

GOAL = (0.45, 0.35, 0.0)
"""Across the base from where the end starts, in the plane of the chain, so that a picture shows the whole way."""

GOAL_STEP = 0.05
"""Lengths of the chain between intermediate goals, for both methods: small ones, as in Le Callennec 2006."""

ARRIVED = 1e-5
"""Lengths of the chain from the goal at which it counts as reached, by either method."""

MOST_ITERATIONS = 1000
FEWEST_TIMES = 2.0
"""The transpose needs at least so many times the iterations of damped least squares."""

Method = Literal["priority", "transpose"]


@dataclass(frozen=True, eq=False)
class Way:
    """The path of the chain to the goal."""

    path: Array
    """(iterations + 1, 3) of its end."""
    bones: Array
    """(joints + 1, 3) its last posture."""

    @property
    def iterations(self) -> int:
        """Until the end was at the goal."""
        return len(self.path) - 1

    @property
    def detour(self) -> float:
        """Its length over that of the straight way."""
        legs = np.linalg.norm(np.diff(self.path, axis=0), axis=1)
        return float(legs.sum() / np.linalg.norm(self.path[-1] - self.path[0]))


def transpose(folder: Path = pictures.FOLDER) -> Iterator[Figure]:
    """Damped least squares against the transpose (figure 3.12): one goal, a chain of 60 degrees of freedom."""
    least_squares, steepest = travel("priority"), travel("transpose")
    _draw(least_squares, steepest, folder)
    for name, way in (("damped least squares", least_squares), ("transpose", steepest)):
        yield Figure(f"{name}: iterations", way.iterations, "iterations", note=f"to within {ARRIVED:g} of the chain")
        yield Figure(f"{name}: detour", way.detour, "way / straight way")
    times = steepest.iterations / least_squares.iterations
    yield Figure("iterations of transpose : damped least squares", times, "ratio", FEWEST_TIMES, "at least")


def travel(method: Method) -> Way:
    """Go to the goal by one of the methods; the transpose takes the gain that is best for each step."""
    chain = Chain.bent()
    tip = chain.skeleton.resolve(chain.skeleton.tips[0])
    places: list[Array] = []
    bones: list[Array] = []

    def remember(state: WorldState, _: IntArray) -> None:
        places.append(state.point(tip)[0].copy())
        bones.append(np.concatenate([state.positions[0], state.point(tip)]))

    settings = solver.SolveSettings(iterations=MOST_ITERATIONS, goal_length=GOAL_STEP)
    tasks = [chain.reach_for(np.array(GOAL))]
    if method == "transpose":
        comparison_methods.iterate(
            chain.skeleton, chain.starts(1), tasks, comparison_methods.transpose(), settings, remember
        )
    else:
        solver.solve_postures(chain.skeleton, chain.starts(1), tasks, settings, remember)
    missed = np.linalg.norm(np.array(places) - GOAL, axis=1)
    if not (missed < ARRIVED).any():
        raise RuntimeError(f"The method {method!r} has not reached its goal: it is {missed[-1]:.2g} away.")
    arrival = int(np.argmax(missed < ARRIVED))
    return Way(np.array(places[: arrival + 1]), bones[arrival])


def _draw(least_squares: Way, steepest: Way, folder: Path) -> None:
    picture = Picture(figsize=(14.0, 4.4), layout="constrained")
    panels = picture.subplots(1, 3, sharex=True, sharey=True)
    chain = Chain.bent()
    state = WorldState.of(chain.skeleton, chain.starts(1))
    start = np.concatenate([state.positions[0], state.point(chain.skeleton.resolve(chain.skeleton.tips[0]))])

    panels[0].set_title("initial configuration\n")
    _draw_chain(panels[0], start, pictures.BLUE, "chain")
    for axes, way, title in (
        (panels[1], steepest, "Jacobian transpose"),
        (panels[2], least_squares, "damped least squares"),
    ):
        axes.set_title(f"{title}\n{way.iterations} iterations, {way.detour:.2f} × the straight way")
        _draw_chain(axes, start, pictures.GREY, "start")
        _draw_chain(axes, way.bones, pictures.BLUE, "at the goal")
        x, y, _ = way.path.T
        axes.plot(x, y, color=pictures.RED, marker=".", markersize=4, lw=1, label="path of the end")
    for axes in panels:
        axes.plot(GOAL[0], GOAL[1], "o", color=pictures.GOAL, markersize=10, label="goal", zorder=3)
        axes.set_aspect("equal")
        axes.set_xlabel("x (m)")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("y (m)")
    handles, labels = panels[1].get_legend_handles_labels()
    picture.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    picture.suptitle("Paths of the end of a chain of 20 ball joints, 1 m (after figure 3.12)")
    pictures.save(picture, folder, "figure_3_12.png")


def _draw_chain(axes: Axes, bones: Array, color: str, label: str) -> None:
    axes.plot(bones[:, 0], bones[:, 1], color=color, marker="o", markersize=3, lw=2, label=label)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The smoothest motion near a base that meets tasks: all frames are solved together (Popović 1999, equation 5.3).

Steps are those of Newton, with the curvature that forces give; each is corrected by steps that only give the tasks the
errors which it has promised. The descent begins on some knots a second with light weights, goes on with all frames, and
ends with rounds in which targets are moved beyond themselves by what is left of them (the method of multipliers).
Derivation: docs/derivations.md.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

import numpy as np

from ...body.clip import Clip
from ...body.motion import Motion
from ...core.arrays import TINY, Array, IntArray, dilated
from ...core.banded import BlockPentadiagonal
from ...core.progress import with_each_step
from ...core.row_space import combined
from ...deformation.smoothing import envelope
from .collective_problem import CollectiveProblem, Linearization, Point, WeightedTask

KNOT_RATE = 30.0
"""Knots a second of the first descents."""

COARSE_DESCENTS = ((1e-2, 8, 1e-2), (1.0, 8, 3e-3))
"""The descents on the knots: the factor of all weights, the most linearizations, and the length of a step, in radians
or sizes of the character, at which it is at rest. It begins with light weights: heavy targets are followed along their
curvature in short steps."""

FINE_STEPS, ROUNDS, ROUND_STEPS, AT_REST = 4, 6, 2, 1e-3
"""The linearizations of the first descent over all frames, the most rounds after it, the linearizations of each, and
the length of a step at which they are at rest."""

ENOUGH = 3e-4
"""Sizes of the character, or radians: the rounds end where no task that is to be met is off by more."""

SETTLED = 1e-3
"""A descent ends where a linearization lowers the cost by less than this share."""

LONGEST_STEP = 0.5
"""Radians, or sizes of the character, that a step may move a joint."""

TOO_LONG, SHORTENINGS = 2.0, 8
"""Steps that are longer than this many times `LONGEST_STEP` are damped, so often at most; shorter ones are scaled
down."""

STEP_EASE = 0.05
"""Seconds around a frame whose step is shortened, or damped, within which others are too."""

CORRECTIONS = 4
"""Corrections of a step at most."""

SHRINKING = 0.5
"""They go on as long as each leaves less than this share of what the tasks' errors are off."""

LEAST_DAMPING, MORE_DAMPING, LESS_DAMPING = 0.03, 10.0, 0.3
"""Damping begins with the first, grows by the second in frames whose cost has grown, and falls by the third."""

WORSE = 0.1
"""The share of a frame's mean cost by which its cost may grow without more damping."""

REFUSALS = 8
"""How often a step is refused until the descent ends."""

LARGEST_LEADS = 3e-2, 5e-3
"""Sizes of the character, or radians, by which a firm target, and another one, are moved beyond themselves in one round
at most: a target that cannot be met would lead on without end."""

SHARES = (0.0, 0.2, 0.5, *np.linspace(0.6, 0.9, ROUNDS))
"""The share that is done when each descent begins."""


def solving_collectively(
    base: Clip, tasks: Sequence[WeightedTask], start: Motion, smoothing_time: float
) -> Generator[float, None, Motion]:
    """A generator that yields the share that is done and returns the smoothest motion near a base that meets tasks.

    The descent begins with the motion `start`. For `smoothing_time` see `CollectiveProblem`.
    """
    stride = max(1, round(base.fps / KNOT_RATE))
    knots = np.arange(0, base.frames, stride)
    coarse = replace(base, motion=base.motion.at(knots), fps=base.fps / stride)
    own, motion, shares = [each.at(knots) for each in tasks], start.at(knots), iter(SHARES)
    descent: _Descent | None = None
    for factor, steps, at_rest in COARSE_DESCENTS:
        problem = CollectiveProblem(coarse, own, smoothing_time, factor)
        descent = descent or _Descent.first(problem)
        falling = descent.of(problem, problem.values(motion), steps, at_rest)
        motion = (yield from with_each_step(falling, next(shares))).world.motion
    assert descent is not None
    whole = CollectiveProblem(base, tasks, smoothing_time)
    descent = _Descent(*(_between(each, knots, base.frames) for each in (descent.forces, descent.damping)))
    here = yield from with_each_step(descent.of(whole, whole.through(motion, knots), FINE_STEPS, AT_REST), next(shares))
    for _ in range(ROUNDS):
        leads = _leads(whole, here)
        if np.abs(leads).max(initial=0.0) < ENOUGH:
            break
        whole = whole.with_leads(whole.leads + leads)
        here = yield from with_each_step(descent.of(whole, here.values, ROUND_STEPS, AT_REST), next(shares))
    return here.world.motion


class _Descent:
    """A descent over the displacements of a problem, whose forces and damping lead on to the next one."""

    def __init__(self, forces: Array, damping: Array) -> None:
        self.forces = forces
        """(frames, rows) with which targets pull."""
        self.damping = damping
        """(frames,)"""

    @staticmethod
    def first(problem: CollectiveProblem) -> _Descent:
        """One without forces and damping."""
        return _Descent(np.zeros_like(problem.weights), np.zeros(len(problem.weights)))

    def of(self, problem: CollectiveProblem, values: Array, steps: int, at_rest: float) -> Generator[None, None, Point]:
        """A generator of so many linearizations at most, from values (frames, columns) on, until steps are shorter than
        `at_rest`; returns the point that it has come to."""
        here = problem.at(values)
        for _ in range(steps):
            linear = yield from problem.linearizing(here, self.forces)
            there, length = yield from self._step(problem, linear, here, at_rest)
            gained = here.cost - there.cost
            here = there
            if length < at_rest or gained <= SETTLED * here.cost:
                break
        return here

    def _step(
        self, problem: CollectiveProblem, linear: Linearization, here: Point, at_rest: float
    ) -> Generator[None, None, tuple[Point, float]]:
        """The point after a step that does not raise the cost, and its length before it was shortened; the same point
        where no step is found."""
        radius = max(1, round(STEP_EASE * problem.base.fps))
        for _ in range(REFUSALS):
            system, step = yield from self._short_step(linear, radius)
            self.forces = linear.forces(step)
            longest = np.abs(step).max(axis=1, initial=0.0)
            step /= np.maximum(envelope(longest / LONGEST_STEP, radius), 1.0)[:, None]
            there = yield from _corrected(problem, linear, system, here, step)
            is_taken = there.cost <= here.cost
            worse = dilated(there.costs > here.costs + WORSE * here.cost / len(here.costs), radius)
            less = np.where(self.damping > 0.1 * LEAST_DAMPING, LESS_DAMPING * self.damping, 0.0)
            self.damping = np.where(worse, self._more_damping, less if is_taken else self.damping)
            if is_taken or longest.max() < at_rest:
                return there if is_taken else here, float(longest.max())
        return here, 0.0

    def _short_step(
        self, linear: Linearization, radius: int
    ) -> Generator[None, None, tuple[BlockPentadiagonal, Array]]:
        """The factor of a linearization and its step (frames, columns), damped in frames in which it would be longer
        than `LONGEST_STEP`, and `radius` frames around them: a step that is only scaled down says nothing about the
        forces of a limb that cannot reach."""
        for _ in range(SHORTENINGS):
            system = yield from linear.factoring(self.damping)
            step = system.solve(linear.pull)
            yield
            too_long = np.abs(step).max(axis=1, initial=0.0) > TOO_LONG * LONGEST_STEP
            if not too_long.any():
                break
            self.damping = np.where(dilated(too_long, radius), self._more_damping, self.damping)
        return system, step

    @property
    def _more_damping(self) -> Array:
        """(frames,)"""
        return np.maximum(MORE_DAMPING * self.damping, LEAST_DAMPING)


def _corrected(
    problem: CollectiveProblem, linear: Linearization, system: BlockPentadiagonal, here: Point, step: Array
) -> Generator[None, None, Point]:
    """The point after a step (frames, columns), and after some more steps that only give the tasks the errors which the
    linearization has promised: heavy targets curve away from it."""
    promised = linear.errors_after(step)
    best = there = problem.at(here.values + step)
    before = np.inf
    for _ in range(CORRECTIONS):
        off = there.errors - promised
        amount = float(np.sum(problem.weights * off**2))
        if not amount < SHRINKING * before:
            break
        before = amount
        correction = system.solve(combined(np.asarray(problem.weights * off), linear.jacobian))
        there = problem.at(there.values + correction)
        yield
        if there.cost < best.cost:
            best = there
    return best


def _leads(problem: CollectiveProblem, here: Point) -> Array:
    """(frames, rows) by how much more targets are moved beyond themselves: by what is left of them."""
    leads = np.zeros_like(problem.leads)
    for each, rows, residual in zip(problem.tasks, problem.rows, problem.residuals(here), strict=True):
        most = np.where(each.firmness == 1.0, *LARGEST_LEADS)
        shares = np.minimum(1.0, most / np.maximum(np.linalg.norm(residual, axis=1), TINY))
        leads[:, rows] = residual * (shares * (1.0 if each.is_exact else each.firmness))[:, None]
    return leads


def _between(values: Array, knots: IntArray, frames: int) -> Array:
    """(frames, …) values (knots, …), interpolated linearly between knots, and the last one after them."""
    whole = np.zeros((frames, values[0].size))
    for column, each in enumerate(values.reshape(len(values), values[0].size).T):
        whole[:, column] = np.interp(np.arange(frames), knots, each)
    return whole.reshape(frames, *values.shape[1:])

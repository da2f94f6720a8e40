# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of a simplified character whose handles are nearest to those of the source (Popović 1999, 4.2.7).

Popović solves every frame on its own. Where handles hardly determine a value, as the rotation of a nearly straight leg
about itself, that gives a rough motion. Here all frames are solved together, and accelerations cost something: see
docs/derivations.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.arrays import Array, BoolArray
from ...core.banded import BlockPentadiagonal
from ..characters.character import ROOT_DOFS, ROOT_ROTATIONS, SimplifiedCharacter
from ..handles.handle import Handle
from ..optimiser_package import require
from .symbolic_body import SymbolicBody

FRAME = 0.1
"""The time between two frames where it is not given: that of 30 frames a second."""

SMOOTH = 0.03
"""A time in √(size / gravity): a value that oscillates by 1 rad with it as the inverse of its angular frequency, about
17 times a second, costs as much as a handle that is one size away. Chosen on the CMU clip 09_01."""

PULL = 2e-3
"""Weight of staying near the start, for every radian or size squared: values that no handle determines stay there."""

STEPS, SMOOTH_STEPS = 25, 8
"""The most steps with every frame on its own, and with all frames together."""

DAMPING = 1e-3
"""Added to the normal equations at first; it falls with every step that helps."""

EXACT = 1e-9
"""Sizes of the character: a foot so near to its footprint stands there."""

EARLY, CONVERGED = 1e-2, 1e-3
"""The share of the cost by which a step must lower it for another to be taken: of single frames, of all together."""


class HandleValues:
    """The values of handles on a simplified character and their derivatives, at many instants at once."""

    def __init__(self, character: SimplifiedCharacter, handles: Sequence[Handle]) -> None:
        ca = require()
        values = ca.SX.sym("values", len(character))
        body = SymbolicBody(character, values)
        expression = ca.densify(ca.vertcat(*(handle.value(body) for handle in handles)))
        self.count = int(expression.shape[0])
        slopes = ca.densify(ca.jacobian(expression, values))
        self._values = ca.Function("handles", [values], [expression])
        self._slopes = ca.Function("slopes", [values], [slopes])
        self._dofs = len(character)
        self._mapped: dict[tuple[str, int], Any] = {}

    def values(self, motion: Array) -> Array:
        """(instants, values of all handles) of values (instants, dofs)."""
        return self._called("values", motion, (self.count,))

    def jacobian(self, motion: Array) -> Array:
        """(instants, values of all handles, dofs)"""
        return self._called("slopes", motion, (self._dofs, self.count)).swapaxes(1, 2)

    def _called(self, name: str, motion: Array, shape: tuple[int, ...]) -> Array:
        """(instants, *shape) a function of all instants at once; CasADi stores the last index first."""
        count = len(motion)
        if (name, count) not in self._mapped:
            self._mapped[name, count] = getattr(self, f"_{name}").map(count)
        given, found = np.ascontiguousarray(motion, dtype=np.float64), np.empty((count, *shape))
        # Through memory that both share: the conversion of CasADi's own matrices takes longer than the function.
        buffer, call = self._mapped[name, count].buffer()
        buffer.set_arg(0, given.data)
        buffer.set_res(0, found.data)
        call()
        return found


def mapped(
    character: SimplifiedCharacter,
    handles: Sequence[Handle],
    weights: Array,
    targets: Array,
    start: Array,
    spacing: float = FRAME,
) -> Array:
    """(frames, dofs) the values whose handles are nearest to `targets` (frames, values of all handles).

    `weights` (values of all handles,) weigh squared distances. `start` (frames, dofs) is where the iteration begins,
    and where values stay that no handle determines, such as `source_values`. `spacing` is the time between two frames
    in √(size / gravity); the character is in units of its own. Headings are continuous, also over whole turns.
    """
    start = start.copy()
    start[:, ROOT_ROTATIONS] = np.unwrap(start[:, ROOT_ROTATIONS], axis=0)
    problem = _Mapping(character, HandleValues(character, handles), weights, targets, start, spacing)
    return problem.together(problem.one_by_one(problem.inside(start)))


def moved_to(character: SimplifiedCharacter, pose: Array, places: Sequence[tuple[Handle, Array]]) -> Array:
    """(dofs,) a pose near `pose` (dofs,) at which handles have given values: its joints bend for it, while the centre
    of mass and the root's orientation stay. Joints keep their ranges; where handles cannot reach, they come near.
    """
    if not places:
        return pose
    functions = HandleValues(character, [handle for handle, _ in places])
    goals = np.concatenate([np.atleast_1d(value) for _, value in places])
    joints = slice(ROOT_DOFS, None)
    lower, upper = (bound[joints] for bound in character.bounds)
    found, damping = pose.copy(), 0.0
    errors = goals - functions.values(found[None])[0]
    for _ in range(STEPS):
        if np.abs(errors).max() < EXACT:
            break
        slopes = functions.jacobian(found[None])[0][:, joints]
        normal = slopes @ slopes.T + (damping + EXACT) * np.eye(len(goals))
        tried = found.copy()
        tried[joints] = np.clip(found[joints] + slopes.T @ np.linalg.solve(normal, errors), lower, upper)
        new = goals - functions.values(tried[None])[0]
        if new @ new < errors @ errors:
            found, errors, damping = tried, new, damping / 8.0
        else:
            damping = max(8.0 * damping, DAMPING)
    return found


class _Mapping:
    """What the mapping minimises, summed over frames: weighted squared distances of handles from their targets, `PULL`
    times the squared distance from the start, and `SMOOTH`⁴ times squared accelerations."""

    def __init__(
        self,
        character: SimplifiedCharacter,
        functions: HandleValues,
        weights: Array,
        targets: Array,
        start: Array,
        spacing: float,
    ) -> None:
        self.functions, self.weights, self.targets, self.start = functions, weights, targets, start
        self.lower, self.upper = character.bounds
        self.lower[:ROOT_DOFS], self.upper[:ROOT_DOFS] = -np.inf, np.inf
        self.pull = np.where(np.arange(len(character)) >= ROOT_DOFS, PULL, 0.0)
        self.bend = (SMOOTH / spacing) ** 4

    def inside(self, motion: Array) -> Array:
        """The values within their ranges."""
        return np.clip(motion, self.lower, self.upper)

    def costs(self, motion: Array) -> Array:
        """(frames,) those of single frames."""
        errors = self.targets - self.functions.values(motion)
        return np.asarray(errors**2 @ self.weights + (motion - self.start) ** 2 @ self.pull)

    def cost(self, motion: Array) -> float:
        """That of all frames together."""
        return float(self.costs(motion).sum() + self.bend * (np.diff(motion, 2, axis=0) ** 2).sum())

    def normal_equations(self, motion: Array) -> tuple[Array, Array]:
        """The matrices (frames, dofs, dofs) and right sides (frames, dofs) of Gauss and Newton's step of each frame."""
        slopes = self.functions.jacobian(motion)
        weighted = slopes * self.weights[:, None]
        matrices = slopes.swapaxes(1, 2) @ weighted + np.diag(self.pull)
        errors = self.targets - self.functions.values(motion)
        sides = (weighted.swapaxes(1, 2) @ errors[..., None])[..., 0] + self.pull * (self.start - motion)
        return matrices, sides

    def free(self, motion: Array, sides: Array) -> BoolArray:
        """(frames, dofs) which values may change: not those at a limit that the cost pushes further out."""
        return ~(((motion <= self.lower) & (sides < 0.0)) | ((motion >= self.upper) & (sides > 0.0)))

    def one_by_one(self, motion: Array) -> Array:
        """(frames, dofs) a motion from which the frames, each on its own, hardly get better; some may be rough."""
        damping = np.full(len(motion), DAMPING)
        costs = self.costs(motion)
        for _ in range(STEPS):
            matrices, sides = self.normal_equations(motion)
            matrices, sides = _fixed(matrices, sides, self.free(motion, sides))
            damped = matrices + damping[:, None, None] * np.eye(motion.shape[1])
            tried = self.inside(motion + np.linalg.solve(damped, sides[..., None])[..., 0])
            new = self.costs(tried)
            helped = new < costs
            gained = float(np.where(helped, costs - new, 0.0).sum())
            motion, costs = np.where(helped[:, None], tried, motion), np.where(helped, new, costs)
            damping = np.where(helped, damping / 4.0, damping * 8.0)
            if helped.any() and gained < EARLY * costs.sum():
                break
        return motion

    def together(self, motion: Array) -> Array:
        """(frames, dofs) the motion of all frames at once."""
        if len(motion) < 3:
            return motion
        damping, cost = DAMPING, self.cost(motion)
        second = np.diff(np.eye(len(motion)), 2, axis=0)
        bends = self.bend * second.T @ second
        for _ in range(SMOOTH_STEPS):
            matrices, sides = self.normal_equations(motion)
            sides = sides - bends @ motion
            free = self.free(motion, sides)
            step = _banded_step(matrices + damping * np.eye(motion.shape[1]), sides, bends, free)
            tried = self.inside(motion + step)
            new = self.cost(tried)
            gained = cost - new
            if gained > 0.0:
                motion, cost, damping = tried, new, damping / 8.0
                if gained < CONVERGED * cost:
                    break
            else:
                damping = 8.0 * max(damping, 1e-9)
        return motion


def _fixed(matrices: Array, sides: Array, free: BoolArray) -> tuple[Array, Array]:
    """Normal equations (…, dofs, dofs) and (…, dofs) whose solution is zero where a value is not free, (…, dofs)."""
    mask = free[..., :, None] & free[..., None, :]
    return np.where(mask, matrices, 0.0) + (~free)[..., None] * np.eye(free.shape[-1]), np.where(free, sides, 0.0)


def _banded_step(matrices: Array, sides: Array, bends: Array, free: BoolArray) -> Array:
    """(frames, dofs) the solution of all frames: `matrices` (frames, dofs, dofs) of single frames on the diagonal, and
    `bends` (frames, frames), with two diagonals on either side, between the same values of different frames."""
    eye = np.eye(free.shape[1])
    matrices, sides = _fixed(matrices + bends.diagonal()[:, None, None] * eye, sides, free)
    beside = []
    for distance in (1, 2):
        couplings = np.zeros_like(matrices)
        both = free[:-distance] & free[distance:]
        couplings[:-distance] = (bends.diagonal(distance)[:, None] * both)[..., None] * eye
        beside.append(couplings)
    return BlockPentadiagonal(matrices, *beside).solve(sides)

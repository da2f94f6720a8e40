# SPDX-License-Identifier: GPL-3.0-or-later
"""Time to solve a walk again after one of its plants was moved, and to follow a target that is dragged."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise import solver
from poise.solver.core.arrays import Array

from .conflicts import pulled
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

DRAGGED = 60
"""Moves of a drag."""
DRAG_STEP = 0.002
"""Sizes of the character by which each of them moves a target, along every axis."""
LARGEST_FIRST, LARGEST_FAR_FIRST = 30.0, 35.0
"""Largest milliseconds to the first preview of 95 % of the moves of a plant, and of hands out of reach."""
LARGEST_JUMP = 5.0
"""Times the move of a target: the most by which a joint moves from a preview to the next one."""

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


def dragging(walk: PlantedWalk | None = None, moves: int = DRAGGED) -> Iterator[Figure]:
    """A target of an enforced walk is dragged to and fro by small moves: the time to the first preview of each, of
    which every third one is followed to its result, and how evenly previews follow."""
    walk = walk or planted_walk()
    size, up, last = walk.clip.skeleton.size, walk.clip.skeleton.up_axis, len(walk.plants) - 1
    held = solver.deform(walk.clip, walk.constraints)
    step = DRAG_STEP * size * np.ones(3)
    level = step * (np.arange(3) != up)

    def with_plant(number: int, by: Array) -> list[solver.Constraint]:
        constraints = list(held.constraints)
        constraints[number] = walk.plants[number].moved(by)
        return constraints

    def with_hands(hands: Sequence[solver.ShapeConstraint], by: Array) -> list[solver.Constraint]:
        moved = [
            replace(hand, points=[solver.ConstraintPoint(point.location + by, *point.stay) for point in hand.points])
            for hand in hands
        ]
        return [*held.constraints, *moved]

    for name, number in (("first plant", 0), ("middle plant", last // 2), ("last plant", last)):
        drag = _Drag.of(held, [with_plant(number, k * level) for k in _to_and_fro(moves)])
        yield from drag.figures(f"dragging the {name}", LARGEST_FIRST, LARGEST_JUMP)
    one, both = [pulled(walk, "left", 2.0)], [pulled(walk, side, 1.5, aside=True) for side in ("left", "right")]
    for name, hands in (("a hand out of reach", one), ("both hands out of reach", both)):
        drag = _Drag.of(held, [with_hands(hands, k * step) for k in _to_and_fro(moves)])
        yield from drag.figures(f"dragging {name}", LARGEST_FAR_FIRST, None)


def _to_and_fro(moves: int) -> list[int]:
    """How many steps each move of a drag is away from its begin."""
    return [min(number, moves - number) for number in range(moves + 1)]


@dataclass(frozen=True, eq=False)
class _Drag:
    """The times of a drag, in milliseconds of processor time, without its first move."""

    first: list[float]
    """To the first preview of each move."""
    settled: list[float]
    """To the result, of the moves that were followed to it."""
    longest: list[float]
    """The longest step of each move."""
    jumps: list[float]
    """Sizes of the character by which a joint moves, at most, from a preview to the next one."""

    @staticmethod
    def of(begin: solver.Deformation, edits: Sequence[Sequence[solver.Constraint]]) -> _Drag:
        """Follow edits from a deformation on."""
        live, drag, before = solver.LiveDeformation(begin), _Drag([], [], [], []), None
        solver.finished(live.follow(edits[0]))
        for number, constraints in enumerate(edits[1:]):
            start = last = time.process_time()
            steps, shown, longest, is_whole = live.follow(constraints), None, 0.0, number % 3 == 0
            for progress in steps:
                now = time.process_time()
                longest, last = max(longest, now - last), now
                if shown is None and progress.preview is not None:
                    drag.first.append(1e3 * (now - start))
                    shown = progress.preview.clip.world.positions
                    last = time.process_time()
                elif shown is not None and not is_whole and progress.preview is None:
                    steps.close()
            if shown is None:  # the result came without a preview before it
                drag.first.append(1e3 * (time.process_time() - start))
                shown = live.deformation.clip.world.positions
            if is_whole:
                drag.settled.append(1e3 * (time.process_time() - start))
            drag.longest.append(1e3 * max(longest, time.process_time() - last))
            if before is not None:
                drag.jumps.append(float(np.abs(shown - before).max()) / begin.source.skeleton.size)
            before = shown
        return drag

    def figures(self, name: str, bound: float, most: float | None) -> Iterator[Figure]:
        """The figures, with bounds of the time to the first preview, and of how much previews jump."""
        late = float(np.percentile(self.first, 95.0))
        yield Figure(f"{name}: first preview, 95th percentile", late, "ms", bound, note=f"{len(self.first)} moves")
        yield Figure(f"{name}: first preview, median", float(np.median(self.first)), "ms")
        yield Figure(f"{name}: result, median", float(np.median(self.settled)), "ms")
        yield Figure(f"{name}: longest step, 95th percentile", float(np.percentile(self.longest, 95.0)), "ms")
        jump = float(np.percentile(self.jumps, 95.0)) / DRAG_STEP
        yield Figure(f"{name}: move of a preview : of the target, 95th percentile", jump, "ratio", most)


def _shift(rng: np.random.Generator, skeleton: solver.Skeleton) -> Array:
    """(3,) a horizontal move, evenly spread over directions and distances."""
    angle, distance = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.0, FARTHEST) * skeleton.size
    first, second = ("xyz".index(axis) for axis in skeleton.horizontal_axes)
    shift = np.zeros(3)
    shift[first], shift[second] = distance * np.cos(angle), distance * np.sin(angle)
    return shift

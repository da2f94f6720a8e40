# SPDX-License-Identifier: GPL-3.0-or-later
"""What conflicts cost: a walk with constraints that cannot all be met, beside the same walk in reach."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from poise import solver
from poise.solver.core import rotations
from poise.solver.core.arrays import Array

from .figures import Figure
from .planted_walk import FEET, PlantedWalk, planted_walk

ROUNDS = 5
PATIENCE = 3.0
"""Seconds after which a case is not timed once more."""

MOST, MOST_REPORTED, MOST_SEVERAL = 5.0, 6.0, 8.0
"""Largest ratio of the time with a hand out of reach to that without; the same with the report; and the largest ratio
of other conflicts."""
LONGEST_STEP = 30.0
"""Largest milliseconds between two steps of a deformation, so that it can be cancelled at any time."""
LARGEST_WAIT, LARGEST_COARSE_WAIT = 150.0, 50.0
"""Largest milliseconds of 95 % of the moves of a target that is out of reach, to the result and to a coarse one."""
LARGEST_MISS = 1e-6
"""Largest residual of the plants and of the balance, in sizes of the character, beside less important constraints."""
NEAR_BEST = 0.01
"""Sizes of the character by which a hand out of reach may be farther from its target than the best known result."""

MOVES = 20
MOVED = 0.01
"""Sizes of the character by which a target is moved."""
SEED = 13

HAND = 1
"""The priority of the constraints that are out of reach, below plants and balance."""

DISTANCES = (1.2, 2.0)
"""Sizes of the character from a hand to its target."""
HELD = (0.3, 0.7)
"""Shares of the clip between which a target is held; it is blended in and out over a tenth of the clip."""
EASED = 0.1

BEST = {"a hand 1.2 sizes away, strict": 0.177, "a hand 2 sizes away, strict": 0.706}
"""Mean distances of the hand from its target while it is held, in sizes of the character, on CMU 02_01: as the solver
of version 0.1 reached them, with second derivatives of unreachable levels and up to 200 iterations a frame. At 1.2
sizes its balance was off by up to 0.1 sizes in some frames."""


@dataclass(frozen=True, eq=False)
class Conflict:
    """A case: constraints that cannot all be met."""

    constraints: tuple[solver.Constraint, ...]
    most: float
    """The largest ratio of its time to that of the walk in reach."""
    holds: tuple[solver.Constraint, ...] = ()
    """Those that are met although others are not."""
    hand: solver.ShapeConstraint | None = None
    """The only constraint that is out of reach."""


def conflicts(
    walk: PlantedWalk | None = None,
    limited: Callable[[solver.Clip], solver.Clip] | None = None,
    chosen: Sequence[str] | None = None,
    rounds: int = ROUNDS,
    moves: int = MOVES,
    best: Mapping[str, float] | None = None,
) -> Iterator[Figure]:
    """A walk whose constraints cannot all be met, beside one in reach: time, longest step, residuals.

    With `limited`, which adds limits to the joints of a clip, all of it is measured on that clip too. `chosen` are the
    names of some of the `cases`; None: all of them. `best` are the best known mean distances of hands by case.
    """
    if best is None:
        best = BEST if walk is None else {}
    walk = walk or planted_walk()
    walks = {"": walk}
    if limited is not None:
        walks[", with limits"] = PlantedWalk(limited(walk.clip), walk.plants, walk.name)
    reference = timed(walk, walk.constraints, rounds).seconds
    about = f"{walk.name}, {walk.clip.frames} frames, {len(walk.plants)} plants"
    yield Figure("conflict: walk in reach", 1e3 * reference, "ms", note=about)
    for suffix, each in walks.items():
        for name, case in cases(each).items():
            if chosen is not None and name not in chosen:
                continue
            yield from _measured(f"conflict: {name}{suffix}", each, case, rounds, best.get(name))
        yield from _moved(f"conflict: moved target{suffix}", each, moves)


def _measured(name: str, walk: PlantedWalk, case: Conflict, rounds: int, best: float | None) -> Iterator[Figure]:
    # The walk in reach is timed beside each case again: a busy machine slows both.
    reference, run = timed(walk, walk.constraints, rounds), timed(walk, case.constraints, rounds)
    ratio, reported = run.seconds / reference.seconds, run.reported / reference.seconds
    yield Figure(f"{name} : in reach", ratio, "ratio", case.most, note=f"{1e3 * run.seconds:.0f} ms")
    bound = MOST_REPORTED if case.most == MOST else None
    yield Figure(f"{name}, with its report : in reach", reported, "ratio", bound)
    yield Figure(f"{name}: longest step", 1e3 * run.longest_step, "ms", LONGEST_STEP)
    report, size = run.deformation.report, walk.clip.skeleton.size
    if case.holds:
        missed = max(report.residual(each).worst for each in case.holds) / size
        yield Figure(f"{name}: plants and balance miss", missed, "sizes", LARGEST_MISS)
    if case.hand is not None:
        residual = report.residual(case.hand)
        (point,) = case.hand.points
        held = (residual.frames >= point.stay[0]) & (residual.frames <= point.stay[1])
        mean = float(residual.distances[held].mean()) / size
        bound, note = (None, "") if best is None else (best + NEAR_BEST, f"best known {best:.4f}")
        yield Figure(f"{name}: the hand misses, mean", mean, "sizes", bound, note=note)


def cases(walk: PlantedWalk) -> dict[str, Conflict]:
    """The conflicts of a walk, by name."""
    held, marks = walk.constraints, walk.clip.skeleton.landmarks
    balance, far_plant = held[-1], _with_far_plant(walk)
    left, right = (pulled(walk, side, 1.5, aside=True) for side in ("left", "right"))
    behind = turned(walk, int(marks.require("head")), np.pi)
    found: dict[str, Conflict] = {}
    for distance in DISTANCES:
        strict = pulled(walk, "left", distance)
        found[f"a hand {distance:g} sizes away, strict"] = Conflict((*held, strict), MOST, held, strict)
        equal = (*walk.plants, solver.Balance(priority=FEET), pulled(walk, "left", distance, priority=FEET))
        found[f"a hand {distance:g} sizes away, equal"] = Conflict(equal, MOST)
    found["a foot cannot reach its plant"] = Conflict((*far_plant, balance), MOST_SEVERAL)
    found["both hands pulled apart"] = Conflict((*held, left, right), MOST_SEVERAL, held)
    found["a look behind the back"] = Conflict((*held, behind), MOST_SEVERAL, held)
    several = (
        pulled_joint(walk, int(marks.require("head")), (0.0, 1.5, 0.0)),
        pulled_joint(walk, marks.spine[-1], (0.0, -1.0, 0.0)),
        pulled_joint(walk, int(marks.require("left_elbow")), (0.0, 0.0, -1.5)),
        turned(walk, 0, 2.0),
    )
    found["eight at once"] = Conflict((*far_plant, balance, left, right, behind, *several), MOST_SEVERAL)
    return found


# Constraints --------------------------------------------------------------------------------------------------------


def pulled(
    walk: PlantedWalk, side: str, distance: float, *, aside: bool = False, priority: int = HAND
) -> solver.ShapeConstraint:
    """A hand is held at a distance in sizes from its place in the middle of the clip: ahead of the body, or aside."""
    skeleton = walk.clip.skeleton
    ahead = walk.clip.motion.root_translation[-1] - walk.clip.motion.root_translation[0]
    ahead[skeleton.up_axis] = 0.0
    direction = ahead / np.linalg.norm(ahead)
    if aside:
        across = np.cross(np.eye(3)[skeleton.up_axis], direction)
        direction = across if side == "left" else -across
    wrist = int(skeleton.landmarks.require(f"{side}_wrist"))
    return _at_distance(walk, wrist, distance * direction, priority)


def pulled_joint(walk: PlantedWalk, joint: int, sizes: Sequence[float]) -> solver.ShapeConstraint:
    """A joint is held so many sizes from its place in the middle of the clip; the displacement is given with y up."""
    x, y, z = sizes
    return _at_distance(walk, joint, np.array((x, y, z) if walk.clip.up == "y" else (x, -z, y)), HAND)


def _at_distance(walk: PlantedWalk, joint: int, sizes: Array, priority: int) -> solver.ShapeConstraint:
    begin, first, last, end = _times(walk.clip)
    middle = (first + last) // 2
    goal = walk.clip.position(joint)[middle] + walk.clip.skeleton.size * sizes
    point = solver.ConstraintPoint(goal, first, last)
    return solver.ShapeConstraint(joint, begin, end, [point], mode="condensed", priority=priority)


def turned(walk: PlantedWalk, joint: int, angle: float) -> solver.OrientationConstraint:
    """A joint turns about the vertical, from its orientation in the middle of the clip."""
    begin, first, last, end = _times(walk.clip)
    skeleton = walk.clip.skeleton
    turn = rotations.from_axis_angle(np.eye(3)[skeleton.up_axis], angle)
    goal = rotations.multiply(turn, walk.clip.orientation(joint)[(first + last) // 2])
    point = solver.ConstraintPoint(goal, first, last)
    return solver.OrientationConstraint(joint, begin, end, [point], mode="condensed", priority=HAND)


def _with_far_plant(walk: PlantedWalk) -> tuple[solver.Footplant, ...]:
    """The plants, the middle one of them three sizes to the side."""
    plants, middle = list(walk.plants), len(walk.plants) // 2
    aside = np.eye(3)["xyz".index(walk.clip.skeleton.horizontal_axes[0])]
    plants[middle] = plants[middle].moved(3.0 * walk.clip.skeleton.size * aside)
    return tuple(plants)


def _times(clip: solver.Clip) -> tuple[int, int, int, int]:
    """Begin of a constraint, begin and end of its stay, and its end, in frames."""
    last = clip.frames - 1
    first, final = (round(share * last) for share in HELD)
    return max(first - round(EASED * last), 0), first, final, min(final + round(EASED * last), last)


# Timing -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Run:
    """A deformation and its time: of several runs, each time is the shortest."""

    deformation: solver.Deformation
    seconds: float
    reported: float
    """Seconds with the report."""
    longest_step: float
    """Seconds between two steps, at most."""


def timed(walk: PlantedWalk, constraints: Sequence[solver.Constraint], rounds: int) -> Run:
    """Deform a walk in some rounds; in fewer where these take long."""
    runs: list[Run] = []
    begin = time.perf_counter()
    while len(runs) < rounds and (not runs or time.perf_counter() - begin < PATIENCE):
        runs.append(_run(walk, constraints))
    shortest = (min(getattr(run, what) for run in runs) for what in ("seconds", "reported", "longest_step"))
    return Run(runs[-1].deformation, *shortest)


def _run(walk: PlantedWalk, constraints: Sequence[solver.Constraint]) -> Run:
    times = [time.perf_counter()]
    steps = solver.deforming(walk.clip, constraints)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            deformation: solver.Deformation = stop.value
            break
        finally:
            times.append(time.perf_counter())
    _ = deformation.report
    return Run(deformation, times[-1] - times[0], time.perf_counter() - times[0], float(np.diff(times).max()))


def _moved(name: str, walk: PlantedWalk, moves: int) -> Iterator[Figure]:
    """Time to solve again after a target that is out of reach was moved a little."""
    rng = np.random.default_rng(SEED)
    hand = pulled(walk, "left", DISTANCES[-1])
    base = solver.deform(walk.clip, [*walk.constraints, hand])
    kept = base.constraints[:-1]
    waits: list[float] = []
    coarse: list[float] = []
    (point,) = hand.points
    begin = time.perf_counter()
    while len(waits) < moves and (not waits or time.perf_counter() - begin < 4.0 * PATIENCE):
        by = rng.standard_normal(3)
        goal = point.location + MOVED * walk.clip.skeleton.size * by / np.linalg.norm(by)
        moved = solver.ShapeConstraint(
            hand.joint, hand.begin, hand.end, [solver.ConstraintPoint(goal, *point.stay)], mode=hand.mode, priority=HAND
        )
        start = time.perf_counter()
        first: float | None = None
        for progress in base.solving_again([*kept, moved]):
            if first is None and (progress.stage is solver.Stage.COARSE and progress.share >= 1.0):
                first = time.perf_counter() - start
        waits.append(1e3 * (time.perf_counter() - start))
        coarse.append(waits[-1] if first is None else 1e3 * first)
    about = f"{len(waits)} moves by {100 * MOVED:g} % of the size"
    yield Figure(f"{name}: 95th percentile", float(np.percentile(waits, 95.0)), "ms", LARGEST_WAIT, note=about)
    yield Figure(f"{name}: median", float(np.median(waits)), "ms")
    late = float(np.percentile(coarse, 95.0))
    yield Figure(f"{name}: coarse result, 95th percentile", late, "ms", LARGEST_COARSE_WAIT)

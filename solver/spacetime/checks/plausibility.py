# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an optimised motion is one that a body could make, judged by the motion and not by the optimiser's status.

An optimiser may report success for absurd edits where nothing bounds the body, and failure for a motion that is fine.
"""

from __future__ import annotations

import numpy as np

from ..characters.character import ROOT_DOFS
from ..problem.optimiser import Optimum
from ..problem.simplified_motion import SimplifiedMotion
from ..problem.spacetime_problem import EQUATIONS, FRICTION, SPIN, TORQUES, UNDER, Problem
from .physics_check import check_physics

DYNAMICS = 1e-3
"""Body weights, and body weights times size: the largest residual of the equations of motion at the points."""

GEOMETRY = 1e-3
"""Sizes of the character, or radians: the largest violation of footprints, heights and held poses."""

PLAIN_MISS = 0.01
"""Sizes of the character, or radians: a larger violation is the first thing that is named; a smaller one is what an
unfinished solve leaves while the equations of motion are missed."""

HARDEST_PUSH = 8.0
"""Body weights of the gravity that acts, or of the earth's where that is larger: runs have 2 to 3, hard landings 7."""

FASTEST = 15.0
"""Sizes of the character per √(size / gravity): twice as fast as a sprinter."""

FASTEST_TURN = 12.0
"""Radians per √(size / gravity), about 40 a second: faster than the arm of a pitcher."""

SUNK, HIGHEST = 0.15, 4.0
"""Sizes of the character: the centre of mass above the lowest footprint of the time."""


def why_not_physical(motion: SimplifiedMotion, problem: Problem, optimum: Optimum) -> list[str]:
    """The reasons for which a motion is no result, each a part of a sentence; empty where it is one."""
    reasons = []
    if not np.isfinite(optimum.unknowns).all():
        return ["the optimiser found no finite motion"]
    # What is asked for geometrically comes first: where a footprint is out of reach, the equations of motion fail too.
    plain: list[str] = []
    slight: list[str] = []
    for name, violations in sorted(optimum.violations.items(), key=lambda item: -float(item[1].max(initial=0.0))):
        worst = float(violations.max(initial=0.0))
        if name not in (EQUATIONS, SPIN, TORQUES, FRICTION) and worst > GEOMETRY:
            (plain if worst > PLAIN_MISS else slight).append(_missed(name, worst))
    # Computed anew by code that shares nothing with the optimiser's.
    check = check_physics(motion, problem.friction, between=1)
    residual = max((check.force_at_points, check.moment_at_points, check.torque_at_points), key=lambda each: each.value)
    reasons += plain
    if not residual.value <= DYNAMICS:
        when = phase_of(problem, residual.seconds / motion.units.time / motion.stretch)
        reasons.append(f"the equations of motion are missed by {residual.value:.2g} body weights {when}")
    return [*reasons, *slight] or absurdities(motion, problem)


def phase_of(problem: Problem, time: float) -> str:
    """What the body does at a time of the problem's grid, as the end of a sentence."""
    standing = [stance for stance in problem.stances if stance.touch <= time <= stance.release]
    if standing:
        return f"in {min(standing, key=lambda each: abs(each.begin + each.end - 2.0 * time)).label}"
    after = [stance for stance in problem.stances if stance.touch > time]
    if after:
        return f"in the air before {min(after, key=lambda each: each.touch).label}"
    return f"in the air after {max(problem.stances, key=lambda each: each.release).label}"


def _missed(name: str, violation: float) -> str:
    """The violation of a footprint, of a height or of a held pose, as a part of a sentence."""
    percent = 100.0 * violation
    far = f"{percent:.0f} %" if 1.0 <= percent < 1e4 else f"{percent:.1g} %"
    over, found, foot = name.partition(UNDER)
    if found:
        return f"the {foot} would have to be {far} of the leg's length higher over {over}"
    return f"{name} is missed by {far} of the leg's length"


def absurdities(motion: SimplifiedMotion, problem: Problem) -> list[str]:
    """What no body does, although the equations hold."""
    reasons = []
    values, rates, _ = motion.motion(motion.points)
    unit = max(1.0, float(np.linalg.norm(problem.gravity)))
    pushes = np.zeros((len(motion.points), 3))
    for force in motion.ground_forces(motion.points):
        pushes += force.forces
    upward = pushes @ motion.character.up
    hardest = float(upward.max(initial=0.0))
    if hardest > HARDEST_PUSH * unit:
        when = phase_of(problem, float(problem.layout.grid.points[int(np.argmax(upward))]))
        reasons.append(
            f"the ground would have to push with {hardest:.1f} body weights {when}, and legs bear at most "
            f"{HARDEST_PUSH * unit:g}"
        )
    speed = float(np.linalg.norm(rates[:, :3], axis=1).max())
    if speed > FASTEST * np.sqrt(unit):
        when = phase_of(
            problem, float(problem.layout.grid.points[int(np.argmax(np.linalg.norm(rates[:, :3], axis=1)))])
        )
        reasons.append(f"the body would have to be faster than any runner {when}")
    turning = np.array([dof.kind == "rotation" for dof in motion.character.dofs])
    turning[:3] = False
    fastest = float(np.abs(rates[:, turning]).max(initial=0.0))
    if fastest > FASTEST_TURN * np.sqrt(unit):
        index = int(np.argmax(np.abs(rates[:, turning]).max(axis=0)))
        name = [dof.name for dof, turns in zip(motion.character.dofs, turning, strict=True) if turns][index]
        when = phase_of(
            problem, float(problem.layout.grid.points[int(np.argmax(np.abs(rates[:, turning]).max(axis=1)))])
        )
        reasons.append(f"the {name} would have to turn faster than any limb {when}")
    floors = [float(stance.place @ motion.character.up) for stance in problem.stances]
    heights = values[:, :3] @ motion.character.up
    if heights.min() < min(floors) + SUNK:
        reasons.append("the centre of mass would sink to the ground")
    if heights.max() > max(floors) + HIGHEST:
        reasons.append("the body would have to fly higher than four times its legs")
    lower, upper = motion.character.bounds
    beyond = np.maximum(lower - values, values - upper)[:, ROOT_DOFS:].max(axis=0, initial=0.0)
    for index in np.flatnonzero(beyond > GEOMETRY):
        if ROOT_DOFS + int(index) not in problem.locked:
            reasons.append(f"the {motion.character.names[ROOT_DOFS + int(index)]} would exceed its range")
    return reasons

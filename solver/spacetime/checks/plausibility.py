# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an optimised motion is one that a body could make, judged by the motion and not by the optimiser's status.

An optimiser may report success for absurd edits where nothing bounds the body, and failure for a motion that is fine.
"""

from __future__ import annotations

import numpy as np

from ..characters.character import ROOT_DOFS
from ..problem.optimiser import Optimum
from ..problem.simplified_motion import SimplifiedMotion
from ..problem.spacetime_problem import EQUATIONS, FRICTION, SPIN, TORQUES, Problem
from .physics_check import check_physics

DYNAMICS = 1e-3
"""Body weights, and body weights times size: the largest residual of the equations of motion at the points."""

GEOMETRY = 1e-3
"""Sizes of the character, or radians: the largest violation of footprints, heights and held poses."""

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
    for name, violations in sorted(optimum.violations.items(), key=lambda item: -float(item[1].max(initial=0.0))):
        worst = float(violations.max(initial=0.0))
        if name in (EQUATIONS, SPIN, TORQUES, FRICTION) or worst <= GEOMETRY:
            continue
        reasons.append(f"{name} is missed by {100.0 * worst:.0f} % of the leg's length")
    # Computed anew by code that shares nothing with the optimiser's.
    check = check_physics(motion, problem.friction, between=1)
    worst = max(check.force_at_points.value, check.moment_at_points.value, check.torque_at_points.value)
    if worst > DYNAMICS:
        reasons.append(f"the equations of motion are missed by {worst:.2g} body weights")
    return reasons or absurdities(motion, problem)


def absurdities(motion: SimplifiedMotion, problem: Problem) -> list[str]:
    """What no body does, although the equations hold."""
    reasons = []
    values, rates, _ = motion.motion(motion.points)
    unit = max(1.0, float(np.linalg.norm(problem.gravity)))
    pushes = np.zeros((len(motion.points), 3))
    for force in motion.ground_forces(motion.points):
        pushes += force.forces
    hardest = float((pushes @ motion.character.up).max(initial=0.0))
    if hardest > HARDEST_PUSH * unit:
        reasons.append(f"the ground would have to push with {hardest:.1f} body weights")
    speed = float(np.linalg.norm(rates[:, :3], axis=1).max())
    if speed > FASTEST * np.sqrt(unit):
        reasons.append("the body would have to be faster than any runner")
    turning = np.array([dof.kind == "rotation" for dof in motion.character.dofs])
    turning[:3] = False
    fastest = float(np.abs(rates[:, turning]).max(initial=0.0))
    if fastest > FASTEST_TURN * np.sqrt(unit):
        index = int(np.argmax(np.abs(rates[:, turning]).max(axis=0)))
        name = [dof.name for dof, turns in zip(motion.character.dofs, turning, strict=True) if turns][index]
        reasons.append(f"the {name} would have to turn faster than any limb")
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

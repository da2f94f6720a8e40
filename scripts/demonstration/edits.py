# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of any walk with z up, as constraints: a catwalk, stairs, a raised hand. Lengths are shares of the size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poise import solver
from poise.solver import rotations

Array = NDArray[np.float64]

SUPPORT, BALANCE, STYLE = 3, 2, 1
"""Priorities: footplants before balance, and balance before the style of the rest of the body."""
UP = np.array((0.0, 0.0, 1.0))

FEWEST_PLANTS = 4
SHORTEST_WAY = 2.0
LEAST_STRAIGHT = 0.3
"""A walk has at least so many plants, goes so far, and no plant is farther than this from a straight line."""

HIP_TURN, HIP_LIST = np.deg2rad((7.0, 5.0))
"""Radians that are added to the rotation and to the tilt of the pelvis in each step of a catwalk."""
LOWER = 0.015
"""By how much the chest is lowered in a catwalk: legs that are almost straight do not reach the line."""

RISE, NOSING = 0.14, 0.2
"""The height of a step, and how far it begins before the heel that stands on it."""
FIRST_STAIR = 2
"""The plant that stands on the first step: those before it are on the floor."""

HAND_UP, HAND_AHEAD = 0.35, 0.12
"""Where a hand is raised to, from its place in the source."""
HOLD = 0.4
"""Seconds for which the hand stays there."""


@dataclass(frozen=True, eq=False)
class Way:
    """The straight line on the floor along which a motion goes."""

    origin: Array
    """(3,) a place on the line."""
    ahead: Array
    """(3,) of length 1."""
    length: float
    """From the first plant to the last."""
    widest: float
    """The largest distance of a plant from the line."""

    @property
    def left(self) -> Array:
        """(3,) of length 1."""
        return np.cross(UP, self.ahead)

    @property
    def heading(self) -> float:
        """Radians to the left of -y, which characters face at rest."""
        return float(np.arctan2(self.ahead[0], -self.ahead[1]))

    def along(self, places: Array) -> Array:
        """(...) how far places (..., 3) are along the line."""
        return (places - self.origin) @ self.ahead

    def aside(self, places: Array) -> Array:
        """(...) how far places (..., 3) are to the left of the line."""
        return (places - self.origin) @ self.left

    def on_line(self, place: Array) -> Array:
        """(3,) the nearest place above the line, at the same height."""
        return np.asarray(place - self.aside(place) * self.left)


def stand_of(clip: solver.Clip, plant: solver.Footplant) -> tuple[Array, Array]:
    """(3,), (3,) where heel and ball stand in the middle of a plant."""
    times = [time for stay in plant.stays.values() for time in stay]
    frame = int(np.clip(round(0.5 * (min(times) + max(times))), 0, clip.frames - 1))
    marks = clip.skeleton.landmarks
    heel, ball = (clip.position(marks.require(f"{plant.foot}_{part}"))[frame] for part in ("heel", "ball"))
    return heel, ball


def middle_of(clip: solver.Clip, plant: solver.Footplant) -> Array:
    """(3,) the middle between heel and ball in a plant; where only one of them stands, that one."""
    heel, ball = stand_of(clip, plant)
    standing = [place for part, place in (("heel", heel), ("toe", ball)) if part in plant.stays]
    return np.asarray(np.mean(standing, axis=0))


def way_of(clip: solver.Clip, plants: Sequence[solver.Footplant]) -> Way:
    """The line through the plants of a motion; of one that stays, through its middle and ahead of the body."""
    hips = clip.position(clip.skeleton.landmarks.hips or 0)
    places = np.array([middle_of(clip, plant) for plant in plants]) if plants else hips[:1]
    floor = places * (1.0, 1.0, 0.0)
    origin, went = floor.mean(axis=0), (hips[-1] - hips[0]) * (1.0, 1.0, 0.0)
    if len(floor) > 1 and np.linalg.norm(went) > 0.5 * clip.skeleton.size:
        _, _, axes = np.linalg.svd(floor - origin)
        ahead = axes[0] * np.sign(axes[0] @ went)
    else:
        marks = clip.skeleton.landmarks
        across = clip.position(marks.require("left_hip")).mean(axis=0) - clip.position(marks.require("right_hip")).mean(
            axis=0
        )
        ahead = np.cross(across, UP)
    ahead = ahead / np.linalg.norm(ahead)
    way = Way(origin, ahead, 0.0, 0.0)
    return replace(way, length=float(np.ptp(way.along(floor))), widest=float(np.abs(way.aside(floor)).max()))


def is_walk(clip: solver.Clip, plants: Sequence[solver.Footplant], way: Way) -> bool:
    """Whether a motion walks along a straight line."""
    size = clip.skeleton.size
    return len(plants) >= FEWEST_PLANTS and way.length > SHORTEST_WAY * size and way.widest < LEAST_STRAIGHT * size


def catwalk(clip: solver.Clip, plants: Sequence[solver.Footplant], way: Way) -> list[solver.Constraint]:
    """All feet on one line, pointing ahead, with more motion of the hips, and the chest above the line."""
    skeleton, marks, size = clip.skeleton, clip.skeleton.landmarks, clip.skeleton.size
    made: list[solver.Constraint] = [
        replace(
            plant, position=way.on_line(middle_of(clip, plant)) * (1.0, 1.0, 0.0), heading=way.heading, priority=SUPPORT
        )
        for plant in plants
    ]
    hip = marks.left_hip
    pelvis = skeleton.names[int(skeleton.parents[hip]) if hip is not None else 0]
    chest = skeleton.names[marks.spine[-1]] if marks.spine else pelvis
    turned, carried = clip.orientation(pelvis), clip.position(chest)
    swinging, above = [], []
    for plant in plants[1:-1]:
        frame = round(0.5 * sum(_whole_foot(plant)))
        side = 1.0 if plant.foot == "left" else -1.0
        more = rotations.exp(-side * HIP_TURN * UP + side * HIP_LIST * way.ahead)
        swinging.append(solver.ConstraintPoint(rotations.multiply(more, turned[frame]), frame))
        above.append(solver.ConstraintPoint(way.on_line(carried[frame]) - LOWER * size * UP, frame))
    last = clip.frames - 1
    made.append(solver.Balance(priority=BALANCE, recruit=_legs_and_spine(skeleton)))
    made.append(
        solver.OrientationConstraint(pelvis, 0, last, swinging, mode="relative", priority=STYLE, name="Hips swing")
    )
    made.append(solver.ShapeConstraint(chest, 0, last, above, mode="relative", priority=STYLE, name="Chest above line"))
    return made


def stair_edges(clip: solver.Clip, plants: Sequence[solver.Footplant], way: Way) -> Array:
    """(steps,) how far along the way each step begins, before the heel that stands on it."""
    heels = np.array([stand_of(clip, plant)[0] for plant in plants[FIRST_STAIR:]])
    return np.sort(way.along(heels)) - NOSING * clip.skeleton.size


def climb(clip: solver.Clip, plants: Sequence[solver.Footplant]) -> list[solver.Constraint]:
    """All plants, and balance. The ground puts the plants on its steps, and lifts the feet over their edges."""
    standing: list[solver.Constraint] = [replace(plant, priority=SUPPORT) for plant in plants]
    return [*standing, solver.Balance(priority=BALANCE, recruit=_legs_and_spine(clip.skeleton))]


def raised_hand(clip: solver.Clip, plants: Sequence[solver.Footplant], way: Way) -> list[solver.Constraint]:
    """The right hand reaches up and ahead in the middle of the motion, while feet stand and the body stays balanced."""
    marks, size = clip.skeleton.landmarks, clip.skeleton.size
    wrist = clip.skeleton.names[marks.require("right_wrist")]
    hold = round(HOLD * clip.fps)
    frame = max((clip.frames - hold) // 2, 0)
    goal = clip.position(wrist)[frame] + size * (HAND_UP * UP + HAND_AHEAD * way.ahead)
    reach = round(0.5 * clip.fps)
    last = clip.frames - 1
    pin = solver.ShapeConstraint(
        wrist,
        max(frame - reach, 0),
        min(frame + hold + reach, last),
        [solver.ConstraintPoint(goal, frame, min(frame + hold, last))],
        mode="condensed",
        priority=STYLE,
        name="Reach",
    )
    standing: list[solver.Constraint] = [replace(plant, priority=SUPPORT) for plant in plants]
    return [*standing, solver.Balance(priority=BALANCE), pin]


def _first(plant: solver.Footplant) -> float:
    return min(begin for begin, _ in plant.stays.values())


def _last(plant: solver.Footplant) -> float:
    return max(end for _, end in plant.stays.values())


def _whole_foot(plant: solver.Footplant) -> tuple[float, float]:
    """The first and the last time at which all of the foot stands; at which any of it does where that is never."""
    begin, end = max(begin for begin, _ in plant.stays.values()), min(end for _, end in plant.stays.values())
    return (begin, end) if begin <= end else (_first(plant), _last(plant))


def _legs_and_spine(skeleton: solver.Skeleton) -> tuple[str, ...]:
    """The joints that keep a walk balanced: pelvis, legs and spine; arms then keep their rotations."""
    marks = skeleton.landmarks
    joints = {joint for side in ("left", "right") for joint in marks.leg(side)[:3] if joint is not None}
    if marks.left_hip is not None:
        joints |= set(skeleton.tree.chain(marks.left_hip))
    return tuple(skeleton.names[joint] for joint in sorted(joints | set(marks.spine)))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Where footplants stand: the outlines of soles on their ground, in world space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ... import solver
from ..bridge.arrays import Array
from ..bridge.transforms import Transform
from .body import BodyMeasures, FootMeasures
from .marks import Mark

UP = 2
"""The vertical axis of Blender's world."""

NEAR = 0.02
"""Sizes of the character: plants within this distance of the ground are put on it, as a solve does."""

LIFT = 0.01
"""Shares of the foot's length by which a footprint lies above its ground, so that the ground does not hide it."""

STEEPEST = 1.0
"""The largest slope of a footprint across the foot: more than that is the edge of a stair."""

SHAPE = np.array(
    [
        # along, to the inner side, to the outer side
        [0.00, 0.04, 0.04],
        [0.02, 0.09, 0.09],
        [0.07, 0.125, 0.125],
        [0.16, 0.14, 0.14],
        [0.30, 0.12, 0.145],
        [0.46, 0.10, 0.155],
        [0.60, 0.13, 0.170],
        [0.71, 0.17, 0.175],
        [0.82, 0.17, 0.155],
        [0.91, 0.14, 0.115],
        [0.97, 0.09, 0.065],
        [1.00, 0.03, 0.01],
    ]
)
"""The sole of a shoe: half widths at places from heel to toe tip, in lengths of the foot."""

BEHIND_HEEL = 0.07
"""How far the sole reaches behind the heel's landmark, in lengths of the foot."""

HALVES = {(True, True): (0.0, 1.0), (True, False): (0.0, 0.46), (False, True): (0.46, 1.0)}
"""The part of the sole, from heel to toe tip, that stands where heel, ball or both do."""


@dataclass(frozen=True, eq=False)
class Footprint:
    """The sole of a footplant on its ground."""

    mark: Mark
    number: int
    """Counted from 1 over the plants of its foot, in the order of time."""
    outline: Array
    """(corners, 3) counter-clockwise from above."""
    middle: Array
    """(3,) on the sole, under the handle."""
    ahead: Array
    """(3,) the direction in which it points, a unit vector on the ground."""
    aside: Array
    """(3,) the direction to its left, a unit vector on the ground."""
    length: float
    """Of the whole foot."""

    def moved(self, by: Array) -> Footprint:
        """The same footprint at another place."""
        return replace(self, outline=self.outline + by, middle=self.middle + by)

    @property
    def tip(self) -> Array:
        """(3,) the foremost place of the outline along its middle line."""
        along = (self.outline - self.middle) @ self.ahead
        return np.asarray(self.middle + along.max() * self.ahead)

    @property
    def outer_edge(self) -> Array:
        """(3,) the place of the outline that is farthest to the outer side of the foot, at the height of its middle."""
        outward = self.aside if self.mark.foot == "left" else -self.aside
        return np.asarray(self.middle + ((self.outline - self.middle) @ outward).max() * outward)


def footprints_of(
    marks: Sequence[Mark], body: BodyMeasures, ground: solver.Ground | None, frame: float = 0.0, fps: float = 1.0
) -> list[Footprint]:
    """The footprints of all footplants among constraints and proposals, where their handles are.

    On ground that moves, as under a character that walks in place, they are where the ground has carried them at a
    frame of the scene, which has `fps` frames a second.
    """
    found = []
    for mark, number in zip(marks, _numbers(marks), strict=True):
        if mark.kind == "FOOTPLANT" and mark.handles and (mark.has_heel or mark.has_ball):
            print_ = _footprint(mark, number, body, ground)
            found.append(print_.moved(carried(mark, frame, fps)) if is_carried(mark) else print_)
    return found


def is_carried(mark: Mark) -> bool:
    """Whether the ground that a plant stands on moves."""
    return any(mark.velocity)


def carried(mark: Mark, frame: float, fps: float) -> Array:
    """(3,) how far the ground has carried a plant at a frame, from where its handle is: its place at half its time.

    Before and after it stands it stays where it touches down and where it leaves the ground.
    """
    seconds = (min(max(frame, mark.begin), mark.end) - 0.5 * (mark.begin + mark.end)) / fps
    return seconds * np.array(mark.velocity)


def _numbers(marks: Sequence[Mark]) -> list[int]:
    """For each mark the number of its plant among those of the same foot and list; 0 for what is no plant."""
    numbers = [0] * len(marks)
    counts: dict[tuple[str, bool], int] = {}
    for index in sorted(range(len(marks)), key=lambda index: (marks[index].begin, index)):
        mark = marks[index]
        if mark.kind == "FOOTPLANT":
            key = mark.foot, mark.is_proposal
            counts[key] = numbers[index] = counts.get(key, 0) + 1
    return numbers


def _footprint(mark: Mark, number: int, body: BodyMeasures, ground: solver.Ground | None) -> Footprint:
    foot = body.foot(mark.foot)
    handle = mark.handles[0]
    transform = Transform.of(np.reshape(handle.matrix, (4, 4)))
    heading = transform.heading
    ahead = np.array([np.sin(heading), -np.cos(heading), 0.0])
    aside = np.array([-ahead[1], ahead[0], 0.0])
    shape = _sole(mark, foot)
    middle = transform.location.copy()
    middle[UP] -= _clearance(mark, foot)
    surface = ground if ground is not None and _is_on_ground(mark, foot, body.size, ground) else None
    if mark.height is not None:
        middle[UP] = mark.height + transform.location[UP] - handle.home[UP]
    elif surface is not None:
        raised = float(transform.location[UP] - handle.home[UP])
        middle, ahead, aside = _on_ground(surface, middle, ahead, aside, foot.length, raised)
    middle[UP] += LIFT * foot.length
    outline = middle + shape[:, :1] * ahead + shape[:, 1:] * aside
    return Footprint(mark, number, outline, middle, ahead, aside, foot.length)


def _sole(mark: Mark, foot: FootMeasures) -> Array:
    """(corners, 2) the outline ahead of the handle and to the left of it; counter-clockwise from above."""
    first, last = HALVES[mark.has_heel, mark.has_ball]
    along = np.unique(np.clip(SHAPE[:, 0], first, last))
    inner, outer = (np.interp(along, SHAPE[:, 0], SHAPE[:, side]) for side in (1, 2))
    leftward, rightward = (outer, inner) if mark.foot == "left" else (inner, outer)
    heel = {(True, True): 0.5 * foot.heel_to_ball, (True, False): 0.0, (False, True): foot.heel_to_ball}[
        mark.has_heel, mark.has_ball
    ]
    whole = (1.0 + BEHIND_HEEL) * foot.length
    ahead = along * whole - BEHIND_HEEL * foot.length - heel
    right = np.stack([ahead, -rightward * foot.length], axis=1)
    left = np.stack([ahead, leftward * foot.length], axis=1)
    return np.concatenate([right, left[::-1]])


def _clearance(mark: Mark, foot: FootMeasures) -> float:
    """How high the handle of a plant lies above the sole."""
    parts = [foot.heel_clearance] * mark.has_heel + [foot.ball_clearance] * mark.has_ball
    return float(np.mean(parts))


def _is_on_ground(mark: Mark, foot: FootMeasures, size: float, ground: solver.Ground) -> bool:
    """Whether a solve puts the plant on the ground: by its own choice, or because it is near."""
    if mark.ground_choice == "OWN" or mark.height is not None:
        return False
    home = np.array(mark.handles[0].home)
    home[UP] -= _clearance(mark, foot)
    gap = float(home[UP] - ground.heights(home[None], UP)[0])
    if not np.isfinite(gap):
        return False
    return mark.ground_choice == "GROUND" or abs(gap) <= NEAR * size


def _on_ground(
    ground: solver.Ground, middle: Array, ahead: Array, aside: Array, length: float, raised: float
) -> tuple[Array, Array, Array]:
    """The middle of a sole and its two directions on the ground, at a height above it."""
    reach = 0.25 * length
    around = middle + reach * np.array([np.zeros(3), ahead, -ahead, aside, -aside])
    heights = ground.heights(around, UP)
    if not np.isfinite(heights[0]):
        return middle, ahead, aside
    slopes = (heights[[1, 3]] - heights[[2, 4]]) / (2.0 * reach)
    slopes = np.where(np.isfinite(slopes) & (np.abs(slopes) <= STEEPEST), slopes, 0.0)
    on_ground = middle.copy()
    on_ground[UP] = heights[0] + raised
    return on_ground, _sloping(ahead, slopes[0]), _sloping(aside, slopes[1])


def _sloping(direction: Array, slope: float) -> Array:
    """A level unit vector (3,) turned up by a slope."""
    tilted = direction + slope * np.eye(3)[UP]
    return np.asarray(tilted / np.linalg.norm(tilted))

# SPDX-License-Identifier: GPL-3.0-or-later
"""The roll of a foot that stands flat: what the places of heel and ball leave free of its orientation."""

from __future__ import annotations

import numpy as np

from ..body.joints import BodyPoint
from ..core import rotations
from ..core.arrays import Array, median
from .effectors import DirectionEffector, Effector, RollEffector
from .ground import Ground
from .headings import heading_of, horizontal_unit, turned_about
from .source import Source

FOOT_WIDTH = 0.5
"""The width of a foot as a share of the length from heel to ball: its roll follows the ground so far around its
middle."""


def roll_effector(source: Source, heel: BodyPoint, ball: BodyPoint) -> RollEffector | DirectionEffector:
    """What a foot with heel and ball in their places may still turn: the joint that carries both.

    If the foot is rigid, this is the roll about the line from heel to ball. Else heel and ball, with a joint between
    them, determine only how the joint pitches: then it is the direction across the foot, about which the joint pitches.
    Both axes are means over the clip, since captured feet are not quite rigid.
    """
    skeleton, world = source.clip.skeleton, source.clip.world
    chains = [skeleton.tree.chain(int(point.joint)) for point in (ball, heel)]
    joint = next((joint for joint in chains[0] if joint in chains[1]), int(heel.joint))
    into_foot = rotations.conjugate(world.rotations[:, joint])
    along = rotations.unit(rotations.rotate(into_foot, world.point(ball) - world.point(heel)).mean(axis=0))
    if skeleton.is_rigid(heel, ball):
        x, y, z = along.tolist()
        return RollEffector(joint, (x, y, z))
    up = rotations.rotate(into_foot, np.eye(3)[skeleton.up_axis]).mean(axis=0)
    across = rotations.cross(up, along)
    if not across.any():
        across = rotations.cross(np.eye(3)[np.argmin(np.abs(along))], along)
    x, y, z = rotations.unit(across).tolist()
    return DirectionEffector(joint, (x, y, z))


def standing_roll(effector: Effector, values: Array, before: Array, after: Array, tilt: float, up: int) -> Array:
    """(width,) the value of an effector of `roll_effector` on a foot that stands, given its values in the source
    (frames, width) and the places of heel and ball (2, 3), `before` in the source and `after` where they stand.

    The median of the values, since a foot that rocks while heel and ball are in their places would look loose. It
    turns with the heading of the foot, and by an angle `tilt` about the line from heel to ball, with the ground.
    """
    usual = effector.displaced(values[:1], median(effector.displacement(values[:1], values))[None])[0]
    if isinstance(effector, RollEffector):
        return usual + tilt
    turn = heading_of(after[1] - after[0], up) - heading_of(before[1] - before[0], up)
    about = rotations.exp(tilt * rotations.unit(after[1] - after[0]))
    return rotations.rotate(about, turned_about(usual, turn, up))


def ground_roll(ground: Ground, ends: Array, up: int) -> float:
    """The angle in radians about the line from heel to ball (2, 3) by which the ground under a foot slopes to its side,
    the left side up; 0 where it has an edge there, or ends."""
    along, vertical = ends[1] - ends[0], np.eye(3)[up]
    ahead = horizontal_unit(along, up)
    left, width = rotations.cross(vertical, ahead), FOOT_WIDTH * float(np.linalg.norm(along))
    steps = 0.5 * width * np.array([[-ahead, ahead], [-left, left]])
    sides = ends.mean(axis=0) + steps
    if any(ground.has_edge(pair, width, up) for pair in sides):
        return 0.0
    rises = np.diff(ground.heights(sides.reshape(4, 3), up).reshape(2, 2))[:, 0]
    normal = vertical - (rises[0] * ahead + rises[1] * left) / width
    across = rotations.cross(along, vertical)
    if not across.any():
        return 0.0
    return float(np.arctan2(normal @ across * np.linalg.norm(along), normal @ rotations.cross(across, along)))

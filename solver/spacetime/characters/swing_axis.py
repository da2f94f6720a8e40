# SPDX-License-Identifier: GPL-3.0-or-later
"""The axis of the hinge that comes nearest to how a limb swings.

A hinge moves a limb on a cone about its axis. Whether a motion is nearly one on a cone does not depend on how the limb
was at rest.
"""

from __future__ import annotations

import numpy as np

from ...core import rotations
from ...core.arrays import Array

LEAST_SWING = 0.05
"""Radians, root mean square: a limb that swings less shows no axis."""

CLEAR = 2.0
"""The swing about the axis must be so many times as wide as that along it; else the limb moves in circles, and no axis
is better than the others."""

FLAT = 0.02
"""The least bend of a swing's path, as a share of the limb, from which the angle between limb and axis is taken. The
path of a small swing is nearly straight; its axis is then taken at a right angle to the limb."""


def swing_axis(arms: Array) -> Array | None:
    """(3,) the unit axis about which a limb swings, up to its sign; None where it does not swing, or in circles.

    `arms` (frames, 3) lead from the joint to the limb's centre of mass, in the frame of the body that carries it.
    """
    directions = rotations.unit(arms)
    middle = rotations.unit(directions.mean(axis=0))
    if not middle.any():
        return None
    around = _beside(middle)
    away = (directions - directions.mean(axis=0)) @ around
    spread = away.T @ away / len(away)
    # An axis b + t m, with b at a right angle to the mean direction m, misses the cone by the angle that is the spread
    # along it over |b|. The best t for any b leaves the spread of b minus what the bend of the path explains.
    explained = spread[:2, 2] / (spread[2, 2] + FLAT**2)
    squares, sides = np.linalg.eigh(spread[:2, :2] - np.outer(explained, spread[:2, 2]))
    least, most = np.sqrt(np.maximum(squares, 0.0))
    if most < LEAST_SWING or most < CLEAR * least:
        return None
    side = sides[:, 0]
    return rotations.unit(around @ np.append(side, -float(explained @ side)))


def _beside(direction: Array) -> Array:
    """(3, 3) columns: two unit vectors at right angles to a unit vector, and that vector."""
    first = rotations.unit(rotations.cross(direction, np.eye(3)[np.argmin(np.abs(direction))]))
    return np.stack([first, rotations.cross(direction, first), direction], axis=1)

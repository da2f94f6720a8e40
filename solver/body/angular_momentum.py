# SPDX-License-Identifier: GPL-3.0-or-later
"""The angular momentum of a whole body about its centre of mass, from its postures at two times."""

from __future__ import annotations

import numpy as np

from ..core import rotations
from ..core.arrays import Array
from .clip import Clip
from .kinematics import WorldState
from .mass_matrix import own_centers


def angular_momentum(before: WorldState, after: WorldState, seconds: float) -> Array:
    """(frames, 3) the angular momentum about the centre of mass, in world axes, at the time halfway between two states.

    `seconds` lie between each frame of `before` and that of `after`, in which every joint turns by less than half a
    turn. Velocities are differences, so the error is of second order in `seconds`. Units: mass times squared length a
    second.
    """
    skeleton = before.skeleton
    places = [own_centers(state) + state.positions[:, :1] for state in (before, after)]
    arms = [each - state.center_of_mass()[:, None] for each, state in zip(places, (before, after), strict=True)]
    moved = np.cross(0.5 * (arms[0] + arms[1]), arms[1] - arms[0])
    turned = rotations.log(rotations.quotient(after.rotations, before.rotations))
    halfway = rotations.to_matrix(rotations.multiply(rotations.exp(0.5 * turned), before.rotations))
    own = halfway @ skeleton.inertias @ halfway.swapaxes(-1, -2)
    total = np.einsum("j,fjk->fk", skeleton.masses, moved) + np.einsum("fjkl,fjl->fk", own, turned)
    return np.asarray(total / seconds)


def angular_momentum_of(clip: Clip) -> Array:
    """(frames - 2, 3) the angular momentum of a clip, in its inner frames."""
    frames = np.arange(clip.frames)
    return angular_momentum(clip.world.at(frames[:-2]), clip.world.at(frames[2:]), 2.0 / clip.fps)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Single bodies on given paths, with given pivots."""

from __future__ import annotations

import numpy as np

from poise.solver import MovingObject
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array, ArrayLike


def unit(vector: ArrayLike) -> Array:
    """The direction of a vector."""
    given = np.asarray(vector, dtype=np.float64)
    return given / np.linalg.norm(given, axis=-1, keepdims=True)


def eased(begin: float, end: float, frames: int) -> Array:
    """(frames,) from one angle to another with the speed of a hand: slow, fast, slow, but never at rest."""
    share = np.linspace(0.0, 1.0, frames)
    return begin + (end - begin) * (0.3 * share + 0.7 * share * share * (3.0 - 2.0 * share))


def turning(center: ArrayLike, turns: Array, start: ArrayLike, turned: ArrayLike) -> MovingObject:
    """A body, first at `start` with the rotation `turned`, that rotates about a point by rotations (frames, 4)."""
    center, start = np.asarray(center, dtype=np.float64), np.asarray(start, dtype=np.float64)
    return MovingObject(
        center + rotations.rotate(turns, start - center), np.asarray(rotations.multiply(turns, np.asarray(turned)))
    )


def joined(*parts: MovingObject) -> MovingObject:
    """One after the other; each begins with the frame after the last one of the part before it."""
    return MovingObject(
        np.concatenate([part.positions for part in parts]), np.concatenate([part.rotations for part in parts])
    )


def at_rest(place: ArrayLike, turned: ArrayLike, frames: int) -> MovingObject:
    """A body that does not move."""
    return MovingObject(np.tile(np.asarray(place), (frames, 1)), np.tile(np.asarray(turned), (frames, 1)))


def carried(begin: ArrayLike, way: ArrayLike, turned: ArrayLike, twist: ArrayLike, frames: int) -> MovingObject:
    """A body that moves from `begin` by `way`, and meanwhile rotates by the rotation vector `twist`."""
    share = np.linspace(0.0, 1.0, frames)[:, None]
    path = np.asarray(begin) + share * np.asarray(way)
    return MovingObject(path, np.asarray(rotations.multiply(rotations.exp(share * np.asarray(twist)), turned)))


def noisy(body: MovingObject, rng: np.random.Generator, way: float, angle: float) -> MovingObject:
    """The body with Gaussian noise of these standard deviations on each axis, of positions and of rotations."""
    frames = len(body.positions)
    return MovingObject(
        body.positions + way * rng.standard_normal((frames, 3)),
        np.asarray(rotations.multiply(rotations.exp(angle * rng.standard_normal((frames, 3))), body.rotations)),
    )


def body_clip(body: MovingObject, fps: float = 30.0) -> Clip:
    """A clip of one joint, "body", that moves like this."""
    skeleton = Skeleton(("body",), np.array([-1]), np.zeros((1, 3)))
    return Clip(skeleton, Motion.from_root(skeleton, body.rotations[:, None], body.positions), fps)

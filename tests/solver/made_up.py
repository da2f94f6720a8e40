# SPDX-License-Identifier: GPL-3.0-or-later
"""Simple motions for tests of constraints: a point on a known path, and a human that moves all joints."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton, Up
from poise.solver.constraints import Footplant
from poise.solver.core import rotations
from poise.solver.core.arrays import Array, ArrayLike
from poise.solver.synthetic import Contact, human

IDENTITY = (1.0, 0.0, 0.0, 0.0)

Way = Callable[[ArrayLike], Array]
"""(…, 3) at times (…), which may lie between frames."""


def smooth_way(rng: np.random.Generator, size: float = 1.0) -> Way:
    """A random smooth curve; a point on it reverses its direction in about twenty frames."""
    amplitudes = size * rng.standard_normal((3, 3))
    rates, phases = rng.uniform(0.02, 0.15, (3, 3)), rng.uniform(0.0, 6.0, (3, 3))
    drift = 0.05 * size * rng.standard_normal(3)

    def at(times: ArrayLike) -> Array:
        moments = np.asarray(times, dtype=np.float64)[..., None]
        return (amplitudes * np.sin(rates * moments[..., None] + phases)).sum(axis=-2) + drift * moments

    return at


def straight_way(start: ArrayLike, step: ArrayLike) -> Way:
    """A point that moves by `step` (3,) in every frame."""
    return lambda times: np.asarray(start) + np.multiply.outer(np.asarray(times, dtype=np.float64), np.asarray(step))


def point_clip(places: ArrayLike, fps: float = 30.0, size: float = 1.0) -> Clip:
    """A character of one joint, called "point", that is at given places (frames, 3), with a bone as long as its
    size."""
    point = Skeleton(("point",), [-1], [[0.0, 0.0, 0.0]], tips=(BodyPoint("point", (0.0, size, 0.0)),))
    places = np.asarray(places, dtype=np.float64)
    return Clip(point, Motion.from_root(point, np.tile(IDENTITY, (len(places), 1, 1)), places), fps)


def turning_clip(turns: ArrayLike, fps: float = 30.0) -> Clip:
    """The same character at rest, with given world rotations (frames, 4)."""
    point = Skeleton(("point",), [-1], [[0.0, 0.0, 0.0]])
    turns = np.asarray(turns, dtype=np.float64)
    return Clip(point, Motion.from_root(point, turns[:, None], np.zeros((len(turns), 3))), fps)


def moving_human(
    rng: np.random.Generator, frames: int = 61, up: Up = "y", fps: float = 30.0, *, bend: float = 0.15
) -> Clip:
    """A human that turns every joint all the time, smoothly, by angles of about `bend`, and wanders about."""
    skeleton = human(up)
    times = np.arange(frames)
    turned = np.stack([rotations.exp(smooth_way(rng, bend)(times)) for _ in skeleton.names], axis=1)
    return Clip(skeleton, Motion.from_root(skeleton, turned, smooth_way(rng)(times)), fps)


def placed(clip: Clip, turn: Array, shift: ArrayLike = (0.0, 0.0, 0.0)) -> Clip:
    """The same motion elsewhere: turned about the origin, then moved."""
    turned, moved = clip.motion.rotations.copy(), clip.motion.translations.copy()
    turned[:, 0] = rotations.multiply(turn, turned[:, 0])
    moved[:, 0] = rotations.rotate(turn, moved[:, 0]) + np.asarray(shift)
    return clip.with_motion(Motion(turned, moved))


def plant_of(contact: Contact, **rest: object) -> Footplant:
    """The footplant of a made-up contact."""
    events = {name: getattr(contact, name) for name in ("heel_strike", "toe_strike", "heel_off", "toe_off")}
    return Footplant(foot=contact.foot, **{**events, **rest})  # type: ignore[arg-type]

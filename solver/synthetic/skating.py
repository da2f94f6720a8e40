# SPDX-License-Identifier: GPL-3.0-or-later
"""The faults of captured motion: feet that slide and float where they should stand."""

from __future__ import annotations

import numpy as np

from ..body.clip import Clip
from ..body.motion import Motion
from ..core import rotations
from ..core.arrays import Array
from ..core.errors import MotionError
from .axes import standing
from .contacts import Contact

LARGEST = 0.2
"""Sizes of the character: who slides farther does not stand."""

_SLOWEST, _FASTEST = 0.4, 3.0
"""Hertz between which the faults lie: capture drifts and wobbles, and what is faster has been filtered away."""
_WAVES = 6
"""Sinusoids in a fault: too many to look periodic."""

_ROOT_SHARE = 1.0
"""How much the root is shifted, in sizes of the character, for each radian by which joints are turned wrongly."""
_WRONG_BALLS = ("hip", "talocrural")
_WRONG_HINGES = {"knee": (1.0, 0.0, 0.0)}

_CALIBRATIONS = 4
"""Feet move nearly in proportion to the faults: so many corrections bring them to the amount that was asked for."""


def skated(clip: Clip, contacts: tuple[Contact, ...], amount: float, seed: int) -> Clip:
    """The clip with a root and legs that are wrong by a little, smoothly.

    In the contacts, heels and toe joints are then off by `amount`, in sizes of the character: the root of the mean
    square over all of them and their frames. The same `seed` gives the same faults at any frame rate.
    """
    if not (np.isfinite(amount) and 0.0 <= amount <= LARGEST):
        raise MotionError(f"Feet can skate by 0 to {LARGEST} sizes of the character, not by {amount!r}.")
    if amount == 0.0:
        return clip
    size = amount
    for _ in range(_CALIBRATIONS):
        faulty = _with_faults(clip, size, seed)
        size *= amount / slide(faulty, contacts)
    return _with_faults(clip, size, seed)


def slide(clip: Clip, contacts: tuple[Contact, ...]) -> float:
    """How far heels and toe joints are off in their contacts, in sizes of the character: root of the mean square."""
    marks = clip.skeleton.landmarks
    squares = []
    for contact in contacts:
        heel = clip.position(marks.require(f"{contact.foot}_heel"))[contact.heel_strike : contact.heel_off + 1]
        toe = clip.position(marks.require(f"{contact.foot}_toe"))[contact.toe_strike : contact.toe_off + 1]
        squares += [((heel - contact.heel) ** 2).sum(axis=1), ((toe - contact.toe) ** 2).sum(axis=1)]
    return float(np.sqrt(np.concatenate(squares).mean()) / clip.skeleton.size)


def _with_faults(clip: Clip, size: float, seed: int) -> Clip:
    skeleton, rng = clip.skeleton, np.random.default_rng(seed)
    times = np.arange(clip.frames) / clip.fps

    def fault() -> Array:
        return size * standing(np.stack([_wobble(times, rng) for _ in range(3)], axis=-1), skeleton.up)

    turned, moved = clip.motion.rotations.copy(), clip.motion.translations.copy()
    moved[:, 0] += _ROOT_SHARE * skeleton.size * fault()
    turned[:, 0] = rotations.multiply(turned[:, 0], rotations.exp(fault()))
    for side in ("l_", "r_"):
        for name in _WRONG_BALLS:
            joint = skeleton.index(side + name)
            turned[:, joint] = rotations.multiply(turned[:, joint], rotations.exp(fault()))
        for name, axis in _WRONG_HINGES.items():
            joint = skeleton.index(side + name)
            bend = size * _wobble(times, rng)[:, None] * standing(axis, skeleton.up)
            turned[:, joint] = rotations.multiply(turned[:, joint], rotations.exp(bend))
    return clip.with_motion(Motion(turned, moved))


def _wobble(times: Array, rng: np.random.Generator) -> Array:
    """(frames,) a smooth random function of time, about 1 large, in which slow waves are the largest."""
    frequencies = np.exp(rng.uniform(np.log(_SLOWEST), np.log(_FASTEST), _WAVES))
    phases = rng.uniform(0.0, 2.0 * np.pi, _WAVES)
    heights = 1.0 / frequencies
    waves = heights * np.sin(2.0 * np.pi * frequencies * times[:, None] + phases)
    return np.asarray(waves.sum(axis=1) / np.sqrt(0.5 * (heights**2).sum()))

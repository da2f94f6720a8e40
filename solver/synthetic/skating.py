# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds the faults of captured motion: feet that slide and float in their contacts."""

from __future__ import annotations

import numpy as np

from ..body.clip import Clip
from ..body.motion import Motion
from ..core import rotations
from ..core.arrays import Array
from ..core.errors import MotionError
from .axes import from_y_up
from .contacts import Contact

LARGEST = 0.2
"""The largest amount, in sizes of the character: beyond it a foot no longer stands."""

_SLOWEST, _FASTEST = 0.4, 3.0
"""Hertz. Captures drift and wobble in this band; faster noise has been filtered away."""
_WAVES = 6
"""Sinusoids in a fault: enough that it does not look periodic."""

_ROOT_SHARE = 1.0
"""Translation error of the root, in sizes of the character, for each radian of rotation error of the joints."""
_FAULTY_BALLS = ("hip", "talocrural")
_FAULTY_HINGES = {"knee": (1.0, 0.0, 0.0)}

_CALIBRATIONS = 4
"""Iterations that scale the faults to the wanted amount: feet move nearly in proportion to them."""


def skated(clip: Clip, contacts: tuple[Contact, ...], amount: float, seed: int) -> Clip:
    """The clip with small smooth errors of the root and the legs.

    In the contacts, heels and balls then deviate from their true places by `amount`, in sizes of the character: the
    root mean square over all of them and their frames. The same `seed` gives the same faults at any frame rate.
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
    """Root mean square deviation of heels and balls from their contacts, in sizes of the character."""
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
        return size * from_y_up(np.stack([_wobble(times, rng) for _ in range(3)], axis=-1), skeleton.up)

    rotated, translated = clip.motion.rotations.copy(), clip.motion.translations.copy()
    translated[:, 0] += _ROOT_SHARE * skeleton.size * fault()
    rotated[:, 0] = rotations.multiply(rotated[:, 0], rotations.exp(fault()))
    for side in ("l_", "r_"):
        for name in _FAULTY_BALLS:
            joint = skeleton.index(side + name)
            rotated[:, joint] = rotations.multiply(rotated[:, joint], rotations.exp(fault()))
        for name, axis in _FAULTY_HINGES.items():
            joint = skeleton.index(side + name)
            bend = size * _wobble(times, rng)[:, None] * from_y_up(axis, skeleton.up)
            rotated[:, joint] = rotations.multiply(rotated[:, joint], rotations.exp(bend))
    return clip.with_motion(Motion(rotated, translated))


def _wobble(times: Array, rng: np.random.Generator) -> Array:
    """(frames,) a sum of random sinusoids with amplitudes inverse to their frequencies, scaled to unit variance."""
    frequencies = np.exp(rng.uniform(np.log(_SLOWEST), np.log(_FASTEST), _WAVES))
    phases = rng.uniform(0.0, 2.0 * np.pi, _WAVES)
    heights = 1.0 / frequencies
    waves = heights * np.sin(2.0 * np.pi * frequencies * times[:, None] + phases)
    return np.asarray(waves.sum(axis=1) / np.sqrt(0.5 * (heights**2).sum()))

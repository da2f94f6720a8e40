# SPDX-License-Identifier: GPL-3.0-or-later
"""Muscles: a damped spring at each joint whose rest value is unknown (Popović 1999, section 3.5).

A muscle pulls with the torque k (m - q) + d (m' - q'), where q is the value of the joint and m the rest value. In print
(equations 3.15 and 4.21) the sign of the spring is reversed, and the muscle would push away from its rest value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.arrays import Array

TYPICAL_STRETCH = 0.5
"""Radians, or sizes of the character: how far the rest value is from the joint's where the source needs most torque."""

DAMPING_TIME = 0.1
"""Damping over stiffness, in units of √(size / gravity): about 30 ms, as the printed 0.04 / 4.0 is of a second."""

LEAST_TORQUE = 0.05
"""Body weights times size: the peak of a joint that the source hardly uses."""

STRENGTH = 3.0
"""The largest torque, in multiples of the largest that the source needs."""

LEAST_STRENGTH = 0.5
"""Body weights times size: every joint can give this much, about what a strong hip or knee does."""


@dataclass(frozen=True, eq=False)
class Muscles:
    """The muscles of all joints, in units of the character."""

    stiffness: Array
    """(joints,) the torque of a muscle whose rest value is 1 away."""
    damping: Array
    """(joints,) the torque of a muscle whose rest value moves away by 1 per unit of time."""
    limit: Array
    """(joints,) the largest torque (of a translation: force)."""

    @property
    def parameters(self) -> Array:
        """(2 · joints,) stiffness and damping."""
        return np.concatenate([self.stiffness, self.damping])

    def torques(self, values: Array, rates: Array, rests: Array, rest_rates: Array) -> Array:
        """(…, joints) the torques at given values of joints and muscles."""
        return np.asarray(self.stiffness * (rests - values) + self.damping * (rest_rates - rates))


def muscles_for(torques: Array) -> Muscles:
    """Muscles for the torques (instants, joints) that a source needs.

    The 95th percentile stands for the peak: single instants, as those of an impact, would make all muscles stiff.
    """
    peaks = np.maximum(np.quantile(np.abs(torques), 0.95, axis=0), LEAST_TORQUE)
    stiffness = peaks / TYPICAL_STRETCH
    limit = np.maximum(STRENGTH * np.abs(torques).max(axis=0, initial=0.0), LEAST_STRENGTH)
    return Muscles(stiffness, DAMPING_TIME * stiffness, limit)

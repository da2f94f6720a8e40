# SPDX-License-Identifier: GPL-3.0-or-later
"""How edited footprints carry the rest of the motion along: a turn about the vertical and a shift for every instant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.arrays import Array
from ...core.smooth_steps import smooth_step
from ..handles.handle import Handle
from ..problem.stances import Stance


@dataclass(frozen=True, eq=False)
class GroundChange:
    """The turn and the shift of the ground under each of some stances; between them in time both are interpolated."""

    begins: Array
    """(stances,) ascending"""
    ends: Array
    turns: Array
    """(stances,) radians about the vertical."""
    shifts: Array
    """(stances, 3) added after the turn about the origin."""
    up: Array

    def at(self, times: Array) -> tuple[Array, Array]:
        """Turns (times,) and shifts (times, 3) at times."""
        if not len(self.begins):
            return np.zeros(len(times)), np.zeros((len(times), 3))
        changes = np.concatenate([self.turns[:, None], self.shifts], axis=1)
        inside = (times[:, None] >= self.begins) & (times[:, None] <= self.ends)
        count = inside.sum(axis=1)
        mean = inside @ changes / np.maximum(count, 1)[:, None]
        before = np.where(self.ends < times[:, None], self.ends, -np.inf).argmax(axis=1)
        after = np.where(self.begins > times[:, None], self.begins, np.inf).argmin(axis=1)
        is_first, is_last = ~(self.ends < times[:, None]).any(axis=1), ~(self.begins > times[:, None]).any(axis=1)
        before, after = np.where(is_first, after, before), np.where(is_last, before, after)
        span = self.begins[after] - self.ends[before]
        share = smooth_step((times - self.ends[before]) / np.where(span > 0.0, span, 1.0))
        between = changes[before] + share[:, None] * (changes[after] - changes[before])
        found = np.where((count > 0)[:, None], mean, between)
        return found[:, 0], found[:, 1:]

    def moved(self, handle: Handle, values: Array, times: Array) -> Array:
        """(times, width) values of a handle, carried along."""
        if handle.width != 3:
            return values
        turns, shifts = self.at(times)
        turned = turned_about(values, turns, self.up)
        return turned + shifts if handle.is_length else turned


def ground_change(stances: Sequence[Stance], turns: Sequence[float], shifts: Array, up: Array) -> GroundChange:
    """The change for stances that turn about their own places and are then shifted (stances, 3)."""
    order = np.argsort([stance.begin for stance in stances])
    places = np.array([stance.place for stance in stances]).reshape(-1, 3)
    angles = np.asarray(turns, dtype=np.float64)
    moved = places - turned_about(places, angles, up) + np.asarray(shifts, dtype=np.float64).reshape(-1, 3)
    begins, ends = (np.array([getattr(stance, name) for stance in stances]) for name in ("begin", "end"))
    return GroundChange(begins[order], ends[order], angles[order], moved[order], up)


def turned_about(vectors: Array, angles: Array, up: Array) -> Array:
    """(n, 3) vectors turned about the vertical through the origin by angles (n,)."""
    cosines, sines = np.cos(angles)[:, None], np.sin(angles)[:, None]
    along = np.outer(vectors @ up, up)
    return np.asarray(along + cosines * (vectors - along) + sines * np.cross(up, vectors))

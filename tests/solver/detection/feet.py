# SPDX-License-Identifier: GPL-3.0-or-later
"""A foot as a single body that walks, runs and walks again, and one that taps the floor, with true plants."""

from __future__ import annotations

import numpy as np

from poise.solver import MovingObject
from poise.solver.core import rotations
from poise.solver.core.arrays import Array

WALKED, RAN = (18, 14, 1.4), (6, 12, 2.4)
"""Frames on the floor, frames in the air, and the way from plant to plant."""


def walk_run_walk(
    rng: np.random.Generator,
    *,
    start: float = 0.0,
    walk_noise: float = 1e-3,
    run_noise: float = 1e-2,
    gently: bool = False,
) -> tuple[MovingObject, list[tuple[int, int]]]:
    """Four plants walking, six running, four walking, along x; running feet tremble more than walking ones."""
    gaits = [WALKED] * 4 + [RAN] * 6 + [WALKED] * 4
    return stepping(rng, gaits, [run_noise if gait is RAN else walk_noise for gait in gaits], start, gently)


def stepping(
    rng: np.random.Generator,
    gaits: list[tuple[int, int, float]],
    noises: list[float],
    start: float = 0.0,
    gently: bool = False,
) -> tuple[MovingObject, list[tuple[int, int]]]:
    """One plant for each gait, each with its own noise; first and last frame of each, and where the foot is.

    Feet leave and arrive at full speed, or gently.
    """
    places: list[Array] = []
    pitches: list[Array] = []
    noise: list[Array] = []
    plants = []
    at, frame = start, 0
    for (stands, swings, stride), level in zip(gaits, noises, strict=True):
        places.append(np.tile([at, 0.0, 0.0], (stands, 1)))
        pitches.append(np.zeros(stands))
        plants.append((frame, frame + stands - 1))
        share = np.arange(1, swings + 1) / (swings + 1)
        if gently:
            share = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
        places.append(np.stack([at + stride * share, 0.3 * np.sin(np.pi * share), 0.0 * share], axis=1))
        pitches.append(0.8 * np.sin(2.0 * np.pi * share))
        noise.append(np.full(stands + swings, level))
        at, frame = at + stride, frame + stands + swings
    path, levels = np.concatenate(places), np.concatenate(noise)[:, None]
    turned = rotations.from_axis_angle([0.0, 0.0, 1.0], np.concatenate(pitches))
    trembling = rotations.exp(levels * rng.standard_normal(path.shape))
    return (
        MovingObject(
            path + levels * rng.standard_normal(path.shape), np.asarray(rotations.multiply(trembling, turned))
        ),
        plants,
    )


def plant_flags(plants: list[tuple[int, int]], frames: int) -> Array:
    """(frames,) 1.0 on the floor."""
    held = np.zeros(frames)
    for begin, end in plants:
        held[begin : end + 1] = 1.0
    return held

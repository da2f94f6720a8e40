# SPDX-License-Identifier: GPL-3.0-or-later
"""The clips of the detection benchmark: a captured foot, and made-up objects that rest, turn and slide."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise import solver
from poise.solver.core import rotations
from poise.solver.core.arrays import Array

from .planted_walk import FPS, PlantedWalk

NOISE = 1e-3
"""Noise on each axis, in sizes of the character and in radians: that of raw captures."""

LASTING = 20
"""Frames for which a made-up object rests, turns about one line, or slides."""

SEED = 4


@dataclass(frozen=True, eq=False)
class DetectionWorkload:
    """A clip, the body part or object to examine, and templates of all kinds of constraints."""

    clip: solver.Clip
    body: str | solver.MovingObject
    templates: tuple[solver.Template, ...]

    def fresh(self) -> solver.Clip:
        """A copy of the clip without cached results."""
        return solver.Clip(self.clip.skeleton, self.clip.motion, self.clip.fps)


def repeated(clip: solver.Clip, frames: int) -> solver.Clip:
    """The clip, played forward and backward until it has `frames` frames."""
    there_and_back = np.concatenate([np.arange(clip.frames), np.arange(clip.frames - 2, 0, -1)])
    chosen = np.resize(there_and_back, frames)
    return clip.with_motion(solver.Motion(clip.motion.rotations[chosen], clip.motion.translations[chosen]))


def foot(walk: PlantedWalk, frames: int) -> DetectionWorkload:
    """The left foot of a walk: it is planted flat, then rolls over its ball."""
    clip = repeated(walk.clip, frames)
    plant = next(plant for plant in walk.plants if plant.foot == "left" and plant.heel_off and plant.toe_strike)
    flat, off = int(plant.toe_strike or 0), int(plant.heel_off or 0)
    left = int(plant.toe_off or 0)
    templates = [solver.Template(flat, off), solver.Template(off, left, "line"), solver.Template(off, left, "point")]
    return DetectionWorkload(clip, clip.skeleton.names[clip.skeleton.landmarks.require("left_ankle")], tuple(templates))


def tumbling(clip: solver.Clip) -> DetectionWorkload:
    """An object beside a clip that rests, rolls over an edge, rests, turns about a point, and so on to the end."""
    clip = replace(clip, fps=FPS)
    rng = np.random.default_rng(SEED)
    place, turned = np.zeros(3), rotations.IDENTITY
    parts: list[tuple[Array, Array]] = []
    for number in range(-(-clip.frames // LASTING)):
        share = np.linspace(0.0, 1.0, LASTING)[:, None]
        free, still = _free_curve(share), np.zeros((LASTING, 3))
        about = [still, share * [1.5, 0.0, 0.0], still, free][number % 4]
        center = place + np.array([0.0, -0.5, 0.5])
        turns = rotations.exp(about)
        parts.append((center + rotations.rotate(turns, place - center), rotations.multiply(turns, turned)))
        place, turned = parts[-1][0][-1], parts[-1][1][-1]
    places, rotated = (np.concatenate(each)[: clip.frames] for each in zip(*parts, strict=True))
    size = clip.skeleton.size
    trembling = rotations.exp(NOISE * rng.standard_normal(places.shape))
    body = solver.MovingObject(
        size * (places + NOISE * rng.standard_normal(places.shape)), np.asarray(rotations.multiply(trembling, rotated))
    )
    first = LASTING - 1
    templates = [
        solver.Template(0, first),
        solver.Template(first + 1, first + LASTING, "line"),
        solver.Template(first + 2 * LASTING + 1, first + 3 * LASTING, "point"),
    ]
    return DetectionWorkload(clip, body, tuple(templates))


def sliding(clip: solver.Clip) -> DetectionWorkload:
    """An object beside a clip that slides along a line, rests, wipes a plane, and swings freely, again and again."""
    clip = replace(clip, fps=FPS)
    rng = np.random.default_rng(SEED)
    place = np.zeros(3)
    parts: list[Array] = []
    while sum(len(part) for part in parts) < clip.frames:
        way = unit(rng.standard_normal(3))
        pulled = place + 0.5 * np.linspace(0.0, 1.0, 2 * LASTING)[:, None] * way
        time = np.arange(5 * LASTING) / FPS
        strokes = np.stack([0.3 * np.sin(4.1 * time), np.zeros(len(time)), 0.2 * np.sin(6.7 * time)], axis=1)
        swing = _free_curve(np.linspace(0.0, 1.0, 2 * LASTING)[:, None])
        parts += [pulled, np.tile(pulled[-1], (LASTING, 1)), pulled[-1] + strokes, pulled[-1] + strokes[-1] + swing]
        place = parts[-1][-1]
    places = np.concatenate(parts)[: clip.frames]
    places = clip.skeleton.size * (places + NOISE * rng.standard_normal(places.shape))
    return DetectionWorkload(clip, solver.MovingObject(places, np.tile(rotations.IDENTITY, (clip.frames, 1))), ())


def unit(vector: Array) -> Array:
    """The vector scaled to length 1."""
    return vector / float(np.linalg.norm(vector))


def _free_curve(share: Array) -> Array:
    """(n, 3) a curve in space that starts at 0, for shares (n, 1) of the time."""
    return np.concatenate([0.9 * np.sin(2.0 * share), 1.5 * share, 0.7 * share**2], axis=1)

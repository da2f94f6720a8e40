# SPDX-License-Identifier: GPL-3.0-or-later
"""Walks and runs in place, as in games: one cycle of a made-up gait without its travel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from poise.examples.detection.gaits import Spans, running
from poise.examples.detection.scores import spans_of
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Up
from poise.solver.core.arrays import Array
from poise.solver.synthetic import walk

Ends = Literal["again", "before", "short"]
"""The last frame is the first one again, or the one before it; or the first one again, less than a frame too early."""

STEP_LENGTH = 0.72


@dataclass(frozen=True, eq=False)
class InPlace:
    """A cycle in place, with its true contacts and ground velocity."""

    clip: Clip
    velocity: Array
    """(3,) of the ground, in the clip's units a second."""
    stands: Spans
    """When heels and balls stand; the last frame is left out where it is the first one again."""
    period: float
    """Frames."""

    @property
    def frames(self) -> int:
        """Frames before the cycle repeats."""
        return int(np.ceil(self.period))


def walk_in_place(
    fps: float = 30.0,
    seconds: float = 1.1,
    *,
    ends: Ends = "again",
    first: float = 0.3,
    heading: float = 0.0,
    up: Up = "y",
    skate: float = 0.0,
    sway: float = 0.0,
    scale: float = 1.0,
) -> InPlace:
    """One cycle of two steps, from `first` cycles after a walk's begin.

    By `skate` sizes the feet slide as captured ones do, so that the ends no longer meet; by `sway` sizes the whole body
    is moved to and fro once a cycle, and the feet with it, so that they do.
    """
    frames = round(seconds * fps)
    period = frames - 0.2 if ends == "short" else float(frames)
    speed = 2.0 * STEP_LENGTH * fps / period
    motion = walk(steps=6, fps=fps, step_length=STEP_LENGTH, speed=speed, heading=heading, up=up, skate=skate, seed=3)
    size = motion.clip.skeleton.size
    begin = round((first + 0.5) * period)
    ahead = motion.contacts[2].heel - motion.contacts[0].heel
    velocity = -speed * size * ahead / np.linalg.norm(ahead)
    return cycle(motion.clip, spans_of(motion.contacts), begin, period, velocity, ends, scale, sway)


def run_in_place(ends: Ends = "again", scale: float = 1.0) -> InPlace:
    """One cycle of a run on the balls, 17 frames at 30 a second."""
    clip, stands = running()
    period = 17
    return cycle(clip, stands, 40, float(period), np.array([0.0, 0.0, -2.8 * clip.fps / period]), ends, scale)


def cycle(
    clip: Clip,
    stands: Spans,
    begin: int,
    period: float,
    velocity: Array,
    ends: Ends,
    scale: float = 1.0,
    sway: float = 0.0,
) -> InPlace:
    """One cycle of a gait over still ground as a cycle in place; the ground has a velocity (3,)."""
    frames = int(np.ceil(period))
    chosen = np.arange(begin, begin + frames)
    turned, moved = clip.motion.rotations[chosen].copy(), clip.motion.translations[chosen].copy()
    moved[:, 0] += np.arange(frames)[:, None] / clip.fps * velocity
    phase = 2.0 * np.pi * np.arange(frames)[:, None] / period
    ahead = -velocity / np.linalg.norm(velocity)
    moved[:, 0] += sway * clip.skeleton.size * (np.sin(phase + 0.5) * ahead + 0.5 * np.cos(phase) * ahead[[2, 1, 0]])
    if ends != "before":
        turned, moved = np.concatenate([turned, turned[:1]]), np.concatenate([moved, moved[:1]])
    own = {
        key: [(max(first, begin) - begin, min(last, chosen[-1]) - begin) for first, last in spans]
        for key, spans in (
            (key, [span for span in spans if span[1] >= begin and span[0] <= chosen[-1]])
            for key, spans in stands.items()
        )
    }
    made = replace(clip, skeleton=clip.skeleton.scaled(scale), motion=Motion(turned, scale * moved))
    return InPlace(made, scale * velocity, own, period)

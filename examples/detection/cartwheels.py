# SPDX-License-Identifier: GPL-3.0-or-later
"""A human who stands, turns a cartwheel to the left, and stands, with the frames in which each hand supports it."""

from __future__ import annotations

import numpy as np

from poise.solver.body.clip import Clip
from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.synthetic import human

from ...solver.core.smooth_steps import smooth_step

STANDS, TURNS = 1.0, 1.5
"""Seconds on the feet before and after, and head over heels."""

WAY = 2.0
"""How far the cartwheel goes, in sizes of the character: somewhat less than it would roll."""

SUPPORTS = {"left": (0.30, 0.56), "right": (0.42, 0.70)}
"""The interval in which each hand supports the body, as shares of the turn; the left one comes down first."""

LANDS = 0.08
"""The share of the turn in which a hand comes down to its place, and in which it leaves it."""

PALM = 0.08
"""The height of a wrist above the floor, in sizes of the character."""


def cartwheel(
    fps: float = 30.0, slide: float = 0.0, jitter: float = 0.0, seed: int = 0
) -> tuple[Clip, dict[str, Array]]:
    """The clip, and by hand the flags (frames,) of the frames in which it supports the body.

    Meanwhile its wrist slides by `slide` in all, with Gaussian noise of `jitter` on each axis, both in sizes.
    """
    rng = np.random.default_rng(seed)
    skeleton = human()
    size, marks = skeleton.size, skeleton.landmarks
    frames = round((2.0 * STANDS + TURNS) * fps) + 1
    share = (np.arange(frames) / fps - STANDS) / TURNS
    turned = np.tile(skeleton.rest_rotations, (frames, 1, 1))
    moved = np.tile(skeleton.offsets, (frames, 1, 1))
    progress = smooth_step(share)
    raised = np.minimum(smooth_step(share / 0.25 + 0.5), smooth_step((1.0 - share) / 0.25 + 0.5))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        shoulder = getattr(marks, f"{side}_shoulder")
        lifted = rotations.from_axis_angle([0.0, 0.0, 1.0], sign * 2.6 * raised)
        turned[:, shoulder] = rotations.multiply(turned[:, shoulder], lifted)
    turned[:, 0] = rotations.multiply(rotations.from_axis_angle([0.0, 0.0, 1.0], -2.0 * np.pi * progress), turned[:, 0])
    moved[:, 0, 0] += WAY * size * progress
    world = WorldState.of(skeleton, Motion(turned, moved))
    supports: dict[str, Array] = {}
    for side, (begin, end) in SUPPORTS.items():
        wrist, elbow = getattr(marks, f"{side}_wrist"), getattr(marks, f"{side}_elbow")
        free = world.positions[:, wrist]
        held = (share >= begin) & (share <= end)
        supports[side] = held.astype(np.float64)
        place = free[held].mean(axis=0)
        place[1] = PALM * size
        along = np.clip((share - begin) / (end - begin), 0.0, 1.0)[:, None]
        planted = place + size * (slide * along * np.array([1.0, 0.0, 0.0]))
        weight = np.minimum(smooth_step((share - begin) / LANDS + 1.0), smooth_step((end - share) / LANDS + 1.0))[
            :, None
        ]
        target = free + weight * (planted - free) + jitter * size * rng.standard_normal(free.shape)
        back = rotations.conjugate(world.rotations[:, elbow])
        moved[:, wrist] = rotations.rotate(back, target - world.positions[:, elbow])
    return Clip(skeleton, Motion(turned, moved), fps), supports

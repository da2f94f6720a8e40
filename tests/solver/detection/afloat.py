# SPDX-License-Identifier: GPL-3.0-or-later
"""Humans without footplants: one swims, one floats without gravity."""

from __future__ import annotations

import numpy as np

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.synthetic import human


def swimming(fps: float = 30.0, seconds: float = 6.0) -> Clip:
    """Prone, ahead by a size a second, kicking with the legs and reaching ahead with the arms in turn."""
    skeleton = human()
    marks, times = skeleton.landmarks, np.arange(round(seconds * fps)) / fps
    turned = np.tile(skeleton.rest_rotations, (len(times), 1, 1))
    moved = np.tile(skeleton.offsets, (len(times), 1, 1))
    sways = rotations.exp(np.stack([1.45 + 0.1 * np.sin(3.0 * times), 0.0 * times, 0.4 * np.sin(3.0 * times)], axis=1))
    turned[:, 0] = rotations.multiply(sways, turned[:, 0])
    moved[:, 0] += skeleton.size * np.stack([0.0 * times, 0.05 * np.sin(3.0 * times), times], axis=1)
    for side, phase in (("left", 0.0), ("right", np.pi)):
        for joint, angle in (
            (getattr(marks, f"{side}_hip"), 0.35 * np.sin(9.0 * times + phase)),
            (getattr(marks, f"{side}_knee"), 0.25 - 0.25 * np.cos(9.0 * times + phase)),
            (getattr(marks, f"{side}_shoulder"), -(3.0 * times + phase)),
        ):
            bent = rotations.from_axis_angle([1.0, 0.0, 0.0], angle)
            turned[:, joint] = rotations.multiply(turned[:, joint], bent)
    return Clip(skeleton, Motion(turned, moved), fps)


def floating(fps: float = 30.0, seconds: float = 8.0) -> Clip:
    """Without gravity: adrift, tumbling about two axes at once, arms and legs moving slowly."""
    skeleton = human()
    marks, times = skeleton.landmarks, np.arange(round(seconds * fps)) / fps
    turned = np.tile(skeleton.rest_rotations, (len(times), 1, 1))
    moved = np.tile(skeleton.offsets, (len(times), 1, 1))
    turned[:, 0] = rotations.multiply(rotations.exp(times[:, None] * [0.5, 0.15, 0.3]), turned[:, 0])
    moved[:, 0] += skeleton.size * times[:, None] * [0.1, 0.05, 0.2]
    for number, side in enumerate(("left", "right")):
        for joint in (getattr(marks, f"{side}_{part}") for part in ("hip", "knee", "shoulder", "elbow")):
            bent = rotations.from_axis_angle([1.0, 0.0, 0.0], 0.3 * np.sin(1.1 * times + number + joint))
            turned[:, joint] = rotations.multiply(turned[:, joint], bent)
    return Clip(skeleton, Motion(turned, moved), fps)

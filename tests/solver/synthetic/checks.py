# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurements of made-up characters and motions that several tests share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from poise import solver
from poise.examples.golf import golf_swing
from poise.examples.kick import kick
from poise.solver import synthetic
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.synthetic import SyntheticMotion

UPS = ("y", "z")
SIDES = {"l_": 1.0, "r_": -1.0}
"""The prefix of a side's joints, and the sign of its x coordinates."""

STILL = 1e-9
"""The largest distance of a foot in contact from its true place, in sizes of the character."""

Make = Callable[..., SyntheticMotion]
PHYSICAL: dict[str, Make] = {"run": synthetic.run, "jump": synthetic.jump, "hop": synthetic.hop}
MOTIONS: dict[str, Make] = {"walk": synthetic.walk, "kick": kick, "golf swing": golf_swing} | PHYSICAL
every_motion = pytest.mark.parametrize("make", MOTIONS.values(), ids=MOTIONS.keys())
physical_motion = pytest.mark.parametrize("make", PHYSICAL.values(), ids=PHYSICAL.keys())


def standing(skeleton: Skeleton) -> solver.Clip:
    return solver.Clip(skeleton, solver.Pose.rest(skeleton).motion)


def bent_at(skeleton: Skeleton, joint: str, rotation_vector: Array) -> solver.Clip:
    rotated = np.array(skeleton.rest_rotations)
    rotated[skeleton.index(joint)] = rotations.exp(rotation_vector)
    return solver.Clip(skeleton, solver.Pose(rotated, np.array(skeleton.offsets)).motion)


def in_drawing_axes(skeleton: Skeleton, vectors: Array) -> Array:
    """World vectors (..., 3) with x to the left, y up and z ahead, whichever axis is up."""
    return vectors if skeleton.up == "y" else np.stack([vectors[..., 0], vectors[..., 2], -vectors[..., 1]], axis=-1)


def contact_paths(motion: SyntheticMotion) -> list[tuple[str, Array, Array]]:
    """For heel and ball of each contact: its name, its path (frames, 3) during the contact, and its true place (3,)."""
    clip, marks = motion.clip, motion.clip.skeleton.landmarks
    parts = []
    for contact in motion.contacts:
        for part, first, last, truth in (
            ("heel", contact.heel_strike, contact.heel_off, contact.heel),
            ("toe", contact.toe_strike, contact.toe_off, contact.toe),
        ):
            places = clip.position(marks.require(f"{contact.foot}_{part}"))[first : last + 1]
            parts.append((f"{contact.foot} {part} from frame {first}", places, truth))
    return parts


def sole_heights(clip: solver.Clip) -> Array:
    """(points, frames) heights of heels, balls and toe tips above the origin."""
    marks = clip.skeleton.landmarks
    names = [f"{side}_{part}" for side in ("left", "right") for part in ("heel", "toe", "toe_tip")]
    return np.stack([clip.position(marks.require(name))[:, clip.skeleton.up_axis] for name in names])


def angular_accelerations(clip: solver.Clip) -> Array:
    """(frames - 2, joints, 3) of each joint in its parent's frame, radians a second squared."""
    q = clip.motion.rotations
    speed = rotations.log(rotations.multiply(q[1:], rotations.conjugate(q[:-1]))) * clip.fps
    return np.asarray(np.diff(speed, axis=0) * clip.fps)


def accelerations(clip: solver.Clip) -> Array:
    """(frames - 2, joints) magnitudes of the angular accelerations, radians a second squared."""
    return np.asarray(np.linalg.norm(angular_accelerations(clip), axis=-1))

# SPDX-License-Identifier: GPL-3.0-or-later
"""The same character and motion with other rest poses."""

from __future__ import annotations

import numpy as np

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.synthetic.axes import from_y_up

REST_POSES: dict[str, dict[str, tuple[float, float, float]]] = {
    "T-pose": {"l_shoulder": (0.0, 0.0, 1.45), "r_shoulder": (0.0, 0.0, -1.45)},
    "A-pose": {"l_shoulder": (0.0, 0.0, 0.7), "r_shoulder": (0.0, 0.0, -0.7)},
    "arms forward": {"l_shoulder": (-1.5, 0.0, 0.0), "r_shoulder": (-1.5, 0.0, 0.0)},
    "feet apart and turned out": {
        "l_hip": (0.0, 0.5, 0.25),
        "r_hip": (0.0, -0.5, -0.25),
        "l_talocrural": (0.0, 0.0, -0.25),
        "r_talocrural": (0.0, 0.0, 0.25),
    },
    "knees bent": {
        "l_hip": (-0.6, 0.0, 0.0),
        "r_hip": (-0.6, 0.0, 0.0),
        "l_knee": (1.1, 0.0, 0.0),
        "r_knee": (1.1, 0.0, 0.0),
        "l_talocrural": (-0.5, 0.0, 0.0),
        "r_talocrural": (-0.5, 0.0, 0.0),
    },
    "bones rolled": {},
}
"""Rotation vectors by which joints of the made-up human are turned from its standard posture, y up; the last one has
only other axes of its bones."""


def with_rest(clip: Clip, name: str, seed: int = 8) -> Clip:
    """A clip of the made-up human with the same motion in the world on a skeleton with another rest pose.

    Rotations at rest are turned away from the axes of the world too, as Blender's bones are.
    """
    skeleton = clip.skeleton
    rolls = rotations.random(np.random.default_rng(seed), len(skeleton))
    turned = np.tile(rotations.IDENTITY, (len(skeleton), 1))
    for joint, vector in REST_POSES[name].items():
        turned[skeleton.index(joint)] = rotations.exp(from_y_up(vector, skeleton.up))
    rest = rotations.multiply(skeleton.rest_rotations, turned)
    # With B = A · roll for the frame B of each joint and its old one A, local transforms change on both sides.
    above = np.where(skeleton.tree.has_parent[:, None], rolls[skeleton.parents], rotations.IDENTITY)
    back = rotations.conjugate(above)
    marks = {
        mark: BodyPoint(int(point.joint), tuple(rotations.rotate(rotations.conjugate(rolls[point.joint]), point.local)))
        for mark in ("left_heel", "right_heel", "left_ball", "right_ball", "left_toe_tip", "right_toe_tip")
        if (point := getattr(skeleton.landmarks, mark)) is not None
    }
    other = skeleton.replace(
        offsets=rotations.rotate(back, skeleton.offsets),
        rest_rotations=rotations.multiply(rotations.multiply(back, rest), rolls),
        tips=tuple(
            BodyPoint(int(tip.joint), tuple(rotations.rotate(rotations.conjugate(rolls[tip.joint]), tip.local)))
            for tip in skeleton.tips
        ),
        hinge_axes=rotations.rotate(rotations.conjugate(rolls), skeleton.hinge_axes),
        set_landmarks=marks,
        set_masses=dict(enumerate(skeleton.masses)),
    )
    motion = Motion(
        rotations.multiply(rotations.multiply(back, clip.motion.rotations), rolls),
        rotations.rotate(back, clip.motion.translations),
    )
    return Clip(other, motion, clip.fps)

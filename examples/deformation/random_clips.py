# SPDX-License-Identifier: GPL-3.0-or-later
"""Random skeletons of a few joints, with limits, and random motions of them."""

from __future__ import annotations

import math

import numpy as np

from ...solver.body.clip import Clip
from ...solver.body.joints import JointKind
from ...solver.body.limits import BallLimit, HingeLimit, JointLimit, SwingCone, SwingPolygon
from ...solver.body.motion import Motion
from ...solver.body.skeleton import Skeleton
from ...solver.core import rotations
from ...solver.core.arrays import Array

RATES = (24.0, 30.0, 60.0, 120.0)
"""Frames a second."""
FASTEST = 3.5
"""Oscillations a second of the fastest smooth movement."""
SCALES = (1.0, 1.0, 0.01, 100.0)
"""Lengths of bones in the clip's units: about one metre, in metres, in hectometres and in centimetres."""
WIDEST = math.pi - 0.05
"""Radians: the widest angle of a cone and the widest margin of a range."""

Rng = np.random.Generator


def random_clip(rng: Rng) -> Clip:
    """A clip of 5 to 60 frames of a skeleton of 2 to 8 joints, some of them with limits."""
    skeleton, frames, fps = random_skeleton(rng), int(rng.integers(5, 61)), float(rng.choice(RATES))
    motion = random_motion(rng, skeleton, frames, fps)
    return Clip(skeleton.replace(limits=random_limits(rng, skeleton, motion)), motion, fps)


def random_skeleton(rng: Rng, most_joints: int = 8) -> Skeleton:
    """A chain or a tree of 2 joints or more, of all kinds, some at the place of their parents."""
    joints = int(rng.integers(2, most_joints + 1))
    is_chain = rng.random() < 0.4
    parents = [-1, *(joint - 1 if is_chain else int(rng.integers(joint)) for joint in range(1, joints))]
    root = rng.choice(["free", "fixed", "ball"], p=[0.6, 0.2, 0.2])
    others = rng.choice(["ball", "hinge", "fixed", "free"], size=joints - 1, p=[0.57, 0.3, 0.07, 0.06])
    kinds = tuple(JointKind(str(kind)) for kind in [root, *others])
    lengths = rng.choice(SCALES) * rng.uniform(0.1, 1.2, joints) * (rng.random(joints) > 0.1)
    directions = np.eye(3)[rng.integers(3, size=joints)] if rng.random() < 0.5 else _directions(rng, joints)
    rest = np.tile(rotations.IDENTITY, (joints, 1)) if rng.random() < 0.5 else rotations.random(rng, joints)
    return Skeleton(
        names=tuple(f"joint {joint}" for joint in range(joints)),
        parents=np.array(parents),
        offsets=lengths[:, None] * directions,
        rest_rotations=rest,
        kinds=kinds,
        hinge_axes=_directions(rng, joints),
        stiffness=np.ones(joints) if rng.random() < 0.7 else rng.uniform(0.3, 3.0, joints),
        set_masses={joint: float(rng.uniform(0.1, 5.0) * (rng.random() > 0.2)) for joint in range(joints)},
        up="y" if rng.random() < 0.5 else "z",
    )


def random_motion(rng: Rng, skeleton: Skeleton, frames: int, fps: float) -> Motion:
    """Joints that oscillate smoothly, sometimes with trembling on top, sometimes without any movement.

    Joints keep to their kinds: hinges turn about their axes, fixed joints rest, only free joints translate.
    """
    joints, kinds = len(skeleton), np.array(skeleton.kinds)
    moves = rng.random() > 0.12
    tremble = 0.02 * rng.random() if rng.random() < 0.2 else 0.0
    amplitude = rng.uniform(0.1, 1.5)
    vectors = _oscillations(rng, frames, fps, (joints, 3), moves, amplitude, tremble)
    angles = np.einsum("fji,ji->fj", vectors, skeleton.hinge_axes)[..., None] * skeleton.hinge_axes
    vectors = np.where((kinds == JointKind.HINGE)[:, None], angles, vectors)
    vectors = np.where((kinds == JointKind.FIXED)[:, None], 0.0, vectors)
    shifts = skeleton.size * _oscillations(rng, frames, fps, (joints, 3), moves, 0.3, 0.2 * tremble)
    translations = skeleton.offsets + np.where((kinds == JointKind.FREE)[:, None], shifts, 0.0)
    local = rotations.multiply(skeleton.rest_rotations, rotations.exp(vectors))
    return Motion(rotations.continuous(rotations.normalize(local)), translations)


def _oscillations(
    rng: Rng, frames: int, fps: float, shape: tuple[int, int], moves: bool, amplitude: float, tremble: float
) -> Array:
    """(frames, *shape) a constant, with two oscillations about it where something moves, and white noise."""
    seconds = np.arange(frames) / fps
    values = np.tile(0.5 * amplitude * rng.standard_normal(shape), (frames, 1, 1))
    for _ in range(2 if moves else 0):
        rate, phase = rng.uniform(0.2, FASTEST, shape), rng.uniform(0.0, 2.0 * np.pi, shape)
        wave = np.sin(2.0 * np.pi * np.multiply.outer(seconds, rate) + phase)
        values += 0.5 * amplitude * rng.standard_normal(shape) * wave
    return np.asarray(values + tremble * rng.standard_normal((frames, *shape)))


# Limits -------------------------------------------------------------------------------------------------------------


def random_limits(rng: Rng, skeleton: Skeleton, motion: Motion) -> dict[int, JointLimit]:
    """Limits of some joints, of all shapes; about two thirds of them are wide enough for the motion."""
    limits: dict[int, JointLimit] = {}
    if rng.random() < 0.3:
        return limits
    for joint, kind in enumerate(skeleton.kinds):
        if kind is JointKind.FIXED or rng.random() < 0.5:
            continue
        relative = rotations.multiply(rotations.conjugate(skeleton.rest_rotations[joint]), motion.rotations[:, joint])
        is_wide = rng.random() < 0.67
        if kind is JointKind.HINGE:
            limits[joint] = HingeLimit(*_range(rng, relative, skeleton.hinge_axes[joint], is_wide))
            continue
        axis = _directions(rng, 1)[0]
        shape = rng.integers(3)
        twist = _range(rng, relative, axis, is_wide) if shape == 0 or rng.random() < 0.4 else None
        bone = rotations.rotate(relative, axis)
        swing = (None, _cone(rng, bone, axis, is_wide), _polygon(rng, bone, is_wide))[shape]
        limits[joint] = BallLimit(axis, twist=twist, swing=swing)
    return limits


def _range(rng: Rng, relative: Array, axis: Array, is_wide: bool) -> tuple[float, float]:
    """A range of the angle about an axis, around that of the motion, or around the rest."""
    if not is_wide:
        return -float(rng.uniform(0.05, 1.5)), float(rng.uniform(0.05, 1.5))
    angles = np.unwrap(rotations.twist_angle(relative, axis))
    low, high = float(angles.min() - rng.uniform(0.01, 0.3)), float(angles.max() + rng.uniform(0.01, 0.3))
    return (low, high) if high - low < 2.0 * WIDEST else (-WIDEST, WIDEST)


def _cone(rng: Rng, bone: Array, axis: Array, is_wide: bool) -> SwingCone:
    """A cone about the axis; a wide one holds the bone's directions (frames, 3)."""
    u, v = rng.uniform(0.2, 1.5, 2)
    if is_wide:
        u, v = _largest_angle(bone, axis) + rng.uniform(0.01, 0.3, 2)
    return SwingCone(min(float(u), WIDEST), min(float(v), WIDEST))


def _polygon(rng: Rng, bone: Array, is_wide: bool) -> SwingPolygon:
    """A polygon of 3 to 6 corners around the mean of the bone's directions (frames, 3), or beside it."""
    center = bone.mean(axis=0)
    center = center / np.linalg.norm(center) if np.linalg.norm(center) > 0.1 else bone[0]
    corners = int(rng.integers(4, 7)) if is_wide else int(rng.integers(3, 7))
    radii = rng.uniform(0.3, 1.3, corners)
    if is_wide:
        # Edges of a spherical polygon come nearer to its center than its corners, by less than a half here.
        radii = np.minimum(1.45, 1.6 * _largest_angle(bone, center) + rng.uniform(0.05, 0.5, corners))
    turns = 2.0 * np.pi * (np.arange(corners) + rng.uniform(-0.2, 0.2, corners)) / corners
    first = np.cross(center, np.eye(3)[np.argmin(np.abs(center))])
    first /= np.linalg.norm(first)
    around = np.cos(turns)[:, None] * first + np.sin(turns)[:, None] * np.cross(center, first)
    return SwingPolygon(np.cos(radii)[:, None] * center + np.sin(radii)[:, None] * around, inside=center)


def _largest_angle(directions: Array, axis: Array) -> float:
    return float(np.arccos(np.clip(directions @ axis, -1.0, 1.0)).max())


def _directions(rng: Rng, count: int) -> Array:
    """(count, 3) random unit vectors."""
    vectors = rng.standard_normal((count, 3))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))

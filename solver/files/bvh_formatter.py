# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of a BVH file from a clip; `bvh` documents the format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ..body.clip import Clip
from ..body.joints import JointKind
from ..body.skeleton import Skeleton
from ..core import rotations
from ..core.arrays import Array, BoolArray
from ..core.errors import FileFormatError
from .bvh_parser import MAX_DEPTH, UniqueNames, shown_name
from .frame_rates import frame_time

_WRITTEN_ORDER = "ZYX"
"""Order of the rotation channels of written files, as most capture systems have it."""

_NO_ROTATION = 1e-12
"""Sine of half the angle up to which rotations of a fixed joint are rounding errors: it then needs no channels."""

_UNWRITABLE = re.compile(r"[{}\r\n]")
_ASCII_SPACE = " \t\n\r\v\f"


def format_bvh(clip: Clip) -> str:
    """A clip as the text of a BVH file whose joints have the clip's world positions, frame by frame.

    Rotations are written in the order ZYX, whatever file the clip came from, as continuous curves where
    possible. Free joints, and joints that leave their rest offset, get position channels; a fixed joint that does not
    rotate gets no channels. All digits are written: reading gives the same positions, rotations and frame rate again.

    The format has no rest rotations, and y is always up. Rest rotations go into offsets and motion (every
    joint's frame at rest is then that of the world), and a clip in which z is up is turned by -90° about x as a whole,
    at rest and in motion: (x, y, z) becomes (x, z, -y).

    Joints are written depth first, children by their index, and read back in that order. A joint without children or
    tips gets an End Site of length 0. Hinges read back as balls. Stiffness, limits, masses and landmarks are lost.
    Braces and line breaks in a name become "_".
    """
    depths = clip.skeleton.tree.depths
    if depths.max() >= MAX_DEPTH:
        deepest = clip.skeleton.names[int(depths.argmax())]
        raise FileFormatError(
            f"Joint {shown_name(deepest)} has {depths.max()} joints above it, but a BVH file at most {MAX_DEPTH - 1}; "
            "shorten the chain."
        )
    order = _depth_first(clip.skeleton)
    moving, turning = _animated(clip)
    posture = _in_bvh_frames(clip)
    lines = ["HIERARCHY", *_hierarchy_lines(clip.skeleton, posture, order, moving, turning)]
    lines += ["MOTION", f"Frames: {clip.frames}", f"Frame Time: {frame_time(clip.fps)}"]
    lines += map(_numbers, _columns(posture, order, moving, turning).tolist())
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _BvhPosture:
    """A skeleton and its motion with y up and with every joint's frame at rest that of the world."""

    offsets: Array
    """(joints, 3)"""
    tips: Array
    """(tips, 3)"""
    rotations: Array
    """(frames, joints, 4)"""
    translations: Array
    """(frames, joints, 3)"""


def _in_bvh_frames(clip: Clip) -> _BvhPosture:
    """With W the world rotations at rest and p the parent: offsets W_p o, rotations W_p q W⁻¹, translations W_p t."""
    skeleton, motion = clip.skeleton, clip.motion
    quarter = np.sqrt(0.5)
    upright = rotations.IDENTITY if clip.up == "y" else np.array([quarter, -quarter, 0.0, 0.0])
    own = rotations.multiply(upright, skeleton.rest[0])
    above = np.where((skeleton.parents < 0)[:, None], upright, own[skeleton.parents])
    tip_joints = [skeleton.index(tip.joint) for tip in skeleton.tips]
    tip_offsets = np.array([tip.offset for tip in skeleton.tips]).reshape(-1, 3)
    return _BvhPosture(
        offsets=rotations.rotate(above, skeleton.offsets),
        tips=rotations.rotate(own[tip_joints], tip_offsets),
        rotations=rotations.multiply(rotations.multiply(above, motion.rotations), rotations.conjugate(own)),
        translations=rotations.rotate(above, motion.translations),
    )


def _animated(clip: Clip) -> tuple[BoolArray, BoolArray]:
    """Which joints get position channels and which rotation channels, (joints,) each."""
    skeleton, motion = clip.skeleton, clip.motion
    free = np.array([kind is JointKind.FREE for kind in skeleton.kinds])
    fixed = np.array([kind is JointKind.FIXED for kind in skeleton.kinds])
    moving = free | (motion.translations != skeleton.offsets).any(axis=(0, 2))
    from_rest = rotations.multiply(rotations.conjugate(skeleton.rest_rotations), motion.rotations)
    turning = ~fixed | (np.abs(from_rest[..., 1:]) > _NO_ROTATION).any(axis=(0, 2))
    if not (moving | turning).any():
        turning[0] = True  # a frame without numbers could not be counted
    return moving, turning


def _hierarchy_lines(
    skeleton: Skeleton, posture: _BvhPosture, order: list[int], moving: BoolArray, turning: BoolArray
) -> Iterator[str]:
    """The lines of the hierarchy; `order` is depth first."""
    names = _written_names(skeleton.names)
    tips: list[list[Array]] = [[] for _ in names]
    for tip, offset in zip(skeleton.tips, posture.tips, strict=True):
        tips[skeleton.index(tip.joint)].append(offset)
    leaves = set(order) - set(skeleton.parents.tolist())
    open_braces = 0
    for joint in order:
        depth = int(skeleton.tree.depths[joint])
        yield from ("\t" * level + "}" for level in range(open_braces - 1, depth - 1, -1))
        open_braces = depth + 1
        outside, inside = "\t" * depth, "\t" * (depth + 1)
        channels = [f"{axis}position" for axis in "XYZ"] if moving[joint] else []
        channels += [f"{axis}rotation" for axis in _WRITTEN_ORDER] if turning[joint] else []
        yield f"{outside}{'JOINT' if depth else 'ROOT'} {names[joint]}"
        yield f"{outside}{{"
        yield f"{inside}OFFSET {_numbers(posture.offsets[joint].tolist())}"
        yield inside + " ".join(["CHANNELS", str(len(channels)), *channels])
        for end in tips[joint] or ([np.zeros(3)] if joint in leaves else []):
            yield f"{inside}End Site"
            yield f"{inside}{{"
            yield f"{inside}\tOFFSET {_numbers(end.tolist())}"
            yield f"{inside}}}"
    yield from ("\t" * level + "}" for level in range(open_braces - 1, -1, -1))


def _columns(posture: _BvhPosture, order: list[int], moving: BoolArray, turning: BoolArray) -> Array:
    """The channel values (frames, channels) of the motion."""
    degrees = np.degrees(
        rotations.continuous_euler(rotations.to_euler(posture.rotations, _WRITTEN_ORDER), _WRITTEN_ORDER)
    )
    columns = []
    for joint in order:
        if moving[joint]:
            columns.append(posture.translations[:, joint])
        if turning[joint]:
            columns.append(degrees[:, joint])
    return np.concatenate(columns, axis=1)


def _written_names(names: Iterable[str]) -> list[str]:
    unique = UniqueNames()
    writable = (_UNWRITABLE.sub("_", name).encode("utf-8", "replace").decode().strip(_ASCII_SPACE) for name in names)
    return [unique(name or "_") for name in writable]


def _depth_first(skeleton: Skeleton) -> list[int]:
    children: list[list[int]] = [[] for _ in skeleton.names]
    roots: list[int] = []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        (roots if parent < 0 else children[parent]).append(joint)
    order = []
    waiting = roots[::-1]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting.extend(reversed(children[joint]))
    return order


def _numbers(values: Iterable[float]) -> str:
    """Numbers with all their digits, separated by spaces."""
    return " ".join(map(repr, values))

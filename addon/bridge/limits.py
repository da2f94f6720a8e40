# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits and stiffness of joints from the settings of pose bones.

Locked axes of rotation make hinges and fixed joints. Ranges of angles about the axes of a bone come from a single
locked axis, from the limits of inverse kinematics, and from Limit Rotation constraints in local space; where a bone has
several, the narrower ends count. `solver.with_axis_limits` makes the nearest limits of them that the solver has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ...solver import Clip, JointKind, Skeleton, with_axis_limits
from .arrays import Array

_AXES = ("x", "y", "z")

_NO_WIDTH = np.deg2rad(0.1)
"""A range narrower than this locks its axis."""

Range = tuple[float, float]
Ranges = tuple[Range | None, Range | None, Range | None]

APPROXIMATE = "Limits about several axes of one bone are taken as a twist and a swing: {bones}."
NOT_LOCAL = "Limit Rotation is read in local space with full influence only, and is left out: {bones}."
MEAN_STIFFNESS = "A joint has one stiffness, the mean of its axes: {bones}."
OTHER_PARENT = "Limits are left out where a bone does not follow the rotation of the bone above: {bones}."


@dataclass(frozen=True)
class BoneLimits:
    """What the settings of a pose bone say about its joint."""

    ranges: Ranges
    """Of the angles about x, y and z, in radians; None is no limit."""
    stiffness: float
    """1 where it moves as easily as any joint, 100 at most."""
    is_approximate: bool
    """Whether ranges about several axes have to be taken as a twist and a swing."""
    leaves_out: bool
    """Whether it has a Limit Rotation constraint that is not read."""
    has_mean_stiffness: bool
    """Whether its axes are not equally stiff."""

    @property
    def locked(self) -> tuple[bool, bool, bool]:
        """Whether its ranges leave no angle about x, y and z."""
        x, y, z = (each is not None and each[1] - each[0] < _NO_WIDTH for each in self.ranges)
        return x, y, z


def limits_of(bone: bpy.types.PoseBone) -> BoneLimits:
    """The limits and the stiffness of a pose bone."""
    settings: Any = bone
    constraints = [each for each in bone.constraints if each.type == "LIMIT_ROTATION" and _acts(each)]
    local: list[Any] = [each for each in constraints if each.owner_space == "LOCAL" and each.influence == 1.0]
    ranges: list[Range | None] = []
    for index, axis in enumerate(_AXES):
        given = [(0.0, 0.0)] if bone.lock_rotation[index] else []
        if getattr(settings, f"use_ik_limit_{axis}"):
            given.append((getattr(settings, f"ik_min_{axis}"), getattr(settings, f"ik_max_{axis}")))
        given += [
            (getattr(each, f"min_{axis}"), getattr(each, f"max_{axis}"))
            for each in local
            if getattr(each, f"use_limit_{axis}")
        ]
        ranges.append(_narrowest(given))
    stiff = np.array([getattr(settings, f"ik_stiffness_{axis}") for axis in _AXES])
    moving = stiff[[each is None or each[1] - each[0] >= _NO_WIDTH for each in ranges]]
    return BoneLimits(
        (ranges[0], ranges[1], ranges[2]),
        float(1.0 / (1.0 - moving.mean())) if len(moving) else 1.0,
        is_approximate=len(moving) > 1 and any(each is not None for each in ranges),
        leaves_out=len(local) < len(constraints),
        has_mean_stiffness=bool(len(moving) and np.ptp(moving) > 1e-6),
    )


def _acts(constraint: Any) -> bool:
    limits = any(getattr(constraint, f"use_limit_{axis}") for axis in _AXES)
    return bool(limits and not constraint.mute and constraint.influence > 0.0)


def _narrowest(given: Iterable[Range]) -> Range | None:
    """The range that lies in all ranges, extended to the rest; None where there is none."""
    given = [(low, high) for low, high in given if low <= high and high - low < 2.0 * np.pi - _NO_WIDTH]
    if not given:
        return None
    return min(max(low for low, _ in given), 0.0), max(min(high for _, high in given), 0.0)


def kind_and_axis(locked: tuple[bool, bool, bool]) -> tuple[JointKind, Array]:
    """The kind of a joint that cannot turn about some of its axes, and its axis (3,) if it is a hinge."""
    kind = (JointKind.BALL, JointKind.BALL, JointKind.HINGE, JointKind.FIXED)[sum(locked)]
    return kind, np.eye(3)[locked.index(False) if kind is JointKind.HINGE else 0]


def with_rig_limits(clip: Clip, armature: bpy.types.Object) -> Clip:
    """The clip with the limits and the stiffness of its bones; the same clip where they have none."""
    assert armature.pose is not None
    skeleton = clip.skeleton
    found = {name: limits_of(armature.pose.bones[name]) for name in skeleton.names}
    stiffness: dict[str | int, float] = {name: each.stiffness for name, each in found.items() if each.stiffness != 1.0}
    ranges: dict[str | int, Ranges] = {
        name: each.ranges for name, each in found.items() if any(each.ranges) and _follows(skeleton, name, armature)
    }
    limited = with_axis_limits(skeleton, ranges, clip.motion)
    if stiffness:
        limited = limited.with_stiffness(stiffness)
    return clip if limited is skeleton else Clip(limited, clip.motion, clip.fps)


def _follows(skeleton: Skeleton, name: str, armature: bpy.types.Object) -> bool:
    """Whether the channels of a bone rotate it relative to the joint above."""
    assert armature.pose is not None
    bone = armature.pose.bones[name]
    above = int(skeleton.parents[skeleton.index(name)])
    parent = skeleton.names[above] if above >= 0 else None
    return bool(bone.bone.use_inherit_rotation) and (bone.parent.name if bone.parent else None) == parent


def limit_notes(skeleton: Skeleton, armature: bpy.types.Object) -> str:
    """Sentences about limits of bones that the solver has only nearly or not at all; empty where there are none."""
    assert armature.pose is not None
    found = {name: limits_of(armature.pose.bones[name]) for name in skeleton.names}
    kinds = dict(zip(skeleton.names, skeleton.kinds, strict=True))
    limited = {name: each for name, each in found.items() if kinds[name] in (JointKind.BALL, JointKind.HINGE)}
    other = [name for name, each in limited.items() if any(each.ranges) and not _follows(skeleton, name, armature)]
    near = [name for name, each in limited.items() if each.is_approximate and name not in other]
    sentences = (
        (APPROXIMATE, near),
        (NOT_LOCAL, [name for name, each in found.items() if each.leaves_out]),
        (MEAN_STIFFNESS, [name for name, each in limited.items() if each.has_mean_stiffness]),
        (OTHER_PARENT, other),
    )
    return " ".join(text.format(bones=_listed(bones)) for text, bones in sentences if bones)


def _listed(names: list[str], most: int = 3) -> str:
    """The first names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")

# SPDX-License-Identifier: GPL-3.0-or-later
"""The world transforms of objects and bones at frames of the scene."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ...solver import MovingObject, rotations
from . import context
from .arrays import Array
from .errors import BridgeError
from .sampling import frame_restored, set_frame
from .sources import source_shown

FRAMES_OF_STEP = 32
"""Frames of an object that are evaluated at once: some milliseconds in most scenes."""

FORWARD = np.array([0.0, -1.0, 0.0])
"""The direction that characters face at rest in Blender, which is heading 0."""


@dataclass(frozen=True, eq=False)
class Transform:
    """A location and a rotation in the world, without scale."""

    location: Array
    """(3,)"""
    axes: Array
    """(3, 3) the local axes as columns."""

    @staticmethod
    def of(matrix: Any) -> Transform:
        """The transform of a matrix (4, 4), without its scale and mirroring."""
        numbers = np.array(matrix, dtype=np.float64)
        forth = _unit(numbers[:3, 1], 1)
        right = numbers[:3, 0] - (numbers[:3, 0] @ forth) * forth
        axes = np.stack([_unit(right, 0), forth, np.zeros(3)], axis=1)
        axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
        return Transform(numbers[:3, 3], axes)

    @staticmethod
    def from_quaternion(location: Any, quaternion: Any) -> Transform:
        """The transform with a location (3,) and a rotation given as a quaternion (4,)."""
        rotation = np.array(quaternion, dtype=np.float64)
        return Transform(np.array(location, dtype=np.float64), rotations.to_matrix(rotations.normalize(rotation)))

    @staticmethod
    def upright(location: Any, heading: float) -> Transform:
        """The transform with a location (3,) and a rotation about the vertical by a heading in radians."""
        return Transform.from_quaternion(location, (np.cos(0.5 * heading), 0.0, 0.0, np.sin(0.5 * heading)))

    @staticmethod
    def pointing(location: Any, direction: Array) -> Transform:
        """A transform with a location (3,) and its z axis along a direction (3,)."""
        up = direction / np.linalg.norm(direction)
        aside = np.cross(np.eye(3)[int(np.argmin(np.abs(up)))], up)
        right = aside / np.linalg.norm(aside)
        return Transform(np.array(location, dtype=np.float64), np.stack([right, np.cross(up, right), up], axis=1))

    def equals(self, other: Transform) -> bool:
        """Whether another transform is the same to the last bit."""
        return np.array_equal(self.location, other.location) and np.array_equal(self.axes, other.axes)

    @property
    def quaternion(self) -> Array:
        """The rotation, (4,)."""
        return rotations.from_matrix(self.axes)

    @property
    def heading(self) -> float:
        """The direction that it faces, in radians about the vertical, counter-clockwise from above."""
        faces = self.axes @ FORWARD
        return float(np.arctan2(faces[0], -faces[1]))

    def to_local(self, point: Array) -> Array:
        """A point of the world in local coordinates, (3,)."""
        return self.axes.T @ (point - self.location)

    def to_world(self, point: Any) -> Array:
        """A point in local coordinates in the world, (3,)."""
        return self.location + self.axes @ np.array(point, dtype=np.float64)


def _unit(vector: Array, axis: int) -> Array:
    """The unit vector along a vector (3,), or along a coordinate axis where the vector is zero."""
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0.0 else np.eye(3)[axis]


def is_static(candidate: bpy.types.Object) -> bool:
    """Whether an object has no parent, constraints, animation or physics, so that it never moves."""
    is_free = candidate.parent is None and len(candidate.constraints) == 0
    return is_free and candidate.animation_data is None and candidate.rigid_body is None


def transforms_at(armature: bpy.types.Object, requests: Sequence[tuple[bpy.types.Object, float]]) -> list[Transform]:
    """The transforms of objects at frames of the scene, given in pairs, while the armature shows its source.

    The scene then returns to its frame.
    """
    found: list[Transform | None] = [
        Transform.of(requested.matrix_basis) if is_static(requested) else None for requested, _ in requests
    ]
    moving = [number for number, transform in enumerate(found) if transform is None]
    if moving:
        scene = context.scene()
        with source_shown(armature), frame_restored(scene):
            now: float | None = None
            for number in sorted(moving, key=lambda number: requests[number][1]):
                requested, time = requests[number]
                if time != now:
                    set_frame(scene, time)
                    now = time
                found[number] = _evaluated(requested)
    return [transform for transform in found if transform is not None]


def track_in_steps(
    armature: bpy.types.Object, target: bpy.types.Object, times: Sequence[float] | Array
) -> Generator[float, None, MovingObject]:
    """The transforms of an object at frames (n,) of the scene, as a generator that yields the share that is done.

    The scene is at its own frame, and the armature as it was, whenever it yields.
    """
    frames = [float(time) for time in times]
    chosen = frames[:1] if is_static(target) else frames
    transforms: list[Transform] = []
    for first in range(0, len(chosen), FRAMES_OF_STEP):
        transforms += transforms_at(armature, [(target, frame) for frame in chosen[first : first + FRAMES_OF_STEP]])
        yield len(transforms) / len(chosen)
    moving = transforms if len(transforms) == len(frames) else transforms * len(frames)
    return MovingObject(np.array([each.location for each in moving]), np.array([each.quaternion for each in moving]))


def _evaluated(requested: bpy.types.Object) -> Transform:
    evaluated = requested.evaluated_get(bpy.context.evaluated_depsgraph_get())
    if not evaluated.is_evaluated:
        raise BridgeError(
            f"Blender does not evaluate {requested.name!r}, since it is switched off in the viewport or its collection "
            "is excluded: switch it on in the outliner."
        )
    return Transform.of(evaluated.matrix_world)


def bone_transforms(armature: bpy.types.Object, names: Sequence[str], frame: float) -> list[Transform]:
    """The transforms of bones as the viewport shows them at a frame; at the current frame poses without keys count."""
    scene = context.scene()
    if frame != scene.frame_current_final:
        with frame_restored(scene):
            set_frame(scene, frame)
            return _bones_now(armature, names)
    context.view_layer().update()
    return _bones_now(armature, names)


def _bones_now(armature: bpy.types.Object, names: Sequence[str]) -> list[Transform]:
    evaluated: Any = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [Transform.of(evaluated.matrix_world @ evaluated.pose.bones[name].matrix) for name in names]

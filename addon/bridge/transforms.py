# SPDX-License-Identifier: GPL-3.0-or-later
"""Where things are in the world at a time: empties, objects that constraints refer to, bones as they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver import rotations
from .. import bridge

Array = NDArray[np.float64]

FACES = np.array([0.0, -1.0, 0.0])
"""Which way characters face at rest in Blender, from which headings count."""


@dataclass(frozen=True, eq=False)
class Placement:
    """A place and a rotation in the world, without scale."""

    location: Array
    """(3,)"""
    axes: Array
    """(3, 3) the own axes as columns."""

    @staticmethod
    def of(matrix: Any) -> Placement:
        """Of a matrix of Blender's or an array (4, 4); scale and mirroring are left out."""
        numbers = np.array(matrix, dtype=np.float64)
        forth = _unit(numbers[:3, 1], 1)
        right = numbers[:3, 0] - (numbers[:3, 0] @ forth) * forth
        axes = np.stack([_unit(right, 0), forth, np.zeros(3)], axis=1)
        axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
        return Placement(numbers[:3, 3], axes)

    @staticmethod
    def turned(location: Any, quaternion: Any) -> Placement:
        """At a location, with a rotation given as a quaternion."""
        rotation = np.array(quaternion, dtype=np.float64)
        return Placement(np.array(location, dtype=np.float64), rotations.to_matrix(rotations.normalize(rotation)))

    @staticmethod
    def heading_for(location: Any, heading: float) -> Placement:
        """At a location, upright, turned about the vertical."""
        return Placement.turned(location, (np.cos(0.5 * heading), 0.0, 0.0, np.sin(0.5 * heading)))

    @staticmethod
    def pointing(location: Any, direction: Array) -> Placement:
        """At a location, with its z axis along a direction."""
        up = direction / np.linalg.norm(direction)
        aside = np.cross(np.eye(3)[int(np.argmin(np.abs(up)))], up)
        right = aside / np.linalg.norm(aside)
        return Placement(np.array(location, dtype=np.float64), np.stack([right, np.cross(up, right), up], axis=1))

    @property
    def quaternion(self) -> Array:
        """(4,) the rotation."""
        return rotations.from_matrix(self.axes)

    @property
    def heading(self) -> float:
        """Which way it faces, in radians about the vertical, counter-clockwise seen from above."""
        faces = self.axes @ FACES
        return float(np.arctan2(faces[0], -faces[1]))

    def seen(self, place: Array) -> Array:
        """(3,) a place of the world in this frame."""
        return self.axes.T @ (place - self.location)

    def shown(self, place: Any) -> Array:
        """(3,) where in the world a place of this frame is."""
        return self.location + self.axes @ np.array(place, dtype=np.float64)


def _unit(vector: Array, axis: int) -> Array:
    """The direction of a vector; of one without length, that of an axis."""
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0.0 else np.eye(3)[axis]


def stands_still(held: bpy.types.Object) -> bool:
    """Whether nothing but its own location and rotation says where an object is, at every frame."""
    return (
        held.parent is None and len(held.constraints) == 0 and held.animation_data is None and held.rigid_body is None
    )


def placements(armature: bpy.types.Object, asked: Sequence[tuple[bpy.types.Object, float]]) -> list[Placement]:
    """Where objects are at frames of the scene, while the armature shows its source. The scene stays at its frame."""
    found: list[Placement | None] = [
        Placement.of(held.matrix_basis) if stands_still(held) else None for held, _ in asked
    ]
    moving = [number for number, placement in enumerate(found) if placement is None]
    if moving:
        scene = bridge.current_scene()
        with bridge.source_shown(armature), bridge.frame_kept(scene):
            now: float | None = None
            for number in sorted(moving, key=lambda number: asked[number][1]):
                held, time = asked[number]
                if time != now:
                    bridge.set_frame(scene, time)
                    now = time
                found[number] = _evaluated(held)
    return [placement for placement in found if placement is not None]


def _evaluated(held: bpy.types.Object) -> Placement:
    evaluated = held.evaluated_get(bpy.context.evaluated_depsgraph_get())
    if not evaluated.is_evaluated:
        raise bridge.BridgeError(
            f"Blender does not evaluate {held.name!r}, since it is switched off in the viewport or its collection is "
            "excluded: switch it on in the outliner."
        )
    return Placement.of(evaluated.matrix_world)


def shown_bones(armature: bpy.types.Object, names: Sequence[str], frame: float) -> list[Placement]:
    """Where bones are, as they are shown: at the present frame also those that have been posed without keys."""
    scene = bridge.current_scene()
    if frame != scene.frame_current_final:
        with bridge.frame_kept(scene):
            bridge.set_frame(scene, frame)
            return _bones_now(armature, names)
    layer = bpy.context.view_layer
    assert layer is not None
    layer.update()
    return _bones_now(armature, names)


def _bones_now(armature: bpy.types.Object, names: Sequence[str]) -> list[Placement]:
    evaluated: Any = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [Placement.of(evaluated.matrix_world @ evaluated.pose.bones[name].matrix) for name in names]

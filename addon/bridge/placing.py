# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an object is now, also where Blender does not evaluate it because it is hidden, and moving it there."""

from __future__ import annotations

from typing import Any

import bpy
from mathutils import Matrix, Vector

from . import versions


def world_matrix(found: bpy.types.Object) -> Matrix:
    """The world matrix of an object by its own transform and those of its parents.

    `Object.matrix_world` is that of the last evaluation. It is only taken where an object has constraints or an unusual
    parent, which only Blender can evaluate.
    """
    held: Any = found
    if any(not each.mute for each in held.constraints):
        return Matrix(held.matrix_world)
    if held.parent is None:
        return Matrix(held.matrix_basis)
    if held.parent_type == "OBJECT":
        above = world_matrix(held.parent)
    elif held.parent_type == "BONE" and held.parent.type == "ARMATURE" and held.parent_bone in held.parent.pose.bones:
        bone = held.parent.pose.bones[held.parent_bone]
        tail = Matrix.Translation(Vector((0.0, bone.bone.length, 0.0)))
        above = world_matrix(held.parent) @ bone.matrix @ tail
    else:
        return Matrix(held.matrix_world)
    return above @ held.matrix_parent_inverse @ held.matrix_basis


class Placer:
    """Moves and rotates an object in world space from where it was when this was made."""

    def __init__(self, found: bpy.types.Object) -> None:
        held: Any = found
        self.object = held
        self.start = world_matrix(held)
        self._start_basis = Matrix(held.matrix_basis)
        self._to_basis = self._start_basis @ self.start.inverted_safe()
        """From the world to the space of the object's own transform, which parents and constraints are applied to."""
        self._delta = self._own_rotation() @ self._start_basis.to_3x3().normalized().inverted_safe()
        """Takes off the delta rotation, which Blender applies after the object's own one."""
        self._channels = self._read()

    def _own_rotation(self) -> Matrix:
        """The rotation of the object's channels, (3, 3)."""
        held = self.object
        if held.rotation_mode == "QUATERNION":
            return Matrix(held.rotation_quaternion.to_matrix())
        if held.rotation_mode == "AXIS_ANGLE":
            about, *vector = held.rotation_axis_angle
            return Matrix.Rotation(about, 3, Vector(vector))
        return Matrix(held.rotation_euler.to_matrix())

    def _read(self) -> dict[str, tuple[float, ...]]:
        names = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle")
        return {name: tuple(getattr(self.object, name)) for name in names}

    def move(self, displacement: Any) -> None:
        """Put the object at its start displaced in the world, (3,); channels that are locked stay."""
        moved = self._to_basis @ (self.start.translation + Vector(displacement)) - self._start_basis.translation
        start = self._channels["location"]
        self.object.location = [
            start[axis] + (0.0 if self.object.lock_location[axis] else moved[axis]) for axis in range(3)
        ]

    def rotate(self, axis: Any, angle: float) -> None:
        """Give the object its rotation at the start, rotated about an axis (3,) of the world by an angle in radians."""
        turned = Matrix.Rotation(angle, 3, Vector(axis)) @ self.start.to_3x3()
        basis = (self._to_basis.to_3x3() @ turned).normalized()
        own = self._delta @ basis
        held = self.object
        if held.rotation_mode == "QUATERNION":
            rotation = own.to_quaternion()
            rotation.make_compatible(held.rotation_quaternion)
            held.rotation_quaternion = rotation
        elif held.rotation_mode == "AXIS_ANGLE":
            rotation = own.to_quaternion()
            held.rotation_axis_angle = (rotation.angle, rotation.axis.x, rotation.axis.y, rotation.axis.z)
        else:
            held.rotation_euler = own.to_euler(held.rotation_mode, held.rotation_euler)

    def shift_animation(self) -> None:
        """Shift the keys of the object's location by as much as it was moved: otherwise the next frame undoes that."""
        animation = self.object.animation_data
        if animation is None or animation.action is None:
            return
        moved = Vector(self.object.location) - Vector(self._channels["location"])
        for curve in versions.curves_of(animation.action, versions.slot_of(animation)):
            if curve.data_path == "location" and moved[curve.array_index]:
                for key in curve.keyframe_points:
                    key.co_ui.y += moved[curve.array_index]
                curve.update()

    def restore(self) -> None:
        """Give the object the channels that it had at the start."""
        for name, values in self._channels.items():
            setattr(self.object, name, values)

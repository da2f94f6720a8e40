# SPDX-License-Identifier: GPL-3.0-or-later
"""Signatures: short texts that are equal as long as nothing has changed that a reading, or a motion, depends on.

They are the same in every session and at every frame of the scene, so they can be saved.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from . import context, versions
from .arrays import floats
from .curves import TRANSFORMS, bone_property
from .errors import BridgeError
from .keys import KEY_ENUMS
from .reading import nla_curves, object_moves, reason_to_evaluate
from .sources import Animation, animation_of

_DIGEST = 16
"""Bytes of a signature."""

_POSE_SETTINGS = (
    ("lock_location", 3, bool),
    ("lock_rotation", 3, bool),
    *((f"use_ik_limit_{axis}", 1, bool) for axis in "xyz"),
    *((f"ik_{end}_{axis}", 1, np.float32) for axis in "xyz" for end in ("min", "max", "stiffness")),
)
"""Properties of pose bones that decide what their joints can do."""

_POSE_VALUES = (
    ("location", 3),
    ("rotation_quaternion", 4),
    ("rotation_euler", 3),
    ("rotation_axis_angle", 4),
    ("scale", 3),
)
"""The channels of pose bones, with their widths."""

_BONE_FLAGS = ("use_connect", "use_inherit_rotation", "use_local_location", "use_deform")

_UNSTABLE = frozenset(("rna_type", "is_valid", "error_location", "error_rotation", "show_expanded", "active", "select"))
"""Properties that change although nothing was edited, or that mean nothing for a motion."""

_UNKEYED_TRANSFORM = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")


class Signature:
    """Collects values and gives their signature."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=_DIGEST)

    def add(self, *values: Any) -> None:
        """Add numbers, texts and tuples of these."""
        self._hash.update(repr(values).encode())

    def add_array(self, values: np.ndarray[Any, Any]) -> None:
        """Add an array."""
        self._hash.update(values.tobytes())

    @property
    def text(self) -> str:
        """The signature of what was added."""
        return self._hash.hexdigest()

    # Settings -----------------------------------------------------------------------------------------------------

    def add_properties(self, owner: Any, ignored: frozenset[str] = frozenset()) -> None:
        """Add the properties of anything in Blender: data-blocks by name, and no collections."""
        for name, kind in _properties_of(owner):
            if name in ignored:
                continue
            value = getattr(owner, name)
            if kind == "array":
                value = tuple(value)
            elif kind == "flags":
                value = sorted(value)
            elif kind == "pointer":
                value = value.name if isinstance(value, bpy.types.ID) else value is not None
            self.add(name, value)

    def add_shape(self, solid: bpy.types.Object) -> None:
        """Add the faces of an object, without its modifiers, and the settings of these."""
        data: Any = solid.data
        for modifier in solid.modifiers:
            self.add_properties(modifier, _UNSTABLE)
        if isinstance(data, bpy.types.Mesh):
            corners = np.empty(len(data.loops), dtype=np.int32)
            data.loops.foreach_get("vertex_index", corners)
            self.add(len(data.polygons))
            self.add_array(floats(data.vertices, "co", 3))
            self.add_array(corners)
        elif data is not None:
            self.add_properties(data, _UNSTABLE)
            for spline in getattr(data, "splines", ()):
                for points, width in ((spline.points, 4), (spline.bezier_points, 3)):
                    self.add_array(floats(points, "co", width))

    # Motions ------------------------------------------------------------------------------------------------------

    def add_object(self, found: bpy.types.Object | None, left_out: Iterable[bpy.types.Object] = ()) -> None:
        """Add all that an object's motion depends on: transform, parents, constraints, animation and what these refer
        to, but for some objects whose motion is known."""
        seen = set(left_out)
        pending = [found]
        while pending:
            one = pending.pop()
            if one is None or one in seen:
                self.add(one is not None)
                continue
            seen.add(one)
            self.add(one.name, one.parent_type, one.parent_bone, one.rotation_mode, one.rigid_body is not None)
            keyed = self._add_animation(one)
            for name in _UNKEYED_TRANSFORM:
                if name not in keyed:
                    self.add(name, tuple(getattr(one, name)))
            self.add(*(tuple(getattr(one, f"delta_{name}")) for name in ("location", "rotation_euler", "scale")))
            if one.parent is not None:
                self.add_array(np.array(one.matrix_parent_inverse, dtype=np.float64))
                pending.append(one.parent)
            for held in one.constraints:
                pending += self._add_constraint(held)
            if one.pose is not None:
                self.add_pose(one, animation_of(one))
                for bone in one.pose.bones:
                    for held in bone.constraints:
                        pending += self._add_constraint(held)

    def _add_constraint(self, held: bpy.types.Constraint) -> list[bpy.types.Object | None]:
        """Add a constraint of an object or a bone; returns the objects that it refers to."""
        self.add_properties(held, _UNSTABLE)
        targets: list[bpy.types.Object | None] = [getattr(held, "target", None), getattr(held, "pole_target", None)]
        return targets + [each.target for each in getattr(held, "targets", ())]

    def _add_animation(self, owner: Any) -> set[str]:
        """Add the action, the NLA strips and the drivers of an object; returns the data paths that they animate."""
        data: bpy.types.AnimData | None = owner.animation_data
        if data is None:
            return set()
        animation = animation_of(owner)
        curves = versions.curves_of(animation.source, animation.slot) if animation.source is not None else []
        self.add(animation.source.name if animation.source is not None else "", animation.slot)
        self.add_curves(curves)
        strips = self._add_strips(data, animation)
        self._add_drivers(data)
        return {curve.data_path for curve in (*curves, *strips, *data.drivers)}

    def add_curves(self, curves: Iterable[bpy.types.FCurve]) -> None:
        """Add f-curves with their keys and modifiers."""
        for curve in curves:
            is_muted = curve.mute or (curve.group is not None and curve.group.mute)
            self.add(curve.data_path, curve.array_index, is_muted, curve.extrapolation)
            for modifier in curve.modifiers:
                self.add_properties(modifier, _UNSTABLE)
            self._add_keys(curve)

    def _add_keys(self, curve: bpy.types.FCurve) -> None:
        points = curve.keyframe_points
        count = len(points)
        numbers, kinds = np.empty(2 * count, dtype=np.float32), np.empty(count, dtype=np.uint8)
        points.foreach_get("co", numbers)
        self.add_array(numbers)
        points.foreach_get("interpolation", kinds)
        self.add_array(kinds)
        if kinds.size and kinds.max() > 1:  # neither constant nor linear: the handles count
            for name in ("handle_left", "handle_right"):
                points.foreach_get(name, numbers)
                self.add_array(numbers)
            if kinds.max() > 2:
                for name in KEY_ENUMS:
                    points.foreach_get(name, kinds)
                    self.add_array(kinds)

    def _add_strips(self, data: bpy.types.AnimData, animation: Animation) -> list[bpy.types.FCurve]:
        """Add the NLA tracks that are evaluated but for those of a result; returns the f-curves of their strips."""
        own = (animation.layer, animation.base, animation.source_track)
        others = [track for track in data.nla_tracks if track not in own]
        if not data.use_nla or not others:
            return []
        self.add(data.action_blend_type, data.action_influence, data.action_extrapolation)
        for track in others:
            self.add(track.mute, track.is_solo)
            for strip in track.strips:
                self.add_properties(strip, _UNSTABLE)
        curves = nla_curves(data, animation)
        self.add_curves(curves)
        return curves

    def _add_drivers(self, data: bpy.types.AnimData) -> None:
        for curve in data.drivers:
            self.add(curve.data_path, curve.array_index, curve.mute)
            driver: Any = curve.driver
            if driver is not None:
                self.add(driver.type, driver.expression)
                for variable in driver.variables:
                    for target in variable.targets:
                        self.add_properties(target, _UNSTABLE)

    def add_pose(self, armature: bpy.types.Object, animation: Animation) -> None:
        """Add the bones of an armature as they rest, the settings of their joints, and the channels that nothing
        animates, as they are in the source."""
        data, pose = armature.data, armature.pose
        assert isinstance(data, bpy.types.Armature) and pose is not None
        bones, joints = data.bones, pose.bones
        self.add([(bone.name, bone.parent.name if bone.parent else "") for bone in bones], data.pose_position)
        self.add_array(floats(bones, "matrix_local", 16))
        for name in _BONE_FLAGS:
            flags = np.empty(len(bones), dtype=bool)
            bones.foreach_get(name, flags)
            if name == "use_connect":  # of the source: a result disconnects bones that it stretches
                index = {bone.name: number for number, bone in enumerate(bones)}
                flags[[index[bone] for bone in animation.record.disconnected if bone in index]] = True
            self.add_array(flags)
        self.add([(bone.inherit_scale, joint.rotation_mode) for bone, joint in zip(bones, joints, strict=True)])
        for name, width, kind in _POSE_SETTINGS:
            values = np.empty(len(joints) * width, dtype=kind)
            joints.foreach_get(name, values)
            self.add_array(values)
        self._add_unanimated(armature, animation)

    def _add_unanimated(self, armature: bpy.types.Object, animation: Animation) -> None:
        """Add the channels of bones that neither f-curves nor drivers animate."""
        owner = armature.animation_data
        assert armature.pose is not None
        joints = armature.pose.bones
        index = {joint.name: number for number, joint in enumerate(joints)}
        values = {name: floats(joints, name, width) for name, width in _POSE_VALUES}
        for path, numbers in animation.record.unkeyed.items():
            found = bone_property(path)
            if found is not None and found[0] in index and found[1] in values:
                values[found[1]][index[found[0]]] = np.array(numbers, dtype=np.float32)
        curves = versions.curves_of(animation.source, animation.slot) if animation.source is not None else []
        animated = [*curves, *(nla_curves(owner, animation) if owner is not None else ())]
        for curve in (*animated, *(owner.drivers if owner is not None else ())):
            found = bone_property(curve.data_path)
            if found is not None and found[1] in TRANSFORMS and found[0] in index:
                at, widths = values[found[1]], values[found[1]].shape[1]
                if curve.array_index < widths:
                    at[index[found[0]], curve.array_index] = 0.0
        for each in values.values():
            self.add_array(each)


def source_signature(armature: bpy.types.Object) -> str:
    """The signature of all that reading an armature depends on, but for the frames that are read.

    Raises where the source is lost.
    """
    animation = animation_of(armature)
    scene, signature = context.scene(), Signature()
    render = scene.render
    signature.add(scene.name, render.fps, render.fps_base, render.frame_map_old, render.frame_map_new)
    curves = versions.curves_of(animation.source, animation.slot) if animation.source is not None else []
    if animation.source is None and armature.animation_data is None:
        raise BridgeError(f"Armature {armature.name!r} has no action whose motion could be read: assign one.")
    source: Any = animation.source
    if source is not None:
        signature.add(source.use_frame_range and (source.use_cyclic, source.frame_start, source.frame_end))
    reason = reason_to_evaluate(armature, animation, curves)
    if reason or object_moves(armature, curves):
        signature.add(reason)
        signature.add_object(armature)
        return signature.text
    signature.add(source.name, animation.slot)
    signature.add_array(np.array(armature.matrix_world, dtype=np.float64))
    signature.add_curves(curves)
    signature.add_pose(armature, animation)
    return signature.text


_known_properties: dict[str, tuple[tuple[str, str], ...]] = {}


def _properties_of(owner: Any) -> tuple[tuple[str, str], ...]:
    """The names of the properties of anything in Blender, each with how it is added."""
    kind = owner.bl_rna.identifier
    if kind not in _known_properties:
        found = []
        for each in owner.bl_rna.properties:
            if each.identifier == "rna_type" or each.type == "COLLECTION":
                continue
            if each.type == "POINTER":
                found.append((each.identifier, "pointer"))
            elif each.type == "ENUM" and each.is_enum_flag:
                found.append((each.identifier, "flags"))
            else:
                found.append((each.identifier, "array" if getattr(each, "is_array", False) else "value"))
        _known_properties[kind] = tuple(found)
    return _known_properties[kind]


def forget_types() -> None:
    """Forget the properties of types, which another version of the add-on may change."""
    _known_properties.clear()

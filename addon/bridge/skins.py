# SPDX-License-Identifier: GPL-3.0-or-later
"""The skin of a character's feet and head: vertices of the meshes that an armature moves, in its rest pose.

They show where soles, heels, toe tips and the top of the head are. Bones often do not: importers of files without bone
lengths give the last bone of a chain an arbitrary tail.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from ...solver import Skeleton, Skin, rotations
from .arrays import Array, IntArray, floats

_NEAR = 0.8
"""Sizes of the character: skin of foot or head is no farther than this from one of its joints."""

_MOST_VERTICES = 20_000
"""The most vertices near feet and head that are read of one mesh; a denser mesh is read at every second, third…
vertex."""


def skin_of(armature: bpy.types.Object, skeleton: Skeleton, world: Array) -> Skin | None:
    """The vertices that the joints of feet and head carry, in the frames of these joints; None where there are none.

    `skeleton` is as read from the armature, placed by the object's matrix `world` (4, 4). Meshes that the
    armature deforms or that are parented to one of its bones count, hidden ones too.
    """
    wanted = _feet_and_head(skeleton)
    if not wanted.size:
        return None
    joints: list[IntArray] = []
    vertices: list[Array] = []
    for mesh in _meshes(armature):
        found = _vertices(mesh, armature, skeleton, world, wanted)
        if found is not None:
            joints.append(found[0])
            vertices.append(found[1])
    if not joints:
        return None
    carriers, positions = np.concatenate(joints), np.concatenate(vertices)
    rest_rotations, rest_positions = skeleton.rest
    offsets = rotations.rotate(rotations.conjugate(rest_rotations[carriers]), positions - rest_positions[carriers])
    return Skin(carriers, offsets)


def _feet_and_head(skeleton: Skeleton) -> IntArray:
    """The joints of feet and head, with everything below them."""
    marks = skeleton.landmarks
    tops = [mark for mark in (marks.left_ankle, marks.right_ankle, marks.head) if mark is not None]
    return np.flatnonzero(skeleton.tree.ancestry[:, tops].any(axis=1))


def _meshes(armature: bpy.types.Object) -> Iterable[bpy.types.Object]:
    """The mesh objects that an armature deforms or carries, in all scenes."""
    for candidate in bpy.data.objects:
        if candidate.type == "MESH" and (is_skinned_to(candidate, armature) or _parent_bone(candidate, armature)):
            yield candidate


def is_skinned_to(skinned: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Whether an armature deforms an object."""
    if skinned.parent == armature and skinned.parent_type == "ARMATURE":
        return True
    return any(modifier.type == "ARMATURE" and modifier.object == armature for modifier in skinned.modifiers)  # type: ignore[attr-defined]


def _parent_bone(child: bpy.types.Object, armature: bpy.types.Object) -> str:
    """The name of the bone that an object is parented to; empty where it is parented to none."""
    return child.parent_bone if child.parent == armature and child.parent_type == "BONE" else ""


def _vertices(
    mesh_object: bpy.types.Object, armature: bpy.types.Object, skeleton: Skeleton, world: Array, wanted: IntArray
) -> tuple[IntArray, Array] | None:
    """The joints (n,) and the rest positions (n, 3) in the world of vertices that wanted joints carry, or None.

    A vertex is carried by the joint with the largest weight on it.
    """
    mesh: Any = mesh_object.data
    if not len(mesh.vertices):
        return None
    bone = _parent_bone(mesh_object, armature)
    if bone and bone not in skeleton.names:
        return None
    to_world = world @ _to_armature(mesh_object, armature, bone)
    positions = floats(mesh.vertices, "co", 3) @ to_world[:3, :3].T + to_world[:3, 3]
    heads = skeleton.rest[1][wanted]
    distances = np.full(len(positions), np.inf)
    for head in heads:
        np.minimum(distances, np.linalg.norm(positions - head, axis=1), out=distances)
    near = np.flatnonzero(distances <= _NEAR * skeleton.size)
    near = near[:: max(1, -(-len(near) // _MOST_VERTICES))]
    if bone:
        joint = skeleton.index(bone)
        carriers = np.full(len(near), joint if joint in wanted else -1, dtype=np.int64)
    else:
        carriers = _dominant_joints(mesh_object, near, skeleton, set(wanted.tolist()))
    kept = carriers >= 0
    return (carriers[kept], positions[near[kept]]) if kept.any() else None


def _to_armature(mesh_object: bpy.types.Object, armature: bpy.types.Object, bone: str) -> Array:
    """The matrix (4, 4) from an object's space to the armature's in the rest pose."""
    matrix = armature.matrix_world.inverted_safe() @ mesh_object.matrix_world
    if bone:
        data: Any = armature.data
        assert armature.pose is not None
        matrix = data.bones[bone].matrix_local @ armature.pose.bones[bone].matrix.inverted_safe() @ matrix
    return np.array(matrix, dtype=np.float64)


def _dominant_joints(
    mesh_object: bpy.types.Object, vertices: IntArray, skeleton: Skeleton, wanted: set[int]
) -> IntArray:
    """The joint with the largest weight on each vertex, (n,); -1 where it is none of the wanted joints."""
    index = {name: joint for joint, name in enumerate(skeleton.names)}
    joint_of = {group.index: index.get(group.name, -1) for group in mesh_object.vertex_groups}
    mesh: Any = mesh_object.data
    carriers = np.full(len(vertices), -1, dtype=np.int64)
    for place, vertex in enumerate(vertices.tolist()):
        best, weight = -1, 0.0
        for element in mesh.vertices[vertex].groups:
            if element.weight > weight:
                best, weight = joint_of.get(element.group, -1), element.weight
        if best in wanted:
            carriers[place] = best
    return carriers

# SPDX-License-Identifier: GPL-3.0-or-later
"""The skin of a character's feet and head: vertices of the meshes that an armature moves, in its rest pose.

They say where soles, heels, tips of toes and the top of the head are, which bones often do not: importers of files
without bone lengths give the last bone of a chain any tail.
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
"""Of one mesh, near feet and head: of denser ones every second, third… vertex shows the same shape."""


def skin_of(armature: bpy.types.Object, skeleton: Skeleton, world: Array) -> Skin | None:
    """The vertices that feet and head of a character move, in the skeleton's frames; None where there are none.

    `skeleton` is as read from the armature, placed by the object's matrix `world` (4, 4). Meshes count that the
    armature deforms, or that are parented to one of its bones, whether they are shown or not.
    """
    wanted = _feet_and_head(skeleton)
    if not wanted.size:
        return None
    joints: list[IntArray] = []
    places: list[Array] = []
    for mesh in _meshes(armature):
        found = _vertices(mesh, armature, skeleton, world, wanted)
        if found is not None:
            joints.append(found[0])
            places.append(found[1])
    if not joints:
        return None
    carriers, positions = np.concatenate(joints), np.concatenate(places)
    turned, placed = skeleton.rest
    offsets = rotations.rotate(rotations.conjugate(turned[carriers]), positions - placed[carriers])
    return Skin(carriers, offsets)


def _feet_and_head(skeleton: Skeleton) -> IntArray:
    """The joints of feet and head, with everything below them."""
    marks = skeleton.landmarks
    tops = [mark for mark in (marks.left_ankle, marks.right_ankle, marks.head) if mark is not None]
    return np.flatnonzero(skeleton.tree.ancestry[:, tops].any(axis=1))


def _meshes(armature: bpy.types.Object) -> Iterable[bpy.types.Object]:
    """The mesh objects that an armature deforms or carries, those of every scene."""
    for held in bpy.data.objects:
        if held.type == "MESH" and (is_skinned_to(held, armature) or _carrying_bone(held, armature)):
            yield held


def is_skinned_to(held: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Whether an armature moves the vertices of an object."""
    if held.parent == armature and held.parent_type == "ARMATURE":
        return True
    return any(modifier.type == "ARMATURE" and modifier.object == armature for modifier in held.modifiers)  # type: ignore[attr-defined]


def _carrying_bone(held: bpy.types.Object, armature: bpy.types.Object) -> str:
    """The name of the bone that an object is parented to; empty where it is parented to none."""
    return held.parent_bone if held.parent == armature and held.parent_type == "BONE" else ""


def _vertices(
    held: bpy.types.Object, armature: bpy.types.Object, skeleton: Skeleton, world: Array, wanted: IntArray
) -> tuple[IntArray, Array] | None:
    """The joints (n,) and the world positions (n, 3) at rest of the vertices that wanted joints move; None: no vertex.

    A vertex moves with the joint whose weight on it is the largest.
    """
    mesh: Any = held.data
    if not len(mesh.vertices):
        return None
    bone = _carrying_bone(held, armature)
    if bone and bone not in skeleton.names:
        return None
    to_world = world @ _to_armature(held, armature, bone)
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
        carriers = _heaviest(held, near, skeleton, set(wanted.tolist()))
    kept = carriers >= 0
    return (carriers[kept], positions[near[kept]]) if kept.any() else None


def _to_armature(held: bpy.types.Object, armature: bpy.types.Object, bone: str) -> Array:
    """(4, 4) from an object's space to the armature's, as it is in the rest pose."""
    matrix = armature.matrix_world.inverted_safe() @ held.matrix_world
    if bone:
        data: Any = armature.data
        assert armature.pose is not None
        matrix = data.bones[bone].matrix_local @ armature.pose.bones[bone].matrix.inverted_safe() @ matrix
    return np.array(matrix, dtype=np.float64)


def _heaviest(held: bpy.types.Object, vertices: IntArray, skeleton: Skeleton, wanted: set[int]) -> IntArray:
    """(n,) the joint with the largest weight on each vertex; -1 where that is none of the wanted ones."""
    index = {name: joint for joint, name in enumerate(skeleton.names)}
    joint_of = {group.index: index.get(group.name, -1) for group in held.vertex_groups}
    mesh: Any = held.data
    carriers = np.full(len(vertices), -1, dtype=np.int64)
    for place, vertex in enumerate(vertices.tolist()):
        best, weight = -1, 0.0
        for element in mesh.vertices[vertex].groups:
            if element.weight > weight:
                best, weight = joint_of.get(element.group, -1), element.weight
        if best in wanted:
            carriers[place] = best
    return carriers

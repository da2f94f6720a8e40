# SPDX-License-Identifier: GPL-3.0-or-later
"""Planes and triangles of objects that feet stand on, with modifiers applied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from .arrays import Array, IntArray, floats
from .context import view_layer
from .errors import BridgeError


def plane_of(surface: bpy.types.Object) -> tuple[Array, Array]:
    """A point (3,) and the normal (3,) of the plane through an object's origin across its local Z, in world space."""
    matrix = np.array(_evaluated(surface).matrix_world, dtype=np.float64)
    normal = matrix[:3, 2]
    if not np.linalg.norm(normal) > 0.0:
        raise BridgeError(f"Object {surface.name!r} is scaled to nothing, so it has no plane: choose another one.")
    return matrix[:3, 3], normal


def triangles_of(solids: Sequence[bpy.types.Object]) -> tuple[Array, IntArray]:
    """Vertices (v, 3) in world space and triangles (t, 3) of objects at the current frame, with modifiers."""
    vertices, triangles, count = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int64)], 0
    for solid in solids:
        if solid.name not in view_layer().objects:
            continue
        shown = _evaluated(solid)
        mesh: Any = shown.to_mesh()
        if mesh is None:
            continue
        mesh.calc_loop_triangles()
        corners = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
        mesh.loop_triangles.foreach_get("vertices", corners)
        positions = floats(mesh.vertices, "co", 3)
        vertices.append(_in_world(positions, shown.matrix_world))
        triangles.append(corners.reshape(-1, 3).astype(np.int64) + count)
        count += len(positions)
        shown.to_mesh_clear()
    if not sum(len(each) for each in triangles):
        names = ", ".join(repr(solid.name) for solid in solids)
        raise BridgeError(f"The ground ({names}) has no faces in this view layer: choose an object with faces.")
    return np.concatenate(vertices), np.concatenate(triangles)


def _evaluated(surface: bpy.types.Object) -> bpy.types.Object:
    """The object with its modifiers, constraints and animation at the current frame."""
    return surface.evaluated_get(bpy.context.evaluated_depsgraph_get())


def _in_world(vertices: Array, world: Any) -> Array:
    """Vertices (v, 3) of an object transformed by its matrix (4, 4)."""
    matrix = np.array(world, dtype=np.float64)
    return np.asarray(vertices @ matrix[:3, :3].T + matrix[:3, 3])

# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects with faces, as Blender shows them: what feet stand on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from .arrays import Array, IntArray
from .context import view_layer
from .errors import BridgeError


def plane_of(held: bpy.types.Object) -> tuple[Array, Array]:
    """A point (3,) and the normal (3,) of the plane through an object's origin across its local Z, in world space."""
    matrix = np.array(_evaluated(held).matrix_world, dtype=np.float64)
    normal = matrix[:3, 2]
    if not np.linalg.norm(normal) > 0.0:
        raise BridgeError(f"Object {held.name!r} is scaled to nothing, so it has no plane: choose another one.")
    return matrix[:3, 3], normal


def triangles_of(solids: Sequence[bpy.types.Object]) -> tuple[Array, IntArray]:
    """Vertices (v, 3) in world space and triangles (t, 3) of objects, with their modifiers, as they are now."""
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
        places = _coordinates(mesh)
        vertices.append(_placed(places, shown.matrix_world))
        triangles.append(corners.reshape(-1, 3).astype(np.int64) + count)
        count += len(places)
        shown.to_mesh_clear()
    if not sum(len(each) for each in triangles):
        names = ", ".join(repr(solid.name) for solid in solids)
        raise BridgeError(f"The ground ({names}) has no faces in this view layer: choose an object with faces.")
    return np.concatenate(vertices), np.concatenate(triangles)


def _evaluated(held: bpy.types.Object) -> bpy.types.Object:
    """The object with its modifiers, constraints and animation, as it is now."""
    return held.evaluated_get(bpy.context.evaluated_depsgraph_get())


def _coordinates(mesh: Any) -> Array:
    """(v, 3) the vertices of a mesh in its own space."""
    flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3).astype(np.float64)


def _placed(vertices: Array, world: Any) -> Array:
    """(v, 3) vertices moved by a matrix (4, 4)."""
    matrix = np.array(world, dtype=np.float64)
    return np.asarray(vertices @ matrix[:3, :3].T + matrix[:3, 3])

# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures without a window: what drawing functions draw, as an array of pixels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import bpy
import gpu
import numpy as np
from mathutils import Matrix

WIDTH, HEIGHT = 320, 240


@cache
def prepare() -> None:
    """Make drawing possible in a Blender without a window: before 5.1 only a render does."""
    if hasattr(gpu, "init"):
        gpu.init()
        return
    scene = bpy.data.scenes.new("Prepare")
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(scene.camera)
    bpy.ops.render.render(scene=scene.name)
    bpy.data.scenes.remove(scene)


def from_above(middle: Any, reach: float) -> np.ndarray:
    """The perspective matrix (4, 4) of an orthographic view straight down on a place, `reach` to either side."""
    matrix = np.diag([1.0 / reach, WIDTH / HEIGHT / reach, -0.01 / reach, 1.0])
    matrix[:3, 3] = -matrix[:3, :3] @ np.array(middle, dtype=np.float64)
    return matrix


def from_front(middle: Any, reach: float) -> np.ndarray:
    """The same of a view along +y: x to the right, z up."""
    scale = np.diag([1.0 / reach, WIDTH / HEIGHT / reach, 0.01 / reach, 1.0])
    axes = np.eye(4)[[0, 2, 1, 3]]
    matrix = scale @ axes
    matrix[:3, 3] = -matrix[:3, :3] @ np.array(middle, dtype=np.float64)
    return matrix


def pixels_of(draw: Callable[[], None], perspective: np.ndarray | None = None) -> np.ndarray:
    """(height, width, 4) what a function draws on black: in world space seen through a perspective, or in pixels."""
    prepare()
    screen = gpu.types.GPUOffScreen(WIDTH, HEIGHT)
    try:
        with screen.bind():
            buffer = gpu.state.active_framebuffer_get()
            buffer.clear(color=(0.0, 0.0, 0.0, 0.0), depth=1.0)
            with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
                if perspective is None:
                    perspective = np.diag([2.0 / WIDTH, 2.0 / HEIGHT, 1.0, 1.0])
                    perspective[:2, 3] = -1.0
                gpu.matrix.load_matrix(Matrix.Identity(4))
                gpu.matrix.load_projection_matrix(Matrix(perspective.tolist()))
                draw()
            read: Any = buffer.read_color(0, 0, WIDTH, HEIGHT, 4, 0, "FLOAT")
    finally:
        screen.free()
        gpu.state.blend_set("NONE")
    read.dimensions = WIDTH * HEIGHT * 4
    return np.array(read, dtype=np.float32).reshape(HEIGHT, WIDTH, 4)


def pixel(place: Any, perspective: np.ndarray) -> tuple[int, int]:
    """The row and column of a place in such a picture."""
    x, y = (perspective @ np.array([*place, 1.0]))[:2]
    return round((0.5 + 0.5 * y) * HEIGHT), round((0.5 + 0.5 * x) * WIDTH)


def around(picture: np.ndarray, place: Any, perspective: np.ndarray, reach: int = 3) -> np.ndarray:
    """The part of a picture around a place."""
    row, column = pixel(place, perspective)
    return picture[max(row - reach, 0) : row + reach + 1, max(column - reach, 0) : column + reach + 1]

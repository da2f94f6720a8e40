# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws pictures in a viewport, from batches that are kept until a picture changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gpu
from gpu_extras.batch import batch_for_shader

from ..bridge.versions import DOT_SHADER
from .shapes import KINDS, Kind, Picture

SHADERS: dict[Kind, str] = {
    "faces": "SMOOTH_COLOR",
    "thin": "SMOOTH_COLOR",
    "bold": "POLYLINE_SMOOTH_COLOR",
    "ticks": DOT_SHADER,
    "dots": DOT_SHADER,
}
PRIMITIVES: dict[Kind, str] = {"faces": "TRIS", "thin": "LINES", "bold": "LINES", "ticks": "POINTS", "dots": "POINTS"}

WIDTH = 2.5
"""Pixels, at a scale of 1: of bold lines."""

SIZES: dict[Kind, float] = {"ticks": 3.0, "dots": 6.0}
"""Pixels, at a scale of 1: of dots."""


class Canvas:
    """The batches of one character's pictures."""

    def __init__(self) -> None:
        self._batches: dict[str, tuple[Picture, dict[Kind, Any]]] = {}
        self.built = 0
        """How often batches were built, for measurements."""

    def draw(self, parts: Sequence[tuple[str, Picture]], size: tuple[float, float], scale: float = 1.0) -> None:
        """Draw pictures, given with the names of their parts, in a viewport of some width and height.

        Areas are hidden behind what is nearer; lines and dots are drawn in front of everything.
        """
        current = {name: self._of(name, picture) for name, picture in parts}
        for name in self._batches.keys() - current.keys():
            del self._batches[name]
        gpu.state.blend_set("ALPHA")
        gpu.state.depth_mask_set(False)
        try:
            for kind in KINDS:
                found = [batches[kind] for batches in current.values() if kind in batches]
                if found:
                    self._draw_kind(kind, found, size, scale)
        finally:
            gpu.state.depth_test_set("NONE")
            gpu.state.depth_mask_set(True)
            gpu.state.point_size_set(1.0)
            gpu.state.blend_set("NONE")

    def _draw_kind(self, kind: Kind, batches: Sequence[Any], size: tuple[float, float], scale: float) -> None:
        shader = _shader(kind)
        shader.bind()
        gpu.state.depth_test_set("LESS_EQUAL" if kind == "faces" else "NONE")
        if kind == "bold":
            shader.uniform_float("viewportSize", size)
            shader.uniform_float("lineWidth", WIDTH * scale)
        elif kind in SIZES:
            gpu.state.point_size_set(SIZES[kind] * scale)
        for batch in batches:
            batch.draw(shader)

    def _of(self, name: str, picture: Picture) -> dict[Kind, Any]:
        known = self._batches.get(name)
        if known is not None and known[0] is picture:
            return known[1]
        batches = {}
        for kind, vertices in picture.vertices.items():
            content: dict[str, Any] = {"pos": vertices.places, "color": vertices.colors}
            batches[kind] = batch_for_shader(_shader(kind), PRIMITIVES[kind], content)
        self._batches[name] = picture, batches
        self.built += 1
        return batches


def _shader(kind: Kind) -> Any:
    name: Any = SHADERS[kind]
    return gpu.shader.from_builtin(name)

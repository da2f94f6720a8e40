# SPDX-License-Identifier: GPL-3.0-or-later
"""Slides a point of a constraint in time, by dragging it along the path that its bone has in the source."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Vector

from ... import solver
from .. import bridge
from ..bridge.placing import Placer
from ..properties import PATH_KINDS, PoiseConstraint, current_name
from ..translation import TranslationError
from .dragging import View

REACH = 10.0
"""Seconds before and after a point to which it can be dragged at once."""

STAYS_NEAR = 0.3
"""Pixels that one frame more counts: where a path crosses itself, the mouse means the nearer time."""


class TimeDrag:
    """One drag of a point along the source's path, from the pixel at which the mouse was pressed.

    The point keeps its distance from the path, and the frames for which it is held.
    """

    def __init__(
        self,
        armature: bpy.types.Object,
        item: PoiseConstraint,
        index: int,
        view: View,
        placer: Placer,
        start: tuple[float, float],
    ) -> None:
        if item.kind not in PATH_KINDS:
            raise TranslationError(f"{item.name}: only points of pins, paths, orientations and gazes slide in time.")
        self.item, self.point = item, item.points[index]
        self.view, self.placer, self.start, self.mouse = view, placer, start, start
        self.begin = float(self.point.begin)
        self._span = self.begin, float(self.point.end), float(item.begin), float(item.end)
        self._home = tuple(self.point.home)
        self._scene = bridge.current_scene()
        self._frame = self._scene.frame_current_final
        first, last = self._limits(index)
        reading = bridge.read(armature, first, last)
        bone = current_name(armature, item)
        if bone not in reading.clip.skeleton.names:
            raise TranslationError(f"{item.name}: its bone does not move the character, so it has no path.")
        offset = tuple(float(length) for length in item.offset) if item.kind == "SHAPE" else (0.0, 0.0, 0.0)
        self.times = np.asarray(reading.times, dtype=np.float64)
        self.path = reading.clip.position(solver.BodyPoint(bone, (offset[0], offset[1], offset[2])))
        self._now = int(np.abs(self.times - self.begin).argmin())
        self._origin = self._now
        pixels = [self.view.pixel(Vector(place)) for place in self.path]
        self._pixels = np.array([pixel if pixel is not None else (np.nan, np.nan) for pixel in pixels])

    def _limits(self, index: int) -> tuple[float, float]:
        """The first and the last frame at which the point can begin: within the scene, and between its neighbours."""
        scene = self._scene
        first, last = bridge.frame_range(scene)
        reach = REACH * scene.render.fps / scene.render.fps_base
        held = self._span[1] - self.begin
        others = [point for number, point in enumerate(self.item.points) if number != index]
        before = [point.end + 1.0 for point in others if point.begin < self.begin]
        after = [point.begin - 1.0 - held for point in others if point.begin >= self.begin]
        low = max(float(first), self.begin - reach, *before)
        high = min(float(last) - held, self.begin + reach, *after)
        return min(low, self.begin), max(high, self.begin)

    def to(self, pixel: tuple[float, float], in_steps: bool = False, is_fine: bool = False) -> str:
        """Put the point at the frame whose place on the path is nearest to the mouse, and return a text about it."""
        self.mouse = pixel
        wanted = self._pixels[self._origin] + (pixel[0] - self.start[0], pixel[1] - self.start[1])
        away = np.linalg.norm(self._pixels - wanted, axis=1) + STAYS_NEAR * np.abs(
            np.arange(len(self.times)) - self._now
        )
        if np.isfinite(away).any():
            self._now = int(np.nanargmin(away))
        shift = round(float(self.times[self._now] - self.times[self._origin]))
        self._put(shift)
        return f"Frame {self.point.begin:g} ({shift:+d})"

    def _put(self, shift: int) -> None:
        if self.point.begin != self.begin + shift:
            self._set_frames(shift)
            bridge.set_frame(self._scene, self.begin + shift)
        if self.item.kind == "SHAPE":
            way = self.path[self._now] - self.path[self._origin]
            self.placer.move(way.tolist())
            self.point.home = [place + length for place, length in zip(self._home, way.tolist(), strict=True)]

    def _set_frames(self, shift: int) -> None:
        """Shift the point from its frames at the start. A constraint of one point goes with it, another contains it."""
        begin, end, first, last = self._span
        self.item.begin, self.item.end = first, last
        self.point.begin, self.point.end = begin + shift, end + shift  # extends the constraint where needed
        if len(self.item.points) == 1 or not shift:
            self.item.begin, self.item.end = first + shift, last + shift

    @property
    def has_moved(self) -> bool:
        """Whether the point has another frame than at the start."""
        return bool(self.point.begin != self.begin)

    def finish(self) -> None:
        """Keep where it is."""
        self.placer.shift_animation()

    def restore(self) -> None:
        """Give the point its frames and its place at the start, and the scene its frame."""
        self._set_frames(0)
        self.point.home = self._home
        self.placer.restore()
        bridge.set_frame(self._scene, self._frame)

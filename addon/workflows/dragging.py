# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves a handle with the mouse: from pixels of a 3D view to displacements and rotations in the world."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from mathutils import Matrix, Vector

from .. import bridge
from ..bridge.placing import Placer

UP = Vector((0.0, 0.0, 1.0))
PARTS = (
    ("FREE", "Move", "Move it in the plane of the view"),
    ("GROUND", "Move on the Ground", "Move it in the horizontal plane"),
    ("X", "Move Along X", "Move it along the x axis of the world"),
    ("Y", "Move Along Y", "Move it along the y axis of the world"),
    ("Z", "Raise or Lower", "Move it up or down"),
    ("TURN", "Turn", "Turn it about the vertical"),
    ("TURN_X", "Turn About X", "Turn it about its own x axis"),
    ("TURN_Y", "Turn About Y", "Turn it about its own y axis"),
    ("TURN_Z", "Turn About Z", "Turn it about its own z axis"),
    ("TIME", "Slide in Time", "Move it along the path of its bone to another frame"),
)
"""What a drag does to a handle."""

GRAZING = 0.05
"""The least sine of the angle between view and ground, and between view and axis, at which the mouse points at places
on them: at smaller angles a pixel is a long way."""

CLICK = 3
"""Pixels that the mouse may go between press and release of a click."""

FINE = 0.1
"""The share of the mouse's way that counts while Shift is held."""

STEPS_IN_SIZE = 50.0
"""About how many steps of Ctrl there are in the longest side of the armature."""

ANGLE_STEP = math.radians(5.0)
"""The step of Ctrl for rotations, as Blender's own."""

EDGE_ON = math.radians(0.5)
"""The angle of one pixel where a dial is seen from its edge."""


def length_step(size: float) -> float:
    """A round length of 1, 2 or 5 times a power of ten, of which some go into a size."""
    wanted = size / STEPS_IN_SIZE
    power = 10.0 ** math.floor(math.log10(wanted))
    return power * max(number for number in (1.0, 2.0, 5.0) if number == 1.0 or number * power <= wanted)


@dataclass(frozen=True, eq=False)
class View:
    """A 3D view: from pixels of its region to rays, and back."""

    perspective: Matrix
    """(4, 4) from the world to the cube of the region."""
    size: tuple[float, float]
    """Of the region, in pixels."""

    @staticmethod
    def of(region: Any, view: Any) -> View:
        """The view of a region, given its `RegionView3D`."""
        return View(Matrix(view.perspective_matrix), (float(region.width), float(region.height)))

    def ray(self, pixel: tuple[float, float]) -> tuple[Vector, Vector]:
        """The ray of places under a pixel: where it begins, and its direction."""
        across, up = (2.0 * at / side - 1.0 for at, side in zip(pixel, self.size, strict=True))
        back = self.perspective.inverted()
        near, far = (back @ Vector((across, up, depth, 1.0)) for depth in (-1.0, 1.0))
        begin = near.xyz / near.w
        return begin, (far.xyz / far.w - begin).normalized()

    def pixel(self, place: Vector) -> tuple[float, float] | None:
        """The pixel at which a place appears; None behind the viewer."""
        seen = self.perspective @ place.to_4d()
        if seen.w <= 0.0:
            return None
        across, up = (0.5 + 0.5 * seen[axis] / seen.w for axis in range(2))
        return across * self.size[0], up * self.size[1]

    def direction_to(self, place: Vector) -> Vector:
        """The direction in which a place is seen."""
        pixel = self.pixel(place)
        return self.ray(pixel if pixel is not None else (0.5 * self.size[0], 0.5 * self.size[1]))[1]

    def on_plane(self, pixel: tuple[float, float], place: Vector, normal: Vector) -> Vector | None:
        """Where the ray of a pixel meets the plane through a place; None where that is behind, or the angle grazing."""
        begin, direction = self.ray(pixel)
        slope = direction.dot(normal)
        if abs(slope) < GRAZING:
            return None
        along = (place - begin).dot(normal) / slope
        return begin + along * direction if along > 0.0 else None

    def along_axis(self, pixel: tuple[float, float], place: Vector, axis: Vector) -> float | None:
        """How far along an axis through a place the ray of a pixel passes it; None where it is parallel to the axis."""
        begin, direction = self.ray(pixel)
        cosine = direction.dot(axis)
        if 1.0 - cosine * cosine < GRAZING * GRAZING:
            return None
        away = begin - place
        return (away.dot(axis) - cosine * away.dot(direction)) / (1.0 - cosine * cosine)


@dataclass(eq=False)
class Drag:
    """One drag of a handle, from the pixel at which the mouse was pressed."""

    view: View
    placer: Placer
    part: str
    start: tuple[float, float]
    """The pixel at which it began."""
    size: float
    """The longest side of the armature."""
    mouse: tuple[float, float] = field(init=False)
    """Where the mouse would be without Shift."""
    angle: float = field(init=False, default=0.0)
    """By how much it is turned, before steps; it may be more than a whole turn."""
    _last: tuple[float, float] = field(init=False)

    def __post_init__(self) -> None:
        self.mouse = self._last = self.start

    @property
    def pivot(self) -> Vector:
        """Where the handle was at the start."""
        return self.placer.start.translation

    def to(self, pixel: tuple[float, float], in_steps: bool = False, is_fine: bool = False) -> str:
        """Move or turn the handle as the mouse has gone to a pixel, and return a text about it."""
        share = FINE if is_fine else 1.0
        before = self.mouse
        self.mouse = (
            before[0] + share * (pixel[0] - self._last[0]),
            before[1] + share * (pixel[1] - self._last[1]),
        )
        self._last = pixel
        if self.part.startswith("TURN"):
            return self._turn(before, in_steps)
        return self._move(in_steps)

    @property
    def has_moved(self) -> bool:
        """Whether the mouse has gone farther than in a click, or the handle was turned."""
        way = max(abs(now - start) for now, start in zip(self.mouse, self.start, strict=True))
        return way > CLICK or self.angle != 0.0

    def finish(self) -> None:
        """Keep where the handle is."""
        self.placer.shift_animation()

    def restore(self) -> None:
        """Put the handle where it was at the start."""
        self.placer.restore()

    # Moving ----------------------------------------------------------------------------------------------------------

    def _move(self, in_steps: bool) -> str:
        displacement = self.displacement()
        if in_steps:
            step = length_step(self.size)
            displacement = Vector([step * round(displacement[axis] / step) for axis in range(3)])
        self.placer.move(displacement)
        axes = [axis for axis in "XYZ" if self._is_free(axis)]
        shown = [f"{axis} {bridge.format_length(displacement['XYZ'.index(axis)])}" for axis in axes]
        return "Move " + ", ".join(shown)

    def _is_free(self, axis: str) -> bool:
        """Whether the handle can move along an axis of the world."""
        return self.part in ("FREE", axis) or (self.part == "GROUND" and axis != "Z")

    def displacement(self) -> Vector:
        """The displacement of the handle in the world, before steps."""
        if self.part in ("X", "Y", "Z"):
            return self._along(Vector([float(axis == self.part) for axis in "XYZ"]))
        if self.part == "GROUND":
            begin, end = (self.view.on_plane(at, self.pivot, UP) for at in (self.start, self.mouse))
            if begin is not None and end is not None:
                return end - begin
            level = self._in_view()
            return Vector((level.x, level.y, 0.0))
        return self._in_view()

    def _along(self, axis: Vector) -> Vector:
        begin, end = (self.view.along_axis(at, self.pivot, axis) for at in (self.start, self.mouse))
        if begin is not None and end is not None:
            return (end - begin) * axis
        # The axis leads away from the viewer: the mouse goes up to go along it.
        upward = self.view.on_plane((self.start[0], self.mouse[1]), self.pivot, self._facing())
        origin = self.view.on_plane(self.start, self.pivot, self._facing())
        if upward is None or origin is None:
            return Vector((0.0, 0.0, 0.0))
        return math.copysign((upward - origin).length, self.mouse[1] - self.start[1]) * axis

    def _facing(self) -> Vector:
        """The normal of the plane of the view."""
        return self.view.ray((0.5 * self.view.size[0], 0.5 * self.view.size[1]))[1]

    def _in_view(self) -> Vector:
        begin, end = (self.view.on_plane(at, self.pivot, self._facing()) for at in (self.start, self.mouse))
        return end - begin if begin is not None and end is not None else Vector((0.0, 0.0, 0.0))

    # Turning ---------------------------------------------------------------------------------------------------------

    def axis(self) -> Vector:
        """The axis of the world about which the handle is turned."""
        if self.part == "TURN":
            return UP
        return self.placer.start.to_3x3().col["XYZ".index(self.part[-1])].normalized()

    def _turn(self, before: tuple[float, float], in_steps: bool) -> str:
        axis = self.axis()
        self.angle += self._turned(before, axis)
        angle = ANGLE_STEP * round(self.angle / ANGLE_STEP) if in_steps else self.angle
        self.placer.rotate(axis, angle)
        return f"Turn {math.degrees(angle):.1f}°"

    def _turned(self, before: tuple[float, float], axis: Vector) -> float:
        """The angle about an axis by which the mouse has gone on from a pixel."""
        toward = -self.view.direction_to(self.pivot).dot(axis)
        centre = self.view.pixel(self.pivot)
        if centre is None or abs(toward) < GRAZING:
            return EDGE_ON * (self.mouse[0] - before[0])
        first, second = (math.atan2(at[1] - centre[1], at[0] - centre[0]) for at in (before, self.mouse))
        change = (second - first + math.pi) % (2.0 * math.pi) - math.pi
        return math.copysign(1.0, toward) * change

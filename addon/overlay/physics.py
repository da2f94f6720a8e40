# SPDX-License-Identifier: GPL-3.0-or-later
"""The simplified character of the physics: its bones, the forces of the ground and the path of its centre of mass, with
footprints that were moved and obstacles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import bpy
import numpy as np

from ... import solver
from ..bridge.arrays import Array
from ..properties import character_of
from ..properties.handles import objects_in_scene
from ..workflows import physics_edit, physics_memory
from .palette import Palette
from .shapes import Color, Pen, Picture, shade

FORCE = 0.5
"""The length of the arrow of a force of one body weight, in sizes of the character."""
HEAD = 0.12
"""The length of an arrow's head as a share of the arrow."""
WEAKEST = 0.02
"""Body weights below which a force is not drawn."""
RINGS, CORNERS = 5, 24
"""Of an obstacle: how many rings are drawn, and their corners."""
WIDEST = 1.6
"""How far the lowest ring of an obstacle is from its middle, in radii."""
FAINT = 0.45
"""The strength of the fit beside an edited motion."""


@dataclass(frozen=True, eq=False)
class Figure:
    """A simplified motion at all frames of the scene that it has; arrays are computed when they are first drawn."""

    motion: solver.spacetime.SimplifiedMotion
    first: float
    """The scene's frame at which it begins."""
    fps: float

    @cached_property
    def seconds(self) -> Array:
        """(frames,) from 0."""
        return np.arange(int(self.motion.duration * self.fps + 1e-6) + 1) / self.fps

    @cached_property
    def bones(self) -> Array:
        """(frames, bones, 2, 3) world positions of the ends of the bones."""
        return self.motion.bones(self.seconds)

    @cached_property
    def centers(self) -> Array:
        """(frames, 3) the centre of mass."""
        return self.motion.center_of_mass(self.seconds)

    @cached_property
    def forces(self) -> tuple[Array, Array]:
        """Places (pushes, 3) of the ground's pushes, and forces (frames, pushes, 3) in body weights."""
        pushes = self.motion.ground_forces(self.seconds)
        if not pushes:
            return np.zeros((0, 3)), np.zeros((len(self.seconds), 0, 3))
        return np.stack([push.place for push in pushes]), np.stack([push.forces for push in pushes], axis=1)

    def frame_at(self, frame: float) -> int | None:
        """The index of the scene's frame in the arrays; None outside of the motion."""
        index = round(frame - self.first)
        return index if 0 <= index < len(self.seconds) else None


class Placed(NamedTuple):
    """Footprints that were moved, and obstacles, as plain values that are compared at every redraw."""

    prints: tuple[tuple[float, ...], ...]
    """Of each: home (3,) and place (3,)."""
    obstacles: tuple[tuple[float, ...], ...]
    """Of each: place (3,), height and radius."""


NOTHING_PLACED = Placed((), ())


@dataclass(frozen=True, eq=False)
class Shown:
    """What of the physics is drawn of an armature, but for what the animator has placed."""

    fit: Figure
    edited: Figure | None
    """Of the result that the armature has."""
    size: float

    def main(self, shows_source: bool) -> Figure:
        """The figure of what the viewport shows: the result, or the source."""
        return self.fit if shows_source or self.edited is None else self.edited

    def is_fit(self, shows_source: bool) -> bool:
        """Whether that is the fit."""
        return self.main(shows_source) is self.fit


_shown: dict[str, tuple[tuple[object, object], Shown]] = {}
"""By the name of the armature object, each with the fit and the result that it was made from."""


def shown_of(armature: bpy.types.Object) -> Shown | None:
    """The figures of the fit and the result that an armature has; None where there is no fit in memory."""
    fitted, result = physics_memory.fit_of(armature), physics_memory.result_of(armature)
    if fitted is None:
        _shown.pop(armature.name, None)
        return None
    before = _shown.get(armature.name)
    if before is not None and before[0][0] is fitted and before[0][1] is result:
        return before[1]
    clip = fitted.read.clip
    edited = Figure(result.transformation.motion, fitted.first, clip.fps) if result is not None else None
    found = Shown(Figure(fitted.fit.motion, fitted.first, clip.fps), edited, clip.skeleton.size)
    _shown[armature.name] = (fitted, result), found
    return found


def forget() -> None:
    """Drop the figures of all armatures."""
    _shown.clear()


def placed_of(armature: bpy.types.Object) -> Placed:
    """The footprints that were moved and the obstacles of an armature, as they are now."""
    physics = character_of(armature).physics
    if not len(physics.stances) and not len(physics.obstacles):
        return NOTHING_PLACED
    there = objects_in_scene()
    prints = []
    for stance in physics.stances:
        if stance.object in there:
            home, place = tuple(stance.home), tuple(stance.object.matrix_world.translation)
            if home != place:
                prints.append((*home, *place))
    obstacles = [physics_edit.measures(each) for each in physics.obstacles if each.object in there]
    return Placed(tuple(prints), tuple(obstacles))


def body_picture(shown: Shown, frame: float, palette: Palette, shows_source: bool) -> Picture:
    """The simplified character at a frame of the scene: of the fit, and bold that of the result where it is shown.

    The fit is at the moment of the source that the frame of the result corresponds to.
    """
    pen = Pen()
    main, color = shown.main(shows_source), palette.source if shown.is_fit(shows_source) else palette.result
    now = main.frame_at(frame)
    if now is None:
        return pen.picture()
    if main is not shown.fit:
        source = shown.fit.first + float(main.motion.in_source(main.seconds[now])[0]) * main.fps
        at = shown.fit.frame_at(source)
        if at is not None:
            pen.put("thin", shown.fit.bones[at], shade(palette.source, FAINT))
    bones = main.bones[now]
    pen.put("bold", bones, shade(color))
    pen.put("ticks", np.unique(bones.reshape(-1, 3), axis=0), shade(color, light=0.5))
    pen.put("dots", main.centers[now], shade(color))
    return pen.picture()


def force_picture(shown: Shown, frame: float, palette: Palette, shows_source: bool) -> Picture:
    """The forces of the ground at a frame of the scene, as arrows."""
    pen = Pen()
    main = shown.main(shows_source)
    now = main.frame_at(frame)
    if now is not None:
        places, forces = main.forces
        for place, force in zip(places, forces[now], strict=True):
            if np.linalg.norm(force) > WEAKEST:
                _put_arrow(pen, place, FORCE * shown.size * force, shade(palette.proposal))
    return pen.picture()


def _put_arrow(pen: Pen, begin: Array, along: Array, color: Color) -> None:
    """An arrow with a head of four lines."""
    end = begin + along
    length = float(np.linalg.norm(along))
    side = np.cross(along, [0.0, 0.0, 1.0] if abs(along[2]) < 0.9 * length else [1.0, 0.0, 0.0])
    side *= 0.5 * HEAD * length / np.linalg.norm(side)
    other = np.cross(side, along) / length
    neck = end - HEAD * along
    corners = np.stack([neck + side, neck - side, neck + other, neck - other])
    pen.put("bold", [begin, end], color)
    pen.put("bold", np.stack([corners, np.broadcast_to(end, corners.shape)], axis=1), color)


def path_picture(shown: Shown, palette: Palette, shows_source: bool) -> Picture:
    """The paths of the centre of mass: of the fit thin, of the result bold."""
    pen = Pen()
    is_fit = shown.is_fit(shows_source)
    pen.strip(shown.fit.centers, shade(palette.source, 0.9 if is_fit else FAINT))
    if not is_fit:
        pen.strip(shown.main(shows_source).centers, shade(palette.result, 0.9), kind="bold")
    return pen.picture()


def placed_picture(placed: Placed, size: float, palette: Palette) -> Picture:
    """Lines from the homes of footprints to where they were moved, and obstacles as rings."""
    pen = Pen()
    for numbers in placed.prints:
        home, place = np.array(numbers[:3]), np.array(numbers[3:])
        reach = 0.03 * size * np.eye(3)[:2]
        pen.put("thin", np.stack([home - reach, home + reach], axis=1), shade(palette.source, 0.9))
        pen.put("thin", [home, place], shade(palette.active, 0.9))
    for obstacle in placed.obstacles:
        _put_obstacle(pen, obstacle, palette)
    return pen.picture()


def _put_obstacle(pen: Pen, obstacle: Sequence[float], palette: Palette) -> None:
    """Rings around a hump that falls as a bell, to a third of its height at its radius, and two lines over it."""
    foot, (height, radius) = np.array(obstacle[:3]), obstacle[3:]
    angles = np.linspace(0.0, 2.0 * np.pi, CORNERS, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for reach in np.linspace(WIDEST, 0.0, RINGS, endpoint=False):
        ring = np.column_stack([circle * reach * radius, np.full(CORNERS, height * np.exp(-(reach**2)))])
        pen.strip(ring + foot, shade(palette.proposal, 0.8), is_closed=True)
    across = np.linspace(-WIDEST, WIDEST, 2 * CORNERS + 1)
    profile = height * np.exp(-(across**2))
    for axis in (0, 1):
        line = np.zeros((len(across), 3))
        line[:, axis], line[:, 2] = across * radius, profile
        pen.strip(line + foot, shade(palette.proposal, 0.8))

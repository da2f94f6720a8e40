# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of all parts of a character, each made anew only where something that it shows has changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from .. import bridge
from ..bridge.arrays import Array
from ..properties import character_of
from . import subjects
from .balance import balance_picture, support_of
from .footprints import footprint_picture
from .ghosts import frames_around, frames_listed, ghost_picture
from .marks import Mark, marks_of
from .misses import miss_picture
from .object_events import event_picture, events_of
from .palette import Palette
from .physics import (
    NOTHING_PLACED,
    Shown,
    body_picture,
    force_picture,
    path_picture,
    placed_of,
    placed_picture,
    shown_of,
)
from .points import point_picture
from .proposals import proposal_picture
from .shapes import EMPTY, Picture
from .soles import Footprint, footprints_of, is_carried
from .staleness import is_stale
from .subjects import Subject
from .trajectories import Trajectory, current_picture, trajectories_of, trajectory_picture

STALE = 0.4
"""The strength with which a stale result is drawn."""

Part = tuple[str, Picture]


@dataclass
class Parts:
    """The parts of one character, with what they were made from."""

    _marks: tuple[Mark, ...] = ()
    _subject: Subject | None = None
    _palette: Palette | None = None
    _version: int = 0
    """Counts changes of marks, subject and palette."""
    _made: dict[str, tuple[Hashable, Any]] = field(default_factory=dict)

    def pictures(self, armature: bpy.types.Object, frame: float, palette: Palette) -> list[Part]:
        """The pictures that are not empty, in the order of drawing, by the names of their parts.

        Nothing of Blender's data is set or evaluated.
        """
        display: Any = character_of(armature).display
        marks, subject = marks_of(armature), subjects.of(armature)
        if marks != self._marks or subject is not self._subject or palette != self._palette:
            self._marks, self._subject, self._palette = marks, subject, palette
            self._version += 1
        has_events = len(character_of(armature).detection.events) > 0
        physics = character_of(armature).physics
        has_physics = bool(physics.fitted) or len(physics.obstacles) > 0
        if not marks and subject.result is None and not display.ghosts and not has_events and not has_physics:
            return []
        drawn = _Drawn(self, armature, frame, palette, subject, self._marks, display)
        return [(name, picture) for name, picture in drawn.parts() if not picture.is_empty]

    def kept(self, name: str, key: Hashable, make: Callable[[], Any]) -> Any:
        """What was made under a name, or what `make` gives where marks, subject, palette or the key have changed."""
        whole = self._version, key
        before = self._made.get(name)
        if before is None or before[0] != whole:
            before = self._made[name] = whole, make()
        return before[1]


def frame_rate() -> float:
    """Frames a second of the scene."""
    render = bridge.current_scene().render
    return float(render.fps / render.fps_base)


@dataclass(frozen=True)
class _Drawn:
    """One redraw of a character."""

    kept: Parts
    armature: bpy.types.Object
    frame: float
    palette: Palette
    subject: Subject
    marks: tuple[Mark, ...]
    display: Any

    def parts(self) -> list[Part]:
        display = self.display
        return [
            ("ghosts", self._ghosts() if display.ghosts else EMPTY),
            ("balance", self._balance() if display.balance else EMPTY),
            ("footprints", self._footprint_picture() if display.footprints else EMPTY),
            ("proposals", self._proposals() if display.proposals else EMPTY),
            ("objects", self._object_events() if display.proposals else EMPTY),
            ("trajectories", self._trajectory_picture() if display.trajectories else EMPTY),
            ("current", self._current() if display.trajectories else EMPTY),
            ("points", self._points() if display.points else EMPTY),
            ("misses", self._misses() if display.misses else EMPTY),
            *self._physics(),
        ]

    def _physics(self) -> list[Part]:
        display, shown, placed = self.display, shown_of(self.armature), placed_of(self.armature)
        found = []
        if placed != NOTHING_PLACED:
            size = self.subject.body.size
            found.append(("edits", self._kept("edits", placed, lambda: placed_picture(placed, size, self.palette))))
        if shown is None:
            return found
        shows_source = bridge.is_result_hidden(self.armature)

        def drawn(name: str, key: Hashable, make: Callable[[Shown], Picture]) -> Part:
            return name, self._kept(name, (shown, shows_source, key), lambda: make(shown))

        if display.physics_path:
            found.append(drawn("mass path", None, lambda each: path_picture(each, self.palette, shows_source)))
        if display.physics_body:
            found.append(
                drawn("body", self.frame, lambda each: body_picture(each, self.frame, self.palette, shows_source))
            )
        if display.physics_forces:
            found.append(
                drawn("forces", self.frame, lambda each: force_picture(each, self.frame, self.palette, shows_source))
            )
        return found

    @property
    def _strength(self) -> float:
        return STALE if is_stale(self.armature) else 1.0

    @property
    def _shows_unknown_result(self) -> bool:
        """Whether the armature shows a result that is not in memory, as after opening a file."""
        is_shown = bridge.has_result(self.armature) and not bridge.is_result_hidden(self.armature)
        return is_shown and self.subject.result is None

    @property
    def _footprints(self) -> list[Footprint]:
        carried = any(map(is_carried, self.marks))
        fps = frame_rate()

        def make() -> list[Footprint]:
            return footprints_of(self.marks, self.subject.body, self.subject.ground, self.frame, fps)

        found: list[Footprint] = self.kept.kept("soles", (self.frame, fps) if carried else None, make)
        return found

    @property
    def _standing(self) -> Hashable:
        """The marks whose frames contain the current one, and the frame where ground that moves carries plants."""
        standing = tuple(mark.is_at(self.frame) for mark in self.marks)
        return standing, self.frame if any(map(is_carried, self.marks)) else None

    def _footprint_picture(self) -> Picture:
        def make() -> Picture:
            own = [each for each in self._footprints if not each.mark.is_proposal]
            return footprint_picture(own, self.frame, self.palette, self.display.texts)

        return self._kept("footprints", (self._standing, self.display.texts), make)

    def _proposals(self) -> Picture:
        def make() -> Picture:
            size = self.subject.body.size
            return proposal_picture(self.marks, self._footprints, self.frame, size, self.palette, self.display.texts)

        return self._kept("proposals", (self._standing, self.display.texts), make)

    def _object_events(self) -> Picture:
        events = events_of(self.armature)
        standing = tuple(event.is_at(self.frame) for event in events)

        def make() -> Picture:
            return event_picture(events, self.frame, self.palette, self.display.texts)

        return self._kept("objects", (events, standing, self.display.texts), make)

    def _points(self) -> Picture:
        held = tuple(handle.begin <= self.frame <= handle.end for mark in self.marks for handle in mark.handles)

        def make() -> Picture:
            subject = self.subject
            return point_picture(
                self.marks, self.frame, subject.body.size, self.palette, subject.side_of, self.display.texts
            )

        return self._kept("points", (held, self.display.texts), make)

    @property
    def _trajectories(self) -> list[Trajectory]:
        only_active = self.display.trajectories_of == "ACTIVE"

        def make() -> list[Trajectory]:
            subject = self.subject
            if subject.source is None:
                return []
            return trajectories_of(
                self.marks, subject.times, subject.source, subject.result, subject.side_of, only_active
            )

        found: list[Trajectory] = self.kept.kept("paths", only_active, make)
        return found

    def _trajectory_picture(self) -> Picture:
        strength, texts, source = self._strength, self.display.texts, self.subject.source

        def make() -> Picture:
            fps = source.fps if source is not None else 0.0
            return trajectory_picture(self._trajectories, fps, self.palette, strength, texts)

        return self._kept("trajectories", (strength, texts, self.display.trajectories_of), make)

    def _current(self) -> Picture:
        if self._shows_unknown_result:
            return EMPTY
        shows_source = bridge.is_result_hidden(self.armature)

        def make() -> Picture:
            return current_picture(self._trajectories, self.frame, self.palette, shows_source)

        return self._kept("current", (self.frame, self.display.trajectories_of, shows_source), make)

    def _misses(self) -> Picture:
        now, shown = self.subject.frame_at(self.frame), self.subject.result
        if now is None or shown is None or bridge.is_result_hidden(self.armature):
            return EMPTY
        if not any(now in miss.frames for miss in self.subject.misses):
            return EMPTY
        strength, texts = self._strength, self.display.texts

        def make() -> Picture:
            return miss_picture(self.subject.misses, shown, now, self.palette, bridge.format_length, strength, texts)

        return self._kept("misses", (now, strength, texts), make)

    def _balance(self) -> Picture:
        now = self.subject.frame_at(self.frame)
        if now is None or self._shows_unknown_result or all(mark.is_proposal for mark in self.marks):
            return EMPTY
        shows_source = bridge.is_result_hidden(self.armature)
        strength = 1.0 if shows_source else self._strength

        def make() -> Picture:
            subject = self.subject
            center = (subject.source_centers if shows_source else subject.centers)[now]
            size = subject.body.size
            return balance_picture(center, self._support, self._ground_under(center), size, self.palette, strength)

        return self._kept("balance", (self.frame, shows_source, strength), make)

    @property
    def _support(self) -> Array:
        found: Array = self.kept.kept("support", self._standing, lambda: support_of(self._footprints, self.frame))
        return found

    def _ground_under(self, place: Array) -> float:
        """The height of the ground under a place; without a ground, that of the lowest footprint."""
        ground = self.subject.ground
        height = float(ground.heights(place[None], 2)[0]) if ground is not None else np.nan
        if np.isfinite(height):
            return height
        return min((float(each.middle[2]) for each in self._footprints), default=0.0)

    def _ghosts(self) -> Picture:
        display, subject = self.display, self.subject
        is_source = display.ghosts_of == "SOURCE" or subject.result is None
        if subject.source is None:
            return EMPTY
        if display.ghosts_at == "AROUND":
            wanted = frames_around(self.frame, display.ghost_count, display.ghost_step)
        else:
            wanted = frames_listed(display.ghost_frames)
        frames = tuple(frame for frame in map(subject.frame_at, wanted) if frame is not None)
        now, color = subject.frame_at(self.frame), self.palette.source if is_source else self.palette.result

        def make() -> Picture:
            return ghost_picture(subject.source_sticks if is_source else subject.result_sticks, frames, now, color)

        return self._kept("ghosts", (frames, now, is_source), make)

    def _kept(self, name: str, key: Hashable, make: Callable[[], Picture]) -> Picture:
        picture: Picture = self.kept.kept(f"{name} picture", key, make)
        return picture

# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion, body and ground of a character that is drawn: of its newest solve, or else of its source as read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import bpy
import numpy as np
from numpy.typing import NDArray

from ... import solver
from .. import bridge
from ..bridge.arrays import Array
from ..properties import character_of
from ..properties.handles import longest_side
from ..workflows import latest
from . import readings
from .body import BodyMeasures
from .ghosts import sticks_of
from .marks import Mark
from .misses import Miss, misses_of
from .sides import sides_of

STEEPEST = 0.1
"""The least share of a plane's normal along the vertical: feet cannot stand on a steeper one."""

_NO_TIMES: Array = np.zeros(0)


@dataclass(frozen=True, eq=False)
class Subject:
    """What is drawn of a character besides its constraints. It is made anew only where one of its parts changes."""

    body: BodyMeasures
    times: Array
    """(frames,) frames of the scene; empty where there is no motion."""
    source: solver.Clip | None
    result: solver.Clip | None
    solved: latest.Latest | None
    own_ground: solver.Ground | None
    """The ground of the solve or of the reading."""
    ground: solver.Ground | None
    """The ground as it is set now, where that is a plane; else as `own_ground`."""

    @property
    def shown(self) -> solver.Clip | None:
        """The result, or where there is none the source."""
        return self.result or self.source

    def frame_at(self, time: float) -> int | None:
        """The frame of the clips nearest to a frame of the scene; None outside of them."""
        if not len(self.times) or not self.times[0] - 0.5 <= time <= self.times[-1] + 0.5:
            return None
        return int(np.abs(self.times - time).argmin())

    @cached_property
    def centers(self) -> Array:
        """(frames, 3) the centre of mass in the motion that `shown` gives."""
        return self.shown.center_of_mass() if self.shown is not None else np.zeros((0, 3))

    @cached_property
    def source_centers(self) -> Array:
        """(frames, 3) the centre of mass in the source."""
        return self.source.center_of_mass() if self.source is not None else np.zeros((0, 3))

    @cached_property
    def source_sticks(self) -> NDArray[np.float32]:
        """As `sticks_of` gives them for the source; there must be one."""
        assert self.source is not None
        return sticks_of(self.source)

    @cached_property
    def result_sticks(self) -> NDArray[np.float32]:
        """As `sticks_of` gives them for the result; there must be one."""
        assert self.result is not None
        return sticks_of(self.result)

    @cached_property
    def sides(self) -> dict[str, str]:
        """The side of each joint of a limb, by its name."""
        return sides_of(self.source.skeleton) if self.source is not None else {}

    def side_of(self, bone: str) -> str:
        """The side of a bone; empty for one in the middle, or one that is not known."""
        return self.sides.get(bone, "")

    @cached_property
    def misses(self) -> list[Miss]:
        """The constraints that are not satisfied in the result; none in a preview, whose targets are not known."""
        if self.solved is None or self.solved.is_preview:
            return []
        return misses_of(self.solved.solved.deformation, self.solved.shown, self.solved.residuals, self.uids)

    @cached_property
    def uids(self) -> tuple[str, ...]:
        """The uids of the solved constraints."""
        return self.solved.solved.translated.uids if self.solved is not None else ()


_subjects: dict[str, tuple[tuple[object, ...], Subject]] = {}
"""By the name of the armature object, each with what it was made from."""


def of(armature: bpy.types.Object) -> Subject:
    """The subject of an armature. It is cheap where nothing has changed, and sets no data of Blender."""
    solved = latest_shown(armature)
    read = readings.known(armature) if solved is None else None
    ground_key, plane = _plane_set(armature)
    height = longest_side(armature) if solved is None and (read is None or read.clip is None) else 0.0
    made_from = (solved, read, ground_key, height)
    before = _subjects.get(armature.name)
    if before is not None and _are_same(before[0], made_from):
        return before[1]
    subject = _made(solved, read, plane, ground_key, height)
    _subjects[armature.name] = made_from, subject
    return subject


def _are_same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Whether all parts are the same: plain values where they are equal, others where they are identical."""
    return all(
        first is second or (isinstance(first, (tuple, float)) and first == second)
        for first, second in zip(one, other, strict=True)
    )


def _made(
    solved: latest.Latest | None,
    read: readings.Read | None,
    plane: solver.Ground | None,
    ground_key: tuple[object, ...],
    height: float,
) -> Subject:
    source = result = own = None
    times = _NO_TIMES
    if solved is not None:
        source, result, times = solved.solved.source, solved.shown, solved.solved.reading.times
        own = solved.solved.grounded.ground
    elif read is not None:
        source, times, own = read.clip, read.times, read.ground
    body = BodyMeasures.of(source.skeleton) if source is not None else BodyMeasures.of_height(height)
    ground = plane if ground_key else own
    return Subject(body, times, source, result, solved, own, ground)


def latest_shown(armature: bpy.types.Object) -> latest.Latest | None:
    """The newest solve of an armature, if its result is still there and made from the source that is there."""
    found = latest.of(armature)
    if found is None or not bridge.has_result(armature):
        return None
    return found


def _plane_set(armature: bpy.types.Object) -> tuple[tuple[object, ...], solver.Ground | None]:
    """The ground of a character where it is a plane or switched off, with a key that differs with it; else an empty
    key: then it is that of the solve or of the reading."""
    character = character_of(armature)
    if not character.use_ground:
        return ("off",), None
    if character.ground_kind != "PLANE":
        return (), None
    plane = character.ground_plane
    if plane is None:
        return ("level", character.ground_height), solver.Ground(character.ground_height)
    matrix = np.array(plane.matrix_world, dtype=np.float64)
    point, normal = matrix[:3, 3], matrix[:3, 2]
    if not abs(normal[2]) > STEEPEST * np.linalg.norm(normal):
        return ("upright",), None  # a solve says so
    return ("plane", *point.tolist(), *normal.tolist()), solver.Ground.plane(point, normal)


def drawn_marks(armature: bpy.types.Object, marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """The marks whose footprints or points are drawn."""
    display = character_of(armature).display
    if not display.show:
        return ()

    def is_drawn(mark: Mark) -> bool:
        if mark.is_proposal:
            return bool(display.proposals)
        return bool(display.footprints if mark.kind == "FOOTPLANT" else display.points)

    return tuple(mark for mark in marks if is_drawn(mark))


def forget(name: str | None = None) -> None:
    """Drop the subject of the armature with this name, or of all."""
    if name is None:
        _subjects.clear()
    else:
        _subjects.pop(name, None)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The edit of a motion's physics as the animator has set it: by values in the panel, and by handles in the viewport."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np

from ... import solver
from .. import bridge
from ..bridge.transforms import Transform
from ..properties import character_of
from ..properties.handles import is_in_scene, longest_side
from ..properties.physics import EDITS, GRAVITY_FACTORS, OBJECTIVES

UNMOVED = 1e-6
"""A handle that is off its home by less is unmoved, as a share of the armature's longest side; radians of a turn."""


@dataclass(frozen=True)
class FootprintChange:
    """What the animator has changed about a stance. Frames are those of the scene."""

    contact: str
    begin: float
    end: float
    shift: tuple[float, float, float]
    turn: float
    earlier_strike: float
    """Seconds."""
    later_release: float
    """Seconds."""

    @property
    def is_none(self) -> bool:
        """Whether nothing is changed."""
        return not any((*self.shift, self.turn, self.earlier_strike, self.later_release))


@dataclass(frozen=True)
class TakenEdit:
    """An edit as it was when a solve began: the stances that it speaks of may be those of an older fit."""

    edit: solver.spacetime.Edit
    """Without footprints."""
    changes: tuple[FootprintChange, ...]

    def edit_for(self, fit: solver.spacetime.Fit, frame_at: Callable[[float], float]) -> solver.spacetime.Edit:
        """The edit with its footprints, for the stances of a fit; `frame_at` gives the scene's frame of its seconds."""
        spans = [(stance.contact, frame_at(stance.begin), frame_at(stance.end)) for stance in fit.stances]
        found = []
        for change, stance in zip(self.changes, matches(self.changes, spans), strict=True):
            if stance is not None and not change.is_none:
                found.append(
                    solver.spacetime.FootprintEdit(
                        stance, change.shift, change.turn, change.earlier_strike, change.later_release
                    )
                )
        return replace(self.edit, footprints=tuple(found))


def matches(known: Sequence[Any], spans: Sequence[tuple[str, float, float]]) -> list[int | None]:
    """For each known stance, which has a contact, a begin and an end, the index of that among `spans` which is the same
    one: of the same contact, and at the same time for most of it. None where there is none."""
    found: list[int | None] = []
    taken: set[int] = set()
    for each in known:
        overlaps = [
            min(each.end, end) - max(each.begin, begin) if contact == each.contact and index not in taken else -np.inf
            for index, (contact, begin, end) in enumerate(spans)
        ]
        best = int(np.argmax(overlaps)) if overlaps else 0
        if overlaps and overlaps[best] >= 0.0:
            taken.add(best)
            found.append(best)
        else:
            found.append(None)
    return found


def taken(armature: bpy.types.Object, given: Mapping[str, Any] | None = None) -> TakenEdit:
    """The edit as the panel and the handles have it now; values that are `given`, by the names of properties, replace
    those of the panel."""
    physics, given = character_of(armature).physics, given or {}
    # Blender stores single precision: rounded to it, what is given is the same edit as what the panel then has.
    rounded = {name: float(np.float32(value)) if isinstance(value, float) else value for name, value in given.items()}
    values = {name: rounded.get(name, getattr(physics, name)) for name in EDITS}
    fps = bridge.current_scene().render.fps / bridge.current_scene().render.fps_base
    edit = solver.spacetime.Edit(
        gravity=float(GRAVITY_FACTORS.get(values["gravity"], values["gravity_factor"])),
        duration=None if values["automatic_duration"] else float(values["duration"]),
        flight=float(values["flight"]),
        limbs=tuple(
            solver.spacetime.LimbEdit(limb.joint, float(limb.length), float(limb.mass))
            for limb in physics.limbs
            if limb.length != 1.0 or limb.mass != 1.0
        ),
        locked=tuple(solver.spacetime.LockedJoint(lock.joint) for lock in physics.locks),
        obstacles=tuple(_obstacle(each) for each in physics.obstacles if is_in_scene(each.object)),
        turn=float(values["turn"]),
        free_end=bool(values["free_end"]),
        keep_heading=bool(values["keep_heading"]),
        objectives={name: weight * float(values[name]) for name, weight in OBJECTIVES.items() if values[name] > 0.0},
    )
    size = longest_side(armature)
    return TakenEdit(edit, tuple(_change(stance, fps, size) for stance in physics.stances))


def _change(stance: Any, fps: float, size: float) -> FootprintChange:
    shift, turn = np.zeros(3), 0.0
    if is_in_scene(stance.object):
        placed = Transform.of(stance.object.matrix_world)
        shift = placed.location - np.array(stance.home, dtype=np.float64)
        turn = _wrapped(heading_of(placed) - stance.heading)
    x, y, z = (float(value) for value in np.where(np.abs(shift) > UNMOVED * size, shift, 0.0))
    return FootprintChange(
        contact=stance.contact,
        begin=stance.begin,
        end=stance.end,
        shift=(x, y, z),
        turn=turn if abs(turn) > UNMOVED else 0.0,
        earlier_strike=stance.earlier_strike / fps,
        later_release=stance.later_release / fps,
    )


def heading_of(placed: Transform) -> float:
    """The rotation of a handle about the vertical, in radians."""
    right = placed.axes[:, 0]
    return float(np.arctan2(right[1], right[0]))


def _wrapped(angle: float) -> float:
    return float((angle + np.pi) % (2.0 * np.pi) - np.pi)


def _obstacle(item: Any) -> solver.spacetime.Obstacle:
    x, y, z, height, radius = measures(item)
    return solver.spacetime.Obstacle((x, y, z), height, radius)


def measures(item: Any) -> tuple[float, float, float, float, float]:
    """Place, height and radius of an obstacle, with the scale of its handle."""
    matrix = np.array(item.object.matrix_world, dtype=np.float64)
    scale = np.linalg.norm(matrix[:3, :3], axis=0)
    x, y, z = matrix[:3, 3].tolist()
    return x, y, z, float(item.height * scale[2]), float(max(item.radius * scale[:2].mean(), 1e-6))

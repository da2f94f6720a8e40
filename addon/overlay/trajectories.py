# SPDX-License-Identifier: GPL-3.0-or-later
"""The paths of constrained points over the frames of their constraints, of the source and of the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ... import solver
from ..bridge.arrays import Array, BoolArray
from .marks import Mark
from .palette import Palette
from .shapes import Color, Kind, Pen, Picture, runs, shade

EASE = 0.25
"""Seconds before and after a footplant that are drawn too: those over which it is blended in and out."""

TICKS_A_SECOND = 30.0
"""About as many ticks are drawn for each second: one a frame, or of a fast capture one every few frames."""

STEPS = (1, 2, 5, 10)
"""Frames from one tick to the next."""

LARGE = 10
"""Every so many ticks one is large, and has its frame as text where the constraint is active."""

CENTER = "centre of mass"
"""Stands for the point that a balance moves."""

Key = tuple[str, tuple[float, ...]]
"""A point of the body: a joint with an offset, a foot, or the centre of mass."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """The path of a point over a run of frames."""

    side: str
    is_active: BoolArray
    """(n,) the frames of the constraint that is chosen in the list."""
    times: Array
    """(n,) frames of the scene."""
    source: Array
    """(n, 3)"""
    result: Array | None
    """(n, 3)"""

    @property
    def shown(self) -> Array:
        """(n, 3) the result, or where there is none the source."""
        return self.source if self.result is None else self.result

    def at(self, frame: float) -> int | None:
        """The index of a frame of the scene; None outside."""
        if not self.times[0] <= frame <= self.times[-1]:
            return None
        return int(np.abs(self.times - frame).argmin())


def trajectories_of(
    marks: Sequence[Mark],
    times: Array,
    source: solver.Clip,
    result: solver.Clip | None,
    side_of: Callable[[str], str],
    only_active: bool = False,
) -> list[Trajectory]:
    """The paths of the points of enabled constraints, each point once; `times` (frames,) are frames of the scene."""
    spans: dict[Key, list[tuple[float, float]]] = {}
    active: dict[Key, tuple[float, float]] = {}
    ease = EASE * source.fps * (float(times[1] - times[0]) if len(times) > 1 else 1.0)
    for mark in marks:
        key = _key(mark, source)
        if key is None or mark.is_proposal or not mark.is_enabled or (only_active and not mark.is_active):
            continue
        margin = ease if mark.kind == "FOOTPLANT" else 0.0
        spans.setdefault(key, []).append((mark.begin - margin, mark.end + margin))
        if mark.is_active:
            active[key] = mark.begin, mark.end
    found = []
    for key, wanted in spans.items():
        inside = np.zeros(len(times), dtype=bool)
        for begin, end in wanted:
            inside |= (times >= begin) & (times <= end)
        first_active, last_active = active.get(key, (np.inf, -np.inf))
        is_active = (times >= first_active) & (times <= last_active)
        paths = [None if clip is None else _path(key, clip) for clip in (source, result)]
        for first, last in runs(np.flatnonzero(inside).tolist()):
            if last == first:
                continue
            part = slice(first, last + 1)
            before, after = (None if path is None else path[part] for path in paths)
            assert before is not None
            side = key[0] if key[0] in ("left", "right") else side_of(key[0])
            found.append(Trajectory(side, is_active[part], times[part], before, after))
    return found


def _key(mark: Mark, clip: solver.Clip) -> Key | None:
    """The point of the body whose path is drawn for a constraint; None where it constrains none."""
    if mark.kind == "FOOTPLANT":
        return (mark.foot, ()) if getattr(clip.skeleton.landmarks, f"{mark.foot}_ball") is not None else None
    if mark.kind == "BALANCE":
        return CENTER, ()
    if mark.kind == "SHAPE" and mark.bone in clip.skeleton.names:
        return mark.bone, mark.offset
    return None


def _path(key: Key, clip: solver.Clip) -> Array:
    """(frames, 3) the path of a point."""
    name, offset = key
    if name == CENTER:
        return clip.center_of_mass()
    if name in ("left", "right"):
        return clip.position(getattr(clip.skeleton.landmarks, f"{name}_ball"))
    x, y, z = offset
    return clip.position(solver.BodyPoint(name, (x, y, z)))


def trajectory_picture(
    trajectories: Sequence[Trajectory], fps: float, palette: Palette, strength: float = 1.0, with_texts: bool = True
) -> Picture:
    """Paths with a tick at each frame: the source thin, the result bold. `strength` is below 1 for a stale result."""
    pen = Pen()
    step = next((each for each in STEPS if fps / each <= TICKS_A_SECOND), STEPS[-1])
    for each in trajectories:
        own, active = palette.side(each.side), palette.active
        along = each.is_active[1:] & each.is_active[:-1]
        ends = np.repeat(along, 2)  # each segment has two ends

        def colored(alpha: float, where: BoolArray, own: Color = own, light: float = 0.0) -> Array:
            return np.where(where[:, None], shade(palette.active, alpha, light), shade(own, alpha, light))

        pen.strip(each.source, colored(0.45, ends))
        if each.result is not None:
            pen.strip(each.result, colored(0.9 * strength, ends), "bold")
        frames = np.round(each.times).astype(np.int64)
        is_whole = np.abs(each.times - frames) < 1e-6
        ticks = is_whole & (frames % step == 0)
        large = is_whole & (frames % (LARGE * step) == 0)
        lights = colored(0.9 * strength, each.is_active, light=0.5)
        kinds: dict[Kind, BoolArray] = {"ticks": ticks & ~large, "dots": large}
        for kind, chosen in kinds.items():
            pen.put(kind, each.shown[chosen], lights[chosen])
        if with_texts:
            for index in np.flatnonzero(large & each.is_active).tolist():
                pen.text(f"{frames[index]}", each.shown[index], shade(active, 0.8), rank=3)
    return pen.picture()


def current_picture(
    trajectories: Sequence[Trajectory], frame: float, palette: Palette, shows_source: bool = False
) -> Picture:
    """A dot on each path at the current frame, where the armature is, and a line from the source to the result there.

    `shows_source` is true where the armature shows the source although there is a result.
    """
    pen = Pen()
    for each in trajectories:
        index = each.at(frame)
        if index is None:
            continue
        pen.put("dots", (each.source if shows_source else each.shown)[index], palette.text)
        if each.result is not None:
            pen.put("thin", [each.source[index], each.result[index]], shade(palette.text, 0.6))
    return pen.picture()

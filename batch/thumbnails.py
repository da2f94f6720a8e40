# SPDX-License-Identifier: GPL-3.0-or-later
"""Small pictures of a clip before and after: stick figures of a few frames, and the paths of the feet.

A report holds their points; `drawing` makes a picture of them when the report of the run is written.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..solver import Clip

POSES = 4
"""Stick figures in a picture."""

SHORTEST = 0.03
"""Sizes of the character: shorter bones, those of fingers, are left out."""

PATH_POINTS = 60
"""Points of the path of a foot."""

UNITS = 1000
"""Coordinates are whole numbers, in thousandths of the size."""

Array = NDArray[np.float64]


def thumbnail(before: Clip, after: Clip | None) -> dict[str, Any]:
    """The points of the picture of a clip, as JSON can write them; `after` is None if there is no result.

    Both are projected to the plane of the vertical axis and the horizontal direction in which the source extends most.
    `bones` are pairs of indices of points. Each pose and each path is a text of points "x,y", y upward: in a report for
    people it must not take a line for each number.
    """
    skeleton = before.skeleton
    positions = _positions(before)
    axes = _view(positions, skeleton.up_axis)
    origin = positions[:, 0].mean(axis=0) @ axes
    parents = skeleton.parents
    lengths = np.linalg.norm(skeleton.offsets, axis=-1)
    long = [
        joint for joint in range(len(parents)) if parents[joint] >= 0 and lengths[joint] >= SHORTEST * skeleton.size
    ]
    kept = sorted({*long, *(int(parents[joint]) for joint in long)})
    index = {joint: number for number, joint in enumerate(kept)}
    drawn: dict[str, Any] = {"bones": " ".join(f"{index[int(parents[joint])]},{index[joint]}" for joint in long)}
    feet = _feet(before, positions)
    for when, clip in (("before", before), ("after", after)):
        if clip is not None:
            flat = ((positions if clip is before else _positions(clip)) @ axes - origin) / skeleton.size * UNITS
            poses = np.linspace(0, clip.frames - 1, min(POSES, clip.frames)).round().astype(int)
            steps = np.linspace(0, clip.frames - 1, min(PATH_POINTS, clip.frames)).round().astype(int)
            drawn[when] = {
                "poses": [_text(flat[pose][kept]) for pose in poses],
                "paths": [_text(flat[steps, foot]) for foot in feet],
            }
    return drawn


def drawing(points: dict[str, Any], when: str, width: int = 220, height: int = 120) -> str:
    """The picture as an SVG element; `when` is before or after. Both pictures of a clip have one scale."""
    shown = [points[name] for name in ("before", "after") if name in points]
    every = np.array([point for part in shown for line in (*part["poses"], *part["paths"]) for point in _pairs(line)])
    if when not in points or every.size == 0:
        return ""
    low, high = every.min(axis=0), every.max(axis=0)
    scale = 0.94 * min(width / max(high[0] - low[0], 1.0), height / max(high[1] - low[1], 1.0))
    middle = (low + high) / 2.0

    def placed(point: tuple[int, int]) -> str:
        x, y = (np.array(point) - middle) * scale
        return f"{width / 2 + x:.1f} {height / 2 - y:.1f}"

    parts = []
    for number, text in enumerate(points[when]["poses"]):
        pose = _pairs(text)
        lines = "".join(f"M{placed(pose[begin])}L{placed(pose[end])}" for begin, end in _pairs(points["bones"]))
        parts.append(f'<path class="pose" opacity="{0.45 + 0.55 * number / POSES:.2f}" d="{lines}"/>')
    for path in points[when]["paths"]:
        parts.append(f'<path class="foot" d="M{"L".join(map(placed, _pairs(path)))}"/>')
    return f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}">{"".join(parts)}</svg>'


def _text(points: Array) -> str:
    """Points (points, 2) as a text."""
    return " ".join(f"{x},{y}" for x, y in np.rint(points).astype(int).tolist())


def _pairs(text: str) -> list[tuple[int, int]]:
    """The points of a text."""
    return [(int(x), int(y)) for x, _, y in (pair.partition(",") for pair in text.split())]


def _positions(clip: Clip) -> Array:
    """(frames, joints, 3) in world space; frames that are not finite stand still at the origin."""
    return np.nan_to_num(clip.world.positions)


def _view(positions: Array, up: int) -> Array:
    """(3, 2) the axes of the picture, horizontal and vertical; `up` is the index of the vertical axis."""
    vertical = np.eye(3)[up]
    horizontal = [axis for axis in range(3) if axis != up]
    ground = positions[:, :, horizontal].reshape(-1, 2)
    _, directions = np.linalg.eigh(np.atleast_2d(np.cov(ground.T, bias=True)))
    main = directions[:, -1]
    across = np.zeros(3)
    across[horizontal] = main if main.sum() >= 0.0 else -main
    return np.stack([across, vertical], axis=1)


def _feet(clip: Clip, positions: Array) -> list[int]:
    """The ankles, or of a character without them the two joints that are lowest on average."""
    legs = [clip.skeleton.landmarks.leg(side)[2] for side in ("left", "right")]
    ankles = [ankle for ankle in legs if ankle is not None]
    heights = positions[:, :, clip.skeleton.up_axis].mean(axis=0)
    return ankles or np.argsort(heights, kind="stable")[:2].tolist()

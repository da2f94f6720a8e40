# SPDX-License-Identifier: GPL-3.0-or-later
"""Where plants of feet and hands stand in the source, for their empties. The solver computes exact positions itself."""

from __future__ import annotations

import numpy as np

from ...solver import Clip, Footplant, Handplant
from ..bridge.transforms import Transform


def plant_transform(clip: Clip, plant: Footplant) -> Transform:
    """The mean middle of heel and ball during a plant, with the foot's heading; the origin for an unknown foot."""
    marks = clip.skeleton.landmarks
    ends = {"heel": getattr(marks, f"{plant.foot}_heel"), "toe": getattr(marks, f"{plant.foot}_ball")}
    positions = {
        part: clip.position(ends[part])[_during(clip, *stay)].mean(axis=0)
        for part, stay in plant.stays.items()
        if ends[part] is not None
    }
    if not positions:
        return Transform.upright(np.zeros(3), 0.0)
    middle = np.mean(list(positions.values()), axis=0)
    if ends["heel"] is None or ends["toe"] is None:
        return Transform.upright(middle, 0.0)
    begin, end = (pick(time) for pick, time in zip((min, max), zip(*plant.stays.values(), strict=True), strict=True))
    during = _during(clip, begin, end)
    along = (clip.position(ends["toe"])[during] - clip.position(ends["heel"])[during]).mean(axis=0)
    return Transform.upright(middle, float(np.arctan2(along[0], -along[1])))


def hand_transform(clip: Clip, plant: Handplant) -> Transform:
    """Where the wrist of a handplant stands in the world at its begin, without its shift, with the heading of the hand
    from the wrist to the fingertips; the origin for an unknown hand."""
    marks, during = clip.skeleton.landmarks, _during(clip, plant.begin, plant.end)
    wrist, fingertip = (getattr(marks, f"{plant.hand}_{part}") for part in ("wrist", "fingertip"))
    if wrist is None:
        return Transform.upright(np.zeros(3), 0.0)
    places = clip.position(wrist)
    heading = 0.0
    if fingertip is not None:
        along = (clip.position(fingertip) - places)[during].mean(axis=0)
        heading = float(np.arctan2(along[0], -along[1]))
    if plant.reference is None:
        where = places[during].mean(axis=0) if plant.position is None else np.asarray(plant.position, dtype=np.float64)
        return Transform.upright(where, heading)
    moving = plant.reference.checked(plant.label, clip.frames)
    seen = moving.seen_from(places)[during].mean(axis=0) if plant.position is None else np.asarray(plant.position)
    return Transform.upright(moving.in_world(seen)[during.start], heading)


def _during(clip: Clip, begin: float, end: float) -> slice:
    """The frames from `begin` to `end` within the clip, at least one."""
    first = min(max(int(np.ceil(begin)), 0), clip.frames - 1)
    return slice(first, max(min(int(np.floor(end)), clip.frames - 1), first) + 1)

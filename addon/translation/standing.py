# SPDX-License-Identifier: GPL-3.0-or-later
"""The transform of a footplant in the source, for its empty. The solver computes the exact position itself."""

from __future__ import annotations

import numpy as np

from ...solver import Clip, Footplant
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


def _during(clip: Clip, begin: float, end: float) -> slice:
    """The frames from `begin` to `end` within the clip, at least one."""
    first = min(max(int(np.ceil(begin)), 0), clip.frames - 1)
    return slice(first, max(min(int(np.floor(end)), clip.frames - 1), first) + 1)

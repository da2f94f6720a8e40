# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames of keys that are selected in the animation editors."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import bpy
import numpy as np

from . import versions
from .curves import bone_property


def selected_frames(animated: bpy.types.Object, bones: Collection[str] = ()) -> tuple[int, int] | None:
    """The first and last frame of the selected keys of an object, or of some of its bones; None without a selection.

    Where all keys are selected, as after an import, nothing was chosen: that counts as no selection.
    """
    data: Any = animated.animation_data
    if data is None or data.action is None:
        return None
    frames, has_others = [], False
    for curve in versions.curves_of(data.action, versions.slot_of(data)):
        known = bone_property(curve.data_path)
        if bones and (known is None or known[0] not in bones):
            continue
        points = curve.keyframe_points
        flags, places = np.zeros(len(points), dtype=bool), np.zeros(2 * len(points), dtype=np.float32)
        points.foreach_get("select_control_point", flags)
        points.foreach_get("co", places)
        has_others = has_others or not flags.all()
        frames += places[::2][flags].tolist()
    if not frames or not has_others:
        return None
    return math.floor(min(frames)), math.ceil(max(frames))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions that are marked as cyclic in Blender."""

from __future__ import annotations

from .reading import Reading
from .sources import animation_of


def is_marked_cyclic(reading: Reading) -> bool:
    """Whether the source action is marked as cyclic and its whole manual frame range was read."""
    source = animation_of(reading.armature).source
    if source is None or not (source.use_frame_range and source.use_cyclic):
        return False
    first, last = float(reading.key_times[0]), float(reading.key_times[-1])
    return abs(first - source.frame_start) < 1.0 and abs(last - source.frame_end) < 1.0

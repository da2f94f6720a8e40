# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of handles: what they hold, and when, such as "LeftHand 120" or "Left Foot 33–58"."""

from __future__ import annotations

import re
from typing import Any

from ..bridge.context import custom_property
from .selecting import EMPTY_MARK

WORDS = {"ORIENTATION": "turned ", "LOOK_AT": "looking "}
"""Words between bone and frames, by kind: a pin and an orientation of a bone at one frame have different names."""


def handle_name(item: Any, point: Any) -> str:
    """The name for the handle of a point of a constraint."""
    if item.kind == "FOOTPLANT":
        return f"{item.foot.title()} Foot {_frames(item.begin, item.end)}"
    if item.kind == "HANDPLANT":
        return f"{item.hand.title()} Hand {_frames(item.begin, item.end)}"
    what = "Balance" if item.kind == "BALANCE" else item.bone.rpartition(":")[2] or item.name
    return f"{what} {WORDS.get(item.kind, '')}{_frames(point.begin, point.end)}"


def _frames(begin: float, end: float) -> str:
    return f"{begin:g}–{end:g}" if end > begin else f"{begin:g}"


def rename_handles(item: Any) -> None:
    """Give the handles of a constraint their names, except those that the animator has renamed."""
    for point in item.points:
        handle = point.object
        if handle is None or handle.library is not None or custom_property(handle, EMPTY_MARK) != handle.name:
            continue
        name = handle_name(item, point)
        if re.sub(r"\.\d{3,}$", "", handle.name) != name:
            handle.name = name
            handle[EMPTY_MARK] = handle.name

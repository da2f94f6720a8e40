# SPDX-License-Identifier: GPL-3.0-or-later
"""The side of the body that a bone is on, by its name."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Side = Literal["LEFT", "RIGHT", ""]

_WORDS: dict[str, Side] = {"left": "LEFT", "l": "LEFT", "right": "RIGHT", "r": "RIGHT"}
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
"""The words of a name: those between signs, and those that begin with a capital letter."""


@lru_cache(maxsize=1024)
def side_of(bone: str) -> Side:
    """The side that a bone's name tells: "mixamorig:LeftFoot", "foot.L", "l_ankle"; empty for the trunk."""
    for part in _PARTS.findall(bone.rsplit(":", 1)[-1]):
        found = _WORDS.get(part.lower())
        if found:
            return found
    return ""

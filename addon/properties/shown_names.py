# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of bones as they are shown: without the prefix that nearly all bones share, and shortened in the middle.

"mixamorig:LeftHand" and "mixamorig:LeftHandThumb1" are cut off where they begin to differ; "LeftHand" is not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import bpy

SHARED = 0.8
"""Share of the bones that must have a prefix for it to be dropped: some rigs have a few bones of their own beside."""

FEWEST = 3
"""Bones that must have a prefix: in a chain of two a shared prefix may be all that the names say."""

SEPARATORS = ":_-. |/"
"""Letters with which a prefix ends."""

SIDES = {"l", "r", "left", "right"}
"""Words that are never dropped, in lower case: an armature may have the bones of one side alone."""

ELLIPSIS = "…"


def shown_bone(armature: bpy.types.Object, name: str) -> str:
    """The name of a bone as it is shown in lists and on buttons."""
    return name.removeprefix(prefix_of(armature)) or name


def shown_text(armature: bpy.types.Object, text: str) -> str:
    """A text, such as the name of a constraint or a sentence, with the names of bones as they are shown."""
    prefix = prefix_of(armature)
    return re.sub(rf"(?<!\w){re.escape(prefix)}(?=\w)", "", text) if prefix else text


def prefix_of(armature: bpy.types.Object) -> str:
    """The prefix that is dropped from the names of an armature's bones; empty where there is none."""
    data: Any = armature.data
    return common_prefix(tuple(data.bones.keys()))


@lru_cache(maxsize=32)
def common_prefix(names: Sequence[str]) -> str:
    """The longest prefix of nearly all names that ends with a separator and without which all of them still differ."""
    counts = Counter(prefix for name in names for prefix in _prefixes(name))
    fewest = max(FEWEST, SHARED * len(names))
    shared = [prefix for prefix, count in counts.items() if count >= fewest and _is_no_side(prefix)]
    for prefix in sorted(shared, key=len, reverse=True):
        if len({name.removeprefix(prefix) for name in names}) == len(names):
            return prefix
    return ""


def _prefixes(name: str) -> Iterable[str]:
    """The beginnings of a name that end with a separator, and after which something follows."""
    return (name[:end] for end in range(1, len(name)) if name[end - 1] in SEPARATORS and name[end] not in SEPARATORS)


def _is_no_side(prefix: str) -> bool:
    return not SIDES & set(re.split(r"[\W_]+", prefix.lower()))


def shortened(text: str, letters: int) -> str:
    """A text with at most so many letters: the middle is left out, since names differ at their begin and end."""
    if len(text) <= letters:
        return text
    head = (letters - len(ELLIPSIS) + 1) // 2
    tail = letters - len(ELLIPSIS) - head
    return text[:head].rstrip() + ELLIPSIS + text[len(text) - tail :].lstrip()

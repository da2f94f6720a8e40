# SPDX-License-Identifier: GPL-3.0-or-later
"""The smallest part of an input that still has a property: delta debugging (Zeller and Hildebrandt 2002)."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable
from typing import Any

from .json_mutation import places


def minimised(data: bytes, fails: Callable[[bytes], bool], seconds: float) -> bytes:
    """The input without all that it does not need to fail; the best one where the time is over.

    Values of JSON are left out first. Then parts of the text are left out, from half of it down to single bytes, until
    no byte can be left out.
    """
    deadline = time.monotonic() + seconds
    data = _without_values(data, fails, deadline)
    size = max(1, len(data) // 2)
    while True:
        shortened = _without_parts(data, size, fails, deadline)
        if time.monotonic() > deadline:
            return shortened
        if size == 1 and len(shortened) == len(data):
            return shortened
        data = shortened
        size = max(1, min(size // 2, len(data) // 2))


def _without_parts(data: bytes, size: int, fails: Callable[[bytes], bool], deadline: float) -> bytes:
    """The input without the parts of a size that it does not need to fail."""
    begin = 0
    while begin < len(data) and time.monotonic() < deadline:
        shorter = data[:begin] + data[begin + size :]
        if fails(shorter):
            data = shorter
        else:
            begin += size
    return data


def _without_values(data: bytes, fails: Callable[[bytes], bool], deadline: float) -> bytes:
    """The input, if it is JSON, without the values that it does not need to fail."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return data
    if not fails(_written(tree)):
        return data
    index = 0
    while index < len(places(tree)) and time.monotonic() < deadline:
        smaller = copy.deepcopy(tree)
        holder, step = places(smaller)[index]
        del holder[step]
        if fails(_written(smaller)):
            tree = smaller
        else:
            index += 1
    return _written(tree)


def _written(tree: Any) -> bytes:
    return json.dumps(tree, ensure_ascii=False).encode("utf-8", "surrogatepass")

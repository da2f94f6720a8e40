# SPDX-License-Identifier: GPL-3.0-or-later
"""The frame rate of glTF files. They hold only seconds, so that keys would otherwise be imported between frames."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_BINARY = b"glTF"
_HEADER = struct.Struct("<4sIIII")
"""Header of a binary file: magic, version, length; then length and type of its first chunk, the JSON."""

SLOWEST = 10.0
"""Frames a second. Keys farther apart were set by hand and are no samples of frames."""

WHOLE = 1e-4
"""Relative distance from a whole number within which a rate is rounded to it. NTSC rates are farther away."""


def frame_rate(path: Path) -> float | None:
    """Frames a second of the densest animation; None if its keys are too far apart or cannot be read."""
    try:
        rate = max(_rates(_content(path)), default=0.0)
    except (ValueError, LookupError, TypeError, AttributeError):  # the importer says what is wrong with a broken file
        return None
    if rate < SLOWEST:
        return None
    return float(round(rate)) if abs(rate - round(rate)) <= WHOLE * rate else rate


def _rates(content: dict[str, Any]) -> Iterator[float]:
    """Keys a second of each channel that has more than one."""
    for animation in content.get("animations", []):
        for sampler in animation["samplers"]:
            times = content["accessors"][sampler["input"]]
            seconds = times["max"][0] - times["min"][0]
            if times["count"] > 1 and seconds > 0.0:
                yield (times["count"] - 1) / seconds


def _content(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        head = file.read(_HEADER.size)
        if head[:4] == _BINARY and len(head) == _HEADER.size:
            text = file.read(_HEADER.unpack(head)[3])
        else:
            text = head + file.read()
    content: dict[str, Any] = json.loads(text)
    return content

# SPDX-License-Identifier: GPL-3.0-or-later
"""Time to read a captured clip."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from poise import solver

from .character import WALK
from .figures import Figure
from .timing import take_turns

ROUNDS = 11


def bvh_reading(path: Path = WALK, rounds: int = ROUNDS) -> Iterator[Figure]:
    """Reading a BVH file."""
    name = f"read {path.name}"
    if not path.is_file():
        yield Figure(name, None, "ms", note="the clip is not there: it belongs in ../shared/mocap")
        return

    def read() -> int:
        solver.read_bvh(path)
        return 1

    frames = solver.read_bvh(path).frames
    yield Figure(name, 1e3 * take_turns({name: read}, rounds).median(name), "ms", note=f"{frames} frames")

# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files: a hierarchy of joints, then one row of numbers a frame.

The format has no standard; this is how its files are read here.

- The local rotation of a joint is the product of its rotation channels in the file's order, the first one leftmost
  (outermost), in degrees. One, two, three or more channels, also repeated ones, are read alike.
- A position channel gives a coordinate of the joint in its parent's frame (of a root: in the world) and replaces that
  coordinate of OFFSET, on roots as on all other joints, as in Blender's importer and in what today's programs write.
  (The oldest description adds OFFSET to a root's positions; the two differ only where a root's OFFSET is not zero.)
  A coordinate without a channel keeps its OFFSET, where Blender's importer would put it to 0. Of a repeated position
  channel the last one counts.
- Rest rotations are the identity; y is up.
- A root with position channels is free; a joint without rotation channels is fixed; every other joint is a ball.
- Numbers count, not lines: a frame may take several lines, or a line hold several frames.
- A joint's name reaches to the end of its line, spaces included. A name that is there already gets `.001`, `.002` …
- A frame time is a rounded number: where a common frame rate fits its digits, that rate is meant (.0083333: 120).
"""

from __future__ import annotations

import os
from pathlib import Path

from ..body.clip import Clip
from .atomic_writing import read_whole, write_whole
from .bvh_formatter import format_bvh
from .bvh_parser import parse_bvh

MAX_BYTES = 2**31
"""Size of a file. Larger ones would not fit into memory once they are numbers."""

__all__ = ["MAX_BYTES", "format_bvh", "parse_bvh", "read_bvh", "write_bvh"]


def read_bvh(path: str | os.PathLike[str]) -> Clip:
    """The clip of a BVH file, as the head of this module says; a file that cannot be read is one `FileFormatError`."""
    data = read_whole(path, "a BVH file", MAX_BYTES, "; cut it into shorter clips")
    return parse_bvh(data, Path(path).name)


def write_bvh(clip: Clip, path: str | os.PathLike[str]) -> None:
    """Write a clip as `format_bvh` says. The file appears whole or not at all: a failure leaves what was there."""
    write_whole(path, format_bvh(clip))

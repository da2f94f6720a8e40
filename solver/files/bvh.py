# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files: a hierarchy of joints, then one row of numbers a frame.

The format has no standard. Poise reads it as follows.

- The local rotation of a joint is the product of its rotation channels in the file's order, the first one leftmost
  (outermost), in degrees. One, two, three or more channels, also repeated ones, are read alike.
- A position channel gives a coordinate of the joint in its parent's frame (of a root: in the world) and replaces that
  coordinate of OFFSET, on roots as on all other joints, as in Blender's importer and in what today's programs write.
  (The oldest description adds OFFSET to a root's positions; the two differ only where a root's OFFSET is not zero.)
  A coordinate without a channel keeps its OFFSET, where Blender's importer would put it to 0. Of a repeated position
  channel the last one counts.
- Rest rotations are the identity; y is up.
- Joints without channels are refused where they, over all frames, are more than a small file can mean.
- A root with position channels is free; a joint without rotation channels is fixed; every other joint is a ball.
- Line breaks in the motion have no meaning: a frame may take several lines, or a line hold several frames.
- A joint's name reaches to the end of its line, spaces included. A repeated name gets `.001`, `.002` …
- Frame times are rounded numbers: where one has the digits of a common frame rate, that rate is used (.0083333: 120).
"""

from __future__ import annotations

import os
from pathlib import Path

from ..body.clip import Clip
from .atomic_writing import read_whole, write_whole
from .bvh_formatter import format_bvh
from .bvh_parser import parse_bvh

MAX_BYTES = 2**31
"""Largest size of a file. The numbers of a larger one would not fit into memory."""

__all__ = ["MAX_BYTES", "format_bvh", "parse_bvh", "read_bvh", "write_bvh"]


def read_bvh(path: str | os.PathLike[str]) -> Clip:
    """The clip of a BVH file. A file that cannot be read raises one `FileFormatError`."""
    data = read_whole(path, "a BVH file", MAX_BYTES, "; cut it into shorter clips")
    return parse_bvh(data, Path(path).name)


def write_bvh(clip: Clip, path: str | os.PathLike[str]) -> None:
    """Write a clip as a BVH file (see `format_bvh`). A failure leaves an existing file unchanged."""
    write_whole(path, format_bvh(clip))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a .blend file was saved to its end.

Blender 5.0 and later call a compressed file saved that a full disk has cut off.
"""

from __future__ import annotations

import struct
from pathlib import Path

_COMPRESSED = b"\x28\xb5\x2f\xfd"
"""With what a frame of Zstandard begins."""

_TABLE_FRAME = 8
"""Bytes before the entries of the table of frames: magic number and length."""

_TABLE_ENTRY = struct.Struct("<II")
"""Lengths of a frame, compressed and not."""

_TABLE_END = struct.Struct("<IBI")
"""Number of frames, flags, magic number."""

_TABLE_MAGIC = 0x8F92EAB1

_LAST_BLOCK = b"ENDB"
_HEADERS = (24, 32)
"""Bytes of a block's header, before and since Blender 5.0; the last block of a file is a header alone."""


def is_saved_whole(path: Path) -> bool:
    """Whether a .blend file has its end: its last block, or the table of all its frames if it is compressed."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if file.read(len(_COMPRESSED)) != _COMPRESSED:
            file.seek(max(0, size - max(_HEADERS)))
            end = file.read()
            return any(end[-length:].startswith(_LAST_BLOCK) for length in _HEADERS)
        if size < _TABLE_END.size:
            return False
        file.seek(size - _TABLE_END.size)
        frames, _, magic = _TABLE_END.unpack(file.read())
        table = frames * _TABLE_ENTRY.size + _TABLE_END.size
        if magic != _TABLE_MAGIC or table > size:
            return False
        file.seek(size - table)
        entries = _TABLE_ENTRY.iter_unpack(file.read(frames * _TABLE_ENTRY.size))
        return sum(compressed for compressed, _ in entries) + _TABLE_FRAME + table == size

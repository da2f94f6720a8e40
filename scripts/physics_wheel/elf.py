# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads from a shared library of Linux (ELF) which other libraries it needs."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

MAGIC = b"\x7fELF"
_LOAD, _DYNAMIC = 1, 2
_END, _NEEDED, _STRING_TABLE = 0, 1, 5


class NotElfError(ValueError):
    """Data that is not an ELF file, or one that is cut off."""


class _Segment(NamedTuple):
    """A part of the file: what it is, where it is in the file, where it is in memory, and its bytes in the file."""

    kind: int
    offset: int
    address: int
    size: int


def needed_libraries(data: bytes) -> list[str]:
    """The names that the NEEDED entries of a library have, in order; `data` is the whole file."""
    if data[:4] != MAGIC:
        raise NotElfError("This is not an ELF file: its first bytes are others.")
    try:
        return _needed(data, is_64_bit=data[4] == 2, order="<" if data[5] == 1 else ">")
    except (struct.error, IndexError, StopIteration, ValueError) as error:
        raise NotElfError(
            "This ELF file is cut off or damaged: its list of needed libraries cannot be read."
        ) from error


def _needed(data: bytes, is_64_bit: bool, order: str) -> list[str]:
    segments = list(_segments(data, is_64_bit, order))
    dynamic = [segment for segment in segments if segment.kind == _DYNAMIC]
    if not dynamic:
        return []
    entries = list(_dynamic_entries(data, dynamic[0], order + ("qQ" if is_64_bit else "iI")))
    names = [value for tag, value in entries if tag == _NEEDED]
    if not names:
        return []
    # The table is named by its address in memory; a loaded segment says where in the file that is.
    address = next(value for tag, value in entries if tag == _STRING_TABLE)
    table = next(
        segment.offset + address - segment.address
        for segment in segments
        if segment.kind == _LOAD and segment.address <= address < segment.address + segment.size
    )
    return [data[table + name : data.index(b"\0", table + name)].decode() for name in names]


def _segments(data: bytes, is_64_bit: bool, order: str) -> Iterator[_Segment]:
    (first,) = struct.unpack_from(order + ("Q" if is_64_bit else "I"), data, 32 if is_64_bit else 28)
    size, count = struct.unpack_from(order + "HH", data, 54 if is_64_bit else 42)
    for index in range(count):
        at = first + index * size
        if is_64_bit:
            kind, _flags, offset, address, _physical, length = struct.unpack_from(order + "IIQQQQ", data, at)
        else:
            kind, offset, address, _physical, length = struct.unpack_from(order + "IIIII", data, at)
        yield _Segment(kind, offset, address, length)


def _dynamic_entries(data: bytes, dynamic: _Segment, layout: str) -> Iterator[tuple[int, int]]:
    size = struct.calcsize(layout)
    for at in range(dynamic.offset, dynamic.offset + dynamic.size, size):
        tag, value = struct.unpack_from(layout, data, at)
        if tag == _END:
            return
        yield tag, value

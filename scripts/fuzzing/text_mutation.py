# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutations of any text: of its words, its lines and its bytes. Each takes a generator and bytes and returns bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from . import extremes

Mutation = Callable[[Random, bytes], bytes]

LARGEST = 1 << 20
"""Bytes: larger results are cut, so that limits of time and memory judge the reader and not the size of its input."""

_WORD = re.compile(rb"[{}\[\],:]|[^\s{}\[\],:]+")
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")

_SPACES = (b" ", b"\n", b"\r", b"\r\n", b"\t", b"\v", b"\f", b"\x1c", b"\x85", b"\xa0", b"\x00", "\u2003".encode(), b"")


def _span(rng: Random, pattern: re.Pattern[bytes], data: bytes) -> tuple[int, int]:
    """A random match of a pattern in the data, or an empty span."""
    start = rng.randrange(len(data) + 1)
    match = pattern.search(data, start) or pattern.search(data)
    return match.span() if match else (start, start)


def _with(data: bytes, span: tuple[int, int], new: bytes) -> bytes:
    return data[: span[0]] + new + data[span[1] :]


def _times(rng: Random, length: int) -> int:
    """How often a part of a length stands in a text: twice, or rarely as often as there is room."""
    return 2 if rng.random() < 0.9 else min(rng.randint(3, 3000), LARGEST // (length + 1) + 1)


def delete_word(rng: Random, data: bytes) -> bytes:
    """Without one word."""
    return _with(data, _span(rng, _WORD, data), b"")


def repeat_word(rng: Random, data: bytes) -> bytes:
    """One word stands twice, or rarely many times."""
    begin, end = _span(rng, _WORD, data)
    return _with(data, (begin, end), b" ".join([data[begin:end]] * _times(rng, end - begin)))


def exchange_words(rng: Random, data: bytes) -> bytes:
    """One word is replaced by another one of the text."""
    begin, end = _span(rng, _WORD, data)
    return _with(data, _span(rng, _WORD, data), data[begin:end])


def change_number(rng: Random, data: bytes) -> bytes:
    """One number becomes another one, mostly an extreme."""
    return _with(data, _span(rng, _NUMBER, data), extremes.number(rng).encode())


def insert_text(rng: Random, data: bytes) -> bytes:
    """Odd characters at any place."""
    place = rng.randrange(len(data) + 1)
    encoding = rng.choice(("utf-8", "utf-8", "latin-1", "utf-16"))
    return _with(data, (place, place), extremes.text(rng).encode(encoding, "replace"))


def change_case(rng: Random, data: bytes) -> bytes:
    """One word in other letters."""
    begin, end = _span(rng, _WORD, data)
    return _with(data, (begin, end), data[begin:end].swapcase())


def change_space(rng: Random, data: bytes) -> bytes:
    """One space becomes another one, or none; rarely all of its kind."""
    begin, end = _span(rng, re.compile(rb"\s"), data)
    new = rng.choice(_SPACES)
    if rng.random() < 0.1:
        return data.replace(data[begin:end] or b" ", new)
    return _with(data, (begin, end), new)


def delete_lines(rng: Random, data: bytes) -> bytes:
    """Without a run of lines."""
    lines = data.splitlines(keepends=True)
    first = rng.randrange(len(lines) + 1)
    return b"".join(lines[:first] + lines[first + rng.randint(1, 5) :])


def repeat_lines(rng: Random, data: bytes) -> bytes:
    """A run of lines stands twice, or rarely many times."""
    lines = data.splitlines(keepends=True)
    first = rng.randrange(len(lines) + 1)
    run = lines[first : first + rng.randint(1, 20)]
    return b"".join(lines[:first] + run * _times(rng, sum(map(len, run))) + lines[first:])


def move_lines(rng: Random, data: bytes) -> bytes:
    """A run of lines at another place."""
    lines = data.splitlines(keepends=True)
    first, count = rng.randrange(len(lines) + 1), rng.randint(1, 8)
    run, rest = lines[first : first + count], lines[:first] + lines[first + count :]
    place = rng.randrange(len(rest) + 1)
    return b"".join(rest[:place] + run + rest[place:])


def truncate(rng: Random, data: bytes) -> bytes:
    """The beginning, or rarely the end."""
    place = rng.randrange(len(data) + 1)
    return data[:place] if rng.random() < 0.8 else data[place:]


def delete_bytes(rng: Random, data: bytes) -> bytes:
    """Without some bytes."""
    place = rng.randrange(len(data) + 1)
    return _with(data, (place, place + rng.choice((1, 1, 2, 8, 100))), b"")


def flip_bits(rng: Random, data: bytes) -> bytes:
    """Some bits are changed."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 4, 32)) if changed else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def insert_bytes(rng: Random, data: bytes) -> bytes:
    """Random bytes at any place."""
    place = rng.randrange(len(data) + 1)
    return _with(data, (place, place), rng.randbytes(rng.choice((1, 1, 4, 64))))


def encode(rng: Random, data: bytes) -> bytes:
    """The text in another encoding, or behind a mark of its order of bytes."""
    shown = data.decode("utf-8", "replace")
    if rng.random() < 0.3:
        return b"\xef\xbb\xbf" + data
    return shown.encode(rng.choice(("utf-16", "utf-32", "utf-16-be", "latin-1", "utf-7")), "replace")


def lengthen_word(rng: Random, data: bytes) -> bytes:
    """One word that is very long."""
    begin, end = _span(rng, _WORD, data)
    word = data[begin:end] or b"x"
    return _with(data, (begin, end), word * (rng.choice((50, 1000, extremes.LONGEST_WORD)) // len(word) + 1))


MUTATIONS: tuple[tuple[Mutation, float], ...] = (
    (delete_word, 3.0),
    (repeat_word, 2.0),
    (exchange_words, 3.0),
    (change_number, 6.0),
    (insert_text, 2.0),
    (change_case, 0.5),
    (change_space, 1.5),
    (delete_lines, 1.5),
    (repeat_lines, 1.5),
    (move_lines, 1.0),
    (truncate, 1.0),
    (delete_bytes, 1.0),
    (flip_bits, 1.5),
    (insert_bytes, 1.0),
    (encode, 0.2),
    (lengthen_word, 0.2),
)
"""With how often each is taken."""


def mutate(rng: Random, data: bytes, mutations: tuple[tuple[Mutation, float], ...] = MUTATIONS) -> bytes:
    """One to six mutations after another."""
    functions, weights = zip(*mutations, strict=True)
    for function in rng.choices(functions, weights, k=rng.choice((1, 1, 1, 2, 2, 3, 4, 6))):
        data = function(rng, data)[:LARGEST]
    return data


def random_bytes(rng: Random) -> bytes:
    """Bytes that follow from nothing."""
    return rng.randbytes(rng.choice((0, 1, 3, 20, 200, 5000)))

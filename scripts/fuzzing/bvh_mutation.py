# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutations of BVH text that keep most of its grammar: joints, nesting, channels, counts of frames."""

from __future__ import annotations

import re
from random import Random

from . import extremes
from .text_mutation import MUTATIONS, mutate, random_bytes

_CHANNELS = (b"Xposition", b"Yposition", b"Zposition", b"Xrotation", b"Yrotation", b"Zrotation")
_END = re.compile(rb"(?=\n\s*(JOINT|End|\}))")


def _joint(rng: Random, name: bytes, channels: int | None = None) -> tuple[bytes, bytes]:
    """The beginning of a joint, up to where its children stand, and its end."""
    count = rng.choice((0, 1, 3, 3, 6, 9)) if channels is None else channels
    words = b" ".join(rng.choice(_CHANNELS) for _ in range(count))
    head = b"\nJOINT %s\n{\nOFFSET 0 %s 0\nCHANNELS %d %s" % (name, extremes.number(rng).encode(), count, words)
    return head, b"\n}\n"


def nest_joints(rng: Random, data: bytes) -> bytes:
    """A chain of new joints, rarely deeper than any hierarchy may be."""
    depth = rng.choice((1, 2, 5, 50, 1001)) if rng.random() < 0.9 else rng.randint(900, 3000)
    parts = [_joint(rng, b"n%d" % index, 0 if depth > 5 else None) for index in range(depth)]
    chain = b"".join(head for head, _ in parts) + b"".join(tail for _, tail in parts)
    return _inserted(rng, data, chain)


def add_joints(rng: Random, data: bytes) -> bytes:
    """Many joints beside each other, with the same name or with none of their own."""
    head, tail = _joint(rng, rng.choice((b"same", b"Hips", b"a b c", b"\xff\xfe", "ä".encode())), rng.choice((None, 0)))
    return _inserted(rng, data, (head + tail) * rng.choice((1, 2, 10, 3000)))


def _inserted(rng: Random, data: bytes, text: bytes) -> bytes:
    places = [match.start() for match in _END.finditer(data)] or [0]
    place = rng.choice(places)
    return data[:place] + text + data[place:]


def change_frames(rng: Random, data: bytes) -> bytes:
    """Another count of frames."""
    return re.sub(rb"(?i)(frames\s*:?\s*)\S+", lambda match: match[1] + extremes.number(rng).encode(), data, count=1)


def change_time(rng: Random, data: bytes) -> bytes:
    """Another time between frames."""
    return re.sub(
        rb"(?i)(frame time\s*:?\s*)\S+", lambda match: match[1] + extremes.number(rng).encode(), data, count=1
    )


def change_channels(rng: Random, data: bytes) -> bytes:
    """Other channels of one joint, with a count that fits or not."""
    found = list(re.finditer(rb"(?i)channels[^\n]*", data))
    if not found:
        return data
    count = rng.choice((0, 1, 2, 3, 4, 6, 7, 40))
    said = str(count) if rng.random() < 0.6 else extremes.number(rng)
    words = b" ".join(rng.choice(_CHANNELS) for _ in range(count))
    match = rng.choice(found)
    return data[: match.start()] + b"CHANNELS %s %s" % (said.encode(), words) + data[match.end() :]


def change_frame_block(rng: Random, data: bytes) -> bytes:
    """The numbers of the motion in other lines, or of another count."""
    head, separator, body = data.rpartition(b"\n" if rng.random() < 0.2 else b"Frame Time")
    words = body.split()
    if rng.random() < 0.3:
        rng.shuffle(words)
    words = words[: rng.randrange(len(words) + 1)] if rng.random() < 0.5 else words * rng.randint(1, 3)
    return head + separator + rng.choice((b" ", b"\n", b"\t")).join(words)


def add_root(rng: Random, data: bytes) -> bytes:
    """The hierarchy twice, as two roots, with or without the numbers for both."""
    found = re.search(rb"(?is)(root.*?)(motion)", data)
    if not found:
        return data
    return data[: found.end(1)] + found[1] * rng.randint(1, 3) + data[found.end(1) :]


STRUCTURAL = (
    *MUTATIONS,
    (nest_joints, 1.0),
    (add_joints, 1.0),
    (change_frames, 2.0),
    (change_time, 1.0),
    (change_channels, 2.0),
    (change_frame_block, 2.0),
    (add_root, 1.0),
)


def mutated(rng: Random, corpus: tuple[bytes, ...]) -> bytes:
    """A mutated file of the corpus, parts of two of them, or random bytes."""
    chance = rng.random()
    if chance < 0.02:
        return random_bytes(rng)
    data = rng.choice(corpus)
    if chance < 0.08:
        other = rng.choice(corpus)
        data = data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]
    return mutate(rng, data, STRUCTURAL)

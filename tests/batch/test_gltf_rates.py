# SPDX-License-Identifier: GPL-3.0-or-later
"""The frame rate of glTF files."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from poise.batch.gltf_rates import frame_rate


def a_gltf(spans: list[tuple[int, float]]) -> bytes:
    """A file with animations of so many keys over so many seconds."""
    accessors = [{"count": count, "min": [0.5], "max": [0.5 + seconds]} for count, seconds in spans]
    animations = [{"samplers": [{"input": number}]} for number in range(len(spans))]
    return json.dumps({"accessors": accessors, "animations": animations}).encode()


@pytest.mark.parametrize("is_binary", [True, False])
@pytest.mark.parametrize(
    ("spans", "rate"),
    [
        ([(2, 2.0), (61, 2.0)], 30.0),
        ([(241, 2.0000002)], 120.0),
        ([(60, 59 * 1001 / 30000)], 30000 / 1001),
        ([(3, 2.0)], None),
        ([(1, 0.0)], None),
        ([], None),
    ],
)
def test_the_frame_rate_of_gltf_is_that_of_its_densest_keys(
    tmp_path: Path, spans: list[tuple[int, float]], rate: float | None, is_binary: bool
) -> None:
    text = a_gltf(spans)
    head = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + 5, len(text), 0x4E4F534A) if is_binary else b""
    (tmp_path / "file").write_bytes(head + text + (b"after" if is_binary else b""))
    assert frame_rate(tmp_path / "file") == (None if rate is None else pytest.approx(rate, rel=1e-12))


@pytest.mark.parametrize("data", [b"", b"nonsense", b"glTF", b"[]", b'{"animations": [{"samplers": [{"input": 4}]}]}'])
def test_a_broken_gltf_has_no_frame_rate(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "file").write_bytes(data)
    assert frame_rate(tmp_path / "file") is None

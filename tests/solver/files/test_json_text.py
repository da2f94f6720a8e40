# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON text: what is read, and the one sentence with which other text is refused."""

from __future__ import annotations

import pytest

from poise.solver.core.errors import FileFormatError
from poise.solver.files.json_text import MAX_NESTING, parse_json


def nested(depth: int, opening: str = "[", closing: str = "]") -> bytes:
    return (opening * depth + "1" + closing * depth).encode()


def test_json_is_read_with_and_without_a_mark_of_its_order_of_bytes() -> None:
    assert parse_json(b'{"a": [1, 2.5, null, true, "\xc3\xa4"]}', "file") == {"a": [1, 2.5, None, True, "ä"]}
    assert parse_json(b"\xef\xbb\xbf[1]", "file") == [1]
    assert parse_json(b"3", "file") == 3


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_the_depth_of_nesting_is_limited(opening: str, closing: str) -> None:
    assert parse_json(nested(MAX_NESTING, opening, closing), "file")
    for depth in (MAX_NESTING + 1, 900, 100_000):
        with pytest.raises(FileFormatError, match=r"^file: its brackets are nested too deeply"):
            parse_json(nested(depth, opening, closing), "file")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it is not JSON: Expecting value in line 1, column 1"),
        (b"\xff\xfe[\x00", "it is not text in UTF-8"),
        (b"[NaN]", "it holds NaN"),
        (b'{"a": 1, "a": 2}', 'the key "a" stands twice'),
        (b'{"' + b"a" * 5000 + b'": 1, "' + b"a" * 5000 + b'": 2}', "stands twice in the same record; remove one"),
        (b"[" + b"9" * 5000 + b"]", "it is not JSON that can be read"),
    ],
)
def test_other_text_is_refused_with_one_short_sentence(data: bytes, message: str) -> None:
    with pytest.raises(FileFormatError, match=message) as caught:
        parse_json(data, "file")
    text = str(caught.value)
    assert text.startswith("file: ") and text.endswith(".") and "\n" not in text and len(text) < 200

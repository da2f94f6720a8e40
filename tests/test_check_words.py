# SPDX-License-Identifier: GPL-3.0-or-later
"""The check of words that `make lint` runs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"
sys.path.insert(0, str(SCRIPTS))

from check_words import complaints, main  # noqa: E402


@pytest.mark.parametrize(
    "line",
    [
        '"""The step that nobody asked for (document 003, 3.2.5)."""',  # words: ok
        "# see Document `000`",  # words: ok
        "wishes = [1]",  # words: ok
        "def polish_postures() -> None:",  # words: ok
        "class Lumps:",  # words: ok
        "the root gives way",  # words: ok
        "_insisting = 1",  # words: ok
    ],
)
def test_a_refused_word_is_found(line: str) -> None:
    assert next(iter(complaints("file.py", f"x = 1\n{line}\n"))).startswith("file.py:2: instead of ")


@pytest.mark.parametrize(
    "line",
    [
        "the document of a figure",
        "puts the right hand there",
        "Polishing is no identifier of ours  # words: ok",
        "clumps, jawish",
        "lowered right: a body with wisher",
    ],
)
def test_other_words_are_accepted(line: str) -> None:
    assert not list(complaints("file.py", line))


def test_files_and_folders_are_searched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a.md").write_text("Nobody.")  # words: ok
    (tmp_path / "inner" / "a.png").write_bytes(b"\xff")
    assert main([str(tmp_path)]) == 1
    assert "a.md:1" in capsys.readouterr().out
    (tmp_path / "inner" / "a.md").write_text("The constraint that owns the frame.")
    assert main([str(tmp_path)]) == 0

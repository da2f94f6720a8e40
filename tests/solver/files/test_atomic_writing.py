# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from poise.solver.core.errors import FileFormatError
from poise.solver.files.atomic_writing import write_whole


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "words.json"
    write_whole(path, "first: ä")
    path.chmod(0o640)
    write_whole(path, "second")
    assert path.read_bytes() == b"second"
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["words.json"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "there")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there").read_text() == "new"


def test_what_cannot_be_written_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept.json"
    path.write_text("kept")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileFormatError, match=r"kept\.json cannot be written \(No space left on device\)"):
        write_whole(path, "lost")
    assert path.read_text() == "kept"
    assert os.listdir(tmp_path) == ["kept.json"]


@pytest.mark.parametrize(("name", "text"), [("no/folder.json", "x"), ("a\0b", "x"), ("lone.json", "\ud800")])
def test_every_failure_is_one_sentence(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(FileFormatError, match="cannot be written") as caught:
        write_whole(str(tmp_path / name), text)
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == []

# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions below folders, through links, each once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from poise.batch.finding import format_of, motions_below


def names(folder: Path, output: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in motions_below(folder, output).motions]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with motions, hidden ones, and results."""
    for name in ("in/b.bvh", "in/a/c.FBX", "in/.hidden/d.bvh", "in/.e.bvh", "in/f.txt", "in/out/b.bvh", "shared/g.bvh"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path / "in"


def test_motions_are_found_without_hidden_files_and_results(folder: Path) -> None:
    assert names(folder, folder / "out") == ["a/c.FBX", "b.bvh"]
    assert names(folder, folder.parent / "elsewhere") == ["a/c.FBX", "b.bvh", "out/b.bvh"]


def test_links_to_folders_are_followed(folder: Path) -> None:
    (folder / "linked").symlink_to(folder.parent / "shared")
    found = motions_below(folder, folder / "out")
    assert names(folder, folder / "out") == ["a/c.FBX", "b.bvh", "linked/g.bvh"]
    assert found.skipped == []


def test_a_folder_is_visited_once_and_what_is_left_out_is_said(folder: Path) -> None:
    (folder / "0 first").symlink_to(folder / "a")  # sorted before the folder itself, whose name the clip keeps
    (folder / "a" / "loop").symlink_to(folder)
    (folder / "shared").symlink_to(folder.parent / "shared")
    (folder.parent / "shared" / "back").symlink_to(folder)
    (folder / "results").symlink_to(folder / "out")
    (folder / "broken.bvh").symlink_to(folder / "nothing.bvh")
    found = motions_below(folder, folder / "out")
    assert [str(path.relative_to(folder)) for path in found.motions] == ["a/c.FBX", "b.bvh", "shared/g.bvh"]
    skipped = sorted(sentence.partition(" was skipped")[0] for sentence in found.skipped)
    assert skipped == sorted(str(folder / name) for name in ("0 first", "a/loop", "broken.bvh", "shared/back"))


def test_a_folder_that_cannot_be_read_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = os.scandir

    def refuse(path: Path) -> object:
        if path == folder / "a":
            raise PermissionError(13, "Permission denied")
        return usual(path)

    monkeypatch.setattr("poise.batch.finding.os.scandir", refuse)
    found = motions_below(folder, folder / "out")
    assert [path.name for path in found.motions] == ["b.bvh"]
    assert found.skipped == [f"{folder / 'a'} was skipped: Permission denied."]


def test_the_extension_says_the_format() -> None:
    assert [format_of(Path(name)) for name in ("a.BVH", "a.gltf", "a.txt", "bvh")] == ["bvh", "gltf", None, None]

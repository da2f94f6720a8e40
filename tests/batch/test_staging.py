# SPDX-License-Identifier: GPL-3.0-or-later
"""Results are moved to their places when they are complete, and leave nothing behind."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from poise import solver
from poise.batch import staging
from poise.batch.staging import Stage, reason_not_written

from .running import files_below


def test_files_appear_when_they_are_published_and_not_before(tmp_path: Path) -> None:
    stem = str(tmp_path / "out" / "walk")
    stage = Stage(stem)
    finals = [Path(f"{stem}.{ending}") for ending in ("constraints.json", "bvh", "blend", "fbx")]
    for final in finals:
        stage.place_for(final).write_text(final.name)
    assert not [path for path in (tmp_path / "out").iterdir() if not path.name.startswith(".")]
    assert stage.publish() == {final.name: len(final.name) for final in finals}
    stage.discard()
    assert files_below(tmp_path / "out") == {final.name for final in finals}
    assert [final.read_text() for final in finals] == [final.name for final in finals]
    assert not list((tmp_path / "out").glob(".*"))


def test_blender_files_are_written_in_their_own_folder(tmp_path: Path) -> None:
    """They hold paths that are relative to it."""
    stage = Stage(str(tmp_path / "walk"))
    for kind in ("blend", "fbx"):
        place = stage.place_for(tmp_path / f"walk.{kind}")
        assert place.parent == tmp_path and place.suffix == f".{kind}"


def test_what_killed_processes_left_behind_is_removed(tmp_path: Path) -> None:
    stem = str(tmp_path / "walk")
    for generation in (0, 1):
        stage = Stage(stem, generation)
        for ending in ("bvh", "blend", "fbx", "gltf"):
            stage.place_for(Path(f"{stem}.{ending}")).write_text("half")
        for place in list(tmp_path.glob(".*.blend")):
            place.with_name(f"{place.name}@").write_text("half")
    kept = Stage(str(tmp_path / "run"))
    kept.place_for(tmp_path / "run.fbx").write_text("of another clip")
    Stage(stem, 1).remove_left_over()
    assert [path.read_text() for path in tmp_path.iterdir()] == ["of another clip"]


def test_a_write_protected_result_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    final = tmp_path / "walk.bvh"
    final.write_text("before")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everything
    stage = Stage(str(tmp_path / "walk"))
    stage.place_for(final).write_text("after")
    with pytest.raises(solver.PoiseError, match=r"walk.bvh cannot be written \(it is write-protected\)"):
        stage.publish()
    stage.discard()
    assert final.read_text() == "before" and list(tmp_path.iterdir()) == [final]


def test_obsolete_files_go_after_the_new_ones_are_there(tmp_path: Path) -> None:
    stage = Stage(str(tmp_path / "walk"))
    for name in ("old.bin", "new.bin"):
        (tmp_path / name).write_text("before")
    stage.obsolete = {tmp_path / "old.bin", tmp_path / "new.bin"}
    stage.place_for(tmp_path / "new.bin").write_text("after")
    stage.publish()
    stage.discard()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"new.bin": "after"}


def test_the_reason_is_that_of_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reason_not_written(tmp_path) == ""
    assert reason_not_written(tmp_path / "nowhere") == os.strerror(errno.ENOENT)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(staging.os, "fsync", full)
    assert reason_not_written(tmp_path) == os.strerror(errno.ENOSPC)
    assert not list(tmp_path.iterdir())

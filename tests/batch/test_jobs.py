# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files are read and written, and which options are refused before any file is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from poise.batch.command_line import BatchOptions, parse_arguments
from poise.batch.jobs import Job, UsageError, jobs_for

from .running import files_below


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["captures"], "required: -o"),
        (["-o", "out"], "Give the motions to work on"),
        (["captures", "-o", "out", "--clean", "magic"], "invalid choice: 'magic'"),
        (["captures", "-o", "out", "--jobs", "0"], "at least one process must work"),
        (["captures", "-o", "out", "--jobs", "two"], "--jobs"),
        (["captures", "-o", "out", "--ground", "nan"], "it must be a finite number"),
        (["captures", "-o", "out", "--tolerance", "-1"], "--tolerance"),
        (["captures", "-o", "out", "--plants", "x.json"], "give --clean or --constraints too"),
        (["captures", "-o", "out", "--recipe", "hopper"], "give --physics too"),
        (["nowhere.bvh", "-o", "out"], "nowhere.bvh does not exist"),
        (["captures/notes.txt", "-o", "out"], "captures/notes.txt is no motion"),
        (["empty", "-o", "out"], "In the folder empty there is no motion"),
        (["captures", "-o", "one.bvh"], "one.bvh is one file, but there are 3 motions"),
        (["captures/walk.bvh", "-o", "one.bvh", "--format", "fbx"], "one.bvh is called otherwise than --format fbx"),
        (["captures/walk.bvh", "-o", "captures/notes.txt"], "captures/notes.txt is neither a folder nor a motion"),
        (["captures", "-o", "captures"], "captures/broken.bvh is read, so it must not be written"),
        (["captures/walk.bvh", "-o", "linked.bvh"], "linked.bvh is read, so it must not be written"),
        (["captures/walk.bvh", "captures/walk.bvh", "-o", "out"], "would both be written to out/walk"),
        (
            ["captures/walk.bvh", "-o", "kept", "--detect", "--constraints", "kept"],
            "is read, so it must not be written",
        ),
    ],
)
def test_wrong_options_are_refused_before_anything_is_written(
    tmp_path: Path,
    captures: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "linked.bvh").symlink_to(captures / "walk.bvh")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "walk.constraints.json").write_text("{}")
    before = files_below(tmp_path)
    with pytest.raises((SystemExit, UsageError)) as caught:
        jobs_for(parse_arguments(arguments))
    assert told in capsys.readouterr().err + str(caught.value)
    assert files_below(tmp_path) == before


def test_results_of_a_run_before_are_no_motions(captures: Path) -> None:
    first = jobs_for(BatchOptions((str(captures),), str(captures / "out"), clean="rigid"))
    assert [job.clip for job in first] == ["broken", "more/wälk", "walk"]
    (captures / "out").mkdir()
    (captures / ".hidden").mkdir()
    for name in ("out/walk.bvh", ".hidden/walk.bvh", ".walk.bvh"):
        shutil.copy(captures / "walk.bvh", captures / name)
    assert jobs_for(BatchOptions((str(captures),), str(captures / "out"), clean="rigid")) == first


@pytest.mark.parametrize(
    ("options", "open_file", "motion"),
    [
        (BatchOptions(("a.bvh",), "out"), None, "out/a.bvh"),
        (BatchOptions(("a.bvh",), "out", detect=True), None, None),
        (BatchOptions(("a.bvh",), "out", detect=True, clean="rigid"), None, "out/a.bvh"),
        (BatchOptions(("a.bvh",), "out", format="glb", detect=True), None, "out/a.glb"),
        (BatchOptions(("a.bvh",), "out/b.fbx", detect=True), None, "out/b.fbx"),
        (BatchOptions(("a.FBX",), "out"), None, "out/a.fbx"),
        (BatchOptions((), "out"), "scenes/s.blend", "out/s.blend"),
        (BatchOptions((), "out", format="bvh"), "scenes/s.blend", "out/s.bvh"),
        (BatchOptions((), "out.glb"), "", "out.glb"),
        (BatchOptions((), "out"), "", "out/untitled.blend"),
    ],
)
def test_where_a_motion_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: BatchOptions, open_file: str | None, motion: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.bvh", "a.FBX"):
        (tmp_path / name).touch()
    (job,) = jobs_for(options, open_file)
    assert job.motion == (None if motion is None else Path(motion))


def test_armatures_of_one_file_have_constraints_of_their_own(tmp_path: Path) -> None:
    job = Job("a.blend", "sub/a", "out/sub/a", "blend")
    assert job.constraints("An/other") == Path("out/sub/a.An_other.constraints.json")
    assert job.constraints_in(tmp_path, "Rig") == tmp_path / "sub/a.Rig.constraints.json"
    assert job.constraints_in(tmp_path / "file.json", "Rig") == tmp_path / "file.json"

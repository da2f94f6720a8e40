# SPDX-License-Identifier: GPL-3.0-or-later
"""What counts as done: the same input, the same options, the same Poise, and all files in place."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from poise import solver
from poise.batch import completion
from poise.batch.command_line import BatchOptions
from poise.batch.completion import digest_of_report, finished_report
from poise.batch.job_runner import report_failure, run_job
from poise.batch.jobs import Job

OPTIONS = BatchOptions(("in",), "out")


@pytest.fixture
def job(tmp_path: Path, skating: solver.Clip) -> Job:
    """A job that was done."""
    solver.write_bvh(skating, tmp_path / "walk.bvh")
    made = Job(str(tmp_path / "walk.bvh"), "walk", str(tmp_path / "out" / "walk"), "bvh")
    assert run_job(made, OPTIONS)["succeeded"]
    return replace(made, known_report=digest_of_report(made))


def touch(job: Job) -> None:
    os.utime(job.source, (1.0, 1.0))


def change(job: Job) -> None:
    path = Path(job.source)
    text = path.read_text()
    path.write_text(text[:-3] + "7" + text[-2:])
    os.utime(job.source, (1.0, 1.0))


def shorten(job: Job) -> None:
    path = Path(f"{job.stem}.bvh")
    path.write_text(path.read_text()[:-10])


def delete(job: Job) -> None:
    Path(f"{job.stem}.bvh").unlink()


def damage(job: Job) -> None:
    job.report.write_text(job.report.read_text()[:-10])


@pytest.mark.parametrize(
    ("happens", "is_done"),
    [(touch, True), (change, False), (shorten, False), (delete, False), (damage, False)],
)
def test_what_happened_to_the_files_decides(job: Job, happens: Callable[[Job], None], is_done: bool) -> None:
    assert finished_report(job, OPTIONS) == json.loads(job.report.read_text())
    happens(job)
    assert (finished_report(job, OPTIONS) is not None) == is_done


@pytest.mark.parametrize(
    ("options", "is_done"),
    [
        (replace(OPTIONS, jobs=8, memory=1, retries=9, scheduler="x", time_limit=5.0), True),
        (replace(OPTIONS, clean="rigid"), False),
        (replace(OPTIONS, ground=0.0), False),
        (replace(OPTIONS, redo=True), False),
    ],
)
def test_options_decide_that_change_results(job: Job, options: BatchOptions, is_done: bool) -> None:
    assert (finished_report(job, options) is not None) == is_done


def test_the_version_decides(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completion, "VERSION", "0.0.1")
    assert finished_report(job, OPTIONS) is None


def test_what_another_process_has_done_during_this_run_is_done(job: Job) -> None:
    """A failure and a clip that is done again count, if their reports are newer than the run."""
    again = replace(OPTIONS, redo=True)
    assert finished_report(job, again) is None
    assert finished_report(replace(job, known_report="older"), again) is not None
    report_failure(job, OPTIONS, "It broke.")
    assert finished_report(replace(job, known_report=digest_of_report(job)), OPTIONS) is None, "it is tried again"
    assert finished_report(job, OPTIONS) is not None


def test_the_constraints_of_a_clip_decide(tmp_path: Path, job: Job, skating: solver.Clip) -> None:
    folder = tmp_path / "found"
    folder.mkdir()
    hand = skating.skeleton.landmarks.require("left_wrist")
    pin = solver.ShapeConstraint(hand, 2, 20, [solver.ConstraintPoint(skating.position(hand)[10], 10)])
    solver.write_constraints([pin], folder / "walk.constraints.json", skating)
    solver.write_constraints([pin], folder / "other.constraints.json", skating)
    options = replace(OPTIONS, constraints=str(folder))
    assert run_job(job, options)["succeeded"]
    assert finished_report(job, options) is not None
    (folder / "other.constraints.json").write_text("{}")
    assert finished_report(job, options) is not None
    moved = folder.rename(tmp_path / "moved")
    assert finished_report(job, replace(options, constraints=str(moved))) is not None, "where they are does not matter"
    with (moved / "walk.constraints.json").open("a") as file:
        file.write("\n")
    assert finished_report(job, replace(options, constraints=str(moved))) is None


def test_a_report_of_something_else_is_none(job: Job) -> None:
    for content in ("[]", "{}", "null", '{"succeeded": true}', "\udcff"):
        job.report.write_text(content, errors="surrogateescape")
        assert finished_report(job, OPTIONS) is None
    job.report.unlink()
    assert finished_report(job, OPTIONS) is None and digest_of_report(job) == ""


def test_the_file_that_is_open_in_blender_is_never_done(job: Job) -> None:
    assert finished_report(replace(job, source=""), OPTIONS) is None

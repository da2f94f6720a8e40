# SPDX-License-Identifier: GPL-3.0-or-later
"""One job, and the report of what went wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from poise.batch import job_runner
from poise.batch.command_line import BatchOptions
from poise.batch.jobs import Job

from .running import report


def test_an_unexpected_error_is_reported_with_its_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> None:
        raise ZeroDivisionError("in the\nmiddle")

    monkeypatch.setattr(job_runner, "edit_bvh", breaks)
    told = job_runner.run_job(Job("walk.bvh", "walk", str(tmp_path / "walk"), "bvh"), BatchOptions())
    assert told["error"] == "ZeroDivisionError: in the middle"
    assert "breaks" in report(tmp_path / "walk.report.json")["traceback"]


def test_a_report_that_cannot_be_written_is_a_failure(tmp_path: Path, captures: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "walk.report.json").mkdir()
    told = job_runner.run_job(
        Job(str(captures / "walk.bvh"), "walk", str(tmp_path / "out" / "walk"), "bvh"), BatchOptions()
    )
    assert not told["succeeded"] and "report" in told["error"]


def test_a_name_that_is_no_text_is_no_trouble(tmp_path: Path) -> None:
    odd = "walk\udcff.bvh"
    told = job_runner.run_job(Job(odd, "walk", str(tmp_path / "walk"), "bvh"), BatchOptions())
    assert not told["succeeded"]
    assert report(tmp_path / "walk.report.json")["input"] == odd

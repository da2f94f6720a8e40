# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors become sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from poise.batch import job_runner
from poise.batch.command_line import BatchOptions
from poise.batch.jobs import Job


def test_words_of_blenders_operators_become_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = iter(
        [
            "Error: Cannot read it\n",
            "Error: Python: Traceback (most recent call last):\n  File x\nKeyError: 'y'\n\nLocation: ops.py:109\n",
        ]
    )

    def breaks(*_: object) -> None:
        raise RuntimeError(next(said))

    monkeypatch.setattr(job_runner, "edit_bvh", breaks)
    job = Job("walk.bvh", "walk", str(tmp_path / "walk"), "bvh")
    assert [job_runner.run_job(job, BatchOptions())["error"] for _ in range(2)] == ["Cannot read it", "KeyError: 'y'"]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs in several processes of this machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from poise.batch import attempts, local_pool
from poise.batch.command_line import BatchOptions
from poise.batch.jobs import Job

from .running import report


def test_a_process_that_dies_fails_one_clip_and_the_others_continue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = (
        "import sys, json; sys.stdin.readline()\n"
        "for line in sys.stdin:\n"
        "    if 'deadly' in line: sys.exit(7)\n"
        "    print(json.dumps({'succeeded': True, 'input': json.loads(line)['job']['source']}), flush=True)\n"
    )
    names = [f"{number}{' deadly' if number % 3 == 1 else ''}" for number in range(8)]
    jobs = [Job(name, name, str(tmp_path / name), "bvh") for name in names]
    monkeypatch.setattr(attempts, "PAUSE", 0.0)
    done = dict(local_pool.run_in_pool(jobs, BatchOptions(jobs=2), [sys.executable, "-c", worker]))
    assert set(done) == set(jobs)
    for job, told in done.items():
        assert told["succeeded"] == ("deadly" not in job.source)
    lost = report(tmp_path / "1 deadly.report.json")
    assert lost["error"] == "The process that worked on 1 deadly ended with code 7. It was tried 3 times."
    assert lost["attempts"] == 3
    assert not list(tmp_path.glob(".*")), "claims are released"


def test_a_process_that_never_starts_is_told(tmp_path: Path) -> None:
    job = Job("walk.bvh", "walk", str(tmp_path / "walk"), "bvh")
    with pytest.raises(FileNotFoundError):
        list(local_pool.run_in_pool([job], BatchOptions(), [str(tmp_path / "nothing")]))

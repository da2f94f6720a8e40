# SPDX-License-Identifier: GPL-3.0-or-later
"""The process that edits clips, as such."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

from poise import solver
from poise.batch.claims import Claim
from poise.batch.clip_process import usual_command
from poise.batch.command_line import BatchOptions, options_from_dict
from poise.batch.jobs import Job
from poise.batch.worker import from_line, job_line, options_line

from .running import LONGEST, report


def test_jobs_options_and_claims_pass_through_lines() -> None:
    job, claim = Job("walk\udcff.bvh", "wälk", "out/walk", "bvh", ("out/walk.b",), "12"), Claim("out/walk", 2, "ab")
    assert from_line(job_line(job, claim, 3)) == (job, claim, 3)
    assert from_line(job_line(job, None, 1)) == (job, None, 1)
    options = BatchOptions(("a", "b"), "out", clean="rigid", ground=0.5)
    assert options_from_dict(json.loads(options_line(options))) == options


def started() -> subprocess.Popen[str]:
    process = subprocess.Popen(
        usual_command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdin is not None
    process.stdin.write(options_line(BatchOptions(clean="stretch")))
    return process


def test_it_answers_each_job_with_its_report(tmp_path: Path, skating: solver.Clip) -> None:
    solver.write_bvh(skating, tmp_path / "walk.bvh")
    process = started()
    assert process.stdin is not None and process.stdout is not None
    for number in (1, 2):
        job = Job(str(tmp_path / "walk.bvh"), "walk", str(tmp_path / f"{number}"), "bvh")
        process.stdin.write(job_line(job, None, number))
        process.stdin.flush()
        told = json.loads(process.stdout.readline())
        assert told == report(job.report) and told["succeeded"] and told["attempts"] == number
    process.stdin.close()
    assert process.wait(LONGEST) == 0
    process.stdout.close()


def test_it_ends_with_its_input_also_in_the_middle_of_a_clip(tmp_path: Path) -> None:
    """As when the process that started it is killed: nobody would take the answer."""  # words: ok
    pipe = tmp_path / "slow.bvh"
    solver_waits = Job(str(pipe), "slow", str(tmp_path / "out" / "slow"), "bvh")
    os.mkfifo(pipe)
    process = started()
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(job_line(solver_waits, None, 1))
    process.stdin.flush()
    time.sleep(0.2)
    process.stdin.close()
    assert process.wait(LONGEST) == 0
    process.stdout.close()
    assert not (tmp_path / "out" / "slow.report.json").exists()

# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip is claimed, done or found to be done, and tried again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from poise.batch import attempts
from poise.batch.attempts import InterruptedRunError, attempt, tidy
from poise.batch.claims import Claim
from poise.batch.clip_process import ProcessLostError
from poise.batch.command_line import BatchOptions
from poise.batch.completion import Report
from poise.batch.job_runner import CLAIM_LOST, report_failure
from poise.batch.jobs import Job
from poise.batch.staging import Stage, has_left_over

from .running import report

GOOD: Report = {"succeeded": True}


class MadeUpProcess:
    """A process that answers, or ends, as it was told."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.numbers: list[int] = []

    def run(self, job: Job, claim: Claim | None, number: int) -> Report:
        assert claim is not None and claim.is_held
        self.numbers.append(number)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        told: Report = answer
        return told


@pytest.fixture(autouse=True)
def _without_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "PAUSE", 0.0)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A job whose input does not matter."""
    (tmp_path / "walk.bvh").touch()
    return Job(str(tmp_path / "walk.bvh"), "walk", str(tmp_path / "out" / "walk"), "bvh")


def tried(job: Job, process: MadeUpProcess, is_stopped: bool = False) -> Report | None:
    return attempt(job, BatchOptions(), process, lambda: is_stopped)  # type: ignore[arg-type]


def is_free(job: Job) -> bool:
    claim = Claim.take(job.stem)
    if claim is not None:
        claim.release()
    return claim is not None


def test_a_process_that_dies_is_replaced(job: Job) -> None:
    process = MadeUpProcess(ProcessLostError("It died."), ProcessLostError("It died."), GOOD)
    assert tried(job, process) == GOOD
    assert process.numbers == [1, 2, 3] and is_free(job)


def test_after_the_last_attempt_the_clip_has_failed(job: Job) -> None:
    process = MadeUpProcess(*[ProcessLostError("It died.")] * 3)
    told = tried(job, process)
    assert told == report(job.report) and not told["succeeded"]
    assert told["error"] == "It died. It was tried 3 times." and told["attempts"] == 3
    assert is_free(job)


def test_what_will_not_pass_is_not_tried_again(job: Job) -> None:
    process = MadeUpProcess(ProcessLostError("It is too large.", may_pass=False))
    told = tried(job, process)
    assert told is not None and told["error"] == "It is too large." and process.numbers == [1]


def test_a_file_system_that_was_away_for_a_moment_is_tried_again(job: Job) -> None:
    away = {"succeeded": False, "error": "Stale file handle", "may_pass": True}
    assert tried(job, MadeUpProcess(away, GOOD)) == GOOD
    assert tried(job, MadeUpProcess(away, away, away)) == away
    broken = {"succeeded": False, "error": "It is broken."}
    assert tried(job, MadeUpProcess(broken)) == broken


def test_a_clip_of_another_process_is_left_to_it(job: Job) -> None:
    claim = Claim.take(job.stem)
    assert claim is not None
    process = MadeUpProcess()
    assert tried(job, process) is None and process.numbers == []
    claim.release()
    assert tried(job, MadeUpProcess({CLAIM_LOST: True})) is None


def test_a_clip_that_another_process_has_done_meanwhile_is_not_done_again(job: Job) -> None:
    told = report_failure(job, BatchOptions(), "It broke there.")
    process = MadeUpProcess()
    assert tried(job, process) == told and process.numbers == []


def test_a_process_that_was_killed_after_it_had_written_everything_has_done_the_clip(job: Job) -> None:
    class Killed(MadeUpProcess):
        def run(self, job: Job, claim: Claim | None, number: int) -> Report:
            self.told = report_failure(job, BatchOptions(), "Any report.")
            assert claim is not None
            Stage(job.stem, claim.generation).place_for(Path(f"{job.stem}.fbx")).write_text("half")
            return super().run(job, claim, number)

    process = Killed(ProcessLostError("It died."))
    assert tried(job, process) == process.told and process.numbers == [1]
    assert [path.name for path in job.report.parent.iterdir()] == [job.report.name]


def test_what_is_left_beside_a_finished_clip_is_removed(job: Job) -> None:
    job.report.parent.mkdir()
    Stage(job.stem).place_for(Path(f"{job.stem}.bvh")).write_text("half")
    claim = Claim.take(job.stem)
    assert claim is not None
    tidy(job)
    assert claim.is_held and has_left_over(job.stem), "another process works on it"
    claim.release()
    tidy(job)
    assert not list(job.report.parent.iterdir())


def test_when_the_run_is_stopped_nothing_is_reported(job: Job) -> None:
    with pytest.raises(InterruptedRunError):
        tried(job, MadeUpProcess(ProcessLostError("It died.")), is_stopped=True)
    assert not job.report.exists() and is_free(job)


def test_an_output_folder_that_cannot_be_made_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    told = tried(Job("walk.bvh", "walk", str(tmp_path / "out" / "walk"), "bvh"), MadeUpProcess())
    assert told is not None and not told["succeeded"] and "FileExistsError" in told["error"]

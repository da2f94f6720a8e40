# SPDX-License-Identifier: GPL-3.0-or-later
"""Claims a clip, has it done by a process, and tries again if the process dies."""

from __future__ import annotations

import time
from collections.abc import Callable

from .claims import Claim, has_claim
from .clip_process import ClipProcess, ProcessLostError
from .command_line import BatchOptions
from .completion import Report, finished_report
from .failures import sentence
from .job_runner import CLAIM_LOST, report_failure
from .jobs import Job
from .staging import Stage, has_left_over

PAUSE = 0.5
"""Seconds before the first further attempt; each later one waits twice as long."""


class InterruptedRunError(Exception):
    """The run is being stopped: the clip is left for the next one."""


def attempt(
    job: Job, options: BatchOptions, process: ClipProcess, is_stopped: Callable[[], bool] = lambda: False
) -> Report | None:
    """Do a job, or find that it is done; returns its report, or None if another process works on it.

    A process that dies is replaced, as often as the options say; then the job has failed. `is_stopped` says whether the
    process was ended because the whole run is.
    """
    try:
        claim = Claim.take(job.stem)
    except OSError as error:
        return report_failure(job, options, sentence(error))
    if claim is None:
        return None
    try:
        return _finished(job, options, claim) or _tried(job, options, process, claim, is_stopped)
    finally:
        claim.release()


def tidy(job: Job) -> None:
    """Remove what a process has left behind that was killed just after it had finished a clip."""
    if has_left_over(job.stem) or has_claim(job.stem):
        claim = Claim.take(job.stem)
        if claim is not None:
            Stage(job.stem, claim.generation).remove_left_over()
            claim.release()


def _finished(job: Job, options: BatchOptions, claim: Claim) -> Report | None:
    """The report of a clip that is done already, with nothing left behind; else None."""
    report = finished_report(job, options)
    if report is not None:
        Stage(job.stem, claim.generation).remove_left_over()
    return report


def _tried(
    job: Job, options: BatchOptions, process: ClipProcess, claim: Claim, is_stopped: Callable[[], bool]
) -> Report | None:
    for number in range(1, options.retries + 2):
        is_last = number == options.retries + 1
        try:
            report = process.run(job, claim, number)
            if CLAIM_LOST in report:
                return None
            if not report.get("may_pass") or is_last:
                return report
        except ProcessLostError as error:
            if is_stopped():
                raise InterruptedRunError from None
            done = _finished(job, options, claim)
            if done is not None:  # it was killed after it had written everything
                return done
            if is_last or not error.may_pass:
                words = f"{error} It was tried {number} times." if number > 1 else str(error)
                return report_failure(job, options, words, number) if claim.is_held else None
        time.sleep(PAUSE * 2 ** (number - 1))
    raise AssertionError("the last attempt returns")

# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `poise batch`: finds the jobs, leaves out those that are done, runs the others, and reports."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import FrameType
from typing import NoReturn

from ..solver import PoiseError
from .attempts import tidy
from .claims import Claim
from .cluster import ClusterError, run_on_cluster
from .command_line import BatchOptions, parse_arguments
from .completion import Report, digest_of_report, finished_report
from .failures import sentence
from .job_runner import report_failure, run_job
from .jobs import RUN_PAGE, Job, UsageError, jobs_for, writes_one_file
from .local_pool import run_in_pool
from .progress_output import ProgressPrinter
from .run_page import write_run_report
from .run_report import RunReport

FAILED, WRONG_USE, NO_CLUSTER, INTERRUPTED = 1, 2, 3, 130
"""Exit codes; 0 if every clip has succeeded."""


class Terminated(BaseException):
    """The process was asked to end."""


def run(arguments: Sequence[str], open_file: str | None = None) -> int:
    """Edit the inputs of the arguments, or `open_file` if there are none; returns the exit code."""
    options = parse_arguments(arguments)
    skipped: list[str] = []
    try:
        jobs = jobs_for(options, open_file, skipped)
    except UsageError as error:
        print(error, file=sys.stderr)
        return WRONG_USE
    for words in skipped:
        print(words, file=sys.stderr)
    jobs = [replace(job, known_report=digest_of_report(job)) for job in jobs]
    report = RunReport(options)
    waiting = _left_to_do(jobs, options, report)
    if len(waiting) < len(jobs):
        print(f"{len(jobs) - len(waiting)} of {len(jobs)} are done already; --redo does them again.", file=sys.stderr)
    printer = ProgressPrinter(len(jobs), len(jobs) - len(waiting))
    is_complete = False
    try:
        for job, told in _run(waiting, options):
            report.add(job, told)
            printer.print_report(told)
        is_complete = True
    except ClusterError as error:
        printer.finish()
        print(error, file=sys.stderr)
        return NO_CLUSTER
    finally:
        printer.finish()
        _write(report, options, is_complete)
    failures = report.totals["failed"]
    if failures:
        print(f"{failures} of {len(jobs)} failed.", file=sys.stderr)
    return FAILED if failures else 0


def _left_to_do(jobs: Sequence[Job], options: BatchOptions, report: RunReport) -> list[Job]:
    """The jobs that no earlier run has done; the others are added to the report of the run."""
    waiting = []
    for job in jobs:
        done = finished_report(job, options)
        if done is None:
            waiting.append(job)
        else:
            report.add(job, done, was_done=True)
            tidy(job)
    return waiting


def _run(jobs: Sequence[Job], options: BatchOptions) -> Iterator[tuple[Job, Report]]:
    if not jobs:
        return iter(())
    if not options.inputs:
        return ((job, _run_here(job, options)) for job in jobs)
    return run_on_cluster(jobs, options) if options.scheduler else run_in_pool(jobs, options)


def _run_here(job: Job, options: BatchOptions) -> Report:
    """Work on the file that is open in Blender."""
    claim = Claim.take(job.stem)
    if claim is None:
        return report_failure(job, options, f"Another process is writing {job.stem}: wait for it, or name another -o.")
    try:
        return run_job(job, options, claim)
    finally:
        claim.release()


def _write(report: RunReport, options: BatchOptions, is_complete: bool) -> None:
    if writes_one_file(options) or not report.lines:
        return
    try:
        write_run_report(report, is_complete)
    except (PoiseError, OSError) as error:
        print(f"The report of the run could not be written: {sentence(error)}", file=sys.stderr)
    else:
        print(f"See {report.folder / RUN_PAGE}.", file=sys.stderr)


def run_and_leave(arguments: Sequence[str]) -> NoReturn:
    """Run the command and end the process with its exit code."""

    def terminate(number: int, frame: FrameType | None) -> None:
        raise Terminated

    signal.signal(signal.SIGTERM, terminate)
    blender = sys.modules.get("bpy")
    try:
        leave(run(arguments, None if blender is None else blender.data.filepath))
    except SystemExit as end:
        leave(end.code if isinstance(end.code, int) else 1)
    except KeyboardInterrupt:
        leave(INTERRUPTED)
    except Terminated:
        leave(128 + signal.SIGTERM)
    except BrokenPipeError:  # the reader has closed the pipe, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        leave(1)


def leave(code: int) -> NoReturn:
    """End the process; with Blender loaded, without Blender's own exit, which may crash or hang."""
    if "bpy" not in sys.modules:
        sys.exit(code)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)

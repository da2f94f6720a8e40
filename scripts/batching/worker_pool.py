# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs jobs in several processes. If a process dies, its job has failed and the others continue."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue

from .command_line import BatchOptions
from .job_runner import Report, report_failure, to_line
from .jobs import Job

WORKER_ARGUMENT = "--worker"
"""The only argument of a worker process."""

ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
"""Environment for several workers: threads for all cores in each of them would compete."""


def command(script: Path) -> list[str]:
    """The command that starts a worker process, with the same Blender or Python as this process."""
    bpy = sys.modules.get("bpy")
    program = bpy.app.binary_path if bpy is not None else ""
    if not program:
        return [sys.executable, str(script), WORKER_ARGUMENT]
    alike = [argument for argument in ("--factory-startup", "--enable-autoexec") if argument in sys.argv]
    return [program, "--background", *alike, "--python", str(script), "--", WORKER_ARGUMENT]


def run_in_pool(jobs: Sequence[Job], options: BatchOptions, command: Sequence[str]) -> Iterator[tuple[Job, Report]]:
    """Run the jobs; yields each with its report, in the order in which they finish."""
    waiting: SimpleQueue[Job] = SimpleQueue()
    finished: SimpleQueue[tuple[Job, Report] | BaseException] = SimpleQueue()
    for job in jobs:
        waiting.put(job)
    workers = [_Worker(options, command, waiting, finished) for _ in range(min(options.jobs, len(jobs)))]
    for worker in workers:
        worker.start()
    try:
        for _ in jobs:
            done = finished.get()
            if isinstance(done, BaseException):
                raise done
            yield done
    finally:
        with contextlib.suppress(Empty):  # after an early end no worker starts another job
            while True:
                waiting.get_nowait()
        for worker in workers:
            worker.interrupt()
            worker.join()


class _Worker(threading.Thread):
    """A thread that feeds one process with jobs. The process is started for the first job, and again if it has died."""

    def __init__(
        self,
        options: BatchOptions,
        command: Sequence[str],
        waiting: SimpleQueue[Job],
        finished: SimpleQueue[tuple[Job, Report] | BaseException],
    ) -> None:
        super().__init__(daemon=True)
        self.options, self.command = options, command
        self.waiting, self.finished = waiting, finished
        self.process: subprocess.Popen[str] | None = None

    def run(self) -> None:
        """Run jobs until the queue is empty."""
        try:
            while True:
                job = self.waiting.get_nowait()
                self.finished.put((job, self._done(job)))
        except Empty:
            pass
        except BaseException as error:
            self.finished.put(error)
        finally:
            if self.process is not None:
                _end(self.process)

    def interrupt(self) -> None:
        """Kill the process."""
        process = self.process
        if process is not None:
            process.kill()

    def _done(self, job: Job) -> Report:
        process = self.process = self.process or self._new_process()
        assert process.stdin is not None and process.stdout is not None
        answer = ""
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(to_line(job))
            process.stdin.flush()
            answer = process.stdout.readline()
        if answer:
            report: Report = json.loads(answer)
            return report
        self.process = None
        code = _end(process, has_died=True)
        return report_failure(job, self.options, f"The process that run_job on {job.source} ended with code {code}.")

    def _new_process(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env=(ONE_THREAD if self.options.jobs > 1 else {}) | os.environ,
        )
        assert process.stdin is not None
        process.stdin.write(to_line(self.options))
        return process


def _end(process: subprocess.Popen[str], has_died: bool = False) -> int:
    """End an idle process, or wait for one that has died; returns its exit code."""
    if not has_died:
        process.kill()  # its results are written, and Blender's own exit may hang
    process.communicate()
    return process.returncode

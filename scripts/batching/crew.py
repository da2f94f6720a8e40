# SPDX-License-Identifier: GPL-3.0-or-later
"""Several processes that share the work: where one is lost, its clip has failed and the others go on."""

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

from .files import Job
from .order import Order
from .working import Report, as_line, failed

WORKER = "--work-for-others"
"""The only argument of a process that works for this one."""

ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
"""Several processes, each with threads for all cores, would only wait for each other."""


def command(script: Path) -> list[str]:
    """How to start a process that works: with the Blender in which this one runs, or with the same Python."""
    bpy = sys.modules.get("bpy")
    program = bpy.app.binary_path if bpy is not None else ""
    if not program:
        return [sys.executable, str(script), WORKER]
    alike = [argument for argument in ("--factory-startup", "--enable-autoexec") if argument in sys.argv]
    return [program, "--background", *alike, "--python", str(script), "--", WORKER]


def done_by_crew(jobs: Sequence[Job], order: Order, command: Sequence[str]) -> Iterator[tuple[Job, Report]]:
    """Each job with its report, as they are finished."""
    waiting: SimpleQueue[Job] = SimpleQueue()
    finished: SimpleQueue[tuple[Job, Report] | BaseException] = SimpleQueue()
    for job in jobs:
        waiting.put(job)
    crew = [_Worker(order, command, waiting, finished) for _ in range(min(order.jobs, len(jobs)))]
    for worker in crew:
        worker.start()
    try:
        for _ in jobs:
            done = finished.get()
            if isinstance(done, BaseException):
                raise done
            yield done
    finally:
        with contextlib.suppress(Empty):  # where it ends early, nobody begins anything new
            while True:
                waiting.get_nowait()
        for worker in crew:
            worker.interrupt()
            worker.join()


class _Worker(threading.Thread):
    """Keeps a process busy: started when there is something to do, and again after it was lost."""

    def __init__(
        self,
        order: Order,
        command: Sequence[str],
        waiting: SimpleQueue[Job],
        finished: SimpleQueue[tuple[Job, Report] | BaseException],
    ) -> None:
        super().__init__(daemon=True)
        self.order, self.command = order, command
        self.waiting, self.finished = waiting, finished
        self.process: subprocess.Popen[str] | None = None

    def run(self) -> None:
        """Do jobs until there are none."""
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
        """End the process, whatever it is doing."""
        process = self.process
        if process is not None:
            process.kill()

    def _done(self, job: Job) -> Report:
        process = self.process = self.process or self._new_process()
        assert process.stdin is not None and process.stdout is not None
        answer = ""
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(as_line(job))
            process.stdin.flush()
            answer = process.stdout.readline()
        if answer:
            report: Report = json.loads(answer)
            return report
        self.process = None
        code = _end(process, is_lost=True)
        return failed(job, self.order, f"The process that worked on {job.source} ended with code {code}.")

    def _new_process(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env=(ONE_THREAD if self.order.jobs > 1 else {}) | os.environ,
        )
        assert process.stdin is not None
        process.stdin.write(as_line(self.order))
        return process


def _end(process: subprocess.Popen[str], is_lost: bool = False) -> int:
    """End a process that has nothing to do, or has ended already; returns its exit code."""
    if not is_lost:
        process.kill()  # all that it has done is written, and Blender's own end may hang
    process.communicate()
    return process.returncode

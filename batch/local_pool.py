# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs jobs in several processes of this machine. If a process dies, its job is tried again and the others continue."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from queue import Empty, SimpleQueue

from .attempts import InterruptedRunError, attempt
from .clip_process import ClipProcess
from .command_line import BatchOptions
from .completion import Report
from .jobs import Job

PAUSE = 2.0
"""Seconds until a job is looked at again on which a process of another run works."""


def run_in_pool(
    jobs: Sequence[Job], options: BatchOptions, command: Sequence[str] | None = None
) -> Iterator[tuple[Job, Report]]:
    """Run the jobs; yields each with its report, in the order in which they finish. `command` starts a process."""
    waiting: SimpleQueue[Job | None] = SimpleQueue()
    finished: SimpleQueue[tuple[Job, Report | None] | BaseException] = SimpleQueue()
    for job in jobs:
        waiting.put(job)
    workers = [_Worker(options, command, waiting, finished) for _ in range(min(options.jobs, len(jobs)))]
    for worker in workers:
        worker.start()
    elsewhere: list[tuple[float, Job]] = []
    left = len(jobs)
    try:
        while left:
            now = time.monotonic()
            for _, job in (each for each in elsewhere if each[0] <= now):
                waiting.put(job)
            elsewhere = [each for each in elsewhere if each[0] > now]
            try:
                done = finished.get(timeout=PAUSE / 4 if elsewhere else None)
            except Empty:
                continue
            if isinstance(done, BaseException):
                raise done
            job, report = done
            if report is None:
                elsewhere.append((time.monotonic() + PAUSE, job))
            else:
                left -= 1
                yield job, report
    finally:
        with contextlib.suppress(Empty):  # after an early end no worker starts another job
            while True:
                waiting.get_nowait()
        for worker in workers:
            worker.stop()
        for worker in workers:
            worker.join()


class _Worker(threading.Thread):
    """A thread that feeds one process with jobs, until it gets None instead of a job."""

    def __init__(
        self,
        options: BatchOptions,
        command: Sequence[str] | None,
        waiting: SimpleQueue[Job | None],
        finished: SimpleQueue[tuple[Job, Report | None] | BaseException],
    ) -> None:
        super().__init__(daemon=True)
        self.options, self.process = options, ClipProcess(options, command)
        self.waiting, self.finished = waiting, finished
        self.is_stopped = False

    def run(self) -> None:
        """Do jobs until there is none."""
        try:
            while (job := self.waiting.get()) is not None and not self.is_stopped:
                self.finished.put((job, attempt(job, self.options, self.process, lambda: self.is_stopped)))
        except InterruptedRunError:
            pass
        except BaseException as error:
            self.finished.put(error)
        finally:
            self.process.close()

    def stop(self) -> None:
        """End the process, and with it the thread."""
        self.is_stopped = True
        self.waiting.put(None)
        self.process.shut()

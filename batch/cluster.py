# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs jobs on a Dask cluster whose machines share the folders of inputs and outputs.

The files decide what is done, not the cluster: a worker claims a clip as any process does, and its report stands beside
its result. So workers, the scheduler and this process may be lost at any time without losing a clip, or doing a
finished one twice.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from ..version import VERSION
from .attempts import attempt
from .clip_process import ClipProcess
from .command_line import BatchOptions, options_from_dict
from .completion import Report, finished_report
from .failures import sentence
from .job_runner import report_failure
from .jobs import Job, job_from_dict
from .local_pool import PAUSE

PATIENCE = 30.0
"""Seconds within which the scheduler must answer, and within which it must have a worker."""

AHEAD = 3
"""Jobs that are submitted for each thread of the cluster: enough that none is idle."""

MISSING = (
    "--scheduler needs Dask, which this Python does not have: install it with `python -m pip install distributed`, or "
    "leave the option out to work on this machine."
)


LOST = "The connection to the scheduler was lost: run the same command again, which continues where this one ended."


class ClusterError(Exception):
    """The cluster cannot be used, or was lost; the message is one sentence that says what to do."""


def run_on_cluster(jobs: Sequence[Job], options: BatchOptions) -> Iterator[tuple[Job, Report]]:
    """Run the jobs on the cluster of the options; yields each with its report, in the order in which they finish."""
    client = _connected(str(options.scheduler))
    try:
        yield from _Run(client, jobs, options).results()
    finally:
        with contextlib.suppress(Exception):  # it may be lost
            client.close(timeout=5)


class _Run:
    """Jobs on their way through a cluster."""

    def __init__(self, client: Any, jobs: Sequence[Job], options: BatchOptions) -> None:
        self.client = client
        # Processes of other machines may start in other folders, so paths must not depend on that.
        self.options = _absolute(options)
        self.waiting = [*reversed(jobs)]
        self.elsewhere: list[tuple[float, Job]] = []
        """Jobs on which other processes work, and when to look at them again."""
        self.running: dict[Any, Job] = {}
        self.ended: SimpleQueue[Any] = SimpleQueue()
        self.lost: dict[str, int] = {}
        """By clip: how often the workers were lost that worked on it."""
        self.room, self.counted = 1, -PAUSE

    def results(self) -> Iterator[tuple[Job, Report]]:
        """Each job with its report."""
        while self.waiting or self.elsewhere or self.running:
            self._submit()
            try:
                future = self.ended.get(timeout=PAUSE / 4)
            except Empty:
                if self.client.status not in ("running", "connecting"):
                    raise ClusterError(LOST) from None
                continue
            job = self.running.pop(future)
            report = self._report(future, job)
            future.release()
            if report is None:
                self.elsewhere.append((time.monotonic() + PAUSE, job))
            else:
                yield job, report

    def _submit(self) -> None:
        """Submit as many jobs as the threads of the cluster can do soon."""
        now = time.monotonic()
        self.waiting += [job for when, job in self.elsewhere if when <= now]
        self.elsewhere = [each for each in self.elsewhere if each[0] > now]
        if now - self.counted >= PAUSE:  # workers come and go
            self.room, self.counted = AHEAD * max(sum(self._threads()), 1), now
        while self.waiting and len(self.running) < self.room:
            job = self.waiting.pop()
            future = self.client.submit(
                _run_on_worker,
                _absolute_job(job).as_dict(),
                vars(self.options),
                VERSION,
                key=f"poise-{uuid.uuid4().hex}",
                pure=False,
            )
            self.running[future] = job
            future.add_done_callback(self.ended.put)

    def _threads(self) -> list[int]:
        try:
            return list(self.client.nthreads().values())
        except Exception as error:  # many kinds, all of the connection
            raise ClusterError(LOST) from error

    def _report(self, future: Any, job: Job) -> Report | None:
        """The report of a job that has ended on the cluster; None if it must be submitted again."""
        from distributed import CancelledError, KilledWorker
        from distributed.comm import CommClosedError

        try:
            report: Report | None = future.result(timeout=PATIENCE)
        except KilledWorker:
            return self._lost(job)
        except (CancelledError, CommClosedError, TimeoutError) as error:
            raise ClusterError(LOST) from error
        except ModuleNotFoundError as error:
            raise ClusterError(
                f"The workers of the cluster lack the module {error.name}: install Poise {VERSION} there."
            ) from None
        except Exception as error:  # an error of the worker in one file must not stop the others
            return report_failure(job, self.options, sentence(error))
        if report is not None and "version_differs" in report:
            raise ClusterError(
                f"The workers of the cluster have Poise {report['version_differs']}, and this is {VERSION}: "
                "install the same version everywhere."
            )
        return report

    def _lost(self, job: Job) -> Report | None:
        """The report of a job after Dask has lost several workers with it; None if it must be submitted again."""
        count = self.lost[job.stem] = self.lost.get(job.stem, 0) + 1
        done = finished_report(job, self.options)
        if done is not None or count <= self.options.retries:
            return done
        words = f"The workers of the cluster that worked on {job.source} were lost, again and again."
        return report_failure(job, self.options, words, count)


def _connected(address: str) -> Any:
    """A client of the scheduler at an address, or of a scheduler file."""
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError(MISSING) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is said in sentences
    is_file = "://" not in address and Path(address).is_file()
    try:
        client = Client(
            **({"scheduler_file": address} if is_file else {"address": address}), timeout=PATIENCE, set_as_default=False
        )
    except (OSError, ValueError) as error:
        raise ClusterError(f"No scheduler answers at {address}: {error}.") from error
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except Exception:
        client.close()
        raise ClusterError(f"The scheduler at {address} has no workers: start some, and run this again.") from None
    return client


def _absolute(options: BatchOptions) -> BatchOptions:
    places: dict[str, Any] = {
        name: str(Path(value).absolute())
        for name in ("output", "plants", "constraints", "physics")
        if (value := getattr(options, name))
    }
    if Path(options.recipe).is_file():
        places["recipe"] = str(Path(options.recipe).absolute())
    return replace(options, **places, inputs=())


def _absolute_job(job: Job) -> Job:
    return replace(job, source=str(Path(job.source).absolute()), stem=str(Path(job.stem).absolute()))


# On a worker --------------------------------------------------------------------------------------------------------

_idle: list[ClipProcess] = []
"""Processes of this worker that wait for a job: one for each of its threads."""

_lock = threading.Lock()


def _run_on_worker(job: dict[str, Any], options: dict[str, Any], version: str) -> Report | None:
    """Do a job in a process of its own on this machine, whose death or memory does not concern the worker."""
    if version != VERSION:
        return {"version_differs": VERSION}
    given = options_from_dict(options)
    process = _process_for(given)
    try:
        return attempt(job_from_dict(job), given, process)
    finally:
        with _lock:
            _idle.append(process)


def _process_for(options: BatchOptions) -> ClipProcess:
    """A process that waits with the same options, else a new one; those with other options are ended."""
    with _lock:
        others = [process for process in _idle if process.options != options]
        fitting = [process for process in _idle if process.options == options]
        _idle[:] = fitting[1:]
    for process in others:
        process.close()
    return fitting[0] if fitting else ClipProcess(options)

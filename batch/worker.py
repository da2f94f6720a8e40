# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that edits clips: it reads jobs from the standard input and writes a report for each.

The first line holds the options, each further one a job with its claim. When the input ends, because the process that
wrote it has ended or was killed, this one ends at once, also in the middle of a clip.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from typing import Any

from .claims import Claim
from .command_line import BatchOptions, options_from_dict
from .job_runner import run_job
from .jobs import Job, job_from_dict

IDLE = 600.0
"""Seconds without a job after which a process ends by itself, so that none stays behind on a cluster."""


def run_worker() -> None:
    """Do jobs until the standard input ends.

    Output of Blender would mix with the reports: it goes to the standard error.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the one that started this ends it
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read_lines, args=(lines,), daemon=True).start()
    options = options_from_dict(json.loads(lines.get()))
    while True:
        try:
            job, claim, attempt = from_line(lines.get(timeout=IDLE))
        except queue.Empty:
            os._exit(0)
        answers.write(f"{json.dumps(run_job(job, options, claim, attempt))}\n")
        answers.flush()


def _read_lines(lines: queue.SimpleQueue[str]) -> None:
    """Put each line of the standard input into a queue, and end the process with the input."""
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)  # not `sys.exit`: a clip may be in the middle of its work, and Blender's own exit may hang


def options_line(options: BatchOptions) -> str:
    """The first line for `run_worker`."""
    return _line(vars(options))


def job_line(job: Job, claim: Claim | None, attempt: int) -> str:
    """A further line for `run_worker`."""
    return _line({"job": job.as_dict(), "claim": None if claim is None else claim.as_dict(), "attempt": attempt})


def from_line(line: str) -> tuple[Job, Claim | None, int]:
    """The job of a line, its claim, and how often it was tried, from 1."""
    sent = json.loads(line)
    claim = None if sent["claim"] is None else Claim(**sent["claim"])
    return job_from_dict(sent["job"]), claim, sent["attempt"]


def _line(plain: dict[str, Any]) -> str:
    return f"{json.dumps(plain)}\n"

# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that edits clips, seen from the process that starts it: jobs go in, reports come out, memory is bounded."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, SimpleQueue

from .claims import Claim
from .command_line import BatchOptions
from .completion import Report
from .jobs import Job
from .memory import in_words, resident_bytes
from .worker import job_line, options_line

ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
"""Environment of each process: threads of all processes for all cores would compete, and the number of threads can
change how sums are rounded, so that results would depend on it."""

LOOK = 0.1
"""Seconds between two looks at the memory of a process."""

KEPT = 0.5
"""A process that keeps more than this share of its bound between two clips is replaced."""


class ProcessLostError(Exception):
    """A process ended, or was ended, before it had a report; the message is a sentence about the clip."""

    def __init__(self, sentence: str, may_pass: bool = True) -> None:
        super().__init__(sentence)
        self.may_pass = may_pass
        """Whether another attempt may succeed."""


def usual_command() -> list[str]:
    """The command that starts a process, with the same Blender or Python as this one."""
    script = str(Path(__file__).with_name("start_worker.py"))
    bpy = sys.modules.get("bpy")
    program = bpy.app.binary_path if bpy is not None else ""
    if not program:
        return [sys.executable, script]
    alike = [argument for argument in ("--factory-startup", "--enable-autoexec") if argument in sys.argv]
    return [program, "--background", *alike, "--python", script]


class ClipProcess:
    """A process that is started for the first job, and again after it has ended. Used by one thread at a time."""

    def __init__(self, options: BatchOptions, command: Sequence[str] | None = None) -> None:
        self.options, self.command = options, usual_command() if command is None else list(command)
        self.process: subprocess.Popen[str] | None = None
        self.answers: SimpleQueue[str] = SimpleQueue()
        self.clips = 0
        """Jobs that the present process has done."""
        self.is_shut = False

    def run(self, job: Job, claim: Claim | None, attempt: int = 1) -> Report:
        """Do a job; raises `ProcessLostError` if the process ends first. `attempt` counts how often it was tried."""
        process = self._ready_process()
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # the missing answer says it
            process.stdin.write(job_line(job, claim, attempt))
            process.stdin.flush()
        report: Report = json.loads(self._answer(process, job))
        self.clips += 1
        used = resident_bytes(process.pid)
        if self.options.memory and used is not None and used > KEPT * self.options.memory:
            self.close()
        return report

    def shut(self) -> None:
        """End the process, also in the middle of a job, and start none again. Any thread may call it."""
        self.is_shut = True
        self.close()

    def close(self) -> None:
        """End the process; the next job starts another one."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()  # its results are written, and Blender's own exit may hang
            with contextlib.suppress(OSError):
                if process.stdin is not None:
                    process.stdin.close()
            process.wait()

    def _answer(self, process: subprocess.Popen[str], job: Job) -> str:
        """The line that the process writes, which must come before it exceeds its time or memory."""
        options, begin = self.options, time.monotonic()
        name = Path(job.source).name
        while True:
            try:
                answer = self.answers.get(timeout=LOOK)
            except Empty:
                used = resident_bytes(process.pid) if options.memory else None
                if used is not None and used > options.memory:
                    was_first = self.clips == 0
                    self.close()
                    raise ProcessLostError(
                        f"{name} needs more memory than {in_words(options.memory)}: give each process more with "
                        "--memory, or cut the motion into parts.",
                        may_pass=not was_first,  # what earlier clips have left behind may have been too much
                    ) from None
                if options.time_limit and time.monotonic() - begin > options.time_limit:
                    self.close()
                    raise ProcessLostError(
                        f"{name} took longer than {options.time_limit:g} s, which is its --time-limit.", may_pass=False
                    ) from None
                continue
            if answer:
                return answer
            self.close()
            process.wait()
            raise ProcessLostError(f"The process that worked on {job.source} ended {_how(process.returncode)}.")

    def _ready_process(self) -> subprocess.Popen[str]:
        if self.process is not None and self.process.poll() is not None:
            self.close()
        if self.is_shut:
            raise ProcessLostError("The run is being stopped.", may_pass=False)
        if self.process is None:
            self.process, self.clips = self._started(), 0
        return self.process

    def _started(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env=ONE_THREAD | os.environ,
        )
        answers = self.answers = SimpleQueue()

        def read() -> None:
            assert process.stdout is not None
            with process.stdout, contextlib.suppress(ValueError):  # closed meanwhile
                for line in process.stdout:
                    answers.put(line)
            answers.put("")

        threading.Thread(target=read, daemon=True).start()
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(options_line(self.options))
        return process


def _how(code: int) -> str:
    """How a process ended, from its exit code."""
    if code >= 0:
        return f"with code {code}"
    with contextlib.suppress(ValueError):
        return f"by the signal {signal.Signals(-code).name}"
    return f"by the signal {-code}"

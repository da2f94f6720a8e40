# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes with limits of time and memory in which inputs are read, and the watch over them."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from .judgement import Finding, judged
from .minimisation import minimised
from .targets import case

LONGEST = 5.0
"""Seconds of processor time for one input: a busy machine does not make a reader slow."""

LONGEST_WAIT = 60.0
"""Seconds for one input by the clock, if the process sleeps: a reader that waits for something needs no processor time,
and one that computes may have to wait for a processor."""

MEMORY = 1 << 30
"""Bytes that reading one input may take, and that a process may have in memory."""

CASES_OF_A_PROCESS = 20_000
"""After so many a new process begins, so that memory is that of inputs, not of what Python keeps."""

LOOK = 0.1
"""Seconds between two looks at a process."""

_context = multiprocessing.get_context("fork")
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def _limit() -> None:
    """Limit this process: Python raises MemoryError where more is asked for."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * _PAGE + MEMORY,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _peak() -> int:
    """Bytes in memory at most, so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _over_memory(target: str) -> Finding:
    return Finding(target, "memory", "resident", f"{_peak() >> 20} MB were in memory at once.")


def processor_time(pid: int | None) -> float:
    """Seconds that a process has computed."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(words[11]) + int(words[12])) / _TICKS


def _is_over(pid: int | None, computed: float, waited: float, longest: float) -> bool:
    """Whether an input takes too long, by the seconds that the process has computed and that it has taken."""
    return computed > longest or (waited > LONGEST_WAIT and _sleeps(pid))


def _sleeps(pid: int | None) -> bool:
    """Whether a process neither computes nor waits for a processor."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "SD"
    except OSError:
        return False


# One input ----------------------------------------------------------------------------------------------------------


def judged_apart(target: str, data: bytes, longest: float = LONGEST) -> Finding | None:
    """What is wrong about how an input is read, in a process of its own."""
    receiver, sender = _context.Pipe(duplex=False)
    process = _context.Process(target=_judge_one, args=(target, data, sender))
    process.start()
    sender.close()
    begun = time.monotonic()
    while not receiver.poll(0.01):
        if not process.is_alive():
            break
        if _is_over(process.pid, processor_time(process.pid), time.monotonic() - begun, longest):
            process.kill()
            process.join()
            return _hang(target, longest)
    try:
        found: Finding | None = receiver.recv()
    except EOFError:
        process.join()
        return _crash(target, process.exitcode)
    finally:
        receiver.close()
    process.join()
    return found


def _judge_one(target: str, data: bytes, sender: Connection) -> None:
    _limit()
    found = judged(target, data)[1]
    sender.send(_over_memory(target) if found is None and _peak() > MEMORY else found)
    sender.close()
    os._exit(0)


def _hang(target: str, longest: float = LONGEST) -> Finding:
    return Finding(target, "hang", "time", f"It takes more than {longest:g} s.")


def _crash(target: str, code: int | None) -> Finding:
    return Finding(target, "crash", f"exit code {code}", f"The process ended with exit code {code}.")


def minimised_apart(found: Finding, data: bytes, seconds: float) -> bytes:
    """The smallest part of an input that is a finding of the same cause.

    What only raises is tried in one process; what hangs, takes memory or crashes in one process for each trial.
    """
    if found.kind in ("hang", "memory", "crash"):
        longest = 0.5 * LONGEST if found.kind == "hang" else LONGEST

        def fails(part: bytes) -> bool:
            other = judged_apart(found.target, part, longest)
            return other is not None and other.key == found.key

        return minimised(data, fails, seconds)
    receiver, sender = _context.Pipe(duplex=False)
    process = _context.Process(target=_minimise, args=(found, data, seconds, sender))
    process.start()
    sender.close()
    try:
        small: bytes = receiver.recv() if receiver.poll(seconds + LONGEST_WAIT) else data
    except EOFError:
        small = data
    process.kill()
    process.join()
    receiver.close()
    return small


def _minimise(found: Finding, data: bytes, seconds: float, sender: Connection) -> None:
    def fails(part: bytes) -> bool:
        other = judged(found.target, part)[1]
        return other is not None and other.key == found.key

    _limit()
    sender.send(minimised(data, fails, seconds))
    sender.close()
    os._exit(0)


# Many inputs --------------------------------------------------------------------------------------------------------


@dataclass
class Progress:
    """What a process has done since the last look."""

    cases: int = 0
    accepted: int = 0
    findings: list[tuple[int, Finding]] = field(default_factory=list)
    """Index of the case, and what was found."""
    slowest: float = 0.0
    """Seconds of processor time of the slowest case."""
    slowest_case: int = 0
    peak: int = 0
    """Bytes in memory at most."""


class Worker:
    """A process that reads the cases of a seed from an index on, watched from this one."""

    def __init__(self, seed: int, first: int, names: tuple[str, ...]) -> None:
        self.names, self.seed = names, seed
        self.next = first
        """Index of the first case that is not known to have ended."""
        self._status: Any = _context.RawArray("d", [first, 0.0, 0.0])
        self._receiver, sender = _context.Pipe(duplex=False)
        args = (seed, first, names, self._status, sender)
        self._process: BaseProcess = _context.Process(target=_judge_many, args=args)
        self._process.start()
        sender.close()
        self.ended = False

    def look(self) -> Progress:
        """Wait a moment for what the process sends; end it where one case takes too long."""
        progress = Progress()
        if self._receiver.poll(LOOK):
            self._receive(progress)
        elif not self._process.is_alive():
            self._fail(progress, _crash)
        else:
            index, at_processor, at_clock = self._status
            waited = time.monotonic() - at_clock
            computed = processor_time(self._process.pid) - at_processor
            same = self._status[0] == index
            if at_clock and same and _is_over(self._process.pid, computed, waited, LONGEST):
                self._process.kill()
                self._fail(progress, lambda target, _: _hang(target))
        return progress

    def _receive(self, progress: Progress) -> None:
        try:
            sent: Progress | None = self._receiver.recv()
        except EOFError:
            self._fail(progress, _crash)
            return
        if sent is None:
            self._close()
            return
        progress.__dict__.update(sent.__dict__)
        self.next += progress.cases

    def _fail(self, progress: Progress, made: Any) -> None:
        """The case that was being read is a finding, and the process has ended."""
        self._process.join()
        index = int(self._status[0])
        name = case(self.seed, index, self.names)[0]
        progress.findings.append((index, made(name, self._process.exitcode)))
        progress.cases += index + 1 - self.next
        self.next = index + 1
        self._close()

    def _close(self) -> None:
        self._process.join()
        self._receiver.close()
        self.ended = True

    def stop(self) -> None:
        """End the process."""
        if not self.ended:
            self._process.kill()
            self._close()


REPORTED = 0.5
"""Seconds after which a process sends what it has done."""


def _judge_many(seed: int, first: int, names: tuple[str, ...], status: Any, sender: Connection) -> None:
    _limit()
    progress, reported, parent = Progress(), time.monotonic(), os.getppid()
    for index in range(first, first + CASES_OF_A_PROCESS):
        if os.getppid() != parent:
            os._exit(1)  # the run was killed
        status[2] = 0.0
        status[0] = index
        target, data = case(seed, index, names)
        begun = time.process_time()
        status[1], status[2] = begun, time.monotonic()
        accepted, found = judged(target, data)
        seconds = time.process_time() - begun
        is_over = _peak() > MEMORY
        if is_over:
            found = found or _over_memory(target)
        progress.cases += 1
        progress.accepted += accepted
        if found:
            progress.findings.append((index, found))
        if seconds > progress.slowest:
            progress.slowest, progress.slowest_case = seconds, index
        if found or is_over or time.monotonic() - reported > REPORTED:
            progress.peak = _peak()
            sender.send(progress)
            progress, reported = Progress(), time.monotonic()
        if is_over:
            break
    progress.peak = _peak()
    sender.send(progress)
    sender.send(None)
    os._exit(0)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips a second of `poise batch` with one process and with two, on this machine and on a local Dask cluster."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from poise import solver
from poise.solver.synthetic import walk

from .figures import Figure

CLIPS = 120
STEPS = 12
"""Of each walk: 200 frames at 30 a second."""
ROUNDS = 2
LEAST = 1.7
"""Least ratio of the throughput with two processes to that with one."""

BATCH = Path(__file__).resolve().parents[1] / "batch.py"
PATIENCE = 60.0
"""Seconds within which a scheduler must answer."""


def batch_throughput(clips: int = CLIPS, steps: int = STEPS, rounds: int = ROUNDS) -> Iterator[Figure]:
    """Clips a second of a batch that cleans walks, with one process and with two."""
    with tempfile.TemporaryDirectory(prefix="poise-throughput-") as folder, ExitStack() as started:
        inputs = Path(folder, "in")
        inputs.mkdir()
        source = walk(steps=steps, fps=30.0, skate=0.02).clip
        for number in range(clips):
            solver.write_bvh(source, inputs / f"walk{number:03}.bvh")
        load = f"{_cores()} cores, load {os.getloadavg()[0]:.1f} before" if hasattr(os, "getloadavg") else ""
        note = f"{clips} walks of {source.frames} frames, cleaned; best of {rounds}; {load}"
        local = {count: ["--jobs", str(count)] for count in (1, 2)}
        yield from _figures("batch", local, inputs, rounds, note)
        if importlib.util.find_spec("distributed") is None:
            yield Figure("batch on Dask: two workers / one", None, "times", note="Dask is not installed")
            return
        cluster = {count: ["--scheduler", _cluster(started, count)] for count in (1, 2)}
        yield from _figures("batch on Dask", cluster, inputs, rounds, note)


def _figures(name: str, kinds: dict[int, list[str]], inputs: Path, rounds: int, note: str) -> Iterator[Figure]:
    """The throughput of each kind, and their ratio; the kinds take turns, so that other load concerns both."""
    rates = dict.fromkeys(kinds, 0.0)
    for number in range(rounds):
        for count, options in kinds.items():
            output = inputs.parent / f"{name} {count} {number}"
            command = [sys.executable, str(BATCH), str(inputs), "-o", str(output), "--clean", "stretch", *options]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                note = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
                yield Figure(f"{name}: two workers / one", None, "times", LEAST, "at least", note)
                return
            rates[count] = max(rates[count], _rate(output))
    yield Figure(f"{name}: one worker", rates[1], "clips/s", note=note)
    yield Figure(f"{name}: two workers", rates[2], "clips/s", note=note)
    # With one core two processes can only share it.
    bound = LEAST if _cores() > 1 else None
    yield Figure(f"{name}: two workers / one", rates[2] / rates[1], "times", bound, "at least", note)


def _rate(output: Path) -> float:
    """Clips a second from the first report to the last: processes are started once for thousands of clips."""
    times = sorted(path.stat().st_mtime for path in output.glob("*.report.json"))
    return (len(times) - 1) / max(times[-1] - times[0], 1e-3)


def _cluster(started: ExitStack, workers: int) -> str:
    """The address of a scheduler with so many workers of one thread, which end with `started`."""
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        port = int(opened.getsockname()[1])
    address = f"tcp://127.0.0.1:{port}"
    options = ("--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    _start(started, "distributed.cli.dask_scheduler", *options)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
            break
        except OSError:
            time.sleep(0.1)
    for _ in range(workers):
        _start(started, "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
    return address


def _start(started: ExitStack, module: str, *options: str) -> None:
    # In sessions of their own, as on machines of their own: Linux may share cores between sessions, not processes.
    quiet, command = subprocess.DEVNULL, [sys.executable, "-m", module, *options]
    process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    started.callback(process.wait)
    started.callback(process.kill)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

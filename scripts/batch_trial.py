# SPDX-License-Identifier: GPL-3.0-or-later
"""Try `poise batch` while its processes are killed at random: `batch_trial.py [--clips N] [--local]`.

Short walks are cleaned by one process, and again by a Dask cluster (or, with `--local`, by processes of this machine)
whose workers, whose processes that edit clips, whose scheduler and whose coordinator are killed again and again. Then
every clip must have exactly one result, equal to that of the single process; none that was finished may have been
written again; nothing may be left behind; and one more run must find nothing to do.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BATCH = ROOT / "scripts" / "batch.py"

BROKEN_EVERY = 25
"""One file of so many is no motion: it must fail in every run, and stop none."""

WHAT_TO_DO = ("--detect", "--clean", "stretch")

VICTIMS = {"worker": 5, "clip process": 3, "coordinator": 3, "scheduler": 1}
"""What is killed, and how often in proportion."""

DIFFERS = ("seconds", "attempts", "input", "output", "constraints_file", "mtime_ns")
"""Entries of a report that may differ between two runs."""

PATIENCE = 20.0
"""Seconds after which a process is killed although no clip was finished."""

LONGEST = 1800.0
"""Seconds after which a trial hangs."""


def make_clips(folder: Path, count: int, seed: int) -> None:
    """Write short walks whose feet slide by random amounts, in folders of fifty, and some files that are broken."""
    from poise import solver
    from poise.solver.synthetic import walk

    chance = random.Random(seed)
    for number in range(count):
        path = folder / f"take{number // 50:02}" / f"walk{number:04}.bvh"
        path.parent.mkdir(parents=True, exist_ok=True)
        if number % BROKEN_EVERY == BROKEN_EVERY - 1:
            path.write_text("HIERARCHY nonsense")
        else:
            solver.write_bvh(walk(steps=2, fps=24.0, skate=chance.uniform(0.0, 0.05)).clip, path)


@dataclass
class Trial:
    """A run whose processes are killed. Call `run`, then `check`."""

    clips: Path
    output: Path
    seed: int = 0
    workers: int = 2
    is_local: bool = False
    between: int = 12
    """At most so many clips are finished between two kills: processes that are killed while they start finish none."""
    kills: Counter[str] = field(default_factory=Counter)
    starts: int = 0
    """How often the coordinator was started."""
    finished: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Inode and time of each report that said that its clip had succeeded."""
    scheduler: subprocess.Popen[bytes] | None = None
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)
    """The workers of the cluster."""

    def run(self) -> int:
        """Run, kill and start again until a coordinator ends by itself; returns its exit code."""
        chance, end = random.Random(self.seed), time.monotonic() + LONGEST
        self.port = _free_port()
        coordinator = None
        try:
            while time.monotonic() < end:
                self._start_cluster()
                if coordinator is None:
                    self.starts += 1
                    coordinator = self._start_coordinator()
                if self._waits(coordinator, chance):
                    self._kill(chance, coordinator)
                elif (code := coordinator.wait()) in (0, 1):
                    return code
                else:
                    coordinator = None  # it was killed, or has lost its scheduler
                self.watch()
            raise TimeoutError(f"The trial takes longer than {LONGEST:.0f} s.")
        finally:
            for process in (coordinator, *self.running, self.scheduler):
                if process is not None:
                    process.kill()
                    process.wait()

    def _waits(self, coordinator: subprocess.Popen[bytes], chance: random.Random) -> bool:
        """Wait until a random number of clips is finished, and for a part of a clip; false if the coordinator ends."""
        wanted = len(self._reports()) + chance.randint(1, self.between)
        end = time.monotonic() + PATIENCE
        while len(self._reports()) < wanted and time.monotonic() < end:
            if coordinator.poll() is not None:
                return False
            time.sleep(0.05)
        time.sleep(chance.uniform(0.0, 0.5))
        return coordinator.poll() is None

    def _reports(self) -> list[Path]:
        """The reports of clips, without those that are not yet at their places."""
        found = []
        for here, folders, names in os.walk(self.output):
            folders[:] = [name for name in folders if not name.startswith(".")]
            found += [Path(here, name) for name in names if name.endswith(".report.json")]
        return found

    def watch(self) -> None:
        """See that no clip that had succeeded was written again."""
        for path in self._reports():
            key = str(path.relative_to(self.output))
            status = path.stat()
            if key not in self.finished:
                if json.loads(path.read_bytes())["succeeded"]:
                    self.finished[key] = (status.st_ino, status.st_mtime_ns)
            elif self.finished[key] != (status.st_ino, status.st_mtime_ns):
                raise AssertionError(f"{key} was finished, and written again.")

    def _start_coordinator(self) -> subprocess.Popen[bytes]:
        where = ["--jobs", str(self.workers)] if self.is_local else ["--scheduler", f"tcp://127.0.0.1:{self.port}"]
        return _start(str(BATCH), str(self.clips), "-o", str(self.output), *WHAT_TO_DO, *where)

    def _start_cluster(self) -> None:
        """Start what is not running of the cluster."""
        if self.is_local:
            return
        address = f"tcp://127.0.0.1:{self.port}"
        if self.scheduler is None or self.scheduler.poll() is not None:
            self.scheduler = _start(
                *("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(self.port)),
                "--no-dashboard",
            )
        self.running = [worker for worker in self.running if worker.poll() is None]
        while len(self.running) < self.workers:
            options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "20")
            self.running.append(_start("-m", "distributed.cli.dask_worker", address, *options))

    def _kill(self, chance: random.Random, coordinator: subprocess.Popen[bytes]) -> None:
        """Kill one process at random."""
        kinds = ["coordinator", "clip process"] if self.is_local else list(VICTIMS)
        # Those that were killed least often for what they are due: even a short trial has some of each.
        kind = min(kinds, key=lambda each: (self.kills[each] + chance.random()) / VICTIMS[each])
        parents = [coordinator] if self.is_local else self.running
        if kind == "coordinator":
            victims = [coordinator.pid]
        elif kind == "scheduler":
            victims = [self.scheduler.pid] if self.scheduler is not None else []
        elif kind == "worker":
            victims = [worker.pid for worker in self.running]
        else:
            victims = [child for parent in parents for child in _children(parent.pid)]
        if victims:
            try:
                os.kill(chance.choice(victims), signal.SIGKILL)
                self.kills[kind] += 1
            except ProcessLookupError:  # it has ended by itself
                pass


def check(trial: Trial, single: Path) -> dict[str, Any]:
    """Compare a trial with the results of a single process; returns figures, or raises an `AssertionError`."""
    trial.watch()
    names = sorted(str(path.relative_to(trial.clips).with_suffix("")) for path in trial.clips.rglob("*.bvh"))
    expected, found = _files(single), _files(trial.output)
    assert found == expected, f"files differ: {sorted(found ^ expected)[:10]}"
    succeeded = 0
    for name in names:
        told, usual = (_comparable(folder / f"{name}.report.json") for folder in (trial.output, single))
        assert told == usual, f"the reports of {name} differ"
        succeeded += bool(told["succeeded"])
        for ending in ("bvh", "constraints.json") if told["succeeded"] else ():
            results = [(folder / f"{name}.{ending}").read_bytes() for folder in (trial.output, single)]
            assert results[0] == results[1], f"the results of {name} differ"
    before = dict(trial.finished)
    again = run_batch(trial.clips, trial.output)
    assert f"{succeeded} of {len(names)} are done already" in again.stderr, again.stderr
    trial.watch()
    assert trial.finished == before and len(before) == succeeded
    return {
        "clips": len(names),
        "succeeded": succeeded,
        "failed": len(names) - succeeded,
        "kills": dict(sorted(trial.kills.items())),
        "coordinators": trial.starts,
        "redone by a resumed run": 0,
    }


def run_batch(clips: Path, output: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, in one process if the options do not say otherwise."""
    command = [sys.executable, str(BATCH), str(clips), "-o", str(output), *WHAT_TO_DO]
    return subprocess.run(
        [*command, *(options or ("--jobs", "1"))], capture_output=True, text=True, env=_environment(), timeout=LONGEST
    )


def _files(folder: Path) -> set[str]:
    """All files below a folder, hidden ones too, but for the reports of whole runs."""
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() or path.name.startswith(".")}
    return files - {"report.json", "report.html"}


def _comparable(path: Path) -> Any:
    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: without(inner) for name, inner in value.items() if name not in DIFFERS}
        return [without(inner) for inner in value] if isinstance(value, list) else value

    return without(json.loads(path.read_bytes()))


def _start(*arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, *arguments]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, env=_environment())


def _environment() -> dict[str, str]:
    return os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}


def _children(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(child) for child in task.read_text().split()]
        except OSError:  # a thread that has ended
            continue
    return found


def _free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


def main(clips: int, seed: int, is_local: bool) -> None:
    """Run a trial and print its figures."""
    folder = Path(tempfile.mkdtemp(prefix="poise-trial-"))
    try:
        begin = time.monotonic()
        make_clips(folder / "in", clips, seed)
        print(f"{clips} clips written, {time.monotonic() - begin:.0f} s", flush=True)
        begin = time.monotonic()
        run_batch(folder / "in", folder / "single")
        print(f"one process: {time.monotonic() - begin:.0f} s", flush=True)
        trial = Trial(folder / "in", folder / "out", seed, is_local=is_local)
        begin = time.monotonic()
        code = trial.run()
        print(f"with kills: {time.monotonic() - begin:.0f} s, exit code {code}", flush=True)
        print(json.dumps(check(trial, folder / "single"), indent=2))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--clips", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--local", action="store_true", help="processes of this machine instead of a Dask cluster")
    given = parser.parse_args()
    main(given.clips, given.seed, given.local)

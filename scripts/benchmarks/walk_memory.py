# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory to enforce a long walk, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from .figures import Figure

FRAMES = 100_000
LARGEST = 4.0
"""Largest gigabytes of resident memory."""
ENOUGH = 8.0
"""Gigabytes of address space, beyond which the process ends: a machine that runs out of memory ends other programs."""

SCRIPTS = Path(__file__).resolve().parents[1]
MEASURE = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({enough}, {enough}))
sys.path.insert(0, {scripts!r})
from benchmarks.planted_walk import made_up_walk
from poise import solver
walk = made_up_walk({frames})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
solver.deform(walk.clip, walk.constraints)
print(walk.clip.frames, before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
"""Linux counts in kilobytes."""


def walk_memory(frames: int = FRAMES) -> Iterator[Figure]:
    """The largest resident memory of a process that enforces a long walk: plants, balance, posture."""
    code = MEASURE.format(scripts=str(SCRIPTS), frames=frames, enough=round(ENOUGH * 1e9))
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if run.returncode:
        note = (run.stderr.strip().splitlines() or [f"exit code {run.returncode}"])[-1]
        if "MemoryError" in note:
            note = f"{frames} frames need more than {ENOUGH:g} GB"
        yield Figure("enforced walk: memory", None, "GB", LARGEST, note=note)
        return
    solved, before, after = (int(number) for number in run.stdout.split())
    note = f"synthetic walk, {solved} frames; {before / 1e6:.2f} GB before"
    yield Figure("enforced walk: memory", after / 1e6, "GB", LARGEST, note=note)

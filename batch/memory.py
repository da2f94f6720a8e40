# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of processes, and how many processes a machine can run."""

from __future__ import annotations

import os
from pathlib import Path


def resident_bytes(pid: int) -> int | None:
    """Bytes of physical memory that a process uses; None if it has ended, or where the system does not say.

    Linux says it in /proc; elsewhere psutil does, if it is installed.
    """
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        pass
    try:
        import psutil

        return int(psutil.Process(pid).memory_info().rss)
    except Exception:  # psutil is missing, or the process has ended
        return None


def usable_processes(memory: int) -> int:
    """As many processes as this one may use cores, and as fit into the machine's memory with `memory` bytes each."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    total = _total_bytes()
    if memory <= 0 or total is None:
        return cores
    return max(1, min(cores, total // memory))


def _total_bytes() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # there is no sysconf, or it does not know
        return None


def in_words(size: float) -> str:
    """A number of bytes for people, such as 2 GB or 300 MB."""
    return f"{size / (1 << 30):.3g} GB" if size >= 1 << 30 else f"{size / (1 << 20):.3g} MB"

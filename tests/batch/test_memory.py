# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of processes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from poise.batch import memory
from poise.batch.memory import in_words, resident_bytes, usable_processes


def test_the_memory_of_a_process_grows_with_what_it_holds() -> None:
    before = resident_bytes(os.getpid())
    held = bytearray(os.urandom(1 << 20) * 64)
    after = resident_bytes(os.getpid())
    assert before is not None and after is not None and after - before > len(held) // 2


def test_a_process_that_has_ended_has_none() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert resident_bytes(process.pid) is None


def test_processes_fit_into_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory.os, "sched_getaffinity", lambda _: set(range(16)))
    monkeypatch.setattr(memory, "_total_bytes", lambda: 10 << 30)
    assert usable_processes(2 << 30) == 5
    assert usable_processes(1 << 20) == 16
    assert usable_processes(1 << 40) == 1
    assert usable_processes(0) == 16
    monkeypatch.setattr(memory, "_total_bytes", lambda: None)
    assert usable_processes(1 << 40) == 16


def test_sizes_are_for_people() -> None:
    assert [in_words(size) for size in (2 << 30, 300 << 20, 5 << 29)] == ["2 GB", "300 MB", "2.5 GB"]

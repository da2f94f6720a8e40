# SPDX-License-Identifier: GPL-3.0-or-later
"""Freed memory is kept: allocating the same size again does not reach the operating system."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

ROUNDS, PAGES = 20, 500

SCRIPT = f"""
import resource
import numpy as np
from poise.solver.core.memory import keep_freed_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range({ROUNDS}):
        several = [np.ones({PAGES} * 4096 // 8) for _ in range(3)]
        del several
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

usual = faults()
keep_freed_memory()
faults()
print(usual, faults())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only the C library of Linux learns")
def test_blocks_that_come_and_go_stay_at_hand() -> None:
    """In a process of its own: one that has freed a large block before has learnt already."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_", "LD_"))}
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=plain)
    usual, kept = map(int, done.stdout.split())
    if usual < ROUNDS * PAGES:
        pytest.skip("this C library keeps freed memory by itself")
    assert kept < 0.02 * usual, f"{kept} pages were asked for again, {usual} without"

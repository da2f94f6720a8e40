# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by the tests of `poise.batch`: running the command, and reading what it has written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
BATCH = ROOT / "scripts" / "batch.py"

LONGEST = 120
"""Seconds after which a run hangs; most take two."""

SLIDES = 0.01
"""Sizes of the character: feet of the skating walk slide more than this, and clean ones much less."""

RUN_FILES = {"report.json", "report.html"}
"""The reports about a whole run in the output folder."""

FPS = 24.0
STEPS = 2


def run(*arguments: object, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """The script in a process of its own."""
    return subprocess.run(
        [sys.executable, str(BATCH), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=LONGEST,
        env=(environment or os.environ) | {"OPENBLAS_NUM_THREADS": "1"},
    )


def report(path: Path) -> dict[str, Any]:
    """A report, read as strict JSON."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    return told


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}

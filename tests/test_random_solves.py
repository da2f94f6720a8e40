# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/random_solves.py`: what it counts, and its exit code."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from poise.examples.posture_problems.checks import Verdict, Violation

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

import random_solves  # noqa: E402


def test_some_solves_violate_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert random_solves.main(["--seeds", "5", "7"]) == 0
    assert "100 solves of 2 problems" in capsys.readouterr().out


def test_violations_are_told_with_their_seed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = Violation("limits", 3, 4, 0.5, "a joint leaves its limits")
    monkeypatch.setattr(random_solves, "judged", lambda problem: Verdict(10, 0, (found,)))
    assert random_solves.main(["--count", "100"]) == 1
    told = capsys.readouterr().out
    assert "limits: seed 3, posture 4: a joint leaves its limits" in told and "2 limits (in 1 problems)" in told

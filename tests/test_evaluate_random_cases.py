# SPDX-License-Identifier: GPL-3.0-or-later
"""`evaluate_random_cases.py`: its table, its exit code, its time limit."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from poise.examples.deformation.checks import CHECKS, Judged, Violation

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

import evaluate_random_cases  # noqa: E402
from evaluate_random_cases import evaluated, table  # noqa: E402


def sure(judged: Judged) -> list[Violation]:
    """A check that needs no solve and is always violated."""
    judged.seconds = 0.5
    return [Violation(f"it has seed {judged.case.seed}", float(judged.case.seed))]


def endless(judged: Judged) -> list[Violation]:
    while True:
        pass


def broken(judged: Judged) -> list[Violation]:
    raise ZeroDivisionError("nothing left")


@pytest.fixture(autouse=True)
def made_up_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    for check in (sure, endless, broken):
        monkeypatch.setitem(CHECKS, check.__name__, check)


def test_violations_are_counted_and_the_worst_come_first() -> None:
    outcomes = [evaluated(seed, ["sure"], timeout=20) for seed in (3, 12, 8)]
    lines = table(outcomes, ["sure"]).splitlines()
    assert lines[1].split(maxsplit=3) == ["sure", "3", "0", "12: 12, 8: 8, 3: 3"]
    assert any("seed 12" in line for line in lines)


def test_a_case_without_end_is_stopped() -> None:
    outcome = evaluated(5, ["sure", "endless"], timeout=1)
    assert outcome.not_reached == ["endless"] and "sure" in outcome.violations
    assert "quick" in evaluated(5, ["endless"], timeout=1).violations, "it is not known how long the solve takes"


def test_an_exception_is_a_violation() -> None:
    outcome = evaluated(5, ["broken"], timeout=20)
    ((sentence, _),) = outcome.violations["raises"]
    assert "ZeroDivisionError: nothing left" in sentence


def test_the_exit_code_says_whether_something_is_violated(capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate_random_cases.main(["--cases", "2", "--processes", "1", "--checks", "finite"]) == 0
    assert evaluate_random_cases.main(["--seeds", "7", "--processes", "1", "--checks", "sure"]) == 1
    printed = capsys.readouterr().out
    assert "it has seed 7" in printed and "1 of 1 cases" in printed

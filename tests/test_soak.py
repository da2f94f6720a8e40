# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/soak.py`: what grows is found; the rounds inside Blender are in tests/addon/test_soak_rounds.py."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from soak import STEEPEST, Soak  # noqa: E402
from soaking.trends import slope  # noqa: E402

ROUNDS = 100


def measured(growth: float = 0.0, objects: float = 0.0) -> Soak:
    """Rounds in which nothing is left but bytes and objects that are added in each."""
    rng = np.random.default_rng(1)
    noise = rng.integers(-500_000, 500_000, ROUNDS)
    resident = [int(3e8 + growth * number + noise[number]) for number in range(ROUNDS)]
    counts = [int(80_000 + objects * number) for number in range(ROUNDS)]
    blocks = [{"objects": 1, "actions": 1} for _ in range(ROUNDS)]
    kept = [{".live.watching._sessions": number % 2} for number in range(ROUNDS)]
    return Soak(blocks, kept, counts, resident)


def test_rounds_that_leave_nothing_are_accepted() -> None:
    assert measured().complaints() == []


def test_memory_and_objects_that_grow_are_found() -> None:
    assert "bytes more after each round" in measured(growth=3.0 * STEEPEST).complaints()[0]
    assert "objects more after each round" in measured(objects=5.0).complaints()[0]


def test_a_data_block_that_is_left_is_found() -> None:
    soak = measured()
    soak.data_blocks[40]["actions"] = 2
    assert soak.complaints() == ["After round 41 there are +1 actions data-blocks."]


def test_what_a_module_keeps_is_found() -> None:
    soak = measured()
    for number, kept in enumerate(soak.kept):
        kept[".workflows.watching._seen"] = number
    assert "workflows.watching._seen keeps 99 items at the end and 9 at the beginning" in soak.complaints()[0]


def test_a_slope_is_that_of_most_pairs() -> None:
    line = [3.0 + 2.0 * number for number in range(50)]
    assert slope(line) == pytest.approx(2.0)
    with_jump = [*np.zeros(60), *np.full(60, 1e6)]
    assert slope([*np.random.default_rng(2).normal(size=200), 1e9]) == pytest.approx(0.0, abs=0.01)
    assert slope(with_jump, warm_up=0.6) == 0.0
    assert slope([1.0]) == 0.0
    assert slope([2.0 * number for number in range(5000)]) == pytest.approx(2.0)

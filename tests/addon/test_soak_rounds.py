# SPDX-License-Identifier: GPL-3.0-or-later
"""Some rounds of the soak test: edits, solves, undo, live mode, clean-up and reloads leave nothing behind."""

from __future__ import annotations

import sys
from pathlib import Path

import bpy
import pytest

from poise.addon.properties import character_of

from .characters import registered

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import soak  # noqa: E402
from soaking import measures, rounds  # noqa: E402

__all__ = ["registered"]

ROUNDS = 2 * len(rounds.KINDS)
"""Every kind of constraint once before, and once after everything has been used."""


@pytest.mark.slow
def test_rounds_leave_no_data_blocks_and_nothing_in_modules(tmp_path: Path) -> None:
    found = soak.soak(ROUNDS, tmp_path)
    assert len(found.data_blocks) == ROUNDS and found.data_blocks[0]["actions"] == 1
    assert all(blocks == found.data_blocks[0] for blocks in found.data_blocks)
    half = ROUNDS // 2
    assert found.kept[-1] == found.kept[half - 1]


def test_a_round_edits_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without removing, the constraint is still there: the handle has moved and the result is solved."""
    blend = rounds.begin(tmp_path)
    seen: list[int] = []
    step = rounds._step

    def watched(message: str, work: object) -> None:
        step(message, work)  # type: ignore[arg-type]
        if message == "Solve":
            seen.append(len(character_of(rounds.armature()).constraints))
            assert rounds.armature().animation_data.action.name == f"{rounds.NAME}.poise"

    monkeypatch.setattr(rounds, "_step", watched)
    rounds.play(0, blend, lambda: seen.append(len(character_of(rounds.armature()).constraints)))
    assert seen == [1, 0]


def test_what_is_added_is_counted() -> None:
    before = measures.holdings("poise.addon")
    bpy.data.meshes.new("left")
    after = measures.holdings("poise.addon")
    assert after.data_blocks["meshes"] == before.data_blocks.get("meshes", 0) + 1
    assert after.resident > 0 and after.objects > 0

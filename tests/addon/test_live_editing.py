# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmark of live mode measures edits in a Blender process, and says so where there is none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from benchmarks import live_editing
from benchmarks.planted_walk import made_up_walk


def test_every_edit_is_measured() -> None:
    figures = {figure.name: figure for figure in live_editing.live_editing(made_up_walk(frames=90), moves=2)}
    for name in (
        "plant: first f-curves, 95 %",
        "plant: whole result, 95 %",
        "hand far out of reach: whole result, 95 %",
    ):
        value = figures[name].value
        assert value is not None and value > 0.0
        assert figures[name].bound in (live_editing.ANSWER, live_editing.FAR_RESULT)
    assert any(name.startswith("around the solver") for name in figures)


def test_without_blender_nothing_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_editing, "blender_python", lambda: None)
    (figure,) = live_editing.live_editing(made_up_walk(frames=1), moves=1)
    assert figure.value is None

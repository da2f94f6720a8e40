# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmark of the posture tool, on a short walk and with few events."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from benchmarks import posture_drag
from benchmarks.planted_walk import made_up_walk


def test_it_measures_each_drag_on_both_characters_and_feet_stay() -> None:
    figures = {figure.name: figure for figure in posture_drag.posture_drag(made_up_walk(frames=2), events=3)}
    (few, many) = sorted({int(name.split()[0]) for name in figures})
    assert many - few == 30 and many >= 60
    for bones in (few, many):
        for drag in (posture_drag.HAND, posture_drag.FAR, posture_drag.HIPS, posture_drag.LIMITED):
            value = figures[f"{bones} bones, {drag}: 95 of 100 within"].value
            assert value is not None and value > 0.0
        assert figures[f"{bones} bones: a foot moves at most"].holds


def test_without_blender_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posture_drag, "blender_python", lambda: None)
    (figure,) = posture_drag.posture_drag(made_up_walk(frames=2), events=3)
    assert figure.value is None and "bpy" in figure.note

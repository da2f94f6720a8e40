# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmark of the add-on runs, here on the shortest walk there is; no time is judged."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from benchmarks import addon_bake
from benchmarks.planted_walk import made_up_walk


def test_it_measures_the_addon_beside_blenders_own_baking() -> None:
    figures = {figure.name: figure for figure in addon_bake.addon_bake(made_up_walk(frames=1), rounds=1)}
    seconds = [figures[name].value for name in (addon_bake.ADDON, addon_bake.BLENDER)]
    assert all(value is not None and value > 0.0 for value in seconds)
    (judged,) = [figure for figure in figures.values() if figure.bound is not None]
    assert judged.value == pytest.approx(seconds[0] - seconds[1])
    miss = figures["add-on: largest miss of a plant"].value
    assert miss is not None
    assert miss < 1e-3, "what was measured has been solved"


def test_without_blender_it_says_so_and_breaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addon_bake, "blender_python", lambda: None)
    (figure,) = addon_bake.addon_bake(made_up_walk(frames=1), rounds=1)
    assert figure.value is None
    assert figure.holds is None
    assert "bpy" in figure.note

# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples of pages that use Blender run, one after the other, on the walk of the other pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import pytest

from ..documented import PAGES, name_of, needs_blender, run_examples, write_example_files
from .bridge.importing import import_bvh
from .characters import registered  # noqa: F401  a fixture

IN_BLENDER = [page for page in PAGES if needs_blender(page)]


@pytest.fixture
def armature(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The walk that examples read, active and alone."""
    write_example_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    armature = import_bvh(tmp_path / "walk.bvh")
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = (int(frame) for frame in armature.animation_data.action.frame_range)
    return armature


def test_a_page_has_examples_for_blender() -> None:
    assert [name_of(page) for page in IN_BLENDER] == ["docs/programmers/blender_scripts.md"]


@pytest.mark.parametrize("page", IN_BLENDER, ids=name_of)
def test_examples_run_in_blender(page: Path, armature: Any, capsys: pytest.CaptureFixture[str]) -> None:
    defined = run_examples(page)
    printed = capsys.readouterr().out
    assert f"{armature.name}.poise" in printed.splitlines()
    assert "every constraint holds" in printed
    assert Path("edit.json").is_file()
    assert "RightHnad" in defined["refused"]

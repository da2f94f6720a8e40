# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of physics in batches."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from poise import solver
from poise.batch.physics_editing import transformed

from .running import report, run


@pytest.mark.slow
def test_an_edit_of_physics_is_applied_to_a_folder_and_what_cannot_be_fitted_is_refused(
    tmp_path: Path, run_and_stub: Path
) -> None:
    pytest.importorskip("casadi")
    done = run(run_and_stub, "-o", tmp_path / "out", "--physics", run_and_stub / "moon.json")
    assert done.returncode == 1, done.stderr
    assert "1 of 2 failed" in done.stderr and "1/2" in done.stdout and "The fit is within" in done.stdout
    told = report(tmp_path / "out" / "run.report.json")
    assert told["succeeded"] and told["asked"] == ["physics"]
    (clip,) = told["clips"]
    assert clip["physics"]["edit"] == {"gravity": 0.6, "flight": 1.5}
    assert max(each["rms"] for each in clip["physics"]["handles"]) < 0.1
    assert clip["physics"]["violation"] < 1e-6
    saved = solver.read_bvh(tmp_path / "out" / "run.bvh")
    assert saved.frames == clip["physics"]["frames"] > clip["frames"], "flights are longer"
    refused = report(tmp_path / "out" / "stub.report.json")
    assert not refused["succeeded"] and "traceback" not in refused
    assert "contact" in refused["error"] or "too short" in refused["error"]
    assert not (tmp_path / "out" / "stub.bvh").exists()


@pytest.mark.parametrize(
    ("edit", "recipe", "told"),
    [
        ("{", "biped", "it is not JSON"),
        ("[]", "biped", "must be a JSON object"),
        ('{"weight": 1}', "biped", "An edit has no 'weight'"),
        ("{}", "octopus", "There is no recipe octopus; known recipes are biped, jumper, hopper"),
        (None, "biped", "There is no edit "),
    ],
)
def test_a_wrong_edit_or_recipe_is_told_before_anything_is_fitted(
    tmp_path: Path, skating: solver.Clip, edit: str | None, recipe: str, told: str
) -> None:
    if edit is not None:
        (tmp_path / "edit.json").write_text(edit)
    with pytest.raises(solver.PoiseError, match=re.escape(told)):
        transformed(skating, [], str(tmp_path / "edit.json"), recipe)

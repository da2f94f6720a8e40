# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of the README run, on the captured walk that they were written for, and do what the text says."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise import solver

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
SATISFIED = 1e-3
"""Sizes of the character: the largest residual of a constraint that holds."""


def examples() -> list[str]:
    """The Python examples of the README, in their order."""
    return BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def names(mocap: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The names that all examples define, run one after the other in a folder with the walk."""
    folder = tmp_path_factory.mktemp("readme")
    shutil.copy(mocap / "02_01.bvh", folder / "walk.bvh")
    defined: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for number, example in enumerate(examples()):
            exec(compile(example, f"README.md, example {number + 1}", "exec"), defined)
            defined[f"edited {number}"] = defined.get("edited")
        defined["written"] = solver.read_bvh(folder / "edited.bvh")
    return defined


def test_there_are_examples() -> None:
    assert len(examples()) == 5


def residuals(deformation: solver.Deformation, kind: type = solver.Constraint) -> list[float]:
    """The largest residual of each constraint of a kind, in sizes of the character."""
    size = deformation.clip.skeleton.size
    return [each.worst / size for each in deformation.report.residuals if isinstance(each.constraint, kind)]


def test_the_edited_motion_holds_its_constraints_and_is_written(names: dict[str, Any]) -> None:
    constraints = [names[name] for name in ("left", "right", "balance", "wave")]
    assert max(residuals(solver.deform(names["clip"], constraints))) < SATISFIED
    assert names["written"].frames == names["clip"].frames


def test_a_moved_plant_holds_and_only_frames_that_it_reaches_are_solved_again(names: dict[str, Any]) -> None:
    again = names["edited 0"]
    assert max(residuals(again, solver.Footplant)) < SATISFIED
    assert 0 < again.solved.sum() < names["clip"].frames


def test_detected_constraints_are_constraints(names: dict[str, Any]) -> None:
    assert len(names["plants"]) >= 4
    assert all(isinstance(plant, solver.Footplant) and 0.0 < plant.confidence <= 1.0 for plant in names["plants"])
    assert not names["hands"]
    assert isinstance(names["door"], list) and isinstance(names["drawer"], list)


def test_the_ground_of_a_walk_that_travels_is_still(names: dict[str, Any]) -> None:
    assert not np.any(names["velocity"])


def test_cleaned_feet_slide_less(names: dict[str, Any]) -> None:
    before, after = (solver.foot_metrics(clip, names["plants"]) for clip in (names["clip"], names["cleaned"]))
    assert after.slide < 0.01 * before.slide


def test_the_posture_keeps_what_is_more_important(names: dict[str, Any]) -> None:
    solved, size = names["solved"], names["skeleton"].size
    assert solved.converged
    for error in solved.errors[:2]:
        assert np.linalg.norm(error) < 1e-6 * size

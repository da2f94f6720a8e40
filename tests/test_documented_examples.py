# SPDX-License-Identifier: GPL-3.0-or-later
"""Python examples of all pages run, those of a page one after the other, and do what the text beside them says.

Pages with examples for Blender are run by tests/addon/test_documented_calls.py.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise import solver
from poise.examples.physics import flights

from .documented import PAGES, ROOT, captured_name, examples, name_of, needs_blender, run_examples, write_example_files

SLOW = ("docs/programmers/physics.md",)
"""Pages whose examples take more than some seconds."""

RUN_HERE = [page for page in PAGES if examples(page) and not needs_blender(page)]

SATISFIED = 1e-3
"""Sizes of the character: the largest residual of a constraint that holds."""


def marked(page: Path) -> Any:
    """A page as a parameter of a test."""
    return pytest.param(page, id=name_of(page), marks=[pytest.mark.slow] if name_of(page) in SLOW else [])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that examples read."""
    made = tmp_path_factory.mktemp("examples")
    write_example_files(made)
    return made


@pytest.mark.parametrize("page", [marked(page) for page in RUN_HERE])
def test_examples_run(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    defined = run_examples(page)
    CHECKS.get(name_of(page), lambda names: None)(defined)


def test_pages_have_examples() -> None:
    assert {"README.md", "docs/programmers/index.md", "docs/programmers/motions.md"} <= {*map(name_of, RUN_HERE)}


FENCE = re.compile(r"^```(\w*)", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_is_marked_as_python(page: Path) -> None:
    """An example in another fence would never run."""
    fences = FENCE.findall(page.read_text(encoding="utf-8"))[::2]
    assert not {"py", "python3", "pycon"} & set(fences)


@pytest.mark.parametrize("page", [page for page in PAGES if examples(page)], ids=name_of)
def test_examples_are_valid_python(page: Path) -> None:
    """Also where Blender or the optimiser is missing."""
    for example in examples(page):
        ast.parse(example)


# What the text says ------------------------------------------------------------------------------------------------


def largest_residual(deformation: solver.Deformation, kind: type = solver.Constraint) -> float:
    """The largest residual of the constraints of a kind, in sizes of the character."""
    found = [each.worst for each in deformation.report.residuals if isinstance(each.constraint, kind)]
    return max(found) / deformation.clip.skeleton.size


def check_edit(names: dict[str, Any]) -> None:
    """The first example holds its constraints and writes its result."""
    assert largest_residual(names["after 1"]["edited"]) < SATISFIED
    assert solver.read_bvh("edited.bvh").frames == names["clip"].frames


def check_motions(names: dict[str, Any]) -> None:
    check_edit(names)
    again = names["after 2"]["edited"]
    assert largest_residual(again, solver.Footplant) < SATISFIED
    assert 0 < again.solved.sum() < names["clip"].frames, "not only the frames that the moved plant reaches"
    assert names["conflict"].advice and names["advice"].sentence
    assert names["shown"] > 0, "a preview was shown"


def check_postures(names: dict[str, Any]) -> None:
    solved, size = names["solved"], names["size"]
    assert solved.converged and names["all_frames"].converged.all()
    assert all(np.linalg.norm(error) < 1e-6 * size for error in solved.errors[:2]), "what is more important holds"


def check_detection(names: dict[str, Any]) -> None:
    assert len(names["plants"]) >= 4
    assert all(0.0 < plant.confidence <= 1.0 for plant in names["plants"])
    assert not names["hands"], "a walk has no hands on the ground"
    assert not np.any(names["velocity"]), "the ground of a walk that travels is still"
    assert len({plant.foot for plant in names["found"]}) == 2
    assert solver.find_faults(names["whole"]) == []


def check_cleanup(names: dict[str, Any]) -> None:
    before, after = (solver.foot_metrics(clip, names["plants"]) for clip in (names["clip"], names["cleaned"]))
    assert after.slide < 0.01 * before.slide
    delay = names["live"].delay
    assert names["frames"][:delay] == [None] * delay and names["frames"][-1] is not None


def check_files(names: dict[str, Any]) -> None:
    assert len(names["again"]) == len(names["plants"]) + 1


def check_physics(names: dict[str, Any]) -> None:
    before, after = (flights(names[name].motion.stances) for name in ("fit", "moon"))
    assert [end - begin for begin, end in after] == pytest.approx([3.0 * (end - begin) for begin, end in before])
    assert Path("moon.bvh").is_file()


CHECKS: dict[str, Any] = {
    "README.md": check_edit,
    "docs/programmers/index.md": check_edit,
    "docs/programmers/motions.md": check_motions,
    "docs/programmers/postures.md": check_postures,
    "docs/programmers/detection.md": check_detection,
    "docs/programmers/cleanup.md": check_cleanup,
    "docs/programmers/files.md": check_files,
    "docs/programmers/physics.md": check_physics,
}
"""By page: what must hold after its examples."""


# The tests can fail ------------------------------------------------------------------------------------------------


def test_a_call_that_does_not_run_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = ROOT / "docs" / "made_up.md"
    text = "```python\nx = 1\n```\n\n```python\nx.nothing()\n```\n"
    monkeypatch.setattr(Path, "read_text", lambda path, encoding: text)
    with pytest.raises(AttributeError, match="nothing"):
        run_examples(page)


def test_joints_of_examples_have_names_as_captured_files_have() -> None:
    assert captured_name("r_wrist") == "RightHand" and captured_name("HumanoidRoot") == "Hips"


def test_every_check_is_of_a_page_that_runs() -> None:
    assert set(CHECKS) <= {*map(name_of, RUN_HERE)}

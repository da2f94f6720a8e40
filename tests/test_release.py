# SPDX-License-Identifier: GPL-3.0-or-later
"""The checklist of a release stops at what is wrong, and goes on where it was."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from release import STEPS, Checkout, Step, Walk, already_released, main, unclean, unlogged  # noqa: E402


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A repository with one commit on main, of a version that is logged."""
    (tmp_path / "blender_manifest.toml").write_text('version = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changes\n\n## 1.2.3, 2026-11-18\n\n- Something.\n\n## 1.2.2, 2026-01-01\n"
    )
    (tmp_path / ".gitignore").write_text("/build/\n")
    found = Checkout(tmp_path)
    found.git("init", "--quiet", "--initial-branch=main")
    found.git("config", "user.name", "Tester")
    found.git("config", "user.email", "tester@example.org")
    commit(found)
    return found


def commit(checkout: Checkout) -> None:
    checkout.git("add", "--all")
    checkout.git("commit", "--quiet", "--message", "A change")


class Runner:
    """Runs nothing, and remembers what it was to run."""

    def __init__(self, *failing: str) -> None:
        self.failing, self.done = failing, []  # type: ignore[var-annotated]

    def __call__(self, command: Sequence[str]) -> int:
        self.done.append(command[-1])
        return 2 if command[-1] in self.failing else 0


def test_a_checkout_that_can_be_released_has_no_problem(checkout: Checkout) -> None:
    assert [check(checkout) for check in (unclean, already_released, unlogged)] == ["", "", ""]


def test_what_is_wrong_with_a_checkout_is_said(checkout: Checkout) -> None:
    (checkout.root / "new.py").write_text("")
    assert "new.py" in unclean(checkout)
    commit(checkout)
    checkout.git("checkout", "--quiet", "-b", "other")
    assert "'other'" in unclean(checkout)
    checkout.git("tag", "v1.2.3")
    assert "released already" in already_released(checkout)
    (checkout.root / "blender_manifest.toml").write_text('version = "1.3"\n')
    assert "three numbers" in already_released(checkout)


@pytest.mark.parametrize("heading", ["## 1.2.3, not yet released", "## 1.2.4, 2026-11-18", "## 1.2.3"])
def test_the_changelog_must_name_the_version_and_the_day(checkout: Checkout, heading: str) -> None:
    (checkout.root / "CHANGELOG.md").write_text(f"# Changes\n\n{heading}\n")
    assert heading in unlogged(checkout)
    (checkout.root / "CHANGELOG.md").write_text("# Changes\n")
    assert "no section" in unlogged(checkout)


def test_a_walk_stops_and_goes_on(checkout: Checkout, capsys: pytest.CaptureFixture[str]) -> None:
    steps = (
        Step("Clean", check=unclean),
        Step("One", command=("make", "one")),
        Step("Two", command=("make", "two")),
        Step("Seen", question="Is poise-VERSION.zip right?"),
    )
    failing, asked = Runner("two"), []

    def ask(question: str) -> str:
        asked.append(question)
        return "yes"

    assert not Walk(checkout, steps, failing, ask).go()
    assert failing.done == ["one", "two"] and "make two ended with code 2" in capsys.readouterr().err
    again = Runner()
    assert Walk(checkout, steps, again, ask).go()
    assert again.done == ["two"] and asked == ["Is poise-1.2.3.zip right? [yes/no] "]
    assert "v1.2.3" in capsys.readouterr().out
    (checkout.root / "more.py").write_text("")
    commit(checkout)
    afresh = Runner()
    assert not Walk(checkout, steps, afresh, lambda question: "no").go(), "another commit begins again"
    assert afresh.done == ["one", "two"]


def test_without_a_person_questions_do_not_pass(checkout: Checkout, capsys: pytest.CaptureFixture[str]) -> None:
    def without_answer(question: str) -> str:
        raise EOFError

    assert not Walk(checkout, (Step("Seen", question="Is it right?"),), Runner(), without_answer).go()
    assert "no answer" in capsys.readouterr().err


def test_every_command_of_the_checklist_is_a_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    listed = capsys.readouterr().out
    for step in STEPS:
        assert step.name in listed
        assert bool(step.check) + bool(step.command) + bool(step.question) == 1
        if step.command:
            dry = subprocess.run(["make", "--dry-run", step.command[1]], cwd=ROOT, capture_output=True, text=True)
            assert dry.returncode == 0, dry.stderr

# SPDX-License-Identifier: GPL-3.0-or-later
"""Walk through the checklist of a release: `release.py [--list]`.

Each step is a check of the checkout, a command of `make`, or a question to a person. What has passed is kept
for the present commit, so that an interrupted walk goes on where it was. Nothing is tagged or published: the last step
prints the commands for that.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = Path("build", "release.json")


@dataclass(frozen=True)
class Checkout:
    """The checkout that is released."""

    root: Path = ROOT

    def git(self, *arguments: str) -> str:
        """What git prints, without the last line end."""
        run = subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, text=True, check=True)
        return run.stdout.strip()

    @property
    def version(self) -> str:
        """The version of the manifest."""
        return str(tomllib.loads((self.root / "blender_manifest.toml").read_text(encoding="utf-8"))["version"])

    @property
    def commit(self) -> str:
        """The present commit."""
        return self.git("rev-parse", "HEAD")


@dataclass(frozen=True)
class Step:
    """One line of the checklist."""

    name: str
    check: Callable[[Checkout], str] | None = None
    """What is wrong, as a sentence; empty where nothing is."""
    command: tuple[str, ...] = ()
    """A command that must succeed."""
    question: str = ""
    """What a person has to look at and to say yes to."""


def unclean(checkout: Checkout) -> str:
    """Why the checkout is not a commit of main; empty where it is."""
    changed = checkout.git("status", "--porcelain")
    if changed:
        return f"There are changes that are not committed:\n{changed}"
    branch = checkout.git("rev-parse", "--abbrev-ref", "HEAD")
    return "" if branch == "main" else f"This is the branch {branch!r}: releases are made from main."


def already_released(checkout: Checkout) -> str:
    """Why the version cannot be a new one; empty where it can."""
    version = checkout.version
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        return f"{version!r} is no version of three numbers: mend blender_manifest.toml."
    if f"v{version}" in checkout.git("tag", "--list").split():
        return f"v{version} is released already: raise the version in blender_manifest.toml."
    return ""


def unlogged(checkout: Checkout) -> str:
    """What is wrong with the newest section of the changelog; empty where nothing is."""
    text = (checkout.root / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (.+)$", text, re.MULTILINE)
    wanted = f"## {checkout.version}, YEAR-MONTH-DAY"
    if newest is None:
        return f"CHANGELOG.md has no section: begin with {wanted!r}."
    if not re.fullmatch(re.escape(checkout.version) + r", \d{4}-\d\d-\d\d", newest[1]):
        return f"The newest section of CHANGELOG.md is {newest[0]!r}: write {wanted!r}."
    return ""


STEPS = (
    Step("The checkout is a commit of main", check=unclean),
    Step("The version is new", check=already_released),
    Step("The changelog names it, with its date", check=unlogged),
    Step("Lint", command=("make", "lint")),
    Step("Tests that need no window", command=("make", "test")),
    Step("The add-on in every Blender", command=("make", "test-all")),
    Step("The add-on with a window", command=("make", "gui-test")),
    Step("The documentation", command=("make", "docs")),
    Step("The figures", command=("make", "bench")),
    Step(
        "The figures are as good as those of the release before",
        question="Compare docs/benchmarks.md with that of the last release. Is nothing slower or less exact?",
    ),
    Step("The pictures of the documentation", command=("make", "pictures")),
    Step("The demonstration", command=("make", "demo")),
    Step("The demonstration is looked at", question="Open build/demo/index.html. Is every picture as it should be?"),
    Step("The extension", command=("make", "extension")),
    Step("The wheel", command=("make", "wheel")),
    Step(
        "The extension by hand",
        question="Install build/poise-VERSION.zip in your own Blender, add the example, clean it up. Did it work?",
    ),
)

Ask = Callable[[str], str]
Run = Callable[[Sequence[str]], int]


class Walk:
    """A walk through steps, which remembers what has passed for a commit."""

    def __init__(self, checkout: Checkout, steps: Sequence[Step], run: Run, ask: Ask) -> None:
        self.checkout, self.steps, self.run, self.ask = checkout, steps, run, ask
        self.kept = checkout.root / KEPT
        self.passed = self._read()

    def _read(self) -> set[str]:
        """The names of the steps that have passed for this commit."""
        try:
            found = json.loads(self.kept.read_text(encoding="utf-8"))
            return set(found["passed"]) if found["commit"] == self.checkout.commit else set()
        except (OSError, ValueError, KeyError, TypeError):
            return set()

    def _keep(self, name: str) -> None:
        self.passed.add(name)
        self.kept.parent.mkdir(parents=True, exist_ok=True)
        data = {"commit": self.checkout.commit, "passed": sorted(self.passed)}
        self.kept.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")

    def go(self) -> bool:
        """Walk to the end, or to the first step that does not pass; returns whether all have."""
        for number, step in enumerate(self.steps, start=1):
            line = f"{number:2} of {len(self.steps)}  {step.name}"
            # Checks are quick, and what they look at may change without a commit.
            if step.check is None and step.name in self.passed:
                print(f"{line}: passed before")
                continue
            print(f"{line} …", flush=True)
            problem = self._problem(step)
            if problem:
                print(f"{problem}\nStopped at: {step.name}. Mend it and call this again.", file=sys.stderr)
                return False
            self._keep(step.name)
        version = self.checkout.version
        print(f"All has passed. To release:\n  git tag --annotate v{version} --message 'Poise {version}'")
        print(f"  git push origin v{version}\n  then publish build/poise-{version}.zip and the wheel beside it")
        return True

    def _problem(self, step: Step) -> str:
        if step.check is not None:
            return step.check(self.checkout)
        if step.command:
            code = self.run(step.command)
            return f"{' '.join(step.command)} ended with code {code}." if code else ""
        question = step.question.replace("VERSION", self.checkout.version)
        try:
            answer = self.ask(f"{question} [yes/no] ")
        except EOFError:
            return "There was no answer."
        return "" if answer.strip().lower() in ("y", "yes") else "The answer was not yes."


def main(arguments: Sequence[str]) -> int:
    """Walk, or list the steps; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--list", action="store_true", help="only list the steps")
    if parser.parse_args(arguments).list:
        for number, step in enumerate(STEPS, start=1):
            print(f"{number:2}  {step.name}{': ' + ' '.join(step.command) if step.command else ''}")
        return 0
    checkout = Checkout()
    walk = Walk(checkout, STEPS, lambda command: subprocess.run(command, cwd=checkout.root).returncode, input)
    return 0 if walk.go() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

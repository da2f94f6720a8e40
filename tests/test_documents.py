# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents are true: files, calls, targets and works that they name exist."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md")] + sorted((ROOT / "docs").glob("*.md"))
FOLDERS = ("addon", "batch", "docs", "examples", "scripts", "solver", "tests")
PACKAGES = sorted(path.parent.name for path in (ROOT / "solver").glob("*/__init__.py"))


def code_spans(text: str) -> list[str]:
    """The inline code of a Markdown text, without its code blocks."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def named_paths(text: str) -> Iterator[str]:
    """Paths of the repository in inline code and in links; `<name>` in a path is a placeholder."""
    links = re.findall(r"\]\(([^)#]+)\)", text)
    for span in [*code_spans(text), *links]:
        if span.startswith(tuple(f"{folder}/" for folder in FOLDERS)) and "<" not in span and " " not in span:
            yield span


def named_calls(text: str) -> Iterator[str]:
    """Dotted names in inline code that begin with a package of the solver."""
    for span in code_spans(text):
        if re.fullmatch(rf"({'|'.join(PACKAGES)})(\.\w+)+", span):
            yield span


def resolve(dotted: str) -> object:
    """The module, class or function of a dotted name below poise.solver."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(["poise.solver", *parts[:length]]))
        except ModuleNotFoundError:
            continue
        for name in parts[length:]:
            found = getattr(found, name)
        return found
    raise ModuleNotFoundError(dotted)


def exists(dotted: str) -> bool:
    """Whether a dotted name below poise.solver can be resolved."""
    try:
        resolve(dotted)
    except (ModuleNotFoundError, AttributeError):
        return False
    return True


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_named_files_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    base = document.parent
    missing = [path for path in named_paths(text) if not ((ROOT / path).exists() or (base / path).exists())]
    assert not missing


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8"))
    local = [link for link in links if not link.startswith("http")]
    assert not [link for link in local if not (document.parent / link).exists()]


def test_the_calls_of_a_solve_are_named_as_they_are() -> None:
    calls = list(named_calls((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")))
    assert len(calls) > 10
    wrong = [call for call in calls if not exists(call)]
    assert not wrong, f"docs/architecture.md names what is not there: {', '.join(wrong)}"


def test_all_packages_are_described() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    packages = {path.parent for folder in ("solver", "addon") for path in (ROOT / folder).glob("*/__init__.py")}
    paths = {package.relative_to(ROOT).as_posix() for package in packages}
    assert not [path for path in sorted(paths) if f"| `{path}` |" not in text]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_named_targets_of_make_exist(document: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE))
    named = re.findall(r"(?:`|^)make ((?:[a-z-]+ ?)+)(?:`|\s|$)", document.read_text(encoding="utf-8"), re.MULTILINE)
    assert not {target for group in named for target in group.split()} - targets


CITATION = re.compile(r"\b((?:Le |de )?[A-Z]\w+(?:(?:, [A-Z]\w+)* and [A-Z]\w+)?) ((?:19|20)\d\d)\b")


def in_one_line(text: str) -> str:
    """A text with all white space as single blanks."""
    return " ".join(text.split())


def test_cited_works_are_listed() -> None:
    """Works are cited as author and year; this finds them in the code and in the derivations."""
    listed = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
    files = [
        path for folder in ("addon", "batch", "examples", "scripts", "solver") for path in (ROOT / folder).rglob("*.py")
    ]
    cited = {
        f"{author} {year}"
        for path in [*files, ROOT / "docs" / "derivations.md"]
        for author, year in CITATION.findall(in_one_line(path.read_text(encoding="utf-8")))
    }
    assert "Le Callennec 2006" in cited
    unlisted = sorted(work for work in cited if f"| {work} |" not in listed)
    assert not unlisted, f"add these to docs/references.md: {', '.join(unlisted)}"


def test_a_wrong_name_would_be_found() -> None:
    assert list(named_paths("see `solver/nowhere.py`, `solver/<name>.py` and `no path`")) == ["solver/nowhere.py"]
    assert list(named_calls("calls `posture.nothing.at_all` and `other.name`")) == ["posture.nothing.at_all"]
    assert not exists("posture.solve.nothing") and not exists("nothing.at_all")
    assert CITATION.findall("(Le Callennec and Boulic 2006, section 4)") == [("Le Callennec and Boulic", "2006")]
    assert CITATION.findall("Byrd, Nocedal and Schnabel 1994") == [("Byrd, Nocedal and Schnabel", "1994")]

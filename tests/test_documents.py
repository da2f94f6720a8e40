# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents are true: files, headings, pictures, calls, targets and works that they name or link to exist."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from .documented import PAGES, ROOT, name_of

DOCUMENTS = [page for page in PAGES if page.name != "CHANGELOG.md"]
"""The history names files that are gone."""
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


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_named_files_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    base = document.parent
    missing = [path for path in named_paths(text) if not ((ROOT / path).exists() or (base / path).exists())]
    assert not missing


LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


def anchors_of(text: str) -> set[str]:
    """The anchors of headings that GitHub and the site both make; they differ where several blanks are in a row."""
    found: set[str] = set()
    for heading in HEADING.findall(FENCED.sub("", text)):
        plain = re.sub(r"[^\w\s-]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()).strip()
        on_github, on_site = plain.replace(" ", "-"), re.sub(r"[-\s]+", "-", plain)
        if on_github == on_site:
            found.add(on_site)
    return found


def broken_links(document: Path, text: str) -> list[str]:
    """The links to files and headings of the checkout that lead nowhere."""
    broken = []
    for link in LINK.findall(FENCED.sub("", text)):
        if link.startswith(("http://", "https://")):
            continue
        place, _, anchor = link.partition("#")
        target = document.parent / place if place else document
        is_there = target.exists() and target.resolve().is_relative_to(ROOT)
        if not is_there or (anchor and anchor not in anchors_of(target.read_text(encoding="utf-8"))):
            broken.append(link)
    return broken


@pytest.mark.parametrize("document", PAGES, ids=name_of)
def test_links_lead_somewhere(document: Path) -> None:
    assert not broken_links(document, document.read_text(encoding="utf-8"))


def test_a_broken_link_would_be_found() -> None:
    page = ROOT / "docs" / "index.md"
    wrong = ["nowhere.md", "index.md#nothing", "#here", "pictures/no.png", "../../outside"]
    text = "# Here and there\n" + " ".join(f"[text]({link})" for link in wrong)
    assert broken_links(page, text) == wrong
    right = "```\n[a](nowhere.md)\n```\n[b](index.md#what-always-holds) ![c](pictures/waiter.gif) [d](https://x.org)"
    assert broken_links(page, right) == []


def test_every_page_is_in_the_navigation() -> None:
    """Pages of the API are added by scripts/docs_hooks.py."""
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in PAGES if (ROOT / "docs") in page.parents]
    assert not [page for page in pages if not re.search(rf"[ :] ?{re.escape(page)}$", navigation, re.MULTILINE)]


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


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


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
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

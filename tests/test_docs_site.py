# SPDX-License-Identifier: GPL-3.0-or-later
"""The site of the documentation: it is built without a warning, has every public name, and needs no network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from poise import solver
from poise.solver import spacetime, synthetic

from .conftest import is_installed

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from documentation import api_pages  # noqa: E402

needs_mkdocs = pytest.mark.skipif(
    not (is_installed("mkdocs") and is_installed("mkdocstrings")), reason="mkdocs and mkdocstrings are not installed"
)

TAKES_FROM_NETWORK = re.compile(r'<(?:script|img|link|iframe)[^>]+(?:src|href)="?(?:https?:)?//', re.IGNORECASE)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; a warning fails the build."""
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(["make", "--silent", "links"], cwd=ROOT, check=True, timeout=60)
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240)
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


@needs_mkdocs
@pytest.mark.slow
def test_every_page_is_built(site: Path) -> None:
    pages = [path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")]
    assert not [page for page in pages if not (site / page).is_file()]


@needs_mkdocs
@pytest.mark.slow
def test_every_public_name_is_on_a_page_of_the_api(site: Path) -> None:
    folder = site / api_pages.FOLDER
    anchors = {
        anchor
        for path in folder.glob("*.html")
        for anchor in re.findall(r'id="(poise\.solver\.[\w.]+)"', path.read_text(encoding="utf-8"))
    }
    shown = {anchor.rpartition(".")[2] for anchor in anchors}
    assert "poise.solver.body.clip.Clip.position" in anchors, "members are not shown"
    public = {*solver.__all__, *spacetime.__all__, *synthetic.__all__} - {"spacetime", "synthetic"}
    assert not public - shown


@needs_mkdocs
@pytest.mark.slow
def test_nothing_is_taken_from_the_network_when_a_page_is_viewed(site: Path) -> None:
    taking = [path.name for path in site.rglob("*.html") if TAKES_FROM_NETWORK.search(path.read_text(encoding="utf-8"))]
    assert not taking
    # The theme would fetch a library for this element; fences of Mermaid are shown as text.
    assert not [path for path in site.rglob("*.html") if 'class="mermaid"' in path.read_text(encoding="utf-8")]


def test_something_from_the_network_would_be_found() -> None:
    assert TAKES_FROM_NETWORK.search('<script src="https://unpkg.com/x.js">')
    assert TAKES_FROM_NETWORK.search('<link rel="stylesheet" href="//fonts.googleapis.com/css">')
    assert not TAKES_FROM_NETWORK.search('<a href="https://example.org"><img src="pictures/live.png">')


def test_pages_of_the_api_have_every_public_name() -> None:
    named = {name for page in api_pages.api_pages() for name in page.names}
    assert named == {*solver.__all__, *spacetime.__all__, *synthetic.__all__} - {"spacetime", "synthetic"}
    body = next(page for page in api_pages.api_pages() if page.package == "body")
    assert body.names["Clip"] == "poise.solver.body.clip"
    assert "::: poise.solver.body.clip.Clip\n" in body.markdown()

# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a run needs no other file, and shows what clips are called safely."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from poise import solver
from poise.batch import run_page
from poise.batch.command_line import BatchOptions
from poise.batch.jobs import Job
from poise.batch.run_page import page, write_run_report
from poise.batch.run_report import RunReport
from poise.batch.thumbnails import thumbnail

from .test_run_report import added, clip


class Reader(HTMLParser):
    """Collects what a page refers to and counts its elements."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: dict[str, int] = {}
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Count an element."""
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.links += [str(value) for name, value in attrs if name in ("href", "src")]


@pytest.fixture
def run(tmp_path: Path, skating: solver.Clip) -> RunReport:
    """A run of two clips and one that cannot be read."""
    made = RunReport(BatchOptions(output=str(tmp_path / "out"), clean="stretch"))
    added(made, "walk", clip(thumbnail=thumbnail(skating, skating)))
    added(made, "sub/a <b> & 'c'", clip(0.2, warnings=["A <joint> jumps."], thumbnail=thumbnail(skating, None)))
    added(made, "unreadable")
    return made


def test_a_page_has_plots_pictures_and_links_to_reports(run: RunReport) -> None:
    reader = Reader()
    reader.feed(page(run, is_complete=True))
    assert reader.counts["svg"] == 2 + 3, "two plots, and pictures before and after but for one without a result"
    assert reader.counts["tr"] == 1 + 3 and "script" not in reader.counts and "img" not in reader.counts
    assert reader.links[0] == "unreadable.report.json" and len(reader.links) == 3
    assert not [link for link in reader.links if ":" in link]


def test_names_and_warnings_are_escaped(run: RunReport) -> None:
    text = page(run, is_complete=False)
    assert "A &lt;joint&gt; jumps." in text and "<joint>" not in text and "a &lt;b&gt; &amp;" in text
    assert "not complete" in text and "FAILED: It is broken." in text


def test_a_page_of_thousands_lists_the_worst(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_page, "ROWS", 5)
    many = RunReport(BatchOptions(output=str(tmp_path)))
    for number in range(12):
        added(many, str(number), clip(number / 100, thumbnail=None))
    reader = Reader()
    text = page(many, is_complete=True)
    reader.feed(text)
    assert reader.counts["tr"] == 6 and "7 more clips are in report.json" in text


def test_both_files_are_written_also_with_names_that_are_no_text(tmp_path: Path) -> None:
    run = RunReport(BatchOptions(output=str(tmp_path / "out")))
    added(run, "walk\udcff", clip(thumbnail=None))
    write_run_report(run, is_complete=True)
    told = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert told["totals"]["succeeded"] == 1 and told["is_complete"]
    assert "udcff" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert Job("", "x", str(tmp_path / "out" / "x"), None).report.name != "report.json"

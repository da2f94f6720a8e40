# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a run as one HTML page that needs no other file: totals, plots, and the worst clips with pictures."""

from __future__ import annotations

import json
from html import escape
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from ..solver.files.atomic_writing import write_whole
from ..version import VERSION
from .jobs import RUN_PAGE, RUN_REPORT
from .plots import histogram
from .progress_output import duration
from .run_report import ClipLine, RunReport
from .thumbnails import drawing

ROWS = 500
"""So many clips are listed, the worst; report.json has all of them."""

STYLE = """
:root{color-scheme:light dark;--ink:#1c2430;--soft:#68707c;--paper:#fff;--line:#d8dce2;--first:#c2552d;--second:#2b6cb0}
@media(prefers-color-scheme:dark){
:root{--ink:#e4e8ee;--soft:#98a2b0;--paper:#14181e;--line:#333b46;--first:#f08a5d;--second:#6db3f2}}
body{font:14px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:2em auto;max-width:1200px;
padding:0 1em}
h1{font-size:22px}h2{font-size:16px;margin-top:2em}
table{border-collapse:collapse;width:100%}td,th{border-top:1px solid var(--line);padding:4px 8px;text-align:left;
vertical-align:top}td.number,th.number{text-align:right;white-space:nowrap}
.failed{color:var(--first);font-weight:600}.soft{color:var(--soft)}.wide{overflow-x:auto}
svg text{fill:var(--soft);font-size:11px}svg .axis{stroke:var(--soft);fill:none}
.series0{fill:var(--first)!important}.series1{fill:var(--second)!important}
.pose{stroke:var(--ink);stroke-width:1.4;fill:none;stroke-linecap:round}.foot{stroke:var(--second);fill:none}
.before .foot{stroke:var(--first)}
"""


def write_run_report(run: RunReport, is_complete: bool) -> None:
    """Write the report of a run as JSON and as a page to its folder; `is_complete` is false after an interrupt."""
    run.folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(run.as_dict(is_complete), indent=1, ensure_ascii=False)
    for name, content in ((RUN_REPORT, f"{text}\n"), (RUN_PAGE, page(run, is_complete))):
        # File names may hold bytes that are no text: they are written as escapes.
        write_whole(run.folder / name, content.encode("utf-8", "backslashreplace").decode("utf-8"))


def page(run: RunReport, is_complete: bool) -> str:
    """The page of a run."""
    lines = run.sorted_lines()
    shown = lines[:ROWS]
    rest = f"<p class='soft'>{len(lines) - ROWS} more clips are in report.json.</p>" if len(lines) > ROWS else ""
    rows = "".join(_row(line, points) for line, points in shown)
    head = "".join(
        f"<th{' class=number' if is_number else ''}>{name}</th>"
        for name, is_number in (
            *(("clip", False), ("before", False), ("after", False), ("slide before", True), ("slide after", True)),
            *(("plants", True), ("missed", True), ("frames", True), ("seconds", True), ("what to look at", False)),
        )
    )
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><meta name='viewport' content='width=device-width'>"
        f"<title>Poise: {escape(run.folder.name)}</title><style>{STYLE}</style>"
        f"<h1>{escape(_title(run, is_complete))}</h1>{_totals(run)}{_plots([line for line, _ in lines])}"
        f"<h2>Clips, the worst first</h2><div class='wide'><table><tr>{head}</tr>{rows}</table></div>{rest}</html>\n"
    )


def _title(run: RunReport, is_complete: bool) -> str:
    asked = ", ".join(run.options.asked) or "convert"
    return f"{asked}: {run.totals['files']} files{'' if is_complete else ', not complete'}"


def _totals(run: RunReport) -> str:
    totals = run.totals
    words = [
        f"{totals['succeeded']} succeeded",
        f"<span class='{'failed' if totals['failed'] else ''}'>{totals['failed']} failed</span>",
        f"{totals['done_before']} were done before",
        f"{totals['clips']} clips",
        duration(totals["seconds"]),
        f"{totals['files_a_second'] or 0.0:.2f} files/s",
        f"Poise {VERSION}",
    ]
    return f"<p>{' · '.join(words)}</p>"


def _plots(lines: list[ClipLine]) -> str:
    before = [100.0 * line.slide_before for line in lines if line.slide_before is not None]
    after = [100.0 * line.slide_after for line in lines if line.slide_after is not None]
    seconds = [line.seconds for line in lines if line.seconds is not None]
    slides = histogram({"before": before, "after": after}, "slide of plants, % of the leg") if before else ""
    times = histogram({"clips": seconds}, "seconds a clip") if seconds else ""
    return f"<div class='wide'>{slides}{times}</div>"


def _row(line: ClipLine, points: dict[str, Any] | None) -> str:
    pictures = [f"<td class='{when}'>{drawing(points, when) if points else ''}</td>" for when in ("before", "after")]
    link = quote(PurePath(line.report).as_posix().encode("utf-8", "surrogateescape"))
    name = f"<a href='{link}'>{escape(line.clip)}</a>"
    numbers = [
        *(_percent(line.slide_before), _percent(line.slide_after), str(line.plants or ""), str(line.missed or "")),
        *("" if value is None else f"{value:g}" for value in (line.frames, line.seconds)),
    ]
    cells = "".join(f"<td class=number>{text}</td>" for text in numbers)
    return f"<tr><td>{name}</td>{''.join(pictures)}{cells}<td>{_remarks(line)}</td></tr>"


def _remarks(line: ClipLine) -> str:
    words = [f"<span class='failed'>FAILED: {escape(line.error or '')}</span>"] if not line.succeeded else []
    words += [escape(warning) for warning in line.warnings]
    words += [f"{line.faults} fault{'' if line.faults == 1 else 's'} of the capture."] if line.faults else []
    words += [f"tried {line.attempts} times."] if line.attempts > 1 else []
    return "<br>".join(words)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100.0 * share:.2f} %"

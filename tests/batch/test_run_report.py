# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a run: totals, and the worst clips first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from poise.batch import run_report
from poise.batch.command_line import BatchOptions
from poise.batch.jobs import Job
from poise.batch.run_report import RunReport


def clip(slide: float = 0.0, **entries: Any) -> dict[str, Any]:
    """The report of a clip."""
    return {
        "name": "walk",
        "succeeded": True,
        "error": None,
        "frames": 10,
        "seconds": 0.5,
        "footplants": [{}],
        "faults": [],
        "warnings": [],
        "metrics": {"before": {"slide": 0.1}, "after": {"slide": slide}},
        "thumbnail": {"bones": "0,1"},
        **entries,
    }


def added(run: RunReport, name: str, *clips: dict[str, Any], was_done: bool = False) -> None:
    failed = [each for each in clips if not each["succeeded"]]
    report = {
        "input": f"in/{name}.bvh",
        "succeeded": bool(clips) and not failed,
        "error": None if clips and not failed else "It is broken.",
        "attempts": 1,
        "clips": list(clips),
    }
    run.add(Job(f"in/{name}.bvh", name, f"{run.folder}/{name}", "bvh"), report, was_done)


def test_the_worst_come_first(tmp_path: Path) -> None:
    run = RunReport(BatchOptions(output=str(tmp_path)))
    added(run, "good", clip())
    added(run, "sliding", clip(0.02))
    added(run, "sliding more", clip(0.03), was_done=True)
    added(run, "warned", clip(warnings=["It jumps."]))
    added(run, "missed", clip(deform={"residuals": [{"holds": False}, {"holds": True}]}))
    added(run, "unreadable")
    assert [line.clip for line, _ in run.sorted_lines()] == [
        *("unreadable", "missed", "warned", "sliding more", "sliding", "good")
    ]
    totals = run.totals
    assert (totals["files"], totals["succeeded"], totals["failed"], totals["done_before"]) == (6, 5, 1, 1)
    told = run.as_dict(is_complete=True)
    assert told["clips"][0]["error"] == "It is broken." and told["clips"][1]["missed"] == 1
    assert told["clips"][-1]["report"] == "good.report.json"


def test_clips_of_one_file_have_lines_of_their_own(tmp_path: Path) -> None:
    run = RunReport(BatchOptions(output=str(tmp_path)))
    added(run, "all", clip(name="run"), clip(name="jump", succeeded=False, error="It is too short."))
    assert [line.clip for line, _ in run.sorted_lines()] == ["all: jump", "all: run"]
    assert run.totals["files"] == 1 and run.totals["failed"] == 1 and run.totals["clips"] == 2


def test_only_the_worst_keep_their_pictures(tmp_path: Path) -> None:
    run = RunReport(BatchOptions(output=str(tmp_path)))
    count = 3 * run_report.PICTURES
    for number in range(count):
        added(run, str(number), clip((number * 7 % count) / count))
    lines = run.sorted_lines()
    assert [points is not None for _, points in lines] == [place < run_report.PICTURES for place in range(count)]

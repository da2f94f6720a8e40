# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a whole run: totals and a line for each clip, the worst first."""

from __future__ import annotations

import heapq
import os
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..version import VERSION
from .command_line import BatchOptions
from .completion import Report
from .jobs import Job

PICTURES = 50
"""So many of the worst clips have pictures: a page of thousands would be too large to open."""


@dataclass(frozen=True)
class ClipLine:
    """What the report of a run says about one clip."""

    clip: str
    input: str
    report: str
    """Path of the clip's own report, from the output folder."""
    succeeded: bool
    error: str | None
    was_done: bool
    """Whether an earlier run has done it."""
    frames: int | None = None
    seconds: float | None = None
    attempts: int = 1
    plants: int = 0
    slide_before: float | None = None
    """Share of the leg by which plants slide, and after."""
    slide_after: float | None = None
    residual: float | None = None
    """The largest distance of a cleaned plant from its place."""
    missed: int = 0
    """Constraints that do not hold."""
    faults: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def badness(self) -> tuple[float, ...]:
        """Sorts clips: failures, then constraints that do not hold, then warnings, then what feet still slide to a
        hundredth of a percent of the leg, then faults of the capture, then what they slid before."""
        slides = round(self.slide_after or 0.0, 4)
        return (not self.succeeded, self.missed, len(self.warnings), slides, self.faults, self.slide_before or 0.0)


class RunReport:
    """Collects the clips of a run. It keeps a line for each, and pictures of the worst."""

    def __init__(self, options: BatchOptions) -> None:
        self.options, self.folder = options, Path(options.output)
        self.began, self.begin = time.time(), time.monotonic()
        self.lines: list[ClipLine] = []
        self.pictures: list[tuple[tuple[float, ...], int, dict[str, Any]]] = []
        """A heap of badness, number of the line, and points of the picture."""
        self.files = Counter[str]()
        """How many files succeeded, failed, and were done before."""

    def add(self, job: Job, report: Report, was_done: bool = False) -> None:
        """Add the clips of one job."""
        self.files["succeeded" if report["succeeded"] else "failed"] += 1
        self.files["done before"] += was_done
        common = {
            "input": report["input"],
            "report": os.path.relpath(job.report, self.folder),
            "was_done": was_done,
            "attempts": report.get("attempts", 1),
        }
        clips = report["clips"]
        if not clips:
            self.lines.append(ClipLine(job.clip, succeeded=report["succeeded"], error=report["error"], **common))
        for clip in clips:
            name = job.clip if len(clips) == 1 else f"{job.clip}: {clip['name']}"
            line = _line(name, clip, report, common)
            self.lines.append(line)
            if clip.get("thumbnail"):
                entry = (line.badness, len(self.lines) - 1, clip["thumbnail"])
                (heapq.heappushpop if len(self.pictures) >= PICTURES else heapq.heappush)(self.pictures, entry)

    @property
    def totals(self) -> dict[str, Any]:
        """Numbers about the whole run."""
        seconds = time.monotonic() - self.begin
        new = sum(self.files[kind] for kind in ("succeeded", "failed")) - self.files["done before"]
        return {
            "files": self.files["succeeded"] + self.files["failed"],
            "succeeded": self.files["succeeded"],
            "failed": self.files["failed"],
            "done_before": self.files["done before"],
            "clips": len(self.lines),
            "seconds": round(seconds, 3),
            "files_a_second": round(new / seconds, 3) if seconds > 0.0 else None,
        }

    def sorted_lines(self) -> list[tuple[ClipLine, dict[str, Any] | None]]:
        """Each clip with the points of its picture, if it has one; the worst first."""
        pictures = {number: points for _, number, points in self.pictures}
        order = sorted(range(len(self.lines)), key=lambda number: self.lines[number].badness, reverse=True)
        return [(self.lines[number], pictures.get(number)) for number in order]

    def as_dict(self, is_complete: bool) -> dict[str, Any]:
        """All of it but the pictures, as JSON can write it."""
        return {
            "poise": VERSION,
            "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.began)),
            "is_complete": is_complete,
            "asked": self.options.asked,
            "options": asdict(self.options),
            "totals": self.totals,
            "clips": [asdict(line) for line, _ in self.sorted_lines()],
        }


def _line(name: str, clip: dict[str, Any], report: Report, common: dict[str, Any]) -> ClipLine:
    metrics = clip.get("metrics")
    residuals = clip.get("deform", {}).get("residuals", ())
    return ClipLine(
        name,
        succeeded=bool(clip.get("succeeded", report["succeeded"])),
        error=clip.get("error"),
        frames=clip["frames"],
        seconds=clip.get("seconds"),
        plants=len(clip["footplants"]),
        slide_before=metrics["before"]["slide"] if metrics else None,
        slide_after=metrics["after"]["slide"] if metrics else None,
        residual=clip.get("clean", {}).get("residual"),
        missed=sum(not residual["holds"] for residual in residuals),
        faults=len(clip["faults"]),
        warnings=tuple(clip["warnings"]),
        **common,
    )

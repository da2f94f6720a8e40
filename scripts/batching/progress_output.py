# SPDX-License-Identifier: GPL-3.0-or-later
"""Output on the terminal: a line for each finished clip, and a progress bar if the terminal is interactive."""

from __future__ import annotations

import io
import sys
import time

from .job_runner import Report

BAR = 30
"""Width of the bar in characters."""


class ProgressPrinter:
    """Prints a line for each finished clip to the standard output, and errors to the standard error."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.begin = time.monotonic()
        self.has_bar = sys.stderr.isatty()
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # file names may hold characters that the terminal cannot show
                stream.reconfigure(errors="backslashreplace")
        self._draw()

    def print_report(self, report: Report) -> None:
        """Print the line of a finished clip."""
        self.done += 1
        self._wipe()
        number = f"{self.done:>{len(str(self.total))}}/{self.total}"
        if report["succeeded"]:
            print(f"{number}  {report['input']}  ok, {report['seconds']:.1f} s{_result(report)}", flush=True)
        else:
            print(f"{number}  {report['input']}  FAILED", flush=True)
            print(f"{report['input']}: {report['error']}", file=sys.stderr, flush=True)
        self._draw()

    def _draw(self) -> None:
        if not self.has_bar or self.done == self.total:
            return
        full = BAR * self.done // self.total
        passed = time.monotonic() - self.begin
        left = f", {passed / self.done * (self.total - self.done):.0f} s left" if self.done else ""
        bar = f"[{'#' * full}{'.' * (BAR - full)}] {self.done} of {self.total}{left}"
        print(bar, end="", file=sys.stderr, flush=True)

    def _wipe(self) -> None:
        if self.has_bar:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _result(report: Report) -> str:
    """The most important figures: number of plants, their slide, constraints that do not hold, faults, warnings."""
    words = []
    for clip in report["clips"]:
        if clip["footplants"]:
            words.append(f"{len(clip['footplants'])} plants")
        if "metrics" in clip and (report["asked"] != ["detect"]):
            before, after = (100.0 * clip["metrics"][when]["slide"] for when in ("before", "after"))
            words.append(f"they slide {before:.2f} % → {after:.2f} % of the leg")
        if "physics" in clip:
            words.append(clip["physics"]["quality"].removesuffix("."))
        missed = [residual for residual in clip.get("deform", {}).get("residuals", ()) if not residual["holds"]]
        words += [f"{len(missed)} constraints do not hold"] if missed else []
        faults = len(clip["faults"])
        words += [f"{faults} fault{'' if faults == 1 else 's'} of the capture"] if faults else []
        words += [sentence.removesuffix(".") for sentence in clip["warnings"]]
    return "".join(f", {word}" for word in words)

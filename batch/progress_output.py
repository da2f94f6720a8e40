# SPDX-License-Identifier: GPL-3.0-or-later
"""Output on the terminal: a line for each finished clip, and how fast the run is and when it will end.

On an interactive terminal that is a bar; else it is a line on the standard error from time to time, for logs.
"""

from __future__ import annotations

import io
import sys
import time
from collections import deque

from .completion import Report

BAR = 30
"""Width of the bar in characters."""

LOG_EVERY = 30.0
"""Seconds between two lines about the whole run where there is no bar."""

WINDOW = 50
"""The rate is that of so many clips: it follows when clips become longer or workers leave."""


class ProgressPrinter:
    """Prints a line for each finished clip to the standard output, and errors to the standard error."""

    def __init__(self, total: int, done_before: int = 0) -> None:
        """Begin a run of `total` clips, of which some were done by earlier runs."""
        self.total = total
        self.done = done_before
        self.failures = 0
        self.begin = self.last_line = time.monotonic()
        self.times: deque[float] = deque([self.begin], maxlen=WINDOW + 1)
        self.has_bar = sys.stderr.isatty()
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # file names may hold characters that the terminal cannot show
                stream.reconfigure(errors="backslashreplace")
        self._draw()

    def print_report(self, report: Report) -> None:
        """Print the line of a finished clip."""
        self.done += 1
        self.failures += not report["succeeded"]
        self.times.append(time.monotonic())
        self._wipe()
        number = f"{self.done:>{len(str(self.total))}}/{self.total}"
        if report["succeeded"]:
            took = "" if report["seconds"] is None else f", {report['seconds']:.1f} s"
            print(f"{number}  {report['input']}  ok{took}{_result(report)}", flush=True)
        else:
            print(f"{number}  {report['input']}  FAILED", flush=True)
            print(f"{report['input']}: {report['error']}", file=sys.stderr, flush=True)
        self._draw()

    def finish(self) -> None:
        """Take the bar away."""
        self._wipe()

    @property
    def state(self) -> str:
        """How many clips are done, how fast, when the rest will be, and how many have failed."""
        words = [f"{self.done} of {self.total}"]
        seconds = self.times[-1] - self.times[0]
        if len(self.times) > 1 and seconds > 0.0:
            rate = (len(self.times) - 1) / seconds
            words.append(f"{rate:.1f} clips/s" if rate >= 1.0 else f"{60.0 * rate:.1f} clips/min")
            words.append(f"{duration((self.total - self.done) / rate)} left")
        words += [f"{self.failures} failed"] if self.failures else []
        return ", ".join(words)

    def _draw(self) -> None:
        now = time.monotonic()
        if self.done >= self.total:
            return
        if self.has_bar:
            full = BAR * self.done // self.total
            bar = f"[{'#' * full}{'.' * (BAR - full)}] {self.state}"
            print(bar, end="", file=sys.stderr, flush=True)
        elif now - self.last_line >= LOG_EVERY:
            self.last_line = now
            print(f"{self.state}.", file=sys.stderr, flush=True)

    def _wipe(self) -> None:
        if self.has_bar:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """A time for people: 40 s, 3 min 20 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _result(report: Report) -> str:
    """The most important figures: number of plants, their slide, constraints that do not hold, faults, warnings."""
    words = [f"{len(report['clips'])} clips"] if len(report["clips"]) > 1 else []
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

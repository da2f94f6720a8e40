# SPDX-License-Identifier: GPL-3.0-or-later
"""One clip from file to file with a report of it, and a process that does so until it is told to stop."""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Any

from poise.solver import PoiseError
from poise.solver.files.atomic_writing import write_whole

from .blender_files import edit_in_blender
from .bvh_files import edit_bvh
from .files import Job, format_of
from .order import Order

Report = dict[str, Any]

_BlenderError = RuntimeError
"""What Blender's operators raise, with their own sentence behind the word "Error:"."""


def worked(job: Job, order: Order) -> Report:
    """Do one job and write its report. Whatever goes wrong is told there, in one sentence."""
    begin = time.perf_counter()
    report: Report = {
        "input": job.source or f"the open file {job.clip}",
        "output": None,
        "succeeded": False,
        "error": None,
        "asked": order.asked,
        "clips": [],
    }
    try:
        needs_blender = format_of(Path(job.source)) != "bvh" or job.format not in (None, "bvh")
        report["clips"] = (edit_in_blender if needs_blender else edit_bvh)(job, order)
        report |= {"succeeded": True, "output": str(job.motion) if job.motion else None}
    except (PoiseError, OSError, _BlenderError) as error:
        report["error"] = _sentence(error)
    except Exception as error:  # a file can be broken in ways that nobody thought of, and the next one may be whole
        report |= {"error": _sentence(error), "traceback": traceback.format_exc()}
    report["seconds"] = round(time.perf_counter() - begin, 3)
    return _with_file(report, job)


def failed(job: Job, order: Order, sentence: str) -> Report:
    """The report on a job whose process was lost."""
    report: Report = {"input": job.source, "output": None, "succeeded": False, "error": sentence}
    return _with_file(report | {"asked": order.asked, "clips": [], "seconds": None}, job)


def _with_file(report: Report, job: Job) -> Report:
    try:
        job.report.parent.mkdir(parents=True, exist_ok=True)
        text = f"{json.dumps(report, indent=2, ensure_ascii=False)}\n"
        # The name of a file may hold what is no letter; as an escape it is JSON, and names the file all the same.
        write_whole(job.report, text.encode("utf-8", "backslashreplace").decode("utf-8"))
    except (PoiseError, OSError) as error:
        told = report["error"] or f"The report could not be written: {_sentence(error)}"
        report |= {"succeeded": False, "error": told}
    return report


def _sentence(error: Exception) -> str:
    """One line, which says what kind of mistake it is where the words alone do not."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if isinstance(error, _BlenderError) and any("Traceback" in line for line in lines):
        # An importer's own mistake: its kind and words stand below the calls that led to it.
        lines = [line for line in lines if not line.startswith("Location:")][-1:]
    words = " ".join(lines).removeprefix("Error: ")
    if isinstance(error, (PoiseError, _BlenderError)) and words:
        return words
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


# As a process of its own --------------------------------------------------------------------------------------------


def work_for_others() -> None:
    """Take the order from the first line of the standard input, a job from each other line; answer with reports.

    What Blender prints would get between the answers: it is led to the standard error.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    lines = iter(sys.stdin.readline, "")
    order = Order(**json.loads(next(lines)))
    for line in lines:
        report = worked(Job(**json.loads(line)), order)
        answers.write(f"{json.dumps(report)}\n")
        answers.flush()


def as_line(plain: Order | Job) -> str:
    """An order or a job as a line for `work_for_others`."""
    return f"{json.dumps(asdict(plain))}\n"

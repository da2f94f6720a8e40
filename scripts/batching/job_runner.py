# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one job and writes its report; `run_worker` does so for jobs from the standard input."""

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
from .command_line import BatchOptions
from .jobs import Job, format_of

Report = dict[str, Any]

_BlenderError = RuntimeError
"""Raised by Blender's operators, with their message after "Error:"."""


def run_job(job: Job, options: BatchOptions) -> Report:
    """Run a job and write its report, which holds the message of any error."""
    begin = time.perf_counter()
    report: Report = {
        "input": job.source or f"the open file {job.clip}",
        "output": None,
        "succeeded": False,
        "error": None,
        "asked": options.asked,
        "clips": [],
    }
    try:
        needs_blender = format_of(Path(job.source)) != "bvh" or job.format not in (None, "bvh")
        report["clips"] = (edit_in_blender if needs_blender else edit_bvh)(job, options)
        report |= {"succeeded": True, "output": str(job.motion) if job.motion else None}
    except (PoiseError, OSError, _BlenderError) as error:
        report["error"] = _sentence(error)
    except Exception as error:  # an unexpected error in one file must not stop the others
        report |= {"error": _sentence(error), "traceback": traceback.format_exc()}
    report["seconds"] = round(time.perf_counter() - begin, 3)
    return _written(report, job)


def report_failure(job: Job, options: BatchOptions, sentence: str) -> Report:
    """Write and return the report of a job whose process has died."""
    report: Report = {"input": job.source, "output": None, "succeeded": False, "error": sentence}
    return _written(report | {"asked": options.asked, "clips": [], "seconds": None}, job)


def _written(report: Report, job: Job) -> Report:
    try:
        job.report.parent.mkdir(parents=True, exist_ok=True)
        text = f"{json.dumps(report, indent=2, ensure_ascii=False)}\n"
        # File names may hold bytes that are no text: they are written as escapes.
        write_whole(job.report, text.encode("utf-8", "backslashreplace").decode("utf-8"))
    except (PoiseError, OSError) as error:
        message = report["error"] or f"The report could not be written: {_sentence(error)}"
        report |= {"succeeded": False, "error": message}
    return report


def _sentence(error: Exception) -> str:
    """The message of an error in one line, with the type of unexpected errors."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if isinstance(error, _BlenderError) and any("Traceback" in line for line in lines):
        # An exception inside an importer: its type and message are the last line of the traceback.
        lines = [line for line in lines if not line.startswith("Location:")][-1:]
    words = " ".join(lines).removeprefix("Error: ")
    if isinstance(error, (PoiseError, _BlenderError)) and words:
        return words
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


# As a process of its own --------------------------------------------------------------------------------------------


def run_worker() -> None:
    """Read options from the first line of the standard input and a job from each further line; write a report for each.

    Output of Blender would mix with the reports: it goes to the standard error.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    lines = iter(sys.stdin.readline, "")
    options = BatchOptions(**json.loads(next(lines)))
    for line in lines:
        report = run_job(Job(**json.loads(line)), options)
        answers.write(f"{json.dumps(report)}\n")
        answers.flush()


def to_line(plain: BatchOptions | Job) -> str:
    """Options or a job as a line of JSON for `run_worker`."""
    return f"{json.dumps(asdict(plain))}\n"

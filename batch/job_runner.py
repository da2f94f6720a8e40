# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one job: edits the clips of a file, and moves the results and the report to their places."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from ..solver import PoiseError
from ..solver.files.atomic_writing import write_whole
from .blender_files import edit_in_blender
from .bvh_files import edit_bvh
from .claims import Claim
from .command_line import BatchOptions
from .completion import Report, origin_of
from .failures import failure, sentence
from .finding import format_of
from .jobs import Job
from .staging import Stage

CLAIM_LOST = "claim_lost"
"""Entry of the report of a job whose claim was taken over meanwhile: nothing was written."""


def run_job(job: Job, options: BatchOptions, claim: Claim | None = None, attempt: int = 1) -> Report:
    """Run a job and write its report, which holds the message of any error.

    Nothing is written if the claim was taken over meanwhile. Without a claim no other process may work on the clip.
    `attempt` counts how often the job was tried, from 1.
    """
    begin = time.perf_counter()
    report = _new_report(job, options) | {"attempts": attempt}
    stage = Stage(job.stem, claim.generation if claim is not None else 0)
    stage.remove_left_over()
    try:
        try:
            clips = report["clips"] = (edit_in_blender if needs_blender(job) else edit_bvh)(job, options, stage)
            report |= _verdict(clips)
        except Exception as error:  # an error in one file must not stop the others
            stage.discard()
            report |= failure(error)
        if job.motion in stage.moves.values():
            report["output"] = str(job.motion)
        report["seconds"] = round(time.perf_counter() - begin, 3)
        if claim is not None and not claim.is_held:
            return report | {CLAIM_LOST: True}
        return _published(report, job, stage)
    finally:
        stage.discard()


def report_failure(job: Job, options: BatchOptions, error: str, attempts: int = 1) -> Report:
    """Write and return the report of a job whose process could not do so."""
    report = _new_report(job, options) | {"error": error, "attempts": attempts}
    stage = Stage(job.stem)
    try:
        return _published(report, job, stage)
    finally:
        stage.discard()


def needs_blender(job: Job) -> bool:
    """Whether a job can only be done in Blender."""
    return format_of(Path(job.source)) != "bvh" or job.format not in (None, "bvh")


def _new_report(job: Job, options: BatchOptions) -> Report:
    return {
        "input": job.source or f"the open file {job.clip}",
        "output": None,
        "succeeded": False,
        "error": None,
        "asked": options.asked,
        "clips": [],
        "files": {},
        "seconds": None,
        "attempts": 1,
        "origin": origin_of(job, options),
    }


def _verdict(clips: list[dict[str, Any]]) -> dict[str, Any]:
    """Whether all clips of a file have succeeded, else the error of the first that has not."""
    failed = [clip for clip in clips if not clip["succeeded"]]
    if not failed:
        return {"succeeded": True}
    name = f"{failed[0]['name']}: " if len(clips) > 1 else ""
    kept: dict[str, Any] = {entry: failed[0][entry] for entry in ("traceback", "may_pass") if entry in failed[0]}
    return {"succeeded": False, "error": f"{name}{failed[0]['error']}", **kept}


def _published(report: Report, job: Job, stage: Stage) -> Report:
    """Move the files of a stage to their places, and the report last: it says that they are complete."""
    try:
        report["files"] = stage.publish()
        write_report(report, job, stage)
    except (PoiseError, OSError) as error:
        what = "The report could not be written" if isinstance(error, _ReportError) else "It could not be written"
        report |= {"succeeded": False, "error": report["error"] or f"{what}: {sentence(error)}"}
    return report


class _ReportError(PoiseError):
    """The report cannot be written."""


def write_report(report: Report, job: Job, stage: Stage) -> None:
    """Write a report to its place."""
    text = f"{json.dumps(report, indent=1, ensure_ascii=False)}\n"
    try:
        # File names may hold bytes that are no text: they are written as escapes.
        write_whole(stage.place_for(job.report), text.encode("utf-8", "backslashreplace").decode("utf-8"))
        stage.publish()
    except (PoiseError, OSError) as error:
        raise _ReportError(sentence(error)) from error

# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done already: a report that was made from the same input, with the same options, by the same Poise."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from glob import escape
from pathlib import Path
from typing import Any

from ..version import VERSION
from .command_line import BatchOptions
from .finding import format_of
from .gltf_files import resources_of
from .jobs import Job

Report = dict[str, Any]

NOT_IN_RESULTS = {
    *("inputs", "output", "format"),  # the job says them
    *("plants", "constraints", "physics", "recipe"),  # their contents count, not their places
    *("jobs", "scheduler", "memory", "time_limit", "retries", "redo"),
}
"""Options that do not change what a clip becomes."""

_CHUNK = 1 << 20


def origin_of(job: Job, options: BatchOptions) -> dict[str, Any]:
    """What a result is made from: the version of Poise, the options and the files that are read, by their contents."""
    return {
        "poise": VERSION,
        "options": _options(job, options),
        "inputs": {name: _signature(path) for name, path in _inputs(job, options).items()},
    }


def finished_report(job: Job, options: BatchOptions) -> Report | None:
    """The report of a job that is done already, else None.

    A failure counts as done if another process has written it during this run. With `redo` this holds of a success too.
    """
    if not job.source:  # the open file may have been changed since it was loaded
        return None
    data = _read(job.report)
    if not data:
        return None
    try:
        report = json.loads(data)
        is_new = digest(data) != job.known_report
        is_done = bool(report["succeeded"] and not options.redo) or is_new
        return report if is_done and _fits(report, job, options) else None
    except (ValueError, LookupError, TypeError, AttributeError, OSError):  # no report of ours, or a file is gone
        return None


def digest_of_report(job: Job) -> str:
    """Digest of the report that is there; empty without one."""
    data = _read(job.report)
    return digest(data) if data else ""


def digest(data: bytes) -> str:
    """A short digest of bytes."""
    return hashlib.sha256(data).hexdigest()[:16]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _fits(report: Report, job: Job, options: BatchOptions) -> bool:
    """Whether the files of a report are there, and what it was made from is still the same."""
    origin, inputs = report["origin"], _inputs(job, options)
    if origin["poise"] != VERSION or origin["options"] != _options(job, options):
        return False
    if not all((job.report.parent / name).stat().st_size == size for name, size in report["files"].items()):
        return False
    return origin["inputs"].keys() == inputs.keys() and all(
        _is_unchanged(path, origin["inputs"][name]) for name, path in inputs.items()
    )


def _options(job: Job, options: BatchOptions) -> dict[str, Any]:
    plain = {name: value for name, value in asdict(options).items() if name not in NOT_IN_RESULTS}
    is_named = None if options.recipe == "" or Path(options.recipe).is_file() else options.recipe
    return plain | {"format": job.format, "recipe": is_named}


def _inputs(job: Job, options: BatchOptions) -> dict[str, Path]:
    """The files that a job reads, by names that do not depend on where they are."""
    source = Path(job.source)
    found = {"motion": source} if job.source else {}
    if format_of(source) == "gltf":
        found |= {f"resource {number}": path for number, path in enumerate(resources_of(source))}
    for kind, place in (("plants", options.plants), ("constraints", options.constraints)):
        if place is None:
            continue
        given = found[kind] = job.constraints_in(Path(place))
        if Path(place).is_dir() and format_of(source) != "bvh":  # each clip of a file has constraints of its own
            parts = given.parent.glob(f"{escape(Path(job.clip).name)}.*.constraints.json")
            found |= {f"{kind} {path.name}": path for path in sorted(parts)}
    for kind, file in (("physics", options.physics), ("recipe", options.recipe)):
        if file is not None and Path(file).is_file():
            found[kind] = Path(file)
    return found


def _signature(path: Path) -> dict[str, Any] | None:
    """Size, time and digest of a file; None if it cannot be read."""
    try:
        status = path.stat()
        return {"size": status.st_size, "mtime_ns": status.st_mtime_ns, "sha256": _digest_of_file(path)}
    except OSError:
        return None


def _is_unchanged(path: Path, known: dict[str, Any] | None) -> bool:
    """Whether a file is as it was. Its content is read only where it has the same size and another time."""
    try:
        status = path.stat()
    except OSError:
        return known is None
    if known is None or status.st_size != known["size"]:
        return False
    return bool(status.st_mtime_ns == known["mtime_ns"] or _digest_of_file(path) == known["sha256"])


def _digest_of_file(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while data := file.read(_CHUNK):
            found.update(data)
    return found.hexdigest()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs: which files are read and which are written, checked before any file is written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .command_line import FORMATS, BatchOptions, MotionFormat


def _constraints_ending(armature: str) -> str:
    inner = "." + re.sub(r"[\\/:]", "_", armature) if armature else ""
    return f"{inner}.constraints.json"


class UsageError(Exception):
    """Options that cannot be carried out; the message is one sentence."""


@dataclass(frozen=True)
class Job:
    """One input and its outputs. Plain values only, because jobs are sent to worker processes as JSON."""

    source: str
    """The input file; empty for the file that is open in Blender."""
    clip: str
    """Name of the clip: its path in the input folder, without extension."""
    stem: str
    """Path of all outputs, without extension."""
    format: MotionFormat | None
    """Format of the saved motion; None if no motion is saved."""

    @property
    def motion(self) -> Path | None:
        """Path of the saved motion."""
        return None if self.format is None else Path(f"{self.stem}.{self.format}")

    @property
    def report(self) -> Path:
        """Path of the report."""
        return Path(f"{self.stem}.report.json")

    def constraints(self, armature: str = "") -> Path:
        """Path of the detected footplants; `armature` names one of several armatures."""
        return Path(f"{self.stem}{_constraints_ending(armature)}")

    def constraints_in(self, place: Path, armature: str = "") -> Path:
        """Path of the constraints of this clip: `place` itself if it is a file, else the clip's file in that folder."""
        return place / f"{self.clip}{_constraints_ending(armature)}" if place.is_dir() else place


def jobs_for(options: BatchOptions, open_file: str | None = None) -> list[Job]:
    """The jobs of a run; wrong options raise a `UsageError`. `open_file` is Blender's open file, "" if it is new."""
    output = Path(options.output)
    is_file = format_of(output) is not None and not output.is_dir()
    if not options.inputs:
        if open_file is None:
            raise UsageError("Give the motions to work on: files, or folders of them.")
        name = Path(open_file).stem or "untitled"
        found = [("", Path(name), "blend" if options.format is None else options.format)]
    else:
        found = [
            (str(path), inside.with_suffix(""), options.format or format_of(path) or "bvh")
            for path, inside in _inputs(options.inputs, output)
        ]
    if is_file and len(found) > 1:
        raise UsageError(f"{output} is one file, but there are {len(found)} motions: name a folder after -o.")
    if is_file and options.format not in (None, format_of(output)):
        raise UsageError(f"{output} is called otherwise than --format {options.format} says: leave out one of the two.")
    if not is_file and output.exists() and not output.is_dir():
        raise UsageError(f"{output} is neither a folder nor a motion: name something else after -o.")
    jobs = []
    for source, inside, kind in found:
        stem = output.with_suffix("") if is_file else output / inside
        saved = format_of(output) if is_file else kind
        only_detects = options.asked == ["detect"] and not is_file and options.format is None
        jobs.append(Job(source, str(inside), str(stem), None if only_detects else saved))
    _check(
        jobs,
        [options.plants, options.constraints, options.physics, options.recipe, open_file],
        finds_plants=options.detect,
    )
    return jobs


def format_of(path: Path) -> MotionFormat | None:
    """The format of a file name's extension, or None."""
    ending = path.suffix.lower().removeprefix(".")
    return next((known for known in FORMATS if known == ending), None)


def _inputs(given: Iterable[str], output: Path) -> Iterator[tuple[Path, Path]]:
    """Each input motion with its path relative to the output folder."""
    for name in given:
        path = Path(name)
        if path.is_dir():
            inside = sorted(_motions(path, output))
            if not inside:
                raise UsageError(f"In the folder {path} there is no motion (.{', .'.join(FORMATS)}).")
            yield from ((found, found.relative_to(path)) for found in inside)
        elif not path.exists():
            raise UsageError(f"{path} does not exist.")
        elif format_of(path) is None:
            raise UsageError(f"{path} is no motion: its name ends with none of .{', .'.join(FORMATS)}.")
        else:
            yield path, Path(path.name)


def _motions(folder: Path, output: Path) -> Iterator[Path]:
    """Motions below a folder, without hidden files and the output folder."""
    results = output.resolve()
    for here, folders, names in os.walk(folder):
        inner = Path(here)
        folders[:] = [name for name in folders if not name.startswith(".") and (inner / name).resolve() != results]
        yield from (inner / name for name in names if not name.startswith(".") and format_of(inner / name) is not None)


def _check(jobs: list[Job], others: list[str | None], finds_plants: bool) -> None:
    """Raise a `UsageError` if two jobs have the same output, or an output is also an input."""
    by_stem: dict[str, Job] = {}
    for job in jobs:
        place = os.path.normcase(os.path.realpath(job.stem))
        if place in by_stem:
            raise UsageError(
                f"{by_stem[place].source} and {job.source} would both be written to {job.stem}: do one after the "
                "other, each with its own -o."
            )
        by_stem[place] = job
    read = [Path(path) for path in (*(job.source for job in jobs), *others) if path]
    files = [path for path in read if path.is_file()]
    files += [inner for path in read if path.is_dir() for inner in path.rglob("*.constraints.json")]
    identities = {_identity(path): path for path in files}
    for job in jobs:
        for path in (job.motion, job.report, job.constraints() if finds_plants else None):
            if path is not None and path.exists() and _identity(path) in identities:
                raise UsageError(f"{path} is read, so it must not be written: name another place after -o.")


def _identity(path: Path) -> tuple[int, int]:
    """Device and inode, which are equal for all names of a file."""
    found = path.stat()
    return found.st_dev, found.st_ino

# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs: which files are read and which are written, checked before any file is written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from .command_line import FORMATS, BatchOptions, MotionFormat
from .finding import format_of, motions_below
from .gltf_files import resources_of

RUN_REPORT = "report.json"
RUN_PAGE = "report.html"
"""Names of the reports about a whole run in the output folder. Files of clips are called otherwise: their names come
first."""


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
    others: tuple[str, ...] = ()
    """Stems of other jobs that begin like this one's: files of single actions must not have their names."""
    known_report: str = ""
    """Digest of the report that was there when the run began; empty if there was none."""

    @property
    def motion(self) -> Path | None:
        """Path of the saved motion."""
        return None if self.format is None else Path(f"{self.stem}.{self.format}")

    @property
    def report(self) -> Path:
        """Path of the report."""
        return Path(f"{self.stem}.report.json")

    def motion_of(self, part: str) -> Path:
        """Path of the motion of one clip where a file has several; `part` names it, or is empty."""
        return Path(f"{self.stem}{_ending(part)}.{self.format}")

    def constraints(self, part: str = "") -> Path:
        """Path of the detected footplants; `part` names one of several clips."""
        return Path(f"{self.stem}{_ending(part)}.constraints.json")

    def constraints_in(self, place: Path, part: str = "") -> Path:
        """Path of the constraints of this clip: `place` itself if it is a file, else the clip's file in that folder."""
        return place / f"{self.clip}{_ending(part)}.constraints.json" if place.is_dir() else place

    def as_dict(self) -> dict[str, Any]:
        """The fields, as JSON can write them."""
        return asdict(self)


def job_from_dict(plain: dict[str, Any]) -> Job:
    """A job that was sent as JSON."""
    return Job(**plain | {"others": tuple(plain["others"])})


def _ending(part: str) -> str:
    """What a clip's name adds to file names: no character that a file system refuses."""
    return "." + re.sub(r'[\\/:*?"<>|\x00-\x1f]', "_", part) if part else ""


def jobs_for(options: BatchOptions, open_file: str | None = None, skipped: list[str] | None = None) -> list[Job]:
    """The jobs of a run; wrong options raise a `UsageError`. `open_file` is Blender's open file, "" if it is new.

    `skipped` gets one sentence for each folder or motion that is left out.
    """
    output = Path(options.output)
    is_file = writes_one_file(options)
    if not options.inputs:
        if open_file is None:
            raise UsageError("Give the motions to work on: files, or folders of them.")
        name = Path(open_file).stem or "untitled"
        found = [("", Path(name), "blend" if options.format is None else options.format)]
    else:
        found = [
            (str(path), inside.with_suffix(""), options.format or format_of(path) or "bvh")
            for path, inside in _inputs(options.inputs, output, [] if skipped is None else skipped)
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
    run_files = [] if is_file else [output / RUN_REPORT, output / RUN_PAGE]
    _check(
        jobs,
        run_files,
        [options.plants, options.constraints, options.physics, options.recipe, open_file],
        finds_plants=options.detect,
    )
    return _with_others(jobs)


def writes_one_file(options: BatchOptions) -> bool:
    """Whether the output is a motion, not a folder."""
    output = Path(options.output)
    return format_of(output) is not None and not output.is_dir()


def _inputs(given: Iterable[str], output: Path, skipped: list[str]) -> Iterator[tuple[Path, Path]]:
    """Each input motion with its path relative to the output folder."""
    for name in given:
        path = Path(name)
        if path.is_dir():
            found = motions_below(path, output)
            skipped += found.skipped
            if not found.motions:
                raise UsageError(f"In the folder {path} there is no motion (.{', .'.join(FORMATS)}).")
            yield from ((motion, motion.relative_to(path)) for motion in found.motions)
        elif not path.exists():
            raise UsageError(f"{path} does not exist.")
        elif format_of(path) is None:
            raise UsageError(f"{path} is no motion: its name ends with none of .{', .'.join(FORMATS)}.")
        else:
            yield path, Path(path.name)


def _check(jobs: list[Job], run_files: list[Path], others: list[str | None], finds_plants: bool) -> None:
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
    files += [part for path in files if format_of(path) == "gltf" for part in resources_of(path) if part.is_file()]
    identities = {_identity(path): path for path in files}
    written = [path for job in jobs for path in (job.motion, job.report, job.constraints() if finds_plants else None)]
    for path in [*run_files, *written]:
        if path is not None and path.exists() and _identity(path) in identities:
            raise UsageError(f"{path} is read, so it must not be written: name another place after -o.")


def _with_others(jobs: list[Job]) -> list[Job]:
    """The jobs, each with the stems of others that begin like its own."""
    begins: dict[str, list[str]] = {}
    stems = {job.stem for job in jobs}
    for stem in sorted(stems):
        folder, name = os.path.split(stem)
        for dot in (place for place, letter in enumerate(name) if letter == "." and place > 0):
            beginning = os.path.join(folder, name[:dot])
            if beginning in stems:
                begins.setdefault(beginning, []).append(stem)
    return [replace(job, others=tuple(begins.get(job.stem, ()))) for job in jobs]


def _identity(path: Path) -> tuple[int, int]:
    """Device and inode, which are equal for all names of a file."""
    found = path.stat()
    return found.st_dev, found.st_ino

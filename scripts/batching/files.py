# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files are read and which are written, settled before anything is touched."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .order import FORMATS, MotionFormat, Order


def _constraints_ending(armature: str) -> str:
    inner = "." + re.sub(r"[\\/:]", "_", armature) if armature else ""
    return f"{inner}.constraints.json"


class OrderError(Exception):
    """An order that cannot be carried out, in one sentence."""


@dataclass(frozen=True)
class Job:
    """One input and what becomes of it. Only plain values: it travels to other processes."""

    source: str
    """The file; empty for what is open in Blender."""
    clip: str
    """What it is called: its place in the folder that was given, without an ending."""
    stem: str
    """Folder and name of everything that is written, without an ending."""
    format: MotionFormat | None
    """How the motion is saved; None: it is not."""

    @property
    def motion(self) -> Path | None:
        """The motion that is written."""
        return None if self.format is None else Path(f"{self.stem}.{self.format}")

    @property
    def report(self) -> Path:
        """What became of it."""
        return Path(f"{self.stem}.report.json")

    def constraints(self, armature: str = "") -> Path:
        """Footplants that were found, of one of several armatures if it is named."""
        return Path(f"{self.stem}{_constraints_ending(armature)}")

    def constraints_in(self, place: Path, armature: str = "") -> Path:
        """Where constraints for it are: a file is for all clips, a folder holds one for each."""
        return place / f"{self.clip}{_constraints_ending(armature)}" if place.is_dir() else place


def jobs_of(order: Order, open_file: str | None = None) -> list[Job]:
    """What is to be done, or an `OrderError`. `open_file` is what Blender has open: a path, or "" for a new file."""
    output = Path(order.output)
    is_file = format_of(output) is not None and not output.is_dir()
    if not order.inputs:
        if open_file is None:
            raise OrderError("Give the motions to work on: files, or folders of them.")
        name = Path(open_file).stem or "untitled"
        found = [("", Path(name), "blend" if order.format is None else order.format)]
    else:
        found = [
            (str(path), inside.with_suffix(""), order.format or format_of(path) or "bvh")
            for path, inside in _inputs(order.inputs, output)
        ]
    if is_file and len(found) > 1:
        raise OrderError(f"{output} is one file, but there are {len(found)} motions: name a folder after -o.")
    if is_file and order.format not in (None, format_of(output)):
        raise OrderError(f"{output} is called otherwise than --format {order.format} says: leave out one of the two.")
    if not is_file and output.exists() and not output.is_dir():
        raise OrderError(f"{output} is neither a folder nor a motion: name something else after -o.")
    jobs = []
    for source, inside, kind in found:
        stem = output.with_suffix("") if is_file else output / inside
        saved = format_of(output) if is_file else kind
        only_detects = order.asked == ["detect"] and not is_file and order.format is None
        jobs.append(Job(source, str(inside), str(stem), None if only_detects else saved))
    _check(jobs, [order.plants, order.constraints, open_file], finds_plants=order.detect)
    return jobs


def format_of(path: Path) -> MotionFormat | None:
    """What a file's ending says."""
    ending = path.suffix.lower().removeprefix(".")
    return next((known for known in FORMATS if known == ending), None)


def _inputs(given: Iterable[str], output: Path) -> Iterator[tuple[Path, Path]]:
    """Each motion with its place in the folder of results."""
    for name in given:
        path = Path(name)
        if path.is_dir():
            inside = sorted(_motions(path, output))
            if not inside:
                raise OrderError(f"In the folder {path} there is no motion (.{', .'.join(FORMATS)}).")
            yield from ((found, found.relative_to(path)) for found in inside)
        elif not path.exists():
            raise OrderError(f"{path} does not exist.")
        elif format_of(path) is None:
            raise OrderError(f"{path} is no motion: its name ends with none of .{', .'.join(FORMATS)}.")
        else:
            yield path, Path(path.name)


def _motions(folder: Path, output: Path) -> Iterator[Path]:
    """Below a folder, but for hidden ones and for the results of a run before."""
    results = output.resolve()
    for here, folders, names in os.walk(folder):
        inner = Path(here)
        folders[:] = [name for name in folders if not name.startswith(".") and (inner / name).resolve() != results]
        yield from (inner / name for name in names if not name.startswith(".") and format_of(inner / name) is not None)


def _check(jobs: list[Job], others: list[str | None], finds_plants: bool) -> None:
    """Nothing is written twice, and nothing over what is read."""
    by_stem: dict[str, Job] = {}
    for job in jobs:
        place = os.path.normcase(os.path.realpath(job.stem))
        if place in by_stem:
            raise OrderError(
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
                raise OrderError(f"{path} is read, so it must not be written: name another place after -o.")


def _identity(path: Path) -> tuple[int, int]:
    """The same for all names of a file."""
    found = path.stat()
    return found.st_dev, found.st_ino

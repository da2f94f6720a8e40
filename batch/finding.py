# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the motions below folders. Links to folders are followed, and every folder is visited once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .command_line import FORMATS, MotionFormat


def format_of(path: Path) -> MotionFormat | None:
    """The format of a file name's extension, or None."""
    ending = path.suffix.lower().removeprefix(".")
    return next((known for known in FORMATS if known == ending), None)


@dataclass
class Found:
    """The motions below a folder."""

    motions: list[Path] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    """One sentence for each folder or motion that was not taken."""


def motions_below(folder: Path, output: Path) -> Found:
    """The motions below a folder, sorted, without hidden files and the folder `output` of results.

    Folders that links lead to come after all others, so that a clip is named after its own folder where it has one
    below `folder`.
    """
    found = Found()
    results = _identity(output) if _identity(output) != _identity(folder) else None
    visited: set[tuple[int, int]] = set() if results is None else {results}
    links = [folder]
    while links:
        beginning = links.pop(0)
        identity = _identity(beginning)
        if identity is None:
            found.skipped.append(f"{beginning} was skipped: it cannot be read.")
        elif identity in visited:
            if identity != results:
                found.skipped.append(f"{beginning} was skipped: it leads to a folder whose motions are there already.")
        else:
            links += sorted(_visit(beginning, visited, found))
    found.motions.sort()
    return found


def _visit(folder: Path, visited: set[tuple[int, int]], found: Found) -> Iterator[Path]:
    """Add the motions of a folder and of real folders below it to `found`; yields the links to other folders."""
    identity = _identity(folder)
    if identity is None or identity in visited:
        return
    visited.add(identity)
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        found.skipped.append(f"{folder} was skipped: {error.strerror or error}.")
        return
    for entry in entries:
        path = folder / entry.name
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            if entry.is_symlink():
                yield path
            else:
                yield from _visit(path, visited, found)
        elif format_of(path) is not None:
            if entry.is_file():
                found.motions.append(path)
            else:
                found.skipped.append(f"{path} was skipped: it is a link that leads nowhere, or no file.")


def _identity(path: Path) -> tuple[int, int] | None:
    """Device and inode, which are equal for all names of a folder; None if it is not there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino

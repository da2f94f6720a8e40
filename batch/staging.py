# SPDX-License-Identifier: GPL-3.0-or-later
"""Results are written under temporary names, and moved to their places when all of them are complete.

The temporary files are beside their places, so that moving them is atomic. Each generation of a claim has names of its
own; the next owner of a clip removes what earlier ones have left behind.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
from pathlib import Path

from .. import solver
from .claims import hidden_name

_SINGLE = ("blend", "fbx")
"""Formats that store paths relative to their own folder: they are written there, and the others in a folder inside."""

_PROBE = 1 << 20
"""Bytes that are written to find out why Blender could not write."""


class Stage:
    """The files of one clip until they are complete."""

    def __init__(self, stem: str, generation: int = 0) -> None:
        self.stem, self.generation = stem, generation
        self.moves: dict[Path, Path] = {}
        """From temporary to final path, in the order in which they are moved."""
        self.obsolete: set[Path] = set()
        """Files of an earlier result that nothing refers to afterwards."""

    def place_for(self, final: Path) -> Path:
        """Where to write the file that is to become `final`; it is moved there by `publish`."""
        folder = final.parent
        folder.mkdir(parents=True, exist_ok=True)
        kind = final.suffix.lower().removeprefix(".")
        if kind in _SINGLE:
            temporary = folder / f"{_partial(self.stem, self.generation)}.{kind}"
        else:
            temporary = folder / _partial(self.stem, self.generation) / final.name
            temporary.parent.mkdir(exist_ok=True)
        self.moves[temporary] = final
        return temporary

    def remove_left_over(self) -> None:
        """Remove what owners of the clip before this one have left behind."""
        for generation in range(self.generation + 1):
            _remove(self.stem, generation)

    def publish(self) -> dict[str, int]:
        """Move the files to their places; returns their sizes by name, in the clip's folder."""
        sizes = {}
        for temporary in self.moves:
            _flush(temporary)
        for temporary, final in self.moves.items():
            if final.exists():
                if not os.access(final, os.W_OK):
                    raise solver.PoiseError(f"{final.name} cannot be written (it is write-protected).")
                shutil.copymode(final, temporary)
            sizes[final.name] = temporary.stat().st_size
            os.replace(temporary, final)
        for folder in {final.parent for final in self.moves.values()}:
            _flush_folder(folder)
        for path in self.obsolete - set(self.moves.values()):
            with contextlib.suppress(OSError):
                path.unlink()
        self.moves = {}
        return sizes

    def discard(self) -> None:
        """Remove all temporary files."""
        self.moves = {}
        _remove(self.stem, self.generation)


def reason_not_written(folder: Path) -> str:
    """Why a file could not be written to a folder, found by trying; empty if it can be now.

    Blender's own messages leave the reason out, or give a wrong one.
    """
    probe = folder / f".{secrets.token_hex(8)}.partial"
    try:
        with probe.open("xb") as file:
            file.write(b"\0" * _PROBE)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.strerror or os.strerror(error.errno or errno.EIO)
    finally:
        with contextlib.suppress(OSError):
            probe.unlink()
    return ""


def has_left_over(stem: str) -> bool:
    """Whether there are temporary files of a clip."""
    folder = Path(os.path.dirname(stem)) / _partial(stem, 0)
    return any(
        folder.with_name(f"{folder.name}{ending}").exists() for ending in ("", *(f".{kind}" for kind in _SINGLE))
    )


def _partial(stem: str, generation: int) -> str:
    return f"{hidden_name(stem)}.partial-{generation}"


def _remove(stem: str, generation: int) -> None:
    base = Path(os.path.dirname(stem)) / _partial(stem, generation)
    shutil.rmtree(base, ignore_errors=True)
    for kind in _SINGLE:
        for ending in (kind, f"{kind}@", f"{kind}1"):  # Blender first writes to a name with @, and may keep a backup
            with contextlib.suppress(OSError):
                base.with_name(f"{base.name}.{ending}").unlink()


def _flush(path: Path) -> None:
    """Let the disk have the content of a file before its name says that it is complete."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # not every system can open a folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

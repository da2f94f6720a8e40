# SPDX-License-Identifier: GPL-3.0-or-later
"""Atomic writing of files: a failure, a full disk or a killed process leave an existing file unchanged."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from pathlib import Path

from ..core.errors import FileFormatError


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file as UTF-8. A failure raises one `FileFormatError` and leaves an existing file unchanged."""
    name = Path(path).name or str(path)
    try:
        data = text.encode("utf-8")
        target = Path(os.path.realpath(path))
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(None, "it is write-protected")
        partial = target.with_name(f".{secrets.token_hex(8)}.partial")
        try:
            with partial.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                shutil.copymode(target, partial)
            os.replace(partial, target)
        finally:
            with contextlib.suppress(OSError):
                partial.unlink()
    except (OSError, ValueError) as error:
        raise FileFormatError(f"{name} cannot be written ({reason(error)}); choose another place.") from error


def read_whole(path: str | os.PathLike[str], wanted: str, most_bytes: int, too_large: str) -> bytes:
    """The bytes of a file. A failure raises one `FileFormatError`.

    `wanted` names the kind of file to choose; `too_large` ends the message about a file of more than `most_bytes`.
    """
    source = Path(path)
    name = source.name or str(source)
    try:
        if not source.is_file():
            problem = "is not a file" if source.exists() else "does not exist"
            raise FileFormatError(f"{name} {problem}; choose {wanted}.")
        if source.stat().st_size > most_bytes:
            raise FileFormatError(f"{name} is larger than {most_bytes} bytes{too_large}.")
        return source.read_bytes()
    except OSError as error:
        raise FileFormatError(f"{name} cannot be read ({reason(error)}); check the file.") from error


def reason(error: OSError | ValueError) -> str:
    """Why a file could not be read or written, in a few words."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__

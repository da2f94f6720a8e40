# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors as sentences of a report, and which of them may not happen again."""

from __future__ import annotations

import errno
import traceback
from typing import Any

from ..solver import PoiseError

_BlenderError = RuntimeError
"""Raised by Blender's operators, with their message after "Error:"."""

_PASSING = {
    getattr(errno, name)
    for name in ("EAGAIN", "EBUSY", "ECONNRESET", "EHOSTDOWN", "EHOSTUNREACH", "EINTR", "EIO", "ESTALE", "ETIMEDOUT")
    if hasattr(errno, name)
}
"""Errors of a network file system that may be gone a moment later. A full disk is none of them."""


def failure(error: Exception) -> dict[str, Any]:
    """The entries of a report for an error; unexpected ones have their traceback."""
    told: dict[str, Any] = {"succeeded": False, "error": sentence(error)}
    if isinstance(error, MemoryError):
        told["error"] = "It needs more memory than there is: give it more, or fewer processes at once (--jobs)."
    elif not isinstance(error, (PoiseError, OSError, _BlenderError)):
        told["traceback"] = "".join(traceback.format_exception(error))
    if is_passing(error):
        told["may_pass"] = True
    return told


def is_passing(error: BaseException) -> bool:
    """Whether the cause of an error may be gone a moment later."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in _PASSING:
            return True
        cause = cause.__cause__
    return False


def sentence(error: Exception) -> str:
    """The message of an error in one line, with the type of unexpected errors."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if isinstance(error, _BlenderError) and any("Traceback" in line for line in lines):
        # An exception inside an importer: its type and message are the last line of the traceback.
        lines = [line for line in lines if not line.startswith("Location:")][-1:]
    words = " ".join(lines).removeprefix("Error: ")
    if isinstance(error, (PoiseError, _BlenderError)) and words:
        return words
    return f"{type(error).__name__}: {words}" if words else type(error).__name__

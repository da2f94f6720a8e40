# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether one input is a finding: anything but a result, or a refusal in one sentence."""

from __future__ import annotations

import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from poise import solver

from .targets import TARGETS

ROOT = Path(__file__).resolve().parents[2]

LONGEST_SENTENCE = 1000
"""Characters of a message: a longer one repeats the input instead of saying what is wrong."""


@dataclass(frozen=True)
class Finding:
    """Something that must not happen while an input is read."""

    target: str
    kind: str
    """"traceback", "warning", "sentence", "memory", "hang" or "crash"."""
    place: str
    """What findings of the same cause have in common: the exception with the line that raised it."""
    text: str
    """The traceback, or a sentence."""

    @property
    def key(self) -> str:
        """Identifies its cause."""
        return f"{self.target}: {self.kind}: {self.place}"


def judged(target: str, data: bytes) -> tuple[bool, Finding | None]:
    """Whether an input is accepted, and what is wrong about how it was read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", solver.RecruitingWarning)
            TARGETS[target].run(data)
    except solver.PoiseError as error:
        return False, _of_sentence(target, str(error))
    except MemoryError as error:
        return False, Finding(target, "memory", _place(error), _told(error))
    except Warning as error:
        return False, Finding(target, "warning", _place(error), _told(error))
    except Exception as error:
        return False, Finding(target, "traceback", _place(error), _told(error))
    return True, None


def _of_sentence(target: str, message: str) -> Finding | None:
    if len(message) > LONGEST_SENTENCE:
        return Finding(target, "sentence", "too long", f"{len(message)} characters: {message[:LONGEST_SENTENCE]}…")
    if not message.endswith((".", "?")):
        return Finding(target, "sentence", "no end", message)
    return None


def _place(error: BaseException) -> str:
    return f"{type(error).__name__} in {_innermost(error.__traceback__)}"


def _innermost(trace: TracebackType | None) -> str:
    """File and line of the innermost frame in this checkout."""
    found = "?"
    for frame in traceback.extract_tb(trace):
        path = Path(frame.filename)
        if path.is_relative_to(ROOT) and ".venv" not in frame.filename:
            found = f"{path.relative_to(ROOT)}:{frame.lineno}"
    return found


def _told(error: BaseException) -> str:
    """The traceback; of a deep recursion only its ends."""
    lines = traceback.format_exception(error)
    return "".join(lines if len(lines) < 60 else [*lines[:20], "…\n", *lines[-20:]])

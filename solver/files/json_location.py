# SPDX-License-Identifier: GPL-3.0-or-later
"""A location in a JSON file, for error messages that name the constraint, the key and the item."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from ..core.errors import FileFormatError, PoiseError
from .conversion import Conversion


@dataclass(frozen=True)
class JsonLocation:
    """A location in a JSON file. Its `fail` raises an error that names it."""

    what: str
    """The file and the constraint, as an error message begins."""
    conversion: Conversion
    path: tuple[str | int, ...] = ()
    """Keys, and item numbers from 1, from the outermost inward."""
    joint: str = ""
    """The joint whose local frame vectors and rotations of this location refer to; empty for none."""
    error: type[PoiseError] = FileFormatError

    def at(self, step: str | int) -> JsonLocation:
        """The location of a key, or of an item counted from 1, inside this one."""
        # Called for each value of a file: dataclasses.replace would take most of the time of reading.
        return JsonLocation(self.what, self.conversion, (*self.path, step), self.joint, self.error)

    def fail(self, wrong: str) -> NoReturn:
        """Raise an error about the value here. `wrong` ends the sentence that the location begins."""
        raise self.error(f"{self.what}: {self._place or 'it'} {wrong}{'' if wrong.endswith('?') else '.'}")

    def quote(self, error: PoiseError) -> NoReturn:
        """Raise an error at this location with the message of another error."""
        raise self.error(f"{self.what}: {self._place}: {error}" if self.path else f"{self.what}: {error}") from None

    @property
    def _place(self) -> str:
        steps = [f"item {step}" if isinstance(step, int) else f'"{step}"' for step in reversed(self.path)]
        return " of ".join(steps)


def quoted(value: object) -> str:
    """A value as an error message quotes it, cut short."""
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"


LONGEST_QUOTE = 40
"""Largest number of characters of a quoted value."""


def suggestion(word: str, words: Iterable[str]) -> str:
    """The end of a message about an unknown word: the nearest known word, or the list of known ones."""
    known = list(words)
    near = difflib.get_close_matches(word, known, n=1)
    return f'did you mean "{near[0]}"?' if near else f"there are {', '.join(known)}"


def check_keys(record: Mapping[str, Any], known: Iterable[str], needed: Iterable[str], where: JsonLocation) -> None:
    """Fail where a record has an unknown key, or lacks a needed one."""
    words = list(known)
    for key in record:
        if key not in words:
            where.fail(f'has an unknown key "{key}"; {suggestion(key, words)}')
    for key in needed:
        if key not in record:
            where.fail(f'needs the key "{key}"')

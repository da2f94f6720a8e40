# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON text that users write: what is ambiguous or no number is refused."""

from __future__ import annotations

import json
from typing import Any

from ..core.errors import FileFormatError
from .json_location import quoted

MAX_NESTING = 100
"""Largest depth of records and lists. What reads and quotes them may recurse, and Python's own limit varies."""


def parse_json(data: bytes, name: str) -> Any:
    """The content of JSON text in UTF-8; error messages call the file `name`.

    Text that is no JSON, repeats a key in a record, or holds a number that is not finite raises one `FileFormatError`.
    """

    def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record: dict[str, Any] = {}
        for key, value in pairs:
            if key in record:
                raise FileFormatError(f"{name}: the key {quoted(key)} stands twice in the same record; remove one.")
            record[key] = value
        return record

    def not_a_number(word: str) -> Any:
        raise FileFormatError(f"{name}: it holds {word}, where only finite numbers mean something.")

    try:
        text = data.decode("utf-8-sig")
        value = json.loads(text, object_pairs_hook=without_repetition, parse_constant=not_a_number)
    except UnicodeDecodeError:
        raise FileFormatError(f"{name}: it is not text in UTF-8, so it is no JSON.") from None
    except json.JSONDecodeError as error:
        raise FileFormatError(
            f"{name}: it is not JSON: {error.msg} in line {error.lineno}, column {error.colno}."
        ) from None
    except RecursionError:
        raise _too_deep(name) from None
    except FileFormatError:
        raise
    except ValueError as error:  # a whole number with more digits than Python reads
        raise FileFormatError(f"{name}: it is not JSON that can be read: {error}.") from None
    if _is_deeper(value, MAX_NESTING):
        raise _too_deep(name)
    return value


def _too_deep(name: str) -> FileFormatError:
    return FileFormatError(f"{name}: its brackets are nested too deeply; Poise writes none deeper than {MAX_NESTING}.")


def _is_deeper(value: Any, most: int) -> bool:
    """Whether records and lists of a value are nested more than `most` deep."""
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(most):
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return False
    return True

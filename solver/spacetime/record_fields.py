# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields of a dataclass in a record that a user has written as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from ..core.errors import PoiseError


def record_fields(what: str, data: object, kind: type, error: type[PoiseError]) -> dict[str, Any]:
    """The fields that a record has for a dataclass: all that are needed, and no others; else `error` is raised.

    `what` names the record in the message.
    """
    article = "An" if what[0] in "aeiou" else "A"
    known = {each.name: each.default is MISSING and each.default_factory is MISSING for each in fields(kind)}
    if not isinstance(data, Mapping):
        raise error(f"{article} {what} has {', '.join(known)}, not {data!r}.")
    for name in data:
        if name not in known:
            raise error(f"{article} {what} has no {name!r}; it has {', '.join(known)}.")
    for name, is_needed in known.items():
        if is_needed and name not in data:
            raise error(f"{article} {what} needs {name!r}.")
    return dict(data)

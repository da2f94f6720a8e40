# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work in steps: a generator that yields how far it has come and returns its result. To cancel, close it."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

_Returned = TypeVar("_Returned")


def finished(steps: Generator[object, None, _Returned]) -> _Returned:
    """Take all steps, and return the result."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            returned: _Returned = stop.value
            return returned

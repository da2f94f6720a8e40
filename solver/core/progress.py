# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work as a generator that yields its progress and returns its result; closing it cancels the work."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

_Returned = TypeVar("_Returned")


def finished(steps: Generator[object, None, _Returned]) -> _Returned:
    """Run a generator to its end and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            returned: _Returned = stop.value
            return returned

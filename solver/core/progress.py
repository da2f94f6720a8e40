# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work as a generator that yields its progress and returns its result; closing it cancels the work."""

from __future__ import annotations

from collections.abc import Callable, Generator
from enum import Enum
from typing import TypeVar

_Returned = TypeVar("_Returned")
_Step = TypeVar("_Step")
_Yielded = TypeVar("_Yielded")


class Stage(Enum):
    """The stages of a deformation, in their order. What a user reads about them is up to the program that shows it."""

    BOUNDARIES = "boundaries"
    """Constraints are blended into the motion around them, and the draft is solved again."""
    COARSE = "coarse"
    """The draft is solved, at every few frames."""
    SOLVING = "solving"
    """All frames are projected onto their targets, or solved one after the other."""
    CONFLICTS = "conflicts"
    """Targets that cannot be reached are relaxed, and frames in which one is missed are solved in strict priority."""
    CLEARANCE = "clearance"
    """Feet are lifted out of the ground."""


def finished(steps: Generator[object, None, _Returned]) -> _Returned:
    """Run a generator to its end and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            returned: _Returned = stop.value
            return returned


def with_each_step(steps: Generator[object, None, _Returned], value: _Yielded) -> Generator[_Yielded, None, _Returned]:
    """A generator that yields a value at every step of another one, and returns what that returns."""
    return converted(steps, lambda _: value)


def converted(
    steps: Generator[_Step, None, _Returned], convert: Callable[[_Step], _Yielded]
) -> Generator[_Yielded, None, _Returned]:
    """A generator that yields what `convert` makes of every step of another one, and returns what that returns."""
    try:
        while True:
            try:
                step = next(steps)
            except StopIteration as stop:
                returned: _Returned = stop.value
                return returned
            yield convert(step)
    finally:
        steps.close()

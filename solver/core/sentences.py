# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences with frames and amounts, which a program can say in its own frames and units.

The solver counts frames from 0 and knows no units. A program whose frames have other numbers, and whose lengths have
units, gets the same sentence by `told`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

SayFrame = Callable[[float], str]
"""The text for a frame of the clip."""
SayAmount = Callable[[float, bool], str]
"""The text for a length in the clip's units, or with True for an angle in radians."""


@dataclass(frozen=True)
class Frame:
    """A frame of the clip in a sentence."""

    time: float

    def __str__(self) -> str:
        return f"{self.time:g}"


@dataclass(frozen=True)
class Amount:
    """A length in the clip's units, or an angle in radians, in a sentence."""

    value: float
    is_angular: bool = False

    def __str__(self) -> str:
        return f"{self.value:.3g}"


Part = str | Frame | Amount


def told(parts: Iterable[Part], frame: SayFrame | None = None, amount: SayAmount | None = None) -> str:
    """The sentence of some parts, with other texts for frames and amounts where these are given."""

    def text(part: Part) -> str:
        if isinstance(part, Frame) and frame is not None:
            return frame(part.time)
        if isinstance(part, Amount) and amount is not None:
            return amount(part.value, part.is_angular)
        return str(part)

    return "".join(map(text, parts))

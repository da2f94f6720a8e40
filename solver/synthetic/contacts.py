# SPDX-License-Identifier: GPL-3.0-or-later
"""What a made-up motion is, and what is true of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..body.clip import Clip
from ..core.arrays import Array

Foot = Literal["left", "right"]


@dataclass(frozen=True, eq=False)
class Contact:
    """A foot on the floor. Frames count from 0 and belong to it, the first and the last too."""

    foot: Foot
    heel_strike: int
    """First frame in which the heel is at rest on the floor; 0 if it was there before the clip began."""
    toe_strike: int
    """First frame in which the toe joint is at rest too."""
    heel_off: int
    """Last frame in which the heel is at rest; the clip's last if it stays there."""
    toe_off: int
    """Last frame in which the toe joint is at rest."""
    heel: Array
    """(3,) where the landmark of the heel is from `heel_strike` to `heel_off`, in the world."""
    toe: Array
    """(3,) where the toe joint is from `toe_strike` to `toe_off`, in the world."""


@dataclass(frozen=True, eq=False)
class SyntheticMotion:
    """A made-up clip, and the contacts that were meant, in the order in which they begin."""

    clip: Clip
    contacts: tuple[Contact, ...]

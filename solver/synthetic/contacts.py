# SPDX-License-Identifier: GPL-3.0-or-later
"""A made-up motion and its true contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..body.clip import Clip
from ..core.arrays import Array

Foot = Literal["left", "right"]


@dataclass(frozen=True, eq=False)
class Contact:
    """One contact of a foot with the floor. Frames count from 0; first and last frame are included."""

    foot: Foot
    heel_strike: int
    """First frame in which the heel is at rest on the floor; 0 if it was there before the clip began."""
    toe_strike: int
    """First frame in which the ball is at rest too."""
    heel_off: int
    """Last frame in which the heel is at rest; the clip's last if it stays there."""
    toe_off: int
    """Last frame in which the ball is at rest."""
    heel: Array
    """(3,) world position of the heel's landmark from `heel_strike` to `heel_off`."""
    toe: Array
    """(3,) world position of the ball (the toe joint) from `toe_strike` to `toe_off`."""


@dataclass(frozen=True, eq=False)
class SyntheticMotion:
    """A made-up clip and its true contacts, in the order in which they begin."""

    clip: Clip
    contacts: tuple[Contact, ...]

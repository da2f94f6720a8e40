# SPDX-License-Identifier: GPL-3.0-or-later
"""How hands and feet are cleaned: times in seconds, so that every frame rate gives the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..constraints import Ground
from ..core.errors import ConstraintError
from ..core.numbers import is_number


@dataclass(frozen=True)
class CleanSettings:
    """How hands and feet are cleaned. The defaults are those of document 000."""

    averaging: float = 0.25
    """Seconds of a plant, from its begin, over whose mean its place is found (L1)."""
    turning: float = 0.25
    """Seconds over which the turn of a hand or a foot that is held by two points fades while one holds it (L2)."""
    carrying: float = 0.25
    """Seconds, to either side, over which the root's displacement is smoothed (L3)."""
    smoothing: float = 0.06
    """Seconds, to either side, over which what is added to a knee's or an elbow's bend is smoothed while its limb is
    held, so that it does not tremble in the foot's stead: lengths take up the rest. 0, and where nothing may stretch:
    not at all, as in the document."""
    blending: float = 0.25
    """Seconds over which adjustments fade where nothing is planted (L4)."""
    lifting: float = 0.1
    """Seconds, to either side, over which a free limb is lifted out of the floor and let down again."""
    swivel: float = 0.5
    """Where the knee goes between what turns the hip least, 0, and what turns the ankle least, 1."""
    damping: float | None = float(np.deg2rad(135.0))
    """The angle of knee or elbow, in radians, from which on its changes are damped; None: never."""
    stretch: bool = True
    """Whether bones may change their lengths; if not, what they miss is left over."""
    most_stretch: float = 0.1
    """The largest share by which bones may change their lengths; what is still missing then is left over."""
    ground: Ground | None = None
    """What nothing goes below, and what plants stand on that ask for it; None: there is no floor."""

    def __post_init__(self) -> None:
        for what in ("averaging", "turning", "carrying", "smoothing", "blending", "lifting"):
            value = getattr(self, what)
            if not is_number(value) or value < 0.0:
                raise ConstraintError(f"The setting {what} must be a finite number of seconds, 0 or more.")
        if not is_number(self.most_stretch) or not 0.0 <= self.most_stretch < 1.0:
            raise ConstraintError("The setting most_stretch must be a number from 0 to 1.")
        if not is_number(self.swivel) or not 0.0 <= self.swivel <= 1.0:
            raise ConstraintError("The setting swivel must be a number from 0 to 1.")
        if self.damping is not None and not (is_number(self.damping) and 0.0 < self.damping < np.pi):
            raise ConstraintError("The setting damping must be an angle between 0 and pi, or None.")
        if self.ground is not None and not isinstance(self.ground, Ground):
            raise ConstraintError(f"The ground must be a Ground or None, not {self.ground!r}.")

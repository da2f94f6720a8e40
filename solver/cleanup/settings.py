# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the cleaning of hands and feet; times are in seconds, so that they do not depend on the frame rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..constraints import Ground
from ..core.errors import ConstraintError
from ..core.numbers import is_number


@dataclass(frozen=True)
class CleanSettings:
    """Settings of the cleaning of hands and feet. The defaults are those of Kovar 2004."""

    averaging: float = 0.25
    """Seconds of a plant, from its begin, over which its location is averaged (L1)."""
    turning: float = 0.25
    """Seconds over which the rotation of a hand or foot with two planted points is continued, and vanishes, while only
    one of them is planted (L2)."""
    carrying: float = 0.25
    """Seconds, to either side, over which the root's displacement is smooth (L3)."""
    smoothing: float = 0.06
    """Seconds, to either side, over which the way of an ankle or a wrist with one planted point and the swivel of a
    limb are smoothed, and over which rigid limbs tell what trembles from what is steady. Without it the noise of a
    planted foot would show in the knee. Limbs that stretch smooth what is added to their bend too, and their bones take
    up the difference. 0: no smoothing, as in Kovar 2004."""
    blending: float = 0.25
    """Seconds over which the targets of limbs are continued, and vanish, where nothing is planted (L4)."""
    lifting: float = 0.1
    """Seconds, to either side, over which a free limb is lifted out of the floor and let down again."""
    swivel: float = 0.5
    """The rotation of the knee about the line from hip to ankle: 0 rotates the hip least, 1 the ankle."""
    damping: float | None = float(np.deg2rad(135.0))
    """The angle of knee or elbow, in radians, pi at full extension, above which its changes are damped; None: never."""
    stretch: bool = True
    """Whether bones may change their lengths; if not, points out of reach have a residual."""
    most_stretch: float = 0.1
    """The largest share by which bones may change their lengths; beyond it points have a residual."""
    ground: Ground | None = None
    """The ground: limbs stay above it, and plants whose floor is "ground" stand on it. None: there is none."""

    def __post_init__(self) -> None:
        for name in ("averaging", "turning", "carrying", "smoothing", "blending", "lifting"):
            value = getattr(self, name)
            if not is_number(value) or value < 0.0:
                raise ConstraintError(f"The setting {name} must be a finite number of seconds, 0 or more.")
        if not is_number(self.most_stretch) or not 0.0 <= self.most_stretch < 1.0:
            raise ConstraintError("The setting most_stretch must be a number from 0 to 1.")
        if not is_number(self.swivel) or not 0.0 <= self.swivel <= 1.0:
            raise ConstraintError("The setting swivel must be a number from 0 to 1.")
        if self.damping is not None and not (is_number(self.damping) and 0.0 < self.damping < np.pi):
            raise ConstraintError("The setting damping must be an angle between 0 and pi, or None.")
        if self.ground is not None and not isinstance(self.ground, Ground):
            raise ConstraintError(f"The ground must be a Ground or None, not {self.ground!r}.")

# SPDX-License-Identifier: GPL-3.0-or-later
"""The skin of a character: points of its surface, each fixed to the joint that moves it most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Array, IntArray
from ..core.errors import SkeletonError


@dataclass(frozen=True, eq=False)
class Skin:
    """Vertices of a mesh that is bound to a skeleton, in its rest pose.

    They show where soles, heels, tips of toes and the top of the head are. Any part of the surface may be given; points
    of the body without skin are estimated from the joints.
    """

    joints: IntArray
    """(points,) the index of the joint that each point moves with."""
    offsets: Array
    """(points, 3) each point in that joint's frame, in the skeleton's units."""

    def __post_init__(self) -> None:
        joints = np.array(self.joints, dtype=np.int64)
        offsets = np.array(self.offsets, dtype=np.float64)
        if joints.ndim != 1 or offsets.shape != (len(joints), 3):
            raise SkeletonError(
                f"A skin needs a joint and three numbers for each point, not {joints.shape} joints and {offsets.shape} "
                "offsets."
            )
        if not np.isfinite(offsets).all():
            raise SkeletonError("The points of a skin must be finite numbers.")
        for name, array in (("joints", joints), ("offsets", offsets)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return len(self.joints)

    def scaled(self, factor: float) -> Skin:
        """The same skin on a skeleton that is a number of times larger."""
        return Skin(self.joints, factor * self.offsets)

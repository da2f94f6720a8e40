# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of the transform channels of every bone in every frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import rotation_channels
from .arrays import Array
from .rig import Rig


@dataclass(eq=False)
class Channels:
    """The location, rotation and scale channels of all bones."""

    location: Array
    """(frames, bones, 3)"""
    rotation: Array
    """(frames, bones, 4) in each bone's own rotation mode, as `rotation_channels` defines it."""
    scale: Array
    """(frames, bones, 3)"""

    def copy(self) -> Channels:
        """A copy of all arrays."""
        return Channels(self.location.copy(), self.rotation.copy(), self.scale.copy())

    def rotation_matrices(self, rig: Rig) -> Array:
        """The rotations as matrices, (frames, bones, 3, 3)."""
        matrices = np.empty((*self.rotation.shape[:2], 3, 3))
        for mode, bones in rig.bones_by_mode.items():
            matrices[:, bones] = rotation_channels.to_matrices(self.rotation[:, bones], mode)
        return matrices

    def effective_locations(self, rig: Rig) -> Array:
        """The locations, (frames, bones, 3), with zero for connected bones, whose location Blender ignores."""
        return np.where(rig.connected[:, None], 0.0, self.location)

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
    """What the location, rotation and scale channels of all bones hold."""

    location: Array
    """(frames, bones, 3)"""
    rotation: Array
    """(frames, bones, 4) in each bone's own rotation mode, as `rotation_channels` understands it."""
    scale: Array
    """(frames, bones, 3)"""

    def copy(self) -> Channels:
        """The same values, to be changed."""
        return Channels(self.location.copy(), self.rotation.copy(), self.scale.copy())

    def turns(self, rig: Rig) -> Array:
        """(frames, bones, 3, 3) rotation matrices."""
        turns = np.empty((*self.rotation.shape[:2], 3, 3))
        for mode, bones in rig.bones_by_mode.items():
            turns[:, bones] = rotation_channels.to_matrices(self.rotation[:, bones], mode)
        return turns

    def shifts(self, rig: Rig) -> Array:
        """(frames, bones, 3) locations as far as Blender heeds them."""
        return np.where(rig.connected[:, None], 0.0, self.location)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The displacement of a result from its source: for each joint and frame a rotation and a translation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..body.motion import Motion
from ..core import rotations
from ..core.arrays import Array
from ..core.errors import MotionError


@dataclass(frozen=True, eq=False)
class Displacement:
    """What leads from a source to a result."""

    rotation_vectors: Array
    """(frames, joints, 3) in the frame of each joint's parent, at most a half turn each: the result's rotation is
    exp(rotation vector) * the source's. Zero where both are equal."""
    translations: Array
    """(frames, joints, 3) added to the source's translations, in the parent's frame."""

    def applied(self, source: Motion) -> Motion:
        """The source displaced; joints and frames with no displacement come back bit for bit."""
        rotated = rotations.normalize(rotations.multiply(rotations.exp(self.rotation_vectors), source.rotations))
        unchanged = rotations.lengths(self.rotation_vectors) == 0.0
        if unchanged.any():
            rotated[unchanged] = source.rotations[unchanged]
        translated = np.where(self.translations != 0.0, source.translations + self.translations, source.translations)
        return Motion(rotated, translated)


def displacement(source: Motion, result: Motion) -> Displacement:
    """The displacement from the source to the result; exactly zero where they are the same bit for bit."""
    check_same_shape(source, result)
    return Displacement(
        rotations.log(rotations.quotient(result.rotations, source.rotations)),
        result.translations - source.translations,
    )


def check_same_shape(source: Motion, result: Motion) -> None:
    """Raise a `MotionError` unless two motions have the same frames and joints."""
    for what, one, other in (
        ("rotations", source.rotations, result.rotations),
        ("translations", source.translations, result.translations),
    ):
        if one.shape != other.shape:
            raise MotionError(
                f"Source and result must have the same frames and joints: the {what} have the shapes "
                f"{one.shape} and {other.shape}."
            )

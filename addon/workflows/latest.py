# SPDX-License-Identifier: GPL-3.0-or-later
"""The newest solve of each armature, kept in memory for what is drawn and for the next solve. It is never saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy

from ... import solver
from .. import bridge, translation
from .ground_gaps import GroundedConstraints


@dataclass(frozen=True, eq=False)
class Solved:
    """A solve with everything that it was made of."""

    reading: bridge.Reading
    source: solver.Clip
    """The clip of the reading, with the settings of the character; joints that cannot be baked are fixed."""
    translated: translation.Translation
    """The constraints as saved, with their uids."""
    grounded: GroundedConstraints
    """The constraints as solved."""
    deformation: solver.Deformation
    cyclic: bool


@dataclass(frozen=True, eq=False)
class Latest:
    """A solve that was baked."""

    solved: Solved
    shown: solver.Clip
    """The motion as baked."""
    residuals: Sequence[solver.Residual]
    """Of the motion as baked, one for each constraint in `solved.translated`."""


_latest: dict[str, Latest] = {}
"""By the name of the armature object: undo and loading replace objects."""


def of(armature: bpy.types.Object) -> Latest | None:
    """The newest solve of an armature; None where there is none in memory."""
    return _latest.get(armature.name)


def keep(armature: bpy.types.Object, latest: Latest) -> None:
    """Make a solve the newest of its armature."""
    _latest[armature.name] = latest


def forget(name: str | None = None) -> None:
    """Drop the solve of the armature with this name, or of all."""
    if name is None:
        _latest.clear()
    else:
        _latest.pop(name, None)

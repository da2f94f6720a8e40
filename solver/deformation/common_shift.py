# SPDX-License-Identifier: GPL-3.0-or-later
"""The common shift: how far plants carry the whole body, because they shift both feet alike.

Where all plants rise or move aside together, a body that stayed behind would have to fold or stretch its legs. So
displacements are measured relative to the shift that both feet have in common (docs/derivations.md). A foot that is
shifted alone carries nothing: the body stays, and its leg reaches.
"""

from __future__ import annotations

import numpy as np

from ..body.kinematics import WorldState
from ..constraints import Footplant
from ..core import rotations
from ..core.arrays import TINY, Array
from .rows import Rows
from .timeline import Timeline


def common_shift(timeline: Timeline) -> Array | None:
    """(frames, 3) the shift that the plants of both feet have in common, in the clip's units; None where one foot has
    no plants.

    Along one axis it is the harmonic mean of both feet's shifts: all of it where they agree, none where one is zero.
    """
    left, right = (_shift(timeline, foot) for foot in ("left", "right"))
    if left is None or right is None:
        return None
    both = left + right
    agreement = np.einsum("fi,fi->f", left, right) / np.maximum(np.einsum("fi,fi->f", both, both), TINY)
    return 2.0 * np.maximum(agreement, 0.0)[:, None] * both


def _shift(timeline: Timeline, foot: str) -> Array | None:
    """(frames, 3) the mean displacement of a foot over each of its plants, interpolated between them; None without
    plants."""
    shifts, counts = np.zeros((timeline.frames, 3)), np.zeros(timeline.frames)
    for channel in timeline.channels:
        if channel.effector.is_angular:
            continue
        is_own = [isinstance(each.constraint, Footplant) and each.constraint.foot == foot for each in channel.tracks]
        held = np.flatnonzero(np.array([*is_own, False])[channel.owner] & channel.in_hold)
        if held.size:
            firsts = np.flatnonzero(np.diff(channel.owner[held], prepend=-1))
            lengths = np.diff(np.append(firsts, len(held)))
            means = np.add.reduceat(channel.displacement[held], firsts) / lengths[:, None]
            shifts[held] += np.repeat(means, lengths, axis=0)
            counts[held] += 1.0
    known = np.flatnonzero(counts)
    if not known.size:
        return None
    means = shifts[known] / counts[known, None]
    return np.stack([np.interp(np.arange(timeline.frames), known, axis) for axis in means.T], axis=1)


def carried(timeline: Timeline, rows: Rows, source: WorldState) -> Array:
    """(frames of the rows, columns) the displacement of a body that the common shift carries, given its states in the
    source: that of the first joint that translates both feet, if all plants recruit it."""
    columns = rows.columns
    displacement = np.zeros((len(rows.frames), columns.count))
    shift = common_shift(timeline)
    stands = [bool(timeline.channels[block.channel].only_holds_constrained.any()) for block in rows.blocks]
    shared = rows.movers[stands][:, columns.dofs.translation_columns].all(axis=0)
    if shift is not None and shared.any():
        number = int(np.argmax(shared)) // 3
        own = slice(3 * number, 3 * number + 3)
        parents = source.parent_rotations(columns.dofs.translating[[number]])[:, 0]
        displacement[:, own] = rotations.rotate(rotations.conjugate(parents), shift[rows.frames]) / columns.scale[own]
    return displacement * rows.movable

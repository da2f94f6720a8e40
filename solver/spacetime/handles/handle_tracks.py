# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles over time: their values on two motions of the simplified character, and what the full one is to have of them
(Popović 1999, equation 5.1)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...body.clip import Clip
from ...body.motion import Motion
from ...core import rotations
from ...core.arrays import Array, BoolArray
from ...core.errors import HandleError
from ...core.numbers import is_number
from .handle import AxisHandle, CenterOfMassHandle, Handle


@dataclass(frozen=True, eq=False)
class HandleTrack:
    """One handle over the frames of the result."""

    handle: Handle
    fitted: Array
    """(frames, width) its value on the fitted simplified motion, at the source time that each frame corresponds to."""
    edited: Array
    """(frames, width) its value on the edited simplified motion."""
    weight: float = 1.0
    """The weight of its squared error beside those of other handles, in sizes of the character or radians."""

    def __post_init__(self) -> None:
        if not isinstance(self.handle, Handle):
            raise HandleError(f"A track is one of a handle, not of {self.handle!r}.")
        for name in ("fitted", "edited"):
            values = np.array(getattr(self, name), dtype=np.float64)
            if values.ndim != 2 or values.shape[1] != self.handle.width:
                raise HandleError(
                    f"{self.label}: its {name} values must have the shape (frames, {self.handle.width}), not "
                    f"{values.shape}."
                )
            if not np.isfinite(values).all():
                raise HandleError(f"{self.label}: its {name} values are not finite.")
            values.setflags(write=False)
            object.__setattr__(self, name, values)
        if not is_number(self.weight) or not self.weight > 0.0:
            raise HandleError(f"{self.label}: its weight must be a finite, positive number; to switch it off, omit it.")

    @property
    def label(self) -> str:
        """Its name in messages."""
        return self.handle.label[:1].upper() + self.handle.label[1:]

    def check(self, frames: int) -> None:
        """Raise unless the track has values for so many frames."""
        for name in ("fitted", "edited"):
            if len(getattr(self, name)) != frames:
                raise HandleError(
                    f"{self.label}: it has {name} values for {len(getattr(self, name))} frames, but the result has "
                    f"{frames}."
                )

    @property
    def is_same(self) -> BoolArray:
        """(frames,) where the edit has not changed it at all."""
        return np.asarray((self.fitted == self.edited).all(axis=1))

    def displaced(self, values: Array, trunk: Array, headings: Array) -> Array:
        """(frames, width) the values of the full character's handle after the edit, given those of the source (frames,
        width), the rotation of the trunk (frames, 4), and the part of it about the vertical (frames, 4).

        Lengths are displaced by what the edit has displaced them, equation 5.1: by how much the fit is off, the result
        is off too, in the direction that turns with the body. A direction is turned: by the trunk's rotation, and then
        by the least rotation that leads from the fitted direction, turned alike, to the edited one.
        """
        if self.handle.is_direction:
            around = rotations.between(rotations.rotate(trunk, self.fitted), self.edited)
            return rotations.rotate(around, rotations.rotate(trunk, values))
        if self.handle.width == 3 and self.handle.is_length:
            return self.edited + rotations.rotate(headings, values - self.fitted)
        return values + (self.edited - self.fitted)


LEVEL = 0.5
"""The least horizontal part of an axis, in all frames, for which the edit's change of heading can be read from it."""


def trunk_rotation(tracks: Sequence[HandleTrack], up: int, frames: int) -> Array:
    """(frames, 4) how the edit has turned the trunk, in the world: as two axes of one joint show, or one; the identity
    where no axis is tracked. `up` is the index of the vertical axis.

    One axis does not show a rotation about itself. A level one is first turned about the vertical, and then by the
    least rotation; so a character that is turned about does not tilt.
    """
    axes = [track for track in tracks if isinstance(track.handle, AxisHandle)]
    for first, second in itertools.combinations(axes, 2):
        if first.handle.joint == second.handle.joint:  # type: ignore[attr-defined]
            fitted, edited = (_frames_of(first, second, which) for which in ("fitted", "edited"))
            turns = rotations.multiply(edited, rotations.conjugate(fitted))
            return np.where((first.is_same & second.is_same)[:, None], rotations.IDENTITY, turns)
    if not axes:
        return np.tile(rotations.IDENTITY, (frames, 1))
    fitted, edited = rotations.unit(axes[0].fitted), rotations.unit(axes[0].edited)
    vertical = np.eye(3)[up]
    level, level_edited = (each - rotations.dot(each, vertical[None])[:, None] * vertical for each in (fitted, edited))
    headings = np.tile(rotations.IDENTITY, (frames, 1))
    if min(rotations.lengths(level).min(), rotations.lengths(level_edited).min()) > LEVEL:
        sines = rotations.dot(rotations.cross(level, level_edited), vertical[None])
        angles = np.arctan2(sines, rotations.dot(level, level_edited))
        headings = rotations.exp(angles[:, None] * vertical)
    turns = rotations.multiply(rotations.between(rotations.rotate(headings, fitted), edited), headings)
    return np.where(axes[0].is_same[:, None], rotations.IDENTITY, turns)


def _frames_of(first: HandleTrack, second: HandleTrack, which: str) -> Array:
    """(frames, 4) the rotations to the axes along a first direction and a second one, as far as it is across."""
    along, other = (rotations.unit(getattr(track, which)) for track in (first, second))
    across = rotations.unit(other - rotations.dot(along, other)[:, None] * along)
    return rotations.from_matrix(np.stack([along, across, rotations.cross(along, across)], axis=-1))


def headings_of(turns: Array, up: int) -> Array:
    """(frames, 4) the part about the vertical of rotations (frames, 4); a half turn about a level axis has none."""
    return rotations.swing_twist(turns, np.eye(3)[up])[1]


def common_displacement(tracks: Sequence[HandleTrack], frames: int) -> Array:
    """(frames, 3) how the edit has displaced the whole body: that of its centre of mass; without such a handle, the
    mean of all handles that are places."""
    for track in tracks:
        if track.handle == CenterOfMassHandle():
            return track.edited - track.fitted
    places = [track for track in tracks if track.handle.width == 3 and track.handle.is_length]
    if not places:
        return np.zeros((frames, 3))
    return np.asarray(np.mean([track.edited - track.fitted for track in places], axis=0))


def moved_rigidly(clip: Clip, displacement: Array, turns: Array) -> Clip:
    """The clip with the whole body turned about its centre of mass by rotations (frames, 4) and displaced (frames, 3)
    in each frame; where both are none, bit for bit."""
    roots = np.flatnonzero(clip.skeleton.parents < 0)
    center = clip.world.center_of_mass()[:, None]
    local, places = clip.motion.rotations.copy(), clip.motion.translations.copy()
    turned = np.abs(turns[:, 0]) < 1.0
    moved = displacement.any(axis=1) | turned
    local[:, roots] = np.where(
        turned[:, None, None], rotations.multiply(turns[:, None], local[:, roots]), local[:, roots]
    )
    carried = center + rotations.rotate(turns[:, None], places[:, roots] - center)
    carried = np.where(turned[:, None, None], carried, places[:, roots]) + displacement[:, None]
    places[:, roots] = np.where(moved[:, None, None], carried, places[:, roots])
    return clip.with_motion(Motion(local, places))

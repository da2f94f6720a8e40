# SPDX-License-Identifier: GPL-3.0-or-later
"""The acceleration baseline: the accelerations of a source, by which those of a displacement are judged.

A result that accelerates a joint far more than its source does looks shaken or popped; where it does is marked, so that
the displacement can be filtered there.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..body.motion import Motion
from ..core import rotations
from ..core.arrays import Array, ArrayLike, BoolArray

DEFAULT_TOLERANCE = 0.3
"""The default tolerance: the share of the baseline by which a displacement may accelerate. A result then accelerates by
at most 1.3 times its source."""

_GLITCH_FRAMES = 4
"""The least number of frames, those with a joint's largest accelerations, that are left out of its baseline. A cut, as
from a rest pose to a captured motion, makes two frames with accelerations far above all others; with these in the
baseline any jump would pass."""

_ROUGHEST_SHARE = 50
"""In long clips one frame in so many is left out, for more glitches. Steps and blows last for a larger share."""

_NEIGHBOURHOOD = 2
"""Frames to either side within which the source's own accelerations raise the bound for the result's."""

_SMALL_TURN = 0.3
"""Radians: chords of shorter arcs are less than half a percent shorter."""

_LEAST_SHARE = 0.25
"""The least baseline of a joint that hardly moves, as a share of the median joint's."""

_NEGLIGIBLE = 1e-4
"""Less than this share of the largest counts as zero: it is the rounding of a file, not motion."""

_EASE_IN_STILLNESS = 0.25
"""The baseline of a source that stands still: this share of the largest displacement, per frame squared. With the
default tolerance, eases of nine frames and more pass, jumps do not."""


def accelerations(channels: ArrayLike, fps: float = 1.0) -> Array:
    """(frames, ..., 3) second differences of quaternions (frames, ..., 4) or of vectors (frames, ..., 3).

    Per second squared, or per frame squared where no `fps` is given. Of quaternions they are the differences of the
    rotation vectors from frame to frame, in the parent's frame; the quaternions' signs do not matter. The first and the
    last frame have the values of their neighbours; of fewer than three frames all are zero.
    """
    values = np.asarray(channels, dtype=np.float64)
    if len(values) < 3:
        return np.zeros((*values.shape[:-1], 3))
    if values.shape[-1] == 4:
        velocities = rotations.log(rotations.quotient(values[1:], values[:-1]))
    else:
        velocities = np.diff(values, axis=0)
    inner = np.diff(velocities, axis=0) * (fps * fps)
    return np.concatenate([inner[:1], inner, inner[-1:]])


def _acceleration_lengths(channels: Array) -> Array:
    """(frames, joints) lengths of `accelerations` of quaternions (frames, joints, 4) or vectors (frames, joints, 3).

    For rotations by less than `_SMALL_TURN` from frame to frame the chord is taken for the arc.
    """
    if len(channels) < 3:
        return np.zeros(channels.shape[:-1])
    if channels.shape[-1] == 4:
        ratio = rotations.quotient(channels[1:], channels[:-1])
        velocities = rotations.scaled(ratio[..., 1:], np.copysign(2.0, ratio[..., 0]))
        large = np.abs(ratio[..., 0]) < np.cos(0.5 * _SMALL_TURN)
        if large.any():
            velocities[large] = rotations.log(ratio[large])
    else:
        velocities = channels[1:] - channels[:-1]
    inner = rotations.lengths(velocities[1:] - velocities[:-1])
    return np.concatenate([inner[:1], inner, inner[-1:]])


class AccelerationBaseline:
    """The accelerations of each joint of a source, as a bound for what an edit may add.

    The baseline of a joint is its largest acceleration in the clip, a few frames left out, so that a glitch in the
    source does not allow jumps everywhere; and at least a quarter of the median joint's, so that invisible changes of a
    joint that hardly moves, such as one of the spine, are not marked. The largest acceleration of the whole body would
    be a poor bound: in captured clips it is the noise of fingers and toes. If the source stands still, the displacement
    is measured by its own size instead.

    The baseline does not depend on unit, heading or place, nor, for a source that moves, on the frame rate.
    """

    def __init__(self, source: Motion) -> None:
        self.source = source
        self._angular = _acceleration_lengths(source.rotations)
        """(frames, joints)"""
        self._linear = _acceleration_lengths(source.translations)
        """(frames, joints)"""
        self._baselines = [_with_floor(_largest_usual(own)) for own in (self._angular, self._linear)]
        """For rotations and translations, (joints,) the baseline, and its median over the joints that move."""

    @cached_property
    def _nearby(self) -> list[Array]:
        """For rotations and translations, (frames, joints): the largest accelerations of the source near each frame."""
        return [np.maximum.reduce([own, *_shifted(own)]) for own in (self._angular, self._linear)]

    def roughness(self, result: Motion, window: slice = slice(None), least: float = 0.0) -> Array:
        """(frames of the window, joints) the displacement's acceleration as a multiple of the joint's baseline.

        The larger of rotations and translations counts. `result` covers the whole clip. Joints whose displacement is
        too small to exceed `least` may have 0.
        """
        inside, around = _around(window, result.frames)
        rotated = rotations.quotient(result.rotations[around], self.source.rotations[around])
        translated = result.translations[around] - self.source.translations[around]
        rough = np.zeros(translated.shape[:2])
        for added, (baseline, typical) in zip((rotated, translated), self._baselines, strict=True):
            sizes = rotations.lengths(added[..., -3:])
            if added is rotated:
                sizes = 2.0 * np.arcsin(np.minimum(sizes, 1.0))
            largest = sizes.max(axis=0, initial=0.0)
            extent = float(largest.max(initial=0.0))
            still = np.full_like(baseline, _EASE_IN_STILLNESS * extent)
            allowed = baseline if typical > _NEGLIGIBLE * extent else still
            # From one side to the other and back: what stays within a distance accelerates by at most four times it.
            joints = np.flatnonzero(4.0 * largest > least * allowed)
            if joints.size:
                accelerating = _acceleration_lengths(added[:, joints]) / allowed[joints]
                rough[:, joints] = np.maximum(rough[:, joints], accelerating)
        return rough[inside]

    def exceeded(self, result: Motion, window: slice = slice(None), tolerance: float = DEFAULT_TOLERANCE) -> BoolArray:
        """(frames of the window, joints) where both the displacement and the result accelerate too much.

        A displacement may accelerate because it removes accelerations: planted feet move the tremor of a capture from
        the feet into the legs. So frames are not marked in which the result accelerates by no more than 1 + `tolerance`
        times the joint's baseline, or times what the source does near them.
        """
        rough = self.roughness(result, window, tolerance) > tolerance
        joints = np.flatnonzero(rough.any(axis=0))
        if not joints.size:
            return rough
        inside, around = _around(window, result.frames)
        worse = np.zeros((len(rough), len(joints)), dtype=bool)
        for nearby, channels, (baseline, typical) in zip(
            self._nearby, (result.rotations, result.translations), self._baselines, strict=True
        ):
            if typical == 0.0:
                worse[:] = True
                continue
            sizes = _acceleration_lengths(channels[around][:, joints])[inside]
            worse |= sizes > (1.0 + tolerance) * np.maximum(baseline[joints], nearby[window][:, joints])
        rough[:, joints] &= worse
        return rough


def _around(window: slice, frames: int) -> tuple[slice, slice]:
    """Where a window lies in the same window widened by `_NEIGHBOURHOOD` frames to each side, and the widened one."""
    first, last, _ = window.indices(frames)
    begin, end = max(first - _NEIGHBOURHOOD, 0), min(last + _NEIGHBOURHOOD, frames)
    return slice(first - begin, last - begin), slice(begin, end)


def _shifted(sizes: Array) -> list[Array]:
    """Copies of an array over frames, shifted by 1 to `_NEIGHBOURHOOD` frames either way, their ends repeated."""
    frames = np.arange(len(sizes))
    return [
        sizes[np.clip(frames + step, 0, len(sizes) - 1)] for step in range(-_NEIGHBOURHOOD, _NEIGHBOURHOOD + 1) if step
    ]


def _with_floor(largest: Array) -> tuple[Array, float]:
    """The baselines (joints,) raised to `_LEAST_SHARE` of their median over the joints that move; and that median."""
    moving = largest[largest > _NEGLIGIBLE * largest.max(initial=0.0)]
    typical = float(np.median(moving)) if len(moving) else 0.0
    return np.maximum(largest, _LEAST_SHARE * typical), typical


def _largest_usual(sizes: Array) -> Array:
    """(joints,) the largest of `sizes` (frames, joints) with the largest few of each joint left out."""
    inner = sizes[1:-1]
    if len(inner) == 0:
        return np.zeros(sizes.shape[1])
    left_out = min(max(_GLITCH_FRAMES, len(inner) // _ROUGHEST_SHARE), len(inner) // 4)
    rank = len(inner) - 1 - left_out
    return np.partition(inner, rank, axis=0)[rank]

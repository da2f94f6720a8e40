# SPDX-License-Identifier: GPL-3.0-or-later
"""Filtering what an edit adds to a motion, where it adds frequencies that the source lacks (document 003, 5.3.1).

Between a source and a result lies the displacement: for each joint and frame the turn and the move that lead from one
to the other. Frames are solved one by one, so a displacement may jump where a limb is almost straight or a constraint
sets in. A low-pass filter on the displacement takes the jump out and leaves the source's own sharpness alone.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..body.motion import Motion
from ..core import rotations
from ..core.arrays import Array, ArrayLike, BoolArray, IntArray
from ..core.errors import MotionError, PoiseError

DEFAULT_TOLERANCE = 0.3
"""How much of the source's own accelerations a displacement may add: the result then has at most 1.3 times them."""

_GLITCH_FRAMES = 4
"""Frames of a joint that are never taken as its usual accelerations. A cut, such as a rest pose put before a captured
motion, makes two frames with accelerations far above all others, and must not license the same everywhere else."""

_ROUGHEST_SHARE = 50
"""In long clips one frame in so many is left out, for more glitches. Steps and blows take a larger share than that."""

_NEIGHBOURHOOD = 2
"""Frames to either side in which the source's own accelerations excuse the result's."""

_SMALL_TURN = 0.3
"""Radians: chords of shorter arcs are less than half a percent shorter."""

_QUIET_SHARE = 0.25
"""A joint that hardly moves may still be given this share of what the median joint does."""

_NEGLIGIBLE = 1e-4
"""Less than this share of the largest counts as nothing: rounding of a file, not motion."""

_EASE_IN_STILLNESS = 0.25
"""What counts as usual where the source stands still: this share of the largest displacement, per frame and frame. With
the default tolerance, eases of nine frames and more pass, jumps do not."""


# ---------------------------------------------------------------------------------------------------------------------
# The displacement
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Displacement:
    """What leads from a source to a result."""

    turns: Array
    """(frames, joints, 3) rotation vectors in the frame of each joint's parent, at most a half turn each:
    the result's rotation is exp(turn) * the source's. Zero where both have the same."""
    moves: Array
    """(frames, joints, 3) what is added to the translations in the parent's frame."""

    def applied(self, source: Motion) -> Motion:
        """The source displaced; joints and frames with no displacement come back bit for bit."""
        turned = rotations.normalize(rotations.multiply(rotations.exp(self.turns), source.rotations))
        still = rotations.lengths(self.turns) == 0.0
        if still.any():
            turned[still] = source.rotations[still]
        return Motion(turned, np.where(self.moves != 0.0, source.translations + self.moves, source.translations))


def displacement(source: Motion, result: Motion) -> Displacement:
    """What leads from the source to the result; exactly zero where they are the same bit for bit."""
    _check_same_shape(source, result)
    return Displacement(
        rotations.log(_turned(source.rotations, result.rotations)), result.translations - source.translations
    )


# ---------------------------------------------------------------------------------------------------------------------
# The filter
# ---------------------------------------------------------------------------------------------------------------------


def kernel(radius: int) -> Array:
    """(radius + 1,) the filter's weights from its centre outward: a Hann window over 2 radius + 1 frames.

    No weight is negative, and all of them together are one, so nothing overshoots. Among windows of this width it
    spreads a jump almost as evenly as a triangle (the best), and has no corner itself.
    """
    radius = _checked_radius(radius)
    return (1.0 + np.cos(np.pi * np.arange(radius + 1) / (radius + 1))) / (2.0 * (radius + 1))


def lowpass(values: ArrayLike, radius: int) -> Array:
    """The channels (frames, ...) averaged over `radius` frames to each side.

    Beyond the ends they go on mirrored through the end values, so the ends stay, and so does everything that changes
    evenly. A kernel that is wider than the clip is narrowed to it.
    """
    channels = np.asarray(values, dtype=np.float64)
    radius = min(_checked_radius(radius), len(channels) - 1)
    if radius <= 0:
        return channels.copy()
    before = 2.0 * channels[:1] - channels[radius:0:-1]
    after = 2.0 * channels[-1:] - channels[-2 : -radius - 2 : -1]
    return _averaged(np.concatenate([before, channels, after]), radius)


def envelope(values: Array, radius: int) -> Array:
    """(frames,) a smooth curve over values that are not negative: nowhere below them, and 0 far from where they are.

    It is the low-passed maximum of the values within `radius` frames: the mean of maxima is nowhere less than what
    they are taken of.
    """
    if not values.any() or radius <= 0:
        return values.copy()
    padded = np.pad(values, radius)
    widest = np.max([padded[step : step + len(values)] for step in range(2 * radius + 1)], axis=0)
    return np.maximum(lowpass(widest[:, None], radius)[:, 0], values)


def smoothed(source: Motion, result: Motion, where: ArrayLike, radius: int, frozen: ArrayLike | None = None) -> Motion:
    """The result with its displacement from the source low-passed around the marks `where` (frames, joints).

    The filter acts in full up to `radius` frames from a mark and fades out over twice as many more, so that it leaves
    no edge; all else comes back bit for bit. So do the frames in `frozen` (frames,): those that no constraint reaches,
    where the result is the source. Toward them the filtered displacement fades to nothing over `radius` frames.

    Turns are averaged around the frame's own: neither their signs nor half turns matter.
    """
    _check_same_shape(source, result)
    frames, joints = result.rotations.shape[:2]
    marks = _checked_marks(where, (frames, joints), "where")
    kept = _checked_marks(np.zeros(frames, dtype=bool) if frozen is None else frozen, (frames,), "frozen")
    radius = min(_checked_radius(radius), frames - 1)
    columns = np.flatnonzero(marks.any(axis=0))
    turned, moved = result.rotations.copy(), result.translations.copy()
    if radius <= 0 or len(columns) == 0:
        return Motion(turned, moved)

    share = _shares(marks[:, columns], radius)
    share[kept] = 0.0
    frame, column = np.nonzero(share)
    joint = columns[column]
    acting = share[frame, column][:, None]
    remains = _fade(kept, radius)[frame][:, None]

    turns = _turned(source.rotations[:, columns], turned[:, columns])
    changes = _turn_changes(turns, radius, frame, column, remains)
    stays = (changes == 0.0).all(axis=-1, keepdims=True)
    before = turned[frame, joint]
    after = rotations.normalize(rotations.multiply(rotations.exp(acting * changes), before))
    turned[frame, joint] = np.where(stays, before, after)

    moves = moved[:, columns] - source.translations[:, columns]
    shift = acting * (remains * lowpass(moves, radius)[frame, column] - moves[frame, column])
    moved[frame, joint] = np.where(shift == 0.0, moved[frame, joint], moved[frame, joint] + shift)
    return Motion(turned, moved)


def _turn_changes(turns: Array, radius: int, frame: IntArray, column: IntArray, remains: Array) -> Array:
    """(many, 3) the turns that lead from displacements (frames, columns, 4) to their filtered ones, at those entries.

    `remains` (many, 1) is how much of each filtered displacement is left.
    """
    # Beyond the ends the displacement goes on mirrored through the end's: in rotations p q⁻¹ p mirrors q through p.
    first, last = turns[:1], turns[-1:]
    before = rotations.multiply(rotations.multiply(first, rotations.conjugate(turns[radius:0:-1])), first)
    after = rotations.multiply(rotations.multiply(last, rotations.conjugate(turns[-2 : -radius - 2 : -1])), last)
    padded = np.concatenate([before, turns, after])
    own = turns[frame, column]
    back = rotations.conjugate(own)
    changes = np.zeros((len(frame), 3))
    for distance, weight in enumerate(kernel(radius)[1:], start=1):
        for other in (radius + frame - distance, radius + frame + distance):
            changes += weight * rotations.log(rotations.multiply(padded[other, column], back))
    fading = remains[:, 0] < 1.0
    if fading.any():
        filtered = rotations.multiply(rotations.exp(changes[fading]), own[fading])
        left = rotations.exp(remains[fading] * rotations.log(filtered))
        changes[fading] = rotations.log(rotations.multiply(left, back[fading]))
    return changes


def _averaged(padded: Array, radius: int) -> Array:
    """The channels weighted by the kernel; `padded` has `radius` more frames at each end.

    The weights multiply differences, so that constants come back bit for bit.
    """
    frames = len(padded) - 2 * radius
    center = padded[radius : radius + frames]
    total = center.copy()
    for distance, weight in enumerate(kernel(radius)[1:], start=1):
        for begin in (radius - distance, radius + distance):
            total += weight * (padded[begin : begin + frames] - center)
    return total


def _shares(marks: BoolArray, radius: int) -> Array:
    """How much the filter acts, 0 to 1: all of it up to `radius` from a mark, nothing beyond three times that.

    A fade half as long would make a smooth displacement up to 40 % rougher where the filter lets go, this one 10 %.
    """
    near = _dilated(marks, 2 * radius).astype(np.float64)
    return _averaged(np.pad(near, ((radius, radius), (0, 0)), mode="edge"), radius)


def _dilated(marks: BoolArray, radius: int) -> BoolArray:
    """True up to `radius` frames from a mark."""
    frames = len(marks)
    counted = np.concatenate([np.zeros((1, marks.shape[1]), dtype=np.int64), np.cumsum(marks, axis=0)])
    at = np.arange(frames)
    return counted[np.minimum(at + radius + 1, frames)] > counted[np.maximum(at - radius, 0)]


def _fade(frozen: BoolArray, radius: int) -> Array:
    """(frames,) 0 at a frozen frame, 1 beyond `radius` frames from it, and smooth between."""
    held = np.flatnonzero(frozen)
    if len(held) == 0:
        return np.ones(len(frozen))
    at = np.arange(len(frozen))
    following = np.searchsorted(held, at)
    distance = np.minimum(
        np.abs(at - held[np.maximum(following - 1, 0)]), np.abs(at - held[np.minimum(following, len(held) - 1)])
    )
    return 0.5 - 0.5 * np.cos(np.pi * np.minimum(distance / (radius + 1), 1.0))


# ---------------------------------------------------------------------------------------------------------------------
# Where it is needed
# ---------------------------------------------------------------------------------------------------------------------


def accelerations(channels: ArrayLike, fps: float = 1.0) -> Array:
    """(frames, ..., 3) second differences of quaternions (frames, ..., 4) or of vectors (frames, ..., 3).

    Per second and second, or per frame and frame where no `fps` is given. Of quaternions they are the differences of
    the turns from frame to frame, about axes of the parent; signs do not matter. The first and the last frame, which
    lack a neighbour, have what is next to them; fewer than three frames have none.
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


def _shaking(channels: Array) -> Array:
    """(frames, joints) lengths of `accelerations` of quaternions (frames, joints, 4) or vectors (frames, joints, 3).

    Of turns by less than `_SMALL_TURN` from frame to frame the chords are taken for the arcs.
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


class Liveliness:
    """How much a source accelerates: the measure of what an edit may add to it.

    What a joint usually does is the largest acceleration that it has in the clip, a few of its frames left out, lest a
    glitch in the source license pops everywhere; and not less than a quarter of the median joint's, lest a joint
    that hardly moves, such as one of the spine, be found rough for changes that no one sees. The body's largest would
    be a poor measure: in captured clips it is the noise of fingers and toes. If the source stands still, the
    displacement is measured by its own size instead.

    It does not depend on unit, heading or place, nor, for a source that moves, on the frame rate.
    """

    def __init__(self, source: Motion) -> None:
        self.source = source
        self._turning = _shaking(source.rotations)
        """(frames, joints)"""
        self._moving = _shaking(source.translations)
        """(frames, joints)"""
        self._usual = [_with_floor(_usual(own)) for own in (self._turning, self._moving)]

    @cached_property
    def _excused(self) -> list[Array]:
        """For turns and moves, (frames, joints): the largest accelerations that the source has near each frame."""
        return [np.maximum.reduce([own, *_shifted(own)]) for own in (self._turning, self._moving)]

    def roughness(self, result: Motion, window: slice = slice(None), least: float = 0.0) -> Array:
        """(frames of the window, joints) acceleration of the displacement, as a multiple of what is usual there.

        The larger of turns and moves counts. `result` covers the whole clip. Joints that cannot be rougher than `least`
        may have 0.
        """
        inside, around = _around(window, result.frames)
        turns = _turned(self.source.rotations[around], result.rotations[around])
        moves = result.translations[around] - self.source.translations[around]
        rough = np.zeros(moves.shape[:2])
        for added, (usual, typical) in zip((turns, moves), self._usual, strict=True):
            sizes = rotations.lengths(added[..., -3:])
            if added is turns:
                sizes = 2.0 * np.arcsin(np.minimum(sizes, 1.0))
            largest = sizes.max(axis=0, initial=0.0)
            extent = float(largest.max(initial=0.0))
            allowed = usual if typical > _NEGLIGIBLE * extent else np.full_like(usual, _EASE_IN_STILLNESS * extent)
            # From one side to the other and back: nothing within a distance accelerates more than by four of it.
            joints = np.flatnonzero(4.0 * largest > least * allowed)
            if joints.size:
                accelerating = _shaking(added[:, joints]) / allowed[joints]
                rough[:, joints] = np.maximum(rough[:, joints], accelerating)
        return rough[inside]

    def spoilt(self, result: Motion, window: slice = slice(None), tolerance: float = DEFAULT_TOLERANCE) -> BoolArray:
        """(frames of the window, joints) where the displacement is rough and the result the worse for it.

        A displacement may be rough because it takes roughness away: feet that are held still in the world move the
        tremor of a capture from the feet into the legs. What accelerates no more than 1 + `tolerance` times what the
        source does, usually or just there, is as good as it was.
        """
        rough = self.roughness(result, window, tolerance) > tolerance
        joints = np.flatnonzero(rough.any(axis=0))
        if not joints.size:
            return rough
        inside, around = _around(window, result.frames)
        worse = np.zeros((len(rough), len(joints)), dtype=bool)
        for excused, channels, (usual, typical) in zip(
            self._excused, (result.rotations, result.translations), self._usual, strict=True
        ):
            if typical == 0.0:
                worse[:] = True
                continue
            sizes = _shaking(channels[around][:, joints])[inside]
            worse |= sizes > (1.0 + tolerance) * np.maximum(usual[joints], excused[window][:, joints])
        rough[:, joints] &= worse
        return rough


def roughness(source: Motion, result: Motion) -> Array:
    """(frames, joints) acceleration of the displacement, as a multiple of what the source usually does there."""
    _check_same_shape(source, result)
    return Liveliness(source).roughness(result)


def needs_filter(source: Motion, result: Motion, tolerance: float = DEFAULT_TOLERANCE) -> BoolArray:
    """(frames, joints) where the displacement adds more than `tolerance` times what the source usually does there."""
    if not (np.isfinite(tolerance) and tolerance > 0.0):
        raise PoiseError(f"The tolerance of the filter must be a positive number, not {tolerance}.")
    return roughness(source, result) > tolerance


def _around(window: slice, frames: int) -> tuple[slice, slice]:
    """A window with as many frames more at its sides as local measures look at, and where in it the window lies."""
    first, last, _ = window.indices(frames)
    begin, end = max(first - _NEIGHBOURHOOD, 0), min(last + _NEIGHBOURHOOD, frames)
    return slice(first - begin, last - begin), slice(begin, end)


def _shifted(sizes: Array) -> list[Array]:
    """Arrays over frames, moved by up to a few frames either way, their ends repeated."""
    frames = np.arange(len(sizes))
    return [
        sizes[np.clip(frames + step, 0, len(sizes) - 1)] for step in range(-_NEIGHBOURHOOD, _NEIGHBOURHOOD + 1) if step
    ]


def _with_floor(usual: Array) -> tuple[Array, float]:
    """What is usual in each joint, (joints,), never far below what is typical of the body; and what that is."""
    moving = usual[usual > _NEGLIGIBLE * usual.max(initial=0.0)]
    typical = float(np.median(moving)) if len(moving) else 0.0
    return np.maximum(usual, _QUIET_SHARE * typical), typical


def _usual(sizes: Array) -> Array:
    """(joints,) the largest of `sizes` (frames, joints) with the roughest few frames of each joint left out."""
    inner = sizes[1:-1]
    if len(inner) == 0:
        return np.zeros(sizes.shape[1])
    left_out = min(max(_GLITCH_FRAMES, len(inner) // _ROUGHEST_SHARE), len(inner) // 4)
    rank = len(inner) - 1 - left_out
    return np.partition(inner, rank, axis=0)[rank]


# ---------------------------------------------------------------------------------------------------------------------
# Parts of the above
# ---------------------------------------------------------------------------------------------------------------------


def _turned(one: Array, other: Array) -> Array:
    """(..., 4) the rotations that lead from `one` to `other`; they turn by nothing where both are the same."""
    return rotations.quotient(other, one)


def _check_same_shape(source: Motion, result: Motion) -> None:
    for what, one, other in (
        ("rotations", source.rotations, result.rotations),
        ("translations", source.translations, result.translations),
    ):
        if one.shape != other.shape:
            raise MotionError(
                f"Source and result must have the same frames and joints: the {what} have the shapes "
                f"{one.shape} and {other.shape}."
            )


def _checked_radius(radius: int) -> int:
    try:
        frames = operator.index(radius)
    except TypeError:
        frames = -1
    if frames < 0:
        raise PoiseError(f"The radius of the filter must be a whole number of frames from 0, not {radius!r}.")
    return frames


def _checked_marks(given: ArrayLike, shape: tuple[int, ...], name: str) -> BoolArray:
    marks = np.asarray(given)
    if marks.dtype != np.bool_ or marks.shape != shape:
        raise PoiseError(
            f"The filter's {name!r} must be booleans of the shape {shape}, not {marks.dtype} of {marks.shape}."
        )
    return marks

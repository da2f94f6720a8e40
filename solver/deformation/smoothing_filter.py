# SPDX-License-Identifier: GPL-3.0-or-later
"""A low-pass filter for channels over frames, and for the displacement of a result from its source.

Frames are solved one by one, so a displacement may jump where a limb is almost straight or where a constraint begins.
Filtering the displacement removes the jump and keeps the source's own sharpness (Le Callennec 2006, section 5.3.1).
"""

from __future__ import annotations

import operator

import numpy as np

from ..body.motion import Motion
from ..core import rotations
from ..core.arrays import Array, ArrayLike, BoolArray, IntArray, dilated, distances_to, runs
from ..core.errors import PoiseError
from .displacement import check_same_shape


def kernel(radius: int) -> Array:
    """(radius + 1,) the filter's weights from its centre outward: a Hann window over 2 radius + 1 frames.

    No weight is negative, and their sum over the window is one, so the filter does not overshoot. Among windows of this
    width it spreads a jump almost as evenly as a triangle (the best), and has no corner itself.
    """
    radius = _checked_radius(radius)
    return (1.0 + np.cos(np.pi * np.arange(radius + 1) / (radius + 1))) / (2.0 * (radius + 1))


def lowpass(values: ArrayLike, radius: int) -> Array:
    """The channels (frames, ...) averaged with the kernel over `radius` frames to each side.

    Beyond the ends the channels are mirrored through the end values, so that the ends and all linear channels stay as
    they are. A kernel that is wider than the clip is narrowed to it.
    """
    channels = np.asarray(values, dtype=np.float64)
    radius = min(_checked_radius(radius), len(channels) - 1)
    if radius <= 0:
        return channels.copy()
    before = 2.0 * channels[:1] - channels[radius:0:-1]
    after = 2.0 * channels[-1:] - channels[-2 : -radius - 2 : -1]
    return _averaged(np.concatenate([before, channels, after]), radius)


def envelope(values: Array, radius: int, within: BoolArray | None = None) -> Array:
    """(frames,) a smooth upper bound of non-negative values (frames,); 0 beyond twice `radius` from positive ones.

    It is the low-passed maximum of the values within `radius` frames: a mean of such maxima is nowhere less than the
    values. With `within` (frames,) each run of that mask has an envelope of its own; elsewhere the result is 0.
    """
    if within is not None:
        separate = np.zeros_like(values)
        for first, last in runs(within):
            separate[first : last + 1] = envelope(values[first : last + 1], radius)
        return separate
    if not values.any() or radius <= 0:
        return values.copy()
    padded = np.pad(values, radius)
    widest = np.max([padded[step : step + len(values)] for step in range(2 * radius + 1)], axis=0)
    return np.maximum(lowpass(widest[:, None], radius)[:, 0], values)


def smoothed(source: Motion, result: Motion, where: ArrayLike, radius: int, frozen: ArrayLike | None = None) -> Motion:
    """The result with its displacement from the source low-passed around the marks `where` (frames, joints).

    The filter acts in full up to `radius` frames from a mark and fades out over twice as many more, so that it adds no
    edge; all other frames and joints come back bit for bit. So do the frames in `frozen` (frames,), in which no
    constraint is active and the result equals the source. Toward these the filtered displacement fades to zero over
    `radius` frames.

    Rotations are averaged around each frame's own, so that neither the signs of quaternions nor half turns matter.
    """
    check_same_shape(source, result)
    frames, joints = result.rotations.shape[:2]
    marks = _checked_marks(where, (frames, joints), "where")
    is_frozen = _checked_marks(np.zeros(frames, dtype=bool) if frozen is None else frozen, (frames,), "frozen")
    radius = min(_checked_radius(radius), frames - 1)
    columns = np.flatnonzero(marks.any(axis=0))
    rotated, translated = result.rotations.copy(), result.translations.copy()
    if radius <= 0 or len(columns) == 0:
        return Motion(rotated, translated)

    share = _filter_shares(marks[:, columns], radius)
    share[is_frozen] = 0.0
    frame, column = np.nonzero(share)
    joint = columns[column]
    acting = share[frame, column][:, None]
    remains = _fade(is_frozen, radius)[frame][:, None]

    displacements = rotations.quotient(rotated[:, columns], source.rotations[:, columns])
    changes = _rotation_changes(displacements, radius, frame, column, remains)
    unchanged = (changes == 0.0).all(axis=-1, keepdims=True)
    before = rotated[frame, joint]
    after = rotations.normalize(rotations.multiply(rotations.exp(acting * changes), before))
    rotated[frame, joint] = np.where(unchanged, before, after)

    offsets = translated[:, columns] - source.translations[:, columns]
    shift = acting * (remains * lowpass(offsets, radius)[frame, column] - offsets[frame, column])
    translated[frame, joint] = np.where(shift == 0.0, translated[frame, joint], translated[frame, joint] + shift)
    return Motion(rotated, translated)


def _rotation_changes(displacements: Array, radius: int, frame: IntArray, column: IntArray, remains: Array) -> Array:
    """(n, 3) rotation vectors from displacements (frames, columns, 4) to the filtered ones, at entries (n,).

    `remains` (n, 1) is the share of each filtered displacement that is kept.
    """
    # Beyond the ends the displacement is mirrored through that of the end: among rotations p q⁻¹ p mirrors q through p.
    first, last = displacements[:1], displacements[-1:]
    before = rotations.multiply(rotations.multiply(first, rotations.conjugate(displacements[radius:0:-1])), first)
    after = rotations.multiply(
        rotations.multiply(last, rotations.conjugate(displacements[-2 : -radius - 2 : -1])), last
    )
    padded = np.concatenate([before, displacements, after])
    own = displacements[frame, column]
    inverse = rotations.conjugate(own)
    changes = np.zeros((len(frame), 3))
    for distance, weight in enumerate(kernel(radius)[1:], start=1):
        for other in (radius + frame - distance, radius + frame + distance):
            changes += weight * rotations.log(rotations.multiply(padded[other, column], inverse))
    fading = remains[:, 0] < 1.0
    if fading.any():
        filtered = rotations.multiply(rotations.exp(changes[fading]), own[fading])
        kept = rotations.exp(remains[fading] * rotations.log(filtered))
        changes[fading] = rotations.log(rotations.multiply(kept, inverse[fading]))
    return changes


def _averaged(padded: Array, radius: int) -> Array:
    """(frames, ...) the channels averaged with the kernel; `padded` has `radius` more frames at each end.

    The weights multiply differences, so that constants come back bit for bit.
    """
    frames = len(padded) - 2 * radius
    center = padded[radius : radius + frames]
    total = center.copy()
    for distance, weight in enumerate(kernel(radius)[1:], start=1):
        for begin in (radius - distance, radius + distance):
            total += weight * (padded[begin : begin + frames] - center)
    return total


def _filter_shares(marks: BoolArray, radius: int) -> Array:
    """(frames, joints) from 0 to 1: 1 up to `radius` frames from a mark, 0 beyond three times as many.

    A fade half as long would make a smooth displacement up to 40 % rougher where the filter ends, this one 10 %.
    """
    near = dilated(marks, 2 * radius).astype(np.float64)
    return _averaged(np.pad(near, ((radius, radius), (0, 0)), mode="edge"), radius)


def _fade(frozen: BoolArray, radius: int) -> Array:
    """(frames,) 0 at a frozen frame, 1 beyond `radius` frames from it, and smooth between."""
    if not frozen.any():
        return np.ones(len(frozen))
    return 0.5 - 0.5 * np.cos(np.pi * np.minimum(distances_to(frozen) / (radius + 1), 1.0))


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

# SPDX-License-Identifier: GPL-3.0-or-later
"""Plausibility of a result, checked before a motion is replaced by it.

Footplants where the feet already stand need small corrections. A result that moves the whole body for them, or whose
planted feet slide more than before, comes from wrong landmarks, or from a ground or a scale that does not fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..body.clip import Clip
from ..body.landmarks.proportions import implausible_landmarks
from ..constraints import Balance, Constraint, Footplant, Ground, Source
from ..constraints.sampling import active_frames
from ..core.arrays import Array, BoolArray, IntArray

LARGEST_MOVE = 0.5
"""Sizes of the character: the most by which the root may move in frames in which the source's feet already stand."""

STANDS = 0.02
"""Sizes of the character: a foot whose heel and ball are no farther from the median of their places already stands."""

SLIDES_MORE = 0.05
"""Sizes of the character: the most by which a planted foot may slide farther than in the source."""


def why_implausible(
    source: Clip,
    result: Clip,
    constraints: Iterable[Constraint],
    ground: Ground | None = None,
    times: Array | None = None,
    moves_plants: bool = False,
) -> str:
    """Why a result is implausible for its constraints, and what to check, in two sentences; empty if it is plausible.

    `times` (frames,) are the names of the frames in the sentences; None: their indices. With `moves_plants` the ground
    moves plants on purpose, so that the body may move along.

    Only frames count in which no constraints but footplants and balance are active: others may well move the body, or
    take a foot from its plant.
    """
    given = tuple(constraints)
    plants = [each for each in given if isinstance(each, Footplant)]
    alone = ~_other_activity(source, given)
    if not plants or not alone.any():
        return ""
    size, names = source.skeleton.size, source.skeleton.names
    root = source.skeleton.landmarks.hips or 0
    distances = np.linalg.norm(result.world.positions[:, root] - source.world.positions[:, root], axis=1) / size
    standing = alone & _already_standing(source, plants) & (not moves_plants)
    worst = int(np.argmax(np.where(standing, distances, 0.0)))
    if standing[worst] and distances[worst] > LARGEST_MOVE:
        frame = worst if times is None else times[worst]
        return (
            f"The result is not kept: at frame {frame:g} it moves {names[root]!r} by {distances[worst]:.3g} leg "
            f"lengths, although the feet already stand there. {_what_to_check(source, ground)}"
        )
    for plant in plants:
        before, after = (_slide(clip, plant, alone) / size for clip in (source, result))
        if after > before + SLIDES_MORE:
            return (
                f"The result is not kept: {plant.label} would slide by {after:.3g} leg lengths, and slides by "
                f"{before:.3g} in the source. {_what_to_check(source, ground)}"
            )
    return ""


def _other_activity(clip: Clip, constraints: Sequence[Constraint]) -> BoolArray:
    """(frames,) where a constraint is active that is neither a footplant nor a balance without a displacement."""
    active = np.zeros(clip.frames, dtype=bool)
    source = Source(clip)
    for constraint in constraints:
        if isinstance(constraint, Footplant) or (isinstance(constraint, Balance) and constraint.displacement is None):
            continue
        for track in constraint.tracks(source):
            active[track.begin : track.end + 1] = True
    return active


def _already_standing(clip: Clip, plants: Sequence[Footplant]) -> BoolArray:
    """(frames,) where a foot is planted and all planted feet hardly move; nowhere if a plant is moved elsewhere."""
    planted, still = np.zeros(clip.frames, dtype=bool), np.ones(clip.frames, dtype=bool)
    for plant in plants:
        if plant.position is not None or plant.height is not None or np.any(np.asarray(plant.shift) != 0.0):
            return np.zeros(clip.frames, dtype=bool)
        for frames, strays in _strays(clip, plant):
            planted[frames] = True
            still[frames] &= strays <= STANDS * clip.skeleton.size
    return planted & still


def _strays(clip: Clip, plant: Footplant) -> Iterable[tuple[IntArray, Array]]:
    """For heel and ball of a plant the frames (n,) in which it stands, and its distances (n,) from the median of its
    places there, relative to the ground, which may move."""
    marks = {"heel": f"{plant.foot}_heel", "toe": f"{plant.foot}_ball"}
    for part, (begin, end) in plant.stays.items():
        frames = active_frames(max(begin, 0.0), min(end, clip.frames - 1.0))
        if frames.size:
            carried = frames[:, None] / clip.fps * np.asarray(plant.ground_velocity, dtype=np.float64)
            places = clip.position(clip.skeleton.landmarks.require(marks[part]))[frames] - carried
            yield frames, np.linalg.norm(places - np.median(places, axis=0), axis=1)


def _slide(clip: Clip, plant: Footplant, counted: BoolArray) -> float:
    """The largest distance of heel or ball of a plant from the median of its places in the counted frames."""
    slides = [float(strays[counted[frames]].max(initial=0.0)) for frames, strays in _strays(clip, plant)]
    return max(slides, default=0.0)


def _what_to_check(clip: Clip, ground: Ground | None) -> str:
    """The first implausible landmark of the clip's character in a sentence; else what to check, the ground first."""
    wrong = implausible_landmarks(clip.skeleton.landmarks, *clip.skeleton.rest)
    if wrong:
        return wrong[0]
    if ground is not None:
        return "Check that the ground is where the feet are, then the landmarks of the legs."
    return "Check the landmarks of the legs, and the scale of the armature."

# SPDX-License-Identifier: GPL-3.0-or-later
"""Cleaning a motion that comes in frame by frame: one frame in, one frame out, after a fixed delay.

A cleaned frame depends on `Method.look_back` frames before it and on `Method.look_ahead` frames after it (Kovar 2004,
figure 3.10). The stream keeps so many in a buffer and cleans them as a clip, a block of new frames at a time: NumPy
takes nearly as long for one frame as for a block. What lies before the buffer and still counts are the locations of
plants that began there, and the rotations of hands and feet that were planted there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...body.motion import Motion, Pose
from ...body.skeleton import Skeleton
from ...core.arrays import Array
from ...core.errors import ConstraintError, MotionError
from ...core.numbers import is_number
from ..limbs import Limb, limbs_of
from ..plants import PlantedPoint, check_plants, check_toe_tips, merged
from .batch import CleanedSegment, Segment, clean_segment
from .method import Method

BLOCK = 0.1
"""Seconds of new frames that are cleaned at once. Shorter blocks come out sooner but take more time for each frame: at
120 frames a second a stream of two legs runs at more than ten times the speed of the motion."""


@dataclass(frozen=True, eq=False)
class CleanedFrame:
    """One cleaned frame of a stream."""

    frame: int
    """Counted from 0."""
    pose: Pose
    stretch: Mapping[str, float]
    """By limb: by what share its bones are longer, or shorter, than in the source."""
    root: tuple[float, float, float]
    """The displacement of the root."""
    residual: float
    """The largest distance of a planted point from its location, in the motion's units; 0 where none is planted."""


class PlantingStream:
    """A motion that a method cleans as it comes in.

    Announce plants before the frames in which they begin come in, push frames, and take the cleaned ones; `finish`
    gives those that are left.
    """

    def __init__(self, method: Method) -> None:
        """Take a method for the limbs of a character that may be planted."""
        self.method = method
        self.count = 0
        """How many frames have come in."""
        self._block = max(round(BLOCK * method.fps), 1)
        self._finished = False
        self._poses: deque[Pose] = deque()
        """The last frames that came in, from frame `_first` on."""
        self._first = 0
        self._cleaned = 0
        """How many frames have been cleaned."""
        self._plants: list[PlantedPoint] = []
        """Those that end in the buffer or later."""
        self._locations: dict[PlantedPoint, Array] = {}
        """Of plants that begin in a frame that has been cleaned, and end in the buffer or later."""
        self._extremities: tuple[Array, ...] = ()
        """The local rotations inside hands and feet in the first frame of the buffer."""
        self._held: tuple[Array, ...] = ()
        """The orientations in which hands and feet with two planted points are held in that frame."""
        self._ready: deque[CleanedFrame] = deque()

    @property
    def delay(self) -> int:
        """How many frames later than it came in a frame comes out."""
        return self.method.look_ahead + self._block - 1

    def announce(self, *plants: PlantedPoint) -> None:
        """Say which points will be planted, before the first of their frames comes in."""
        for plant in check_plants(plants, self.method.limbs):
            if plant.reference is not None:
                raise ConstraintError(
                    f"{plant.label}: it stands on an object that moves, which only a whole clip is cleaned with: in a "
                    "stream it is not known how the object goes on."
                )
            if plant.begin < self.count:
                raise ConstraintError(
                    f"{plant.label}: it begins at frame {plant.begin}, but {self.count} frames have come in already; "
                    "announce it before."
                )
            same_point = [other for other in self._plants if self.method.slot(other) == self.method.slot(plant)]
            check_plants((*same_point, plant), self.method.limbs)
            check_toe_tips([plant], same_point)
            for other in same_point:
                # A clip joins two plants of a point in a row without a given location: the stream cannot know in time.
                if len(merged((other, plant))) == 1:
                    first, second = sorted((other, plant), key=lambda each: each.begin)
                    raise ConstraintError(
                        f"{first.label} (to frame {first.end}) and {second.label} (from frame {second.begin}) leave no "
                        "frame between them; announce them as one plant."
                    )
            self._plants.append(plant)

    def push(self, pose: Pose) -> CleanedFrame | None:
        """Put in the next frame and take out the one that is ready; None for the first `delay` frames."""
        if self._finished:
            raise MotionError("The stream is finished: begin a new one.")
        if not isinstance(pose, Pose):
            raise MotionError(f"A stream takes one pose at a time, not {pose!r}.")
        # A copy: the caller may write the next frame into the same arrays.
        self._poses.append(pose.motion.checked(self.method.skeleton).pose(0))
        self.count += 1
        if self.count - self.method.look_ahead - self._cleaned == self._block:
            self._clean(self._cleaned + self._block)
        return self._ready.popleft() if self._ready else None

    def finish(self) -> Iterator[CleanedFrame]:
        """The frames that have not come out yet; no frame can be put in afterwards."""
        self._finished = True
        if self._cleaned < self.count:
            self._clean(self.count)
        rest, self._ready = self._ready, deque()
        return iter(rest)

    def _clean(self, end: int) -> None:
        """Clean the frames up to `end`, put them among those that are ready, and forget what no longer counts."""
        begun = (plant for plant in self._plants if plant.begin < self.count)
        plants = check_plants(begun, self.method.limbs)
        motion = Motion.from_poses(self._poses)
        segment = Segment(motion, plants, self._first, self._locations, self._extremities, self._held)
        found = clean_segment(self.method, segment)
        self._ready.extend(self._frames(found, plants, end))
        self._cleaned = end
        self._forget(found, plants)

    def _frames(self, found: CleanedSegment, plants: Sequence[PlantedPoint], end: int) -> Iterator[CleanedFrame]:
        """The frames of a cleaned segment that were not cleaned before, up to `end`."""
        begin, first = self._cleaned, self._first
        new = slice(begin - first, end - first)
        motion = Motion(found.motion.rotations[new], found.motion.translations[new])
        during = [plant for plant in plants if plant.begin < end and plant.end >= begin]
        residual = np.zeros(end - begin)
        for plant, distances in zip(during, self.method.residuals(motion, during, found.locations, begin), strict=True):
            row = max(plant.begin - begin, 0)
            residual[row : row + len(distances)] = np.maximum(residual[row : row + len(distances)], distances)
        for row in range(end - begin):
            x, y, z = found.root[begin - first + row].tolist()
            stretch = {limb: float(shares[begin - first + row]) for limb, shares in found.stretch.items()}
            yield CleanedFrame(begin + row, motion.pose(row), stretch, (x, y, z), float(residual[row]))

    def _forget(self, found: CleanedSegment, plants: Sequence[PlantedPoint]) -> None:
        """Drop the frames and the plants on which no later frame depends; keep the state in the new first frame."""
        first = max(self._cleaned - self.method.look_back, 0)
        dropped = min(first - self._first, len(self._poses) - 1)
        for _ in range(dropped):
            self._poses.popleft()
        self._first += dropped
        self._extremities = tuple(each[dropped] for each in found.extremities)
        self._held = tuple(each[dropped] for each in found.held)
        self._plants = [plant for plant in self._plants if plant.end >= self._first]
        # A toe tip is located by the frames before it, which may be gone the next time.
        kept = (plant for plant in plants if plant.begin < self._cleaned and plant.end >= self._first)
        self._locations = {plant: found.locations[plant] for plant in kept}


def limbs_to_plant(skeleton: Skeleton, fps: float, limbs: Sequence[Limb] | None) -> tuple[Limb, ...]:
    """The limbs of a stream: those of the landmarks where none are given. A `MotionError` for a bad frame rate."""
    if not is_number(fps) or fps <= 0.0:
        raise MotionError(f"The frame rate must be a finite, positive number, not {fps!r}.")
    return tuple(limbs_of(skeleton) if limbs is None else limbs)

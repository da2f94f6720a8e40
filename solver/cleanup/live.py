# SPDX-License-Identifier: GPL-3.0-or-later
"""Cleaning the feet of a live capture: frames come in one by one, and their plants are found on the way.

A `FootplantStream` finds the plants, and a cleaning stream, which must be told them, gets each frame when it is decided
what is planted in it. The end of a plant is not known then, so a plant is announced in pieces, from one decision to the
next, at the location in which it was found to begin.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

import numpy as np

from ..body.kinematics import WorldState
from ..body.motion import Motion, Pose
from ..core.arrays import TINY
from ..core.errors import MotionError
from ..detection.online import LOOK_AHEAD, FootplantStream, StreamedPlant
from ..detection.settings import DEFAULT_FOOTPLANTS, FootplantSettings
from .planting.stream import CleanedFrame, PlantingStream
from .plants import PlantedPoint

Location = tuple[float, float, float]


class LiveStream:
    """Cleans the feet of a motion that comes in frame by frame, and finds their plants itself.

    Push frames, and take the cleaned ones; `finish` gives those that are left.
    """

    def __init__(
        self,
        stream: PlantingStream,
        settings: FootplantSettings = DEFAULT_FOOTPLANTS,
        look_ahead: float = LOOK_AHEAD,
    ) -> None:
        """Take a new stream that cleans, such as `CleanStream`, and how plants are found, as `FootplantStream` does."""
        if stream.count:
            raise MotionError("A live stream needs a new stream, into which no frame has come yet.")
        self.stream = stream
        self.feet = FootplantStream(stream.method.skeleton, stream.method.fps, settings, look_ahead)
        self._poses: deque[Pose] = deque()
        """Those of which it is not decided yet what is planted."""
        self._standing: dict[tuple[str, str], Location] = {}
        """The locations of what is planted in the last frame that was decided, by limb and point."""
        self._ready: deque[CleanedFrame] = deque()

    @property
    def delay(self) -> int:
        """How many frames later than it came in a frame comes out."""
        return self.feet.delay + self.stream.delay

    def push(self, pose: Pose) -> CleanedFrame | None:
        """Put in the next frame and take out the one that is ready; None for the first `delay` frames."""
        if not isinstance(pose, Pose):
            raise MotionError(f"A stream takes one pose at a time, not {pose!r}.")
        found = self.feet.push(pose)
        self._poses.append(Pose(pose.rotations.copy(), pose.translations.copy()))
        self._clean(found, self.feet.decided)
        return self._ready.popleft() if self.feet.count > self.delay else None

    def finish(self) -> Iterator[CleanedFrame]:
        """The frames that have not come out yet; no frame can be put in afterwards."""
        self._clean(self.feet.finish(), self.feet.count)
        rest, self._ready = self._ready, deque()
        return iter([*rest, *self.stream.finish()])

    def _clean(self, found: Sequence[StreamedPlant], until: int) -> None:
        """Announce what is planted in the frames before `until`, of which this is decided, and push these frames."""
        first = self.stream.count
        begins = dict.fromkeys(self._standing, first)
        pieces: list[tuple[tuple[str, str], int, int, Location]] = []
        for plant in found:
            key = f"{plant.foot} leg", plant.part
            if plant.end is None:
                self._standing[key] = self._location(plant, self._poses[plant.begin - first])
                begins[key] = plant.begin
            else:
                pieces.append((key, begins.pop(key), plant.end, self._standing.pop(key)))
        pieces += [(key, begin, until - 1, self._standing[key]) for key, begin in begins.items()]
        names = {limb.name for limb in self.stream.method.limbs}
        self.stream.announce(
            *(
                PlantedPoint(*key, begin, end, location)
                for key, begin, end, location in pieces
                if begin <= end and key[0] in names
            )
        )
        for _ in range(until - first):
            cleaned = self.stream.push(self._poses.popleft())
            if cleaned is not None:
                self._ready.append(cleaned)

    def _location(self, plant: StreamedPlant, pose: Pose) -> Location:
        """Where a part is planted: in its place, but as far from the other part of its foot, if that is planted, as it
        is in the pose, because feet are rigid."""
        other = "ball" if plant.part == "heel" else "heel"
        held = self._standing.get((f"{plant.foot} leg", other))
        if held is None:
            return plant.place
        skeleton = self.stream.method.skeleton
        state = WorldState.of(skeleton, Motion(pose.rotations[None], pose.translations[None]))
        own_point, other_point = (
            state.point(skeleton.resolve(skeleton.landmarks.require(f"{plant.foot}_{part}")))[0]
            for part in (plant.part, other)
        )
        way = np.subtract(plant.place, held)
        way *= np.linalg.norm(own_point - other_point) / max(float(np.linalg.norm(way)), TINY)
        x, y, z = (held + way).tolist()
        return x, y, z

# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops: clips that are played over and over, their first frame after their last one.

A loop is solved as a longer clip, in which it is repeated before and after itself. The copy in the middle is the
result: the next one begins as it does, so the displacement has neither a jump nor a bend where the loop begins again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..body.clip import Clip
from ..body.motion import Motion
from ..body.moving_ground import STANCE_HEIGHT, ground_velocity
from ..core.arrays import Array, BoolArray
from ..core.errors import MotionError
from .displacement import displacement

MEETS = 1e-3
"""Sizes of the character: the largest distance of any joint between the last and the first frame of a loop over still
ground. Sampled loops have up to 0.0004, after their keys were thinned."""

MEETS_IN_STEPS, STEPS_A_SECOND = 0.4, 30.0
"""The same for a walk in place, as a share of the median distance that the joints move in 1 / `STEPS_A_SECOND`
seconds; of both the root mean square over all joints."""

FLOWS = 0.1
"""A share of the median distance from frame to frame: a clip that is slower than this where it begins again is at
rest there. It may be a loop, or a gesture that begins and ends with the same pose."""

LEAVES = 10.0
"""The least distance that a clip must move away from its first pose, as a multiple of the distance between its
first and last pose: a body that trembles in one place is no loop."""

SAME_WAY = 0.5
"""The least cosine between the displacements of all joints in the last and in the first step of a motion that flows on.
Dances and walks that are loops have 0.6 and more; gestures, which return the way they came, have -0.3 and less."""

STRIDE = 0.15
"""Sizes of the character: in a walk or a run each foot is at least this far ahead of the other one at some time."""

SEAM_SPEED = 0.3
"""The most by which the velocity of a foot may differ from that of the ground, as a share of the ground's speed, for
the length of the last step to be measured by it."""

WHOLE = 0.05
"""Frames: a last step that differs by less from one frame lasts one frame."""

APART = 1.5
"""The least seconds of motion before and after a loop: no ease, filter or swing phase reaches further."""

SHORTEST = 4
"""The least number of frames of a loop."""


def is_cyclic(clip: Clip) -> bool:
    """Whether a clip is a loop: its last pose leads to its first one, or is the same, with the same velocity.

    In a walk in place the last frame may be the first one again, or the frame before it. Any other clip is a loop only
    if the last pose is the first one, in the same place, and either the motion flows on there or the feet pass each
    other both ways: a gesture that begins and ends at rest is none.
    """
    if clip.frames < SHORTEST:
        return False
    steps = np.diff(clip.world.positions, axis=0) / clip.skeleton.size
    ways = _spread(steps)
    usual = float(np.median(ways))
    loop = Loop.of(clip)
    apart = (clip.world.positions[0] - clip.world.positions[-1]) / clip.skeleton.size
    if np.any(loop.ground_velocity):
        gap = _spread(apart if loop.closes else apart - loop.last_step * 0.5 * (steps[-1] + steps[0]))
        return bool(gap <= MEETS_IN_STEPS * usual * max(1.0, clip.fps / STEPS_A_SECOND))
    gap = float(np.linalg.norm(apart, axis=-1).max())
    away = float(np.linalg.norm(clip.world.positions - clip.world.positions[0], axis=-1).max()) / clip.skeleton.size
    if gap > MEETS or away < LEAVES * gap:
        return False
    # The last step may be a short one: see `Loop.last_step`.
    last = steps[-1] if ways[-1] > ways[-2] else steps[-2]
    flows = min(ways[0], _spread(last)) > FLOWS * usual and _cosine(steps[0], last) >= SAME_WAY
    return bool(flows or _strides(clip))


@dataclass(frozen=True, eq=False)
class Loop:
    """A clip that is played over and over."""

    clip: Clip
    closes: bool
    """Whether the last frame is the first one again, rather than the one before it."""
    last_step: float
    """Frames from the last frame before the loop begins again until then: one, or less where the loop does not last a
    whole number of frames."""
    ground_velocity: Array
    """(3,) in the clip's units a second."""

    @staticmethod
    def of(clip: Clip) -> Loop:
        """A clip as a loop, also where its ends do not meet (see `is_cyclic`)."""
        if clip.frames < SHORTEST:
            raise MotionError(f"A loop has {SHORTEST} frames or more, not {clip.frames}.")
        velocity = ground_velocity(clip)
        positions = clip.world.positions / clip.skeleton.size
        usual = float(np.median(_spread(np.diff(positions, axis=0))))
        in_place = _in_place(positions, clip.skeleton.up_axis)
        closes = bool(_spread(in_place[0] - in_place[-1]) <= 0.5 * usual)
        if not np.any(velocity):
            return Loop(clip, closes, 1.0, velocity)
        gap = _carried_steps(clip, velocity, -1, 0)
        if gap is not None and gap > WHOLE:
            return Loop(clip, False, _whole(gap), velocity)
        last = _carried_steps(clip, velocity, -2, -1) if closes or gap is not None else None
        return Loop(clip, closes or gap is not None, 1.0 if last is None else _whole(last), velocity)

    @property
    def frames(self) -> int:
        """The number of frames before it begins again."""
        return self.clip.frames - int(self.closes)

    @property
    def period(self) -> float:
        """The time until it begins again in frames, not always a whole number."""
        return self.frames - 1 + self.last_step

    @property
    def travel(self) -> Array:
        """(3,) the horizontal displacement of the character over one period, in the clip's units."""
        positions = self.clip.motion.root_translation
        travelled = positions[-1] - positions[0]
        if not self.closes:
            travelled = travelled + 0.5 * (positions[1] - positions[0] + positions[-1] - positions[-2])
        travelled[self.clip.skeleton.up_axis] = 0.0
        if np.any(self.ground_velocity) or np.linalg.norm(travelled) <= MEETS * self.clip.skeleton.size:
            return np.zeros(3)
        return np.asarray(travelled)

    @cached_property
    def copies_each_side(self) -> int:
        """The number of copies before the one in the middle, and after it."""
        return max(1, int(np.ceil(APART * self.clip.fps / self.frames)))

    @property
    def first(self) -> int:
        """The frame of the repeated clip at which the copy in the middle begins."""
        return self.copies_each_side * self.frames

    @cached_property
    def repeated(self) -> Clip:
        """The loop with its copies before and after, each displaced by `travel` from the one before; the middle one is
        not displaced."""
        motion, frames = self.clip.motion, self.frames
        roots = [joint for joint, parent in enumerate(self.clip.skeleton.parents) if parent < 0]
        rotated, translated = [], []
        for copy in range(-self.copies_each_side, self.copies_each_side + 1):
            last = self.clip.frames if copy == self.copies_each_side else frames
            rotated.append(motion.rotations[:last])
            placed = motion.translations[:last]
            if copy and self.travel.any():
                placed = placed.copy()
                placed[:, roots] += copy * self.travel
            translated.append(placed)
        return self.clip.with_motion(Motion(np.concatenate(rotated), np.concatenate(translated)))

    @property
    def seconds(self) -> Array:
        """(frames of the repeated clip,) the times of its frames; that of the middle copy's first frame is 0."""
        frames = np.arange(self.repeated.frames)
        copies = np.minimum(frames // self.frames, 2 * self.copies_each_side)
        return np.asarray(
            ((frames - copies * self.frames) + (copies - self.copies_each_side) * self.period) / self.clip.fps
        )

    # The result ----------------------------------------------------------------------------------------------------

    def of_the_clip(self, values: Array | BoolArray) -> Any:
        """(frames of the clip, …) the values of the middle copy, of values (frames of the repeated clip, …)."""
        middle = values[self.first : self.first + self.frames]
        return np.concatenate([middle, middle[:1]]) if self.closes else middle.copy()

    def motion_of_the_clip(self, repeated: Motion) -> Motion:
        """The motion of the middle copy of a repeated clip. A last frame that is the first one again has the same
        displacement from the source as the first, so that both meet as those of the source do."""
        motion = Motion(self.of_the_clip(repeated.rotations), self.of_the_clip(repeated.translations))
        if not self.closes:
            return motion
        source = self.clip.motion
        first = displacement(source.at(np.array([0])), motion.at(np.array([0])))
        last = first.applied(source.at(np.array([-1])))
        motion.rotations[-1], motion.translations[-1] = last.rotations[0], last.translations[0]
        return motion


def _spread(vectors: Array) -> Any:
    """(…) the root mean square over joints of the lengths of vectors (…, joints, 3)."""
    return np.sqrt((vectors**2).sum(axis=-1).mean(axis=-1))


def _strides(clip: Clip) -> bool:
    """Whether the feet pass each other both ways, as in a walk whose frames an animator has not spaced evenly."""
    marks, up = clip.skeleton.landmarks, clip.skeleton.up_axis
    if marks.left_ball is None or marks.right_ball is None:
        return False
    balls = np.stack([clip.world.point(clip.skeleton.resolve(ball)) for ball in (marks.left_ball, marks.right_ball)])
    balls = balls / clip.skeleton.size
    balls[..., up] = 0.0
    # Along the direction in which their distance changes most; across it, feet keep their distance.
    apart = balls[0] - balls[1]
    changes = apart - apart.mean(axis=0)
    way = np.linalg.eigh(changes.T @ changes)[1][:, -1]
    ahead = apart @ way
    # Both feet move: in a kick only one does.
    return bool(min(ahead.max(), -ahead.min()) >= STRIDE and np.ptp(balls @ way, axis=1).min() >= STRIDE)


def _cosine(one: Array, other: Array) -> float:
    """The cosine of the angle between two arrays of the same shape, taken as vectors."""
    return float((one * other).sum() / np.sqrt((one**2).sum() * (other**2).sum()))


def _in_place(positions: Array, up: int) -> Array:
    """(frames, joints, 3) positions minus the horizontal position of the root in each frame."""
    path = positions[:, :1].copy()
    path[..., up] = 0.0
    return np.asarray(positions - path)


def _whole(step: float) -> float:
    """A step in frames, rounded to 1 where it is nearly as long or longer."""
    return 1.0 if step > 1.0 - WHOLE else step


def _carried_steps(clip: Clip, velocity: Array, begin: int, end: int) -> float | None:
    """The number of frames in which moving ground carries a foot from its place in one frame to that in another.

    It is measured at the heel or ball that is low in both frames and whose velocity just before and after is nearest to
    the ground's; None where none stands.
    """
    skeleton, up, last = clip.skeleton, clip.skeleton.up_axis, clip.frames - 1
    begin, end = begin % clip.frames, end % clip.frames
    a_frame = velocity / clip.fps
    square = float(a_frame @ a_frame)
    best, found = SEAM_SPEED, None
    for side in ("left", "right"):
        for part in ("heel", "ball"):
            places = clip.world.point(skeleton.resolve(getattr(skeleton.landmarks, f"{side}_{part}")))
            heights = places[:, up]
            if max(heights[begin], heights[end]) > heights.min() + STANCE_HEIGHT * skeleton.size:
                continue
            neighbours = [(begin - 1, begin), (end, end + 1) if end < last else (0, 1)]
            steps = [float((places[after] - places[before]) @ a_frame) / square for before, after in neighbours]
            restless = max(abs(step - 1.0) for step in steps)
            if restless <= best:
                best, found = restless, float((places[end] - places[begin]) @ a_frame) / square / (0.5 * sum(steps))
    return found

# SPDX-License-Identifier: GPL-3.0-or-later
"""The work that Poise and its peers share: both feet held, the centre of mass, a hand's target, and a posture to keep.

All lengths are in sizes of the character, so that the peers, which are made for metres, see the numbers they expect.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise import solver
from poise.solver.body.kinematics import WorldState
from poise.solver.core.arrays import Array, IntArray

FEET, BALANCE, HAND, POSE = 4, 3, 2, 1
"""The priorities, the most important first."""

HAND_LIFT = 0.25
HAND_CIRCLE = 0.1
"""Sizes of the character: the hand's target circles so wide, so far above the hand that it belongs to. A hand that
hangs beside the body reaches all of it."""
FRAMES_A_TURN = 97
"""Frames in which the target goes round; no divisor of a clip's length, so that repeated frames get other targets."""

BALANCE_SHIFT = 0.02
"""Sizes of the character by which the centre of mass is to move sideways: little enough for every posture of a walk."""

OUT_OF_REACH = 1.35
"""Sizes of the character: 1.2 m for one whose legs are 0.89 m long."""


@dataclass(frozen=True, eq=False)
class Workload:
    """Postures to start from and to keep near, and what each must hold; frames lead every array."""

    skeleton: solver.Skeleton
    start: solver.Motion
    feet: tuple[str, str]
    foot_positions: Array
    """(frames, 2, 3)"""
    foot_rotations: Array
    """(frames, 2, 4)"""
    center_of_mass: Array
    """(frames, 3); only its horizontal components count."""
    hand: str
    hand_target: Array
    """(frames, 3)"""
    hand_can_reach: bool = True
    """Whether the target is reachable: some peers need other settings if it is not."""

    @property
    def frames(self) -> int:
        """How many postures there are."""
        return self.start.frames

    def at(self, frames: IntArray) -> Workload:
        """The same work for some of the frames."""
        return replace(
            self,
            start=solver.Motion(self.start.rotations[frames], self.start.translations[frames]),
            foot_positions=self.foot_positions[frames],
            foot_rotations=self.foot_rotations[frames],
            center_of_mass=self.center_of_mass[frames],
            hand_target=self.hand_target[frames],
        )

    def tasks(self) -> list[solver.Task]:
        """Poise's tasks: feet, balance, hand, posture, in this order of priority."""
        held: list[solver.Task] = []
        for index, foot in enumerate(self.feet):
            held.append(solver.PositionTask(foot, self.foot_positions[:, index], priority=FEET))
            held.append(solver.OrientationTask(foot, self.foot_rotations[:, index], priority=FEET))
        return [
            *held,
            solver.CenterOfMassTask(self.center_of_mass, priority=BALANCE),
            solver.PositionTask(self.hand, self.hand_target, priority=HAND),
            solver.PoseTask(self.start, priority=POSE),
        ]


def reach(clip: solver.Clip, frames: int) -> Workload:
    """A hand that follows a circle within its reach while the character leans a little: the clip's frames, repeated."""
    workload = _held(clip, frames)
    skeleton, phase = workload.skeleton, 2.0 * np.pi * np.arange(frames) / FRAMES_A_TURN
    up, (first, second) = skeleton.up_axis, ("xyz".index(axis) for axis in skeleton.horizontal_axes)
    target, balance = workload.hand_target.copy(), workload.center_of_mass.copy()
    target[:, up] += HAND_LIFT
    target[:, first] += HAND_CIRCLE * np.cos(phase)
    target[:, second] += HAND_CIRCLE * np.sin(phase)
    balance[:, first] += BALANCE_SHIFT
    return replace(workload, hand_target=target, center_of_mass=balance)


def conflict(clip: solver.Clip, frames: IntArray) -> Workload:
    """A hand whose target is far out of reach, straight away from its shoulder, while feet and balance should hold."""
    workload = _held(clip, clip.frames).at(frames)
    skeleton = workload.skeleton
    state = WorldState.of(skeleton, workload.start)
    shoulder, elbow, other_shoulder = (
        state.positions[:, skeleton.landmarks.require(mark)]
        for mark in ("left_shoulder", "left_elbow", "right_shoulder")
    )
    arm = np.linalg.norm(elbow - shoulder, axis=1) + np.linalg.norm(workload.hand_target - elbow, axis=1)
    away = shoulder - other_shoulder
    away[:, skeleton.up_axis] = 0.0
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    target = shoulder + (arm + OUT_OF_REACH)[:, None] * away
    return replace(workload, hand_target=target, hand_can_reach=False)


def _held(clip: solver.Clip, frames: int) -> Workload:
    """Everything held where the clip has it, in sizes of the character."""
    clip = in_sizes(clip)
    skeleton, marks, world = clip.skeleton, clip.skeleton.landmarks, clip.world
    left, right = marks.require("left_ankle"), marks.require("right_ankle")
    hand, feet = marks.require("left_wrist"), np.array([left, right])
    workload = Workload(
        skeleton,
        clip.motion,
        (skeleton.names[left], skeleton.names[right]),
        world.positions[:, feet],
        world.rotations[:, feet],
        world.center_of_mass(),
        skeleton.names[hand],
        world.positions[:, hand],
    )
    return workload.at(np.arange(frames) % clip.frames)


def in_sizes(clip: solver.Clip) -> solver.Clip:
    """The same clip with all lengths divided by the size of its character."""
    skeleton, scale = clip.skeleton, 1.0 / clip.skeleton.size
    tips = tuple(solver.BodyPoint(tip.joint, tuple(scale * tip.local)) for tip in skeleton.tips)
    motion = solver.Motion(clip.motion.rotations, clip.motion.translations * scale)
    return solver.Clip(skeleton.replace(offsets=skeleton.offsets * scale, tips=tips), motion, clip.fps)

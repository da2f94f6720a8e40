# SPDX-License-Identifier: GPL-3.0-or-later
"""A walk with footplants: the captured one with its labelled plants, or else a made-up one.

All lengths are in sizes of the character.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise import solver
from poise.examples.edits import plant
from poise.solver import synthetic
from poise.solver.body.kinematics import WorldState
from poise.solver.constraints import Source
from poise.solver.constraints.effectors import Effector, PointEffector
from poise.solver.constraints.sampling import active_frames
from poise.solver.core import rotations
from poise.solver.core.arrays import Array, BoolArray
from poise.solver.deformation.frame_tasks import FrameTasks
from poise.solver.deformation.timeline import Timeline

from .character import WALK
from .workload import in_sizes

LABELS = Path(__file__).resolve().parents[2] / "tests" / "labels" / "02_01.json"

FEET, BALANCE = 10, 5
"""The priorities; the pose attraction comes last by itself."""

SKATE = 0.01
"""Sizes of the character by which the feet of the made-up walk slide: as much as in the captured one."""
FPS = 30.0

HAND_POINT = "hand"
"""The name of the hand's point in the models of the peers."""

POINTS = ("left_heel", "left_ball", "right_heel", "right_ball")
"""The landmarks of the plants: heel and ball of each foot."""

STILL_JOINT = 0.1
"""Share of the body's largest acceleration below which a joint of the source counts as still. Ratios use at least this
value, because an invisible movement of a still joint would have any ratio."""


@dataclass(frozen=True, eq=False)
class PlantedWalk:
    """A clip, its plants, and its name in the report."""

    clip: solver.Clip
    plants: tuple[solver.Footplant, ...]
    name: str

    @property
    def constraints(self) -> tuple[solver.Constraint, ...]:
        """All plants and the balance."""
        return (*self.plants, solver.Balance(priority=BALANCE))

    @property
    def first(self) -> int:
        """The frame of the first event: before it, a captured clip may have a calibration pose, followed by a jump."""
        return int(min(strike for plant in self.plants for strike, _ in plant.stays.values()))


def planted_walk(path: Path = WALK) -> PlantedWalk:
    """The captured walk, or a made-up one instead of it."""
    if not path.is_file():
        return made_up_walk(frames=344, name="synthetic walk, for want of ../shared/mocap")
    labelled = json.loads(LABELS.read_text(encoding="utf-8"))["footplants"]
    plants = tuple(solver.Footplant(**events, priority=FEET) for events in labelled)
    return PlantedWalk(in_sizes(solver.read_bvh(path)), plants, "CMU 02_01")


def made_up_walk(frames: int, name: str = "synthetic walk") -> PlantedWalk:
    """A made-up walk of at least so many frames, up to the end of a step, whose feet slide."""
    shortest = synthetic.walk(steps=1, fps=FPS).clip.frames - 1
    walk = synthetic.walk(steps=-(-frames // shortest), fps=FPS, skate=SKATE)
    plants = tuple(plant(contact, priority=FEET) for contact in walk.contacts)
    return PlantedWalk(in_sizes(walk.clip), plants, name)


@dataclass(frozen=True, eq=False)
class HandTargets:
    """The compiled targets of a constraint of a hand."""

    point: solver.BodyPoint
    positions: Array
    """(frames, 3)"""
    active: BoolArray
    """(frames,) where there is a target."""


@dataclass(frozen=True, eq=False)
class WalkTargets:
    """The compiled targets of a walk's constraints in every frame, for libraries that have no constraints over time.

    The order of `POINTS` is that of the second axes.
    """

    skeleton: solver.Skeleton
    source: solver.Motion
    """The poses to which frames are attracted."""
    points: tuple[solver.BodyPoint, ...]
    positions: Array
    """(frames, 4, 3) targets of heels and balls, also between plants."""
    active: BoolArray
    """(frames, 4) where targets are active."""
    held: BoolArray
    """(frames, 4) where the points are planted."""
    center_of_mass: Array
    """(frames, 3) target of the centre of mass; only horizontal components count."""
    hand: HandTargets | None = None
    """Of a less important constraint of a hand, where there is one."""

    @property
    def frames(self) -> int:
        """Number of frames."""
        return self.source.frames

    @property
    def named_points(self) -> dict[str, solver.BodyPoint]:
        """All points that have targets, by their names in the models of the peers."""
        feet = dict(zip(POINTS, self.points, strict=True))
        return feet if self.hand is None else {**feet, HAND_POINT: self.hand.point}

    @staticmethod
    def of(walk: PlantedWalk, hand: solver.ShapeConstraint | None = None) -> WalkTargets:
        """Compile the constraints of a walk, and one of a hand beside them."""
        clip, skeleton = walk.clip, walk.clip.skeleton
        frame_tasks = FrameTasks(Timeline.of(Source(clip), [*walk.constraints, *([hand] if hand else [])]))
        channels = {channel.effector: number for number, channel in enumerate(frame_tasks.timeline.channels)}
        points = tuple(skeleton.resolve(skeleton.landmarks.require(mark)) for mark in POINTS)
        numbers = [channels[PointEffector(point)] for point in points]
        chosen = [frame_tasks.timeline.channels[number] for number in numbers]
        active = np.stack([channel.active for channel in chosen], axis=1)
        asked = np.stack([frame_tasks.targets[number] for number in numbers], axis=1)
        there = _places(clip.world, points)
        positions = np.where(active[..., None], asked, there)
        return WalkTargets(
            skeleton,
            clip.motion,
            points,
            positions,
            active,
            np.stack([channel.in_hold for channel in chosen], axis=1),
            clip.center_of_mass() + (positions - there).mean(axis=1),
            None if hand is None else _hand_targets(frame_tasks, channels, skeleton.resolve(hand.joint)),
        )

    def largest_miss(self, motion: solver.Motion) -> float:
        """The largest distance of a planted point from its target, in sizes of the character."""
        places = _places(WorldState.of(self.skeleton, motion), self.points)
        return float(np.linalg.norm(places - self.positions, axis=-1)[self.held].max())

    def mean_miss_of_hand(self, motion: solver.Motion, constraint: solver.ShapeConstraint) -> float:
        """The mean distance of the hand from its target while that is held, in sizes of the character."""
        assert self.hand is not None
        places = WorldState.of(self.skeleton, motion).point(self.hand.point)
        held = np.concatenate([active_frames(*point.stay) for point in constraint.points])
        return float(np.linalg.norm(places - self.hand.positions, axis=-1)[held].mean())


def _hand_targets(frame_tasks: FrameTasks, channels: Mapping[Effector, int], point: solver.BodyPoint) -> HandTargets:
    number = channels[PointEffector(point)]
    return HandTargets(point, frame_tasks.targets[number], frame_tasks.timeline.channels[number].active)


def _places(world: WorldState, points: Iterable[solver.BodyPoint]) -> Array:
    """(frames, points, 3)"""
    return np.stack([world.point(point) for point in points], axis=1)


@dataclass(frozen=True)
class AccelerationRatios:
    """Accelerations of a result over those of its source."""

    whole: float
    """The largest angular acceleration of any joint over the largest of the source."""
    joint: float
    """The largest ratio of a joint's angular acceleration to its own in the source."""

    @staticmethod
    def of(walk: PlantedWalk, motion: solver.Motion) -> AccelerationRatios:
        """The ratios of a result of this walk."""
        before = _accelerations(walk.clip.motion.rotations[walk.first :])
        after = _accelerations(motion.rotations[walk.first :])
        seen = np.maximum(before, STILL_JOINT * before.max())
        return AccelerationRatios(float(after.max() / before.max()), float((after / seen).max()))


def _accelerations(turned: Array) -> Array:
    """(joints,) the largest angular acceleration of each in its parent, per frame squared."""
    velocities = rotations.log(rotations.multiply(turned[1:], rotations.conjugate(turned[:-1])))
    return np.asarray(np.linalg.norm(np.diff(velocities, axis=0), axis=-1).max(axis=0))

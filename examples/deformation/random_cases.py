# SPDX-License-Identifier: GPL-3.0-or-later
"""Random cases for `deform`: a clip and constraints of all kinds, in reach and out of it, overlapping and adjacent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...solver.body.clip import Clip
from ...solver.body.joints import BodyPoint
from ...solver.body.moving_object import MovingObject
from ...solver.constraints import (
    Balance,
    Constraint,
    ConstraintPoint,
    DirectionConstraint,
    OrientationConstraint,
    ShapeConstraint,
    Source,
)
from ...solver.constraints.effectors import AttachedEffector
from ...solver.constraints.paths import Mode
from ...solver.core import rotations
from ...solver.core.arrays import Array
from ...solver.synthetic import human, walk
from ..edits import plant
from .random_clips import Rng, random_clip

HUMAN = 0.1
"""The share of cases with a walking human and its footplants."""
KINDS = ("shape", "orientation", "direction", "balance")
MODES: tuple[Mode, ...] = ("absolute", "relative", "condensed")


@dataclass(frozen=True, eq=False)
class Case:
    """A clip and constraints that are valid on it."""

    seed: int
    clip: Clip
    constraints: tuple[Constraint, ...]

    def __str__(self) -> str:
        clip, limits = self.clip, len(self.clip.skeleton.limits)
        kinds = ", ".join(f"{type(each).__name__} {each.priority}" for each in self.constraints)
        return f"seed {self.seed}: {len(clip.skeleton)} joints, {limits} limits, {clip.frames} frames, {kinds}"


def random_case(seed: int) -> Case:
    """The case of a seed: the same one in every run."""
    rng = np.random.default_rng(seed)
    if rng.random() < HUMAN:
        return _walk_case(rng, seed)
    clip = random_clip(rng)
    spans: list[tuple[int, int]] = []
    constraints: list[Constraint] = []
    same_priority = rng.random() < 0.2
    for number in range(int(rng.choice([1, 2, 3, 4, 5], p=[0.15, 0.35, 0.25, 0.15, 0.1]))):
        priority = 1 if same_priority else int(rng.integers(4))
        constraints.append(_random_constraint(rng, clip, spans, priority=priority, name=f"c{number}"))
    return Case(seed, clip, tuple(constraints))


def _walk_case(rng: Rng, seed: int) -> Case:
    """A step or two of a human, with its plants, some of them moved, balance, and one or two constraints more."""
    fps = float(rng.choice([24.0, 30.0, 60.0]))
    body = human("y" if rng.random() < 0.5 else "z", hinges=bool(rng.random() < 0.5), limits=bool(rng.random() < 0.4))
    motion = walk(body, steps=1 if fps > 30.0 else 2, fps=fps, skate=0.01, seed=seed)
    clip = motion.clip
    constraints: list[Constraint] = []
    for number, contact in enumerate(motion.contacts):
        each = plant(contact, priority=3, name=f"plant {number}")
        constraints.append(each.moved(_shift(rng, clip)) if rng.random() < 0.3 else each)
    if rng.random() < 0.7:
        constraints.append(Balance(priority=int(rng.integers(4)), name="balance"))
    spans: list[tuple[int, int]] = []
    for number in range(int(rng.integers(3))):
        constraints.append(_random_constraint(rng, clip, spans, priority=int(rng.integers(5)), name=f"c{number}"))
    return Case(seed, clip, tuple(constraints))


# Constraints --------------------------------------------------------------------------------------------------------


def _random_constraint(rng: Rng, clip: Clip, spans: list[tuple[int, int]], *, priority: int, name: str) -> Constraint:
    """A constraint of any kind; its span is added to those of the others."""
    begin, end = _span(rng, clip.frames, spans)
    spans.append((begin, end))
    kind = rng.choice(KINDS, p=[0.5, 0.2, 0.1, 0.2])
    weight = 1.0 if rng.random() < 0.7 else float(rng.uniform(0.2, 5.0))
    recruit = _recruit(rng, clip, kind != "balance")
    rest: dict[str, Any] = {"priority": priority, "name": name, "weight": weight, "recruit": recruit}
    if kind == "balance":
        return _balance(rng, clip, begin, end, rest)
    joint, mode = int(rng.integers(len(clip.skeleton))), MODES[rng.integers(3)]
    stays = _stays(rng, begin, end)
    if kind == "shape":
        return _shape(rng, clip, joint, (begin, end), stays, mode, rest)
    if kind == "orientation":
        turns = [rotations.exp(rng.uniform(0.05, 2.5) * _direction(rng)) for _ in stays]
        there = clip.orientation(joint)
        points = [
            ConstraintPoint(rotations.multiply(turn, there[int(stay[0])]), *stay)
            for turn, stay in zip(turns, stays, strict=True)
        ]
        return OrientationConstraint(joint, begin, end, points, mode=mode, **rest)
    axis = _direction(rng)
    there = rotations.rotate(clip.orientation(joint), axis)
    points = [ConstraintPoint(there[int(stay[0])] + rng.uniform(0.05, 3.0) * _direction(rng), *stay) for stay in stays]
    return DirectionConstraint(joint, begin, end, points, mode=mode, axis=axis, **rest)


def _shape(
    rng: Rng,
    clip: Clip,
    joint: int,
    span: tuple[int, int],
    stays: list[tuple[float, float]],
    mode: Mode,
    rest: dict[str, Any],
) -> ShapeConstraint:
    """A joint or a point on it, in the world, on another joint or on a moving object."""
    point = BodyPoint(joint)
    if rng.random() < 0.3:
        x, y, z = (0.5 * clip.skeleton.size * _direction(rng)).tolist()
        point = BodyPoint(joint, (x, y, z))
    reference: int | MovingObject | None = None
    chance, places = rng.random(), clip.position(point)
    if chance < 0.15:
        other = int(rng.choice([other for other in range(len(clip.skeleton)) if other != joint]))
        reference, places = other, Source(clip).values(AttachedEffector(point, other))
    elif chance < 0.22:
        turns = rotations.exp(np.linspace(0.0, rng.uniform(0.0, 1.0), clip.frames)[:, None] * _direction(rng))
        moving = MovingObject(np.linspace(_shift(rng, clip), _shift(rng, clip), clip.frames), turns)
        reference, places = moving, moving.seen_from(places)
    points = [ConstraintPoint(places[int(stay[0])] + _shift(rng, clip), *stay) for stay in stays]
    return ShapeConstraint(point, *span, points, mode=mode, reference=reference, **rest)


def _balance(rng: Rng, clip: Clip, begin: int, end: int, rest: dict[str, Any]) -> Balance:
    joints = len(clip.skeleton)
    points = rng.permutation(joints)[: int(rng.integers(1, min(joints, 3) + 1))].tolist()
    displacement = (None, 0.3 * _shift(rng, clip), np.linspace(0, 1, clip.frames)[:, None] * 0.3 * _shift(rng, clip))
    return Balance(
        points=points,
        displacement=displacement[int(rng.integers(3))],
        begin=begin if rng.random() < 0.8 else None,
        end=end if rng.random() < 0.8 else None,
        axes=None if rng.random() < 0.7 else "xyz",
        **rest,
    )


def _span(rng: Rng, frames: int, spans: list[tuple[int, int]]) -> tuple[int, int]:
    """First and last frame of a constraint; often right after the last one, sometimes the whole clip."""
    chance = rng.random()
    if chance < 0.12:
        return 0, frames - 1
    begin = int(rng.integers(frames - 2))
    if spans and chance < 0.4:
        begin = min(spans[-1][1] + int(rng.integers(2)), frames - 2)
    return begin, min(begin + int(rng.integers(1, max(2, frames // 2))), frames - 1)


def _stays(rng: Rng, begin: int, end: int) -> list[tuple[float, float]]:
    """One to three intervals within a span, some of a single frame, some of which begin between frames."""
    count = min(int(rng.choice([1, 2, 3], p=[0.7, 0.2, 0.1])), (end - begin + 1) // 2)
    times = np.sort(rng.permutation(np.arange(begin, end + 1))[: 2 * count]).astype(np.float64)
    stays = [(float(first), float(last)) for first, last in times.reshape(-1, 2)]
    chance = rng.random()
    if chance < 0.15:
        return [(first + 0.25, last) for first, last in stays]
    return [(first, first) for first, _ in stays] if chance < 0.25 else stays


def _shift(rng: Rng, clip: Clip) -> Array:
    """(3,) from where something is to its target: nothing, a little, far, or farther than any limb reaches."""
    amount = rng.choice(
        [0.0, rng.uniform(0.02, 0.3), rng.uniform(0.3, 1.0), rng.uniform(1.2, 3.0)], p=[0.1, 0.5, 0.2, 0.2]
    )
    return np.asarray(float(amount) * clip.skeleton.size * _direction(rng))


def _recruit(rng: Rng, clip: Clip, has_joint: bool) -> int | tuple[int, ...] | None:
    chance, joints = rng.random(), len(clip.skeleton)
    if chance < 0.6:
        return None
    if chance < 0.8 and has_joint:
        return int(rng.integers(4))
    return tuple(rng.permutation(joints)[: int(rng.integers(1, joints + 1))].tolist())


def _direction(rng: Rng) -> Array:
    vector = rng.standard_normal(3)
    return np.asarray(vector / np.linalg.norm(vector))

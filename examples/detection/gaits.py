# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaits of a human whose feet are placed step by step, with the frames in which heel and ball are at rest."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.solver.body.clip import Clip
from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.synthetic import human

Spans = dict[tuple[str, str], list[tuple[int, int]]]
"""First and last frame of each rest interval, by foot ("left", "right") and part ("heel", "toe")."""


@dataclass(frozen=True)
class FootStep:
    """A stance of `stands` frames with the ball in one place, and a swing phase of `swings` frames after it."""

    place: tuple[float, float, float]
    stands: int
    swings: int
    heading: float = 0.0
    turns: float = 0.0
    """Radians by which the foot turns about its ball in the middle third of the stance."""
    pitch: float = 0.0
    """Radians by which the heel is raised all the while, rocking."""


@dataclass
class Feet:
    """The paths of both balls, headings and pitches, built step by step, and the rest intervals."""

    balls: dict[str, list[Array]] = field(default_factory=dict)
    headings: dict[str, list[Array]] = field(default_factory=dict)
    pitches: dict[str, list[Array]] = field(default_factory=dict)
    stands: Spans = field(default_factory=dict)

    def walk(self, foot: str, steps: list[FootStep], lift: float = 0.2) -> None:
        """Add all steps of a foot; the last one has no swing phase."""
        frame = 0
        for number, step in enumerate(steps):
            share = np.linspace(0.0, 1.0, step.stands)
            turning = np.clip(3.0 * share - 1.0, 0.0, 1.0)
            rocking = step.pitch * (1.0 + 0.4 * np.cos(3.0 * np.pi * share))
            self._add(foot, np.tile(step.place, (step.stands, 1)), step.heading + step.turns * turning, rocking)
            last = frame + step.stands - 1
            self.stands.setdefault((foot, "toe"), []).append((frame, last))
            if step.turns:
                still = np.flatnonzero((turning <= 0.0) | (turning >= 1.0))
                gap = int(np.argmax(np.diff(still)))
                halves = [(frame, frame + int(still[gap])), (frame + int(still[gap + 1]), last)]
                self.stands.setdefault((foot, "heel"), []).extend(halves)
            elif not step.pitch:
                self.stands.setdefault((foot, "heel"), []).append((frame, last))
            if number + 1 < len(steps):
                following = steps[number + 1]
                share = np.arange(1, step.swings + 1)[:, None] / (step.swings + 1)
                eased = share * share * (3.0 - 2.0 * share)
                way = np.add(step.place, eased * np.subtract(following.place, step.place))
                way[:, 1] += lift * np.sin(np.pi * share[:, 0]) ** 2
                headings = step.heading + step.turns + eased[:, 0] * (following.heading - step.heading - step.turns)
                pitches = 0.7 * np.sin(np.pi * share[:, 0]) + eased[:, 0] * (following.pitch - step.pitch) * 1.4
                self._add(foot, way, headings, pitches + 1.4 * step.pitch)
            frame += step.stands + step.swings

    def _add(self, foot: str, balls: Array, headings: Array, pitches: Array) -> None:
        for kept, new in ((self.balls, balls), (self.headings, headings), (self.pitches, pitches)):
            kept.setdefault(foot, []).append(new)

    def clip(self, fps: float = 30.0, hips: float = 0.93) -> tuple[Clip, Spans]:
        """The clip, as long as the shorter path of a foot, and its rest intervals."""
        ways = {foot: np.concatenate(parts) for foot, parts in self.balls.items()}
        frames = min(len(way) for way in ways.values())
        skeleton = human()
        marks = skeleton.landmarks
        turned = np.tile(skeleton.rest_rotations, (frames, 1, 1))
        moved = np.tile(skeleton.offsets, (frames, 1, 1))
        middle = np.mean([way[:frames] for way in ways.values()], axis=0)
        moved[:, 0] = _smoothed(middle) + np.array([0.0, hips, 0.0])
        world = WorldState.of(skeleton, Motion(turned, moved))
        for foot, way in ways.items():
            ankle, toe = getattr(marks, f"{foot}_ankle"), getattr(marks, f"{foot}_toe")
            heading = np.concatenate(self.headings[foot])[:frames]
            pitch = np.concatenate(self.pitches[foot])[:frames]
            turn = rotations.multiply(
                rotations.from_axis_angle([0.0, 1.0, 0.0], heading), rotations.from_axis_angle([1.0, 0.0, 0.0], pitch)
            )
            ankle_from_ball = skeleton.rest[1][ankle] - skeleton.rest[1][toe]
            place = way[:frames] + rotations.rotate(turn, ankle_from_ball)
            parent = int(skeleton.parents[ankle])
            back = rotations.conjugate(world.rotations[:, parent])
            turned[:, ankle] = rotations.multiply(back, turn)
            moved[:, ankle] = rotations.rotate(back, place - world.positions[:, parent])
        cut = {
            key: [(begin, min(end, frames - 1)) for begin, end in spans if begin < frames]
            for key, spans in self.stands.items()
        }
        return Clip(skeleton, Motion(turned, moved), fps), cut


def _smoothed(path: Array) -> Array:
    """A path without the accelerations of single steps."""
    padded = np.pad(path, ((15, 15), (0, 0)), mode="edge")
    return np.stack([np.convolve(padded[:, axis], np.full(31, 1.0 / 31.0), mode="valid") for axis in range(3)], axis=1)


BALL = 0.015
"""How high the ball of a flat foot is above the floor."""


def running(floor: float = 0.0) -> tuple[Clip, Spans]:
    """Six steps a foot on the balls: 0.17 s on the floor, 0.4 s in the air, three leg lengths on each time."""
    feet = Feet()
    for foot, side, ahead in (("left", 0.06, 0.0), ("right", -0.06, 1.4)):
        steps = [FootStep((side, floor + BALL, ahead + 2.8 * number), 5, 12, pitch=0.25) for number in range(6)]
        if foot == "right":
            steps = [FootStep((side, floor + BALL, -1.4), 4, 7, pitch=0.25), *steps]
        feet.walk(foot, steps)
    return feet.clip()


def turning_round() -> tuple[Clip, Spans]:
    """Both feet walk, and the left one turns by 80 degrees about its ball while it supports the body."""
    feet = Feet()
    feet.walk(
        "left",
        [
            FootStep((0.08, BALL, 0.0), 20, 14),
            FootStep((0.08, BALL, 1.2), 40, 14, turns=1.4),
            FootStep((1.3, BALL, 1.3), 24, 14, heading=1.4),
            FootStep((2.5, BALL, 1.3), 20, 0, heading=1.4),
        ],
    )
    feet.walk(
        "right",
        [
            FootStep((-0.08, BALL, 0.6), 37, 20),
            FootStep((0.5, BALL, 1.45), 36, 14, heading=1.4),
            FootStep((1.9, BALL, 1.2), 60, 0, heading=1.4),
        ],
    )
    return feet.clip()


def jumping() -> tuple[Clip, Spans]:
    """Both feet leave the floor together, fly for half a second, and land a leg length away, twice."""
    feet = Feet()
    for foot, side in (("left", 0.1), ("right", -0.1)):
        feet.walk(foot, [FootStep((side, BALL, 0.9 * number), 25, 15) for number in range(3)], lift=0.35)
    return feet.clip()


def climbing() -> tuple[Clip, Spans]:
    """Eight steps of stairs of 0.17, down the last three of them."""
    heights = [0.0, 0.17, 0.34, 0.51, 0.68, 0.68, 0.51, 0.34, 0.17]
    feet = Feet()
    places = [(BALL + height, 0.3 * number) for number, height in enumerate(heights)]
    feet.walk("left", [FootStep((0.08, *place), 22, 14) for place in places[0::2]])
    feet.walk(
        "right",
        [FootStep((-0.08, BALL, -0.3), 4, 14), *(FootStep((-0.08, *place), 22, 14) for place in places[1::2])],
    )
    return feet.clip()


def kicking() -> tuple[Clip, Spans]:
    """The left foot stands; the right one is raised, held still in the air for a second, and put down."""
    feet = Feet()
    feet.walk("left", [FootStep((0.1, BALL, 0.0), 110, 0)])
    held = FootStep((-0.1, 0.55, 0.5), 30, 15)
    feet.walk("right", [FootStep((-0.1, BALL, 0.0), 25, 15), held, FootStep((-0.1, BALL, 0.05), 25, 0)], lift=0.05)
    clip, stands = feet.clip()
    for part in ("heel", "toe"):
        stands["right", part] = [stands["right", part][0], stands["right", part][2]]
    return clip, stands


JITTER = 2e-4
"""Radians of Gaussian noise on every joint of the legs, and sizes of the character on the root. Feet then move by
0.03 % of the size on each axis, as those of the captured walk do in its plants."""


def jittered(clip: Clip, rng: np.random.Generator, amount: float = JITTER) -> Clip:
    """The clip with independent noise in every frame."""
    turned, moved = clip.motion.rotations.copy(), clip.motion.translations.copy()
    moved[:, 0] += amount * clip.skeleton.size * rng.standard_normal(moved[:, 0].shape)
    marks = clip.skeleton.landmarks
    for joint in {*marks.leg("left"), *marks.leg("right")} - {None}:
        shaken = rotations.exp(amount * rng.standard_normal((clip.frames, 3)))
        turned[:, joint] = rotations.multiply(turned[:, joint], shaken)
    return clip.with_motion(Motion(turned, moved))

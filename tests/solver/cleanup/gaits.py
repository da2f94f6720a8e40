# SPDX-License-Identifier: GPL-3.0-or-later
"""Made-up humans that run, turn, jump and climb with bones of fixed length, feet that stand exactly, and known plants.

Feet come down flat, heel first or on the ball, and roll over the ball before they leave: every order of events occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from poise.solver import Footplant
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.synthetic import Contact, SyntheticMotion, human, walk
from poise.solver.synthetic.puppet import SIDE_OF, FootPose, Puppet, heel_to_ball
from poise.solver.synthetic.skating import skated

LONGEST = 0.99
"""Share of its length that a leg uses at most."""
CALM = 0.15
"""Seconds over which the pelvis takes up what its legs allow."""
LANDS = 0.1
"""Seconds that a foot takes from its first touch to standing flat."""
ROLLS = 0.6
"""Radians by which the heel is raised when the ball leaves the ground."""


@dataclass(frozen=True)
class Step:
    """A foot stands from one time to another, in seconds, with the middle of heel and ball at a place."""

    begin: float
    end: float
    place: tuple[float, float, float]
    heading: float = 0.0
    lands: float = 0.0
    """Radians by which the foot is pitched when it touches the ground: heel first below zero, ball first above."""
    heel: bool = True
    """Whether the heel comes down at all."""


def ease(share: Array) -> Array:
    x = np.clip(share, 0.0, 1.0)
    return np.asarray(x**3 * (10.0 - 15.0 * x + 6.0 * x**2))


def yaw(heading: Array | float) -> Array:
    return rotations.from_axis_angle([0.0, 1.0, 0.0], heading)


class Walker:
    """One foot through all of its steps."""

    def __init__(self, foot: str, steps: Sequence[Step], times: Array, lift: float) -> None:
        skeleton = human()
        self.foot, self.steps, self.times, self.lift = foot, steps, times, lift
        self.sole = heel_to_ball(skeleton, SIDE_OF[foot])  # type: ignore[index]
        self.level = self.sole * (1.0, 0.0, 1.0)
        self.rise = self.sole - self.level

    def ends(self, step: Step) -> tuple[Array, Array]:
        """Where heel and ball stand."""
        along = rotations.rotate(yaw(step.heading), self.sole)
        middle = np.array(step.place) + 0.5 * self.rise
        return middle - 0.5 * along, middle + 0.5 * along

    def rolling(self, step: Step) -> float:
        """When the heel is lifted."""
        return step.begin + 0.6 * (step.end - step.begin)

    def pose(self) -> FootPose:
        frames = len(self.times)
        pitch, heading, ball = np.zeros(frames), np.zeros(frames), np.zeros((frames, 3))
        for number, step in enumerate(self.steps):
            down, up = (
                ease((self.times - step.begin) / LANDS),
                ease((self.times - self.rolling(step)) / (step.end - self.rolling(step))),
            )
            stands = (self.times >= step.begin) & (self.times <= step.end)
            last = number + 1 == len(self.steps)
            raised = 0.25 if not step.heel else 0.0
            stance = step.lands * (1.0 - down) + raised * down
            stance = stance + (0.0 if last else 1.0) * (ROLLS - raised) * up
            pitch[stands] = stance[stands]
            heading[stands] = step.heading
            heel_place, ball_place = self.ends(step)
            turned = rotations.multiply(yaw(step.heading), rotations.from_axis_angle([1.0, 0.0, 0.0], stance))
            on_heel = heel_place + rotations.rotate(turned, self.sole)
            ball[stands] = np.where((stance < 0.0)[:, None], on_heel, ball_place)[stands]
            if last:
                continue
            following = self.steps[number + 1]
            swings = (self.times > step.end) & (self.times < following.begin)
            share = (self.times[swings] - step.end) / (following.begin - step.end)
            pitch[swings] = ROLLS + ease(share) * (following.lands - ROLLS)
            heading[swings] = step.heading + ease(share) * (following.heading - step.heading)
            target = self.ends(following)[1]
            if following.lands < 0.0:
                landing = rotations.multiply(
                    yaw(following.heading), rotations.from_axis_angle([1.0, 0.0, 0.0], following.lands)
                )
                target = self.ends(following)[0] + rotations.rotate(landing, self.sole)
            way = ball_place + ease(share)[:, None] * (target - ball_place)
            way[:, 1] += self.lift * (4.0 * share * (1.0 - share)) ** 3
            ball[swings] = way
        foot = rotations.multiply(yaw(heading), rotations.from_axis_angle([1.0, 0.0, 0.0], pitch))
        # Toes bend where the heel is raised and go with a foot that lands on its heel.
        toes = rotations.multiply(yaw(heading), rotations.from_axis_angle([1.0, 0.0, 0.0], np.minimum(pitch, 0.0)))
        return FootPose(ball, foot, toes)

    def contacts(self, fps: float) -> list[Contact]:
        contacts = []
        for number, step in enumerate(self.steps):
            begin, end = max(int(np.ceil(step.begin * fps)), 0), min(int(np.floor(step.end * fps)), len(self.times) - 1)
            flat = int(np.ceil((step.begin + LANDS) * fps)) if step.lands else begin
            off = end if number + 1 == len(self.steps) else int(np.floor(self.rolling(step) * fps))
            if begin >= len(self.times) - 1 or end <= 0:
                continue
            off, flat = min(off, len(self.times) - 1), max(flat, 0)
            heel, toe = self.ends(step)
            strikes = (flat, begin) if step.lands > 0.0 else (begin, flat)
            if not step.heel or off < 0:
                strikes, off = (1, begin), 0
            contacts.append(Contact(self.foot, strikes[0], strikes[1], off, end, heel, toe))  # type: ignore[arg-type]
        return contacts


def gait(name: str, *, skate: float = 0.0, fps: float = 60.0, seed: int = 0) -> SyntheticMotion:
    """ "walk", "run", "turn", "jump" or "stairs"."""
    if name == "walk":
        return walk(steps=4, fps=fps, skate=skate, seed=seed)
    steps, lift, body = GAITS[name]()
    duration = min(each[-1].end for each in steps.values())
    times = np.arange(int(duration * fps) + 1) / fps
    walkers = {foot: Walker(foot, each, times, lift) for foot, each in steps.items()}
    puppet = Puppet(human(), len(times))
    places, headings = body(times)
    puppet.root = puppet.root + places * (1.0, 0.0, 1.0)
    puppet.turn(puppet.skeleton.names[0], np.stack([0.0 * headings, headings, 0.0 * headings], axis=1))
    poses = {foot: walker.pose() for foot, walker in walkers.items()}
    puppet.root[:, 1] += _carried(puppet, poses, fps)
    for foot, pose in poses.items():
        puppet.place_foot(SIDE_OF[foot], pose)  # type: ignore[index]
    contacts = [contact for walker in walkers.values() for contact in walker.contacts(fps)]
    ordered = tuple(sorted(contacts, key=lambda contact: contact.toe_strike))
    return SyntheticMotion(skated(puppet.clip(fps, 0.0), ordered, skate, seed), ordered)


def footplants(motion: SyntheticMotion) -> list[Footplant]:
    """The contacts as footplants without any place: they stand where the feet are."""
    plants = []
    for contact in motion.contacts:
        heel = {"heel_strike": contact.heel_strike, "heel_off": contact.heel_off}
        has_heel = contact.heel_strike <= contact.heel_off
        plants.append(
            Footplant(
                foot=contact.foot,
                toe_strike=contact.toe_strike,
                toe_off=contact.toe_off,
                **(heel if has_heel else {}),
            )
        )
    return plants


def _carried(puppet: Puppet, poses: dict[str, FootPose], fps: float) -> Array:
    """(frames,) how much higher the pelvis is carried than at rest: smoothly, as high as both legs allow."""
    skeleton, state = puppet.skeleton, puppet.state()
    highest = []
    for foot, pose in poses.items():
        side = SIDE_OF[foot]  # type: ignore[index]
        way = pose.ankle(skeleton, side) - state.positions[:, skeleton.index(side + "hip")]
        bones = [np.linalg.norm(skeleton.offsets[skeleton.index(side + joint)]) for joint in ("knee", "talocrural")]
        room = (LONGEST * sum(bones)) ** 2 - way[:, 0] ** 2 - way[:, 2] ** 2
        assert (room > 0.0).all(), f"a foot of this gait is out of reach at frame {int(np.argmin(room))}"
        highest.append(way[:, 1] + np.sqrt(room))
    radius = int(CALM * fps)
    padded = np.pad(np.min(highest, axis=0), 2 * radius, mode="edge")
    lowest = np.lib.stride_tricks.sliding_window_view(padded, 2 * radius + 1).min(axis=1)
    hann = np.hanning(2 * radius + 3)[1:-1]
    return np.convolve(lowest, hann / hann.sum(), mode="valid")


Body = Callable[[Array], tuple[Array, Array]]
"""The places (frames, 3) and headings (frames,) of the pelvis at some times."""


def _straight(speed: float, begin: float) -> Body:
    def body(times: Array) -> tuple[Array, Array]:
        return np.stack([0.0 * times, 0.0 * times, begin + speed * times], axis=1), 0.0 * times

    return body


def _running() -> tuple[dict[str, list[Step]], float, Body]:
    """On the balls, half of the time in the air: 0.7 s a cycle, 2.2 m/s."""
    cycle, stands, speed = 0.7, 0.26, 2.2
    steps: dict[str, list[Step]] = {}
    for foot, side, phase in (("left", 0.07, 0.0), ("right", -0.07, 0.5)):
        steps[foot] = []
        for number in range(-2, 5):
            middle = cycle * (number + phase) + 0.4
            place = (side, 0.0, speed * middle)
            begin, end = middle - 0.5 * stands, middle + 0.5 * stands
            steps[foot].append(Step(begin, end, place, lands=0.25, heel=False))
    return steps, 0.12, _straight(speed, 0.0)


def _turning() -> tuple[dict[str, list[Step]], float, Body]:
    """A quarter turn to the left in six steps, heels first."""
    steps: dict[str, list[Step]] = {"left": [], "right": []}
    radius, cycle = 1.2, 1.1

    def at(angle: float, out: float) -> tuple[float, float, float]:
        return (radius - (radius - out) * np.cos(angle), 0.0, (radius - out) * np.sin(angle))

    for number in range(6):
        foot, out = ("left", 0.09) if number % 2 else ("right", -0.09)
        angle = np.pi * number / 10.0
        begin = 0.5 * cycle * (number - 1) + 0.1
        end = 0.5 * cycle * (number + 0.4) + 0.1
        steps[foot].append(Step(begin, end, at(angle, out), heading=angle, lands=-0.25))
    steps["left"].insert(0, Step(-1.0, -0.23, at(-np.pi / 10.0, 0.09), heading=-np.pi / 10.0))
    for each in steps.values():
        each[-1] = Step(each[-1].begin, 3.4, each[-1].place, each[-1].heading, each[-1].lands)

    def body(times: Array) -> tuple[Array, Array]:
        share = (times - 0.1) / (0.5 * cycle) + 0.3
        angles = np.pi / 10.0 * (share - np.logaddexp(0.0, 4.0 * (share - 4.5)) / 4.0)
        return np.stack([radius - radius * np.cos(angles), 0.0 * times, radius * np.sin(angles)], axis=1), angles

    return steps, 0.12, body


def _jumping() -> tuple[dict[str, list[Step]], float, Body]:
    """Both feet leave the ground together and land on the balls, twice."""
    stands, flies = 0.9, 0.4
    steps = {
        foot: [
            Step(
                number * (stands + flies),
                number * (stands + flies) + stands,
                (side, 0.0, 0.5 * number),
                lands=0.5 if number else 0.0,
            )
            for number in range(3)
        ]
        for foot, side in (("left", 0.1), ("right", -0.1))
    }

    def body(times: Array) -> tuple[Array, Array]:
        ahead = sum(
            0.5 * ease((times - number * (stands + flies) - stands + 0.25) / (flies + 0.5)) for number in (0, 1)
        )
        return np.stack([0.0 * times, 0.0 * times, 0.02 + np.asarray(ahead)], axis=1), 0.0 * times

    return steps, 0.2, body


def _climbing() -> tuple[dict[str, list[Step]], float, Body]:
    """Up three steps of 0.17 and down two."""
    heights = [0.0, 0.0, 0.17, 0.34, 0.51, 0.51, 0.34, 0.17]
    half, tread = 0.6, 0.29
    steps: dict[str, list[Step]] = {"left": [], "right": []}
    for number, height in enumerate(heights):
        foot, side = ("left", 0.09) if number % 2 else ("right", -0.09)
        begin, end = half * (number - 1), half * (number + 0.3)
        lands = 0.3 if number > 1 and heights[number] < heights[number - 1] else 0.0
        steps[foot].append(Step(begin, end, (side, height, tread * number), lands=lands))
    for each in steps.values():
        each[-1] = Step(each[-1].begin, half * 8.2, each[-1].place, lands=each[-1].lands)

    def body(times: Array) -> tuple[Array, Array]:
        share = times / half + 0.2
        ahead = tread * (share - np.logaddexp(0.0, 4.0 * (share - 6.7)) / 4.0)
        return np.stack([0.0 * times, 0.0 * times, ahead], axis=1), 0.0 * times

    return steps, 0.1, body


GAITS = {"run": _running, "turn": _turning, "jump": _jumping, "stairs": _climbing}
NAMES = ("walk", *GAITS)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Made-up motions of points that slide, with their truth, and of points that do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.solver import MovingObject
from poise.solver.core import rotations
from poise.solver.core.arrays import Array, ArrayLike
from poise.solver.detection.settings import SlideKind

from ...solver.core.smooth_steps import smooth_step
from .tracks import eased, unit

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class SlideTruth:
    """From frame `begin` to frame `end`, both included, the point is on a line or a plane through `place`."""

    kind: SlideKind
    begin: int
    end: int
    place: Array
    direction: Array
    """Unit: along the line, or normal to the plane."""


@dataclass(frozen=True, eq=False)
class SlideExample:
    """The path (frames, 3) of a point, and its slides."""

    places: Array
    truths: tuple[SlideTruth, ...] = ()

    @property
    def body(self) -> MovingObject:
        """The same as a body that does not turn."""
        return MovingObject(self.places, np.tile(IDENTITY, (len(self.places), 1)))


def reach(begin: ArrayLike, end: ArrayLike, bulge: ArrayLike, frames: int) -> Array:
    """(frames, 3) from rest to rest, off the straight line by `bulge` midway; without its first frame."""
    share = np.linspace(0.0, 1.0, frames + 1)[1:, None]
    passed = smooth_step(share)
    way = np.asarray(begin) + passed * np.subtract(end, begin)
    return np.asarray(way + np.sin(np.pi * passed) * np.asarray(bulge))


def stay(place: ArrayLike, frames: int) -> Array:
    """(frames, 3) at rest."""
    return np.tile(np.asarray(place, dtype=np.float64), (frames, 1))


def drawer() -> SlideExample:
    """A hand comes to a handle, pulls the drawer out, rests, pushes it in, and goes."""
    handle, along = np.array([0.3, 0.7, 0.5]), unit([0.2, -0.05, 1.0])
    opened = handle + 0.45 * along
    pulled = handle + eased(0.0, 0.45, 41)[1:, None] * along
    pushed = opened - eased(0.0, 0.45, 31)[1:, None] * along
    parts = [
        reach((-0.2, 0.9, 0.1), handle, (0.05, 0.15, 0.0), 30),
        stay(handle, 20),
        pulled,
        stay(opened, 30),
        pushed,
        stay(handle, 20),
        reach(handle, (-0.3, 0.5, 0.3), (0.0, 0.1, -0.1), 30),
    ]
    return SlideExample(
        np.concatenate(parts),
        (SlideTruth("line", 49, 89, handle, along), SlideTruth("line", 119, 149, handle, along)),
    )


def wiped_table(normal: ArrayLike = (0.1, 1.0, -0.2)) -> SlideExample:
    """A hand comes to a table, wipes it in strokes that wander, and goes."""
    out = unit(normal)
    across = unit(np.cross(out, [0.3, 0.1, 1.0]))
    ahead = np.cross(across, out)
    time = np.arange(150) / 30.0
    first, second = 0.28 * np.sin(4.1 * time) + 0.03 * time, 0.16 * np.sin(6.7 * time + 0.4) + 0.04 * np.sin(1.1 * time)
    center = np.array([0.2, 0.8, 0.4])
    wiping = center + first[:, None] * across + second[:, None] * ahead
    away = wiping[0] + 0.35 * out - 0.2 * ahead
    arrival = reach(away, wiping[0], 0.1 * across, 30)
    return SlideExample(
        np.concatenate(
            [arrival, wiping[1:], reach(wiping[-1], wiping[-1] + 0.4 * out - 0.1 * across, 0.1 * ahead, 30)]
        ),
        (SlideTruth("plane", 29, 178, center, out),),
    )


def ice() -> SlideExample:
    """A foot steps onto the ice, glides until it stands, stands, and steps on."""
    down, along = np.array([0.5, 0.0, 0.0]), unit([1.0, 0.02, 0.1])
    share = np.linspace(0.0, 1.0, 46)
    gliding = down + 1.1 * (1.3 * share - 0.3 * share**2)[:, None] * along
    steps = np.linspace(0.0, 1.0, 16)[:-1, None]
    before = down - (1.0 - steps) * 0.6 * along + 0.2 * np.sin(np.pi * (1.0 - steps)) * np.array([0.0, 1.0, 0.0])
    after = reach(gliding[-1], gliding[-1] + np.array([0.7, 0.0, 0.0]), (0.0, 0.2, 0.0), 20)
    return SlideExample(
        np.concatenate([before, gliding, stay(gliding[-1], 25), after, stay(after[-1], 15)]),
        (SlideTruth("line", 15, 60, down, along),),
    )


def rail_on_a_cart() -> tuple[MovingObject, SlideExample]:
    """A cart that drives a bend over bumps, and a hand that slides along its rail; the truth is in the cart's frame."""
    time = np.arange(140) / 30.0
    turned = rotations.exp(np.stack([0.03 * np.sin(9.0 * time), 0.5 * time, 0.04 * np.sin(7.0 * time)], axis=1))
    way = np.stack([2.0 * np.sin(0.5 * time), 0.02 * np.sin(11.0 * time), 2.0 - 2.0 * np.cos(0.5 * time)], axis=1)
    cart = MovingObject(way, np.asarray(turned))
    grip, along = np.array([0.4, 0.9, -0.3]), unit([0.0, 0.1, 1.0])
    end = grip + 0.6 * along
    seen = np.concatenate(
        [
            reach((0.0, 1.2, -0.5), grip, (0.1, 0.1, 0.1), 30),
            grip + eased(0.0, 0.6, 61)[1:, None] * along,
            stay(end, 20),
            reach(end, (0.1, 0.7, 0.0), (0.0, 0.1, 0.1), 30),
        ]
    )
    hand = cart.positions + rotations.rotate(cart.rotations, seen)
    return cart, SlideExample(hand, (SlideTruth("line", 29, 89, grip, along),))


def swinging_arm(frames: int = 300) -> SlideExample:
    """Upper arm and forearm swing freely: nothing holds the hand."""
    time = np.arange(frames) / 30.0
    shoulder = rotations.exp(
        np.stack([0.6 * np.sin(3.1 * time), 0.2 * np.sin(2.3 * time + 1.0), 0.25 * np.cos(1.7 * time)], axis=1)
    )
    elbow = rotations.exp(np.stack([-0.5 - 0.4 * np.sin(3.1 * time + 0.6), 0.0 * time, 0.0 * time], axis=1))
    forearm = rotations.multiply(shoulder, elbow)
    down = np.array([0.0, -0.33, 0.0])
    return SlideExample(np.array([0.2, 1.5, 0.0]) + rotations.rotate(shoulder, down) + rotations.rotate(forearm, down))


def pendulum(frames: int = 300) -> SlideExample:
    """A stiff arm swings in one plane: an arc, which lies in a plane as every arc does."""
    angle = 0.7 * np.sin(3.0 * np.arange(frames) / 30.0)
    hand = np.stack([0.0 * angle, 1.5 - 0.65 * np.cos(angle), 0.65 * np.sin(angle)], axis=1)
    return SlideExample(hand)


def reaching(seed: int, frames: int = 600) -> SlideExample:
    """A hand reaches from place to place on arcs, and rests at some: nothing holds it."""
    rng = np.random.default_rng(seed)
    place, parts = rng.uniform(-0.5, 0.5, 3), [np.zeros((0, 3))]
    while sum(len(part) for part in parts) < frames:
        goal = rng.uniform(-0.5, 0.5, 3)
        way = np.linalg.norm(goal - place)
        aside = unit(np.cross(goal - place, rng.standard_normal(3)))
        parts.append(reach(place, goal, rng.uniform(0.08, 0.25) * way * aside, int(rng.integers(15, 40))))
        if rng.random() < 0.5:
            parts.append(stay(goal, int(rng.integers(3, 20))))
        place = goal
    return SlideExample(np.concatenate(parts))


def disturbed(places: Array, seed: int, noise: float, outliers: float) -> MovingObject:
    """The path with Gaussian noise in every frame, and every 23rd frame displaced by about `outliers`."""
    rng = np.random.default_rng(seed)
    places = places + noise * rng.standard_normal(places.shape)
    displaced = np.arange(5 + seed, len(places), 23)
    places[displaced] += outliers * rng.standard_normal((len(displaced), 3))
    return MovingObject(places, np.tile([1.0, 0.0, 0.0, 0.0], (len(places), 1)))

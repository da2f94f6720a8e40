# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions of single bodies with their true constraints: those of Le Callennec 2006, chapter 6, and more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.solver import MovingObject
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.detection.detected import Detected
from poise.solver.detection.settings import Kind

from .tracks import at_rest, carried, eased, joined, noisy, turning, unit

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class Truth:
    """What holds from frame `begin` to frame `end`, both included."""

    kind: Kind
    begin: int
    end: int
    place: Array
    direction: Array | None = None


@dataclass(frozen=True, eq=False)
class Example:
    """A motion and all that holds in it."""

    body: MovingObject
    truths: tuple[Truth, ...]


def last(body: MovingObject) -> tuple[Array, Array]:
    """Where a body ends, and how it is turned then."""
    return body.positions[-1], body.rotations[-1]


def about_line(body: MovingObject, place: Array, axis: Array, angle: float, frames: int) -> MovingObject:
    """The frames after those of `body` in which it turns about a line."""
    turns = rotations.from_axis_angle(axis, eased(0.0, angle, frames + 1))
    return part(turning(place, turns, *last(body)), 1)


def part(body: MovingObject, begin: int) -> MovingObject:
    """Without the first frames."""
    return MovingObject(body.positions[begin:], body.rotations[begin:])


def die(turned: Array) -> Example:
    """A die of side 1 rolls over four edges, rests on each face, and spins about a corner at last."""
    lying = at_rest((0.0, 0.5, 0.0), turned, 12)
    truths = [Truth("space", 0, 11, np.array([0.0, 0.5, 0.0]))]
    ahead, axis = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    for _ in range(4):
        edge = lying.positions[-1] + 0.5 * ahead - np.array([0.0, 0.5, 0.0])
        frames = len(lying.positions)
        rolled = joined(lying, about_line(lying, edge, axis, 0.5 * np.pi, 14))
        truths.append(Truth("line", frames - 1, frames + 13, edge, axis))
        lying = joined(rolled, part(at_rest(*last(rolled), 13), 0))
        truths.append(Truth("space", frames + 13, frames + 26, lying.positions[-1]))
    corner = lying.positions[-1] + np.array([0.5, -0.5, 0.5])
    frames = len(lying.positions)
    share = np.linspace(0.0, 1.0, 41)[1:, None]
    tumbling = rotations.exp(np.concatenate([0.9 * np.sin(2.0 * share), 2.5 * share, 0.7 * share**2], axis=1))
    spun = joined(lying, turning(corner, tumbling, *last(lying)))
    truths.append(Truth("point", frames - 1, frames + 39, corner))
    return Example(spun, tuple(truths))


def door() -> Example:
    """A hand comes to a door handle, opens the door, holds it, closes it, and goes."""
    hinge, axis = np.array([0.9, 0.0, 0.2]), np.array([0.0, 1.0, 0.0])
    coming = carried((-0.6, 0.5, -0.4), (0.6, 0.5, 0.4), rotations.exp([0.0, 0.3, 0.8]), (0.7, -0.4, 0.9), 25)
    handle = last(coming)
    moving = joined(coming, at_rest(*handle, 15))
    opened = joined(moving, about_line(moving, hinge, axis, 1.2, 40))
    held = joined(opened, at_rest(*last(opened), 20))
    closed = joined(held, about_line(held, hinge, axis, -1.2, 40))
    gone = carried(*(last(closed)[0], (-0.7, -0.3, 0.5)), last(closed)[1], (-0.9, 0.3, 0.5), 26)
    return Example(
        joined(closed, part(gone, 1)),
        (
            Truth("space", 24, 39, handle[0]),
            Truth("line", 39, 79, hinge, axis),
            Truth("space", 79, 99, last(opened)[0]),
            Truth("line", 99, 139, hinge, axis),
        ),
    )


def wiped_ball() -> Example:
    """A hand comes to a crystal ball, wipes it about its centre in all directions, and goes."""
    center = np.array([0.1, 1.0, 0.6])
    coming = carried((-0.5, 0.8, 0.0), (0.45, 0.35, 0.45), IDENTITY, (0.5, 0.2, -0.6), 20)
    time = np.arange(1, 91) / 30.0
    swing = np.stack([np.sin(2.1 * time), 0.7 * np.sin(3.3 * time), 0.8 * (1.0 - np.cos(2.7 * time))], axis=1)
    wiping = turning(center, rotations.exp(0.6 * swing), *last(coming))
    both = joined(coming, wiping)
    gone = part(carried(last(both)[0], (-0.5, -0.4, 0.1), last(both)[1], (0.3, -0.8, 0.2), 21), 1)
    return Example(joined(both, gone), (Truth("point", 19, 109, center),))


def lamp() -> Example:
    """The shade of a desk lamp follows a ball with its stand at rest, then is carried, then turns to the camera."""
    joint = np.array([0.0, 0.4, 0.1])
    time = np.arange(60) / 30.0
    looks = rotations.exp(np.stack([0.5 * np.sin(2.0 * time), 0.9 * np.sin(1.3 * time), 0.2 * time], axis=1))
    first = turning(joint, looks, (0.0, 0.45, 0.25), IDENTITY)
    bent = part(carried(last(first)[0], (0.15, -0.1, 0.2), last(first)[1], (0.6, 0.1, 0.5), 26), 1)
    moved = joined(first, bent)
    second_joint = last(moved)[0] + rotations.rotate(last(moved)[1], np.array([0.0, -0.05, -0.15]))
    time = np.arange(1, 61) / 30.0
    looks = rotations.exp(np.stack([0.6 * np.sin(1.7 * time), -0.8 * time, 0.5 * np.sin(2.6 * time)], axis=1))
    whole = joined(moved, turning(second_joint, looks, *last(moved)))
    return Example(whole, (Truth("point", 0, 59, joint), Truth("point", 84, 144, second_joint)))


def carried_bottle() -> tuple[MovingObject, Example]:
    """A bottle that sways as its bearer walks, and a hand that comes to it, holds it, and lets it go.

    The truth is in the bottle's frame.
    """
    frames = 140
    time = np.arange(frames) / 30.0
    sway = rotations.exp(np.stack([0.2 * np.sin(3.0 * time), 0.4 * time, 0.15 * np.cos(4.0 * time)], axis=1))
    path = np.stack([0.3 * np.sin(time), 1.0 + 0.04 * np.sin(6.0 * time), 1.2 * time], axis=1)
    bottle = MovingObject(path, np.asarray(sway))
    grip = np.array([0.05, 0.1, -0.04])
    coming = carried(grip + np.array([0.5, -0.2, 0.3]), (-0.5, 0.2, -0.3), IDENTITY, (0.9, 0.5, -0.3), 41)
    held = joined(coming, at_rest(*last(coming), 60))
    going = part(carried(last(held)[0], (0.4, 0.3, 0.2), last(held)[1], (-0.5, 0.6, 0.8), 40), 1)
    seen = joined(held, going)
    hand = MovingObject(
        bottle.positions + rotations.rotate(bottle.rotations, seen.positions),
        np.asarray(rotations.multiply(bottle.rotations, seen.rotations)),
    )
    return bottle, Example(hand, (Truth("space", 40, 100, grip),))


def flags(found: list[Detected] | tuple[Truth, ...], kind: Kind, frames: int) -> Array:
    """(frames,) 1.0 where a constraint of this kind holds."""
    held = np.zeros(frames)
    for each in found:
        if each.kind == kind:
            held[each.begin : each.end + 1] = 1.0
    return held


def off_line(place: Array, on: Array, axis: Array) -> float:
    """How far a place is from a line."""
    return float(np.linalg.norm(np.cross(place - on, unit(axis))))


def disturbed(body: MovingObject, seed: int, noise: float, outliers: float) -> MovingObject:
    """The body with Gaussian noise in every frame, and every 27th frame displaced by about `outliers`."""
    rng = np.random.default_rng(seed)
    trembling = noisy(body, rng, noise, noise)
    places = trembling.positions.copy()
    displaced = np.arange(6 + seed, len(places), 27)
    places[displaced] += outliers * rng.standard_normal((len(displaced), 3))
    return MovingObject(places, trembling.rotations)


def all_flags(found: list[Detected] | tuple[Truth, ...], frames: int) -> Array:
    """(3 frames,) 1.0 where a constraint holds, one kind after the other."""
    return np.concatenate([flags(found, kind, frames) for kind in ("space", "line", "point")])

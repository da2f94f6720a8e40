# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the root has to be for every limb to reach its end's place (document 000, 3.2.4).

The displacement of the root has to lie in as many spheres as limbs are held: around the way from the limb's ball joint
to its end's place, with the length of the stretched limb as the radius. The point of their intersection that is nearest
to no displacement lies on one sphere, on the circle of two, or on one of the two points of three; of all such points
that lie in every sphere it is the nearest one. Where the spheres have no point in common, nothing serves all limbs:
then each misses its place by as little as the others let it, in the least squares.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..components import (
    ZERO,
    Number,
    Truth,
    Vector,
    choose,
    cross,
    dot,
    holds_anywhere,
    length,
    minus,
    negated,
    plus,
    root,
    times,
    unit,
    where,
)

INSIDE = 1e-9
"""A share of the radius: points of a sphere's surface count as inside."""

ROUNDS = 64
"""How often the nearest points of spheres without a common point are averaged: each round keeps the sum of squares
falling, and two spheres, the usual case, need one."""


class Sphere(NamedTuple):
    """Where the root's displacement may end for one limb's sake."""

    center: Vector
    radius: Number
    holds: Truth
    """Whether the limb is held at all."""


def misses(spheres: Sequence[Sphere]) -> Truth:
    """Whether some limb does not reach its place where the root is."""
    outside: Truth = False
    for sphere in spheres:
        outside = outside | (sphere.holds & (length(sphere.center) > sphere.radius))
    return outside


def displacement(spheres: Sequence[Sphere]) -> Vector:
    """The smallest displacement of the root that serves all limbs, or the best one where none does."""
    nearest: Vector = times(0.0, spheres[0].center)
    shortest: Number = 0.0 * spheres[0].radius + math.inf
    for place, is_there in _candidates(spheres):
        size = dot(place, place)
        better = is_there & _is_within(place, spheres) & (size < shortest)
        nearest = choose(better, place, nearest)
        shortest = where(better, size, shortest)
    lost = shortest == math.inf
    if holds_anywhere(lost):
        nearest = choose(lost, _compromise(spheres), nearest)
    return nearest


def _candidates(spheres: Sequence[Sphere]) -> Iterator[tuple[Vector, Truth]]:
    for sphere in spheres:
        yield _on_sphere(ZERO, sphere), sphere.holds
    for one, other in itertools.combinations(spheres, 2):
        yield _on_circle(one, other)
    for three in itertools.combinations(spheres, 3):
        yield from _on_three(*three)


def _is_within(place: Vector, spheres: Sequence[Sphere]) -> Truth:
    inside: Truth = True
    for sphere in spheres:
        far = length(minus(place, sphere.center)) > (1.0 + INSIDE) * sphere.radius
        inside = inside & negated(sphere.holds & far)
    return inside


def _on_sphere(place: Vector, sphere: Sphere) -> Vector:
    """The point of a sphere's surface that is nearest to a place."""
    return plus(sphere.center, times(sphere.radius, unit(minus(place, sphere.center))))


def _on_circle(one: Sphere, other: Sphere) -> tuple[Vector, Truth]:
    """The point of two spheres' circle that is nearest to no displacement, and whether there is a circle."""
    between_centers = minus(other.center, one.center)
    apart = length(between_centers)
    is_apart = apart > 0.0
    normal = unit(between_centers)
    along = 0.5 * (apart + (one.radius - other.radius) * (one.radius + other.radius) / where(is_apart, apart, 1.0))
    square = one.radius * one.radius - along * along
    middle = plus(one.center, times(along, normal))
    outward = minus(times(dot(middle, normal), normal), middle)
    place = plus(middle, times(root(square), unit(outward)))
    return place, one.holds & other.holds & is_apart & (square >= 0.0)


def _on_three(one: Sphere, two: Sphere, three: Sphere) -> Iterator[tuple[Vector, Truth]]:
    """Both points that lie on three spheres, and whether there are such."""
    to_two, to_three = minus(two.center, one.center), minus(three.center, one.center)
    apart, first = length(to_two), unit(to_two)
    along = dot(first, to_three)
    rest = minus(to_three, times(along, first))
    aside, second = length(rest), unit(rest)
    is_plane = (apart > 0.0) & (aside > 0.0)
    apart, aside = where(is_plane, apart, 1.0), where(is_plane, aside, 1.0)
    square = one.radius * one.radius
    x = 0.5 * (square - two.radius * two.radius + apart * apart) / apart
    y = 0.5 * (square - three.radius * three.radius + along * along + aside * aside) / aside - along / aside * x
    height = square - x * x - y * y
    foot = plus(one.center, plus(times(x, first), times(y, second)))
    out = times(root(height), cross(first, second))
    is_there = one.holds & two.holds & three.holds & is_plane & (height >= 0.0)
    yield plus(foot, out), is_there
    yield minus(foot, out), is_there


def _compromise(spheres: Sequence[Sphere]) -> Vector:
    """The place from which the sum of the squared distances to all spheres is least."""
    weights = [where(sphere.holds, 1.0, 0.0) for sphere in spheres]
    total = weights[0]
    for weight in weights[1:]:
        total = total + weight
    total = where(total > 0.0, total, 1.0)

    def averaged(places: list[Vector]) -> Vector:
        mean: Vector = times(weights[0] / total, places[0])
        for weight, place in zip(weights[1:], places[1:], strict=True):
            mean = plus(mean, times(weight / total, place))
        return mean

    place = averaged([sphere.center for sphere in spheres])
    for _ in range(ROUNDS):
        nearest = []
        for sphere in spheres:
            outside = length(minus(place, sphere.center)) > sphere.radius
            nearest.append(choose(outside, _on_sphere(place, sphere), place))
        place = averaged(nearest)
    return place

# SPDX-License-Identifier: GPL-3.0-or-later
"""The displacement of the root with which every limb reaches its target (Kovar 2004, section 3.2.4).

The displacement has to lie in one sphere for each planted limb: centred on the way from the limb's ball joint to its
target, with the length of the extended limb as its radius. The point of their intersection that is nearest to zero
lies on one sphere, on the circle of two, or is one of the two points of three; it is the nearest of all such points
that lie in every sphere. Where the spheres have no point in common, the displacement minimises the sum of the squared
distances to them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...core.arrays import Array, BoolArray
from ...core.rotations import cross, dot, lengths, scaled, unit
from .frames import taken

ON_SURFACE = 1e-9
"""A share of the radius: points of a sphere's surface count as inside."""

ROUNDS = 64
"""How often the nearest points of spheres without a common point are averaged: the sum of squares falls in each round,
and two spheres, the usual case, need one."""


class Sphere(NamedTuple):
    """The displacements of the root with which one limb reaches its target."""

    center: Array
    """(frames, 3)"""
    radius: Array
    """(frames,)"""
    is_active: BoolArray
    """(frames,) whether the limb is planted: else the sphere does not count."""


def displacement(spheres: Sequence[Sphere]) -> Array:
    """(frames, 3) the smallest displacement within all spheres, or that of least squares where they have none."""
    found = np.zeros(spheres[0].center.shape)
    outside = [sphere.is_active & (lengths(sphere.center) > sphere.radius) for sphere in spheres]
    frames = np.flatnonzero(np.any(outside, axis=0))
    if frames.size:
        found[frames] = _smallest([taken(sphere, frames) for sphere in spheres])
    return found


def _smallest(spheres: Sequence[Sphere]) -> Array:
    """(frames, 3) the nearest of the candidates that lie in all spheres, or the point of least squares."""
    nearest = np.zeros(spheres[0].center.shape)
    shortest = np.full(len(nearest), np.inf)
    for point, exists in _candidates(spheres):
        square = dot(point, point)
        better = exists & _is_within(point, spheres) & (square < shortest)
        nearest = np.where(better[:, None], point, nearest)
        shortest = np.where(better, square, shortest)
    disjoint = np.flatnonzero(np.isinf(shortest))
    if disjoint.size:
        nearest[disjoint] = _least_squares([taken(sphere, disjoint) for sphere in spheres])
    return nearest


def _candidates(spheres: Sequence[Sphere]) -> Iterator[tuple[Array, BoolArray]]:
    """The nearest points to zero on one sphere, on two and on three, (frames, 3) and whether they exist (frames,)."""
    for sphere in spheres:
        yield _on_sphere(np.zeros(3), sphere), sphere.is_active
    for one, other in itertools.combinations(spheres, 2):
        yield _on_circle(one, other)
    for three in itertools.combinations(spheres, 3):
        yield from _on_three(*three)


def _is_within(point: Array, spheres: Sequence[Sphere]) -> BoolArray:
    inside = np.ones(len(point), dtype=bool)
    for sphere in spheres:
        inside &= ~sphere.is_active | (lengths(point - sphere.center) <= (1.0 + ON_SURFACE) * sphere.radius)
    return inside


def _on_sphere(point: Array, sphere: Sphere) -> Array:
    """(frames, 3) the point of a sphere's surface that is nearest to a point."""
    return np.asarray(sphere.center + scaled(unit(point - sphere.center), sphere.radius))


def _on_circle(one: Sphere, other: Sphere) -> tuple[Array, BoolArray]:
    """The point of two spheres' circle that is nearest to zero, and whether there is a circle."""
    between_centers = other.center - one.center
    apart, normal = lengths(between_centers), unit(between_centers)
    is_apart = apart > 0.0
    difference = (one.radius - other.radius) * (one.radius + other.radius)
    along = 0.5 * (apart + difference / np.where(is_apart, apart, 1.0))
    square = one.radius * one.radius - along * along
    middle = one.center + scaled(normal, along)
    outward = scaled(normal, dot(middle, normal)) - middle
    point = middle + scaled(unit(outward), np.sqrt(np.maximum(square, 0.0)))
    return point, one.is_active & other.is_active & is_apart & (square >= 0.0)


def _on_three(one: Sphere, two: Sphere, three: Sphere) -> Iterator[tuple[Array, BoolArray]]:
    """Both points that lie on three spheres, and whether there are such."""
    to_two, to_three = two.center - one.center, three.center - one.center
    apart, first = lengths(to_two), unit(to_two)
    along = dot(first, to_three)
    rest = to_three - scaled(first, along)
    aside, second = lengths(rest), unit(rest)
    is_plane = (apart > 0.0) & (aside > 0.0)
    apart, aside = np.where(is_plane, apart, 1.0), np.where(is_plane, aside, 1.0)
    square = one.radius * one.radius
    x = 0.5 * (square - two.radius * two.radius + apart * apart) / apart
    y = 0.5 * (square - three.radius * three.radius + along * along + aside * aside) / aside - along / aside * x
    height = square - x * x - y * y
    foot = one.center + scaled(first, x) + scaled(second, y)
    out = scaled(cross(first, second), np.sqrt(np.maximum(height, 0.0)))
    exists = one.is_active & two.is_active & three.is_active & is_plane & (height >= 0.0)
    yield foot + out, exists
    yield foot - out, exists


def _least_squares(spheres: Sequence[Sphere]) -> Array:
    """(frames, 3) the point from which the sum of the squared distances to all spheres is least."""
    weights = np.stack([sphere.is_active for sphere in spheres]).astype(np.float64)
    weights /= np.maximum(weights.sum(axis=0), 1.0)

    def averaged(points: Sequence[Array]) -> Array:
        return np.asarray((weights[..., None] * np.stack(points)).sum(axis=0))

    point = averaged([sphere.center for sphere in spheres])
    for _ in range(ROUNDS):
        nearest = []
        for sphere in spheres:
            outside = lengths(point - sphere.center) > sphere.radius
            nearest.append(np.where(outside[:, None], _on_sphere(point, sphere), point))
        point = averaged(nearest)
    return point

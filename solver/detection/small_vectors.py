# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors of three numbers as tuples: for single vectors, NumPy's calls cost more than the arithmetic."""

from __future__ import annotations

import math

Vector = tuple[float, float, float]


def dot(a: Vector, b: Vector) -> float:
    """a · b"""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def length(a: Vector) -> float:
    """|a|"""
    x, y, z = a
    return math.sqrt(x * x + y * y + z * z)


def cross(a: Vector, b: Vector) -> Vector:
    """a × b"""
    ax, ay, az = a
    bx, by, bz = b
    return (ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)


def minus(a: Vector, b: Vector) -> Vector:
    """a − b"""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def plus(a: Vector, b: Vector, times: float) -> Vector:
    """a + times · b"""
    return (a[0] + times * b[0], a[1] + times * b[1], a[2] + times * b[2])


def scaled(a: Vector, times: float) -> Vector:
    """times · a"""
    return (times * a[0], times * a[1], times * a[2])


def mixed(a: Vector, b: Vector, share: float) -> Vector:
    """(1 − share) · a + share · b"""
    return (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2]))

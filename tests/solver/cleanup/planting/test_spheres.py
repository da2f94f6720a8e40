# SPDX-License-Identifier: GPL-3.0-or-later
"""The root: the smallest displacement into all spheres of reach, or the best one where they have nothing in common."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.cleanup.planting.spheres import Sphere, displacement


def spheres_of(centers: np.ndarray, radii: np.ndarray) -> list[Sphere]:
    return [Sphere(c[None], np.array([r]), np.array([True])) for c, r in zip(centers, radii, strict=True)]


def excess(place: np.ndarray, centers: np.ndarray, radii: np.ndarray) -> np.ndarray:
    return np.linalg.norm(place - centers, axis=1) - radii


def nearest_by_force(centers: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Dykstra's alternating projections onto the balls: slow, simple, and sure to end at the nearest point."""
    place, corrections = np.zeros(3), np.zeros_like(centers)
    for _ in range(20000):
        before = place.copy()
        for number, (center, radius) in enumerate(zip(centers, radii, strict=True)):
            wanted = place + corrections[number]
            away = wanted - center
            size = np.linalg.norm(away)
            place = center + away * min(1.0, radius / size) if size > 0.0 else wanted
            corrections[number] = wanted - place
        if np.abs(place - before).max() < 1e-14:
            break
    return place


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_displacement_is_the_smallest_within_all_spheres(rng, count):
    done = 0
    while done < 12:
        centers = rng.standard_normal((count, 3))
        meeting = 0.4 * rng.standard_normal(3)
        radii = np.linalg.norm(centers - meeting, axis=1) * rng.uniform(1.0, 1.15, count)
        if (np.linalg.norm(centers, axis=1) <= radii).all():
            continue
        done += 1
        found = displacement(spheres_of(centers, radii))[0]
        assert excess(found, centers, radii).max() < 1e-8
        assert np.linalg.norm(found) <= np.linalg.norm(nearest_by_force(centers, radii)) + 1e-5


def test_a_limb_that_reaches_its_target_needs_no_displacement():
    reached, missed = (spheres_of(np.array([[0.5, 0.0, 0.0]]), np.array([radius])) for radius in (0.6, 0.4))
    assert not displacement(reached).any()
    assert np.allclose(displacement(missed), [[0.1, 0.0, 0.0]], atol=1e-15)
    free = Sphere(np.array([[9.0, 0.0, 0.0]]), np.array([1.0]), np.array([False]))
    assert not displacement([free]).any(), "a free limb needs no displacement"


def test_free_limbs_do_not_count(rng):
    centers, radii = rng.standard_normal((3, 3)) + 2.0, np.array([1.0, 1.2, 0.9])
    alone = spheres_of(centers[:1], radii[:1])
    others = [each._replace(is_active=np.array([False])) for each in spheres_of(centers[1:], radii[1:])]
    assert np.allclose(displacement(alone + others), displacement(alone))


def test_the_displacement_is_halfway_between_two_spheres_without_a_common_point():
    centers, radii = np.array([[3.0, 0.0, 1.0], [-3.0, 0.0, 1.0]]), np.array([1.0, 1.0])
    found = displacement(spheres_of(centers, radii))[0]
    assert np.allclose(found, [0.0, 0.0, 1.0], atol=1e-12)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_the_displacement_has_the_least_squares_where_spheres_have_no_common_point(rng, count):
    centers = 4.0 * rng.standard_normal((count, 3))
    radii = rng.uniform(0.3, 0.6, count)

    def cost(place: np.ndarray) -> float:
        return float((np.maximum(excess(place, centers, radii), 0.0) ** 2).sum())

    found = displacement(spheres_of(centers, radii))[0]
    for step in 1e-2 * rng.standard_normal((200, 3)):
        assert cost(found) <= cost(found + step) + 1e-9


def test_the_displacement_is_continuous_where_two_spheres_part():
    def at(apart: float) -> np.ndarray:
        centers = np.array([[apart, 0.3, 1.0], [-apart, 0.3, 1.0]])
        return displacement(spheres_of(centers, np.array([1.0, 1.0])))[0]

    steps = [np.linalg.norm(at(1.0 + 1e-6 * k) - at(1.0 + 1e-6 * (k - 1))) for k in range(-3, 4)]
    assert max(steps) < 5e-3


def test_frames_do_not_depend_on_each_other(rng):
    centers = 1.5 * rng.standard_normal((3, 200, 3))
    radii = rng.uniform(0.5, 1.5, (3, 200))
    active = rng.random((3, 200)) < 0.8
    active[0] = True
    spheres = [Sphere(*each) for each in zip(centers, radii, active, strict=True)]
    many = displacement(spheres)
    for frame in range(200):
        one = displacement([Sphere(*(part[frame : frame + 1] for part in sphere)) for sphere in spheres])
        assert np.allclose(one[0], many[frame], atol=1e-12)

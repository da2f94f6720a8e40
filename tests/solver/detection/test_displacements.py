# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid displacements between frames, in both formulations."""

from __future__ import annotations

import numpy as np
import pytest

from poise.examples.detection.tracks import at_rest, body_clip, carried, noisy
from poise.solver import BodyPoint, MovingObject, PoiseError
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.detection.displacements import Displacements, global_displacements, local_displacements, track
from poise.solver.detection.sigma_epsilon import sigma_epsilon

from ..made_up import moving_human
from ..rounding import assert_equal_to_rounding


def moved(body: MovingObject, frame: int, point: Array) -> Array:
    """Where a point of the body is in the world."""
    return np.asarray(body.positions[frame] + rotations.rotate(body.rotations[frame], point))


def wandering(rng: np.random.Generator, frames: int = 12) -> MovingObject:
    return MovingObject(rng.standard_normal((frames, 3)), rotations.random(rng, frames))


@pytest.mark.parametrize("stride", [1, 3])
def test_a_local_displacement_moves_points_of_the_body(rng: np.random.Generator, stride: int) -> None:
    body, point = wandering(rng), rng.standard_normal(3)
    found = local_displacements(body, stride)
    assert len(found) == 12 - stride
    for frame in range(len(found)):
        here = rotations.rotate(found.rotations[frame], point) + found.translations[frame]
        np.testing.assert_allclose(moved(body, frame, here), moved(body, frame + stride, point), atol=1e-12)


@pytest.mark.parametrize("stride", [1, 3])
def test_a_global_displacement_moves_points_of_the_world(rng: np.random.Generator, stride: int) -> None:
    body, point = wandering(rng), rng.standard_normal(3)
    found = global_displacements(body, stride)
    for frame in range(len(found)):
        there = rotations.rotate(found.rotations[frame], moved(body, frame, point)) + found.translations[frame]
        np.testing.assert_allclose(there, moved(body, frame + stride, point), atol=1e-12)


def test_far_from_the_origin_only_the_local_residual_is_unchanged(rng: np.random.Generator) -> None:
    # Le Callennec 2006, appendix A.1: the same trembling body at the origin and far away.
    body = noisy(at_rest((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), 100), rng, 1e-3, 1e-3)
    far = MovingObject(body.positions + np.array([1000.0, 0.0, 0.0]), body.rotations)

    def largest(found: Displacements) -> float:
        return float(sigma_epsilon(found).space_residual.max())

    assert largest(local_displacements(far)) == pytest.approx(largest(local_displacements(body)), rel=1e-9)
    assert largest(global_displacements(far)) > 100.0 * largest(global_displacements(body))


def test_the_track_of_a_joint_of_a_point_and_of_an_object(rng: np.random.Generator) -> None:
    clip = moving_human(rng, frames=5)
    ankle = track(clip, "l_talocrural")
    np.testing.assert_array_equal(ankle.positions, clip.position("l_talocrural"))
    np.testing.assert_array_equal(ankle.rotations, clip.orientation("l_talocrural"))
    heel = track(clip, BodyPoint("l_talocrural", (0.0, -0.1, -0.2)))
    assert_equal_to_rounding(heel.positions, clip.position(BodyPoint("l_talocrural", (0.0, -0.1, -0.2))))
    np.testing.assert_array_equal(heel.rotations, ankle.rotations)
    door = MovingObject(np.array([1.0, 2.0, 3.0]), np.array([2.0, 0.0, 0.0, 0.0]))
    np.testing.assert_array_equal(track(clip, door).positions, np.tile([1.0, 2.0, 3.0], (5, 1)))
    np.testing.assert_array_equal(track(clip, door).rotations, np.tile([1.0, 0.0, 0.0, 0.0], (5, 1)))


def test_a_body_carried_by_a_reference_is_at_rest_in_its_frame(rng: np.random.Generator) -> None:
    bottle = carried((0.0, 1.0, 0.0), (5.0, 0.0, 1.0), rotations.random(rng), (0.0, 2.0, 0.3), 30)
    grip, held = rng.standard_normal(3), rotations.random(rng)
    hand = MovingObject(
        bottle.positions + rotations.rotate(bottle.rotations, grip), rotations.multiply(bottle.rotations, held)
    )
    clip = body_clip(hand)
    seen = track(clip, "body", bottle)
    np.testing.assert_allclose(seen.positions, np.tile(grip, (30, 1)), atol=1e-12)
    assert rotations.angle_between(seen.rotations, held).max() < 1e-12
    points = sigma_epsilon(local_displacements(seen))
    assert points.sigma.max() < 1e-12 and points.space_residual.max() < 1e-12
    assert sigma_epsilon(local_displacements(track(clip, "body"))).space_residual.min() > 0.05


def test_a_clip_shorter_than_a_displacement_has_none(rng: np.random.Generator) -> None:
    for displacements in (local_displacements, global_displacements):
        assert len(displacements(wandering(rng, 1))) == 0
        assert len(displacements(wandering(rng, 3), 5)) == 0


def test_a_displacement_leads_on(rng: np.random.Generator) -> None:
    with pytest.raises(PoiseError, match="at least one frame on, not 0"):
        local_displacements(wandering(rng), 0)

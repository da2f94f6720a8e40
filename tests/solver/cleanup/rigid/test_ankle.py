# SPDX-License-Identifier: GPL-3.0-or-later
"""An ankle of two angles: it points the foot where it is wanted, the nearer way, within its ranges."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.cleanup.rigid.ankle import FREE, TwoAngles, within
from poise.solver.core import rotations
from poise.solver.core.arrays import Array

CASES = 500


def unit(rng: np.random.Generator, *shape: int) -> Array:
    vectors = rng.standard_normal((*shape, 3))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def random_ankles(rng: np.random.Generator) -> tuple[TwoAngles, Array, Array, Array]:
    """Axes of any directions, bones, and two angles each."""
    axes = unit(rng, 2, CASES)
    ankle = TwoAngles(axes[0], axes[1])
    return ankle, unit(rng, CASES), *rng.uniform(-np.pi, np.pi, (2, CASES))  # type: ignore[return-value]


def test_the_foot_points_in_the_wanted_direction(rng: np.random.Generator) -> None:
    ankle, bones, first, second = random_ankles(rng)
    wanted = rotations.rotate(ankle.rotation(first, second), bones)
    near = tuple(rng.uniform(-np.pi, np.pi, (2, CASES)))
    found = ankle.angles(bones, wanted, near)
    reached = rotations.rotate(ankle.rotation(*found), bones)
    assert np.abs(reached - wanted).max() < 1e-7
    # Where the bone and the axes are not nearly in line, far nearer.
    assert np.median(np.abs(reached - wanted).max(axis=1)) < 1e-15


def test_of_two_solutions_the_nearer_one_is_taken(rng: np.random.Generator) -> None:
    ankle, bones, first, second = random_ankles(rng)
    wanted = rotations.rotate(ankle.rotation(first, second), bones)
    found = ankle.angles(bones, wanted, (first, second))
    off = np.abs(np.exp(1j * np.stack(found)) - np.exp(1j * np.stack([first, second])))
    assert np.quantile(off.max(axis=0), 0.98) < 1e-6, "what comes from angles is found again, near them"
    away = ankle.angles(bones, wanted, (first + np.pi, second + np.pi))
    assert (np.abs(np.exp(1j * away[1]) - np.exp(1j * second)) > 1e-3).mean() > 0.3, "there are two ways, as a rule"


def test_the_axes_of_li_and_hao_agree_with_their_equation_10(rng: np.random.Generator) -> None:
    """About X, then about Z."""
    phi, psi = rng.uniform(-1.0, 1.0, (2, CASES))
    v = unit(rng, CASES)
    printed = np.stack(
        [
            v[:, 0] * np.cos(psi) - v[:, 1] * np.sin(psi),
            v[:, 0] * np.cos(phi) * np.sin(psi) + v[:, 1] * np.cos(phi) * np.cos(psi) - v[:, 2] * np.sin(phi),
            v[:, 0] * np.sin(phi) * np.sin(psi) + v[:, 1] * np.sin(phi) * np.cos(psi) + v[:, 2] * np.cos(phi),
        ],
        axis=1,
    )
    ankle = TwoAngles(np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]))
    assert np.abs(rotations.rotate(ankle.rotation(phi, psi), v) - printed).max() < 1e-14
    found = ankle.angles(v, printed, (phi, psi))
    assert np.quantile(np.abs(np.stack(found) - np.stack([phi, psi])).max(axis=0), 0.95) < 1e-9


def test_angles_stay_within_their_ranges(rng: np.random.Generator) -> None:
    bones, wanted = unit(rng, CASES), unit(rng, CASES)
    ankle = TwoAngles(np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), (-0.4, 0.9), (-0.3, 0.3))
    first, second = ankle.angles(bones, wanted, (np.zeros(CASES), np.zeros(CASES)))
    assert first.min() >= -0.4 and first.max() <= 0.9 and second.min() >= -0.3 and second.max() <= 0.3


def test_a_solution_within_the_ranges_is_preferred(rng: np.random.Generator) -> None:
    """The nearer way is no use where a range forbids it and the other way is free."""
    ankle, bones, first, second = random_ankles(rng)
    wanted = rotations.rotate(ankle.rotation(first, second), bones)
    low, high = -0.5 * np.pi, 0.5 * np.pi
    limited = TwoAngles(ankle.first_axis, ankle.second_axis, FREE, (low, high))
    found = limited.angles(bones, wanted, (first + 3.0, second + 3.0))
    inside = (second > low) & (second < high)
    missed = np.abs(rotations.rotate(limited.rotation(*found), bones) - wanted).max(axis=1)
    assert missed[inside].max() < 1e-6


def test_a_direction_out_of_reach_is_approached(rng: np.random.Generator) -> None:
    """A bone along the second axis can only go round the first one."""
    ankle = TwoAngles(np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]))
    wanted = unit(rng, CASES)
    bone = np.tile([0.0, 0.0, 1.0], (CASES, 1))
    found = ankle.angles(bone, wanted, (np.zeros(CASES), np.zeros(CASES)))
    reached = rotations.rotate(ankle.rotation(*found), bone)
    level = wanted * (0.0, 1.0, 1.0)
    assert np.abs(reached - level / np.linalg.norm(level, axis=1, keepdims=True)).max() < 1e-12


@pytest.mark.parametrize(("angle", "expected"), [(0.3, 0.3), (0.3 + 2.0 * np.pi, 0.3), (2.0, 1.0), (-2.0, -0.5)])
def test_a_range_takes_its_nearer_end(angle: float, expected: float) -> None:
    assert within(angle, (-0.5, 1.0)) == pytest.approx(expected, abs=1e-12)


def test_the_rotation_is_the_product_of_both(rng: np.random.Generator) -> None:
    ankle, _, first, second = random_ankles(rng)
    one = rotations.from_axis_angle(ankle.first_axis, first)
    other = rotations.from_axis_angle(ankle.second_axis, second)
    assert np.abs(ankle.rotation(first, second) - rotations.multiply(one, other)).max() < 1e-14

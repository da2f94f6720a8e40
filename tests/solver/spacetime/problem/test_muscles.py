# SPDX-License-Identifier: GPL-3.0-or-later
"""Damped springs at joints."""

from __future__ import annotations

import numpy as np

from poise.solver.spacetime.problem.muscles import (
    DAMPING_TIME,
    LEAST_STRENGTH,
    LEAST_TORQUE,
    STRENGTH,
    TYPICAL_STRETCH,
    Muscles,
    muscles_for,
)

STILL = np.zeros(1)


def one_muscle() -> Muscles:
    return Muscles(np.array([2.0]), np.array([0.3]), np.array([1.0]))


def test_a_muscle_pulls_toward_its_rest_value() -> None:
    muscle = one_muscle()
    assert muscle.torques(STILL, STILL, np.array([0.5]), STILL) == [1.0]
    assert muscle.torques(STILL, STILL, np.array([-0.5]), STILL) == [-1.0]
    assert muscle.torques(np.array([0.5]), STILL, np.array([0.5]), STILL) == [0.0]


def test_a_muscle_damps_the_motion_against_its_rest_value() -> None:
    muscle = one_muscle()
    assert muscle.torques(STILL, np.array([2.0]), STILL, STILL) == [-0.6]
    assert muscle.torques(STILL, np.array([2.0]), STILL, np.array([2.0])) == [0.0]


def test_a_joint_that_a_muscle_drives_comes_to_rest_there() -> None:
    muscle, value, rate, step = one_muscle(), np.array([1.2]), np.array([3.0]), 1e-3
    energies = []
    for _ in range(60000):
        rate = rate + step * muscle.torques(value, rate, np.array([0.4]), STILL)
        value = value + step * rate
        energies.append(float(rate[0] ** 2 + muscle.stiffness[0] * (value[0] - 0.4) ** 2))
    assert abs(value[0] - 0.4) < 1e-3 and abs(rate[0]) < 1e-3
    assert np.all(np.diff(energies[::5000]) < 0.0)


def test_many_instants_and_joints_at_once(rng: np.random.Generator) -> None:
    muscles = Muscles(rng.uniform(1.0, 2.0, 3), rng.uniform(0.1, 0.2, 3), np.ones(3))
    values, rates, rests, rest_rates = rng.standard_normal((4, 5, 3))
    found = muscles.torques(values, rates, rests, rest_rates)
    for instant in range(5):
        for joint in range(3):
            single = muscles.stiffness[joint] * (rests[instant, joint] - values[instant, joint])
            single += muscles.damping[joint] * (rest_rates[instant, joint] - rates[instant, joint])
            np.testing.assert_allclose(found[instant, joint], single)
    np.testing.assert_array_equal(muscles.parameters, [*muscles.stiffness, *muscles.damping])


def test_muscles_are_stiff_where_the_source_needs_torque(rng: np.random.Generator) -> None:
    torques = rng.standard_normal((1000, 3)) * [0.1, 1.0, 0.0]
    muscles = muscles_for(torques)
    peaks = np.quantile(np.abs(torques), 0.95, axis=0)
    # A typical stretch gives the peak of the source.
    np.testing.assert_allclose(muscles.stiffness[:2] * TYPICAL_STRETCH, peaks[:2])
    np.testing.assert_allclose(muscles.damping, DAMPING_TIME * muscles.stiffness)
    # A joint that the source does not use has a muscle nevertheless.
    np.testing.assert_allclose(muscles.stiffness[2] * TYPICAL_STRETCH, LEAST_TORQUE)


def test_limits_leave_room_above_what_the_source_needs() -> None:
    torques = np.array([[0.02, -1.5, 0.0], [-0.1, 0.3, 0.0]])
    np.testing.assert_allclose(muscles_for(torques).limit, [LEAST_STRENGTH, STRENGTH * 1.5, LEAST_STRENGTH])


def test_one_instant_does_not_make_a_muscle_stiff() -> None:
    torques = np.full((200, 1), 0.2)
    torques[77] = 50.0
    muscles = muscles_for(torques)
    np.testing.assert_allclose(muscles.stiffness * TYPICAL_STRETCH, 0.2)
    np.testing.assert_allclose(muscles.limit, STRENGTH * 50.0)


def test_a_character_without_joints_has_no_muscles() -> None:
    muscles = muscles_for(np.zeros((4, 0)))
    assert muscles.parameters.shape == muscles.limit.shape == (0,)

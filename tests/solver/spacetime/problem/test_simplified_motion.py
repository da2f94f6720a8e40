# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion of a simplified character, in seconds and units of its clip."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.solver.spacetime import CenterOfMassHandle, Edit, PointHandle
from poise.solver.spacetime.editing.edited_problem import edited_problem

from ..small_fits import walk_fit


def test_the_centre_of_mass_is_that_of_the_bodies() -> None:
    motion = walk_fit().motion
    times = np.linspace(0.0, motion.duration, 11)
    assert np.allclose(motion.center_of_mass(times), motion.handle_values((CenterOfMassHandle(),), times))
    source = walk_fit().source
    assert np.isclose(motion.duration, (source.frames - 1) / source.fps)


def test_velocities_and_accelerations_are_derivatives() -> None:
    motion = walk_fit().motion
    unit, step = motion.units.time, 1e-4
    times = np.linspace(0.1, motion.duration - 0.1, 17)
    values, rates, accelerations = motion.motion(times)
    after, before = motion.values(times + step * unit), motion.values(times - step * unit)
    assert np.allclose((after - before) / (2.0 * step), rates, atol=1e-4)
    assert np.allclose((after - 2.0 * values + before) / step**2, accelerations, atol=0.05)


def test_the_ground_carries_the_body() -> None:
    """Over the whole walk the mean force, less what accelerates the body, is its weight."""
    motion = walk_fit().motion
    times = np.linspace(0.0, motion.duration, 2001)
    pushes = sum(force.forces for force in motion.ground_forces(times))
    _, _, accelerations = motion.motion(times)
    gravity = motion.gravity
    assert np.abs(pushes + gravity - accelerations[:, :3]).max() < 1e-6
    assert all((force.forces[:, 1] > -1e-9).all() for force in motion.ground_forces(times))


def test_times_lead_to_the_source_and_back() -> None:
    fit = walk_fit()
    slow = edited_problem(fit, Edit(duration=2.0))
    motion = replace(fit.motion, layout=slow.problem.layout)
    times = np.linspace(0.0, motion.duration, 9)
    assert np.isclose(motion.duration, 2.0 * fit.motion.duration)
    assert np.allclose(motion.in_source(times), times / 2.0)
    assert np.allclose(motion.from_source(motion.in_source(times)), times)
    assert np.allclose(motion.from_source([-0.1, fit.motion.duration + 0.1]), [-0.1, motion.duration + 0.1])


def test_bones_have_the_places_of_the_character() -> None:
    motion = walk_fit().motion
    times = np.linspace(0.0, motion.duration, 5)
    bones = motion.bones(times)
    assert bones.shape[0] == 5 and bones.shape[2:] == (2, 3) and bones.shape[1] >= 7
    ball = motion.handle_values((PointHandle("left_ball"),), times)
    assert np.abs(bones[:, :, 1] - ball[:, None]).sum(axis=-1).min(axis=1).max() < 1e-9
    lengths = np.linalg.norm(bones[:, :, 1] - bones[:, :, 0], axis=-1)
    assert np.ptp(lengths, axis=0).max() < 1e-9  # all bodies of the biped are rigid


def test_torques_are_those_that_the_equations_have() -> None:
    fit = walk_fit()
    torques = fit.motion.torques(fit.motion.points)
    assert torques.shape == (len(fit.motion.points), fit.problem.layout.joints)
    assert (np.abs(torques) <= fit.problem.muscles.limit + 1e-6).all()

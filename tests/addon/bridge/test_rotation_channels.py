# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotation channels mean what they mean to Blender, and come back without flips."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Quaternion, Vector

from poise.addon.bridge import rotation_channels
from poise.solver.core import rotations

from .rigs import EULER_ORDERS, MODES, Array, straight_chain

SINGLE = 1e-6


def blenders_matrix(values: Array, mode: str) -> Matrix:
    if mode == "QUATERNION":
        return Quaternion(values).normalized().to_matrix()
    if mode == "AXIS_ANGLE":
        return Matrix.Rotation(values[0], 3, Vector(values[1:]))
    return Euler(values[:3], mode).to_matrix()


@pytest.mark.parametrize("mode", MODES)
def test_channels_mean_what_they_mean_to_blender(mode: str) -> None:
    values = np.random.default_rng(1).normal(size=(200, 4)) * 2.0
    expected = np.array([blenders_matrix(row, mode) for row in values])
    np.testing.assert_allclose(rotation_channels.to_matrices(values, mode), expected, atol=SINGLE)


@pytest.mark.parametrize("mode", MODES)
def test_any_rotation_has_channels_that_mean_it(mode: str) -> None:
    rng = np.random.default_rng(2)
    wanted = rotations.to_matrix(rotations.random(rng, 300))
    wanted[::7] = np.eye(3)
    found = rotation_channels.continuous(wanted, mode, rng.normal(size=(300, 4)), np.ones(300, dtype=bool))
    np.testing.assert_allclose(rotation_channels.to_matrices(found, mode), wanted, atol=1e-9)


def smooth_turns(rng: np.random.Generator, frames: int) -> Array:
    """(frames, 3, 3) several full turns about a wandering axis, a few degrees a frame."""
    steps = 0.08 * rng.normal(size=3) + 0.05 * np.cumsum(rng.normal(size=(frames, 3)), axis=0) / np.sqrt(frames)
    turns = np.empty((frames, 4))
    turns[0] = (1.0, 0.0, 0.0, 0.0)
    for frame in range(1, frames):
        turns[frame] = rotations.multiply(turns[frame - 1], rotations.exp(steps[frame]))
    return rotations.to_matrix(turns)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("source_is_good", [True, False])
def test_smooth_turns_have_smooth_channels(mode: str, source_is_good: bool) -> None:
    """Also where the source itself is no help, being constant."""
    rng = np.random.default_rng(4)
    wanted = smooth_turns(rng, 400)
    everywhere = np.ones(len(wanted), dtype=bool)
    source = np.tile([1.0, 0.0, 0.0, 0.0] if mode == "QUATERNION" else [0.0, 0.0, 1.0, 0.0], (len(wanted), 1))
    if source_is_good:
        source = rotation_channels.continuous(wanted, mode, source, everywhere)
    found = rotation_channels.continuous(wanted, mode, source, everywhere)
    np.testing.assert_allclose(rotation_channels.to_matrices(found, mode), wanted, atol=1e-9)
    steps = np.abs(np.diff(found[:, : rotation_channels.property_of(mode)[1]], axis=0)).max()
    assert steps < (0.3 if mode == "QUATERNION" else 0.75 * np.pi)


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_a_locked_gimbal_does_not_flip(order: str) -> None:
    """The middle angle goes over a quarter turn, where the outer two are one, and beyond."""
    middle = "XYZ".index(order[1])
    angles = np.zeros((181, 4))
    angles[:, middle] = np.linspace(0.0, np.pi, 181)
    angles[:, :3] += 0.3 * (np.arange(3) != middle)
    wanted = rotation_channels.to_matrices(angles, order)
    found = rotation_channels.continuous(wanted, order, angles + 0.01, np.ones(181, dtype=bool))
    np.testing.assert_allclose(rotation_channels.to_matrices(found, order), wanted, atol=1e-7)
    assert np.abs(np.diff(found[:, :3], axis=0)).max() < 0.2


@pytest.mark.parametrize("side", [-1.0, 1.0])
@pytest.mark.parametrize("order", EULER_ORDERS)
def test_a_gimbal_that_stays_locked_turns_smoothly(order: str, side: float) -> None:
    """From the first frame on, where only the source can tell how the turn is shared, and again later."""
    axes = ["XYZ".index(letter) for letter in order]
    inner, middle, outer = axes
    angles = np.zeros((120, 4))
    frames = np.arange(120)
    locked = (frames < 20) | ((frames >= 60) & (frames < 90))
    angles[:, middle] = side * (0.5 * np.pi - np.where(locked, 0.0, np.abs(np.sin(0.1 * np.pi * (frames - 60)))))
    angles[:, outer] = 0.8 + 0.05 * frames
    angles[:, inner] = -0.6 + np.where(locked, 0.0, 0.1 * np.sin(0.2 * np.pi * frames))
    wanted = rotation_channels.to_matrices(angles, order)
    found = rotation_channels.continuous(wanted, order, angles + 0.01, np.ones(120, dtype=bool))
    np.testing.assert_allclose(rotation_channels.to_matrices(found, order), wanted, atol=1e-7)
    assert np.abs(np.diff(found[:, :3], axis=0)).max() < 0.4
    assert np.abs(np.diff(found[:20, inner])).max() < 1e-9 and np.abs(np.diff(found[60:90, inner])).max() < 1e-9


def test_a_quaternion_without_length_is_what_blender_makes_of_it() -> None:
    armature = straight_chain(["a"])
    armature.pose.bones["a"].rotation_quaternion = (0.0, 0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    shown = np.array(armature.pose.bones["a"].matrix_basis.to_3x3())
    values = np.zeros((2, 4))
    values[1] = 1e-12, 0.0, 0.0, 0.0
    found = rotation_channels.to_matrices(values, "QUATERNION")
    np.testing.assert_allclose(found[0], shown, atol=SINGLE)
    np.testing.assert_allclose(found[1], np.eye(3), atol=SINGLE)


@pytest.mark.parametrize("mode", MODES)
def test_frames_that_do_not_change_keep_their_numbers(mode: str) -> None:
    rng = np.random.default_rng(5)
    # Far from where Euler angles lock: there, coming back to the same numbers would need a flip.
    swings = np.sin(np.linspace(0.0, 9.0, 120)[:, None] + np.arange(3))
    wanted = rotations.to_matrix(rotations.exp(0.6 * swings))
    every = np.ones(120, dtype=bool)
    source = rotation_channels.continuous(wanted, mode, np.tile([1.0, 0.0, 1.0, 0.0], (120, 1)), every)
    if mode == "QUATERNION":
        source *= 1.7  # Blender keeps quaternions of any length
    changes = np.zeros(120, dtype=bool)
    changes[40:80] = True
    small = rotations.to_matrix(rotations.exp(0.1 * rng.normal(size=3)))
    found = rotation_channels.continuous(wanted @ small, mode, source, changes)
    width = rotation_channels.property_of(mode)[1]
    assert np.array_equal(found[~changes, :width], source[~changes, :width])
    np.testing.assert_allclose(
        rotation_channels.to_matrices(found, mode)[changes], (wanted @ small)[changes], atol=1e-9
    )


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_turns_that_the_source_wraps_are_unwrapped(order: str) -> None:
    """Captured files wrap angles at half a turn: the result must not keep that flip."""
    angles = np.zeros((90, 4))
    angles[:, "XYZ".index(order[0])] = np.linspace(2.0, 5.0, 90)
    wrapped = (angles + np.pi) % (2.0 * np.pi) - np.pi
    assert np.abs(np.diff(wrapped, axis=0)).max() > 6.0
    changes = np.zeros(90, dtype=bool)
    changes[10:20] = True
    found = rotation_channels.continuous(rotation_channels.to_matrices(angles, order), order, wrapped, changes)
    assert np.abs(np.diff(found[:, :3], axis=0)).max() < 0.1
    np.testing.assert_allclose(
        rotation_channels.to_matrices(found, order), rotation_channels.to_matrices(angles, order), atol=1e-9
    )

# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplified characters as data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.solver.core.errors import SkeletonError
from poise.solver.spacetime.characters.character import SimplifiedCharacter
from poise.solver.spacetime.characters.recipe import BIPED
from poise.solver.spacetime.characters.simplification import simplified
from poise.solver.spacetime.checks.inverse_dynamics import CharacterState
from poise.solver.spacetime.handles.handle import AXES
from poise.solver.synthetic import walk

from ..simplified_characters import random_character


def biped() -> SimplifiedCharacter:
    return simplified(walk(steps=1).clip, BIPED)


def test_values_have_names_and_indices() -> None:
    character = biped()
    assert len(character) == len(character.names) == 16
    assert character.names[:6] == (*(f"centre of mass {axis}" for axis in "xyz"), "heading", "roll", "pitch")
    assert [character.index(name) for name in character.names] == list(range(16))
    with pytest.raises(SkeletonError, match=r"has no 'tail'; it has centre of mass x, .*right shoulder flexion"):
        character.index("tail")


def test_bodies_are_carried_by_earlier_ones() -> None:
    character = biped()
    assert character.parents[:4].tolist() == [-1, -1, -1, -1]
    knee, hip, other = (character.index(name) for name in ("left knee flexion", "left hip flexion", "right hip twist"))
    assert character.is_below(knee, hip) and character.is_below(knee, 5) and character.is_below(hip, hip)
    assert not character.is_below(hip, knee) and not character.is_below(other, hip)
    turned = {3: replace(character.dofs[3], parent=7)}
    with pytest.raises(SkeletonError, match="heading comes before the body that carries it"):
        character.with_dofs(turned)


def test_some_degrees_of_freedom_are_exchanged() -> None:
    character = biped()
    tighter = {6: replace(character.dofs[6], lower=-0.5, upper=0.25)}
    changed = character.with_dofs(tighter)
    assert changed.bounds[0][6] == -0.5 and changed.bounds[1][6] == 0.25
    assert changed.dofs[7:] == character.dofs[7:] and character.dofs[6].lower != -0.5


def test_in_other_units_everything_is_the_same_but_for_the_unit(rng: np.random.Generator) -> None:
    character = random_character(rng, 6)
    length, mass = 4.0, 0.5
    lower, upper = np.full(12, -2.0), np.full(12, 3.0)
    bounded = character.with_dofs(
        {
            index: replace(dof, lower=float(lower[index]), upper=float(upper[index]))
            for index, dof in enumerate(character.dofs)
        }
    )
    measured = bounded.in_units(length, mass)
    assert measured.mass == pytest.approx(character.mass / mass) and measured.size == character.size / length
    values, velocities = rng.standard_normal((2, 3, 12))
    slides = np.array([dof.kind == "translation" for dof in character.dofs])
    unit = np.where(slides, length, 1.0)
    np.testing.assert_allclose(measured.bounds, np.array([lower, upper]) / unit)
    one, other = (
        CharacterState(character, values, velocities),
        CharacterState(measured, values / unit, velocities / unit),
    )
    np.testing.assert_allclose(other.origins[:, 3:] * length, one.origins[:, 3:], atol=1e-12)
    np.testing.assert_allclose(other.kinetic_energy * mass * length**2, one.kinetic_energy, atol=1e-12)
    for name in character.points:
        np.testing.assert_allclose(other.point(name) * length, one.point(name), atol=1e-12)
    np.testing.assert_allclose(other.center_of_mass("some") * length, one.center_of_mass("some"), atol=1e-12)


def test_axes_of_joints_are_those_of_the_character_unless_listed() -> None:
    character = biped()
    assert [character.axis_of("hips", axis)[0] for axis in AXES] == [5, 5, 5]
    np.testing.assert_allclose([character.axis_of("hips", axis)[1] for axis in AXES], character.axes, atol=1e-12)
    turned = replace(character, frames={"hips": 5, "neck": 5}, frame_axes={"neck": character.axes[[2, 0, 1]]})
    np.testing.assert_allclose(turned.axis_of("neck", "left")[1], character.axes[2])
    np.testing.assert_allclose(turned.axis_of("hips", "left")[1], character.axes[0])
    np.testing.assert_array_equal(character.up, character.axes[1])

# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions of simplified characters that are nearest to those of full ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.gravity import earth_gravity
from poise.solver.core.arrays import Array
from poise.solver.files.bvh import read_bvh
from poise.solver.spacetime.characters.character import SimplifiedCharacter
from poise.solver.spacetime.characters.recipe import BIPED, HOPPER, JUMPER, KeptHandle, KeptJoint, Recipe
from poise.solver.spacetime.characters.simplification import simplified
from poise.solver.spacetime.characters.source_values import source_values
from poise.solver.spacetime.checks.inverse_dynamics import CharacterState
from poise.solver.spacetime.handles.full_body import FullBody
from poise.solver.spacetime.handles.handle import AxisHandle, CenterOfMassHandle, Handle
from poise.solver.spacetime.problem import mapping
from poise.solver.spacetime.problem.mapping import HandleValues, mapped, moved_to
from poise.solver.spacetime.problem.units import Units
from poise.solver.synthetic import jump, walk

from ..captured import JUMP, RUN, cut

pytest.importorskip("casadi")

WITH_WAIST = replace(BIPED, joints=(KeptJoint(("spine",), "ball"), *BIPED.joints))


@dataclass(frozen=True, eq=False)
class Given:
    """What a mapping is given for a clip and a recipe, in units of the character."""

    character: SimplifiedCharacter
    handles: tuple[Handle, ...]
    weights: Array
    targets: Array
    start: Array
    spacing: float

    @staticmethod
    def of(clip: Clip, recipe: Recipe) -> Given:
        skeleton = clip.skeleton
        units = Units(skeleton.size, skeleton.mass_unit, earth_gravity(skeleton))
        character = simplified(clip, recipe).in_units(units.length, units.mass)
        handles = tuple(kept.handle for kept in recipe.handles)
        weights = np.repeat([kept.weight for kept in recipe.handles], [handle.width for handle in handles])
        body = FullBody(clip.world)
        values = np.concatenate([handle.value(body).reshape(clip.frames, handle.width) for handle in handles], axis=1)
        start, spacing = source_values(clip, recipe, character), 1.0 / clip.fps / units.time
        return Given(character, handles, weights, values / units.of_handles(handles), start, spacing)

    def mapped(self, **changes: object) -> Array:
        given = {name: getattr(self, name) for name in self.__dataclass_fields__} | changes
        return mapped(**given)

    def distances(self, motion: Array) -> dict[str, Array]:
        """(frames,) how far each handle is from its target, in sizes of the character."""
        away = HandleValues(self.character, self.handles).values(motion) - self.targets
        ends = np.cumsum([handle.width for handle in self.handles])
        parts = np.split(away, ends[:-1], axis=1)
        return {h.label: np.linalg.norm(part, axis=1) for h, part in zip(self.handles, parts, strict=True)}

    def accelerations(self, motion: Array) -> Array:
        """(frames - 2, dofs)"""
        return np.asarray(np.diff(motion, 2, axis=0) / self.spacing**2)


def rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def within_ranges(given: Given, motion: Array) -> bool:
    lower, upper = given.character.bounds
    return bool(((motion >= lower - 1e-12) & (motion <= upper + 1e-12)).all())


# Single poses ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", [HOPPER, JUMPER], ids=lambda recipe: recipe.name)
def test_feet_are_moved_to_a_place_nearby_while_the_centre_of_mass_stays(recipe: Recipe) -> None:
    given = Given.of(cut(jump().clip, 40, 60), recipe)
    pose, feet = given.mapped()[10], given.handles[0]
    functions = HandleValues(given.character, [feet])
    place = functions.values(pose[None])[0] + np.array([0.01, 0.015, -0.01])
    found = moved_to(given.character, pose, [(feet, place)])
    np.testing.assert_allclose(functions.values(found[None])[0], place, atol=1e-8)
    np.testing.assert_array_equal(found[:6], pose[:6])
    assert np.abs(found - pose).max() < 0.2
    assert within_ranges(given, found)


def test_what_a_pose_cannot_reach_it_comes_near() -> None:
    given = Given.of(cut(jump().clip, 40, 60), JUMPER)
    pose, feet = given.mapped()[10], given.handles[0]
    functions = HandleValues(given.character, [feet])
    before = functions.values(pose[None])[0]
    place = before - np.array([0.0, 3.0, 0.0])
    found = moved_to(given.character, pose, [(feet, place)])
    assert within_ranges(given, found)
    assert np.linalg.norm(functions.values(found[None])[0] - place) < np.linalg.norm(before - place)
    np.testing.assert_array_equal(moved_to(given.character, pose, []), pose)


# Values of handles ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", [BIPED, HOPPER, JUMPER, WITH_WAIST], ids=["biped", "hopper", "jumper", "waist"])
def test_values_of_handles_are_those_of_the_bodies(rng: np.random.Generator, recipe: Recipe) -> None:
    given = Given.of(walk(steps=1).clip, recipe)
    functions = HandleValues(given.character, given.handles)
    assert functions.count == given.targets.shape[1]
    for count in (1, 7, 7, 3):
        motion = rng.standard_normal((count, len(given.character)))
        state = CharacterState(given.character, motion)
        values, column = functions.values(motion), 0
        assert values.shape == (count, functions.count)
        for handle in given.handles:
            if isinstance(handle, CenterOfMassHandle):
                expected = state.center_of_mass(handle.joint)
                np.testing.assert_allclose(values[:, column : column + 3], expected, atol=1e-12)
            if isinstance(handle, AxisHandle):
                body, axis = given.character.axis_of(handle.joint, handle.axis)
                expected = state.rotations[:, body] @ axis
                np.testing.assert_allclose(values[:, column : column + 3], expected, atol=1e-9)
            column += handle.width


def test_slopes_of_handles_are_those_of_finite_differences(rng: np.random.Generator) -> None:
    for recipe in (BIPED, HOPPER):
        given = Given.of(walk(steps=1).clip, recipe)
        functions = HandleValues(given.character, given.handles)
        motion = 0.5 * rng.standard_normal((4, len(given.character))) + 0.5
        slopes = functions.jacobian(motion)
        for dof in range(len(given.character)):
            step = 1e-6 * np.eye(len(given.character))[dof]
            expected = (functions.values(motion + step) - functions.values(motion - step)) / 2e-6
            np.testing.assert_allclose(slopes[:, :, dof], expected, atol=1e-8)


# Known motions --------------------------------------------------------------------------------------------------------


def known_motion(given: Given, frames: int = 60) -> Array:
    """(frames, dofs) smooth values, within their ranges, of a second or two."""
    times = np.arange(frames)[:, None] * given.spacing
    character = given.character
    phases = np.arange(len(character)) * 1.3
    values = 0.3 * np.sin(0.8 * times + phases)
    values[:, 1] += 1.0
    lower, upper = character.bounds
    for index in range(6, len(character)):
        if lower[index] >= 0.0 and np.isfinite(upper[index]):
            values[:, index] += 1.0
        elif character.dofs[index].kind == "translation":
            values[:, index] = 0.9 + 0.1 * values[:, index] if index == 6 else 0.2 + 0.3 * values[:, index]
    return values


@pytest.mark.parametrize("recipe", [BIPED, HOPPER], ids=lambda recipe: recipe.name)
@pytest.mark.parametrize("wrong", [0.0, 0.1, 0.4])
def test_a_motion_that_handles_were_made_from_is_found(rng: np.random.Generator, recipe: Recipe, wrong: float) -> None:
    given = Given.of(walk(steps=1).clip, recipe)
    known = known_motion(given)
    targets = HandleValues(given.character, given.handles).values(known)
    start = known + wrong * rng.standard_normal(len(given.character))
    exact = replace(given, targets=targets, start=start)
    found = exact.mapped()
    assert within_ranges(exact, found) or wrong == 0.0
    assert max(away.max() for away in exact.distances(found).values()) < 2e-3 + 4e-2 * wrong
    # A leg may turn about the line from hip to ball, which handles hardly see. All other values are determined.
    hips = np.array([" hip " in name for name in given.character.names]) & (recipe is BIPED)
    assert np.abs(found - known)[:, ~hips].max() < 0.01 + 0.1 * np.abs(start - known).max()
    if wrong == 0.0:
        assert np.abs(found - known)[:, hips].max(initial=0.0) < 0.01


def test_values_that_no_handle_determines_stay_where_they_start(rng: np.random.Generator) -> None:
    few = replace(BIPED, handles=(KeptHandle(CenterOfMassHandle()), *BIPED.handles[-2:]))
    given = Given.of(walk(steps=1).clip, few)
    inside = np.clip(0.2, given.character.bounds[0], given.character.bounds[1])
    start = given.start.copy()
    start[:, 6:] = inside[6:]
    found = given.mapped(start=start)
    np.testing.assert_allclose(found[:, 6:], start[:, 6:], atol=1e-6)
    assert rms(given.distances(found)["centre of mass"]) < 1e-3


def test_what_is_out_of_reach_is_approached_within_the_ranges() -> None:
    given = Given.of(walk(steps=1).clip, BIPED)
    far = given.targets.copy()
    far[:, 1] -= 0.5
    found = given.mapped(targets=far)
    assert within_ranges(given, found) and np.isfinite(found).all()
    knee = given.character.index("left knee flexion")
    assert found[:, knee].mean() < 0.6 * given.mapped()[:, knee].mean()
    assert np.mean(given.distances(found)["left ball"]) < 0.45


def test_values_stay_within_their_ranges_where_handles_would_leave_them() -> None:
    given = Given.of(walk(steps=2).clip, BIPED)
    knee = given.character.index("left knee flexion")
    stiff = given.character.with_dofs({knee: replace(given.character.dofs[knee], upper=0.4)})
    free, found = given.mapped(), given.mapped(character=stiff)
    assert free[:, knee].max() > 0.8
    limited = replace(given, character=stiff)
    assert within_ranges(limited, found)
    # Where it would bend further it is at its limit, and the rest of the leg helps out.
    assert (found[free[:, knee] > 0.6, knee] > 0.39).all()
    unhelped = free.copy()
    unhelped[:, knee] = np.minimum(free[:, knee], 0.4)
    assert rms(limited.distances(found)["left ball"]) < 0.8 * rms(limited.distances(unhelped)["left ball"])


@pytest.mark.parametrize("frames", [1, 2, 3, 4])
def test_few_frames_are_mapped_too(frames: int) -> None:
    clip = cut(walk(steps=1).clip, 3, 3 + frames)
    given = Given.of(clip, BIPED)
    found = given.mapped()
    assert found.shape == (frames, 16) and within_ranges(given, found)
    assert max(rms(away) for away in given.distances(found).values()) < 0.03


def test_the_frame_rate_does_not_matter() -> None:
    fine = walk(steps=2, fps=120.0).clip
    given = Given.of(fine, BIPED)
    every = slice(None, None, 4)
    found = given.mapped()[every]
    coarse = given.mapped(targets=given.targets[every], start=given.start[every], spacing=4.0 * given.spacing)
    assert np.abs(found - coarse).max() < 0.1 and rms(found - coarse) < 0.01


def test_headings_are_continuous_over_whole_turns() -> None:
    given = Given.of(walk(steps=1).clip, BIPED)
    known = known_motion(given)
    known[:, 3] = np.linspace(0.0, 9.0, len(known))
    start = known.copy()
    start[:, 3] = np.angle(np.exp(1j * start[:, 3]))
    assert np.abs(np.diff(start[:, 3])).max() > 6.0
    targets = HandleValues(given.character, given.handles).values(known)
    found = given.mapped(targets=targets, start=start)
    np.testing.assert_allclose(found[:, 3], known[:, 3], atol=0.02)


def test_a_start_far_away_hardly_matters() -> None:
    given = Given.of(jump().clip, BIPED)
    near = given.mapped()
    far = np.zeros_like(given.start)
    far[:, :3] = given.start[:, :3]
    far[:, [given.character.index(f"{side} knee flexion") for side in ("left", "right")]] = 0.7
    far[:, 3] = given.start[:, 3] + 1.5 * np.sin(np.arange(len(far)))
    far[:, 4] = 0.8 * np.cos(1.7 * np.arange(len(far)))
    found = given.mapped(start=far)
    for label, away in given.distances(found).items():
        assert rms(away) < 1.5 * rms(given.distances(near)[label]) + 0.01, label


def test_no_small_smooth_change_is_better(rng: np.random.Generator) -> None:
    """What is found is the minimum, to the share of the cost at which the iteration ends."""
    given = Given.of(walk(steps=2).clip, BIPED)
    found = given.mapped()
    functions = HandleValues(given.character, given.handles)
    problem = mapping._Mapping(given.character, functions, given.weights, given.targets, given.start, given.spacing)
    least = problem.cost(found)
    times = np.linspace(0.0, 1.0, len(found))[:, None]
    for _ in range(40):
        waves = np.sin(rng.uniform(1.0, 30.0, (1, 16)) * times + rng.uniform(0.0, 6.0, (1, 16)))
        change = waves * rng.standard_normal(16) * rng.choice([1e-2, 1e-3, 1e-4])
        assert problem.cost(problem.inside(found + change)) > least * (1.0 - 2.0 * mapping.CONVERGED)


def test_a_captured_cartwheel_is_mapped_from_an_upright_start(mocap: Path) -> None:
    """Frames that are upside down need steps of their own before all are solved together."""
    given = Given.of(cut(read_bvh(mocap / "49_06.bvh"), 1, None), BIPED)
    upright = np.zeros_like(given.start)
    upright[:, :3] = given.start[:, :3]
    left, _, forward = given.character.axes
    column = sum(handle.width for handle in given.handles[: given.handles.index(AxisHandle("hips", "left"))])
    across = given.targets[:, column : column + 3]
    upright[:, 3] = np.unwrap(np.arctan2(-across @ forward, across @ left))
    upright[:, [given.character.index(f"{side} knee flexion") for side in ("left", "right")]] = 0.6
    away = HandleValues(given.character, given.handles).values(given.mapped(start=upright)) - given.targets
    assert np.sqrt((away**2 @ given.weights).mean()) < 0.14


# Smoothness -----------------------------------------------------------------------------------------------------------


def test_noise_of_the_targets_is_not_followed(rng: np.random.Generator) -> None:
    given = Given.of(walk(steps=2, fps=120.0).clip, BIPED)
    calm = given.mapped()
    trembling = given.mapped(targets=given.targets + 3e-3 * rng.standard_normal(given.targets.shape))
    alone = mapping._Mapping(
        given.character,
        HandleValues(given.character, given.handles),
        given.weights,
        given.targets + 3e-3 * rng.standard_normal(given.targets.shape),
        given.start,
        given.spacing,
    ).one_by_one(given.start)
    added = rms(given.accelerations(trembling - calm)[:, 6:])
    assert added < 0.1 * rms(given.accelerations(alone - calm)[:, 6:])
    assert rms(trembling - calm) < 0.02


@pytest.mark.parametrize("make", [lambda: walk(steps=3).clip, lambda: jump().clip], ids=["walk", "jump"])
def test_the_mapping_of_a_smooth_motion_is_smooth(make: object) -> None:
    """Joints accelerate hardly more than those of the full character do."""
    given = Given.of(make(), BIPED)  # type: ignore[operator]
    found = given.mapped()
    for index in range(3, 16):
        before, after = (np.abs(given.accelerations(motion)[:, index]).max() for motion in (given.start, found))
        assert after < 1.6 * before + 3.0, given.character.names[index]


def test_a_captured_run_is_mapped_smoothly_and_near(mocap: Path) -> None:
    """The figures of one frame after the other, before: knees 1226 rad/s², legs 0.015 sizes away."""
    name, begin, end = RUN
    clip = cut(read_bvh(mocap / f"{name}.bvh"), begin, end)
    given = Given.of(clip, BIPED)
    found = given.mapped()
    distances = {label: rms(away) for label, away in given.distances(found).items()}
    assert distances["left ball"] < 0.011 and distances["right ball"] < 0.010
    assert distances["centre of mass"] < 0.005 and distances["centre of mass of the upper body"] < 0.011
    assert max(distances["centre of mass of the left arm"], distances["centre of mass of the right arm"]) < 0.017
    seconds = np.sqrt(clip.skeleton.size / earth_gravity(clip.skeleton))
    accelerations = given.accelerations(found) / seconds**2
    bounds = {"knee flexion": 130.0, "hip flexion": 60.0, "hip twist": 30.0, "shoulder flexion": 40.0}
    for side in ("left", "right"):
        for part, bound in bounds.items():
            assert rms(accelerations[:, given.character.index(f"{side} {part}")]) < bound
    # The twist of hips is that of the source, as far as one can see, and not zero.
    for side in ("left", "right"):
        twist = given.character.index(f"{side} hip twist")
        assert rms(found[:, twist] - given.start[:, twist]) < 0.6 * rms(given.start[:, twist])


def test_a_captured_jump_is_mapped_smoothly_and_near(mocap: Path) -> None:
    name, begin, end = JUMP
    given = Given.of(cut(read_bvh(mocap / f"{name}.bvh"), begin, end), HOPPER)
    found = given.mapped()
    distances = given.distances(found)
    assert rms(distances["centre of mass"]) < 0.009 and rms(distances["centre of mass of the upper body"]) < 0.017
    assert max(rms(away) for label, away in distances.items() if "ball" in label) < 0.005
    assert rms(given.accelerations(found)[:, 6:]) < 0.5 * rms(given.accelerations(given.start)[:, 3:])

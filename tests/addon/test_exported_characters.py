# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters as exporters leave them: landmarks are where the body has them, and no default destroys the motion."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge
from poise.addon.properties import character_of
from poise.addon.workflows import clean, solve

from .characters import registered  # noqa: F401  a fixture
from .exported import Exported, Traits, exported
from .operators.test_constraints import run

TRAITS = {
    "plain": Traits(),
    "centimetres": Traits(scale=0.01, ends=True),
    "times a hundred": Traits(scale=100.0, twists=True),
    "lying bones": Traits(lying=True, scale=0.01, root=True),
    "glTF": Traits(scale=0.01, tails=12.0, ends=True, skinned=True),
    "glTF without skin": Traits(scale=0.01, tails=12.0, ends=True),
    "glTF without ends": Traits(tails=0.4, skinned=True, twists=True),
    "short made-up tails": Traits(tails=0.15, ends=True, seed=3),
    "no toes": Traits(toes=False, ends=True),
    "no toes, skinned": Traits(toes=False, skinned=True, tails=5.0),
    "feet beside legs": Traits(root=True, feet_beside_legs=True, ends=True),
    "feet beside legs, skinned": Traits(
        root=True, feet_beside_legs=True, toes=False, skinned=True, tails=8.0, scale=100.0, lying=True
    ),
}


@pytest.fixture(params=TRAITS)
def character(request: pytest.FixtureRequest) -> Exported:
    return exported(TRAITS[request.param])


def landmark(skeleton: solver.Skeleton, name: str) -> np.ndarray:
    mark = skeleton.resolve(skeleton.landmarks.require(name))
    turned, placed = skeleton.rest
    joint = int(mark.joint)
    return np.asarray(placed[joint] + solver.rotations.rotate(turned[joint], mark.local))


def test_landmarks_are_within_five_percent_of_the_body(character: Exported) -> None:
    skeleton = bridge.read(character.armature).clip.skeleton
    assert skeleton.size == pytest.approx(character.size, rel=0.05)
    for name, place in character.truth.items():
        off = float(np.linalg.norm(landmark(skeleton, name) - place)) / character.size
        assert off < 0.05, f"the {name} is {off:.3f} sizes from where the body has it"
    assert solver.implausible_landmarks(skeleton.landmarks, *skeleton.rest) == ()


def hips_move(character: Exported, source: bridge.Reading) -> float:
    """How far the hips are from the source at most, in sizes, as Blender shows them."""
    name = source.clip.skeleton.names[source.clip.skeleton.landmarks.hips]
    scene, armature = bpy.context.scene, character.armature
    places = []
    for frame in source.times:
        scene.frame_set(int(frame))
        places.append(armature.matrix_world @ armature.pose.bones[name].head)
    moved = np.linalg.norm(np.array(places) - source.clip.position(name), axis=1)
    return float(moved.max()) / character.size


def test_find_accept_and_solve_with_the_defaults_hardly_move_the_hips(character: Exported) -> None:
    source = bridge.read(character.armature)
    bpy.context.view_layer.objects.active = character.armature
    assert run("detect_footplants") == {"FINISHED"}
    run("found_accept_all")
    assert len(character_of(character.armature).constraints) >= 4
    outcome = solve.solve(character.armature)
    assert not outcome.misses, outcome.sentence
    assert hips_move(character, source) < 0.03
    result = outcome.deformation.clip
    for plant, residual in zip(outcome.deformation.constraints, outcome.deformation.report.residuals, strict=True):
        assert isinstance(plant, solver.Footplant) and residual.worst < 1e-4 * result.skeleton.size


@pytest.mark.parametrize("method", ["stretch", "rigid", "prioritized"])
@pytest.mark.parametrize("traits", ["glTF", "no toes, skinned", "feet beside legs"])
def test_cleaning_up_lets_no_foot_slide_more(traits: str, method: solver.CleanMethod) -> None:
    character = exported(TRAITS[traits])
    source = bridge.read(character.armature)
    outcome = clean.clean(character.armature, clean.CleanOptions(method=method))
    assert outcome.after.largest_slide <= outcome.before.largest_slide + 1e-6
    assert outcome.after.largest_slide < 0.01
    assert hips_move(character, source) < 0.03

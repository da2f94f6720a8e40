# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys are left out only where constraints and plants keep within the tolerance; what is shown is what was baked."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge, translation
from poise.addon.properties import character_of
from poise.addon.workflows import clean, create, detect, solve, strains
from poise.solver.core.arrays import Array

from ..bridge.rigs import blender_pose

TOLERANCE = 0.005
LEFT_OUT = 0.6
"""At most this share of all keys is left: thinning must still thin."""


@pytest.fixture
def planted(armature: bpy.types.Object) -> bpy.types.Object:
    """A walk with its footplants, of which one was moved aside, and a hand that is held for a while."""
    detect.find_footplants(armature)
    detect.accept_all(armature)
    character_of(armature).constraints[2].points[0].object.location.x += 0.05
    (pin,) = create.add_pins(armature, ["l_wrist"], 30.0, hold=8.0)
    pin.points[0].object.location.z += 0.1
    return armature


def shown(armature: bpy.types.Object, reading: bridge.Reading, point: Any) -> Array:
    """(frames, 3) where Blender shows a point of the body."""
    found = reading.clip.skeleton.resolve(point)
    matrices = blender_pose(armature, [reading.clip.skeleton.names[found.joint]], reading.times)[:, 0]
    axes = matrices[:, :3, :3] / np.linalg.norm(matrices[:, :3, :3], axis=1, keepdims=True)
    return np.asarray(matrices[:, :3, 3] + axes @ found.local)


def slides(armature: bpy.types.Object, reading: bridge.Reading, plants: Any) -> float:
    """How far the worst heel or ball moves in Blender while it is planted, in sizes of the character."""
    clip = translation.clip_with_settings(armature, reading)
    worst = 0.0
    for plant in plants:
        for part, (begin, end) in plant.stays.items():
            point = getattr(clip.skeleton.landmarks, f"{plant.foot}_{'heel' if part == 'heel' else 'ball'}")
            path = shown(armature, reading, point)[int(np.ceil(begin)) : int(np.floor(end)) + 1]
            worst = max(worst, float(np.linalg.norm(path - path.mean(axis=0), axis=1).max()))
    return worst / clip.skeleton.size


@pytest.mark.parametrize("target", ["action", "replace", "combine"])
def test_thinning_keeps_constraints_where_they_hold(planted: bpy.types.Object, target: bridge.Target) -> None:
    whole = solve.solve(planted, solve.SolveOptions(target=target))
    result = solve.solve(planted, solve.SolveOptions(target=target, tolerance=TOLERANCE))
    assert result.baked.keys < LEFT_OUT * whole.baked.keys
    feet = [each for each in result.deformation.constraints if isinstance(each, solver.Footplant)]
    allowed = TOLERANCE if target == "combine" else solver.VISIBLE_ERROR
    assert slides(planted, result.reading, feet) < 2.0 * allowed, "from one side of the target to the other"
    if target != "combine":
        assert not result.misses and "every constraint holds" in result.sentence


@pytest.mark.parametrize("target", ["action", "combine"])
def test_residuals_are_those_that_blender_shows(
    planted: bpy.types.Object, target: bridge.Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strains, "allowed_error", lambda tolerance: np.inf)  # keys are left out anywhere
    result = solve.solve(planted, solve.SolveOptions(target=target, tolerance=TOLERANCE))
    assert result.misses and "missed" in result.sentence
    told = [advice.sentence for advice in character_of(planted).advice]
    assert any("holds in the solve, but misses by up to" in sentence for sentence in told)
    pin = character_of(planted).constraints[-1]
    stored = next(each for each in character_of(planted).residuals if each.uid == pin.uid)
    (own,) = (each for each in result.deformation.constraints if each.name == pin.name)
    residual = next(each for each in result.deformation.residuals_in(result.baked.clip) if each.constraint is own)
    held = (residual.frames >= own.points[0].begin) & (residual.frames <= own.points[0].end)
    apart = np.linalg.norm(
        shown(planted, result.reading, "l_wrist")[residual.frames[held]] - np.array(pin.points[0].object.location),
        axis=1,
    )
    np.testing.assert_allclose(residual.distances[held], apart, atol=1e-5)
    assert stored.worst == pytest.approx(residual.worst, rel=1e-5) and stored.worst > 1e-4


def test_strain_that_the_rig_makes_is_no_reason_for_keys_nor_against_them(planted: bpy.types.Object) -> None:
    held = planted.pose.bones["l_talocrural"].constraints.new("COPY_ROTATION")
    held.target, held.subtarget = planted, "r_talocrural"
    whole = solve.solve(planted)
    before = shown(planted, whole.reading, "l_talocrural")
    result = solve.solve(planted, solve.SolveOptions(tolerance=TOLERANCE))
    assert result.misses, "the rig keeps a foot from its plants"
    assert result.baked.keys < LEFT_OUT * whole.baked.keys
    apart = np.linalg.norm(shown(planted, whole.reading, "l_talocrural") - before, axis=1)
    plants = [each for each in result.deformation.constraints if isinstance(each, solver.Footplant)]
    during = np.zeros(len(apart), dtype=bool)
    for begin, end in (stay for plant in plants if plant.foot == "left" for stay in plant.stays.values()):
        during[int(np.ceil(begin)) : int(end) + 1] = True
    size = whole.reading.clip.skeleton.size
    assert 1e-5 * size < apart[during].max() < 2.0 * solver.VISIBLE_ERROR * size, "keys are left out, but not too many"


def test_without_thinning_what_is_baked_is_the_result(planted: bpy.types.Object) -> None:
    result = solve.solve(planted)
    for now, before in zip(
        result.deformation.residuals_in(result.baked.clip), result.deformation.report.residuals, strict=True
    ):
        np.testing.assert_allclose(now.distances, before.distances, atol=1e-5)


@pytest.mark.parametrize("method", ["stretch", "rigid"])
def test_a_cleanup_keeps_plants_too_and_measures_what_it_baked(
    armature: bpy.types.Object, method: solver.CleanMethod
) -> None:
    plants = solver.detect_footplants(bridge.read(armature).clip)
    whole = clean.clean(armature, clean.CleanOptions(method=method))
    result = clean.clean(armature, clean.CleanOptions(method=method, tolerance=TOLERANCE))
    assert result.baked.keys < LEFT_OUT * whole.baked.keys
    size = result.baked.clip.skeleton.size
    assert slides(armature, bridge.read(armature), plants) < 2.0 * solver.VISIBLE_ERROR
    assert whole.after.slide * size < 1e-5 < result.after.slide * size, "the figures are those of the thinned keys"


def test_the_strain_of_a_missed_constraint_is_what_is_added_to_it(armature: bpy.types.Object) -> None:
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    pin.points[0].object.location.z += 9.0
    reading = bridge.read(armature)
    deformation = solver.deform(reading.clip, translation.translate(armature, reading).constraints)
    strain = strains.of_constraints(deformation, deformation.report.residuals, TOLERANCE)
    assert strain(deformation.clip).max() <= 1.0
    moved = deformation.clip.motion.translations.copy()
    moved[:, 0] -= (0.0, 0.0, 0.1)
    off = strain(deformation.clip.with_motion(solver.Motion(deformation.clip.motion.rotations, moved)))
    wrist, other = (reading.clip.skeleton.index(name) for name in ("l_wrist", "r_wrist"))
    assert off[19, wrist] > 1.0 and off[:, other].max() == 0.0


def test_a_plant_that_the_keys_move_visibly_is_told(
    armature: bpy.types.Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not clean.clean(armature).unmet
    monkeypatch.setattr(strains, "allowed_error", lambda tolerance: np.inf)
    result = clean.clean(armature, clean.CleanOptions(tolerance=0.02))
    assert any("from where it should stand" in sentence for sentence in result.unmet)

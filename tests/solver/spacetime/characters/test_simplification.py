# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplified characters: what they keep of the full ones, and what does not matter to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint, Load
from poise.solver.body.mass_matrix import whole_inertia
from poise.solver.body.motion import Motion, Pose
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import LandmarkError, PoiseError, RecipeError, SkeletonError, UnknownJointError
from poise.solver.files.bvh import read_bvh
from poise.solver.spacetime.characters.character import SimplifiedCharacter
from poise.solver.spacetime.characters.recipe import BIPED, HOPPER, Contact, KeptHandle, KeptJoint, Recipe
from poise.solver.spacetime.characters.recipe_joints import RecipeJoints
from poise.solver.spacetime.characters.simplification import simplified
from poise.solver.spacetime.characters.source_values import source_values
from poise.solver.spacetime.checks.inverse_dynamics import CharacterState
from poise.solver.spacetime.handles.full_body import FullBody
from poise.solver.spacetime.handles.handle import AXES, AxisHandle, CenterOfMassHandle, PointHandle
from poise.solver.synthetic import human, jump, run, walk

from ...characters import person
from ...made_up import moving_human, placed
from ...standing import standing_human
from ..captured import JUMP, RUN, cut
from .fused_postures import fused_postures, whole_inertia_of
from .rest_poses import REST_POSES, with_rest

HANDLES = tuple(
    KeptHandle(handle)
    for handle in (
        PointHandle("left_ball"),
        PointHandle("right_wrist"),
        CenterOfMassHandle("spine"),
        CenterOfMassHandle("left_shoulder"),
        CenterOfMassHandle("right_knee"),
        AxisHandle("hips", "up"),
        AxisHandle("left_shoulder", "forward"),
        AxisHandle("right_ankle", "left"),
        AxisHandle("neck", "up"),
    )
)
"""Of every kind, on kept joints and on fused ones."""

WAIST = KeptJoint(("spine",), "ball")

ARMS = tuple(KeptJoint((f"{side}_shoulder",), "ball") for side in ("left", "right"))

LEGS = tuple(joint for joint in BIPED.joints if "shoulder" not in joint.joints[0])

WITH_WAIST = replace(BIPED, name="waist", joints=(WAIST, *BIPED.joints))

RECIPES = {
    "biped": BIPED,
    "waist": WITH_WAIST,
    "waist and arms": replace(BIPED, name="waist and arms", joints=(WAIST, *LEGS, *ARMS)),
    "elbows": replace(
        BIPED,
        name="elbows",
        joints=(*BIPED.joints, *(KeptJoint((f"{side}_elbow",), "hinge") for side in ("left", "right"))),
    ),
}
"""Those whose joints are balls and hinges."""


def with_finger_and_prop(clip: Clip) -> Clip:
    """The clip of a character with a finger, a heavy prop in the hand, and two more roots: one carries the hips, the
    other one something that lies beside the character."""
    skeleton = clip.skeleton
    count = len(skeleton)
    wrist = skeleton.index("r_wrist") + 1
    other = Skeleton(
        ("World", *skeleton.names, "r_index1", "Prop", "Crate"),
        [-1, 0, *(skeleton.parents[1:] + 1), wrist, wrist, -1],
        np.concatenate([np.zeros((1, 3)), skeleton.offsets, [[0.0, -0.08, 0.02], [0.0, -0.1, 0.0], [0.3, 0.1, 0.2]]]),
        tips=tuple(BodyPoint(int(tip.joint) + 1, tip.offset) for tip in skeleton.tips),
        loads=(Load(BodyPoint("Prop", (0.0, 0.1, 0.4)), 6.0), Load(BodyPoint("World", (0.1, 0.9, 0.0)), 2.0)),
        set_masses={"Crate": 0.5},
        up=skeleton.up,
    )
    turned = np.tile(rotations.IDENTITY, (clip.frames, count + 4, 1))
    turned[:, 1 : count + 1] = clip.motion.rotations
    moved = np.tile(other.offsets, (clip.frames, 1, 1))
    moved[:, 1 : count + 1] = clip.motion.translations
    return Clip(other, Motion(turned, moved), clip.fps)


@cache
def some_walk() -> Clip:
    return walk(steps=2).clip


CLIPS: dict[str, Callable[[], Clip]] = {
    "walk": some_walk,
    "walk with z up": lambda: walk(steps=2, up="z").clip,
    "run": lambda: run().clip,
    "jump": lambda: jump().clip,
    "giant": lambda: walk(human(stature=175.0), steps=2).clip,
    "dancer": lambda: moving_human(np.random.default_rng(4), bend=0.5),
    "dancer with z up": lambda: moving_human(np.random.default_rng(5), up="z", bend=0.3),
    "still": lambda: standing_human(frames=1),
    "finger, prop and two more roots": lambda: with_finger_and_prop(some_walk()),
    **{rest: lambda rest=rest: with_rest(some_walk(), rest) for rest in REST_POSES},  # type: ignore[misc]
}


def random_values(rng: np.random.Generator, character: SimplifiedCharacter, frames: int = 6) -> Array:
    values = rng.standard_normal((frames, len(character)))
    values[:, :3] *= character.size
    return values


def assert_same_body(clip: Clip, character: SimplifiedCharacter, values: Array) -> None:
    """Fail unless, in postures that both can have, full and simplified character are the same body."""
    postures, state = fused_postures(clip, character, values), CharacterState(character, values)
    size = character.size
    assert character.mass == pytest.approx(clip.skeleton.masses.sum(), rel=1e-12)
    np.testing.assert_allclose(postures.center_of_mass(), values[:, :3], atol=1e-10 * size)
    inertia = whole_inertia(postures)
    np.testing.assert_allclose(whole_inertia_of(character, values), inertia, atol=1e-10 * np.abs(inertia).max())
    full = FullBody(postures)
    for name in character.points:
        np.testing.assert_allclose(state.point(name), full.point(name), atol=1e-10 * size)
    for name in character.regions:
        np.testing.assert_allclose(state.center_of_mass(name), full.center_of_mass(name), atol=1e-10 * size)
    for name in character.frames:
        for axis in AXES:
            body, within = character.axis_of(name, axis)
            np.testing.assert_allclose(state.rotations[:, body] @ within, full.axis(name, axis), atol=1e-10)


@pytest.mark.parametrize("clip", CLIPS)
@pytest.mark.parametrize("recipe", RECIPES)
def test_with_fused_joints_the_full_character_is_the_same_body(
    rng: np.random.Generator, clip: str, recipe: str
) -> None:
    """Mass, centre of mass, inertia, points, centres of parts and axes agree to rounding."""
    source = CLIPS[clip]()
    chosen = replace(RECIPES[recipe], handles=(*RECIPES[recipe].handles, *HANDLES))
    character = simplified(source, chosen)
    assert_same_body(source, character, random_values(rng, character))


@pytest.mark.parametrize("name", ["02_01", "09_01", "13_11", "16_17", "49_06", "63_01", "85_05", "135_04"])
def test_captured_characters_with_fused_joints_are_the_same_bodies(
    mocap: Path, rng: np.random.Generator, name: str
) -> None:
    source = cut(read_bvh(mocap / f"{name}.bvh"), 1, None)
    character = simplified(source, replace(WITH_WAIST, handles=(*BIPED.handles, *HANDLES)))
    assert_same_body(source, character, random_values(rng, character))


# How near the mean motion is ------------------------------------------------------------------------------------------


def inertia_error(clip: Clip, recipe: Recipe) -> tuple[float, float]:
    """How far the inertia of the simplified character is from that of the full one, as shares of the largest moment:
    of the mean over the motion, seen from the hips, and of the worst frame."""
    character = simplified(clip, recipe)
    values = source_values(clip, recipe, character)
    named = RecipeJoints(clip, recipe)
    turns = rotations.to_matrix(named.frames(named.hips, character.mounts["hips"]))
    full = turns.swapaxes(1, 2) @ whole_inertia(clip.world) @ turns
    away = turns.swapaxes(1, 2) @ whole_inertia_of(character, values) @ turns - full
    largest = np.linalg.norm(full.mean(axis=0), 2)
    return np.linalg.norm(away.mean(axis=0), 2) / largest, np.linalg.norm(away, 2, axis=(1, 2)).max() / largest


@pytest.mark.parametrize(
    ("clip", "recipe", "worst"),
    [
        ("walk", BIPED, 0.05),
        ("walk", HOPPER, 0.12),
        ("run", BIPED, 0.05),
        ("jump", BIPED, 0.12),
        ("jump", HOPPER, 0.25),
        ("giant", HOPPER, 0.12),
    ],
)
def test_over_a_motion_the_mean_inertia_is_kept_to_a_hundredth(clip: str, recipe: Recipe, worst: float) -> None:
    mean, most = inertia_error(CLIPS[clip](), recipe)
    assert mean < 0.012 and most < worst


@pytest.mark.parametrize(("part", "recipe", "worst"), [(RUN, BIPED, 0.06), (JUMP, BIPED, 0.14), (JUMP, HOPPER, 0.22)])
def test_over_a_captured_motion_the_mean_inertia_is_kept_to_a_hundredth(
    mocap: Path, part: tuple[str, int, int], recipe: Recipe, worst: float
) -> None:
    name, begin, end = part
    mean, most = inertia_error(cut(read_bvh(mocap / f"{name}.bvh"), begin, end), recipe)
    assert mean < 0.015 and most < worst


# What does not matter -------------------------------------------------------------------------------------------------


def assert_equal_characters(
    found: SimplifiedCharacter, expected: SimplifiedCharacter, turn: Array | None = None, atol: float = 1e-9
) -> None:
    """Fail unless two characters are the same, in units of their own, but for a turn (3, 3) of all axes."""
    turn = np.eye(3) if turn is None else turn
    one, other = (each.in_units(each.size, each.mass) for each in (found, expected))
    assert one.names == other.names
    np.testing.assert_array_equal(one.parents, other.parents)
    for name in ("axis", "offset"):
        vectors = [np.array([getattr(dof, name) for dof in each.dofs[3:]]) for each in (one, other)]
        np.testing.assert_allclose(vectors[0], vectors[1] @ turn.T, atol=atol, err_msg=name)
    np.testing.assert_allclose(one.bounds, other.bounds, atol=atol)
    np.testing.assert_allclose(one.masses, other.masses, atol=atol)
    np.testing.assert_allclose(one.centers, other.centers @ turn.T, atol=atol)
    np.testing.assert_allclose(one.inertias, turn @ other.inertias @ turn.T, atol=atol)
    for name, place in one.points.items():
        assert place.body == other.points[name].body
        np.testing.assert_allclose(place.offset, turn @ other.points[name].offset, atol=atol)


@pytest.mark.parametrize("recipe", [BIPED, HOPPER, WITH_WAIST], ids=lambda recipe: recipe.name)
def test_place_and_heading_do_not_matter(recipe: Recipe) -> None:
    clip = some_walk()
    moved = placed(clip, rotations.exp((0.0, 2.2, 0.0)), (30.0, 0.0, -7.0))
    assert_equal_characters(simplified(moved, recipe), simplified(clip, recipe))


@pytest.mark.parametrize("recipe", [BIPED, HOPPER, WITH_WAIST], ids=lambda recipe: recipe.name)
def test_the_size_does_not_matter(recipe: Recipe) -> None:
    giant = walk(human(stature=175.0, mass=3.0), steps=2).clip
    assert_equal_characters(simplified(giant, recipe), simplified(some_walk(), recipe))


@pytest.mark.parametrize("recipe", [BIPED, HOPPER, WITH_WAIST], ids=lambda recipe: recipe.name)
def test_the_up_axis_does_not_matter(recipe: Recipe) -> None:
    lying = simplified(walk(steps=2, up="z").clip, recipe)
    usual = simplified(some_walk(), recipe)
    assert_equal_characters(lying, usual, lying.axes.T @ usual.axes)


@pytest.mark.parametrize("rest", REST_POSES)
def test_the_rest_pose_does_not_matter_to_joints(rest: str) -> None:
    """Axes, places and ranges are the same; the table of masses takes inertias from the rest pose itself."""
    usual, other = (simplified(clip, BIPED) for clip in (some_walk(), with_rest(some_walk(), rest)))
    assert usual.names == other.names
    for name in ("axis", "offset"):
        vectors = [np.array([getattr(dof, name) for dof in each.dofs]) for each in (usual, other)]
        np.testing.assert_allclose(*vectors, atol=2e-3)
    np.testing.assert_allclose(usual.centers, other.centers, atol=5e-3 * usual.size)


@pytest.mark.parametrize("frames_forward", [1, 2])
def test_quaternion_signs_and_the_frame_rate_do_not_matter(frames_forward: int) -> None:
    clip = some_walk()
    flipped = (
        clip.motion.rotations * np.where(np.arange(clip.frames) % (frames_forward + 1) == 0, -1.0, 1.0)[:, None, None]
    )
    other = Clip(clip.skeleton, Motion(flipped, clip.motion.translations), 2.0 * clip.fps)
    assert_equal_characters(simplified(other, BIPED), simplified(clip, BIPED), atol=1e-8)


@pytest.mark.parametrize("recipe", [BIPED, WITH_WAIST, HOPPER], ids=lambda recipe: recipe.name)
def test_a_symmetric_character_stays_symmetric(recipe: Recipe) -> None:
    character = simplified(standing_human(frames=2), recipe)
    mirror = np.array([-1.0, 1.0, 1.0])
    # A body in the middle is its own mirror image.
    twins = {name: name.replace("left ", "right ") for name in character.names if name.startswith("left ")}
    twins = {name: twin for name, twin in twins.items() if twin in character.names}
    middle = [name for name in character.names[5:] if name not in {*twins, *twins.values()}]
    assert len(twins) == (5 if recipe is not HOPPER else 0)
    for name, twin in (twins | {name: name for name in middle}).items():
        left, right = character.index(name), character.index(twin)
        assert character.masses[left] == pytest.approx(character.masses[right])
        np.testing.assert_allclose(character.centers[left], character.centers[right] * mirror, atol=1e-10)
        np.testing.assert_allclose(
            character.inertias[left], character.inertias[right] * np.outer(mirror, mirror), atol=1e-9
        )
        offsets = [np.array(character.dofs[each].offset) for each in (left, right)]
        np.testing.assert_allclose(offsets[0], offsets[1] * mirror, atol=1e-10)


@pytest.mark.parametrize("rest", ["T-pose", "A-pose", "arms forward"])
@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.9, 0.4, 0.1), (0.3, 0.1, 0.95)])
def test_the_hinge_of_a_swinging_arm_is_found_from_any_rest_pose(rest: str, axis: tuple[float, float, float]) -> None:
    """A rigid arm that swings about one axis is moved by the hinge exactly as in the source."""
    still = standing_human(frames=60)
    unit = np.array(axis) / np.linalg.norm(axis)
    swing = rotations.from_axis_angle(unit, 0.3 + 0.8 * np.sin(np.linspace(0.0, 7.0, 60)))
    turned = still.motion.rotations.copy()
    turned[:, still.skeleton.index("l_shoulder")] = swing
    clip = with_rest(still.with_motion(Motion(turned, still.motion.translations)), rest)
    character = simplified(clip, BIPED)
    found = np.array(character.dofs[character.index("left shoulder flexion")].axis)
    assert np.arccos(found @ unit * np.sign(unit[0])) < 0.1
    values = source_values(clip, BIPED, character)
    state = CharacterState(character, values)
    away = state.center_of_mass("left_shoulder") - clip.world.subtree_center_of_mass(clip.skeleton.index("l_shoulder"))
    assert np.linalg.norm(away, axis=1).max() < 0.012 * character.size
    # Where the value is 0 it hangs down.
    hanging = CharacterState(character, np.zeros((1, 16)))
    shoulder = hanging.place(5, character.dofs[character.index("left shoulder flexion")].offset)
    assert (hanging.center_of_mass("left_shoulder") - shoulder)[0] @ character.up < -0.15 * character.size
    # Where the arm of the other side does not swing there is nothing to find.
    np.testing.assert_allclose(character.dofs[character.index("right shoulder flexion")].axis, character.axes[0])


def test_an_arm_that_is_bent_and_stretched_hangs_at_its_mean_angle_from_the_axis() -> None:
    clip = moving_human(np.random.default_rng(9), bend=0.4)
    character = simplified(clip, BIPED)
    named = RecipeJoints(clip, BIPED)
    back = rotations.conjugate(named.frames(named.hips, character.mounts["hips"]))
    for side in ("left", "right"):
        (body,) = character.joint_of[f"{side}_shoulder"]
        axis, place = np.array(character.dofs[body].axis), np.array(character.dofs[body].offset)
        away = clip.world.subtree_center_of_mass(named.joint(f"{side}_shoulder")) - clip.world.positions[:, named.hips]
        arms = rotations.rotate(back, away) - place
        center = character.centers[body]
        mean = np.arctan2((arms @ axis).mean(), np.linalg.norm(np.cross(arms, axis), axis=1).mean())
        found = np.arctan2(center @ axis, np.linalg.norm(np.cross(center, axis)))
        assert found == pytest.approx(mean, abs=1e-9)


# Forms ----------------------------------------------------------------------------------------------------------------


def test_a_recipe_with_a_waist_has_nineteen_values() -> None:
    character = simplified(some_walk(), WITH_WAIST)
    assert len(character) == 19
    assert character.names[6:9] == ("spine flexion", "spine abduction", "spine twist")
    assert character.joint_of["spine"] == (6, 7, 8)
    # Legs hang on the hips, arms on the spine.
    assert character.dofs[character.index("left hip flexion")].parent == 5
    assert character.dofs[character.index("left shoulder flexion")].parent == 8
    values = source_values(some_walk(), WITH_WAIST, character)
    assert np.abs(values[:, 6:9]).max() < 0.5


def test_merged_limbs_weigh_as_much_as_both() -> None:
    merged = replace(
        BIPED,
        joints=(
            KeptJoint(("left_hip", "right_hip"), "ball"),
            KeptJoint(("left_knee", "right_knee"), "hinge"),
            KeptJoint(("left_shoulder", "right_shoulder"), "hinge", axis="fitted"),
        ),
    )
    clip = jump().clip
    apart, together = simplified(clip, BIPED), simplified(clip, merged)
    assert len(together) == 11 and together.mass == pytest.approx(apart.mass)
    for joint in ("hip", "knee", "shoulder"):
        both = sum(apart.masses[apart.joint_of[f"{side}_{joint}"][-1]] for side in ("left", "right"))
        assert together.masses[together.joint_of[f"left_{joint}"][-1]] == pytest.approx(both)
    hips = [np.array(apart.dofs[apart.joint_of[f"{side}_hip"][0]].offset) for side in ("left", "right")]
    np.testing.assert_allclose(together.dofs[6].offset, np.mean(hips, axis=0), atol=1e-9)
    # In postures that both can have, the whole body has the same centre, and nearly the same inertia.
    loaded = Clip(clip.skeleton.replace(loads=(Load(BodyPoint("r_wrist"), 8.0),)), clip.motion, clip.fps)
    for source, tolerance in ((clip, 0.01), (loaded, 0.05)):
        character = simplified(source, merged)
        values = random_values(np.random.default_rng(3), character)
        postures = fused_postures(source, character, values)
        full = whole_inertia(postures)
        assert np.abs(whole_inertia_of(character, values) - full).max() < tolerance * np.abs(full).max()
        np.testing.assert_allclose(postures.center_of_mass(), values[:, :3], atol=1e-10)


def test_a_mass_point_is_the_mass_of_all_that_it_replaces() -> None:
    clip = jump().clip
    character = simplified(clip, HOPPER)
    assert len(character) == 10
    *axes, body = character.joint_of["spine"]
    spine = clip.skeleton.landmarks.spine[0]
    upper = clip.skeleton.tree.ancestry[:, spine]
    assert character.masses[body] == pytest.approx(clip.skeleton.masses[upper].sum())
    np.testing.assert_array_equal(character.centers[body], 0.0)
    assert not character.masses[axes].any()
    assert all(character.dofs[dof].kind == "translation" for dof in (*axes, body))
    # It moves where the centre of mass of the upper body does.
    values = source_values(clip, HOPPER, character)
    seen = CharacterState(character, values).origins[:, body] - CharacterState(character, values).origins[:, 5]
    expected = clip.world.subtree_center_of_mass(spine) - clip.world.positions[:, clip.skeleton.landmarks.hips]
    np.testing.assert_allclose(seen, expected, atol=1e-9 * character.size)
    # Its inertia is that of a body.
    assert np.linalg.eigvalsh(character.inertias[body])[0] > 0.0


def test_a_telescope_is_as_long_as_its_limb_and_as_heavy() -> None:
    clip = jump().clip
    character = simplified(clip, HOPPER)
    (rod,) = character.joint_of["left_hip"]
    assert character.joint_of["right_hip"] == (rod,) and character.dofs[rod].kind == "translation"
    np.testing.assert_allclose(character.dofs[rod].axis, -character.axes[1])
    legs = clip.skeleton.tree.ancestry[:, [clip.skeleton.index(side + "hip") for side in ("l_", "r_")]].any(axis=1)
    pelvis = clip.skeleton.masses[~legs & ~clip.skeleton.tree.ancestry[:, clip.skeleton.landmarks.spine[0]]].sum()
    upper = character.masses[5] - pelvis
    assert character.masses[rod] + upper == pytest.approx(clip.skeleton.masses[legs].sum())
    # Thighs are heavier than shins and feet, and the rod's lower part is about as heavy as these.
    assert 0.25 < character.masses[rod] / (character.masses[rod] + upper) < 0.55
    values = source_values(clip, HOPPER, character)
    marks = clip.skeleton.landmarks
    balls = np.mean([clip.position(mark) for mark in (marks.left_ball, marks.right_ball)], axis=0)
    hips = np.mean([clip.position(mark) for mark in (marks.left_hip, marks.right_hip)], axis=0)
    np.testing.assert_allclose(values[:, rod], np.linalg.norm(balls - hips, axis=1), rtol=1e-9)
    assert character.points["left_ball"] == character.points["right_ball"]
    assert character.points["left_ball"].body == rod and character.points["left_hip"].body == 5


def test_ranges_are_those_of_the_recipe_in_radians_and_lengths() -> None:
    character = simplified(some_walk(), BIPED)
    knee = character.dofs[character.index("left knee flexion")]
    assert (knee.lower, knee.upper) == (pytest.approx(np.deg2rad(1.0)), pytest.approx(np.deg2rad(150.0)))
    bounded = replace(HOPPER, joints=(replace(HOPPER.joints[0], lower=(0.4,), upper=(1.1,)), HOPPER.joints[1]))
    hopper = simplified(walk(human(stature=175.0), steps=2).clip, bounded)
    assert hopper.dofs[6].lower == pytest.approx(0.4 * hopper.size)
    assert np.isinf(hopper.dofs[7].lower) and np.isinf(hopper.bounds[1][:6]).all()


def test_the_centre_of_what_has_no_mass_is_its_joint() -> None:
    clip = some_walk()
    without = clip.skeleton.replace(set_masses={"l_middle1": 0.0})
    recipe = replace(BIPED, handles=(*BIPED.handles, KeptHandle(CenterOfMassHandle("l_middle1"))))
    source = Clip(without, clip.motion, clip.fps)
    assert_same_body(source, simplified(source, recipe), np.zeros((1, 16)))


# What cannot be -------------------------------------------------------------------------------------------------------


def without(*names: str) -> Clip:
    """A person that stands still, without some joints and all that they carry."""
    skeleton = person()
    gone = [skeleton.index(name) for name in names]
    kept = np.flatnonzero(~skeleton.tree.ancestry[:, gone].any(axis=1))
    places = {int(joint): place for place, joint in enumerate(kept)}
    smaller = Skeleton(
        tuple(skeleton.names[joint] for joint in kept),
        [places.get(int(skeleton.parents[joint]), -1) for joint in kept],
        skeleton.offsets[kept],
        tips=tuple(BodyPoint(places[int(tip.joint)], tip.offset) for tip in skeleton.tips if int(tip.joint) in places),
    )
    pose = Pose.rest(smaller)
    return Clip(smaller, Motion(pose.rotations[None], pose.translations[None]))


@pytest.mark.parametrize(
    ("gone", "recipe", "words"),
    [
        (("LeftLeg",), BIPED, "left_knee"),
        (("LeftUpLeg",), BIPED, "left_hip"),
        (("LeftUpLeg", "RightUpLeg"), HOPPER, "left_hip"),
        (("LeftArm", "RightArm"), BIPED, "left_shoulder"),
        (("Spine",), HOPPER, "spine"),
    ],
)
def test_a_character_without_what_a_recipe_needs_is_refused_with_a_sentence(
    gone: tuple[str, ...], recipe: Recipe, words: str
) -> None:
    with pytest.raises((LandmarkError, SkeletonError)) as refused:
        simplified(without(*gone), recipe)
    assert words in str(refused.value) and str(refused.value).endswith(".")


def test_a_character_without_toes_is_simplified_all_the_same(rng: np.random.Generator) -> None:
    """Its ball is a point of the foot."""
    assert person().landmarks.left_toe is None
    clip = without()
    character = simplified(clip, BIPED)
    assert_same_body(clip, character, random_values(rng, character))


def test_a_character_without_mass_is_refused() -> None:
    weightless = standing_human(frames=1).skeleton.replace(total_mass=0.0)
    pose = Pose.rest(weightless)
    clip = Clip(weightless, Motion(pose.rotations[None], pose.translations[None]))
    with pytest.raises(SkeletonError, match="no mass"):
        simplified(clip, BIPED)


def with_joints(*joints: KeptJoint, handles: tuple[Any, ...] = ()) -> Recipe:
    kept = tuple(KeptHandle(handle) for handle in (CenterOfMassHandle(), *handles))
    return Recipe("own", joints, kept, (Contact("left foot", ("left",)),))


KNEE, HIP = KeptJoint(("left_knee",), "hinge"), KeptJoint(("left_hip",), "ball")
LEG = KeptJoint(("left_hip",), "telescope", end="left_ball")
TORSO = KeptJoint(("spine",), "mass point")


@pytest.mark.parametrize(
    ("recipe", "error", "words"),
    [
        (with_joints(KeptJoint(("hips",), "ball")), RecipeError, "keeps 'hips', the root"),
        (with_joints(KeptJoint(("l_tail",), "ball")), UnknownJointError, "'own' needs 'l_tail'. There is no joint"),
        (with_joints(HIP, KeptJoint(("l_hip",), "ball")), RecipeError, "which are one joint here"),
        (with_joints(KNEE, HIP), RecipeError, "the left knee before the l_hip, which carries it"),
        (with_joints(LEG, KNEE), RecipeError, "keeps the left knee, but the left hip is a telescope"),
        (with_joints(TORSO, KeptJoint(("left_shoulder",), "ball")), RecipeError, "the spine is a mass point"),
        (
            with_joints(HIP, KeptJoint(("left_knee", "left_shoulder"), "hinge")),
            RecipeError,
            "merges the left knee and left shoulder, which different bodies carry",
        ),
        (with_joints(LEG, handles=(PointHandle("left_ankle"),)), RecipeError, "for the point of 'left_ankle'"),
        (with_joints(TORSO, handles=(PointHandle("left_wrist"),)), RecipeError, "for the point of 'left_wrist'"),
        (with_joints(TORSO, handles=(AxisHandle("spine", "up"),)), RecipeError, "for the orientation of 'spine'"),
        (with_joints(LEG, handles=(AxisHandle("left_knee", "up"),)), RecipeError, "for the orientation of 'left_knee'"),
        (with_joints(TORSO, handles=(CenterOfMassHandle("neck"),)), RecipeError, "for the mass of 'neck'"),
        (with_joints(handles=(PointHandle("left_paw"),)), UnknownJointError, "'own' needs 'left_paw'"),
        (with_joints(replace(LEG, end="l_hip")), SkeletonError, "would have no length"),
        (replace(with_joints(LEG), joints=(replace(LEG, end="left_ankle"),)), RecipeError, "point of 'left_ball'"),
    ],
)
def test_a_recipe_that_does_not_fit_is_refused_with_a_sentence(
    recipe: Recipe, error: type[PoiseError], words: str
) -> None:
    with pytest.raises(error, match=words) as refused:
        simplified(some_walk(), recipe)
    assert str(refused.value).endswith((".", "?"))


def test_a_joint_beside_the_hips_is_refused() -> None:
    clip = with_finger_and_prop(some_walk())
    with pytest.raises(SkeletonError, match="'Crate', which the hips do not carry"):
        simplified(clip, with_joints(KeptJoint(("Crate",), "ball")))


def test_what_a_limb_replaces_keeps_its_ends_and_its_whole_mass() -> None:
    recipe = with_joints(LEG, TORSO, handles=(PointHandle("left_hip"), CenterOfMassHandle("spine"), PointHandle("vl5")))
    character = simplified(some_walk(), recipe)
    assert character.points["left_hip"].body == character.points["vl5"].body == 5
    assert [part.body for part in character.regions["spine"]] == [character.joint_of["spine"][-1]]

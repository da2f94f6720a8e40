# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons: invalid input and its messages, changed copies, masses, sizes."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint, JointKind, Load
from poise.solver.body.kinematics import WorldState
from poise.solver.body.limits import BallLimit, HingeLimit
from poise.solver.body.masses import AVERAGE_MASS
from poise.solver.body.motion import Pose
from poise.solver.body.skeleton import CACHED, Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import LandmarkError, LimitError, PoiseError, SkeletonError, UnknownJointError

from ..characters import FREE, HEEL, SHANK, THIGH, hinge_chain, matrix, person, random_skeleton, random_state
from ..rounding import assert_equal_to_rounding

THREE = {"names": ("root", "middle", "end"), "parents": [-1, 0, 1], "offsets": np.eye(3)}
HINGE_LIMIT, BALL_LIMIT = HingeLimit(-1.0, 1.0), BallLimit((0.0, 1.0, 0.0), twist=(-1.0, 1.0))


def at_rest(skeleton: Skeleton) -> WorldState:
    return WorldState.of(skeleton, Pose.rest(skeleton).motion)


# --- what is left out ----------------------------------------------------------------------------------------------


def test_what_is_left_out_gets_its_usual_value() -> None:
    skeleton = Skeleton(**THREE)
    assert skeleton.kinds == (JointKind.FREE, JointKind.BALL, JointKind.BALL)
    np.testing.assert_array_equal(skeleton.rest_rotations, np.tile(rotations.IDENTITY, (3, 1)))
    np.testing.assert_array_equal(skeleton.hinge_axes, np.tile([1.0, 0.0, 0.0], (3, 1)))
    np.testing.assert_array_equal(skeleton.stiffness, np.ones(3))
    assert skeleton.up == "y" and skeleton.total_mass == AVERAGE_MASS
    assert not skeleton.limits and not skeleton.loads and not skeleton.tips
    assert len(skeleton) == 3


def test_directions_of_any_length_are_made_unit(rng: np.random.Generator) -> None:
    turned, axes = rotations.random(rng, 3), rng.standard_normal((3, 3))
    skeleton = Skeleton(**THREE, rest_rotations=7.0 * turned, hinge_axes=axes)
    np.testing.assert_allclose(skeleton.rest_rotations, turned, atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(skeleton.hinge_axes, axis=1), 1.0, rtol=1e-15)
    np.testing.assert_allclose(np.cross(skeleton.hinge_axes, axes), 0.0, atol=1e-14)


def test_up_says_which_axes_are_level() -> None:
    upright, lying = Skeleton(**THREE), Skeleton(**THREE, up="z")
    assert (upright.up_axis, upright.horizontal_axes) == (1, "xz")
    assert (lying.up_axis, lying.horizontal_axes) == (2, "xy")


# --- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"names": (), "parents": [], "offsets": np.zeros((0, 3))}, r"at least one joint"),
        ({"names": ("root", "middle", "root")}, r"Two joints are called 'root'"),
        ({"names": ("root", "", "end")}, r"names must be words, not ''"),
        ({"names": ("root", 7, "end")}, r"names must be words, not 7"),
        ({"parents": [-1, 0]}, r"parents of 3 joints must be as many whole numbers"),
        ({"parents": [[-1], [0], [1]]}, r"parents of 3 joints must be as many whole numbers, in one row"),
        ({"parents": [-1, 0, 0.5]}, r"parents of 3 joints must be as many whole numbers"),
        ({"parents": ["root", "root", "middle"]}, r"parents of 3 joints must be as many whole numbers"),
        ({"parents": [-1, 2, 1]}, r"parent of joint 'middle' must come before"),
        ({"parents": [-1, 1, 1]}, r"parent of joint 'middle' must come before"),
        ({"parents": [0, 0, 1]}, r"parent of joint 'root' must come before"),
        ({"parents": [-1, 0, -2]}, r"parent of joint 'end'"),
        ({"parents": [-1, 0, 99]}, r"parent of joint 'end'"),
        ({"offsets": np.zeros((2, 3))}, r"offsets must have the shape \(3, 3\), not \(2, 3\)"),
        ({"offsets": np.zeros((3, 4))}, r"offsets must have the shape \(3, 3\), not \(3, 4\)"),
        ({"offsets": [[0, 0, 0], [0, np.nan, 0], [0, 0, 0]]}, r"offset of joint 'middle' is not finite"),
        ({"offsets": [[0, 0, 0], [0, 0, 0], [0, 0, np.inf]]}, r"offset of joint 'end' is not finite"),
        ({"offsets": [[0, 0, 0], [0, 0], [0, 0, 0]]}, r"offsets"),
        ({"offsets": "nowhere"}, r"offsets"),
        ({"rest_rotations": np.ones((3, 3))}, r"rest rotations must have the shape \(3, 4\)"),
        ({"rest_rotations": np.zeros((3, 4))}, r"rest rotation of joint 'root' has no length"),
        ({"rest_rotations": [[1, 0, 0, 0], [np.nan, 0, 0, 0], [1, 0, 0, 0]]}, r"rotation of joint 'middle' is not fin"),
        ({"hinge_axes": [[1, 0, 0], [0, 0, 0], [1, 0, 0]]}, r"hinge axis of joint 'middle' has no length"),
        ({"hinge_axes": np.ones((3, 2))}, r"hinge axis.* must have the shape \(3, 3\)"),
        ({"kinds": ("free", "ball")}, r"2 kinds for 3 joints"),
        ({"kinds": ("free", "ball", "slider")}, r"Joint 'end' cannot be 'slider'"),
        ({"stiffness": [1.0, 0.0, 1.0]}, r"stiffness of joint 'middle'"),
        ({"stiffness": [1.0, 1.0, -1.0]}, r"stiffness of joint 'end'"),
        ({"stiffness": [np.nan, 1.0, 1.0]}, r"stiffness of joint 'root'"),
        ({"stiffness": [1.0, 1.0]}, r"Stiffness must be one number for each joint"),
        ({"up": "x"}, r"Up must be 'y' or 'z', not 'x'"),
        ({"total_mass": -1.0}, r"total mass"),
        ({"total_mass": np.nan}, r"total mass"),
        ({"set_masses": {1: -2.0}}, r"mass of joint 'middle'"),
        ({"set_masses": {2: np.inf}}, r"mass of joint 'end'"),
        ({"set_inertias": {1: (1.0, 1.0, 3.0)}}, r"No body has the inertia of joint 'middle'"),
        ({"set_inertias": {2: np.arange(9.0).reshape(3, 3)}}, r"inertia of joint 'end' must be a symmetric matrix"),
    ],
)
def test_what_cannot_be_a_character_is_refused(changes: dict[str, object], told: str) -> None:
    with pytest.raises(SkeletonError, match=told):
        Skeleton(**{**THREE, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"set_masses": {9: 1.0}},
        {"set_masses": {-1: 1.0}},
        {"set_inertias": {9: (1.0, 1.0, 1.0)}},
        {"limits": {9: BALL_LIMIT}},
        {"limits": {-1: BALL_LIMIT}},
        {"tips": (BodyPoint(9),)},
        {"tips": (BodyPoint("missing"),)},
        {"loads": (Load(BodyPoint(9), 1.0),)},
    ],
)
def test_joints_that_are_not_there_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(UnknownJointError, match=r"There is no joint (9|-1|'missing')"):
        Skeleton(**THREE, **changes)


@pytest.mark.parametrize(
    ("kind", "limit"),
    [
        ("ball", HINGE_LIMIT),
        ("hinge", BALL_LIMIT),
        ("fixed", BALL_LIMIT),
        ("fixed", HINGE_LIMIT),
        ("free", HINGE_LIMIT),
    ],
)
def test_a_limit_that_does_not_fit_its_joint_is_refused(kind: str, limit: HingeLimit | BallLimit) -> None:
    with pytest.raises(LimitError, match=f"Joint 'middle' is {kind}: a {type(limit).__name__}"):
        Skeleton(**THREE, kinds=("free", kind, "ball"), limits={1: limit})


def test_limits_that_fit_are_kept() -> None:
    skeleton = Skeleton(**THREE, kinds=("free", "hinge", "ball"), limits={0: BALL_LIMIT, 1: HINGE_LIMIT, 2: BALL_LIMIT})
    assert skeleton.limits == {0: BALL_LIMIT, 1: HINGE_LIMIT, 2: BALL_LIMIT}


def test_every_refusal_is_a_poise_error() -> None:
    assert all(issubclass(error, PoiseError) for error in (SkeletonError, UnknownJointError, LimitError))


# --- finding joints ------------------------------------------------------------------------------------------------


def test_joints_are_found_by_name_and_by_index() -> None:
    skeleton = person()
    for index, name in enumerate(skeleton.names):
        assert skeleton.index(name) == skeleton.index(index) == skeleton.index(np.int64(index)) == index


@pytest.mark.parametrize(
    ("asked", "meant"),
    [("lefthand", "LeftHand"), ("LeftHnd", "LeftHand"), ("Left_Hand", "LeftHand"), ("CHEST", "Chest"), ("hip", "Hips")],
)
def test_an_unknown_joint_suggests_the_likeliest_one(asked: str, meant: str) -> None:
    with pytest.raises(UnknownJointError, match=f"no joint '{asked}'. Did you mean '{meant}'"):
        person().index(asked)


def test_a_name_like_no_other_suggests_the_root() -> None:
    with pytest.raises(UnknownJointError, match=r"'Zzz'.*The root is 'Hips'"):
        person().index("Zzz")


@pytest.mark.parametrize("asked", [17, -1, True, 1.5, None, ["Hips"]])
def test_what_is_no_joint_is_refused(asked: object) -> None:
    with pytest.raises(UnknownJointError, match="There is no joint"):
        person().index(asked)  # type: ignore[arg-type]


def test_masks_and_points(rng: np.random.Generator) -> None:
    skeleton = person()
    mask = skeleton.mask(["Hips", 3, "Head"])
    assert mask.dtype == np.bool_ and list(np.flatnonzero(mask)) == [0, 3, skeleton.index("Head")]
    assert not skeleton.mask([]).any()
    assert skeleton.resolve("Head") == BodyPoint(skeleton.index("Head"))
    assert skeleton.resolve(BodyPoint("Head", (1.0, 2.0, 3.0))) == BodyPoint(skeleton.index("Head"), (1.0, 2.0, 3.0))
    with pytest.raises(UnknownJointError, match="'Tail'"):
        skeleton.resolve(BodyPoint("Tail"))
    assert skeleton.resolve(1) == BodyPoint(1)
    for no_joint in (True, 1.0, ["Hips"], None):
        with pytest.raises(UnknownJointError, match="There is no joint"):
            skeleton.resolve(no_joint)  # type: ignore[arg-type]


# --- nothing changes behind one's back -----------------------------------------------------------------------------

ARRAYS = (
    "parents",
    "offsets",
    "rest_rotations",
    "hinge_axes",
    "stiffness",
    "masses",
    "mass_centers",
    "mass_shares",
    "inertias",
)


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_cannot_be_written(name: str) -> None:
    with pytest.raises(ValueError, match="read-only"):
        getattr(person(), name)[0] = 0


def test_the_rest_pose_cannot_be_written() -> None:
    for array in person().rest:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0


def test_changing_what_was_given_does_not_change_the_skeleton(rng: np.random.Generator) -> None:
    offsets, parents, stiffness = rng.standard_normal((3, 3)), np.array([-1, 0, 1]), np.ones(3)
    masses, limits, inertia = {1: 3.0}, {2: BALL_LIMIT}, np.eye(3)
    skeleton = Skeleton(
        ("a", "b", "c"),
        parents,
        offsets,
        stiffness=stiffness,
        set_masses=masses,
        set_inertias={1: inertia},
        limits=limits,
    )
    kept = skeleton.offsets.copy()
    offsets[:] = 0.0
    parents[:] = -1
    stiffness[:] = 9.0
    masses.clear()
    limits.clear()
    inertia[:] = 0.0
    np.testing.assert_array_equal(skeleton.offsets, kept)
    np.testing.assert_array_equal(skeleton.parents, [-1, 0, 1])
    np.testing.assert_array_equal(skeleton.stiffness, np.ones(3))
    assert skeleton.set_masses == {1: 3.0} and skeleton.limits == {2: BALL_LIMIT}
    np.testing.assert_array_equal(skeleton.set_inertias[1], np.eye(3))
    with pytest.raises(ValueError, match="read-only"):
        skeleton.set_inertias[1][0] = 0.0


def described(skeleton: Skeleton) -> list[object]:
    arrays = [getattr(skeleton, name).tolist() for name in ARRAYS]
    rest = [skeleton.names, skeleton.kinds, skeleton.limits, skeleton.set_masses, skeleton.loads, skeleton.tips]
    return [*arrays, *rest, skeleton.set_landmarks, skeleton.landmarks, skeleton.size, skeleton.up, skeleton.total_mass]


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.with_kinds({"Neck": "fixed", "LeftArm": "hinge"}, {"LeftArm": (0.0, 0.0, 2.0)}),
        lambda body: body.with_stiffness({"Neck": 4.0}),
        lambda body: body.with_limits({"Neck": BALL_LIMIT, "LeftLeg": HINGE_LIMIT}),
        lambda body: body.with_masses({"Head": 50.0}),
        lambda body: body.with_inertias({"Head": (1.0, 1.0, 1.0)}),
        lambda body: body.with_load("LeftHand", 2.0),
        lambda body: body.with_landmarks(head="Neck"),
        lambda body: body.scaled(3.0),
        lambda body: body.replace(up="z", total_mass=10.0),
    ],
)
def test_changed_copies_leave_the_original_as_it_was(change) -> None:  # type: ignore[no-untyped-def]
    skeleton = person().with_limits({"Spine": BALL_LIMIT}).with_masses({"Chest": 9.0}).with_load("Head", 1.0)
    before = described(skeleton)
    changed = change(skeleton)
    assert described(skeleton) == before
    assert described(changed) != before


def test_kinds_and_axes_of_some_joints() -> None:
    changed = person().with_kinds({"Neck": "hinge", 2: JointKind.FIXED}, {"Neck": (0.0, 0.0, 5.0)})
    assert changed.kinds[changed.index("Neck")] is JointKind.HINGE and changed.kinds[2] is JointKind.FIXED
    np.testing.assert_array_equal(changed.hinge_axes[changed.index("Neck")], [0.0, 0.0, 1.0])
    assert changed.dofs.count != person().dofs.count
    with pytest.raises(SkeletonError, match=r"Joint 'Neck' cannot be 'loose'"):
        person().with_kinds({"Neck": "loose"})
    with pytest.raises(SkeletonError, match=r"hinge axis of joint 'Neck' has no length"):
        person().with_kinds({"Neck": "hinge"}, {"Neck": (0.0, 0.0, 0.0)})
    with pytest.raises(UnknownJointError, match="'Nekc'"):
        person().with_kinds({"Nekc": "hinge"})


def test_a_joint_that_changes_its_kind_must_lose_a_limit_that_no_longer_fits() -> None:
    with pytest.raises(LimitError, match="Joint 'Neck' is fixed"):
        person().with_limits({"Neck": BALL_LIMIT}).with_kinds({"Neck": "fixed"})


def test_limits_are_added_replaced_and_taken_away() -> None:
    one = person().with_limits({"Neck": BALL_LIMIT})
    two = one.with_limits({"LeftLeg": HINGE_LIMIT})
    assert set(two.limits) == {two.index("Neck"), two.index("LeftLeg")}
    assert set(two.with_limits({"Neck": None}).limits) == {two.index("LeftLeg")}
    assert two.with_limits({"Head": None}).limits == two.limits


def test_stiffness_of_some_joints() -> None:
    changed = person().with_stiffness({"Neck": 4.0}).with_stiffness({0: 0.5})
    assert changed.stiffness[changed.index("Neck")] == 4.0 and changed.stiffness[0] == 0.5
    assert changed.stiffness.sum() == pytest.approx(len(changed) - 2 + 4.5)
    with pytest.raises(SkeletonError, match=r"stiffness of joint 'Neck'"):
        person().with_stiffness({"Neck": 0.0})


def test_landmarks_set_by_hand() -> None:
    skeleton = person()
    marked = skeleton.with_landmarks(head="Neck", spine=["Spine"], right_heel=BodyPoint("RightFoot", (0.0, -1.0, 0.0)))
    assert marked.landmarks.head == skeleton.index("Neck")
    assert marked.landmarks.spine == (skeleton.index("Spine"),)
    assert marked.landmarks.right_heel == BodyPoint(skeleton.index("RightFoot"), (0.0, -1.0, 0.0))
    assert marked.landmarks.left_heel == skeleton.landmarks.left_heel
    assert marked.with_landmarks(head=None).landmarks.head is None
    with pytest.raises(LandmarkError, match="tail"):
        skeleton.with_landmarks(tail="Hips")
    with pytest.raises(UnknownJointError, match="'Haed'"):
        skeleton.with_landmarks(head="Haed")


# --- shape ---------------------------------------------------------------------------------------------------------


def test_the_rest_pose_is_the_pose_at_rest(character: Skeleton) -> None:
    state = at_rest(character)
    assert_equal_to_rounding(state.rotations[0], character.rest[0])
    assert_equal_to_rounding(state.positions[0], character.rest[1], character.size)


def test_the_size_of_a_person_is_from_hip_to_heel() -> None:
    expected = THIGH + SHANK + float(np.linalg.norm(HEEL))
    assert person().size == pytest.approx(expected, rel=1e-12)
    longer = person().with_landmarks(left_heel=BodyPoint("LeftFoot", (0.0, -0.6, 0.0)))
    assert longer.size == pytest.approx((expected + THIGH + SHANK + 0.6) / 2.0, rel=1e-12)
    one_leg = person().with_landmarks(left_knee=None)
    assert one_leg.size == pytest.approx(expected, rel=1e-12)


def test_the_size_of_a_captured_person_is_that_of_a_leg(walk: Clip) -> None:
    skeleton = walk.skeleton
    thigh = np.linalg.norm(skeleton.offsets[skeleton.index("LeftLeg")])
    shank = np.linalg.norm(skeleton.offsets[skeleton.index("LeftFoot")])
    assert thigh + shank < skeleton.size < 1.3 * (thigh + shank)


def test_the_size_of_a_chain_is_its_length_with_its_tip() -> None:
    chain = hinge_chain()
    assert chain.size == pytest.approx(np.linalg.norm(chain.offsets[1:], axis=1).sum() + 0.25, rel=1e-12)
    assert chain.replace(tips=()).size == pytest.approx(np.linalg.norm(chain.offsets[1:], axis=1).sum(), rel=1e-12)


def test_the_size_of_a_tree_is_its_longest_branch() -> None:
    tree = Skeleton(tuple("abcd"), [-1, 0, 0, 2], [[9, 9, 9], [0, 3, 0], [1, 0, 0], [0, 0, 1.5]])
    assert tree.size == pytest.approx(3.0)


def test_what_has_no_length_has_size_one() -> None:
    assert Skeleton(("only",), [-1], [[5.0, 5.0, 5.0]]).size == 1.0
    assert Skeleton(("a", "b"), [-1, 0], np.zeros((2, 3))).size == 1.0


def test_where_it_stands_does_not_change_the_size(rng: np.random.Generator) -> None:
    skeleton = person()
    offsets = np.array(skeleton.offsets)
    offsets[0] += (1000.0, 0.0, -500.0)
    assert skeleton.replace(offsets=offsets).size == pytest.approx(skeleton.size, rel=1e-9)


def test_a_scaled_copy_is_larger_in_every_length(character: Skeleton) -> None:
    heavy = character.with_load(BodyPoint(0, (0.1, 0.2, 0.3)), 5.0).with_inertias({0: (3.0, 4.0, 5.0)})
    large = heavy.scaled(100.0)
    np.testing.assert_allclose(large.offsets, 100.0 * heavy.offsets, rtol=1e-15)
    np.testing.assert_allclose(large.masses, heavy.masses, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(large.mass_centers, 100.0 * heavy.mass_centers, rtol=1e-9, atol=1e-9)
    largest = float(heavy.inertias.max())
    np.testing.assert_allclose(large.inertias / largest, 1e4 * heavy.inertias / largest, rtol=1e-9, atol=1e-8)
    np.testing.assert_allclose([tip.local for tip in large.tips], [100.0 * tip.local for tip in heavy.tips], rtol=1e-15)
    assert large.kinds == heavy.kinds and large.parents.tolist() == heavy.parents.tolist()
    length = heavy._longest_chain
    assert large.size == pytest.approx(100.0 * heavy.size if length else 1.0, rel=1e-9)


@pytest.mark.parametrize("factor", [0.0, -1.0, np.nan, np.inf])
def test_scaling_needs_a_positive_factor(factor: float) -> None:
    with pytest.raises(SkeletonError, match="positive factor"):
        person().scaled(factor)


# --- masses --------------------------------------------------------------------------------------------------------


def test_masses_add_up_to_the_whole(character: Skeleton) -> None:
    plain = character.replace(set_masses={}, loads=())
    assert plain.masses.sum() == pytest.approx(AVERAGE_MASS, rel=1e-12)
    assert plain.replace(total_mass=100.0).masses.sum() == pytest.approx(100.0, rel=1e-12)
    assert (plain.masses >= 0.0).all()


def test_masses_set_by_hand_replace_those_of_the_table() -> None:
    plain = person()
    changed = plain.with_masses({"Head": 20.0}).with_masses({0: 0.0})
    expected = np.array(plain.masses)
    expected[plain.index("Head")], expected[0] = 20.0, 0.0
    np.testing.assert_array_equal(changed.masses, expected)
    np.testing.assert_array_equal(changed.mass_centers[expected > 0.0], plain.mass_centers[expected > 0.0])
    assert changed.with_masses({"Head": 1.0}).masses[plain.index("Head")] == 1.0
    with pytest.raises(SkeletonError, match="mass of joint 'Head'"):
        plain.with_masses({"Head": -1.0})
    with pytest.raises(UnknownJointError, match="'Haed'"):
        plain.with_masses({"Haed": 1.0})


def test_inertias_set_by_hand_replace_those_of_the_table() -> None:
    plain = person()
    head, chest = plain.index("Head"), plain.index("Chest")
    changed = plain.with_inertias({"Head": (1.0, 2.0, 2.5)}).with_inertias({chest: 3.0 * np.eye(3)})
    np.testing.assert_array_equal(changed.inertias[head], np.diag([1.0, 2.0, 2.5]))
    np.testing.assert_array_equal(changed.inertias[chest], 3.0 * np.eye(3))
    others = [joint for joint in range(len(plain)) if joint not in (head, chest)]
    np.testing.assert_array_equal(changed.inertias[others], plain.inertias[others])
    np.testing.assert_array_equal(changed.masses, plain.masses)
    # A mass set by hand changes the density of what comes from the table, and leaves what is set by hand.
    heavy = changed.with_masses({"Head": 20.0})
    np.testing.assert_array_equal(heavy.inertias[head], np.diag([1.0, 2.0, 2.5]))
    with pytest.raises(SkeletonError, match="No body has the inertia of joint 'Head'"):
        plain.with_inertias({"Head": (1.0, 1.0, 5.0)})
    with pytest.raises(UnknownJointError, match="'Haed'"):
        plain.with_inertias({"Haed": (1.0, 1.0, 1.0)})


def test_inertia_grows_with_a_mass_that_is_set_by_hand() -> None:
    plain = person()
    head, neck = plain.index("Head"), plain.index("Neck")
    assert plain.inertias[head].any()
    heavy = plain.with_masses({"Head": 3.0 * float(plain.masses[head])})
    np.testing.assert_allclose(heavy.inertias[head], 3.0 * plain.inertias[head], rtol=1e-12)
    assert not plain.with_masses({"Head": 0.0}).inertias[head].any()
    # The table gives the neck no mass, so it has no shape either: a point at the joint.
    assert plain.masses[neck] == 0.0 and not plain.with_masses({"Neck": 2.0}).inertias[neck].any()


def test_what_is_set_by_hand_is_kept_in_every_changed_copy() -> None:
    skeleton, inertia = person().with_inertias({"Head": (1.0, 2.0, 2.5)}), np.diag([1.0, 2.0, 2.5])
    for changed in (
        skeleton.with_kinds({"Neck": "fixed"}),
        skeleton.with_stiffness({"Neck": 2.0}),
        skeleton.with_limits({"Neck": BALL_LIMIT}),
        skeleton.with_masses({"Head": 2.0}),
        skeleton.with_inertias({"Neck": (1.0, 1.0, 1.0)}),
        skeleton.with_load("Neck", 1.0),
        skeleton.with_landmarks(head="Neck"),
        skeleton.with_soles(left_heel=0.01),
        skeleton.replace(total_mass=10.0, up="z"),
    ):
        np.testing.assert_array_equal(changed.inertias[changed.index("Head")], inertia)
    np.testing.assert_array_equal(skeleton.scaled(3.0).inertias[skeleton.index("Head")], 9.0 * inertia)


def test_loads_are_points_on_a_body() -> None:
    plain = person()
    hand = plain.index("LeftHand")
    mass, center = float(plain.masses[hand]), plain.mass_centers[hand]
    first, second = np.array([0.1, 0.8, 0.0]), np.array([-0.2, 0.3, 0.4])
    loaded = plain.with_load(BodyPoint("LeftHand", tuple(first)), 5.0)
    loaded = loaded.with_load(BodyPoint("LeftHand", tuple(second)), 2.0)
    common = (mass * center + 5.0 * first + 2.0 * second) / (mass + 7.0)
    expected = np.array(plain.inertias[hand])
    for each, place in ((mass, center), (5.0, first), (2.0, second)):
        arm = place - common
        expected += each * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    np.testing.assert_allclose(loaded.inertias[hand], expected, rtol=1e-12)
    # Two loads on a joint without mass: a dumbbell.
    dumbbell = plain.with_load(BodyPoint("Neck", (0.0, 1.0, 0.0)), 3.0).with_load("Neck", 1.0)
    across = 3.0 * 1.0 / 4.0
    np.testing.assert_allclose(dumbbell.inertias[plain.index("Neck")], np.diag([across, 0.0, across]), atol=1e-12)


def by_hand(state: WorldState, plain: Skeleton, loads: list[tuple[str, Array, float]]) -> Array:
    """The centre of mass of a body that carries loads, from that of the body without them."""
    moment = plain.masses.sum() * WorldState.of(plain, state.motion).center_of_mass()
    whole = plain.masses.sum()
    for joint, offset, mass in loads:
        index = plain.index(joint)
        place = state.positions[:, index] + matrix(state.rotations[:, index]) @ offset
        moment = moment + mass * place
        whole += mass
    return moment / whole


def test_an_umbrella_draws_the_centre_of_mass_toward_it(rng: np.random.Generator) -> None:
    plain = person()
    umbrella, pack = np.array([0.1, 0.8, 0.0]), np.array([0.0, 0.1, -0.25])
    carrying = plain.with_load(BodyPoint("RightHand", tuple(umbrella)), 5.0)
    state = random_state(rng, carrying)
    expected = by_hand(state, plain, [("RightHand", umbrella, 5.0)])
    np.testing.assert_allclose(state.center_of_mass(), expected, atol=1e-12)
    loaded = carrying.with_load(BodyPoint("Chest", tuple(pack)), 12.0).with_load("RightHand", 1.0)
    state = random_state(rng, loaded)
    loads = [("RightHand", umbrella, 5.0), ("Chest", pack, 12.0), ("RightHand", np.zeros(3), 1.0)]
    np.testing.assert_allclose(state.center_of_mass(), by_hand(state, plain, loads), atol=1e-12)
    assert loaded.masses.sum() == pytest.approx(AVERAGE_MASS + 18.0, rel=1e-12)


def test_a_heavy_load_is_the_centre_of_mass_in_the_end() -> None:
    skeleton = person().with_load(BodyPoint("LeftHand", (0.0, 0.5, 0.0)), 1e12)
    place = skeleton.rest[1][skeleton.index("LeftHand")] + (0.0, 0.5, 0.0)
    np.testing.assert_allclose(at_rest(skeleton).center_of_mass()[0], place, atol=1e-9)


def test_a_load_is_named_when_it_is_wrong() -> None:
    with pytest.raises(SkeletonError, match="mass carried by joint"):
        person().with_load("LeftHand", -1.0)
    with pytest.raises(UnknownJointError, match="'LeftHnd'"):
        person().with_load("LeftHnd", 1.0)


def test_loads_given_by_name_are_kept_by_index() -> None:
    skeleton = person().replace(loads=(Load(BodyPoint("Head", (0.0, 0.1, 0.0)), 2.0),))
    assert skeleton.loads[0].point.joint == skeleton.index("Head")


def test_shares_are_what_moves_with_each_joint(character: Skeleton) -> None:
    for joint in range(len(character)):
        below = [other for other in range(len(character)) if joint in character.tree.chain(other)]
        expected = character.masses[below].sum() / character.masses.sum()
        assert character.mass_shares[joint] == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_no_mass_at_all_is_finite() -> None:
    nothing = person().replace(total_mass=0.0)
    assert not nothing.masses.any() and not nothing.mass_shares.any() and not nothing.inertias.any()
    assert np.isfinite(nothing.mass_centers).all()
    assert_equal_to_rounding(at_rest(nothing).center_of_mass()[0], nothing.rest[1][0])


def test_joints_without_mass_have_finite_centres(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng).with_masses({0: 0.0, 3: 0.0, 4: 0.0})
    assert np.isfinite(skeleton.mass_centers).all()


def test_a_person_is_symmetric_and_heavier_in_the_trunk() -> None:
    skeleton = person()
    for name in skeleton.names:
        if name.startswith("Left"):
            left, right = skeleton.index(name), skeleton.index(name.replace("Left", "Right"))
            assert skeleton.masses[left] == pytest.approx(skeleton.masses[right], rel=1e-12)
    assert at_rest(skeleton).center_of_mass()[0, 0] == pytest.approx(0.0, abs=1e-12)
    assert 0.8 < at_rest(skeleton).center_of_mass()[0, 1] < 1.1


def test_the_columns_of_all_joints() -> None:
    chain = hinge_chain()
    assert chain.dofs.count == 5
    assert chain.with_kinds({"base": FREE}).dofs.count == 11


def test_points_and_masks_are_cached_within_bounds(rng: np.random.Generator) -> None:
    skeleton = Skeleton(["a", "b"], [-1, 0], np.zeros((2, 3)))
    for number, offset in enumerate(rng.standard_normal((3 * CACHED, 3))):
        point = BodyPoint("b", tuple(offset))
        assert skeleton.resolve(point) == BodyPoint(1, point.offset)
        assert skeleton.resolve(point) is skeleton.resolve(point)
        assert skeleton.mask([0] * number + [1]).tolist() == [number > 0, True]
    assert len(skeleton._resolved) <= CACHED and len(skeleton._masks) <= CACHED


def test_two_points_are_rigid_if_no_joint_between_them_turns() -> None:
    skeleton = Skeleton(("foot", "middle", "ball", "tip"), [-1, 0, 1, 2], np.tile([0.0, 0.0, 1.0], (4, 1)))
    foot, middle, ball = (BodyPoint(joint) for joint in range(3))
    heel, side = BodyPoint(0, (0.0, 0.0, -1.0)), BodyPoint(2, (0.5, 0.0, 0.0))
    assert skeleton.is_rigid(heel, foot) and skeleton.is_rigid(heel, middle), "a joint itself does not move as it turns"
    assert not skeleton.is_rigid(heel, ball) and not skeleton.is_rigid(heel, side)
    stiff = skeleton.with_kinds({"middle": JointKind.FIXED})
    assert stiff.is_rigid(heel, ball) and not stiff.is_rigid(heel, side)
    assert skeleton.is_rigid(ball, side)

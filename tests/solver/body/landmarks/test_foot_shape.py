# SPDX-License-Identifier: GPL-3.0-or-later
"""Heel, ball and tip of the toes of feet that are known, with skin and without, whatever the tails of bones are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from poise.solver import BodyPoint, Skeleton, Skin
from poise.solver.body.landmarks.foot_shape import ANKLE_HEIGHT, BALL_AHEAD, TOE_LENGTH
from poise.solver.body.skeleton import Up
from poise.solver.core import rotations
from poise.solver.core.arrays import Array

HIP, KNEE, ANKLE = (0.1, 0.92, 0.0), (0.1, 0.5, 0.01), (0.1, 0.09, 0.0)
BALL, TOE_END = (0.1, 0.02, 0.13), (0.1, 0.02, 0.2)
HEEL, TIP = (0.1, 0.0, -0.06), (0.1, 0.0, 0.205)
"""Of the left foot as drawn: y up, facing z, in metres. The skin reaches from the heel to the tip."""

LEG = 0.42 + 0.41


def joints(toes: bool, ends: bool) -> dict[str, tuple[str | None, tuple[float, float, float]]]:
    """Where joints are, each with its parent."""
    found: dict[str, tuple[str | None, tuple[float, float, float]]] = {
        "Hips": (None, (0.0, 0.95, 0.0)),
        "Spine": ("Hips", (0.0, 1.1, 0.0)),
        "Neck": ("Spine", (0.0, 1.45, 0.0)),
        "Head": ("Neck", (0.0, 1.55, 0.0)),
    }
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        places = {"Arm": (0.2, 1.4, 0.0), "ForeArm": (0.48, 1.4, 0.0), "Hand": (0.75, 1.4, 0.0)}
        places |= {"UpLeg": HIP, "Leg": KNEE, "Foot": ANKLE}
        parents = {"Arm": "Spine", "ForeArm": f"{side}Arm", "Hand": f"{side}ForeArm"}
        parents |= {"UpLeg": "Hips", "Leg": f"{side}UpLeg", "Foot": f"{side}Leg"}
        if toes:
            places["ToeBase"], parents["ToeBase"] = BALL, f"{side}Foot"
        if ends:
            places["Toe_End"], parents["Toe_End"] = TOE_END, f"{side}ToeBase" if toes else f"{side}Foot"
        for name, (x, y, z) in places.items():
            found[f"{side}{name}"] = (parents[name], (sign * x, y, z))
    return found


def foot_skin(density: int = 12) -> Array:
    """(n, 3) the surface of the left foot: a wedge from heel to tip, as high as the ankle behind and flat in front."""
    along = np.linspace(HEEL[2], TIP[2], density)
    points = []
    for z in along:
        top = 0.1 * (1.0 - (z - HEEL[2]) / (TIP[2] - HEEL[2])) + 0.015
        # The rearmost skin of the heel is above the floor, and the sole ends at the heel.
        for height in np.linspace(0.0, top, 6):
            points += [(HEEL[0] + side, height, z) for side in (-0.04, 0.0, 0.04)]
    return np.array(points)


def character(
    toes: bool = True, ends: bool = False, skinned: bool = False, tails: dict[str, Array] | None = None, up: Up = "y"
) -> Skeleton:
    """The person, every joint in a frame of its own; `tails` are given in the world, from the joint."""
    drawn = joints(toes, ends)
    names = list(drawn)
    # y up to z up, facing -y: a rotation by a quarter turn about x.
    frame = np.eye(3) if up == "y" else np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    places = np.array([place for _, place in drawn.values()]) @ frame.T
    world = rotations.random(np.random.default_rng(3), len(names))
    parents = np.array([-1 if parent is None else names.index(parent) for parent, _ in drawn.values()])
    above = np.where(parents < 0, 0, parents)
    hangs = (parents >= 0)[:, None]
    back = rotations.conjugate(world[above])
    offsets = np.where(hangs, rotations.rotate(back, places - places[above]), places)
    rest = np.where(hangs, rotations.multiply(back, world), world)
    tips = []
    for name, way in (tails or {}).items():
        joint = names.index(name)
        tips.append(BodyPoint(joint, tuple(rotations.rotate(rotations.conjugate(world[joint]), frame @ way))))
    skin = None
    if skinned:
        carriers, points = [], []
        for side, sign in (("Left", 1.0), ("Right", -1.0)):
            for point in foot_skin() * (sign, 1.0, 1.0):
                toe = toes and point[2] > BALL[2]
                joint = names.index(f"{side}ToeBase" if toe else f"{side}Foot")
                carriers.append(joint)
                points.append(rotations.rotate(rotations.conjugate(world[joint]), frame @ point - places[joint]))
        skin = Skin(carriers, points)
    return Skeleton(tuple(names), parents, offsets, rest, tips=tuple(tips), up=up, skin=skin)


def place(skeleton: Skeleton, mark: str) -> Array:
    """(3,) where a landmark is at rest, as drawn."""
    point = skeleton.landmarks.require(mark)
    turned, placed = skeleton.rest
    joint = int(point.joint)
    found = placed[joint] + rotations.rotate(turned[joint], point.local)
    if skeleton.up == "z":
        found = found @ np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    return np.asarray(found)


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("toes", [True, False])
def test_the_skin_shows_heel_sole_and_tip(toes: bool, up: Up) -> None:
    skeleton = character(toes=toes, skinned=True, up=up)
    np.testing.assert_allclose(place(skeleton, "left_heel"), HEEL, atol=0.005)
    np.testing.assert_allclose(place(skeleton, "left_toe_tip"), TIP, atol=0.005)
    np.testing.assert_allclose(place(skeleton, "right_heel"), np.multiply(HEEL, (-1, 1, 1)), atol=0.005)
    assert skeleton.size == pytest.approx(LEG + float(np.linalg.norm(np.subtract(ANKLE, HEEL))), rel=0.01)


def test_a_foot_without_toes_has_its_ball_where_they_would_begin() -> None:
    skinned = character(toes=False, skinned=True)
    assert skinned.landmarks.left_toe is None
    assert skinned.landmarks.left_ball.joint == skinned.index("LeftFoot")
    along = (place(skinned, "left_ball")[2] - HEEL[2]) / (TIP[2] - HEEL[2])
    assert 0.65 <= along <= 0.75
    with_toes = character(skinned=True)
    assert with_toes.landmarks.left_ball == BodyPoint(with_toes.index("LeftToeBase"))


def test_a_foot_bone_that_ends_at_the_ball_is_told_from_one_that_ends_at_the_toes() -> None:
    to_ball, to_tip = (np.subtract(end, ANKLE) for end in (BALL, TOE_END))
    at_ball = character(toes=False, tails={"LeftFoot": to_ball, "RightFoot": to_ball * (-1, 1, 1)})
    np.testing.assert_allclose(place(at_ball, "left_ball"), BALL, atol=1e-9)
    expected = np.add(ANKLE, (1.0 + TOE_LENGTH) * to_ball)
    np.testing.assert_allclose(place(at_ball, "left_toe_tip")[[0, 2]], expected[[0, 2]], atol=1e-9)
    at_tip = character(toes=False, tails={"LeftFoot": to_tip, "RightFoot": to_tip * (-1, 1, 1)})
    np.testing.assert_allclose(place(at_tip, "left_toe_tip"), TOE_END, atol=1e-9)
    np.testing.assert_allclose(place(at_tip, "left_ball")[2], to_tip[2] / (1.0 + TOE_LENGTH), atol=1e-9)


def test_a_foot_that_nothing_shows_has_the_proportions_of_people() -> None:
    bare = character(toes=False)
    np.testing.assert_allclose(
        place(bare, "left_ball"), np.add(ANKLE, (0.0, -ANKLE_HEIGHT * LEG, BALL_AHEAD * LEG)), atol=2e-3
    )
    assert place(bare, "left_heel")[2] < ANKLE[2] < place(bare, "left_toe_tip")[2]


def test_an_end_bone_shows_the_tip_of_the_toes() -> None:
    np.testing.assert_allclose(place(character(ends=True), "left_toe_tip"), TOE_END, atol=1e-9)


LENGTHS = st.floats(min_value=0.0, max_value=60.0)


@given(
    rolls=st.lists(st.tuples(st.integers(0, 2**32 - 1), LENGTHS), min_size=8, max_size=8),
    toes=st.booleans(),
)
def test_tails_of_any_length_and_direction_move_no_landmark_of_a_skinned_foot(
    rolls: list[tuple[int, float]], toes: bool
) -> None:
    bones = ("LeftFoot", "RightFoot", "Head", "LeftHand", "RightHand", "LeftLeg", "Hips", "Spine")
    tails = {
        bone: length * rotations.rotate(rotations.random(np.random.default_rng(seed)), np.array([0.0, 1.0, 0.0]))
        for bone, (seed, length) in zip(bones, rolls, strict=True)
    }
    if toes:
        tails |= {"LeftToeBase": tails.pop("LeftFoot"), "RightToeBase": tails.pop("RightFoot")}
    skeleton = character(toes=toes, skinned=True, tails=tails)
    for mark, expected in (("left_heel", HEEL), ("left_toe_tip", TIP)):
        np.testing.assert_allclose(place(skeleton, mark), expected, atol=0.005)
    assert skeleton.size == pytest.approx(0.94, rel=0.05)


@given(seed=st.integers(0, 2**32 - 1), length=LENGTHS)
@example(seed=3072, length=0.125)  # down and ahead, as toes may be
def test_tails_of_any_length_leave_heels_and_size_of_a_foot_with_end_bones(seed: int, length: float) -> None:
    tail = length * rotations.rotate(rotations.random(np.random.default_rng(seed)), np.array([0.0, 1.0, 0.0]))
    tails = {bone: tail for bone in ("LeftToeBase", "LeftFoot", "LeftToe_End", "Head", "LeftHand")}
    plain, tailed = character(ends=True), character(ends=True, tails=tails)
    np.testing.assert_allclose(place(tailed, "left_heel"), place(plain, "left_heel"), atol=0.05 * plain.size)
    assert tailed.size == pytest.approx(plain.size, rel=0.05)
    assert float(np.linalg.norm(place(tailed, "left_toe_tip") - TOE_END)) <= 0.1 * plain.size


def test_a_mesh_that_lies_the_wrong_way_round_is_not_believed() -> None:
    skeleton = character(toes=False, skinned=True)
    turned = rotations.exp([0.0, np.pi, 0.0])
    world, _ = skeleton.rest
    joints_of = skeleton.skin.joints
    points = rotations.rotate(world[joints_of], skeleton.skin.offsets)
    reversed_skin = Skin(
        joints_of, rotations.rotate(rotations.conjugate(world[joints_of]), rotations.rotate(turned, points))
    )
    behind = skeleton.replace(skin=reversed_skin)
    assert place(behind, "left_heel")[2] < ANKLE[2] < place(behind, "left_ball")[2]
    assert place(behind, "left_heel")[1] == pytest.approx(0.0, abs=1e-9)

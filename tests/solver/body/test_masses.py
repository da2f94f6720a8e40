# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses and inertia of people, of other characters and of bodies without extent."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from poise.solver.body.inertia import Radii, checked_inertia
from poise.solver.body.joints import BodyPoint
from poise.solver.body.landmarks.landmarks import Landmarks
from poise.solver.body.masses import FEMALE, MALE, TABLES, SegmentMasses, SegmentTable, segment_masses
from poise.solver.core import rotations
from poise.solver.core.errors import SkeletonError

from ..characters import matrix

# A person of the table's own proportions (mean of the men: 1741 mm), standing, arms out: y up, z forward, x left; mm.
ANKLE, KNEE, HIP = 70.0, 510.3, 932.5
SHOULDER, CERVICALE, CROWN = HIP + 515.5, HIP + 603.3, 1741.0
STATURE = CROWN
PERSON = {
    "hips": (None, (0.0, HIP, 0.0)),
    "spine_0": ("hips", (0.0, HIP + 100.0, 0.0)),
    "spine_1": ("spine_0", (0.0, HIP + 250.0, 0.0)),
    "spine_2": ("spine_1", (0.0, HIP + 400.0, 0.0)),
    "neck": ("spine_2", (0.0, CERVICALE, 0.0)),
    "head": ("neck", (0.0, CROWN - 203.3, 0.0)),
}
LIMBS = {
    "clavicle": ("spine_2", (20.0, SHOULDER, 0.0)),
    "shoulder": ("clavicle", (180.0, SHOULDER, 0.0)),
    "elbow": ("shoulder", (461.7, SHOULDER, 0.0)),
    "wrist": ("elbow", (730.6, SHOULDER, 0.0)),
    "finger": ("wrist", (816.8, SHOULDER, 0.0)),
    "hip": ("hips", (85.0, HIP, 0.0)),
    "knee": ("hip", (85.0, KNEE, 0.0)),
    "ankle": ("knee", (85.0, ANKLE, 0.0)),
    "toe": ("ankle", (85.0, 15.0, 130.0)),
}
POINTS = {
    "head_top": ("head", (0.0, CROWN, 0.0)),
    "heel": ("ankle", (85.0, 0.0, -55.0)),
    "toe_tip": ("toe", (85.0, 0.0, 203.1)),
    "fingertip": ("finger", (918.5, SHOULDER, 0.0)),
}
SIDES = {"left": 1.0, "right": -1.0}


class Body:
    """The person as `segment_masses` takes it, each joint with a frame of its own."""

    def __init__(self, arms_down: bool = False, scale: float = 1.0) -> None:
        places: dict[str, tuple[str | None, np.ndarray]] = {name: (p, np.array(at)) for name, (p, at) in PERSON.items()}
        points = {"head_top": ("head", np.array(POINTS["head_top"][1]))}
        for side, sign in SIDES.items():
            for name, (parent, at) in LIMBS.items():
                upper = f"{side}_{parent}" if parent in LIMBS else parent
                places[f"{side}_{name}"] = (upper, self._posed(np.array(at), arms_down) * [sign, 1.0, 1.0])
            for name, (joint, at) in POINTS.items():
                if joint in LIMBS:
                    points[f"{side}_{name}"] = (
                        f"{side}_{joint}",
                        self._posed(np.array(at), arms_down) * [sign, 1.0, 1.0],
                    )
        self.names = list(places)
        index = {name: joint for joint, name in enumerate(self.names)}
        self.parents = np.array([-1 if parent is None else index[parent] for parent, _ in places.values()])
        self.positions = scale * np.array([at for _, at in places.values()])
        self.frames = rotations.normalize(np.random.default_rng(1).normal(size=(len(self.names), 4)))
        marks: dict[str, object] = {name: joint for name, joint in index.items() if not name.startswith("spine")}
        for name, (joint, at) in points.items():
            local = rotations.rotate(
                rotations.conjugate(self.frames[index[joint]]), scale * at - self.positions[index[joint]]
            )
            marks[name] = BodyPoint(index[joint], local)
        self.landmarks = Landmarks(**marks, spine=tuple(index[f"spine_{number}"] for number in range(3)))
        self.tips = tuple(
            point
            for name, point in vars(self.landmarks).items()
            if isinstance(point, BodyPoint) and not name.endswith("heel")
        )

    @staticmethod
    def _posed(at: np.ndarray, arms_down: bool) -> np.ndarray:
        """With the arms down, what is beyond the shoulder hangs below it."""
        if arms_down and at[0] > 180.0 and at[1] == SHOULDER:
            return np.array([180.0, SHOULDER - (at[0] - 180.0), at[2]])
        return at

    def weigh(self, landmarks: Landmarks | None = None, **options: object) -> tuple[np.ndarray, np.ndarray]:
        masses, centers, _ = self.segments(landmarks, **options)
        return masses, centers

    def segments(self, landmarks: Landmarks | None = None, **options: object) -> SegmentMasses:
        marks = self.landmarks if landmarks is None else landmarks
        return segment_masses(marks, self.parents, self.positions, self.frames, self.tips, **options)

    def center(self, masses: np.ndarray, centers: np.ndarray) -> np.ndarray:
        world = self.positions + rotations.rotate(self.frames, centers)
        return masses @ world / masses.sum()


@pytest.mark.parametrize(("table", "rounding"), [(MALE, 1e-9), (FEMALE, 0.011)])
def test_the_segments_of_the_table_make_a_whole_body(table: SegmentTable, rounding: float) -> None:
    """The women's column adds up to 99.99 as it was published."""
    assert table.total == pytest.approx(100.0, abs=rounding)


@pytest.mark.parametrize("table", [MALE, FEMALE])
def test_the_table_agrees_with_itself(table: SegmentTable) -> None:
    """The published centre of the whole trunk, from cervicale to hips, follows from its three parts."""
    ends = np.array([0.0, table.navel, table.xiphion, table.cervicale])
    parts = np.array([table.lower_trunk, table.middle_trunk, table.upper_trunk])
    middle = parts @ (ends[1:] + ends[:-1]) / 2.0 / parts.sum()
    published = {MALE: 1.0 - 0.5138, FEMALE: 1.0 - 0.4964}[table] * table.cervicale
    assert middle == pytest.approx(published, abs=0.02 * table.cervicale)
    assert 0.0 < table.navel < table.xiphion < table.shoulders < table.cervicale
    for one in fields(table):
        if one.name.endswith("center"):
            assert 30.0 < getattr(table, one.name) < 80.0


def test_published_masses_land_on_their_joints() -> None:
    body = Body()
    masses, _ = body.weigh(total_mass=100.0)
    by_name = dict(zip(body.names, masses, strict=True))
    for side in SIDES:
        expected = {"shoulder": 2.71, "elbow": 1.62, "wrist": 0.61, "hip": 14.16, "knee": 4.33, "ankle": 1.37}
        for joint, percent in expected.items():
            assert by_name[f"{side}_{joint}"] == pytest.approx(percent)
        for joint in ("clavicle", "finger", "toe"):
            assert by_name[f"{side}_{joint}"] == 0.0
    assert by_name["head"] == pytest.approx(6.94)
    assert by_name["neck"] == 0.0
    trunk = [by_name[name] for name in ("hips", "spine_0", "spine_1", "spine_2")]
    assert sum(trunk) == pytest.approx(43.46)
    # 100 of the 145.7 mm of the lower trunk are below the first spine joint, and so on upwards.
    assert trunk[0] == pytest.approx(11.17 * 100.0 / 145.7)
    assert trunk[1] == pytest.approx(11.17 * 45.7 / 145.7 + 16.33 * 104.3 / 215.5)
    assert trunk[2] == pytest.approx(16.33 * 111.2 / 215.5 + 15.96 * 38.8 / 242.1)


def test_published_centers_land_on_their_segments() -> None:
    body = Body()
    _, centers = body.weigh()
    world = dict(zip(body.names, body.positions + rotations.rotate(body.frames, centers), strict=True))
    for side, sign in SIDES.items():
        np.testing.assert_allclose(world[f"{side}_hip"], [sign * 85.0, HIP - 0.4095 * 422.2, 0.0], atol=1e-9)
        np.testing.assert_allclose(world[f"{side}_knee"], [sign * 85.0, KNEE - 0.4395 * 440.3, 0.0], atol=1e-9)
        np.testing.assert_allclose(
            world[f"{side}_shoulder"], [sign * (180.0 + 0.5772 * 281.7), SHOULDER, 0.0], atol=1e-9
        )
        np.testing.assert_allclose(world[f"{side}_elbow"], [sign * (461.7 + 0.4574 * 268.9), SHOULDER, 0.0], atol=1e-9)
        np.testing.assert_allclose(world[f"{side}_wrist"], [sign * (730.6 + 0.79 * 86.2), SHOULDER, 0.0], atol=1e-9)
        np.testing.assert_allclose(world[f"{side}_ankle"], [sign * 85.0, 0.0, -55.0 + 0.4415 * 258.1], atol=1e-9)
    np.testing.assert_allclose(world["head"], [0.0, CROWN - 0.5002 * (CROWN - CERVICALE), 0.0], atol=1e-9)


def test_a_hand_without_knuckles_has_its_center_in_the_same_place() -> None:
    body = Body()
    marks = body.landmarks.replace(left_finger=None)
    wrist = body.landmarks.left_wrist
    with_knuckle, without = body.weigh()[1][wrist], body.weigh(marks)[1][wrist]
    np.testing.assert_allclose(with_knuckle, without, atol=0.1)


@pytest.mark.parametrize("table", TABLES)
def test_totals_and_symmetry(table: str) -> None:
    body = Body()
    masses, centers = body.weigh(total_mass=62.5, table=table)
    assert masses.sum() == pytest.approx(62.5, rel=1e-12)
    assert (masses >= 0.0).all()
    world = body.positions + rotations.rotate(body.frames, centers)
    for joint, name in enumerate(body.names):
        if name.startswith("left_"):
            other = body.names.index(name.replace("left", "right"))
            assert masses[joint] == pytest.approx(masses[other], rel=1e-12)
            np.testing.assert_allclose(world[joint] * [-1.0, 1.0, 1.0], world[other], atol=1e-9)
    assert body.center(masses, centers)[0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("table", TABLES)
def test_a_standing_person_balances_at_the_height_of_the_sacrum(table: str) -> None:
    """Measured people: 55 to 57 % of the stature with hanging arms; lifting the arms sideways raises it by 2 or 3 %."""
    hanging, lifted = Body(arms_down=True), Body()
    low = hanging.center(*hanging.weigh(table=table))[1] / STATURE
    high = lifted.center(*lifted.weigh(table=table))[1] / STATURE
    assert 0.54 <= low <= 0.58
    assert low + 0.01 < high < low + 0.03


def test_masses_do_not_depend_on_scale_and_centers_grow_with_it() -> None:
    small, large = Body().weigh(), Body(scale=1000.0).weigh()
    np.testing.assert_allclose(large[0], small[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(large[1], 1000.0 * small[1], rtol=1e-9, atol=1e-6)


def test_masses_do_not_depend_on_where_the_person_stands() -> None:
    body, moved = Body(), Body()
    turn = rotations.exp([0.3, -1.2, 2.0])
    moved.positions = rotations.rotate(turn, body.positions) + np.array([1e6, -3e5, 2e6])
    moved.frames = rotations.multiply(turn, body.frames)
    for here, there in zip(body.weigh(), moved.weigh(), strict=True):
        np.testing.assert_allclose(there, here, atol=1e-6)


# Inertia -------------------------------------------------------------------------------------------------------------


def whole_inertia(body: Body, segments: SegmentMasses, joints: list[int] | None = None) -> np.ndarray:
    """(3, 3) about the common centre of some joints' masses, in world axes, by the parallel axis theorem."""
    chosen = list(range(len(body.names))) if joints is None else joints
    masses, turns = segments.masses[chosen], matrix(body.frames[chosen])
    world = body.positions[chosen] + np.einsum("jkl,jl->jk", turns, segments.centers[chosen])
    arms = world - masses @ world / masses.sum()
    whole = (turns @ segments.inertias[chosen] @ turns.swapaxes(1, 2)).sum(axis=0)
    for mass, arm in zip(masses, arms, strict=True):
        whole += mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return np.asarray(whole)


def radii_of(body: Body, segments: SegmentMasses, name: str) -> np.ndarray:
    """(3,) the radii of gyration of a joint's mass about the world's axes (y up, z forward, x left), in mm."""
    joint = body.names.index(name)
    turn = matrix(body.frames[joint])
    moments = np.diagonal(turn @ segments.inertias[joint] @ turn.T)
    return np.sqrt(moments / segments.masses[joint])


@pytest.mark.parametrize("table", [MALE, FEMALE])
def test_the_radii_of_the_table_are_those_of_bodies(table: SegmentTable) -> None:
    """No moment exceeds the sum of the other two, and limbs are longer than they are thick."""
    radii = {one.name: getattr(table, one.name) for one in fields(table) if isinstance(getattr(table, one.name), Radii)}
    assert len(radii) == 12
    for name, each in radii.items():
        assert (each.spreads > 0.0).all(), name
        if name.startswith(("upper_arm", "forearm", "hand", "whole_hand", "thigh", "shank", "foot")):
            assert each.longitudinal < each.transverse <= each.sagittal, name


@pytest.mark.parametrize(("table", "knuckle", "tip"), [(MALE, 86.2, 187.9), (FEMALE, 78.0, 170.1)])
def test_the_table_has_the_same_hand_whichever_way_it_is_measured(
    table: SegmentTable, knuckle: float, tip: float
) -> None:
    """Rows of one segment differ only in the length that they refer to; the table's own lengths are in mm."""
    np.testing.assert_allclose(knuckle * np.array(table.hand_radii), tip * np.array(table.whole_hand_radii), rtol=0.004)


@pytest.mark.parametrize(("table", "cervicale", "jaw"), [(MALE, 242.9, 203.3), (FEMALE, 243.7, 200.2)])
def test_the_table_has_the_same_head_whichever_way_it_is_measured(
    table: SegmentTable, cervicale: float, jaw: float
) -> None:
    above_jaw = jaw * np.array(table.head_radii_above_jaw)
    np.testing.assert_allclose(cervicale * np.array(table.head_radii), above_jaw, rtol=0.004)


def test_published_radii_land_on_their_segments() -> None:
    """The columns are the world's x (left), y (up) and z (forward)."""
    body = Body(arms_down=True)
    segments = body.segments()
    for side in SIDES:
        for joint, length, (sagittal, transverse, longitudinal) in (
            ("hip", 422.2, (32.9, 32.9, 14.9)),
            ("knee", 440.3, (25.1, 24.6, 10.2)),
            ("shoulder", 281.7, (28.5, 26.9, 15.8)),
            ("elbow", 268.9, (27.6, 26.5, 12.1)),
            # Palms face the thighs.
            ("wrist", 86.2, (51.3, 62.8, 40.1)),
        ):
            expected = length / 100.0 * np.array([transverse, longitudinal, sagittal])
            np.testing.assert_allclose(radii_of(body, segments, f"{side}_{joint}"), expected, rtol=1e-9)
        foot = radii_of(body, segments, f"{side}_ankle")
        np.testing.assert_allclose(foot, 258.1 / 100.0 * np.array([24.5, 25.7, 12.4]), rtol=1e-9)
    head = (CROWN - CERVICALE) / 100.0 * np.array([31.5, 26.1, 30.3])
    np.testing.assert_allclose(radii_of(body, segments, "head"), head, rtol=1e-9)


def test_arms_that_are_lifted_sideways_keep_their_sides() -> None:
    """Forward stays the sagittal axis of an arm; what pointed sideways points up. Palms face the ground."""
    body = Body()
    segments = body.segments()
    arm, hand = (radii_of(body, segments, f"left_{joint}") for joint in ("shoulder", "wrist"))
    np.testing.assert_allclose(arm, 281.7 / 100.0 * np.array([15.8, 26.9, 28.5]), rtol=1e-9)
    np.testing.assert_allclose(hand, 86.2 / 100.0 * np.array([40.1, 62.8, 51.3]), rtol=1e-9)


@pytest.mark.parametrize(
    ("table", "published"), [(MALE, (32.8, 30.6, 16.9)), (FEMALE, (30.7, 29.2, 14.7))], ids=["male", "female"]
)
def test_the_parts_of_the_trunk_have_the_published_radii_of_the_whole(
    table: SegmentTable, published: tuple[float, float, float]
) -> None:
    """Sagittal, transverse and longitudinal, in percent of the length from the hips to the cervicale. Its mass is
    spread evenly within each of the three parts, so the first two are not exact."""
    body = Body()
    segments = body.segments(table=table)
    trunk = [body.landmarks.hips, *body.landmarks.spine]
    length = (SHOULDER - HIP) * table.cervicale / table.shoulders
    moments = np.diagonal(whole_inertia(body, segments, trunk))[[2, 0, 1]]
    found = 100.0 * np.sqrt(moments / segments.masses[trunk].sum()) / length
    np.testing.assert_allclose(found, published, rtol=0.03)
    assert found[2] == pytest.approx(published[2], abs=0.06)


def test_a_trunk_has_the_same_inertia_in_one_joint_as_in_several() -> None:
    body = Body()
    for spine in ((), body.landmarks.spine[1:2], body.landmarks.spine[:2]):
        fewer = body.segments(body.landmarks.replace(spine=spine or None))
        np.testing.assert_allclose(whole_inertia(body, fewer), whole_inertia(body, body.segments()), rtol=1e-9, atol=1)


@pytest.mark.parametrize("table", TABLES)
def test_a_standing_person_has_the_inertia_of_people(table: str) -> None:
    """Of 70 kg and 1.74 m: about 10 to 13 kg m² about the lines sideways and forward, 1 to 1.5 about the vertical.

    People stand with their feet and hands a hand's breadth further outward than straight below hips and shoulders.
    """
    body = Body(arms_down=True, scale=1e-3)
    outward = {"elbow": 0.04, "wrist": 0.09, "finger": 0.1, "knee": 0.04, "ankle": 0.08, "toe": 0.08}
    for side, sign in SIDES.items():
        for joint, distance in outward.items():
            body.positions[body.names.index(f"{side}_{joint}"), 0] += sign * distance
    sideways, upward, forward = np.diagonal(whole_inertia(body, body.segments(table=table)))
    assert 10.0 < sideways < 13.0 and 10.0 < forward < 13.0
    assert 1.0 < upward < 1.5
    assert sideways < forward < sideways + upward


def test_left_and_right_inertia_mirror_each_other() -> None:
    body = Body()
    inertias = body.segments().inertias
    turns = matrix(body.frames)
    world = turns @ inertias @ turns.swapaxes(1, 2)
    mirror = np.array([-1.0, 1.0, 1.0])
    for joint, name in enumerate(body.names):
        if name.startswith("left_"):
            other = body.names.index(name.replace("left", "right"))
            np.testing.assert_allclose(world[joint] * np.outer(mirror, mirror), world[other], rtol=1e-9, atol=1e-6)


def test_inertia_grows_with_the_square_of_the_size_and_with_the_mass() -> None:
    small, large = Body().segments(), Body(scale=100.0).segments(total_mass=140.0)
    np.testing.assert_allclose(large.inertias, 2e4 * small.inertias, rtol=1e-9, atol=1e-3)


def test_inertia_does_not_depend_on_where_and_how_the_person_stands() -> None:
    body, moved = Body(), Body()
    turn = rotations.exp([0.3, -1.2, 2.0])
    moved.positions = rotations.rotate(turn, body.positions) + np.array([1e6, -3e5, 2e6])
    moved.frames = rotations.multiply(turn, body.frames)
    # Millimetres at a distance of kilometres leave eight digits.
    inertias = body.segments().inertias
    np.testing.assert_allclose(moved.segments().inertias, inertias, atol=1e-6 * inertias.max())


def test_a_missing_hand_takes_the_shape_of_the_forearm() -> None:
    body = Body()
    elbow = body.landmarks.left_elbow
    whole, without = body.segments(), body.segments(body.landmarks.replace(left_wrist=None))
    ratio = without.masses[elbow] / whole.masses[elbow]
    assert ratio > 1.2
    # The forearm now ends nowhere: it is a point. With a length it would keep its radii.
    np.testing.assert_array_equal(without.inertias[elbow], 0.0)
    knee, hip = body.landmarks.left_knee, body.landmarks.left_hip
    short = body.segments(body.landmarks.replace(left_toe_tip=None, left_heel=None, left_toe=None))
    assert not short.inertias[body.landmarks.left_ankle].any()
    np.testing.assert_allclose(short.inertias[[knee, hip]], whole.inertias[[knee, hip]], rtol=1e-9, atol=1e-6)


def test_a_person_whose_sides_are_unknown_has_round_segments() -> None:
    body = Body()
    right = [name for name in vars(body.landmarks) if name.startswith("right_")]
    segments = body.segments(body.landmarks.replace(**dict.fromkeys(right)))
    across = 422.2 * np.sqrt(0.5 * (0.329**2 + 0.329**2))
    np.testing.assert_allclose(radii_of(body, segments, "left_hip"), [across, 422.2 * 0.149, across], rtol=1e-9)
    round_arm = 281.7 * np.sqrt(0.5 * (0.285**2 + 0.269**2))
    np.testing.assert_allclose(
        radii_of(body, segments, "left_shoulder"), [281.7 * 0.158, round_arm, round_arm], rtol=1e-9
    )


# What is missing -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("missing", "heir"),
    [
        (("left_wrist",), "left_elbow"),
        (("left_wrist", "left_elbow"), "left_shoulder"),
        (("left_ankle",), "left_knee"),
        (("left_ankle", "left_knee"), "left_hip"),
        (("head",), "neck"),
    ],
)
def test_a_missing_segment_weighs_on_the_one_it_hangs_on(missing: tuple[str, ...], heir: str) -> None:
    body = Body()
    whole, _ = body.weigh()
    marks = body.landmarks.replace(**dict.fromkeys(missing))
    masses, centers = body.weigh(marks)
    lost = [getattr(body.landmarks, name) for name in missing]
    taker = getattr(body.landmarks, heir)
    assert masses[lost].sum() == 0.0
    assert masses[taker] == pytest.approx(whole[taker] + whole[lost].sum())
    assert masses.sum() == pytest.approx(whole.sum())
    assert np.isfinite(centers).all()


def test_missing_limbs_weigh_on_the_trunk() -> None:
    body = Body()
    names = [
        f"left_{role}" for role in ("clavicle", "shoulder", "elbow", "wrist", "finger", "hip", "knee", "ankle", "toe")
    ]
    whole, _ = body.weigh()
    masses, _ = body.weigh(body.landmarks.replace(**dict.fromkeys(names), head=None, neck=None))
    trunk = [body.landmarks.hips, *body.landmarks.spine]
    assert masses.sum() == pytest.approx(whole.sum())
    right = [joint for joint, name in enumerate(body.names) if name.startswith("right_")]
    np.testing.assert_allclose(masses[right], whole[right])
    assert masses[trunk].sum() == pytest.approx(whole.sum() - whole[right].sum())


def test_joints_in_one_place_share_nothing_unless_they_are_all() -> None:
    body = Body()
    first, second = body.landmarks.spine[:2]
    body.positions[first] = body.positions[second]
    masses, _ = body.weigh()
    assert masses[first] == 0.0 and masses[second] > 0.0
    body.positions[[body.landmarks.hips, *body.landmarks.spine]] = body.positions[body.landmarks.hips]
    masses, centers = body.weigh()
    assert masses.sum() == pytest.approx(70.0) and np.isfinite(centers).all()


def test_a_crooked_spine_shares_the_whole_trunk_and_no_more() -> None:
    body = Body()
    first, second = body.landmarks.spine[:2]
    body.positions[[first, second]] = body.positions[[second, first]]
    masses, _ = body.weigh(total_mass=100.0)
    assert masses[[body.landmarks.hips, *body.landmarks.spine]].sum() == pytest.approx(43.46)


def test_a_head_that_hangs_below_the_neck_keeps_its_center_inside() -> None:
    body = Body()
    head = body.landmarks.head
    body.positions[head] = [0.0, CERVICALE - 50.0, 100.0]
    crown = np.array([0.0, CERVICALE - 150.0, 200.0])
    local = rotations.rotate(rotations.conjugate(body.frames[head]), crown - body.positions[head])
    _, centers = body.weigh(body.landmarks.replace(head_top=BodyPoint(head, local)))
    np.testing.assert_allclose(centers[head], (1.0 - 0.5976) * local, atol=1e-9)


def test_a_trunk_of_one_joint_has_all_of_it() -> None:
    body = Body()
    masses, _ = body.weigh(body.landmarks.replace(spine=None), total_mass=100.0)
    assert masses[body.landmarks.hips] == pytest.approx(43.46)


# Strangers -----------------------------------------------------------------------------------------------------------


def rope(lengths: list[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[BodyPoint, ...]]:
    """A chain along x whose bones have these lengths, the last one to a tip."""
    count = len(lengths)
    positions = np.zeros((count, 3))
    positions[1:, 0] = np.cumsum(lengths[:-1])
    frames = np.tile(rotations.IDENTITY, (count, 1))
    return np.arange(-1, count - 1), positions, frames, (BodyPoint(count - 1, (lengths[-1], 0.0, 0.0)),)


def test_a_stranger_weighs_by_the_length_of_its_bones() -> None:
    masses, centers, _ = segment_masses(Landmarks(), *rope([1.0, 2.0, 0.0, 5.0]), total_mass=16.0)
    np.testing.assert_allclose(masses, [2.0, 4.0, 0.0, 10.0])
    np.testing.assert_allclose(centers[:, 0], [0.5, 1.0, 0.0, 2.5])


def test_a_stranger_is_made_of_rods() -> None:
    segments = segment_masses(Landmarks(), *rope([1.0, 2.0, 0.0, 5.0]), total_mass=16.0)
    expected = [np.diag([0.0, across, across]) for across in (2.0 / 12.0, 4.0 * 4.0 / 12.0, 0.0, 10.0 * 25.0 / 12.0)]
    np.testing.assert_allclose(segments.inertias, expected, rtol=1e-12, atol=1e-12)


def test_a_joint_with_two_bones_has_both_rods() -> None:
    positions = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    frames = np.tile(rotations.IDENTITY, (3, 1))
    segments = segment_masses(Landmarks(), [-1, 0, 0], positions, frames, (), total_mass=4.0)
    # Each has mass 2, a twelfth of 2 · 4 about its middle, and its middle (±½, ∓½) from the common centre.
    own, away = 2.0 * 4.0 / 12.0, 2.0 * 2.0 * 0.25
    expected = [[own + away, away, 0.0], [away, own + away, 0.0], [0.0, 0.0, 2.0 * (own + away)]]
    np.testing.assert_allclose(segments.inertias[0], expected, rtol=1e-12)
    np.testing.assert_array_equal(segments.inertias[1:], 0.0)


def test_a_rope_weighs_the_same_in_more_pieces() -> None:
    coarse, *_ = segment_masses(Landmarks(), *rope([3.0, 3.0]), total_mass=1.0)
    fine, *_ = segment_masses(Landmarks(), *rope([1.0, 1.0, 1.0, 3.0]), total_mass=1.0)
    assert fine[:3].sum() == pytest.approx(coarse[0])


def test_landmarks_of_no_whole_limb_are_not_taken_for_a_person() -> None:
    only_hips, *_ = segment_masses(Landmarks(hips=0, head=3), *rope([1.0, 1.0, 1.0, 1.0]))
    np.testing.assert_allclose(only_hips, 70.0 / 4.0)


def test_bodies_without_extent_weigh_the_same_everywhere() -> None:
    for count in (1, 7):
        masses, centers, _ = segment_masses(Landmarks(), *rope([0.0] * count), total_mass=7.0)
        np.testing.assert_allclose(masses, 7.0 / count)
        np.testing.assert_array_equal(centers, 0.0)


def test_a_person_without_extent_has_finite_masses() -> None:
    body = Body(scale=0.0)
    masses, centers, inertias = body.segments()
    np.testing.assert_array_equal(inertias, 0.0)
    assert masses.sum() == pytest.approx(70.0)
    assert (masses >= 0.0).all() and np.isfinite(centers).all()


@pytest.mark.parametrize("seed", range(100))
def test_any_landmarks_on_any_body_give_the_total(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 30))
    parents = np.array([rng.integers(-1, joint) if joint else -1 for joint in range(count)])
    positions = rng.normal(size=(count, 3)) * (rng.random((count, 1)) < 0.7) * 10.0 ** rng.uniform(-5, 5)
    frames = rotations.normalize(rng.normal(size=(count, 4)))
    tips = [BodyPoint(int(joint), rng.normal(size=3)) for joint in rng.integers(count, size=rng.integers(0, 5))]
    points = ("heel", "toe_tip", "fingertip")
    marks: dict[str, object] = {}
    for one in fields(Landmarks):
        if rng.random() < 0.7 and one.name != "joint_count":
            joint = int(rng.integers(count))
            is_point = one.name.endswith(points) or one.name == "head_top"
            marks[one.name] = BodyPoint(joint, rng.normal(size=3)) if is_point else joint
    marks["spine"] = tuple(int(joint) for joint in rng.integers(count, size=rng.integers(0, 4)))
    masses, centers, inertias = segment_masses(Landmarks(**marks), parents, positions, frames, tips, total_mass=5.0)
    assert masses.sum() == pytest.approx(5.0, rel=1e-12)
    assert (masses >= 0.0).all()
    assert np.isfinite(centers).all()
    for inertia in inertias:
        np.testing.assert_array_equal(inertia, inertia.T)
        checked_inertia(inertia, "any")


# Options -------------------------------------------------------------------------------------------------------------


def test_a_table_of_ones_own() -> None:
    heavy_head = replace(MALE, head=MALE.head + 100.0)
    body = Body()
    masses, _ = body.weigh(table=heavy_head, total_mass=200.0)
    assert masses[body.landmarks.head] == pytest.approx(106.94)
    assert masses.sum() == pytest.approx(200.0)


def test_no_mass_at_all() -> None:
    masses, centers, inertias = Body().segments(total_mass=0.0)
    np.testing.assert_array_equal(masses, 0.0)
    np.testing.assert_array_equal(inertias, 0.0)
    assert np.isfinite(centers).all()


@pytest.mark.parametrize("mass", [-1.0, np.nan, np.inf])
def test_impossible_masses_are_refused(mass: float) -> None:
    with pytest.raises(SkeletonError, match="total mass"):
        Body().weigh(total_mass=mass)


def test_an_unknown_table_is_refused_by_name() -> None:
    with pytest.raises(SkeletonError, match=r"'martian'.*'male' or 'female'"):
        Body().weigh(table="martian")

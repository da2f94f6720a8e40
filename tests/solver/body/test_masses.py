# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses of people, of other characters and of bodies without extent."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from poise.solver.body.joints import BodyPoint
from poise.solver.body.landmarks.landmarks import Landmarks
from poise.solver.body.masses import FEMALE, MALE, TABLES, SegmentTable, segment_masses
from poise.solver.core import rotations
from poise.solver.core.errors import SkeletonError

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
    masses, centers = segment_masses(Landmarks(), *rope([1.0, 2.0, 0.0, 5.0]), total_mass=16.0)
    np.testing.assert_allclose(masses, [2.0, 4.0, 0.0, 10.0])
    np.testing.assert_allclose(centers[:, 0], [0.5, 1.0, 0.0, 2.5])


def test_a_rope_weighs_the_same_in_more_pieces() -> None:
    coarse, _ = segment_masses(Landmarks(), *rope([3.0, 3.0]), total_mass=1.0)
    fine, _ = segment_masses(Landmarks(), *rope([1.0, 1.0, 1.0, 3.0]), total_mass=1.0)
    assert fine[:3].sum() == pytest.approx(coarse[0])


def test_landmarks_of_no_whole_limb_are_not_taken_for_a_person() -> None:
    only_hips, _ = segment_masses(Landmarks(hips=0, head=3), *rope([1.0, 1.0, 1.0, 1.0]))
    np.testing.assert_allclose(only_hips, 70.0 / 4.0)


def test_bodies_without_extent_weigh_the_same_everywhere() -> None:
    for count in (1, 7):
        masses, centers = segment_masses(Landmarks(), *rope([0.0] * count), total_mass=7.0)
        np.testing.assert_allclose(masses, 7.0 / count)
        np.testing.assert_array_equal(centers, 0.0)


def test_a_person_without_extent_has_finite_masses() -> None:
    body = Body(scale=0.0)
    masses, centers = body.weigh()
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
    masses, centers = segment_masses(Landmarks(**marks), parents, positions, frames, tips, total_mass=5.0)
    assert masses.sum() == pytest.approx(5.0, rel=1e-12)
    assert (masses >= 0.0).all()
    assert np.isfinite(centers).all()


# Options -------------------------------------------------------------------------------------------------------------


def test_a_table_of_ones_own() -> None:
    heavy_head = replace(MALE, head=MALE.head + 100.0)
    body = Body()
    masses, _ = body.weigh(table=heavy_head, total_mass=200.0)
    assert masses[body.landmarks.head] == pytest.approx(106.94)
    assert masses.sum() == pytest.approx(200.0)


def test_no_mass_at_all() -> None:
    masses, centers = Body().weigh(total_mass=0.0)
    np.testing.assert_array_equal(masses, 0.0)
    assert np.isfinite(centers).all()


@pytest.mark.parametrize("mass", [-1.0, np.nan, np.inf])
def test_impossible_masses_are_refused(mass: float) -> None:
    with pytest.raises(SkeletonError, match="total mass"):
        Body().weigh(total_mass=mass)


def test_an_unknown_table_is_refused_by_name() -> None:
    with pytest.raises(SkeletonError, match=r"'martian'.*'male' or 'female'"):
        Body().weigh(table="martian")

# SPDX-License-Identifier: GPL-3.0-or-later
"""The made-up characters are what they promise: the document's chains, a plausible body, joints that bend rightly."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from poise import solver
from poise.solver import synthetic
from poise.solver.body.skeleton import Skeleton, Up
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import SkeletonError

from .rounding import assert_equal_to_rounding

UPS = ("y", "z")
SIDES = {"l_": 1.0, "r_": -1.0}


@cache
def limited_human(up: Up) -> Skeleton:
    return synthetic.human(up, limits=True)


def standing(skeleton: Skeleton) -> solver.Clip:
    return solver.Clip(skeleton, solver.Pose.rest(skeleton).motion)


def bent_at(skeleton: Skeleton, joint: str, rotation_vector: Array) -> solver.Clip:
    turned = np.array(skeleton.rest_rotations)
    turned[skeleton.index(joint)] = rotations.exp(rotation_vector)
    return solver.Clip(skeleton, solver.Pose(turned, np.array(skeleton.offsets)).motion)


def in_drawing_axes(skeleton: Skeleton, vectors: Array) -> Array:
    """World vectors (..., 3) with x to the left, y up and z ahead, whichever axis is up."""
    return vectors if skeleton.up == "y" else np.stack([vectors[..., 0], vectors[..., 2], -vectors[..., 1]], axis=-1)


# The human -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("joint", "level"),
    [("hip", 2), ("talocrural", 4), ("subtalar", 5), ("metatarsal", 7), ("elbow", 8), ("wrist", 9), ("middle1", 10)],
)
@pytest.mark.parametrize("side", SIDES)
def test_recruiting_up_to_the_root_counts_as_in_the_document(side: str, joint: str, level: int) -> None:
    skeleton = synthetic.human()
    chain = skeleton.tree.chain(skeleton.index(side + joint))
    assert len(chain) - 1 == level
    assert skeleton.names[chain[-1]] == "HumanoidRoot"


@pytest.mark.parametrize("up", UPS)
def test_all_landmarks_of_the_human_are_recognised(up: Up) -> None:
    skeleton = synthetic.human(up)
    marks = skeleton.landmarks
    assert marks.missing == ()
    named = {
        "hips": "HumanoidRoot",
        "neck": "vc4",
        "head": "skullbase",
        **{f"left_{role}": f"l_{joint}" for role, joint in ROLES.items()},
        **{f"right_{role}": f"r_{joint}" for role, joint in ROLES.items()},
    }
    assert {role: skeleton.names[getattr(marks, role)] for role in named} == named
    assert [skeleton.names[joint] for joint in marks.spine] == ["vl5", "vl2", "vt11", "vt6", "vt1"]
    assert skeleton.names[marks.left_heel.joint] == "l_subtalar"
    assert skeleton.names[marks.right_toe_tip.joint] == "r_metatarsal"


ROLES = {
    "clavicle": "sternoclavicular",
    "shoulder": "shoulder",
    "elbow": "elbow",
    "wrist": "wrist",
    "finger": "middle1",
    "hip": "hip",
    "knee": "knee",
    "ankle": "talocrural",
    "toe": "metatarsal",
}


@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize("stature", [1.75, 1.2])
def test_the_human_stands_on_the_floor_and_is_as_tall_as_asked(up: Up, stature: float) -> None:
    skeleton = synthetic.human(up, stature=stature)
    clip, marks = standing(skeleton), skeleton.landmarks
    height = skeleton.up_axis
    assert clip.position(marks.head_top)[0, height] == pytest.approx(stature)
    for point in (marks.left_heel, marks.right_heel, marks.left_toe_tip, marks.right_toe_tip):
        assert clip.position(point)[0, height] == pytest.approx(0.0, abs=1e-12)
    assert clip.world.positions[..., height].min() > 0.0


@pytest.mark.parametrize("up", UPS)
def test_left_and_right_mirror_each_other(up: Up) -> None:
    skeleton = synthetic.human(up)
    positions = standing(skeleton).world.positions[0]
    left = [joint for joint, name in enumerate(skeleton.names) if name.startswith("l_")]
    right = [skeleton.index("r_" + skeleton.names[joint][2:]) for joint in left]
    assert len(left) == 11
    assert_equal_to_rounding(positions[right], positions[left] * (-1.0, 1.0, 1.0), skeleton.size)
    assert np.allclose(skeleton.masses[right], skeleton.masses[left], rtol=1e-12)


def test_z_up_is_the_same_human_turned() -> None:
    upright, blender = synthetic.human("y", hinges=True), synthetic.human("z", hinges=True)
    for attribute in ("offsets", "hinge_axes", "mass_centers"):
        assert np.allclose(in_drawing_axes(blender, getattr(blender, attribute)), getattr(upright, attribute))


def test_the_human_weighs_what_it_should_where_it_should() -> None:
    skeleton = synthetic.human(mass=82.0)
    center = standing(skeleton).center_of_mass()[0]
    assert skeleton.masses.sum() == pytest.approx(82.0)
    assert 0.53 * 1.75 < center[1] < 0.60 * 1.75, "people's centre of mass is at about 56 % of their stature"
    marks, clip = skeleton.landmarks, standing(skeleton)
    assert abs(center[0]) < 1e-12
    assert clip.position(marks.left_heel)[0, 2] < clip.position("l_talocrural")[0, 2] < center[2]
    assert center[2] < clip.position("l_metatarsal")[0, 2]


@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize("side", SIDES)
def test_hinges_bend_knees_back_and_elbows_forward(up: Up, side: str) -> None:
    skeleton = synthetic.human(up, hinges=True)
    for joint, end, ahead in (("knee", "talocrural", -1.0), ("elbow", "wrist", 1.0)):
        axis = skeleton.hinge_axes[skeleton.index(side + joint)]
        moved = bent_at(skeleton, side + joint, 0.3 * axis).position(side + end)
        moved = in_drawing_axes(skeleton, moved - standing(skeleton).position(side + end))[0]
        assert moved[2] * ahead > 0.05
        assert moved[0] == pytest.approx(0.0, abs=1e-12)
    assert {kind.value for kind in skeleton.kinds} == {"free", "ball", "hinge"}


# Ranges of movement: joint, the axis and angle (degrees) of a turn of the left side, drawn with y up -----------------

INTO_REACH = [
    ("hip", (-1, 0, 0), 120),  # the knee rises
    ("hip", (1, 0, 0), 30),
    ("hip", (0, 0, 1), 45),  # the leg goes out
    ("hip", (0, 0, -1), 30),
    ("knee", (1, 0, 0), 135),
    ("elbow", (-1, 0, 0), 150),
    ("shoulder", (-1, 0, 0), 150),
    ("shoulder", (1, 0, 0), 60),
    ("shoulder", (0, 0, 1), 150),
    ("shoulder", (0, 0, -1), 40),
    ("shoulder", (0, -1, 0), 70),  # the thumb turns in
    ("shoulder", (0, 1, 0), 90),
    ("talocrural", (-1, 0, 0), 20),  # the toes rise
    ("talocrural", (1, 0, 0), 50),
    ("subtalar", (0, 0, 1), 15),  # the sole turns out
    ("subtalar", (0, 0, -1), 35),
    ("metatarsal", (-1, 0, 0), 70),
    ("sternoclavicular", (0, 0, 1), 30),  # a shrug
    ("wrist", (0, 0, -1), 80),  # the palm comes to the forearm
]


@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("joint", "axis", "degrees"), INTO_REACH)
def test_joints_end_where_the_book_says(
    up: Up, side: str, joint: str, axis: tuple[int, int, int], degrees: float
) -> None:
    skeleton = limited_human(up)
    x, y, z = np.array(axis) * (1.0, SIDES[side], SIDES[side])  # an axis is mirrored as a turn, not as an arrow
    world_axis = np.array([x, y, z] if up == "y" else [x, -z, y], dtype=float)
    limit = skeleton.limits[skeleton.index(side + joint)]
    for turned, inside in ((degrees - 0.1, True), (degrees + 0.1, False)):
        excess = limit.excess(rotations.from_axis_angle(world_axis, np.deg2rad(turned)))
        assert bool((excess <= 0.0).all()) == inside, f"{turned} degrees exceed by {np.rad2deg(excess)}"


@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize("hinges", [False, True])
def test_every_joint_but_the_root_is_limited_and_stands_inside(up: Up, hinges: bool) -> None:
    skeleton = synthetic.human(up, hinges=hinges, limits=True)
    assert set(skeleton.limits) == set(range(1, len(skeleton)))
    for joint, limit in skeleton.limits.items():
        if isinstance(limit, solver.HingeLimit):
            assert limit.low == 0.0 < limit.high
        else:
            assert (limit.excess(rotations.IDENTITY) < 0.0).all(), skeleton.names[joint]


def test_a_reach_within_limits_keeps_them() -> None:
    skeleton = synthetic.human(hinges=True, limits=True)
    tasks = [
        solver.PositionTask("l_wrist", (0.3, 0.2, 0.5), priority=2),
        solver.PositionTask("l_talocrural", standing(skeleton).position("l_talocrural")[0], priority=3),
        solver.PositionTask("r_talocrural", standing(skeleton).position("r_talocrural")[0], priority=3),
        solver.PoseTask(solver.Pose.rest(skeleton), priority=1),
    ]
    # The reach is done by then; how the pose attraction settles among the limits is for the solver's own tests.
    solved = solver.solve_posture(skeleton, solver.Pose.rest(skeleton), tasks, iterations=40)
    for joint, limit in skeleton.limits.items():
        relative = solved.pose.rotations[joint]
        axis = skeleton.hinge_axes[joint]
        excess = (
            limit.bound_to(axis).excess(relative) if isinstance(limit, solver.HingeLimit) else limit.excess(relative)
        )
        assert (excess < 1e-8).all(), f"{skeleton.names[joint]} is beyond its limit by {excess.max()} radians"
    assert max(np.abs(error).max() for error in solved.errors[:3]) < 1e-6 * skeleton.size


# Chains --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize(("kind", "freedoms"), [("ball", 60), ("hinge", 20), ("hinge_triple", 60)])
def test_a_chain_is_as_long_as_asked_on_a_base_that_stays(up: Up, kind: synthetic.ChainKind, freedoms: int) -> None:
    skeleton = synthetic.chain(20, 0.5, kind, up)
    assert skeleton.dofs.count == freedoms
    assert skeleton.dofs.translating.size == 0
    assert skeleton.size == pytest.approx(0.5)
    assert standing(skeleton).position(skeleton.tips[0])[0] == pytest.approx((0, 0.5, 0) if up == "y" else (0, 0, 0.5))
    assert standing(skeleton).center_of_mass()[0, skeleton.up_axis] == pytest.approx(0.25)


@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize("kind", ["ball", "hinge", "hinge_triple"])
def test_a_bent_chain_is_an_arc(up: Up, kind: synthetic.ChainKind) -> None:
    skeleton = synthetic.chain(4, 2.0, kind, up)
    clip = solver.Clip(skeleton, synthetic.bent(skeleton, 1.2).motion)
    angles = np.cumsum(np.full(4, 0.3))
    tip = in_drawing_axes(skeleton, clip.position(skeleton.tips[0]))[0]
    assert tip == pytest.approx((-0.5 * np.sin(angles).sum(), 0.5 * np.cos(angles).sum(), 0.0))


@pytest.mark.parametrize(
    "arguments",
    [{"joints": 0}, {"joints": 3, "length": 0.0}, {"joints": 3, "length": np.nan}, {"joints": 3, "kind": "?"}],
)
def test_an_impossible_chain_is_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(SkeletonError):
        synthetic.chain(**arguments)


@pytest.mark.parametrize("arguments", [{"stature": 0.0}, {"stature": np.inf}, {"mass": -1.0}, {"up": "x"}])
def test_an_impossible_human_is_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(SkeletonError):
        synthetic.human(**arguments)

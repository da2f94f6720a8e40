# SPDX-License-Identifier: GPL-3.0-or-later
"""The made-up human: chains as long as in Le Callennec 2006, landmarks, stature, symmetry, masses, hinges."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import synthetic
from poise.solver.body.anatomical_limits import with_anatomical_limits
from poise.solver.body.skeleton import Up
from poise.solver.core.errors import SkeletonError

from ..rounding import assert_equal_to_rounding
from .checks import SIDES, UPS, bent_at, in_drawing_axes, standing


@pytest.mark.parametrize(
    ("joint", "level"),
    [("hip", 2), ("talocrural", 4), ("subtalar", 5), ("metatarsal", 7), ("elbow", 8), ("wrist", 9), ("middle1", 10)],
)
@pytest.mark.parametrize("side", SIDES)
def test_recruiting_up_to_the_root_counts_as_in_appendix_b(side: str, joint: str, level: int) -> None:
    skeleton = synthetic.human()
    chain = skeleton.tree.chain(skeleton.index(side + joint))
    assert len(chain) - 1 == level
    assert skeleton.names[chain[-1]] == "HumanoidRoot"


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
    turned = in_drawing_axes(blender, in_drawing_axes(blender, blender.inertias).swapaxes(1, 2))
    assert np.allclose(turned, upright.inertias, rtol=1e-9, atol=1e-9)


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


@pytest.mark.parametrize("arguments", [{"stature": 0.0}, {"stature": np.inf}, {"mass": -1.0}, {"up": "x"}])
def test_an_impossible_human_is_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(SkeletonError):
        synthetic.human(**arguments)


@pytest.mark.parametrize("up", UPS)
def test_limits_are_those_of_any_recognised_human(up: Up) -> None:
    limited, expected = synthetic.human(up, limits=True), with_anatomical_limits(synthetic.human(up))
    assert limited.limits == expected.limits and limited.kinds == expected.kinds
    assert len(limited.limits) == len(limited) - 2, "all but root and pelvis"

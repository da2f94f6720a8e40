# SPDX-License-Identifier: GPL-3.0-or-later
"""Names tell sides in the ways in which rigs write them."""

from __future__ import annotations

import pytest

from poise.addon.workflows.sides import side_of


@pytest.mark.parametrize(
    ("bone", "side"),
    [
        ("mixamorig:LeftFoot", "LEFT"),
        ("foot.L", "LEFT"),
        ("l_wrist", "LEFT"),
        ("LHipJoint", "LEFT"),
        ("Bip01 R Thigh", "RIGHT"),
        ("thigh_r", "RIGHT"),
        ("DEF-shin.R.001", "RIGHT"),
        ("RightHandIndex1", "RIGHT"),
        ("Spine1", ""),
        ("skullbase", ""),
        ("root", ""),
        ("Roll", ""),
        ("", ""),
    ],
)
def test_the_side_of_a_bone_is_in_its_name(bone: str, side: str) -> None:
    assert side_of(bone) == side

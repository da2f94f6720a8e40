# SPDX-License-Identifier: GPL-3.0-or-later
"""No joint of a captured clip jumps where its feet are planted, whatever the method.

A joint jumps if its largest acceleration is more than 1.5 times that of the same joint in the source.
"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from poise.solver import (
    Cleaned,
    CleanMethod,
    Clip,
    JointJump,
    cleaned,
    detect_footplants,
    find_faults,
    joint_jumps,
    read_bvh,
    repair,
)

from ...conftest import MOCAP

LARGEST_JUMP = 1.5
LARGEST_MISS = {"stretch": 1e-6, "rigid": 1e-6, "prioritized": 1e-4}
"""Sizes of the character that a planted point may be off its place."""


def measured(clip: Clip, method: CleanMethod) -> tuple[Cleaned, JointJump]:
    result = cleaned(clip, detect_footplants(clip), method)
    return result, joint_jumps(clip, result.clip)


@pytest.mark.slow
@pytest.mark.parametrize("method", get_args(CleanMethod))
@pytest.mark.parametrize("name", sorted(path.stem for path in MOCAP.glob("*.bvh")))
def test_no_joint_of_a_captured_clip_jumps_where_its_feet_are_planted(
    mocap: Path, name: str, method: CleanMethod
) -> None:
    """A clip that has faults of its own may need repair first."""
    clip = read_bvh(mocap / f"{name}.bvh")
    result, jump = measured(clip, method)
    if jump.ratio > LARGEST_JUMP and any(fault.kind == "glitch" for fault in find_faults(clip)):
        result, jump = measured(repair(clip), method)
    assert jump.ratio <= LARGEST_JUMP, str(jump)
    assert result.residual <= LARGEST_MISS[method], f"a planted point is {result.residual:.1e} sizes from its place"

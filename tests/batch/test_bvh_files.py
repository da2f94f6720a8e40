# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files are edited without Blender."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise import solver
from poise.batch.bvh_files import edit_bvh
from poise.batch.command_line import BatchOptions
from poise.batch.jobs import Job
from poise.batch.staging import Stage


def test_the_result_goes_to_the_stage(tmp_path: Path, skating: solver.Clip) -> None:
    solver.write_bvh(skating, tmp_path / "walk.bvh")
    job = Job(str(tmp_path / "walk.bvh"), "walk", str(tmp_path / "out" / "walk"), "bvh")
    stage = Stage(job.stem)
    (told,) = edit_bvh(job, BatchOptions(), stage)
    assert told["succeeded"] and told["reading"] == "bvh"
    ((temporary, final),) = stage.moves.items()
    assert final == job.motion and not final.exists()
    again = solver.read_bvh(temporary)
    for name in skating.skeleton.names:
        apart = np.abs(again.position(name) - skating.position(name)).max()
        assert apart < 1e-4 * skating.skeleton.size, name


def test_a_clip_that_fails_has_no_result(tmp_path: Path, skating: solver.Clip) -> None:
    solver.write_bvh(skating, tmp_path / "walk.bvh")
    solver.write_constraints([solver.Balance()], tmp_path / "none.json", skating)
    job = Job(str(tmp_path / "walk.bvh"), "walk", str(tmp_path / "out" / "walk"), "bvh")
    stage = Stage(job.stem)
    (told,) = edit_bvh(job, BatchOptions(clean="rigid", plants=str(tmp_path / "none.json")), stage)
    assert not told["succeeded"] and "there is no footplant" in told["error"]
    assert stage.moves == {} and "before" in told["thumbnail"] and "after" not in told["thumbnail"]

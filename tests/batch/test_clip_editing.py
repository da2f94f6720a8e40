# SPDX-License-Identifier: GPL-3.0-or-later
"""One clip is detected, cleaned, deformed and repaired, and what was done is reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from poise import solver
from poise.batch import job_runner, progress_output
from poise.batch.command_line import BatchOptions
from poise.batch.jobs import Job

from .running import SLIDES, report


def test_feet_stand_while_constraints_pull(tmp_path: Path, captures: Path, skating: solver.Clip) -> None:
    """A hand's target is far out of reach, while the detected plants keep their positions."""
    hand = skating.skeleton.landmarks.require("left_wrist")
    point = solver.ConstraintPoint(skating.position(hand)[10] + [0.0, 2.5, 0.0], 10)
    reach = solver.ShapeConstraint(hand, 2, 20, [point], name="Reach")
    solver.write_constraints([reach], tmp_path / "reach.json", skating)
    options = BatchOptions(clean="rigid", constraints=str(tmp_path / "reach.json"))
    job_runner.run_job(Job(str(captures / "walk.bvh"), "walk", str(tmp_path / "out" / "reaching"), "bvh"), options)
    (clip,) = report(tmp_path / "out" / "reaching.report.json")["clips"]
    assert len(clip["deform"]["residuals"]) == 1 + len(clip["footplants"])
    missed = [residual["constraint"] for residual in clip["deform"]["residuals"] if not residual["holds"]]
    assert missed == ["Reach"]
    assert clip["deform"]["conflicts"] and clip["deform"]["advice"]
    assert clip["metrics"]["after"]["slide"] < SLIDES / 100
    moved = solver.read_bvh(tmp_path / "out" / "reaching.bvh")
    assert np.linalg.norm(moved.position(hand)[10] - skating.position(hand)[10]) > 0.05

    # Without a word about plants, they are only measured with: the body follows the hand.
    free = job_runner.run_job(
        Job(str(captures / "walk.bvh"), "walk", str(tmp_path / "out" / "flying"), "bvh"),
        BatchOptions(constraints=str(tmp_path / "reach.json")),
    )
    (clip,) = free["clips"]
    assert len(clip["deform"]["residuals"]) == 1 and clip["footplants"]
    assert clip["metrics"]["after"]["slide"] > SLIDES


def test_given_footplants_take_the_place_of_found_ones(tmp_path: Path, captures: Path, skating: solver.Clip) -> None:
    few = solver.detect_footplants(skating)[:1]
    solver.write_constraints(few, tmp_path / "few.json", skating)
    options = BatchOptions(clean="rigid", plants=str(tmp_path / "few.json"))
    told = job_runner.run_job(Job(str(captures / "walk.bvh"), "walk", str(tmp_path / "out" / "walk"), "bvh"), options)
    assert told["succeeded"] and len(told["clips"][0]["footplants"]) == 1
    solver.write_constraints([solver.Balance()], tmp_path / "few.json", skating)
    told = job_runner.run_job(Job(str(captures / "walk.bvh"), "walk", str(tmp_path / "out" / "walk"), "bvh"), options)
    assert "there is no footplant for walk" in told["error"]


def test_a_ground_is_stood_on(tmp_path: Path, captures: Path) -> None:
    options = BatchOptions(clean="stretch", ground=0.02)
    told = job_runner.run_job(Job(str(captures / "walk.bvh"), "walk", str(tmp_path / "walk"), "bvh"), options)
    metrics = told["clips"][0]["metrics"]
    assert metrics["before"]["penetration"] > 0.005
    assert metrics["after"]["penetration"] < 1e-6


def test_faults_and_what_got_worse_are_reported_and_faults_repaired(tmp_path: Path, skating: solver.Clip) -> None:
    turned, shoulder = skating.motion.rotations.copy(), skating.skeleton.index("l_shoulder")
    turned[12, shoulder] = solver.rotations.multiply(turned[12, shoulder], solver.rotations.exp([1.2, 0.0, 0.0]))
    solver.write_bvh(skating.with_motion(solver.Motion(turned, skating.motion.translations)), tmp_path / "walk.bvh")
    made = {}
    for repair in (False, True):
        job = Job(str(tmp_path / "walk.bvh"), "walk", str(tmp_path / f"out{repair}" / "walk"), "bvh")
        told = job_runner.run_job(job, BatchOptions(clean="stretch", repair=repair))
        assert told["asked"] == (["repair"] if repair else []) + ["clean stretch"]
        (clip,) = told["clips"]
        assert clip["faults"] == [{"kind": "glitch", "begin": 12, "end": 12, "joints": ("l_shoulder",)}]
        assert clip["warnings"] == [] and clip["metrics"]["after"]["slide"] == 0.0, "too small to be seen"
        assert set(clip["metrics"]["after"]["jump"]) == {"ratio", "legs", "joint", "frame"}
        assert "1 fault of the capture" in progress_output._result(told)
        made[repair] = solver.read_bvh(tmp_path / f"out{repair}" / "walk.bvh").position("l_elbow")
    thrown, left = (float(np.linalg.norm(np.diff(made[repair], 2, axis=0)[11])) for repair in (False, True))
    assert left < 0.1 * thrown


def test_a_jump_is_printed_with_its_joint_and_frame(tmp_path: Path, captures: Path, monkeypatch: Any) -> None:
    """A cleanup that throws an arm for a frame: the report and the line on the terminal name it."""
    usual = solver.cleaned

    def throwing(clip: solver.Clip, *given: Any, **options: Any) -> solver.Cleaned:
        done = usual(clip, *given, **options)
        turned, shoulder = done.clip.motion.rotations.copy(), clip.skeleton.index("l_shoulder")
        turned[12, shoulder] = solver.rotations.multiply(turned[12, shoulder], solver.rotations.exp([1.2, 0.0, 0.0]))
        return replace(done, clip=clip.with_motion(solver.Motion(turned, done.clip.motion.translations)))

    monkeypatch.setattr(solver, "cleaned", throwing)
    job = Job(str(captures / "walk.bvh"), "walk", str(tmp_path / "walk"), "bvh")
    told = job_runner.run_job(job, BatchOptions(clean="stretch"))
    (sentence,) = told["clips"][0]["warnings"]
    assert "jumps at frame 1" in sentence and sentence.removesuffix(".") in progress_output._result(told)

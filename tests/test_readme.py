# SPDX-License-Identifier: GPL-3.0-or-later
"""What the README and the pages promise has tests, and the README's example does what it says on a captured walk.

That the examples of all pages run is checked by test_documented_examples.py."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise import solver

from .documented import DOCS, ROOT, run_examples

SATISFIED = 1e-3
"""Sizes of the character: the largest residual of a constraint that holds."""


@pytest.fixture(scope="module")
def names(mocap: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The names that the examples of the README and of the page on detection define, on a captured walk."""
    folder = tmp_path_factory.mktemp("readme")
    shown = folder / "build" / "demo" / "feet.bvh"
    shown.parent.mkdir(parents=True)
    for copy in (folder / "walk.bvh", shown):
        shutil.copy(mocap / "02_01.bvh", copy)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return run_examples(DOCS / "programmers" / "detection.md") | run_examples(ROOT / "README.md")


def test_the_edited_motion_holds_its_constraints(names: dict[str, Any]) -> None:
    edited = names["edited"]
    worst = max(residual.worst for residual in edited.report.residuals)
    assert worst < SATISFIED * edited.clip.skeleton.size


PROMISES: dict[str, tuple[str, ...]] = {
    "the more important one holds exactly, and the other comes as near as possible": (
        "solver/posture/test_solve.py",
        "solver/posture/test_strict_priority.py",
        "solver/deformation/passes/test_reach.py",
        "examples/test_edits.py",
    ),
    "whose solver needs only NumPy": ("test_architecture.py", "test_package.py"),
    "Blender 4.2 and later installs it": ("addon/test_extension.py",),
    "*Recognise* finds hips, knees, ankles": (
        "addon/operators/test_character.py",
        "solver/body/landmarks/test_recognition.py",
    ),
    "**Ground** is off at first": ("addon/panels/test_panels.py", "addon/operators/test_ground.py"),
    "*Estimate* finds the plane that the feet stand on": (
        "addon/operators/test_ground.py",
        "solver/constraints/test_ground_estimate.py",
    ),
    "The thickness of soles comes from the mesh or the rest pose": (
        "addon/bridge/test_solids.py",
        "solver/body/test_soles.py",
    ),
    "**Find Plants** proposes where the feet stand": ("addon/operators/test_detect.py", "gui/test_walkthrough.py"),
    "**Add Constraint** makes pins, trajectories, footplants": (
        "addon/operators/test_constraints.py",
        "addon/translation/test_to_solver.py",
    ),
    "Constraints go to and from JSON files": (
        "addon/operators/test_files.py",
        "solver/files/test_constraint_files.py",
    ),
    "the source is never changed": ("addon/bridge/test_baking.py",),
    "Esc stops it": ("gui/test_solving.py",),
    "The motion around follows while you drag": (
        "gui/test_live.py",
        "gui/test_walkthrough.py",
        "addon/live/test_session.py",
    ),
    "Undo brings back the edit before, and its result with it": ("gui/test_live.py",),
    "While it runs the view turns, the timeline scrubs and playback goes on": ("gui/test_live.py",),
    "A result that is older than an edit is called stale": (
        "addon/workflows/test_latest.py",
        "addon/overlay/test_staleness.py",
    ),
    "click a footprint and drag it, and the motion around follows. Its ring turns it, its arrow raises it": (
        "gui/test_handles.py",
    ),
    "the ends of its bar in the timeline say when the foot comes down and leaves": ("gui/test_timeline.py",),
    "J shows the source, and the result again": ("gui/test_walkthrough.py", "addon/operators/test_compare.py"),
    "each with buttons that go there, apply a change that helps, or ignore it": (
        "gui/test_panel.py",
        "addon/operators/test_advice.py",
    ),
    "A second example helps where another part of the motion trembles more or less than the first": (
        "gui/test_examples.py",
        "addon/workflows/test_examples.py",
    ),
    "Drag any bone, and the whole body follows, while pinned bones, feet, balance, joint limits, ground and walls": (
        "gui/test_posture.py",
        "addon/workflows/test_posture.py",
    ),
    "*Anatomical Limits* keeps joints within the range of human ones": (
        "addon/translation/test_character.py",
        "addon/workflows/test_solve.py",
    ),
    "Locked rotations, IK limits, IK stiffness and Limit Rotation constraints": ("addon/bridge/test_limits.py",),
    "*Add Load* lets bones carry masses, which count in the balance": ("addon/workflows/test_loads.py",),
    "its points displace the centre of mass over time": ("addon/translation/test_from_solver.py",),
    "*Restore Source* drops the result, *Apply Result* makes it the source of the next edit": (
        "addon/operators/test_sources.py",
        "addon/bridge/test_sources.py",
    ),
    "is solved as a loop and stays one": ("addon/workflows/test_loops.py", "solver/deformation/test_loops.py"),
    "**Clean Up** makes feet or hands stand still with one click": ("addon/operators/test_clean.py",),
    "*Make Bakeable Copy* makes an armature with the same motion as plain keys": (
        "addon/bridge/test_plain_copies.py",
        "addon/workflows/test_bakeable.py",
    ),
    "F3 finds each command by its name": ("addon/panels/test_panels.py", "gui/test_solving.py"),
    "only the frames that this reaches are solved again": (
        "solver/deformation/test_deform.py",
        "test_documented_examples.py",
    ),
    "a point of the body goes through positions at given times": (
        "solver/constraints/test_shape.py",
        "solver/constraints/test_paths.py",
    ),
    "heel and ball of a foot stand between their four events": ("solver/constraints/test_footplant.py",),
    "the centre of mass keeps its position over the feet": ("solver/constraints/test_balance.py",),
    "puts feet on the ground and keeps them above it": (
        "solver/constraints/test_ground.py",
        "solver/deformation/passes/test_ground_clearance.py",
    ),
    "moves the body by little and smoothly": (
        "solver/deformation/test_metric.py",
        "solver/deformation/passes/test_draft.py",
        "solver/deformation/passes/test_projection.py",
    ),
    "feet that only have to stop sliding are corrected by their legs, and the hips stay": (
        "solver/deformation/passes/test_draft.py",
    ),
    "what an edit adds appears and vanishes over time, and the larger it is, the more time it takes": (
        "solver/deformation/passes/test_draft.py",
        "solver/deformation/test_continuation.py",
    ),
    "give up frames for the step between them, at most a third each": ("solver/deformation/test_plant_transitions.py",),
    "Frames that no constraint reaches and joints that none recruits come back bit for bit": (
        "examples/test_edits.py",
        "solver/posture/test_solve.py",
    ),
    "Where constraints of one effector overlap in time, the more important one holds": (
        "solver/deformation/test_timeline.py",
    ),
    "Legs swing freely between plants": (
        "solver/deformation/test_timeline.py",
        "solver/deformation/test_continuation.py",
    ),
    "Footplants are detected without examples": ("solver/detection/test_footplants.py",),
    "cartwheels, handstands, all fours": ("solver/detection/test_handplants.py",),
    "other places like an example": ("solver/detection/test_detect.py",),
    "along a line or on a plane": ("solver/detection/test_sliding.py",),
    "Poise then takes the ground as moving": (
        "solver/body/test_moving_ground.py",
        "solver/deformation/test_deform.py",
    ),
    "plants hold to the last bit; bones may stretch by a percent or two": ("solver/cleanup/stretch/test_batch.py",),
    "plants hold to the last bit, bones keep their lengths": ("solver/cleanup/rigid/test_batch.py",),
    "`deform` with all plants and the balance": ("solver/cleanup/test_prioritized.py",),
    "with frames that come in one by one": (
        "solver/cleanup/stretch/test_stream.py",
        "solver/cleanup/rigid/test_stream.py",
    ),
    "The larger priority is the more important; equal ones share by weight": ("solver/posture/test_solve.py",),
    "`recruit` says which joints a task may move": ("solver/posture/test_recruiting.py", "solver/tasks/test_base.py"),
    "Joints have kinds, stiffness and limits": ("solver/body/test_limits.py", "solver/posture/test_active_set.py"),
    "masses and inertia come from a published table": ("solver/body/test_masses.py", "solver/body/test_inertia.py"),
    "gives a recognised human the limits of its joints, widened to what the motion does": (
        "solver/body/test_anatomical_limits.py",
    ),
    "writes a report beside each result": ("batch/test_command.py",),
    "no finished clip is done again, and no file is ever half-written": (
        "batch/test_cluster.py",
        "batch/test_completion.py",
        "batch/test_staging.py",
    ),
    "shows the worst clips first": ("batch/test_run_report.py", "batch/test_run_page.py"),
    "each of their actions is a clip of its own": ("batch/test_blender_files.py", "addon/bridge/test_takes.py"),
    "The exit code is 0 only if every clip succeeded, and no input is ever overwritten": (
        "batch/test_command.py",
        "batch/test_jobs.py",
    ),
    "converted to the frame rate and the up axis of the clip": (
        "solver/files/test_constraint_files.py",
        "solver/files/test_conversion.py",
    ),
    "Each target sets up what it needs": ("test_make.py",),
}
"""Sentences of these documents, each with the test modules below tests/ that check it."""
PROMISING = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def in_one_line(text: str) -> str:
    """A text with all white space as single blanks."""
    return " ".join(text.split())


@pytest.mark.parametrize("sentence", PROMISES)
def test_every_promise_has_its_tests(sentence: str) -> None:
    assert any(sentence in in_one_line(page.read_text(encoding="utf-8")) for page in PROMISING)
    assert not [path for path in PROMISES[sentence] if not (ROOT / "tests" / path).is_file()]


def test_the_calibration_pose_of_the_walk_is_repaired(names: dict[str, Any]) -> None:
    assert str(names["fault"]) == "frame 0: a calibration pose"
    assert solver.find_faults(names["whole"]) == []
    assert np.array_equal(names["whole"].motion.rotations[1:], names["clip"].motion.rotations[1:])

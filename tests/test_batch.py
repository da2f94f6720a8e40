# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/batch.py`: motions by the folder, in processes of their own, with and without Blender."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise import solver
from poise.solver.synthetic import run as made_up_run
from poise.solver.synthetic import walk

ROOT = Path(__file__).parents[1]
BATCH = ROOT / "scripts" / "batch.py"
sys.path.insert(0, str(BATCH.parent))

from batching import job_runner, progress_output, worker_pool  # noqa: E402
from batching.command_line import BatchOptions, parse_arguments  # noqa: E402
from batching.gltf_rates import frame_rate  # noqa: E402
from batching.jobs import Job, UsageError, jobs_for  # noqa: E402
from batching.physics_editing import transformed  # noqa: E402

LONGEST = 120
"""Seconds after which a run hangs; most take two."""

SLIDES = 0.01
"""Sizes of the character: feet of the skating walk slide more than this, and clean ones much less."""

FPS = 24.0
STEPS = 2

FORBIDS_BLENDER = """
import os, sys

class Forbidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"bpy", "mathutils", "addon_utils"}:
            with open(os.environ["ASKED_FOR_BLENDER"], "a") as file:
                file.write(name)
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Forbidden())
"""
"""A `sitecustomize` module: Python imports it before anything else, in every process."""


@pytest.fixture(scope="module")
def skating() -> solver.Clip:
    """A short walk whose feet slide."""
    return walk(steps=STEPS, fps=FPS, skate=0.03).clip


@pytest.fixture
def captures(tmp_path: Path, skating: solver.Clip) -> Path:
    """A folder with a motion, one in a subfolder, a broken one, and a file that is no motion."""
    folder = tmp_path / "captures"
    (folder / "more").mkdir(parents=True)
    solver.write_bvh(skating, folder / "walk.bvh")
    solver.write_bvh(skating, folder / "more" / "wälk.bvh")
    (folder / "broken.bvh").write_text("HIERARCHY nonsense")
    (folder / "notes.txt").write_text("about them")
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment without Blender, in which a file records any attempt to import it."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(FORBIDS_BLENDER)
    asked = str(tmp_path / "asked for Blender")
    return os.environ | {"PYTHONPATH": str(tmp_path / "site"), "ASKED_FOR_BLENDER": asked}


def run(*arguments: object, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """The script in a process of its own."""
    return subprocess.run(
        [sys.executable, str(BATCH), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=LONGEST,
        env=(environment or os.environ) | {"OPENBLAS_NUM_THREADS": "1"},
    )


def report(path: Path) -> dict[str, Any]:
    """A report, read as strict JSON."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    return told


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


# --- without Blender ----------------------------------------------------------------------------------------------


def test_a_folder_is_cleaned_by_two_processes_without_blender(
    tmp_path: Path, captures: Path, environment: dict[str, str], skating: solver.Clip
) -> None:
    before = {path: path.read_bytes() for path in captures.rglob("*") if path.is_file()}
    done = run(captures, "-o", tmp_path / "out", "--detect", "--clean", "stretch", "--jobs", 2, environment=environment)
    assert done.returncode == 1, "one of the motions is broken"
    assert not Path(environment["ASKED_FOR_BLENDER"]).exists()
    assert {path: path.read_bytes() for path in captures.rglob("*") if path.is_file()} == before
    assert files_below(tmp_path / "out") == {
        "broken.report.json",
        *(f"{name}.{kind}" for name in ("walk", "more/wälk") for kind in ("bvh", "report.json", "constraints.json")),
    }

    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["1/3", "2/3", "3/3"]
    assert sum("FAILED" in line for line in lines) == 1
    told = done.stderr.splitlines()
    assert len(told) == 2 and "broken.bvh, line 1:" in told[0] and told[1] == "1 of 3 failed."
    broken = report(tmp_path / "out" / "broken.report.json")
    assert not broken["succeeded"] and broken["error"] in told[0]
    assert broken["output"] is None

    good = report(tmp_path / "out" / "walk.report.json")
    assert good["succeeded"] and good["error"] is None and good["seconds"] > 0.0
    assert good["asked"] == ["detect", "clean stretch"]
    (clip,) = good["clips"]
    assert (clip["frames"], clip["fps"], clip["reading"]) == (skating.frames, FPS, "bvh")
    assert clip["metrics"]["before"]["slide"] > SLIDES > 1e3 * clip["metrics"]["after"]["slide"]
    assert clip["clean"]["residual"] < 1e-6 and clip["clean"]["unmet"] == []

    found = solver.read_constraints(tmp_path / "out" / "walk.constraints.json", skating)
    expected = solver.detect_footplants(solver.read_bvh(captures / "walk.bvh"))
    assert len(found) == len(expected) == len(clip["footplants"]) > STEPS
    plants = [plant for plant in found if isinstance(plant, solver.Footplant)]
    for plant, other, listed in zip(plants, expected, clip["footplants"], strict=True):
        assert plant.stays == other.stays
        assert listed["toe_strike"] == other.toe_strike and listed["confidence"] == other.confidence
    clean = solver.read_bvh(tmp_path / "out" / "walk.bvh")
    assert clean.frames == skating.frames
    assert solver.foot_metrics(clean, plants).slide < 1e-6


def test_constraints_are_applied_from_a_folder_and_from_a_file(
    tmp_path: Path, captures: Path, environment: dict[str, str], skating: solver.Clip
) -> None:
    walk_only = captures / "more"
    found = run(walk_only, "-o", tmp_path / "found", "--detect", environment=environment)
    assert found.returncode == 0, found.stderr
    assert files_below(tmp_path / "found") == {"wälk.report.json", "wälk.constraints.json"}, "to find is not to change"
    each = run(walk_only, "-o", tmp_path / "each", "--constraints", tmp_path / "found", environment=environment)
    assert each.returncode == 0, each.stderr
    (clip,) = report(tmp_path / "each" / "wälk.report.json")["clips"]
    assert clip["metrics"]["after"]["slide"] < SLIDES / 100
    assert len(clip["deform"]["residuals"]) == len(clip["footplants"])
    assert all(residual["holds"] and residual["unit"] == "length" for residual in clip["deform"]["residuals"])
    assert not Path(environment["ASKED_FOR_BLENDER"]).exists()


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


def test_what_needs_blender_says_so_in_one_sentence(
    tmp_path: Path, captures: Path, environment: dict[str, str]
) -> None:
    done = run(captures / "walk.bvh", "-o", tmp_path / "walk.blend", environment=environment)
    assert done.returncode == 1
    assert "walk.bvh to blend needs Blender" in done.stderr
    assert "traceback" not in report(tmp_path / "walk.report.json")


def test_the_checkout_around_the_script_is_used_whatever_it_is_called(tmp_path: Path) -> None:
    checkout = tmp_path / "some other-name"
    (checkout / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "__init__.py", checkout)
    shutil.copy(BATCH, checkout / "scripts")
    shutil.copytree(ROOT / "solver", checkout / "solver", ignore=shutil.ignore_patterns("__pycache__"))
    code = "import batch; batch.load_poise(); import poise.solver; print(poise.solver.__file__)"
    done = subprocess.run([sys.executable, "-c", code], cwd=checkout / "scripts", capture_output=True, text=True)
    assert done.stdout.strip() == str(checkout / "solver" / "__init__.py"), done.stderr


def test_help_is_for_newcomers() -> None:
    done = run("--help")
    assert done.returncode == 0
    for word in ("examples:", "blender -b", "NAME.report.json", "exit code", "--detect", "--clean", "--constraints"):
        assert word in done.stdout


# --- when things go wrong -----------------------------------------------------------------------------------------


def test_a_process_that_dies_fails_one_clip_and_the_others_continue(tmp_path: Path) -> None:
    worker = (
        "import sys, json; sys.stdin.readline()\n"
        "for line in sys.stdin:\n"
        "    if 'deadly' in line: sys.exit(7)\n"
        "    print(json.dumps({'succeeded': True, 'input': json.loads(line)['source']}), flush=True)\n"
    )
    names = [f"{number}{' deadly' if number % 3 == 1 else ''}" for number in range(8)]
    jobs = [Job(name, name, str(tmp_path / name), "bvh") for name in names]
    done = dict(worker_pool.run_in_pool(jobs, BatchOptions(jobs=2), [sys.executable, "-c", worker]))
    assert set(done) == set(jobs)
    for job, told in done.items():
        assert told["succeeded"] == ("deadly" not in job.source)
    lost = report(tmp_path / "1 deadly.report.json")
    assert lost["error"] == "The process that run_job on 1 deadly ended with code 7."


def test_a_process_that_never_starts_is_told(tmp_path: Path) -> None:
    job = Job("walk.bvh", "walk", str(tmp_path / "walk"), "bvh")
    with pytest.raises(FileNotFoundError):
        list(worker_pool.run_in_pool([job], BatchOptions(), [str(tmp_path / "nothing")]))


def test_an_unexpected_error_is_reported_with_its_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> None:
        raise ZeroDivisionError("in the\nmiddle")

    monkeypatch.setattr(job_runner, "edit_bvh", breaks)
    told = job_runner.run_job(Job("walk.bvh", "walk", str(tmp_path / "walk"), "bvh"), BatchOptions())
    assert told["error"] == "ZeroDivisionError: in the middle"
    assert "breaks" in report(tmp_path / "walk.report.json")["traceback"]


def test_words_of_blenders_operators_become_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = iter(
        [
            "Error: Cannot read it\n",
            "Error: Python: Traceback (most recent call last):\n  File x\nKeyError: 'y'\n\nLocation: ops.py:109\n",
        ]
    )

    def breaks(*_: object) -> None:
        raise RuntimeError(next(said))

    monkeypatch.setattr(job_runner, "edit_bvh", breaks)
    job = Job("walk.bvh", "walk", str(tmp_path / "walk"), "bvh")
    assert [job_runner.run_job(job, BatchOptions())["error"] for _ in range(2)] == ["Cannot read it", "KeyError: 'y'"]


def test_a_report_that_cannot_be_written_is_a_failure(tmp_path: Path, captures: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "walk.report.json").mkdir()
    told = job_runner.run_job(
        Job(str(captures / "walk.bvh"), "walk", str(tmp_path / "out" / "walk"), "bvh"), BatchOptions()
    )
    assert not told["succeeded"] and "report" in told["error"]


def test_a_name_that_is_no_text_is_no_trouble(tmp_path: Path) -> None:
    odd = "walk\udcff.bvh"
    told = job_runner.run_job(Job(odd, "walk", str(tmp_path / "walk"), "bvh"), BatchOptions())
    assert not told["succeeded"]
    assert report(tmp_path / "walk.report.json")["input"] == odd


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["captures"], "required: -o"),
        (["-o", "out"], "Give the motions to work on"),
        (["captures", "-o", "out", "--clean", "magic"], "invalid choice: 'magic'"),
        (["captures", "-o", "out", "--jobs", "0"], "at least one process must work"),
        (["captures", "-o", "out", "--jobs", "two"], "--jobs"),
        (["captures", "-o", "out", "--ground", "nan"], "it must be a finite number"),
        (["captures", "-o", "out", "--tolerance", "-1"], "--tolerance"),
        (["captures", "-o", "out", "--plants", "x.json"], "give --clean or --constraints too"),
        (["captures", "-o", "out", "--recipe", "hopper"], "give --physics too"),
        (["nowhere.bvh", "-o", "out"], "nowhere.bvh does not exist"),
        (["captures/notes.txt", "-o", "out"], "captures/notes.txt is no motion"),
        (["empty", "-o", "out"], "In the folder empty there is no motion"),
        (["captures", "-o", "one.bvh"], "one.bvh is one file, but there are 3 motions"),
        (["captures/walk.bvh", "-o", "one.bvh", "--format", "fbx"], "one.bvh is called otherwise than --format fbx"),
        (["captures/walk.bvh", "-o", "captures/notes.txt"], "captures/notes.txt is neither a folder nor a motion"),
        (["captures", "-o", "captures"], "captures/broken.bvh is read, so it must not be written"),
        (["captures/walk.bvh", "-o", "linked.bvh"], "linked.bvh is read, so it must not be written"),
        (["captures/walk.bvh", "captures/walk.bvh", "-o", "out"], "would both be written to out/walk"),
        (
            ["captures/walk.bvh", "-o", "kept", "--detect", "--constraints", "kept"],
            "is read, so it must not be written",
        ),
    ],
)
def test_wrong_options_are_refused_before_anything_is_written(
    tmp_path: Path,
    captures: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "linked.bvh").symlink_to(captures / "walk.bvh")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "walk.constraints.json").write_text("{}")
    before = files_below(tmp_path)
    with pytest.raises((SystemExit, UsageError)) as caught:
        jobs_for(parse_arguments(arguments))
    assert told in capsys.readouterr().err + str(caught.value)
    assert files_below(tmp_path) == before


def test_wrong_options_have_an_exit_code_of_their_own(tmp_path: Path) -> None:
    done = run(tmp_path / "nowhere.bvh", "-o", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{tmp_path / 'nowhere.bvh'} does not exist.\n"


# --- physics ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run_and_stub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a made-up run, and with so little of it that it cannot be fitted."""
    folder = tmp_path_factory.mktemp("runs")
    clip = made_up_run(steps=2, fps=60.0).clip
    solver.write_bvh(clip, folder / "run.bvh")
    solver.write_bvh(solver.Clip(clip.skeleton, clip.motion.at(np.arange(5)), clip.fps), folder / "stub.bvh")
    (folder / "moon.json").write_text(json.dumps({"gravity": 0.6, "flight": 1.5}))
    return folder


@pytest.mark.slow
def test_an_edit_of_physics_is_applied_to_a_folder_and_what_cannot_be_fitted_is_refused(
    tmp_path: Path, run_and_stub: Path
) -> None:
    pytest.importorskip("casadi")
    done = run(run_and_stub, "-o", tmp_path / "out", "--physics", run_and_stub / "moon.json")
    assert done.returncode == 1, done.stderr
    assert "1 of 2 failed" in done.stderr and "1/2" in done.stdout and "The fit is within" in done.stdout
    told = report(tmp_path / "out" / "run.report.json")
    assert told["succeeded"] and told["asked"] == ["physics"]
    (clip,) = told["clips"]
    assert clip["physics"]["edit"] == {"gravity": 0.6, "flight": 1.5}
    assert max(each["rms"] for each in clip["physics"]["handles"]) < 0.1
    assert clip["physics"]["violation"] < 1e-6
    saved = solver.read_bvh(tmp_path / "out" / "run.bvh")
    assert saved.frames == clip["physics"]["frames"] > clip["frames"], "flights are longer"
    refused = report(tmp_path / "out" / "stub.report.json")
    assert not refused["succeeded"] and "traceback" not in refused
    assert "contact" in refused["error"] or "too short" in refused["error"]
    assert not (tmp_path / "out" / "stub.bvh").exists()


@pytest.mark.parametrize(
    ("edit", "recipe", "told"),
    [
        ("{", "biped", "it is not JSON"),
        ("[]", "biped", "must be a JSON object"),
        ('{"weight": 1}', "biped", "An edit has no 'weight'"),
        ("{}", "octopus", "There is no recipe octopus; known recipes are biped, hopper"),
        (None, "biped", "There is no edit "),
    ],
)
def test_a_wrong_edit_or_recipe_is_told_before_anything_is_fitted(
    tmp_path: Path, skating: solver.Clip, edit: str | None, recipe: str, told: str
) -> None:
    if edit is not None:
        (tmp_path / "edit.json").write_text(edit)
    with pytest.raises(solver.PoiseError, match=re.escape(told)):
        transformed(skating, [], str(tmp_path / "edit.json"), recipe)


@pytest.mark.blender
@pytest.mark.slow
def test_in_blender_an_edit_of_physics_is_baked_also_where_it_changes_the_length(
    tmp_path: Path, run_and_stub: Path, away_from_the_user: dict[str, str]
) -> None:
    pytest.importorskip("casadi")
    (tmp_path / "heavier.json").write_text(json.dumps({"gravity": 1.1}))
    baked = run(
        *(run_and_stub / "run.bvh", "-o", tmp_path / "heavier.blend", "--physics", tmp_path / "heavier.json"),
        environment=away_from_the_user,
    )
    assert baked.returncode == 0, baked.stderr
    (clip,) = report(tmp_path / "heavier.report.json")["clips"]
    assert clip["baked"]["action"] == "run.poise" and clip["physics"]["recipe"] == "biped"
    longer = run(
        *(run_and_stub / "run.bvh", "-o", tmp_path / "moon.blend", "--physics", run_and_stub / "moon.json"),
        environment=away_from_the_user,
    )
    assert longer.returncode == 0, longer.stderr
    (clip,) = report(tmp_path / "moon.report.json")["clips"]
    assert clip["physics"]["frames"] > clip["frames"]
    again = run(tmp_path / "moon.blend", "-o", tmp_path / "moon.bvh", environment=away_from_the_user)
    assert again.returncode == 0, again.stderr
    assert solver.read_bvh(tmp_path / "moon.bvh").frames == clip["physics"]["frames"]


# --- which files --------------------------------------------------------------------------------------------------


def test_results_of_a_run_before_are_no_motions(captures: Path) -> None:
    first = jobs_for(BatchOptions((str(captures),), str(captures / "out"), clean="rigid"))
    assert [job.clip for job in first] == ["broken", "more/wälk", "walk"]
    (captures / "out").mkdir()
    (captures / ".hidden").mkdir()
    for name in ("out/walk.bvh", ".hidden/walk.bvh", ".walk.bvh"):
        shutil.copy(captures / "walk.bvh", captures / name)
    assert jobs_for(BatchOptions((str(captures),), str(captures / "out"), clean="rigid")) == first


@pytest.mark.parametrize(
    ("options", "open_file", "motion"),
    [
        (BatchOptions(("a.bvh",), "out"), None, "out/a.bvh"),
        (BatchOptions(("a.bvh",), "out", detect=True), None, None),
        (BatchOptions(("a.bvh",), "out", detect=True, clean="rigid"), None, "out/a.bvh"),
        (BatchOptions(("a.bvh",), "out", format="glb", detect=True), None, "out/a.glb"),
        (BatchOptions(("a.bvh",), "out/b.fbx", detect=True), None, "out/b.fbx"),
        (BatchOptions(("a.FBX",), "out"), None, "out/a.fbx"),
        (BatchOptions((), "out"), "scenes/s.blend", "out/s.blend"),
        (BatchOptions((), "out", format="bvh"), "scenes/s.blend", "out/s.bvh"),
        (BatchOptions((), "out.glb"), "", "out.glb"),
        (BatchOptions((), "out"), "", "out/untitled.blend"),
    ],
)
def test_where_a_motion_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: BatchOptions, open_file: str | None, motion: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.bvh", "a.FBX"):
        (tmp_path / name).touch()
    (job,) = jobs_for(options, open_file)
    assert job.motion == (None if motion is None else Path(motion))


def test_armatures_of_one_file_have_constraints_of_their_own(tmp_path: Path) -> None:
    job = Job("a.blend", "sub/a", "out/sub/a", "blend")
    assert job.constraints("An/other") == Path("out/sub/a.An_other.constraints.json")
    assert job.constraints_in(tmp_path, "Rig") == tmp_path / "sub/a.Rig.constraints.json"
    assert job.constraints_in(tmp_path / "file.json", "Rig") == tmp_path / "file.json"


# --- glTF's frame rate --------------------------------------------------------------------------------------------


def a_gltf(spans: list[tuple[int, float]]) -> bytes:
    """A file with animations of so many keys over so many seconds."""
    accessors = [{"count": count, "min": [0.5], "max": [0.5 + seconds]} for count, seconds in spans]
    animations = [{"samplers": [{"input": number}]} for number in range(len(spans))]
    return json.dumps({"accessors": accessors, "animations": animations}).encode()


@pytest.mark.parametrize("is_binary", [True, False])
@pytest.mark.parametrize(
    ("spans", "rate"),
    [
        ([(2, 2.0), (61, 2.0)], 30.0),
        ([(241, 2.0000002)], 120.0),
        ([(60, 59 * 1001 / 30000)], 30000 / 1001),
        ([(3, 2.0)], None),
        ([(1, 0.0)], None),
        ([], None),
    ],
)
def test_the_frame_rate_of_gltf_is_that_of_its_densest_keys(
    tmp_path: Path, spans: list[tuple[int, float]], rate: float | None, is_binary: bool
) -> None:
    text = a_gltf(spans)
    head = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + 5, len(text), 0x4E4F534A) if is_binary else b""
    (tmp_path / "file").write_bytes(head + text + (b"after" if is_binary else b""))
    assert frame_rate(tmp_path / "file") == (None if rate is None else pytest.approx(rate, rel=1e-12))


@pytest.mark.parametrize("data", [b"", b"nonsense", b"glTF", b"[]", b'{"animations": [{"samplers": [{"input": 4}]}]}'])
def test_a_broken_gltf_has_no_frame_rate(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "file").write_bytes(data)
    assert frame_rate(tmp_path / "file") is None


# --- on the terminal ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_watched", [True, False])
def test_a_bar_is_drawn_only_on_an_interactive_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_watched: bool
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return is_watched

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    printer = progress_output.ProgressPrinter(4)
    good = {"input": "a.bvh", "succeeded": True, "seconds": 1.25, "clips": [], "asked": []}
    for told in (good, good | {"succeeded": False, "error": "It is broken."}):
        printer.print_report(told)
    assert capsys.readouterr().out == "1/4  a.bvh  ok, 1.2 s\n2/4  a.bvh  FAILED\n"
    assert "a.bvh: It is broken.\n" in terminal.getvalue()
    assert ("[###############...............] 2 of 4" in terminal.getvalue()) == is_watched
    assert ("\033" in terminal.getvalue()) == is_watched


# --- in Blender ---------------------------------------------------------------------------------------------------

LOOKS = """
import json, os, sys
import bpy
from poise.addon import bridge

told = {}
for path in sys.argv[1:]:
    kind = path.rpartition(".")[2]
    if kind == "blend":
        bpy.ops.wm.open_mainfile(filepath=path)
    else:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        bpy.context.scene.render.fps = 24
        importing = {"fbx": bpy.ops.import_scene.fbx, "glb": bpy.ops.import_scene.gltf}[kind]
        importing(filepath=path)
    armature, = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
    action = armature.animation_data.action
    scene = bpy.context.scene
    told[kind] = {
        "action": action.name,
        "is_result": bridge.is_result(action),
        "actions": sorted(held.name for held in bpy.data.actions),
        "source": getattr(bridge.animation_of(armature).source, "name", None),
        "keys": [float(number) for number in action.frame_range],
        "range": [scene.frame_start, scene.frame_end],
        "fps": scene.render.fps / scene.render.fps_base,
    }
print("told: " + json.dumps(told), flush=True)
os._exit(0)
"""


@pytest.fixture(scope="module")
def away_from_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """An environment in which Blender does not find the user's own settings."""
    yield os.environ | {"BLENDER_USER_RESOURCES": str(tmp_path_factory.mktemp("blender"))}


@pytest.mark.blender
def test_motions_go_through_blender(
    tmp_path: Path, skating: solver.Clip, away_from_the_user: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    solver.write_bvh(skating, tmp_path / "in" / "walk.bvh")
    out = tmp_path / "out"

    # BVH to .blend: imported, nothing changed, nothing baked.
    plain = run(tmp_path / "in", "-o", out / "plain", "--format", "blend", environment=away_from_the_user)
    assert plain.returncode == 0, plain.stderr
    (clip,) = report(out / "plain" / "walk.report.json")["clips"]
    assert (clip["frames"], clip["fps"], clip["reading"], clip["up"]) == (skating.frames, FPS, "curves", "z")
    assert (clip["armature"], clip["first_frame"]) == ("walk", 1.0)
    assert "baked" not in clip

    # .blend to .blend: a result beside the source. A broken file in the same process, before it, does not matter.
    (tmp_path / "broken.blend").write_text("nonsense")
    blend = run(
        *(tmp_path / "broken.blend", out / "plain" / "walk.blend", "-o", out / "clean", "--clean", "rigid"),
        environment=away_from_the_user,
    )
    assert blend.returncode == 1
    assert len(blend.stderr.splitlines()) == 2 and "broken.blend" in blend.stderr
    assert not report(out / "clean" / "broken.report.json")["succeeded"]
    (clip,) = report(out / "clean" / "walk.report.json")["clips"]
    assert clip["metrics"]["before"]["slide"] > SLIDES > 100 * clip["metrics"]["after"]["slide"]
    assert clip["baked"]["action"] == "walk.poise" and clip["baked"]["gap"] < 1e-5

    # The result, as it is shown, to FBX, glTF and BVH, and back again: one process does it all.
    jobs = [Job(str(out / "clean" / "walk.blend"), "walk", str(out / "walk"), kind) for kind in ("fbx", "glb", "bvh")]
    jobs += [Job(str(out / f"walk.{kind}"), "walk", str(out / kind / "walk"), "bvh") for kind in ("fbx", "glb")]
    monkeypatch.setenv("BLENDER_USER_RESOURCES", away_from_the_user["BLENDER_USER_RESOURCES"])
    for _, told in worker_pool.run_in_pool(jobs, BatchOptions(), worker_pool.command(BATCH)):
        assert told["succeeded"], told
    saved = solver.read_bvh(out / "walk.bvh")
    assert (saved.frames, saved.fps) == (skating.frames, FPS)
    found = solver.detect_footplants(skating)
    assert solver.foot_metrics(saved, found).slide < SLIDES / 100, "the source was saved, not the result"
    for kind in ("fbx", "glb"):
        again = solver.read_bvh(out / kind / "walk.bvh")
        assert (again.frames, again.fps) == (skating.frames, FPS)
        for name in skating.skeleton.names:
            apart = np.abs(again.position(name) - saved.position(name)).max()
            assert apart < 1e-4 * skating.skeleton.size, f"{kind}: {name}"

    looks = subprocess.run(
        [sys.executable, "-c", LOOKS, out / "clean" / "walk.blend", out / "walk.fbx", out / "walk.glb"],
        capture_output=True,
        text=True,
        timeout=LONGEST,
        env=away_from_the_user,
    )
    assert looks.returncode == 0, looks.stderr
    told = json.loads(looks.stdout.partition("told: ")[2])
    assert told["blend"]["is_result"] and told["blend"]["actions"] == ["walk", "walk.poise"]
    assert told["blend"]["source"] == "walk"
    assert told["blend"]["range"] == [1, skating.frames]
    for kind in ("blend", "fbx", "glb"):
        first, last = told[kind]["keys"]
        assert last - first + 1 == pytest.approx(skating.frames, abs=1e-2), kind
        assert told[kind]["fps"] == FPS


@pytest.mark.blender
def test_in_blender_the_open_file_is_worked_on(
    tmp_path: Path, skating: solver.Clip, away_from_the_user: dict[str, str]
) -> None:
    """As `blender -b --python scripts/batch.py -- …` does: bpy is there already, and arguments follow two dashes."""
    solver.write_bvh(skating, tmp_path / "walk.bvh")
    inside = (
        "import runpy, sys, bpy\n"
        "script, motion = sys.argv.pop(1), sys.argv.pop(1)\n"
        "bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)\n"
        "bpy.ops.import_anim.bvh(filepath=motion)\n"
        "bpy.ops.import_anim.bvh(filepath=motion)\n"
        "bpy.context.scene.frame_end = 20\n"
        "runpy.run_path(script, run_name='__main__')\n"
    )

    def run_inside(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", inside, str(BATCH), tmp_path / "walk.bvh", "-b", "--", *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=LONGEST,
            env=away_from_the_user,
        )

    one = run_inside("-o", tmp_path / "one.blend", "--clean", "stretch", "--tolerance", 1e-3, "--armature", "walk")
    assert one.returncode == 0, one.stderr
    (clip,) = report(tmp_path / "one.report.json")["clips"]
    assert clip["frames"] == 20 and clip["baked"]["action"] == "walk.poise"
    assert (tmp_path / "one.blend").is_file()

    both = run_inside("-o", tmp_path / "both", "--detect")
    assert both.returncode == 0, both.stderr
    assert files_below(tmp_path / "both") == {
        "untitled.report.json",
        "untitled.walk.constraints.json",
        "untitled.walk.001.constraints.json",
    }
    first, second = report(tmp_path / "both" / "untitled.report.json")["clips"]
    assert (first["name"], second["name"]) == ("walk", "walk.001")

    too_many = run_inside("-o", tmp_path / "both.bvh")
    assert too_many.returncode == 1
    assert "A BVH file holds one character, and here are walk, walk.001: name one with --armature." in too_many.stderr

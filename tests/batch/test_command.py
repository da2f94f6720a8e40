# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `poise batch` as a whole: folders, reports, resumed runs and exit codes, without Blender."""

from __future__ import annotations

from pathlib import Path

from poise import solver

from .running import FPS, RUN_FILES, SLIDES, STEPS, files_below, report, run


def test_a_folder_is_cleaned_by_two_processes_without_blender(
    tmp_path: Path, captures: Path, environment: dict[str, str], skating: solver.Clip
) -> None:
    before = {path: path.read_bytes() for path in captures.rglob("*") if path.is_file()}
    done = run(captures, "-o", tmp_path / "out", "--detect", "--clean", "stretch", "--jobs", 2, environment=environment)
    assert done.returncode == 1, "one of the motions is broken"
    assert not Path(environment["ASKED_FOR_BLENDER"]).exists()
    assert {path: path.read_bytes() for path in captures.rglob("*") if path.is_file()} == before
    assert files_below(tmp_path / "out") == {
        *RUN_FILES,
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
    assert files_below(tmp_path / "found") == {*RUN_FILES, "wälk.report.json", "wälk.constraints.json"}, (
        "to find is not to change"
    )
    each = run(walk_only, "-o", tmp_path / "each", "--constraints", tmp_path / "found", environment=environment)
    assert each.returncode == 0, each.stderr
    (clip,) = report(tmp_path / "each" / "wälk.report.json")["clips"]
    assert clip["metrics"]["after"]["slide"] < SLIDES / 100
    assert len(clip["deform"]["residuals"]) == len(clip["footplants"])
    assert all(residual["holds"] and residual["unit"] == "length" for residual in clip["deform"]["residuals"])
    assert not Path(environment["ASKED_FOR_BLENDER"]).exists()


def test_what_needs_blender_says_so_in_one_sentence(
    tmp_path: Path, captures: Path, environment: dict[str, str]
) -> None:
    done = run(captures / "walk.bvh", "-o", tmp_path / "walk.blend", environment=environment)
    assert done.returncode == 1
    assert "walk.bvh to blend needs Blender" in done.stderr
    assert "traceback" not in report(tmp_path / "walk.report.json")


def test_help_is_for_newcomers() -> None:
    done = run("--help")
    assert done.returncode == 0
    for word in ("examples:", "blender -b", "NAME.report.json", "exit code", "--detect", "--clean", "--constraints"):
        assert word in done.stdout


def test_wrong_options_have_an_exit_code_of_their_own(tmp_path: Path) -> None:
    done = run(tmp_path / "nowhere.bvh", "-o", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{tmp_path / 'nowhere.bvh'} does not exist.\n"

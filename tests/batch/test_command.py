# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `poise batch` as a whole: folders, reports, resumed runs and exit codes, without Blender."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from poise import solver

from .running import BATCH, FPS, LONGEST, RUN_FILES, SLIDES, STEPS, files_below, report, run


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
    assert len(told) == 3 and "broken.bvh, line 1:" in told[0] and told[2] == "1 of 3 failed."
    assert told[1] == f"See {tmp_path / 'out' / 'report.html'}."
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


def stamps(folder: Path) -> dict[str, int]:
    """When each file of a folder was written, but for the reports about whole runs."""
    return {name: (folder / name).stat().st_mtime_ns for name in files_below(folder) - RUN_FILES}


def test_a_second_run_does_only_what_is_missing_or_has_failed(tmp_path: Path, captures: Path) -> None:
    out = tmp_path / "out"
    assert run(captures, "-o", out, "--clean", "stretch").returncode == 1
    before = stamps(out)
    (captures / "broken.bvh").write_bytes((captures / "walk.bvh").read_bytes())
    again = run(captures, "-o", out, "--clean", "stretch")
    assert again.returncode == 0, again.stderr
    assert again.stderr.startswith("2 of 3 are done already; --redo does them again.\n")
    assert again.stdout.startswith("3/3  ") and len(again.stdout.splitlines()) == 1
    after = stamps(out)
    assert {name for name in after if after[name] != before.get(name)} == {"broken.bvh", "broken.report.json"}
    totals = report(out / "report.json")["totals"]
    assert (totals["files"], totals["succeeded"], totals["done_before"]) == (3, 3, 2)

    assert run(captures, "-o", out, "--clean", "stretch").stdout == ""
    assert stamps(out) == after
    redone = run(captures, "-o", out, "--clean", "stretch", "--redo")
    assert redone.returncode == 0 and len(redone.stdout.splitlines()) == 3
    assert all(stamps(out)[name] != when for name, when in after.items())


def test_two_runs_share_the_clips_of_a_folder(tmp_path: Path, captures: Path) -> None:
    """Each clip is done by one of them, and both report all."""
    for number in range(8):
        (captures / f"copy{number}.bvh").write_bytes((captures / "walk.bvh").read_bytes())
    command = [
        sys.executable,
        str(BATCH),
        str(captures),
        "-o",
        str(tmp_path / "out"),
        "--clean",
        "rigid",
        "--jobs",
        "1",
    ]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for process in runs:
        told, errors = process.communicate(timeout=LONGEST)
        assert process.returncode == 1 and "1 of 11 failed." in errors
        assert told.splitlines()[-1].startswith("11/11")
    assert not list((tmp_path / "out").rglob(".*"))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_is_clean_and_can_be_continued(
    tmp_path: Path, captures: Path, number: signal.Signals, code: int
) -> None:
    for name in ("a", "b", "c", "d"):
        (captures / f"{name}.bvh").write_bytes((captures / "walk.bvh").read_bytes())
    out = tmp_path / "out"
    command = [sys.executable, str(BATCH), str(captures), "-o", str(out), "--clean", "rigid", "--jobs", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("1/7")
    process.send_signal(number)
    _, errors = process.communicate(timeout=LONGEST)
    assert process.returncode == code and "Traceback" not in errors
    assert not list(out.rglob(".*")), "neither claims nor parts of files are left behind"
    assert report(out / "report.json")["is_complete"] is False
    again = run(captures, "-o", out, "--clean", "rigid")
    assert again.returncode == 1 and "1 of 7 failed" in again.stderr
    assert report(out / "report.json")["is_complete"] is True


def test_folders_behind_links_are_edited_and_what_is_left_out_is_said(tmp_path: Path, captures: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (captures / "more").rename(tmp_path / "elsewhere" / "more")
    (captures / "linked").symlink_to(tmp_path / "elsewhere")
    (captures / "loop").symlink_to(captures)
    done = run(captures, "-o", tmp_path / "out", "--detect")
    assert f"{captures / 'loop'} was skipped: it leads to a folder whose motions are there already." in done.stderr
    assert (tmp_path / "out" / "linked" / "more" / "wälk.report.json").is_file()


FULL_DISK = """
mount -t tmpfs -o size={size}k none "$1" || exit 77
shift
exec "$@"
"""


@pytest.mark.parametrize(
    "kind", ["bvh", *(pytest.param(kind, marks=pytest.mark.blender) for kind in ("blend", "fbx", "glb", "gltf"))]
)
def test_a_full_disk_is_called_so_and_no_file_is_cut_off(
    tmp_path: Path, captures: Path, away_from_the_user: dict[str, str], kind: str
) -> None:
    """The disk is a small one in memory, mounted where only the run sees it; it is looked at before the run ends.

    It holds half of the file: each Blender writes files of another size.
    """
    source, fits, out = captures / "walk.bvh", tmp_path / "fits", tmp_path / "out"
    assert run(source, "-o", fits, "--clean", "stretch", "--format", kind).returncode == 0
    size = (fits / f"walk.{kind}").stat().st_size // 2000
    out.mkdir()
    look = f'"$@"; code=$?; ls -A {out} >{tmp_path}/left; exit $code'
    script = FULL_DISK.format(size=size).replace('exec "$@"', look)
    batch = [sys.executable, str(BATCH), str(source), "-o", str(out), "--clean", "stretch"]
    command = ["unshare", "--mount", "sh", "-c", script, "sh", str(out), *batch, "--format", kind]
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not there")
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, env=away_from_the_user)
    if done.returncode == 77 or "unshare failed" in done.stderr:
        pytest.skip("this machine does not allow mounts")
    assert done.returncode == 1
    assert "No space left on device" in done.stderr, done.stderr
    left = (tmp_path / "left").read_text().split()
    assert not [name for name in left if name.endswith(f".{kind}") or name.startswith(".")], left

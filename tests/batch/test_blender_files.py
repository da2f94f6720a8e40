# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions through Blender: .blend, FBX and glTF."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from poise import solver
from poise.batch import local_pool
from poise.batch.command_line import BatchOptions
from poise.batch.jobs import Job
from poise.solver.synthetic import walk

from .running import BATCH, FPS, LONGEST, RUN_FILES, SLIDES, files_below, report, run

pytestmark = pytest.mark.blender


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
    failed, page, counted = blend.stderr.splitlines()
    assert "broken.blend" in failed and page.endswith("report.html.") and counted == "1 of 2 failed."
    assert not report(out / "clean" / "broken.report.json")["succeeded"]
    (clip,) = report(out / "clean" / "walk.report.json")["clips"]
    assert clip["metrics"]["before"]["slide"] > SLIDES > 100 * clip["metrics"]["after"]["slide"]
    assert clip["baked"]["action"] == "walk.poise" and clip["baked"]["gap"] < 1e-5

    # The result, as it is shown, to FBX, glTF and BVH, and back again: one process does it all.
    jobs = [Job(str(out / "clean" / "walk.blend"), "walk", str(out / "walk"), kind) for kind in ("fbx", "glb", "bvh")]
    jobs += [Job(str(out / f"walk.{kind}"), "walk", str(out / kind / "walk"), "bvh") for kind in ("fbx", "glb")]
    monkeypatch.setenv("BLENDER_USER_RESOURCES", away_from_the_user["BLENDER_USER_RESOURCES"])
    for _, told in local_pool.run_in_pool(jobs, BatchOptions()):
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
        *RUN_FILES,
        "untitled.report.json",
        "untitled.walk.constraints.json",
        "untitled.walk.001.constraints.json",
    }
    first, second = report(tmp_path / "both" / "untitled.report.json")["clips"]
    assert (first["name"], second["name"]) == ("walk", "walk.001")

    too_many = run_inside("-o", tmp_path / "both.bvh")
    assert too_many.returncode == 1
    assert "A BVH file holds one character, and here are walk, walk.001: name one with --armature." in too_many.stderr


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


TWO_ACTIONS = """
import json, os, sys
import bpy
from poise import solver
from poise.addon import bridge
from poise.addon.bridge import versions

folder, script = sys.argv[1:3]
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.context.scene.render.fps = 24
for name in ("stroll", "walk"):
    bpy.ops.import_anim.bvh(filepath=f"{folder}/{name}.bvh", frame_start=1)
armature, other = bpy.data.objects["walk"], bpy.data.objects["stroll"]
stroll = other.animation_data.action
stroll.use_fake_user = True
bpy.data.objects.remove(other)
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 30
bpy.ops.wm.save_as_mainfile(filepath=f"{folder}/two.blend")
os._exit(0)
"""
"""Saves a file of one armature with the actions of two motions, of which the armature shows walk."""

LISTS = """
import json, os, sys
import bpy

path = sys.argv[1]
kind = path.rpartition(".")[2]
if kind == "blend":
    bpy.ops.wm.open_mainfile(filepath=path)
else:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.render.fps = 24
    {"fbx": bpy.ops.import_scene.fbx, "glb": bpy.ops.import_scene.gltf, "gltf": bpy.ops.import_scene.gltf}[kind](
        filepath=path
    )
(armature,) = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
told = {"shown": armature.animation_data.action.name if armature.animation_data.action else None}
told["actions"] = sorted(action.name for action in bpy.data.actions)
print("told: " + json.dumps(told), flush=True)
os._exit(0)
"""


def inside(code: str, *arguments: object, environment: dict[str, str]) -> str:
    """What code prints in a Python with Blender."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def two_actions(tmp_path_factory: pytest.TempPathFactory, away_from_the_user: dict[str, str]) -> Path:
    """A folder with a .blend file of two actions, and with the motions that they come from."""
    folder = tmp_path_factory.mktemp("two")
    for name, steps, skate in (("walk", 2, 0.03), ("stroll", 3, 0.04)):
        solver.write_bvh(walk(steps=steps, fps=FPS, skate=skate).clip, folder / f"{name}.bvh")
    inside(TWO_ACTIONS, folder, BATCH, environment=away_from_the_user)
    return folder


def test_each_action_of_a_file_is_cleaned_and_written(
    tmp_path: Path, two_actions: Path, away_from_the_user: dict[str, str]
) -> None:
    """To .blend, and from it to BVH, FBX and glTF: the motions are the cleaned ones, and walk is shown at the end."""
    out = tmp_path / "out"
    done = run(two_actions / "two.blend", "-o", out, "--clean", "stretch", environment=away_from_the_user)
    assert done.returncode == 0, done.stderr
    told = report(out / "two.report.json")
    assert [(clip["name"], clip["succeeded"]) for clip in told["clips"]] == [("walk", True), ("stroll", True)]
    frames = {name: solver.read_bvh(two_actions / f"{name}.bvh").frames for name in ("walk", "stroll")}
    for clip in told["clips"]:
        assert clip["frames"] == frames[clip["name"]] and clip["baked"]["action"] == f"{clip['name']}.poise"
        assert clip["metrics"]["before"]["slide"] > SLIDES > 100 * clip["metrics"]["after"]["slide"]
    listed = json.loads(inside(LISTS, out / "two.blend", environment=away_from_the_user).partition("told: ")[2])
    assert listed == {"shown": "walk.poise", "actions": ["stroll", "stroll.poise", "walk", "walk.poise"]}

    for kind in ("fbx", "glb", "gltf"):
        done = run(out / "two.blend", "-o", out / f"as.{kind}", environment=away_from_the_user)
        assert done.returncode == 0, done.stderr
        listed = json.loads(inside(LISTS, out / f"as.{kind}", environment=away_from_the_user).partition("told: ")[2])
        assert len(listed["actions"]) == 2
        assert all(any(name in action for action in listed["actions"]) for name in frames), listed
    jobs = [Job(str(out / f"as.{kind}"), "as", str(out / kind / "as"), "bvh") for kind in ("fbx", "glb", "gltf")]
    jobs.append(Job(str(out / "two.blend"), "as", str(out / "blend" / "as"), "bvh"))
    for job, done_report in local_pool.run_in_pool(jobs, BatchOptions(("in",))):
        assert done_report["succeeded"], (job, done_report["error"])
    made = {
        kind: {name: next((out / kind).glob(f"as.*{name}*.bvh")) for name in frames}
        for kind in ("blend", "fbx", "glb", "gltf")
    }
    for name, count in frames.items():
        saved = solver.read_bvh(made["blend"][name])
        plants = solver.detect_footplants(solver.read_bvh(two_actions / f"{name}.bvh"))
        assert solver.foot_metrics(saved, plants).slide < SLIDES / 100, f"{name}: the source was saved, not the result"
        for kind in ("fbx", "glb", "gltf"):
            again = solver.read_bvh(made[kind][name])
            assert again.frames == count
            for joint in saved.skeleton.names:
                apart = np.abs(again.position(joint) - saved.position(joint)).max()
                assert apart < 1e-4 * saved.skeleton.size, f"{kind} {name}: {joint}"


def test_one_action_that_fails_does_not_stop_the_other(
    tmp_path: Path, two_actions: Path, away_from_the_user: dict[str, str]
) -> None:
    """Constraints are there for one of them."""
    stroll = solver.read_bvh(two_actions / "stroll.bvh")
    (tmp_path / "found").mkdir()
    run(two_actions / "two.blend", "-o", tmp_path / "found", "--detect", environment=away_from_the_user)
    assert files_below(tmp_path / "found") == {
        *RUN_FILES,
        *("two.report.json", "two.walk.constraints.json", "two.stroll.constraints.json"),
    }
    (tmp_path / "found" / "two.walk.constraints.json").write_text("nonsense")
    done = run(
        *(two_actions / "two.blend", "-o", tmp_path / "out", "--format", "bvh", "--constraints", tmp_path / "found"),
        environment=away_from_the_user,
    )
    assert done.returncode == 1 and "walk: two.walk.constraints.json" in done.stderr
    assert files_below(tmp_path / "out") == {*RUN_FILES, "two.report.json", "two.stroll.bvh"}
    assert solver.read_bvh(tmp_path / "out" / "two.stroll.bvh").frames == stroll.frames


def test_a_gltf_result_never_overwrites_the_buffer_of_an_input(
    tmp_path: Path, skating: solver.Clip, away_from_the_user: dict[str, str]
) -> None:
    """`a.gltf -o b.gltf`, where a.gltf has the buffer b.bin."""
    solver.write_bvh(skating, tmp_path / "a.bvh")
    assert run(tmp_path / "a.bvh", "-o", tmp_path / "a.gltf", environment=away_from_the_user).returncode == 0
    (buffer,) = tmp_path.glob("a-*.bin")
    content = json.loads((tmp_path / "a.gltf").read_text())
    content["buffers"][0]["uri"] = "b.bin"
    (tmp_path / "a.gltf").write_text(json.dumps(content))
    before = buffer.rename(tmp_path / "b.bin").read_bytes()
    for options in ([], ["--clean", "stretch"]):
        done = run(tmp_path / "a.gltf", "-o", tmp_path / "b.gltf", *options, environment=away_from_the_user)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "b.bin").read_bytes() == before
    (own,) = tmp_path.glob("b-*.bin")
    assert json.loads((tmp_path / "b.gltf").read_text())["buffers"][0]["uri"] == own.name, "that of the first is gone"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]

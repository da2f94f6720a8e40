# SPDX-License-Identifier: GPL-3.0-or-later
"""`make demo`: edits, page and processes; one chapter as a whole, with tiny pictures, whose file is opened again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from poise import addon, solver
from poise.addon import bridge
from poise.addon.properties import character_of
from poise.addon.workflows import example_character
from poise.solver import synthetic

SCRIPTS = Path(__file__).parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import demo  # noqa: E402
from demonstration import chapters, clips, edits, page, rendering  # noqa: E402
from demonstration.chapters import Chapter, Job  # noqa: E402
from demonstration.stage import Stage  # noqa: E402

TINY = rendering.Quality(still=(96, 54), animation=(64, 36), rate=5, seconds=0.6)


@pytest.fixture(autouse=True)
def afterwards() -> Iterator[None]:
    """Leave Blender as it was: stages register the add-on."""
    yield
    if hasattr(bpy.types.Object, "poise"):
        addon.unregister()
    bpy.ops.wm.read_homefile(use_empty=True)


@pytest.fixture(scope="module")
def engine() -> rendering.Engine:
    return rendering.usable_engine()


@pytest.fixture
def job(tmp_path: Path, engine: rendering.Engine) -> Job:
    return Job(tmp_path, engine, TINY)


# A chapter as a whole -----------------------------------------------------------------------------------------------


def test_a_chapter_draws_writes_and_measures(job: Job) -> None:
    published: list[Chapter] = []
    chapter = chapters.make("feet", replace(job, publish=published.append))
    assert not chapter.problem and set(chapter.files) == {"picture", "animation", "blend", "bvh"}
    assert [each.files for each in published] == [
        {kind: name for kind, name in chapter.files.items() if kind != "animation"}
    ], "the picture is shown before the animation is drawn"
    for name in chapter.files.values():
        assert (job.folder / name).stat().st_size > 500
    assert (job.folder / "feet.mp4").read_bytes()[4:8] == b"ftyp"
    figures = {name: (before, after) for name, before, after in chapter.figures}
    assert figures["Footplants found"] == ("", "7 of 7")
    before, after = (float(text.split()[0]) for text in figures["Longest slide of a standing foot"])
    assert before > 5.0 and after < 0.1
    assert solver.read_bvh(job.folder / "feet.bvh").skeleton.size == pytest.approx(clips.LEG, rel=0.01)

    bpy.ops.wm.open_mainfile(filepath=str(job.folder / "feet.blend"))
    scene = bpy.context.scene
    armature: Any = bpy.context.view_layer.objects.active
    assert armature.name == "Walker" and bridge.has_result(armature)
    items = character_of(armature).constraints
    assert len(items) == 7 and all(item.kind == "FOOTPLANT" and item.points[0].object for item in items)
    assert armature.animation_data.action.name == "Walker.poise"
    assert scene.camera is not None and scene.render.fps == 30 and scene.frame_step == 1
    source = bridge.read(bpy.data.objects["Walker Before"]).clip
    bridge.apply_result(armature)
    metrics = solver.foot_metrics(bridge.read(armature).clip, solver.detect_footplants(source), source=source)
    assert metrics.largest_slide < 0.01, "the result is what the file shows"


def test_chapters_that_are_not_possible_say_why(job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver.spacetime, "is_available", lambda: False)
    assert "CasADi" in chapters.make("moon", job).problem
    standing = tmp_path / "stands.bvh"
    solver.write_bvh(synthetic.jump().clip, standing)
    assert chapters.make("catwalk", replace(job, clip=standing)).problem.startswith("This is for walks")
    empty = tmp_path / "empty.bvh"
    empty.write_text("no motion", encoding="utf-8")
    assert "empty.bvh" in chapters.make("feet", replace(job, clip=empty)).problem


# Motions and edits --------------------------------------------------------------------------------------------------


def test_a_file_is_scaled_to_the_stage_and_put_on_its_floor(tmp_path: Path) -> None:
    motion = synthetic.walk(synthetic.human().scaled(100.0), steps=4)
    raised = np.array(motion.clip.motion.translations)
    raised[:, 0, 1] += 30.0
    clip = solver.Clip(motion.clip.skeleton, solver.Motion(motion.clip.motion.rotations, raised), motion.clip.fps)
    path = tmp_path / "high.bvh"
    solver.write_bvh(clip, path)
    source = clips.of_file(path)
    assert source.size == pytest.approx(clips.LEG) and source.name == "high" and not source.note
    heels = source.clip.position(source.clip.skeleton.landmarks.require("left_heel"))[:, 1]
    assert heels.min() == pytest.approx(0.0, abs=0.01)
    back = clips.back_in_units(source, source.clip)
    assert back.skeleton.size == pytest.approx(clip.skeleton.size, rel=1e-6)


def test_of_a_long_file_the_first_seconds_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "long.bvh"
    solver.write_bvh(synthetic.walk(steps=14).clip, path)
    source = clips.of_file(path)
    assert source.clip.frames == clips.LONGEST * 30 + 1
    assert source.note == f"Of its {solver.read_bvh(path).frames} frames, 0 to {source.clip.frames - 1} are taken."


@pytest.fixture(scope="module")
def walk() -> tuple[solver.Clip, list[Any], edits.Way]:
    clip = synthetic.walk(up="z", steps=6, heading=0.4).clip
    plants = solver.detect_footplants(clip)
    return clip, plants, edits.way_of(clip, plants)


def test_the_way_of_a_walk_is_where_it_goes(walk: tuple[solver.Clip, list[Any], edits.Way]) -> None:
    clip, plants, way = walk
    assert way.heading == pytest.approx(0.4, abs=0.02) and edits.is_walk(clip, plants, way)
    assert way.widest < 0.1 * clip.skeleton.size
    jump = synthetic.jump(up="z").clip
    found = solver.detect_footplants(jump)
    assert not edits.is_walk(jump, found, edits.way_of(jump, found))


def test_the_plants_of_a_catwalk_are_on_the_line(walk: tuple[solver.Clip, list[Any], edits.Way]) -> None:
    clip, plants, way = walk
    made = [each for each in edits.catwalk(clip, plants, way) if isinstance(each, solver.Footplant)]
    assert len(made) == len(plants)
    assert np.abs([way.aside(np.asarray(plant.position)) for plant in made]).max() < 1e-9
    assert {plant.heading for plant in made} == {way.heading}


def test_a_plant_of_toes_alone_is_where_the_ball_is(walk: tuple[solver.Clip, list[Any], edits.Way]) -> None:
    clip, plants, _ = walk
    toes = solver.Footplant(foot="left", toe_strike=plants[1].toe_strike, toe_off=plants[1].toe_off)
    np.testing.assert_allclose(edits.middle_of(clip, toes), edits.stand_of(clip, toes)[1])


def test_stairs_begin_before_each_heel(walk: tuple[solver.Clip, list[Any], edits.Way]) -> None:
    clip, plants, way = walk
    begins = edits.stair_edges(clip, plants, way)
    assert len(begins) == len(plants) - edits.FIRST_STAIR and (np.diff(begins) > 0.3 * clip.skeleton.size).all()
    heels = np.array([way.along(edits.stand_of(clip, plant)[0]) for plant in plants])
    assert (begins < heels[edits.FIRST_STAIR :]).all() and (begins > heels[edits.FIRST_STAIR - 1 : -1]).all()


def test_the_ground_of_the_stage_has_the_steps(walk: tuple[solver.Clip, list[Any], edits.Way]) -> None:
    clip, plants, way = walk
    stage = Stage(clips.Source("Climber", clip, None), way)
    begins = edits.stair_edges(clip, plants, way)
    ground: Any = stage.add_stairs(begins, 0.2)
    bpy.context.view_layer.update()
    for number, begin in enumerate(begins, start=1):
        place = way.origin + (begin + 0.05) * way.ahead
        hit, where, *_ = ground.ray_cast((*place[:2].tolist(), 9.0), (0.0, 0.0, -1.0))
        assert hit and where.z == pytest.approx(0.2 * number, abs=0.01)


# The page and the processes -----------------------------------------------------------------------------------------

FILES = {"picture": "a.png", "animation": "a.mp4", "blend": "a.blend", "bvh": "a.bvh"}
CHAPTER = Chapter("a", "A <title>", "What one sees.", (("Slide", "3 %", "0 %"),), FILES)


def test_the_page_shows_files_figures_and_problems() -> None:
    text = page.html([CHAPTER, Chapter("b", "B", "", problem="It is no walk & cannot be one.")], ["C"])
    for expected in ('src="a.mp4"', 'poster="a.png"', 'href="a.blend"', 'href="a.bvh"', "3 %", "0 %", "What one sees."):
        assert expected in text
    assert "A &lt;title&gt;" in text and "It is no walk &amp; cannot be one." in text and "Still being made: C" in text


def test_the_page_shows_a_picture_until_there_is_an_animation() -> None:
    files = {kind: name for kind, name in FILES.items() if kind != "animation"}
    text = page.html([replace(CHAPTER, files=files)])
    assert '<img src="a.png"' in text and "<video" not in text


def test_chapters_are_the_same_after_a_file() -> None:
    assert Chapter.from_json(CHAPTER.to_json()) == CHAPTER


def test_a_process_that_fails_leaves_its_log_and_the_others_their_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def started(self: Any, name: str) -> subprocess.Popen[bytes]:
        log = tmp_path / f"{name}.log"
        log.write_text("Traceback", encoding="utf-8")
        if name == "moon":
            return subprocess.Popen([sys.executable, "-c", "import sys; sys.exit(3)"])
        made = replace(CHAPTER, name=name, title=chapters.TITLES[name]).to_json()
        write = f"import pathlib; pathlib.Path({str(tmp_path / f'{name}.json')!r}).write_text({made!r})"
        return subprocess.Popen([sys.executable, "-c", write])

    monkeypatch.setattr(demo.Demonstration, "_started", started)
    assert demo.main([str(tmp_path), "--engine", "CYCLES"]) == 0
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "see moon.log" in text and text.count("<video") == len(chapters.OWN) - 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index.html", "moon.log"]
    assert "A run on the moon: Blender has ended with an error" in capsys.readouterr().out


def test_a_clip_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"There is no file .*walk\.bvh"):
        demo.main([str(tmp_path), "--clip", str(tmp_path / "walk.bvh")])


def test_without_a_graphics_driver_cycles_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "PROBE", "import os; os.abort()")
    assert rendering.usable_engine() == "CYCLES"
    source = clips.Source("Walker", example_character.walk(2).clip, None)
    stage = Stage(source, edits.way_of(source.clip, ()))
    stage.aim_camera(40.0, 10.0, 5.0, (0, 10))
    rendering.prepare("CYCLES")
    path = tmp_path / "still.png"
    rendering.draw_still(path, 5, (64, 36))
    image: Any = bpy.data.images.load(str(path))
    pixels = np.array(image.pixels[:]).reshape(36, 64, 4)[..., :3]
    assert pixels.std(axis=(0, 1)).min() > 0.02, "something is seen"


def test_openblas_is_told_to_leave_cores_to_the_other_process() -> None:
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"

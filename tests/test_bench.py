# SPDX-License-Identifier: GPL-3.0-or-later
"""`make bench`: its output, its exit code, and every benchmark at a tiny size. Times are not checked."""

from __future__ import annotations

import importlib
import inspect
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from poise import solver
from poise.solver.body.kinematics import WorldState
from poise.solver.core import rotations
from poise.solver.synthetic import walk as walking

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from benchmarks import (  # noqa: E402
    catalogue,
    character,
    detection_workload,
    page,
    peers,
    planted_walk,
    report,
    workload,
)
from benchmarks.batch_throughput import batch_throughput  # noqa: E402
from benchmarks.bvh_reading import bvh_reading  # noqa: E402
from benchmarks.character import Character, swaying_human  # noqa: E402
from benchmarks.cleanup import cleanup  # noqa: E402
from benchmarks.coming_to_rest import coming_to_rest  # noqa: E402
from benchmarks.conflict import conflict  # noqa: E402
from benchmarks.conflicted_walk import conflicted_walk  # noqa: E402
from benchmarks.conflicts import cases, conflicts  # noqa: E402
from benchmarks.detection import PLANTS, detection, detection_growth  # noqa: E402
from benchmarks.enforced_walk import BATCH, SEQUENTIAL, enforced_walk  # noqa: E402
from benchmarks.figures import Direction, Figure  # noqa: E402
from benchmarks.integration_and_damping import integration_and_damping  # noqa: E402
from benchmarks.jumps import EDITS, jumps  # noqa: E402
from benchmarks.parameterization import parameterization  # noqa: E402
from benchmarks.physics import physics  # noqa: E402
from benchmarks.planted_walk import AccelerationRatios, PlantedWalk, WalkTargets, made_up_walk  # noqa: E402
from benchmarks.posture_speed import poise_name, posture_speed  # noqa: E402
from benchmarks.solving_again import dragging, solving_again  # noqa: E402
from benchmarks.timing import take_turns  # noqa: E402
from benchmarks.transpose import transpose  # noqa: E402
from benchmarks.walk_growth import walk_growth  # noqa: E402
from benchmarks.walk_memory import walk_memory  # noqa: E402

PNG = b"\x89PNG\r\n"
SAME_MODEL = 1e-9
"""Sizes of the character by which two libraries may place the same body differently."""

needs_peers = pytest.mark.peers("pinocchio", "pink", "mink", "mujoco", "placo", "qpsolvers", "daqp")


@pytest.fixture(scope="module")
def human() -> Character:
    return Character(swaying_human(frames=7), "synthetic human")


@pytest.fixture(scope="module")
def step() -> PlantedWalk:
    """The shortest walk there is."""
    return made_up_walk(frames=1)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """scripts/bench.py, writing into a temporary folder; its changes of the environment are undone afterwards."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
        monkeypatch.setenv(variable, "1")
    module = importlib.import_module("bench")
    monkeypatch.setattr(module, "RESULT", tmp_path / "build" / "bench.json")
    monkeypatch.setattr(module, "DOCS", tmp_path / "docs")
    return module


# Figures and report ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "bound", "direction", "holds"),
    [
        (1.0, None, "at most", None),
        (1.0, 1.0, "at most", True),
        (1.1, 1.0, "at most", False),
        (1.0, 1.0, "at least", True),
        (0.9, 1.0, "at least", False),
        (None, 1.0, "at most", False),
        (math.nan, 1.0, "at most", False),
        (-math.inf, 1.0, "at most", False),
        (math.inf, 1.0, "at least", False),
        (None, None, "at most", None),
    ],
)
def test_a_bound_holds(value: float | None, bound: float | None, direction: Direction, holds: bool | None) -> None:
    assert Figure("speed", value, "ms", bound, direction).holds is holds


def test_the_json_has_every_field_and_no_number_that_json_lacks() -> None:
    figures = [
        Figure("fast", 0.25, "ratio", 0.5, note="beside µ"),
        Figure("slow", 3.0, "ms"),
        Figure("gone", math.nan, "ms", 1.0, "at least"),
    ]
    fast, slow, gone = json.loads(report.as_json(figures), parse_constant=pytest.fail)
    assert fast == {
        "name": "fast",
        "value": 0.25,
        "unit": "ratio",
        "bound": 0.5,
        "direction": "at most",
        "holds": True,
        "note": "beside µ",
    }
    assert (slow["bound"], slow["direction"], slow["holds"]) == (None, None, None)
    assert (gone["value"], gone["holds"], gone["direction"]) == (None, False, "at least")


def test_the_table_is_aligned_and_marks_what_is_broken() -> None:
    figures = [
        Figure("a", 0.123456, "ms", 1.0, note="kept"),
        Figure("a longer name", 12.0, "ms / posture", 1.0, note="broken"),
        Figure("none", None, "ms"),
    ]
    heading, rule, kept, broken, none = report.as_table(figures).splitlines()
    assert rule.startswith("─")
    for column in ("unit", "bound", "holds", "note"):
        begin = heading.index(column)
        assert kept[begin - 2 : begin] == broken[begin - 2 : begin] == "  "
    assert "0.123" in kept and "yes" in kept and kept.endswith("kept")
    assert "NO" in broken and "at most 1" in broken
    assert "–" in none


def test_a_broken_bound_is_a_sentence_that_names_it() -> None:
    figures = [
        Figure("good", 1.0, "ms", 2.0),
        Figure("bad", 3.0, "ms", 2.0),
        Figure("few", 1.0, "times", 2.0, "at least"),
    ]
    assert report.broken_bounds(figures) == [
        "bad is 3 ms, but must be at most 2.",
        "few is 1 times, but must be at least 2.",
    ]


# Timing ------------------------------------------------------------------------------------------------------------


def test_jobs_take_turns_after_a_round_that_does_not_count() -> None:
    ran: list[str] = []

    def job(name: str, units: int) -> int:
        ran.append(name)
        return units

    timings = take_turns({"one": lambda: job("one", 1), "many": lambda: job("many", 1_000_000)}, rounds=3)
    assert ran == ["one", "many"] * 4
    assert all(len(rounds) == 3 for rounds in timings.rounds.values())
    assert timings.median("many") < timings.median("one"), "time is for one unit of work"
    assert timings.fastest("one") <= timings.median("one")
    assert timings.ratio("one", "one") == 1.0


# The command -------------------------------------------------------------------------------------------------------


def kept() -> Iterator[Figure]:
    """A figure within its bound."""
    yield Figure("kept", 1.0, "ms", 2.0)


def broken() -> Iterator[Figure]:
    """A figure that breaks its bound."""
    yield Figure("broken", 3.0, "ms", 2.0)


def test_a_whole_run_writes_the_json_and_fails_where_a_bound_is_broken(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "BENCHMARKS", {"kept": kept, "broken": broken})
    assert bench.main([]) == 1
    names = [entry["name"] for entry in json.loads(bench.RESULT.read_text(encoding="utf-8"))]
    assert names == ["kept", "broken"]
    printed = capsys.readouterr().out
    assert "A figure within its bound." in printed and "broken is 3 ms, but must be at most 2." in printed

    monkeypatch.setattr(bench, "BENCHMARKS", {"kept": kept})
    assert bench.main([]) == 0


def test_a_whole_run_writes_the_page_with_its_plots(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "BENCHMARKS", {"kept": kept, "broken": broken})
    bench.main([])
    text = (bench.DOCS / "benchmarks.md").read_text(encoding="utf-8")
    assert text.index("A figure within its bound") < text.index("| kept | 1 | ms | at most 2 |  |")
    assert "| broken | 3 | ms | **at most 2: broken** |  |" in text
    assert "](pictures/bench_bounds.svg)" in text and (bench.DOCS / "pictures" / "bench_bounds.svg").is_file()


def test_the_page_is_written_again_from_the_json(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bench.main(["--page"]) == 2, "nothing was measured yet"
    monkeypatch.setattr(bench, "BENCHMARKS", {"kept": kept})
    bench.main([])
    path = bench.DOCS / "benchmarks.md"
    text = path.read_text(encoding="utf-8")
    path.unlink()
    assert bench.main(["--page"]) == 0
    assert path.read_text(encoding="utf-8") == text


def test_times_of_a_benchmark_are_drawn(tmp_path: Path) -> None:
    figures = [
        Figure("Poise", 1.0, "ms / frame", 2.0),
        Figure("pink, feet hold", 50.0, "ms / frame"),
        Figure("missing", None, "ms / frame", note="a | b"),
        Figure("share", 0.5, "ratio"),
    ]
    drawn = tmp_path / "drawn"
    drawn.mkdir()
    (drawn / page.DRAWN["transpose"]).write_bytes(PNG)
    text = page.write({"speed": figures, "transpose": figures[3:]}, {}, tmp_path, drawn).read_text(encoding="utf-8")
    picture = (tmp_path / "pictures" / "bench_speed.svg").read_text(encoding="utf-8")
    assert "pink, feet hold" in picture and "share" not in picture and "missing" not in picture
    assert "pictures/bench_transpose.png" in text and (tmp_path / "pictures" / "bench_transpose.png").is_file()
    assert "a \\| b" in text, "a note must not end its cell"


def test_a_part_of_the_run_leaves_the_json_alone(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "BENCHMARKS", {"kept": kept, "broken": broken})
    assert bench.main(["kept"]) == 0
    assert not bench.RESULT.exists()


def test_an_unknown_benchmark_gives_one_sentence(bench: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["posture_sped"]) == 2
    told = capsys.readouterr().err
    assert "posture_sped" in told and "posture_speed" in told and len(told.splitlines()) == 1


def test_no_two_figures_have_the_same_name(human: Character, step: PlantedWalk, tmp_path: Path) -> None:
    figures = [
        *bvh_reading(tmp_path / "gone.bvh"),
        *posture_speed(human, batches=(1, 2), peer_names=(), iterations=1, rounds=1),
        *coming_to_rest(human, postures=1),
        *conflict(human, peer_names=(), iterations=1, postures=1),
        *integration_and_damping((1.0,), (0.4,), (0.4,), voxels=4, most_iterations=20, folder=tmp_path),
        *parameterization(joints=(2,), copies=1, rounds=1, folder=tmp_path),
        *transpose(folder=tmp_path),
        *enforced_walk(step, peer_names=(), rounds=1),
        *solving_again(step, moves=1, runs=1),
        *dragging(step, moves=3),
        *walk_growth(lengths=(1, 20), rounds=1, smallest_job=1),
        *detection(made_up_walk(60), frames=80, rounds=1),
        *detection_growth(lengths=(60, 80), rounds=1, smallest_job=1),
    ]
    names = [figure.name for figure in figures]
    assert len(set(names)) == len(names)


def test_every_benchmark_has_a_title_and_needs_no_arguments() -> None:
    assert len(catalogue.BENCHMARKS) >= 6
    for name, benchmark in catalogue.BENCHMARKS.items():
        assert catalogue.title(benchmark), f"{name} says nothing about itself"
        for parameter in inspect.signature(benchmark).parameters.values():
            assert parameter.default is not parameter.empty, f"{name} needs {parameter.name}"


# The work ----------------------------------------------------------------------------------------------------------


def test_the_work_is_the_same_for_a_character_of_any_size(human: Character) -> None:
    in_sizes = workload.in_sizes(human.clip)
    assert in_sizes.skeleton.size == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(
        in_sizes.center_of_mass(), human.clip.center_of_mass() / human.clip.skeleton.size, atol=1e-12
    )


def test_without_the_captured_clips_a_made_up_human_is_measured_and_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(character, "WALK", tmp_path / "gone.bvh")
    assert "synthetic" in character.walking().name


def test_the_hand_reaches_its_target_while_feet_and_balance_hold(human: Character) -> None:
    work = workload.reach(human.clip, frames=10)
    assert work.frames == 10, "frames are repeated where the clip is shorter"
    solved = solver.solve_postures(work.skeleton, work.start, work.tasks())
    assert solved.converged.all()
    for task, error in zip(work.tasks()[:-1], solved.errors, strict=False):
        assert np.abs(error).max() < 1e-6, task.label


def test_the_conflict_is_one(human: Character) -> None:
    work = workload.conflict(human.clip, np.array([0, 3]))
    state = WorldState.of(work.skeleton, work.start)
    arm = state.positions[:, work.skeleton.index(work.hand)] - state.positions[:, work.skeleton.landmarks.left_shoulder]
    away = work.hand_target - state.positions[:, work.skeleton.landmarks.left_shoulder]
    assert (np.linalg.norm(away, axis=1) > np.linalg.norm(arm, axis=1) + 1.0).all()


def test_the_captured_walk_has_its_labelled_plants(mocap: Path) -> None:
    walk = planted_walk.planted_walk(mocap / "02_01.bvh")
    assert (walk.clip.frames, len(walk.clip.skeleton), len(walk.plants)) == (344, 31, 7)
    assert walk.first == 1, "the calibration pose is no part of the walk"


def test_without_the_captured_walk_a_made_up_one_is_planted_and_named(tmp_path: Path) -> None:
    walk = planted_walk.planted_walk(tmp_path / "gone.bvh")
    assert "synthetic" in walk.name and walk.clip.frames >= 344


def test_a_made_up_walk_is_as_long_as_asked_but_for_one_step() -> None:
    step = made_up_walk(1).clip.frames
    for frames in (40, 100):
        assert frames <= made_up_walk(frames).clip.frames <= frames + step


def test_the_targets_of_a_walk_stand_still_and_keep_the_foot_rigid(step: PlantedWalk) -> None:
    targets = WalkTargets.of(step)
    for plant in step.plants:
        for part, (begin, end) in plant.stays.items():
            number = planted_walk.POINTS.index(f"{plant.foot}_{'heel' if part == 'heel' else 'ball'}")
            stay = slice(int(begin), int(end) + 1)
            assert targets.held[stay, number].all() and targets.active[stay, number].all()
            assert np.ptp(targets.positions[stay, number], axis=0).max() < SAME_MODEL, f"{plant.label}: {part}"
    lengths = np.linalg.norm(targets.positions[:, 1::2] - targets.positions[:, ::2], axis=-1)
    whole = targets.active[:, 1::2] & targets.active[:, ::2]
    assert np.ptp(lengths[whole]) < 1e-3


def test_a_walk_is_judged_by_how_far_its_feet_are_and_how_much_its_joints_shake(step: PlantedWalk) -> None:
    targets, motion = WalkTargets.of(step), step.clip.motion
    asked = solver.deform(step.clip, step.constraints).clip.motion
    assert targets.largest_miss(asked) < 1e-6
    lifted = solver.Motion.from_root(
        targets.skeleton, asked.rotations, asked.root_translation + np.array([0.0, 0.1, 0.0])
    )
    assert targets.largest_miss(lifted) == pytest.approx(0.1, abs=1e-6)
    assert AccelerationRatios.of(step, motion) == AccelerationRatios(1.0, pytest.approx(1.0))  # type: ignore[arg-type]
    shaken = motion.rotations.copy()
    knee = step.clip.skeleton.landmarks.require("left_knee")
    shaken[::2, knee] = rotations.multiply(shaken[::2, knee], rotations.exp([0.2, 0.0, 0.0]))
    assert AccelerationRatios.of(step, solver.Motion(shaken, motion.translations)).joint > 2.0


# The benchmarks, on tiny sizes -------------------------------------------------------------------------------------


def test_posture_speed_times_every_batch(human: Character) -> None:
    figures = list(posture_speed(human, batches=(1, 3), peer_names=(), iterations=2, rounds=1))
    assert [figure.name for figure in figures[:2]] == [poise_name(1), poise_name(3)]
    assert [figure.bound for figure in figures] == [None, None, 10.0, None]
    assert all(figure.value is not None and figure.value > 0.0 for figure in figures)


def test_cleanup_judges_every_method_and_times_clips_and_streams(step: PlantedWalk) -> None:
    figures = list(cleanup(whole=step, sparse=step, short=step, rounds=1))
    names = [figure.name for figure in figures]
    assert len(set(names)) == len(names) == 26
    judged = [figure for figure in figures if figure.bound is not None and figure.unit != "frames/s"]
    assert len(judged) == 6 and not report.broken_bounds(judged)


def test_jumps_are_measured_on_clips_on_a_part_and_on_edits(tmp_path: Path) -> None:
    walk = made_up_walk(40)
    path = tmp_path / "walk.bvh"
    solver.write_bvh(walk.clip, path)
    chosen = {"golf swing": EDITS["golf swing"]}
    *clips, part, edit = jumps([path], walk, part=(5, 30), examples=chosen)
    assert [figure.bound for figure in clips] == [1.5, 1e-6, 1.5, 1e-6, 1.5, 1e-4]
    assert [part.bound, edit.bound] == [1.5, 2.0]
    assert all(figure.value is not None and figure.value < 1e-5 for figure in clips[1::2])
    # The part begins and ends with feet that are somewhere else than in the frames around it.
    assert part.value is not None and part.value > 1.0 and "at frame" in part.note
    assert all(figure.value is not None and figure.value > 0.0 for figure in (*clips[::2], edit))


def test_a_clip_that_jumps_for_its_own_faults_is_repaired_and_they_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cleanup adds to what the fault does: without it, it adds nothing."""
    clip = walking(steps=2, fps=120.0).clip
    turned, shoulder = clip.motion.rotations.copy(), clip.skeleton.index("l_shoulder")
    turned[40, shoulder] = rotations.multiply(turned[40, shoulder], rotations.exp([0.5, 0.0, 0.0]))
    path = tmp_path / "broken.bvh"
    solver.write_bvh(clip.with_motion(solver.Motion(turned, clip.motion.translations)), path)

    def doubling(given: solver.Clip, plants: Any, method: Any) -> solver.Cleaned:
        thrown, shoulder = given.motion.rotations.copy(), given.skeleton.index("l_shoulder")
        usual = rotations.slerp(thrown[39, shoulder], thrown[41, shoulder], 0.5)
        off = rotations.quotient(thrown[40, shoulder], usual)
        thrown[40, shoulder] = rotations.multiply(off, thrown[40, shoulder])
        result = given.with_motion(solver.Motion(thrown, given.motion.translations))
        return solver.Cleaned(result, (), (), {}, np.zeros((given.frames, 3)))

    monkeypatch.setattr("benchmarks.jumps.cleaned", doubling)
    figures = list(jumps([path], made_up_walk(40), part=(5, 30), examples={}))[:6]
    assert all(figure.holds and "repaired frame 40: a glitch of l_shoulder" in figure.note for figure in figures[::2])


def test_coming_to_rest_counts_postures_and_iterations(human: Character) -> None:
    share, mean, late, duration = (figure.value for figure in coming_to_rest(human, postures=4))
    assert share == 100.0
    assert mean is not None and late is not None and 1.0 <= mean <= late
    assert duration is not None and duration > 0.0


def test_conflict_judges_feet_and_balance_of_poise(human: Character) -> None:
    figures = list(conflict(human, peer_names=(), postures=2, iterations=60))
    assert sum(figure.bound is not None for figure in figures) == 3
    assert not report.broken_bounds(figures)


def test_integration_and_damping_counts_and_draws(tmp_path: Path) -> None:
    figures = list(
        integration_and_damping(
            steps=(0.5, 1.0),
            dampings=(0.0, 0.4),
            small_dampings=(0.0, 0.2),
            voxels=4,
            most_iterations=40,
            folder=tmp_path,
        )
    )
    assert (tmp_path / "figure_3_9.png").read_bytes().startswith(PNG)
    values = {figure.name: figure.value for figure in figures}
    assert len(values) == 4
    assert all(value is not None and 1.0 <= value <= 40.0 for value in values.values())


def test_parameterization_compares_and_draws(tmp_path: Path) -> None:
    figures = list(parameterization(joints=(2, 4), copies=1, rounds=1, folder=tmp_path))
    assert (tmp_path / "figure_3_7.png").read_bytes().startswith(PNG)
    assert {figure.unit for figure in figures} == {"iterations", "µs / posture / iteration", "ratio"}


def test_transpose_needs_more_iterations_and_draws(tmp_path: Path) -> None:
    figures = list(transpose(folder=tmp_path))
    assert (tmp_path / "figure_3_12.png").read_bytes().startswith(PNG)
    assert not report.broken_bounds(figures)


def test_the_enforced_walk_is_judged_without_peers_too(step: PlantedWalk) -> None:
    figures = {figure.name: figure for figure in enforced_walk(step, peer_names=(), rounds=1)}
    assert figures[BATCH].unit == figures[SEQUENTIAL].unit == "ms"
    judged = [figure for figure in figures.values() if figure.bound is not None]
    assert len(judged) == 2 and not report.broken_bounds(judged)
    assert figures[f"{BATCH}: planted points miss"].value < 1e-6  # type: ignore[operator]


def test_dragging_tells_when_something_is_shown_and_how_evenly(step: PlantedWalk) -> None:
    figures = {figure.name: figure for figure in dragging(step, moves=4)}
    for name, most in (("the first plant", 30.0), ("a hand out of reach", 35.0)):
        late, median, result = (
            figures[f"dragging {name}: {what}"]
            for what in ("first preview, 95th percentile", "first preview, median", "result, median")
        )
        assert late.bound == most and late.value is not None and median.value is not None and result.value is not None
        assert 0.0 < median.value <= late.value and median.value < result.value
    jump = figures["dragging the first plant: move of a preview : of the target, 95th percentile"]
    assert jump.value is not None and jump.bound is not None and 0.5 < jump.value < jump.bound


def test_solving_again_tells_how_long_and_how_much(step: PlantedWalk) -> None:
    figures = {figure.name: figure for figure in solving_again(step, moves=2, runs=1)}
    late, median = figures["one plant moved: 95th percentile"], figures["one plant moved: median"]
    assert late.bound == 50.0 and late.value is not None and median.value is not None and late.value >= median.value
    assert 0.0 < figures["one plant moved: frames solved, most"].value <= step.clip.frames  # type: ignore[operator]
    assert figures["one plant moved: largest miss of a plant"].value < 1e-5  # type: ignore[operator]


def test_conflicts_are_timed_beside_the_walk_in_reach(step: PlantedWalk) -> None:
    chosen = "a hand 1.2 sizes away, strict"
    figures = {each.name: each for each in conflicts(step, chosen=[chosen], rounds=1, moves=1, best={chosen: 0.0})}
    name = f"conflict: {chosen}"
    bounds = {each: figure.bound for each, figure in figures.items() if figure.bound is not None}
    assert bounds == {
        f"{name} : in reach": 5.0,
        f"{name}, with its report : in reach": 6.0,
        f"{name}: longest step": 30.0,
        f"{name}: plants and balance miss": 1e-6,
        f"{name}: the hand misses, mean": 0.01,
        "conflict: moved target: 95th percentile": 150.0,
        "conflict: moved target: coarse result, 95th percentile": 50.0,
    }
    assert all(figure.value is not None and figure.value > 0.0 for figure in figures.values())


def test_every_conflict_is_a_valid_set_of_constraints(step: PlantedWalk) -> None:
    found = cases(step)
    assert len(found) == 8 and [case.most for case in found.values()] == [5.0] * 4 + [8.0] * 4
    for case in found.values():
        solver.deforming(step.clip, case.constraints).close()
        assert set(map(id, case.holds)) <= set(map(id, case.constraints))


def test_the_memory_of_a_long_walk_is_measured_in_a_process_of_its_own() -> None:
    (figure,) = walk_memory(frames=40)
    assert figure.value is not None and 0.01 < figure.value < figure.bound == 4.0, figure.note  # type: ignore[operator]


@pytest.mark.slow
def test_the_throughput_of_batches_is_compared_with_that_of_one_process() -> None:
    figures = list(batch_throughput(clips=2, steps=2, rounds=1))
    local = figures[:3]
    assert [figure.name for figure in local] == ["batch: one worker", "batch: two workers", "batch: two workers / one"]
    one, two, ratio = (figure.value for figure in local)
    assert one and two and ratio and abs(ratio - two / one) < 1e-9
    assert all(figure.value is not None or "Dask" in figure.note for figure in figures), figures


def test_growth_is_judged_from_the_longest_but_one_to_the_longest() -> None:
    figures = list(walk_growth(lengths=(1, 20, 40), rounds=1, smallest_job=1))
    assert [figure.bound for figure in figures] == [None, None, None, None, 1.3]
    assert all(figure.value is not None and figure.value > 0.0 for figure in figures)


def test_detection_is_timed_beside_the_baselines_and_judged() -> None:
    figures = {figure.name: figure for figure in detection(made_up_walk(100), frames=120, rounds=1)}
    bounds = [figure.bound for figure in figures.values() if figure.unit == "ms"]
    assert bounds == [10.0, 10.0, 10.0, None, None, None]
    assert all(figure.value is not None and figure.value > 0.0 for figure in figures.values())
    ours = figures[f"detect: F1 of {PLANTS}"]
    assert ours.holds
    theirs = [figure for name, figure in figures.items() if "F1 of baseline" in name]
    assert len(theirs) == 2 and all(figure.value < ours.value for figure in theirs)  # type: ignore[operator]


def test_what_detection_is_timed_on_holds_all_kinds() -> None:
    foot = detection_workload.foot(made_up_walk(100), 400)
    assert foot.clip.frames == 400 and {template.kind for template in foot.templates} == {"space", "line", "point"}
    assert foot.fresh() is not foot.clip
    tumbling, sliding = detection_workload.tumbling(foot.clip), detection_workload.sliding(foot.clip)
    found = solver.detect(tumbling.clip, tumbling.body, tumbling.templates)
    assert {each.kind for each in found} == {"space", "line", "point"} and len(found) >= 12
    assert [each.kind for each in solver.detect_sliding(sliding.clip, sliding.body)] == ["line", "plane"] * 2


def test_the_growth_of_detection_is_judged() -> None:
    figures = list(detection_growth(lengths=(60, 120), rounds=1, smallest_job=1))
    assert [figure.bound for figure in figures] == [None, 10.0, 1.3] * 4
    assert all(figure.value is not None and figure.value > 0.0 for figure in figures)


@pytest.mark.slow
def test_physics_is_timed_and_judged_with_its_residuals() -> None:
    pytest.importorskip("casadi")
    figures = {figure.name: figure for figure in physics(cycles=(1,))}
    for kind in ("run", "jump"):
        assert figures[f"fit of a {kind}"].bound == 30.0 and figures[f"edit of a {kind}"].bound == 10.0
        for what in ("fit", "edit"):
            assert figures[f"{what} of a {kind}: residual"].holds
        assert figures[f"fit of a {kind}: handles, root mean square"].holds
    assert figures["cancelling a fit"].bound == 1.0
    assert figures["fit of 1 cycles"].value is not None


def test_physics_says_when_its_optimiser_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.physics.is_available", lambda: False)
    (figure,) = physics()
    assert figure.value is None and "CasADi" in figure.note


def test_bvh_reading_says_when_there_is_nothing_to_read(tmp_path: Path) -> None:
    (figure,) = bvh_reading(tmp_path / "gone.bvh")
    assert figure.value is None and figure.note


def test_bvh_reading_reads(tmp_path: Path, human: Character) -> None:
    path = tmp_path / "human.bvh"
    solver.write_bvh(human.clip, path)
    (figure,) = bvh_reading(path, rounds=1)
    assert figure.value is not None and figure.value > 0.0


# The peers ---------------------------------------------------------------------------------------------------------


@needs_peers
@pytest.mark.parametrize("name", peers.NAMES)
@pytest.mark.parametrize("constrained", [False, True])
def test_a_peer_has_the_same_body_and_does_the_same_work(name: str, constrained: bool, human: Character) -> None:
    work = workload.reach(human.clip, frames=3)
    peer = peers.open_peer(name, work, constrained)
    assert name in type(peer).__name__.lower() and peer.version
    state = WorldState.of(work.skeleton, work.start)
    hand = state.positions[:, work.skeleton.index(work.hand)]
    for frame in range(work.frames):
        peer.begin(frame)
        body = peer.reached()
        np.testing.assert_allclose(body.foot_positions, work.foot_positions[frame], atol=SAME_MODEL)
        np.testing.assert_allclose(
            body.foot_rotations, rotations.to_matrix(work.foot_rotations[frame]), atol=SAME_MODEL
        )
        np.testing.assert_allclose(body.center_of_mass, state.center_of_mass()[frame], atol=SAME_MODEL)
        np.testing.assert_allclose(body.hand, hand[frame], atol=SAME_MODEL)
    peer.solve(1, iterations=60)
    assert np.linalg.norm(peer.reached().hand - work.hand_target[1]) < 1e-2


@needs_peers
def test_posture_speed_sets_bounds_beside_the_peers(human: Character) -> None:
    figures = list(posture_speed(human, batches=(1, 2), iterations=2, rounds=1, peer_frames=1))
    bounds = {figure.name: figure.bound for figure in figures if figure.bound is not None}
    largest = poise_name(2)
    assert bounds == {
        f"{largest} : pink, feet as constraints": 0.1,
        f"{largest} : placo, weighted": 0.5,
        f"{largest} : placo, feet as constraints": 0.5,
        f"{poise_name(1)} : placo": 1.5,
        "Poise, one posture to rest: median": 10.0,
    }


@needs_peers
def test_conflict_shows_every_peer(human: Character) -> None:
    figures = list(conflict(human, postures=1, iterations=5))
    for name in peers.NAMES:
        shown = [figure for figure in figures if figure.name.startswith(name)]
        assert len(shown) >= 4, f"{name} is missing"
        assert all(figure.bound is None for figure in shown), "only Poise is judged"


@needs_peers
@pytest.mark.parametrize("name", peers.WALKING)
@pytest.mark.parametrize("constrained", [False, True])
@pytest.mark.parametrize("to_rest", [False, True])
def test_a_peer_walks_as_poise_does(name: str, constrained: bool, to_rest: bool, step: PlantedWalk) -> None:
    targets = WalkTargets.of(step)
    walker = peers.open_walker(name, targets, constrained, to_rest)
    assert name in type(walker).__name__.lower() and walker.version
    assert walker.walk() == targets.frames
    assert targets.frames <= walker.iterations < 10 * targets.frames
    assert targets.largest_miss(walker.motion) < 1.001e-5, "by Poise's kinematics the feet do not hold"
    last = WorldState.of(targets.skeleton, walker.motion)
    for number, point in enumerate(targets.points):
        np.testing.assert_allclose(walker.place(number), last.point(point)[-1], atol=SAME_MODEL)
    balance = (last.center_of_mass() - targets.center_of_mass) * walker.horizontal
    assert np.abs(balance).max() < 1e-3, "the centre of mass is not where it should be"
    asked = WorldState.of(targets.skeleton, solver.deform(step.clip, step.constraints).clip.motion)
    assert np.linalg.norm(asked.positions - last.positions, axis=-1).max() < 0.05, "it walks in another way"


@needs_peers
def test_the_enforced_walk_sets_bounds_beside_the_peers(step: PlantedWalk) -> None:
    figures = list(enforced_walk(step, rounds=1))
    bounds = {figure.name: figure.bound for figure in figures if figure.unit == "ratio" and figure.bound is not None}
    assert bounds[f"{BATCH} : pink, feet hold"] == 0.1
    assert bounds[f"{BATCH} : placo, feet hold"] == pytest.approx(1.0 / 6.0)
    (miss,) = (figure for figure in figures if figure.unit == "sizes" and figure.bound is not None)
    assert miss.holds, "Poise's feet are to be no farther from where they should stand than any peer's"


@needs_peers
def test_the_conflicted_walk_sets_bounds_beside_the_peers(step: PlantedWalk) -> None:
    figures = {figure.name: figure for figure in conflicted_walk(step, rounds=1)}
    bounds = {name: figure.bound for name, figure in figures.items() if figure.bound is not None}
    ratios = {"conflicted walk: Poise : pink, feet hold": 1 / 6, "conflicted walk: Poise : placo, feet hold": 1 / 3}
    assert bounds == pytest.approx(ratios)
    for peer in ("pink", "placo"):
        missed = figures[f"conflicted walk: {peer}, feet as constraints, feet hold: planted points miss"].value
        assert missed is not None and missed < 0.1, "it diverges"


@needs_peers
@pytest.mark.parametrize("name", peers.WALKING)
def test_a_peer_holds_feet_that_are_rigid(name: str, mocap: Path) -> None:
    """Six constraints on a foot, of which five are independent: where one is too many there is no solution."""
    walk = planted_walk.planted_walk(mocap / "02_01.bvh")
    targets = WalkTargets.of(walk)
    walker = peers.open_walker(name, targets, feet_are_constraints=True)
    assert walker.is_dependent.any()
    walker.walk()
    assert walker.iterations < 3 * targets.frames
    assert targets.largest_miss(walker.motion) < 1.001e-5
    assert AccelerationRatios.of(walk, walker.motion).joint < 1.3

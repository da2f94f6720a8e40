# SPDX-License-Identifier: GPL-3.0-or-later
"""`make bench`: what it writes, when it fails, and that every benchmark runs, here on tiny sizes. No time is judged."""

from __future__ import annotations

import importlib
import inspect
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from poise import solver
from poise.solver import rotations
from poise.solver.kinematics import WorldState

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from benchmarks import catalogue, character, peers, report, workload  # noqa: E402
from benchmarks.bvh_reading import bvh_reading  # noqa: E402
from benchmarks.character import Character, swaying_human  # noqa: E402
from benchmarks.coming_to_rest import coming_to_rest  # noqa: E402
from benchmarks.conflict import conflict  # noqa: E402
from benchmarks.figures import Direction, Figure  # noqa: E402
from benchmarks.integration_and_damping import integration_and_damping  # noqa: E402
from benchmarks.parameterization import parameterization  # noqa: E402
from benchmarks.posture_speed import poise_name, posture_speed  # noqa: E402
from benchmarks.timing import take_turns  # noqa: E402
from benchmarks.transpose import transpose  # noqa: E402

PNG = b"\x89PNG\r\n"
SAME_MODEL = 1e-9
"""Sizes of the character by which two libraries may place the same body differently."""

needs_peers = pytest.mark.peers("pinocchio", "pink", "mink", "mujoco", "placo", "qpsolvers", "daqp")


@pytest.fixture(scope="module")
def human() -> Character:
    return Character(swaying_human(frames=7), "synthetic human")


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """scripts/bench.py, writing into a temporary folder; what it does to the environment is undone afterwards."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
        monkeypatch.setenv(variable, "1")
    module = importlib.import_module("bench")
    monkeypatch.setattr(module, "RESULT", tmp_path / "build" / "bench.json")
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
    """What holds."""
    yield Figure("kept", 1.0, "ms", 2.0)


def broken() -> Iterator[Figure]:
    """What does not."""
    yield Figure("broken", 3.0, "ms", 2.0)


def test_a_whole_run_writes_the_json_and_fails_where_a_bound_is_broken(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "BENCHMARKS", {"kept": kept, "broken": broken})
    assert bench.main([]) == 1
    names = [entry["name"] for entry in json.loads(bench.RESULT.read_text(encoding="utf-8"))]
    assert names == ["kept", "broken"]
    printed = capsys.readouterr().out
    assert "What holds." in printed and "broken is 3 ms, but must be at most 2." in printed

    monkeypatch.setattr(bench, "BENCHMARKS", {"kept": kept})
    assert bench.main([]) == 0


def test_a_part_of_the_run_leaves_the_json_alone(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "BENCHMARKS", {"kept": kept, "broken": broken})
    assert bench.main(["kept"]) == 0
    assert not bench.RESULT.exists()


def test_an_unknown_benchmark_gives_one_sentence(bench: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["posture_sped"]) == 2
    told = capsys.readouterr().err
    assert "posture_sped" in told and "posture_speed" in told and len(told.splitlines()) == 1


def test_no_two_figures_have_the_same_name(human: Character, tmp_path: Path) -> None:
    figures = [
        *bvh_reading(tmp_path / "gone.bvh"),
        *posture_speed(human, batches=(1, 2), peer_names=(), iterations=1, rounds=1),
        *coming_to_rest(human, postures=1),
        *conflict(human, peer_names=(), iterations=1, postures=1),
        *integration_and_damping((1.0,), (0.4,), (0.4,), voxels=4, most_iterations=20, folder=tmp_path),
        *parameterization(joints=(2,), copies=1, rounds=1, folder=tmp_path),
        *transpose(folder=tmp_path),
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


# The benchmarks, on tiny sizes -------------------------------------------------------------------------------------


def test_posture_speed_times_every_batch(human: Character) -> None:
    figures = list(posture_speed(human, batches=(1, 3), peer_names=(), iterations=2, rounds=1))
    assert [figure.name for figure in figures] == [poise_name(1), poise_name(3)]
    assert all(figure.value is not None and figure.value > 0.0 for figure in figures)


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
    }


@needs_peers
def test_conflict_shows_every_peer(human: Character) -> None:
    figures = list(conflict(human, postures=1, iterations=5))
    for name in peers.NAMES:
        shown = [figure for figure in figures if figure.name.startswith(name)]
        assert len(shown) >= 4, f"{name} is missing"
        assert all(figure.bound is None for figure in shown), "only Poise is judged"

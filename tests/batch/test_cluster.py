# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs on a Dask cluster, and runs whose processes are killed at random."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from poise.batch import cluster
from poise.batch.cluster import MISSING, ClusterError, run_on_cluster
from poise.batch.command_line import BatchOptions
from poise.batch.jobs import Job

from .running import ROOT, run

CLIPS = 40


@pytest.fixture(scope="module")
def trials() -> Iterator[ModuleType]:
    """The module `scripts/batch_trial.py`."""
    spec = importlib.util.spec_from_file_location("batch_trial", ROOT / "scripts" / "batch_trial.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["batch_trial"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["batch_trial"]


@pytest.fixture(scope="module")
def clips(trials: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with short walks, and with what a single process makes of them."""
    folder = tmp_path_factory.mktemp("trial")
    trials.make_clips(folder / "in", CLIPS, seed=1)
    done = trials.run_batch(folder / "in", folder / "single")
    assert done.returncode == 1, "one of them is broken"
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("is_local", [True, False])
def test_every_clip_has_one_result_however_often_processes_are_killed(
    trials: ModuleType, clips: Path, is_local: bool
) -> None:
    """Equal to that of a single process; a finished clip is never written again, and nothing is left behind."""
    if not is_local:
        pytest.importorskip("distributed")
    trial = trials.Trial(clips / "in", clips / f"out{is_local}", seed=5, is_local=is_local, between=5)
    assert trial.run() == 1
    figures = trials.check(trial, clips / "single")
    assert figures["clips"] == CLIPS and figures["failed"] == CLIPS // trials.BROKEN_EVERY
    assert sum(figures["kills"].values()) >= 3, figures
    assert figures["coordinators"] >= 2, figures


def test_a_trial_can_fail(trials: ModuleType, clips: Path, tmp_path: Path) -> None:
    """What a trial looks for is found: a result that is missing, one that differs, and one that was written again."""
    import shutil

    out = tmp_path / "out"
    shutil.copytree(clips / "single", out)
    trial = trials.Trial(clips / "in", out)
    trial.watch()
    report = out / "take00" / "walk0000.report.json"
    report.write_bytes(report.read_bytes().replace(b'"frames"', b'"images"'))
    with pytest.raises(AssertionError, match="written again"):
        trial.watch()
    trial.finished.clear()
    with pytest.raises(AssertionError, match="the reports of take00/walk0000 differ"):
        trials.check(trial, clips / "single")
    shutil.copy(clips / "single" / "take00" / report.name, report)
    (out / "take00" / "walk0001.bvh").write_text("other")
    trial.finished.clear()
    with pytest.raises(AssertionError, match="the results of take00/walk0001 differ"):
        trials.check(trial, clips / "single")
    (out / "take00" / "walk0001.bvh").unlink()
    with pytest.raises(AssertionError, match="files differ"):
        trials.check(trial, clips / "single")


def test_without_dask_the_option_is_refused_in_one_sentence(
    tmp_path: Path, captures: Path, environment: dict[str, str]
) -> None:
    """And without the option Dask is not looked for."""
    site = Path(environment["PYTHONPATH"]) / "sitecustomize.py"
    site.write_text(site.read_text().replace('"addon_utils"', '"addon_utils", "distributed", "dask", "psutil"'))
    done = run(captures, "-o", tmp_path / "out", "--scheduler", "tcp://127.0.0.1:1", environment=environment)
    assert (done.returncode, done.stderr) == (3, f"{MISSING}\n")
    assert not list((tmp_path / "out").glob("*"))
    Path(environment["ASKED_FOR_BLENDER"]).unlink()
    done = run(captures / "walk.bvh", "-o", tmp_path / "walk.bvh", environment=environment)
    assert done.returncode == 0 and not Path(environment["ASKED_FOR_BLENDER"]).exists()


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "PATIENCE", 0.2)
    options = BatchOptions(("in",), "out", scheduler="tcp://127.0.0.1:1")
    with pytest.raises(ClusterError, match=r"No scheduler answers at tcp://127\.0\.0\.1:1"):
        list(run_on_cluster([Job("a.bvh", "a", "out/a", "bvh")], options))


class MadeUpProcess:
    """A process that does nothing."""

    def __init__(self, options: BatchOptions) -> None:
        self.options, self.is_closed = options, False

    def close(self) -> None:
        """Remember that it was closed."""
        self.is_closed = True


@pytest.fixture
def made_up_processes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Job, Any]]:
    """Lets a worker use made-up processes; returns the jobs that they got."""
    seen: list[tuple[Job, Any]] = []

    def attempt(job: Job, _: BatchOptions, process: Any) -> dict[str, Any]:
        seen.append((job, process))
        return {"succeeded": True}

    monkeypatch.setattr(cluster, "ClipProcess", MadeUpProcess)
    monkeypatch.setattr(cluster, "attempt", attempt)
    monkeypatch.setattr(cluster, "_idle", [])
    return seen


def test_a_worker_keeps_its_process_for_the_next_job(made_up_processes: list[tuple[Job, Any]]) -> None:
    job = Job("a.bvh", "a", "out/a", "bvh")
    for clean in ("rigid", "rigid", "stretch"):
        cluster._run_on_worker(job.as_dict(), vars(BatchOptions(("in",), clean=clean)), cluster.VERSION)  # type: ignore[arg-type]
    (first, before), (_, same), (_, other) = made_up_processes
    assert first == job and before is same and before is not other
    assert before.is_closed, "options have changed"
    assert cluster._idle == [other]


def test_a_worker_with_another_version_does_nothing(made_up_processes: list[tuple[Job, Any]]) -> None:
    job = Job("a.bvh", "a", "out/a", "bvh")
    told = cluster._run_on_worker(job.as_dict(), vars(BatchOptions()), "9.9")
    assert told == {"version_differs": cluster.VERSION} and not made_up_processes


def test_paths_are_absolute_on_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.json").touch()
    options = cluster._absolute(BatchOptions(("in",), "out", constraints="found", recipe="own.json"))
    assert (options.output, options.constraints) == (str(tmp_path / "out"), str(tmp_path / "found"))
    assert options.recipe == str(tmp_path / "own.json") and options.plants is None
    assert cluster._absolute(BatchOptions(("in",), "out")).recipe == "biped"
    job = cluster._absolute_job(Job("a.bvh", "a", "out/a", "bvh"))
    assert (job.source, job.stem) == (str(tmp_path / "a.bvh"), str(tmp_path / "out" / "a"))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts Blenders with a window, once each and at the same time, and gives tests what their scenes have seen there.

`seen` is a dictionary that tests/gui/scenes/NAME.py has filled for the tests in tests/gui/test_NAME.py. All scenes that
were selected are played in one run of each Blender: of Blender 4.3 on a screen of 1920×1080, and of the newest on one
of 1366×768. Pictures that scenes ask for are kept in build/gui/.

BLENDER=/path/to/blender tests another Blender instead, on the present display or, without one, on a virtual screen.
BLENDER_GUI_SUITES="trixie sid" says which Blenders of the tool are started.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from poise import solver
from poise.solver import synthetic

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PICTURES = ROOT / "build" / "gui"
TOOL = Path(os.environ.get("BLENDER_GUI", ROOT.parent / "shared" / "tools" / "blender-gui"))
CAPTURED = ROOT.parent / "shared" / "mocap" / "02_01.bvh"
"""A captured walk of 344 frames, which is given to scenes where it is there: how fast live mode is depends on it."""
OWN_BLENDER = os.environ.get("BLENDER", "")
SUITES = os.environ.get("BLENDER_GUI_SUITES", "trixie sid").split()
PLACES = {"trixie": ((1920, 1080), ":77"), "sid": ((1366, 768), ":78")}
"""The screen and the display on which the tool shows each."""

SETUP_LONGEST = 900
"""Seconds: making a Blender ready takes two minutes the first time, on a slow network more."""
STARTS = 2
"""How often a Blender is started that ends before its first window is drawn, as software drawing may do."""
RUN_LONGEST = 1500
"""Seconds for all scenes of one Blender."""


@dataclass(frozen=True)
class Program:
    """A Blender with its screen."""

    name: str
    size: tuple[int, int]
    """Of the screen, in pixels."""
    display: str
    """Of X; empty where the present one is used."""
    command: tuple[str, ...]
    setup: tuple[str, ...] = ()


def programs() -> list[Program]:
    """The Blenders to test."""
    if OWN_BLENDER:
        display = "" if os.environ.get("DISPLAY") else ":79"
        return [Program("own", (1920, 1080), display, (OWN_BLENDER,))]
    found = []
    for suite in SUITES:
        size, display = PLACES[suite]
        of_suite = (str(TOOL), "--suite", suite)
        found.append(Program(suite, size, display, (*of_suite, "run"), (*of_suite, "setup")))
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test in this folder is run for each Blender."""
    if "program" in metafunc.fixturenames:
        found = programs()
        metafunc.parametrize("program", found, ids=[each.name for each in found], scope="session")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.timeout(SETUP_LONGEST + RUN_LONGEST + 60))


class Runs:
    """The runs of Blenders, all started when the first test asks: most of the time of a window is waiting."""

    def __init__(self, folder: Path, scenes: list[str], chosen: list[Program]) -> None:
        self.folder = folder
        self.scenes = scenes
        self.chosen = chosen
        self._outputs: dict[str, Future[str]] = {}

    def seen(self, program: Program, scene: str) -> dict[str, Any]:
        """What a scene has seen in a Blender."""
        if not self._outputs:
            self._start()
        output = self._outputs[program.name].result()
        result = self.folder / program.name / f"{scene}.json"
        assert result.is_file(), f"Blender ended before scene {scene!r} did:\n{output[-6000:]}"
        found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
        assert "broken" not in found, found["broken"]
        return found

    def _start(self) -> None:
        """Start all Blenders, made ready one after the other."""
        archive = self._built()
        for program in self.chosen:
            if program.setup:
                subprocess.run(program.setup, check=True, capture_output=True, timeout=SETUP_LONGEST)
        pool = ThreadPoolExecutor(len(self.chosen))
        self._outputs = {program.name: pool.submit(self._play, program, archive) for program in self.chosen}

    def _play(self, program: Program, archive: Path) -> str:
        """Play all scenes in one Blender and return what it has printed."""
        own = self.folder / program.name
        own.mkdir()
        pictures = PICTURES / program.name
        shutil.rmtree(pictures, ignore_errors=True)
        pictures.mkdir(parents=True)
        walk = own / "Walker.bvh"
        solver.write_bvh(synthetic.walk(steps=30, fps=60.0).clip, walk)
        if CAPTURED.is_file():
            shutil.copy(CAPTURED, own / "captured.bvh")
        printed = own / "printed.txt"
        width, height = (str(side) for side in program.size)
        arguments = ["--factory-startup", "--python-use-system-env", "--enable-event-simulate", "--window-geometry"]
        arguments += ["0", "0", width, height, "--python", str(HERE / "inside.py"), "--", str(archive), str(own)]
        environment = os.environ | {
            "BLENDER_USER_RESOURCES": str(own / "user"),
            "POISE_GUI_WALK": str(walk),
            "POISE_GUI_PICTURES": str(pictures),
        }
        if "physics" in self.scenes:
            environment["POISE_GUI_PACKAGES"] = str(_packages(own))
        if program.display:
            environment["DISPLAY"] = program.display
        command = [*program.command, *arguments, *self.scenes]
        for _ in range(STARTS):
            with screen(program), printed.open("a", encoding="utf-8") as output:
                blender = subprocess.Popen(
                    command, stdout=output, stderr=subprocess.STDOUT, cwd=ROOT, env=environment, start_new_session=True
                )
                try:
                    _take_pictures(blender, own, pictures, environment)
                finally:
                    if blender.poll() is None:
                        os.killpg(blender.pid, signal.SIGKILL)  # Blender is a child of the tool
                    blender.wait()
            if (own / "begun").exists():
                break
        return printed.read_text(encoding="utf-8", errors="replace")

    def _built(self) -> Path:
        """The extension's archive."""
        script = ROOT / "scripts" / "build_extension.py"
        subprocess.run([sys.executable, str(script), str(self.folder)], check=True, capture_output=True)
        (archive,) = self.folder.glob("*.zip")
        return archive


def _packages(folder: Path) -> Path:
    """A folder with a copy of the optimiser of the physics, where this Python has it: Blender has its own Python and
    NumPy, and may see no other folder."""
    found = folder / "packages"
    found.mkdir()
    spec = importlib.util.find_spec("casadi")
    if spec is not None and spec.origin is not None:
        shutil.copytree(Path(spec.origin).parent, found / "casadi", ignore=shutil.ignore_patterns("include"))
    return found


@contextmanager
def screen(program: Program) -> Iterator[None]:
    """A virtual screen of the program's size, where it has a display of its own."""
    if not program.display:
        yield
        return
    width, height = program.size
    command = ["Xvfb", program.display, "-screen", "0", f"{width}x{height}x24", "+extension", "GLX"]
    virtual = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1.0)
    try:
        yield
    finally:
        virtual.terminate()
        virtual.wait()


def _take_pictures(blender: subprocess.Popen[bytes], folder: Path, pictures: Path, environment: dict[str, str]) -> None:
    """Take the pictures that scenes ask for, until Blender ends or the time is over."""
    deadline = time.monotonic() + RUN_LONGEST
    while blender.poll() is None and time.monotonic() < deadline:
        for wanted in folder.glob("*.wanted"):
            picture = pictures / f"{wanted.stem}.png"
            subprocess.run(["import", "-window", "root", str(picture)], env=environment, check=False, timeout=60)
            wanted.unlink()
        time.sleep(0.02)


@pytest.fixture(scope="session")
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """The Blenders, with the scenes of the tests that were selected."""
    if not OWN_BLENDER and not TOOL.is_file():
        pytest.skip("there is no Blender with a window: set BLENDER=/path/to/blender")
    pytest.importorskip("bpy", reason="the extension is built with the bpy module, which is not installed")
    items = [item for item in request.session.items if HERE in item.path.parents]
    names = dict.fromkeys(_scene_of(item.path) for item in items)
    asked = {item.callspec.params["program"].name for item in items if isinstance(item, pytest.Function)}
    chosen = [program for program in programs() if program.name in asked]
    return Runs(tmp_path_factory.mktemp("window"), list(names), chosen)


@pytest.fixture
def seen(request: pytest.FixtureRequest, runs: Runs, program: Program) -> dict[str, Any]:
    """What the scene of this test's module has seen."""
    return runs.seen(program, _scene_of(request.path))


def _scene_of(test: Path) -> str:
    return test.stem.removeprefix("test_")

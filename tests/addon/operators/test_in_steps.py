# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work as a window plays it: in slices, with other events passed on, until it is done, stopped or impossible."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import pytest

from poise.addon.operators import in_steps
from poise.addon.operators.in_steps import InSteps
from poise.addon.workflows import clean, detect, examples, progress, solve

from .test_constraints import LEFT, items, run
from .untouched import state

WORK: dict[str, tuple[progress.Stages, Callable[[Any], in_steps.Steps]]] = {
    "solve": (progress.SOLVE, solve.solve_in_steps),
    "clean": (progress.CLEAN, clean.clean_in_steps),
    "detect_footplants": (progress.FIND, detect.find_footplants_in_steps),
    "detect_template": (
        progress.FIND,
        lambda armature: examples.find_like_examples_in_steps(armature, examples.NewExamples([LEFT], "space", 10, 14)),
    ),
}


class Window(InSteps):
    """An operator as a window plays it, without one: with events that are made up."""

    title = "Solving"
    bl_options = frozenset(("UNDO",))

    def __init__(self, armature: bpy.types.Object, steps: in_steps.Steps, stages: progress.Stages) -> None:
        self.stages = stages
        self.reports: list[tuple[set[str], str]] = []
        self.results: list[Any] = []
        self.timers = 1
        manager = SimpleNamespace(event_timer_remove=self._remove_timer, windows=())
        self.context: Any = SimpleNamespace(window_manager=manager)
        self._begin(armature, steps)
        work: Any = self._work
        work.timer = "timer"

    def report(self, kind: set[str], sentence: str) -> None:
        self.reports.append((kind, sentence))

    def _remove_timer(self, timer: str) -> None:
        self.timers -= 1

    def finish(self, armature: bpy.types.Object, result: Any) -> str:
        self.results.append(result)
        return "Done."

    def event(self, kind: str, value: str = "PRESS") -> Any:
        event: Any = SimpleNamespace(type=kind, value=value)
        return self.modal(self.context, event)

    def until_it_ends(self) -> Any:
        while (answer := self.event("TIMER")) == {"PASS_THROUGH"}:
            pass
        return answer


@pytest.fixture
def lifted(armature: bpy.types.Object) -> Any:
    """A walk with a pin that lifts the left hand."""
    run("constraint_add_pin", bone=LEFT, frame=30)
    items(armature)[0].points[0].object.location.z += 0.15
    return armature


@pytest.fixture(autouse=True)
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_steps, "SLICE", 0.0)


def window_of(name: str, armature: bpy.types.Object) -> Window:
    stages, steps = WORK[name]
    return Window(armature, steps(armature), stages)


@pytest.mark.parametrize("name", WORK)
def test_it_goes_on_by_its_timer_until_it_is_done(name: str, lifted: Any) -> None:
    window, before = window_of(name, lifted), state()
    for event in ("MOUSEMOVE", "MIDDLEMOUSE", "WHEELUPMOUSE", "LEFTMOUSE", "SPACE", "RIGHT_ARROW"):
        assert window.event(event) == {"PASS_THROUGH"}, "the view turns and the timeline scrubs while it runs"
    shares = []
    while window.event("TIMER") == {"PASS_THROUGH"}:
        shown = progress.of(lifted.name)
        assert shown is not None
        shares.append(shown.share)
        assert state() == before, "nothing changes before the last step"
    assert shares == sorted(shares) and shares[-1] > 0.0
    assert len(window.results) == 1
    assert window.reports == [({"INFO"}, "Done.")]
    assert window.timers == 0 and progress.of(lifted.name) is None
    assert state() != before


@pytest.mark.parametrize("name", WORK)
def test_escape_stops_it_at_any_step_and_nothing_has_changed(name: str, lifted: Any) -> None:
    before = state()
    steps = 0
    while True:
        window = window_of(name, lifted)
        if any(window.event("TIMER") != {"PASS_THROUGH"} for _ in range(steps)):
            break
        assert not getattr(bpy.ops.poise, name).poll(), "one work at a time"
        assert window.event("ESC", "RELEASE") == {"PASS_THROUGH"}
        assert window.event("ESC") == {"CANCELLED"}
        assert window.reports == [({"INFO"}, "Solving was stopped; nothing has changed.")]
        assert state() == before
        assert window.timers == 0 and progress.of(lifted.name) is None
        assert getattr(bpy.ops.poise, name).poll()
        steps += 1
    assert steps > 1


def _renamed(armature: Any) -> None:
    armature.name = "Other"


def _replaced(armature: Any) -> None:
    armature.name = "Other"
    bpy.data.objects.new("Walker", armature.data)


def _deleted(armature: Any) -> None:
    bpy.data.objects.remove(armature)


@pytest.mark.parametrize("change", [_renamed, _replaced, _deleted])
def test_an_armature_that_is_gone_ends_it_with_a_sentence(change: Callable[[Any], None], lifted: Any) -> None:
    window = window_of("solve", lifted)
    assert window.event("TIMER") == {"PASS_THROUGH"}
    change(lifted)
    before = state()
    assert window.event("TIMER") == {"CANCELLED"}
    assert window.reports == [
        (
            {"ERROR"},
            "Armature 'Walker' has been deleted or renamed: solving was stopped, and nothing has changed.",
        )
    ]
    assert state() == before
    assert window.timers == 0


def test_an_error_on_the_way_ends_it_with_a_sentence(lifted: Any) -> None:
    window = window_of("solve", lifted)
    assert window.event("TIMER") == {"PASS_THROUGH"}
    lifted.animation_data.action = None
    assert window.until_it_ends() == {"CANCELLED"}
    ((kind, sentence),) = window.reports
    assert kind == {"ERROR"} and sentence.endswith(".")
    assert window.timers == 0


def test_a_defect_ends_it_and_leaves_nothing(lifted: Any) -> None:
    def failing() -> Generator[progress.StageShare, None, None]:
        yield progress.READING, 0.1
        raise ZeroDivisionError

    window = Window(lifted, failing(), progress.SOLVE)
    assert window.event("TIMER") == {"PASS_THROUGH"}
    with pytest.raises(ZeroDivisionError):
        window.event("TIMER")
    assert window.timers == 0 and progress.of(lifted.name) is None and not in_steps._works


def evaluated(armature: bpy.types.Object) -> None:
    """Let a constraint move a bone, so that Blender must evaluate every frame while it is read."""
    assert armature.pose is not None
    held: Any = armature.pose.bones["r_wrist"].constraints.new("LIMIT_ROTATION")
    held.use_limit_x = True


def test_between_the_slices_of_reading_the_scene_is_as_it_was(lifted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run("solve")
    evaluated(lifted)
    monkeypatch.setattr("poise.addon.bridge.sampling.SLICE", 0.0)
    window, before, reading = window_of("solve", lifted), state(), 0
    while window.event("TIMER") == {"PASS_THROUGH"} and window._work is not None:
        if window._work.stage == progress.READING:
            reading += 1
            assert state() == before, "the result is shown at the frame of the scene, and saved so"
    assert reading > 5
    assert window.reports == [({"INFO"}, "Done.")]


def test_undo_while_it_is_read_stops_it_with_a_sentence(lifted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated(lifted)
    monkeypatch.setattr("poise.addon.bridge.sampling.SLICE", 0.0)
    window = window_of("solve", lifted)
    assert window.event("TIMER") == {"PASS_THROUGH"}
    in_steps._stop_reading()
    assert window.event("TIMER") == {"CANCELLED"}
    assert window.reports == [
        ({"ERROR"}, "Undo came while armature 'Walker' was read: nothing has changed; begin again.")
    ]


def test_undo_later_does_not_stop_it(lifted: Any) -> None:
    window = window_of("solve", lifted)
    while window.event("TIMER") == {"PASS_THROUGH"}:
        if window._work is not None and window._work.stage != progress.READING:
            in_steps._stop_reading()
    assert window.reports == [({"INFO"}, "Done.")]


def test_loading_another_file_stops_everything(lifted: Any) -> None:
    window_of("solve", lifted)
    bpy.ops.wm.read_homefile(use_empty=True)
    assert progress.of("Walker") is None and not in_steps._works


def test_after_a_file_that_cannot_be_loaded_it_ends_with_a_sentence(lifted: Any, tmp_path: Path) -> None:
    window, before = window_of("solve", lifted), state()
    assert window.event("TIMER") == {"PASS_THROUGH"}
    broken = tmp_path / "broken.blend"
    broken.write_bytes(b"no file of Blender")
    with pytest.raises(RuntimeError):
        bpy.ops.wm.open_mainfile(filepath=str(broken))
    assert window.event("TIMER") == {"CANCELLED"}
    ((kind, sentence),) = window.reports
    assert kind == {"ERROR"} and "nothing has changed" in sentence
    assert not window.results and window.timers == 0 and state() == before


def test_disabling_the_addon_removes_timers_and_the_status(lifted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    removed: list[Any] = []
    texts: list[Any] = []
    monkeypatch.setattr(in_steps._Work, "remove_timer", lambda work, manager: removed.append(work.timer))
    monkeypatch.setattr(in_steps, "_set_status", texts.append)
    window_of("solve", lifted)
    in_steps.unregister()
    try:
        assert removed == ["timer"] and texts == [None]
        assert progress.of("Walker") is None and not in_steps._works
    finally:
        in_steps.register()

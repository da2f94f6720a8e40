# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs with the bpy module, for `live_editing`: `inside_live.py WALK.bvh RESULT.json MOVES`."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy

from poise import addon
from poise.addon import bridge
from poise.addon.live import session, watching
from poise.addon.workflows import create, latest

STEP = 0.01
"""By which a handle is moved each time, in sizes of the character."""
FAR = 1.5
"""Sizes of the character by which a hand is out of reach."""


def main(walk: str, result: str, moves: str) -> None:
    """Measure, and write processor times in seconds."""
    addon.register()
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.import_anim.bvh(filepath=walk, rotate_mode="QUATERNION", update_scene_duration=True, update_scene_fps=True)
    armature: Any = bpy.context.object
    scene: Any = bpy.context.scene
    scene.frame_start, scene.frame_end = (int(frame) for frame in armature.animation_data.action.frame_range)
    operators: Any = bpy.ops
    poise = operators.poise
    poise.detect_footplants()
    poise.found_accept_all()
    middle = (scene.frame_start + scene.frame_end) // 2
    size = bridge.read(armature).clip.skeleton.size
    plants = list(armature.poise.constraints)
    plant = min(plants, key=lambda item: abs(0.5 * (item.begin + item.end) - middle))
    plant_handle = plant.points[0].object
    wrist = next(name for name in ("LeftHand", "l_wrist") if name in armature.pose.bones)
    (pin,) = create.add_pins(armature, [wrist], float(middle))
    scene.frame_set(middle)
    poise.live_toggle()
    _prepare(armature, plant)
    told: dict[str, Any] = {"plant": list(_dragged(armature, plant_handle, STEP * size, int(moves)))}
    pin.points[0].object.location.z += FAR * size
    _settle(armature)
    _prepare(armature, pin)
    told["far"] = list(_dragged(armature, pin.points[0].object, STEP * size, int(moves)))
    told["around"] = _parts(armature)
    told["version"], told["frames"] = bpy.app.version_string, scene.frame_end - scene.frame_start + 1
    told["live"] = armature.poise.live
    Path(result).write_text(json.dumps(told), encoding="utf-8")


def _dragged(armature: Any, handle: Any, step: float, moves: int) -> Iterator[tuple[float, float]]:
    """For each move of a handle the seconds from the edit to the first f-curves that answer it, and to its result."""
    live: Any = watching.sessions()[armature.name]
    for _ in range(moves):
        handle.location.x += step
        answers, results, begin = len(live.answers), len(live.results), time.process_time()
        _evaluate()
        while len(live.answers) == answers:
            _go_on()
        answered = time.process_time() - begin
        while len(live.results) == results:
            _go_on()
        yield answered, time.process_time() - begin
    _settle(armature)


def _evaluate() -> None:
    """Let Blender evaluate an edit, which calls the handlers."""
    layer: Any = bpy.context.view_layer
    layer.update()


def _go_on() -> None:
    if watching.on_timer() is None:
        raise RuntimeError("Live mode was switched off.")


def _settle(armature: Any) -> None:
    """Let the hand rest until the result has keys."""
    _evaluate()
    live: Any = watching.sessions()[armature.name]
    for rest in (0.0, session.REST):
        live.last_edit -= rest
        _go_on()
        while live.is_working:
            _go_on()


def _prepare(armature: Any, item: Any) -> None:
    """Let an animator look at a constraint for a moment before it is dragged."""
    armature.poise.active_constraint = next(n for n, each in enumerate(armature.poise.constraints) if each == item)
    live: Any = watching.sessions()[armature.name]
    _go_on()
    while live.is_preparing:
        _go_on()


def _parts(armature: Any) -> dict[str, float]:
    """The seconds that the parts around the solver take."""
    found = latest.of(armature)
    assert found is not None
    samples = bridge.SampledResult(found.solved.reading)
    result, source = found.solved.deformation.clip, found.solved.reading.clip
    samples.write(result)
    parts: dict[str, Callable[[], object]] = {
        "signature of the source": lambda: bridge.source_signature(armature),
        "signature of the constraints": lambda: latest.constraint_signature(armature),
        "f-curves as samples": lambda: (samples.write(source), samples.write(result)),
    }
    taken = {}
    for name, part in parts.items():
        times = []
        for _ in range(5):
            begin = time.process_time()
            part()
            times.append(time.process_time() - begin)
        taken[name] = min(times)
    taken["f-curves as samples"] *= 0.5
    return taken


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)  # Blender's own end may hang where a class is still registered

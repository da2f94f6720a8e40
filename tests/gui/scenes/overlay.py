# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn in the viewport: each part, a dragged handle, source and result, playback, an error."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from driver import (
    MOMENT,
    Shot,
    Steps,
    area,
    armature,
    character,
    event,
    hover,
    inside,
    module,
    move,
    pixel,
    planted_walk,
    region,
    sidebar_tab,
    until,
)
from mathutils import Euler

PARTS = ("footprints", "points", "trajectories", "misses", "proposals", "balance", "ghosts")
FRAME = 300
PLAYED = 5.0
"""Seconds of each playback."""
ROUNDS = 3


def play(seen: dict[str, Any]) -> Steps:
    yield from planted_walk()
    yield from prepared()
    yield from each_part(seen)
    yield from dragging(seen)
    yield from comparing(seen)
    yield from playing(seen)
    yield from saving(seen)
    yield from failing(seen)


def prepared() -> Steps:
    """A pin out of reach and proposals beside the plants; solved; seen from the side of the walk."""
    bpy.context.scene.frame_set(FRAME)
    with inside():
        bpy.ops.poise.constraint_add_pin(bone="l_wrist", frame=FRAME)
        pin = character().constraints[len(character().constraints) - 1]
        pin.points[0].object.location.z += 1.2
        pin.points[0].end += 20
        pin.recruit, pin.recruit_level = "LEVEL", 2
        bpy.ops.poise.solve("EXEC_DEFAULT")
        bpy.ops.poise.detect_footplants("EXEC_DEFAULT")
        bpy.ops.ed.undo_push(message="Prepared")
    yield from look((65.0, 0.0, 60.0), 3.5)


def look(angles: tuple[float, float, float], distance: float) -> Steps:
    """Look at the character from a direction given by angles in degrees."""
    view = area().spaces.active.region_3d
    held = armature()
    view.view_perspective = "PERSP"
    view.view_rotation = Euler(np.radians(angles).tolist()).to_quaternion()
    view.view_location = held.matrix_world @ held.pose.bones[0].head
    view.view_distance = distance
    yield 6 * MOMENT


def display() -> Any:
    return character().display


def only(*parts: str) -> None:
    for part in PARTS:
        setattr(display(), part, part in parts)


def pixels(seen_by: Callable[[np.ndarray], None]) -> Steps:
    """Call a function with the pixels of the 3D view as they are drawn next."""
    done: list[bool] = []

    def read() -> None:
        if done:
            return
        import gpu

        drawn = bpy.context.region
        buffer: Any = gpu.state.active_framebuffer_get().read_color(0, 0, drawn.width, drawn.height, 4, 0, "UBYTE")
        buffer.dimensions = drawn.width * drawn.height * 4
        seen_by(np.array(buffer, dtype=np.int16).reshape(drawn.height, drawn.width, 4)[..., :3])
        done.append(True)

    handler = bpy.types.SpaceView3D.draw_handler_add(read, (), "WINDOW", "POST_PIXEL")
    area().tag_redraw()
    yield from until(lambda: bool(done), "the viewport is drawn")
    bpy.types.SpaceView3D.draw_handler_remove(handler, "WINDOW")


def each_part(seen: dict[str, Any]) -> Steps:
    """How many pixels differ with each part alone from none at all."""
    pictures: dict[str, np.ndarray] = {}
    for name in ("nothing", *PARTS, "nothing again"):
        only(*([name] if name in PARTS else []))
        yield 4 * MOMENT
        yield from pixels(lambda found, name=name: pictures.__setitem__(name, found))  # type: ignore[misc]
        if name in PARTS:
            yield Shot(name)
    none = pictures["nothing"]
    seen["changed pixels"] = {
        name: int((np.abs(found - none).max(axis=-1) > 40).sum()) for name, found in pictures.items()
    }
    only(*PARTS)
    yield from sidebar_tab()
    yield Shot("all")
    area().spaces[0].show_region_ui = False
    for name, angles in (("front", (90.0, 0.0, 0.0)), ("side", (90.0, 0.0, 90.0))):
        yield from look(angles, 3.0)
        yield Shot(name)
    yield from look((50.0, 0.0, 40.0), 2.5)
    with inside():
        bpy.context.view_layer.objects.active = armature()
        bpy.ops.object.mode_set(mode="POSE")
    display().ghosts = False
    yield Shot("pose-mode")
    with inside():
        bpy.ops.object.mode_set(mode="OBJECT")


def standing() -> Any:
    """The plant that stands at the current frame."""
    return next(
        item for item in character().constraints if item.kind == "FOOTPLANT" and item.begin <= FRAME <= item.end
    )


def picked(place: Any) -> str:
    """The uid of what is drawn at a place."""
    at, drawn = pixel(place), region(area())
    with inside():
        hit = module("overlay").pick(bpy.context, at[0] - drawn.x, at[1] - drawn.y)
    return hit.uid if hit is not None else ""


def dragging(seen: dict[str, Any]) -> Steps:
    """The footprint follows its handle while that is dragged, without live mode, and the result becomes stale."""
    plant = standing()
    handle = plant.points[0].object
    with inside():
        bpy.ops.object.select_all(action="DESELECT")
        handle.select_set(True)
        bpy.context.view_layer.objects.active = handle
    uid, begin = plant.uid, pixel(handle.matrix_world.translation)
    first = handle.matrix_world.translation.copy()
    seen["picked before"] = picked(first) == uid
    yield from hover(begin)
    event("G", "PRESS", begin)
    event("G", "RELEASE", begin)
    yield 4 * MOMENT
    followed: list[bool] = []
    end = begin[0] + 160, begin[1] - 40
    yield from move(begin, end, 8, lambda number: followed.append(picked(handle.matrix_world.translation) == uid))
    yield Shot("dragged")
    seen["followed"] = followed
    seen["moved by"] = (handle.matrix_world.translation - first).length
    event("LEFTMOUSE", "PRESS", end)
    event("LEFTMOUSE", "RELEASE", end)
    yield 4 * MOMENT
    staleness = module("overlay.staleness")
    yield from until(lambda: staleness.is_stale(armature()), "the result is stale")
    yield Shot("stale")
    with inside():
        bpy.context.view_layer.objects.active = armature()
        bpy.ops.poise.solve("EXEC_DEFAULT", True)
    yield from until(lambda: not staleness.is_stale(armature()), "the result is up to date")


def pose() -> list[float]:
    held = armature()
    return [round(number, 5) for bone in held.pose.bones for row in bone.matrix for number in row]


def comparing(seen: dict[str, Any]) -> Steps:
    result = pose()
    with inside():
        bpy.ops.poise.compare_toggle("INVOKE_DEFAULT", True)
    yield 4 * MOMENT
    seen["source: differs"] = pose() != result
    yield Shot("source")
    with inside():
        bpy.ops.ed.undo()
    yield 4 * MOMENT
    seen["source: undone"] = pose() == result
    with inside():
        bpy.ops.ed.redo()
    yield 4 * MOMENT
    seen["source: redone"] = pose() != result
    with inside():
        bpy.ops.poise.compare_toggle("INVOKE_DEFAULT", True)
    yield 4 * MOMENT
    seen["source: back"] = pose() == result
    yield Shot("result")


def playing(seen: dict[str, Any]) -> Steps:
    """Processor time a frame of the whole program, and of what the add-on draws, with everything on and off in turn."""
    handlers = module("overlay.handlers")
    own = handlers._draw
    spent: list[float] = []
    frames: list[tuple[float, float]] = []

    def timed(is_pixel: bool) -> None:
        begin = time.thread_time()
        own(is_pixel)
        spent.append(time.thread_time() - begin)

    def counted(*_: Any) -> None:
        frames.append((time.perf_counter(), time.process_time()))

    display().ghosts = True
    handlers.unregister()
    handlers._draw = timed
    handlers.register()
    bpy.app.handlers.frame_change_post.append(counted)
    found: dict[str, list[dict[str, float]]] = {"on": [], "off": []}
    for _ in range(ROUNDS):
        for name in found:
            display().show = name == "on"
            bpy.context.scene.frame_set(FRAME)
            yield 4 * MOMENT
            with inside():
                bpy.ops.screen.animation_play(sync=False)
            yield 2 * MOMENT
            spent.clear()
            frames.clear()
            yield PLAYED
            drawn, times = sum(spent), list(frames)
            with inside():
                bpy.ops.screen.animation_cancel(restore_frame=False)
            count = max(len(times) - 1, 1)
            found[name].append(
                {
                    "frames": count,
                    "wall": (times[-1][0] - times[0][0]) / count,
                    "processor": (times[-1][1] - times[0][1]) / count,
                    "callback": drawn / count,
                }
            )
            yield 4 * MOMENT
    bpy.app.handlers.frame_change_post.remove(counted)
    handlers.unregister()
    handlers._draw = own
    handlers.register()
    display().show, display().ghosts = True, False
    seen["playback"] = found
    print("Playback:", found, flush=True)


def saving(seen: dict[str, Any]) -> Steps:
    """The source is shown, the file is saved and opened again, and both are still there."""
    bpy.context.scene.frame_set(FRAME)
    result = pose()
    with inside():
        bpy.ops.poise.compare_toggle("EXEC_DEFAULT")
    source = pose()
    path = str(Path(bpy.app.tempdir) / "compared.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    yield 10 * MOMENT
    seen["reopened: source"] = pose() == source
    with inside():
        bpy.context.view_layer.objects.active = armature()
        bpy.ops.poise.compare_toggle("EXEC_DEFAULT")
    yield 4 * MOMENT
    seen["reopened: result"] = pose() == result
    readings = module("overlay.readings")
    yield from until(lambda: readings._reads, "the source is read for what is drawn")
    yield Shot("reopened")
    seen["reopened: problem"] = display().problem


def failing(seen: dict[str, Any]) -> Steps:
    """An error while drawing is said once, and drawing goes on when it is switched on again."""
    handlers = module("overlay.handlers")
    own, calls = handlers.pictures_of, []

    def broken(*_: Any) -> None:
        calls.append(1)
        raise RuntimeError("on purpose")

    handlers.pictures_of = broken
    for _ in range(6):
        area().tag_redraw()
        yield 4 * MOMENT
    seen["failing: calls"], seen["failing: shown"] = len(calls), display().show
    seen["failing: problem"] = display().problem
    yield from sidebar_tab()
    yield Shot("problem")
    handlers.pictures_of = own
    display().show = True
    yield 4 * MOMENT
    seen["failing: problem after"] = display().problem

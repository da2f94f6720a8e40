# SPDX-License-Identifier: GPL-3.0-or-later
"""What scenes use inside a Blender with a window: mouse and keys, the view, pictures, and a walk to work on."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import bpy

MODULE = "bl_ext.user_default.poise"
MOMENT = 0.05
"""Seconds in which Blender handles an event."""
HOVER = 0.15
"""Seconds that the mouse rests at a place before a button is pressed, so that Blender knows what is under it."""
LONGEST_WAIT = 60.0
"""Seconds that `until` waits at most: a software-drawn window on a busy machine is slow."""
WALK = Path(os.environ["POISE_GUI_WALK"])
"""A synthetic walk of 30 steps as BVH."""


class Shot(NamedTuple):
    """A picture of the screen, which a scene asks for by yielding this."""

    name: str


Step = float | Shot
Steps = Iterator[Step]
"""Steps of a scene: after a number Blender draws and handles events for so many seconds; after a `Shot` there is a
picture of what it has drawn."""


def window() -> Any:
    return bpy.context.window_manager.windows[0]


def area(kind: str = "VIEW_3D") -> Any:
    """The largest area of a kind on the screen."""
    found = [area for area in window().screen.areas if area.type == kind]
    return max(found, key=lambda area: area.width * area.height)


def region(area: Any, kind: str = "WINDOW") -> Any:
    return next(found for found in area.regions if found.type == kind)


def inside(kind: str = "VIEW_3D") -> Any:
    """The context of an editor, for operators."""
    found = area(kind)
    return bpy.context.temp_override(window=window(), area=found, region=region(found))


def middle(kind: str = "VIEW_3D") -> tuple[int, int]:
    """The middle of an editor, in pixels of the window."""
    found = region(area(kind))
    return found.x + found.width // 2, found.y + found.height // 2


def pixel(place: Any) -> tuple[int, int]:
    """Where a place of the world is in the 3D view, in pixels of the window."""
    from bpy_extras.view3d_utils import location_3d_to_region_2d

    found = area()
    drawn = region(found)
    at = location_3d_to_region_2d(drawn, found.spaces.active.region_3d, place)
    return drawn.x + round(at.x), drawn.y + round(at.y)


def frame_pixel(frame: float, kind: str = "DOPESHEET_EDITOR", height: float = 0.5) -> tuple[int, int]:
    """Where a frame is in an editor over time, at a share of its height, in pixels of the window."""
    drawn = region(area(kind))
    across, _ = drawn.view2d.view_to_region(frame, 0.0, clip=False)
    return drawn.x + across, drawn.y + int(height * drawn.height)


def event(kind: str, value: str, at: tuple[int, int], **modifiers: Any) -> None:
    window().event_simulate(type=kind, value=value, x=at[0], y=at[1], **modifiers)


def hover(at: tuple[int, int]) -> Steps:
    """Move the mouse to a place and rest."""
    for aside in (2, 0):
        event("MOUSEMOVE", "NOTHING", (at[0] + aside, at[1]))
        yield HOVER


def press(key: str, at: tuple[int, int] | None = None, **modifiers: Any) -> Steps:
    """Press and release a key, with the mouse at a place: the middle of the 3D view where none is given."""
    place = at or middle()
    yield from hover(place)
    for value in ("PRESS", "RELEASE"):
        event(key, value, place, **modifiers)
        yield MOMENT
    yield 2 * MOMENT


def click(at: tuple[int, int], button: str = "LEFTMOUSE", **modifiers: Any) -> Steps:
    yield from press(button, at, **modifiers)
    yield 4 * MOMENT


def drag(
    begin: tuple[int, int],
    end: tuple[int, int],
    moves: int = 10,
    during: Callable[[int], None] | None = None,
    button: str = "LEFTMOUSE",
) -> Steps:
    """Drag with a button from a place to another; `during` is called after each move, with its number from 1."""
    yield from hover(begin)
    event(button, "PRESS", begin)
    yield HOVER
    yield from move(begin, end, moves, during)
    event(button, "RELEASE", end)
    yield 4 * MOMENT


def move(
    begin: tuple[int, int], end: tuple[int, int], moves: int = 10, during: Callable[[int], None] | None = None
) -> Steps:
    """Move the mouse in equal parts."""
    for number in range(1, moves + 1):
        share = number / moves
        at = tuple(round(first + share * (last - first)) for first, last in zip(begin, end, strict=True))
        event("MOUSEMOVE", "NOTHING", at)  # type: ignore[arg-type]
        yield MOMENT
        if during is not None:
            during(number)


def type_in(text: str) -> Steps:
    """Type letters, and Return."""
    for letter in text:
        key = "SPACE" if letter == " " else letter.upper()
        event(key, "PRESS", middle(), unicode=letter)
        event(key, "RELEASE", middle())
        yield MOMENT
    yield 4 * MOMENT
    for value in ("PRESS", "RELEASE"):
        event("RET", value, middle())
        yield MOMENT
    yield 6 * MOMENT


def until(holds: Callable[[], bool], what: str, longest: float = LONGEST_WAIT) -> Steps:
    """Wait until something holds; an error where it never does."""
    waited = 0.0
    while not holds():
        if waited > longest:
            raise TimeoutError(f"It did not come about within {longest:g} s: {what}")
        yield MOMENT
        waited += MOMENT


# The add-on -----------------------------------------------------------------------------------------------------------


def module(path: str) -> Any:
    """A module of the installed add-on, such as "workflows.progress"."""
    return importlib.import_module(f"{MODULE}.addon.{path}")


def armature() -> Any:
    """The only armature of the scene."""
    return next(found for found in bpy.context.scene.objects if found.type == "ARMATURE")


def character() -> Any:
    return armature().poise


def state() -> dict[str, Any]:
    """What solving may change."""
    held = armature()
    return {
        "action": held.animation_data.action.name,
        "actions": sorted(action.name for action in bpy.data.actions),
        "tracks": len(held.animation_data.nla_tracks),
        "last_solve": held.poise.last_solve,
        "residuals": len(held.poise.residuals),
        "frame": bpy.context.scene.frame_current,
        "mode": held.mode,
    }


def head(bone: str, frame: float) -> list[float]:
    """Where the head of a bone is at a frame, as the f-curves of the shown action have it; the current frame stays."""
    scene = bpy.context.scene
    current = scene.frame_current
    scene.frame_set(int(frame))
    held = armature()
    found = held.matrix_world @ held.pose.bones[bone].head
    scene.frame_set(current)
    return list(found)


def shown_at(frame: float) -> list[float]:
    """The values of all f-curves of the shown action at a frame; nothing is evaluated for that."""
    versions = module("bridge.versions")
    data = armature().animation_data
    return [curve.evaluate(frame) for curve in versions.curves_of(data.action, versions.slot_of(data))]


def running() -> Any:
    """The work on the armature that the panel shows as running."""
    return module("workflows.progress").of(armature().name)


def live_session() -> Any:
    return module("live.watching").sessions()[armature().name]


def live_rests() -> Steps:
    """Live mode has solved, baked and reported everything."""
    yield from until(lambda: live_session().is_settled, "live mode settles")


def imported_walk(path: Path = WALK) -> Steps:
    """A walk alone in the scene, whose range is that of its action; the armature is active and selected."""
    for held in list(bpy.data.objects):
        bpy.data.objects.remove(held)
    bpy.ops.import_anim.bvh(filepath=str(path), rotate_mode="QUATERNION", update_scene_fps=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = (int(frame) for frame in armature().animation_data.action.frame_range)
    yield MOMENT


def planted_walk(path: Path = WALK) -> Steps:
    """As `imported_walk`, with all its footplants."""
    yield from imported_walk(path)
    with inside():
        bpy.ops.poise.detect_footplants()
        bpy.ops.poise.found_accept_all()
        bpy.ops.ed.undo_push(message="Prepared")
    yield MOMENT


def sidebar_tab(name: str = "Poise") -> Steps:
    """Open the sidebar at a tab."""
    view = area()
    view.spaces[0].show_region_ui = True
    yield 10 * MOMENT
    sidebar = region(view, "UI")
    for distance in range(20, sidebar.height, 20):  # down along the tabs, until it is the one
        if sidebar.active_panel_category == name:
            break
        yield from click((sidebar.x + sidebar.width - 12, sidebar.y + sidebar.height - distance))
    yield 10 * MOMENT


def look_at_all() -> Steps:
    """Frame all objects in the 3D view."""
    with inside():
        bpy.ops.view3d.view_all()
    yield 6 * MOMENT

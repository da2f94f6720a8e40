# SPDX-License-Identifier: GPL-3.0-or-later
"""A round of editing: add a constraint, move its handle, solve, undo and redo, clean, remove, save and load."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
from mathutils import Vector

from poise.addon.live import session, watching
from poise.addon.properties import character_of
from poise.solver import Clip, write_bvh
from poise.solver.synthetic import human, walk

NAME = "Walker"
HAND, ELBOW, FOOT, HEAD = "r_wrist", "r_elbow", "l_midtarsal", "skullbase"
FPS = 15.0
"""Few frames make a round short: what leaks does so once a call, not once a frame."""
LIVE = 5
"""Of so many rounds one edits in live mode."""

KINDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("constraint_add_pin", {"bone": HAND, "frame": 8}),
    ("constraint_add_trajectory", {"bone": HAND, "begin": 4, "end": 14}),
    ("constraint_add_footplant", {"foot": "LEFT", "begin": 5, "end": 9}),
    ("constraint_add_orientation", {"bone": HEAD, "frame": 8}),
    ("constraint_add_look_at", {"bone": HEAD, "begin": 4, "end": 12}),
    ("constraint_add_balance", {}),
    ("constraint_add_pose", {"bone": ELBOW, "begin": 4, "end": 12}),
    ("constraint_add_handplant", {"hand": "RIGHT", "begin": 4, "end": 9}),
)
"""Operators that add a constraint, with their arguments."""

context: Any = bpy.context
"""Blender's, whose view layer and window are always there."""

poise: Any = bpy.ops.poise  # type: ignore[attr-defined]


def walking_clip() -> Clip:
    """The motion that is edited."""
    return walk(human("y"), steps=3, fps=FPS).clip


def begin(folder: Path) -> Path:
    """Make the file with the character, and open it; returns its path."""
    bvh, blend = folder / f"{NAME}.bvh", folder / "soak.blend"
    write_bvh(walking_clip(), bvh)
    bpy.ops.wm.read_homefile(use_empty=False)  # undo needs a window
    for each in list(bpy.data.objects):
        bpy.data.objects.remove(each)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # Blender's importer leaves closing the file to Python
        bpy.ops.import_anim.bvh(filepath=str(bvh), rotate_mode="QUATERNION", update_scene_duration=True)
    scene: Any = context.scene
    scene.render.fps = int(FPS)
    scene.frame_start, scene.frame_end = (int(frame) for frame in armature().animation_data.action.frame_range)
    for _ in range(2):  # each load leaves out what the one before has found unused
        reload(blend)
    return blend


def armature() -> Any:
    """The character, found by its name: undo and loading replace it."""
    return bpy.data.objects[NAME]


def reload(blend: Path) -> None:
    """Save the file and load it again."""
    bpy.ops.wm.save_as_mainfile(filepath=str(blend), check_existing=False)
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    context.view_layer.objects.active = armature()


def play(number: int, blend: Path, look: Callable[[], None]) -> None:
    """One round; `look` is called before the file is saved, when everything that was added is removed again."""
    rng = random.Random(number)
    with context.temp_override(window=context.window_manager.windows[0]):
        _step("Begin", lambda: None)
        operator, given = KINDS[number % len(KINDS)]
        _step(operator, lambda: getattr(poise, operator)(**given))
        _step("Move", lambda: _move_handles(rng))
        _step("Solve", poise.solve)
        for undone in ("Solve", "Move"):
            _check(bpy.ops.ed.undo() == {"FINISHED"}, f"{undone} cannot be undone")
        bpy.ops.ed.redo()
        _step("Solve again", poise.solve)
        if number % LIVE == 0:
            _edit_live(rng)
        _step("Restore", poise.source_restore)
        if number % 2:
            _step("Clean", poise.clean)
            _step("Restore", poise.source_restore)
        while character_of(armature()).constraints:
            _step("Remove", lambda: poise.constraint_remove(index=0))
    look()
    reload(blend)


def _step(message: str, work: Callable[[], object]) -> None:
    work()
    bpy.ops.ed.undo_push(message=message)


def _move_handles(rng: random.Random) -> None:
    """Move the handles of the constraint a little, as a hand would."""
    for item in character_of(armature()).constraints:
        for point in item.points:
            if point.object is not None:
                point.object.location += Vector([rng.uniform(-0.1, 0.1) for _ in range(3)])
    context.view_layer.update()


def _edit_live(rng: random.Random) -> None:
    """Switch live mode on, move the handles, wait for the result, and switch it off."""
    poise.live_toggle()
    for _ in range(2):
        _move_handles(rng)
        found = watching.sessions().get(NAME)
        for rest in (0.0, session.REST):
            if found is None or watching.on_timer() is None:
                break
            found.last_edit -= rest
            while found.is_working and watching.on_timer() is not None:
                pass
    if character_of(armature()).live:
        poise.live_toggle()
    bpy.ops.ed.undo_push(message="Live")


def _check(condition: object, sentence: str) -> None:
    if not condition:
        raise RuntimeError(sentence)

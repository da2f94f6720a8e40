# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside a Blender with a window: plays scenes and writes down what each has seen, for the tests to judge.

blender --enable-event-simulate --python inside.py -- ARCHIVE.zip FOLDER SCENE…

A scene is a module in scenes/ with `play(seen)`, a generator of steps (see driver.py). It begins in Blender's own
startup file with the extension installed. What it writes into the dictionary `seen` goes to FOLDER/SCENE.json; a
picture NAME that it asks for to FOLDER/SCENE-NAME.png, which the process outside takes as soon as there is a file
FOLDER/SCENE-NAME.wanted. FOLDER/begun says that Blender has drawn its first window.
"""

from __future__ import annotations

import importlib
import json
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, str(Path(__file__).parent))
from driver import MOMENT, Shot

ARCHIVE, FOLDER, *SCENES = sys.argv[sys.argv.index("--") + 1 :]
FIRST_DRAWING = 8.0
"""Seconds until a software-drawn window has settled."""
DRAWN = 0.5
"""Seconds until a change is drawn, before a picture is taken."""


def installed() -> Iterator[float]:
    bpy.context.preferences.view.show_splash = False
    window = bpy.context.window_manager.windows[0]
    for value in ("PRESS", "RELEASE"):
        window.event_simulate(type="ESC", value=value, x=300, y=300)
        yield MOMENT
    (Path(FOLDER) / "begun").touch()
    bpy.ops.extensions.package_install_files(filepath=ARCHIVE, repo="user_default", enable_on_install=True)
    yield MOMENT


def played(name: str) -> Iterator[float]:
    """One scene; what breaks it is kept as the text `broken`."""
    seen: dict[str, Any] = {}
    try:
        bpy.ops.wm.read_homefile(use_splash=False)
        yield 1.0
        for step in importlib.import_module(f"scenes.{name}").play(seen):
            if isinstance(step, Shot):
                yield from pictured(f"{name}-{step.name}")
            else:
                yield step
    except Exception:
        seen["broken"] = traceback.format_exc()
        yield from pictured(f"{name}-broken")
    (Path(FOLDER) / f"{name}.json").write_text(json.dumps(seen), encoding="utf-8")


def pictured(name: str) -> Iterator[float]:
    for area in bpy.context.window_manager.windows[0].screen.areas:
        area.tag_redraw()
    yield DRAWN
    wanted = Path(FOLDER) / f"{name}.wanted"
    wanted.touch()
    while wanted.exists():
        yield MOMENT


def all_of_it() -> Iterator[float]:
    yield from installed()
    for name in SCENES:
        yield from played(name)


steps = all_of_it()


def play() -> float | None:
    """Called by Blender's timer; ends Blender after the last step."""
    try:
        return next(steps)
    except StopIteration:
        pass
    except BaseException:
        traceback.print_exc()
    bpy.ops.wm.quit_blender()
    return None


bpy.app.timers.register(play, first_interval=FIRST_DRAWING, persistent=True)

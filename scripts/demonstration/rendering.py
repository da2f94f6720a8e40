# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures and animations by Blender itself: with Workbench where there is a graphics driver, else with Cycles."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import bpy

Engine = Literal["BLENDER_WORKBENCH", "CYCLES"]

PROBE = """
import bpy, sys
scene = bpy.context.scene
scene.render.engine = "BLENDER_WORKBENCH"
scene.render.resolution_x = scene.render.resolution_y = 16
scene.render.filepath = sys.argv[1]
bpy.ops.render.render(write_still=True)
"""
PROBE_SECONDS = 60
STILL_SAMPLES: dict[Engine, Any] = {"BLENDER_WORKBENCH": "8", "CYCLES": 16}
ANIMATION_SAMPLES: dict[Engine, Any] = {"BLENDER_WORKBENCH": "FXAA", "CYCLES": 4}
"""How finely pictures and animations are drawn: Workbench smooths edges four times as fast after drawing."""
EXPOSURE: dict[Engine, float] = {"BLENDER_WORKBENCH": 0.45, "CYCLES": -0.7}
"""Stops by which pictures are brightened."""


@dataclass(frozen=True)
class Quality:
    """How large and how many pictures are."""

    still: tuple[int, int] = (1280, 720)
    animation: tuple[int, int] = (800, 450)
    rate: int = 15
    """Frames a second of an animation."""
    seconds: float = 2.6
    """Of an animation, at most."""


def usual_quality(engine: Engine) -> Quality:
    """What an engine draws on two cores in the time that the demonstration has."""
    return Quality() if engine == "BLENDER_WORKBENCH" else Quality(still=(960, 540), animation=(480, 270))


def usable_engine() -> Engine:
    """Workbench where it can draw here, which another process tries, since Blender may end with it; else Cycles."""
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "probe.png"
        command = [sys.executable, "-c", PROBE, str(picture)]
        try:
            subprocess.run(command, capture_output=True, timeout=PROBE_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return "CYCLES"
        return "BLENDER_WORKBENCH" if picture.is_file() else "CYCLES"


def prepare(engine: Engine) -> None:
    """Set up the engine in the current scene."""
    scene: Any = bpy.context.scene
    if engine == "CYCLES":
        import addon_utils

        addon_utils.enable("cycles")
    scene.render.engine = engine
    scene.view_settings.view_transform = "Standard"
    scene.view_settings.exposure = EXPOSURE[engine]
    if engine == "CYCLES":
        cycles: Any = scene.cycles
        cycles.device = "CPU"
        cycles.use_denoising = cycles.use_adaptive_sampling = False
        cycles.max_bounces = 1
        scene.render.use_persistent_data = True
        return
    shading: Any = scene.display.shading
    shading.light, shading.color_type = "STUDIO", "MATERIAL"
    shading.show_shadows, shading.shadow_intensity = True, 0.3
    shading.show_cavity, shading.cavity_type = True, "WORLD"
    shading.show_specular_highlight = True
    scene.display.light_direction = (0.35, 0.45, 0.82)


def draw_still(path: Path, frame: int, size: tuple[int, int]) -> None:
    """Render one frame as a PNG picture."""
    scene: Any = bpy.context.scene
    scene.frame_set(frame)
    render = scene.render
    render.resolution_x, render.resolution_y, render.resolution_percentage = *size, 100
    _write_as(render, "PNG")
    render.filepath = str(path.resolve())
    _refine(STILL_SAMPLES)
    with _quiet():
        bpy.ops.render.render(write_still=True)


def draw_animation(path: Path, frames: tuple[int, int], quality: Quality) -> int:
    """Render frames as an MP4 animation that browsers play, and return how many it has. The scene stays as it was."""
    scene: Any = bpy.context.scene
    render = scene.render
    kept = scene.frame_start, scene.frame_end, scene.frame_step, render.fps
    step = max(1, round(render.fps / quality.rate))
    try:
        scene.frame_start, scene.frame_end, scene.frame_step = *frames, step
        render.fps = max(1, round(render.fps / step))
        render.resolution_x, render.resolution_y, render.resolution_percentage = *quality.animation, 100
        _write_as(render, "FFMPEG")
        render.ffmpeg.format, render.ffmpeg.codec = "MPEG4", "H264"
        render.ffmpeg.constant_rate_factor, render.ffmpeg.ffmpeg_preset = "HIGH", "GOOD"
        render.ffmpeg.gopsize = 12
        render.use_file_extension = False
        _refine(ANIMATION_SAMPLES)
        render.filepath = str(path.resolve())
        with _quiet():
            bpy.ops.render.render(animation=True)
    finally:
        scene.frame_start, scene.frame_end, scene.frame_step, render.fps = kept
        _write_as(render, "PNG")
        render.use_file_extension = True
    return len(range(frames[0], frames[1] + 1, step))


def _write_as(render: Any, kind: str) -> None:
    """Choose the kind of file; since Blender 5.0 it must be said first whether that is a video."""
    settings = render.image_settings
    if hasattr(settings, "media_type"):
        settings.media_type = "VIDEO" if kind == "FFMPEG" else "IMAGE"
    settings.file_format = kind


def _refine(samples: Mapping[Engine, Any]) -> None:
    scene: Any = bpy.context.scene
    if scene.render.engine == "CYCLES":
        scene.cycles.samples = samples["CYCLES"]
    else:
        scene.display.render_aa = samples["BLENDER_WORKBENCH"]


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the lines that Blender prints for each frame."""
    sys.stdout.flush()
    kept = os.dup(1)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        try:
            yield
        finally:
            os.dup2(kept, 1)
            os.close(kept)

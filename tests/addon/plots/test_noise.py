# SPDX-License-Identifier: GPL-3.0-or-later
"""The plot of the active example: when it is drawn, what the picture shows, and that nothing of it is left behind."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy
import gpu
import numpy as np
import pytest
from mathutils import Matrix

from poise.addon.plots import noise
from poise.addon.plots.lanes import BARS, plot_of
from poise.addon.properties import character_of
from poise.addon.workflows import noise_patterns

from .made_up import pattern

WIDTH, HEIGHT = 640, 200


def add_example(armature: Any, bone: str = "l_wrist") -> Any:
    template = character_of(armature).detection.templates.add()
    template.bone, template.begin, template.end = bone, 5, 20
    return template


def test_only_the_pattern_of_the_active_example_is_shown_where_it_was_chosen(armature: bpy.types.Object) -> None:
    context: Any = bpy.context
    assert noise.pattern_shown(context, "VIEW") is None, "there is no example"
    template = add_example(armature)
    add_example(armature, "r_wrist")
    assert noise.pattern_shown(context, "VIEW") is None, "nothing was searched"
    made, other = pattern(), pattern("r_wrist")
    noise_patterns.keep(armature, [made, other])
    detection = character_of(armature).detection
    assert noise.pattern_shown(context, "VIEW") is made and noise.pattern_shown(context, "EDITORS") is None
    detection.active_template = 1
    assert noise.pattern_shown(context, "VIEW") is other
    detection.active_template, detection.noise_place = 0, "EDITORS"
    assert noise.pattern_shown(context, "EDITORS") is made and noise.pattern_shown(context, "VIEW") is None
    template.reference = "OBJECT"
    assert noise.pattern_shown(context, "EDITORS") is None, "the reference is missing"
    template.reference, detection.show_noise = "WORLD", False
    assert noise.pattern_shown(context, "EDITORS") is None
    detection.show_noise = True
    bpy.context.view_layer.objects.active = None
    assert noise.pattern_shown(context, "EDITORS") is None


def test_loading_another_file_forgets_patterns(armature: bpy.types.Object) -> None:
    add_example(armature)
    noise_patterns.keep(armature, [pattern()])
    name = armature.name
    bpy.ops.wm.read_homefile(use_empty=True)
    fresh = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    assert noise_patterns.of(fresh, pattern().subject) is None


def test_draw_handlers_are_removed(armature: bpy.types.Object) -> None:
    assert len(noise._handlers) == 3
    noise.unregister()
    assert not noise._handlers and noise._forget not in bpy.app.handlers.load_post
    noise.register()
    assert len(noise._handlers) == 3


def test_an_error_is_printed_once(
    armature: bpy.types.Object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: Any) -> None:
        raise ValueError("a broken pattern")

    monkeypatch.setattr(noise, "pattern_shown", broken)
    for _ in range(3):
        noise.draw_noise("VIEW")
    assert capsys.readouterr().out.count("a broken pattern") == 1
    noise.unregister()
    noise.register()
    noise.draw_noise("VIEW")
    assert capsys.readouterr().out.count("a broken pattern") == 1, "it is tried again when it is registered again"
    noise.unregister()
    noise.register()


def test_the_strip_lies_between_toolbar_and_sidebar() -> None:
    made = pattern()

    def region(kind: str, left: int, width: int, alignment: str) -> Any:
        return SimpleNamespace(type=kind, x=left, width=width, alignment=alignment, height=600)

    window = region("WINDOW", 100, 1000, "NONE")
    regions = [window, region("TOOLS", 100, 50, "LEFT"), region("UI", 900, 200, "RIGHT"), region("HUD", 100, 1, "NONE")]
    system = SimpleNamespace(ui_scale=1.0, use_region_overlap=True)
    context = SimpleNamespace(
        region=window, area=SimpleNamespace(regions=regions), preferences=SimpleNamespace(system=system)
    )
    frame = noise.frame_in_view(context, made)
    assert frame.left == 60.0 and frame.right == 790.0
    assert frame.left < frame.across(1.0) < frame.across(100.0) <= frame.right
    regions[3].width = 170
    assert noise.frame_in_view(context, made).left == 180.0, "beside the settings of the last operator"
    system.use_region_overlap = False
    assert noise.frame_in_view(context, made).right == 990.0


def test_in_an_editor_frames_are_where_it_shows_them() -> None:
    view = SimpleNamespace(view_to_region=lambda frame, _, clip: (round(40.0 + 3.25 * frame), 0))
    context = SimpleNamespace(
        region=SimpleNamespace(width=800, view2d=view),
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=2.0)),
    )
    frame = noise.frame_in_editor(context)
    assert frame.across(100.0) == pytest.approx(365.0, abs=0.1) and frame.bottom == 40.0


def picture(made: Any, frame: noise.Frame, current: float) -> Any:
    """(height, width, 4) what is drawn of a plot, from below."""
    plot, batches = noise._made(made)
    screen = gpu.types.GPUOffScreen(WIDTH, HEIGHT)
    with screen.bind():
        # A render leaves its state behind on 4.2; a window resets it before each region.
        gpu.state.depth_test_set("NONE")
        gpu.state.face_culling_set("NONE")
        gpu.state.color_mask_set(True, True, True, True)
        gpu.state.active_framebuffer_get().clear(color=(0.0, 0.0, 0.0, 1.0))
        with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
            gpu.matrix.load_matrix(Matrix.Identity(4))
            onto = Matrix(((2 / WIDTH, 0, 0, -1), (0, 2 / HEIGHT, 0, -1), (0, 0, -1, 0), (0, 0, 0, 1)))
            gpu.matrix.load_projection_matrix(onto)
            noise.draw_plot(made, plot, batches, frame, current)
        read = gpu.state.active_framebuffer_get().read_color(0, 0, WIDTH, HEIGHT, 4, 0, "FLOAT")
    screen.free()
    read.dimensions = WIDTH * HEIGHT * 4
    return np.array(read).reshape(HEIGHT, WIDTH, 4)


@pytest.fixture
def drawing() -> None:
    """Blender can draw into pictures without a window: at once, or only after a first small render."""
    if hasattr(gpu, "init"):
        gpu.init()
        return
    scene = bpy.context.scene
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(scene.camera)
    bpy.ops.render.render()


@pytest.mark.usefixtures("drawing")
def test_the_picture_is_green_where_it_is_still_and_follows_the_pattern() -> None:
    made = pattern()
    frame = noise.Frame(0.0, 0.0, float(WIDTH), 10.0, 70.0, 5.5, 1.0)
    shown = picture(made, frame, 50.0)
    plot = plot_of(made)

    def color(at_frame: float, height: float) -> Any:
        return shown[int(frame.bottom + height), int(frame.across(at_frame)), :3]

    def is_green(seen: Any) -> bool:
        return bool(seen[1] > 1.3 * seen[0] and seen[1] > 1.3 * seen[2])

    for lane in plot.lanes:
        assert is_green(color(20.0, lane.bottom + 2.0)) and is_green(color(80.0, lane.bottom + 2.0))
        loud = color(48.0, lane.bottom + 2.0)
        assert not is_green(loud) and loud.mean() > 0.3, "grey where it moves"
        line = lane.threshold[0, 1]
        seen = shown[int(frame.bottom + line) - 2 : int(frame.bottom + line) + 3, int(frame.across(20.0)), :3]
        assert (seen[:, 0] > 1.5 * seen[:, 2]).any(), "the threshold is orange"
    assert is_green(color(20.0, 0.5 * BARS)) and not is_green(color(48.0, 0.5 * BARS)), "bars of what was found"
    blue = color(12.0, 1.5 * BARS)
    assert blue[2] > 1.3 * blue[0], "the bar of the example"
    across = int(frame.across(50.0))
    now = shown[int(frame.bottom + plot.lanes[0].bottom + 20.0), across - 1 : across + 2, :3]
    assert now.min(axis=1).max() > 0.8, "the current frame is a light line"
    moved = picture(made, frame, 90.0)
    assert np.abs(moved - shown).max() > 0.3

# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene in Blender: the character as it was and as it is now beside each other, on a floor of tiles, with a camera.

The character that is edited stands where its motion is. The one as it was is a copy without constraints, to its side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from poise import addon, solver
from poise.addon import bridge
from poise.addon.bridge import versions
from poise.addon.workflows import example_character

from .clips import Source
from .edits import UP, Array, Way

Color = tuple[float, float, float]

BEFORE_COLORS: dict[str, Color] = {
    "Body": (0.42, 0.41, 0.40),
    "Left": (0.27, 0.31, 0.37),
    "Right": (0.29, 0.34, 0.28),
    "Face": (0.05, 0.055, 0.065),
    "Left Shoe": (0.13, 0.15, 0.19),
    "Right Shoe": (0.14, 0.17, 0.13),
}
"""The character as it was is paler than the other one."""
TILES: tuple[Color, Color] = (0.66, 0.67, 0.69), (0.55, 0.56, 0.59)
LINE, STEP, TARGET, PRINT = (0.80, 0.12, 0.07), (0.78, 0.70, 0.58), (0.90, 0.32, 0.03), (0.90, 0.68, 0.10)
SKY: Color = (0.47, 0.57, 0.67)
NIGHT: Color = (0.012, 0.014, 0.02)

TILE = 0.5
"""Metres."""
FLOOR = 40
"""Tiles along each side of the floor."""
BESIDE = 1.25
"""Metres between the two characters, unless a chapter needs more room."""
ABOVE = 0.003
"""Metres by which what lies on the floor is above it, so that it is seen."""


class Stage:
    """An empty scene with a source, before and after, made by the add-on as a user would."""

    def __init__(self, source: Source, way: Way, aside: float = BESIDE, behind: float = 0.0) -> None:
        """`aside` and `behind` say how far the character as it was is to the right of the edited one and behind it."""
        bpy.ops.wm.read_homefile(use_empty=True)
        if not hasattr(bpy.types.Object, "poise"):
            addon.register()
        self.source, self.way = source, way
        self.sky = SKY
        mesh = solver.synthetic.body_mesh(source.clip.skeleton)
        self.before = bridge.new_character(source.clip, f"{source.name} Before", 0)
        bridge.new_body(self.before, source.clip.skeleton, mesh, BEFORE_COLORS)
        self.aside = -aside * way.left - behind * way.ahead
        self.before.location = self.aside.tolist()
        self.armature = bridge.new_character(source.clip, source.name, 0)
        bridge.new_body(self.armature, source.clip.skeleton, mesh, example_character.COLORS)
        scene: Any = bridge.current_scene()
        scene.render.fps, scene.render.fps_base = max(1, round(source.clip.fps)), 1.0
        scene.frame_start, scene.frame_end = 0, source.clip.frames - 1
        for armature in (self.before, self.armature):
            armature.show_in_front = False
            armature.hide_render = True
        self.scene = scene
        self._floor()

    # Props ----------------------------------------------------------------------------------------------------------

    def _floor(self) -> None:
        """Tiles along the way, so that one sees whether feet slide."""
        count = FLOOR + 1
        steps = (np.arange(count) - FLOOR / 2) * TILE
        along, aside = np.meshgrid(steps, steps, indexing="ij")
        origin = self.way.origin * (1.0, 1.0, 0.0)
        places = origin + along[..., None] * self.way.ahead + aside[..., None] * self.way.left
        corner = (np.arange(FLOOR)[:, None] * count + np.arange(FLOOR)).ravel()
        quads = np.stack([corner, corner + count, corner + count + 1, corner + 1], axis=1)
        floor: Any = self.add_mesh("Floor", places.reshape(-1, 3), quads.tolist(), TILES[0])
        floor.data.materials.append(bridge.new_material("Tile", TILES[1]))
        odd = (np.arange(FLOOR)[:, None] + np.arange(FLOOR)) % 2
        floor.data.polygons.foreach_set("material_index", odd.ravel().astype(np.int32))

    def add_mesh(self, name: str, places: Array, faces: Sequence[Sequence[int]], color: Color) -> bpy.types.Object:
        """Add a mesh of one colour to the scene."""
        data: Any = bpy.data.meshes.new(name)
        data.from_pydata(np.asarray(places).tolist(), [], [list(face) for face in faces])
        data.materials.append(bridge.new_material(name, color))
        made = bpy.data.objects.new(name, data)
        self.scene.collection.objects.link(made)
        return made

    def add_line(self, width: float = 0.05) -> None:
        """A stripe on the floor under the edited character, along its way."""
        ends = np.array([(-0.5, -1.0), (0.5, -1.0), (0.5, 1.0), (-0.5, 1.0)])
        length = self.way.length + 2.0
        places = self.way.origin + np.multiply.outer(length * ends[:, 0], self.way.ahead)
        places = places + np.multiply.outer(0.5 * width * ends[:, 1], self.way.left) + ABOVE * UP
        self.add_mesh("Line", places, [(0, 1, 2, 3)], LINE)

    def add_stairs(self, edges: Array, rise: float, width: float = 1.0) -> bpy.types.Object:
        """Stairs under the edited character, whose steps begin at distances (steps,) along the way; floor before."""
        ends = np.concatenate([[-20.0], edges, [edges[-1] + 0.9]])
        corners: list[Array] = []
        faces: list[tuple[int, int, int, int]] = []

        def quad(*places: tuple[float, float, float]) -> None:
            faces.append(tuple(range(len(corners), len(corners) + 4)))  # type: ignore[arg-type]
            for along, aside, height in places:
                corners.append(self.way.origin + along * self.way.ahead + aside * self.way.left + height * UP)

        half = 0.5 * width
        for number, (begin, end) in enumerate(pairwise(ends)):
            top, below = number * rise + ABOVE, max(number - 1, 0) * rise
            wide = half if number else 1e-3
            quad((begin, -wide, top), (end, -wide, top), (end, wide, top), (begin, wide, top))
            if number:
                quad((begin, -half, below), (begin, -half, top), (begin, half, top), (begin, half, below))
                for side in (-half, half):
                    quad((begin, side, 0.0), (end, side, 0.0), (end, side, top), (begin, side, top))
        quad((ends[-1], -half, 0.0), (ends[-1], half, 0.0), (ends[-1], half, top), (ends[-1], -half, top))
        return self.add_mesh("Stairs", np.array(corners), faces, STEP)

    def add_ball(self, place: Array, radius: float) -> None:
        """A target in the air."""
        bpy.ops.mesh.primitive_uv_sphere_add(segments=24, ring_count=16, radius=radius, location=place.tolist())
        made: Any = bpy.context.object
        made.name = "Target"
        made.data.materials.append(bridge.new_material("Target", TARGET))
        for polygon in made.data.polygons:
            polygon.use_smooth = True
        self.activate()

    def add_footprints(self, clip: solver.Clip, plants: Iterable[solver.Footplant], shift: Array | None = None) -> None:
        """The outlines of soles on the ground where the feet of a motion stand, moved by `shift`."""
        for plant in plants:
            outline = _sole(clip, plant)
            if outline is not None:
                moved = outline if shift is None else outline + shift
                self.add_mesh("Footprint", moved, [list(range(len(outline)))], PRINT)

    # Camera ---------------------------------------------------------------------------------------------------------

    def aim_camera(
        self,
        azimuth: float,
        elevation: float,
        distance: float,
        frames: tuple[int, int],
        height: float = 0.85,
        follows: bool = True,
        clip: solver.Clip | None = None,
    ) -> None:
        """Look at both characters from `distance` metres, `azimuth` degrees to their left of ahead, in some frames.

        With `follows` the camera goes along with them evenly, and half as high as they climb. `clip` is the motion of
        the edited character.
        """
        data = bpy.data.cameras.new("Camera")
        camera: Any = bpy.data.objects.new("Camera", data)
        data.lens = 50.0
        self.scene.collection.objects.link(camera)
        self.scene.camera = camera
        turn, lift = np.deg2rad((azimuth, elevation))
        out = np.cos(lift) * (np.cos(turn) * self.way.ahead + np.sin(turn) * self.way.left) + np.sin(lift) * UP
        hips = self._middle(frames, clip or self.source.clip)
        targets = hips if follows else np.tile(hips.mean(axis=0), (2, 1))
        camera.rotation_mode = "QUATERNION"
        camera.rotation_quaternion = Vector((-out).tolist()).to_track_quat("-Z", "Y")
        source = self.source.clip
        hips_height = source.position(source.skeleton.landmarks.hips or 0)[0, source.skeleton.up_axis]
        for frame, target in zip(frames, targets, strict=True):
            climbed = 0.5 * (target[2] - hips_height)
            camera.location = (target * (1.0, 1.0, 0.0) + (height + climbed) * UP + distance * out).tolist()
            camera.keyframe_insert("location", frame=frame)
        animation = camera.animation_data
        for curve in versions.all_curves_of(animation.action):
            for key in curve.keyframe_points:
                key.interpolation = "LINEAR"
        self._light()

    def _middle(self, frames: tuple[int, int], clip: solver.Clip) -> Array:
        """(2, 3) the middle between both characters in the first and the last frame, by a line through all between."""
        after = clip.position(clip.skeleton.landmarks.hips or 0)
        first, last = min(frames[0], clip.frames - 1), min(frames[1], clip.frames - 1)
        part = after[first : last + 1]
        times = np.arange(len(part), dtype=np.float64)
        lines = [np.polyfit(times, part[:, axis], 1 if len(part) > 1 else 0) for axis in range(3)]
        ends = np.array([[np.polyval(line, time) for line in lines] for time in (times[0], times[-1])])
        return ends + 0.5 * self.aside

    def _light(self) -> None:
        """A sun and a sky, which only Cycles needs."""
        sun: Any = bpy.data.lights.new("Sun", "SUN")
        sun.energy, sun.angle = 3.0, 0.0
        lamp: Any = bpy.data.objects.new("Sun", sun)
        shine = -0.35 * self.way.ahead - 0.55 * self.way.left - UP
        lamp.rotation_mode = "QUATERNION"
        lamp.rotation_quaternion = Vector(shine.tolist()).to_track_quat("-Z", "Y")
        self.scene.collection.objects.link(lamp)
        world: Any = bpy.data.worlds.new("Sky")
        world.color = self.sky
        if world.node_tree is None:  # since Blender 5.0 a new world has nodes
            world.use_nodes = True
        background = next(node for node in world.node_tree.nodes if node.type == "BACKGROUND")
        background.inputs["Color"].default_value = (*self.sky, 1.0)
        background.inputs["Strength"].default_value = 0.8
        self.scene.world = world

    # Files ----------------------------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Select the edited character alone, as it is shown when the file is opened."""
        view_layer: Any = bpy.context.view_layer
        for found in view_layer.objects:
            found.select_set(found == self.armature)
        view_layer.objects.active = self.armature

    def save(self, path: Path) -> None:
        """Write the scene as it is."""
        self.activate()
        self.scene.frame_set(self.scene.frame_start)
        bpy.ops.wm.save_as_mainfile(filepath=str(path.resolve()), compress=True)


_SOLE = np.array([(-0.06, 0.030), (0.03, 0.042), (0.35, 0.040), (0.68, 0.056), (0.92, 0.050), (1.04, 0.026)])
"""The outline of half a sole: the share of the way from heel to the tip of the toes, and sizes to the side."""


def _sole(clip: solver.Clip, plant: solver.Footplant) -> Array | None:
    """(corners, 3) the outline of a sole where a plant stands in a clip."""
    times = [time for stay in plant.stays.values() for time in stay]
    frame = int(np.clip(round(0.5 * (min(times) + max(times))), 0, clip.frames - 1))
    marks = clip.skeleton.landmarks
    tip = getattr(marks, f"{plant.foot}_toe_tip")
    if tip is None:
        return None
    heel, end = clip.position(marks.require(f"{plant.foot}_heel"))[frame], clip.position(tip)[frame]
    way = (end - heel) * (1.0, 1.0, 0.0)
    across = np.cross(UP, way) / max(float(np.linalg.norm(way)), 1e-9) * clip.skeleton.size
    half = np.concatenate([_SOLE * (1.0, 1.0), _SOLE[::-1] * (1.0, -1.0)])
    height = min(float(heel[2]), float(end[2])) + ABOVE
    floor = heel * (1.0, 1.0, 0.0) + height * UP
    return np.asarray(floor + half[:, :1] * way + half[:, 1:] * across)

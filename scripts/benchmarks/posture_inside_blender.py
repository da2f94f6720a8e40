# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs with the bpy module, for `posture_drag`: `posture_inside_blender.py WALK.bvh RESULT.json EVENTS`."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from poise import addon
from poise.addon import bridge
from poise.addon.workflows import posture

FRAME = 100
"""In the middle of a walk."""
REACH = 0.25
"""Sizes of the character: how far the hand goes within its reach."""
FINGERS, PHALANGES = ("Thumb", "Index", "Middle", "Ring", "Pinky"), 3


def main(walk: str, result: str, events: str) -> None:
    """Measure, and write milliseconds."""
    addon.register()
    characters = [_measured(_imported(walk, fingers), int(events)) for fingers in (False, True)]
    Path(result).write_text(json.dumps({"characters": characters, "version": bpy.app.version_string}), encoding="utf-8")


def _imported(walk: str, fingers: bool) -> Any:
    """The armature of the walk, with 30 bones more for fingers."""
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.import_anim.bvh(filepath=walk, rotate_mode="QUATERNION", update_scene_fps=True)
    armature: Any = bpy.context.object
    marks = bridge.read_shown(armature).clip.skeleton
    if fingers:
        bpy.ops.object.mode_set(mode="EDIT")
        for side in ("Left", "Right"):
            hand = armature.data.edit_bones[marks.names[getattr(marks.landmarks, f"{side.lower()}_wrist")]]
            for number, finger in enumerate(FINGERS):
                _add_finger(armature.data.edit_bones, hand, f"{side}Hand{finger}", number, marks.size)
        bpy.ops.object.mode_set(mode="OBJECT")
    scene: Any = bpy.context.scene
    scene.frame_set(min(FRAME, int(armature.animation_data.action.frame_range[1])))
    return armature


def _add_finger(bones: Any, hand: Any, name: str, number: int, size: float) -> None:
    above, away = hand, (hand.tail - hand.head).normalized()
    side = away.orthogonal().normalized()
    place = hand.tail + side * 0.01 * size * (number - 2)
    for phalanx in range(1, PHALANGES + 1):
        bone = bones.new(f"{name}{phalanx}")
        bone.parent, bone.head, bone.tail = above, place, place + away * 0.03 * size
        above, place = bone, bone.tail


def _measured(armature: Any, events: int) -> dict[str, Any]:
    """The times of each drag, and how far a foot has moved."""
    clip = bridge.read_shown(armature).clip
    names, size = clip.skeleton.names, clip.skeleton.size
    marks: Any = clip.skeleton.landmarks
    hand, hips, foot = names[marks.left_wrist], names[marks.hips], names[marks.right_ankle]
    turns = np.linspace(0.0, 2.0 * np.pi, events)
    circle = np.stack([1.0 - np.cos(turns), np.sin(turns), 0.5 * np.sin(2.0 * turns)], axis=1)
    away = np.linspace(0.0, 1.0, events)[:, None] * np.array([1.2, 0.6, 0.8]) + 0.2 * circle
    down = -np.stack([np.zeros(events), np.zeros(events), 0.3 * (1.0 - np.cos(turns)) / 2.0], axis=1)
    drags = {
        "hand": (hand, REACH * circle, False),
        "hand, out of reach": (hand, away, False),
        "hips": (hips, down, False),
        "hand, out of reach, anatomical limits": (hand, away, True),
    }
    layer: Any = bpy.context.view_layer
    before, moved, times = _place(armature, foot), 0.0, {}
    for name, (bone, way, limited) in drags.items():
        armature.poise.use_anatomical_limits = limited
        session = posture.begin(armature, bone)
        start, taken = session.place, []
        for step in way:
            begin = time.process_time()
            session.move(start + size * step)
            layer.update()
            taken.append(1e3 * (time.process_time() - begin))
            moved = max(moved, float(np.linalg.norm(_place(armature, foot) - before)))
        times[name] = taken
        session.cancel()
        layer.update()
    return {"bones": len(armature.pose.bones), "times": times, "foot": moved / size}


def _place(armature: Any, bone: str) -> Any:
    return np.array(armature.matrix_world @ armature.pose.bones[bone].head, dtype=np.float64)


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # Blender's own end hangs where classes are registered

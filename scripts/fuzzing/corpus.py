# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid files of every kind that is fuzzed: the mutations begin with them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np

from poise import solver
from poise.examples.deformation.random_clips import random_clip
from poise.solver import spacetime
from poise.solver.body.motion import Motion
from poise.solver.files.bvh import format_bvh
from poise.solver.synthetic import human, walk

FRAMES = 24
"""Of the clip that constraints are read for."""

_ODD_BVH = b"""HIERARCHY\r
ROOT Hips of the first\r
{\r
  OFFSET 0.0 9e-1 -0\r
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\r
  JOINT same\r
  {\r
    OFFSET 0 1 0\r
    CHANNELS 2 Zrotation Zrotation\r
    End Site\r
    {\r
      OFFSET 0 1 0\r
    }\r
  }\r
  JOINT same\r
  {\r
    OFFSET 1 1 0\r
    CHANNELS 0\r
    JOINT tip\r
    {\r
      OFFSET 1 0 0\r
      CHANNELS 4 Yposition Xrotation Yrotation Zrotation\r
    }\r
  }\r
}\r
ROOT second { OFFSET 1 2 3 CHANNELS 1 Yrotation }\r
MOTION\r
Frames: 2\r
Frame Time: .0083333\r
0 1 2 3 4 5 6 7 8 9 10 11 12\r
0 1 2 3 4 5 6 7 8 9 10 11 12\r
"""
"""Everything that is allowed and rare: two roots, repeated names and channels, joints without channels."""

_SMALL_BVH = b"""HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 3 Xrotation Yrotation Zrotation }
MOTION
Frames 1
Frame Time 1
1 2 3
"""


@cache
def clip() -> solver.Clip:
    """The clip that constraints are read for: a human's walk of `FRAMES` frames, with limits."""
    body = human("z", hinges=True, limits=True)
    whole = walk(body, steps=2, fps=24.0).clip
    return solver.Clip(body, Motion(whole.motion.rotations[:FRAMES], whole.motion.translations[:FRAMES]), whole.fps)


@cache
def bvh_files() -> tuple[bytes, ...]:
    """Small BVH files."""
    made = [random_clip(np.random.default_rng(seed)) for seed in (1, 2, 3)]
    made.append(walk(human("y"), steps=1, fps=24.0).clip)
    short = [solver.Clip(each.skeleton, each.motion.at(np.arange(4)), each.fps) for each in made]
    return (*(format_bvh(each).encode() for each in short), _ODD_BVH, _SMALL_BVH)


def _written(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False).encode()


@cache
def constraint_files() -> tuple[bytes, ...]:
    """Files that between them hold every kind of constraint with every key."""
    point = {"location": [0.2, 0.1, 1.2], "begin": 8, "end": 12, "tension": 0.1, "continuity": 0.0, "bias": -0.2}
    shared = {"priority": 3, "weight": 2.0, "recruit": 2, "exact": False}
    still = {"positions": [0, 0, 1], "rotations": [1, 0, 0, 0]}
    moving = {"positions": [[0.01 * each, 0, 1] for each in range(FRAMES)], "rotations": [[1, 0, 0, 0]] * FRAMES}
    hand, foot, head = "r_wrist", "l_midtarsal", "skullbase"
    turned = [0.9, 0.1, 0.2, 0.3]
    span = {"begin": 2, "end": 20.5}
    shape = {"kind": "shape", "name": "Wave", "joint": hand, **span, "mode": "condensed", "points": [point], **shared}
    direction = {key: value for key, value in point.items() if key != "location"} | {"direction": [1, 0, 0.2]}
    rotation = {key: value for key, value in point.items() if key != "location"} | {"rotation": turned}
    later = {**point, "begin": 15, "end": 16}
    records: list[dict[str, Any]] = [
        shape,
        {**shape, "joint": {"name": hand, "offset": [0, 0.1, 0]}, "mode": "absolute", "points": [point, later]},
        {**shape, "reference": head, "mode": "relative", "blender": {"color": [1, 0, 0]}},
        {**shape, "reference": still},
        {**shape, "reference": moving, "recruit": [hand, "r_elbow"]},
        {"kind": "orientation", "joint": hand, **span, "points": [rotation], **shared},
        {"kind": "direction", "joint": head, **span, "axis": [0, 1, 0], "points": [direction], **shared},
        {"kind": "look_at", "joint": head, **span, "axis": [0, 1, 0], "points": [point], **shared},
        {"kind": "footplant", "foot": "left", "heel_strike": 3, "toe_strike": 5, "heel_off": 15, "toe_off": 18},
        {
            "kind": "footplant",
            "foot": "right",
            "name": "Right",
            "heel_strike": 10,
            "toe_strike": 11,
            "heel_off": 19,
            "toe_off": 22,
            "position": [0.2, 0.3, 0],
            "heading": 0.3,
            "height": 0.0,
            "own_height": True,
            "ease_in": 3,
            "ease_out": 2,
            "ground_velocity": [0, 0.01, 0],
            "contact": [10, 22],
            **shared,
        },
        {"kind": "handplant", "hand": "left", **span, "position": [0.3, 0.4, 1.1], "turn": 0.2, "ease_in": 2, **shared},
        {"kind": "handplant", "hand": "right", **span, "reference": still, "shift": [0, 0, 0.1], "ease_out": 3},
        {
            "kind": "balance",
            "points": [foot, {"name": head, "offset": [0, 0, 0.1]}],
            **span,
            "axes": "xy",
            **shared,
            "recruit": [head, foot],
        },
        {"kind": "balance", "support": "feet", "displacement": [0.1, 0, 0]},
        {"kind": "balance", "displacement": {"times": [2, 8, 20], "values": [[0, 0, 0], [0.1, 0, 0], [0, 0, 0]]}},
        {
            "kind": "balance",
            "displacement": {
                "times": [2, 20],
                "values": [[0, 0, 0], [0.1, 0, 0]],
                "tension": 0.1,
                "continuity": [0, 0.2],
                "bias": 0,
                "incoming": [[0, 0, 0], [0, 0, 0]],
                "outgoing": [[0, 0, 0], [0, 0, 0]],
            },
        },
        {"kind": "balance", "displacement": [{"location": [0.1, 0, 0], "begin": 5}]},
        {"kind": "pose", **span, "space": "local", "rotations": [{"joint": hand, "rotation": turned}], "ease_in": 2},
        {"kind": "pose", **span, "space": "world", "rotations": [{"joint": head, "rotation": turned}], **shared},
    ]
    head_of_file = {"poise": 1, "fps": 24.0, "up": "z", "rest": {hand: turned, head: [1, 0, 0, 0]}}
    singles = [{"poise": 1, "constraints": [record]} for record in records]
    return tuple(
        map(
            _written,
            (
                *singles,
                {**head_of_file, "constraints": records[:1]},
                {**head_of_file, "fps": 30, "up": "y", "constraints": records[:3] + records[5:10]},
                {"poise": 1, "fps": 12, "constraints": records[12:]},
            ),
        )
    )


@cache
def single_constraint_files() -> tuple[bytes, ...]:
    """Files of one constraint each: many that conflict take seconds to be solved."""
    return tuple(each for each in constraint_files() if each.count(b'"kind"') == 1)


@cache
def edit_files() -> tuple[bytes, ...]:
    """Edits of physical motions with every key."""
    handle = {"kind": "dot", "first": "left_ball", "second": {"kind": "axis", "joint": "hips", "axis": "up"}}
    return (
        _written({"gravity": 0.165, "duration": None, "flight": 1.5, "turn": 0.3, "free_end": True}),
        _written(
            {
                "duration": 1.2,
                "footprints": [
                    {"stance": 1, "shift": [0.1, 0, 0], "turn": 0.1, "earlier_strike": 0.05, "later_release": 0}
                ],
                "limbs": [{"joint": "left_knee", "length": 1.1, "mass": 2.0}],
                "locked": [{"joint": "right_knee", "degrees": [10.0]}, {"joint": "left_hip", "degrees": None}],
                "obstacles": [{"place": [0, 1, 0], "height": 0.3, "radius": 0.2}],
                "keep_heading": True,
                "objectives": {"power": 0.1, "balance": 1.0},
                "own_objectives": [
                    {"handle": handle, "weight": 2.0, "target": [1.0], "begin": 0.1, "end": 0.5},
                    {"handle": {"kind": "center_of_mass"}, "target": [0, 0, 1]},
                ],
                "deviation": 0.5,
            }
        ),
    )


@cache
def recipe_files() -> tuple[bytes, ...]:
    """The recipes that come with Poise, and a small one."""
    small = {
        "name": "small",
        "joints": [{"joints": ["left_hip"], "form": "ball", "margin": 0.2}],
        "handles": [{"handle": "left_ball", "weight": 2.0}],
        "contacts": [{"name": "left foot", "feet": ["left"]}],
        "holds_ends": True,
    }
    return (*(_written(recipe.as_dict()) for recipe in spacetime.RECIPES.values()), _written(small))


@cache
def handle_files() -> tuple[bytes, ...]:
    """Handles of every kind."""
    hips, ball = {"kind": "center_of_mass", "joint": "spine"}, {"kind": "point", "point": "left_ball"}
    up = {"kind": "axis", "joint": "hips", "axis": "up"}
    vector = {"kind": "difference", "first": hips, "second": ball}
    return tuple(
        map(
            _written,
            (
                "left_hip",
                up,
                {"kind": "direction", "start": "left_hip", "end": ball},
                {"kind": "distance", "start": hips, "end": "left_ball"},
                {"kind": "midpoint", "first": "left_ball", "second": "right_ball"},
                {"kind": "sum", "first": hips, "second": {"kind": "scaled", "handle": vector, "factor": -0.5}},
                {"kind": "dot", "first": {"kind": "unit", "handle": vector}, "second": up},
                {"kind": "length", "handle": vector},
            ),
        )
    )

# SPDX-License-Identifier: GPL-3.0-or-later
"""The captured clips whose footplants are labelled by hand, without their first frame, which is a calibration pose."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from poise.solver import Clip, Footplant, Ground, Motion, read_bvh
from poise.solver.detection.footplants import with_time_between

LABELS = Path(__file__).parents[2] / "labels"
LABELLED = ("02_01", "09_01", "10_01", "13_11", "13_35", "16_17", "49_06", "85_05", "135_04")
"""A walk, a run, a kick, a jump, stairs, a turn, a cartwheel, handstands, karate."""

GLITCH = {"16_17": slice(470, 480)}
"""Frames of 16_17 in which the capture breaks: for one of them the whole body is 9 % of its size off, and for six a
foot is in the floor. No foot can stand then and no knee stay calm unless the leg bends."""
NO_GLITCH = slice(0)

EVENTS = ("heel_strike", "toe_strike", "heel_off", "toe_off")


def captured(mocap: Path, name: str) -> tuple[Clip, list[Footplant]]:
    """A clip and its plants; the labels cut the stay of a ball without time between, which is added."""
    whole = read_bvh(mocap / f"{name}.bvh")
    clip = whole.with_motion(Motion(whole.motion.rotations[1:], whole.motion.translations[1:]))
    labels = json.loads((LABELS / f"{name}.json").read_text(encoding="utf-8"))["footplants"]
    plants = [
        Footplant(foot=label["foot"], **{event: None if label[event] is None else label[event] - 1 for event in EVENTS})
        for label in labels
    ]
    return clip, with_time_between(plants, clip)


def floor_of(clip: Clip, plants: list[Footplant]) -> Ground:
    """The level on which heels stand, in the middle of all."""
    up = clip.skeleton.up_axis
    heights = [
        clip.position(clip.skeleton.landmarks.require(f"{plant.foot}_heel"))[int(begin) : int(end) + 1, up]
        for plant in plants
        for part, (begin, end) in plant.stays.items()
        if part == "heel"
    ]
    return Ground(float(np.median(np.concatenate(heights))))

# SPDX-License-Identifier: GPL-3.0-or-later
"""The captured walk whose footplants are labelled by hand, and edits of them as in Le Callennec 2006, figure 5.14."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from poise import solver
from poise.examples.edits import BALANCE, RISE, SUPPORT, Edit
from poise.solver.body.motion import Motion

LABELS = Path(__file__).parents[1] / "labels" / "02_01.json"

EVENTS = ("heel_strike", "toe_strike", "heel_off", "toe_off")


def enforced(mocap: Path) -> Edit:
    """Each foot stands at its mean position, and the body stays balanced.

    The clip's first frame is a calibration pose and no part of the walk: it is left out.
    """
    whole = solver.read_bvh(mocap / "02_01.bvh")
    clip = whole.with_motion(Motion(whole.motion.rotations[1:], whole.motion.translations[1:]))
    plants = [
        solver.Footplant(
            foot=label["foot"],
            priority=SUPPORT,
            **{event: None if label[event] is None else label[event] - 1 for event in EVENTS},
        )
        for label in json.loads(LABELS.read_text(encoding="utf-8"))["footplants"]
    ]
    return Edit(clip, (*plants, solver.Balance(priority=BALANCE)), None)


def in_one_line(mocap: Path) -> Edit:
    """The feet of the same walk in one line, along its direction."""
    edit = enforced(mocap)
    clip = edit.source
    marks = clip.skeleton.landmarks
    across = [axis for axis in range(3) if axis != clip.skeleton.up_axis]
    middles = []
    for plant in edit.plants:
        parts = [
            clip.position(marks.require(f"{plant.foot}_{part}"))[int(begin) : int(end) + 1].mean(axis=0)
            for part, (begin, end) in plant.stays.items()
        ]
        middles.append(np.mean(parts, axis=0))
    places = np.array(middles)
    center = places[:, across].mean(axis=0)
    along = np.linalg.svd(places[:, across] - center)[2][0]
    standing = []
    for plant, place in zip(edit.plants, places, strict=True):
        shift = np.zeros(3)
        shift[across] = center + ((place[across] - center) @ along) * along - place[across]
        standing.append(plant.moved(shift))
    return replace(edit, constraints=(*standing, solver.Balance(priority=BALANCE)))


def upstairs(mocap: Path) -> Edit:
    """Each plant of the same walk a step higher than the one before."""
    edit = enforced(mocap)
    up = np.eye(3)[edit.source.skeleton.up_axis] * RISE * edit.source.skeleton.size
    standing = [plant.moved(number * up) for number, plant in enumerate(edit.plants)]
    return replace(edit, constraints=(*standing, solver.Balance(priority=BALANCE)))

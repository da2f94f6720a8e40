# SPDX-License-Identifier: GPL-3.0-or-later
"""Small pictures of clips."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np

from poise import solver
from poise.batch.thumbnails import POSES, UNITS, _pairs, drawing, thumbnail
from poise.solver.synthetic import walk


def test_the_points_are_those_of_the_clip(skating: solver.Clip) -> None:
    points = thumbnail(skating, skating)
    assert json.loads(json.dumps(points)) == points
    assert points["before"] == points["after"] and len(points["before"]["poses"]) == POSES
    heights = np.array(_pairs(points["before"]["poses"][0]))[:, 1]
    world = skating.world.positions[0, :, skating.skeleton.up_axis] / skating.skeleton.size * UNITS
    assert abs((heights.max() - heights.min()) - (world.max() - world.min())) < 0.1 * UNITS


def test_the_view_is_from_the_side(skating: solver.Clip) -> None:
    """The picture of a walk is as wide as its way, whichever way it goes."""
    far = walk(steps=6, fps=24.0).clip
    turn = solver.rotations.exp([0.0, 1.0, 0.0] if far.up == "y" else [0.0, 0.0, 1.0])
    motion = far.motion
    rotations, translations = motion.rotations.copy(), motion.translations.copy()
    rotations[:, 0] = solver.rotations.multiply(turn, rotations[:, 0])
    translations[:, 0] = solver.rotations.rotate(turn, translations[:, 0])
    widths = []
    for clip in (far, far.with_motion(solver.Motion(rotations, translations))):
        path = np.array(_pairs(thumbnail(clip, None)["before"]["paths"][0]))
        widths.append(np.ptp(path[:, 0]))
    assert abs(widths[0] - widths[1]) < 0.02 * widths[0] and widths[0] > UNITS


def test_a_drawing_is_svg_and_both_have_one_scale(skating: solver.Clip) -> None:
    points = thumbnail(skating, skating)
    svg = drawing(points, "before")
    ElementTree.fromstring(svg)
    assert svg == drawing(points, "after") and svg.count("<path") == POSES + 2
    numbers = [float(number) for number in re.findall(r"[ML ](-?[\d.]+)", svg)]
    assert min(numbers) >= 0.0 and max(numbers) <= 220.0


def test_without_a_result_there_is_no_picture_of_it(skating: solver.Clip) -> None:
    points = thumbnail(skating, None)
    assert drawing(points, "after") == "" and drawing(points, "before")


def test_one_frame_is_enough(skating: solver.Clip) -> None:
    still = solver.Clip(skating.skeleton, skating.motion.at(np.arange(1)), skating.fps)
    assert len(thumbnail(still, None)["before"]["poses"]) == 1

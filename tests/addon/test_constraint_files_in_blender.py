# SPDX-License-Identifier: GPL-3.0-or-later
"""A file of constraints means the same for a BVH file and for the armature that Blender makes of it, and back.

Another axis is up there, and the bones' own frames lie otherwise on the body.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge
from poise.solver.constraints import Source
from poise.solver.core import rotations
from poise.solver.synthetic import walk

SINGLE_PRECISION = 1e-5
"""Sizes of the character, or radians: Blender computes in single precision, through every bone of a chain."""

UPRIGHT = rotations.from_axis_angle((1.0, 0.0, 0.0), 0.5 * np.pi)


@pytest.fixture(autouse=True)
def empty_file() -> Iterator[None]:
    """Nothing in the file, before and after."""
    bpy.ops.wm.read_homefile(use_empty=True)
    yield
    bpy.ops.wm.read_homefile(use_empty=True)


def read_in_blender(path: Path, clip: solver.Clip) -> solver.Clip:
    """What Blender's importer makes of a file, as the bridge reads it."""
    bpy.context.scene.render.fps = round(clip.fps)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore", ResourceWarning)  # Blender's importer leaves closing the file to Python
        bpy.ops.import_anim.bvh(filepath=str(path))
    bpy.context.scene.frame_end = clip.frames
    return bridge.read(bpy.context.object).clip


def some_constraints(clip: solver.Clip) -> list[solver.Constraint]:
    """One of each kind that has something to do with the frames of joints."""
    hand = solver.BodyPoint("l_wrist", (0.03, -0.02, 0.1))
    turn = rotations.multiply(rotations.exp([0.1, 0.4, -0.2]), clip.orientation("skullbase")[30])
    return [
        solver.OrientationConstraint("skullbase", 10, 45, [solver.ConstraintPoint(turn, 25, 30)]),
        solver.DirectionConstraint(
            "r_wrist", 10, 45, [solver.ConstraintPoint((0.1, 1.0, 0.3), 25, 30)], axis=(1, 0, 2)
        ),
        solver.DirectionConstraint("r_elbow", 10, 45, [solver.ConstraintPoint((0.1, 1.0, 0.3), 25, 30)]),
        solver.ShapeConstraint(hand, 10, 45, [solver.ConstraintPoint(clip.position(hand)[20], 25, 30)]),
        solver.ShapeConstraint(hand, 10, 45, [solver.ConstraintPoint((0.1, 0.2, 0.3), 25)], reference="skullbase"),
        solver.Balance(points=["r_talocrural", hand], displacement=(0.1, 0.0, 0.2)),
        *solver.detect_footplants(clip),
    ]


def targets(constraint: solver.Constraint, clip: solver.Clip) -> list[np.ndarray]:
    """(frames, 3) how far each of its effectors is to be moved, or turned, in the world."""
    moves = [track.displacement for track in constraint.tracks(Source(clip))]
    if isinstance(constraint, solver.ShapeConstraint) and isinstance(constraint.reference, str):
        frames = slice(int(constraint.begin), int(constraint.end) + 1)
        moves = [rotations.rotate(clip.orientation(constraint.reference)[frames], move) for move in moves]
    return moves


def test_a_constraint_asks_for_the_same_in_blender_and_back(tmp_path: Path) -> None:
    solver.write_bvh(walk(steps=3).clip, tmp_path / "walk.bvh")
    clip = solver.read_bvh(tmp_path / "walk.bvh")
    in_blender = read_in_blender(tmp_path / "walk.bvh", clip)
    constraints = some_constraints(clip)
    solver.write_constraints(constraints, tmp_path / "there.json", clip)
    there = solver.read_constraints(tmp_path / "there.json", in_blender)
    solver.write_constraints(there, tmp_path / "back.json", in_blender)
    back = solver.read_constraints(tmp_path / "back.json", clip)
    for before, meanwhile, after in zip(constraints, there, back, strict=True):
        expected = targets(before, clip)
        for move, upright, again in zip(expected, targets(meanwhile, in_blender), targets(after, clip), strict=True):
            assert np.abs(upright - rotations.rotate(UPRIGHT, move)).max() < SINGLE_PRECISION, before
            assert np.abs(again - move).max() < SINGLE_PRECISION, before

# SPDX-License-Identifier: GPL-3.0-or-later
"""The moving picture of the README: a walk, and the same walk upstairs with a tray."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.animation import PillowWriter
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from poise import solver
from poise.examples import edits
from poise.examples.edits import Edit

from . import bodies, motions
from .bodies import View

SIDE = View(-90.0, elevation=6.0)
"""From the right: the walk goes to the right."""

STEP = 2
"""Each second frame of the walk is shown, at its own speed."""

HALF_WIDTH, BELOW, ABOVE = 0.95, 0.35, 1.85
"""Metres that are shown to either side of the body, below its floor and above it."""

STANCE_MARK = 0.035
"""Metres: the radius of the mark under a heel or a ball that is planted."""


def write(path: Path) -> None:
    """Write the animation: left the source, right the result with what it was asked for."""
    edit, deformation = motions.solved(edits.waiter)
    sides = (("A walk", edit.source, False), ("Plants on stairs, a tray held level", deformation.clip, True))
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.9), layout="constrained")
    writer = PillowWriter(fps=round(edit.source.fps / STEP))
    with writer.saving(figure, str(path), dpi=80):
        for frame in range(0, edit.source.frames, STEP):
            for axes, (title, clip, is_result) in zip(panels, sides, strict=True):
                axes.clear()
                _draw(axes, title, edit, clip, frame, is_result)
            writer.grab_frame(facecolor=bodies.PAPER)
    plt.close(figure)


def _draw(axes: Axes, title: str, edit: Edit, clip: solver.Clip, frame: int, is_result: bool) -> None:
    """One panel; the view goes with the hips of the source, and up with the stairs."""
    along = float(SIDE.project(edit.source.position(0)[frame])[0])
    lift = float((clip.position(0)[frame] - edit.source.position(0)[frame])[1])
    if is_result:
        motions.draw_stairs_of(axes, edit, (-2.0, 7.0), bottom=-1.0)
    else:
        axes.add_patch(Rectangle((along - 2.0, -1.0), 4.0, 1.0, facecolor=motions.STONE))
    bodies.draw_parts(axes, bodies.mannequin(clip.skeleton, clip.pose(frame)), SIDE)
    if is_result:
        motions.draw_tray(axes, clip, frame)
        _mark_plants(axes, edit, clip, frame)
    bodies.frame(axes, title, (along - HALF_WIDTH, along + HALF_WIDTH), (lift - BELOW, lift + ABOVE))


def _mark_plants(axes: Axes, edit: Edit, clip: solver.Clip, frame: int) -> None:
    """A red mark under each heel and ball that stands at this frame."""
    marks = clip.skeleton.landmarks
    for plant in edit.plants:
        for part, (begin, end) in plant.stays.items():
            if begin <= frame <= end:
                x, y, _ = SIDE.project(clip.position(marks.require(f"{plant.foot}_{part}"))[frame])
                axes.plot([x], [y - STANCE_MARK], marker="^", markersize=6, color=bodies.TARGET, zorder=7)


ANIMATIONS = {"waiter": write}
"""By the names of their files, which are GIFs."""

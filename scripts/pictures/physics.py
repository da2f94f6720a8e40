# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures and animations of the transformations of Popović 1999: strips before and after, with the ground's forces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from poise.examples import physics, physics_sources
from poise.solver import Clip
from poise.solver.body.motion import Pose
from poise.solver.core.arrays import Array
from poise.solver.spacetime import MISSING, Fit, SimplifiedMotion, Transformation, is_available, transform

from . import bodies
from .bodies import View

SIDE, AHEAD = View(-90.0, elevation=6.0), View(0.0, elevation=6.0)
"""From the right, so that motions go to the right; and from the front."""

BEFORE, AFTER, FORCE = "#a9adb3", bodies.INK, bodies.TARGET

POSES = 8
"""Poses of a strip."""

BODY_WEIGHT = 0.35
"""Metres that a force of one body weight is drawn long."""

GIF_FRAMES, GIF_RATE = 32, 16
"""Frames of an animation, and how many a second are shown."""


SPACING = 0.85
"""Metres between the poses of a strip that is not seen from the side."""


@dataclass(frozen=True)
class Shown:
    """A transformation that is drawn, and from where."""

    name: str
    view: View

    @property
    def is_spread(self) -> bool:
        """Whether poses are drawn beside each other instead of in their places, where they would overlap."""
        return self.view is not SIDE


SHOWN = (
    Shown("moon run", SIDE),
    Shown("crossed footsteps", AHEAD),
    Shown("limp", AHEAD),
    Shown("twist jump", AHEAD),
    Shown("diagonal jump", AHEAD),
    Shown("obstacle jump", SIDE),
    Shown("unbalanced landing", SIDE),
)
"""Those that `make pictures` has the time to solve."""


@cache
def fitted(kind: str) -> Fit:
    """The fit of the made-up run or jump."""
    fit = physics_sources.fitted_run() if kind == "run" else physics_sources.fitted_jump()
    print(f"Physics of the {kind}: {fit.quality}")
    return fit


@cache
def transformed(name: str) -> Transformation:
    """A transformation of the run or the jump."""
    fit = fitted("run" if name in physics.RUNS else "jump")
    done = transform(fit, {**physics.RUNS, **physics.JUMPS}[name](fit))
    print(f"{name}: {done.optimum.iterations} iterations, equations hold within {done.optimum.violation:.1e}")
    return done


def draw(shown: Shown) -> Figure:
    """Four strips: the full character before and after, and the simplified one with forces below."""
    done = transformed(shown.name)
    figure, panels = plt.subplots(2, 2, figsize=(14.0, 5.2), layout=ConstrainedLayoutEngine(wspace=0.06))
    sides = ((done.fit.source, done.fit.motion, "before"), (done.clip, done.motion, shown.name))
    for column, (clip, motion, title) in enumerate(sides):
        full, simple = panels[:, column]
        for axes in (full, simple):
            if column == 1 and not shown.is_spread:
                _draw_obstacles(axes, done, shown.view)
        shifts = _shifts(motion, shown)
        low, high = _draw_characters(full, clip, shown.view, shifts)
        simple_low, simple_high = _draw_simplified(simple, motion, shown, shifts)
        low, high = np.minimum(low, simple_low) - 0.2, np.maximum(high, simple_high) + 0.3
        for axes, words in ((full, title.capitalize()), (simple, "")):
            bodies.frame(axes, words, (float(low[0]), float(high[0])), (float(low[1]), float(high[1])))
    return figure


def _shifts(motion: SimplifiedMotion, shown: Shown) -> Array:
    """(poses, 3) added to poses in the world: a spread strip goes to the right instead of forward."""
    if not shown.is_spread:
        return np.zeros((POSES, 3))
    left, _, forward = motion.character.axes
    along = motion.center_of_mass(np.linspace(0.0, motion.duration, POSES)) @ forward
    return np.outer(SPACING * motion.units.length * np.arange(POSES), left) - np.outer(along, forward)


def animate(shown: Shown, path: Path) -> None:
    """Write the simplified character before (grey) and after (black, with forces) as an animation."""
    done = transformed(shown.name)
    before, after = done.fit.motion, done.motion
    figure, axes = plt.subplots(figsize=(5.6, 3.2), layout="constrained")
    x, y = _window(after, done.clip, shown.view)
    also_x, also_y = _window(before, done.fit.source, shown.view)
    bodies.frame(
        axes,
        shown.name.capitalize(),
        (min(x[0], also_x[0]), max(x[1], also_x[1])),
        (min(y[0], also_y[0]), max(y[1], also_y[1])),
    )
    _draw_obstacles(axes, done, shown.view)
    share = np.linspace(0.0, 1.0, GIF_FRAMES)
    bones = [shown.view.project(motion.bones(share * motion.duration))[..., :2] for motion in (before, after)]
    arrows = _arrows(after, share * after.duration, shown.view)
    lines = [
        LineCollection([], colors=color, linewidths=width, capstyle="round")
        for color, width in ((BEFORE, 2.0), (AFTER, 2.6), (FORCE, 1.8))
    ]
    for line in lines:
        axes.add_collection(line)

    def show(index: int) -> list[LineCollection]:
        for line, segments in zip(lines, (bones[0][index], bones[1][index], arrows[index]), strict=True):
            line.set_segments(list(segments))
        return lines

    moving = FuncAnimation(figure, show, frames=GIF_FRAMES, blit=False)
    moving.save(path, writer=PillowWriter(fps=GIF_RATE), dpi=80)
    plt.close(figure)


def _window(motion: SimplifiedMotion, clip: Clip, view: View) -> tuple[tuple[float, float], tuple[float, float]]:
    """The part of the projection that holds both characters at all times."""
    seconds = np.linspace(0.0, motion.duration, 40)
    own = view.project(motion.bones(seconds))[..., :2].reshape(-1, 2)
    full = view.project(clip.world.positions)[..., :2].reshape(-1, 2)
    points = np.concatenate([own, full])
    low, high = points.min(axis=0) - 0.2, points.max(axis=0) + 0.2
    return (float(low[0]), float(high[0])), (float(low[1]), float(high[1]))


def _draw_characters(axes: Axes, clip: Clip, view: View, shifts: Array) -> tuple[Array, Array]:
    """The full character at evenly spaced frames; returns the lower and upper corner of what was drawn."""
    corners = []
    for frame, shift in zip(np.linspace(0, clip.frames - 1, POSES).astype(int), shifts, strict=True):
        translations = clip.motion.translations[frame].copy()
        translations[0] += shift
        pose = Pose(clip.motion.rotations[frame], translations)
        bodies.draw_parts(axes, bodies.mannequin(clip.skeleton, pose), view)
        corners.append(view.project(clip.world.positions[frame] + shift)[:, :2])
    points = np.concatenate(corners)
    return points.min(axis=0), points.max(axis=0)


def _draw_simplified(axes: Axes, motion: SimplifiedMotion, shown: Shown, shifts: Array) -> tuple[Array, Array]:
    """The simplified character at the same instants with the forces of the ground, and its path and footprints where
    it is in its places; returns the lower and upper corner of what was drawn."""
    view, seconds = shown.view, np.linspace(0.0, motion.duration, POSES)
    bones = view.project(motion.bones(seconds) + shifts[:, None, None])[..., :2]
    for pose in bones:
        axes.add_collection(LineCollection(list(pose), colors=AFTER, linewidths=2.2, capstyle="round", zorder=2))
    if shown.is_spread:
        forces = [
            line + view.project(shift)[:2] for line, shift in zip(_arrows(motion, seconds, view), shifts, strict=True)
        ]
    else:
        path = view.project(motion.center_of_mass(np.linspace(0.0, motion.duration, 120)))
        axes.plot(path[:, 0], path[:, 1], color=bodies.LEFT, linewidth=1.2, linestyle=(0, (4, 2)), zorder=1)
        feet = view.project(np.array([stance.place for stance in motion.stances]) * motion.units.length)
        axes.plot(feet[:, 0], feet[:, 1], linestyle="", marker="o", markersize=5, color=bodies.RIGHT, zorder=1)
        forces = _arrows(motion, np.linspace(0.0, motion.duration, 4 * POSES), view)
    for segments in forces:
        axes.add_collection(LineCollection(list(segments), colors=FORCE, linewidths=1.4, alpha=0.8, zorder=3))
    points = bones.reshape(-1, 2)
    return points.min(axis=0), points.max(axis=0)


def _arrows(motion: SimplifiedMotion, seconds: Array, view: View) -> list[Array]:
    """For each instant, (forces, 2, 2) lines from where the ground pushes along the force."""
    found: list[list[Array]] = [[] for _ in seconds]
    for force in motion.ground_forces(seconds):
        ends = force.place + BODY_WEIGHT * force.forces
        for index in np.flatnonzero(np.linalg.norm(force.forces, axis=1) > 0.02):
            found[index].append(view.project(np.stack([force.place, ends[index]]))[:, :2])
    return [np.array(each).reshape(-1, 2, 2) for each in found]


def _draw_obstacles(axes: Axes, done: Transformation, view: View) -> None:
    up = done.fit.problem.character.up
    for obstacle in done.edit.obstacles:
        along = np.linspace(-2.0, 2.0, 60)
        places = np.array(obstacle.place) + obstacle.radius * np.outer(along, done.fit.problem.character.axes[2])
        tops = places + obstacle.height * np.outer(np.exp(-(along**4)), up)
        outline = view.project(np.concatenate([tops, places[::-1]]))[:, :2]
        axes.fill(*outline.T, color="#d8d2c6", zorder=0)


def write(folder: Path) -> None:
    """Write all pictures and animations into a folder; without CasADi, say so."""
    if not is_available():
        print(f"No pictures of physics: {MISSING}\n")
        return
    for shown in SHOWN:
        stem = shown.name.replace(" ", "_")
        for ending, make in _KINDS.items():
            path = folder / f"physics_{stem}.{ending}"
            make(shown, path)
            print(f"→ {path}")
        print()


def _save(shown: Shown, path: Path) -> None:
    draw(shown).savefig(path, dpi=100, facecolor=bodies.PAPER)
    plt.close("all")


_KINDS: dict[str, Callable[[Shown, Path], None]] = {"png": _save, "gif": animate}

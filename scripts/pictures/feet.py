# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of detected footplants, and of feet before and after cleanup."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import get_args

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from poise import solver
from poise.solver import synthetic
from poise.solver.core.arrays import Array
from poise.solver.synthetic import SyntheticMotion

from . import bodies

STEPS, RATE, SKATE = 6, 60.0, 0.015
"""A walk whose feet slide more than in most captures, so that it is visible."""

FOUND, TRUE = "#d9822b", "#a9adb3"
PARTS = ("heel", "toe")


@cache
def skating() -> SyntheticMotion:
    """The walk of all pictures."""
    return synthetic.walk(steps=STEPS, fps=RATE, skate=SKATE)


@cache
def detected_plants() -> list[solver.DetectedFootplant]:
    """Its detected plants."""
    return solver.detect_footplants(skating().clip)


def draw_detection() -> Figure:
    """Heights of heels and balls, and when each of them stands: as it was made, and as it is found."""
    walk = skating()
    figure, panels = plt.subplots(2, 1, figsize=(10.0, 4.6), sharex=True, sharey=True, layout="constrained")
    for axes, foot in zip(panels, ("left", "right"), strict=True):
        for part, row in zip(PARTS, (-0.05, -0.11), strict=True):
            height = _point(walk.clip, foot, part)[:, walk.clip.skeleton.up_axis] / walk.clip.skeleton.size
            axes.plot(
                np.arange(walk.clip.frames) / RATE,
                height,
                lw=1.2,
                color=bodies.TARGET,
                alpha=0.4 + 0.6 * (part == "heel"),
            )
            for plants, colour, width in ((walk.contacts, TRUE, 9.0), (detected_plants(), FOUND, 4.0)):
                for plant in plants:
                    begin, end = getattr(plant, f"{part}_strike"), getattr(plant, f"{part}_off")
                    if plant.foot == foot and begin is not None:
                        axes.plot([begin / RATE, end / RATE], [row, row], lw=width, color=colour, solid_capstyle="butt")
            axes.text(
                -0.01,
                row,
                part if part == "heel" else "ball",
                transform=axes.get_yaxis_transform(),
                ha="right",
                va="center",
            )
        axes.set_title(f"{foot.capitalize()} foot: heights, when it stands (grey), what is found (orange)", fontsize=10)
        axes.set_yticks([0.0, 0.1, 0.2])
        axes.spines[["top", "right"]].set_visible(False)
    panels[-1].set_xlabel("seconds")
    return figure


def draw_cleanup() -> Figure:
    """Where heels and balls are while they stand, seen from above: as captured, and cleaned in three ways."""
    walk = skating()
    plants = detected_plants()
    methods: tuple[solver.CleanMethod, ...] = get_args(solver.CleanMethod)
    figure, panels = plt.subplots(
        1 + len(methods), 1, figsize=(9.0, 5.6), sharex=True, sharey=True, layout="constrained"
    )
    _draw_prints(panels[0], "as it was", walk.clip, plants, solver.foot_metrics(walk.clip, plants))
    for axes, method in zip(panels[1:], methods, strict=True):
        clip = solver.clean(walk.clip, plants, method)
        metrics = solver.foot_metrics(clip, plants, source=walk.clip)
        print(f"Cleaned by {method!r}\n{metrics}\n")
        _draw_prints(axes, method, clip, plants, metrics)
    return figure


def _draw_prints(
    axes: Axes, title: str, clip: solver.Clip, plants: list[solver.DetectedFootplant], metrics: solver.FootMetrics
) -> None:
    """Draw the paths of planted heels and balls, ten times enlarged about their means."""
    along, across = 2, 0
    for plant in plants:
        places = {}
        for part, (begin, end) in plant.stays.items():
            path = _point(clip, plant.foot, part)[round(begin) : round(end) + 1]
            places[part] = path.mean(axis=0)
            shown = places[part] + 10.0 * (path - places[part])
            axes.plot(shown[:, along], shown[:, across], lw=1.0, color=bodies.TARGET if part == "heel" else FOUND)
        if len(places) == 2:
            ends = np.stack([places[part] for part in PARTS])
            axes.plot(ends[:, along], ends[:, across], lw=8.0, color=TRUE, alpha=0.5, solid_capstyle="round", zorder=0)
    # Rounding errors are shown as zero.
    slide, stretch = (100.0 * share if share > 1e-9 else 0.0 for share in (metrics.largest_slide, metrics.stretch))
    told = f"{title}: plants slide by {slide:.1g} % of the leg at most, bones stretch by {stretch:.1g} %"
    axes.set_title(told, fontsize=10, loc="left")
    axes.set_aspect("equal")
    axes.set_ylim(-0.35, 0.35)
    axes.set_axis_off()


def _point(clip: solver.Clip, foot: str, part: str) -> Array:
    """(frames, 3) where the heel or the ball of a foot is."""
    return clip.position(clip.skeleton.landmarks.require(f"{foot}_{part}"))


PICTURES: dict[str, Callable[[], Figure]] = {"detection": draw_detection, "cleanup": draw_cleanup}
"""By the names of their files."""

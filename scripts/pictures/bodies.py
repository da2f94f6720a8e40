# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawings of postures in parallel projection: mannequins, chains, targets, centre of mass and support."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Circle, Polygon, Wedge

from poise import solver
from poise.solver.body.kinematics import WorldState
from poise.solver.core.arrays import Array

matplotlib.use("Agg")

TRUNK, LEFT, RIGHT = "#5b6572", "#3c78a8", "#d98a3d"
INK, PAPER, FLOOR, TARGET, SUPPORT = "#2b2f36", "#ffffff", "#ece9e2", "#c0322b", "#7fae7a"
UMBRELLA = "#8c4f6b"
CURVES = ("#3c78a8", "#d98a3d", "#5a9a57")

HAZE = 0.35
"""Share of the background colour in the farthest part of a body."""


@dataclass(frozen=True)
class View:
    """A parallel projection, angles in degrees. Azimuth 0 shows the front of a body that faces z, 90 its left side."""

    azimuth: float = 0.0
    elevation: float = 12.0

    def project(self, points: Array) -> Array:
        """World points (..., 3), y up, as (..., 3): right, up and toward the viewer."""
        turn, tilt = np.deg2rad((self.azimuth, self.elevation))
        x, y, z = np.moveaxis(points, -1, 0)
        right, near = x * np.cos(turn) - z * np.sin(turn), x * np.sin(turn) + z * np.cos(turn)
        return np.stack(
            [right, y * np.cos(tilt) - near * np.sin(tilt), y * np.sin(tilt) + near * np.cos(tilt)], axis=-1
        )


FRONT, LEFT_SIDE, RIGHT_SIDE = View(), View(90.0), View(-90.0)


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a body: the convex hull of balls."""

    centers: Array
    """(balls, 3) in the world."""
    radii: Array
    """(balls,)"""
    color: str
    in_front: float = 0.0
    """Distance by which it is drawn nearer to the viewer, so that it covers the parts that it is attached to."""


def draw_parts(axes: Axes, parts: Iterable[Part], view: View) -> None:
    """Draw parts from the farthest to the nearest, far ones paler."""
    seen = [(view.project(part.centers), part) for part in parts]
    depths = np.array([centers[:, 2].mean() + part.in_front for centers, part in seen])
    projected = [seen[number] for number in np.argsort(depths)]
    depths = np.sort(depths)
    haze = HAZE * (depths.max() - depths) / max(float(np.ptp(depths)), 1e-9)
    around = np.linspace(0.0, 2.0 * np.pi, 48)
    circle = np.stack([np.cos(around), np.sin(around)], axis=-1)
    for pale, (centers, part) in zip(haze, projected, strict=True):
        outline = convex_hull((centers[:, None, :2] + part.radii[:, None, None] * circle).reshape(-1, 2))
        color = (1.0 - pale) * np.array(to_rgb(part.color)) + pale * np.array(to_rgb(PAPER))
        axes.add_patch(Polygon(outline, facecolor=color, edgecolor=PAPER, linewidth=1.0, joinstyle="round"))


def convex_hull(points: Array) -> Array:
    """The corners of the convex hull of (points, 2), counterclockwise."""
    ordered = sorted(map(tuple, points))

    def half(walk: Iterable[tuple[float, ...]]) -> list[tuple[float, ...]]:
        hull: list[tuple[float, ...]] = []
        for x, y in walk:
            while len(hull) > 1:
                (ax, ay), (bx, by) = hull[-2], hull[-1]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0.0:
                    break
                hull.pop()
            hull.append((x, y))
        return hull[:-1]

    return np.array(half(ordered) + half(reversed(ordered)))


# The mannequin: balls as (joint, place in that joint's frame, radius), in metres, for the made-up human -------------

_CENTER = (0.0, 0.0, 0.0)
Ball = tuple[str, tuple[float, float, float], float]

_TRUNK_PARTS: tuple[tuple[Ball, ...], ...] = (
    (("l_hip", _CENTER, 0.075), ("r_hip", _CENTER, 0.075), ("HumanoidRoot", (0.0, 0.03, 0.01), 0.10)),
    (("vl5", (0.0, 0.0, 0.015), 0.095), ("vt11", (0.0, 0.0, 0.02), 0.10)),
    (
        ("vt11", (0.0, 0.0, 0.025), 0.10),
        ("vt6", (0.0, 0.0, 0.045), 0.125),
        ("l_shoulder", (-0.02, -0.01, 0.02), 0.055),
        ("r_shoulder", (0.02, -0.01, 0.02), 0.055),
    ),
    (("vt1", (0.0, 0.0, 0.01), 0.07), ("skullbase", (0.0, 0.0, 0.005), 0.055)),
)
_HEAD_PARTS: tuple[tuple[Ball, ...], ...] = (
    (("skullbase", (0.0, 0.072, 0.010), 0.088), ("skullbase", (0.0, -0.020, 0.055), 0.045)),
    (("skullbase", (0.0, 0.045, 0.085), 0.02), ("skullbase", (0.0, 0.022, 0.105), 0.016)),
)
_LIMB_PARTS: tuple[tuple[Ball, ...], ...] = (
    (("hip", _CENTER, 0.078), ("knee", _CENTER, 0.052)),
    (("knee", _CENTER, 0.052), ("talocrural", _CENTER, 0.034)),
    (
        ("talocrural", (0.0, -0.01, 0.0), 0.036),
        ("subtalar", (0.0, -0.022, -0.032), 0.028),
        ("metatarsal", (0.0, 0.006, 0.0), 0.022),
    ),
    (("metatarsal", (0.0, 0.006, 0.0), 0.022), ("metatarsal", (0.0, -0.003, 0.055), 0.014)),
    (("shoulder", _CENTER, 0.052), ("elbow", _CENTER, 0.038)),
    (("elbow", _CENTER, 0.038), ("wrist", _CENTER, 0.027)),
    (("wrist", _CENTER, 0.027), ("middle1", _CENTER, 0.034)),
    (("middle1", _CENTER, 0.034), ("middle1", (0.0, -0.085, 0.008), 0.016)),
)


def mannequin(skeleton: solver.Skeleton, pose: solver.Pose) -> list[Part]:
    """The made-up human as parts."""
    state = WorldState.of(skeleton, pose.motion)

    def part(balls: Sequence[Ball], color: str, side: str = "", in_front: float = 0.0) -> Part:
        points = [skeleton.resolve(solver.BodyPoint(side + joint, offset)) for joint, offset, _ in balls]
        centers = np.array([state.point(point)[0] for point in points])
        return Part(centers, np.array([radius for _, _, radius in balls]), color, in_front)

    parts = [part(balls, TRUNK) for balls in _TRUNK_PARTS]
    parts += [part(balls, TRUNK, in_front=0.05) for balls in _HEAD_PARTS]
    for side, color in (("l_", LEFT), ("r_", RIGHT)):
        parts += [part(balls, color, side) for balls in _LIMB_PARTS]
    return parts


def draw_chain(axes: Axes, skeleton: solver.Skeleton, pose: solver.Pose, view: View) -> None:
    """A chain as bars with visible joints."""
    state = WorldState.of(skeleton, pose.motion)
    joints = np.concatenate([state.positions[0], state.point(skeleton.tips[0])])
    thick = 0.02 * skeleton.size
    draw_parts(axes, [Part(joints[[i, i + 1]], np.array([thick, thick]), TRUNK) for i in range(len(joints) - 1)], view)
    for joint in view.project(joints[:-1]):
        axes.add_patch(Circle(joint[:2], 0.6 * thick, facecolor=PAPER, edgecolor=INK, linewidth=0.8))


# Targets, balance and surroundings ----------------------------------------------------------------------------------


def draw_target(axes: Axes, target: Array, reached: Array, view: View) -> None:
    """Draw a ring at the target and a line to it from the position reached."""
    (x, y, _), (to_x, to_y, _) = view.project(reached), view.project(target)
    axes.plot([x, to_x], [y, to_y], color=TARGET, linewidth=1.2, linestyle=(0, (4, 2)), zorder=3)
    axes.plot(
        [to_x], [to_y], marker="o", markersize=8, color="none", markeredgecolor=TARGET, markeredgewidth=1.5, zorder=4
    )
    axes.plot([x], [y], marker="o", markersize=3, color=TARGET, zorder=4)


def draw_center_of_mass(axes: Axes, center: Array, view: View, radius: float = 0.032, floor: float = 0.0) -> None:
    """The quartered disc, with a plumb line to the floor."""
    foot = view.project(np.array([center[0], floor, center[2]]))
    x, y, _ = view.project(center)
    axes.plot([x, foot[0]], [y, foot[1]], color=INK, linewidth=1.0, linestyle=(0, (1, 1.5)), zorder=3)
    axes.plot([foot[0]], [foot[1]], marker="x", markersize=6, markeredgewidth=1.6, color=INK, zorder=4)
    axes.add_patch(Circle((x, y), radius, facecolor=PAPER, edgecolor=INK, linewidth=1.2, zorder=4))
    for start in (0.0, 180.0):
        axes.add_patch(Wedge((x, y), radius, start, start + 90.0, facecolor=INK, edgecolor="none", zorder=5))


def draw_support(axes: Axes, corners: Array, view: View) -> None:
    """The area (corners, 3) on the floor over which a body is balanced."""
    axes.add_patch(Polygon(convex_hull(view.project(corners)[:, :2]), facecolor=SUPPORT, alpha=0.55, edgecolor="none"))


def draw_alignment(axes: Axes, goal: float, place: Array, label: str, color: str) -> None:
    """A vertical line at x = `goal`, to the top of the window, and the point (3,) that should be on it."""
    axes.plot([goal, goal], [0.0, axes.get_ylim()[1]], color=color, linewidth=1.0, linestyle=(0, (4, 2)), zorder=0)
    axes.plot([place[0], goal], [place[1]] * 2, color=color, linewidth=1.6, zorder=3)
    axes.plot([place[0]], [place[1]], marker="o", markersize=9, color=color, markeredgecolor=PAPER, zorder=4)
    axes.annotate(
        label, (goal, 0.0), (0.0, -4.0), textcoords="offset points", color=color, fontsize=9, ha="center", va="top"
    )


def draw_umbrella(axes: Axes, grip: Array, center: Array, view: View) -> None:
    """A stick from the hand through the umbrella's centre of mass, and a canopy toward its end."""
    hand, tip = view.project(grip)[:2], view.project(grip + 1.5 * (center - grip))[:2]
    toward = np.rad2deg(np.arctan2(*(tip - hand)[::-1]))
    axes.plot(*np.stack([hand, tip], axis=-1), color=INK, linewidth=2.0, zorder=1.5)
    x, y = (float(value) for value in hand + 0.62 * (tip - hand))
    axes.add_patch(Wedge((x, y), 0.27, toward - 90.0, toward + 90.0, facecolor=UMBRELLA, edgecolor=PAPER, zorder=1.6))


def draw_floor(axes: Axes, middle: tuple[float, float], view: View, reach: float = 0.75) -> None:
    """A round patch of floor about a point (x, z)."""
    around = np.linspace(0.0, 2.0 * np.pi, 96)
    rim = np.stack([middle[0] + reach * np.cos(around), 0.0 * around, middle[1] + reach * np.sin(around)], axis=-1)
    axes.add_patch(Polygon(view.project(rim)[:, :2], facecolor=FLOOR, edgecolor="none"))


def draw_block(axes: Axes, low: Sequence[float], high: Sequence[float], view: View) -> None:
    """Draw a box between two opposite corners."""
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    axes.add_patch(Polygon(convex_hull(view.project(corners)[:, :2]), facecolor="#d8d2c6", edgecolor="none"))
    top = corners[corners[:, 1] == high[1]]
    axes.add_patch(Polygon(convex_hull(view.project(top)[:, :2]), facecolor="#e4dfd5", edgecolor="none"))


def frame(axes: Axes, title: str, x: tuple[float, float], y: tuple[float, float]) -> None:
    """Show this window of the projection, in true proportion and without axes."""
    axes.set_title(title, fontsize=11, color=INK, pad=8)
    axes.set_xlim(*x)
    axes.set_ylim(*y)
    axes.set_aspect("equal")
    axes.axis("off")


def label_curves(axes: Axes, title: str, x_label: str, y_label: str) -> None:
    """Add labels, a grid and a legend to drawn curves."""
    axes.set_title(title, fontsize=11, color=INK, pad=8)
    axes.set_xlabel(x_label, fontsize=9)
    axes.set_ylabel(y_label, fontsize=9)
    axes.set_xlim(left=0.0)
    axes.set_ylim(bottom=0.0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=FLOOR)
    axes.legend(fontsize=9, frameon=False)

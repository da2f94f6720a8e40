# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the edited motions of Le Callennec 2006, section 5.5: source, constraints and result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle

from poise import solver
from poise.examples import edits
from poise.examples.accelerations import accelerations
from poise.examples.edits import KICK_HEIGHTS, Edit
from poise.solver.core.arrays import Array

from . import bodies
from .bodies import FRONT, Part, View

GHOST = 0.72
"""Share of the background colour in a source that is drawn behind the result."""

SOURCE_PATH, RESULT_PATH = "#a9adb3", bodies.TARGET

STONE, EDGE = "#e4dfd5", "#b9b2a4"

STRIP = (-0.6, 4.7)
"""Metres of a walk that are shown."""
WALKING = View(-90.0, elevation=6.0)
"""From the right side: the walk goes to the right."""


@cache
def solved(make: Callable[[], Edit]) -> tuple[Edit, solver.Deformation]:
    """An example, solved once for all of its pictures; what does not hold is printed."""
    edit = make()
    deformation = edit.deform()
    print(deformation.report)
    return edit, deformation


# Kicks --------------------------------------------------------------------------------------------------------------

KICKING = View(-70.0, elevation=8.0)
"""From the right and a little from the front."""

_KICKS: list[Callable[[], Edit]] = [partial(edits.kicking, height) for height in KICK_HEIGHTS]
_FAR_KICKS: dict[str, Callable[[], Edit]] = {
    "Support first, then balance, then kick": partial(edits.far_kick, "support first"),
    "Kick first, then support, then balance": partial(edits.far_kick, "kick first"),
    "Support, then kick; no balance": partial(edits.far_kick, "no balance"),
    "No order, only weights": partial(edits.far_kick, "weights"),
}


def draw_kicks() -> Figure:
    """Figure 5.13."""
    figure, panels = plt.subplots(1, 4, figsize=(12.0, 3.9), layout="constrained")
    source = solved(_KICKS[0])[0].source
    _draw_kick(panels[0], "Source", source, _kick_frame(solved(_KICKS[0])[0]))
    for axes, make, height in zip(panels[1:], _KICKS, KICK_HEIGHTS, strict=True):
        edit, deformation = solved(make)
        _draw_path(axes, source.position("l_talocrural"), KICKING, SOURCE_PATH)
        _draw_kick(axes, f"Ankle at {height:g} leg lengths", deformation.clip, _kick_frame(edit), edit)
    return figure


def draw_kick_conflict() -> Figure:
    """Figure 5.12."""
    figure, panels = plt.subplots(1, 5, figsize=(15.0, 4.0), layout="constrained")
    for axes, (title, make) in zip(panels[1:], _FAR_KICKS.items(), strict=True):
        edit, deformation = solved(make)
        _draw_kick(axes, title, deformation.clip, _kick_frame(edit), edit)
        _note(axes, _misses(deformation))
    edit, _ = solved(next(iter(_FAR_KICKS.values())))
    _draw_kick(panels[0], "Source", edit.source, _kick_frame(edit), edit)
    for axes in panels:
        axes.title.set_fontsize(10)
    return figure


def _kick_frame(edit: Edit) -> int:
    return int(_goal(edit).begin)


def _goal(edit: Edit) -> solver.ConstraintPoint:
    (kick,) = (each for each in edit.constraints if each.label == "Kick")
    assert isinstance(kick, solver.ShapeConstraint)
    (goal,) = kick.points
    return goal


def _draw_kick(axes: Axes, title: str, clip: solver.Clip, frame: int, edit: Edit | None = None) -> None:
    bodies.draw_floor(axes, (0.0, 0.1), KICKING, reach=0.6)
    _draw_sole(axes, edit.source if edit else clip, frame)
    _draw_path(axes, clip.position("l_talocrural"), KICKING, RESULT_PATH if edit else SOURCE_PATH)
    bodies.draw_parts(axes, bodies.mannequin(clip.skeleton, clip.pose(frame)), KICKING)
    bodies.draw_center_of_mass(axes, clip.center_of_mass()[frame], KICKING)
    if edit:
        bodies.draw_target(axes, np.asarray(_goal(edit).location), clip.position("l_talocrural")[frame], KICKING)
    bodies.frame(axes, title, (-0.65, 1.25), (-0.2, 1.85))


def _draw_sole(axes: Axes, clip: solver.Clip, frame: int) -> None:
    """Draw the area of the right foot in the source, a little enlarged: a foot that leaves it has slid."""
    marks = clip.skeleton.landmarks
    heel, tip = (clip.position(marks.require(f"right_{part}"))[frame] for part in ("heel", "toe_tip"))
    across, along = np.array((0.07, 0.0, 0.0)), np.array((0.0, 0.0, 0.02))
    corners = np.array([heel + across, heel - across, tip - across, tip + across])
    bodies.draw_support(axes, corners + np.array([-along, -along, along, along]), KICKING)


# Walks --------------------------------------------------------------------------------------------------------------


def draw_footplants() -> Figure:
    """Figure 5.14, left: how heels and balls move while they should stand, before and after."""
    edit, deformation = solved(edits.enforced_walk)
    figure, panels = plt.subplots(
        2, len(edit.plants), figsize=(13.0, 4.6), height_ratios=(1.0, 1.1), layout="constrained"
    )
    for axes, plant in zip(panels[0], edit.plants, strict=True):
        for clip, ghost in ((edit.source, GHOST - 0.3), (deformation.clip, 0.0)):
            for part, place in (("heel", -WINDOW), ("toe", WINDOW)):
                slid = _slid(clip, plant, part)[:, [0, 2]] * (-1.0, 1.0)
                color = mixed(bodies.LEFT if plant.foot == "left" else bodies.RIGHT, ghost)
                axes.plot(slid[:, 0], slid[:, 1] + place, color=color, linewidth=1.4, marker="o", markersize=3.0)
        bodies.frame(axes, plant.label.split(" of the ")[1], (-WINDOW, WINDOW), (-2.0 * WINDOW, 2.0 * WINDOW))
        axes.title.set_fontsize(8)
        for place in (-WINDOW, WINDOW):
            axes.plot([-WINDOW, WINDOW], [place, place], color=bodies.FLOOR, linewidth=0.8, zorder=0)
    grid = panels[1, 0].get_gridspec()
    for axes in panels[1]:
        axes.remove()
    below = grid[1, :].subgridspec(1, 2)
    for column, (title, clip) in enumerate({"Source": edit.source, "Enforced": deformation.clip}.items()):
        axes = figure.add_subplot(below[column])
        for plant in edit.plants:
            for part, (begin, end) in plant.stays.items():
                away = np.linalg.norm(_slid(clip, plant, part), axis=1)
                color = bodies.LEFT if plant.foot == "left" else bodies.RIGHT
                frames = np.arange(int(begin), int(end) + 1)
                axes.plot(frames, away, color=color, linewidth=1.4, linestyle="-" if part == "heel" else "--")
        axes.set_ylim(-0.5, 20.0)
        axes.set_xlim(0, clip.frames - 1)
        _label(axes, f"{title}: how far heels (solid) and balls are from where they stand", "frame", "mm")
    return figure


WINDOW = 16.0
"""Millimetres to either side of where a foot stands that are shown."""


def _slid(clip: solver.Clip, plant: solver.Footplant, part: str) -> Array:
    """(frames, 3) from where a heel or ball stands, on the average, to where it is while it is planted; millimetres."""
    begin, end = plant.stays[part]
    places = clip.position(clip.skeleton.landmarks.require(f"{plant.foot}_{part}"))[int(begin) : int(end) + 1]
    return np.asarray(1000.0 * (places - np.median(places, axis=0)))


def draw_catwalk() -> Figure:
    """Figure 5.14, middle right."""
    edit, deformation = solved(edits.catwalk)
    figure = plt.figure(figsize=(11.0, 6.4), layout="constrained")
    above, below = np.asarray(figure.subfigures(2, 1, height_ratios=(2.9, 1.0)))
    frames = [_flat(plant)[0] + 4 for plant in edit.plants[1:6]]
    for axes, frame in zip(above.subplots(1, len(frames)), frames, strict=True):
        here = np.array((0.0, 0.0, deformation.clip.position("HumanoidRoot")[frame, 2]))
        axes.plot([0.0, 0.0], [-0.2, 0.1], color=bodies.INK, linewidth=0.8, zorder=0)
        for clip, ghost in ((edit.source, GHOST), (deformation.clip, 0.0)):
            parts = bodies.mannequin(clip.skeleton, clip.pose(frame))
            bodies.draw_parts(axes, faded(moved(parts, -here), ghost), FRONT)
        bodies.frame(axes, f"frame {frame}", (-0.42, 0.42), (-0.22, 1.8))
    for axes, (title, clip) in zip(
        below.subplots(2, 1), {"Source": edit.source, "Catwalk": deformation.clip}.items(), strict=True
    ):
        axes.plot([-0.4, 4.6], [0.0, 0.0], color=bodies.INK, linewidth=0.6, zorder=0)
        _draw_soles(axes, clip, edit)
        bodies.frame(axes, f"{title}, from above", (-0.4, 4.6), (-0.2, 0.2))
        axes.title.set_fontsize(9)
    return figure


def _draw_soles(axes: Axes, clip: solver.Clip, edit: Edit) -> None:
    marks = clip.skeleton.landmarks
    for plant in edit.plants:
        frame = sum(_flat(plant)) // 2
        heel, tip = (clip.position(marks.require(f"{plant.foot}_{part}"))[frame] for part in ("heel", "toe_tip"))
        ends = np.stack([heel, tip])[:, [2, 0]] * (1.0, -1.0)
        side = np.array((ends[0, 1] - ends[1, 1], ends[1, 0] - ends[0, 0]))
        side *= 0.045 / np.linalg.norm(side)
        corners = np.concatenate([ends + side, (ends - side)[::-1]])
        color = bodies.LEFT if plant.foot == "left" else bodies.RIGHT
        axes.add_patch(Polygon(corners, facecolor=color, alpha=0.75, edgecolor=bodies.PAPER))


def _flat(plant: solver.Footplant) -> tuple[int, int]:
    """The first and the last frame in which heel and ball both stand."""
    return int(max(begin for begin, _ in plant.stays.values())), int(min(end for _, end in plant.stays.values()))


def draw_stairs() -> Figure:
    """Figure 5.14, right."""
    edit, deformation = solved(edits.climbing)
    figure, panels = plt.subplots(2, 1, figsize=(10.0, 8.0), height_ratios=(1.85, 2.5), layout="constrained")
    _draw_strip(panels[0], edit.source, edit, stairs=False)
    bodies.frame(panels[0], "Source", STRIP, (-0.1, 1.75))
    _draw_strip(panels[1], deformation.clip, edit, stairs=True)
    bodies.frame(panels[1], "Every footplant a step higher", STRIP, (-0.1, 2.4))
    return figure


def draw_waiter() -> Figure:
    """Figure 5.16."""
    edit, deformation = solved(edits.waiter)
    clip = deformation.clip
    figure, axes = plt.subplots(figsize=(10.0, 4.9), layout="constrained")
    _draw_strip(axes, clip, edit, stairs=True)
    for frame in _strip_frames(edit):
        draw_tray(axes, clip, frame)
    _draw_path(axes, clip.position("r_middle1"), WALKING, RESULT_PATH)
    bodies.frame(axes, "Upstairs with a tray", STRIP, (-0.1, 2.4))
    return figure


def _strip_frames(edit: Edit) -> list[int]:
    """When each foot has just landed flat."""
    return [_flat(plant)[0] + 1 for plant in edit.plants[1:]]


def _draw_strip(axes: Axes, clip: solver.Clip, edit: Edit, stairs: bool) -> None:
    """Draw the walk at several frames, and the paths of the heels."""
    if stairs:
        draw_stairs_of(axes, edit)
    else:
        axes.add_patch(Rectangle((STRIP[0], -0.08), STRIP[1] - STRIP[0], 0.08, facecolor=STONE))
    marks = clip.skeleton.landmarks
    for side, color in (("left", bodies.LEFT), ("right", bodies.RIGHT)):
        _draw_path(axes, clip.position(marks.require(f"{side}_heel")), WALKING, color)
    for frame in _strip_frames(edit):
        if frame < clip.frames:
            bodies.draw_parts(axes, bodies.mannequin(clip.skeleton, clip.pose(frame)), WALKING)


def draw_stairs_of(axes: Axes, edit: Edit, extent: tuple[float, float] = STRIP, bottom: float = -0.08) -> None:
    """Draw the ground of an edit from the right side: the metres of `extent` along the walk, down to `bottom`."""
    assert edit.ground is not None
    along = np.linspace(*extent, 2000)
    heights = edit.ground.heights(np.stack([0.0 * along, 0.0 * along, along], axis=-1), 1)
    seen = WALKING.project(np.stack([0.0 * along, heights, along], axis=-1))
    axes.fill_between(seen[:, 0], seen[:, 1], bottom, color=STONE, linewidth=0.0, zorder=0)
    axes.plot(seen[:, 0], seen[:, 1], color=EDGE, linewidth=1.0, zorder=0.5)


def draw_tray(axes: Axes, clip: solver.Clip, frame: int) -> None:
    """Draw a tray with a bottle on the right hand."""
    hand = clip.position(solver.BodyPoint("r_middle1", (0.03, -0.03, 0.0)))[frame]
    x, y, _ = WALKING.project(hand)
    axes.plot([x - 0.2, x + 0.2], [y, y], color=bodies.INK, linewidth=3.0, solid_capstyle="round", zorder=6)
    axes.plot([x, x + 0.0], [y, y + 0.14], color=bodies.UMBRELLA, linewidth=6.0, zorder=5.5)


# Golf ---------------------------------------------------------------------------------------------------------------

CLUB = 0.95
"""Metres from the left wrist to the end of the club."""


def draw_golf() -> Figure:
    """Figure 5.15."""
    edit, deformation = solved(edits.amplified_swing)
    source, clip = edit.source, deformation.clip
    (left,) = (each for each in edit.constraints if each.label == "Left hand")
    assert isinstance(left, solver.ShapeConstraint)
    goals = {int(point.begin): np.asarray(point.location) for point in left.points}
    moments = dict(zip(("address", "top", "impact", "finish"), (0, *sorted(goals)), strict=True))
    figure, panels = plt.subplots(2, len(moments), figsize=(11.0, 6.8), layout="constrained")
    for row, (name, shown) in zip(panels, {"Source": source, "Amplified": clip}.items(), strict=True):
        for axes, (title, frame) in zip(row, moments.items(), strict=True):
            bodies.draw_floor(axes, (0.0, 0.0), FRONT, reach=0.5)
            _draw_path(axes, source.position("l_wrist"), FRONT, SOURCE_PATH)
            _draw_club(axes, shown, frame)
            if shown is clip:
                _draw_path(axes, clip.position("l_wrist"), FRONT, RESULT_PATH)
            bodies.draw_parts(axes, bodies.mannequin(shown.skeleton, shown.pose(frame)), FRONT)
            if shown is clip and frame in goals:
                bodies.draw_target(axes, goals[frame], clip.position("l_wrist")[frame], FRONT)
            bodies.frame(axes, f"{name}: {title}", (-0.95, 0.95), (-0.2, 2.4))
    return figure


def _draw_club(axes: Axes, clip: solver.Clip, frame: int) -> None:
    """A stick in the left hand, as the made-up swing holds it."""
    along = np.array((0.0, -np.sin(np.deg2rad(60.0)), np.cos(np.deg2rad(60.0))))
    ends = [clip.position(solver.BodyPoint("l_wrist", tuple(length * along)))[frame] for length in (-0.05, CLUB)]
    axes.plot(*FRONT.project(np.stack(ends))[:, :2].T, color=bodies.INK, linewidth=1.8, zorder=0.6)


# Curves -------------------------------------------------------------------------------------------------------------


def draw_smoothness() -> Figure:
    """Accelerations of joints and residuals of constraints, for each example."""
    examples: dict[str, Callable[[], Edit]] = {
        "Kick, high": _KICKS[1],
        "Kick out of reach": next(iter(_FAR_KICKS.values())),
        "Walk, enforced": edits.enforced_walk,
        "Catwalk": edits.catwalk,
        "Upstairs": edits.climbing,
        "Golf swing": edits.amplified_swing,
        "Waiter": edits.waiter,
    }
    figure, panels = plt.subplots(2, len(examples), figsize=(16.0, 5.0), layout="constrained")
    for (top, bottom), (title, make) in zip(panels.T, examples.items(), strict=True):
        edit, deformation = solved(make)
        for clip, color in ((deformation.clip, RESULT_PATH), (edit.source, SOURCE_PATH)):
            top.plot(_largest_accelerations(clip), color=color, linewidth=1.0)
        _label(top, title, "", "largest acceleration, rad/s²")
        for residual in deformation.report.residuals:
            kind = "Footplant" if isinstance(residual.constraint, solver.Footplant) else residual.constraint.label
            color = bodies.CURVES[("Footplant", "Balance").index(kind)] if kind in ("Footplant", "Balance") else TINT
            is_angular = isinstance(residual.constraint, solver.OrientationConstraint)
            shares = residual.distances / (1.0 if is_angular else edit.source.skeleton.size)
            bottom.semilogy(residual.frames, np.maximum(shares, LEAST), color=color, linewidth=0.8)
        bottom.axhline(1e-3, color=bodies.INK, linewidth=0.8, linestyle=(0, (4, 2)))
        bottom.set_ylim(LEAST, 1.0)
        _label(bottom, "", "frame", "missed: plants blue, balance orange")
    for axes in panels[:, 1:].flat:
        axes.set_ylabel("")
    return figure


TINT = bodies.CURVES[2]
LEAST = 1e-12
"""Shares of the character's size that are drawn as nothing."""


def _largest_accelerations(clip: solver.Clip) -> Array:
    """(frames - 2,) the largest angular acceleration of any joint."""
    return np.asarray(np.linalg.norm(accelerations(clip.motion.rotations, clip.fps), axis=-1).max(axis=1)[1:-1])


# Shared -------------------------------------------------------------------------------------------------------------


def mixed(color: str, share: float) -> str:
    """A colour mixed with the given share of the background's."""
    red, green, blue = (1.0 - share) * np.array(to_rgb(color)) + share * np.array(to_rgb(bodies.PAPER))
    return to_hex((float(red), float(green), float(blue)))


def faded(parts: Iterable[Part], share: float) -> list[Part]:
    """Parts in paler colours."""
    return [replace(part, color=mixed(part.color, share)) for part in parts]


def _label(axes: Axes, title: str, x_label: str, y_label: str) -> None:
    axes.set_title(title, fontsize=9, color=bodies.INK)
    axes.set_xlabel(x_label, fontsize=8)
    axes.set_ylabel(y_label, fontsize=8)
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=bodies.FLOOR)


def moved(parts: Iterable[Part], by: Array) -> list[Part]:
    """Parts moved by a vector (3,)."""
    return [replace(part, centers=part.centers + by) for part in parts]


def _draw_path(axes: Axes, places: Array, view: View, color: str) -> None:
    """Draw the path of a point, with a dot for each frame."""
    seen = view.project(places)
    axes.plot(seen[:, 0], seen[:, 1], color=color, linewidth=1.0, marker="o", markersize=1.6, zorder=0.8)


def _note(axes: Axes, lines: Sequence[str]) -> None:
    axes.text(0.5, 0.0, "\n".join(lines), transform=axes.transAxes, fontsize=8, ha="center", va="top", color=bodies.INK)


def _misses(deformation: solver.Deformation) -> list[str]:
    """One line for each constraint with a residual, in centimetres."""
    return [
        f"{'support' if isinstance(residual.constraint, solver.Footplant) else residual.constraint.label.lower()} "
        f"misses by {100.0 * residual.worst:.1f} cm"
        for residual in deformation.report.residuals
        if residual.misses.any()
    ] or ["all constraints hold"]


PICTURES: dict[str, Callable[[], Figure]] = {
    "kicks": draw_kicks,
    "kick_conflict": draw_kick_conflict,
    "footplants": draw_footplants,
    "catwalk": draw_catwalk,
    "stairs": draw_stairs,
    "golf": draw_golf,
    "waiter": draw_waiter,
    "smoothness": draw_smoothness,
}

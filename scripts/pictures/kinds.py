# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture of each kind of constraint: the source pale, the result in full colours, the constraint in red."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Literal

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from poise import solver
from poise.examples.detection.cartwheels import cartwheel
from poise.examples.edits import plant
from poise.solver import rotations, synthetic
from poise.solver.core.arrays import Array
from poise.solver.synthetic import SyntheticMotion

from . import bodies, motions
from .bodies import FRONT, View

SIDE = View(-90.0, elevation=6.0)
"""From the right: a walk goes to the right."""
OBLIQUE = View(-55.0, elevation=18.0)
"""From the right, from the front and from above, so that the ground is seen."""

SUPPORT, BALANCE, STYLE = 3, 2, 1
"""Priorities: the feet first, then the balance, then what the picture shows."""

PALE = 0.8
"""Share of the background colour in the source."""

ARM = ("r_sternoclavicular", "r_shoulder", "r_elbow", "r_wrist")
NECK = ("vt1", "vc4", "skullbase")


@dataclass(frozen=True, eq=False)
class Example:
    """A source, the constraints on it, and what of the result is drawn."""

    source: solver.Clip
    constraints: Sequence[solver.Constraint]
    frames: Sequence[int]
    """The frames that are drawn, one a panel."""
    view: View = SIDE
    marks: Callable[[Axes, solver.Clip, int, Array], None] = field(default=lambda axes, clip, frame, here: None)
    """Draws the constraint: into a panel, for the result, at a frame, relative to `here` (3,) in the world."""
    window: tuple[tuple[float, float], tuple[float, float]] = ((-0.75, 0.75), (-0.15, 1.9))
    follows: bool = True
    """Whether each panel is centred on the hips of the source."""


@cache
def walking() -> SyntheticMotion:
    """The walk of most pictures; its knees and elbows bend as those of a human."""
    motion = synthetic.walk(steps=7, fps=30.0)
    skeleton = solver.with_anatomical_limits(motion.clip.skeleton, motion.clip.motion)
    return replace(motion, clip=replace(motion.clip, skeleton=skeleton))


def feet_hold() -> list[solver.Constraint]:
    """The plants of the walk, and its balance over them."""
    return [
        *(plant(contact, priority=SUPPORT) for contact in walking().contacts),
        solver.Balance(priority=BALANCE, support="plants"),
    ]


def _held(at: Sequence[Array], frame: int, spans: Sequence[tuple[int, int]]) -> list[tuple[Array, bool]]:
    """The points of a path, each with whether it is held at this frame."""
    return [(place, begin <= frame <= end) for place, (begin, end) in zip(at, spans, strict=True)]


def _draw_points(
    axes: Axes,
    clip: solver.Clip,
    frame: int,
    here: Array,
    *,
    joint: str,
    at: Sequence[Array],
    spans: Sequence[tuple[int, int]],
    view: View = SIDE,
) -> None:
    """Rings at points, filled while they are held, and the path of the joint in the result."""
    path = view.project(clip.position(joint) - here)
    axes.plot(path[:, 0], path[:, 1], color=bodies.TARGET, linewidth=1.0, alpha=0.6, zorder=5)
    for place, holds in _held(at, frame, spans):
        x, y, _ = view.project(place - here)
        face = bodies.TARGET if holds else bodies.PAPER
        axes.plot(
            [x], [y], marker="o", markersize=8, color=face, markeredgecolor=bodies.TARGET, markeredgewidth=1.6, zorder=6
        )


def pin() -> Example:
    """The right hand stays where it is for half a second while the body walks on."""
    clip, (begin, end) = walking().clip, (34, 48)
    place = clip.position("r_wrist")[begin] + np.array((-0.05, 0.3, 0.25))
    hand = solver.ShapeConstraint(
        "r_wrist", begin - 12, end + 12, [solver.ConstraintPoint(place, begin, end)], mode="condensed", priority=STYLE
    )
    marks = partial(_draw_points, joint="r_wrist", at=[place], spans=[(begin, end)])
    return Example(clip, [*feet_hold(), hand], (begin - 9, begin, (begin + end) // 2, end, end + 9), marks=marks)


def trajectory() -> Example:
    """The right hand passes through three places, one after the other."""
    clip, times = walking().clip, (32, 44, 56)
    at = [
        clip.position("vt6")[time] + np.array(offset)
        for time, offset in zip(times, ((-0.3, -0.1, 0.35), (-0.35, 0.45, 0.2), (-0.3, 0.05, 0.5)), strict=True)
    ]
    points = [solver.ConstraintPoint(place, time) for place, time in zip(at, times, strict=True)]
    hand = solver.ShapeConstraint("r_wrist", 22, 66, points, priority=STYLE)
    marks = partial(_draw_points, joint="r_wrist", at=at, spans=[(time, time) for time in times])
    return Example(clip, [*feet_hold(), hand], (26, *times, 62), marks=marks)


def orientation() -> Example:
    """The right hand is turned palm up for a second, with its fingers forward."""
    clip, (begin, end) = walking().clip, (30, 60)
    palm_up = rotations.from_matrix(np.array([[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]))
    hand = solver.OrientationConstraint(
        "r_wrist",
        begin - 10,
        end + 10,
        [solver.ConstraintPoint(palm_up, begin, end)],
        mode="condensed",
        priority=STYLE,
        recruit=ARM,
    )
    place = solver.ShapeConstraint(
        "r_wrist",
        begin - 10,
        end + 10,
        [solver.ConstraintPoint((-0.25, -0.1, 0.35), begin, end)],
        mode="condensed",
        reference="vt6",
        priority=STYLE,
        recruit=ARM,
    )

    def marks(axes: Axes, result: solver.Clip, frame: int, here: Array) -> None:
        if begin <= frame <= end:
            ends = [result.position(solver.BodyPoint("r_wrist", (0.0, y, 0.0)))[frame] - here for y in (0.12, -0.34)]
            axes.plot(*SIDE.project(np.stack(ends))[:, :2].T, color=bodies.TARGET, linewidth=2.2, zorder=6)

    return Example(clip, [*feet_hold(), hand, place], (begin - 8, begin, 45, end, end + 8), marks=marks)


def look_at() -> Example:
    """The head looks at a place for a second while the body walks past it."""
    clip, (begin, end) = walking().clip, (28, 62)
    place = clip.position("HumanoidRoot")[50] + np.array((-0.7, 0.1, 0.5))
    head = solver.LookAtConstraint(
        "skullbase",
        begin - 10,
        end + 10,
        [solver.ConstraintPoint(place, begin, end)],
        axis=(0.0, 0.0, 1.0),
        priority=STYLE,
        recruit=NECK,
    )

    def marks(axes: Axes, result: solver.Clip, frame: int, here: Array) -> None:
        eye = OBLIQUE.project(result.position(solver.BodyPoint("skullbase", (0.0, 0.06, 0.1)))[frame] - here)
        seen = OBLIQUE.project(place - here)
        axes.plot([seen[0]], [seen[1]], marker="*", markersize=13, color=bodies.TARGET, zorder=6)
        if begin <= frame <= end:
            axes.plot([eye[0], seen[0]], [eye[1], seen[1]], color=bodies.TARGET, lw=1.2, ls=(0, (4, 2)), zorder=5)

    return Example(
        clip,
        [*feet_hold(), head],
        (begin + 4, 42, 52, end + 10),
        view=OBLIQUE,
        marks=marks,
        window=((-0.85, 1.25), (-0.3, 1.9)),
    )


def held_pose() -> Example:
    """The right arm is bent for a second, while all else walks on."""
    clip, (begin, end) = walking().clip, (30, 60)
    bent: dict[str | int, Array] = {
        "r_shoulder": rotations.from_axis_angle([1.0, 0.0, 0.0], -0.35),
        "r_elbow": rotations.from_axis_angle([1.0, 0.0, 0.0], -1.9),
    }
    pose = solver.HeldPose(bent, begin, end, ease_in=8, ease_out=8, priority=STYLE)

    def marks(axes: Axes, result: solver.Clip, frame: int, here: Array) -> None:
        if begin <= frame <= end:
            arm = np.stack([result.position(joint)[frame] - here for joint in ("r_shoulder", "r_elbow", "r_wrist")])
            axes.plot(*SIDE.project(arm)[:, :2].T, color=bodies.TARGET, linewidth=2.0, marker="o", zorder=6)

    return Example(clip, [*feet_hold(), *pose.constraints(clip)], (begin - 9, begin, 45, end, end + 9), marks=marks)


def balance() -> Example:
    """The centre of mass is displaced to the left over the feet, as by a strong wind."""
    clip = walking().clip
    points = [solver.ConstraintPoint((0.0, 0.0, 0.0), 15)]
    points += [solver.ConstraintPoint((0.13, 0.0, 0.0), 30, 60), solver.ConstraintPoint((0.0, 0.0, 0.0), 72)]
    feet = feet_hold()[:-1]
    lean = solver.Balance(priority=BALANCE, support="plants", displacement=points)

    def marks(axes: Axes, result: solver.Clip, frame: int, here: Array) -> None:
        bodies.draw_center_of_mass(axes, result.center_of_mass()[frame] - here, FRONT, floor=0.0)

    return Example(clip, [*feet, lean], (14, 27, 37, 52, 74), view=FRONT, marks=marks)


def handplant() -> Example:
    """Both hands of a cartwheel slide; planted, they stand, the right one further on."""
    clip, supports = cartwheel(slide=0.1)
    plants: list[solver.Constraint] = []
    sides: tuple[Literal["left", "right"], ...] = ("left", "right")
    for hand in sides:
        begin, *_, end = np.flatnonzero(supports[hand])
        plants.append(solver.Handplant(hand=hand, begin=int(begin), end=int(end), priority=SUPPORT))
    (last,) = (each for each in plants if isinstance(each, solver.Handplant) and each.hand == "right")
    plants = [each if each is not last else last.moved((0.12, 0.0, 0.0)) for each in plants]
    view = View(0.0, elevation=8.0)

    def marks(axes: Axes, result: solver.Clip, frame: int, here: Array) -> None:
        for hand in sides:
            wrist = result.position(f"{hand[0]}_wrist")
            standing = np.flatnonzero(supports[hand])
            x, y, _ = view.project(np.median(wrist[standing], axis=0) - here)
            face = bodies.TARGET if frame in standing else bodies.PAPER
            axes.plot(
                [x],
                [y],
                marker="v",
                markersize=9,
                color=face,
                markeredgecolor=bodies.TARGET,
                markeredgewidth=1.5,
                zorder=6,
            )

    held = np.flatnonzero(supports["left"] + supports["right"])
    frames = np.linspace(held[0] - 4, held[-1] + 4, 5).astype(int).tolist()
    return Example(clip, plants, frames, view=view, marks=marks, window=((-1.1, 1.1), (-0.15, 1.95)))


def footplant() -> Figure:
    """One footplant is moved outward and turned; the walk around follows. Below: the footprints from above."""
    motion = walking()
    constraints = feet_hold()
    chosen = next(
        number for number, each in enumerate(constraints) if isinstance(each, solver.Footplant) and each.foot == "right"
        and each.heel_strike and each.heel_strike > 25
    )  # fmt: skip
    before = constraints[chosen]
    assert isinstance(before, solver.Footplant) and before.heel_strike is not None
    constraints[chosen] = before.moved((-0.14, 0.0, 0.0)).turned(-0.5)
    result = solver.deform(motion.clip, constraints, ground=solver.Ground(0.0)).clip
    figure = plt.figure(figsize=(11.0, 4.6), layout="constrained")
    above, below = np.asarray(figure.subfigures(2, 1, height_ratios=(3.0, 1.0)))
    strike = round(before.heel_strike)
    view = View(0.0, elevation=14.0)
    shown = Example(motion.clip, constraints, [strike - 8, strike, strike + 8, strike + 16, strike + 24], view=view)
    for axes, frame in zip(above.subplots(1, 5), shown.frames, strict=True):
        _draw_panel(axes, shown, result, frame)
    axes = below.subplots()
    for clip, alpha in ((motion.clip, 0.25), (result, 0.9)):
        _draw_soles(axes, clip, [each for each in constraints if isinstance(each, solver.Footplant)], chosen, alpha)
    axes.set_aspect("equal")
    axes.axis("off")
    return figure


def _draw_soles(axes: Axes, clip: solver.Clip, plants: Sequence[solver.Footplant], chosen: int, alpha: float) -> None:
    """Footprints from above, the walk to the right; the chosen plant has a red outline."""
    for number, each in enumerate(plants):
        frames = [time for span in each.stays.values() for time in span]
        frame = int(np.median(frames))
        marks = clip.skeleton.landmarks
        heel, tip = (clip.position(marks.require(f"{each.foot}_{part}"))[frame] for part in ("heel", "toe_tip"))
        ends = np.stack([heel, tip])[:, [2, 0]]
        across = np.array((ends[0, 1] - ends[1, 1], ends[1, 0] - ends[0, 0]))
        across *= 0.045 / np.linalg.norm(across)
        corners = np.concatenate([ends + across, (ends - across)[::-1]])
        color = bodies.LEFT if each.foot == "left" else bodies.RIGHT
        edge = bodies.TARGET if number == chosen and alpha > 0.5 else bodies.PAPER
        axes.add_patch(Polygon(corners, facecolor=color, alpha=alpha, edgecolor=edge, linewidth=2.0))
    axes.autoscale_view()


def draw(make: Callable[[], Example]) -> Figure:
    """A row of panels: source and result at some frames, with the constraint."""
    example = make()
    result = solver.deform(example.source, example.constraints, ground=solver.Ground(0.0)).clip
    figure, panels = plt.subplots(1, len(example.frames), figsize=(11.0, 3.1), layout="constrained")
    for axes, frame in zip(panels, example.frames, strict=True):
        _draw_panel(axes, example, result, frame)
    return figure


def _draw_panel(axes: Axes, example: Example, result: solver.Clip, frame: int) -> None:
    """The source pale, the result over it, and the constraint, at one frame."""
    root = example.source.position(0)[frame]
    here = np.array((0.0 if example.view is FRONT else root[0], 0.0, root[2]))
    bodies.draw_floor(axes, (0.0, 0.0), example.view, reach=0.6)
    for clip, share in ((example.source, PALE), (result, 0.0)):
        parts = motions.moved(bodies.mannequin(clip.skeleton, clip.pose(frame)), -here)
        bodies.draw_parts(axes, motions.faded(parts, share), example.view)
    example.marks(axes, result, frame, here)
    bodies.frame(axes, f"frame {frame}", *example.window)
    axes.title.set_fontsize(9)


PICTURES: dict[str, Callable[[], Figure]] = {
    "kind_footplant": footplant,
    **{
        f"kind_{make.__name__}": partial(draw, make)
        for make in (pin, trajectory, orientation, look_at, held_pose, balance, handplant)
    },
}
"""By the names of their files."""

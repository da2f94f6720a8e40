# SPDX-License-Identifier: GPL-3.0-or-later
"""Solve and draw the postures and motions of Le Callennec 2006, and the transformations of Popović 1999.

`draw_pictures.py [FOLDER]`, by default build/pictures.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from pictures import bodies, feet, kinds, motions, moving, physics
from pictures.bodies import FRONT, LEFT_SIDE, RIGHT_SIDE, View

from poise import solver
from poise.examples import postures
from poise.examples.postures import Scene
from poise.solver.body.kinematics import WorldState

ROOT = Path(__file__).resolve().parents[1]


def main(folder: Path) -> None:
    """Write a picture of each posture and motion into the folder, and print the residual of each task."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {
        "thinker": draw_thinker,
        "reaching": draw_reaching,
        "recruiting": draw_recruiting,
        "conflict": draw_conflict,
        "convergence": draw_convergence,
        **motions.PICTURES,
        **feet.PICTURES,
        **kinds.PICTURES,
    }
    for name, draw in drawn.items():
        path = folder / f"{name}.png"
        draw().savefig(path, dpi=100, facecolor=bodies.PAPER)
        plt.close("all")
        print(f"→ {path}\n")
    for name, write in moving.ANIMATIONS.items():
        write(folder / f"{name}.gif")
        print(f"→ {folder / name}.gif\n")
    physics.write(folder)


def draw_thinker() -> Figure:
    """Figure 3.3."""
    scene = postures.thinker()
    posture = solve("The Thinker", scene)
    figure, panels = sheet(1, 4, (12.0, 3.9))
    views = [("Start", scene.start, View(-35.0)), ("Result", posture.pose, View(35.0))]
    views += [("Front", posture.pose, FRONT), ("Right side", posture.pose, RIGHT_SIDE)]
    top = postures.HIP_HEIGHT - 0.08
    for axes, (title, pose, view) in zip(panels, views, strict=True):
        bodies.draw_floor(axes, (0.0, 0.2), view, reach=0.5)
        bodies.draw_block(axes, (-0.24, 0.0, -0.20), (0.24, top, 0.18), view)
        draw_body(axes, scene, pose, view, targets=title == "Result")
        bodies.frame(axes, title, (-0.72, 0.72), (-0.22, 1.25))
    return figure


def draw_reaching() -> Figure:
    """Figure 3.4."""
    scenes = {
        "Start": postures.reaching(balanced=False),
        "Centre of mass free": postures.reaching(balanced=False),
        "Centre of mass between the feet": postures.reaching(balanced=True),
        "… with an umbrella": postures.reaching(balanced=True, umbrella=postures.UMBRELLA_MASS),
    }
    figure, panels = sheet(2, 2, (10.0, 7.0))
    for axes, (title, scene) in zip(panels, scenes.items(), strict=True):
        pose = scene.start if title == "Start" else solve(f"Reaching: {title}", scene).pose
        bodies.draw_floor(axes, (-0.2, 0.0), FRONT, reach=0.9)
        bodies.draw_support(axes, postures.support(scene.skeleton, scene.start), FRONT)
        for load in scene.skeleton.loads:
            grip = postures.place(scene.skeleton, pose, solver.BodyPoint(load.point.joint))
            bodies.draw_umbrella(axes, grip, postures.place(scene.skeleton, pose, load.point), FRONT)
        draw_body(axes, scene, pose, FRONT, targets=title != "Start")
        bodies.draw_center_of_mass(axes, WorldState.of(scene.skeleton, pose.motion).center_of_mass()[0], FRONT)
        bodies.frame(axes, title, (-2.1, 1.2), (-0.3, 1.9))
    return figure


def draw_recruiting() -> Figure:
    """Figure 3.5."""
    levels = {"Arm and spine": postures.ARM_AND_SPINE, "Arm only": postures.ARM_ONLY}
    figure, panels = sheet(1, 4, (11.0, 4.4))
    for pair, (title, level) in zip((panels[:2], panels[2:]), levels.items(), strict=True):
        scene = postures.left_reach(level)
        posture = solve(f"Recruiting: {title}", scene)
        for axes, view in zip(pair, (FRONT, LEFT_SIDE), strict=True):
            bodies.draw_floor(axes, (0.0, 0.0), view, reach=0.5)
            draw_body(axes, scene, posture.pose, view, targets=True)
            bodies.frame(axes, title, (-0.75, 0.6), (-0.2, 1.85))
    return figure


def draw_conflict() -> Figure:
    """Figure 3.2."""
    scenes = {
        "Start": postures.two_arms(None),
        "Equal priorities": postures.two_arms(None),
        "Left first": postures.two_arms("left"),
        "Right first": postures.two_arms("right"),
    }
    figure, panels = sheet(1, 4, (14.0, 3.6))
    for axes, (title, scene) in zip(panels, scenes.items(), strict=True):
        pose = scene.start if title == "Start" else solve(f"Two arms: {title}", scene).pose
        bodies.draw_floor(axes, (0.0, 0.0), FRONT, reach=0.5)
        draw_body(axes, scene, pose, FRONT, targets=True)
        bodies.frame(axes, title, (-1.2, 1.2), (-0.2, 1.85))
    return figure


def draw_convergence() -> Figure:
    """Figure 5.10."""
    scene = postures.three_constraints()
    posture = solve("Three constraints on a chain", scene, record=True)
    figure, (start, result, curves) = plt.subplots(
        1, 3, figsize=(11.0, 4.0), width_ratios=(1.0, 1.0, 1.9), layout="constrained"
    )
    view = View(0.0, elevation=0.0)
    for axes, title, pose in ((start, "Start", scene.start), (result, "Result", posture.pose)):
        bodies.frame(axes, title, (-0.25, 0.4), (-0.1, 1.05))
        bodies.draw_chain(axes, scene.skeleton, pose, view)
        state = WorldState.of(scene.skeleton, pose.motion)
        for task, color in zip(scene.tasks, bodies.CURVES, strict=True):
            if isinstance(task, solver.PositionTask):
                controlled = postures.place(scene.skeleton, pose, solver.BodyPoint(task.joint, task.offset))
            else:
                controlled = state.center_of_mass()[0]
            goal = controlled[0] + task.error(state)[0, 0]
            bodies.draw_alignment(axes, goal, controlled, task.label, color)
    for task, curve, color in zip(scene.tasks, posture.history.T, bodies.CURVES, strict=True):
        curves.plot(curve / scene.skeleton.size, color=color, label=f"{task.label} (priority {task.priority})")
    bodies.label_curves(curves, "Residual error over iterations", "iteration", "share of the chain's length")
    return figure


def solve(title: str, scene: Scene, record: bool = False) -> solver.Posture:
    """Solve a scene and print the residual of each task."""
    posture = scene.solve(record)
    state = "converged" if posture.converged else "not converged"
    print(f"{title}: {state} after {posture.iterations} iterations")
    for task, error in sorted(zip(scene.tasks, posture.errors, strict=True), key=lambda pair: -pair[0].priority):
        unit = "rad" if task.is_angular else "m"
        print(f"  {task.priority:3d}  {task.label:28s} {np.linalg.norm(error):10.2e} {unit}")
    return posture


def sheet(rows: int, columns: int, size: tuple[float, float]) -> tuple[Figure, Sequence[Axes]]:
    """A figure with rows × columns panels, and the panels in reading order."""
    figure, panels = plt.subplots(
        rows, columns, figsize=size, squeeze=False, layout=ConstrainedLayoutEngine(h_pad=0.12)
    )
    return figure, list(panels.flat)


def draw_body(axes: Axes, scene: Scene, pose: solver.Pose, view: View, targets: bool) -> None:
    """Draw the mannequin, and the targets of its position tasks."""
    bodies.draw_parts(axes, bodies.mannequin(scene.skeleton, pose), view)
    for task in scene.tasks if targets else ():
        if isinstance(task, solver.PositionTask):
            reached = postures.place(scene.skeleton, pose, solver.BodyPoint(task.joint, task.offset))
            bodies.draw_target(axes, np.asarray(task.target), reached, view)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit("Give the folder to write the pictures to, or nothing.")
    main(Path(sys.argv[1]) if len(sys.argv) == 2 else ROOT / "build" / "pictures")

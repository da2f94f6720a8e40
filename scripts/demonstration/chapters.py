# SPDX-License-Identifier: GPL-3.0-or-later
"""The chapters of the demonstration. Each uses the add-on as a user does, measures what came of it, and draws it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from poise import solver
from poise.addon import bridge, translation
from poise.addon.properties import character_of
from poise.addon.workflows import clean, detect, import_export, physics, solve
from poise.examples import edits as thesis
from poise.examples.physics_measures import measured_flights

from . import clips, edits, rendering
from .clips import Source
from .edits import Way
from .rendering import Engine, Quality
from .stage import NIGHT, Stage

KICK_HEIGHT = 1.35
"""Sizes of the character to which the ankle is raised."""
FLIGHT = 5.0
"""How many times longer the runner flies on the moon."""


@dataclass(frozen=True)
class Chapter:
    """One edit and what came of it: everything that the page shows."""

    name: str
    title: str
    text: str
    """What one sees, in plain words."""
    figures: tuple[tuple[str, str, str], ...] = ()
    """What was measured: its name, before, and after; before is empty where there is no such value."""
    files: dict[str, str] = field(default_factory=dict)
    """The names of the files by what they are: `picture`, `animation`, `blend`, `bvh`."""
    problem: str = ""
    """Why there is no result, in one sentence."""
    note: str = ""
    """What was taken of the user's file."""

    def to_json(self) -> str:
        """All of it as JSON."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Chapter:
        """The chapter that `to_json` has written."""
        stored = json.loads(text)
        stored["figures"] = tuple(tuple(row) for row in stored["figures"])
        return Chapter(**stored)


@dataclass(frozen=True)
class Job:
    """What a chapter is made with."""

    folder: Path
    engine: Engine
    quality: Quality
    clip: Path | None = None
    """A file of the user instead of the made-up motions."""
    publish: Callable[[Chapter], None] = lambda chapter: None
    """Called as soon as there is a picture, before the animation is drawn."""

    @property
    def walk(self) -> Source:
        """The walk, or the user's motion."""
        return clips.made_up_walk() if self.clip is None else clips.of_file(self.clip)


def feet(job: Job) -> Chapter:
    """Find the footplants, accept them, and clean the feet."""
    stage, source, plants = _staged(job.walk)
    detect.find_footplants(stage.armature)
    found = detect.accept_all(stage.armature)
    done = clean.clean(stage.armature)
    stage.add_footprints(done.baked.clip, plants)
    stage.add_footprints(done.baked.clip, plants, stage.aside)
    known = f" of {source.true_plants}" if source.true_plants is not None else ""
    text = (
        "Feet of captured motion slide and float while they should stand. Poise finds when each foot stands,"
        " and makes it stand there exactly; the legs follow. The yellow prints are where the feet were found to"
        " stand: on the left the feet slide over them."
    )
    figures = (
        ("Footplants found", "", f"{found}{known}"),
        ("Longest slide of a standing foot", _share(done.before.largest_slide), _share(done.after.largest_slide)),
        ("Farthest that one leaves its place", _share(done.before.extent), _share(done.after.extent)),
        ("Frames in which a knee pops", str(done.before.knee_pops), str(done.after.knee_pops)),
    )
    view = View(azimuth=50.0, elevation=14.0, distance=5.9, height=0.8)
    return _drawn(job, stage, done.baked.clip, "feet", "Feet that stand", text, figures, view)


def catwalk(job: Job) -> Chapter:
    """Put all footplants on one line and let the hips swing."""
    stage, _, plants = _staged(job.walk)
    clip = bridge.read(stage.armature).clip
    _check_walk(clip, plants, stage.way)
    stage.add_line()
    result = _solved(stage, edits.catwalk(clip, plants, stage.way))
    after = result.baked.clip
    asides = [
        np.abs([stage.way.aside(edits.middle_of(each, plant)) for plant in plants]).max() for each in (clip, after)
    ]
    text = (
        "The same walk, edited by what must hold: every footplant is moved onto one line and points ahead,"
        " the hips swing more, and the body stays balanced. Everything else stays as near to the source as it"
        " can."
    )
    figures = (
        ("Farthest footprint from the line", _length(asides[0]), _length(asides[1])),
        _held(result),
        ("Longest slide of a standing foot", *_slides(clip, after, plants)),
    )
    view = View(azimuth=12.0, elevation=12.0, distance=5.6)
    return _drawn(job, stage, after, "catwalk", "A catwalk", text, figures, view)


def stairs(job: Job) -> Chapter:
    """Put all footplants on the steps of stairs."""
    stage, source, plants = _staged(job.walk, aside=1.8)
    clip = bridge.read(stage.armature).clip
    _check_walk(clip, plants, stage.way)
    rise = edits.RISE * source.size
    ground = stage.add_stairs(edits.stair_edges(clip, plants, stage.way), rise)
    character: Any = character_of(stage.armature)
    character.use_ground, character.ground_kind, character.ground_mesh = True, "MESH", ground
    result = _solved(stage, edits.climb(clip, plants), on_ground=True)
    after = result.baked.clip
    climbed = max(float(edits.stand_of(after, plant)[0][2]) for plant in plants)
    text = (
        "The walk was made for a floor, and now it climbs: the stairs are the ground, footplants are put on"
        " their steps, and swinging feet are lifted over the edges. The body follows."
    )
    steps = max(len(plants) - edits.FIRST_STAIR, 0)
    figures = (
        ("Climbed", _length(0.0), f"{_length(climbed)} in {steps} steps"),
        ("Deepest that a foot enters a step", "", _length(_depth(stage, after, plants))),
        _held(result),
    )
    view = View(azimuth=46.0, elevation=20.0, distance=6.6, height=0.95)
    return _drawn(job, stage, after, "stairs", "Onto stairs", text, figures, view)


def kick(job: Job) -> Chapter:
    """Kick higher while the body stays balanced on the other foot."""
    source, motion = clips.made_up_kick()
    stage = Stage(source, edits.way_of(source.clip, ()), aside=0.3, behind=-2.0)
    edit = thesis.kicking(KICK_HEIGHT)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kick.json"
        solver.write_constraints(edit.constraints, path, edit.source)
        import_export.load(stage.armature, path)
    result = solve.solve(stage.armature)
    before, after = result.reading.clip, result.baked.clip
    frame = motion.kick_frame
    heights = [float(each.position("l_talocrural")[frame, 2]) for each in (before, after)]
    supports = [
        [each.position(each.skeleton.landmarks.require(f"right_{part}")) for part in ("heel", "ball")]
        for each in (before, after)
    ]
    apart = [
        float(np.linalg.norm((each.center_of_mass() - 0.5 * sum(support))[frame, :2]))
        for each, support in zip((before, after), supports, strict=True)
    ]
    moved = max(float(np.linalg.norm(part - part[0], axis=1).max()) for part in supports[1])
    goal = after.position("l_talocrural")[frame]
    stage.add_ball(goal + np.array((0.0, -0.16, 0.10)), 0.07)
    text = (
        "One point is dragged up: the ankle at the height of the kick. The standing foot has the highest"
        " priority, then balance, then the kick: so the whole body leans to let the leg go higher, and does"
        " not fall."
    )
    figures = (
        ("Height of the ankle at the kick", _length(heights[0]), _length(heights[1])),
        ("Centre of mass from above the middle of the standing foot", _length(apart[0]), _length(apart[1])),
        ("Motion of the standing foot", "", _length(moved)),
        _held(result),
    )
    view = View(azimuth=74.0, elevation=7.0, distance=6.2, height=0.95, follows=False, still=frame)
    return _drawn(job, stage, after, "kick", "A higher kick, in balance", text, figures, view)


def moon(job: Job) -> Chapter:
    """Run under the gravity of the moon."""
    if not solver.spacetime.is_available():
        raise bridge.BridgeError(solver.spacetime.MISSING)
    source, plants = clips.made_up_run()
    stage = Stage(source, edits.way_of(source.clip, plants), aside=1.3)
    _store(stage, plants)
    given = {"recipe": "BIPED", "quality": "DRAFT", "gravity": "MOON", "flight": FLIGHT}
    done = physics.solve_physics(stage.armature, physics.PhysicsOptions(given=given))
    found = done.transformed.transformation
    before, after = source.clip, found.clip
    rises = [float(np.ptp(each.center_of_mass()[:, 2])) for each in (before, after)]
    times = [_in_the_air(motion) for motion in (found.fit.motion, found.motion)]
    text = (
        "No pose is edited here but gravity: a sixth of the earth's. Poise finds the forces with which the"
        " run obeys the laws of physics, and the run nearest to it that obeys them on the moon: with longer"
        " flights, and another swing of arms and legs."
    )
    figures = (
        ("Time in the air", f"{times[0]:.2f} s", f"{times[1]:.2f} s"),
        ("The centre of mass goes up and down by", _length(rises[0]), _length(rises[1])),
        ("Duration", f"{found.fit.motion.duration:.2f} s", f"{found.motion.duration:.2f} s"),
    )
    stage.sky = NIGHT
    highest = int(after.center_of_mass()[:, 2].argmax())
    view = View(azimuth=66.0, elevation=9.0, distance=6.6, height=0.9, follows=False, still=highest)
    return _drawn(job, stage, after, "moon", "A run on the moon", text, figures, view)


def hand(job: Job) -> Chapter:
    """Reach up with a hand in the middle of the user's motion."""
    stage, _, plants = _staged(job.walk)
    clip = bridge.read(stage.armature).clip
    made = edits.raised_hand(clip, plants, stage.way)
    result = _solved(stage, made)
    after = result.baked.clip
    pin = next(each for each in made if isinstance(each, solver.ShapeConstraint))
    (point,) = pin.points
    goal, frame = np.asarray(point.location), int(point.begin)
    misses = [float(np.linalg.norm(each.position(pin.joint)[frame] - goal)) for each in (clip, after)]
    stage.add_ball(goal, 0.05)
    text = (
        "The right hand is pinned higher and farther ahead for a moment. Feet stay where they stand, the body"
        " stays balanced, and the whole body helps the hand, before and after that moment too."
    )
    figures = (("From the hand to its target", _length(misses[0]), _length(misses[1])), _held(result))
    view = View(azimuth=40.0, elevation=12.0, distance=5.8, still=frame)
    return _drawn(job, stage, after, "hand", "A hand that reaches", text, figures, view)


OWN = {"feet": feet, "catwalk": catwalk, "stairs": stairs, "kick": kick, "moon": moon}
"""The chapters about made-up motions, in the order of the page."""
OF_A_FILE = {"feet": feet, "catwalk": catwalk, "stairs": stairs, "hand": hand}
"""The chapters about a motion of the user."""
TITLES = {
    "feet": "Feet that stand",
    "catwalk": "A catwalk",
    "stairs": "Onto stairs",
    "kick": "A higher kick, in balance",
    "moon": "A run on the moon",
    "hand": "A hand that reaches",
}


def names(clip: Path | None) -> tuple[str, ...]:
    """The names of the chapters, for the made-up motions or for a file, in the order of the page."""
    return tuple(OWN if clip is None else OF_A_FILE)


def make(name: str, job: Job) -> Chapter:
    """Make a chapter; one that is not possible says why."""
    chapters: dict[str, Callable[[Job], Chapter]] = {**OWN, **OF_A_FILE}
    try:
        return chapters[name](job)
    except solver.PoiseError as error:
        return Chapter(name, TITLES[name], "", problem=str(error))


# Steps that chapters share ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class View:
    """From where a chapter is seen: see `Stage.aim_camera`."""

    azimuth: float
    elevation: float
    distance: float
    height: float = 0.85
    follows: bool = True
    still: int | None = None
    """The frame of the picture; None for the middle of the animation."""


def _staged(source: Source, aside: float = 1.25) -> tuple[Stage, Source, Sequence[solver.Footplant]]:
    """A stage with a source, and its footplants as they are found on the stage."""
    plants = solver.detect_footplants(source.clip)
    turned = Stage(source, _way(source, plants), aside)
    return turned, source, solver.detect_footplants(bridge.read(turned.armature).clip)


def _way(source: Source, plants: Sequence[solver.Footplant]) -> Way:
    """The way of a source on the stage, where z is up."""
    if source.clip.up == "z":
        return edits.way_of(source.clip, plants)
    bpy.ops.wm.read_homefile(use_empty=True)
    probe = bridge.new_character(source.clip, "Probe", 0)
    bridge.current_scene().frame_start, bridge.current_scene().frame_end = 0, source.clip.frames - 1
    return edits.way_of(bridge.read(probe).clip, plants)


def _check_walk(clip: solver.Clip, plants: Sequence[solver.Footplant], way: Way) -> None:
    if not edits.is_walk(clip, plants, way):
        raise bridge.BridgeError("This is for walks along a straight line, and the motion is none.")


def _solved(stage: Stage, constraints: Sequence[solver.Constraint], on_ground: bool = False) -> solve.SolveResult:
    """Save constraints on the character, and solve; with `on_ground`, plants are put on the ground."""
    _store(stage, constraints)
    for item in character_of(stage.armature).constraints if on_ground else ():
        if item.kind == "FOOTPLANT":
            item.ground_choice = "GROUND"
    return solve.solve(stage.armature)


def _store(stage: Stage, constraints: Sequence[solver.Constraint]) -> None:
    """Save constraints on the character, with their handles."""
    reading = bridge.read(stage.armature)
    for constraint in constraints:
        translation.store_constraint(stage.armature, reading, constraint)
    bridge.update_view_layer()


def _drawn(
    job: Job,
    stage: Stage,
    clip: solver.Clip,
    name: str,
    title: str,
    text: str,
    figures: tuple[tuple[str, str, str], ...],
    view: View,
) -> Chapter:
    """Draw the stage, write all files, and return the chapter."""
    first, last = _window(clip, stage.scene.frame_end, job.quality)
    stage.aim_camera(view.azimuth, view.elevation, view.distance, (first, last), view.height, view.follows, clip)
    rendering.prepare(job.engine)
    files = {"picture": f"{name}.png", "blend": f"{name}.blend", "bvh": f"{name}.bvh"}
    solver.write_bvh(clips.back_in_units(stage.source, clip), job.folder / files["bvh"])
    still = view.still if view.still is not None else (first + last) // 2
    rendering.draw_still(job.folder / files["picture"], still, job.quality.still)
    stage.save(job.folder / files["blend"])
    chapter = Chapter(name, title, text, figures, files, note=stage.source.note)
    job.publish(chapter)
    animation = f"{name}.mp4"
    rendering.draw_animation(job.folder / animation, (first, last), job.quality)
    return replace(chapter, files={**files, "animation": animation})


def _window(clip: solver.Clip, last: int, quality: Quality) -> tuple[int, int]:
    """The first and last frame of the animation: as many as its seconds, in the middle of the motion."""
    length = min(last, round(quality.seconds * clip.fps))
    first = (last - length) // 2
    return first, first + length


def _depth(stage: Stage, clip: solver.Clip, plants: Sequence[solver.Footplant]) -> float:
    """How deep heels, balls and toes are in the ground at most."""
    ground: Any = translation.ground_of(stage.armature, clip, list(plants))
    depths = [0.0]
    for side in ("left", "right"):
        for part in ("heel", "ball", "toe_tip"):
            point = getattr(clip.skeleton.landmarks, f"{side}_{part}")
            if point is not None:
                places = clip.position(point)
                depths.append(float((ground.heights(places, 2) - places[:, 2]).max()))
    return max(depths)


def _in_the_air(motion: solver.spacetime.SimplifiedMotion) -> float:
    """Seconds in which no ground pushes."""
    return float(sum(flight.seconds for flight in measured_flights(motion)))


def _slides(before: solver.Clip, after: solver.Clip, plants: Sequence[solver.Footplant]) -> tuple[str, str]:
    return (
        _share(solver.foot_metrics(before, plants).largest_slide),
        _share(solver.foot_metrics(after, plants, source=before).largest_slide),
    )


def _held(result: solve.SolveResult) -> tuple[str, str, str]:
    """How many constraints hold."""
    residuals = result.deformation.residuals_in(result.baked.clip)
    missed = [residual for residual in residuals if residual.misses.any()]
    held = f"{len(residuals) - len(missed)} of {len(residuals)}"
    if not missed:
        return "Constraints that hold", "", held
    worst = max(missed, key=lambda residual: float(residual.relative.max()))
    amount = f"{np.rad2deg(worst.angles.max()):.0f}°" if worst.is_angular else _length(float(worst.distances.max()))
    return "Constraints that hold", "", f"{held}; {worst.constraint.label} is missed by up to {amount}"


def _share(sizes: float) -> str:
    return f"{100.0 * sizes:.1f} % of a leg"


def _length(metres: float) -> str:
    return f"{100.0 * metres:.1f} cm"

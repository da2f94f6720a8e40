# SPDX-License-Identifier: GPL-3.0-or-later
"""Fitting a motion: the physical motion of a simplified character that stays near the source (Popović 1999, 4.3).

The weight of the deviation from the source is lowered stage by stage while the equations of motion hold, as far as the
motion stays near. What is left then is what muscles, limits and contacts explain of the motion, and edits start there.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..body.clip import Clip
from ..body.gravity import earth_gravity
from ..constraints.footplant import Footplant
from ..core.arrays import Array
from ..core.errors import ConstraintError
from ..core.progress import converted, finished
from ..detection.footplants import detect_footplants
from .characters.character import SimplifiedCharacter
from .characters.recipe import RECIPES, Recipe
from .characters.simplification import simplified
from .characters.source_values import source_values
from .checks.plausibility import why_not_physical
from .gait_cycle import cycle_advance, repeat
from .handles.full_body import FullBody
from .handles.handle import Handle, MidpointHandle, PointHandle
from .problem.initial_guess import muscles_of, spline_start, torques_needed, with_forces, with_muscles
from .problem.layout import Layout, force_tracks
from .problem.mapping import mapped, moved_to
from .problem.muscles import muscles_for
from .problem.optimiser import Iteration, Limits, Optimum, Start, optimising
from .problem.simplified_motion import SimplifiedMotion
from .problem.spacetime_problem import CharacterFunctions, HeldPose, Problem
from .problem.stances import Stance, stances_of
from .problem.time_grid import time_grid
from .problem.units import Units
from .progress import PhysicsProgress
from .settings import PhysicsSettings

FITTING = "Fitting the motion"

FIRST_POSE, LAST_POSE = "the first pose", "the last pose"

LOWEST = 0.2
"""Sizes of the character: the centre of mass stays so far above the lowest footprint. A body that tumbles further lies
on the ground, for which the simplified character has no contact."""

LEAST_EDIT_SECONDS, EDIT_FACTOR = 20.0, 3.0
"""The longest that an edit takes where the settings do not say: seconds at least, and a multiple of the fit's own."""

LEAST_INTERVALS = 8
"""A clip with fewer intervals between points is too short."""


@dataclass(frozen=True)
class HandleFit:
    """How far a handle of the fitted motion is from that of the source, in sizes of the character."""

    handle: Handle
    rms: float
    """Root mean square over time; of a direction, about the angle in radians."""
    largest: float


@dataclass(frozen=True, eq=False)
class Fit:
    """A motion that was fitted to a clip, from which edits start."""

    source: Clip
    plants: tuple[Footplant, ...]
    recipe: Recipe
    settings: PhysicsSettings
    units: Units
    problem: Problem
    functions: CharacterFunctions
    optimum: Optimum
    motion: SimplifiedMotion
    handles: tuple[HandleFit, ...]
    deviation: float
    """The weight of the deviation at which the fit ended."""
    seconds: float
    """How long it took, by the clock."""

    @property
    def stances(self) -> tuple[Stance, ...]:
        """The contacts with the ground, in seconds and units of the source."""
        unit, second = self.units.length, self.units.time
        return tuple(
            stance.changed(lambda time: time * second, lambda place: place * unit) for stance in self.problem.stances
        )

    @property
    def edit_seconds(self) -> float:
        """The longest that all solves of an edit may take together."""
        asked = self.settings.edit_seconds
        return asked if asked is not None else max(LEAST_EDIT_SECONDS, EDIT_FACTOR * self.seconds)

    @property
    def quality(self) -> str:
        """One sentence on how near the fit is."""
        lengths = [each for each in self.handles if each.handle.is_length]
        worst, largest = max(lengths, key=lambda each: each.rms), max(each.largest for each in lengths)
        return (
            f"The fit is within {100.0 * worst.rms:.1f} % of the leg's length ({worst.handle.label}, root mean square; "
            f"at most {100.0 * largest:.1f} %)."
        )


def fit(
    clip: Clip,
    plants: Sequence[Footplant] | None = None,
    recipe: Recipe | str = "biped",
    settings: PhysicsSettings | None = None,
    *,
    cyclic: bool = False,
) -> Fit:
    """The physical motion of a simplified character that is near a clip; see `fitting`."""
    return finished(fitting(clip, plants, recipe, settings, cyclic=cyclic))


def fitting(
    clip: Clip,
    plants: Sequence[Footplant] | None = None,
    recipe: Recipe | str = "biped",
    settings: PhysicsSettings | None = None,
    *,
    cyclic: bool = False,
) -> Generator[PhysicsProgress, None, Fit]:
    """As `fit`, a generator that yields progress; closing it cancels.

    `plants` are the footplants of the clip (None: they are detected), `recipe` is a recipe or the name of a known one.
    With `cyclic` the clip is one cycle of a straight gait, as `make_cyclic` returns it, and so is the motion; its
    plants are detected where the cycle is repeated.
    Raises a PoiseError with the reason where the clip cannot be fitted.
    """
    begun = time.monotonic()
    recipe = known_recipe(recipe)
    settings = settings or PhysicsSettings()
    yield PhysicsProgress("Simplifying the character", 0.0)
    units = Units(clip.skeleton.size, clip.skeleton.mass_unit, settings.gravity or earth_gravity(clip.skeleton))
    drift = None
    if cyclic:
        clip, found, stances, drift = _one_cycle(clip, recipe)
    else:
        found = tuple(detect_footplants(clip) if plants is None else plants)
        stances = stances_of(clip, found, recipe)
    stances = _checked_stances(clip, stances, recipe, units)
    character = simplified(clip, recipe).in_units(units.length, units.mass)
    handles = tuple(kept.handle for kept in recipe.handles)
    weights = np.array([kept.weight for kept in recipe.handles])
    source = handle_values(clip, handles) / units.of_handles(handles)
    times = np.arange(clip.frames) / clip.fps / units.time
    yield PhysicsProgress("Mapping the motion", 0.05)
    by_value = np.repeat(weights, [handle.width for handle in handles])
    start = source_values(clip, recipe, character)
    values = mapped(character, handles, by_value, source, start, 1.0 / clip.fps / units.time)
    character = _with_ranges(character, recipe, values)
    stances = tuple(
        replace(stance, heading=float(np.interp((stance.begin + stance.end) / 2.0, times, values[:, 3])))
        for stance in stances
    )
    end = (clip.frames if drift is not None else clip.frames - 1) / clip.fps / units.time
    grid = time_grid(0.0, end, (time for stance in stances for time in stance.events), settings.rate * units.time)
    if len(grid.points) <= LEAST_INTERVALS:
        raise ConstraintError("The clip is too short for physics: take a quarter of a second or more.")
    slots, pushed = _slots(character, recipe)
    cyclic_drift = None if drift is None else units.lengths(drift)
    layout = Layout(character, grid, force_tracks(stances, grid, slots, drift is not None), len(slots), cyclic_drift)
    functions = CharacterFunctions(character, pushed)
    gravity = -character.up
    wrapped = np.concatenate([source, source[:1] + _drifted(handles, cyclic_drift)]) if drift is not None else source
    wrapped_times = np.append(times, end) if drift is not None else times
    targets = np.stack([np.interp(grid.points, wrapped_times, column) for column in wrapped.T])
    problem = Problem(
        layout,
        stances,
        muscles_for(np.zeros((1, layout.joints))),
        gravity,
        settings.friction,
        handles,
        weights,
        targets,
        settings.objectives.in_units(units.length, units.time),
        poses=_end_poses(recipe, layout, stances, values),
        slots=slots,
        lowest=lowest_center(stances, character.up),
    )
    unknowns = with_forces(layout, spline_start(layout, times, values), gravity)
    torques = torques_needed(problem, functions, unknowns)
    problem = replace(problem, muscles=muscles_of(torques))
    unknowns = with_muscles(layout, unknowns, problem.muscles, torques)
    limits = Limits(settings.iterations, settings.seconds)
    best: Fit | None = None
    begin = Start(unknowns)
    for stage, weight in enumerate(settings.stages):
        problem = replace(problem, objectives=problem.objectives.replace(deviation=weight))
        length = 0.9 / len(settings.stages)
        optimum = yield from solving(problem, functions, begin, limits, FITTING, 0.1 + stage * length, length)
        motion = SimplifiedMotion.solved(problem, optimum, units)
        reasons = why_not_physical(motion, problem, optimum)
        if reasons and best is None:
            raise ConstraintError(f"The clip cannot be fitted with the recipe {recipe.name!r}: {'; '.join(reasons)}.")
        near = _nearness(motion, handles, targets, units)
        is_near = max(each.rms for each in near if each.handle.is_length) <= settings.nearness
        if reasons or (best is not None and not is_near):
            break
        seconds = time.monotonic() - begun
        best = Fit(clip, found, recipe, settings, units, problem, functions, optimum, motion, near, weight, seconds)
        if not is_near:
            break
        begin = optimum.start
    assert best is not None
    return best


def lowest_center(stances: Sequence[Stance], up: Array) -> float:
    """The least height of the centre of mass, in units of the character."""
    return LOWEST + min(float(stance.place @ up) for stance in stances)


def known_recipe(recipe: Recipe | str) -> Recipe:
    """The recipe itself, or that of a name."""
    if isinstance(recipe, Recipe):
        return recipe
    if recipe not in RECIPES:
        raise ConstraintError(f"There is no recipe {recipe!r}; take {' or '.join(map(repr, RECIPES))}, or your own.")
    return RECIPES[recipe]


def handle_values(clip: Clip, handles: Sequence[Handle]) -> Array:
    """(frames, values of all handles) on the full character, in the clip's units."""
    body = FullBody(clip.world)
    return np.concatenate([handle.value(body).reshape(clip.frames, handle.width) for handle in handles], axis=1)


def solving(
    problem: Problem,
    functions: CharacterFunctions,
    start: Start,
    limits: Limits,
    stage: str,
    begin: float,
    length: float,
) -> Generator[PhysicsProgress, None, Optimum]:
    """Solve a problem, yielding progress from the fraction `begin` on over `length`."""

    def progress(iteration: Iteration) -> PhysicsProgress:
        return PhysicsProgress(stage, begin + length * (1.0 - 0.97**iteration.number), iteration)

    return (yield from converted(optimising(problem.program(functions), start, limits), progress))


def _one_cycle(clip: Clip, recipe: Recipe) -> tuple[Clip, tuple[Footplant, ...], tuple[Stance, ...], Array]:
    """A cycle without its last frame, which is the first of the next, its plants, its stances, and how far it comes.

    All are found in the second of three cycles, in which no contact is cut.
    """
    advance = cycle_advance(clip)
    if abs(advance.turn) > 1e-6:
        raise ConstraintError("Only cycles along a straight line can be fitted as cyclic: this one turns.")
    period, move = clip.frames - 1, advance.displacement
    around = repeat(clip, 3)
    plants = detect_footplants(around)
    seconds = period / clip.fps
    stances = tuple(
        replace(
            stance.changed(lambda time: time - seconds, lambda place: place - move), seconds=stance.seconds - seconds
        )
        for stance in stances_of(around, plants, recipe)
        if period <= stance.begin * clip.fps < 2 * period
    )
    one = Clip(clip.skeleton, clip.motion.at(np.arange(period)), clip.fps)
    return one, tuple(plant.later(-period) for plant in plants), stances, move


def _checked_stances(clip: Clip, stances: Sequence[Stance], recipe: Recipe, units: Units) -> tuple[Stance, ...]:
    """The stances within the clip, in units of the character; an error where there is none."""
    end = (clip.frames - 1) / clip.fps
    inside = [stance for stance in stances if stance.end > 0.0 and stance.begin < end + 1.0 / clip.fps]
    if not inside:
        feet = (
            "both feet stand at once" if any(len(contact.feet) > 1 for contact in recipe.contacts) else "a foot stands"
        )
        raise ConstraintError(
            f"The clip has no contact with the ground in which {feet}: physics needs at least one footplant with a "
            "resting ball of the foot. Detect or add footplants, or take another recipe."
        )
    return tuple(
        stance.changed(lambda time: time / units.time, lambda place: units.lengths(place)) for stance in inside
    )


def _with_ranges(character: SimplifiedCharacter, recipe: Recipe, values: Array) -> SimplifiedCharacter:
    """The character with ranges that hold what the source does, and those of joints for which the recipe has none."""
    changed = {}
    for joint in recipe.joints:
        for index in character.joint_of[joint.joints[0]]:
            dof = character.dofs[index]
            low, high = float(values[:, index].min()), float(values[:, index].max())
            if joint.lower or joint.upper:
                lower, upper = min(dof.lower, low), max(dof.upper, high)
            else:
                margin = joint.margin if dof.kind == "rotation" else joint.margin * max(high - low, 0.2)
                lower, upper = low - margin, high + margin
            changed[index] = replace(dof, lower=lower, upper=upper)
    return character.with_dofs(changed)


def _slots(character: SimplifiedCharacter, recipe: Recipe) -> tuple[dict[str, int], tuple[int, ...]]:
    """The slot of each landmark that the ground pushes, and the body of each slot."""
    slots: dict[str, int] = {}
    pushed = []
    for contact in recipe.contacts:
        for foot in contact.feet:
            for part in ("ball", "toe_tip", "heel"):
                slots[f"{foot}_{part}"] = len(slots)
                pushed.append(character.points[f"{foot}_ball"].body)
    return slots, tuple(pushed)


def _end_poses(recipe: Recipe, layout: Layout, stances: Sequence[Stance], values: Array) -> tuple[HeldPose, ...]:
    """The first and the last mapped pose, with feet where they stand.

    The mapping leaves a foot a little beside its footprint. Held so, it would have to be there one point later.
    """
    if not recipe.holds_ends or layout.is_cyclic:
        return ()
    found = []
    for frame, instant, label in ((0, layout.grid.points[0], FIRST_POSE), (-1, layout.grid.points[-1], LAST_POSE)):
        feet = [
            (MidpointHandle(*stance.points) if len(stance.points) == 2 else PointHandle(*stance.points), stance.place)
            for stance in stances
            if stance.begin <= instant <= stance.end
        ]
        found.append(HeldPose(instant, moved_to(layout.character, values[frame], feet), label))
    return tuple(found)


def _drifted(handles: Sequence[Handle], drift: Array | None) -> Array:
    """(values of all handles,) how much each value grows in one cycle."""
    if drift is None:
        drift = np.zeros(3)
    parts = [drift if each.width == 3 and each.is_length else np.zeros(each.width) for each in handles]
    return np.concatenate(parts)


def _nearness(
    motion: SimplifiedMotion, handles: tuple[Handle, ...], targets: Array, units: Units
) -> tuple[HandleFit, ...]:
    """How near each handle is to its targets (values of all handles, points)."""
    values = motion.handle_values(handles, motion.points) / units.of_handles(handles)
    found, row = [], 0
    for handle in handles:
        away = np.linalg.norm(values[:, row : row + handle.width] - targets[row : row + handle.width].T, axis=1)
        found.append(HandleFit(handle, float(np.sqrt(np.mean(away**2))), float(away.max())))
        row += handle.width
    return tuple(found)

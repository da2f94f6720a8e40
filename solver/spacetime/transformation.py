# SPDX-License-Identifier: GPL-3.0-or-later
"""Transforming a motion: an edit of its fit is solved, and the full character follows (Popović 1999, chapter 5)."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from ..body.clip import Clip
from ..constraints.footplant import Footplant
from ..core.arrays import Array
from ..core.errors import ConstraintError
from ..core.progress import converted, finished
from .checks.plausibility import why_not_physical
from .editing.edit import Edit
from .editing.edit_words import changes_in_words
from .editing.edited_problem import EditedProblem, edited_problem, fitted_handles
from .editing.feasibility import why_impossible
from .editing.limb_changes import clip_with_limbs
from .editing.moved_ground import GroundChange, ground_change, turned_about
from .motion_fit import Fit, solving
from .problem.optimiser import Limits, Optimum, Start
from .problem.simplified_motion import SimplifiedMotion
from .problem.stances import resting_place
from .problem.time_budget import Clock, TimeBudget
from .progress import PhysicsProgress
from .reconstruction.foot_paths import SourceFeet
from .reconstruction.full_motion import HandleTrack, PlantedFoot, Reconstruction, reconstructing
from .reconstruction.time_warp import warped

HALF = 0.5
"""The share of an edit that is solved first where all of it cannot be solved at once."""

ROUNDING = 1e-6
"""Frames: times that are nearer to a whole frame are that frame."""

STALLED = 50
"""Iterations in which the largest violation must fall to half. Of 46 solves of edits of the made-up run and jump that
succeeded, the slowest (a jump without gravity) had 34 such iterations and all others at most 22; solves that did not
succeed came to 60 and more."""

SOLVING, REBUILDING = "Solving the edit", "Moving the full character"


@dataclass(frozen=True, eq=False)
class Transformation:
    """An edited motion."""

    clip: Clip
    """The full character."""
    motion: SimplifiedMotion
    """The simplified character, with the forces of the ground."""
    edit: Edit
    fit: Fit
    reconstruction: Reconstruction
    source_times: Array
    """(frames,) the time in the source, in frames, that each frame of the clip corresponds to."""
    optimum: Optimum
    problem: EditedProblem

    @property
    def clip_of_source(self) -> Clip:
        """The source, on the character with its edited limbs."""
        return clip_with_limbs(self.fit.source, self.fit.recipe, self.edit.limbs)


def transform(fit: Fit, edit: Edit, clock: Clock = time.monotonic) -> Transformation:
    """The clip of a fit as an edit changes it; see `transforming`."""
    return finished(transforming(fit, edit, clock))


def transforming(
    fit: Fit, edit: Edit, clock: Clock = time.monotonic
) -> Generator[PhysicsProgress, None, Transformation]:
    """As `transform`, a generator that yields progress; closing it cancels.

    Raises a ConstraintError that names what cannot be where no physical motion of the edit is found within the setting
    `edit_seconds`, by the clock.
    """
    yield PhysicsProgress(SOLVING, 0.0)
    problem, optimum, motion = yield from _solved_edit(fit, edit, TimeBudget(fit.edit_seconds, clock))
    yield PhysicsProgress(REBUILDING, 0.7)
    seconds, frames = _frames(motion, fit.source)
    source = warped(fit.source, frames)
    limbs = clip_with_limbs(source, fit.recipe, edit.limbs)
    tracks, plants = _targets(fit, problem, motion, seconds, frames)
    steps = reconstructing(limbs, tracks, plants, feet=SourceFeet.sampled(fit.source, frames, source, plants))
    rebuilt = yield from converted(steps, lambda share: PhysicsProgress(REBUILDING, 0.7 + 0.3 * share))
    return Transformation(rebuilt.clip, motion, edit, fit, rebuilt, frames, optimum, problem)


def _solved_edit(
    fit: Fit, edit: Edit, budget: TimeBudget
) -> Generator[PhysicsProgress, None, tuple[EditedProblem, Optimum, SimplifiedMotion]]:
    """Solve an edit at once or, where that finds no physical motion, in steps, within the budget."""
    problem = edited_problem(fit, edit)
    if edit.changes_nothing:
        return problem, fit.optimum, fit.motion
    impossible = why_impossible(problem.problem, fit.units, fit.problem, budget)
    if impossible:
        # Where footprints are not moved, it is not clear from them what made them impossible.
        asked = "" if edit.footprints else f", with {', '.join(changes_in_words(edit, fit.stances))}"
        raise ConstraintError(f"The edit is impossible: {'; '.join(impossible[:3])}{asked}.")
    optimum, motion, reasons = yield from _attempt(fit, problem, problem.start, 0.0, budget)
    half_is_possible = False
    if reasons and not budget.is_spent:
        # Half of the edit first: where even that has no motion, the whole has none.
        half = edited_problem(fit, edit.part(HALF))
        halfway, _, missed = yield from _attempt(fit, half, half.start, 0.2, budget)
        half_is_possible = not missed
        if half_is_possible and not budget.is_spent:
            optimum, motion, reasons = yield from _attempt(fit, problem, halfway.start, 0.45, budget)
    if reasons:
        raise ConstraintError(_not_found(fit, edit, reasons, budget, half_is_possible))
    return problem, optimum, motion


def _attempt(
    fit: Fit, edited: EditedProblem, start: Start, begin: float, budget: TimeBudget
) -> Generator[PhysicsProgress, None, tuple[Optimum, SimplifiedMotion, list[str]]]:
    """One solve, with its motion and the reasons for which it is none."""
    problem = edited.problem
    limits = Limits(fit.settings.iterations, budget.left, stalled=STALLED, clock=budget.clock)
    optimum = yield from solving(problem, edited.functions, start, limits, SOLVING, begin, 0.25)
    motion = SimplifiedMotion.solved(problem, optimum, fit.units)
    return optimum, motion, why_not_physical(motion, problem, optimum)


def _not_found(fit: Fit, edit: Edit, reasons: list[str], budget: TimeBudget, half_is_possible: bool) -> str:
    """The sentence for an edit that no attempt has solved."""
    within = f" within {budget.seconds:g} s" if budget.is_spent else ""
    asked = ", ".join(changes_in_words(edit, fit.stances))
    half = "; half of the edit is possible" if half_is_possible else ""
    return f"No physical motion was found{within} for {asked}: {'; '.join(reasons[:2])}{half}."


def _frames(motion: SimplifiedMotion, clip: Clip) -> tuple[Array, Array]:
    """(frames,) the times of the result's frames, in its own seconds and in frames of the source."""
    count = max(2, round(motion.duration * clip.fps) + (0 if motion.layout.is_cyclic else 1))
    seconds = np.arange(count) / clip.fps
    return seconds, _without_rounding(np.clip(motion.in_source(seconds) * clip.fps, 0.0, clip.frames - 1.0))


def _without_rounding(frames: Array) -> Array:
    """Times in frames, with those that are whole but for rounding made whole: a plant that ends at a frame would else
    lose it, and the source would be sampled beside its frames."""
    whole = np.round(frames)
    return np.where(np.abs(frames - whole) < ROUNDING, whole, frames)


def _targets(
    fit: Fit, problem: EditedProblem, motion: SimplifiedMotion, seconds: Array, frames: Array
) -> tuple[list[HandleTrack], list[PlantedFoot]]:
    """What the full character follows: its handles by the difference between edit and fit, its feet exactly."""
    handles = fit.problem.handles
    edited = motion.handle_values(handles, seconds)
    fitted = fitted_handles(fit, motion.character, frames / fit.source.fps)
    tracks, row = [], 0
    for handle, weight in zip(handles, fit.problem.weights, strict=True):
        rows = slice(row, row + handle.width)
        row += handle.width
        # Numbers such as the length of a leg follow from the places; beside these they would only contradict them.
        if handle.width == 3:
            tracks.append(HandleTrack(handle, fitted[:, rows], edited[:, rows], float(weight)))
    return tracks, _planted_feet(fit, problem, motion, len(frames))


def _planted_feet(fit: Fit, problem: EditedProblem, motion: SimplifiedMotion, frames: int) -> list[PlantedFoot]:
    """The footplants of the source at the times and places of the edit."""
    fps = fit.source.fps
    last = float(frames - 1)
    found = []
    for index, plant in enumerate(fit.plants):
        stays = {}
        for part, stay in plant.stays.items():
            begin, end = map(float, _without_rounding(motion.from_source(np.array(stay) / fps) * fps))
            if end >= 0.0 and begin <= last:
                stays[part] = (max(begin, 0.0), min(end, last))
        if not stays:
            continue
        middle = np.mean([time for stay in plant.stays.values() for time in stay])
        ground = _ground_under(fit, problem, index)
        turn, shift = ground.at(np.array([middle / fps]))
        place = _place_of(fit, plant)
        moved = turned_about(place[None], turn, ground.up)[0] + shift[0]
        found.append(
            PlantedFoot(
                foot=plant.foot,
                heel=stays.get("heel"),
                ball=stays.get("toe"),
                shift=tuple(moved - place),
                turn=float(turn[0]),
                name=plant.label,
            )
        )
    return found


def _ground_under(fit: Fit, problem: EditedProblem, index: int) -> GroundChange:
    """How the ground under one footplant changes: as that of its own stances, whatever the other foot stands on; of a
    plant without one, as that of all stances of its foot."""
    ball, stances = f"{fit.plants[index].foot}_ball", fit.stances
    own = [number for number, stance in enumerate(stances) if index in stance.plants]
    own = own or [number for number, stance in enumerate(stances) if ball in stance.points]
    turns = [problem.footprints[number].turn for number in own]
    shifts = np.array([problem.footprints[number].shift for number in own])
    return ground_change([stances[number] for number in own], turns, shifts, fit.problem.character.up)


def _place_of(fit: Fit, plant: Footplant) -> Array:
    """(3,) where a plant stands in the source: its pushes if it has any, else its parts."""
    index = fit.plants.index(plant)
    for stance in fit.stances:
        places = [push.place for push in stance.pushes if index in stance.plants and push.name.startswith(plant.foot)]
        if places:
            return np.mean(places, axis=0)
    part, (begin, end) = next(iter(plant.stays.items()))
    return resting_place(fit.source, f"{plant.foot}_{'ball' if part == 'toe' else part}", begin, end)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The spacetime problem of an edit, from that of the fit: the same unknowns, so that the fit is its start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ...core.arrays import Array, BoolArray, runs
from ...core.errors import ConstraintError
from ..characters.character import SimplifiedCharacter
from ..handles.handle import AxisHandle, PointHandle
from ..motion_fit import LAST_POSE, Fit, lowest_center
from ..problem.layout import force_tracks
from ..problem.mapping import HandleValues
from ..problem.optimiser import Start
from ..problem.spacetime_problem import SMOOTH_CHANGE, UNDER, CharacterFunctions, HeightBound, HeldPose, Problem
from ..problem.stances import Stance
from ..problem.time_grid import TimeGrid
from ..reconstruction.foot_paths import is_foot_handle
from .edit import Edit, FootprintEdit
from .limb_changes import character_with_limbs, values_with_limbs
from .moved_ground import GroundChange, ground_change, turned_about

FREE_DURATION = (0.4, 4.0)
"""The range of the factor of all time where the optimiser chooses it."""

SHORTEST_PHASE = 0.5
"""The least time between two events, in multiples of the usual spacing of points."""

SHORTEST_FLIGHT = 0.1
"""The least time in the air, in multiples of the usual spacing of points: splines cannot be told apart in less."""

SHORTEST_CLIP = 2.0
"""The least duration of an edited motion, in frames."""

SAME_VALUE = 1e-6
"""Radians, or sizes of the character, that are rounding."""

BEYOND = {"rotation": np.pi, "translation": 1.0}
"""Radians, and sizes of the character, by which a joint for which the recipe has no range may be locked outside of what
the source does."""

TUMBLING = 0.1
"""The share of the smoothness of changes where the end is free: a body that tumbles changes fast."""

HEADING_WEIGHT = 100.0
"""By how much more the axes of the hips count, but the one that points up, where the body keeps its heading."""

SCUFF = 1e-3
"""Sizes of the character by which swinging feet may be lower than the ground, or than in the fitted motion."""


@dataclass(frozen=True, eq=False)
class EditedProblem:
    """A problem with its start."""

    problem: Problem
    functions: CharacterFunctions
    start: Start
    footprints: tuple[FootprintEdit, ...]
    """One for each stance, in the clip's units."""


def edited_problem(fit: Fit, edit: Edit) -> EditedProblem:
    """The problem of an edit; ConstraintError where something of the edit cannot be."""
    base, units = fit.problem, fit.units
    footprints = _each_stance(fit, edit)
    grid = _grid(fit, edit, footprints)
    up = base.character.up
    turns = [each.turn for each in footprints]
    shifts = units.lengths([each.shift for each in footprints])
    stances = tuple(
        _moved(stance, grid, turn, shift, up, base.layout.is_cyclic)
        for stance, turn, shift in zip(base.stances, turns, shifts, strict=True)
    )
    character, functions = _character(fit, edit)
    layout = replace(
        base.layout,
        character=character,
        grid=grid,
        tracks=force_tracks(stances, grid, base.slots, base.layout.is_cyclic),
    )
    if [tuple(track.nodes) for track in layout.tracks] != [tuple(track.nodes) for track in base.layout.tracks]:
        raise ConstraintError("The edit leaves a stance no time: let it begin earlier or end later.")
    change = ground_change(base.stances, turns, shifts, up)
    own = {name: _of_contact(base, name, turns, shifts, up) for name in {stance.contact for stance in base.stances}}
    targets, pulls = _targets(fit, character, change, own)
    problem = replace(
        base,
        layout=layout,
        stances=stances,
        # No muscles could carry a much heavier body: their limits grow with gravity (Popović 1999, section 6.4.7).
        muscles=replace(base.muscles, limit=base.muscles.limit * max(1.0, edit.gravity)),
        gravity=-edit.gravity * up,
        weights=_weights(fit, edit),
        targets=targets,
        pulls=pulls,
        anchor=fit.optimum.unknowns,
        change_smoothness=TUMBLING * SMOOTH_CHANGE if edit.free_end else SMOOTH_CHANGE,
        objectives=edit.objective_weights(fit.settings.objectives, fit.deviation).in_units(units.length, units.time),
        attraction=_attraction(fit, edit),
        poses=_poses(fit, edit, change, grid),
        locked=_locked(fit, edit, character),
        lowest=lowest_center(stances, up),
        duration=FREE_DURATION if edit.duration is None else (1.0, 1.0),
    )
    problem = replace(problem, heights=_heights(fit, edit, problem))
    return EditedProblem(problem, functions, _start(fit, problem, change), footprints)


def _each_stance(fit: Fit, edit: Edit) -> tuple[FootprintEdit, ...]:
    """One edit for each stance; those of one stance are added up."""
    found = [FootprintEdit(index) for index in range(len(fit.problem.stances))]
    for each in edit.footprints:
        if not 0 <= each.stance < len(found):
            raise ConstraintError(f"There is no stance {each.stance}: the fit has {len(found)}, counted from 0.")
        known = found[each.stance]
        x, y, z = (float(a) + float(b) for a, b in zip(known.shift, each.shift, strict=True))
        found[each.stance] = FootprintEdit(
            each.stance,
            (x, y, z),
            known.turn + each.turn,
            known.earlier_strike + each.earlier_strike,
            known.later_release + each.later_release,
        )
    if edit.turn:
        last = max(range(len(found)), key=lambda index: fit.problem.stances[index].end)
        found[last] = replace(found[last], turn=found[last].turn + edit.turn)
    return tuple(found)


def _grid(fit: Fit, edit: Edit, footprints: tuple[FootprintEdit, ...]) -> TimeGrid:
    """The grid with the edited times of all events, stretched by the duration."""
    base, unit = fit.problem.layout.grid, fit.units.time
    first, last = float(base.points[0]), float(base.points[-1])
    fixed = {first: first, last: last}
    moved: dict[float, float] = {}
    for stance, change in zip(fit.problem.stances, footprints, strict=True):
        middle = (stance.begin + stance.end) / 2.0
        for event in stance.events:
            by = (-change.earlier_strike if event < middle else change.later_release) / unit
            if first < event < last:
                (moved if by else fixed)[event] = event + by
    least = SHORTEST_PHASE / (fit.settings.rate * unit)
    _check_order(moved, first, last, least, unit)
    # Events of other stances that the moved ones come too near to are carried along.
    kept = {
        event: time
        for event, time in fixed.items()
        if event in (first, last) or all(_is_apart(event, time, each, moved[each], least) for each in moved)
    }
    anchors = sorted({**kept, **moved}.items())
    events, times = np.array([each for each, _ in anchors]), np.array([time for _, time in anchors])
    factor = 1.0 if edit.duration is None else edit.duration
    moved_grid = base.retimed(events, times)
    flies = _flies(fit)
    spacing = moved_grid.spacing * np.where(flies, edit.flight, 1.0) * factor
    _check_times(fit, spacing, flies)
    first = float(moved_grid.points[0])
    return TimeGrid(np.concatenate([[first], first + np.cumsum(spacing)]), base.source)


def _is_apart(event: float, time: float, moved_event: float, moved_time: float, least: float) -> bool:
    """Whether two events keep their order, and at least half of the time between them or `least`."""
    gap = (moved_time - time) * np.sign(moved_event - event)
    return bool(gap >= min(least, 0.5 * abs(moved_event - event)))


def _check_order(moved: Mapping[float, float], first: float, last: float, least: float, unit: float) -> None:
    """Raise unless moved events keep their order between the begin and the end."""
    anchors = [(first, first), *sorted(moved.items()), (last, last)]
    for (event, time), (next_event, next_time) in pairwise(anchors):
        if not _is_apart(event, time, next_event, next_time, least):
            raise ConstraintError(
                f"The edit leaves no time between two contacts near {event * unit:.2f} s: retime footprints by less."
            )


def _check_times(fit: Fit, spacing: Array, flies: BoolArray) -> None:
    """Raise where an edit leaves hardly any time, given that between points of the grid (points - 1,)."""
    unit, total = fit.units.time, float(spacing.sum()) * fit.units.time
    if total < SHORTEST_CLIP / fit.source.fps:
        raise ConstraintError(f"The edit leaves {total:.2g} s for the whole motion: give it a longer duration.")
    least = SHORTEST_FLIGHT / fit.settings.rate
    for first, last in runs(flies):
        seconds = float(spacing[first : last + 1].sum()) * unit
        if seconds < least:
            begin = float(fit.problem.layout.grid.source[first]) * unit
            raise ConstraintError(
                f"The edit leaves {seconds:.2g} s in the air after {begin:.2f} s, and the least is {least:.2g} s: give "
                "the flight more time."
            )


def _flies(fit: Fit) -> BoolArray:
    """(points - 1,) between which points of the grid no force acts."""
    layout = fit.problem.layout
    pushed = np.zeros(len(layout.grid.points), dtype=bool)
    for track in layout.tracks:
        pushed[track.nodes] = True
    if layout.is_cyclic:
        pushed[-1] = pushed[0]
    return np.asarray(~(pushed[:-1] | pushed[1:]))


def _moved(stance: Stance, grid: TimeGrid, turn: float, shift: Array, up: Array, is_cyclic: bool) -> Stance:
    """The stance at its new times and place."""

    def when(time: float) -> float:
        if is_cyclic:
            period = float(grid.source[-1] - grid.source[0])
            turns = float(np.floor((time - grid.source[0]) / period))
            return float(grid.from_source(time - turns * period)) + turns * float(grid.points[-1] - grid.points[0])
        # Events before the begin and after the end of the clip keep their distance from it.
        inside = float(np.clip(time, grid.source[0], grid.source[-1]))
        return float(grid.from_source(inside)) + time - inside

    def where(place: Array) -> Array:
        return np.asarray(stance.place + turned_about((place - stance.place)[None], np.array([turn]), up)[0] + shift)

    return replace(stance.changed(when, where), heading=stance.heading + turn)


def _of_contact(base: Problem, name: str, turns: list[float], shifts: Array, up: Array) -> GroundChange:
    own = [index for index, stance in enumerate(base.stances) if stance.contact == name]
    return ground_change([base.stances[index] for index in own], [turns[index] for index in own], shifts[own], up)


def _character(fit: Fit, edit: Edit) -> tuple[SimplifiedCharacter, CharacterFunctions]:
    known = fit.problem.character
    character = character_with_limbs(known, fit.source, fit.recipe, fit.units, edit.limbs)
    if character is known:
        return character, fit.functions
    return character, CharacterFunctions(character, fit.functions.pushed)


def _weights(fit: Fit, edit: Edit) -> Array:
    weights = fit.problem.weights.copy()
    if edit.keep_heading:
        axes = {
            index: handle.joint
            for index, handle in enumerate(fit.problem.handles)
            if isinstance(handle, AxisHandle) and handle.axis != "up"
        }
        # Where the body faces is where its hips do: the trunk may bend above them, and a tilted up axis is no turn.
        heading = [index for index, joint in axes.items() if joint == "hips"] or list(axes)
        weights[heading] *= HEADING_WEIGHT
    return weights


def fitted_handles(fit: Fit, character: SimplifiedCharacter, seconds: Array) -> Array:
    """(times, values of all handles) of the fitted motion in the clip's units, on a character with edited limbs.

    The posture and the place of the hips are those of the fit, and the handles follow from them: an arm that is only
    heavier is where it was, but the centre of mass is not. Feet are where they are in the fit: the ground stays.
    """
    handles, units = fit.problem.handles, fit.units.of_handles(fit.problem.handles)
    known = fit.motion.handle_values(handles, seconds)
    if character is fit.problem.character:
        return known
    values = values_with_limbs(fit.problem.character, character, fit.motion.values(seconds))
    carried = HandleValues(character, handles).values(values) * units
    is_foot = np.repeat([is_foot_handle(handle) for handle in handles], [handle.width for handle in handles])
    return np.where(is_foot, known, carried)


def _targets(
    fit: Fit, character: SimplifiedCharacter, change: GroundChange, own: dict[str, GroundChange]
) -> tuple[Array, Array]:
    """The handles of the fit, carried along with the ground, and how far the fit is from the source.

    Both are (values of all handles, points); see docs/derivations.md, section 14.
    """
    base, units = fit.problem, fit.units.of_handles(fit.problem.handles)
    points = base.layout.grid.points
    away = (fit.motion.handle_values(base.handles, fit.motion.points) / units).T - base.targets
    fitted = (fitted_handles(fit, character, fit.motion.points) / units).T
    moved, pulls = np.empty_like(fitted), np.empty_like(fitted)
    contacts = {point: stance.contact for stance in base.stances for point in stance.points}
    row = 0
    for handle in base.handles:
        rows = slice(row, row + handle.width)
        row += handle.width
        own_contacts = {contacts[name] for name in _points_of(handle) if name in contacts}
        ground = own[own_contacts.pop()] if len(own_contacts) == 1 else change
        moved[rows] = ground.moved(handle, fitted[rows].T, points).T
        pulls[rows] = away[rows]
        if handle.width == 3:
            pulls[rows] = turned_about(away[rows].T, ground.at(points)[0], ground.up).T
    return moved, pulls


def _attraction(fit: Fit, edit: Edit) -> Array | None:
    """(points,) none after the last landing where the end is free: nothing but the muscles decides how it goes on."""
    if not edit.free_end:
        return None
    last = max(stance.touch for stance in fit.problem.stances)
    return (fit.problem.layout.grid.points <= last).astype(np.float64)


def _points_of(handle: object) -> set[str]:
    """The points that a handle refers to."""
    parts = getattr(handle, "parts", ())
    names = {name for part in parts for name in _points_of(part)}
    point = getattr(handle, "point", None)
    return names | ({point} if isinstance(point, str) else set())


def _poses(fit: Fit, edit: Edit, change: GroundChange, now: TimeGrid) -> tuple[HeldPose, ...]:
    """Held poses, carried along with the ground under them."""
    grid = fit.problem.layout.grid
    last = float(grid.points[-1])
    found = []
    for pose in fit.problem.poses:
        if pose.label == LAST_POSE and edit.free_end:
            continue
        turn, shift = change.at(np.array([pose.time]))
        values = pose.values.copy()
        values[:3] = turned_about(values[None, :3], turn, change.up)[0] + shift[0]
        values[3] += turn[0]
        found.append(replace(pose, values=values))
    if edit.turn and not any(pose.label == LAST_POSE for pose in found):
        values = np.full(len(fit.problem.character), np.nan)
        values[3] = fit.motion.values([fit.motion.duration])[0, 3] + edit.turn
        found.append(HeldPose(last, values, "the heading at the end"))
    # They are held at points of the grid, whose times may have changed.
    return tuple(replace(pose, time=float(now.from_source(pose.time))) for pose in found)


def _locked(fit: Fit, edit: Edit, character: SimplifiedCharacter) -> dict[int, float]:
    found: dict[int, float] = {}
    means = fit.motion.values(fit.motion.points).mean(axis=0)
    for lock in edit.locked:
        indices = _dofs_of(character, lock.joint)
        if lock.degrees is not None and len(lock.degrees) != len(indices):
            raise ConstraintError(f"The locked joint {lock.joint!r} has {len(indices)} values.")
        ranged = any((kept.lower or kept.upper) and lock.joint in kept.joints for kept in fit.recipe.joints)
        for place, index in enumerate(indices):
            value = float(means[index])
            if lock.degrees is not None:
                unit = np.pi / 180.0 if character.dofs[index].kind == "rotation" else 1.0
                value = lock.degrees[place] * unit
                _check_lock(character, index, value, 0.0 if ranged else BEYOND[character.dofs[index].kind])
            if found.setdefault(index, value) != value:
                raise ConstraintError(f"The joint {lock.joint!r} is locked twice, at different values: keep one lock.")
    return found


def _check_lock(character: SimplifiedCharacter, index: int, value: float, beyond: float) -> None:
    """Raise where a degree of freedom is locked farther than `beyond` outside of its range."""
    dof = character.dofs[index]
    low, high = dof.lower - beyond, dof.upper + beyond
    if low - SAME_VALUE <= value <= high + SAME_VALUE:
        return
    unit, word = (np.pi / 180.0, "°") if dof.kind == "rotation" else (1.0, " sizes of the character")
    raise ConstraintError(
        f"The {dof.name} cannot be locked at {value / unit:.4g}{word}: it can be between {low / unit:.3g} and "
        f"{high / unit:.3g}{word}."
    )


def _dofs_of(character: SimplifiedCharacter, joint: str) -> tuple[int, ...]:
    if joint not in character.joint_of:
        raise ConstraintError(
            f"The simplified character has no joint {joint!r}; it has {', '.join(character.joint_of)}."
        )
    return character.joint_of[joint]


def _heights(fit: Fit, edit: Edit, problem: Problem) -> tuple[HeightBound, ...]:
    """Feet stay above the ground between stances, and above obstacles."""
    layout, units = problem.layout, fit.units
    points = layout.grid.points[:-1] if layout.is_cyclic else layout.grid.points
    up = problem.character.up
    found = []
    for contact in dict.fromkeys(stance.contact for stance in problem.stances):
        own = [stance for stance in problem.stances if stance.contact == contact]
        names = own[0].points
        free = np.ones(len(points), dtype=bool)
        for stance in own:
            for index, _ in problem.pinned_times(stance, points):
                free[index] = False
        for pose in problem.poses:
            free[layout.grid.nearest(pose.time)] = False
        times = points[free]
        if not len(times):
            continue
        begins = np.array([stance.begin for stance in own])
        ends = np.array([stance.end for stance in own])
        floors = np.array([float(stance.place @ up) for stance in own])
        before = np.clip(np.searchsorted(ends, times, side="right") - 1, 0, len(own) - 1)
        after = np.clip(np.searchsorted(begins, times), 0, len(own) - 1)
        floor = np.minimum(floors[before], floors[after])
        # The fitted foot may be lower than its stances, as toes are that touch first: then so may the edited one.
        base_floors = np.array([float(each.place @ up) for each in fit.problem.stances if each.contact == contact])
        base_floor = np.minimum(base_floors[before], base_floors[after])
        fitted = _mean_height(fit, names, layout.grid.in_source(times))
        heights = floor - np.maximum(base_floor - fitted, 0.0) - SCUFF
        found.append(HeightBound(names, times, heights, f"the ground{UNDER}{contact}"))
        for number, obstacle in enumerate(edit.obstacles):
            place = units.lengths(obstacle.place)
            base = float(place @ up)
            bump = (
                (float(place[0]), float(place[1]), float(place[2])),
                obstacle.height / units.length,
                obstacle.radius / units.length,
            )
            found.append(
                HeightBound(names, times, np.full(len(times), base), f"obstacle {number + 1}{UNDER}{contact}", bump)
            )
    return tuple(found)


def _mean_height(fit: Fit, names: tuple[str, ...], times: Array) -> Array:
    """(times,) the height of the mean of points in the fitted motion, in units of the character."""
    handles = tuple(PointHandle(name) for name in names)
    values = fit.motion.handle_values(handles, times * fit.units.time) / fit.units.length
    return np.asarray(values.reshape(len(times), -1, 3).mean(axis=1) @ fit.problem.character.up)


def _start(fit: Fit, problem: Problem, change: GroundChange) -> Start:
    """The fitted motion, carried along with the ground, with its multipliers."""
    layout = problem.layout
    unknowns = fit.optimum.unknowns.copy()
    base = fit.problem.layout
    table = base.cubic.basis(base.grid.points)
    turns, shifts = change.at(base.grid.points)
    if turns.any() or shifts.any() or problem.character is not fit.problem.character:
        values = fit.motion.values(fit.motion.points)
        places = values_with_limbs(fit.problem.character, problem.character, values)[:, :3]
        away = turned_about(places, turns, change.up) + shifts - values[:, :3]
        for axis, own in enumerate(base.dof_slices[:3]):
            unknowns[own] += np.linalg.lstsq(table, away[:, axis], rcond=None)[0]
        heading = base.quintic.basis(np.concatenate([base.grid.points, base.grid.between]))
        turn, _ = change.at(np.concatenate([base.grid.points, base.grid.between]))
        unknowns[base.dof_slices[3]] += np.linalg.lstsq(heading, turn, rcond=None)[0]
    for dof, value in problem.locked.items():
        unknowns[layout.dof_slices[dof]] = value
    return Start(unknowns, fit.optimum.multipliers, fit.optimum.bound_multipliers)

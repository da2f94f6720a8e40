# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions that every motion of an edit must meet, checked in less than a second before the edit is solved.

What passes may still have no physical motion. The limits of lean, leap, speed and turn are judgements, and the reach
is that of sampled postures: an acrobat might exceed them. All but those about obstacles, feet and headings concern
the centre of mass alone, by a linear program (`MassPath`). It finds the path that violates the reach of the fewest
footprints, so that those out of reach can be named. The places of footprints are linear in the share of an edit too:
solved a second time, the program finds the largest share of the way of the moved footprints that has a path.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, pairwise

import numpy as np

from ...core.arrays import Array
from ..characters.character import ROOT_DOFS, ROOT_ROTATIONS, SimplifiedCharacter
from ..checks.plausibility import FASTEST_TURN, HARDEST_PUSH
from ..handles.handle import PointHandle
from ..motion_fit import LOWEST
from ..problem.mapping import HandleValues
from ..problem.spacetime_problem import Problem
from ..problem.stances import Stance
from ..problem.time_budget import TimeBudget
from ..problem.units import Units
from .mass_path import FASTEST_RUN, HIGHEST_LEAP, LONGEST, REACH, MassPath, Reaches

FASTEST_FOOT = 25.0
"""Sizes of the character per √(size / gravity), about 75 m/s: a sprinter's swinging foot reaches 20 m/s, a kick 30."""

SLIDE = 0.1
"""Sizes of the character that a foot may be off without a swing, as feet that slide are in captures."""

HEADING = ROOT_ROTATIONS.start
"""The rotation about the vertical, among all degrees of freedom."""

FACES_AWAY = np.pi
"""Radians by which the body may face elsewhere than a footprint points."""

POSTURES, SWEEPS, TRIED = 2000, 3, 21
"""Random postures in which the reach is measured, how often each joint of the farthest is moved, and its values then.
The random ones alone reach 3 % less."""


def why_impossible(
    problem: Problem, units: Units, base: Problem | None = None, budget: TimeBudget | None = None
) -> list[str]:
    """The reasons for which a problem has no solution, each a part of a sentence; empty where none is found.

    `base` is the problem of the fit, of which `problem` is an edit: with it, reasons say how far footprints can be
    moved. Nothing is searched for longer than `budget` lasts.
    """
    contacts = {stance.points for stance in problem.stances}
    reaches = {names: reach_of_mass(problem.character, names, problem.locked) for names in contacts}
    reasons = [
        *_too_far_apart(problem, units),
        *_feet_too_fast(problem, units),
        *_turns_too_fast(problem, units),
        *_blocked(problem, reaches, units),
    ]
    if reasons:
        return reasons
    if problem.duration[0] == problem.duration[1]:
        found = _out_of_reach(problem, reaches, units, base, budget or TimeBudget(LONGEST))
        if found is not None:
            return [*_too_heavy(problem), *found] if found else []
    # Where the time is unknown, the conditions on the path are not linear.
    return _too_far_to_travel(problem, reaches, units)


def reach_of_points(character: SimplifiedCharacter, names: tuple[str, ...]) -> float:
    """The largest distance of the mean of points from the origin of the root body, with all joints straight."""
    found = []
    for name in names:
        place = character.points[name]
        length, body = float(np.linalg.norm(place.offset)), place.body
        while body >= ROOT_DOFS:
            dof = character.dofs[body]
            length += float(np.linalg.norm(dof.offset))
            if dof.kind == "translation":
                length += max(abs(dof.lower), abs(dof.upper))
            body = dof.parent
        found.append(length)
    return float(np.mean(found))


def reach_of_mass(
    character: SimplifiedCharacter, names: tuple[str, ...], locked: Mapping[int, float] | None = None
) -> float:
    """The largest distance of the mean of points from the centre of mass, over postures within the joints' ranges.

    It is that of the farthest of many random postures, in which each joint is at either end of its range or anywhere
    within it, after one joint after the other has been moved to where it is farthest. Locked degrees of freedom keep
    their values.
    """
    locked = locked or {}
    lower, upper = (np.where(np.isfinite(bound), bound, 0.0) for bound in character.bounds)
    free = [dof for dof in range(ROOT_DOFS, len(character)) if dof not in locked]
    random = np.random.default_rng(0)
    postures = np.zeros((POSTURES, len(character)))
    for dof in free:
        share = np.clip(random.uniform(-0.5, 1.5, POSTURES), 0.0, 1.0)
        postures[:, dof] = lower[dof] + share * (upper[dof] - lower[dof])
    for dof, value in locked.items():
        postures[:, dof] = value
    handles = HandleValues(character, tuple(PointHandle(name) for name in names))

    def distances(postures: Array) -> Array:
        places = handles.values(postures).reshape(len(postures), len(names), 3).mean(axis=1)
        return np.asarray(np.linalg.norm(places, axis=1))

    farthest = postures[int(np.argmax(distances(postures)))]
    for dof in free * SWEEPS:
        around = np.tile(farthest, (TRIED + 1, 1))
        around[:-1, dof] = np.linspace(lower[dof], upper[dof], TRIED)
        farthest = around[int(np.argmax(distances(around)))]
    return float(distances(farthest[None])[0])


def _too_far_apart(problem: Problem, units: Units) -> list[str]:
    """Stances at the same time whose places no two legs connect."""
    reasons = []
    for index, one in enumerate(problem.stances):
        for other in problem.stances[index + 1 :]:
            if min(one.end, other.end) <= max(one.begin, other.begin):
                continue
            longest = sum(reach_of_points(problem.character, stance.points) for stance in (one, other))
            apart = float(np.linalg.norm(one.place - other.place))
            if apart > longest + REACH:
                reasons.append(
                    f"{one.label} and {other.label} are at the same time and {units.length * apart:.3g} apart, farther "
                    f"than two legs reach, {units.length * longest:.3g}"
                )
    return reasons


def _too_heavy(problem: Problem) -> list[str]:
    """A weight that is more than any ground pushes: the reason why footprints cannot be reached, but none by itself, as
    the body may fly for a while."""
    gravity, mass = _gravity(problem), problem.character.mass
    most = HARDEST_PUSH * max(1.0, gravity)
    if mass * gravity <= most:
        return []
    return [
        f"with its edited limbs the body has {mass:.3g} times its mass, and no legs carry more than "
        f"{most / gravity:.3g} times: make the limbs lighter"
    ]


def _too_far_to_travel(problem: Problem, reaches: Reaches, units: Units) -> list[str]:
    """Stances, one after the other, between which even the fastest body has too little time."""
    up, unit = problem.character.up, np.sqrt(max(1.0, _gravity(problem)))
    reasons = []
    for one, other in combinations(sorted(problem.stances, key=lambda each: each.begin), 2):
        seconds = problem.duration[1] * (other.begin - one.end)
        if seconds < 0.0:
            continue
        way = other.place - one.place
        rise = float(way @ up)
        apart = float(np.linalg.norm(way - rise * up))
        farthest = reaches[one.points] + reaches[other.points] + FASTEST_RUN * unit * seconds
        highest = reaches[one.points] - LOWEST + np.sqrt(2.0 * HIGHEST_LEAP) * unit * seconds
        told = f"in the {units.time * seconds:.2g} s between them the body gets at most"
        if apart > farthest + REACH:
            reasons.append(
                f"{other.label} is {units.length * apart:.3g} away from {one.label}, and {told} "
                f"{units.length * farthest:.3g} far"
            )
        elif rise > highest + REACH:
            reasons.append(
                f"{other.label} is {units.length * rise:.3g} higher than {one.label}, and {told} "
                f"{units.length * highest:.3g} high"
            )
    return reasons


def _feet_too_fast(problem: Problem, units: Units) -> list[str]:
    """Swings of a foot from one footprint to the next in less time than any foot needs."""
    fastest = FASTEST_FOOT * np.sqrt(max(1.0, _gravity(problem)))
    reasons = []
    for before, after in _steps(problem):
        seconds = problem.duration[1] * max(0.0, after.begin - before.end)
        apart = float(np.linalg.norm(after.place - before.place))
        if apart > SLIDE + fastest * seconds:
            far = f"{units.length * apart:.3g} in {units.time * seconds:.2g} s"
            reasons.append(
                f"from {before.label} to {after.label} the {after.contact} would have to move {far}: it needs "
                f"{units.time * apart / fastest:.2g} s or more"
            )
    return reasons


def _turns_too_fast(problem: Problem, units: Units) -> list[str]:
    """Headings of footprints and held poses between which the body would have to spin faster than any does."""
    fastest = FASTEST_TURN * np.sqrt(max(1.0, _gravity(problem)))
    first, last = (float(time) for time in problem.layout.grid.points[[0, -1]])
    # From when and until when the body may face along each heading.
    facing = [(max(each.begin, first), min(each.end, last), each.heading, each.label) for each in problem.stances]
    held = (each for each in problem.poses if np.isfinite(each.values[HEADING]))
    facing += [(each.time, each.time, float(each.values[HEADING]), each.label) for each in held]
    worst: tuple[float, str] | None = None
    for (begin, _, before, _), (_, end, after, label) in combinations(sorted(facing), 2):
        seconds = problem.duration[1] * (end - begin)
        turn, most = abs(after - before), fastest * seconds + 2.0 * FACES_AWAY
        if turn > most and (worst is None or turn - most > worst[0]):
            told = (
                f"until {label} the body would have to turn by {turn / (2.0 * np.pi):.3g} turns within "
                f"{units.time * seconds:.2g} s, and at most {most / (2.0 * np.pi):.2g} are possible"
            )
            worst = turn - most, told
    return [] if worst is None else [worst[1]]


def _gravity(problem: Problem) -> float:
    """The acceleration of gravity, as a multiple of the earth's."""
    return float(np.linalg.norm(problem.gravity))


def _steps(problem: Problem) -> list[tuple[Stance, Stance]]:
    """Each stance with the next one of the same contact."""
    found: list[tuple[Stance, Stance]] = []
    for contact in dict.fromkeys(stance.contact for stance in problem.stances):
        own = (stance for stance in problem.stances if stance.contact == contact)
        found += pairwise(sorted(own, key=lambda stance: stance.begin))
    return found


def _blocked(problem: Problem, reaches: Reaches, units: Units) -> list[str]:
    """Obstacles that feet cannot be lifted over, or that stand on a footprint."""
    up, gravity = problem.character.up, _gravity(problem)
    reasons: dict[str, None] = {}
    for bound in problem.heights:
        if bound.bump is None:
            continue
        place, height, radius = np.array(bound.bump[0]), bound.bump[1], bound.bump[2]
        own = sorted((each for each in problem.stances if each.points == bound.points), key=lambda each: each.begin)
        name = bound.label.partition(" under ")[0]
        for stance in own:
            over = _bump_height(stance.place[None], place, height, radius, up)[0] - float(stance.place @ up)
            if over > LOWEST:
                reasons[f"{name} stands on {stance.label}"] = None
        for before, after in pairwise(own):
            flight = max(0.0, after.touch - before.release)
            floor = max(float(before.place @ up), float(after.place @ up))
            # Feet are never lifted above the highest place of the centre of mass.
            highest = floor + reaches[bound.points] + gravity * flight**2 / 8.0
            way = before.place + np.linspace(0.0, 1.0, 65)[:, None] * (after.place - before.place)
            top = float(_bump_height(way, place, height, radius, up).max())
            if top > highest:
                reasons[
                    f"{name} is {units.length * (top - highest):.3g} higher than the feet can be lifted between "
                    f"{before.label} and {after.label}: lower it, or move it out of the way"
                ] = None
    return list(reasons)


def _bump_height(points: Array, place: Array, height: float, radius: float, up: Array) -> Array:
    """(points,) the height of an obstacle at points (points, 3)."""
    away = points - place
    across = away - np.outer(away @ up, up)
    squared = (across**2).sum(axis=1) / radius**2
    return np.asarray(float(place @ up) + height * np.exp(-(squared**2)))


def _out_of_reach(
    problem: Problem, reaches: Reaches, units: Units, base: Problem | None, budget: TimeBudget
) -> list[str] | None:
    """Footprints that no path of the centre of mass reaches in time; None where the program was not solved."""
    path = MassPath(problem, reaches)
    optimum = path.optimum(budget)
    if optimum is None:
        return None
    missed = optimum.unknowns[path.slacks]
    reasons = [
        f"{stance.label} is out of reach by {units.length * float(missed[index]):.3g}: in the time between contacts "
        "the body cannot get there and away"
        for index, stance in sorted(enumerate(problem.stances), key=lambda item: -float(missed[item[0]]))
        if missed[index] > REACH
    ]
    if missed[-1] > REACH:
        rates = optimum.unknowns[path.rates[:, None] + np.arange(3)]
        fastest = float(path.points[int(np.argmax(np.linalg.norm(rates, axis=1)))])
        after = min((each for each in problem.stances if each.end >= fastest), key=lambda each: each.begin)
        reasons.append(f"to reach {after.label} the body would have to be faster than any runner or jumper")
    return reasons and [*reasons[:2], *_possible(problem, reaches, units, base, budget)]


def _possible(problem: Problem, reaches: Reaches, units: Units, base: Problem | None, budget: TimeBudget) -> list[str]:
    """How far footprints can be moved, as a part of a sentence, where they cannot be moved as far as the edit does."""
    if base is None or len(base.stances) != len(problem.stances):
        return []
    ways = np.array([one.place - other.place for one, other in zip(problem.stances, base.stances, strict=True)])
    lengths = np.linalg.norm(ways, axis=1)
    moved = np.flatnonzero(lengths > REACH)
    if not len(moved):
        return []
    path = MassPath(problem, reaches, ways)
    optimum = path.optimum(budget)
    if optimum is None:
        return [f"even with {_footprints(len(moved))} where they were, the other changes are too much"]
    share = float(np.clip(optimum.unknowns[path.share], 0.0, 1.0))
    if len(moved) == 1:
        far = units.length * float(lengths[moved[0]])
        return [f"it is moved by {far:.3g}, and at most {share * far:.3g} is possible"]
    return [f"at most {100.0 * share:.0f} % of the way by which {_footprints(len(moved))} are moved is possible"]


def _footprints(count: int) -> str:
    return f"{count} footprints" if count > 1 else "the footprint"

# SPDX-License-Identifier: GPL-3.0-or-later
"""All plants of a walk enforced while a hand's target is out of reach: Poise, and its peers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from poise import solver

from . import peers
from .conflicts import DISTANCES, pulled
from .enforced_walk import HOLD, REST, Standard
from .figures import Figure
from .planted_walk import PlantedWalk, WalkTargets, planted_walk
from .timing import Job, take_turns

ROUNDS = 3
LARGEST_SHARE = {"pink": 1.0 / 6.0, "placo": 1.0 / 3.0}
"""Largest ratio of Poise's time to a peer's time."""

POISE = "conflicted walk: Poise"
STANDARDS, FEET = (HOLD, REST), (True, False)
"""When a frame of a peer ends, and whether its feet are constraints."""


def conflicted_walk(
    walk: PlantedWalk | None = None, peer_names: Sequence[str] = peers.WALKING, rounds: int = ROUNDS
) -> Iterator[Figure]:
    """A whole walk with a hand out of reach: every plant, balance and posture, and the same tasks in other libraries.

    Each peer runs with the feet as equality constraints and as the tasks with the largest weight, both damped so that
    they do not diverge before a target out of reach. The bounds are for the faster of the two, with frames that end as
    soon as the feet hold, wherever the hand is; the time until convergence is a figure too.
    """
    walk = walk or planted_walk()
    hand = pulled(walk, "left", DISTANCES[-1])
    targets = WalkTargets.of(walk, hand)
    results: dict[str, solver.Motion] = {}

    def deform() -> int:
        results[POISE] = solver.deform(walk.clip, [*walk.constraints, hand]).clip.motion
        return 1

    def walking(walker: peers.Walker) -> Job:
        def compile_and_walk() -> int:
            WalkTargets.of(walk, hand)
            walker.walk()
            return 1

        return compile_and_walk

    variants = [(peer, constrained, standard) for peer in peer_names for standard in STANDARDS for constrained in FEET]
    walkers = {
        walker_name(peer, constrained, standard): peers.open_walker(peer, targets, constrained, standard.to_rest)
        for peer, constrained, standard in variants
    }
    jobs: dict[str, Job] = {POISE: deform, **{name: walking(walker) for name, walker in walkers.items()}}
    timings = take_turns(jobs, rounds)
    results |= {name: walker.motion for name, walker in walkers.items()}
    about = f"{walk.name}, {walk.clip.frames} frames, a hand {DISTANCES[-1]:g} sizes out of reach"
    for name in jobs:
        note = about
        if name in walkers:
            note = f"{walkers[name].version}, {walkers[name].iterations / targets.frames:.1f} iterations a frame"
        yield Figure(name, 1e3 * timings.median(name), "ms", note=note)
        yield Figure(f"{name}: planted points miss", targets.largest_miss(results[name]), "sizes")
        yield Figure(f"{name}: the hand misses, mean", targets.mean_miss_of_hand(results[name], hand), "sizes")
    for peer in peer_names:
        for standard in STANDARDS:
            fastest = min((walker_name(peer, constrained, standard) for constrained in FEET), key=timings.median)
            bound = LARGEST_SHARE[peer] if standard is HOLD else None
            share = timings.ratio(POISE, fastest)
            yield Figure(f"{POISE} : {peer}, {standard.name}", share, "ratio", bound, note=fastest)


def walker_name(peer: str, feet_are_constraints: bool, standard: Standard) -> str:
    """The figure's name for a peer."""
    feet = "feet as constraints" if feet_are_constraints else "weighted"
    return f"conflicted walk: {peer}, {feet}, {standard.name}"

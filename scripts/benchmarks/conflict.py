# SPDX-License-Identifier: GPL-3.0-or-later
"""A hand with an unreachable target: the errors of feet and balance, in Poise and in its peers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from poise import solver
from poise.solver.body.kinematics import WorldState
from poise.solver.core import rotations

from . import peers, workload
from .character import Character, walking
from .figures import Figure

ITERATIONS = 200
POSTURES = 5
"""Number of starting postures, evenly spread over the clip; the worst result counts."""

LARGEST_DRIFT = 1e-4


@dataclass(frozen=True)
class Drift:
    """The worst over all postures, in sizes of the character or radians."""

    feet: float
    turn: float
    """Of the feet."""
    balance: float
    """Of the centre of mass, horizontally."""
    hand: float
    """Mean distance of the hand from its target."""


def conflict(
    character: Character | None = None,
    peer_names: Sequence[str] = peers.NAMES,
    iterations: int = ITERATIONS,
    postures: int = POSTURES,
) -> Iterator[Figure]:
    """A hand's target out of reach: errors of feet and centre of mass, in sizes of the character."""
    character = character or walking()
    frames = np.linspace(0, character.clip.frames - 1, postures).astype(np.int64)
    work = workload.conflict(character.clip, frames)
    about = f"{character.name}, {postures} postures, {iterations} iterations"
    yield from _figures("Poise", _poise_drift(work, iterations), about, LARGEST_DRIFT)
    for name in peer_names:
        for constrained in (False, True):
            label = f"{name}, {'feet as constraints' if constrained else 'weighted'}"
            peer = peers.open_peer(name, work, constrained)
            try:
                drift = _peer_drift(peer, iterations)
            except peers.InfeasibleError as error:
                for quantity in ("feet drift", "centre of mass drift"):
                    yield Figure(f"{label}: {quantity}", None, "sizes", note=f"gives up: {_first_sentence(error)}")
                continue
            yield from _figures(label, drift, peer.version, None)


def _figures(label: str, drift: Drift, note: str, bound: float | None) -> Iterator[Figure]:
    yield Figure(f"{label}: feet drift", drift.feet, "sizes", bound, note=note)
    yield Figure(f"{label}: feet turn", drift.turn, "radians", bound)
    yield Figure(f"{label}: centre of mass drift", drift.balance, "sizes", bound)
    yield Figure(f"{label}: hand to target", drift.hand, "sizes")


def _poise_drift(work: workload.Workload, iterations: int) -> Drift:
    settings = solver.SolveSettings(iterations=iterations)
    solved = solver.solve_postures(work.skeleton, work.start, work.tasks(), settings)
    state = WorldState.of(work.skeleton, solved.motion)
    feet = np.array([work.skeleton.index(foot) for foot in work.feet])
    matrices = rotations.to_matrix(state.rotations[:, feet])
    reached = [
        peers.Reached(*arrays)
        for arrays in zip(
            state.positions[:, feet],
            matrices,
            state.center_of_mass(),
            state.positions[:, work.skeleton.index(work.hand)],
            strict=True,
        )
    ]
    return _drift(work, reached)


def _peer_drift(peer: peers.Peer, iterations: int) -> Drift:
    reached = []
    for frame in range(peer.workload.frames):
        peer.solve(frame, iterations)
        reached.append(peer.reached())
    return _drift(peer.workload, reached)


def _drift(work: workload.Workload, reached: Sequence[peers.Reached]) -> Drift:
    horizontal = ["xyz".index(axis) for axis in work.skeleton.horizontal_axes]
    feet = np.array([body.foot_positions for body in reached]) - work.foot_positions
    turned = rotations.from_matrix(np.array([body.foot_rotations for body in reached]))
    balance = (np.array([body.center_of_mass for body in reached]) - work.center_of_mass)[:, horizontal]
    hand = np.array([body.hand for body in reached]) - work.hand_target
    return Drift(
        float(np.linalg.norm(feet, axis=-1).max()),
        float(rotations.angle_between(turned, work.foot_rotations).max()),
        float(np.linalg.norm(balance, axis=-1).max()),
        float(np.linalg.norm(hand, axis=-1).mean()),
    )


def _first_sentence(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:80]

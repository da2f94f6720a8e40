# SPDX-License-Identifier: GPL-3.0-or-later
"""The same work in other libraries, each used as its documentation recommends; they need the `peers` extra.

Nothing here imports a peer before it is asked to: the rest of the benchmarks runs without them.
"""

from __future__ import annotations

from ..planted_walk import WalkTargets
from ..workload import Workload
from .base import COSTS, InfeasibleError, Peer, Reached
from .walker import Walker

NAMES = ("pink", "mink", "placo")
WALKING = ("pink", "placo")
"""Those that walk; mink solves the same programs as pink."""

__all__ = ["COSTS", "NAMES", "WALKING", "InfeasibleError", "Peer", "Reached", "Walker", "open_peer", "open_walker"]


def open_peer(name: str, workload: Workload, feet_are_constraints: bool) -> Peer:
    """The library of this name, its model built and its tasks set up for a workload."""
    if name == "pink":
        from .pink_peer import PinkPeer

        return PinkPeer(workload, feet_are_constraints)
    if name == "mink":
        from .mink_peer import MinkPeer

        return MinkPeer(workload, feet_are_constraints)
    if name == "placo":
        from .placo_peer import PlacoPeer

        return PlacoPeer(workload, feet_are_constraints)
    raise ValueError(f"There is no peer called {name!r}; there are {', '.join(NAMES)}.")


def open_walker(name: str, targets: WalkTargets, feet_are_constraints: bool, to_rest: bool = False) -> Walker:
    """The library of this name, its model built and its tasks set up for a walk."""
    if name == "pink":
        from .pink_walker import PinkWalker

        return PinkWalker(targets, feet_are_constraints, to_rest)
    if name == "placo":
        from .placo_walker import PlacoWalker

        return PlacoWalker(targets, feet_are_constraints, to_rest)
    raise ValueError(f"There is no peer called {name!r} that walks; there are {', '.join(WALKING)}.")

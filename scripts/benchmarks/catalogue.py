# SPDX-License-Identifier: GPL-3.0-or-later
"""All benchmarks, in the order of the report. To add one: a module with a function that yields figures, a line here.

The first line of the function's docstring is its title; its arguments all have defaults, which tests make smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .addon_bake import addon_bake
from .batch_throughput import batch_throughput
from .bvh_reading import bvh_reading
from .cleanup import cleanup
from .coming_to_rest import coming_to_rest
from .conflict import conflict
from .conflicted_walk import conflicted_walk
from .conflicts import conflicts
from .detection import detection, detection_growth
from .enforced_walk import enforced_walk
from .figures import Figure
from .integration_and_damping import integration_and_damping
from .jumps import jumps
from .live_editing import live_editing
from .parameterization import parameterization
from .physics import physics
from .posture_drag import posture_drag
from .posture_speed import posture_speed
from .solving_again import dragging, solving_again
from .transpose import transpose
from .walk_growth import walk_growth
from .walk_memory import walk_memory

Benchmark = Callable[[], Iterator[Figure]]

BENCHMARKS: dict[str, Benchmark] = {
    "bvh_reading": bvh_reading,
    "posture_speed": posture_speed,
    "coming_to_rest": coming_to_rest,
    "conflict": conflict,
    "integration_and_damping": integration_and_damping,
    "parameterization": parameterization,
    "transpose": transpose,
    "enforced_walk": enforced_walk,
    "solving_again": solving_again,
    "dragging": dragging,
    "conflicts": conflicts,
    "conflicted_walk": conflicted_walk,
    "walk_growth": walk_growth,
    "walk_memory": walk_memory,
    "addon_bake": addon_bake,
    "live_editing": live_editing,
    "posture_drag": posture_drag,
    "cleanup": cleanup,
    "jumps": jumps,
    "detection": detection,
    "detection_growth": detection_growth,
    "physics": physics,
    "batch_throughput": batch_throughput,
}


def title(benchmark: Benchmark) -> str:
    """What the report writes above its figures."""
    return (benchmark.__doc__ or "").strip().splitlines()[0]

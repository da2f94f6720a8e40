# SPDX-License-Identifier: GPL-3.0-or-later
"""Fitting and editing by physics: time, growth with the length, how soon a cancelled solve ends, and how near it is.

Seconds are those of the process, which other processes disturb least; the time to cancel is that of the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TypeVar

from poise.examples import physics as transformations
from poise.examples import physics_sources
from poise.solver.spacetime import MISSING, Edit, Fit, fit, fitting, is_available, transform
from poise.solver.synthetic import run

from .figures import Figure

CYCLES = (1, 2, 4)
"""Lengths of the run, in cycles of two steps."""

SLOWEST_FIT, SLOWEST_EDIT = 30.0, 10.0
"""Seconds for a run of three steps and for a jump."""

LARGEST_GROWTH = 1.6
"""Largest ratio of the time for one frame of a run to that of a run half as long: 1 is linear growth. The number of
iterations grows a little with the length."""

LONGEST_CANCEL = 1.0
"""Seconds of the clock from closing a fit to its end: one iteration."""

LARGEST_DEVIATION = 0.05
"""Root mean square of a handle's distance from the source, in sizes of the character."""

LARGEST_VIOLATION = 1e-6
"""Of the equations of motion, in body weights."""

Made = TypeVar("Made")


def physics(cycles: Sequence[int] = CYCLES) -> Iterator[Figure]:
    """Physics: a run and a jump fitted and edited, growth with the length, cancelling, nearness."""
    if not is_available():
        yield Figure("fit of a run", None, "s", note=MISSING)
        return
    edits: dict[str, tuple[Callable[[], Fit], str, Callable[[Fit], Edit]]] = {
        "run": (physics_sources.fitted_run, "wide footsteps", transformations.wide_footsteps),
        "jump": (physics_sources.fitted_jump, "diagonal jump", transformations.diagonal_jump),
    }
    for kind, (make, name, edit) in edits.items():
        seconds, fitted = _timed(make)
        note = (
            f"{fitted.source.frames} frames at {fitted.source.fps:g} a second, {len(fitted.problem.character)} values"
        )
        yield Figure(f"fit of a {kind}", seconds, "s", SLOWEST_FIT, note=note)
        worst = max(each.rms for each in fitted.handles if each.handle.is_length)
        yield Figure(f"fit of a {kind}: handles, root mean square", worst, "sizes", LARGEST_DEVIATION)
        yield Figure(f"fit of a {kind}: residual", fitted.optimum.violation, "body weights", LARGEST_VIOLATION)
        seconds, done = _timed(lambda fitted=fitted, edit=edit: transform(fitted, edit(fitted)))  # type: ignore[misc]
        note = f"{name}, {done.optimum.iterations} iterations"
        yield Figure(f"edit of a {kind}", seconds, "s", SLOWEST_EDIT, note=note)
        yield Figure(f"edit of a {kind}: residual", done.optimum.violation, "body weights", LARGEST_VIOLATION)
    yield Figure("cancelling a fit", _cancelling(), "s", LONGEST_CANCEL, note="by the clock")
    yield from _growth(cycles)


def _growth(cycles: Sequence[int]) -> Iterator[Figure]:
    """The time of one stage of the fit for a frame, by the length of the run."""
    settings = replace(physics_sources.PATIENT, stages=physics_sources.PATIENT.stages[:1])
    times = {}
    for count in cycles:
        motion = run(steps=2 * count, fps=physics_sources.RATE)
        clip, plants = physics_sources.planted(motion)
        seconds, fitted = _timed(partial(fit, clip, plants, "biped", settings))
        times[count] = seconds / motion.clip.frames
        note = f"{motion.clip.frames} frames, {fitted.optimum.iterations} iterations, first stage"
        yield Figure(f"fit of {count} cycles", 1e3 * times[count], "ms / frame", note=note)
    for shorter, longer in pairwise(cycles):
        ratio = times[longer] / times[shorter]
        yield Figure(f"time for a frame: {longer} cycles : {shorter}", ratio, "ratio", LARGEST_GROWTH)


def _cancelling() -> float:
    """Seconds from closing a fit in the middle of a solve to its end."""
    steps = fitting(*physics_sources.planted(run(steps=3, fps=physics_sources.RATE)), "biped")
    for progress in steps:
        if progress.iteration is not None and progress.iteration.number >= 3:
            break
    begin = time.perf_counter()
    steps.close()
    return time.perf_counter() - begin


def _timed(make: Callable[[], Made]) -> tuple[float, Made]:
    """The seconds of the process that a call takes, and its result."""
    begin = time.process_time()
    made = make()
    return time.process_time() - begin, made

# SPDX-License-Identifier: GPL-3.0-or-later
"""The transformations of Popović 1999, chapter 6, as edits of a fitted run or jump of any character.

Lengths are shares of the character's size, so that one edit fits characters in centimetres and in metres. The weight of
staying near the fitted motion is that at which the fit ended: with a tenth of it, arms and trunk swing wildly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..solver.core.arrays import Array
from ..solver.core.errors import ConstraintError
from ..solver.spacetime import Edit, Fit, FootprintEdit, LimbEdit, LockedJoint, Obstacle, Stance

MOON, NEPTUNE = 0.165, 10.0
"""Gravity as a multiple of the earth's; the second one is what the document calls Neptune's."""

LEFT, RIGHT = "left foot", "right foot"
"""The contacts of the biped."""


def stances_of(fit: Fit, contact: str) -> list[int]:
    """The indices of the stances of a contact, such as "left foot", in the order of time."""
    found = [index for index, stance in enumerate(fit.stances) if stance.contact == contact]
    if not found:
        names = sorted({stance.contact for stance in fit.stances})
        raise ConstraintError(f"The fit has no stance of the {contact}; it has stances of {', '.join(names)}.")
    return found


def stances_at(fit: Fit, seconds: float) -> list[int]:
    """The indices of the stances in which the ground may push at a time of the source."""
    return [index for index, stance in enumerate(fit.stances) if stance.touch <= seconds <= stance.release]


def flights(stances: Sequence[Stance]) -> list[tuple[float, float]]:
    """The begin and the end of each time between the first and the last stance in which no ground pushes."""
    found = []
    ordered = sorted(stances, key=lambda stance: stance.touch)
    until = ordered[0].release if ordered else 0.0
    for stance in ordered[1:]:
        if stance.touch > until:
            found.append((until, stance.touch))
        until = max(until, stance.release)
    return found


def longest_flight(stances: Sequence[Stance]) -> tuple[float, float]:
    """The begin and the end of the longest flight."""
    found = flights(stances)
    if not found:
        raise ConstraintError("The motion has no flight: at every time some ground pushes.")
    return max(found, key=lambda flight: flight[1] - flight[0])


def landing(fit: Fit) -> list[int]:
    """The indices of the stances after the longest flight: of a jump, where it lands and stands up."""
    _, end = longest_flight(fit.stances)
    return [index for index, stance in enumerate(fit.stances) if stance.touch >= end]


def moon_run(fit: Fit, gravity: float = MOON, flight: float = 4.0) -> Edit:
    """Gravity of the moon and more time in the air (section 6.4.6)."""
    return Edit(gravity=gravity, flight=flight, deviation=fit.deviation)


def wide_footsteps(fit: Fit, outward: float = 0.13) -> Edit:
    """Footprints farther from the middle of the path (section 6.4.4)."""
    return Edit(footprints=_sideways(fit, outward), deviation=fit.deviation)


def crossed_footsteps(fit: Fit, inward: float = 0.2, friction: float = 0.05) -> Edit:
    """Footprints on the other side of the path, on a slippery floor (section 6.4.5)."""
    return Edit(footprints=_sideways(fit, -inward), objectives={"friction": friction}, deviation=fit.deviation)


def heavy_run(fit: Fit, gravity: float = NEPTUNE, flight: float = 0.3) -> Edit:
    """A multiple of the earth's gravity, with hardly any flight (section 6.4.7)."""
    return Edit(gravity=gravity, flight=flight, deviation=fit.deviation)


def limp(fit: Fit, knee: float = 10.0, shorter: float = 0.03, longer: float = 0.03) -> Edit:
    """The left knee in a cast, nearly straight; left stances are shorter and right ones longer (section 6.4.8).

    `knee` is in degrees, the others in seconds, by which a stance ends earlier or later.
    """
    return Edit(
        locked=(LockedJoint("left_knee", (knee,)),),
        deviation=fit.deviation,
        footprints=tuple(
            FootprintEdit(index, later_release=later)
            for contact, later in ((LEFT, -shorter), (RIGHT, longer))
            for index in stances_of(fit, contact)
            if fit.stances[index].release < fit.motion.duration  # the clip cuts others
        ),
    )


def short_leg(fit: Fit, length: float = 0.85, knee: float = 10.0) -> Edit:
    """The limp with a shorter right shin (section 6.4.9)."""
    return replace(limp(fit, knee), limbs=(LimbEdit("right_knee", length),))


def twist_jump(fit: Fit, turn: float = np.pi / 2.0) -> Edit:
    """The body has turned at the end, radians to the left (section 6.5.3)."""
    return Edit(turn=turn, deviation=fit.deviation)


def diagonal_jump(fit: Fit, sideways: float = 0.5) -> Edit:
    """The landing lies farther to the left, while the body faces as before (section 6.5.4)."""
    shift = _vector(sideways * fit.units.length * _left(fit))
    footprints = tuple(FootprintEdit(index, shift) for index in landing(fit))
    return Edit(footprints=footprints, keep_heading=True, deviation=fit.deviation)


def obstacle_jump(fit: Fit, raised: float = 0.25, height: float = 0.35, radius: float = 0.3) -> Edit:
    """The landing is raised, and an obstacle stands half-way (section 6.5.5)."""
    size, up = fit.units.length, fit.problem.character.up
    places = landing(fit)
    before = max((stance for index, stance in enumerate(fit.stances) if index not in places), key=lambda s: s.release)
    middle = (before.place + fit.stances[places[0]].place) / 2.0
    return Edit(
        footprints=tuple(FootprintEdit(index, _vector(raised * size * up)) for index in places),
        obstacles=(Obstacle(_vector(middle), height * size, radius * size),),
        deviation=fit.deviation,
    )


def unbalanced_landing(fit: Fit) -> Edit:
    """The last pose is not held (section 6.5.6): a hopper tumbles forward, a jumper, which has knees, stays crouched.

    With a smaller weight of staying near, bodies that land far behind their feet fall onto their backs.
    """
    return Edit(free_end=True, deviation=fit.deviation)


RUNS: Mapping[str, Callable[[Fit], Edit]] = {
    "moon run": moon_run,
    "wide footsteps": wide_footsteps,
    "crossed footsteps": crossed_footsteps,
    "heavy run": heavy_run,
    "limp": limp,
    "short leg": short_leg,
}
JUMPS: Mapping[str, Callable[[Fit], Edit]] = {
    "twist jump": twist_jump,
    "diagonal jump": diagonal_jump,
    "obstacle jump": obstacle_jump,
    "unbalanced landing": unbalanced_landing,
}
"""All transformations by name: of a run with the recipe "biped", of a jump with the recipe "jumper" or "hopper"."""


def _left(fit: Fit) -> Array:
    """(3,) the left side of the character's path, horizontal, of length 1."""
    up = fit.problem.character.up
    places = fit.motion.center_of_mass(np.array([0.0, fit.motion.duration]))
    along = places[1] - places[0]
    along = along - up * float(along @ up)
    return np.asarray(np.cross(up, along) / np.linalg.norm(along))


def _sideways(fit: Fit, outward: float) -> tuple[FootprintEdit, ...]:
    """All footprints moved away from the middle of the path."""
    out = outward * fit.units.length * _left(fit)
    return tuple(
        FootprintEdit(index, _vector(sign * out))
        for contact, sign in ((LEFT, 1.0), (RIGHT, -1.0))
        for index in stances_of(fit, contact)
    )


def _vector(values: Array) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z

# SPDX-License-Identifier: GPL-3.0-or-later
"""From a motion, and a few examples, to the constraints that it satisfies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..body.clip import Clip
from ..core.errors import ConstraintError
from ..core.numbers import is_number
from .displacements import Body, global_displacements, local_displacements, track
from .instantaneous import instantaneous
from .kinds import KINDS, Detected, Kind, Template
from .merging import Connection, merged
from .noise import Method, noise_pattern
from .sigma_epsilon import sigma_epsilon

DISPLACEMENTS_A_SECOND = 30.0
"""Displacements span as many frames as there are in this part of a second. In a faster capture the way from one frame
to the next is shorter, but not the noise; the documents' motions have 25 frames a second."""

LEAST_FRAMES = 3
"""No constraint that is kept is shorter."""


@dataclass(frozen=True)
class DetectionSettings:
    """What a user may ask for. Times are in seconds, lengths in sizes of the character, so that they suit any clip."""

    kinds: tuple[Kind, ...] | None = None
    """What to look for; None: what the templates show, and all kinds where there are no templates."""
    shortest: float = 0.1
    """What lasts less is not kept."""
    bridged: float = 0.2
    """What interrupts a constraint for less is passed over, if it goes on in the very same place."""
    reach: float = 0.1
    """What goes on further away than this is another constraint."""
    angle: float = float(np.deg2rad(5.0))
    """Radians up to which two lines are parallel."""
    distance: float = 0.03
    """How far apart lines and points may be to meet."""
    method: Method = "lmeds"
    """How templates are read: without their outliers, or as they are."""
    formulation: Literal["local", "global"] = "local"
    """Displacements in the body's own frame, or in the world, for a comparison."""

    def __post_init__(self) -> None:
        for name in ("shortest", "bridged", "reach", "angle", "distance"):
            value = getattr(self, name)
            if not is_number(value) or value < 0.0:
                raise ConstraintError(
                    f"The setting {name} of a detection must be a finite number that is not negative, not {value!r}."
                )
        if self.method not in ("lmeds", "naive"):
            raise ConstraintError(f"There is no method {self.method!r}: it is 'lmeds' or 'naive'.")
        if self.formulation not in ("local", "global"):
            raise ConstraintError(f"There is no formulation {self.formulation!r}: it is 'local' or 'global'.")
        for kind in self.kinds or ():
            if kind not in KINDS:
                raise ConstraintError(f"There is no kind of constraint {kind!r}: it is 'space', 'line' or 'point'.")

    def connection(self, clip: Clip) -> Connection:
        """The same in frames and in the clip's own units."""
        size = clip.skeleton.size
        return Connection(
            most_frames=round(self.bridged * clip.fps),
            reach=self.reach * size,
            angle=self.angle,
            distance=self.distance * size,
            shortest=max(LEAST_FRAMES, round(self.shortest * clip.fps)),
        )


def stride_of(clip: Clip) -> int:
    """How many frames a displacement spans."""
    return max(1, round(clip.fps / DISPLACEMENTS_A_SECOND))


def detect(
    clip: Clip,
    joint: Body,
    templates: Sequence[Template] = (),
    reference: Body | None = None,
    settings: DetectionSettings | None = None,
) -> list[Detected]:
    """The constraints that a joint satisfies, in the order in which they begin.

    `joint` is a joint, a point on one or an object of its own. `templates` are examples of what is looked for: they
    show how noisy the motion is, each for its own part of it. Without any, only rounding counts as noise. With a
    `reference` (a joint or an object) it is found what is constrained in the reference's frame.
    """
    settings = settings or DetectionSettings()
    stride = stride_of(clip)
    for template in _checked(templates):
        template.check(clip.frames, stride)
    body = track(clip, joint, reference)
    if clip.frames <= stride:
        return []
    is_local = settings.formulation == "local"
    points = sigma_epsilon((local_displacements if is_local else global_displacements)(body, stride))
    lines = points.lines(body) if is_local else (points.particular, points.axis)
    pattern = noise_pattern(body, points, templates, clip.skeleton.size, settings.method)
    times = np.arange(len(points)) + 0.5 * stride
    kinds = settings.kinds if settings.kinds is not None else _kinds_of(templates)
    return merged(
        body,
        instantaneous(points, pattern.thresholds(len(points), stride)),
        lines,
        points.sigma,
        (pattern.drift.at(times), pattern.twist.at(times)),
        stride,
        kinds,
        settings.connection(clip),
    )


def _checked(templates: Sequence[Template]) -> Sequence[Template]:
    """The templates, or the error that says what was given instead."""
    given = [templates] if isinstance(templates, Template) or not isinstance(templates, Sequence) else templates
    for template in given:
        if given is not templates or not isinstance(template, Template):
            raise ConstraintError(f"Detection takes a list of templates, each made by Template, not {template!r}.")
    return templates


def _kinds_of(templates: Sequence[Template]) -> tuple[Kind, ...]:
    shown = {template.kind for template in templates}
    return tuple(kind for kind in KINDS if kind in shown) if shown else KINDS

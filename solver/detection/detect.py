# SPDX-License-Identifier: GPL-3.0-or-later
"""The constraints that a body satisfies, found from templates (Le Callennec 2006, chapter 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..body.clip import Clip
from ..core.arrays import Array
from ..core.errors import ConstraintError
from .detected import Detected
from .displacements import TrackedBody, global_displacements, local_displacements, stride_of, track
from .instantaneous import instantaneous
from .merge_criteria import MergeCriteria
from .merging import merged
from .noise import NoisePattern, noise_pattern
from .settings import KINDS, DetectionSettings, Kind
from .sigma_epsilon import SigmaEpsilon, sigma_epsilon
from .templates import Template

SHORTEST_CONSTRAINT = 3
"""Frames of the shortest constraint, whatever the settings: two displacements."""


Measure = Literal["rotation", "translation", "slip"]
"""What a noise signal measures of each displacement: its rotation, how far it moves the body's origin, or how far it
moves the body along its own axis of rotation."""


@dataclass(frozen=True, eq=False)
class NoiseSignal:
    """One measure of a body's displacements over time, and the threshold up to which it counts as zero.

    Rotation and translation decide where the body is at rest, slip where it rotates about a line or a point.
    """

    measure: Measure
    times: Array
    """(n,) in frames: a displacement is in the middle of the frames that it spans."""
    values: Array
    """(n,) radians for a rotation, else the clip's units."""
    thresholds: Array
    """(n,) learnt from the templates: constant within each of them, a smooth curve in between."""


@dataclass(frozen=True, eq=False)
class Examination:
    """The constraints that a body satisfies, and the signals that they were found in."""

    found: list[Detected]
    """In the order in which they begin."""
    signals: tuple[NoiseSignal, ...]
    """Those with a threshold: of the kinds of the templates, or of all kinds where there are none."""


def detect(
    clip: Clip,
    joint: TrackedBody,
    templates: Sequence[Template] = (),
    reference: TrackedBody | None = None,
    settings: DetectionSettings | None = None,
) -> list[Detected]:
    """The constraints that a body satisfies, in the order in which they begin.

    `joint` is a joint, a point on one or a moving object. `templates` are examples of the constraints to be found: each
    shows how noisy its part of the motion is. Without templates only rounding counts as noise. With a `reference` (a
    joint or an object) constraints are found in the reference's frame.
    """
    return examine(clip, joint, templates, reference, settings).found


def examine(
    clip: Clip,
    joint: TrackedBody,
    templates: Sequence[Template] = (),
    reference: TrackedBody | None = None,
    settings: DetectionSettings | None = None,
) -> Examination:
    """As `detect`, with the signals and thresholds that decided, to be shown."""
    settings = settings or DetectionSettings()
    stride = stride_of(clip, settings.displacement_rate)
    for template in _checked(templates):
        template.check(clip.frames, stride)
    body = track(clip, joint, reference)
    if clip.frames <= stride:
        return Examination([], ())
    is_local = settings.formulation == "local"
    points = sigma_epsilon((local_displacements if is_local else global_displacements)(body, stride))
    lines = points.lines(body) if is_local else (points.nearest_point, points.axis)
    pattern = noise_pattern(body, points, templates, clip.skeleton.size, settings)
    times = np.arange(len(points)) + 0.5 * stride
    kinds = settings.kinds if settings.kinds is not None else _kinds_of(templates)
    found = merged(
        body,
        instantaneous(points, pattern.thresholds(len(points), stride)),
        lines,
        points.sigma,
        (pattern.drift.at(times), pattern.tilt.at(times)),
        stride,
        kinds,
        merge_criteria_of(clip, settings),
    )
    return Examination(found, _signals(points, pattern, times))


def _signals(points: SigmaEpsilon, pattern: NoisePattern, times: Array) -> tuple[NoiseSignal, ...]:
    """The measures of displacements that have a threshold."""
    signals = (
        NoiseSignal("rotation", times, points.sigma, pattern.sigma.at(times)),
        NoiseSignal("translation", times, points.space_residual, pattern.space_residual.at(times)),
        NoiseSignal("slip", times, points.line_residual, pattern.line_residual.at(times)),
    )
    return tuple(signal for signal in signals if (signal.thresholds >= 0.0).all())


def merge_criteria_of(clip: Clip, settings: DetectionSettings) -> MergeCriteria:
    """The settings that decide which constraints are merged, in frames and in the clip's units."""
    size = clip.skeleton.size
    return MergeCriteria(
        most_frames=round(settings.bridged * clip.fps),
        merge_distance=settings.reach * size,
        angle=settings.angle,
        distance=settings.distance * size,
        shortest=max(SHORTEST_CONSTRAINT, round(settings.shortest * clip.fps)),
        point_evidence=settings.point_evidence,
        refit_growth=settings.refit_growth,
    )


def _checked(templates: Sequence[Template]) -> Sequence[Template]:
    """The templates; raises where something else was given."""
    given = [templates] if isinstance(templates, Template) or not isinstance(templates, Sequence) else templates
    for template in given:
        if given is not templates or not isinstance(template, Template):
            raise ConstraintError(f"Detection takes a list of templates, each made by Template, not {template!r}.")
    return templates


def _kinds_of(templates: Sequence[Template]) -> tuple[Kind, ...]:
    """The kinds of the templates, or all kinds where there are none."""
    shown = {template.kind for template in templates}
    return tuple(kind for kind in KINDS if kind in shown) if shown else KINDS

# SPDX-License-Identifier: GPL-3.0-or-later
"""The thresholds of detection: what each one is, its unit, and the motions that its value was chosen on.

Times are in seconds and lengths in sizes of the character (`Skeleton.size`), so that one value suits any clip. A share
is a number from 0 to 1, a ratio any positive number.

`chosen_on(settings_class, field)` names the labelled captures (tests/labels) and the made-up motions on which a value
was chosen; all other labelled captures are held out. `scripts/evaluate_detection.py` compares changed values with the
present ones on both. Tolerances of the numerics (rounding, rounds of an iteration, statistical factors that are
derived) are constants of the modules that use them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

import numpy as np

from ..core.errors import ConstraintError
from ..core.numbers import is_number

Kind = Literal["space", "line", "point"]
"""A constraint on a body: it does not move at all, it rotates about a fixed line, or about a fixed point."""

KINDS: tuple[Kind, ...] = get_args(Kind)

SlideKind = Literal["line", "plane"]
"""A point that moves along a fixed line, or within a fixed plane."""

SLIDE_KINDS: tuple[SlideKind, ...] = get_args(SlideKind)

NoiseMethod = Literal["lmeds", "naive"]
"""How a threshold is read from a template: its largest value without outliers (least median of squares), or of all."""

Formulation = Literal["local", "global"]
"""Displacements in the body's own frame, or in the world."""

GAITS, SKATING_WALKS, CARTWHEELS = "made-up gaits", "made-up walks that skate", "made-up cartwheels"
OBJECTS, SLIDES = "made-up objects", "made-up slides"
FORCE_PLATES = "walks, runs and drop jumps over force plates"
"""Public recordings with measured forces, which are not here: Rajagopal's walk and Hamner's run of opensim-models; five
walks and three drop jumps of one subject of nimblephysics."""
WALK, RUN, TURN, KARATE, CARTWHEEL = "02_01", "09_01", "16_17", "135_04", "49_06"


def _chosen(default: float, *motions: str) -> Any:
    """A dataclass field with a default value that was chosen on these motions; without any, it was not tuned."""
    return field(default=default, metadata={"chosen_on": motions})


def chosen_on(settings: type[Any], name: str) -> tuple[str, ...]:
    """The names of the motions on which the default of a field was chosen; () where it was not tuned on any.

    Captures are named as in tests/labels, for example "02_01".
    """
    for each in fields(settings):
        if each.name == name:
            return tuple(each.metadata.get("chosen_on", ()))
    raise ConstraintError(f"{settings.__name__} has no field {name!r}.")


def _check_numbers(settings: Any, *positive: str) -> None:
    """Raise where a numeric field of a settings dataclass is not a finite number that is at least zero, or where one of
    the fields that are named `positive`, by which detection divides, is zero."""
    for each in fields(settings):
        if each.type not in ("float", "int"):
            continue
        value = getattr(settings, each.name)
        if not is_number(value) or value < 0.0:
            raise ConstraintError(
                f"The setting {each.name} of a detection must be a finite number that is not negative, not {value!r}."
            )
        if each.name in positive and value == 0.0:
            raise ConstraintError(f"The setting {each.name} of a detection must be larger than zero.")


@dataclass(frozen=True)
class DetectionSettings:
    """Settings of `detect`, which finds constraints of one body from templates."""

    kinds: tuple[Kind, ...] | None = None
    """Kinds to look for; None: those of the templates, and all kinds where there are no templates."""
    shortest: float = _chosen(0.1)
    """Seconds: shorter constraints are dropped. Not tuned."""
    bridged: float = _chosen(0.2)
    """Seconds: an interruption shorter than this is bridged if the constraint goes on in the same place. Not tuned."""
    reach: float = _chosen(0.1)
    """Sizes: constraints whose places are further apart than this are never merged. Not tuned."""
    angle: float = _chosen(float(np.deg2rad(5.0)))
    """Radians: lines up to this angle apart are parallel. Not tuned."""
    distance: float = _chosen(0.03)
    """Sizes: lines and points up to this far apart intersect. Not tuned."""
    method: NoiseMethod = "lmeds"
    """How thresholds are read from templates."""
    formulation: Formulation = "local"
    """The frame of the displacements; "global" is for comparison only."""
    displacement_rate: float = _chosen(30.0)
    """Hertz: a displacement spans as many frames as there are in one period of this rate. In a faster capture the
    motion from one frame to the next is smaller, but the noise is not. Not tuned: the motions of Le Callennec 2006 have
    25 frames a second."""
    rounding_turn: float = _chosen(1e-6)
    """Radians by which a displacement may rotate and always counts as at rest: rounding in motion without noise. Not
    tuned."""
    rounding_distance: float = _chosen(1e-6)
    """Sizes: the same for distances. Not tuned."""
    noise_excess: float = _chosen(4.0, OBJECTS)
    """Ratio: how many times less often values like those of a template exceed the threshold than they exceed the
    largest value of the template. Each value above the threshold cuts a constraint in two."""
    point_evidence: float = _chosen(4.0, OBJECTS)
    """Ratio: a point constraint must last this many times as long as `shortest`. A few frames of any motion are, up to
    noise, a rotation about some point."""
    refit_growth: float = _chosen(1.25)
    """Ratio: a segment is fitted again when it has grown this many times longer since its last fit. Not tuned: it
    limits the number of fits, so that their cost grows linearly with the frames."""

    def __post_init__(self) -> None:
        _check_numbers(self, "displacement_rate", "noise_excess")
        if self.method not in get_args(NoiseMethod):
            raise ConstraintError(f"There is no method {self.method!r}: it is 'lmeds' or 'naive'.")
        if self.formulation not in get_args(Formulation):
            raise ConstraintError(f"There is no formulation {self.formulation!r}: it is 'local' or 'global'.")
        for kind in self.kinds or ():
            if kind not in KINDS:
                raise ConstraintError(f"There is no kind of constraint {kind!r}: it is 'space', 'line' or 'point'.")


@dataclass(frozen=True)
class RestSettings:
    """Settings of `detect_stays`, and of the rest intervals of heels, balls and wrists: when a point is at rest.

    "Local maximum" is the largest speed within `speed_window` of a frame. Speeds are in sizes of the character a
    second.
    """

    displacement_rate: float = _chosen(30.0)
    """Hertz: speeds are taken over as many frames as there are in one period of this rate. Not tuned: it is the same
    as in `DetectionSettings`."""
    speed_window: float = _chosen(0.75, GAITS, WALK, RUN, TURN)
    """Seconds before and after a frame over which the local maximum of the speed is taken: half a cycle of a slow walk,
    within which a foot at rest also swings."""
    slow_share: float = _chosen(0.15, GAITS, WALK, RUN, TURN)
    """Share of the local maximum up to which a point is slow. Captured feet at rest move with 0.02 of it, in a run with
    0.05. Noise is learnt from slow intervals."""
    rest_share: float = _chosen(0.085, WALK, RUN)
    """Share of the local maximum up to which a point is at rest: feet that strike, and that leave, have 0.06 to 0.1."""
    roll_share: float = _chosen(0.1, SKATING_WALKS, WALK, RUN, TURN)
    """Share of the local maximum up to which a heel before its rest, or a ball after it, is rolled over."""
    roll_ratio: float = _chosen(2.0, SKATING_WALKS, WALK, RUN, TURN)
    """Ratio: a heel, or a ball, that is rolled over is at most this many times as fast as one at rest."""
    least_rest_speed: float = _chosen(0.12, GAITS, WALK, RUN, TURN)
    """Sizes a second: speeds up to this are rest in any clip, with the sway and the noise of a capture."""
    largest_rest_speed: float = _chosen(0.25, KARATE)
    """Sizes a second: the rest speed of a clip is never larger. People shift their feet between kicks and leaps."""
    fast_share: float = _chosen(0.05, KARATE)
    """Share of the frames of a clip in which a point is fastest; the slowest of them has the clip's fast speed."""
    rest_share_of_fast: float = _chosen(0.05, KARATE)
    """Share of the clip's fast speed that is its rest speed, between the least and the largest one: a clip in slow
    motion also rests more slowly."""
    moving_ratio: float = _chosen(4.0, KARATE)
    """Ratio: a point moves where it is faster than this many times the rest speed of the clip."""
    peak_ratio: float = _chosen(2.0, KARATE)
    """Ratio: for `rest_share` and `roll_share` the local maximum counts up to this many times the median speed of the
    moving frames, so that a single kick does not make a foot that skims the floor look slow."""
    noise_margin: float = _chosen(1.2, SKATING_WALKS, WALK, RUN, TURN)
    """Ratio of the speed that is allowed at rest to the noise of an interval, for its ends are faster than its middle.
    With 2 and more, heels are released two frames too late, at 30 frames a second."""
    noise_floor: float = _chosen(0.005, GAITS)
    """Sizes a second: slower points are at rest even where the motion has no noise at all."""
    noise_sample: float = _chosen(0.6, GAITS, WALK, RUN, TURN)
    """Seconds of a slow interval that give one sample of its noise: as long as a foot rests in a walk, so that fewer
    than half of its frames are where it arrives and leaves."""
    reversal_share: float = _chosen(0.6, GAITS, WALK, RUN, TURN)
    """Share of the slow speed: a slow interval whose median speed is larger is a reversal, not a rest. Feet at rest
    have 0.05 to 0.5, in walks and in runs."""
    arrival_time: float = _chosen(0.07, SKATING_WALKS, WALK, RUN, TURN)
    """Seconds: a rest begins, and ends, within the distance that the allowed speed covers in this time from the place
    of the rest."""
    bridged: float = _chosen(0.1, GAITS, WALK, RUN, TURN)
    """Seconds for which outlying frames may interrupt a rest."""
    reach: float = _chosen(0.05, GAITS, WALK, RUN, TURN)
    """Sizes between the places of two rests up to which they may be merged."""
    shortest: float = _chosen(0.07)
    """Seconds: shorter rests are dropped. Not tuned: the shortest contact of a sprint is 0.08."""
    certain_ratio: float = _chosen(2.0)
    """Ratio: a rest that lasts this many times `shortest` has the confidence of its speeds, a shorter one less. Not
    tuned: it changes confidences only."""
    largest_deviation: float = _chosen(0.08, GAITS, WALK, RUN, TURN)
    """Sizes: where the median distance from the mean place is larger, a slow point drifts and is not at rest."""
    outlier_jump: float = _chosen(0.1, WALK, RUN)
    """Sizes by which a single frame lies off the mean of its neighbours to be an outlier. Feet that strike are off by
    half of that, at 30 frames a second."""
    median_width: int = _chosen(5)
    """Displacements, an odd number, of the running median of speeds. Not tuned: one outlying frame changes two
    displacements, and a median over five withstands two."""
    onset_before: float = _chosen(0.15, SKATING_WALKS)
    """Seconds of rest before a departure to which a constant speed is fitted: earlier the point may slide in another
    direction."""
    onset_after: float = _chosen(0.15, SKATING_WALKS)
    """Seconds after a departure to which a rising speed is fitted: later it no longer rises evenly."""
    onset_search: float = _chosen(0.1, SKATING_WALKS)
    """Seconds by which a departure may be earlier or later than by its threshold."""
    apex_window: float = _chosen(0.3, CARTWHEELS, CARTWHEEL)
    """Seconds before and after an interval within which a point at the apex of a hop is lower. Feet are held to it
    since 85_05, with the same value."""
    apex_height: float = _chosen(0.04, CARTWHEELS, CARTWHEEL)
    """Sizes by which it is lower there."""

    def __post_init__(self) -> None:
        _check_numbers(self, "displacement_rate", "noise_sample", "noise_floor", "certain_ratio")
        if self.fast_share > 1.0:
            raise ConstraintError(f"The setting fast_share of a detection must be at most 1, not {self.fast_share!r}.")
        if not isinstance(self.median_width, int) or self.median_width % 2 == 0:
            raise ConstraintError(
                f"The setting median_width of a detection must be an odd whole number, not {self.median_width!r}."
            )


@dataclass(frozen=True)
class FootplantSettings:
    """Settings of `detect_footplants`."""

    rest: RestSettings = RestSettings()
    """When heels and balls are at rest."""
    hover_height: float = _chosen(0.08, GAITS, WALK, RUN, TURN)
    """Sizes by which a foot is above another one at rest to hover instead of standing, and by which hips must be above
    a foot that supports the body."""
    lift_height: float = _chosen(0.02, SKATING_WALKS, WALK, RUN, TURN)
    """Sizes above its place at rest from which on a heel, or a ball, is lifted while the other part of the foot rests:
    captured heels rise and sink as far within one plant."""
    heel_rise: float = _chosen(0.04, GAITS, WALK, RUN, TURN)
    """Sizes above the height of a flat foot from which on a heel at rest is raised, as runners hold it. It is a slope
    of 11 degrees: downhill on steeper ones, heels are not found to rest."""
    covered_share: float = _chosen(0.95, GAITS, WALK, RUN, TURN)
    """Share of its frames during which a lower foot rests, for a foot to hover. On stairs the higher foot supports the
    body alone sooner or later."""
    hover_time: float = _chosen(0.25, GAITS, WALK, RUN, TURN)
    """Seconds: a foot at the apex of a jump seems to rest for less."""
    hover_window: float = _chosen(0.6, GAITS, WALK, RUN, TURN)
    """Seconds before and after a short plant within which the neighbouring plants are lower, for it to hover."""
    contact_reach: float = _chosen(0.025, FORCE_PLATES)
    """Sizes from its place within which a heel, or a ball, touches the ground as it arrives, and by which the ball has
    risen when the toes leave it. At 0.02 and at 0.03 the events of the recordings are as near in the median."""

    def __post_init__(self) -> None:
        _check_numbers(self)


@dataclass(frozen=True)
class HandplantSettings:
    """Settings of `detect_handplants`."""

    rest: RestSettings = RestSettings()
    """When wrists are at rest."""
    footplants: FootplantSettings = FootplantSettings()
    """For the footplants, where they are not given."""
    slow_share: float = _chosen(0.25, CARTWHEELS, CARTWHEEL)
    """Share of the local maximum of its speed up to which a hand may support the body while no foot does. Hands in a
    cartwheel had 0.1 to 0.22 of it, and twice as much before and after."""
    hips_above: float = _chosen(0.4, CARTWHEELS, CARTWHEEL)
    """Sizes by which hips are above a hand that supports the body alone: less than two thirds of an arm."""
    floor_height: float = _chosen(0.15)
    """Sizes above the lowest foot at rest up to which the wrist of a hand at rest is on the floor. Not tuned: one and a
    half widths of a hand."""

    def __post_init__(self) -> None:
        _check_numbers(self)


@dataclass(frozen=True)
class SlidingSettings:
    """Settings of `detect_sliding`. Values were chosen on made-up slides and free motions; no capture holds slides."""

    shortest: float = _chosen(0.5, SLIDES)
    """Seconds for which a point must move at least: less of any smooth curve is as good as straight."""
    extent: float = _chosen(0.15, SLIDES)
    """Sizes that a point must slide along a line at least."""
    breadth: float = _chosen(0.1, SLIDES)
    """Sizes that it must slide on a plane at least, in the direction of its second largest extent."""
    straight: float = _chosen(0.02, SLIDES)
    """Share of the spread along a line by which its path may bend. A hand that swings freely bends by 0.03 and more."""
    flat: float = _chosen(0.03, SLIDES)
    """Share of the second largest spread on a plane by which its path may bend."""
    tolerance: float = _chosen(0.0015, SLIDES)
    """Sizes from a line or a plane up to which a place is on it even where the motion has no noise at all."""
    bridged: float = _chosen(0.2, SLIDES)
    """Seconds for which frames off the line or the plane may interrupt a slide."""
    pause: float = _chosen(0.5, SLIDES)
    """Seconds for which a point may rest within one slide."""
    least_moving_frames: int = _chosen(4)
    """Frames in which a point must move. Not tuned: fewer do not show their noise."""
    noise_ratio: float = _chosen(1.5, SLIDES)
    """Ratio: the noise of a stretch may be this many times its estimate."""
    looser_ratio: float = _chosen(4.0, SLIDES)
    """Ratio of the tolerance with which the growth of a stretch is measured to that with which it was found."""
    largest_growth: float = _chosen(0.25, SLIDES)
    """Share of its path by which a slide grows with the looser tolerance at the most. An arc grows to twice its length,
    an inflexion by half, whatever the noise and the size."""
    outlier_share: float = _chosen(0.3, SLIDES)
    """Share of the frames that are added with the looser tolerance which may be off the line or the plane: with fewer
    the slide itself goes on after a few outliers."""
    inlier_deviations: float = _chosen(3.5)
    """Standard deviations of noise on one axis up to which a frame is on the line or the plane. Not tuned."""
    line_preference: float = _chosen(1.3, SLIDES)
    """Ratio: a plane must last this many times as long as a line in it to be taken instead."""
    overlap_share: float = _chosen(0.5, SLIDES)
    """Share of its frames that a stretch may have in common with slides that are already found."""
    half_breadth_share: float = _chosen(0.5, SLIDES)
    """Share of `breadth` that each half of the frames on a plane must have: a line with a turn at its end is no
    plane."""
    conic_ratio: float = _chosen(3.0, SLIDES)
    """Ratio: the path on a plane must lie this many times as far from any conic as from the plane."""
    plane_turning: float = _chosen(3.0 * np.pi, SLIDES)
    """Radians by which a path on a plane changes its direction in all: one that bends to and fro a little lies in some
    plane anyway."""
    search_margin: float = _chosen(1.0, SLIDES)
    """Seconds before and after a slide in which further frames on its line or its plane are looked for, repeatedly."""
    outlier_deviations: float = _chosen(6.0, SLIDES)
    """Standard deviations of noise on one axis by which a single frame lies off the prediction of its neighbours to be
    an outlier."""
    least_jump: float = _chosen(0.01, SLIDES)
    """Sizes by which it lies off at least: where a smooth motion changes its direction, frames are off by less."""
    least_speed: float = _chosen(0.05, SLIDES)
    """Sizes a second: slower points are at rest."""
    rest_deviations: float = _chosen(5.7)
    """Standard deviations of noise on one axis that two places at rest may be apart. Not tuned: 4 times 2^½, within
    which 999 of 1000 are."""
    half_step: float = _chosen(0.05, SLIDES)
    """Seconds before and after a frame between which its displacement is measured."""
    place_deviations: float = _chosen(4.0)
    """Standard deviations of noise on one axis within which a point is at its place of rest. Not tuned: as
    `rest_deviations`, of one place."""
    same_place: float = _chosen(1e-4)
    """Sizes within which a point is at its place of rest where there is no noise. Not tuned: less than can be seen."""
    bend_errors: float = _chosen(2.0)
    """Standard errors that are added to a bend: it may be larger than its estimate. Not tuned."""

    def __post_init__(self) -> None:
        _check_numbers(self)


DEFAULT_DETECTION = DetectionSettings()
DEFAULT_REST = RestSettings()
DEFAULT_FOOTPLANTS = FootplantSettings()
DEFAULT_HANDPLANTS = HandplantSettings()
DEFAULT_SLIDING = SlidingSettings()

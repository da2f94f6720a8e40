# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions whose constraints are known: labelled captures and made-up ones."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from poise import solver
from poise.examples.detection import bodies, gaits, slides
from poise.examples.detection.cartwheels import cartwheel
from poise.examples.detection.labels import NAMES, read_labels
from poise.examples.detection.scores import FEET, best_match, f1, span_flags, spans_of
from poise.examples.detection.tracks import body_clip
from poise.solver.core import rotations
from poise.solver.detection.settings import CARTWHEELS, GAITS, OBJECTS, SKATING_WALKS, SLIDES
from poise.solver.synthetic import walk

from .changes import AllSettings

MOCAP = Path(__file__).resolve().parents[3] / "shared" / "mocap"

IN_TIME = 2.0 / 30.0
"""Seconds by which an event may be off to count as found in time: two frames of 30 a second."""

NOISE = 1e-3
"""Sizes of the character, and radians, of Gaussian noise: that of captures before any cleanup."""

Intervals = dict[Hashable, list[tuple[int, int]]]
"""First and last frames, by what they are of: a foot and its part, a hand, or a kind of constraint."""


@dataclass(frozen=True, eq=False)
class Score:
    """How well found intervals agree with the true ones."""

    f1: float
    """Over frames; 1 where there is nothing to be found and nothing was found."""
    missed: int
    """True intervals that no found one overlaps."""
    errors: tuple[float, ...]
    """Seconds by which each begin and each end was found too late."""

    @property
    def in_time(self) -> float:
        """The share of the events of found intervals that are in time; 1 where there are none."""
        return float(np.mean(np.abs(self.errors) <= IN_TIME + 1e-9)) if self.errors else 1.0

    @property
    def median_error(self) -> float:
        """Seconds."""
        return float(np.median(np.abs(self.errors))) if self.errors else 0.0


@dataclass(frozen=True, eq=False)
class Case:
    """A motion, its true intervals, and the detector that is to find them."""

    name: str
    origin: str
    """The capture, or the family of made-up motions, as `chosen_on` names it."""
    groups: tuple[str, ...]
    """The groups of settings that its detector depends on."""
    frames: int
    fps: float
    truth: Intervals
    find: Callable[[AllSettings], Intervals]

    def score(self, settings: AllSettings) -> Score:
        """The score of the detector with these settings."""
        found = self.find(settings)
        keys = list({**self.truth, **found})
        flags, true_flags = span_flags(found, keys, self.frames), span_flags(self.truth, keys, self.frames)
        matches = [(span, best_match(span, found.get(key, []))) for key in self.truth for span in self.truth[key]]
        errors = [
            (there - true) / self.fps
            for span, match in matches
            if match is not None
            for true, there in zip(span, match, strict=True)
        ]
        agreement = f1(flags, true_flags) if flags.any() or true_flags.any() else 1.0
        return Score(agreement, sum(match is None for _, match in matches), tuple(errors))


FOOT_GROUPS = ("rest", "footplants")
HAND_GROUPS = ("rest", "footplants", "handplants")


def captured(folder: Path = MOCAP) -> Iterator[Case]:
    """The labelled captures whose clips are in the folder."""
    for name in NAMES:
        labels = read_labels(name)
        if not (folder / labels.clip).is_file():
            continue
        clip = solver.read_bvh(folder / labels.clip)
        yield _feet(f"{name}, feet", name, clip, _of_feet(labels.foot_spans))
        if labels.hands:
            yield _hands(f"{name}, hands", name, clip, {hand: list(spans) for hand, spans in labels.hand_spans.items()})


def made_up(seeds: int = 2) -> Iterator[Case]:
    """Made-up motions of all kinds; those with noise once for each seed."""
    for fps in (30.0, 120.0):
        for seed in range(seeds):
            motion = walk(fps=fps, skate=0.01, seed=seed)
            clip = gaits.jittered(motion.clip, np.random.default_rng(seed))
            name = f"walk that skates, {fps:.0f} fps, seed {seed}"
            yield _feet(name, SKATING_WALKS, clip, _of_feet(spans_of(motion.contacts)))
    for gait in (gaits.running, gaits.turning_round, gaits.jumping, gaits.climbing, gaits.kicking):
        clip, spans = gait()
        name = gait.__name__.replace("_", " ")
        yield _feet(f"{name}, exact", GAITS, clip, _of_feet(spans))
        yield _feet(f"{name}, with noise", GAITS, gaits.jittered(clip, np.random.default_rng(7)), _of_feet(spans))
    for slide, jitter in ((0.0, 0.0), (0.03, 5e-4), (0.1, 1e-3), (0.4, 1e-3)):
        clip, supports = cartwheel(slide=slide, jitter=jitter)
        truth: Intervals = {hand: [_span_of(flags)] for hand, flags in supports.items()}
        yield _hands(f"cartwheel whose hands slide by {slide}", CARTWHEELS, clip, truth)
    yield from _slides(seeds)
    yield from _objects(seeds)


def _span_of(flags: Any) -> tuple[int, int]:
    frames = np.flatnonzero(flags)
    return int(frames[0]), int(frames[-1])


def _of_feet(spans: gaits.Spans) -> Intervals:
    return {key: list(each) for key, each in spans.items()}


def _feet(name: str, origin: str, clip: solver.Clip, truth: Intervals) -> Case:
    def find(settings: AllSettings) -> Intervals:
        return _of_feet(spans_of(solver.detect_footplants(clip, settings=settings.footplants)))

    return Case(name, origin, FOOT_GROUPS, clip.frames, clip.fps, truth, find)


def _hands(name: str, origin: str, clip: solver.Clip, truth: Intervals) -> Case:
    def find(settings: AllSettings) -> Intervals:
        found: Intervals = {hand: [] for hand in FEET}
        for plant in solver.detect_handplants(clip, settings=settings.handplants):
            found[plant.hand].append((plant.begin, plant.end))
        return found

    return Case(name, origin, HAND_GROUPS, clip.frames, clip.fps, truth, find)


def _by_kind(constraints: Any) -> Intervals:
    found: Intervals = {}
    for each in constraints:
        found.setdefault(each.kind, []).append((each.begin, each.end))
    return found


def _slides(seeds: int) -> Iterator[Case]:
    cart, rail = slides.rail_on_a_cart()
    examples: dict[str, tuple[slides.SlideExample, solver.MovingObject | None]] = {
        "drawer": (slides.drawer(), None),
        "wiped table": (slides.wiped_table(), None),
        "ice": (slides.ice(), None),
        "rail on a cart": (rail, cart),
        "arm that swings freely": (slides.swinging_arm(), None),
        "pendulum": (slides.pendulum(), None),
        "hand that reaches": (slides.reaching(0), None),
    }
    for name, (example, reference) in examples.items():
        for seed in range(seeds):
            clip = body_clip(slides.disturbed(example.places, seed, NOISE, 0.05))

            def find(
                settings: AllSettings, clip: solver.Clip = clip, reference: solver.MovingObject | None = reference
            ) -> Intervals:
                return _by_kind(solver.detect_sliding(clip, "body", reference, settings=settings.sliding))

            truth = _by_kind(example.truths)
            yield Case(f"{name}, seed {seed}", SLIDES, ("sliding",), clip.frames, clip.fps, truth, find)


def _objects(seeds: int) -> Iterator[Case]:
    template = solver.Template
    examples = {
        "die": (
            bodies.die(np.asarray(rotations.exp([0.3, 0.2, 0.1]))),
            [template(0, 11), template(11, 25, "line"), template(119, 159, "point")],
        ),
        "door": (bodies.door(), [template(24, 39), template(39, 79, "line")]),
        "wiped ball": (bodies.wiped_ball(), [template(30, 90, "point")]),
        "lamp": (bodies.lamp(), [template(0, 59, "point")]),
    }
    for name, (example, templates) in examples.items():
        for seed in range(seeds):
            clip = body_clip(bodies.disturbed(example.body, seed, NOISE, 0.05))

            def find(
                settings: AllSettings, clip: solver.Clip = clip, templates: list[solver.Template] = templates
            ) -> Intervals:
                return _by_kind(solver.detect(clip, "body", templates, settings=settings.detection))

            truth = _by_kind(example.truths)
            yield Case(f"{name}, seed {seed}", OBJECTS, ("detection",), clip.frames, clip.fps, truth, find)

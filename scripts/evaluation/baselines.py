# SPDX-License-Identifier: GPL-3.0-or-later
"""F1 of footplants, of a stream of frames and of simple detectors over the frames of the labelled captures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from poise import solver
from poise.examples.detection.gaits import Spans
from poise.examples.detection.labels import NAMES, read_labels
from poise.examples.detection.scores import FEET, PARTS, f1, held, spans_of
from poise.solver.detection.footplants import resting_footplants

Detector = Callable[[solver.Clip], Spans]


def by_point(find: Callable[[solver.Clip, solver.BodyPoint], list[solver.Detected]]) -> Detector:
    """A detector of feet from one that looks at a single point."""

    def detector(clip: solver.Clip) -> Spans:
        marks = clip.skeleton.landmarks
        return {
            (foot, part): [(each.begin, each.end) for each in find(clip, marks.require(f"{foot}_{mark}"))]
            for foot in FEET
            for part, mark in (("heel", "heel"), ("toe", "ball"))
        }

    return detector


def streamed(clip: solver.Clip) -> Spans:
    """The plants that a stream finds, pushed as a whole: how frames are grouped does not matter."""
    stream = solver.FootplantStream(clip.skeleton, clip.fps)
    spans: Spans = {(foot, part): [] for foot in FEET for part in PARTS}
    for plant in [*stream.push(clip.motion), *stream.finish()]:
        if plant.end is not None:
            spans[plant.foot, "heel" if plant.part == "heel" else "toe"].append((plant.begin, plant.end))
    return spans


DETECTORS: dict[str, Detector] = {
    "feet at rest": lambda clip: spans_of(resting_footplants(clip)),
    "footplants": lambda clip: spans_of(solver.detect_footplants(clip)),
    "stream": streamed,
    "speed, by votes": by_point(solver.detect_by_speed_and_height),
    "squared displ.": by_point(solver.detect_by_squared_displacement),
}


def scores(folder: Path) -> Iterator[tuple[str, dict[str, float]]]:
    """The F1 of each detector, by the name of the labelled capture."""
    for name in NAMES:
        labels = read_labels(name)
        if not (folder / labels.clip).is_file():
            continue
        clip = solver.read_bvh(folder / labels.clip)
        truth = held(labels.foot_spans, clip.frames)
        yield name, {key: f1(held(detect(clip), clip.frames), truth) for key, detect in DETECTORS.items()}


def table(folder: Path) -> str:
    """The scores, a line for each capture; empty without captures."""
    rows = list(scores(folder))
    if not rows:
        return ""
    lines = [f"{'F1 on labelled feet':20}" + "".join(f"{name:>17}" for name in DETECTORS)]
    lines += [f"{name:20}" + "".join(f"{score:17.3f}" for score in by_name.values()) for name, by_name in rows]
    return "\n".join(lines)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Footplants of a stream of frames: found after a bounded delay, from nothing but the frames that came in."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from poise import solver
from poise.examples.detection.gaits import Spans, climbing, jittered, running
from poise.examples.detection.labels import NAMES, read_labels
from poise.examples.detection.scores import FEET, PARTS, event_errors, f1, held, spans_of
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.core.errors import MotionError
from poise.solver.detection.footplants import resting_footplants
from poise.solver.detection.online import FootplantStream, StreamedPlant
from poise.solver.synthetic import chain, walk


def spans(plants: Sequence[StreamedPlant]) -> Spans:
    """The plants that have ended, as rest intervals of heels and balls."""
    found: Spans = {(foot, part): [] for foot in FEET for part in PARTS}
    for plant in plants:
        if plant.end is not None:
            found[plant.foot, "heel" if plant.part == "heel" else "toe"].append((plant.begin, plant.end))
    return found


def streamed(clip: Clip) -> list[StreamedPlant]:
    """All plants of a clip, one frame pushed after the other; checks that each comes twice and in time."""
    stream = FootplantStream(clip.skeleton, clip.fps)
    found: list[StreamedPlant] = []
    for frame in range(clip.frames):
        new = stream.push(clip.pose(frame))
        for plant in new:
            known = plant.begin if plant.end is None else plant.end
            assert 0 <= frame - known <= stream.delay
        found += new
        assert stream.count == frame + 1 and stream.decided >= stream.count - stream.delay
    found += stream.finish()
    begun = [(plant.foot, plant.part, plant.begin, plant.place) for plant in found if plant.end is None]
    ended = [(plant.foot, plant.part, plant.begin, plant.place) for plant in found if plant.end is not None]
    assert sorted(begun) == sorted(ended) and not stream.planted
    return found


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_the_plants_of_a_walk_are_found(fps: float) -> None:
    motion = walk(fps=fps, steps=8)
    found, truth = spans(streamed(motion.clip)), spans_of(motion.contacts)
    assert f1(held(found, motion.clip.frames), held(truth, motion.clip.frames)) > 0.95
    assert {key: len(each) for key, each in found.items()} == {key: len(each) for key, each in truth.items()}


@pytest.mark.parametrize("gait", [running, climbing])
def test_gaits_with_noise_are_found_nearly_as_in_a_whole_clip(gait: object) -> None:
    clip, truth = gait()  # type: ignore[operator]
    clip = jittered(clip, np.random.default_rng(7))
    found = spans(streamed(clip))
    assert f1(held(found, clip.frames), held(truth, clip.frames)) > 0.93


LEAST = {
    "02_01": 0.96,
    "09_01": 0.9,
    "10_01": 0.97,
    "135_04": 0.955,
    "13_01": 0.97,
    "13_11": 0.98,
    "13_35": 0.92,
    "16_17": 0.94,
    "49_06": 0.935,
    "85_05": 0.97,
}
"""The least F1 over frames on each labelled capture; a quarter of a second is known after each frame."""


@pytest.mark.parametrize("name", ["02_01", "09_01", "16_17"])
def test_captures_are_found_as_they_were_labelled(mocap: Path, name: str) -> None:
    clip, truth = solver.read_bvh(mocap / f"{name}.bvh"), read_labels(name).foot_spans
    found = spans(streamed(clip))
    assert f1(held(found, clip.frames), held(truth, clip.frames)) > LEAST[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_all_captures_are_found_as_they_were_labelled(mocap: Path, name: str) -> None:
    clip, truth = solver.read_bvh(mocap / f"{name}.bvh"), read_labels(name).foot_spans
    stream = FootplantStream(clip.skeleton, clip.fps)
    found = spans([*stream.push(clip.motion), *stream.finish()])
    assert f1(held(found, clip.frames), held(truth, clip.frames)) > LEAST[name]
    whole = held(spans_of(resting_footplants(clip)), clip.frames)
    assert f1(held(found, clip.frames), whole) > 0.93, "about what a whole clip gives"


def test_plants_do_not_depend_on_later_frames() -> None:
    """What a prefix of a stream gives is what the whole stream gives up to there."""
    clip = jittered(walk(fps=60.0, steps=6).clip, np.random.default_rng(2))
    whole = FootplantStream(clip.skeleton, clip.fps).push(clip.motion)
    for frames in (37, 90, 141, clip.frames - 5):
        stream = FootplantStream(clip.skeleton, clip.fps)
        part = stream.push(clip.motion.at(np.arange(frames)))
        assert part == whole[: len(part)]
        known = [each for each in whole if (each.begin if each.end is None else each.end) < frames - stream.delay]
        assert len(part) >= len(known)


def test_grouping_does_not_matter(rng: np.random.Generator) -> None:
    clip = walk(fps=60.0, steps=5).clip
    whole = FootplantStream(clip.skeleton, clip.fps).push(clip.motion)
    stream, found, first = FootplantStream(clip.skeleton, clip.fps), [], 0
    while first < clip.frames:
        after = min(first + int(rng.integers(1, 30)), clip.frames)
        found += stream.push(clip.motion.at(np.arange(first, after)))
        first = after
    assert found == whole


def test_frames_are_copied() -> None:
    """A caller may write the next frame into the same arrays."""
    clip = walk(fps=30.0, steps=4).clip
    pose = Motion(clip.motion.rotations[:1].copy(), clip.motion.translations[:1].copy())
    stream, found = FootplantStream(clip.skeleton, clip.fps), []
    for frame in range(clip.frames):
        pose.rotations[:], pose.translations[:] = clip.motion.rotations[frame], clip.motion.translations[frame]
        found += stream.push(pose)
    assert found and found == FootplantStream(clip.skeleton, clip.fps).push(clip.motion)


def test_places_are_those_of_heel_and_ball() -> None:
    motion = walk(fps=60.0, steps=5)
    for plant in streamed(motion.clip):
        true = [
            contact.heel if plant.part == "heel" else contact.toe
            for contact in motion.contacts
            if contact.foot == plant.foot
        ]
        away = min(float(np.linalg.norm(np.subtract(plant.place, place))) for place in true)
        assert away < 0.02 * motion.clip.skeleton.size


def test_a_longer_look_ahead_is_a_longer_delay() -> None:
    skeleton = walk(fps=30.0, steps=2).clip.skeleton
    assert FootplantStream(skeleton, 120.0).delay == 48 and FootplantStream(skeleton, 30.0).delay == 13
    assert FootplantStream(skeleton, 120.0, look_ahead=0.5).delay == 78


def test_time_for_a_frame_does_not_grow() -> None:
    """Once the buffer is full, the end of a stream takes no longer than its begin."""
    clip = walk(fps=30.0, steps=6).clip
    stream = FootplantStream(clip.skeleton, clip.fps)
    stream.push(clip.motion)
    taken = []
    for _ in range(4):
        begin = time.process_time()
        stream.push(clip.motion)
        taken.append(time.process_time() - begin)
    assert min(taken[2:]) < 2.0 * min(taken[:2])
    assert stream.count == 5 * clip.frames


def test_wrong_frames_are_refused() -> None:
    clip = walk(fps=30.0, steps=2).clip
    with pytest.raises(MotionError, match="frame rate must be a finite, positive number"):
        FootplantStream(clip.skeleton, 0.0)
    with pytest.raises(MotionError, match="look-ahead must be a finite, positive number"):
        FootplantStream(clip.skeleton, 30.0, look_ahead=-1.0)
    stream = FootplantStream(clip.skeleton, 30.0)
    with pytest.raises(MotionError, match="takes poses or motions"):
        stream.push(None)  # type: ignore[arg-type]
    with pytest.raises(MotionError):
        stream.push(Motion(clip.motion.rotations[:, :3], clip.motion.translations[:, :3]))
    stream.finish()
    with pytest.raises(MotionError, match="is finished"):
        stream.push(clip.pose(0))
    assert FootplantStream(clip.skeleton, 30.0).finish() == []


def test_a_character_without_feet_has_no_plants() -> None:
    skeleton = chain(4)
    stream = FootplantStream(skeleton, 30.0)
    still = np.tile(skeleton.offsets, (60, 1, 1))
    assert stream.push(Motion(np.tile(skeleton.rest_rotations, (60, 1, 1)), still)) == [] and stream.finish() == []


def test_a_plant_is_missed_by_no_more_than_the_vote(mocap: Path) -> None:
    """Every event of the walk's stream is near that of the whole clip, but for the first half second."""
    clip = solver.read_bvh(mocap / "02_01.bvh")
    whole = spans_of(resting_footplants(clip))
    later = {key: [span for span in each if span[0] > 60] for key, each in whole.items()}

    errors = event_errors(_as_plants(spans(streamed(clip))), later)
    assert errors.pop("missed") == []
    assert max(abs(error) for each in errors.values() for error in each) <= 12


def _as_plants(found: Spans) -> list[solver.Footplant]:
    plants = []
    for (foot, part), each in found.items():
        for begin, end in each:
            events = {f"{part}_strike": begin, f"{part}_off": end}
            plants.append(solver.Footplant(foot=foot, **events))  # type: ignore[arg-type]
    return plants

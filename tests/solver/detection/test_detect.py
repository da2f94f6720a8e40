# SPDX-License-Identifier: GPL-3.0-or-later
"""Detection with templates on motions with known truth, and the comparisons of Le Callennec 2006."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from poise.examples.detection.bodies import (
    Example,
    Truth,
    all_flags,
    carried_bottle,
    die,
    disturbed,
    door,
    flags,
    lamp,
    off_line,
    wiped_ball,
)
from poise.examples.detection.gaits import turning_round
from poise.examples.detection.scores import f1
from poise.examples.detection.tracks import at_rest, body_clip, joined, noisy
from poise.solver import BodyPoint, MovingObject, PoiseError
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.detection import Detected, DetectionSettings, Template, detect, examine

from .feet import plant_flags, stepping, walk_run_walk

TURNED = np.asarray(rotations.exp([0.3, 0.2, 0.1]))
EXAMPLES: dict[str, tuple[Example, list[Template]]] = {
    "die": (die(TURNED), [Template(0, 11), Template(11, 25, "line"), Template(119, 159, "point")]),
    "door": (door(), [Template(24, 39), Template(39, 79, "line")]),
    "ball": (wiped_ball(), [Template(30, 90, "point")]),
    "lamp": (lamp(), [Template(0, 59, "point")]),
}
"""Each body is about as large as the units: the size of a body without bones is 1."""

CAPTURED = 1e-3
"""Sizes of the character, and radians, of Gaussian noise: that of captures before any cleanup."""


def check_parameters(found: list[Detected], example: Example) -> list[int]:
    """Every true constraint is found, of its kind, and is where it is: lines within 2 degrees, points within 1 % of the
    size. By how many frames their ends are off."""
    late = []
    for truth in example.truths:
        overlaps = [
            min(each.end, truth.end) - max(each.begin, truth.begin) if each.kind == truth.kind else -1 for each in found
        ]
        best = found[int(np.argmax(overlaps))]
        assert max(overlaps) > 0.6 * (truth.end - truth.begin), f"{truth.kind} from frame {truth.begin} was missed"
        late += [abs(best.begin - truth.begin), abs(best.end - truth.end)]
        if truth.direction is not None:
            assert best.direction is not None
            assert np.rad2deg(np.arccos(min(abs(best.direction @ truth.direction), 1.0))) < 2.0
            assert off_line(best.position, truth.place, truth.direction) < 0.01
        else:
            assert np.linalg.norm(best.position - truth.place) < 0.01
    return late


@pytest.mark.parametrize("name", EXAMPLES)
def test_without_noise_everything_is_found_without_examples(name: str) -> None:
    example, _ = EXAMPLES[name]
    found = detect(body_clip(example.body), "body")
    assert [(each.kind, each.begin, each.end) for each in found] == [
        (truth.kind, truth.begin, truth.end) for truth in example.truths
    ]
    check_parameters(found, example)


NOISES = [(3e-4, 0.0), (CAPTURED, 0.0), (2e-3, 0.0), (3e-4, 0.2), (CAPTURED, 0.05), (CAPTURED, 0.2)]
"""Gaussian noise, and how far away one frame in 27 is, each in sizes of the character."""


@pytest.mark.parametrize(("noise", "outliers"), NOISES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_with_noise_and_outliers_it_is_found_from_examples(name: str, noise: float, outliers: float) -> None:
    example, templates = EXAMPLES[name]
    late: list[int] = []
    for seed in range(4):
        body = disturbed(example.body, seed, noise, outliers)
        found = detect(body_clip(body), "body", templates)
        frames = len(body.positions)
        assert f1(all_flags(found, frames), all_flags(example.truths, frames)) > 0.93
        late += check_parameters(found, example)
    assert np.mean(np.array(late) <= 2) > 0.9, "events are further off than two frames"


@pytest.mark.parametrize(("noise", "outliers"), NOISES)
def test_a_hand_on_a_carried_bottle_is_stationary_relative_to_it(noise: float, outliers: float) -> None:
    bottle, example = carried_bottle()
    for seed in range(3):
        clip = body_clip(disturbed(example.body, seed, noise, outliers))
        (found,) = detect(clip, "body", [Template(50, 70)], reference=bottle)
        assert abs(found.begin - 40) <= 2 and abs(found.end - 100) <= 2
        np.testing.assert_allclose(found.position, example.truths[0].place, atol=2e-3)
    assert not detect(body_clip(example.body), "body", settings=DetectionSettings(kinds=("space",)))


@pytest.mark.parametrize(("noise", "outliers"), [(0.0, 0.0), *NOISES])
def test_two_dice_are_found_each_by_itself_in_one_clip(noise: float, outliers: float) -> None:
    # The second one is turned otherwise, lies elsewhere and rolls later: each has its own constraints.
    first = die(TURNED)
    other = die(np.asarray(rotations.exp([1.0, -0.4, 2.0])))
    away, pause = np.array([2.0, 0.0, -1.0]), 9
    waiting = at_rest(other.body.positions[0], other.body.rotations[0], pause)
    second = joined(waiting, other.body)
    second = MovingObject(second.positions + away, second.rotations)
    dice = (joined(first.body, at_rest(first.body.positions[-1], first.body.rotations[-1], pause)), second)
    moved = tuple(
        replace(truth, begin=truth.begin + pause * (truth.begin > 0), end=truth.end + pause, place=truth.place + away)
        for truth in other.truths
    )
    truths = ((*first.truths, Truth("space", 159, 159 + pause, first.body.positions[-1])), moved)
    clip = body_clip(at_rest((0.0, 0.0, 0.0), TURNED, len(second.positions)))
    for number, (body, true) in enumerate(zip(dice, truths, strict=True)):
        shift = pause * number
        shown = [Template(0, 11), Template(11 + shift, 25 + shift, "line"), Template(119 + shift, 159 + shift, "point")]
        templates = shown if noise else []
        found = detect(clip, disturbed(body, number, noise, outliers), templates)
        assert f1(all_flags(found, clip.frames), all_flags(true, clip.frames)) > (0.93 if noise else 0.97)
        check_parameters(found, Example(body, true))


@pytest.mark.parametrize("noise", [0.0, 3e-4, CAPTURED])
def test_a_foot_that_turns_on_its_ball_turns_about_an_upright_line(noise: float) -> None:
    # 6.5.8.3: while the body turns, the planted foot turns about its ball.
    clip, stands = turning_round()
    joint = clip.skeleton.landmarks.require("left_ankle")
    body = MovingObject(clip.position(joint), clip.orientation(joint))
    before, after = stands["left", "heel"][1:3]
    ball = np.array([0.08, 0.0, 1.2])
    for seed in range(3):
        seen = noisy(body, np.random.default_rng(seed), noise * clip.skeleton.size, noise)
        templates = [Template(*before), Template(before[1], after[0], "line")] if noise else []
        found = detect(clip, seen, templates)
        kinds = [each.kind for each in found]
        assert kinds == ["space", "space", "line", "space", "space", "space"]
        line = found[2]
        assert abs(line.begin - before[1]) <= 2 and abs(line.end - after[0]) <= 2
        assert line.direction is not None and abs(line.direction[1]) > np.cos(np.deg2rad(2.0))
        assert off_line(line.position, ball, np.array([0.0, 1.0, 0.0])) < 0.01 * clip.skeleton.size


def test_a_reference_may_be_a_joint() -> None:
    bottle, _ = carried_bottle()
    clip = body_clip(bottle)
    assert not detect(clip, "body")
    (found,) = detect(clip, "body", reference="body")
    assert (found.kind, found.begin, found.end) == ("space", 0, clip.frames - 1)


# The comparisons of Le Callennec 2006 ---------------------------------------------------------------------------------

WALKING, RUNNING = Template(34, 47), Template(146, 151)


def space_flags(found: list[Detected], frames: int) -> np.ndarray:
    return flags(found, "space", frames)


@pytest.mark.parametrize("seed", range(6))
def test_global_displacements_find_only_constraints_as_near_as_the_template(seed: int) -> None:
    # Figure 6.16: the character goes away from the origin, and the example is where it starts.
    body, plants = walk_run_walk(np.random.default_rng(seed), run_noise=1e-3)
    clip, truth = body_clip(body), plant_flags(plants, len(body.positions))
    example = [Template(*plants[0])]
    local = detect(clip, "body", example)
    globally = detect(clip, "body", example, settings=DetectionSettings(formulation="global"))
    assert f1(space_flags(local, clip.frames), truth) > 0.95 and len(local) >= len(plants) - 1
    assert f1(space_flags(globally, clip.frames), truth) < 0.6 and len(globally) <= 5
    assert all(each.begin < 0.5 * clip.frames for each in globally)


@pytest.mark.parametrize("start", [0.0, -17.0, 1000.0])
def test_locally_the_place_in_the_world_does_not_matter(start: float) -> None:
    near = walk_run_walk(np.random.default_rng(2))[0]
    body = walk_run_walk(np.random.default_rng(2), start=start)[0]
    expected = [(each.begin, each.end) for each in detect(body_clip(near), "body", [WALKING])]
    assert [(each.begin, each.end) for each in detect(body_clip(body), "body", [WALKING])] == expected


def test_one_example_is_not_enough_where_the_motion_changes(rng: np.random.Generator) -> None:
    # Figures 6.17 and 6.18: walking, running, walking.
    body, plants = walk_run_walk(rng, run_noise=2e-2)
    clip, truth = body_clip(body), plant_flags(plants, len(body.positions))
    running = slice(plants[4][0] - 3, plants[9][1] + 4)

    def scores(*templates: Template) -> tuple[float, float]:
        held = space_flags(detect(clip, "body", templates), clip.frames)
        rest = np.ones(clip.frames, dtype=bool)
        rest[running] = False
        return f1(held[rest], truth[rest]), f1(held[running], truth[running])

    from_walk, from_run = scores(WALKING), scores(RUNNING)
    dynamic = scores(WALKING, Template(128, 133), RUNNING, Template(218, 223), Template(238, 251))
    assert from_walk[0] > 0.97 and from_walk[1] < 0.5, "the walk's noise finds no plant of the run"
    assert dynamic[0] > 0.97 and dynamic[1] > 0.9
    assert from_run[1] > 0.9


@pytest.mark.parametrize("seed", range(4))
def test_the_example_of_a_run_makes_the_plants_of_a_walk_too_long(seed: int) -> None:
    # Figure 6.17, case B: walking feet come down gently, and to the noise of a run they stand long before.
    body, plants = walk_run_walk(np.random.default_rng(seed), run_noise=2e-2, gently=True)
    clip = body_clip(body)
    walked = slice(plants[0][1] + 1, plants[3][1] + 5)
    truth = plant_flags(plants, clip.frames)[walked]

    def too_many(*templates: Template) -> int:
        return int((space_flags(detect(clip, "body", templates), clip.frames)[walked] * (1.0 - truth)).sum())

    from_run, dynamic, from_walk = too_many(RUNNING), too_many(WALKING, RUNNING), too_many(WALKING)
    assert from_run >= 7 and from_walk <= 1
    assert 2 * dynamic < from_run, "three plants are too long by two frames each"


def test_a_mislabelled_example_corrupts_the_naive_thresholds(rng: np.random.Generator) -> None:
    # Le Callennec 2006, section 6.5.3: the constraint lasts from frame 50 to 69, the template from 50 to 75.
    gaits = [(20, 30, 0.5), (20, 30, 0.05), (40, 12, 0.06), (40, 30, 0.5), (20, 10, 0.3)]
    body, plants = stepping(rng, gaits, [1e-3] * len(gaits))
    assert plants[1] == (50, 69)
    clip, truth = body_clip(body), plant_flags(plants, len(body.positions))
    wrong = [Template(50, 75)]
    robust = detect(clip, "body", wrong)
    naive = detect(clip, "body", wrong, settings=DetectionSettings(method="naive"))
    right = detect(clip, "body", [Template(50, 69)])
    assert len(robust) == len(plants)
    assert f1(space_flags(robust, clip.frames), truth) > 0.97
    assert f1(space_flags(robust, clip.frames), space_flags(right, clip.frames)) > 0.97
    assert f1(space_flags(naive, clip.frames), truth) < 0.9, "frames in the air are taken for plants"


# Signals and thresholds ----------------------------------------------------------------------------------------------


def test_signals_and_thresholds_show_why_something_was_found(rng: np.random.Generator) -> None:
    # Figure 6.7: the thresholds follow the templates over time.
    body, _ = walk_run_walk(rng, run_noise=2e-2)
    clip = body_clip(body)
    seen = examine(clip, "body", [WALKING, RUNNING])
    assert [each.begin for each in seen.found] == [each.begin for each in detect(clip, "body", [WALKING, RUNNING])]
    assert [signal.measure for signal in seen.signals] == ["rotation", "translation"]
    for signal in seen.signals:
        assert signal.times.shape == signal.values.shape == signal.thresholds.shape
        assert 0.0 < signal.times[0] < signal.times[-1] < clip.frames - 1
        walking, running = (np.interp(each.begin + 1, signal.times, signal.thresholds) for each in (WALKING, RUNNING))
        assert running > 5.0 * walking, "the run is noisier"
    below = np.all([signal.values <= signal.thresholds for signal in seen.signals], axis=0)
    held = space_flags(seen.found, clip.frames)[: len(below)]
    assert np.mean(below == (held > 0.5)) > 0.95, "found where all signals are below their thresholds, and merged"


def test_only_the_signals_of_the_shown_kinds_have_thresholds(rng: np.random.Generator) -> None:
    clip = body_clip(walk_run_walk(rng)[0])
    assert [each.measure for each in examine(clip, "body", [Template(30, 50, "line")]).signals] == ["slip"]
    assert len(examine(clip, "body").signals) == 3
    assert examine(body_clip(at_rest((0.0, 0.0, 0.0), TURNED, 1)), "body").signals == ()


def test_a_tolerance_multiplies_what_its_template_has_taught(rng: np.random.Generator) -> None:
    body, _ = walk_run_walk(rng, run_noise=2e-2)
    clip = body_clip(body)
    once = examine(clip, "body", [WALKING])
    looser = examine(clip, "body", [replace(WALKING, tolerance=20.0)])
    for one, other in zip(once.signals, looser.signals, strict=True):
        np.testing.assert_allclose(other.thresholds, 20.0 * one.thresholds)
    assert sum(each.frames for each in looser.found) > sum(each.frames for each in once.found), "the run is found too"


# What always holds ---------------------------------------------------------------------------------------------------


def test_scale_place_and_heading_change_nothing(rng: np.random.Generator) -> None:
    example, templates = EXAMPLES["door"]
    clip = body_clip(noisy(example.body, rng, CAPTURED, CAPTURED))
    expected = detect(clip, "body", templates)
    turn, shift = rotations.exp([0.0, 1.0, 0.0]), np.array([1000.0, -20.0, 300.0])
    body = MovingObject(
        rotations.rotate(turn, clip.position("body")) + shift,
        np.asarray(rotations.multiply(turn, clip.orientation("body"))),
    )
    moved = detect(body_clip(body), "body", templates)
    assert [(each.kind, each.begin, each.end) for each in moved] == [
        (each.kind, each.begin, each.end) for each in expected
    ]
    for one, other in zip(expected, moved, strict=True):
        np.testing.assert_allclose(other.position, rotations.rotate(turn, one.position) + shift, atol=1e-6)


def test_a_faster_capture_of_the_same_motion_shows_the_same(rng: np.random.Generator) -> None:
    slow = lamp().body
    times = np.arange(0, 4 * (len(slow.positions) - 1) + 1) / 4.0
    before = np.minimum(times.astype(int), len(slow.positions) - 2)
    share = times - before
    body = MovingObject(
        slow.positions[before] * (1.0 - share)[:, None] + slow.positions[before + 1] * share[:, None],
        rotations.slerp(slow.rotations[before], slow.rotations[before + 1], share),
    )
    clip = body_clip(noisy(body, rng, 3e-4, 3e-4), fps=120.0)
    found = detect(clip, "body", [Template(0, 236, "point")])
    assert [each.kind for each in found] == ["point", "point"]
    np.testing.assert_allclose([[each.begin, each.end] for each in found], [[0, 236], [336, 576]], atol=8)


def test_a_point_on_a_joint_is_watched_where_it_is() -> None:
    # The body turns about its own point (0.5, 0, 0): there nothing moves, but the body turns all the same.
    turns = rotations.from_axis_angle([0.0, 0.0, 1.0], np.linspace(0.0, 2.0, 40))
    body = MovingObject(-rotations.rotate(turns, np.array([0.5, 0.0, 0.0])), np.asarray(turns))
    (found,) = detect(body_clip(body), BodyPoint("body", (0.5, 0.0, 0.0)))
    assert found.kind == "line"
    np.testing.assert_allclose(found.offset, 0.0, atol=1e-9)


def test_a_body_that_spins_about_its_origin_rotates_about_a_point(rng: np.random.Generator) -> None:
    # The origin stays, whatever the axis: only a changing axis distinguishes a point from a line.
    time = np.arange(60)[:, None] / 30.0
    swing = np.concatenate([np.sin(2.0 * time), 1.3 * np.sin(1.1 * time + 1.0), 0.8 * np.cos(1.7 * time)], axis=1)
    body = noisy(MovingObject(np.ones((60, 3)), rotations.exp(swing)), rng, 3e-4, 3e-4)
    line = door()
    both = joined(body, line.body)
    templates = [Template(0, 59, "point"), Template(99, 139, "line")]
    found = detect(body_clip(both), "body", templates)
    assert found[0].kind == "point" and found[0].begin <= 2 and abs(found[0].end - 59) <= 3
    assert not [each for each in found if each.kind == "line" and each.end < 59]


def test_only_the_kinds_that_are_asked_for_come_back() -> None:
    example, _ = EXAMPLES["die"]
    for kinds in (("space",), ("line",), ("space", "line"), ("point",)):
        found = detect(body_clip(example.body), "body", settings=DetectionSettings(kinds=kinds))  # type: ignore[arg-type]
        assert {each.kind for each in found} == set(kinds)


def test_the_kinds_of_the_templates_are_found() -> None:
    example, templates = EXAMPLES["die"]
    clip = body_clip(noisy(example.body, np.random.default_rng(0), 3e-4, 3e-4))
    assert {each.kind for each in detect(clip, "body", templates[:1])} == {"space"}
    assert {each.kind for each in detect(clip, "body", templates[1:2])} == {"line"}
    assert {each.kind for each in detect(clip, "body", templates[:2])} == {"space", "line"}


def test_no_frame_belongs_to_two_constraints(rng: np.random.Generator) -> None:
    # Neighbours share the frame in which one ends and the other begins, and no more, at any frame rate.
    slow = door().body
    times = np.arange(0, 4 * (len(slow.positions) - 1) + 1) / 4.0
    before = np.minimum(times.astype(int), len(slow.positions) - 2)
    turned = rotations.slerp(slow.rotations[before], slow.rotations[before + 1], times - before)
    hinged = np.array([0.9, 0.0, 0.2])
    arms = rotations.rotate(rotations.conjugate(slow.rotations), slow.positions - hinged)
    share = (times - before)[:, None]
    places = hinged + rotations.rotate(turned, arms[before] * (1.0 - share) + arms[before + 1] * share)
    clip = body_clip(noisy(MovingObject(places, turned), rng, 2e-4, 2e-4), fps=120.0)
    found = detect(clip, "body", [Template(98, 154), Template(160, 312, "line")])
    assert [each.kind for each in found] == ["space", "line", "space", "line"]
    for one, other in itertools.pairwise(found):
        assert one.end <= other.begin


def test_a_joint_that_never_moves_has_one_space_constraint() -> None:
    clip = body_clip(at_rest((1.0, 2.0, 3.0), TURNED, 30))
    for templates in ([], [Template(3, 8)]):
        (found,) = detect(clip, "body", templates)
        assert (found.kind, found.begin, found.end, found.frames) == ("space", 0, 29, 30)
        np.testing.assert_allclose(found.position, [1.0, 2.0, 3.0])
    for kind in ("line", "point"):
        assert detect(clip, "body", [Template(3, 8, kind)]) == [], "what does not turn does not turn about anything"  # type: ignore[arg-type]
    assert detect(clip, "body", settings=DetectionSettings(kinds=("line", "point"))) == []


@pytest.mark.parametrize("frames", [1, 2])
def test_a_clip_of_a_frame_or_two_holds_nothing(frames: int) -> None:
    assert detect(body_clip(at_rest((0.0, 0.0, 0.0), TURNED, frames)), "body") == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda clip: detect(clip, "hand"), "hand"),
        (lambda clip: detect(clip, "body", reference="bottle"), "bottle"),
        (lambda clip: detect(clip, "body", [Template(20, 31)]), "from frame 20 to 31 does not lie within the clip"),
        (lambda clip: detect(clip, "body", [Template(20, 21)]), "too short to learn from"),
        (lambda clip: detect(clip, "body", [Template(-1, 9)]), "from frame -1 to 9 does not lie within the clip"),
        (lambda clip: detect(clip, "body", [Template(9, 5)]), "from frame 9 to 5 does not lie within the clip"),
        (lambda clip: detect(clip, "body", [(3, 9)]), "a list of templates, each made by Template, not \\(3, 9\\)"),
        (lambda clip: detect(clip, "body", Template(3, 9)), "a list of templates"),
        (lambda clip: detect(clip, at_rest((np.nan, 0.0, 0.0), TURNED, 30)), "not all finite"),
        (lambda clip: Template(3, 9, "plane"), "no kind of constraint 'plane'"),
        (lambda clip: detect(body_clip(at_rest((0.0, 0.0, 0.0), TURNED, 1)), "body", [Template(0, 0)]), "too short"),
        (lambda clip: detect(clip, "body", reference=at_rest((0.0, 0.0, np.nan), TURNED, 30)), "not all finite"),
        (lambda clip: DetectionSettings(kinds=("plane",)), "no kind of constraint 'plane'"),
        (lambda clip: DetectionSettings(method="median"), "no method 'median'"),
        (lambda clip: DetectionSettings(formulation="polar"), "no formulation 'polar'"),
        (lambda clip: DetectionSettings(shortest=-1.0), "shortest of a detection must be a finite number"),
        (lambda clip: DetectionSettings(angle=float("nan")), "angle of a detection must be a finite number"),
        (lambda clip: clip.with_motion(Motion(clip.motion.rotations, clip.motion.translations * np.nan)), "finite"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(change: Callable[[Clip], object], told: str) -> None:
    with pytest.raises(PoiseError, match=told):
        change(body_clip(at_rest((0.0, 0.0, 0.0), TURNED, 30)))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands that carry: in a made-up cartwheel, on all fours, and in captures whose hands were labelled by eye."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise import solver
from poise.examples.detection.cartwheels import cartwheel
from poise.examples.detection.gaits import jumping, kicking, running
from poise.examples.detection.labels import read_labels
from poise.examples.detection.scores import f1
from poise.solver.body.clip import Clip
from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.detection.footplants import detect_footplants
from poise.solver.detection.handplants import DetectedHandplant, detect_handplants
from poise.solver.detection.settings import FootplantSettings, HandplantSettings, RestSettings
from poise.solver.synthetic import chain, human, walk

from ..made_up import placed
from .afloat import floating, swimming

HANDS = ("left", "right")


def flags(found: list[DetectedHandplant], hand: str, frames: int) -> Array:
    held = np.zeros(frames)
    for plant in found:
        if plant.hand == hand:
            held[plant.begin : plant.end + 1] = 1.0
    return held


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0, 240.0])
@pytest.mark.parametrize(("slide", "jitter"), [(0.0, 0.0), (0.03, 5e-4), (0.1, 1e-3)])
def test_hands_support_a_cartwheel(fps: float, slide: float, jitter: float) -> None:
    clip, supports = cartwheel(fps, slide, jitter)
    found = detect_handplants(clip)
    assert [plant.hand for plant in found] == ["left", "right"]
    for plant in found:
        true = np.flatnonzero(supports[plant.hand])
        assert f1(flags(found, plant.hand, clip.frames), supports[plant.hand]) > 0.95
        assert max(abs(plant.begin - true[0]), abs(plant.end - true[-1])) <= 2.0 * max(fps / 30.0, 1.0)
        assert plant.residual < 0.01 * clip.skeleton.size + slide * clip.skeleton.size
        assert 0.3 < plant.confidence <= 1.0


def test_the_feet_of_a_cartwheel_stand_before_and_after() -> None:
    clip, supports = cartwheel()
    hands = np.flatnonzero(supports["left"] + supports["right"])
    for plant in detect_footplants(clip):
        for begin, end in plant.stays.values():
            assert end < hands[0] or begin > hands[-1]


def test_where_it_is_and_how_large_changes_nothing() -> None:
    clip, _ = cartwheel(slide=0.05, jitter=5e-4)

    def spans(given: Clip) -> list[tuple[str, int, int]]:
        return [(plant.hand, plant.begin, plant.end) for plant in detect_handplants(given)]

    larger = Clip(
        clip.skeleton.scaled(100.0), Motion(clip.motion.rotations, 100.0 * clip.motion.translations), clip.fps
    )
    assert spans(larger) == spans(clip)
    assert spans(placed(clip, rotations.exp([0.0, 2.0, 0.0]), (1000.0, -3.0, 500.0))) == spans(clip)


def crouching() -> Clip:
    """A human at rest whose left wrist goes to the floor, rests there from frame 35 to 85, and comes back."""
    skeleton = human()
    moved = np.tile(skeleton.offsets, (120, 1, 1))
    turned = np.tile(skeleton.rest_rotations, (120, 1, 1))
    world = WorldState.of(skeleton, Motion(turned, moved))
    wrist, elbow = skeleton.landmarks.require("left_wrist"), skeleton.landmarks.require("left_elbow")
    hangs = world.positions[0, wrist]
    share = np.clip(np.minimum(np.arange(120) - 20, 100 - np.arange(120)) / 15.0, 0.0, 1.0)[:, None]
    path = hangs + share**2 * (3.0 - 2.0 * share) * (np.array([hangs[0], 0.08 * skeleton.size, 0.4]) - hangs)
    moved[:, wrist] = rotations.rotate(rotations.conjugate(world.rotations[:, elbow]), path - world.positions[:, elbow])
    return Clip(skeleton, Motion(turned, moved))


def test_hands_at_rest_as_low_as_the_feet_are_on_the_floor() -> None:
    clip = crouching()
    (found,) = detect_handplants(clip)
    assert (found.hand, found.begin, found.end) == ("left", 35, 85)
    np.testing.assert_allclose(
        found.position, clip.position(clip.skeleton.landmarks.require("left_wrist"))[60], atol=1e-6
    )


def test_walks_runs_jumps_kicks_swimming_and_floating_have_no_handplants() -> None:
    for clip in (walk(skate=0.01).clip, running()[0], jumping()[0], kicking()[0], swimming(), floating()):
        assert detect_handplants(clip) == []


def test_without_hands_or_frames_there_are_none() -> None:
    snake = chain(5)
    lying = Motion(np.tile(snake.rest_rotations, (30, 1, 1)), np.tile(snake.offsets, (30, 1, 1)))
    assert detect_handplants(Clip(snake, lying)) == []
    clip, _ = cartwheel()
    for frames in (1, 2):
        cut = clip.with_motion(Motion(clip.motion.rotations[:frames], clip.motion.translations[:frames]))
        assert detect_handplants(cut) == []


def test_a_character_without_toe_joints_has_handplants() -> None:
    clip, _ = cartwheel()
    skeleton = clip.skeleton.with_landmarks(left_toe=None, right_toe=None)
    found = detect_handplants(Clip(skeleton, clip.motion, clip.fps))
    assert [(plant.hand, plant.begin, plant.end) for plant in found] == [
        (plant.hand, plant.begin, plant.end) for plant in detect_handplants(clip)
    ]


@pytest.mark.parametrize("slow_share", [0.0, 0.02, 0.05, 0.25])
def test_handplants_of_one_hand_never_overlap(slow_share: float) -> None:
    # With a small share, noise cuts the slow interval of one handplant into several.
    clip, _ = cartwheel(slide=0.1, jitter=1e-3)
    found = detect_handplants(clip, settings=HandplantSettings(slow_share=slow_share))
    assert [plant.hand for plant in found] == ["left", "right"]


def test_settings_of_footplants_decide_where_the_floor_is() -> None:
    # On the floor beside standing feet: without footplants there is no floor, and the hips are not above the hand.
    clip = crouching()
    assert len(detect_handplants(clip)) == 1
    without = FootplantSettings(rest=RestSettings(shortest=20.0))
    assert detect_handplants(clip, settings=HandplantSettings(footplants=without)) == []


def test_plants_that_are_known_need_not_be_found_again() -> None:
    clip, _ = cartwheel()
    expected = [(plant.hand, plant.begin, plant.end) for plant in detect_handplants(clip)]
    given = detect_handplants(clip, detect_footplants(clip))
    assert [(plant.hand, plant.begin, plant.end) for plant in given] == expected


# Captured motions ----------------------------------------------------------------------------------------------------


def test_the_hands_of_a_captured_cartwheel(mocap: Path) -> None:
    clip = solver.read_bvh(mocap / "49_06.bvh")
    found = detect_handplants(clip)
    labels = read_labels("49_06").hands
    assert [plant.hand for plant in found] == [label["hand"] for label in labels]
    for plant, label in zip(found, labels, strict=True):
        seen = np.zeros(clip.frames)
        seen[label["begin"] : label["end"] + 1] = 1.0
        assert f1(flags(found, plant.hand, clip.frames), seen) > 0.9
        # Two frames at 30 a second are eight of this clip.
        assert max(abs(plant.begin - label["begin"]), abs(plant.end - label["end"])) <= 8
        assert plant.residual < 0.15 * clip.skeleton.size, "they slide far in this capture"


def test_hops_on_hands(mocap: Path) -> None:
    # Read off a plot of the wrists' heights: where the hands are lowest, and at the tops of the hops between.
    clip = solver.read_bvh(mocap / "85_05.bvh")
    found = detect_handplants(clip)
    landings, tops = (630, 700, 767, 842, 912, 990, 1073), (597, 665, 733, 805, 880, 957, 1028)
    for hand in HANDS:
        held = flags(found, hand, clip.frames)
        assert all(held[frame - 5 : frame + 6].any() for frame in landings)
        assert not any(held[frame] for frame in tops)
        assert not held[:440].any() and not held[1400:].any(), "on the feet"


@pytest.mark.parametrize("name", ["09_01", "13_11", "13_33", "16_17", "135_04"])
def test_captures_without_handplants(mocap: Path, name: str) -> None:
    assert detect_handplants(solver.read_bvh(mocap / f"{name}.bvh")) == []

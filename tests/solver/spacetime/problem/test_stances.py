# SPDX-License-Identifier: GPL-3.0-or-later
"""Stances from footplants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.constraints import Footplant
from poise.solver.core.errors import ConstraintError
from poise.solver.spacetime.characters.recipe import BIPED, HOPPER
from poise.solver.spacetime.problem.stances import EARLY, Push, Stance, resting_place, stances_of
from poise.solver.synthetic import walk

from ...made_up import plant_of
from ...standing import standing_human

FPS = 30.0


def standing() -> Clip:
    return standing_human(frames=91, fps=FPS)


def plant(foot: str = "left", **events: Any) -> Footplant:
    return Footplant(foot=foot, **events)  # type: ignore[arg-type]


EXTRA = EARLY * FPS
"""Frames that are added to contacts on both sides."""


def times_of(stance: Stance) -> dict[str, tuple[float, float]]:
    """When each push acts, in frames, without what is added on both sides."""
    return {
        push.name: (round((push.begin + EARLY) * FPS, 6), round((push.end - EARLY) * FPS, 6)) for push in stance.pushes
    }


def without_toes(clip: Clip) -> Clip:
    """The clip of a character that has no tips of toes."""
    return Clip(clip.skeleton.with_landmarks(left_toe_tip=None, right_toe_tip=None), clip.motion, clip.fps)


HEEL_FIRST = {"heel_strike": 10.0, "toe_strike": 14.0, "heel_off": 30.0, "toe_off": 40.0}


@pytest.mark.parametrize(
    ("events", "ball", "toes", "heel"),
    [
        # Heel first, as in a walk: the heel from the first touch, the ball from when the heel rests, then the toes.
        (HEEL_FIRST, (10.0, 40.0), (14.0 + EXTRA, 40.0), (10.0, 30.0)),
        ({**HEEL_FIRST, "contact": (8.0, 43.0)}, (10.0, 43.0), (14.0 + EXTRA, 43.0), (8.0, 30.0)),
        # Ball first, as in a sprint: ball and toes from the first touch, the heel while it rests.
        ({**HEEL_FIRST, "heel_strike": 16.0, "contact": (12.0, 43.0)}, (12.0, 43.0), (12.0, 43.0), (16.0, 30.0)),
        # Flat: all at once.
        ({**HEEL_FIRST, "heel_strike": 14.0, "contact": (11.0, 40.0)}, (11.0, 40.0), (11.0, 40.0), (11.0, 30.0)),
        # The heel leaves last, as in a step backward.
        (
            {**HEEL_FIRST, "heel_off": 44.0, "contact": (9.0, 47.0)},
            (10.0, 44.0),
            (14.0 + EXTRA, 40.0 - EXTRA),
            (9.0, 47.0),
        ),
        # The ball alone, as on tiptoe.
        ({"toe_strike": 14.0, "toe_off": 40.0}, (14.0, 40.0), (14.0, 40.0), None),
        ({"toe_strike": 14.0, "toe_off": 40.0, "contact": (12.0, 41.0)}, (12.0, 41.0), (12.0, 41.0), None),
        # A heel that only touches does not push.
        ({**HEEL_FIRST, "heel_strike": 20.0, "heel_off": 20.0}, (14.0, 40.0), (14.0, 40.0), None),
        # A contact that is narrower than the rests says nothing.
        ({**HEEL_FIRST, "contact": (15.0, 20.0)}, (10.0, 40.0), (14.0 + EXTRA, 40.0), (10.0, 30.0)),
    ],
)
def test_the_ground_pushes_ball_toes_and_heel_while_they_are_down(
    events: dict[str, Any],
    ball: tuple[float, float],
    toes: tuple[float, float],
    heel: tuple[float, float] | None,
) -> None:
    (stance,) = stances_of(standing(), [plant(**events)], BIPED)
    expected = {"left_ball": ball, "left_toe_tip": toes} | ({"left_heel": heel} if heel else {})
    assert times_of(stance) == expected
    (footed,) = stances_of(without_toes(standing()), [plant(**events)], BIPED)
    assert times_of(footed) == {name: times for name, times in expected.items() if name != "left_toe_tip"}
    # The leg itself rests while the ball does.
    assert (stance.begin, stance.end) == (events["toe_strike"] / FPS, events["toe_off"] / FPS)
    assert stance.contact == "left foot" and stance.points == ("left_ball",) and stance.plants == (0,)
    assert stance.touch == min(push.begin for push in stance.pushes)
    assert stance.release == max(push.end for push in stance.pushes)
    assert list(stance.events) == sorted(set(stance.events)) and {stance.begin, stance.touch} <= set(stance.events)


def test_pushes_are_where_ball_toes_and_heel_rest() -> None:
    clip = standing()
    (stance,) = stances_of(clip, [plant(**HEEL_FIRST)], BIPED)
    marks = clip.skeleton.landmarks
    points = {name: getattr(marks, name) for name in ("left_ball", "left_toe_tip", "left_heel")}
    places = {name: clip.position(point)[0] for name, point in points.items()}
    np.testing.assert_allclose(stance.place, places["left_ball"], atol=1e-12)
    assert len(stance.pushes) == 3
    for push in stance.pushes:
        np.testing.assert_allclose(push.place, places[push.name], atol=1e-12)


def test_stances_of_a_walk_are_its_contacts() -> None:
    motion = walk(steps=4)
    plants = [plant_of(contact) for contact in motion.contacts]
    stances = stances_of(motion.clip, plants, BIPED)
    assert len(stances) == len(plants)
    assert [stance.begin for stance in stances] == sorted(stance.begin for stance in stances)
    for stance in stances:
        (index,) = stance.plants
        contact = motion.contacts[index]
        assert stance.contact == f"{contact.foot} foot"
        assert stance.begin == pytest.approx(contact.toe_strike / motion.clip.fps)
        moved = motion.clip.position(getattr(motion.clip.skeleton.landmarks, f"{contact.foot}_ball"))
        first, last = int(np.ceil(max(contact.toe_strike, 0.0))), int(min(contact.toe_off, motion.clip.frames - 1))
        assert np.abs(moved[first : last + 1] - stance.place).max() < 1e-6 * motion.clip.skeleton.size


@pytest.mark.parametrize("event", [-20.0, 70.0])
def test_a_plant_that_the_clip_cuts_keeps_its_times(event: float) -> None:
    clip = standing()
    (stance,) = stances_of(clip, [plant(toe_strike=event, toe_off=event + 40.0)], BIPED)
    assert stance.begin == event / FPS and stance.end == (event + 40.0) / FPS
    np.testing.assert_allclose(stance.place, clip.position(clip.skeleton.landmarks.left_ball)[0], atol=1e-12)


def test_plants_without_a_resting_ball_are_left_out() -> None:
    plants = [
        plant(heel_strike=3.0, heel_off=9.0),
        plant(toe_strike=12.0, toe_off=12.0),
        plant(toe_strike=14.0, toe_off=40.0),
    ]
    (stance,) = stances_of(standing(), plants, BIPED)
    assert stance.plants == (2,)


def test_a_hopper_stands_while_both_balls_rest() -> None:
    clip = standing()
    left = plant("left", **HEEL_FIRST, contact=(8.0, 43.0))
    right = plant("right", toe_strike=16.0, toe_off=37.0, contact=(15.0, 44.0))
    (stance,) = stances_of(clip, [right, left], HOPPER)
    assert (stance.begin, stance.end) == (16.0 / FPS, 37.0 / FPS)
    assert stance.points == ("left_ball", "right_ball") and stance.plants == (1, 0)
    # Each foot pushes as long as it is down itself.
    assert times_of(stance) == {
        "left_ball": (10.0, 43.0),
        "left_toe_tip": (14.0 + EXTRA, 43.0),
        "left_heel": (8.0, 30.0),
        "right_ball": (15.0, 44.0),
        "right_toe_tip": (15.0, 44.0),
    }
    marks = clip.skeleton.landmarks
    middle = np.mean([clip.position(mark)[0] for mark in (marks.left_ball, marks.right_ball)], axis=0)
    np.testing.assert_allclose(stance.place, middle, atol=1e-12)


def test_feet_that_never_stand_together_give_a_hopper_no_stance() -> None:
    plants = [plant("left", toe_strike=5.0, toe_off=20.0), plant("right", toe_strike=20.0, toe_off=40.0)]
    assert stances_of(standing(), plants, HOPPER) == ()
    assert len(stances_of(standing(), plants, BIPED)) == 2


def test_a_foot_that_stands_while_the_other_one_steps_is_pushed_for_one_stance_at_a_time() -> None:
    plants = [
        plant("left", toe_strike=5.0, toe_off=80.0),
        plant("right", toe_strike=5.0, toe_off=30.0),
        plant("right", toe_strike=40.0, toe_off=60.0),
        plant("right", toe_strike=64.0, toe_off=80.0),
    ]
    stances = stances_of(standing(), plants, HOPPER)
    assert [stance.plants for stance in stances] == [(0, 1), (0, 2), (0, 3)]
    lefts = [next(push for push in stance.pushes if push.name == "left_ball") for stance in stances]
    times = [(push.begin * FPS, push.end * FPS) for push in lefts]
    widened = EARLY * FPS
    np.testing.assert_allclose(times, [(5.0 - widened, 35.0), (35.0, 62.0), (62.0, 80.0 + widened)])


def test_plants_that_follow_each_other_at_once_do_not_push_together() -> None:
    plants = [plant(toe_strike=5.0, toe_off=20.0), plant(toe_strike=20.5, toe_off=40.0)]
    first, second = stances_of(standing(), plants, BIPED)
    assert first.pushes[0].end == second.pushes[0].begin == pytest.approx(20.25 / FPS)
    far = [plants[0], plant(toe_strike=25.0, toe_off=40.0)]
    first, second = stances_of(standing(), far, BIPED)
    assert first.pushes[0].end == pytest.approx(20.0 / FPS + EARLY)


def test_a_stance_is_changed_with_all_its_pushes_and_keeps_its_name() -> None:
    (stance,) = stances_of(standing(), [plant(**HEEL_FIRST)], BIPED)
    assert stance.label == "the stance of the left foot at 0.47 s"
    changed = stance.changed(lambda time: 2.0 * time + 1.0, lambda place: place + np.array([1.0, 0.0, 0.0]))
    assert changed.begin == 2.0 * stance.begin + 1.0 and changed.end == 2.0 * stance.end + 1.0
    np.testing.assert_allclose(changed.place - stance.place, [1.0, 0.0, 0.0])
    for before, after in zip(stance.pushes, changed.pushes, strict=True):
        assert (after.begin, after.end) == (2.0 * before.begin + 1.0, 2.0 * before.end + 1.0)
        np.testing.assert_allclose(after.place - before.place, [1.0, 0.0, 0.0])
    assert changed.label == stance.label and changed.plants == stance.plants


def test_a_stance_without_pushes_touches_while_it_rests() -> None:
    stance = Stance("foot", ("left_ball",), 1.0, 2.0, np.zeros(3), ())
    assert (stance.touch, stance.release, stance.events) == (1.0, 2.0, (1.0, 2.0))
    wide = Stance("foot", ("left_ball",), 1.0, 2.0, np.zeros(3), (Push("left_ball", np.zeros(3), 0.5, 3.0),))
    assert (wide.touch, wide.release, wide.events) == (0.5, 3.0, (0.5, 1.0, 2.0, 3.0))


def test_a_single_wrong_frame_does_not_move_the_place() -> None:
    clip = standing()
    moved = clip.motion.translations.copy()
    moved[20, 0] += 5.0
    still = resting_place(clip, "left_ball", 14.0, 40.0)
    broken = clip.with_motion(type(clip.motion)(clip.motion.rotations, moved))
    np.testing.assert_allclose(resting_place(broken, "left_ball", 14.0, 40.0), still, atol=1e-12)


def test_moving_ground_is_refused() -> None:
    carried = plant(toe_strike=5.0, toe_off=20.0, ground_velocity=(0.0, 0.0, -1.0))
    with pytest.raises(ConstraintError, match=r"its ground moves.*Take a motion that travels\."):
        stances_of(standing(), [carried], BIPED)

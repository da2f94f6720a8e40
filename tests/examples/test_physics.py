# SPDX-License-Identifier: GPL-3.0-or-later
"""The transformations of Popović 1999, chapter 6, on the made-up run and jump, judged by numbers.

Each solve takes seconds, so that fits and results are shared by the tests.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from poise.examples import physics, physics_sources
from poise.examples import physics_measures as measures
from poise.solver.body.clip import Clip
from poise.solver.core import rotations
from poise.solver.core.errors import ConstraintError
from poise.solver.spacetime import (
    Edit,
    Fit,
    FootprintEdit,
    SimplifiedMotion,
    Transformation,
    edit_from_dict,
    is_available,
    transform,
)
from poise.solver.synthetic import jump
from poise.solver.synthetic.jump import DISTANCE

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not is_available(), reason="CasADi is not installed")]


JUMPERS = ("jumper", "hopper")
"""The recipes for jumps."""

both_jumpers = pytest.mark.parametrize("recipe", JUMPERS)


@cache
def run_fit() -> Fit:
    return physics_sources.fitted_run()


@cache
def jump_fit(recipe: str = "jumper") -> Fit:
    return physics_sources.fitted_jump(recipe=recipe)


@cache
def transformed(name: str, recipe: str = "jumper") -> Transformation:
    fit = run_fit() if name in physics.RUNS else jump_fit(recipe)
    return transform(fit, {**physics.RUNS, **physics.JUMPS}[name](fit))


def result(name: str, recipe: str = "jumper") -> SimplifiedMotion:
    return transformed(name, recipe).motion


def axes(fit: Fit) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    left, up, forward = fit.problem.character.axes
    return left, up, forward


def middle(begin: float, end: float, motion: SimplifiedMotion) -> np.ndarray:
    """(1,) the middle of what the clip has of a stance."""
    return np.array([(max(begin, 0.0) + min(end, motion.duration)) / 2.0])


# --- finding stances ----------------------------------------------------------------------------------------------


def test_stances_are_found_by_contact_by_time_and_by_the_longest_flight() -> None:
    fit = run_fit()
    left, right = physics.stances_of(fit, physics.LEFT), physics.stances_of(fit, physics.RIGHT)
    assert sorted([*left, *right]) == list(range(len(fit.stances)))
    assert all(fit.stances[index].contact == "left foot" for index in left)
    stance = fit.stances[left[0]]
    assert physics.stances_at(fit, (stance.begin + stance.end) / 2.0) == [left[0]]
    begin, end = physics.longest_flight(fit.stances)
    assert physics.stances_at(fit, (begin + end) / 2.0) == []
    assert physics.landing(jump_fit()) == [1]
    with pytest.raises(ConstraintError, match="no stance of the tail; it has stances of left foot, right foot"):
        physics.stances_of(fit, "tail")
    with pytest.raises(ConstraintError, match="no flight"):
        physics.longest_flight(fit.stances[:1])


@pytest.mark.parametrize("name", [*physics.RUNS, *physics.JUMPS])
def test_edits_survive_json(name: str) -> None:
    fit = run_fit() if name in physics.RUNS else jump_fit()
    edit = {**physics.RUNS, **physics.JUMPS}[name](fit)
    assert edit_from_dict(edit.as_dict()) == edit


# --- runs ---------------------------------------------------------------------------------------------------------


def test_on_the_moon_flights_are_longer_and_the_body_flies_a_parabola_of_its_gravity() -> None:
    before, after = (measures.measured_flights(motion) for motion in (run_fit().motion, result("moon run")))
    factor = physics.moon_run(run_fit()).flight
    for source_flight, flight in zip(before, after, strict=True):
        assert flight.seconds == pytest.approx(factor * source_flight.seconds, rel=1e-9)
        assert flight.rise == pytest.approx(flight.expected, rel=0.01)
        assert flight.rise / source_flight.rise == pytest.approx(physics.MOON * factor**2, rel=0.01)


def test_in_heavy_gravity_the_run_hardly_leaves_the_ground() -> None:
    """Section 6.4.7: ten times the gravity; the flight is so low that the run looks like walking."""
    fit, heavy = run_fit(), result("heavy run")
    assert np.linalg.norm(heavy.gravity) == pytest.approx(physics.NEPTUNE)
    before, after = (measures.measured_flights(motion) for motion in (fit.motion, heavy))
    for source_flight, flight in zip(before, after, strict=True):
        assert flight.rise == pytest.approx(flight.expected, rel=0.01)
        assert flight.rise < source_flight.rise


def test_wide_footsteps_sway_more_and_leap_no_higher() -> None:
    """Section 6.4.4: each step covers more distance, so leaps are lower; the upper body's orientation changes."""
    fit, wide = run_fit(), result("wide footsteps")
    left, up, _ = axes(fit)
    sways, tops, rolls = [], [], []
    for motion in (fit.motion, wide):
        seconds = measures.times(motion)
        path = measures.path(motion, seconds)
        sways.append(np.ptp(path @ left))
        tops.append((path @ up).max())
        rolls.append(np.ptp(measures.values(motion, seconds, "roll")))
    assert sways[1] > 3.0 * sways[0]
    assert tops[1] < tops[0] + 0.005
    assert rolls[1] > rolls[0]


def test_crossed_footsteps_are_on_the_other_side_and_push_less_along_a_slippery_floor() -> None:
    fit, crossed = run_fit(), result("crossed footsteps")
    left, up, _ = axes(fit)
    places = {stance.contact: stance.place @ left for stance in crossed.stances}
    assert places["left foot"] < places["right foot"], "feet cross"
    edit = physics.crossed_footsteps(fit)
    rough = transform(fit, physics.Edit(footprints=edit.footprints)).motion
    along = []
    for motion in (rough, crossed):
        pushes = measures.push(motion, measures.times(motion))
        across = pushes - np.outer(pushes @ up, up)
        along.append(np.mean((across**2).sum(axis=1)))
    assert along[1] < 0.9 * along[0]


def test_a_limp_locks_the_knee_and_leans_to_the_good_leg() -> None:
    """Section 6.4.8: the character leans to the side and swings the right leg in a more dramatic way."""
    fit, limping = run_fit(), result("limp")
    seconds = measures.times(limping)
    assert np.ptp(measures.values(limping, seconds, "left knee flexion")) < 1e-6
    assert measures.values(limping, seconds, "left knee flexion")[0] == pytest.approx(np.deg2rad(10.0))
    left = physics.stances_of(fit, physics.LEFT)[0]
    rolls, lengths = [], []
    for motion in (fit.motion, limping):
        stance = measures.stances(motion)[left]
        rolls.append(measures.values(motion, middle(stance.begin, stance.end, motion), "roll")[0])
        lengths.append(stance.release - stance.touch)
    assert rolls[1] > rolls[0] + np.deg2rad(3.0), "over the stiff leg the body leans to the right"
    assert lengths[1] < lengths[0]


def test_a_short_leg_is_leant_on_and_pushes_harder() -> None:
    """Section 6.4.9: an extreme lean toward the shorter leg, and greater forces of the shortened leg."""
    fit, short = run_fit(), result("short leg")
    _, up, _ = axes(fit)
    hardest, rolls = [], []
    for motion in (fit.motion, short):
        peaks, leans = [], []
        for index in physics.stances_of(fit, physics.RIGHT):
            stance = measures.stances(motion)[index]
            if stance.touch <= 0.0 or stance.release >= motion.duration:
                continue  # the clip cuts it
            seconds = measures.times(motion, max(stance.touch, 0.0), min(stance.release, motion.duration))
            peaks.append((measures.push(motion, seconds) @ up).max())
            leans.append(measures.values(motion, seconds, "roll").mean())
        hardest.append(max(peaks))
        rolls.append(np.mean(leans))
    assert hardest[1] > hardest[0]
    assert rolls[1] > rolls[0], "the body leans to the right, where the leg is short"


HIP, KNEE, SHOULDER = (f"left {joint} and right {joint} flexion" for joint in ("hip", "knee", "shoulder"))
"""Degrees of freedom of the jumper."""

BENDS = {"hopper": ("roll", "spine left"), "jumper": ("left hip and right hip abduction", "spine abduction")}
"""By what each body bends sideways."""


# --- jumps --------------------------------------------------------------------------------------------------------


def knee_bend(clip: Clip, side: str) -> np.ndarray:
    """(frames,) of the made-up human, in degrees."""
    joint = getattr(clip.skeleton.landmarks, f"{side}_knee")
    return np.asarray(np.rad2deg(rotations.twist_angle(clip.motion.rotations[:, joint], (1.0, 0.0, 0.0))))


def leap(motion: SimplifiedMotion) -> tuple[float, float]:
    """When the longest flight of a motion begins and ends."""
    longest = max(measures.measured_flights(motion), key=lambda flight: flight.seconds)
    return longest.begin, longest.end


def velocity(motion: SimplifiedMotion, seconds: float) -> np.ndarray:
    """(3,) of the centre of mass, sizes a second."""
    places = measures.path(motion, np.array([seconds - 1e-4, seconds + 1e-4]))
    return (places[1] - places[0]) / 2e-4


@both_jumpers
def test_a_twist_jump_takes_its_spin_from_the_ground_before_the_take_off(recipe: str) -> None:
    """Section 6.5.3: anticipation changes, the body twists in the air, and has turned by a quarter at the end."""
    fit, twisted = jump_fit(recipe), result("twist jump", recipe)
    begin, end = leap(twisted)
    instants = np.array([0.0, begin, end, twisted.duration])
    before, after = (measures.values(motion, instants, "heading") for motion in (fit.motion, twisted))
    assert np.rad2deg(after[-1] - before[-1]) == pytest.approx(90.0, abs=0.5)
    assert np.rad2deg(after[2] - after[1]) > 10.0, "it turns in the air"
    assert abs(after[1] - before[1]) > np.deg2rad(1.0), "anticipation changes"
    seconds = np.concatenate([np.linspace(0.0, begin, 400), np.linspace(begin, end, 50)[1:]])
    spin = measures.gained_spin(twisted, seconds)
    assert spin[399] > 0.004, "sizes · body weights · seconds, to the left"
    assert np.ptp(spin[399:]) < 1e-6, "in the air it cannot change"
    assert abs(measures.gained_spin(fit.motion, seconds)[399]) < 1e-3


@both_jumpers
def test_a_diagonal_jump_realigns_anticipation_and_push_off(recipe: str) -> None:
    """Sections 6.5.4 and 6.7."""
    fit, diagonal = jump_fit(recipe), result("diagonal jump", recipe)
    left, _, forward = axes(fit)
    begin, end = leap(diagonal)
    foot = diagonal.stances[0].place
    way = diagonal.stances[-1].place - foot
    jump_angle = np.arctan2(way @ left, way @ forward)
    leaving = velocity(diagonal, begin)
    assert np.arctan2(leaving @ left, leaving @ forward) == pytest.approx(jump_angle, abs=np.deg2rad(12.0))
    seconds = measures.times(diagonal, begin - 0.3, begin)
    impulse = measures.push(diagonal, seconds).mean(axis=0)
    assert np.arctan2(impulse @ left, impulse @ forward) == pytest.approx(jump_angle, abs=np.deg2rad(20.0))
    before = measures.times(diagonal, 0.0, begin)
    aside = (measures.path(diagonal, before) - foot) @ left
    assert aside.min() < -0.005, "before the leap the body moves the other way"
    straight = measures.path(fit.motion, before) - foot
    assert np.abs(straight @ left).max() < 1e-4, "which it does not in the straight jump"
    air = measures.times(diagonal, begin, end)
    bend = [
        sum(np.abs(measures.values(motion, air, name)).max() for name in BENDS[recipe])
        for motion in (fit.motion, diagonal)
    ]
    assert bend[1] > bend[0] + 0.1, "it bends sideways in the air"
    headings = measures.values(diagonal, measures.times(diagonal), "heading")
    known = measures.values(fit.motion, measures.times(fit.motion), "heading")
    assert np.rad2deg(np.abs(headings - known).max()) < 15.0, "it faces as before"


def test_the_knees_of_a_diagonal_jump_bend_as_before_while_hips_swing_to_both_sides() -> None:
    """Section 6.7: of the transformed jump, the curves of knee and shoulder are those of a real diagonal jump but for
    their extremes, and that of the hip has inflections that the straight jump has not."""
    fit, diagonal = jump_fit(), result("diagonal jump")
    seconds = measures.times(diagonal)
    for name in (HIP, KNEE, SHOULDER):
        before, after = (np.rad2deg(measures.values(motion, seconds, name)) for motion in (fit.motion, diagonal))
        assert np.corrcoef(before, after)[0, 1] > 0.99, name
        assert np.sqrt(np.mean((after - before) ** 2)) < 0.05 * np.ptp(before), name
    abduction = measures.values(diagonal, seconds, "left hip and right hip abduction")
    assert np.rad2deg(abduction.max()) > 2.0 and np.rad2deg(abduction.min()) < -2.0
    assert np.abs(measures.values(fit.motion, seconds, "left hip and right hip abduction")).max() < np.deg2rad(0.5)


def test_the_full_characters_knees_follow_those_of_the_simplified_one() -> None:
    """Section 6.7 compares the knee of the reconstructed character."""
    fit, clip = jump_fit(), transformed("diagonal jump").clip
    for side in ("left", "right"):
        bends = [knee_bend(each, side) for each in (fit.source, clip)]
        assert np.corrcoef(*bends)[0, 1] > 0.99
        assert np.abs(bends[1] - bends[0]).max() < 15.0, "degrees, of more than a hundred"
        assert np.ptp(bends[0]) > 90.0


def test_a_jump_that_is_shortened_has_the_knees_of_a_shorter_jump() -> None:
    """Section 6.7 transforms one jump into another that is known too, and compares the curves of their joints."""
    fit = jump_fit()
    back = -0.1 * fit.units.length
    edit = Edit(
        footprints=tuple(FootprintEdit(index, (0.0, 0.0, back)) for index in physics.landing(fit)),
        deviation=fit.deviation,
    )
    made, known = transform(fit, edit).clip, jump(distance=DISTANCE - 0.1, fps=physics_sources.RATE).clip
    bends = [knee_bend(each, "left") for each in (made, known)]
    assert np.corrcoef(*bends)[0, 1] > 0.99
    assert np.sqrt(np.mean((bends[0] - bends[1]) ** 2)) < 4.0, "degrees, of more than a hundred"


@both_jumpers
def test_an_obstacle_jump_leaves_faster_after_a_deeper_crouch_and_clears_the_obstacle(recipe: str) -> None:
    """Sections 6.5.5 and 6.8."""
    fit, high = jump_fit(recipe), result("obstacle jump", recipe)
    _, up, _ = axes(fit)
    begin, _ = leap(high)
    leaving, crouch = [], []
    for motion in (fit.motion, high):
        leaving.append(velocity(motion, begin) @ up)
        crouch.append(measures.heights_of_mass(motion, measures.times(motion, 0.0, begin)).min())
    assert leaving[1] > leaving[0] + 0.1
    assert crouch[1] < crouch[0] - 0.001
    (obstacle,) = physics.obstacle_jump(fit).obstacles
    size = fit.units.length
    air = measures.times(high, *leap(high))
    feet = measures.feet(high, air, "between")
    away = feet - np.array(obstacle.place) / size
    across = np.linalg.norm(away - np.outer(away @ up, up), axis=1) * size
    ground = obstacle.height / size * np.exp(-((across / obstacle.radius) ** 4))
    assert (away @ up - ground).min() > -0.02


@both_jumpers
def test_an_unbalanced_landing_goes_on_ahead_and_does_not_come_to_stand(recipe: str) -> None:
    """Section 6.5.6: the hopper tumbles forward, the jumper does not use its muscles to stand up."""
    fit, unbalanced = jump_fit(recipe), result("unbalanced landing", recipe)
    _, _, forward = axes(fit)
    ahead, speeds, heights = [], [], []
    for motion in (fit.motion, unbalanced):
        place = measures.path(motion, np.array([motion.duration]))[0] - motion.stances[-1].place
        ahead.append(place @ forward)
        speeds.append(velocity(motion, motion.duration - 1e-3) @ forward)
        heights.append(measures.heights_of_mass(motion, np.array([motion.duration]))[0])
    assert abs(ahead[0]) < 0.15 and ahead[1] > ahead[0] + 0.05
    if recipe == "hopper":
        assert ahead[1] > ahead[0] + 0.15 and speeds[1] > speeds[0] + 0.2, "and it goes on falling"
    else:
        assert heights[1] < heights[0] - 0.1, "it stays crouched"


def test_a_jump_is_fitted_within_five_hundredths_at_every_instant() -> None:
    for each in jump_fit().handles:
        if each.handle.is_length:
            assert each.largest < 0.05, each.handle.label


@pytest.mark.parametrize("name", ["moon run", "wide footsteps", "twist jump", "diagonal jump"])
def test_flights_are_parabolas(name: str) -> None:
    for flight in measures.measured_flights(result(name)):
        assert flight.rise == pytest.approx(flight.expected, rel=1e-3)

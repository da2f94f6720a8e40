# SPDX-License-Identifier: GPL-3.0-or-later
"""Balance over time: the target of equation 4.5, displaced by a given amount, blended in and out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from poise.solver import deform
from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint
from poise.solver.constraints import Balance, ConstraintPoint, Footplant, Source, Track
from poise.solver.constraints.balance import PASSING
from poise.solver.constraints.effectors import BalanceEffector, CenterOfMassEffector
from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError, PoiseError
from poise.solver.core.splines import Spline
from poise.solver.deformation.timeline import Timeline
from poise.solver.synthetic import walk

from ..made_up import moving_human, placed, plant_of, point_clip

FEET = ("left_heel", "left_toe", "right_heel", "right_toe")


@pytest.fixture
def clip(rng: np.random.Generator) -> Clip:
    return moving_human(rng)


def track_of(balance: Balance, clip: Clip) -> Track:
    (track,) = balance.tracks(Source(clip))
    return track


def over_the_feet(clip: Clip) -> Array:
    """(frames, 3) from the barycentre of heels and balls to the centre of mass."""
    feet = [clip.position(clip.skeleton.landmarks.require(name)) for name in FEET]
    return clip.center_of_mass() - np.mean(feet, axis=0)


@pytest.mark.parametrize("up", ["y", "z"])
def test_the_centre_of_mass_keeps_its_place_over_the_feet(up: Any, rng: np.random.Generator) -> None:
    """Equation 4.5: the same vector from the barycentre to the centre of mass, whatever the result does."""
    clip = moving_human(rng, up=up)
    timeline = Timeline.of(Source(clip), [Balance()])
    (target,) = timeline.targets()
    np.testing.assert_allclose(target, over_the_feet(clip), atol=1e-13)
    (channel,) = timeline.channels
    assert channel.active.all() and channel.in_hold.all()
    assert isinstance(channel.effector, BalanceEffector) and channel.effector.axes == ("xz" if up == "y" else "xy")
    # Moved feet move the goal: a clip elsewhere satisfies it as it is.
    elsewhere = placed(clip, np.array([1.0, 0.0, 0.0, 0.0]), (5.0, 6.0, 7.0))
    task = channel.effector.task(target)
    np.testing.assert_allclose(task.error(elsewhere.world), 0.0, atol=1e-12)


def test_other_points_and_other_axes(clip: Clip) -> None:
    hand = BodyPoint("l_wrist", (0.0, 0.1, 0.0))
    source = Source(clip)
    (track,) = Balance(points=iter(["r_wrist", hand]), axes="y").tracks(source)
    expected = clip.center_of_mass() - 0.5 * (clip.position("r_wrist") + clip.position(hand))
    np.testing.assert_allclose(source.values(track.effector), expected, atol=1e-13)
    assert isinstance(track.effector, BalanceEffector) and track.effector.axes == "y"
    assert not track.displacement.any()


def test_all_forms_of_a_displacement(clip: Clip, rng: np.random.Generator) -> None:
    shift, curve = rng.standard_normal(3), rng.standard_normal((61, 3))
    spline = Spline([0.0, 30.0, 60.0], rng.standard_normal((3, 3)))
    for given, expected in ((shift, np.tile(shift, (61, 1))), (curve, curve), (spline, spline.at(np.arange(61)))):
        track = track_of(Balance(displacement=given), clip)
        np.testing.assert_array_equal(track.displacement, expected)
        assert (track.begin, track.end, track.hold_intervals) == (0, 60, ((0.0, 60.0),))


def test_it_comes_and_goes_smoothly_where_it_does_not_last_as_long_as_the_clip(clip: Clip) -> None:
    shift = np.array([0.3, 0.2, -0.1])
    track = track_of(Balance(displacement=shift, begin=10, end=50), clip)
    assert (track.begin, track.end, track.hold_intervals) == (10, 50, ((17.5, 42.5),))
    share = track.displacement @ shift / (shift @ shift)
    np.testing.assert_allclose(track.displacement, share[:, None] * shift, atol=1e-15)
    assert share[0] == share[-1] == 0.0
    np.testing.assert_allclose(share[8:33], 1.0, atol=1e-15)
    assert (np.diff(share[:9]) > 0.0).all() and (np.diff(share[32:]) < 0.0).all()
    np.testing.assert_allclose(share, share[::-1], atol=1e-14)
    # At rest and without acceleration where it begins and where it is reached.
    assert share[1] < 0.03 and 1.0 - share[7] < 0.03
    only_later = track_of(Balance(displacement=shift, begin=10), clip)
    assert only_later.hold_intervals == ((17.5, 60.0),) and (only_later.displacement[-1] == shift).all()
    only_first = track_of(Balance(displacement=shift, end=50), clip)
    assert only_first.hold_intervals == ((0.0, 42.5),) and (only_first.displacement[0] == shift).all()


def test_a_short_one_is_reached_in_its_middle(clip: Clip) -> None:
    track = track_of(Balance(displacement=(1.0, 0.0, 0.0), begin=10, end=16), clip)
    assert track.hold_intervals == ((13.0, 13.0),)
    assert track.displacement[3, 0] == 1.0 and track.displacement[[0, -1]].max() == 0.0


def test_one_frame(rng: np.random.Generator) -> None:
    track = track_of(Balance(displacement=(1.0, 2.0, 3.0)), moving_human(rng, 1))
    np.testing.assert_array_equal(track.displacement, [[1.0, 2.0, 3.0]])
    alone = track_of(Balance(displacement=(1.0, 2.0, 3.0), begin=7, end=7), moving_human(rng))
    assert (alone.begin, alone.end, alone.hold_intervals) == (7, 7, ((7.0, 7.0),))
    np.testing.assert_array_equal(alone.displacement, [[1.0, 2.0, 3.0]])


def test_keyed_displacements_are_met_and_smooth_between(clip: Clip) -> None:
    points = [ConstraintPoint((0.1, 0.0, 0.0), 40, 50), ConstraintPoint((0.0, 0.0, 0.2), 10, tension=0.5)]
    found = track_of(Balance(displacement=iter(points)), clip).displacement
    np.testing.assert_allclose(found[40:51], np.tile((0.1, 0.0, 0.0), (11, 1)), atol=1e-15)
    np.testing.assert_allclose(found[:11], np.tile((0.0, 0.0, 0.2), (11, 1)), atol=1e-15)
    expected = Spline([10.0, 40.0, 50.0], [[0, 0, 0.2], [0.1, 0, 0], [0.1, 0, 0]], tension=[0.5, 1.0, 1.0])
    np.testing.assert_allclose(found, expected.at(np.arange(61)), atol=1e-15)
    with pytest.raises(ConstraintError, match=r"^poise: its displacements must be at different times"):
        track_of(Balance(displacement=[points[0], replace(points[0], begin=45)], name="poise"), clip)
    with pytest.raises(ConstraintError, match=r"^poise: a displacement must be three numbers"):
        track_of(Balance(displacement=[ConstraintPoint((0.1, 0.2), 45)], name="poise"), clip)


# The support of plants -----------------------------------------------------------------------------------------------


def walking() -> tuple[Clip, list[Footplant]]:
    """A walk with its plants, every second of which is moved to the left by a tenth of the size."""
    steps = walk(steps=4, fps=60.0)
    plants = [plant_of(contact, priority=3) for contact in steps.contacts]
    aside = np.array([0.1 * steps.clip.skeleton.size, 0.0, 0.0])
    return steps.clip, [plant.moved(aside) if number % 2 else plant for number, plant in enumerate(plants)]


def compiled(balance: Balance, clip: Clip, plants: list[Footplant]) -> Track:
    source = Source(clip)
    source.begin_compilation((*plants, balance))
    (track,) = balance.compiled(source)
    return track


def standing_points(clip: Clip, plants: list[Footplant]) -> Array:
    """(frames, plants) the number of heels and balls that each plant holds."""
    count = np.zeros((clip.frames, len(plants)))
    for number, plant in enumerate(plants):
        for begin, end in plant.stays.values():
            count[int(np.ceil(begin)) : int(end) + 1, number] += 1.0
    return count


def test_on_plants_it_moves_with_the_feet_that_stand() -> None:
    clip, plants = walking()
    track = compiled(Balance(support="plants"), clip, plants)
    assert isinstance(track.effector, CenterOfMassEffector) and track.hold_intervals == ((0.0, clip.frames - 1.0),)
    count = standing_points(clip, plants)
    share = count[:, 1::2].sum(axis=1) / np.maximum(count.sum(axis=1), 1.0)
    aside = track.displacement[:, 0] / (0.1 * clip.skeleton.size)
    radius = round(PASSING * clip.fps)
    # Farther from every event than the passing lasts, only the feet that stand count.
    steady = [f for f in range(radius, clip.frames - radius) if np.ptp(share[f - radius : f + radius + 1]) == 0.0]
    assert {0.0, 1.0} <= set(share[steady])
    np.testing.assert_allclose(aside[steady], share[steady], atol=1e-9)
    assert aside.min() > -1e-9 and aside.max() < 1.0 + 1e-9
    # A step of one passes by a window of this radius with no larger second difference: docs/derivations.md, section 7.
    assert np.abs(np.diff(aside, 2)).max() < 2.0 * np.pi / (2.0 * (radius + 1) ** 2)
    assert np.abs(np.diff(share, 2)).max() > 0.3


def test_on_plants_that_stay_where_they_are_it_stays_too() -> None:
    clip, plants = walking()
    still = [replace(plant, shift=(0.0, 0.0, 0.0)) for plant in plants]
    track = compiled(Balance(support="plants", displacement=(0.0, 0.0, 0.3)), clip, still)
    assert np.abs(track.displacement - (0.0, 0.0, 0.3)).max() < 1e-3 * clip.skeleton.size


def test_on_plants_that_are_turned_in_their_places_it_stays() -> None:
    """A plant turns about the middle between heel and ball; how it rolls, or points, is no displacement."""
    clip, plants = walking()
    flat = [replace(each, toe_strike=each.heel_strike, toe_off=each.heel_off, shift=(0.0, 0.0, 0.0)) for each in plants]
    still, turned = (
        compiled(Balance(support="plants"), clip, given).displacement
        for given in (flat, [each.turned(0.7) for each in flat])
    )
    np.testing.assert_allclose(turned, still, atol=1e-9 * clip.skeleton.size)


def test_without_plants_it_stands_on_the_feet(clip: Clip) -> None:
    assert isinstance(track_of(Balance(support="plants"), clip).effector, BalanceEffector)
    assert Balance().support == "feet"


def test_it_follows_plants_that_are_edited() -> None:
    clip, plants = walking()
    balance = Balance(support="plants", priority=2)
    first = deform(clip, [*plants, balance])
    home = [replace(plant, shift=(0.0, 0.0, 0.0)) for plant in plants]
    again = first.again([*home, balance])
    middle = int(0.5 * (plants[1].toe_strike + plants[1].heel_off))  # type: ignore[operator]
    moved = first.clip.center_of_mass() - again.clip.center_of_mass()
    assert moved[middle, 0] == pytest.approx(0.1 * clip.skeleton.size, rel=0.05)
    for deformation in (first, again):
        assert not deformation.report.conflicts


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"begin": -1}, "its begin .* lies outside the clip"),
        ({"end": 61}, "its end .* lies outside the clip"),
        ({"end": np.nan}, "its end must be a finite number"),
        ({"begin": 30, "end": 20}, "begins at frame 30, after its end at 20"),
        ({"begin": 10.2, "end": 10.8}, "there is no frame between its begin 10.2 and its end 10.8"),
        ({"points": []}, "needs at least one point"),
        ({"support": "hands"}, "its support is one of feet, plants, not 'hands'"),
        ({"support": "plants", "points": ["l_wrist"]}, "on plants or on given points, not on both"),
        ({"points": ["l_wirst"]}, "'l_wirst'"),
        ({"displacement": (1.0, 2.0)}, "must be three numbers, or three for each of the 61 frames"),
        ({"displacement": np.zeros((60, 3))}, r"not shape \(60, 3\)"),
        ({"displacement": Spline([0.0, 1.0], [[0.0], [1.0]])}, r"not shape \(61, 1\)"),
        ({"displacement": (0.0, np.nan, 0.0)}, "its displacement is not finite"),
        ({"displacement": "left"}, "its displacement must be numbers"),
    ],
)
def test_what_cannot_be_is_an_error_with_its_name(clip: Clip, wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConstraintError, match=f"^poise: .*{sentence}"):
        Balance(name="poise", **wrong).tracks(Source(clip))


@pytest.mark.parametrize("axes", ["", "xx", "w"])
def test_axes_are_letters_each_once(axes: str) -> None:
    with pytest.raises(PoiseError, match=r"^poise: axes must be some of the letters"):
        Balance(name="poise", axes=axes)


def test_a_clip_without_frames_and_a_character_without_feet(rng: np.random.Generator) -> None:
    with pytest.raises(ConstraintError, match=r"^poise: .* outside the clip"):
        Balance(name="poise").tracks(Source(moving_human(rng, 0)))
    with pytest.raises(ConstraintError, match=r"^poise: The left heel of this character was not found"):
        Balance(name="poise").tracks(Source(point_clip(np.zeros((4, 3)))))

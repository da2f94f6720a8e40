# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of feet after an edit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.constraints import Footplant
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError
from poise.solver.spacetime.handles.full_body import FullBody
from poise.solver.spacetime.handles.handle import AxisHandle, CenterOfMassHandle, Handle, MidpointHandle, PointHandle
from poise.solver.spacetime.handles.handle_tracks import HandleTrack
from poise.solver.spacetime.reconstruction.foot_paths import (
    PlantedFoot,
    SourceFeet,
    foot_paths,
    is_foot_handle,
    standing,
)
from poise.solver.spacetime.reconstruction.time_warp import warped

from .edits import bump, foot_path, walking


def still(clip: Clip) -> Array:
    return np.tile(rotations.IDENTITY, (clip.frames, 1))


def track(clip: Clip, handle: Handle, moved: Array, off: Array | float = 0.0) -> HandleTrack:
    """A handle that an edit moves, whose fit is off."""
    values = handle.value(FullBody(clip.world)) + off
    return HandleTrack(handle, values, values + moved)


def places(clip: Clip, foot: str) -> tuple[Array, Array]:
    return tuple(clip.position(clip.skeleton.landmarks.require(f"{foot}_{part}")) for part in ("heel", "ball"))  # type: ignore[return-value]


# --- stances ---------------------------------------------------------------------------------------------------------


def test_a_foot_that_stands_is_displaced_by_its_plant_exactly() -> None:
    """Whatever its handle says, with a turn about its own place."""
    clip, plants = walking()
    up = np.eye(3)[1]
    moved = 0.3 * bump(clip.frames, 3) * np.array([1.0, 0.4, -0.5])
    planted = [PlantedFoot.of(plant, (0.1, 0.05, -0.2), turn=0.4) for plant in plants]
    tracks = [track(clip, PointHandle(f"{foot}_ball"), moved) for foot in ("left", "right")]
    paths = foot_paths(SourceFeet.of(clip), tracks, planted, still(clip))
    turn = rotations.exp(0.4 * up)
    for plant in planted:
        path, (heels, balls) = paths[plant.foot], places(clip, plant.foot)
        begin, end = int(plant.begin), int(plant.end)
        during = slice(begin, end + 1)
        assert plant.heel is not None and plant.ball is not None
        both = slice(int(max(plant.heel[0], plant.ball[0])), int(min(plant.heel[1], plant.ball[1])) + 1)
        middle = 0.5 * (heels + balls)[both].mean(axis=0)
        for found, before in ((path.heel_places, heels), (path.ball_places, balls)):
            expected = middle + rotations.rotate(turn, before[during] - middle) + np.array([0.1, 0.05, -0.2])
            np.testing.assert_allclose(found[during], expected, atol=1e-12)
        joint = int(path.heel.joint)
        expected = rotations.multiply(turn, clip.world.rotations[during, joint])
        assert rotations.angle_between(path.orientations[during], expected).max() < 1e-7
        mean = 0.5 * (path.heel_places + path.ball_places)[both].mean(axis=0)
        np.testing.assert_allclose(mean, middle + np.array([0.1, 0.05, -0.2]), atol=1e-12)


def test_a_foot_is_displaced_as_a_rigid_body() -> None:
    clip, plants = walking()
    planted = [PlantedFoot.of(plant, (0.1 * number, 0.0, 0.0), 0.3) for number, plant in enumerate(plants)]
    for foot, path in foot_paths(SourceFeet.of(clip), [], planted, still(clip)).items():
        heels, balls = places(clip, foot)
        found = rotations.lengths(path.heel_places - path.ball_places)
        np.testing.assert_allclose(found, rotations.lengths(heels - balls), atol=1e-12)
        ankle = clip.position(clip.skeleton.landmarks.leg(foot)[2])
        np.testing.assert_allclose(
            rotations.lengths(path.place(balls, ankle) - path.ball_places), rotations.lengths(ankle - balls), atol=1e-12
        )


def test_feet_that_stand_still_do_so_between_frames() -> None:
    """A clip that is slowed down interpolates rotations, which moves feet that stand."""
    clip, plants = walking(fps=30.0)
    times = np.minimum(np.arange(0.0, clip.frames - 1.0, 0.37), clip.frames - 1.0)
    slow = warped(clip, times)
    planted = [
        PlantedFoot(
            foot=plant.foot,
            **{
                ("ball" if part == "toe" else part): (stay[0] / 0.37, stay[1] / 0.37)
                for part, stay in plant.stays.items()
            },
        )
        for plant in plants
    ]
    feet = SourceFeet.sampled(clip, times, slow, planted)
    wandering = SourceFeet.of(slow)
    size, worst = clip.skeleton.size, 0.0
    for plant in planted:
        for part, found, sampled in (
            ("heel", feet.heels, wandering.heels),
            ("ball", feet.balls, wandering.balls),
        ):
            during = plant.frames(part, slow.frames)
            assert np.ptp(found[plant.foot][during], axis=0).max() < 1e-9 * size
            worst = max(worst, float(np.ptp(sampled[plant.foot][during], axis=0).max()))
    assert worst > 1e-4 * size, "the sampled clip does not show what is corrected"
    for found, sampled in ((feet.heels, wandering.heels), (feet.balls, wandering.balls)):
        for side, places in found.items():
            assert np.abs(places - sampled[side]).max() < 1e-3 * size
            bends = [np.abs(np.diff(each, 2, axis=0)).max() for each in (places, sampled[side])]
            assert bends[0] < 1.1 * bends[1]


def test_feet_that_still_move_in_their_stances_go_on_doing_so_between_frames() -> None:
    """Detected stances begin and end with feet that are not quite at rest, all the more so between frames."""
    clip, plants = walking(fps=60.0)
    times = np.minimum(np.arange(0.0, clip.frames - 1.0, 0.83), clip.frames - 1.0)
    slow = warped(clip, times)
    planted = []
    for plant in plants:
        begin, end = plant.stays["toe"]
        if begin > 4 and end < clip.frames - 5:
            planted.append(PlantedFoot(foot=plant.foot, ball=((begin - 4.0) / 0.83, (end + 4.0) / 0.83)))
    assert planted
    found, sampled = SourceFeet.sampled(clip, times, slow, planted), SourceFeet.of(slow)
    for plant in planted:
        during = plant.frames("ball", slow.frames)
        places = found.balls[plant.foot][during]
        assert np.ptp(places, axis=0).max() > 5e-3 * clip.skeleton.size, "the ball moves"
        assert np.abs(places - sampled.balls[plant.foot][during]).max() < 1e-3 * clip.skeleton.size


def test_feet_in_the_frames_of_the_source_are_those_of_the_source() -> None:
    clip, plants = walking()
    times = np.arange(0.0, clip.frames, 2.0)
    twice = warped(clip, times)
    found = SourceFeet.sampled(clip, times, twice, [])
    assert found.clip is twice and plants
    for side in ("left", "right"):
        np.testing.assert_allclose(found.balls[side], SourceFeet.of(clip).balls[side][::2], atol=1e-12)


def test_parts_that_stand() -> None:
    clip, _ = walking()
    plants = [PlantedFoot(foot="left", heel=(3.0, 8.0), ball=(5.4, 12.0)), PlantedFoot(foot="left", ball=(30.2, 30.7))]
    np.testing.assert_array_equal(np.flatnonzero(standing(plants, "left", "heel", clip.frames)), np.arange(3, 9))
    np.testing.assert_array_equal(np.flatnonzero(standing(plants, "left", "ball", clip.frames)), [*range(6, 13), 30])
    assert not standing(plants, "right", "heel", clip.frames).any()
    path = foot_paths(SourceFeet.of(clip), [], plants, still(clip))["left"]
    assert set(paths_firm(path.heel_firmness)) == set(range(3, 9))
    assert set(paths_firm(path.ball_firmness)) == {*range(6, 13), 30}
    assert path.heel_firmness[20] == 0.0 and 0.0 < path.heel_firmness[10] < 1.0
    assert (np.abs(np.diff(path.ball_firmness)) < 0.7).all()


def paths_firm(firmness: Array) -> list[int]:
    return np.flatnonzero(firmness == 1.0).tolist()


# --- swings ----------------------------------------------------------------------------------------------------------


def test_a_foot_that_swings_follows_its_handle() -> None:
    """Where the handle agrees with the plants, it is the handle's displacement alone, however far the fit is off."""
    clip, plants = walking()
    shifts = [np.array([0.1 * (number % 2), 0.03 * number, 0.0]) for number in range(len(plants))]
    planted = [PlantedFoot.of(plant, shift) for plant, shift in zip(plants, shifts, strict=True)]
    moved = {foot: foot_path(clip.frames, plants, shifts, foot) for foot in ("left", "right")}
    lift = {}
    for foot, path in foot_paths(SourceFeet.of(clip), [], planted, still(clip)).items():
        swings = np.maximum(path.heel_firmness, path.ball_firmness) == 0.0
        lift[foot] = swings[:, None] * np.array([0.0, 0.02, 0.0])
    for part in ("ball", "heel", "ankle"):
        tracks = [track(clip, PointHandle(f"{foot}_{part}"), moved[foot] + lift[foot], 0.07) for foot in moved]
        for foot, path in foot_paths(SourceFeet.of(clip), tracks, planted, still(clip)).items():
            found = path.ball_places - places(clip, foot)[1]
            np.testing.assert_allclose(found, moved[foot] + lift[foot], atol=1e-12)


def test_a_handle_that_is_off_in_the_plants_is_corrected_smoothly() -> None:
    clip, plants = walking(fps=60.0)
    shifts = [np.array([0.1 * (number % 2), 0.0, 0.0]) for number in range(len(plants))]
    planted = [PlantedFoot.of(plant, shift) for plant, shift in zip(plants, shifts, strict=True)]
    off = 0.02 * np.sin(np.arange(clip.frames) / 15.0)[:, None] * np.array([1.0, 0.5, -1.0])
    tracks = [
        track(clip, PointHandle(f"{foot}_ball"), foot_path(clip.frames, plants, shifts, foot) + off)
        for foot in ("left", "right")
    ]
    for foot, path in foot_paths(SourceFeet.of(clip), tracks, planted, still(clip)).items():
        found = path.ball_places - places(clip, foot)[1]
        # As smooth as the handle itself: a jump of a hundredth would be ten times as much.
        assert np.abs(np.diff(found, 2, axis=0)).max() < 2e-3
        assert np.abs(np.diff(found, axis=0)).max() < 0.02


def test_without_a_handle_a_foot_swings_from_plant_to_plant() -> None:
    clip, plants = walking(fps=60.0)
    shifts = [np.array([0.2 * (-1) ** (number // 2), 0.0, 0.0]) for number in range(len(plants))]
    planted = [PlantedFoot.of(plant, shift) for plant, shift in zip(plants, shifts, strict=True)]
    for foot, path in foot_paths(SourceFeet.of(clip), [], planted, still(clip)).items():
        found = (path.ball_places - places(clip, foot)[1])[:, 0]
        own = [plant for plant in planted if plant.foot == foot]
        shortest = min(later.begin - earlier.end for earlier, later in itertools.pairwise(own))
        assert np.abs(found).max() == pytest.approx(0.2)
        assert np.abs(np.diff(found, 2)).max() < 6.0 * 0.4 / shortest**2


def test_a_turn_of_the_body_turns_feet_that_swing() -> None:
    clip, _ = walking()
    headings = rotations.exp(0.7 * bump(clip.frames, 1) * np.eye(3)[1])
    balls = places(clip, "left")[1]
    moved = rotations.rotate(headings, balls) - balls
    path = foot_paths(SourceFeet.of(clip), [track(clip, PointHandle("left_ball"), moved)], [], headings)["left"]
    np.testing.assert_allclose(path.ball_places, rotations.rotate(headings, balls), atol=1e-12)
    expected = rotations.multiply(headings, clip.world.rotations[:, int(path.heel.joint)])
    assert rotations.angle_between(path.orientations, expected).max() < 1e-7


def test_both_feet_turn_about_the_middle_between_them() -> None:
    clip, _ = walking()
    headings = rotations.exp(np.linspace(0.0, 1.5, clip.frames)[:, None] * np.eye(3)[1])
    handle = MidpointHandle("right_ball", "left_ball")
    away = np.array([0.3, 0.1, 0.0])
    paths = foot_paths(SourceFeet.of(clip), [track(clip, handle, np.tile(away, (clip.frames, 1)))], [], headings)
    middle = handle.value(FullBody(clip.world))
    for foot in ("left", "right"):
        expected = middle + away + rotations.rotate(headings, places(clip, foot)[1] - middle)
        np.testing.assert_allclose(paths[foot].ball_places, expected, atol=1e-12)


def test_feet_without_plants_and_handles_have_no_path() -> None:
    clip, plants = walking()
    assert not foot_paths(
        SourceFeet.of(clip), [track(clip, CenterOfMassHandle(), np.zeros((clip.frames, 3)))], [], still(clip)
    )
    own = [PlantedFoot.of(plant) for plant in plants if plant.foot == "left"]
    assert list(foot_paths(SourceFeet.of(clip), [], own, still(clip))) == ["left"]


@pytest.mark.parametrize(
    ("handle", "expected"),
    [
        (PointHandle("left_ball"), True),
        (PointHandle("right_toe_tip"), True),
        (MidpointHandle("left_ball", "right_ball"), True),
        (MidpointHandle("left_ball", "right_heel"), False),
        (MidpointHandle("left_ball", "left_ball"), False),
        (MidpointHandle("left_hip", "right_hip"), False),
        (PointHandle("left_knee"), False),
        (AxisHandle("left_ankle", "up"), False),
        (CenterOfMassHandle("left_ankle"), False),
    ],
)
def test_handles_of_feet(handle: Handle, expected: bool) -> None:
    assert is_foot_handle(handle) is expected


# --- planted feet ----------------------------------------------------------------------------------------------------


def test_a_planted_foot_of_a_footplant() -> None:
    plant = Footplant(foot="right", heel_strike=1, toe_strike=2, heel_off=5, toe_off=9, name="third step")
    found = PlantedFoot.of(plant, [1, 2, 3], 0.5)
    assert found == PlantedFoot(
        foot="right", heel=(1, 5), ball=(2, 9), shift=(1.0, 2.0, 3.0), turn=0.5, name="third step"
    )
    assert (found.begin, found.end, found.label, found.is_still) == (1, 9, "third step", False)
    alone = PlantedFoot.of(Footplant(foot="left", toe_strike=2, toe_off=4))
    assert list(alone.stays) == ["ball"] and alone.is_still and alone.label == "The planted left foot"


def test_bad_plants_are_refused() -> None:
    with pytest.raises(ConstraintError, match="'left' or the 'right' one, not 'middle'"):
        PlantedFoot(foot="middle", heel=(0, 1))  # type: ignore[arg-type]
    with pytest.raises(ConstraintError, match="needs the times of the heel, of the ball, or of both"):
        PlantedFoot(foot="left")
    with pytest.raises(ConstraintError, match="the heel stands from one time until a later one"):
        PlantedFoot(foot="left", heel=(3, 1))
    with pytest.raises(ConstraintError, match="the ball stands from one time"):
        PlantedFoot(foot="left", ball=(3.0,))  # type: ignore[arg-type]
    with pytest.raises(ConstraintError, match="shift must be three finite numbers"):
        PlantedFoot(foot="left", heel=(0, 1), shift=(0.0, np.nan, 0.0))
    with pytest.raises(ConstraintError, match="turn must be a finite number"):
        PlantedFoot(foot="left", heel=(0, 1), turn=np.inf)
    with pytest.raises(ConstraintError, match="its time 7 lies outside the result, whose frames are 0 to 5"):
        PlantedFoot(foot="left", heel=(0, 7)).check(6)
    clip, _ = walking()
    twice = [PlantedFoot(foot="left", heel=(0, 9)), PlantedFoot(foot="left", ball=(5, 20))]
    with pytest.raises(ConstraintError, match="a foot stands in one place at a time"):
        foot_paths(SourceFeet.of(clip), [], twice, still(clip))

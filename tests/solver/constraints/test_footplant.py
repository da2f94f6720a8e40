# SPDX-License-Identifier: GPL-3.0-or-later
"""Footplants: when and where heel and ball stand, on which ground, and which of the two ranks higher."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint
from poise.solver.body.motion import Motion
from poise.solver.body.moving_ground import over_ground
from poise.solver.body.skeleton import Up
from poise.solver.constraints import Footplant, Ground, Source, Track
from poise.solver.constraints.effectors import PointEffector
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError
from poise.solver.deformation.timeline import Timeline
from poise.solver.synthetic import SyntheticMotion, human
from poise.solver.synthetic import walk as made_up_walk

from ..made_up import moving_human, placed, plant_of, point_clip

CONTACT = 2
"""Of the walk: the second plant of the right foot, whole within the clip."""


@cache
def walk(up: Up = "y", heading: float = 0.0) -> SyntheticMotion:
    return made_up_walk(steps=4, up=up, heading=heading)


@cache
def source_of(up: Up = "y", ground: Ground | None = None) -> Source:
    return Source(walk(up).clip, ground)


def plant(up: Up = "y", **rest: Any) -> Footplant:
    return plant_of(walk(up).contacts[CONTACT], **rest)


def up_of(source: Source) -> int:
    return source.clip.skeleton.up_axis


def by_part(plant: Footplant, source: Source) -> dict[str, Track]:
    """Its tracks of heel and ball as "heel" and "toe"."""
    marks = source.clip.skeleton.landmarks
    heel = PointEffector(source.clip.skeleton.resolve(marks.require(f"{plant.foot}_heel")))
    return {"heel" if track.effector == heel else "toe": track for track in plant.point_tracks(source)}


def stand(plant: Footplant, source: Source) -> dict[str, Array]:
    """Where heel and toe stand: what their tracks ask for in the middle of their stays."""
    places = {}
    for part, track in by_part(plant, source).items():
        begin, end = plant.stays[part]
        frame = round(0.5 * (begin + end))
        places[part] = source.values(track.effector)[frame] + track.displacement[frame - track.begin]
    return places


def ends(plant: Footplant, source: Source) -> Array:
    """(2, 3) heel and toe."""
    places = stand(plant, source)
    return np.stack([places["heel"], places["toe"]])


def foot_length(source: Source, foot: str = "right") -> float:
    marks = source.clip.skeleton.landmarks
    heel, toe = (source.clip.position(marks.require(f"{foot}_{part}")) for part in ("heel", "toe"))
    lengths = np.linalg.norm(toe - heel, axis=1)
    assert np.ptp(lengths) < 1e-9, "the made-up foot is rigid"
    return float(lengths[0])


def clearance(source: Source) -> float:
    """How much higher the ball is than the heel on the character at rest."""
    skeleton = source.clip.skeleton
    rest = Source(Clip(skeleton, Motion(skeleton.rest_rotations[None], skeleton.offsets[None])))
    heel, toe = (rest.clip.position(skeleton.landmarks.require(f"right_{part}"))[0] for part in ("heel", "toe"))
    return float((toe - heel)[skeleton.up_axis])


def over(source: Source, place: Array) -> float:
    """The height of a ball that stands on the ground of a source, above a place (3,)."""
    assert source.ground is not None
    return float(source.ground.heights(place[None], up_of(source), clearance(source))[0])


# --- when -------------------------------------------------------------------------------------------------------------

ORDERS = {
    # heel strike, toe strike, heel off, toe off; which one leads before the first "off", and which after it
    "as one walks": (20, 23, 30, 34, "heel", "toe"),
    "toe first": (23, 20, 34, 30, "toe", "heel"),
    "on the forefoot": (23, 20, 30, 34, "toe", "toe"),
    "on the heel": (20, 23, 34, 30, "heel", "heel"),
    "flat": (20, 20, 30, 30, "heel", "toe"),
    "flat, then rolling": (20, 20, 28, 34, "heel", "toe"),
    "a moment": (20, 25, 25, 34, "heel", "toe"),
}


@pytest.mark.parametrize("order", ORDERS)
def test_heel_and_toe_stand_still_between_their_events(order: str, rng: np.random.Generator) -> None:
    heel_strike, toe_strike, heel_off, toe_off, _, _ = ORDERS[order]
    source = Source(moving_human(rng))
    given = Footplant(
        foot="left", heel_strike=heel_strike, toe_strike=toe_strike, heel_off=heel_off, toe_off=toe_off, ease_in=5
    )
    tracks = by_part(given, source)
    assert set(tracks) == {"heel", "toe"}
    for part, stay in (("heel", (heel_strike, heel_off)), ("toe", (toe_strike, toe_off))):
        track = tracks[part]
        assert track.hold_intervals == (stay,)
        # Both come and go together: 5 frames before the first event, a quarter of a second after the last.
        assert (track.begin, track.end) == (15, int(max(heel_off, toe_off) + 7.5))
        path = source.values(track.effector)[track.frames] + track.displacement
        held = path[stay[0] - track.begin : stay[1] + 1 - track.begin]
        np.testing.assert_allclose(held, np.tile(held[0], (len(held), 1)), atol=1e-14)
        np.testing.assert_array_equal(track.displacement[0], np.zeros(3))
        assert np.abs(track.displacement[1:-1]).max() > 0.0


@pytest.mark.parametrize("order", ORDERS)
def test_who_is_alone_on_the_ground_outranks_the_other(order: str, rng: np.random.Generator) -> None:
    """While both stand the ranks do not matter; they change at the first "off" (Le Callennec 2006, section 4.3.2)."""
    heel_strike, toe_strike, heel_off, toe_off, before, after = ORDERS[order]
    source = Source(moving_human(rng))
    tracks = by_part(
        Footplant(foot="left", heel_strike=heel_strike, toe_strike=toe_strike, heel_off=heel_off, toe_off=toe_off),
        source,
    )
    frames = tracks["heel"].frames
    first_off = min(heel_off, toe_off)
    leading = np.where(frames <= first_off, before == "heel", after == "heel")
    np.testing.assert_array_equal(tracks["heel"].outranks_partner, leading)
    np.testing.assert_array_equal(tracks["toe"].outranks_partner, ~leading)


def test_times_between_frames_are_events_too() -> None:
    source = source_of()
    given = plant(heel_strike=20.4, toe_strike=22.6, heel_off=27.3, toe_off=31.7)
    for part, (begin, end) in given.stays.items():
        track = by_part(given, source)[part]
        path = source.values(track.effector)[track.frames] + track.displacement
        held = path[(track.frames >= begin) & (track.frames <= end)]
        assert len(held) == int(end) - int(begin)
        np.testing.assert_allclose(held, np.tile(held[0], (len(held), 1)), atol=1e-14)


def test_a_stay_between_two_frames_stands_where_the_nearer_one_is() -> None:
    source = source_of()
    alone = plant(toe_strike=None, toe_off=None, heel_strike=20.4, heel_off=20.6)
    (track,) = alone.tracks(source)
    displaced = plant(toe_strike=None, toe_off=None, heel_strike=20, heel_off=20).tracks(source)[0]
    np.testing.assert_allclose(displaced.displacement[20 - displaced.begin], 0.0, atol=1e-12)
    # At 20.4 it is at the place of frame 20, which the source is leaving: to the first order no more than half a step.
    step = np.linalg.norm(np.diff(source.values(track.effector)[20:22], axis=0))
    assert np.linalg.norm(track.displacement[20 - track.begin]) <= step


def test_a_plant_ends_with_the_clip_where_there_is_no_more_of_it(rng: np.random.Generator) -> None:
    source = Source(moving_human(rng, 20))
    given = Footplant(foot="right", heel_strike=0, toe_strike=1, heel_off=18, toe_off=19)
    for track in given.tracks(source):
        assert (track.begin, track.end) == (0, 19)


def test_a_plant_that_the_clip_cuts_does_not_dive_back_to_the_source(rng: np.random.Generator) -> None:
    """There is no source to rejoin: after an ease the effector moves as the source does, displaced as it stood."""
    skeleton, step = human(), 0.05 * rng.standard_normal(3)
    glide = skeleton.offsets[0] + np.outer(np.arange(61), step)
    source = Source(Clip(skeleton, Motion.from_root(skeleton, np.tile(skeleton.rest_rotations, (61, 1, 1)), glide)))
    given = Footplant(foot="left", heel_strike=8, toe_strike=10, heel_off=30, toe_off=32, ease_in=40, ease_out=40)
    for part, track in by_part(given, source).items():
        assert (track.begin, track.end) == (0, 60)
        values = source.values(track.effector)
        begin, end = (int(time) for time in given.stays[part])
        place = values[end] + track.displacement[end]
        np.testing.assert_allclose(track.displacement[end + 8 :], np.tile(place - values[end], (60 - end - 7, 1)))
        path = values + track.displacement
        for inner, outward in ((end, 1), (begin, -1)):
            speeds = [np.linalg.norm(path[inner + outward * (n + 1)] - path[inner + outward * n]) for n in range(3)]
            assert speeds[0] < 0.4 * np.linalg.norm(step) < speeds[1] < speeds[2], "it starts from rest"
    whole = Footplant(foot="left", heel_strike=8, toe_strike=10, heel_off=30, toe_off=32, ease_in=8, ease_out=28)
    for track in whole.tracks(source):
        np.testing.assert_allclose(track.displacement[[0, -1]], 0.0, atol=1e-12)


@pytest.mark.parametrize("ease", [(6, 9), (40, 40), (6, 40), (40, 9)])
def test_backwards_everything_is_backwards(ease: tuple[int, int], rng: np.random.Generator) -> None:
    clip = moving_human(rng, 61)
    motion = Motion(clip.motion.rotations[::-1], clip.motion.translations[::-1])
    forth = Footplant(
        foot="left", heel_strike=12, toe_strike=16, heel_off=30, toe_off=33, ease_in=ease[0], ease_out=ease[1]
    )
    back = Footplant(
        foot="left", heel_strike=30, toe_strike=27, heel_off=48, toe_off=44, ease_in=ease[1], ease_out=ease[0]
    )
    one, other = by_part(forth, Source(clip)), by_part(back, Source(clip.with_motion(motion)))
    for part in ("heel", "toe"):
        assert other[part].begin == 60 - one[part].end
        np.testing.assert_allclose(other[part].displacement[::-1], one[part].displacement, atol=1e-12)


@pytest.mark.parametrize("part", ["heel", "toe"])
def test_a_foot_may_stand_on_one_end_alone(part: str, rng: np.random.Generator) -> None:
    source = Source(moving_human(rng))
    given = Footplant(foot="left", **{f"{part}_strike": 20, f"{part}_off": 30})  # type: ignore[arg-type]
    (track,) = given.tracks(source)
    assert by_part(given, source)[part].effector == track.effector
    assert track.outranks_partner is not None and (track.outranks_partner == 1.0).all()
    assert given.pair(source) is None
    values = source.values(track.effector)
    path = values[track.frames] + track.displacement
    np.testing.assert_allclose(path[20 - track.begin : 31 - track.begin], np.tile(path[25 - track.begin], (11, 1)))
    assert np.linalg.norm(path[25 - track.begin] - np.median(values[20:31], axis=0)) < 0.5 * np.ptp(values[20:31])


def test_one_frame(rng: np.random.Generator) -> None:
    source = Source(moving_human(rng, 1))
    given = Footplant(foot="left", heel_strike=0, toe_strike=0, heel_off=0, toe_off=0, position=(3.0, 1.0, 2.0))
    places = ends(given, source)
    np.testing.assert_allclose(places.mean(axis=0), (3.0, 1.0, 2.0), atol=1e-12)
    assert [track.begin for track in given.tracks(source)] == [0, 0, 0]


# --- where ------------------------------------------------------------------------------------------------------------


def test_where_nothing_is_said_it_stands_as_it_does() -> None:
    for up in ("y", "z"):
        motion = walk(up)
        for contact in motion.contacts:
            places = stand(plant_of(contact), source_of(up))
            np.testing.assert_allclose(places["heel"], contact.heel, atol=1e-6)
            np.testing.assert_allclose(places["toe"], contact.toe, atol=1e-6)


def test_a_few_wild_frames_do_not_move_it() -> None:
    motion = walk()
    contact = motion.contacts[CONTACT]
    moved = motion.clip.motion.translations.copy()
    for frame, jump in ((contact.toe_strike + 2, 0.3), (contact.toe_strike + 4, -2.0)):
        moved[frame, 0] += jump
    shaken = Source(motion.clip.with_motion(Motion(motion.clip.motion.rotations, moved)))
    np.testing.assert_allclose(ends(plant(), shaken), ends(plant(), source_of()), atol=1e-6)


def test_a_foot_that_slides_stands_in_the_middle_of_its_slide() -> None:
    motion = walk()
    contact = motion.contacts[CONTACT]
    moved = motion.clip.motion.translations.copy()
    moved[:, 0, 0] += 0.01 * np.arange(motion.clip.frames)
    slid = Source(motion.clip.with_motion(Motion(motion.clip.motion.rotations, moved)))
    places = stand(plant(), slid)
    for part, still in (("heel", contact.heel), ("toe", contact.toe)):
        begin, end = plant().stays[part]
        assert abs(places[part][0] - still[0] - 0.01 * 0.5 * (begin + end)) < 0.01
    assert abs(np.linalg.norm(places["toe"] - places["heel"]) - foot_length(slid)) < 1e-12


def test_heel_and_toe_stand_as_far_apart_as_on_the_character(rng: np.random.Generator) -> None:
    source, size = source_of(), source_of().clip.skeleton.size
    slope = source_of(ground=Ground(lambda x, z: 0.4 * x - 0.7 * z))
    for given, on in (
        (plant(), source),
        (plant(shift=rng.standard_normal(3), turn=2.0), source),
        (plant(position=rng.standard_normal(3), heading=1.0), source),
        (plant(height=0.7), source),
        (plant(turn=0.5), slope),
    ):
        heel, toe = ends(given, on)
        assert abs(np.linalg.norm(toe - heel) - foot_length(source)) < 1e-9 * size


@pytest.mark.parametrize("up", ["y", "z"])
def test_a_shift_moves_and_a_turn_turns_it_about_its_middle(up: Up, rng: np.random.Generator) -> None:
    source = source_of(up)
    was, by = ends(plant(up), source), rng.standard_normal(3)
    np.testing.assert_allclose(ends(plant(up, shift=by), source), was + by, atol=1e-12)
    np.testing.assert_allclose(ends(plant(up).moved(by).moved(by), source), was + 2.0 * by, atol=1e-12)
    for angle in (0.5, -2.0):
        turn = rotations.exp(angle * np.eye(3)[up_of(source)])
        expected = was.mean(axis=0) + rotations.rotate(turn, was - was.mean(axis=0))
        np.testing.assert_allclose(ends(plant(up, turn=angle), source), expected, atol=1e-12)
        np.testing.assert_allclose(ends(plant(up, turn=0.5 * angle).turned(0.5 * angle), source), expected, atol=1e-12)


@pytest.mark.parametrize("up", ["y", "z"])
def test_a_position_is_the_middle_between_heel_and_toe(up: Up, rng: np.random.Generator) -> None:
    source, place, by = source_of(up), rng.standard_normal(3), rng.standard_normal(3)
    np.testing.assert_allclose(ends(plant(up, position=place), source).mean(axis=0), place, atol=1e-12)
    shifted = ends(plant(up, position=place, shift=by), source)
    np.testing.assert_allclose(shifted.mean(axis=0), place + by, atol=1e-12)
    for part in ("heel", "toe"):
        other = {f"{'toe' if part == 'heel' else 'heel'}_{event}": None for event in ("strike", "off")}
        alone = plant(up, position=place, shift=by, **other)
        np.testing.assert_allclose(stand(alone, source)[part], place + by, atol=1e-12)


@pytest.mark.parametrize("up", ["y", "z"])
def test_a_heading_is_counted_to_the_left_from_where_characters_face(up: Up) -> None:
    source = source_of(up)
    ahead = np.array([0.0, 0.0, 1.0]) if up == "y" else np.array([0.0, -1.0, 0.0])
    left = np.array([1.0, 0.0, 0.0])
    for heading, turn, expected in ((0.0, 0.0, ahead), (0.5 * np.pi, 0.0, left), (0.3, 0.5 * np.pi - 0.3, left)):
        heel, toe = ends(plant(up, heading=heading, turn=turn), source)
        pointing = toe - heel
        pointing[up_of(source)] = 0.0
        np.testing.assert_allclose(pointing / np.linalg.norm(pointing), expected, atol=1e-12)


@pytest.mark.parametrize("up", ["y", "z"])
def test_a_height_is_that_of_the_sole(up: Up) -> None:
    for ground in (None, Ground(5.0)):
        source = source_of(up, ground)
        was = ends(plant(up), source_of(up))
        heel, toe = ends(plant(up, height=0.3), source)
        assert abs(heel[up_of(source)] - 0.3) < 1e-12
        assert abs(toe[up_of(source)] - 0.3 - clearance(source)) < 1e-9
        across = [axis for axis in range(3) if axis != up_of(source)]
        np.testing.assert_allclose(0.5 * (heel + toe)[across], was.mean(axis=0)[across], atol=1e-12)
        raised = ends(plant(up, height=0.3, shift=0.1 * np.eye(3)[up_of(source)]), source)
        np.testing.assert_allclose(raised[:, up_of(source)] - [heel[up_of(source)], toe[up_of(source)]], 0.1)
        for part, above in (("heel", 0.0), ("toe", clearance(source))):
            other = {f"{'toe' if part == 'heel' else 'heel'}_{event}": None for event in ("strike", "off")}
            place = stand(plant(up, height=0.3, shift=(0.1, 0.1, 0.1), **other), source)[part]
            assert abs(place[up_of(source)] - 0.4 - above) < 1e-9


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("height", [0.0, -3.0, 0.25])
def test_on_a_plane_of_any_height_it_stands_flat(up: Up, height: float) -> None:
    for ground in (Ground(height), Ground(lambda a, b: np.full_like(a, height))):
        source = Source(walk(up).clip, ground)
        size = source.clip.skeleton.size
        for given in (plant(up), plant(up, position=(3.0, 9.0, 9.0), turn=1.0), plant(up, shift=0.2 * np.ones(3))):
            raised = given.shift[up_of(source)]
            heel, toe = ends(given, source)
            assert abs(heel[up_of(source)] - height - raised) < 1e-9 * size
            assert abs(toe[up_of(source)] - height - raised - clearance(source)) < 1e-9 * size


SLOPES = {
    "gentle": lambda a, b: 0.1 * a + 0.05 * b + 0.3,
    "steep": lambda a, b: 0.8 * b - 0.5 * a,
    "steeper than one in one": lambda a, b: 2.5 * a + 3.0 * b,
    "waves": lambda a, b: 0.1 * np.sin(9.0 * a + 5.0 * b),
    "hill": lambda a, b: np.exp(-(a**2) - b**2),
}


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("slope", SLOPES)
def test_on_uneven_ground_both_ends_stand_on_it(slope: str, up: Up, rng: np.random.Generator) -> None:
    source = Source(walk(up).clip, Ground(SLOPES[slope]))
    size, axis = source.clip.skeleton.size, up_of(source)
    for _ in range(5):
        given = plant(up, turn=rng.uniform(-3.0, 3.0), position=0.5 * rng.standard_normal(3))
        heel, toe = ends(given, source)
        across = [other for other in range(3) if other != axis]
        heights = SLOPES[slope](*np.stack([heel, toe])[:, across].T)
        assert abs(heel[axis] - heights[0]) < 1e-6 * size
        assert abs(toe[axis] - over(source, toe)) < 1e-6 * size
        assert abs(np.linalg.norm(toe - heel) - foot_length(source)) < 1e-9 * size
        middle = 0.5 * (heel + toe)[across]
        np.testing.assert_allclose(middle, np.array(given.position)[across], atol=1e-12)
    raised = plant(up, shift=0.2 * np.eye(3)[axis])
    np.testing.assert_allclose(ends(raised, source), ends(plant(up), source) + 0.2 * np.eye(3)[axis], atol=1e-9)
    for part in ("heel", "toe"):
        other = {f"{'toe' if part == 'heel' else 'heel'}_{event}": None for event in ("strike", "off")}
        place = stand(plant(up, **other), source)[part]
        on_it = over(source, place) if part == "toe" else SLOPES[slope](*place[across])
        assert abs(place[axis] - on_it) < 1e-9 * size


def test_on_a_step_the_foot_stands_with_its_ball_on_the_stair() -> None:
    """Ground that jumps has one stand all the same, where neither end is at the edge."""
    contact = walk().contacts[CONTACT]
    edge = 0.5 * (contact.heel + contact.toe)[2]
    stair = Source(walk().clip, Ground(lambda x, z: np.where(z > edge, 0.05, 0.0)))
    heel, toe = ends(plant(), stair)
    assert abs(heel[1]) < 1e-9 and abs(toe[1] - 0.05 - clearance(stair)) < 1e-9


def stair_source(rise: float, is_under: str, lift: float = 0.0) -> Source:
    """The walk, raised, and a step of some height that is under one end of the foot alone."""
    contact = walk().contacts[CONTACT]
    edge = 0.5 * (contact.heel + contact.toe)[2]
    is_ahead = contact.toe[2] > contact.heel[2]
    clip = placed(walk().clip, rotations.IDENTITY, (0.0, lift, 0.0))
    under_toe = (is_under == "toe") == is_ahead
    return Source(clip, Ground(lambda x, z: np.where((z > edge) == under_toe, rise, 0.0)))


@pytest.mark.parametrize("part", ["heel", "toe"])
def test_at_a_high_edge_the_end_stands_that_is_on_it_and_the_foot_keeps_its_slope(part: str) -> None:
    """As on stairs, where the heel hangs over the edge: the ground under it is that of the stair below."""
    stair = stair_source(0.2, part, lift=0.21)
    free, stood = ends(plant(own_height=True), stair), ends(plant(), stair)
    np.testing.assert_allclose(stood[1] - stood[0], free[1] - free[0], atol=1e-12)
    assert 0.005 < abs(free[0, 1] - stood[0, 1]) < 0.02, "it stands on the step and not on the floor"
    above = clearance(stair) if part == "toe" else 0.0
    assert stood[0 if part == "heel" else 1, 1] == pytest.approx(0.2 + above, abs=1e-9)


@pytest.mark.parametrize("up", ["y", "z"])
def test_beside_a_mesh_a_plant_stands_as_without_ground(up: Up) -> None:
    elsewhere = 100.0 * np.eye(3) + 50.0
    nowhere = Source(walk(up).clip, Ground.of_mesh(elsewhere, [[0, 1, 2]]))
    for given in (plant(up), plant(up, heel_strike=None, heel_off=None)):
        for part, place in stand(given, nowhere).items():
            np.testing.assert_array_equal(place, stand(given, source_of(up))[part])


@pytest.mark.parametrize("height", [-0.3, 0.2])
def test_who_keeps_its_own_height_does_not_know_the_ground(height: float) -> None:
    ground = Source(walk().clip, Ground(height))
    for rest in ({}, {"shift": (0.1, 0.2, 0.3)}, {"heel_strike": None, "heel_off": None}):
        own, without = stand(plant(own_height=True, **rest), ground), stand(plant(**rest), source_of())
        for part in own:
            np.testing.assert_array_equal(own[part], without[part])
    set_high = stand(plant(own_height=True, height=0.7), ground)
    assert set_high["heel"][1] == pytest.approx(0.7), "a height that is said counts"


def test_on_an_oblique_plane_both_ends_stand() -> None:
    oblique = Source(walk().clip, Ground.plane((0.0, 0.1, 0.0), (0.1, 1.0, -0.25)))
    ground = oblique.ground
    assert ground is not None
    heel, toe = ends(plant(), oblique)
    under = ground.heights(np.stack([heel, toe]), 1)
    assert heel[1] == pytest.approx(under[0], abs=1e-9)
    normal = np.array([0.1, 1.0, -0.25]) / np.linalg.norm([0.1, 1.0, -0.25])
    assert (toe[1] - under[1]) * normal[1] == pytest.approx(clearance(oblique), abs=1e-9), "along the normal"


# --- invariance -------------------------------------------------------------------------------------------------------


def displaced(given: Footplant, source: Source) -> dict[str, Array]:
    return {part: track.displacement for part, track in by_part(given, source).items()}


def test_y_up_and_z_up_are_the_same(rng: np.random.Generator) -> None:
    def upright(vectors: Array) -> Array:
        """As if z were up: the tests' own words for it."""
        return np.stack([vectors[..., 0], -vectors[..., 2], vectors[..., 1]], axis=-1)

    by = rng.standard_normal(3)
    hills = Ground(lambda x, z: 0.2 * np.sin(3.0 * x + z)), Ground(lambda x, y: 0.2 * np.sin(3.0 * x - y))
    for given in ({}, {"shift": by}, {"turn": 1.0}, {"heading": 2.0}, {"position": by}, {"height": 0.4}):
        standing = {key: upright(value) if np.ndim(value) else value for key, value in given.items()}
        for grounds in ((None, None), (Ground(0.1), Ground(0.1)), hills):
            lying = displaced(plant("y", **given), Source(walk("y").clip, grounds[0]))
            other = displaced(plant("z", **standing), Source(walk("z").clip, grounds[1]))
            for part in ("heel", "toe"):
                np.testing.assert_allclose(other[part], upright(lying[part]), atol=1e-9, err_msg=f"{given}")


def test_size_place_and_heading_change_nothing(rng: np.random.Generator) -> None:
    by, angle, away = rng.standard_normal(3), 2.2, np.array([800.0, 30.0, -500.0])
    turn = rotations.exp(np.array([0.0, angle, 0.0]))
    here = displaced(plant(shift=by, turn=0.3), source_of())
    there = displaced(plant(shift=rotations.rotate(turn, by), turn=0.3), Source(placed(walk().clip, turn, away)))
    large = made_up_walk(human(stature=175.0), steps=4)
    larger = displaced(plant_of(large.contacts[CONTACT], shift=100.0 * by, turn=0.3), Source(large.clip))
    headed = displaced(plant(heading=0.4), source_of())
    turned = displaced(plant(heading=0.4 + angle), Source(placed(walk().clip, turn)))
    for part in ("heel", "toe"):
        np.testing.assert_allclose(there[part], rotations.rotate(turn, here[part]), atol=1e-9)
        np.testing.assert_allclose(larger[part], 100.0 * here[part], atol=1e-7)
        np.testing.assert_allclose(turned[part], rotations.rotate(turn, headed[part]), atol=1e-9)


# --- together on a time line ------------------------------------------------------------------------------------------


def plants_of_walk(rng: np.random.Generator) -> list[Footplant]:
    return [
        plant_of(contact, shift=0.05 * rng.standard_normal(3), turn=0.2 * rng.standard_normal())
        for contact in walk().contacts
    ]


def test_the_foot_is_as_long_all_the_way(rng: np.random.Generator) -> None:
    """Not only while it stands: on its way there and back too, though each end is interpolated by itself."""
    timeline = Timeline.of(source_of(), plants_of_walk(rng))
    targets = timeline.targets()
    assert len(timeline.pairs) == 2 and len(timeline.channels) == 6
    uncoupled = 0.0
    for heel, toe in timeline.pairs:
        active = timeline.channels[heel].active & timeline.channels[toe].active
        lengths = np.linalg.norm(targets[toe] - targets[heel], axis=1)[active]
        np.testing.assert_allclose(lengths, foot_length(source_of()), rtol=0.0, atol=1e-9)
        alone = [
            timeline.source.values(timeline.channels[n].effector) + timeline.channels[n].displacement
            for n in (heel, toe)
        ]
        uncoupled = max(uncoupled, np.ptp(np.linalg.norm(alone[1] - alone[0], axis=1)[active]))
    assert uncoupled > 1e-3, "without being coupled they would contradict each other"


def test_who_stands_does_not_yield_to_who_is_on_its_way(rng: np.random.Generator) -> None:
    timeline = Timeline.of(source_of(), plants_of_walk(rng))
    targets = timeline.targets()
    for pair in timeline.pairs:
        for number, other in (pair, pair[::-1]):
            channel, target = timeline.channels[number], targets[number]
            own = timeline.source.values(channel.effector) + channel.displacement
            alone = channel.in_hold & ~timeline.channels[other].in_hold
            assert alone.any()
            np.testing.assert_array_equal(target[alone], own[alone])
            np.testing.assert_allclose(target[channel.in_hold], own[channel.in_hold], atol=1e-12)
            assert np.abs(target - own).max() > 1e-3, "the target of the follower is not moved"


@pytest.mark.parametrize("order", ORDERS)
def test_on_the_way_to_a_plant_and_back_the_leader_keeps_its_way(order: str) -> None:
    heel_strike, toe_strike, heel_off, toe_off, before, after = ORDERS[order]
    given = plant(
        heel_strike=heel_strike, toe_strike=toe_strike, heel_off=heel_off, toe_off=toe_off, shift=(0.1, 0.05, 0.0)
    )
    timeline = Timeline.of(source_of(), [given])
    targets = timeline.targets()
    (pair,) = timeline.pairs
    channels = [timeline.channels[number] for number in pair]
    owns = [timeline.source.values(channel.effector) + channel.displacement for channel in channels]
    frames = np.arange(timeline.frames)
    active = channels[0].active & channels[1].active
    if order not in ("flat", "flat, then rolling"):
        first = 0 if before == "heel" else 1
        coming = active & (frames < max(heel_strike, toe_strike))
        np.testing.assert_array_equal(targets[pair[first]][coming], owns[first][coming])
    if heel_off != toe_off:
        last = 0 if after == "heel" else 1
        going = active & (frames > min(heel_off, toe_off))
        np.testing.assert_array_equal(targets[pair[last]][going], owns[last][going])
    lengths = np.linalg.norm(targets[pair[1]] - targets[pair[0]], axis=1)[active]
    np.testing.assert_allclose(lengths, foot_length(source_of()), rtol=0.0, atol=1e-9)


def test_a_walk_of_many_plants_is_no_wider_than_one_of_two() -> None:
    motion = made_up_walk(steps=14)
    timeline = Timeline.of(Source(motion.clip), [plant_of(contact) for contact in motion.contacts])
    assert len(motion.contacts) == 15
    assert len(timeline.channels) == 6 and len(timeline.pairs) == 2


# --- what it refuses --------------------------------------------------------------------------------------------------

GOOD: dict[str, Any] = {"heel_strike": 20, "toe_strike": 23, "heel_off": 30, "toe_off": 34}


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"foot": "middle"}, "the foot is 'left' or 'right', not 'middle'"),
        ({"heel_strike": 31}, "impossible order of events: the heel leaves the ground at frame 30, before it strikes"),
        ({"toe_strike": 35}, "impossible order of events: the ball leaves"),
        ({"heel_off": 21, "toe_strike": 22}, "impossible order .* never on the ground together"),
        ({"heel_strike": 35, "heel_off": 40}, "impossible order .* never on the ground together"),
        ({"heel_off": None}, "it has a heel strike but no heel off"),
        ({"toe_strike": None}, "it has a toe off but no toe strike"),
        (dict.fromkeys(GOOD), "needs the events"),
        ({"heel_strike": np.nan}, "its heel strike must be a finite number"),
        ({"toe_off": "late"}, "its toe off must be a finite number"),
        ({"toe_off": 61}, r"its ball off \(61\) lies outside the clip"),
        ({"heel_strike": -2}, r"its heel strike \(-2\) lies outside the clip"),
        ({"heading": np.inf}, "its heading must be a finite number"),
        ({"height": np.nan}, "its height must be a finite number"),
        ({"turn": "left"}, "its turn must be a finite number"),
        ({"ease_in": -1.0}, "its ease_in cannot be negative"),
        ({"ease_out": np.nan}, "its ease_out must be a finite number"),
        ({"shift": (0.0, np.nan, 0.0)}, "its shift is not finite"),
        ({"shift": 1.0}, "its shift must be three numbers"),
        ({"position": (0.0, np.inf, 0.0)}, "its position is not finite"),
        ({"position": (0.0, 1.0)}, "its position must be three numbers"),
        (
            {**dict.fromkeys(GOOD), "heel_strike": 20.3, "heel_off": 20.6, "ease_in": 0, "ease_out": 0},
            "there is no frame between its begin 20.3 and its end 20.6",
        ),
    ],
)
def test_what_cannot_be_is_an_error_with_its_name(
    rng: np.random.Generator, wrong: dict[str, Any], sentence: str
) -> None:
    source = Source(moving_human(rng))
    Footplant(foot="left", **GOOD).tracks(source)
    with pytest.raises(ConstraintError, match=f"^step 7: .*{sentence}"):
        Footplant(**{"foot": "left", "name": "step 7", **GOOD, **wrong}).tracks(source)


def test_a_character_without_feet_says_so() -> None:
    with pytest.raises(ConstraintError, match=r"^step 7: The left heel of this character was not found"):
        Footplant(foot="left", name="step 7", **GOOD).tracks(Source(point_clip(np.zeros((61, 3)))))


def test_a_foot_that_points_straight_up_faces_ahead_where_it_is_laid_down() -> None:
    """There is no heading to keep: that of a character at rest will do."""
    skeleton = human()
    upright = skeleton.with_landmarks(left_heel=BodyPoint("l_metatarsal", (0.0, -0.1, 0.0)))
    clip = Clip(upright, Motion(np.tile(upright.rest_rotations, (61, 1, 1)), np.tile(upright.offsets, (61, 1, 1))))
    heel, toe = ends(Footplant(foot="left", **GOOD), Source(clip))
    # Across it is the root of a difference that is nothing but rounding.
    np.testing.assert_allclose(toe - heel, [0.0, 0.1, 0.0], atol=1e-8)
    heel, toe = ends(Footplant(foot="left", **GOOD), Source(clip, Ground(0.0)))
    assert toe[2] - heel[2] > 0.05 and abs(toe[0] - heel[0]) < 1e-12


def test_an_unnamed_plant_is_called_by_its_foot_and_time() -> None:
    assert Footplant(foot="left", **GOOD).label == "Footplant of the left foot at frame 20"
    assert Footplant(foot="right", toe_strike=3.5, toe_off=4).label == "Footplant of the right foot at frame 3.5"


def test_a_ball_far_above_the_sole_at_rest_is_not_believed() -> None:
    """A rest pose on tiptoe must not tilt every foot: at most three tenths of the foot's length."""
    skeleton = human()
    raised = skeleton.with_landmarks(left_heel=BodyPoint("l_talocrural", (0.0, -0.5, -0.05)))
    clip = Clip(raised, Motion(np.tile(raised.rest_rotations, (61, 1, 1)), np.tile(raised.offsets, (61, 1, 1))))
    source = Source(clip, Ground(0.0))
    given = Footplant(foot="left", **GOOD)
    heel, toe = ends(given, source)
    assert abs(heel[1]) < 1e-12
    np.testing.assert_allclose(toe[1], 0.3 * np.linalg.norm(toe - heel))


# On moving ground ----------------------------------------------------------------------------------------------------

DRIFT = (0.3, 0.0, -1.1)
"""Units a second."""


def test_on_moving_ground_a_plant_asks_for_what_it_asks_for_on_still_ground() -> None:
    clip = walk().clip
    still = by_part(plant(), source_of())
    moving = Source(over_ground(clip, -np.array(DRIFT)))
    for part, track in by_part(plant(ground_velocity=DRIFT), moving).items():
        np.testing.assert_allclose(track.displacement, still[part].displacement, atol=1e-9)
        places = moving.values(track.effector)[track.begin : track.end + 1] + track.displacement
        begin, end = track.hold_intervals[0]
        during = slice(int(begin) - track.begin, int(end) - track.begin + 1)
        steps = np.diff(places[during], axis=0) * clip.fps
        np.testing.assert_allclose(steps, np.tile(DRIFT, (len(steps), 1)), atol=1e-9)


def test_the_times_of_the_frames_say_where_moving_ground_is() -> None:
    clip = walk().clip
    seconds = np.arange(clip.frames) / clip.fps
    seconds[30:] -= 0.5 / clip.fps  # one step is half as long as the others
    moved = over_ground(clip, -np.array(DRIFT), seconds)
    still = by_part(plant(), source_of())
    for part, track in by_part(plant(ground_velocity=DRIFT), Source(moved, seconds=seconds)).items():
        np.testing.assert_allclose(track.displacement, still[part].displacement, atol=1e-9)


def test_places_on_moving_ground_are_those_halfway_through_the_plant() -> None:
    clip = walk().clip
    asked = plant(ground_velocity=DRIFT, position=(1.0, 0.0, 2.0), height=0.1)
    source = Source(clip)
    times = [time for stay in asked.stays.values() for time in stay]
    halfway = 0.5 * (min(times) + max(times))
    places = []
    for track in by_part(asked, source).values():
        frames = np.arange(track.begin, track.end + 1)
        way = source.values(track.effector)[frames] + track.displacement
        begin, end = (int(time) for time in track.hold_intervals[0])
        places.append(way[begin - track.begin] - (begin - halfway) / clip.fps * np.array(DRIFT))
        assert end > begin
    middle = np.mean(places, axis=0)
    np.testing.assert_allclose(middle[[0, 2]], [1.0, 2.0], atol=1e-9)


def test_ground_that_does_not_move_changes_nothing() -> None:
    same = plant(ground_velocity=(0, 0, 0))
    for one, other in zip(plant().tracks(source_of()), same.tracks(source_of()), strict=True):
        np.testing.assert_array_equal(one.displacement, other.displacement)
    assert not plant().is_carried and plant(ground_velocity=DRIFT).is_carried


@pytest.mark.parametrize("given", [(1.0,), (9.0, 5.0), (0.0, np.nan), 5.0, (1.0, 2.0, 3.0), ("a", "b")])
def test_a_contact_is_two_times_in_order(given: Any) -> None:
    events: dict[str, Any] = {"foot": "left", "toe_strike": 5, "toe_off": 9}
    assert Footplant(**events).contact is None and Footplant(**events, contact=(5, 9.5)).contact == (5, 9.5)
    with pytest.raises(ConstraintError, match="its contact must be the first and the last time"):
        Footplant(**events, contact=given)


@pytest.mark.parametrize(("given", "why"), [((1.0, 2.0), "three numbers"), ((0.0, 0.0, np.inf), "is not finite")])
def test_a_velocity_of_the_ground_is_three_numbers(given: Any, why: str) -> None:
    with pytest.raises(ConstraintError, match=f"its ground velocity.*{why}"):
        plant(ground_velocity=given)

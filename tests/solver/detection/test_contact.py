# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact: from the first to the last frame in which any part of a foot touches the ground, toes included."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise import solver
from poise.examples.detection.gaits import jittered
from poise.examples.detection.labels import NAMES
from poise.solver.body.clip import Clip
from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.detection.contact import with_contact
from poise.solver.detection.footplants import resting_footplants
from poise.solver.detection.rest_intervals import RestInterval
from poise.solver.detection.settings import FootplantSettings
from poise.solver.detection.stances import Stance
from poise.solver.synthetic import human, walk

from ..in_place import Ends, walk_in_place

HEEL_OFF, BALL_OFF, TIP_OFF, STRIKE, FLAT, SECONDS = 0.5, 0.8, 0.86, 1.3, 1.38, 2.0
"""Seconds of the events of `rolling`."""

TOE_PITCH = np.deg2rad(25.0)
"""By how much the toes have rolled about their tips when these leave the ground."""


def rolling(fps: float) -> Clip:
    """The left foot stands, its heel rises, its ball rises while the toes roll about their tips, it swings ahead and
    lands on its heel; the right foot stands."""
    skeleton = human()
    times = np.arange(round(SECONDS * fps) + 1) / fps
    marks, size = skeleton.landmarks, skeleton.size
    rest_positions = skeleton.rest[1]
    ankle, toe = marks.left_ankle, marks.left_toe
    assert ankle is not None and toe is not None
    flat = WorldState.of(skeleton, Motion(skeleton.rest_rotations[None], skeleton.offsets[None]))
    heel, ball, tip = (
        flat.point(skeleton.resolve(marks.require(f"left_{part}")))[0] for part in ("heel", "ball", "toe_tip")
    )

    def about(pivot: Array, place: Array, pitch: Array) -> Array:
        return pivot + rotations.rotate(pitched(pitch), place - pivot)

    toes = TOE_PITCH * np.clip((times - BALL_OFF) / (TIP_OFF - BALL_OFF), 0.0, 1.0) ** 2
    foot = np.interp(
        times, [HEEL_OFF, BALL_OFF, TIP_OFF, 1.0, STRIKE, FLAT], np.deg2rad([0.0, 45.0, 58.0, 60.0, -20.0, 0.0])
    )
    balls = about(tip, ball, toes)
    landed = heel + np.array([0.0, 0.0, 1.3 * size])
    swinging, landing = (times > TIP_OFF) & (times < STRIKE), times >= STRIKE
    begin, end = (
        about(tip, ball, np.array([TOE_PITCH]))[0],
        about(landed, landed + ball - heel, np.array([np.deg2rad(-20.0)]))[0],
    )
    leaving = (begin - about(tip, ball, np.array([0.98 * TOE_PITCH]))[0]) / (0.01 * (TIP_OFF - BALL_OFF))
    balls[swinging] = _swing(times[swinging], begin, leaving, end, size * np.array([0.0, -0.8, 0.6]))
    balls[landing] = about(landed, landed + ball - heel, foot[landing])
    turned = np.tile(skeleton.rest_rotations, (len(times), 1, 1))
    moved = np.tile(skeleton.offsets, (len(times), 1, 1))
    world = WorldState.of(skeleton, Motion(turned, moved))
    parent = int(skeleton.parents[ankle])
    back, turn = rotations.conjugate(world.rotations[:, parent]), pitched(foot)
    turned[:, ankle] = rotations.multiply(back, turn)
    place = balls + rotations.rotate(turn, rest_positions[ankle] - ball)
    moved[:, ankle] = rotations.rotate(back, place - world.positions[:, parent])
    turned[:, toe] = rotations.multiply(rotations.conjugate(turn), pitched(np.where(times <= TIP_OFF, toes, foot)))
    return Clip(skeleton, Motion(turned, moved), fps)


def pitched(pitch: Array) -> Array:
    """(frames, 4)"""
    return rotations.from_axis_angle([1.0, 0.0, 0.0], pitch)


def _swing(times: Array, begin: Array, leaving: Array, end: Array, arriving: Array) -> Array:
    """(frames, 3) the cubic between two places with given velocities."""
    duration = STRIKE - TIP_OFF
    share = ((times - TIP_OFF) / duration)[:, None]
    return np.asarray(
        (2.0 * share**3 - 3.0 * share**2 + 1.0) * begin
        + (share**3 - 2.0 * share**2 + share) * duration * leaving
        + (3.0 * share**2 - 2.0 * share**3) * end
        + (share**3 - share**2) * duration * arriving
    )


def contacts(plants: Sequence[solver.DetectedFootplant], foot: str = "left") -> list[tuple[float, float]]:
    return [plant.contact for plant in plants if plant.foot == foot and plant.contact is not None]


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0, 240.0])
@pytest.mark.parametrize("noise", [0.0, 5e-4, 2e-3])
def test_contact_lasts_until_the_toes_have_rolled_off(fps: float, noise: float) -> None:
    clip = jittered(rolling(fps), np.random.default_rng(3), noise)
    found = [plant for plant in solver.detect_footplants(clip) if plant.foot == "left"]
    assert len(found) == 2
    (begin, end), (again, last) = contacts(found)
    assert begin == 0 and last == clip.frames - 1
    assert abs(end / fps - TIP_OFF) <= 0.02 + 0.5 / fps
    assert abs(again / fps - STRIKE) <= 0.02 + 0.5 / fps
    assert found[0].toe_off is not None and found[0].toe_off / fps < TIP_OFF - 0.02, "the ball leaves earlier"


@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_contacts_of_a_walk_enclose_its_events_closely(fps: float) -> None:
    motion = walk(fps=fps)
    found = solver.detect_footplants(motion.clip)
    assert len(found) == len(motion.contacts)
    for plant, truth in zip(found, motion.contacts, strict=True):
        assert plant.contact is not None
        begin, end = plant.contact
        # The heel of this walk comes down gently: it is within reach of its place 50 ms before it rests.
        assert truth.heel_strike - 0.06 * fps - 1 <= begin <= truth.heel_strike + 1
        assert truth.toe_off - 1 <= end <= truth.toe_off + 0.06 * fps + 1


def check(plants: Sequence[solver.DetectedFootplant], frames: int) -> None:
    """Each contact encloses the events of its plant, within the clip; those of one foot have no frame in common."""
    for plant in plants:
        assert plant.contact is not None
        begin, end = plant.contact
        assert begin >= 0 and end <= frames - 1
        assert all(begin <= strike and off <= end for strike, off in plant.stays.values())
    for foot in ("left", "right"):
        for (_, end), (begin, _) in itertools.pairwise(sorted(contacts(plants, foot))):
            assert end < begin


@pytest.mark.parametrize("name", ["02_01", "09_01", "10_01", "13_35", "16_17"])
def test_contacts_of_captures_enclose_events_and_do_not_overlap(mocap: Path, name: str) -> None:
    clip = solver.read_bvh(mocap / f"{name}.bvh")
    found = solver.detect_footplants(clip)
    check(found, clip.frames)
    check(resting_footplants(clip), clip.frames)
    later = [plant.contact[1] - plant.toe_off for plant in found if plant.contact and plant.toe_off is not None]
    assert 0.0 <= np.median(later) <= 0.12 * clip.fps


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_contacts_of_all_captures_enclose_events_and_do_not_overlap(mocap: Path, name: str) -> None:
    clip = solver.read_bvh(mocap / f"{name}.bvh")
    check(solver.detect_footplants(clip), clip.frames)


@pytest.mark.parametrize("ends", ["again", "before", "short"])
def test_contacts_of_a_loop_lie_within_it(ends: Ends) -> None:
    clip = walk_in_place(60.0, ends=ends).clip
    found = solver.detect_footplants(clip)
    assert found
    check(found, clip.frames)


def test_contact_does_not_depend_on_scale_and_place() -> None:
    clip = rolling(60.0)
    larger = replace(
        clip,
        skeleton=replace(clip.skeleton, offsets=100.0 * clip.skeleton.offsets, tips=_scaled(clip, 100.0)),
        motion=Motion(clip.motion.rotations, 100.0 * clip.motion.translations + _moved(clip)),
    )
    assert contacts(solver.detect_footplants(larger)) == contacts(solver.detect_footplants(clip))


def _scaled(clip: Clip, scale: float) -> tuple[solver.BodyPoint, ...]:
    return tuple(replace(tip, offset=tuple(scale * np.asarray(tip.offset))) for tip in clip.skeleton.tips)


def _moved(clip: Clip) -> Array:
    moved = np.zeros((1, len(clip.skeleton), 3))
    moved[:, 0] = (500.0, 20.0, -700.0)
    return moved


# Stances of a foot that moves as a whole ------------------------------------------------------------------------------


def sliding(steps: Array) -> Clip:
    """Both feet stand, and the whole character moves by steps (frames, 3)."""
    skeleton = human()
    moved = np.tile(skeleton.offsets, (len(steps), 1, 1))
    moved[:, 0] += steps
    return Clip(skeleton, Motion(np.tile(skeleton.rest_rotations, (len(steps), 1, 1)), moved), 30.0)


def ball_at_rest(begin: int, end: int) -> Stance:
    return Stance("left", None, RestInterval(begin, end, (0.0, 0.0, 0.0), 1.0))


def test_toes_touch_no_farther_than_they_reach() -> None:
    """A ball that never rises but slides away has left when it is farther than the toes are long."""
    clip = sliding(np.outer(np.maximum(np.arange(60) - 20.0, 0.0), [0.0, 0.0, 0.01]))
    marks = clip.skeleton.landmarks
    toes = np.linalg.norm(
        clip.position(marks.require("left_toe_tip"))[0] - clip.position(marks.require("left_ball"))[0]
    )
    (stance,) = with_contact([ball_at_rest(0, 20)], clip)
    assert stance.contact == (0, 20 + int(toes / 0.01))
    heel_alone = Stance("left", RestInterval(0, 20, (0.0, 0.0, 0.0), 1.0), None)
    (stance,) = with_contact([heel_alone], clip)
    assert stance.contact == (0, 20 + int(FootplantSettings().contact_reach * clip.skeleton.size / 0.01))


def test_frames_between_two_stances_are_shared() -> None:
    """Where a foot stays within reach of both places, each contact has half of the frames between."""
    clip = sliding(np.zeros((60, 3)))
    found = with_contact([ball_at_rest(40, 59), ball_at_rest(0, 20)], clip)
    assert [stance.contact for stance in found] == [(31, 59), (0, 30)]


def test_a_smaller_reach_makes_contacts_shorter() -> None:
    clip = rolling(120.0)
    spans = [
        contacts(solver.detect_footplants(clip, FootplantSettings(contact_reach=reach)))
        for reach in (0.0, 0.01, 0.025, 0.04)
    ]
    ends, begins = [span[0][1] for span in spans], [span[1][0] for span in spans]
    assert ends == sorted(set(ends)) and begins == sorted(set(begins), reverse=True)

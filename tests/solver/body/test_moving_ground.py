# SPDX-License-Identifier: GPL-3.0-or-later
"""The velocity of the ground: the true one under walks in place, zero under all other motions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from poise import solver
from poise.examples.detection.gaits import (
    BALL,
    Feet,
    FootStep,
    climbing,
    jittered,
    jumping,
    kicking,
    running,
    turning_round,
)
from poise.examples.golf import golf_swing
from poise.examples.kick import kick
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.body.moving_ground import ground_velocity, over_ground
from poise.solver.body.skeleton import Skeleton, Up
from poise.solver.core import rotations
from poise.solver.deformation.loops import is_cyclic
from poise.solver.synthetic import chain, human, walk

from ..detection.afloat import floating, swimming
from ..in_place import Ends, InPlace, run_in_place, walk_in_place
from ..made_up import moving_human, placed


def error(made: InPlace, clip: Clip | None = None) -> float:
    """By which share of the ground's speed its velocity is off."""
    found = ground_velocity(made.clip if clip is None else clip)
    return float(np.linalg.norm(found - made.velocity) / np.linalg.norm(made.velocity))


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
@pytest.mark.parametrize("ends", ["again", "before", "short"])
def test_the_ground_of_a_walk_in_place(fps: float, ends: Ends) -> None:
    for first in (0.0, 0.3, 0.6, 0.9):
        assert error(walk_in_place(fps, ends=ends, first=first)) < 0.005


@pytest.mark.parametrize("fps", [24.0, 30.0, 120.0])
def test_the_ground_under_feet_that_skate_and_tremble(fps: float) -> None:
    # A slide of 0.01 sizes in a stance of 0.65 sizes is one of 1.5 percent.
    made = walk_in_place(fps, skate=0.01)
    for seed in range(5):
        assert error(made, jittered(made.clip, np.random.default_rng(seed))) < 0.04


@pytest.mark.parametrize("seconds", [0.6, 0.8, 2.0, 3.5])
def test_the_ground_of_fast_and_slow_walks(seconds: float) -> None:
    assert error(walk_in_place(seconds=seconds)) < 0.005


@pytest.mark.parametrize("ends", ["again", "before"])
def test_the_ground_of_a_run_in_place(ends: Ends) -> None:
    assert error(run_in_place(ends)) < 0.005


@pytest.mark.parametrize("up", ["y", "z"])
def test_heading_place_and_scale_change_nothing(up: Up) -> None:
    for heading, scale in ((0.0, 1.0), (1.0, 100.0), (-2.5, 0.01)):
        made = walk_in_place(heading=heading, up=up, scale=scale)
        assert error(made) < 0.005
        assert ground_velocity(made.clip)[made.clip.skeleton.up_axis] == 0.0
        far = placed(made.clip, rotations.IDENTITY, np.array([1000.0, -30.0, 70.0]) * made.clip.skeleton.size)
        assert error(made, far) < 0.005


def test_a_walk_on_a_treadmill_that_is_no_loop() -> None:
    clip = walk(steps=7, skate=0.01).clip
    speed = 1.3 * clip.skeleton.size
    treadmill = over_ground(clip, np.array([0.0, 0.0, speed]))
    assert error(InPlace(treadmill, np.array([0.0, 0.0, -speed]), {}, 0.0)) < 0.03


def test_balls_may_be_points_of_the_foot_bones() -> None:
    made = walk_in_place()
    skeleton, motion = made.clip.skeleton, made.clip.motion
    ankles = {skeleton.landmarks.left_ankle, skeleton.landmarks.right_ankle}
    kept = [joint for joint in range(len(skeleton)) if not ankles & set(skeleton.tree.chain(joint)[1:])]
    toeless = Skeleton(
        tuple(skeleton.names[joint] for joint in kept),
        [-1 if skeleton.parents[joint] < 0 else kept.index(int(skeleton.parents[joint])) for joint in kept],
        skeleton.offsets[kept],
        up=skeleton.up,
    )
    assert toeless.landmarks.left_toe is None and toeless.landmarks.left_ball is not None
    clip = Clip(toeless, Motion(motion.rotations[:, kept], motion.translations[:, kept]), made.clip.fps)
    assert error(made, clip) < 0.02
    assert is_cyclic(clip)


# Ground that is still -------------------------------------------------------------------------------------------------


def standing(frames: int = 60) -> Clip:
    skeleton = human()
    turned = np.tile(skeleton.rest_rotations, (frames, 1, 1))
    return Clip(skeleton, Motion(turned, np.tile(skeleton.offsets, (frames, 1, 1))))


def marching() -> Clip:
    """In one place, knees up: the feet come down where they were."""
    feet = Feet()
    for foot, side, first in (("left", 0.08, 20), ("right", -0.08, 8)):
        feet.walk(foot, [FootStep((side, BALL, 0.0), first if not number else 12, 12) for number in range(6)])
    return feet.clip()[0]


def dancing() -> Clip:
    """In one place: each foot is put to the front, to the side and back again, in turn."""
    feet = Feet()
    places = ((0.0, 0.0), (0.0, 0.4), (0.3, 0.0), (0.0, -0.4), (0.0, 0.0), (0.3, 0.3), (0.0, 0.0))
    for foot, side, first in (("left", 1.0, 20), ("right", -1.0, 8)):
        steps = [
            FootStep((side * (0.08 + x), BALL, z), first if not number else 12, 12)
            for number, (x, z) in enumerate(places)
        ]
        feet.walk(foot, steps)
    return feet.clip()[0]


STILL: dict[str, Callable[[], Clip]] = {
    "walk": lambda: walk().clip,
    "skating walk": lambda: walk(fps=120.0, skate=0.02).clip,
    "one step": lambda: walk(steps=1).clip,
    "slow walk": lambda: walk(speed=0.3).clip,
    "kick": lambda: kick().clip,
    "golf": lambda: golf_swing().clip,
    "run": lambda: running()[0],
    "turning round": lambda: turning_round()[0],
    "jumping": lambda: jumping()[0],
    "climbing": lambda: climbing()[0],
    "kicking": lambda: kicking()[0],
    "standing": standing,
    "trembling": lambda: jittered(standing(), np.random.default_rng(1)),
    "marching": marching,
    "dancing": dancing,
    "swimming": swimming,
    "floating": floating,
    "no feet": lambda: Clip(chain(5), Motion(chain(5).rest_rotations[None], chain(5).offsets[None])),
    "a moment": lambda: standing(2),
}


@pytest.mark.parametrize("name", STILL)
def test_ground_is_still_under_everyone_else(name: str) -> None:
    assert not ground_velocity(STILL[name]()).any()


def test_ground_is_still_under_any_motion(rng: np.random.Generator) -> None:
    for _ in range(60):
        assert not ground_velocity(moving_human(rng)).any()


def test_ground_is_still_under_captured_motions(mocap: Path) -> None:
    for path in sorted(mocap.glob("*.bvh")):
        assert not ground_velocity(solver.read_bvh(path)).any(), path.name


# Seen from the ground -------------------------------------------------------------------------------------------------


def test_a_clip_seen_from_moving_ground_moves_against_it_and_back() -> None:
    made = walk_in_place()
    seen = over_ground(made.clip, made.velocity)
    moved = seen.world.positions - made.clip.world.positions
    times = np.arange(made.clip.frames) / made.clip.fps
    np.testing.assert_allclose(
        moved, np.tile(-(times[:, None] * made.velocity)[:, None], (1, moved.shape[1], 1)), atol=1e-12
    )
    back = over_ground(seen, -made.velocity)
    np.testing.assert_allclose(back.world.positions, made.clip.world.positions, atol=1e-12)
    assert over_ground(made.clip, np.zeros(3)) is made.clip

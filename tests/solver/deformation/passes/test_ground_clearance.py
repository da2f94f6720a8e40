# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet above the ground: lifted in the air, toes bent where they press into it, smoothly and no more than needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Up
from poise.solver.constraints import Footplant, Ground, Source
from poise.solver.core import rotations
from poise.solver.core.arrays import Array, BoolArray, distances_to
from poise.solver.core.progress import finished
from poise.solver.deformation.deform import deform
from poise.solver.deformation.frame_tasks import FrameTasks
from poise.solver.deformation.passes.ground_clearance import (
    BENDING,
    LIFT_RADIUS,
    PlantedFoot,
    ground_depths,
    keep_feet_above_ground,
    planted_feet,
    required_lifts,
    with_bent_toes,
)
from poise.solver.deformation.smoothing import envelope
from poise.solver.deformation.timeline import Timeline

from ...standing import standing_human
from ..drafts import drafting

FRAMES, FPS = 61, 30.0
RADIUS = round(LIFT_RADIUS * FPS)
PLANT = Footplant(foot="left", heel_strike=38, toe_strike=38, heel_off=44, toe_off=44, ease_in=36, ease_out=15)
"""The left foot is on its way in the frames 2 to 37 and 45 to 59."""

SLOPE = 0.1


def slope(_: Array, second: Array) -> Array:
    """Ground that falls and rises along the second of its two coordinates."""
    return SLOPE * second


grounds = pytest.mark.parametrize("height", [0.0, 0.3, slope], ids=["floor", "stage", "slope"])
ups = pytest.mark.parametrize("up", ["y", "z"])


def sunk(up: Up, height: float | Callable[[Array, Array], Array], depth: Array) -> Clip:
    """A body that stands on the ground and sinks into it by depths (frames,)."""
    clip = standing_human(FRAMES, up, FPS)
    moved = clip.motion.translations.copy()
    moved[:, 0, clip.skeleton.up_axis] += (0.0 if callable(height) else height) - depth
    return clip.with_motion(Motion(clip.motion.rotations, moved))


def dip(center: int, width: int, deep: float) -> Array:
    """(frames,) a short dip, and 0 elsewhere."""
    times = (np.arange(FRAMES) - center) / width
    return np.where(np.abs(times) < 1.0, deep * np.cos(0.5 * np.pi * times) ** 2, 0.0)


def timeline_of(clip: Clip, height: float | Callable[[Array, Array], Array]) -> tuple[Timeline, PlantedFoot]:
    timeline = Timeline.of(Source(clip, Ground(height)), [PLANT])
    (foot,) = planted_feet(timeline)
    return timeline, foot


def above(clip: Clip, ground: Ground, motion: Motion, foot: PlantedFoot) -> Array:
    """(frames, points) how high the points of a foot are above the ground, in sizes of the character."""
    up = clip.skeleton.up_axis
    places = [clip.with_motion(motion).position(point) for point in foot.points]
    return np.stack([each[:, up] - ground.heights(each, up) for each in places], axis=1) / clip.skeleton.size


# Which feet ----------------------------------------------------------------------------------------------------------


def test_planted_feet_have_a_heel_a_ball_and_a_tip() -> None:
    clip = standing_human(FRAMES)
    timeline, foot = timeline_of(clip, 0.0)
    marks = clip.skeleton.landmarks
    expected = [marks.left_heel, marks.left_toe, marks.left_toe_tip]
    for point, mark in zip(foot.points, expected, strict=True):
        np.testing.assert_array_equal(clip.position(point), clip.position(mark))  # type: ignore[arg-type]
    assert foot.tip is foot.points[2]
    assert np.flatnonzero(foot.standing).tolist() == list(range(38, 45))
    assert np.flatnonzero(foot.active).tolist() == list(range(2, 60))
    assert timeline.pairs == ((foot.heel, foot.ball),)
    on_toes = Footplant(foot="left", toe_strike=20, toe_off=30)
    assert not list(planted_feet(Timeline.of(Source(clip), [on_toes])))


@ups
@grounds
def test_depths_are_measured_along_the_vertical(
    up: Up, height: float | Callable[[Array, Array], Array], rng: np.random.Generator
) -> None:
    clip = standing_human(5, up)
    moved = clip.motion.translations.copy()
    moved[:, 0] += rng.standard_normal((5, 3))
    world = WorldState.of(clip.skeleton, Motion(clip.motion.rotations, moved))
    points, soles = [clip.skeleton.landmarks.left_heel, clip.skeleton.landmarks.left_toe_tip], [0.0, 0.02]
    found = ground_depths(Ground(height), world, points, soles, clip.skeleton.up_axis)  # type: ignore[arg-type]
    for column, point, sole in zip(found.T, points, soles, strict=True):
        _, y, z = world.point(point).T  # type: ignore[arg-type]
        rise, along = (y, z) if up == "y" else (z, y)
        expected = (SLOPE * along + sole * np.hypot(1.0, SLOPE) if callable(height) else height + sole) - rise
        np.testing.assert_allclose(column, expected, atol=1e-12)


# Lifting -------------------------------------------------------------------------------------------------------------


@ups
@grounds
def test_lifts_cover_what_is_under_the_ground_and_no_more_than_that_far_from_it(
    up: Up, height: float | Callable[[Array, Array], Array]
) -> None:
    depth = 0.03 + dip(20, 5, 0.03) if callable(height) else dip(20, 5, 0.03)
    clip = sunk(up, height, depth)
    timeline, foot = timeline_of(clip, height)
    lift = required_lifts(timeline.source, foot, clip.world)
    under = ground_depths(timeline.source.ground, clip.world, foot.points, foot.soles, clip.skeleton.up_axis)  # type: ignore[arg-type]
    length = np.linalg.norm(clip.position(foot.points[2]) - clip.position(foot.points[1]), axis=1)
    under[:, 2] -= BENDING * length
    deep = np.maximum(under.max(axis=1), 0.0)
    swinging = foot.active & ~foot.standing
    assert deep[swinging].max() > 0.02
    assert (lift[swinging] >= deep[swinging] - 1e-12).all(), "a point stays under the ground"
    assert not lift[~swinging].any()
    assert lift.max() <= deep.max() + 1e-12
    far = swinging & (distances_to(deep > 0.0) > 2 * RADIUS)
    assert not lift[far].any(), "it is lifted where it is above"
    if not callable(height):
        assert far.any() and (lift[11:30] > deep[11:30])[[3, -4]].all(), "it is lifted too late"


def test_lifts_are_smooth() -> None:
    """A block under the ground, on and off at once, is left and met gradually."""
    depth = np.zeros(FRAMES)
    depth[15:25] = 0.04
    clip = sunk("y", 0.0, depth)
    timeline, foot = timeline_of(clip, 0.0)
    lift = required_lifts(timeline.source, foot, clip.world)
    assert np.abs(np.diff(depth)).max() == pytest.approx(0.04)
    assert np.abs(np.diff(lift)).max() < 0.04 / RADIUS
    assert np.flatnonzero(lift).tolist() == list(range(15 - 2 * RADIUS, 25 + 2 * RADIUS))


def test_who_is_about_to_stand_is_lifted_no_higher_than_the_ground() -> None:
    depth = np.zeros(FRAMES)
    depth[34:37] = 0.04
    clip = sunk("y", 0.0, depth)
    timeline, foot = timeline_of(clip, 0.0)
    lift = required_lifts(timeline.source, foot, clip.world)
    unhindered = envelope(np.where(depth > 0.0, lift[35], 0.0)[2:38], RADIUS)
    assert lift[35] == pytest.approx(0.04, rel=0.1) and unhindered[-1] > 0.03
    assert lift[36] == pytest.approx(lift[35])
    # One frame before it stands, which is half of the time that the lift takes: half of it is left.
    assert lift[37] == pytest.approx(0.5 * unhindered[-1]) and not lift[38:45].any()


def test_what_only_touches_is_not_lifted() -> None:
    timeline, foot = timeline_of(standing_human(FRAMES), 0.0)
    assert not required_lifts(timeline.source, foot, timeline.source.clip.world).any()


# Toes ----------------------------------------------------------------------------------------------------------------


def pointing(up: Up, angle: Array) -> Clip:
    """A human at rest whose left toes point down by angles (frames,)."""
    clip = standing_human(FRAMES, up, FPS)
    turned = clip.motion.rotations.copy()
    across = np.array([1.0, 0.0, 0.0])
    turned[:, clip.skeleton.index("l_metatarsal")] = rotations.exp(angle[:, None] * across)
    return clip.with_motion(Motion(turned, clip.motion.translations))


@ups
@pytest.mark.parametrize("height", [0.0, -0.004])
def test_toes_are_bent_off_the_ground_and_nothing_else_moves(up: Up, height: float) -> None:
    clip = pointing(up, 0.02 + dip(20, 6, 0.4) + dip(41, 2, 0.3))
    timeline, foot = timeline_of(clip, height)
    everywhere = np.ones(FRAMES, dtype=bool)
    before = above(clip, Ground(height), clip.motion, foot)[:, 2]
    bent = with_bent_toes(timeline.source, [foot], clip.motion, everywhere)
    after = above(clip, Ground(height), bent, foot)
    assert before.min() < -0.02 and after[foot.active, 2].min() > -1e-6
    toe = clip.skeleton.index("l_metatarsal")
    others = np.arange(len(clip.skeleton)) != toe
    np.testing.assert_array_equal(bent.rotations[:, others], clip.motion.rotations[:, others])
    np.testing.assert_array_equal(bent.translations, clip.motion.translations)
    np.testing.assert_allclose(np.linalg.norm(bent.rotations[:, toe], axis=-1), 1.0, atol=1e-12)
    same = (bent.rotations[:, toe] == clip.motion.rotations[:, toe]).all(axis=-1)
    assert same[~foot.active].all()
    under = foot.active & (before < -1e-5)
    far = distances_to(under) > 2 * RADIUS
    assert not same[under].any()
    assert far[foot.active].any() == (height < 0.0) and same[far].all(), "toes were bent where they were above"


def test_toes_are_bent_smoothly() -> None:
    angle = np.zeros(FRAMES)
    angle[15:25] = 0.5
    clip = pointing("y", angle)
    timeline, foot = timeline_of(clip, -0.004)
    bent = with_bent_toes(timeline.source, [foot], clip.motion, np.ones(FRAMES, dtype=bool))
    toe = clip.skeleton.index("l_metatarsal")
    turn = np.linalg.norm(
        rotations.log(rotations.multiply(bent.rotations[:, toe], rotations.conjugate(clip.motion.rotations[:, toe]))),
        axis=-1,
    )
    assert turn.max() > 0.2
    assert np.abs(np.diff(turn)).max() < turn.max() / RADIUS


def test_toes_are_bent_only_at_the_given_frames() -> None:
    clip = pointing("y", np.full(FRAMES, 0.4))
    timeline, foot = timeline_of(clip, 0.0)
    near: BoolArray = np.zeros(FRAMES, dtype=bool)
    near[10:20] = True
    bent = with_bent_toes(timeline.source, [foot], clip.motion, near)
    different = (bent.rotations != clip.motion.rotations).any(axis=(1, 2))
    assert np.flatnonzero(different).tolist() == list(range(10, 20))


# Both, in a solve ----------------------------------------------------------------------------------------------------


@ups
@grounds
def test_planted_feet_that_are_under_the_ground_are_lifted_out_of_it(
    up: Up, height: float | Callable[[Array, Array], Array]
) -> None:
    clip = sunk(up, height, dip(20, 8, 0.05) + (0.02 if callable(height) else 0.0))
    ground = Ground(height)
    solving = drafting(clip, [PLANT], ground).solved()
    assert not solving.projected().size
    (foot,) = planted_feet(solving.timeline)
    changed = np.zeros(FRAMES, dtype=bool)
    changed[5:] = True
    work = solving.work
    before = work.clip().motion
    finished(keep_feet_above_ground(solving.tasks, solving.timeline, work, changed, solving.draft))
    was_under = (above(clip, ground, before, foot) < -1e-5).any(axis=1) & foot.active & changed
    assert above(clip, ground, before, foot)[was_under].min() < -0.02
    assert above(clip, ground, work.motion, foot)[was_under].min() > -1e-5
    np.testing.assert_array_equal(work.motion.rotations[:5], before.rotations[:5])
    held = np.flatnonzero(foot.standing)
    for point in foot.points[:2]:
        stays = work.clip().position(point)[held]
        assert np.linalg.norm(stays - stays[0], axis=1).max() < 1e-6


def test_without_ground_nothing_is_lifted() -> None:
    clip = sunk("y", 0.0, dip(20, 8, 0.05))
    begun = drafting(clip, [PLANT])
    everywhere = np.ones(FRAMES, dtype=bool)
    finished(keep_feet_above_ground(begun.tasks, begun.timeline, begun.work, everywhere, begun.draft))
    np.testing.assert_array_equal(begun.work.motion.rotations, clip.motion.rotations)
    np.testing.assert_array_equal(begun.work.motion.translations, clip.motion.translations)


def test_a_plant_that_is_nowhere_enforced_still_lifts_its_foot() -> None:
    """Its foot is in the air all the same."""
    clip = sunk("y", 0.0, dip(20, 8, 0.05))
    solving = drafting(clip, [PLANT], Ground(0.0)).solved()
    (foot,) = planted_feet(solving.timeline)
    everywhere = np.ones(FRAMES, dtype=bool)
    free = replace(solving.timeline, channels=tuple(each.without(everywhere) for each in solving.timeline.channels))
    tasks = FrameTasks(free, solving.tasks.targets, solving.tasks.movable)
    assert not tasks.prioritized(np.arange(FRAMES))
    finished(keep_feet_above_ground(tasks, solving.timeline, solving.work, everywhere, solving.draft))
    before = above(clip, Ground(0.0), clip.motion, foot).min(axis=1)
    was_under = foot.active & (before < -1e-5)
    assert before[was_under].min() < -0.02
    assert above(clip, Ground(0.0), solving.work.motion, foot)[was_under].min() > -1e-5


@ups
def test_a_foot_between_plants_below_the_ground_is_not_torn_out_of_it(up: Up) -> None:
    """Who keeps a height of its own stands below the ground: on the way there and back it may be as deep."""
    clip = sunk(up, 0.0, np.full(FRAMES, 0.05))
    own = replace(PLANT, own_height=True)
    done = deform(clip, [own], ground=Ground(0.0)).clip
    np.testing.assert_allclose(done.motion.translations, clip.motion.translations, atol=1e-6)
    put_on = deform(clip, [PLANT], ground=Ground(0.0)).clip
    assert np.abs(put_on.motion.translations - clip.motion.translations).max() > 0.01


def test_off_a_mesh_nothing_is_lifted() -> None:
    clip = sunk("y", 0.0, dip(20, 5, 0.03))
    elsewhere = Ground.of_mesh(100.0 * np.eye(3) + 50.0, [[0, 1, 2]])
    timeline = Timeline.of(Source(clip, elsewhere), [PLANT])
    (foot,) = planted_feet(timeline)
    assert not required_lifts(timeline.source, foot, clip.world).any()
    bent = with_bent_toes(timeline.source, [foot], clip.motion, np.ones(FRAMES, dtype=bool))
    np.testing.assert_array_equal(bent.rotations, clip.motion.rotations)

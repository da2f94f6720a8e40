# SPDX-License-Identifier: GPL-3.0-or-later
"""Boundary blending: the paths of constraints begin and end where the motion around them has the effector."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion
from poise.solver.constraints import Constraint, ConstraintPoint, OrientationConstraint
from poise.solver.core import rotations
from poise.solver.core.arrays import Array, IntArray
from poise.solver.deformation.frame_tasks import FrameTasks
from poise.solver.deformation.passes.boundaries import blend_boundaries
from poise.solver.synthetic import walk

from ...made_up import moving_human, plant_of
from ...standing import displaced, frame_tasks_of

FRAMES = 81


@pytest.fixture
def clip(rng: np.random.Generator) -> Clip:
    return moving_human(rng, FRAMES)


def moved(clip: Clip, shifts: Array) -> Callable[[IntArray], WorldState]:
    """The states of a clip whose root is shifted (frames, 3)."""
    translations = clip.motion.translations.copy()
    translations[:, 0] += shifts
    motion = Motion(clip.motion.rotations, translations)
    return lambda frames: WorldState.of(clip.skeleton, motion.at(frames))


def displacements(frame_tasks: FrameTasks) -> Array:
    """(frames, 3) those of the only channel."""
    (channel,) = frame_tasks.timeline.channels
    return channel.displacement


def test_where_the_motion_around_is_the_source_nothing_is_blended(clip: Clip) -> None:
    frame_tasks = frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 20, 35, 40, 60)])
    assert blend_boundaries(frame_tasks, moved(clip, np.zeros((FRAMES, 3)))) is frame_tasks
    # What rounding leaves of a frame that did not move is no motion, but a draft solved again and a path not judged.
    rounding = np.full((FRAMES, 3), 1e-14)
    assert blend_boundaries(frame_tasks, moved(clip, rounding)) is frame_tasks
    assert blend_boundaries(frame_tasks, moved(clip, 1e10 * rounding)) is not frame_tasks


def test_a_path_begins_and_ends_where_the_effector_is_outside(clip: Clip) -> None:
    frame_tasks = frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 20, 35, 40, 60)])
    shift = np.array([0.3, -0.1, 0.2])
    blended = blend_boundaries(frame_tasks, moved(clip, np.tile(shift, (FRAMES, 1))))
    before, after = displacements(frame_tasks), displacements(blended)
    np.testing.assert_array_equal(after[35:41], before[35:41])
    outside = np.r_[0:20, 61:FRAMES]
    np.testing.assert_array_equal(after[outside], before[outside])
    added = after - before
    along = added @ shift / (shift @ shift)
    np.testing.assert_allclose(added, along[:, None] * shift, atol=1e-12)
    # All of it right outside, none of it in the hold, and falling all the way.
    assert 0.95 < along[20] < 1.0 and 0.95 < along[60] < 1.0
    assert (np.diff(along[20:36]) < 0.0).all() and (np.diff(along[40:61]) > 0.0).all()
    np.testing.assert_allclose(blended.targets[0][20:61], frame_tasks.targets[0][20:61] + added[20:61], atol=1e-12)
    assert blended.movable is frame_tasks.movable
    np.testing.assert_array_equal(displacements(frame_tasks), before)


def test_the_velocity_outside_goes_on_inside(clip: Clip) -> None:
    """The source with a shift that grows all the time: the first step inside is nearly that of the frames before."""
    frame_tasks = frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, 0.0, 0.0), 20, 35, 40, 60)])
    velocity = np.array([0.01, 0.0, -0.02])
    blended = blend_boundaries(frame_tasks, moved(clip, np.outer(np.arange(FRAMES), velocity)))
    found = displacements(blended)
    first, last = found[20] - 19 * velocity, 61 * velocity - found[60]
    still = displacements(blend_boundaries(frame_tasks, moved(clip, np.tile(19 * velocity, (FRAMES, 1)))))
    # A cubic that begins at rest goes the other way.
    assert (still[20] - 19 * velocity) @ velocity < 0.0
    assert first @ velocity > 0.3 * velocity @ velocity and last @ velocity > 0.3 * velocity @ velocity


def test_one_side_may_differ_from_the_other(clip: Clip) -> None:
    frame_tasks = frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 20, 35, 40, 60)])
    shifts = np.zeros((FRAMES, 3))
    shifts[50:] = (0.2, 0.0, 0.0)
    added = displacements(blend_boundaries(frame_tasks, moved(clip, shifts))) - displacements(frame_tasks)
    np.testing.assert_allclose(added[:41], 0.0, atol=1e-12)
    assert added[60, 0] == pytest.approx(0.2, rel=0.05)


def test_a_side_that_begins_in_a_hold_or_at_an_end_of_the_clip_is_not_blended(clip: Clip) -> None:
    shifted = moved(clip, np.tile([0.3, 0.0, 0.0], (FRAMES, 1)))
    held = frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 20, 20, 60, 60)])
    assert blend_boundaries(held, shifted) is held
    whole = frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 0, 30, 40, FRAMES - 1)])
    assert blend_boundaries(whole, shifted) is whole
    late = frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 20, 20, 40, 60)])
    added = displacements(blend_boundaries(late, shifted)) - displacements(late)
    assert not added[:41].any() and added[60, 0] > 0.25


def test_only_frames_outside_of_the_activity_are_asked_for(clip: Clip) -> None:
    """Also where two runs are a single frame apart: of the motion between them no velocity is known."""
    constraints: list[Constraint] = [
        displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 2, 8, 10, 18),
        displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 20, 35, 40, 60),
    ]
    frame_tasks = frame_tasks_of(clip, constraints)
    (channel,) = frame_tasks.timeline.channels
    assert np.flatnonzero(~channel.active[2:61]).tolist() == [17]
    asked: list[int] = []
    shifted = moved(clip, np.tile([0.3, 0.0, 0.0], (FRAMES, 1)))

    def state(frames: IntArray) -> WorldState:
        asked.extend(frames.tolist())
        return shifted(frames)

    blended = blend_boundaries(frame_tasks, state)
    assert set(asked) == {0, 1, 19, 61, 62} and not channel.active[asked].any()
    added = displacements(blended) - displacements(frame_tasks)
    assert (added[[2, 18, 20, 60], 0] > 0.25).all() and not added[19].any()


def test_angles_are_blended_too(clip: Clip) -> None:
    turn = rotations.exp(np.array([0.0, 0.4, 0.0]))
    hold = ConstraintPoint((1.0, 0.0, 0.0, 0.0), 35, 40)
    frame_tasks = frame_tasks_of(clip, [OrientationConstraint("skullbase", 20, 60, [hold], "relative")])
    turned = clip.motion.rotations.copy()
    turned[:, 0] = rotations.multiply(turn, turned[:, 0])
    motion = Motion(turned, clip.motion.translations)
    blended = blend_boundaries(frame_tasks, lambda frames: WorldState.of(clip.skeleton, motion.at(frames)))
    head = clip.skeleton.index("skullbase")
    reached = WorldState.of(clip.skeleton, motion).rotations[:, head]
    for outside, inside in ((19, 20), (61, 60)):
        source_turn = rotations.angle_between(clip.world.rotations[outside, head], clip.world.rotations[inside, head])
        gap = rotations.angle_between(blended.targets[0][inside], reached[outside])
        assert gap < source_turn + 0.03
        assert rotations.angle_between(frame_tasks.targets[0][inside], reached[outside]) > 0.2
    np.testing.assert_array_equal(blended.targets[0][35:41], frame_tasks.targets[0][35:41])


def test_plants_are_not_blended() -> None:
    """A foot is not on a path between its plants: where it stands is where it has to be at once."""
    made = walk(steps=3)
    plants: list[Constraint] = [plant_of(contact) for contact in made.contacts]
    compiled = frame_tasks_of(made.clip, plants)
    wanted = FrameTasks(compiled.timeline.without_free_transits(), compiled.targets, compiled.movable)
    shifted = moved(made.clip, np.tile([0.3, 0.0, 0.0], (made.clip.frames, 1)))
    assert blend_boundaries(wanted, shifted) is wanted


def test_each_channel_is_blended_by_itself(clip: Clip) -> None:
    shifts = np.outer(np.arange(FRAMES) / FRAMES, [0.3, 0.0, 0.1])
    hands = [
        displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 10, 20, 25, 40),
        displaced(clip, "r_wrist", (0.0, 0.0, 0.1), 30, 50, 55, 70),
    ]
    together = blend_boundaries(frame_tasks_of(clip, [*hands]), moved(clip, shifts))
    for hand, channel in zip(hands, together.timeline.channels, strict=True):
        alone = blend_boundaries(frame_tasks_of(clip, [hand]), moved(clip, shifts))
        np.testing.assert_allclose(channel.displacement, displacements(alone), atol=1e-12)

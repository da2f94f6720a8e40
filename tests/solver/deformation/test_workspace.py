# SPDX-License-Identifier: GPL-3.0-or-later
"""The workspace: frames that are written and restored, interpolation, and solving in batches and sequentially."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.constraints import Source
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.progress import Stage, finished
from poise.solver.deformation.displacement import displacement
from poise.solver.deformation.frame_tasks import MET_TOLERANCE, FrameTasks
from poise.solver.deformation.settings import DeformSettings
from poise.solver.deformation.workspace import Workspace, neighbours, neighbours_met

from ..made_up import moving_human
from ..standing import displaced, frame_tasks_of, standing_human, workspace_of

FRAMES = 31


@pytest.fixture
def clip(rng: np.random.Generator) -> Clip:
    return moving_human(rng, FRAMES)


def part(motion: Motion, frames: Array) -> Motion:
    return Motion(motion.rotations[frames], motion.translations[frames])


def displaced_motion(clip: Clip, turns: Array, moves: Array) -> Motion:
    """The clip's motion with every joint turned by (frames, 3) and moved by (frames, 3)."""
    turned = rotations.multiply(rotations.exp(turns)[:, None], clip.motion.rotations)
    return Motion(turned, clip.motion.translations + moves[:, None])


def assert_same(one: Motion, other: Motion) -> None:
    np.testing.assert_array_equal(one.rotations, other.rotations)
    np.testing.assert_array_equal(one.translations, other.translations)


# What is there -------------------------------------------------------------------------------------------------------


def test_it_begins_with_the_source_and_leaves_it_alone(clip: Clip, rng: np.random.Generator) -> None:
    work = Workspace(Source(clip), DeformSettings())
    assert_same(work.motion, clip.motion)
    assert_same(work.reference, clip.motion)
    assert work.met.all() and work.converged.all()
    kept = clip.motion.rotations.copy()
    shown = work.clip()
    some = np.array([3, 7, 20])
    other = displaced_motion(clip, *rng.standard_normal((2, FRAMES, 3)))
    work.write(some, part(other, some))
    work.write_reference(some[:1], part(other, some[:1]))
    np.testing.assert_array_equal(clip.motion.rotations, kept)
    assert_same(shown.motion, clip.motion)
    assert_same(work.at(some), part(other, some))
    rest = np.setdiff1d(np.arange(FRAMES), some)
    assert_same(work.at(rest), part(clip.motion, rest))
    assert_same(part(work.reference, some[:1]), part(other, some[:1]))
    assert_same(part(work.reference, some[1:]), part(clip.motion, some[1:]))


def test_another_begins_where_the_one_before_was(clip: Clip, rng: np.random.Generator) -> None:
    before = Workspace(Source(clip), DeformSettings())
    every = np.arange(FRAMES)
    moved, attracting = (displaced_motion(clip, *rng.standard_normal((2, FRAMES, 3))) for _ in range(2))
    before.write(every, moved)
    before.write_reference(every, attracting)
    before.met[4] = before.converged[5] = False
    work = Workspace(before.source, DeformSettings(), before)
    work.write(every[:3], part(clip.motion, every[:3]))
    work.met[9] = False
    assert_same(part(work.motion, every[3:]), part(moved, every[3:]))
    assert_same(work.reference, attracting)
    assert_same(before.motion, moved)
    assert np.flatnonzero(~before.met).tolist() == [4] and np.flatnonzero(~work.met).tolist() == [4, 9]
    assert np.flatnonzero(~work.converged).tolist() == [5]


def test_restored_frames_are_those_of_the_source(clip: Clip, rng: np.random.Generator) -> None:
    work = Workspace(Source(clip), DeformSettings())
    every, some = np.arange(FRAMES), np.array([2, 11, 12])
    other = displaced_motion(clip, *rng.standard_normal((2, FRAMES, 3)))
    work.write(every, other)
    work.write_reference(every, other)
    work.met[:] = work.converged[:] = False
    work.restore_source(some)
    rest = np.setdiff1d(every, some)
    for motion in (work.motion, work.reference):
        assert_same(part(motion, some), part(clip.motion, some))
        assert_same(part(motion, rest), part(other, rest))
    np.testing.assert_array_equal(work.met, np.isin(every, some))
    np.testing.assert_array_equal(work.converged, np.isin(every, some))


def test_progress_shows_what_is_there_when_it_is_asked_for(clip: Clip, rng: np.random.Generator) -> None:
    work = Workspace(Source(clip), DeformSettings())
    progress = work.progress(Stage.SOLVING, 1.7)
    assert progress.stage == Stage.SOLVING and progress.share == 1.0
    other = displaced_motion(clip, *rng.standard_normal((2, FRAMES, 3)))
    work.write(np.arange(FRAMES), other)
    assert_same(progress.clip.motion, other)


# Between known frames ------------------------------------------------------------------------------------------------

KNOWN = np.array([2, 6, 9, 15, 22, 28])
BETWEEN = np.setdiff1d(np.arange(2, 29), KNOWN)


def between(clip: Clip, motion: Motion) -> tuple[Array, Array]:
    """The displacements, turns and moves (frames, joints, 3), that are found between the known ones of a motion."""
    work = Workspace(Source(clip), DeformSettings())
    work.write(KNOWN, part(motion, KNOWN))
    found = displacement(part(clip.motion, BETWEEN), work.interpolated(KNOWN, BETWEEN))
    return found.rotation_vectors, found.translations


def test_between_frames_that_are_displaced_alike_all_are(clip: Clip, rng: np.random.Generator) -> None:
    turn, move = rng.standard_normal((2, 3))
    motion = displaced_motion(clip, np.tile(turn, (FRAMES, 1)), np.tile(move, (FRAMES, 1)))
    turns, moves = between(clip, motion)
    np.testing.assert_allclose(turns, np.broadcast_to(turn, turns.shape), atol=1e-9)
    np.testing.assert_allclose(moves, np.broadcast_to(move, moves.shape), atol=1e-9)


def test_between_frames_of_the_source_lies_the_source(clip: Clip) -> None:
    turns, moves = between(clip, clip.motion)
    assert not turns.any() and not moves.any()


def test_a_displacement_that_grows_evenly_is_found_between(clip: Clip) -> None:
    times = np.arange(FRAMES)[:, None] / FRAMES
    turn, move = np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, -1.0])
    turns, moves = between(clip, displaced_motion(clip, times * turn, times * move))
    inner = (BETWEEN > 6) & (BETWEEN < 22)
    for found, whole in ((turns, times * turn), (moves, times * move)):
        expected = np.broadcast_to(whole[BETWEEN][:, None], found.shape)
        np.testing.assert_allclose(found[inner], expected[inner], atol=1e-9)


def test_what_is_known_is_kept_between(clip: Clip, rng: np.random.Generator) -> None:
    motion = displaced_motion(clip, 0.3 * rng.standard_normal((FRAMES, 3)), rng.standard_normal((FRAMES, 3)))
    work = Workspace(Source(clip), DeformSettings())
    work.write(KNOWN, part(motion, KNOWN))
    at_known = work.interpolated(KNOWN, KNOWN)
    np.testing.assert_allclose(np.abs((at_known.rotations * motion.rotations[KNOWN]).sum(axis=-1)), 1.0, atol=1e-9)
    np.testing.assert_allclose(at_known.translations, motion.translations[KNOWN], atol=1e-9)


def test_between_known_frames_the_velocity_does_not_jump(rng: np.random.Generator) -> None:
    """In the limit of fine frames: what it changes by from frame to frame goes to nothing."""
    places = rng.standard_normal((6, 3))
    corners = []
    for fine in (8, 32):
        clip = standing_human(30 * fine + 1, fps=30.0 * fine)
        known = np.array([0, 5, 9, 15, 22, 30]) * fine
        work = Workspace(Source(clip), DeformSettings())
        work.write(known, Motion(clip.motion.rotations[known], clip.motion.translations[known] + places[:, None]))
        path = work.interpolated(known, np.arange(clip.frames)).translations[:, 0]
        corners.append(float(np.abs(np.diff(path, 2, axis=0)).max()) * fine)
    assert corners[1] < 0.35 * corners[0]


# Solving -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def reaching(clip: Clip) -> FrameTasks:
    """Both hands are led elsewhere, the left one sooner."""
    left = displaced(clip, "l_wrist", (0.0, 0.1, 0.1), 4, 12, 14, 22, priority=2)
    right = displaced(clip, "r_wrist", (0.0, 0.05, 0.1), 10, 16, 18, 26, priority=1)
    return frame_tasks_of(clip, [left, right])


def misses(frame_tasks: FrameTasks, clip: Clip) -> float:
    """By how much anything is missed at most, in sizes of the character."""
    worst = 0.0
    for channel, targets in zip(frame_tasks.timeline.channels, frame_tasks.targets, strict=True):
        off = channel.effector.miss(channel.effector.value(clip.world), targets)[channel.active]
        worst = max(worst, float(off.max(initial=0.0)))
    return worst / clip.skeleton.size


def test_batch_and_sequential_solves_agree(clip: Clip, reaching: FrameTasks) -> None:
    results = []
    for solve in ("solve", "solve_sequentially"):
        work = workspace_of(reaching)
        finished(getattr(work, solve)(reaching, np.arange(FRAMES), Stage.SOLVING))
        assert work.met.all() and work.converged.all()
        results.append(work.clip())
        assert misses(reaching, results[-1]) < MET_TOLERANCE
        idle = ~reaching.timeline.active
        assert_same(part(work.motion, idle), part(clip.motion, idle))
    one, other = (each.world.positions for each in results)
    assert np.abs(one - other).max() < 2e-3 * clip.skeleton.size
    assert np.abs(one - clip.world.positions).max() > 0.05 * clip.skeleton.size


def test_sequentially_each_frame_begins_at_the_one_before(clip: Clip, reaching: FrameTasks) -> None:
    """Seen where no step is taken: what the frame before the first has goes on from frame to frame."""
    work = workspace_of(reaching, iterations=0)
    finished(work.solve_sequentially(reaching, np.array([11, 12, 13]), Stage.SOLVING))
    movable = reaching.movable[11]
    unmoved = np.linalg.norm(work.motion.rotations[13, movable] - clip.motion.rotations[10, movable], axis=-1)
    assert np.median(unmoved) < 1e-9


def test_only_the_given_frames_are_solved(clip: Clip, reaching: FrameTasks) -> None:
    for solve in ("solve", "solve_sequentially", "correct_or_solve"):
        work = workspace_of(reaching)
        frames = np.array([0, 8, 13, 14])
        finished(getattr(work, solve)(reaching, frames, Stage.SOLVING))
        changed = (work.motion.rotations != clip.motion.rotations).any(axis=(1, 2))
        assert np.flatnonzero(changed).tolist() == [8, 13, 14], solve


def test_a_solve_yields_its_progress(reaching: FrameTasks) -> None:
    shares = [step.share for step in workspace_of(reaching).solve(reaching, np.arange(FRAMES), Stage.SOLVING)]
    assert shares and shares[-1] == 1.0 and shares == sorted(shares)


def test_what_is_out_of_reach_is_solved_in_order(clip: Clip) -> None:
    """The more important of two that cannot both be met is met, and the frames count as missed."""
    far = displaced(clip, "l_wrist", (0.0, 0.0, 1.0), 6, 12, 14, 20, priority=1)
    shoulder = displaced(clip, "l_shoulder", (0.0, 0.0, 0.0), 0, 0, FRAMES - 1, FRAMES - 1, priority=2)
    frame_tasks = frame_tasks_of(clip, [far, shoulder])
    work = workspace_of(frame_tasks, iterations=30)
    finished(work.solve(frame_tasks, np.array([2, 13]), Stage.SOLVING))
    assert work.met[2] and not work.met[13]
    off = np.linalg.norm((work.clip().position("l_shoulder") - clip.position("l_shoulder"))[[2, 13]], axis=1)
    assert off.max() < MET_TOLERANCE * clip.skeleton.size


def test_frames_near_their_targets_are_corrected_and_the_others_solved(clip: Clip, reaching: FrameTasks) -> None:
    work = workspace_of(reaching)
    frames = np.arange(4, 27)
    finished(work.solve(reaching, frames, Stage.SOLVING))
    good = work.clip()
    turned = work.motion.rotations.copy()
    turned[13] = clip.motion.rotations[13]
    shoulder = clip.skeleton.index("l_shoulder")
    turned[8, shoulder] = rotations.multiply(rotations.exp(np.array([0.01, 0.0, 0.0])), turned[8, shoulder])
    work.motion = Motion(turned, work.motion.translations)
    work.write_reference(np.array([8]), Motion(clip.motion.rotations[[25]], clip.motion.translations[[25]]))
    finished(work.correct_or_solve(reaching, np.array([8, 13]), Stage.SOLVING))
    assert work.met.all() and misses(reaching, work.clip()) < MET_TOLERANCE
    others = np.setdiff1d(np.arange(FRAMES), [8, 13])
    assert_same(work.at(others), part(good.motion, others))
    # A corrected frame stays near its posture rather than going back to its reference.
    assert np.abs(work.clip().world.positions[8] - good.world.positions[8]).max() < 0.02 * clip.skeleton.size


def test_unconverged_frames_are_interpolated_between_their_neighbours(clip: Clip, reaching: FrameTasks) -> None:
    work = workspace_of(reaching)
    finished(work.solve(reaching, np.arange(FRAMES), Stage.SOLVING))
    good = work.clip()
    frames = np.array([12, 17])
    wild = rotations.multiply(rotations.exp(np.full(3, 0.8)), good.motion.rotations[frames])
    work.write(frames, Motion(wild, good.motion.translations[frames]))
    work.met[frames] = work.converged[frames] = False
    finished(work.interpolate_unconverged(reaching, frames, "settling"))
    assert work.met.all() and misses(reaching, work.clip()) < MET_TOLERANCE
    assert np.abs(work.clip().world.positions - good.world.positions).max() < 0.02 * clip.skeleton.size


def test_frames_whose_interpolation_cannot_be_corrected_stay_the_same(clip: Clip) -> None:
    far = displaced(clip, "l_wrist", (0.0, 0.0, 5.0), 6, 12, 14, 20, recruit=2)
    frame_tasks = frame_tasks_of(clip, [far])
    work = workspace_of(frame_tasks)
    frames = np.array([12, 13])
    turned = rotations.multiply(rotations.exp(np.full(3, 0.3)), clip.motion.rotations[frames])
    given = Motion(turned, clip.motion.translations[frames])
    work.write(frames, given)
    finished(work.interpolate_unconverged(frame_tasks, frames, "settling"))
    assert_same(work.at(frames), given)
    assert not work.met[frames].any()


def test_without_other_frames_nothing_is_interpolated(clip: Clip, reaching: FrameTasks) -> None:
    work = workspace_of(reaching)
    for frames in (np.arange(FRAMES), np.zeros(0, dtype=np.int64)):
        finished(work.interpolate_unconverged(reaching, frames, "settling"))
        assert_same(work.motion, clip.motion)


# Which frames --------------------------------------------------------------------------------------------------------


def test_neighbours_are_right_outside(rng: np.random.Generator) -> None:
    for _ in range(20):
        mask = rng.random(15) < 0.4
        expected = [frame for frame in range(15) if not mask[frame] and mask[max(frame - 1, 0) : frame + 2].any()]
        assert neighbours(np.flatnonzero(mask), 15).tolist() == expected
    assert neighbours([3, 4], 5).tolist() == [2]


def test_frames_are_easy_between_met_ones(rng: np.random.Generator) -> None:
    for _ in range(20):
        met = rng.random(20) < 0.6
        known = np.sort(rng.choice(20, 6, replace=False))
        frames = np.setdiff1d(np.arange(known[0], known[-1]), known)
        expected = [bool(met[known[known < f].max()] and met[known[known > f].min()]) for f in frames]
        assert neighbours_met(met, known, frames).tolist() == expected
    assert neighbours_met(np.array([True, False]), np.array([0]), np.array([1])).tolist() == [True]

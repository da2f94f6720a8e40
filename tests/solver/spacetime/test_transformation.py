# SPDX-License-Identifier: GPL-3.0-or-later
"""Transforming a motion: edits of a fit, carried to the full character."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Generator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise.examples import physics
from poise.examples.physics_sources import fitted_run
from poise.solver import Clip, Motion, PoiseError, joint_jumps, rotations
from poise.solver.core.arrays import Array
from poise.solver.core.progress import finished
from poise.solver.spacetime import (
    AxisHandle,
    Edit,
    Fit,
    FootprintEdit,
    HandleObjective,
    LimbEdit,
    LockedJoint,
    Obstacle,
    PointHandle,
    SimplifiedMotion,
    Transformation,
    transform,
    transformation,
    transforming,
    warped,
)
from poise.solver.spacetime.editing.edited_problem import EditedProblem
from poise.solver.spacetime.problem.optimiser import Optimum, Start
from poise.solver.spacetime.problem.time_budget import Clock, TimeBudget
from poise.solver.spacetime.progress import PhysicsProgress

from .small_fits import running_fit, standing_fit, walk_fit

pytestmark = pytest.mark.slow


def wide(amount: float, of: Fit | None = None) -> Edit:
    """Footprints moved apart by so many sizes of the character, of the walk or of another fit."""
    of = of or walk_fit()
    shift = amount * of.units.length
    return Edit(
        footprints=tuple(
            FootprintEdit(index, (shift if "left" in stance.contact else -shift, 0.0, 0.0))
            for index, stance in enumerate(of.stances)
        )
    )


@cache
def run_fit() -> Fit:
    return fitted_run()


@cache
def widened() -> Transformation:
    return transform(walk_fit(), wide(0.08))


def resting(found: Transformation, index: int) -> tuple[Array, Array]:
    """The places of a stance's ball in the source and in the result, while it rests."""
    stance = found.fit.stances[index]
    foot = stance.points[0]
    fps = found.fit.source.fps
    begin, end = (found.motion.from_source(time) * fps for time in (stance.begin, stance.end))
    frames = np.arange(max(0, int(np.ceil(begin))), min(found.clip.frames - 1, int(np.floor(end))) + 1)
    ball = getattr(found.clip.skeleton.landmarks, foot)
    times = found.source_times[frames].astype(int)
    return found.fit.source.position(ball)[times], found.clip.position(ball)[frames]


def test_an_edit_that_changes_nothing_returns_the_source() -> None:
    fit = walk_fit()
    found = transform(fit, Edit())
    assert found.clip.frames == fit.source.frames
    away = found.clip.world.positions - fit.source.world.positions
    assert np.abs(away).max() < 1e-9 * fit.units.length


def test_feet_stand_exactly_where_the_edit_puts_them() -> None:
    found = widened()
    size = found.fit.units.length
    for index, change in enumerate(found.problem.footprints):
        _, after = resting(found, index)
        # The footplants of a made-up walk stand still to the last bit, so their places do as well.
        assert np.abs(after - after[0]).max() < 1e-4 * size
        before, _ = resting(found, index)
        assert np.abs(after - before - np.array(change.shift)).max() < 1e-4 * size


def test_feet_that_stand_at_the_same_time_move_each_with_its_own_footprint() -> None:
    stood = standing_fit()
    found = transform(stood, wide(0.05, stood))
    for index, change in enumerate(found.problem.footprints):
        before, after = resting(found, index)
        assert np.abs(after - before - np.array(change.shift)).max() < 1e-4 * found.fit.units.length


@pytest.mark.parametrize("edit", [Edit(duration=1.2), Edit(gravity=0.4, flight=2.0)])
def test_feet_stand_still_from_the_first_to_the_last_frame_of_a_motion_with_other_times(edit: Edit) -> None:
    """Although the source has no frames there, and although the ends of stances are whole frames but for rounding."""
    fit = running_fit()
    found = transform(fit, edit)
    size, fps = fit.units.length, fit.source.fps
    for plant in fit.plants:
        for part, (begin, end) in plant.stays.items():
            point = getattr(fit.source.skeleton.landmarks, f"{plant.foot}_{'ball' if part == 'toe' else part}")
            place = fit.source.position(point)[round(begin)]
            first, last = found.motion.from_source(np.array([begin, end]) / fps) * fps
            during = np.arange(np.ceil(first - 1e-6), np.floor(last + 1e-6) + 1.0, dtype=int)
            assert np.abs(found.clip.position(point)[during] - place).max(initial=0.0) < 1e-4 * size


def quickest(clip: Clip) -> Array:
    """(joints,) the largest second difference of each joint's place over frames."""
    return np.asarray(np.abs(np.diff(clip.world.positions, 2, axis=0)).max(axis=(0, 2)))


@pytest.mark.parametrize("name", ["moon run", "wide footsteps", "crossed footsteps", "limp", "short leg"])
def test_no_joint_of_a_run_jumps_and_its_feet_stand(name: str) -> None:
    """With the usual settings: the few points of the walk's fit leave corners in its forces."""
    found = transform(run_fit(), physics.RUNS[name](run_fit()))
    worst = joint_jumps(warped(found.clip_of_source, found.source_times), found.clip)
    assert worst.ratio < 2.0, str(worst)
    source, size = found.clip_of_source, found.fit.units.length
    if np.diff(found.source_times).max() < 1.0 + 1e-6:
        # A source that is sampled more slowly in flight has corners where its pace changes; its own motion has none.
        # Where time runs faster, accelerations grow with the square of the pace.
        assert (quickest(found.clip) / np.maximum(quickest(source), 2e-3 * size)).max() < 2.0
    assert max(each.amount for each in found.reconstruction.plants) < 1e-4
    for index, change in enumerate(found.problem.footprints):
        before, after = resting(found, index)
        assert np.abs(after - before - np.array(change.shift)).max() < 1e-4 * size


def high_frequencies(rotations: Array, fps: float) -> Array:
    """(joints,) the energy above 5 Hz of local rotations (frames, joints, 4)."""
    window = np.hanning(len(rotations))[:, None, None]
    spectrum = np.abs(np.fft.rfft((rotations - rotations.mean(axis=0)) * window, axis=0)) ** 2
    return np.asarray(spectrum[np.fft.rfftfreq(len(rotations), 1.0 / fps) > 5.0].sum(axis=(0, 2)))


def test_joints_that_an_edit_does_not_need_keep_their_detail() -> None:
    """Trembling that is added to wrists and neck comes out of a wide-footed run as it went in."""
    fit = run_fit()
    skeleton = fit.source.skeleton
    joints = [skeleton.index(name) for name in ("l_wrist", "r_wrist", "vc4")]
    noise = np.random.default_rng(3).normal(scale=0.02, size=(fit.source.frames, len(joints), 3))
    turned = np.array(fit.source.motion.rotations)
    turned[:, joints] = rotations.multiply(turned[:, joints], rotations.exp(noise))
    trembling = fit.source.with_motion(Motion(turned, fit.source.motion.translations))
    found = transform(replace(fit, source=trembling), physics.wide_footsteps(fit))
    before = high_frequencies(trembling.motion.rotations, fit.source.fps)[joints]
    after = high_frequencies(found.clip.motion.rotations, fit.source.fps)[joints]
    assert (np.abs(after / before - 1.0) < 0.2).all(), after / before


def test_the_body_follows_the_handles() -> None:
    found = widened()
    for missed in found.reconstruction.handles:
        assert missed.amount < 0.02, str(missed)
    sway = [np.ptp(clip.center_of_mass()[:, 0]) for clip in (found.fit.source, found.clip)]
    assert sway[1] > sway[0]


def test_a_slower_motion_has_more_frames() -> None:
    fit = walk_fit()
    found = transform(fit, Edit(duration=1.5, gravity=1.0 / 1.5**2))
    assert found.clip.frames == round(1.5 * (fit.source.frames - 1)) + 1
    assert np.isclose(found.source_times[-1], fit.source.frames - 1)
    # At this gravity the same walk in slow motion is physical: the body hardly changes its path.
    slow = warped(fit.source, found.source_times)
    away = np.linalg.norm(found.clip.center_of_mass() - slow.center_of_mass(), axis=1)
    assert away.max() < 0.05 * fit.units.length


def test_a_locked_knee_stays_locked_on_the_simplified_character() -> None:
    fit = walk_fit()
    found = transform(fit, Edit(locked=(LockedJoint("left_knee", (15.0,)),)))
    knee = fit.problem.character.joint_of["left_knee"][0]
    values = found.motion.values(np.linspace(0.0, found.motion.duration, 50))
    assert np.abs(values[:, knee] - np.deg2rad(15.0)).max() < 1e-9
    assert found.motion.values([0.2])[0, 0] != fit.motion.values([0.2])[0, 0]


def test_a_shorter_leg_is_shorter_on_the_full_character() -> None:
    found = transform(walk_fit(), Edit(limbs=(LimbEdit("right_knee", 0.93),)))
    marks = found.clip.skeleton.landmarks
    knee, ankle = marks.right_knee, marks.right_ankle
    assert knee is not None and ankle is not None
    bone = np.linalg.norm(found.clip.position(ankle) - found.clip.position(knee), axis=1)
    source = found.fit.source
    assert np.allclose(bone, 0.93 * np.linalg.norm(source.position(ankle) - source.position(knee), axis=1))


def test_the_feet_of_a_shorter_leg_stand_where_those_of_the_source_do() -> None:
    found = transform(walk_fit(), Edit(limbs=(LimbEdit("right_knee", 0.93),)))
    for index in range(len(found.fit.stances)):
        before, after = resting(found, index)
        assert np.abs(after - before).max() < 1e-4 * found.fit.units.length


def test_a_heavier_arm_changes_the_full_character_as_little_as_the_simplified_one() -> None:
    """Both have the same heavier arm, and the posture of the fit on both is what the change is measured from."""
    fit = walk_fit()
    found = transform(fit, Edit(limbs=(LimbEdit("left_shoulder", mass=3.0),)))
    times = np.linspace(0.0, fit.motion.duration, 50)
    simplified = np.abs(found.motion.values(times) - fit.motion.values(times))[:, 3:].max()
    turned = rotations.log(rotations.quotient(found.clip.motion.rotations, fit.source.motion.rotations))
    assert 0.01 < np.linalg.norm(turned, axis=-1).max() < 1.5 * simplified


def test_an_objective_of_the_users_own_pulls() -> None:
    """Knees as high as they can be (Popović 1999, equation 3.59)."""
    fit = walk_fit()
    knee = PointHandle("left_ball")
    objective = HandleObjective(knee.dot(AxisHandle("hips", "up")) * (1.0 / fit.units.length), -0.02)
    found = transform(fit, Edit(own_objectives=(objective,)))
    times = np.linspace(0.0, fit.motion.duration, 60)
    heights = [motion.handle_values((knee,), times)[:, 1].max() for motion in (fit.motion, found.motion)]
    assert heights[1] > heights[0]


def test_an_edit_can_be_cancelled() -> None:
    before = threading.active_count()
    steps = transforming(walk_fit(), wide(0.1))
    for _ in range(5):
        next(steps)
    steps.close()
    assert threading.active_count() == before


def test_a_footprint_out_of_reach_is_named() -> None:
    fit = walk_fit()
    with pytest.raises(PoiseError, match="foot"):
        transform(fit, Edit(footprints=(FootprintEdit(1, (0.0, 3.0 * fit.units.length, 0.0)),)))


# --- edits that end without a motion --------------------------------------------------------------------------------


class Attempts:
    """Counts the solves of edits, and the seconds that each was given."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.iterations: list[int] = []
        self.seconds: list[float] = []
        attempt = transformation._attempt

        def counted(
            fit: Fit, edited: EditedProblem, start: Start, begin: float, budget: TimeBudget
        ) -> Generator[PhysicsProgress, None, tuple[Optimum, SimplifiedMotion, list[str]]]:
            self.seconds.append(budget.left)
            found = yield from attempt(fit, edited, start, begin, budget)
            self.iterations.append(found[0].iterations)
            return found

        monkeypatch.setattr(transformation, "_attempt", counted)


def ticking(seconds: float = 1.0) -> Clock:
    """A clock that goes on by so many seconds whenever it is read."""
    times = itertools.count()
    return lambda: seconds * next(times)


def unchanged(fit: Fit) -> list[bytes]:
    """What an edit must not change about a fit."""
    motion = fit.source.motion
    arrays = [motion.rotations, motion.translations, fit.optimum.unknowns, fit.problem.targets, fit.motion.unknowns]
    return [np.asarray(each).tobytes() for each in (*arrays, *(stance.place for stance in fit.stances))]


def test_all_solves_of_an_edit_share_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a second passes whenever the clock is read: at every iteration, and a few times between."""
    fit = walk_fit()
    fit, before = replace(fit, settings=replace(fit.settings, edit_seconds=20.0)), unchanged(fit)
    attempts = Attempts(monkeypatch)
    with pytest.raises(PoiseError, match=r"^No physical motion was found within 20 s for a turn by 573°: ") as refused:
        transform(fit, Edit(turn=10.0), ticking(0.5))
    assert sum(attempts.iterations) <= 40
    assert len(attempts.iterations) == 1, "no time was left for half of the edit"
    assert attempts.seconds[0] < 20.0, "the checks before the solve count"
    assert str(refused.value).endswith(".")
    assert unchanged(fit) == before


def test_a_stalled_solve_leaves_time_for_half_of_the_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = walk_fit()
    before, attempts = unchanged(fit), Attempts(monkeypatch)
    with pytest.raises(PoiseError) as refused:
        transform(fit, Edit(gravity=1000.0))
    told = str(refused.value)
    assert told.startswith("No physical motion was found for 1e+03 times the gravity: the stance of the ")
    assert told.endswith("; half of the edit is possible.")
    first, half, again = attempts.iterations
    assert first <= transformation.STALLED + 5 and half < 60 and again <= transformation.STALLED + 5
    assert unchanged(fit) == before


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (Edit(duration=0.01), "The edit leaves 0.011 s for the whole motion"),
        (Edit(turn=40.0 * np.pi), "would have to turn by 20 turns within"),
        (Edit(locked=(LockedJoint("left_knee", (300.0,)),)), "left knee flexion cannot be locked at 300°"),
        (Edit(limbs=(LimbEdit("right_knee", mass=1e4),)), "times its mass, and no legs carry more than 8 times"),
        (Edit(footprints=(FootprintEdit(1, (3.0, 0.0, 0.0)),)), "apart, farther than two legs reach, "),
        (Edit(footprints=(FootprintEdit(1, (1e30, 0.0, 0.0)),)), "the stance of the left foot at 0.37 s"),
        (
            Edit(footprints=(FootprintEdit(1, earlier_strike=1.0), FootprintEdit(1, later_release=-1.0))),
            "leaves no time between two contacts",
        ),
        (
            Edit(locked=(LockedJoint("left_knee", (10.0,)), LockedJoint("left_knee", (20.0,)))),
            "is locked twice, at different values",
        ),
        (Edit(gravity=1e9), r"is out of reach by .*, with 1e\+09 times the gravity\.$"),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_solved(
    edit: Edit, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit = walk_fit()
    before, attempts = unchanged(fit), Attempts(monkeypatch)
    with pytest.raises(PoiseError, match=told):
        transform(fit, edit)
    assert attempts.seconds == [] and unchanged(fit) == before


def test_an_obstacle_around_a_footprint_is_named_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    fit, attempts = walk_fit(), Attempts(monkeypatch)
    x, y, z = (float(each) for each in fit.stances[1].place)
    for radius in (0.2, 3.0):
        with pytest.raises(PoiseError, match=f"obstacle 1 stands on .*{fit.stances[1].label}"):
            transform(fit, Edit(obstacles=(Obstacle((x, y, z), 0.3, radius),)))
    assert attempts.seconds == []


@pytest.mark.parametrize(
    "edit",
    [
        Edit(gravity=0.0),
        Edit(duration=0.7),
        Edit(footprints=(FootprintEdit(1, (0.9, 0.0, 0.0)),)),
        Edit(footprints=(FootprintEdit(1, (0.0, -0.5, 0.0)),)),
        Edit(limbs=(LimbEdit("right_knee", 0.05),)),
        Edit(turn=1.0),
        Edit(footprints=(FootprintEdit(1, (0.5, 0.0, 0.0)), FootprintEdit(1, (-0.45, 0.0, 0.0)))),
    ],
)
def test_possible_edits_beside_the_impossible_ones_are_solved_at_once(
    edit: Edit, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit, attempts = walk_fit(), Attempts(monkeypatch)
    budget = TimeBudget(fit.edit_seconds)
    _, optimum, _ = finished(transformation._solved_edit(fit, edit, budget))
    assert optimum.status == "Solve_Succeeded" and len(attempts.iterations) == 1

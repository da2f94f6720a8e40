# SPDX-License-Identifier: GPL-3.0-or-later
"""The projection of every frame: targets are met, nothing is switched off at once, and nothing else is changed."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.limits import HingeLimit
from poise.solver.body.motion import Motion
from poise.solver.constraints import Balance, Constraint
from poise.solver.core import rotations
from poise.solver.core.arrays import Array, runs
from poise.solver.core.progress import Stage, finished
from poise.solver.deformation.frame_tasks import FrameTasks
from poise.solver.deformation.passes.projection import (
    BATCH,
    JOINT_SHARE,
    PREVIEWED,
    Systems,
    preview_projection,
    project,
)
from poise.solver.deformation.rows import Rows
from poise.solver.deformation.settings import Tolerances
from poise.solver.synthetic import human, walk

from ...made_up import moving_human, plant_of
from ...standing import displaced, standing_human
from ..drafts import Drafting, drafting

FPS = 60.0


def planted_walk(*more: Constraint, skate: float = 0.01, shift: float = 0.1, steps: int = 3) -> Drafting:
    """A walk whose feet slide as captured ones do, with its plants moved aside by some sizes, and its draft."""
    made = walk(steps=steps, fps=FPS, skate=skate, seed=2)
    by = (shift * made.clip.skeleton.size, 0.0, 0.0)
    plants = [plant_of(contact, priority=2).moved(by) for contact in made.contacts]
    return drafting(made.clip, [*plants, *more]).solved()


def test_targets_are_met_in_every_frame() -> None:
    solving = planted_walk(Balance(priority=1))
    assert solving.residuals().max() > 1e-3, "the draft must leave something to do"
    unmet = solving.projected()
    assert not unmet.size
    # Each of three rows is within the tolerance.
    assert solving.residuals().max() < np.sqrt(3.0) * Tolerances().corrected
    assert solving.work.met.all() and solving.work.converged.all()


def test_more_frames_than_a_batch_are_projected_alike() -> None:
    solving = planted_walk(steps=18)
    frames = solving.frames
    assert len(frames) > BATCH
    part = frames[(frames >= BATCH - 80) & (frames < BATCH + 80)]
    begin = solving.work.clip().motion
    steps = list(project(solving.tasks, solving.work, frames, solving.draft))
    assert len(steps) > 1 and all(step.stage is Stage.SOLVING and 0.0 <= step.share <= 1.0 for step in steps)
    whole = solving.work.clip().motion
    solving.work.write(np.arange(solving.clip.frames), begin)
    finished(project(solving.tasks, solving.work, part, solving.draft))
    # In the middle of the part, far from its ends, beyond which nothing is continued.
    inner = part[60:-60]
    np.testing.assert_allclose(solving.work.motion.rotations[inner], whole.rotations[inner], atol=1e-6)


def test_frames_nearest_to_a_focus_are_projected_first() -> None:
    solving = planted_walk(steps=18)
    focus = int(solving.frames[-1]) - 10
    steps = [each.preview for each in project(solving.tasks, solving.work, solving.frames, solving.draft, focus)]
    shown = [preview.frames for preview in steps if preview is not None]
    assert shown[0][focus] and not shown[0][solving.frames[0]]
    assert all((later | ~earlier).all() for earlier, later in pairwise(shown)), "a frame is taken back"
    assert shown[-1][solving.frames].all()


def test_a_preview_of_a_draft_nearby_meets_the_targets_with_the_systems_of_another() -> None:
    first, moved = planted_walk(shift=0.1), planted_walk(shift=0.103)
    systems, without = Systems(), planted_walk(shift=0.103)
    finished(project(first.tasks, first.work, first.frames, first.draft, None, systems))
    known = systems.of(first.frames, moved.draft)
    assert known is not None and known.distance(moved.draft) > 0.0
    assert moved.residuals().max() > 1e-3, "the draft must leave something to do"
    finished(preview_projection(moved.tasks, moved.work, moved.frames, moved.draft, None, systems))
    assert moved.residuals().max() < np.sqrt(3.0) * PREVIEWED
    without.projected()
    apart = np.abs(moved.world().positions - without.world().positions).max()
    assert apart < 1e-3 * moved.clip.skeleton.size


def test_systems_do_not_serve_a_draft_far_away() -> None:
    first, far = planted_walk(shift=0.0), planted_walk(shift=0.2)
    systems = Systems()
    finished(project(first.tasks, first.work, first.frames, first.draft, None, systems))
    assert systems.of(first.frames, first.draft) is not None
    assert systems.of(first.frames, far.draft) is None and systems.of(first.frames[:-1], first.draft) is None


def test_the_draft_and_frames_without_targets_are_not_changed(rng: np.random.Generator) -> None:
    clip = moving_human(rng, 121, fps=FPS)
    constraints: list[Constraint] = [
        displaced(clip, "l_wrist", (0.0, 0.03, 0.03), 20, 30, 35, 50, recruit=3),
        displaced(clip, "r_wrist", (0.0, 0.04, 0.0), 70, 80, 85, 100, recruit=["r_elbow", "r_shoulder"]),
    ]
    solving = drafting(clip, constraints).solved()
    draft = solving.work.clip().motion
    assert not finished(project(solving.tasks, solving.work, np.arange(121), solving.draft)).size
    may_move = solving.tasks.movable
    changed = (solving.work.motion.rotations != clip.motion.rotations).any(axis=2)
    np.testing.assert_array_equal(solving.work.motion.rotations[~may_move], clip.motion.rotations[~may_move])
    np.testing.assert_array_equal(solving.work.motion.translations[~may_move], clip.motion.translations[~may_move])
    assert changed.any() and changed[:20].sum() == changed[51:70].sum() == changed[101:].sum() == 0
    np.testing.assert_array_equal(solving.work.reference.rotations, draft.rotations)


def test_only_the_given_frames_are_written() -> None:
    solving = planted_walk()
    before = solving.work.clip().motion
    given = np.arange(20, 60)
    finished(project(solving.tasks, solving.work, given, solving.draft))
    others = np.setdiff1d(np.arange(solving.clip.frames), given)
    np.testing.assert_array_equal(solving.work.motion.rotations[others], before.rotations[others])
    assert (solving.work.motion.rotations[given] != before.rotations[given]).any(axis=(1, 2)).all()


def trembling(clip: Clip, rng: np.random.Generator, angle: float) -> Clip:
    """A clip whose hips and knees tremble, slowly enough to be seen: faster than the knots of a draft."""
    turned = clip.motion.rotations.copy()
    for name in ("l_hip", "r_hip", "l_knee", "r_knee"):
        joint = clip.skeleton.index(name)
        waves = angle * np.sin(1.1 * np.arange(clip.frames)[:, None] + rng.uniform(0.0, 6.0, 3))
        turned[:, joint] = rotations.multiply(rotations.exp(waves), turned[:, joint])
    return clip.with_motion(Motion(turned, clip.motion.translations))


def test_nothing_is_switched_off_from_one_frame_to_the_next(rng: np.random.Generator) -> None:
    """Where a heel or a ball begins or stops to stand, what the projection adds to the draft goes on: its jumps there
    are a fraction of those of a projection of the standing frames alone."""
    made = walk(steps=4, fps=FPS)
    clip = trembling(made.clip, rng, 0.01)
    solving = drafting(clip, [plant_of(contact) for contact in made.contacts]).solved()
    begin = solving.work.clip().motion
    start = solving.world().positions

    def jumps() -> Array:
        """(events,) the largest second difference of what was added to heels and balls, around each event."""
        found = []
        added = (solving.world().positions - start) / clip.skeleton.size
        for channel in solving.tasks.timeline.channels:
            if channel.effector.is_angular:
                continue
            joint = int(channel.effector.moved_joint)  # type: ignore[arg-type]
            accelerations = np.linalg.norm(np.diff(added[:, joint], 2, axis=0), axis=1)
            for first, last in runs(channel.active):
                events = [event for event in (first, last + 1) if 4 < event < clip.frames - 4]
                found += [accelerations[event - 2 : event].max() for event in events]
        return np.array(found)

    assert not solving.projected().size
    continued = jumps()
    # Each frame by itself: nothing is known of the frames around.
    solving.work.write(np.arange(clip.frames), begin)
    for frame in solving.frames:
        finished(project(solving.tasks, solving.work, np.array([frame]), solving.draft))
    alone = jumps()
    assert len(alone) > 8 and alone.max() > 2e-3
    assert continued.max() < 0.5 * alone.max()
    assert np.median(continued) < 0.5 * np.median(alone)


def test_frames_are_moved_by_the_least_in_the_metric(rng: np.random.Generator) -> None:
    """The gradient of the metric at the step that was taken is a combination of the rows: no other small step would
    meet the targets and be shorter."""
    clip = moving_human(rng, 21, fps=FPS)
    held: list[Constraint] = [
        displaced(clip, joint, (0.0, 0.0, 0.0), 0, 0, 20, 20) for joint in ("l_wrist", "r_talocrural")
    ]
    solving = drafting(clip, held).solved()
    draft, before, frames = solving.draft, solving.work.clip().motion, solving.frames
    near = [target + 1e-4 * rng.standard_normal(target.shape) for target in solving.tasks.targets]
    tasks = FrameTasks(solving.tasks.timeline, near, solving.tasks.movable)
    assert not finished(project(tasks, solving.work, frames, draft)).size
    columns, knots = draft.columns, draft.knots.frames
    step = columns.displacement(before, solving.work.motion)
    metric = draft.metrics + JOINT_SHARE**2 * np.eye(columns.count)
    gradient = np.einsum("fij,fj->fi", metric, step[knots])
    assert len(knots) > 5 and np.linalg.norm(gradient, axis=1).min() > 1e-6
    for own, rows in zip(gradient, Rows(tasks, knots, columns).jacobian(clip.world.at(knots)), strict=True):
        basis = np.linalg.qr(rows.T)[0]
        left = own - basis @ (basis.T @ own)
        assert np.linalg.norm(left) < 1e-2 * np.linalg.norm(own)


def test_targets_that_cannot_be_met_are_reported_and_do_not_stop_others() -> None:
    clip = standing_human(61, fps=FPS)
    constraints: list[Constraint] = [
        displaced(clip, "l_wrist", (0.0, 0.02, 0.05), 5, 10, 20, 25, recruit=3),
        displaced(clip, "r_wrist", (0.0, 3.0, 0.0), 30, 40, 45, 55, recruit=2),
    ]
    begun = drafting(clip, constraints)
    solving = begun.with_draft(replace(begun.solved().draft, values=np.zeros_like(begun.draft.values)))
    unmet = solving.projected()
    assert set(range(40, 46)) <= set(unmet.tolist()) and unmet.min() >= 30
    assert not solving.work.met[unmet].any() and solving.work.met[5:26].all()
    assert solving.residuals()[5:26].max() < np.sqrt(3.0) * Tolerances().corrected
    assert np.isfinite(solving.work.motion.rotations).all()
    # What was taken is no worse than what there was.
    assert (solving.residuals()[40:46] <= solving.residuals(world=clip.world)[40:46] + 1e-9).all()


@pytest.mark.parametrize("lift", [0.005, 0.25, 0.5])
def test_joints_do_not_leave_their_limits(lift: float) -> None:
    """A knee that may not bend by more than half a radian: the foot is lifted as far as that goes, and the frames that
    are not met are returned."""
    skeleton = human("y", hinges=True)
    limited = skeleton.with_limits({"l_knee": HingeLimit(-0.5, 0.5), "r_knee": HingeLimit(-0.5, 0.5)})
    knee = limited.index("l_knee")
    turned = standing_human(41).motion.rotations.copy()
    turned[:, knee] = rotations.multiply(turned[:, knee], rotations.exp(0.4 * limited.hinge_axes[knee]))
    clip = Clip(limited, Motion(turned, standing_human(41).motion.translations), FPS)
    foot = displaced(clip, "l_talocrural", (0.0, lift, 0.0), 0, 10, 30, 40, recruit=["l_knee", "l_hip"])
    begun = drafting(clip, [foot])
    solving = begun.with_draft(replace(begun.solved().draft, values=np.zeros_like(begun.draft.values)))
    unmet = solving.projected()
    bent = rotations.multiply(rotations.conjugate(limited.rest_rotations[knee]), solving.work.motion.rotations[:, knee])
    assert np.linalg.norm(rotations.log(bent), axis=1).max() < 0.5 + 1e-9
    met = solving.residuals()[:, 0] < np.sqrt(3.0) * Tolerances().corrected
    np.testing.assert_array_equal(np.flatnonzero(~met), unmet)
    # Half a radian at the knee instead of 0.4 shortens a leg of two equal halves by cos(0.2) - cos(0.25), 1 % of it.
    assert (lift > 0.01) == bool(unmet.size)


def test_a_draft_that_meets_its_targets_is_kept(rng: np.random.Generator) -> None:
    clip = moving_human(rng, 41, fps=FPS)
    solving = drafting(clip, [displaced(clip, "l_wrist", (0.0, 0.0, 0.0), 0, 0, 40, 40)]).solved()
    assert not solving.projected().size
    np.testing.assert_allclose(solving.work.motion.rotations, clip.motion.rotations, atol=1e-9)


def test_frames_without_any_task_are_left_alone() -> None:
    clip = standing_human(21)
    solving = drafting(clip, [displaced(clip, "l_wrist", (0.0, 0.02, 0.0), 5, 8, 10, 12)]).solved()
    none = solving.tasks.timeline.channels[0].without(np.ones(21, dtype=bool))
    free = replace(solving.tasks.timeline, channels=(none,))
    tasks = FrameTasks(free, solving.tasks.targets, solving.tasks.movable)
    before = solving.work.clip().motion
    finished(project(tasks, solving.work, solving.frames, solving.draft))
    np.testing.assert_array_equal(solving.work.motion.rotations, before.rotations)

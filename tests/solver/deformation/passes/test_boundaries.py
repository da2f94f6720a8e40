# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends of constraints: they begin and end where the rest of the motion has the effector, and as fast."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.constraints import Constraint, ConstraintPoint, Footplant, OrientationConstraint
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.progress import finished
from poise.solver.deformation.deform import deform
from poise.solver.deformation.frame_tasks import FrameTasks
from poise.solver.deformation.passes.boundaries import BlendedBoundaries, blend_boundaries
from poise.solver.deformation.settings import DeformSettings
from poise.solver.deformation.timeline import Timeline
from poise.solver.synthetic import walk as made_up_walk

from ...made_up import plant_of
from ...rounding import assert_equal_to_rounding
from ...standing import displaced, frame_tasks_of, standing_human, workspace_of

FRAMES = 81
BEGIN, REACHED, LEFT, END = 30, 40, 44, 56


def carried(clip: Clip) -> Constraint:
    """The hips are taken far away and back, so that they are displaced, and moving, whenever the hand sets in."""
    return displaced(clip, "HumanoidRoot", (0.2, 0.1, 0.15), 0, 43, 43, FRAMES - 1, priority=2, name="hips")


def hand(clip: Clip, **rest: object) -> Constraint:
    return displaced(clip, "l_wrist", (0.25, 0.1, 0.2), BEGIN, REACHED, LEFT, END, **{"name": "hand", **rest})


@pytest.fixture(scope="module")
def clip() -> Clip:
    return standing_human(FRAMES)


@pytest.fixture(scope="module")
def joined(clip: Clip) -> BlendedBoundaries:
    frame_tasks = frame_tasks_of(clip, [carried(clip), hand(clip)])
    return finished(blend_boundaries(frame_tasks, workspace_of(frame_tasks), None))


def wrist_targets(frame_tasks: FrameTasks) -> Array:
    joint = frame_tasks.skeleton.index("l_wrist")
    (number,) = (n for n, each in enumerate(frame_tasks.timeline.channels) if each.effector.moved_joint == joint)
    return frame_tasks.targets[number]


def test_a_constraint_begins_and_ends_where_the_others_have_its_effector(clip: Clip, joined: BlendedBoundaries) -> None:
    size = clip.skeleton.size
    path = deform(clip, [carried(clip)], settings=DeformSettings(smoothing_passes=0)).clip.position("l_wrist")
    asked, unjoined = wrist_targets(joined.blended), wrist_targets(joined.original)
    for inside, outside, before in ((BEGIN, BEGIN - 1, BEGIN - 2), (END, END + 1, END + 2)):
        goes_on = 2.0 * path[outside] - path[before]
        speed = float(np.linalg.norm(path[outside] - path[before]))
        jump = float(np.linalg.norm(unjoined[inside] - goes_on))
        assert speed > 4e-3 * size and jump > 10.0 * speed, "the example must need it"
        missed = float(np.linalg.norm(asked[inside] - goes_on))
        assert missed < 0.15 * jump, f"it still jumps by {missed / size:.3f} sizes at frame {inside}"


def test_velocities_are_taken_over(clip: Clip) -> None:
    """In the limit of fine frames: the first step inside is as long as the one outside."""
    corners = []
    for fine in (1, 4):
        fine_clip = standing_human((FRAMES - 1) * fine + 1, fps=30.0 * fine)
        hips = displaced(fine_clip, "HumanoidRoot", (0.2, 0.1, 0.15), 0, 43 * fine, 43 * fine, 80 * fine, priority=2)
        times = [time * fine for time in (BEGIN, REACHED, LEFT, END)]
        reach = displaced(fine_clip, "l_wrist", (0.25, 0.1, 0.2), *times)
        frame_tasks = frame_tasks_of(fine_clip, [hips, reach])
        work = workspace_of(frame_tasks)
        asked = wrist_targets(finished(blend_boundaries(frame_tasks, work, None)).blended)
        around = work.clip().position("l_wrist")
        first, last = BEGIN * fine, END * fine
        turns = [
            (asked[first] - around[first - 1]) - (around[first - 1] - around[first - 2]),
            (around[last + 2] - around[last + 1]) - (around[last + 1] - asked[last]),
        ]
        corners.append(float(np.abs(turns).max()) * fine)
    assert corners[1] < 0.4 * corners[0]


def test_what_is_held_stays_what_was_asked_for(joined: BlendedBoundaries) -> None:
    before, after = wrist_targets(joined.original), wrist_targets(joined.blended)
    np.testing.assert_array_equal(after[REACHED : LEFT + 1], before[REACHED : LEFT + 1])
    assert (after != before)[BEGIN:REACHED].any(axis=1).all()
    ((key, added),) = joined.offsets.items()
    assert key[1:] == (BEGIN, END, REACHED, LEFT) and added.shape == (END - BEGIN + 1, 3)


def test_orientations_are_joined_as_places_are(clip: Clip) -> None:
    turn = rotations.exp(np.array([0.5, 0.3, 0.0]))
    hips = OrientationConstraint("HumanoidRoot", 0, FRAMES - 1, [ConstraintPoint(turn, 43)], "relative", priority=2)
    head = OrientationConstraint(
        "skullbase", BEGIN, END, [ConstraintPoint(rotations.IDENTITY, REACHED, LEFT)], "relative", priority=1
    )
    frame_tasks = frame_tasks_of(clip, [hips, head])
    work = workspace_of(frame_tasks)
    asked = finished(blend_boundaries(frame_tasks, work, None)).blended
    (number,) = (n for n, each in enumerate(asked.timeline.channels) if each.effector.moved_joint == 8)
    outside = work.clip().orientation("skullbase")[BEGIN - 1]
    turn = rotations.multiply(asked.targets[number][BEGIN], rotations.conjugate(outside))
    apart = np.linalg.norm(rotations.log(turn))
    source = np.linalg.norm(rotations.log(outside))
    assert source > 0.3 and apart < 0.15 * source


def test_where_nothing_else_moves_the_effector_nothing_is_added(clip: Clip) -> None:
    foot = displaced(clip, "r_talocrural", (0.0, 0.1, 0.1), 0, 30, 50, FRAMES - 1, recruit=2)
    for others in ([], [foot]):
        frame_tasks = frame_tasks_of(clip, [*others, hand(clip, recruit=3)])
        found = finished(blend_boundaries(frame_tasks, workspace_of(frame_tasks), None))
        for added in found.offsets.values():
            assert_equal_to_rounding(added, np.zeros_like(added), clip.skeleton.size)
        assert_equal_to_rounding(wrist_targets(found.blended), wrist_targets(frame_tasks), clip.skeleton.size)


def test_who_is_held_from_its_first_frame_to_its_last_needs_no_joining(clip: Clip) -> None:
    """There is no way that could be eased; and at the ends of a clip there is nothing outside."""
    for times in ((BEGIN, BEGIN, END, END), (0, 20, 30, FRAMES - 1)):
        reach = displaced(clip, "l_wrist", (0.1, 0.1, 0.1), *times)
        frame_tasks = frame_tasks_of(clip, [carried(clip), reach])
        work = workspace_of(frame_tasks)
        assert not list(blend_boundaries(frame_tasks, work, None)), "something was solved"
        found = finished(blend_boundaries(frame_tasks, work, None))
        assert found.offsets == {} and found.blended is found.original is frame_tasks


def test_feet_on_their_way_are_not_joined(clip: Clip) -> None:
    plant = Footplant(foot="left", heel_strike=40, toe_strike=40, heel_off=46, toe_off=46, priority=3)
    frame_tasks = frame_tasks_of(clip, [carried(clip), plant])
    assert finished(blend_boundaries(frame_tasks, workspace_of(frame_tasks), None)).offsets == {}


def test_one_that_sets_in_soon_after_another_is_joined_to_what_that_one_was_joined_to(clip: Clip) -> None:
    hips, first = carried(clip), hand(clip)
    begin = BEGIN + 2
    second = displaced(clip, "r_wrist", (-0.1, 0.1, 0.2), begin, begin + 12, begin + 14, begin + 24)
    found = finished(
        blend_boundaries(frame_tasks := frame_tasks_of(clip, [hips, first, second]), workspace_of(frame_tasks), None)
    )
    (number,) = (n for n, each in enumerate(frame_tasks.timeline.channels) if each.tracks[0].constraint is second)
    path = deform(clip, [hips, first], settings=DeformSettings(smoothing_passes=0)).clip.position("r_wrist")
    goes_on = 2.0 * path[begin - 1] - path[begin - 2]
    off = np.linalg.norm(found.blended.targets[number][begin] - goes_on)
    jump = np.linalg.norm(found.original.targets[number][begin] - goes_on)
    assert off < 0.1 * jump


def test_what_is_there_already_does_not_matter(clip: Clip, joined: BlendedBoundaries) -> None:
    """Left over from a solve for other constraints."""
    frame_tasks = frame_tasks_of(clip, [carried(clip), hand(clip)])
    work = workspace_of(frame_tasks)
    turned = rotations.multiply(rotations.exp(np.array([0.3, 0.2, 0.1])), clip.motion.rotations)
    every, left_over = np.arange(FRAMES), Motion(turned, clip.motion.translations + 0.1)
    work.write(every, left_over)
    work.write_reference(every, left_over)
    found = finished(blend_boundaries(frame_tasks, work, None))
    np.testing.assert_array_equal(wrist_targets(found.blended), wrist_targets(joined.blended))


# Solving again -------------------------------------------------------------------------------------------------------


def again(constraints: list[Constraint], before: BlendedBoundaries) -> tuple[BlendedBoundaries, int]:
    """What is joined next on the same source, and how many steps that took."""
    frame_tasks = FrameTasks(Timeline.of(before.original.timeline.source, constraints))
    steps = 0

    def counted() -> BlendedBoundaries:
        nonlocal steps
        work = blend_boundaries(frame_tasks, workspace_of(frame_tasks), before)
        while True:
            try:
                next(work)
                steps += 1
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]

    return counted(), steps


def test_what_has_not_changed_is_kept(clip: Clip) -> None:
    constraints = [carried(clip), hand(clip)]
    frame_tasks = frame_tasks_of(clip, constraints)
    before = finished(blend_boundaries(frame_tasks, workspace_of(frame_tasks), None))
    after, steps = again(constraints, before)
    assert steps == 0
    ((key, added),) = after.offsets.items()
    assert added is before.offsets[key]
    for one, other in zip(after.blended.targets, before.blended.targets, strict=True):
        np.testing.assert_array_equal(one, other)
    # Nor does it matter to it what is asked of the hand itself: where it sets in, others decide.
    aside = displaced(clip, "l_wrist", (0.1, 0.1, 0.1), BEGIN, REACHED, LEFT, END)
    after, steps = again([constraints[0], aside], before)
    assert steps == 0 and next(iter(after.offsets.values())) is added
    assert_equal_to_rounding(wrist_targets(after.blended)[BEGIN], wrist_targets(after.original)[BEGIN] + added[0])


def test_what_has_changed_is_joined_as_if_anew(clip: Clip) -> None:
    constraints = [carried(clip), hand(clip)]
    frame_tasks = frame_tasks_of(clip, constraints)
    before = finished(blend_boundaries(frame_tasks, workspace_of(frame_tasks), None))
    farther = displaced(clip, "HumanoidRoot", (0.3, 0.0, 0.1), 0, 43, 43, FRAMES - 1, priority=2)
    after, steps = again([farther, constraints[1]], before)
    assert steps > 0
    frame_tasks = frame_tasks_of(clip, [farther, constraints[1]])
    anew = finished(blend_boundaries(frame_tasks, workspace_of(frame_tasks), None))
    off = np.linalg.norm(wrist_targets(after.blended) - wrist_targets(anew.blended), axis=1)
    moved = np.linalg.norm(wrist_targets(anew.blended) - wrist_targets(before.blended), axis=1)
    assert off[BEGIN : END + 1].max() < 0.02 * moved[BEGIN : END + 1].max()


def test_in_the_air_it_is_joined_to_the_frames_between_which_the_foot_swings() -> None:
    """While a foot swings nothing holds the body; a hand that sets in then finds it where the plants around have it."""
    motion = made_up_walk(steps=2)
    size = motion.clip.skeleton.size
    plants: list[Constraint] = [
        plant_of(contact, priority=3).moved((0.0, 0.1 * size, 0.0)) for contact in motion.contacts[::2]
    ]
    frame = 15
    assert motion.contacts[0].toe_off < frame - 2 < motion.contacts[2].heel_strike
    reach = displaced(motion.clip, "l_wrist", (0.0, 0.2, 0.1), frame, frame + 6, frame + 6, frame + 12, priority=1)
    frame_tasks = frame_tasks_of(motion.clip, [*plants, reach])
    found = finished(blend_boundaries(frame_tasks, workspace_of(frame_tasks), None))
    raised = (wrist_targets(found.blended) - motion.clip.position("l_wrist"))[frame, 1]
    result = deform(motion.clip, plants, settings=DeformSettings(smoothing_passes=0)).clip
    expected = (result.position("l_wrist") - motion.clip.position("l_wrist"))[frame, 1]
    assert expected > 0.05 * size
    assert raised == pytest.approx(expected, abs=0.02 * size)

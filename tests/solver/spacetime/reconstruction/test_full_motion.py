# SPDX-License-Identifier: GPL-3.0-or-later
"""Reconstruction: feet stand, handles have their values, nothing jumps, and the source's detail stays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.degrees_of_freedom import Dofs
from poise.solver.body.limits import BallLimit, SwingCone
from poise.solver.body.motion import Motion
from poise.solver.cleanup.metrics import joint_jumps
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError, HandleError, LandmarkError, MotionError
from poise.solver.core.smooth_steps import smooth_step
from poise.solver.posture.active_set import LimitBoundaries
from poise.solver.spacetime.handles.full_body import FullBody
from poise.solver.spacetime.handles.handle import (
    AxisHandle,
    CenterOfMassHandle,
    DistanceHandle,
    Handle,
    MidpointHandle,
    PointHandle,
)
from poise.solver.spacetime.handles.handle_tracks import moved_rigidly
from poise.solver.spacetime.reconstruction.full_motion import (
    HandleTrack,
    PlantedFoot,
    Reconstruction,
    ReconstructionSettings,
    reconstruct,
    reconstructing,
)
from poise.solver.spacetime.reconstruction.time_warp import warped
from poise.solver.synthetic import human, walk

from ...characters import hinge_chain
from ...made_up import moving_human, plant_of
from .edits import EDITS, HANDLES, Edit, captured, edited, walking

IN_PLACE, MET = 1e-4, 1e-3
"""Sizes of the character, or radians."""

EXACT = 1e-8
"""Sizes of the character: what is left of feet that stand within reach."""

LARGEST_JUMP = 2.0

INVISIBLE = 1e-3
"""Radians: less than a tenth of a degree of detail is added to joints that have none."""

FAST = 5.0
"""Hertz: what is faster is detail."""


def jump_of(edit: Edit, result: Clip) -> float:
    """The largest jump of a joint, beside the source and beside the source moved as a whole."""
    return min(joint_jumps(base, result).ratio for base in (edit.source, edit.rigid))


def detail(clip: Clip, joint: int) -> float:
    """Radians: the mean size of what is faster than `FAST` in a joint's local rotation."""
    turns = clip.motion.rotations[:, joint]
    vectors = rotations.log(rotations.quotient(turns, np.broadcast_to(rotations.mean(turns), turns.shape)))
    waves = np.fft.rfft(np.diff(vectors, axis=0) * np.hanning(len(vectors) - 1)[:, None], axis=0)
    hertz = np.fft.rfftfreq(len(vectors) - 1, 1.0 / clip.fps)
    fast = waves[hertz > FAST] / (2.0 * np.pi * hertz[hertz > FAST, None] / clip.fps)
    return float(np.sqrt(2.0 * np.sum(np.abs(fast) ** 2)) / len(vectors))


def check(edit: Edit, result: Reconstruction, met: float = MET) -> None:
    """What must hold of every reconstruction whose handles can be met."""
    size, marks = edit.source.skeleton.size, edit.source.skeleton.landmarks
    for plant, residual in zip(edit.plants, result.plants, strict=True):
        assert residual.amount < EXACT
        for part, mark in (("heel", f"{plant.foot}_heel"), ("ball", f"{plant.foot}_ball")):
            if part in plant.stays:
                during = plant.frames(part, edit.source.frames)
                before, after = (each.position(marks.require(mark))[during] for each in (edit.source, result.clip))
                np.testing.assert_allclose(after, before + np.asarray(plant.shift), atol=EXACT * size)
    after = FullBody(result.clip.world)
    for track, residual in zip(edit.tracks, result.handles, strict=True):
        off = np.linalg.norm(track.handle.value(after) - track.edited, axis=1).max()
        off /= size if track.handle.is_length else 1.0
        assert off < met, f"{track.label} is off by {off:.2g}"
        assert residual.amount == pytest.approx(off, abs=1e-6)
    jump = jump_of(edit, result.clip)
    assert jump < LARGEST_JUMP, str(joint_jumps(edit.rigid, result.clip))
    for joint, name in enumerate(edit.source.skeleton.names):
        if is_kept(edit.source, joint):
            before, own = detail(edit.source, joint), detail(result.clip, joint)
            assert abs(own - before) < 0.2 * before + INVISIBLE, f"{name}: {own:.2g} instead of {before:.2g} radians"


def is_kept(clip: Clip, joint: int) -> bool:
    """Whether a joint is a neck, a wrist, or beyond it or the ball of a foot."""
    marks, tree = clip.skeleton.landmarks, clip.skeleton.tree
    ends = [marks.neck, marks.left_wrist, marks.right_wrist, marks.left_toe, marks.right_toe]
    return any(end is not None and tree.ancestry[joint, end] for end in ends)


# --- edits ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS)
def test_edits_of_a_walk(edit: str) -> None:
    case = edited(*walking(), edit)
    # Lowered to the side, the stretched legs of a walk hardly reach.
    check(case, reconstruct(case.source, case.tracks, case.plants), met=2e-3 if edit in ("lower", "all") else MET)


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS)
def test_edits_of_a_run(mocap: Path, edit: str) -> None:
    case = edited(*captured(mocap, "09_01", 2, 146), edit)
    check(case, reconstruct(case.source, case.tracks, case.plants))


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS)
def test_edits_of_a_jump(mocap: Path, edit: str) -> None:
    """The last one is out of reach: strict priority leaves 0.02 sizes of the centre of mass."""
    case = edited(*captured(mocap, "13_11", 100, 400), edit)
    check(case, reconstruct(case.source, case.tracks, case.plants), met=0.01 if edit == "all" else MET)


def test_a_scene_elsewhere_turned_and_larger_gives_the_same() -> None:
    case = edited(*walking(fps=15.0, steps=3), "wide")
    plain = reconstruct(case.source, case.tracks, case.plants).clip
    turn, shift, factor = rotations.from_axis_angle((0.0, 1.0, 0.0), 2.0), np.array([900.0, 3.0, -500.0]), 100.0

    def placed(values: Array) -> Array:
        return factor * rotations.rotate(turn, values) + shift

    source = scaled_and_moved(case.source, factor, turn, shift)
    tracks = [
        HandleTrack(
            track.handle,
            *(
                placed(each) if track.handle.is_length else rotations.rotate(turn, each)
                for each in (track.fitted, track.edited)
            ),
        )
        for track in case.tracks
    ]
    plants = [
        PlantedFoot(
            foot=plant.foot,
            heel=plant.heel,
            ball=plant.ball,
            shift=tuple(factor * rotations.rotate(turn, np.array(plant.shift))),
        )
        for plant in case.plants
    ]
    found = reconstruct(source, tracks, plants).clip
    np.testing.assert_allclose(found.world.positions, placed(plain.world.positions), atol=1e-4 * source.skeleton.size)


def scaled_and_moved(clip: Clip, factor: float, turn: Array, shift: Array) -> Clip:
    local, places = clip.motion.rotations.copy(), factor * clip.motion.translations
    local[:, 0] = rotations.multiply(turn, local[:, 0])
    places[:, 0] = rotations.rotate(turn, places[:, 0]) + shift
    return Clip(clip.skeleton.scaled(factor), Motion(local, places), clip.fps)


# --- nothing, and little ---------------------------------------------------------------------------------------------


def test_no_displacement_gives_the_source_bit_for_bit() -> None:
    clip, plants = walking()
    body = FullBody(clip.world)
    tracks = [HandleTrack(handle, handle.value(body) + 0.1, handle.value(body) + 0.1) for handle in HANDLES]
    result = reconstruct(clip, tracks, [PlantedFoot.of(plant) for plant in plants])
    assert result.clip is clip and not result.missed and not str(result)
    assert max(residual.amount for residual in (*result.handles, *result.plants)) < 1e-12


def test_a_displacement_of_rounding_gives_the_source_to_rounding() -> None:
    clip, plants = walking(fps=15.0, steps=2)
    body = FullBody(clip.world)
    tracks = [HandleTrack(handle, handle.value(body), handle.value(body) + 1e-15) for handle in HANDLES]
    result = reconstruct(clip, tracks, [PlantedFoot.of(plant) for plant in plants])
    assert np.abs(result.clip.world.positions - clip.world.positions).max() < 1e-9 * clip.skeleton.size


def test_the_whole_body_moved_is_the_source_moved() -> None:
    """With all handles and feet displaced alike, no joint moves."""
    clip, plants = walking(fps=15.0, steps=2)
    away = np.array([0.3, 0.1, -0.2])
    body = FullBody(clip.world)
    tracks = [
        HandleTrack(handle, handle.value(body), handle.value(body) + (away if handle.is_length else 0.0))
        for handle in HANDLES
    ]
    result = reconstruct(clip, tracks, [PlantedFoot.of(plant, away) for plant in plants])
    np.testing.assert_allclose(result.clip.world.positions, clip.world.positions + away, atol=1e-9)


def test_a_handle_that_the_fit_misses_is_displaced_by_the_edit_alone() -> None:
    """Equation 5.1: what the fit is off, the result is off too."""
    clip, plants = walking(fps=15.0, steps=2)
    body = FullBody(clip.world)
    off, away = np.array([0.02, -0.03, 0.01]), np.array([0.0, -0.05, 0.02])
    handle = CenterOfMassHandle()
    values = handle.value(body)
    result = reconstruct(
        clip, [HandleTrack(handle, values + off, values + off + away)], [PlantedFoot.of(plant) for plant in plants]
    )
    found = handle.value(FullBody(result.clip.world))
    np.testing.assert_allclose(found, values + away, atol=MET * clip.skeleton.size)


def test_one_frame_and_no_feet() -> None:
    clip = moving_human(np.random.default_rng(4), 1)
    body = FullBody(clip.world)
    arm = CenterOfMassHandle("left_shoulder")
    values = arm.value(body)
    result = reconstruct(clip, [HandleTrack(arm, values, values + 0.03)])
    np.testing.assert_allclose(arm.value(FullBody(result.clip.world)), values + 0.03, atol=MET)


# --- jumps -----------------------------------------------------------------------------------------------------------


HOPPER: tuple[Handle, ...] = (
    MidpointHandle("left_ball", "right_ball"),
    DistanceHandle(MidpointHandle("left_ball", "right_ball"), MidpointHandle("left_hip", "right_hip")),
    CenterOfMassHandle(),
    CenterOfMassHandle("spine"),
    AxisHandle("hips", "left"),
)
"""Those of a broad jump (Popović 1999, section 6.5.2)."""


@pytest.mark.slow
def test_a_jump_with_a_quarter_turn(mocap: Path) -> None:
    """The body turns in flight, and the feet land turned about the middle between them (section 6.5.3)."""
    clip, plants = captured(mocap, "13_11", 100, 400)
    up = np.eye(3)[clip.skeleton.up_axis]
    body, marks = FullBody(clip.world), clip.skeleton.landmarks
    angles = 0.5 * np.pi * smooth_step((np.arange(clip.frames) - 130.0) / 70.0)
    turns = rotations.exp(angles[:, None] * up)
    middle = HOPPER[0].value(body)
    # The whole body is turned about the place where it lands.
    center = middle[200] * (1.0 - up)

    def turned(values: Array) -> Array:
        return center + rotations.rotate(turns, values - center)

    tracks = []
    for handle in HOPPER:
        values = handle.value(body)
        after = turned(values) if handle.width == 3 and handle.is_length else values
        tracks.append(HandleTrack(handle, values, rotations.rotate(turns, values) if handle.is_direction else after))
    feet = []
    for plant in plants:
        own = PlantedFoot.of(plant)
        frame = int(0.5 * (own.begin + own.end))
        turn = 0.5 * np.pi if frame > 180 else 0.0
        place = 0.5 * sum(clip.position(marks.require(f"{plant.foot}_{part}"))[frame] for part in ("heel", "ball"))
        moved = center + rotations.rotate(rotations.exp(turn * up), place - center) - place
        feet.append(PlantedFoot.of(plant, moved, turn))
    result = reconstruct(clip, tracks, feet)
    assert all(residual.amount < IN_PLACE for residual in result.plants)
    assert all(residual.amount < 5e-3 for residual in result.handles), str(result)
    whole = moved_rigidly(clip, turned(clip.center_of_mass()) - clip.center_of_mass(), turns)
    assert joint_jumps(whole, result.clip).ratio < LARGEST_JUMP, str(joint_jumps(whole, result.clip))
    # The line between the feet has turned with the trunk.
    for each, expected in ((clip, 0.0), (result.clip, 0.5 * np.pi)):
        across = each.position(marks.require("left_ball"))[-1] - each.position(marks.require("right_ball"))[-1]
        first = clip.position(marks.require("left_ball"))[-1] - clip.position(marks.require("right_ball"))[-1]
        sine, cosine = np.cross(first, across) @ up, first @ across
        assert np.arctan2(sine, cosine) == pytest.approx(expected, abs=0.02)


@pytest.mark.slow
def test_a_slower_run_with_higher_flights(mocap: Path) -> None:
    clip, plants = captured(mocap, "09_01", 2, 146)
    slowdown = 1.8
    frames = int((clip.frames - 1) * slowdown) + 1
    slow = warped(clip, np.arange(frames) / slowdown)
    feet = [
        PlantedFoot(
            foot=plant.foot,
            **{
                {"toe": "ball"}.get(part, part): tuple(np.minimum(np.array(stay) * slowdown, frames - 1.0))
                for part, stay in plant.stays.items()
            },
        )
        for plant in plants
    ]
    stands = np.zeros(frames)
    for foot in feet:
        stands[int(foot.begin) : int(foot.end) + 1] = 1.0
    up = np.eye(3)[clip.skeleton.up_axis]
    rise = np.zeros(frames)
    for first, last in zip(*(np.flatnonzero(np.diff(1.0 - stands) == sign) for sign in (1.0, -1.0)), strict=False):
        inside = np.arange(first, last + 1)
        rise[inside] = np.sin(np.pi * (inside - first) / (last - first)) ** 2
    lifted = 0.25 * clip.skeleton.size * rise[:, None] * up
    assert lifted.max() > 0.0
    body = FullBody(slow.world)
    tracks = [
        HandleTrack(handle, handle.value(body), handle.value(body) + (lifted if handle.is_length else 0.0))
        for handle in HANDLES
    ]
    result = reconstruct(slow, tracks, feet)
    assert not result.missed, str(result)


# --- out of reach, limits, settings ----------------------------------------------------------------------------------


def test_feet_out_of_reach_are_reported() -> None:
    clip, plants = walking(fps=15.0, steps=2)
    far = [PlantedFoot.of(plant, (3.0 if plant.foot == "left" else -3.0, 0.0, 0.0), turn=0.3) for plant in plants]
    body = FullBody(clip.world)
    tracks = [HandleTrack(handle, handle.value(body), handle.value(body)) for handle in HANDLES]
    result = reconstruct(clip, tracks, far)
    assert np.isfinite(result.clip.motion.rotations).all()
    assert result.missed and result.missed[0] in result.plants
    assert result.missed[0].amount == max(residual.amount for residual in result.plants) > 0.5
    assert str(result).startswith("The planted ") and "more." in str(result)
    worst = result.missed[0]
    assert worst.distance == pytest.approx(worst.amount * clip.skeleton.size)


def test_handles_that_contradict_planted_feet_yield() -> None:
    clip, plants = walking(fps=15.0, steps=2)
    body = FullBody(clip.world)
    handle = CenterOfMassHandle()
    values = handle.value(body)
    result = reconstruct(
        clip, [HandleTrack(handle, values, values + np.array([0.0, 0.6, 0.0]))], [PlantedFoot.of(p) for p in plants]
    )
    assert max(residual.amount for residual in result.plants) < IN_PLACE
    assert result.missed == (result.handles[0],) and "Centre of mass is off by" in str(result)


def test_hinges_turn_about_their_axes_alone() -> None:
    made = walk(human(hinges=True), steps=2, fps=15.0)
    case = edited(made.clip, [plant_of(contact) for contact in made.contacts], "lean")
    result = reconstruct(case.source, case.tracks, case.plants)
    check(case, result)
    skeleton = made.clip.skeleton
    hinges = skeleton.dofs.hinged
    assert hinges.size
    for each in (made.clip, result.clip):
        bends = rotations.quotient(
            rotations.conjugate(each.motion.rotations[:, hinges]), rotations.conjugate(skeleton.rest_rotations[hinges])
        )
        off = rotations.swing_twist(bends, skeleton.hinge_axes[hinges])[0]
        assert rotations.lengths(rotations.log(off)).max() < 1e-6


def test_limits_are_kept() -> None:
    clip, plants = walking(fps=15.0, steps=2)
    shoulder = clip.skeleton.landmarks.require("left_shoulder")
    # An arm that may be raised less than the edit would raise it.
    bone = np.array([0.0, -1.0, 0.0])
    raised = np.arccos(rotations.dot(rotations.rotate(clip.motion.rotations[:, shoulder], bone), bone[None]))
    largest = float(raised.max()) + 0.05
    limit = BallLimit(tuple(bone), swing=SwingCone(largest, largest))
    limited = Clip(clip.skeleton.with_limits({shoulder: limit}), clip.motion, clip.fps)
    boundaries = LimitBoundaries(limited.skeleton, Dofs(limited.skeleton.kinds))
    arm = CenterOfMassHandle("left_shoulder")
    values = arm.value(FullBody(clip.world))
    tracks = [HandleTrack(arm, values, values + np.array([0.0, 0.2, 0.2]))]
    planted = [PlantedFoot.of(plant) for plant in plants]
    found = [reconstruct(each, tracks, planted) for each in (clip, limited)]
    free, kept = (np.maximum(boundaries.excess(each.clip.motion), 0.0).max() for each in found)
    assert free > 0.1 and kept < 1e-3
    assert max(residual.amount for residual in found[1].plants) < IN_PLACE


def test_a_small_weight_of_handles_stays_near_the_source() -> None:
    clip, plants = walking(fps=15.0, steps=2)
    body = FullBody(clip.world)
    arm = CenterOfMassHandle("left_shoulder")
    values = arm.value(body)
    tracks = [
        HandleTrack(arm, values, values + np.array([0.0, 0.1, 0.0])),
        HandleTrack(CenterOfMassHandle(), *[CenterOfMassHandle().value(body)] * 2),
    ]
    planted = [PlantedFoot.of(plant) for plant in plants]
    firm = reconstruct(clip, tracks, planted)
    light = reconstruct(clip, tracks, planted, settings=ReconstructionSettings(handle_weight=1e-5))
    assert firm.handles[0].amount < MET < 0.02 < light.handles[0].amount
    with pytest.raises(HandleError, match="handle_weight"):
        ReconstructionSettings(handle_weight=0.0)
    with pytest.raises(HandleError, match="smoothing_time"):
        ReconstructionSettings(smoothing_time=float("nan"))


# --- how it runs, and bad input --------------------------------------------------------------------------------------


def test_it_yields_its_progress_and_can_be_cancelled() -> None:
    case = edited(*walking(fps=15.0, steps=2), "wide")
    steps = reconstructing(case.source, case.tracks, case.plants)
    shares = []
    while True:
        try:
            shares.append(next(steps))
        except StopIteration as stop:
            assert isinstance(stop.value, Reconstruction)
            break
    assert len(shares) > 20 and shares == sorted(shares) and shares[0] >= 0.0 and shares[-1] <= 1.0
    steps = reconstructing(case.source, case.tracks, case.plants)
    next(steps)
    steps.close()


def test_bad_input_is_refused_at_the_call() -> None:
    clip, _ = walking(fps=15.0, steps=2)
    values = np.zeros((clip.frames, 3))
    track = HandleTrack(PointHandle("left_ball"), values, values)
    with pytest.raises(HandleError, match="Left ball: it has fitted values for 3 frames, but the result has"):
        reconstructing(clip, [HandleTrack(PointHandle("left_ball"), values[:3], values[:3])])
    with pytest.raises(HandleError, match="from tracks of handles, not from 'left_ball'"):
        reconstructing(clip, ["left_ball"])  # type: ignore[list-item]
    with pytest.raises(HandleError, match="planted feet, not 'left'"):
        reconstructing(clip, [track], ["left"])  # type: ignore[list-item]
    with pytest.raises(ConstraintError, match="lies outside the result"):
        reconstructing(clip, [track], [PlantedFoot(foot="left", heel=(0.0, 1000.0))])
    with pytest.raises(MotionError, match="one quaternion for each"):
        reconstructing(clip, [track], (), np.zeros((3, 4)))
    chain = hinge_chain()
    hanging = Clip(chain, Motion(np.tile(chain.rest_rotations, (2, 1, 1)), np.tile(chain.offsets, (2, 1, 1))))
    with pytest.raises(LandmarkError, match="left ball"):
        reconstructing(hanging, [HandleTrack(PointHandle("left_ball"), values[:2], values[:2])])
    with pytest.raises(LandmarkError, match="heel"):
        reconstructing(hanging, [], [PlantedFoot(foot="left", heel=(0.0, 1.0))])

# SPDX-License-Identifier: GPL-3.0-or-later
"""Ankles of hinges: two of them hold heel and ball, a single one does what it can, and hinges stay hinges."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import Clip, Footplant, HingeLimit, JointKind, Motion, Skeleton, foot_metrics
from poise.solver.cleanup.limbs import limbs_of
from poise.solver.cleanup.plants import planted_points
from poise.solver.cleanup.rigid.batch import clean_rigidly
from poise.solver.cleanup.rigid.stream import RigidStream
from poise.solver.core import rotations
from poise.solver.core.arrays import Array

from ..gaits import footplants, gait
from ..streams import assert_same, streamed

ANKLES = ("l_talocrural", "r_talocrural")
SECOND = {"l_talocrural": "l_tilting", "r_talocrural": "r_tilting"}
FIRST_AXIS, SECOND_AXIS = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def on_hinges(source: Clip, hinges: int, rests: Array | None = None) -> Clip:
    """The same motion of a human whose ankles are hinges: about x, and with two of them about y too, in one place.

    What they cannot do is lost: the feet slide. `rests` are rest rotations of these joints, (2, 4).
    """
    old = source.skeleton
    names, parents, offsets = list(old.names), old.parents.tolist(), old.offsets.tolist()
    order = {name: number for number, name in enumerate(names)}
    if hinges == 2:
        for ankle, second in SECOND.items():
            foot = "l_subtalar" if ankle == "l_talocrural" else "r_subtalar"
            names.append(second)
            parents.append(order[ankle])
            offsets.append([0.0, 0.0, 0.0])
            parents[order[foot]] = len(names) - 1
    # Parents come before children.
    depth = [0] * len(names)
    for joint in range(len(names)):
        above = parents[joint]
        while above >= 0:
            depth[joint] += 1
            above = parents[above]
    sequence = sorted(range(len(names)), key=lambda joint: depth[joint])
    place = {joint: number for number, joint in enumerate(sequence)}
    rests = np.tile(rotations.IDENTITY, (2, 1)) if rests is None else rests
    rest_rotations = np.tile(rotations.IDENTITY, (len(names), 1))
    kinds = [JointKind.FREE if parents[joint] < 0 else JointKind.BALL for joint in sequence]
    axes = np.tile(FIRST_AXIS, (len(names), 1))
    turned = np.tile(rotations.IDENTITY, (source.frames, len(names), 1))
    moved = np.tile(np.array(offsets), (source.frames, 1, 1))
    for joint in range(len(old)):
        turned[:, joint] = source.motion.rotations[:, joint]
        moved[:, joint] = source.motion.translations[:, joint]
    for ankle, second in SECOND.items():
        euler = rotations.to_euler(source.motion.rotations[:, order[ankle]], "XYZ")
        first = rotations.from_axis_angle(FIRST_AXIS, euler[:, 0])
        turned[:, order[ankle]] = rotations.multiply(first, rests[0])
        rest_rotations[place[order[ankle]]] = rests[0]
        axes[place[order[ankle]]] = rotations.rotate(rotations.conjugate(rests[0]), np.array(FIRST_AXIS))
        kinds[place[order[ankle]]] = JointKind.HINGE
        # What hangs on the ankle keeps its place in the world at rest.
        below = [joint for joint in range(len(names)) if parents[joint] == order[ankle]]
        if hinges == 2:
            tilt = names.index(second)
            back = rotations.conjugate(rests[0])
            tilting = rotations.from_axis_angle(SECOND_AXIS, euler[:, 1])
            turned[:, tilt] = rotations.multiply(
                rotations.multiply(back, tilting), rotations.multiply(rests[0], rests[1])
            )
            rest_rotations[place[tilt]] = rests[1]
            whole = rotations.multiply(rests[0], rests[1])
            axes[place[tilt]] = rotations.rotate(rotations.conjugate(whole), np.array(SECOND_AXIS))
            kinds[place[tilt]] = JointKind.HINGE
            below = [joint for joint in range(len(names)) if parents[joint] == tilt]
        else:
            whole = rests[0]
        for joint in below:
            moved[:, joint] = rotations.rotate(rotations.conjugate(whole), moved[:, joint])
            offsets[joint] = rotations.rotate(rotations.conjugate(whole), np.array(offsets[joint])).tolist()
            turned[:, joint] = rotations.multiply(rotations.conjugate(whole), turned[:, joint])
            rest_rotations[place[joint]] = rotations.conjugate(whole)
    heels = {side: old.resolve(getattr(old.landmarks, f"{side}_heel")) for side in ("left", "right")}
    skeleton = Skeleton(
        names=tuple(names[joint] for joint in sequence),
        parents=np.array([-1 if parents[joint] < 0 else place[parents[joint]] for joint in sequence]),
        offsets=np.array(offsets)[sequence],
        rest_rotations=rest_rotations,
        kinds=tuple(kinds),
        hinge_axes=axes,
        tips=old.tips,
    )
    assert all(abs(heel.offset[1]) > 0.0 for heel in heels.values())
    return Clip(skeleton, Motion(turned[:, sequence], moved[:, sequence]), source.fps)


def walking(hinges: int, rests: Array | None = None) -> tuple[Clip, list[Footplant]]:
    motion = gait("walk", skate=0.005)
    return on_hinges(motion.clip, hinges, rests), footplants(motion)


def assert_hinges_stay(clip: Clip, joints: tuple[str, ...]) -> None:
    for name in joints:
        joint = clip.skeleton.index(name)
        back = rotations.conjugate(clip.skeleton.rest_rotations[joint])
        turn = rotations.log(rotations.multiply(back, clip.motion.rotations[:, joint]))
        axis = clip.skeleton.hinge_axes[joint]
        assert np.abs(np.cross(turn, axis)).max() < 1e-9, name


@pytest.mark.parametrize("turned_at_rest", [False, True])
def test_two_hinges_hold_heel_and_ball(turned_at_rest: bool, rng: np.random.Generator) -> None:
    rests = rotations.exp(0.5 * rng.standard_normal((2, 3))) if turned_at_rest else None
    clip, plants = walking(2, rests)
    assert foot_metrics(clip, plants).extent > 1e-3
    result = clean_rigidly(clip, plants)
    metrics = foot_metrics(result.clip, plants, source=clip)
    assert result.residual < 1e-6 and metrics.extent < 1e-6
    assert metrics.knee_ratio <= 1.5
    assert_hinges_stay(result.clip, (*ANKLES, *SECOND.values()))
    assert np.array_equal(result.clip.motion.translations[:, 1:], clip.motion.translations[:, 1:])


def test_a_single_hinge_holds_the_ball_and_comes_near_with_the_heel() -> None:
    clip, plants = walking(1)
    result = clean_rigidly(clip, plants)
    assert_hinges_stay(result.clip, ANKLES)
    balls = [each.max() for plant, each in zip(result.plants, result.residuals, strict=True) if plant.point == "ball"]
    assert max(balls) < 1e-6 * clip.skeleton.size
    assert 1e-6 < result.residual < 0.05
    before = foot_metrics(clip, plants)
    assert foot_metrics(result.clip, plants).extent < before.extent


def test_hinges_stay_within_their_ranges() -> None:
    clip, plants = walking(2)
    limited = clip.skeleton.with_limits(dict.fromkeys(SECOND.values(), HingeLimit(-0.01, 0.01)))
    result = clean_rigidly(Clip(limited, clip.motion, clip.fps), plants)
    held = np.zeros((2, clip.frames), dtype=bool)
    for plant in result.plants:
        held[int(plant.limb == "right leg"), plant.begin : plant.end + 1] = True
    for row, second in enumerate(SECOND.values()):
        angles = rotations.twist_angle(result.clip.motion.rotations[:, limited.index(second)], np.array(SECOND_AXIS))
        assert np.abs(angles[held[row]]).max() < 0.01 + 1e-9


def test_a_stream_gives_what_a_clip_gives() -> None:
    clip, plants = walking(2)
    limbs = limbs_of(clip.skeleton, clip.motion)
    stream = RigidStream(clip.skeleton, clip.fps, None, limbs)
    done = streamed(stream, clip, planted_points(clip, plants, limbs))
    assert_same(done, clean_rigidly(clip, plants, None, limbs))

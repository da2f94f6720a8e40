# SPDX-License-Identifier: GPL-3.0-or-later
"""The states of limbs agree with forward kinematics, before and after an adjustment."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import BodyPoint
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.cleanup.limbs import limb, limbs_of
from poise.solver.cleanup.planting.observing import Adjustment, Observer, combined
from poise.solver.cleanup.settings import CleanSettings
from poise.solver.cleanup.stretch.method import StretchMethod
from poise.solver.core import rotations
from poise.solver.core.errors import SkeletonError
from poise.solver.synthetic import human

from ...characters import random_motion

FRAMES = 9


@pytest.fixture
def clip(rng: np.random.Generator) -> Clip:
    """A human in random postures, all joints turned and translated."""
    skeleton = human(up="z")
    return Clip(skeleton, random_motion(rng, skeleton, FRAMES))


def method_of(clip: Clip) -> StretchMethod:
    return StretchMethod(clip.skeleton, limbs_of(clip.skeleton), CleanSettings(), 30.0)


def test_states_agree_with_forward_kinematics(clip):
    method = method_of(clip)
    for part, state in zip(method.limbs, method.observer.states(clip.motion), strict=True):
        for joint, place in ((part.ball, state.ball), (part.hinge, state.hinge), (part.end, state.end)):
            assert np.allclose(place, clip.position(joint), atol=1e-12)
        assert rotations.angle_between(state.end_rotation, clip.orientation(part.end)).max() < 1e-7
        for point, place in zip(part.points.values(), state.points, strict=True):
            assert np.allclose(place, clip.position(point), atol=1e-12)
        if part.toes is not None:
            assert np.allclose(state.toes, clip.position(part.toes.joint), atol=1e-12)


def test_the_state_of_an_adjusted_limb_agrees_with_forward_kinematics(rng, clip):
    method = method_of(clip)
    for number, (part, state) in enumerate(zip(method.limbs, method.observer.states(clip.motion), strict=True)):
        inside = rotations.random(rng, (FRAMES, method.rigid_joints(number)))
        by = Adjustment(
            rotations.random(rng, FRAMES),
            rng.uniform(-1.0, 1.0, FRAMES),
            rng.uniform(0.8, 1.2, FRAMES),
            rotations.random(rng, FRAMES),
            inside,
        )
        root = rng.standard_normal((FRAMES, 3))
        turned, moved = clip.motion.rotations.copy(), clip.motion.translations.copy()
        moved[:, method.observer.root] += root
        turned[:, method.adjusted_joints(number)] = method.local_rotations(number, state, by)
        moved[:, list(part.chain(clip.skeleton))] = by.scale[:, None, None] * state.bones
        shown = clip.with_motion(Motion(turned, moved))
        seen = method.adjusted(number, state, root, by)
        assert np.allclose(seen.end, shown.position(part.end), atol=1e-12)
        for point, place in zip(part.points.values(), seen.points, strict=True):
            assert np.allclose(place, shown.position(point), atol=1e-12), (part.name, point)
        if part.toes is not None:
            assert np.allclose(seen.toes, shown.position(part.toes.joint), atol=1e-12)
            tip = rotations.rotate(seen.toes_rotation, part.toes.tip.offset)
            assert np.allclose(seen.toes + tip, shown.position(part.toes.tip), atol=1e-12)


def test_a_combined_adjustment_does_both(rng, clip):
    method = method_of(clip)
    state = method.observer.states(clip.motion)[0]
    still = np.zeros((FRAMES, 3))

    def random() -> Adjustment:
        turns = [rotations.random(rng, FRAMES) for _ in range(2)]
        inside = np.tile(rotations.IDENTITY, (FRAMES, method.rigid_joints(0), 1))
        return Adjustment(turns[0], rng.uniform(-1.0, 1.0, FRAMES), rng.uniform(0.8, 1.2, FRAMES), turns[1], inside)

    first, then = random(), random()
    in_two = method.adjusted(0, method.adjusted(0, state, still, first), still, then)
    at_once = method.adjusted(0, state, still, combined(first, then))
    assert np.allclose(in_two.end, at_once.end, atol=1e-12)
    assert rotations.angle_between(*(each.end_rotation for each in (in_two, at_once))).max() < 1e-7


def test_only_joints_inside_a_hand_or_foot_are_rigid():
    skeleton = human()
    names = [
        [skeleton.names[joint] for joint in each.rigid_joints]
        for each in Observer(skeleton, limbs_of(skeleton)).extremities
    ]
    assert names == [
        ["l_subtalar", "l_midtarsal"],
        ["r_subtalar", "r_midtarsal"],
        ["l_middle1"],
        ["r_middle1"],
    ], "the toes themselves bend freely: they do not move the ball"


def test_limbs_of_two_characters_are_not_cleaned_together():
    one = human()
    count = len(one)
    both = Skeleton(
        (*one.names, *(f"other {name}" for name in one.names)),
        np.concatenate([one.parents, np.where(one.parents < 0, -1, one.parents + count)]),
        np.concatenate([one.offsets, np.add(one.offsets, (1.0, 0.0, 0.0))]),
    )
    legs = [
        limb(
            both,
            f"{who}leg",
            f"{who}l_hip",
            f"{who}l_knee",
            f"{who}l_talocrural",
            {"heel": BodyPoint(f"{who}l_talocrural")},
        )
        for who in ("", "other ")
    ]
    with pytest.raises(SkeletonError, match="several roots"):
        Observer(both, legs)

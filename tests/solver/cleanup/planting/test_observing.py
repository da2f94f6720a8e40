# SPDX-License-Identifier: GPL-3.0-or-later
"""What is seen of limbs: what forward kinematics says, before and after an adjustment."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import BodyPoint
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.cleanup import components
from poise.solver.cleanup.limbs import limb, limbs_of
from poise.solver.cleanup.planting.frames import taken
from poise.solver.cleanup.planting.method import Method
from poise.solver.cleanup.planting.observing import Adjustment, Observer, combined
from poise.solver.cleanup.settings import CleanSettings
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


def method_of(clip: Clip) -> Method:
    settings = CleanSettings()
    return Method(clip.skeleton, limbs_of(clip.skeleton), settings, 30.0)


def test_limbs_are_seen_where_they_are(clip):
    method = method_of(clip)
    for part, state in zip(method.limbs, method.observer.of_motion(clip.motion), strict=True):
        for joint, place in ((part.ball, state.ball), (part.hinge, state.hinge), (part.end, state.end)):
            assert np.allclose(components.joined(place), clip.position(joint), atol=1e-12)
        assert rotations.angle_between(components.joined(state.turned), clip.orientation(part.end)).max() < 1e-7
        for point, place in zip(part.points.values(), state.points, strict=True):
            assert np.allclose(components.joined(place), clip.position(point), atol=1e-12)
        if part.toes is not None:
            assert np.allclose(components.joined(state.toes), clip.position(part.toes.joint), atol=1e-12)


def test_a_frame_is_seen_as_the_clip_is_bit_for_bit(clip):
    observer = method_of(clip).observer
    together = observer.of_motion(clip.motion)
    for frame in range(FRAMES):
        alone = observer.of_frame(clip.motion.rotations[frame], clip.motion.translations[frame])
        for many, one in zip(together, alone, strict=True):
            flat = np.concatenate([np.ravel(part) for part in _leaves(taken(many, frame))])
            assert np.array_equal(flat, np.concatenate([np.ravel(part) for part in _leaves(one)]))


def _leaves(value: object) -> list[float]:
    return [leaf for each in value for leaf in _leaves(each)] if isinstance(value, (tuple, list)) else [float(value)]


def test_an_adjusted_limb_is_what_the_adjusted_motion_shows(rng, clip):
    method = method_of(clip)
    for number, (part, state) in enumerate(zip(method.limbs, method.observer.of_motion(clip.motion), strict=True)):
        inside = tuple(components.split(rotations.random(rng, FRAMES)) for _ in state.inside.turned)
        by = Adjustment(
            components.split(rotations.random(rng, FRAMES)),
            rng.uniform(-1.0, 1.0, FRAMES),
            rng.uniform(0.8, 1.2, FRAMES),
            components.split(rotations.random(rng, FRAMES)),
            inside,
        )
        root = rng.standard_normal((FRAMES, 3))
        turned, moved = clip.motion.rotations.copy(), clip.motion.translations.copy()
        moved[:, method.observer.root] += root
        for joint, turn in zip(method.turning[number], method.written(number, state, by), strict=True):
            turned[:, joint] = components.joined(turn)
        for joint, bone in zip(method.chains[number], method.stretched(state, by), strict=True):
            moved[:, joint] = components.joined(bone)
        shown = clip.with_motion(Motion(turned, moved))
        seen = method.adjusted(number, state, components.split(root), by)
        assert np.allclose(components.joined(seen.end), shown.position(part.end), atol=1e-12)
        for point, place in zip(part.points.values(), seen.points, strict=True):
            assert np.allclose(components.joined(place), shown.position(point), atol=1e-12), (part.name, point)
        if part.toes is not None:
            assert np.allclose(components.joined(seen.toes), shown.position(part.toes.joint), atol=1e-12)
            tip = components.joined(components.rotate(seen.toes_turned, part.toes.tip.offset))
            assert np.allclose(components.joined(seen.toes) + tip, shown.position(part.toes.tip), atol=1e-12)


def test_adjustments_follow_each_other(rng, clip):
    method = method_of(clip)
    state = method.observer.of_motion(clip.motion)[0]
    still = components.split(np.zeros((FRAMES, 3)))

    def random() -> Adjustment:
        turns = [components.split(rotations.random(rng, FRAMES)) for _ in range(2)]
        return Adjustment(turns[0], rng.uniform(-1.0, 1.0, FRAMES), rng.uniform(0.8, 1.2, FRAMES), turns[1])

    first, then = random(), random()
    in_two = method.adjusted(0, method.adjusted(0, state, still, first), still, then)
    at_once = method.adjusted(0, state, still, combined(first, then))
    assert np.allclose(components.joined(in_two.end), components.joined(at_once.end), atol=1e-12)
    assert rotations.angle_between(*(components.joined(each.turned) for each in (in_two, at_once))).max() < 1e-7


def test_only_joints_inside_a_hand_or_foot_are_stiffened():
    skeleton = human()
    names = [[skeleton.names[joint] for joint in hand.joints] for hand in Observer(skeleton, limbs_of(skeleton)).hands]
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

# SPDX-License-Identifier: GPL-3.0-or-later
"""What constraints move: values, displacements, and tasks that agree with them."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint
from poise.solver.constraints.effectors import (
    AttachedEffector,
    BalanceEffector,
    CenterOfMassEffector,
    DirectionEffector,
    Effector,
    GazeEffector,
    OrientationEffector,
    PointEffector,
    RollEffector,
)
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.tasks import (
    AimTask,
    AttachmentTask,
    BalanceTask,
    CenterOfMassTask,
    DirectionTask,
    OrientationTask,
    PositionTask,
    RollTask,
)
from poise.solver.tasks.roll import rolls

from ..characters import matrix
from ..made_up import moving_human

HAND, FOOT = 12, 5
POINT = BodyPoint(HAND, (0.1, -0.2, 0.3))

EFFECTORS: dict[str, Effector] = {
    "point": PointEffector(POINT),
    "attached": AttachedEffector(POINT, FOOT),
    "orientation": OrientationEffector(HAND),
    "direction": DirectionEffector(HAND, (0.0, 0.6, 0.8)),
    "roll": RollEffector(HAND, (0.0, 0.6, 0.8)),
    "gaze": GazeEffector(POINT, (0.0, 0.6, 0.8), 0.9),
    "centre of mass": CenterOfMassEffector("xz"),
    "balance": BalanceEffector((POINT, BodyPoint(FOOT)), "xz"),
}


@pytest.fixture(params=EFFECTORS)
def effector(request: pytest.FixtureRequest) -> Effector:
    return EFFECTORS[request.param]


@pytest.fixture
def clip(rng: np.random.Generator) -> Clip:
    return moving_human(rng, 6)


def other_values(effector: Effector, rng: np.random.Generator) -> Array:
    if isinstance(effector, OrientationEffector):
        return rotations.random(rng, 6)
    if isinstance(effector, GazeEffector):
        return 3.0 * rng.standard_normal((6, 6))
    if isinstance(effector, RollEffector):
        return rng.uniform(-3.0, 3.0, (6, 1))
    values = rng.standard_normal((6, 3))
    return values / np.linalg.norm(values, axis=1, keepdims=True)


def test_values_are_where_it_is(clip: Clip) -> None:
    world = clip.world
    hand = world.positions[:, HAND] + np.einsum("fij,j->fi", matrix(world.rotations[:, HAND]), POINT.local)
    foot_matrix = matrix(world.rotations[:, FOOT])
    on_foot = np.einsum("fij,fi->fj", foot_matrix, hand - world.positions[:, FOOT])
    expected = {
        "point": hand,
        "attached": on_foot,
        "orientation": world.rotations[:, HAND],
        "direction": matrix(world.rotations[:, HAND]) @ np.array([0.0, 0.6, 0.8]),
        "roll": rolls(world, HAND, np.array([0.0, 0.6, 0.8])),
        "gaze": np.hstack([hand, 0.9 * matrix(world.rotations[:, HAND]) @ np.array([0.0, 0.6, 0.8])]),
        "centre of mass": clip.center_of_mass(),
        "balance": clip.center_of_mass() - 0.5 * (hand + world.positions[:, FOOT]),
    }
    for name, effector in EFFECTORS.items():
        values = effector.value(world)
        assert values.shape == (6, effector.width)
        np.testing.assert_allclose(values, expected[name], atol=1e-13, err_msg=name)


def test_a_displacement_leads_from_values_to_targets(effector: Effector, clip: Clip, rng: np.random.Generator) -> None:
    values, targets = effector.value(clip.world), other_values(effector, rng)
    way = effector.displacement(values, targets)
    assert way.shape == (6, 3)
    reached = effector.displaced(values, way)
    off = effector.miss(reached, targets)
    np.testing.assert_allclose(off, 0.0, atol=1e-7)
    # Directions are normalized again.
    atol = 1e-15 if isinstance(effector, DirectionEffector) else 0.0
    np.testing.assert_allclose(effector.displaced(values, np.zeros((6, 3))), values, rtol=0.0, atol=atol)


def test_a_miss_is_a_length_or_an_angle(clip: Clip, rng: np.random.Generator) -> None:
    values = EFFECTORS["point"].value(clip.world)
    step = rng.standard_normal((6, 3))
    for name in ("point", "attached", "direction"):
        assert np.allclose(EFFECTORS[name].miss(values, values + step), np.linalg.norm(step, axis=1))
    horizontal = np.linalg.norm(step[:, [0, 2]], axis=1)
    for name in ("balance", "centre of mass"):
        np.testing.assert_allclose(EFFECTORS[name].miss(values, values + step), horizontal)
    turn = 0.1 * step
    turns = EFFECTORS["orientation"].value(clip.world)
    turned = rotations.multiply(rotations.exp(turn), turns)
    np.testing.assert_allclose(EFFECTORS["orientation"].miss(turns, turned), np.linalg.norm(turn, axis=1))
    np.testing.assert_allclose(EFFECTORS["orientation"].miss(turns, -turned), np.linalg.norm(turn, axis=1))


def test_its_task_wants_exactly_the_targets(effector: Effector, clip: Clip, rng: np.random.Generator) -> None:
    """Zero where the targets are where it is, and not zero elsewhere."""
    kinds = {
        PointEffector: PositionTask,
        AttachedEffector: AttachmentTask,
        OrientationEffector: OrientationTask,
        DirectionEffector: DirectionTask,
        RollEffector: RollTask,
        GazeEffector: AimTask,
        CenterOfMassEffector: CenterOfMassTask,
        BalanceEffector: BalanceTask,
    }
    values = effector.value(clip.world)
    task = effector.task(values, priority=7, weight=0.5, recruit=[HAND], name="grip")
    assert type(task) is kinds[type(effector)]
    assert (task.priority, task.weight, task.recruit, task.label) == (7, 0.5, (HAND,), "grip")
    task.check(clip.skeleton, 6)
    np.testing.assert_allclose(task.error(clip.world), 0.0, atol=1e-7)
    elsewhere = effector.task(other_values(effector, rng)).error(clip.world)
    assert (np.linalg.norm(elsewhere, axis=1) > 1e-3).all()
    assert task.is_angular == effector.is_angular


def test_the_same_thing_is_one_effector() -> None:
    assert PointEffector(BodyPoint(HAND, (0.1, -0.2, 0.3))) == EFFECTORS["point"]
    assert len({*EFFECTORS.values(), PointEffector(POINT), AttachedEffector(POINT, FOOT)}) == len(EFFECTORS)
    assert PointEffector(BodyPoint(HAND)) != EFFECTORS["point"]
    assert AttachedEffector(POINT, 0) != EFFECTORS["attached"]


def test_it_is_described_in_words(clip: Clip) -> None:
    names = clip.skeleton.names
    told = {name: effector.describe(names) for name, effector in EFFECTORS.items()}
    assert told == {
        "point": names[HAND],
        "attached": f"{names[HAND]} on {names[FOOT]}",
        "orientation": f"orientation of {names[HAND]}",
        "direction": f"direction of {names[HAND]}",
        "roll": f"roll of {names[HAND]}",
        "gaze": f"gaze of {names[HAND]}",
        "centre of mass": "balance",
        "balance": "balance",
    }

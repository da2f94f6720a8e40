# SPDX-License-Identifier: GPL-3.0-or-later
"""Queries of a hierarchy in space against plain implementations."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.joints import BodyPoint
from poise.solver.body.landmarks.figure import Figure
from poise.solver.core import rotations


def forest(seed: int) -> tuple[np.random.Generator, Figure, np.ndarray]:
    """A random forest, and which joint (row) is or hangs below which (column)."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 30))
    parents = np.array([rng.integers(-1, joint) if joint else -1 for joint in range(count)])
    below = np.eye(count, dtype=bool)
    for joint, parent in enumerate(parents):
        if parent >= 0:
            below[joint] |= below[parent]
    frames = rotations.normalize(rng.normal(size=(count, 4)))
    tips = [BodyPoint(int(joint), rng.normal(size=3)) for joint in rng.integers(count, size=rng.integers(0, 6))]
    ends = [int(joint) for joint in rng.integers(count, size=3)]
    return rng, Figure(parents, rng.normal(size=(count, 3)), frames, tips, "z", named_ends=ends), below


@pytest.mark.parametrize("seed", range(30))
def test_hierarchy(seed: int) -> None:
    rng, figure, below = forest(seed)
    count = len(figure)
    for ancestor in range(count):
        assert sorted(figure.subtree(ancestor)) == np.flatnonzero(below[:, ancestor]).tolist()
        for joint in range(count):
            assert figure.within(joint, ancestor) == below[joint, ancestor]
            assert figure.above(ancestor, joint) == (below[joint, ancestor] and joint != ancestor)
            path = figure.path(ancestor, joint)
            if not below[joint, ancestor]:
                assert path == []
                continue
            assert (path[0], path[-1]) == (ancestor, joint)
            assert [figure.parents[one] for one in path[1:]] == path[:-1]
    joints = [int(joint) for joint in rng.integers(count, size=3)]
    shared = np.flatnonzero(below[joints].all(axis=0))
    lowest = max(shared.tolist(), key=lambda joint: figure.depths[joint], default=None)
    assert figure.common_ancestor(joints) == lowest


def test_nothing_has_no_common_ancestor() -> None:
    assert forest(0)[1].common_ancestor([]) is None


@pytest.mark.parametrize("seed", range(30))
def test_points_return_to_where_they_were_taken(seed: int) -> None:
    rng, figure, _ = forest(seed)
    place = rng.normal(size=3)
    for joint in range(len(figure)):
        point = figure.point(joint, place)
        assert point.joint == joint
        np.testing.assert_allclose(figure.world(joint, point.offset), place, atol=1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_a_limb_reaches_the_farthest_point(seed: int) -> None:
    _, figure, below = forest(seed)
    for joint in range(len(figure)):
        limb = figure.limb(joint)
        joints, end = list(limb.joints), limb.end
        reached = np.linalg.norm(figure.points_below(joint) - figure.positions[joint], axis=1)
        assert np.linalg.norm(end - figure.positions[joint]) == pytest.approx(reached.max())
        assert len(reached) == below[:, joint].sum() + below[figure.tip_joints, joint].sum()
        assert joints == figure.path(joint, joints[-1])
        own = np.vstack([figure.positions[joints[-1]], figure.own_tips(joints[-1])])
        assert (own == end).all(axis=1).any(), "the limb ends at its last joint or at one of that joint's tips"
        assert not set(joints[1:]) & figure.ends


def test_an_end_joint_is_a_tip_of_its_parent() -> None:
    positions = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.5, 0.0]])
    frames = np.tile(rotations.IDENTITY, (3, 1))
    beyond = (BodyPoint(2, (0.0, 9.0, 0.0)),)
    figure = Figure([-1, 0, 1], positions, frames, beyond, named_ends=[0, 1, 2])
    assert figure.ends == {2}, "only a leaf that hangs on something can end a bone"
    np.testing.assert_array_equal(figure.own_tips(1), [[0.0, 1.5, 0.0]])
    assert figure.limb(0).joints == (0, 1)


def test_horizontal_is_square_to_up() -> None:
    _, figure, _ = forest(3)
    vectors = np.random.default_rng(3).normal(size=(5, 3))
    np.testing.assert_array_equal(figure.horizontal(vectors), vectors * [1.0, 1.0, 0.0])


def test_a_limb_without_length_goes_to_its_last_joint() -> None:
    figure = Figure([-1, 0, 1, 1], np.zeros((4, 3)), np.tile(rotations.IDENTITY, (4, 1)), ())
    assert figure.limb(0).joints == (0, 1, 2)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The hierarchy against a plain walk from parent to parent."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.tree import Tree
from poise.solver.core import rotations
from poise.solver.core.arrays import IntArray

from ..characters import matrix


@pytest.fixture(params=[1, 3], ids=["one root", "three roots"])
def parents(request: pytest.FixtureRequest, rng: np.random.Generator) -> IntArray:
    roots = [-1] * int(request.param)
    return np.array(roots + [int(rng.integers(joint)) for joint in range(len(roots), 40)])


def walk_up(parents: IntArray, joint: int) -> list[int]:
    path = [joint]
    while parents[joint] >= 0:
        joint = int(parents[joint])
        path.append(joint)
    return path


def test_chains_lead_to_a_root(parents: IntArray) -> None:
    tree = Tree(parents)
    for joint in range(40):
        path = walk_up(parents, joint)
        assert tree.chain(joint) == tuple(path)
        assert tree.depths[joint] == len(path) - 1


def test_carriers_are_the_joint_and_all_above(parents: IntArray) -> None:
    tree = Tree(parents)
    for joint in range(40):
        assert set(np.flatnonzero(tree.carriers(joint))) == set(walk_up(parents, joint))
        np.testing.assert_array_equal(tree.ancestry[joint], tree.carriers(joint))


def test_each_joint_below_a_root_is_in_the_generation_after_its_parent(parents: IntArray) -> None:
    tree = Tree(parents)
    seen = set(np.flatnonzero(parents < 0))
    for joints, above in tree.generations:
        assert set(above) <= seen and not seen & set(joints)
        np.testing.assert_array_equal(parents[joints], above)
        seen |= set(joints)
    assert seen == set(range(40))


def test_the_ancestry_cannot_be_changed_through_a_mask(parents: IntArray) -> None:
    with pytest.raises(ValueError, match="read-only"):
        Tree(parents).carriers(3)[0] = False


def test_transforms_are_chained_as_matrices_are(parents: IntArray, rng: np.random.Generator) -> None:
    local_rotations, local_translations = rotations.random(rng, (5, 2, 40)), rng.standard_normal((5, 2, 40, 3))
    world_rotations, world_positions = Tree(parents).accumulate(local_rotations, local_translations)
    local = np.zeros((5, 2, 40, 4, 4))
    local[..., :3, :3], local[..., :3, 3], local[..., 3, 3] = matrix(local_rotations), local_translations, 1.0
    for joint in range(40):
        expected = np.eye(4)
        for above in reversed(walk_up(parents, joint)):
            expected = expected @ local[:, :, above]
        np.testing.assert_allclose(matrix(world_rotations[:, :, joint]), expected[..., :3, :3], atol=1e-12)
        np.testing.assert_allclose(world_positions[:, :, joint], expected[..., :3, 3], atol=1e-12)


def test_chaining_and_placing_are_the_two_parts_of_it(parents: IntArray, rng: np.random.Generator) -> None:
    tree = Tree(parents)
    turned, moved = rotations.random(rng, (4, 40)), rng.standard_normal((4, 40, 3))
    world_rotations, world_positions = tree.accumulate(turned, moved)
    np.testing.assert_array_equal(tree.chained(turned), world_rotations)
    np.testing.assert_array_equal(tree.placed(world_rotations, moved), world_positions)
    np.testing.assert_array_equal(tree.ancestry_matrix, tree.ancestry)
    for nothing in (tree.chained(turned[:0]), tree.placed(turned[:0], moved[:0])):
        assert nothing.shape[:2] == (0, 40)


def test_a_chain_is_the_same_wherever_it_lies_in_memory(parents: IntArray, rng: np.random.Generator) -> None:
    for frames in (1, 22):
        tree, turned = Tree(parents), rotations.random(rng, (frames, 40))
        expected, spacers = tree.chained(turned), []
        for _ in range(200):
            spacers.append(np.empty(int(rng.integers(1, 3000))))
            np.testing.assert_array_equal(tree.chained(turned.copy()), expected)


def test_few_frames_are_chained_like_many(parents: IntArray, rng: np.random.Generator) -> None:
    tree, turned = Tree(parents), rotations.random(rng, (22, 40))
    alone = np.concatenate([tree.chained(turned[frame : frame + 1]) for frame in range(22)])
    np.testing.assert_allclose(alone, tree.chained(turned), rtol=0.0, atol=1e-14)


def test_what_is_chained_is_left_as_it_was(parents: IntArray, rng: np.random.Generator) -> None:
    turned, moved = rotations.random(rng, (2, 40)), rng.standard_normal((2, 40, 3))
    before = turned.copy(), moved.copy()
    Tree(parents).accumulate(turned, moved)
    np.testing.assert_array_equal(turned, before[0])
    np.testing.assert_array_equal(moved, before[1])


def test_a_very_long_chain_needs_no_recursion() -> None:
    links = 5000
    tree = Tree(np.arange(-1, links - 1))
    turned = np.tile(rotations.IDENTITY, (1, links, 1))
    _, positions = tree.accumulate(turned, np.tile([0.0, 1.0, 0.0], (1, links, 1)))
    np.testing.assert_array_equal(positions[0, :, 1], np.arange(1, links + 1))
    assert len(tree.chain(links - 1)) == links

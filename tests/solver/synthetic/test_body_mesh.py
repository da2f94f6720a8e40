# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies are closed, carried by their joints, and fit their skeletons."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.skeleton import Skeleton
from poise.solver.synthetic import COLORED, BodyMesh, body_mesh, chain, human


@pytest.fixture(scope="module")
def skeleton() -> Skeleton:
    return human("z")


@pytest.fixture(scope="module")
def body(skeleton: Skeleton) -> BodyMesh:
    return body_mesh(skeleton)


def test_weights_are_shares(body: BodyMesh) -> None:
    np.testing.assert_allclose(body.weights.sum(axis=1), 1.0, atol=1e-12)
    assert (body.weights >= 0.0).all()


def test_the_pieces_are_closed(body: BodyMesh) -> None:
    edges = np.stack([body.quads.ravel(), np.roll(body.quads, -1, axis=1).ravel()], axis=1)
    _, counts = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    assert (counts % 2 == 0).all()
    assert (counts == 2).mean() > 0.999, "an edge of four quads is where two parts of a piece just touch"


def test_every_joint_that_moves_a_part_of_the_body_carries_vertices(skeleton: Skeleton, body: BodyMesh) -> None:
    carriers = {skeleton.names[joint] for joint in np.unique(body.weights.argmax(axis=1))}
    limbs = {f"{side}_{name}" for side in "lr" for name in ("hip", "knee", "shoulder", "elbow", "wrist", "metatarsal")}
    assert carriers >= limbs | {"skullbase", "sacroiliac", "vt6"}


def test_a_side_is_carried_by_its_own_joints_alone(skeleton: Skeleton, body: BodyMesh) -> None:
    for side, other in (("Left", "r_"), ("Right", "l_")):
        vertices = np.unique(body.quads[np.isin(body.colored, [COLORED.index(side), COLORED.index(f"{side} Shoe")])])
        others = [joint for joint, name in enumerate(skeleton.names) if name.startswith(other)]
        assert body.weights[vertices][:, others].max() == 0.0


def test_weights_are_smooth_across_the_knee(skeleton: Skeleton, body: BodyMesh) -> None:
    hip, knee = skeleton.index("l_hip"), skeleton.index("l_knee")
    height = skeleton.rest_place("l_knee")[2]
    near = (body.vertices[:, 0] > 0.0) & (np.abs(body.vertices[:, 2] - height) < 0.05 * skeleton.size)
    shares = body.weights[near][:, knee] / body.weights[near][:, [hip, knee]].sum(axis=1)
    assert shares.min() < 0.3 and shares.max() > 0.7
    edges = np.stack([body.quads.ravel(), np.roll(body.quads, -1, axis=1).ravel()], axis=1)
    assert np.abs(body.weights[edges[:, 0]] - body.weights[edges[:, 1]]).max() < 0.35


def test_it_stands_on_the_floor_and_ends_at_the_crown(skeleton: Skeleton, body: BodyMesh) -> None:
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    size = skeleton.size
    assert low[2] == pytest.approx(0.0, abs=1e-3 * size)
    crown = skeleton.landmarks.head_top
    assert crown is not None and high[2] == pytest.approx(skeleton.rest_place(crown)[2], abs=0.02 * size)
    sole = body.vertices[body.vertices[:, 2] < 1e-3 * size]
    assert np.ptp(sole[sole[:, 0] > 0.0][:, 1]) > 0.2 * size, "soles are flat"


def test_it_grows_with_its_skeleton() -> None:
    small, large = body_mesh(human()), body_mesh(human().scaled(100.0))
    np.testing.assert_allclose(large.vertices, 100.0 * small.vertices, atol=1e-4)
    np.testing.assert_array_equal(large.quads, small.quads)


def test_what_is_no_human_has_a_body_too() -> None:
    body = body_mesh(chain(5))
    assert len(body.quads) > 100 and set(np.unique(body.colored)) == {COLORED.index("Body")}
    np.testing.assert_allclose(body.weights.sum(axis=1), 1.0, atol=1e-12)

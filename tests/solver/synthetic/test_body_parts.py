# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of bodies: their distances, and which joints carry them."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.skeleton import Up
from poise.solver.synthetic import chain, human
from poise.solver.synthetic.body_parts import FACE, TRUNK, RoundPart, body_parts


def test_the_distance_to_a_tube_with_two_radii() -> None:
    tube = RoundPart(0, TRUNK, np.zeros(3), np.array((4.0, 0.0, 0.0)), 1.0, 0.5)
    points = np.array([(0.0, 3.0, 0.0), (4.0, 0.0, 2.0), (2.0, 0.0, 0.0), (-2.0, 0.0, 0.0), (5.0, 0.0, 0.0)])
    np.testing.assert_allclose(tube.distance(points), [2.0, 1.5, -0.75, 1.0, 0.5])


def test_a_flattened_part_ends_at_its_thickness() -> None:
    up = np.array((0.0, 0.0, 1.0))
    disc = RoundPart(0, TRUNK, np.zeros(3), np.zeros(3), 2.0, 2.0, up, 0.25)
    np.testing.assert_allclose(disc.distance(np.array([0.5 * up, (2.0, 0.0, 0.0)])), 0.0, atol=1e-12)


def test_points_within_a_distance_are_never_missed() -> None:
    rng = np.random.default_rng(3)
    for thickness in (0.5, 1.0, 1.6):
        flat = np.array((0.0, 0.6, 0.8))
        part = RoundPart(0, TRUNK, rng.normal(size=3), rng.normal(size=3), 0.7, 0.3, flat, thickness)
        points = rng.normal(scale=2.0, size=(5000, 3))
        shell = 0.4 / max(1.0, thickness)
        near = np.linalg.norm(points - part.begin, axis=1) < 0.3 + shell
        assert part.may_reach(points[near | (part.distance(points) < 0.0)], shell).all()


@pytest.mark.parametrize("up", ["y", "z"])
def test_a_human_is_made_of_the_pieces_of_a_mannequin(up: Up) -> None:
    skeleton = human(up)
    parts = body_parts(skeleton)
    sided = {f"{side} {piece}" for side in ("left", "right") for piece in ("leg", "arm", "shoe")}
    assert {part.piece for part in parts} == {TRUNK, FACE} | sided
    for part in parts:
        side = part.piece.partition(" ")[0]
        if side in ("left", "right"):
            assert skeleton.names[part.joint].startswith(side[0] + "_")
            assert (part.begin[0] > 0.0) == (side == "left")


def test_left_and_right_mirror_each_other() -> None:
    parts = body_parts(human())
    lefts, rights = ([part for part in parts if part.piece.startswith(side)] for side in ("left", "right"))
    assert len(lefts) == len(rights) > 10
    for left, right in zip(lefts, rights, strict=True):
        np.testing.assert_allclose(left.begin * (-1.0, 1.0, 1.0), right.begin, atol=1e-12)
        np.testing.assert_allclose(left.end * (-1.0, 1.0, 1.0), right.end, atol=1e-12)


def test_the_face_is_in_front() -> None:
    for up, forward in (("y", (0.0, 0.0, 1.0)), ("z", (0.0, -1.0, 0.0))):
        parts = body_parts(human(up))  # type: ignore[arg-type]
        head = human(up).rest_place("skullbase")  # type: ignore[arg-type]
        assert all((part.end - head) @ np.array(forward) > 0.0 for part in parts if part.piece == FACE)


def test_what_is_no_human_has_a_tube_around_each_bone() -> None:
    skeleton = chain(4)
    parts = body_parts(skeleton)
    assert {part.joint for part in parts} >= set(range(len(skeleton) - 1))
    assert {part.piece for part in parts} == {TRUNK}

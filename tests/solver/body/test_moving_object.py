# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving objects as references; constraints relative to them are in test_shape."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.constraints import MovingObject
from poise.solver.core import rotations
from poise.solver.core.errors import ConstraintError

from ..characters import matrix
from ..made_up import IDENTITY


def test_places_seen_from_the_object(rng: np.random.Generator) -> None:
    positions, turns = rng.standard_normal((6, 3)), rotations.random(rng, 6)
    places = rng.standard_normal((6, 3))
    seen = MovingObject(positions, turns).checked("door", 6).seen_from(places)
    np.testing.assert_allclose(positions + np.einsum("fij,fj->fi", matrix(turns), seen), places, atol=1e-13)


def test_places_on_the_object_go_where_it_goes(rng: np.random.Generator) -> None:
    moving = MovingObject(rng.standard_normal((6, 3)), rotations.random(rng, 6))
    places = rng.standard_normal((6, 3))
    np.testing.assert_allclose(moving.in_world(moving.seen_from(places)), places, atol=1e-13)
    one = moving.part(2, 5).in_world(places[0])
    np.testing.assert_allclose(moving.part(2, 5).seen_from(one), np.tile(places[0], (3, 1)), atol=1e-13)
    assert moving.is_like(moving.part(0, 6)) and not moving.is_like(moving.part(0, 5))


def test_an_object_at_rest_is_the_same_in_every_frame(rng: np.random.Generator) -> None:
    position, turn = rng.standard_normal(3), rotations.random(rng)
    still = MovingObject(position, turn).checked("door", 4)
    np.testing.assert_array_equal(still.positions, np.tile(position, (4, 1)))
    np.testing.assert_allclose(still.rotations, np.tile(turn, (4, 1)), atol=1e-15)
    mixed = MovingObject(rng.standard_normal((4, 3)), turn).checked("door", 4)
    assert mixed.rotations.shape == (4, 4)


def test_rotations_become_unit_and_what_was_given_stays(rng: np.random.Generator) -> None:
    turns = 3.0 * rotations.random(rng, 5)
    given = turns.copy()
    checked = MovingObject(np.zeros((5, 3)), turns).checked("door", 5)
    np.testing.assert_allclose(np.linalg.norm(checked.rotations, axis=1), 1.0, atol=1e-15)
    np.testing.assert_array_equal(turns, given)


@pytest.mark.parametrize(
    ("positions", "turns", "sentence"),
    [
        (np.zeros((3, 3)), IDENTITY, r"positions of its moving reference must have the shape \(4, 3\), not \(3, 3\)"),
        (np.zeros(2), IDENTITY, r"positions .* not \(4, 2\)"),
        (np.zeros(3), np.zeros((4, 3)), r"rotations .* shape \(4, 4\), not \(4, 3\)"),
        (np.zeros((4, 1, 3)), IDENTITY, "positions .* shape"),
        ("here", IDENTITY, "positions .* must be numbers"),
        (np.full(3, np.nan), IDENTITY, "positions .* not all finite"),
        (np.zeros(3), (1.0, np.inf, 0.0, 0.0), "rotations .* not all finite"),
        (np.zeros(3), (0.0, 0.0, 0.0, 0.0), "zero quaternion"),
    ],
)
def test_what_is_no_transform_for_every_frame_is_refused(positions: object, turns: object, sentence: str) -> None:
    with pytest.raises(ConstraintError, match=f"^door: .*{sentence}"):
        MovingObject(positions, turns).checked("door", 4)  # type: ignore[arg-type]

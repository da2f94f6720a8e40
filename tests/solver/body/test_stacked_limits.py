# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of many joints together are what they are one by one."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from poise.solver.body.limits import BallLimit, HingeLimit, SwingCone, SwingPolygon
from poise.solver.body.stacked_limits import BLOCK, FEW, StackedLimits
from poise.solver.core import rotations
from poise.solver.core.arrays import Array

FRAMES = BLOCK + 7


def polygon(rng: np.random.Generator, corners: int) -> SwingPolygon:
    azimuth = 2.0 * np.pi * np.arange(corners) / corners
    angle = rng.uniform(0.3, 2.6, corners)
    across = np.stack([np.cos(azimuth), np.sin(azimuth), np.zeros(corners)], axis=1)
    return SwingPolygon(np.sin(angle)[:, None] * across + np.cos(angle)[:, None] * np.eye(3)[2], inside=(0, 0, 1))


def mixed(rng: np.random.Generator) -> list[BallLimit]:
    """Limits of every kind, in no order, several of some kinds."""
    limits = [HingeLimit(-0.2, 2.0).bound_to((1, 2, 0))]
    for _ in range(3):
        axis = rng.standard_normal(3)
        limits += [
            BallLimit(axis, swing=SwingCone(*rng.uniform(0.2, 2.8, 2))),
            BallLimit(axis, twist=(-0.3, 0.9), swing=polygon(rng, 16)),
            BallLimit(axis, twist=(2.0, 4.0)),
            BallLimit(axis, twist=(-1.0, 1.0), swing=SwingCone(0.5, 0.9)),
            BallLimit(axis, swing=polygon(rng, 5)),
        ]
    return [limits[int(position)] for position in rng.permutation(len(limits))]


@pytest.fixture
def limits(rng: np.random.Generator) -> list[BallLimit]:
    return mixed(rng)


@pytest.fixture
def relative(rng: np.random.Generator, limits: list[BallLimit]) -> Array:
    turns = rotations.random(rng, (FRAMES, len(limits)))
    turns[0] = rotations.IDENTITY
    return turns


def test_excess_and_gradients_are_those_of_each_limit(limits: list[BallLimit], relative: Array) -> None:
    stacked = StackedLimits(limits)
    excess, gradients = stacked.evaluate(relative)
    assert excess.shape == (FRAMES, stacked.count) and stacked.count == sum(limit.count for limit in limits)
    for index, (limit, rows) in enumerate(zip(limits, stacked.rows, strict=True)):
        one_excess, one_gradients = limit.evaluate(relative[:, index])
        assert np.allclose(excess[:, rows], one_excess, rtol=0.0, atol=1e-12)
        assert np.allclose(gradients[:, rows], one_gradients, rtol=0.0, atol=1e-9)
        assert (stacked.owners[rows] == index).all()


def test_room_is_a_lower_bound_of_the_distance_to_the_boundaries(
    rng: np.random.Generator, limits: list[BallLimit], relative: Array
) -> None:
    stacked = StackedLimits(limits)
    room = stacked.room(relative)
    excess = stacked.excess(relative)
    nearest = np.stack([excess[:, rows].max(axis=1) for rows in stacked.rows], axis=1)
    assert (nearest[room > 0.0] < 0.0).all() and (room <= np.maximum(-nearest, 0.0) + 1e-9).all()
    assert (room > 0.0).mean() > 0.1, "the bound must tell something"
    turn = rng.standard_normal((*relative.shape[:2], 3))
    turn *= (0.999 * np.minimum(room, np.pi) / np.linalg.norm(turn, axis=2))[..., None]
    turned = rotations.multiply(rotations.exp(np.where(room[..., None] > 0.0, turn, 0.0)), relative)
    excess = stacked.excess(turned)
    for index, rows in enumerate(stacked.rows):
        assert (excess[room[:, index] > 0.0, rows] < 1e-9).all(), "a turn by less than the room passes a boundary"


@pytest.mark.parametrize("frames", [1, FEW, FEW + 1, FRAMES])
@pytest.mark.parametrize("spread", [0.1, 0.5, None])
def test_clamping_is_that_of_each_limit_and_keeps_what_is_inside(
    rng: np.random.Generator, limits: list[BallLimit], relative: Array, frames: int, spread: float | None
) -> None:
    turns = relative if spread is None else rotations.exp(spread * rng.standard_normal((*relative.shape[:2], 3)))
    turns = turns[-frames:]
    clamped = StackedLimits(limits).clamp(turns)
    changed = (clamped != turns).any(axis=2)
    for index, limit in enumerate(limits):
        one = limit.clamp(turns[:, index])
        assert np.allclose(clamped[:, index], one, rtol=0.0, atol=1e-12)
        assert np.array_equal(changed[:, index], (one != turns[:, index]).any(axis=1))
    assert changed.any() and not changed.all()
    assert np.array_equal(StackedLimits(limits).clamp(clamped), clamped), "clamping twice changes something more"


def test_packed_frames_have_every_pair_that_is_wanted(rng: np.random.Generator, limits: list[BallLimit]) -> None:
    for frames, share in ((FEW, 0.3), (FRAMES, 0.02), (FRAMES, 0.6), (FRAMES, 0.0)):
        wanted = rng.random((frames, len(limits))) < share
        wanted[:, 3], wanted[:, 5] = frames > FEW and share > 0.0, False
        part, indices, packed = StackedLimits(limits).packed(wanted)
        found = np.zeros(wanted.shape, dtype=bool)
        found[packed, indices] = True
        assert not (wanted & ~found).any() and packed.shape == (wanted.sum(axis=0).max(), len(indices))
        assert part.limits == tuple(limits[index] for index in indices)
        assert packed.size <= wanted.any(axis=0).sum() * len(packed) or len(packed) <= FEW


def test_limits_without_a_twist_or_a_swing_give_no_warnings(rng: np.random.Generator) -> None:
    cone = BallLimit((0, 0, 1), swing=SwingCone(0.5, 0.5))
    turns = rotations.random(rng, (20, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for limits in ([cone, cone], [cone, BallLimit((1, 0, 0), twist=(-1, 1))], [BallLimit((1, 0, 0), (-1, 1))] * 2):
            stacked = StackedLimits(limits)
            stacked.evaluate(turns), stacked.room(turns), stacked.clamp(turns)


def test_no_limits_have_no_boundaries() -> None:
    stacked = StackedLimits([])
    assert len(stacked) == stacked.count == 0
    excess, gradients = stacked.evaluate(np.zeros((3, 0, 4)))
    assert excess.shape == (3, 0) and gradients.shape == (3, 0, 3) and stacked.room(np.zeros((3, 0, 4))).shape == (3, 0)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The root's displacement: the mean of equation 6 where limbs are near the source, and within reach of all limbs."""

from __future__ import annotations

import numpy as np

from poise.solver.body.two_bones import Reach, reach_of
from poise.solver.cleanup.planting.averages import gaussian
from poise.solver.cleanup.rigid.root import (
    HINGE_COST,
    RootTerm,
    length_cost,
    mean_displacement,
    reduce_hinge_rotation,
    steadied,
)
from poise.solver.core.arrays import Array

CASES = 400
SIZE = 1.0


def unit(rng: np.random.Generator, *shape: int) -> Array:
    vectors = rng.standard_normal((*shape, 3))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def reach(cases: int = CASES) -> Reach:
    """Of two bones of 0.5 and 0.45."""
    upper, lower, axis = (np.tile(v, (cases, 1)) for v in ((0.0, -0.5, 0.0), (0.0, -0.45, 0.0), (1.0, 0.0, 0.0)))
    return reach_of(upper, lower, axis)


def terms_of(
    rng: np.random.Generator, count: int = 2, *, shift: float = 0.03, weights: Array | None = None
) -> list[RootTerm]:
    """Limbs that hang down, more or less, from bent to all but straight."""
    made = []
    for number in range(count):
        down = np.array([0.0, 1.0, 0.0]) + 0.3 * rng.standard_normal((CASES, 3))
        span = down / np.linalg.norm(down, axis=1, keepdims=True) * rng.uniform(0.6, 0.95, (CASES, 1))
        way = shift * rng.standard_normal((CASES, 3))
        weight = np.ones(CASES) if weights is None else weights[number]
        made.append(RootTerm(way, weight, span, reach()))
    return made


def lengths_after(displacement: Array, term: RootTerm) -> Array:
    return np.asarray(np.linalg.norm(term.span + displacement - term.way, axis=1))


def test_the_mean_displacement_minimises_the_squared_distances_to_the_ways(rng: np.random.Generator) -> None:
    weights = rng.uniform(0.5, 1.0, (2, CASES))
    both = terms_of(rng, weights=weights)
    found = mean_displacement(both)
    e = np.stack([term.way for term in both])
    gradient = (weights[..., None] * (found - e)).sum(axis=0)
    assert np.abs(gradient).max() < 1e-15


def test_weights_below_1_displace_the_root_by_less(rng: np.random.Generator) -> None:
    few = terms_of(rng, weights=np.full((2, CASES), 0.1))
    e = np.stack([term.way for term in few])
    assert np.allclose(mean_displacement(few), 0.1 * e.sum(axis=0), rtol=0.0, atol=1e-15)
    free = terms_of(rng, weights=np.zeros((2, CASES)))
    assert not reduce_hinge_rotation(mean_displacement(free), free, SIZE).any()


def test_a_single_limb_displaces_the_root_by_its_way(rng: np.random.Generator) -> None:
    (term,) = terms_of(rng, 1)
    found = reduce_hinge_rotation(mean_displacement([term]), [term], SIZE)
    assert np.abs(found - term.way).max() < 1e-15


def test_limbs_at_their_targets_do_not_displace_the_root(rng: np.random.Generator) -> None:
    both = terms_of(rng, shift=0.0)
    assert not reduce_hinge_rotation(mean_displacement(both), both, SIZE).any()


def test_straight_limbs_keep_their_length_rather_than_bent_ones(rng: np.random.Generator) -> None:
    straight = term_at((0.0, 0.02, 0.0), (0.05, 0.945, 0.0))
    bent = term_at((0.0, -0.02, 0.0), (-0.05, 0.8, 0.0))
    found = reduce_hinge_rotation(mean_displacement([straight, bent]), [straight, bent], SIZE)
    changes = [
        abs(np.linalg.norm(np.array(p.span) + found - np.array(p.way)) - np.linalg.norm(p.span))
        for p in (straight, bent)
    ]
    assert changes[0] < 0.2 * changes[1]


def term_at(way: tuple[float, ...], span: tuple[float, ...]) -> RootTerm:
    """Of a planted limb in one frame."""
    return RootTerm(np.array([way]), np.ones(1), np.array([span]), reach(1))


def test_the_cost_of_a_length_is_that_of_its_hinge(rng: np.random.Generator) -> None:
    """k times the change of length is half the slope of (c turn)², by finite differences."""
    spans, later = rng.uniform(0.5, 0.94, (2, CASES))
    whole = reach()
    bends = np.asarray(whole.bend(spans))

    def cost(length: Array) -> Array:
        return (HINGE_COST * SIZE * (np.asarray(whole.bend(length)) - bends)) ** 2

    step = 1e-6
    slope = (cost(later + step) - cost(later - step)) / (2.0 * step)
    found = np.asarray(length_cost(whole, spans, bends, later, SIZE)) * (later - spans)
    assert np.allclose(found, 0.5 * slope, rtol=1e-4, atol=1e-7)


def test_two_rounds_come_near_the_least_cost(rng: np.random.Generator) -> None:
    both = terms_of(rng)
    smooth = mean_displacement(both)

    def cost(displacement: Array) -> Array:
        total = ((displacement - smooth) ** 2).sum(axis=1)
        for term in both:
            spans = np.linalg.norm(term.span, axis=1)
            turn = np.asarray(term.reach.bend(lengths_after(displacement, term))) - np.asarray(term.reach.bend(spans))
            total = total + (HINGE_COST * SIZE * turn) ** 2
        return np.asarray(total)

    found = reduce_hinge_rotation(smooth, both, SIZE)
    inside = np.all([lengths_after(found, term) < 0.93 for term in both], axis=0)
    assert inside.mean() > 0.5
    best = cost(found)
    for _ in range(40):
        tried = found + 0.01 * rng.standard_normal(found.shape)
        assert (best <= cost(tried) + 1e-4)[inside].all()


def test_a_limb_whose_weight_grows_displaces_the_root_smoothly(rng: np.random.Generator) -> None:
    """As a weight grows to one frame by frame, the root moves by little each time."""
    steps = 61
    weight = np.linspace(0.0, 1.0, steps) ** 2 * (3.0 - 2.0 * np.linspace(0.0, 1.0, steps))
    upright = np.tile([0.2, 0.9, 0.0], (steps, 1))
    planted = RootTerm(np.zeros((steps, 3)), np.ones(steps), upright, reach(steps))
    coming = RootTerm(
        np.tile([-0.08, -0.03, 0.02], (steps, 1)),
        weight,
        np.tile([-0.3, 0.88, 0.0], (steps, 1)),
        reach(steps),
    )
    both = [planted, coming]
    found = reduce_hinge_rotation(mean_displacement(both), both, SIZE)
    assert np.linalg.norm(np.diff(found, axis=0), axis=1).max() < 0.1 * np.linalg.norm(found[-1])


def test_a_limb_of_small_weight_hardly_displaces_the_root_however_straight_it_is(rng: np.random.Generator) -> None:
    """A limb of weight w is at most as stiff as w / (1 - w) against the displacement itself."""
    longest = 0.95
    for weight in (0.02, 0.1, 0.3):
        weights = np.full((4, CASES), weight)
        limbs = [
            term._replace(span=longest * unit(rng, CASES)) for term in terms_of(rng, 4, shift=0.1, weights=weights)
        ]
        moved = reduce_hinge_rotation(np.zeros((CASES, 3)), limbs, SIZE)
        changes = [np.abs(lengths_after(np.zeros(3), term) - longest) for term in limbs]
        # Two rounds, in which the second sees what the first has moved.
        most = weight / (1.0 - weight) * (np.sum(changes, axis=0) + 4.0 * np.linalg.norm(moved, axis=1))
        assert (np.linalg.norm(moved, axis=1) <= most + 1e-12).all()


def test_what_trembles_is_shared_by_root_pelvis_and_hinges(rng: np.random.Generator) -> None:
    """Of a tremble of one foot, and of one hip, little is left in the lengths of nearly straight limbs."""
    frames = 200
    noise = 0.003 * rng.standard_normal((frames, 3))
    arms = [np.tile([sign * 0.1, 0.0, 0.0], (frames, 1)) for sign in (1.0, -1.0)]
    span = np.tile([0.0, 0.93, 0.0], (frames, 1))
    planted = [np.ones(frames, dtype=bool)] * 2
    both = [RootTerm(way, np.ones(frames), span, reach(frames)) for way in (noise, np.zeros((frames, 3)))]
    still = np.zeros((frames, 3))
    root, turn = steadied(still, both, arms, planted, gaussian(7), SIZE)
    before = [lengths_after(still, term) for term in both]
    after = [lengths_after(root + np.cross(turn, arm), term) for term, arm in zip(both, arms, strict=True)]
    trembled = np.abs(np.diff(before[0], 2)).max()
    assert max(np.abs(np.diff(each, 2)).max() for each in after) < 0.35 * trembled
    assert np.abs(np.diff(root, 2, axis=0)).max() < 0.7 * trembled
    assert turn.any()


def test_what_is_steady_is_left_to_the_limbs(rng: np.random.Generator) -> None:
    frames = 100
    way = np.linspace(0.0, 0.03, frames)[:, None] * np.array([0.0, -1.0, 0.0])
    term = RootTerm(way, np.ones(frames), np.tile([0.0, 0.8, 0.0], (frames, 1)), reach(frames))
    arm = np.tile([0.1, 0.0, 0.0], (frames, 1))
    root, turn = steadied(np.zeros((frames, 3)), [term], [arm], [np.ones(frames, dtype=bool)], gaussian(7), SIZE)
    assert np.abs(root).max() < 1e-4 and np.abs(turn).max() < 1e-3

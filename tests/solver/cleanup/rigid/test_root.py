# SPDX-License-Identifier: GPL-3.0-or-later
"""The root's displacement: equation 6 where limbs are at ease, and always within the reach of all of them."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.cleanup.components import joined, split
from poise.solver.cleanup.rigid.root import (
    HINGE_COST,
    Pull,
    easy_displacement,
    kept_lengths,
    length_cost,
    reachable,
    within_reach,
)
from poise.solver.cleanup.two_bones import Reach, reach_of
from poise.solver.core.arrays import Array

CASES = 400
SIZE = 1.0


def unit(rng: np.random.Generator, *shape: int) -> Array:
    vectors = rng.standard_normal((*shape, 3))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def reach(cases: int = CASES) -> Reach:
    """Of two bones of 0.5 and 0.45."""
    upper, lower, axis = (np.tile(v, (cases, 1)) for v in ((0.0, -0.5, 0.0), (0.0, -0.45, 0.0), (1.0, 0.0, 0.0)))
    return reach_of(split(upper), split(lower), split(axis))  # type: ignore[arg-type]


def pulls(rng: np.random.Generator, count: int = 2, *, shift: float = 0.03, weights: Array | None = None) -> list[Pull]:
    """Limbs that hang down, more or less, from bent to all but straight."""
    made = []
    for number in range(count):
        down = np.array([0.0, 1.0, 0.0]) + 0.3 * rng.standard_normal((CASES, 3))
        span = down / np.linalg.norm(down, axis=1, keepdims=True) * rng.uniform(0.6, 0.95, (CASES, 1))
        easy = shift * rng.standard_normal((CASES, 3))
        weight = np.ones(CASES) if weights is None else weights[number]
        made.append(Pull(split(easy), weight, split(span), reach()))  # type: ignore[arg-type]
    return made


def lengths_after(displacement: Array, pull: Pull) -> Array:
    return np.asarray(np.linalg.norm(joined(pull.span) + displacement - joined(pull.easy), axis=1))


def test_the_closed_form_minimizes_the_distance_to_easy_positions(rng: np.random.Generator) -> None:
    weights = rng.uniform(0.5, 1.0, (2, CASES))
    both = pulls(rng, weights=weights)
    found = joined(easy_displacement(both))
    e = np.stack([joined(pull.easy) for pull in both])
    gradient = (weights[..., None] * (found - e)).sum(axis=0)
    assert np.abs(gradient).max() < 1e-15


def test_what_is_not_planted_is_not_carried(rng: np.random.Generator) -> None:
    few = pulls(rng, weights=np.full((2, CASES), 0.1))
    e = np.stack([joined(pull.easy) for pull in few])
    assert np.allclose(joined(easy_displacement(few)), 0.1 * e.sum(axis=0), rtol=0.0, atol=1e-15)
    free = pulls(rng, weights=np.zeros((2, CASES)))
    assert not joined(reachable(easy_displacement(free), free, SIZE)).any()


def test_one_limb_gets_all_it_asks_for(rng: np.random.Generator) -> None:
    (pull,) = pulls(rng, 1)
    found = joined(reachable(easy_displacement([pull]), [pull], SIZE))
    assert np.abs(found - joined(pull.easy)).max() < 1e-15


def test_limbs_at_ease_move_nothing(rng: np.random.Generator) -> None:
    both = pulls(rng, shift=0.0)
    assert not joined(reachable(easy_displacement(both), both, SIZE)).any()


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("shift", [0.002, 0.03, 0.1])
def test_every_limb_reaches_its_place(rng: np.random.Generator, count: int, shift: float) -> None:
    """Whatever smoothing has made of the displacement; limbs may begin fully stretched."""
    some = pulls(rng, count, shift=shift)
    smooth = easy_displacement(some)
    smooth = split(joined(smooth) + 0.02 * rng.standard_normal((CASES, 3)))  # type: ignore[assignment]
    found = joined(reachable(smooth, some, SIZE))
    assert np.isfinite(found).all()
    over = np.max([lengths_after(found, pull) - np.asarray(pull.reach.longest) for pull in some], axis=0)
    # Four balls of such places may have no point in common; those of which any search finds one must have it found.
    nearest = joined(smooth)
    for _ in range(400):
        for pull in some:
            center = joined(pull.easy) - joined(pull.span)
            away = nearest - center
            distance = np.linalg.norm(away, axis=1, keepdims=True)
            radius = (1.0 - 1e-6) * np.asarray(pull.reach.longest)[:, None]
            nearest = center + away * np.minimum(1.0, radius / distance)
    possible = np.max([lengths_after(nearest, pull) - np.asarray(pull.reach.longest) for pull in some], axis=0) < -1e-8
    assert possible.mean() > 0.9
    assert over[possible].max() < 1e-9


def test_places_too_far_apart_are_missed_alike(rng: np.random.Generator) -> None:
    """Two limbs whose places are 4 apart and reach 0.95: the root is midway, and each misses by the same."""
    ways = unit(rng, CASES)
    both = [
        Pull(split(sign * 2.0 * ways), np.ones(CASES), split(np.tile([0.0, 0.9, 0.0], (CASES, 1))), reach())  # type: ignore[arg-type]
        for sign in (1.0, -1.0)
    ]
    found = joined(reachable(easy_displacement(both), both, SIZE))
    missed = [lengths_after(found, pull) - np.asarray(pull.reach.longest) for pull in both]
    assert np.abs(missed[0] - missed[1]).max() < 1e-6
    assert missed[0].max() < 2.0 - 0.9


def test_straight_limbs_keep_their_length_rather_than_bent_ones(rng: np.random.Generator) -> None:
    straight = Pull((0.0, 0.02, 0.0), 1.0, (0.05, 0.945, 0.0), scalar_reach())
    bent = Pull((0.0, -0.02, 0.0), 1.0, (-0.05, 0.8, 0.0), scalar_reach())
    found = np.array(reachable(easy_displacement([straight, bent]), [straight, bent], SIZE))
    changes = [
        abs(np.linalg.norm(np.array(p.span) + found - np.array(p.easy)) - np.linalg.norm(p.span))
        for p in (straight, bent)
    ]
    assert changes[0] < 0.2 * changes[1]


def scalar_reach() -> Reach:
    return reach_of((0.0, -0.5, 0.0), (0.0, -0.45, 0.0), (1.0, 0.0, 0.0))


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
    both = pulls(rng)
    smooth = easy_displacement(both)

    def cost(displacement: Array) -> Array:
        total = ((displacement - joined(smooth)) ** 2).sum(axis=1)
        for pull in both:
            spans = np.linalg.norm(joined(pull.span), axis=1)
            turn = np.asarray(pull.reach.bend(lengths_after(displacement, pull))) - np.asarray(pull.reach.bend(spans))
            total = total + (HINGE_COST * SIZE * turn) ** 2
        return np.asarray(total)

    found = joined(kept_lengths(smooth, both, SIZE))
    inside = np.all([lengths_after(found, pull) < 0.93 for pull in both], axis=0)
    assert inside.mean() > 0.5
    best = cost(found)
    for _ in range(40):
        tried = found + 0.01 * rng.standard_normal(found.shape)
        assert (best <= cost(tried) + 1e-4)[inside].all()


def test_a_limb_that_is_not_yet_planted_does_not_throw_the_root(rng: np.random.Generator) -> None:
    """As a weight grows to one frame by frame, the root moves by little each time."""
    steps = 61
    weight = np.linspace(0.0, 1.0, steps) ** 2 * (3.0 - 2.0 * np.linspace(0.0, 1.0, steps))
    upright = split(np.tile([0.2, 0.9, 0.0], (steps, 1)))
    planted = Pull(split(np.zeros((steps, 3))), np.ones(steps), upright, reach(steps))  # type: ignore[arg-type]
    coming = Pull(  # type: ignore[arg-type]
        split(np.tile([-0.08, -0.03, 0.02], (steps, 1))),
        weight,
        split(np.tile([-0.3, 0.88, 0.0], (steps, 1))),
        reach(steps),
    )
    both = [planted, coming]
    found = joined(reachable(easy_displacement(both), both, SIZE))
    assert np.linalg.norm(np.diff(found, axis=0), axis=1).max() < 0.1 * np.linalg.norm(found[-1])


def test_what_is_hardly_planted_hardly_moves_the_root_however_straight_it_is(rng: np.random.Generator) -> None:
    """A limb of weight w is at most as stiff as w / (1 - w) against the displacement itself."""
    longest = 0.95
    for weight in (0.02, 0.1, 0.3):
        weights = np.full((4, CASES), weight)
        limbs = [
            pull._replace(span=split(longest * unit(rng, CASES))) for pull in pulls(rng, 4, shift=0.1, weights=weights)
        ]
        moved = joined(kept_lengths(split(np.zeros((CASES, 3))), limbs, SIZE))  # type: ignore[arg-type]
        changes = [np.abs(lengths_after(np.zeros(3), pull) - longest) for pull in limbs]
        # Two rounds, in which the second sees what the first has moved.
        most = weight / (1.0 - weight) * (np.sum(changes, axis=0) + 4.0 * np.linalg.norm(moved, axis=1))
        assert (np.linalg.norm(moved, axis=1) <= most + 1e-12).all()


def test_one_frame_and_many_give_the_same_bits(rng: np.random.Generator) -> None:
    both = pulls(rng, shift=0.1)
    together = joined(reachable(easy_displacement(both), both, SIZE))
    for case in range(CASES):
        alone = [
            Pull(
                tuple(float(part[case]) for part in pull.easy),  # type: ignore[arg-type]
                float(pull.weight[case]),
                tuple(float(part[case]) for part in pull.span),  # type: ignore[arg-type]
                Reach(float(pull.reach.middle[case]), float(pull.reach.swing[case])),
            )
            for pull in both
        ]
        assert reachable(easy_displacement(alone), alone, SIZE) == tuple(together[case].tolist())


def test_what_is_within_reach_stays(rng: np.random.Generator) -> None:
    both = pulls(rng, shift=0.01)
    moved = split(np.zeros((CASES, 3)))
    inside = np.all([lengths_after(np.zeros((CASES, 3)), pull) < 0.94 for pull in both], axis=0)
    found = joined(within_reach(moved, both, SIZE))  # type: ignore[arg-type]
    assert not found[inside].any() and found[~inside].any()

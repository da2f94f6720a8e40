# SPDX-License-Identifier: GPL-3.0-or-later
"""Above the floor: free hands and feet are lifted straight up, toes bend by the least that it takes."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import Ground
from poise.solver.body.joints import BodyPoint
from poise.solver.body.motion import Motion
from poise.solver.cleanup.limbs import Toes, limbs_of
from poise.solver.cleanup.planting.floor import depth, toes_bend
from poise.solver.cleanup.planting.observing import LimbState, Observer, adjusted
from poise.solver.cleanup.planting.solving import lift
from poise.solver.cleanup.settings import CleanSettings
from poise.solver.core import rotations
from poise.solver.synthetic import human

FRAMES = 200


def feet(rng: np.random.Generator, up: str) -> tuple[LimbState, object, int]:
    skeleton = human(up=up)
    (leg,) = limbs_of(skeleton, only=["left leg"])
    motion = Motion(
        np.tile(skeleton.rest_rotations, (FRAMES, 1, 1)).copy(), np.tile(skeleton.offsets, (FRAMES, 1, 1)).copy()
    )
    for joint in (leg.ball, leg.end):
        motion.rotations[:, joint] = rotations.exp(0.3 * rng.standard_normal((FRAMES, 3)))
    motion.rotations[:, leg.hinge] = rotations.from_axis_angle(leg.axis, rng.uniform(0.3, 0.6, FRAMES))
    return Observer(skeleton, [leg]).states(motion)[0], leg, skeleton.up_axis


@pytest.mark.parametrize("up", ["y", "z"])
def test_a_foot_is_lifted_until_heel_and_ball_are_above_the_floor(rng, up):
    state, leg, axis = feet(rng, up)
    ground = Ground(0.12)
    clearances = leg.clearance("heel"), leg.clearance("ball")
    deep = depth(state, clearances, ground, axis)
    below = deep > 0.0
    assert below.any() and not below.all()
    by = lift(state, np.where(below, deep, 0.0), axis, CleanSettings())
    seen = adjusted(state, np.zeros((FRAMES, 3)), by)
    assert np.allclose(depth(seen, clearances, ground, axis)[below], 0.0, atol=1e-12)
    moved = seen.end - state.end
    assert np.abs(np.delete(moved, axis, axis=1)).max() < 1e-12, "straight up"
    assert rotations.angle_between(seen.end_rotation, state.end_rotation).max() < 1e-7


def toe_states(rng: np.random.Generator) -> tuple[LimbState, Toes, int]:
    state, leg, axis = feet(rng, "y")
    turned = rotations.multiply(
        rotations.exp(np.array([0.5, 0.3, 0.3]) * rng.standard_normal((FRAMES, 3))),
        np.tile(rotations.IDENTITY, (FRAMES, 1)),
    )
    return state._replace(toes_rotation=turned), leg.toes, axis


def tip(state: LimbState, toes: Toes, bend: np.ndarray) -> np.ndarray:
    turned = rotations.multiply(state.toes_rotation, rotations.from_axis_angle(toes.axis, bend))
    return state.toes + rotations.rotate(turned, toes.tip.offset)


def test_toes_bend_by_the_smallest_angle_that_lifts_their_tips(rng):
    state, toes, up = toe_states(rng)
    ground = Ground(0.1)
    bend = toes_bend(state, toes, ground, up)
    lowest = 0.1 + toes.clearance
    before, after = tip(state, toes, np.zeros(FRAMES))[:, up], tip(state, toes, bend)[:, up]
    below = before < lowest
    assert (bend[~below] == 0.0).all() and below.any() and not below.all()
    some = np.flatnonzero(below)
    bends = np.linspace(0.0, np.pi, 3601)
    for frame in some:
        one = state._replace(toes=state.toes[frame], toes_rotation=state.toes_rotation[frame])
        heights = tip(one, toes, bends)[:, up]
        high = np.flatnonzero(heights >= lowest - 1e-12)
        if high.size:
            assert after[frame] >= lowest - 1e-9
            assert abs(bend[frame] - bends[high[0]]) < 2e-3, "the smallest that is not negative"
        else:
            assert abs(after[frame] - heights.max()) < 1e-6, "as high as they go"


def test_the_bent_toe_solves_the_corrected_equations(rng):
    # Kovar 2004, equations 3.16 and 3.17 with what the print lacks: n·v = 0, |v| kept, v_y = c.
    state, toes, up = toe_states(rng)
    bend = toes_bend(state, toes, Ground(0.1), up)
    after = tip(state, toes, bend) - state.toes
    normal = rotations.rotate(state.toes_rotation, toes.axis)
    level = 0.1 + toes.clearance - state.toes[:, up]
    size = float(np.linalg.norm(toes.tip.offset))
    flat = normal[:, 0] ** 2 + normal[:, 2] ** 2
    square = flat * size**2 - level**2
    some = np.flatnonzero((bend > 0.0) & (square > 0.0))
    assert some.size > 20
    kappa = np.sqrt(square[some])
    n, c = normal[some], level[some]
    solutions = [
        np.stack(
            [
                (-c * n[:, 0] * n[:, 1] + sign * n[:, 2] * kappa) / flat[some],
                c,
                (-c * n[:, 2] * n[:, 1] - sign * n[:, 0] * kappa) / flat[some],
            ],
            axis=1,
        )
        for sign in (1.0, -1.0)
    ]
    off = np.minimum(*(np.linalg.norm(each - after[some], axis=1) for each in solutions))
    assert off.max() < 1e-9


def test_toes_without_length_do_not_bend():
    toes = Toes(0, BodyPoint(0), (1.0, 0.0, 0.0), 0.0)
    state, _, _ = feet(np.random.default_rng(1), "y")
    assert (toes_bend(state, toes, Ground(5.0), 1) == 0.0).all()

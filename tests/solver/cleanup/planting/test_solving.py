# SPDX-License-Identifier: GPL-3.0-or-later
"""One limb: it reaches, it swivels as asked, and its knee neither pops nor bends backward."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.motion import Motion
from poise.solver.body.two_bones import bend_of
from poise.solver.cleanup.limbs import limb
from poise.solver.cleanup.planting.frames import identities, taken
from poise.solver.cleanup.planting.observing import Adjustment, LimbState, Observer, adjusted
from poise.solver.cleanup.planting.solving import bend_toward, damped, not_backward, solve_limb, within_stretch
from poise.solver.cleanup.planting.targets import Target
from poise.solver.cleanup.settings import CleanSettings
from poise.solver.core import rotations
from poise.solver.synthetic import human

FRAMES = 60
AXIS = (0.95, 0.1, -0.25)
"""Of a hinge across neither of its bones."""
RHO = float(np.deg2rad(135.0))


def states(rng: np.random.Generator) -> LimbState:
    """A leg in random poses, its knee bent by 0.2 to 1.5 about an oblique axis."""
    skeleton = human()
    leg = limb(skeleton, "left leg", "l_hip", "l_knee", "l_talocrural", {"heel": "l_talocrural"}, axis=AXIS)
    turned = rotations.random(rng, (FRAMES, len(skeleton)))
    turned[:, leg.hinge] = rotations.from_axis_angle(np.array(AXIS), rng.uniform(0.2, 1.5, FRAMES))
    motion = Motion(turned, np.tile(skeleton.offsets, (FRAMES, 1, 1)))
    return Observer(skeleton, [leg]).states(motion)[0]


def bend(state: LimbState) -> np.ndarray:
    upper = state.hinge - state.ball
    lower = state.end - state.hinge
    return bend_of(upper, lower, state.axis)


def near(rng: np.random.Generator, state: LimbState, far: float = 0.08) -> tuple[np.ndarray, np.ndarray]:
    """Places near the end, and small turns."""
    place = state.end + far * rng.standard_normal((FRAMES, 3))
    return place, rotations.exp(0.3 * rng.standard_normal((FRAMES, 3)))


def solve(
    state: LimbState, root: np.ndarray, place: np.ndarray, turn: np.ndarray, settings: CleanSettings
) -> Adjustment:
    return solve_limb(state, root, Target(place, turn), bend_toward(state, root, place, settings), settings)


@pytest.mark.parametrize("swivel", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("damping", [RHO, None])
def test_the_end_is_at_its_target(rng, swivel, damping):
    state = states(rng)
    place, turn = near(rng, state)
    root = 0.05 * rng.standard_normal((FRAMES, 3))
    settings = CleanSettings(swivel=swivel, damping=damping, most_stretch=0.9)
    by = solve(state, root, place, turn, settings)
    seen = adjusted(state, root, by)
    assert np.allclose(seen.end, place, atol=1e-13)
    wanted = rotations.multiply(turn, state.end_rotation)
    assert rotations.angle_between(seen.end_rotation, wanted).max() < 1e-7
    if damping is None:
        reached = np.abs(by.scale - 1.0) < 1e-9
        assert reached.mean() > 0.5, "most places are within reach without stretching"


def test_a_limb_that_is_at_its_target_is_not_adjusted(rng):
    state = states(rng)
    still = np.zeros((FRAMES, 3))
    by = solve(state, still, state.end, np.tile(rotations.IDENTITY, (FRAMES, 1)), CleanSettings())
    assert np.abs(by.bend).max() < 1e-12 and np.abs(by.scale - 1.0).max() < 1e-14
    for turn in (by.ball_rotation, by.end_rotation):
        assert np.abs(turn - rotations.IDENTITY).max() < 1e-14


def test_the_swivel_minimises_the_rotation_of_the_hip_at_0_and_of_the_ankle_at_1(rng):
    state = states(rng)
    place, turn = near(rng, state)
    still = np.zeros((FRAMES, 3))

    def angles(swivel: float) -> tuple[np.ndarray, np.ndarray]:
        by = solve(state, still, place, turn, CleanSettings(swivel=swivel))
        return tuple(rotations.angle_between(q, rotations.IDENTITY) for q in (by.ball_rotation, by.end_rotation))

    shares = np.linspace(0.0, 1.0, 11)
    hips, ankles = (np.array(each) for each in zip(*map(angles, shares), strict=True))
    assert (hips[0] <= hips + 1e-9).all(), "0 turns the hip least"
    assert (ankles[-1] <= ankles + 1e-9).all(), "1 turns the ankle least"
    # and of all swivels, not only of those between the two: turn the solution about the line from hip to ankle
    by = solve(state, still, place, turn, CleanSettings(swivel=1.0))
    line = rotations.unit(place - state.ball)
    for more in (-0.2, -0.05, 0.05, 0.2):
        about_line = rotations.from_axis_angle(line, np.full(FRAMES, more))
        bent = rotations.from_axis_angle(state.axis, by.bend)
        hip = rotations.multiply(
            rotations.multiply(state.parent_rotation, by.ball_rotation), rotations.conjugate(state.parent_rotation)
        )
        shank = rotations.multiply(rotations.multiply(about_line, hip), bent)
        left = rotations.multiply(turn, rotations.conjugate(shank))
        worse = rotations.angle_between(left, rotations.IDENTITY)
        assert (worse >= ankles[-1] - 1e-9).all()


def test_damping_is_the_integral_of_its_factor():
    # Kovar 2004, equations 3.14 and 3.15, by the trapezoidal rule.
    def factor(angle: np.ndarray) -> np.ndarray:
        share = np.clip((angle - RHO) / (np.pi - RHO), 0.0, 1.0)
        return 2.0 * share**3 - 3.0 * share**2 + 1.0

    for first in np.linspace(0.3, np.pi, 9):
        for last in np.linspace(0.3, np.pi, 9):
            angles = np.linspace(first, last, 4001)
            values = factor(angles)
            wanted = float(((values[1:] + values[:-1]) * np.diff(angles)).sum() / 2.0)
            assert abs(-damped(np.pi - first, np.pi - last, RHO) - wanted) < 1e-6


def swept(damping: float | None, steps: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """The knee's bend, and the stretch, of a leg whose ankle is drawn straight through full extension and back."""
    state = taken(states(np.random.default_rng(3)), np.zeros(2 * steps, dtype=np.int64))
    upper, lower = state.hinge - state.ball, state.end - state.hinge
    longest = np.linalg.norm(upper[0]) + np.linalg.norm(lower[0])
    shares = np.concatenate([np.linspace(0.80, 1.02, steps), np.linspace(1.02, 0.80, steps)])
    place = state.ball + longest * shares[:, None] * rotations.unit(state.end - state.ball)
    still = np.zeros(place.shape)
    by = solve(state, still, place, identities(2 * steps), CleanSettings(damping=damping, most_stretch=0.5))
    seen = adjusted(state, still, by)
    assert np.allclose(seen.end, place, atol=1e-12)
    return bend(seen), by.scale


def test_drawn_through_full_extension_a_knee_pops_unless_it_is_damped():
    damped_bends, stretch = swept(RHO)
    free_bends, _ = swept(None)
    calm, pop = (np.abs(np.diff(each)).max() for each in (damped_bends, free_bends))
    usual = np.abs(np.diff(free_bends[:50])).max()
    assert pop > 4.0 * usual, "without damping the knee must be seen to pop"
    assert calm < 2.0 * usual, "with damping no step may be much larger than far from extension"
    # A pop is a speed without bounds: in a sweep four times as fine the largest step is only halved.
    finer, finer_pop = (np.abs(np.diff(swept(each, 800)[0])).max() for each in (RHO, None))
    assert finer < 0.27 * calm and finer_pop > 0.4 * pop
    assert np.abs(np.diff(damped_bends, 2)).max() < 0.2 * np.abs(np.diff(free_bends, 2)).max()
    assert stretch.max() < 1.05


def test_a_knee_is_never_bent_backward_further_than_in_the_source():
    bends = np.linspace(-0.3, 1.0, 53)
    for wanted in (0.0, 0.05, 0.4, 1.2):
        result = bends + damped(bends, wanted, RHO)
        assert (result >= np.minimum(bends, 0.0) - 1e-12).all()
        assert np.abs(np.diff(result)).max() < 1.6 * (bends[1] - bends[0]), "as the source straightens nothing jumps"
    back = bends[bends < 0.0]
    assert np.abs(damped(back, -back, RHO)).max() == 0.0, "asked for the distance that it has, it stays"
    assert np.allclose(back + damped(back, -back, None), -back), "without damping it is bent forward"


def test_smoothing_does_not_bend_a_knee_backward(rng):
    state = states(rng)
    added = not_backward(state, np.full(FRAMES, -1.0))
    assert (bend(state) + added >= -1e-12).all()
    assert np.array_equal(not_backward(state, np.full(FRAMES, 0.1)), np.full(FRAMES, 0.1))


@pytest.mark.parametrize("settings", [CleanSettings(stretch=False), CleanSettings(most_stretch=0.02)])
def test_bones_stretch_within_their_limit(rng, settings):
    state = states(rng)
    place, turn = near(rng, state, far=0.5)
    still = np.zeros((FRAMES, 3))
    by = solve(state, still, place, turn, settings)
    assert np.abs(by.scale - 1.0).max() <= (settings.most_stretch if settings.stretch else 0.0) + 1e-15
    seen = adjusted(state, still, by)
    missed = np.cross(
        (seen.end - state.ball),
        (place - state.ball),
    )
    assert np.abs(missed).max() < 1e-12, "what is out of reach is pointed at"


def test_a_damped_knee_bends_as_far_as_bones_cannot_shrink(rng):
    """Drawn far toward the hip, a straight leg that is damped would have to shrink by more than its bones may."""
    state = states(rng)
    still, settings = np.zeros((FRAMES, 3)), CleanSettings(most_stretch=0.02)
    place = state.ball + 0.55 * (state.end - state.ball)
    added = bend_toward(state, still, place, settings)
    kept = within_stretch(state, still, place, added, settings)
    target = Target(place, identities(FRAMES))
    missed, met = (
        np.linalg.norm(
            adjusted(state, still, solve_limb(state, still, target, each, settings)).end - place, axis=1
        ).max()
        for each in (added, kept)
    )
    assert missed > 1e-3 and met < 1e-12

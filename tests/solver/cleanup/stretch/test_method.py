# SPDX-License-Identifier: GPL-3.0-or-later
"""The root of the method that stretches limbs: displaced only where limbs need it, in full, and smoothly."""

from __future__ import annotations

import numpy as np

from poise.solver.body.motion import Motion
from poise.solver.body.two_bones import reach_of
from poise.solver.cleanup.limbs import limbs_of
from poise.solver.cleanup.planting.observing import LimbState
from poise.solver.cleanup.planting.targets import Target
from poise.solver.cleanup.settings import CleanSettings
from poise.solver.cleanup.stretch.method import StretchMethod
from poise.solver.core import rotations
from poise.solver.synthetic import human

FRAMES = 90


def standing() -> tuple[StretchMethod, tuple[LimbState, ...]]:
    """A human at rest with slightly bent knees, at 30 frames a second."""
    skeleton = human()
    legs = limbs_of(skeleton, only=["left leg", "right leg"])
    motion = Motion(np.tile(skeleton.rest_rotations, (FRAMES, 1, 1)), np.tile(skeleton.offsets, (FRAMES, 1, 1)))
    for leg in legs:
        motion.rotations[:, leg.hinge] = rotations.from_axis_angle(leg.axis, 0.3)
    method = StretchMethod(skeleton, legs, CleanSettings(carrying=0.4), 30.0)
    return method, method.observer.states(motion)


def targets_at(states: tuple[LimbState, ...], shift: np.ndarray) -> list[Target]:
    identity = np.tile(rotations.IDENTITY, (FRAMES, 1))
    return [Target(state.end + shift, identity) for state in states]


def missing(method: StretchMethod, state: LimbState, target: Target, root: np.ndarray) -> np.ndarray:
    """(frames,) by how much the target is out of the limb's reach."""
    reach = reach_of(state.hinge - state.ball, state.end - state.hinge, state.axis)
    return np.linalg.norm(target.position - state.ball - root, axis=1) - reach.longest


def test_a_root_stays_where_all_limbs_reach() -> None:
    method, states = standing()
    shift = np.tile([0.02, 0.0, 0.02], (FRAMES, 1))
    planted = [np.ones(FRAMES, dtype=bool)] * 2
    assert not np.any(method.carriage(states, targets_at(states, shift), planted))


def test_a_limb_out_of_reach_displaces_the_root_in_full_and_smoothly() -> None:
    method, states = standing()
    shift = np.zeros((FRAMES, 3))
    shift[40:43] = [0.0, -0.15, 0.0]
    planted = [np.ones(FRAMES, dtype=bool), np.zeros(FRAMES, dtype=bool)]
    targets = targets_at(states, shift)
    assert missing(method, states[0], targets[0], np.zeros(3)).max() > 0.05
    root, turn = method.carriage(states, targets, planted)
    assert not turn.any()
    assert missing(method, states[0], targets[0], root).max() < 1e-9
    moved = np.linalg.norm(root, axis=1)
    far = np.abs(np.arange(FRAMES) - 41) > 1 + method.root_window
    assert not moved[far].any()
    assert np.abs(np.diff(moved)).max() < 0.3 * moved.max(), "it does not jump"


def test_free_limbs_do_not_displace_the_root() -> None:
    method, states = standing()
    free = [np.zeros(FRAMES, dtype=bool)] * 2
    assert not np.any(method.carriage(states, targets_at(states, np.full((FRAMES, 3), 3.0)), free))

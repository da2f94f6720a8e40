# SPDX-License-Identifier: GPL-3.0-or-later
"""The method with limbs of fixed length: its settings, its root, and ankles that stay on their hinges."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import Ground, JointKind
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.body.two_bones import reach_of
from poise.solver.cleanup.limbs import limbs_of
from poise.solver.cleanup.planting.observing import Adjustment, LimbState, turned_arm
from poise.solver.cleanup.planting.targets import Target
from poise.solver.cleanup.rigid.method import ROOT_SMOOTHING, RigidMethod, rigid_settings
from poise.solver.cleanup.settings import CleanSettings
from poise.solver.core import rotations
from poise.solver.synthetic import human

FRAMES = 90
FPS = 60.0


def standing(skeleton: Skeleton | None = None) -> tuple[RigidMethod, tuple[LimbState, ...]]:
    """A human at rest with slightly bent knees."""
    skeleton = skeleton or human()
    legs = limbs_of(skeleton, only=["left leg", "right leg"])
    motion = Motion(np.tile(skeleton.rest_rotations, (FRAMES, 1, 1)), np.tile(skeleton.offsets, (FRAMES, 1, 1)))
    for leg in legs:
        motion.rotations[:, leg.hinge] = rotations.from_axis_angle(leg.axis, 0.3)
    method = RigidMethod(skeleton, legs, rigid_settings(CleanSettings(carrying=0.2)), FPS)
    return method, method.observer.states(motion)


def targets_at(states: tuple[LimbState, ...], shifts: np.ndarray) -> list[Target]:
    identity = np.tile(rotations.IDENTITY, (FRAMES, 1))
    return [Target(state.end + shift, identity) for state, shift in zip(states, shifts, strict=True)]


def test_only_windows_and_ground_of_the_settings_are_kept() -> None:
    given = CleanSettings(blending=0.7, ground=Ground(0.2), swivel=0.9, damping=1.0, most_stretch=0.4)
    found = rigid_settings(given)
    assert (found.blending, found.ground) == (0.7, given.ground)
    assert (found.swivel, found.damping, found.stretch) == (0.0, None, False)
    assert rigid_settings(None) == rigid_settings(CleanSettings())


def test_the_root_looks_around_by_its_own_smoothing_as_well() -> None:
    method, _ = standing()
    around = 2 * method.windows.carrying + method.windows.smoothing
    assert method.root_window == around + round(ROOT_SMOOTHING * FPS)


def test_both_limbs_displaced_alike_displace_the_root_alike() -> None:
    method, states = standing()
    shift = np.tile([0.03, 0.01, -0.05], (FRAMES, 1))
    planted = [np.ones(FRAMES, dtype=bool)] * 2
    root, turn = method.carriage(states, targets_at(states, np.stack([shift, shift])), planted)
    assert np.allclose(root, shift, atol=1e-12) and not turn.any()


@pytest.mark.parametrize("down", [0.02, 0.2, 0.4])
def test_every_planted_limb_reaches_its_target(down: float) -> None:
    method, states = standing()
    shifts = np.zeros((2, FRAMES, 3))
    shifts[0, 30:50] = [0.05, -down, 0.1]
    planted = [np.zeros(FRAMES, dtype=bool), np.ones(FRAMES, dtype=bool)]
    planted[0][30:50] = True
    targets = targets_at(states, shifts)
    root, turn = method.carriage(states, targets, planted)
    for state, target, frames in zip(states, targets, planted, strict=True):
        reach = reach_of(state.hinge - state.ball, state.end - state.hinge, state.axis)
        distance = np.linalg.norm(target.position - state.ball - root - turned_arm(state, turn), axis=1)
        assert (distance <= reach.longest * (1.0 + 1e-9))[frames].all()


def test_the_root_follows_a_plant_before_it_begins_and_after_it_ends() -> None:
    method, states = standing()
    shifts = np.zeros((2, FRAMES, 3))
    shifts[0, 40:50] = [0.05, 0.0, 0.0]
    planted = [np.zeros(FRAMES, dtype=bool), np.zeros(FRAMES, dtype=bool)]
    planted[0][40:50] = True
    root = method.carriage(states, targets_at(states, shifts), planted)[0][:, 0]
    window = method.root_window
    assert not root[: 40 - window].any() and not root[50 + window :].any()
    assert (np.diff(root[:40]) >= -1e-12).all() and (np.diff(root[50:]) <= 1e-12).all()
    assert np.allclose(root[44:46], 0.05, atol=1e-3) and 0.0 < root[36] < 0.05


def test_local_rotations_of_an_ankle_stay_on_its_hinge(rng: np.random.Generator) -> None:
    skeleton = human().with_kinds({"l_talocrural": JointKind.HINGE})
    method, states = standing(skeleton)
    assert method.ankles[0] is not None and method.ankles[1] is None
    joint = skeleton.index("l_talocrural")
    axis = skeleton.hinge_axes[joint]
    by = Adjustment.none(FRAMES, method.rigid_joints(0))
    by = by._replace(end_rotation=rotations.exp(0.3 * rng.standard_normal((FRAMES, 3))))
    local = method.local_rotations(0, states[0], by)[:, 2]
    turn = rotations.log(rotations.multiply(rotations.conjugate(skeleton.rest_rotations[joint]), local))
    assert np.abs(np.cross(turn, axis)).max() < 1e-12
    assert np.abs(turn).max() > 0.1
